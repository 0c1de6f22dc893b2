//! Writes `docs/theorem-4.md` from `examples/theorem_4/runs.csv`; with a side and a number of seeds it first adds the runs that
//! are missing: `cargo run --release --example theorem_4 -- 512 3`.

#![allow(clippy::disallowed_methods, reason = "a program reads its arguments, files and the clock")]

use std::time::Instant;

use meshwright_papers::chochia1996::dynamic;

#[path = "page.rs"]
mod page;
#[path = "runs.rs"]
mod runs;

fn main() -> meshwright_core::Result<()> {
    let words: Vec<u32> = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    let mut all = runs::read();
    if let &[side, seeds] = &words[..] {
        for seed in 1..=u64::from(seeds) {
            for (name, engine) in dynamic::NETWORKS {
                if all.iter().any(|row| (row.side, row.network, row.seed) == (side, name, seed)) {
                    continue;
                }
                let begun = Instant::now();
                let seen = dynamic::observe(side, engine, seed)?;
                all.extend(runs::rows(name, seed, &seen));
                eprintln!("n = {side}, {name}, seed {seed}: {:.1} s", begun.elapsed().as_secs_f64());
                runs::write(&all);
            }
        }
    }
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/docs");
    let [steps, queues] = page::drawings(&all);
    for (name, text) in [
        ("theorem-4.md", page::document(&all)),
        ("images/theorem-4-steps.svg", steps),
        ("images/theorem-4-queues.svg", queues),
    ] {
        std::fs::write(format!("{docs}/{name}"), text).expect("docs/ can be written");
        println!("wrote docs/{name}");
    }
    Ok(())
}

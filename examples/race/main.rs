//! Every algorithm for every collective operation on meshes and tori: `docs/race.md`.
//!
//! `cargo run --release --example race -- brief > docs/race.md` writes the page; `brief` leaves out what takes long: schedules of our own;
//! `-- scan mesh:8x8` prints one table.

#![allow(
    clippy::disallowed_methods,
    reason = "a program reads its arguments, takes the time and writes what it is asked for"
)]

mod page;

use std::time::Instant;

use meshwright_collectives::Operation;
use meshwright_core::Result;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [operation, machine] = &words[..] {
        print!("{}", page::Section::raced(Operation::named(operation)?, machine, &page::CHIP, false)?.text());
        return Ok(());
    }
    let is_brief = words.first().is_some_and(|word| word == "brief");
    let begin = Instant::now();
    let body = page::body(is_brief, &mut |what| eprintln!("{:>5} s  {what}", begin.elapsed().as_secs()))?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    print!("{}", page::head(begin.elapsed().as_secs(), threads, is_brief) + &body);
    Ok(())
}

//! `docs/theorem-4.md` says what `examples/theorem_4/runs.csv` holds, and that holds what is measured.

use std::path::Path;

use meshwright_papers::chochia1996::dynamic;

#[path = "../../examples/theorem_4/page.rs"]
mod page;
#[path = "../../examples/theorem_4/runs.rs"]
#[allow(dead_code, reason = "the example writes them, too")]
mod runs;

#[test]
fn the_page_is_made_from_the_runs() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let read = |name: &str| std::fs::read_to_string(docs.join(name)).unwrap();
    let rows = runs::read();
    let how = "`cargo run --release --example theorem_4` writes it";
    assert!(read("theorem-4.md") == page::document(&rows), "docs/theorem-4.md is another: {how}");
    let [steps, queues] = page::drawings(&rows);
    assert!(
        read("images/theorem-4-steps.svg") == steps && read("images/theorem-4-queues.svg") == queues,
        "{how}"
    );
}

/// A part of the runs, made again.
#[test]
fn the_runs_are_what_is_measured() {
    let rows = runs::read();
    for (network, engine) in dynamic::NETWORKS {
        for (side, seed) in [(16, 1), (16, 4), (32, 2)] {
            let again = runs::rows(network, seed, &dynamic::observe(side, engine, seed).unwrap());
            let kept = rows.iter().filter(|row| (row.side, row.network, row.seed) == (side, network, seed));
            assert_eq!(kept.clone().count(), again.len(), "n = {side}, {network}, seed {seed}");
            for (kept, again) in kept.zip(&again) {
                let words = format!("n = {side}, {network}, seed {seed}, {:?}", again.of);
                assert_eq!(
                    (kept.of, kept.splits, kept.most, kept.queue),
                    (again.of, again.splits, again.most, again.queue),
                    "{words}"
                );
                assert!(
                    (kept.mean - again.mean).abs() < 0.006
                        && (kept.most_ratio - again.most_ratio).abs() < 6e-5,
                    "{words}"
                );
            }
        }
    }
}

/// The theorem: on all runs that are kept no ratio passes eight, and no queue six packets for each doubling of n.
#[test]
fn the_runs_keep_to_the_theorem() {
    for row in runs::read() {
        assert!(row.most_ratio < 8.0, "{row:?}");
        let log = f64::from(row.side).log2();
        assert!(row.queue.is_none_or(|queue| queue as f64 <= 6.0 * log), "{row:?}");
    }
}

//! How closely the flit engine repeats other simulators: writes `docs/agreement.md`.
//!
//! `cargo run --release --example agreement`
//!
//! | file | what |
//! |---|---|
//! | `zero_load` | one packet alone, every pair of nodes, against formulae written down here once more |
//! | `golden` | the reference points of `tests/golden/network.json` |
//! | `sample` | repeated short runs, and what they say about a mean and about the noise of a single run |
//! | `curves` | latency against load, beside BookSim |
//! | `others` | the same beside CAMINOS and CNSim, for information |
//! | `phases` | schedules with barriers, beside CAMINOS |
//! | `loggp` | schedules in which nobody waits, beside LogGP |
//! | `engines` | how far the two engines are apart where messages meet |

pub(crate) mod curves;
pub(crate) mod engines;
pub(crate) mod golden;
pub(crate) mod loggp;
mod others;
pub(crate) mod phases;
pub(crate) mod sample;
pub(crate) mod zero_load;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use meshwright_core::Result;

/// The whole page; the same bytes whatever the number of threads.
pub(crate) fn document() -> Result<String> {
    let mut page = String::from(
        "# Agreement with other simulators\n\n\
         Written by `cargo run --release --example agreement`; do not edit. Times are in cycles, loads in flits per node\n\
         and cycle. Every figure of a reference stands in `tests/golden/network.json` or `tests/golden/phases.json`,\n\
         with the way it was measured in `tests/golden/README.md`.\n\n",
    );
    page.push_str(&zero_load::section()?);
    page.push_str(&curves::section()?);
    page.push_str(&others::section()?);
    page.push_str(&phases::section()?);
    page.push_str(&loggp::section()?);
    page.push_str(&engines::section());
    Ok(page)
}

/// Does jobs on all cores; the results stand in the order of the jobs.
pub(crate) fn in_parallel<J: Sync, T: Send>(
    jobs: &[J],
    work: impl Fn(&J) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Result<T>>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { break };
                    *results[index].lock().expect("nobody panics with the lock") = Some(work(job));
                }
            });
        }
    });
    let result = |slot: Mutex<Option<Result<T>>>| {
        slot.into_inner().expect("nobody panicked").expect("every job was done")
    };
    results.into_iter().map(result).collect()
}

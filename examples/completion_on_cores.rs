//! How deep to divide a merge sort on the cores of this machine: predicted by the model of `docs/completion-time.md`, then measured.
//!
//! The constants are taken from single steps: sorting a part on one rank, merging two, sending one between two threads. From
//! them comes a curve over 1, 2, 4, … ranks on the cores there are, and beside it stands what the ranks of
//! `meshwright divide merge-sort` really take.
//!
//! `cargo run --release --example completion_on_cores [-- ELEMENTS [ROUNDS]]`; medians of all rounds, on a machine with nothing
//! else to do.

#![allow(clippy::disallowed_methods, reason = "a program reads its arguments and the clock")]

use std::time::Instant;

use meshwright_core::rng;
use meshwright_core::statistics::median;
use meshwright_core::units::Bytes;
use meshwright_demos::applications::MergeSort;
use meshwright_demos::speedup::{Task, applications, measure_here};
use meshwright_mapping::completion::Work;
use meshwright_network::topology::Machine;
use meshwright_runtime::skeleton::DivideAndConquer;
use meshwright_runtime::transport::{Mailbox, threads};
use meshwright_verdict::completion::{CompletionReport, Question, curve};
use rand::Rng;

/// Numbers of ranks that are tried.
const RANKS: [u32; 5] = [1, 2, 4, 8, 16];

fn main() -> meshwright_core::Result<()> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse().expect("a whole number"));
    let size: u32 = arguments.next().unwrap_or(4_000_000);
    let rounds: u32 = arguments.next().unwrap_or(9);
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    let constants = Constants::measure(size as usize, rounds);
    println!(
        "one rank: {:.3} ns n log2 n to sort, {:.3} ns n to merge, {:.3} ns n to split; between threads: {:.0} ns a message, \
         {:.4} ns a byte",
        constants.sort, constants.merge, constants.split, constants.startup, constants.byte
    );
    let report = predict(&constants, size, cores)?;
    println!("{size} elements on {cores} cores; medians of {rounds} rounds\n");
    let measured = measure(size, rounds)?;
    println!("ranks  depth  predicted, ms  measured, ms  measured / predicted");
    for ranks in RANKS {
        let row = report.completion.iter().find(|row| row.per_node == ranks);
        let seconds =
            measured.iter().find(|(measured, _)| *measured == ranks).map_or(0.0, |(_, seconds)| *seconds);
        let Some(row) = row else { continue };
        let (predicted, seconds) = (row.simulated_cycles as f64 * 1e-6, seconds * 1e3);
        println!(
            "{ranks:5}  {:5}  {predicted:13.1}  {seconds:12.1}  {:20.2}",
            row.depth,
            seconds / predicted
        );
    }
    let fastest = measured.iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(1, |(ranks, _)| *ranks);
    let words = if fastest == report.best.per_node { "confirmed" } else { "NOT confirmed" };
    println!("\nbest: {} ranks predicted, {fastest} measured: {words}", report.best.per_node);
    Ok(())
}

/// What single steps take on this machine, in nanoseconds.
struct Constants {
    /// Of n log2 n.
    sort: f64,
    /// Of the elements of both lists.
    merge: f64,
    /// Of the elements that are split.
    split: f64,
    /// Of a message without bytes.
    startup: f64,
    /// Of each byte between two threads.
    byte: f64,
}

impl Constants {
    /// Medians of so many rounds on halves, quarters and eighths of so many elements.
    fn measure(size: usize, rounds: u32) -> Self {
        let app = MergeSort::<u32>::default();
        let (mut sort, mut merge, mut split) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..rounds {
            let list = numbers(size >> (round % 4), round);
            let n = list.len() as f64;
            let (seconds, sorted) = timed(|| app.solve_alone(list));
            sort.push(seconds / (n * n.log2()));
            // Every other number: two sorted lists that are merged in turns nobody can foresee.
            let other = app.solve_alone(numbers(sorted.len(), round + rounds));
            let (seconds, merged) = timed(|| app.combine(sorted, other));
            merge.push(seconds / merged.len() as f64);
            let (seconds, _) = timed(|| app.divide(merged, (1, 1)));
            split.push(seconds / (2.0 * n));
        }
        let [startup, large] = [0, size / 4].map(|n| transfer(n, rounds));
        let middle = |times: Vec<f64>| 1e9 * median(times).unwrap_or(0.0);
        let byte = 1e9 * (large - startup).max(0.0) / (size as f64 / 4.0 * 4.0);
        Self { sort: middle(sort), merge: middle(merge), split: middle(split), startup: 1e9 * startup, byte }
    }
}

/// The seconds of a message with a list of so many elements from one thread to another.
fn transfer(elements: usize, rounds: u32) -> f64 {
    let list = numbers(elements, 0);
    let ended = threads::run(2, |endpoint| {
        let mut mail = Mailbox::new(endpoint);
        let mut times = Vec::new();
        for _ in 0..2 * rounds {
            if mail.rank() == 0 {
                let begin = Instant::now();
                mail.send(1, 1, &list)?;
                let _: Vec<u32> = mail.receive(1, 2)?;
                times.push(begin.elapsed().as_secs_f64());
            } else {
                let got: Vec<u32> = mail.receive(0, 1)?;
                mail.send(0, 2, &got)?;
            }
        }
        Ok(median(times).unwrap_or(0.0) / 2.0)
    });
    ended.expect("threads of this process are not lost")[0]
}

fn numbers(count: usize, seed: u32) -> Vec<u32> {
    let mut generator = rng::stream(seed.into(), "numbers to sort");
    (0..count).map(|_| generator.next_u32()).collect()
}

fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begin = Instant::now();
    let result = work();
    (begin.elapsed().as_secs_f64(), result)
}

/// The curve of one node with so many cores, a cycle being a nanosecond: what is sent between ranks is copied by the cores, so
/// it is work of dividing and combining.
fn predict(constants: &Constants, size: u32, cores: u32) -> meshwright_core::Result<CompletionReport> {
    let Constants { sort, merge, split, startup, byte } = constants;
    // Half of the elements go over, of 4 bytes each.
    let sending = 2.0 * byte;
    let forms = format!(
        "leaf={sort}nlogn,divide={startup}+{}n,combine={startup}+{}n",
        split + sending,
        merge + sending
    );
    let volume = Bytes(4 * u64::from(size));
    let question = Question {
        name: "merge sort".to_string(),
        computation: Some("merge-sort"),
        alpha: Some(0.5),
        combine_alpha: Some(0.5),
        volume,
        result: volume,
        size: size.into(),
        work: Work::parse(&forms, None)?,
        nodes: vec![1],
        per_node: RANKS.into_iter().filter(|ranks| *ranks <= cores || ranks.is_multiple_of(cores)).collect(),
        tasks_max: u32::MAX,
        cores,
        host: false,
        placements: vec![],
        seed: 0,
    };
    curve(&question, &Machine::new("mesh:1x1")?, &mut |_| {})
}

/// Medians of the seconds of so many rounds, in each of which every number of ranks has its turn.
fn measure(size: u32, rounds: u32) -> meshwright_core::Result<Vec<(u32, f64)>> {
    let mut seconds: Vec<(u32, Vec<f64>)> = RANKS.map(|ranks| (ranks, Vec::new())).into();
    for round in 0..rounds {
        for (ranks, times) in &mut seconds {
            let task = Task::new(&applications("merge-sort")?[0], Some(size), (*ranks, round.into(), 1))?;
            let answer = measure_here(&task, 1, &task.ranked(None, None)?, &mut |_| {})?;
            assert!(answer.is_right(), "the numbers are sorted");
            let ranked = answer.executors.iter().find(|executor| executor.name == "ranks on threads");
            times.push(ranked.expect("ranks are measured").seconds);
        }
    }
    let middle = |(ranks, times): (u32, Vec<f64>)| (ranks, median(times).unwrap_or(0.0));
    Ok(seconds.into_iter().map(middle).collect())
}

//! How far the installments of a divisible load are from the bound, over random cases: how many are near, and the worst.
//!
//! `cargo run --release --example load_gaps -- homogeneous 60` takes 60 cases of that kind; without words all kinds are taken.
//! With a third word, the number of a case, only that one is looked at. `large` asks for a million nodes: case k has 10^k sources,
//! all at different places, drawn with the fourth word as seed.

#![allow(clippy::disallowed_methods, reason = "a program reads its arguments, and says how long it took")]

use std::collections::BTreeSet;
use std::time::Instant;

use meshwright_core::error::{Error, Result};
use meshwright_core::rng;
use meshwright_core::units::NodeId;
use meshwright_load::installments::Scale;
use meshwright_load::{Problem, Source, Speeds};
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_verdict::load::{self, Job};
use rand::RngExt;

/// A kind of random cases.
struct Kind {
    name: &'static str,
    /// The longest side of its machines.
    side: u32,
    /// Whether processors and links are from 0.5 to 3 times as slow as others.
    unlike: bool,
    /// The powers of ten between which start-ups lie, in units of w Tcp.
    startups: Option<(f64, f64)>,
}

const KINDS: [Kind; 3] = [
    Kind { name: "homogeneous", side: 64, unlike: false, startups: None },
    Kind { name: "unlike", side: 24, unlike: true, startups: None },
    Kind { name: "startups", side: 5, unlike: false, startups: Some((-4.0, -0.3)) },
];

/// Gaps that are counted.
const NEAR: [f64; 5] = [0.005, 0.01, 0.02, 0.03, 0.05];

/// Sources of loads, and sigma, on a mesh of 1000 x 1000.
const LARGE: [(u32, f64); 5] = [(1, 0.001), (10, 0.001), (100, 0.01), (1000, 0.01), (10_000, 0.1)];

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
    if words.first().is_some_and(|word| word == "large") {
        let mut cases = number(2).map_or(0..LARGE.len(), |case| case as usize..case as usize + 1);
        return cases.try_for_each(|case| large(case, number(3)));
    }
    for kind in KINDS.iter().filter(|kind| words.first().is_none_or(|word| word == kind.name)) {
        let cases = number(2).map_or(0..number(1).unwrap_or(60), |case| case..case + 1);
        let mut gaps = Vec::new();
        for case in cases {
            let begun = Instant::now();
            let (words, gap) = gap(kind, case)?;
            println!(
                "{} {case}: {words}: {:.2} %, {:.1} s",
                kind.name,
                100.0 * gap,
                begun.elapsed().as_secs_f64()
            );
            gaps.push(gap);
        }
        gaps.sort_by(f64::total_cmp);
        let within = NEAR
            .map(|near| format!("{} within {} %", gaps.partition_point(|gap| *gap <= near), 100.0 * near));
        let (middle, worst) = (gaps[gaps.len() / 2], gaps[gaps.len() - 1]);
        println!(
            "{}: {} cases, {}, half within {:.2} %, worst {:.2} %",
            kind.name,
            gaps.len(),
            within.join(", "),
            100.0 * middle,
            100.0 * worst
        );
    }
    Ok(())
}

/// Sources at different random places of a million nodes.
fn large(case: usize, seed: Option<u64>) -> Result<()> {
    let (sources, sigma) = LARGE[case];
    let mut rng = rng::stream(seed.unwrap_or(u64::from(sources)), "large");
    let machine = Machine::new("mesh:1000x1000")?;
    let (mut taken, mut places) = (BTreeSet::new(), Vec::new());
    while places.len() < sources as usize {
        let node = rng.random_range(0..machine.nodes());
        if taken.insert(node) {
            places.push(Source::at(NodeId(node), 1.0));
        }
    }
    let problem = Problem::new(&machine, places, sigma)?;
    let begun = Instant::now();
    let (costs, bytes) = Scale::costs_for(&problem, 0.0)?;
    let machine = machine.clone().with_costs(costs)?.with_switching(Switching::StoreAndForward);
    let (words, gap) = judged(Job::new(&machine, problem.sources().to_vec(), sigma, bytes), &machine)?;
    println!(
        "large {case}: mesh:1000x1000, {sources} sources, sigma {sigma}, {words}: {:.2} %, {:.1} s",
        100.0 * gap,
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}

/// A case in words, and how much longer its installments take than the bound.
fn gap(kind: &Kind, case: u64) -> Result<(String, f64)> {
    let mut rng = rng::stream(case, kind.name);
    let family = ["mesh", "torus"][rng.random_range(0..2)];
    let name = format!("{family}:{}x{}", rng.random_range(2..=kind.side), rng.random_range(2..=kind.side));
    let plain = Machine::new(&name)?;
    let nodes = plain.nodes();
    let sources: Vec<Source> = (0..rng.random_range(1..=6.min(nodes)))
        .map(|_| Source::at(NodeId(rng.random_range(0..nodes)), f64::from(rng.random_range(1..=4))))
        .collect();
    let sigma = 10f64.powf(rng.random_range(-2.5..0.0));
    let startup = kind.startups.map_or(0.0, |(from, until)| 10f64.powf(rng.random_range(from..until)));
    let speeds = kind.unlike.then(|| Speeds {
        work: (0..nodes).map(|_| rng.random_range(0.5..3.0)).collect(),
        link: (0..plain.links()).map(|_| sigma * rng.random_range(0.5..3.0)).collect(),
    });
    let problem = Problem::new(&plain, sources.clone(), sigma)?;
    let problem = match &speeds {
        Some(speeds) => problem.with_speeds(speeds.clone())?,
        None => problem,
    };
    let (costs, bytes) = Scale::costs_for(&problem, startup)?;
    let machine = plain.clone().with_costs(costs)?.with_switching(Switching::StoreAndForward);
    let mut job = Job::new(&machine, sources.clone(), sigma, bytes);
    job.speeds = speeds;
    let (found, gap) = judged(job, &machine)?;
    let sources = sources.len();
    Ok((format!("{name}, {sources} sources, sigma {sigma:.4}, start-up {startup:.4}, {found}"), gap))
}

/// What the installments of a load come to, in words, and how much longer they take than the bound.
fn judged(mut job: Job, machine: &Machine) -> Result<(String, f64)> {
    (job.methods, job.named) = (vec!["installments".to_string()], true);
    let verdict = load::judge("gap", &job, machine, &mut |_| {})?;
    let row = verdict.results.first().ok_or_else(|| Error::not_applicable("the case", "nothing was sent"))?;
    let time = 1.0 / row.detail.simulated_speedup.expect("installments are simulated");
    let bound = verdict.facts.bound.makespan;
    let messages = row.detail.messages.unwrap_or(0);
    Ok((format!("speedup {:.2} of {:.2}, {messages} messages", 1.0 / time, 1.0 / bound), time / bound - 1.0))
}

//! The search at three sizes: one exchange of two tasks, one turn of blocks, and the prediction counted anew.
//!
//! The first round of a search makes 2000 turns, then 8000 exchanges: the time of the first 2000 steps and of all
//! 10,000 gives the time of both. Rounds of measuring take turns, and medians are shown.
//!
//! `cargo bench --bench search`

#![allow(clippy::disallowed_methods, reason = "a bench measures time")]

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use meshwright_core::units::Bytes;
use meshwright_mapping::search::{SearchProblem, Start, search};
use meshwright_mapping::{Divide, Placement, Request, Shape, TaskGraph, divide, place};
use meshwright_network::topology::{Machine, Switching};
use meshwright_schedule::cost;

const TURNS: u64 = 2000;
const EXCHANGES: u64 = 8000;
const ROUNDS: usize = 5;

fn main() {
    println!("B(n) on a square mesh, store-and-forward, alpha = 1, from a random start");
    println!("size    turn, us   exchange, us   anew, us   anew / exchange   exchanges a second");
    for n in [8, 10, 12] {
        let machine = Machine::mesh([1u32 << (n / 2), 1u32 << (n / 2)]).expect("a mesh");
        let machine = machine.with_switching(Switching::StoreAndForward);
        let job =
            Divide { shape: Shape::Binomial(n), alpha: Some(1.0), combine_alpha: None, volume: Bytes(64) };
        let graph = divide::task_graph(&job).expect("a valid job");
        let placement = place("growing", &Request::of(&graph, &machine, 0)).expect("it fits");
        let (mut turns, mut all, mut anew) = (vec![], vec![], vec![]);
        for _ in 0..ROUNDS {
            turns.push(timed(|| run(&graph, &machine, TURNS)));
            all.push(timed(|| run(&graph, &machine, TURNS + EXCHANGES)));
            anew.push(timed(|| (0..100).map(|_| predicted(&graph, &placement, &machine)).sum()));
        }
        let [turns, all, anew] = [turns, all, anew].map(median);
        let turn = turns / TURNS as f64;
        let exchange = (all - turns) / EXCHANGES as f64;
        let anew = anew / 100.0;
        println!(
            "B({n:>2}) {:>10.2} {:>14.2} {:>10.2} {:>17.1} {:>20.0}",
            turn * 1e6,
            exchange * 1e6,
            anew * 1e6,
            anew / exchange,
            1.0 / exchange
        );
    }
}

fn timed(run: impl FnOnce() -> u64) -> Duration {
    let start = Instant::now();
    black_box(run());
    start.elapsed()
}

/// In seconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64()
}

fn run(graph: &TaskGraph, machine: &Machine, steps: u64) -> u64 {
    let problem =
        SearchProblem { graph, machine, pins: &[], start: Start::Random, seed: 1, steps, answers: 1 };
    search(&problem, &mut |_| ControlFlow::Continue(())).expect("it fits").answers[0].predicted_ticks
}

/// The prediction of the program for one placement.
fn predicted(graph: &TaskGraph, placement: &Placement, machine: &Machine) -> u64 {
    cost::forecast(&placement.phases(graph, machine), machine).expect("a mesh is connected").ticks
}

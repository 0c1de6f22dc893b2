//! A network that can be calculated: one server with Bernoulli arrivals and fixed service.

use meshwright_core::rng::stream;
use meshwright_network::topology::Machine;
use meshwright_sim::experiment::Reference;
use meshwright_sim::point::Point;
use meshwright_sim::traffic::{Latencies, Measured};
use rand::RngExt;

/// Cycles of service.
pub(super) const SERVICE: u64 = 8;

/// The mean time in the system by formula: waiting `rho (L - 1) / (2 (1 - rho))`, then service L.
pub(super) fn mean_time(load: f64) -> f64 {
    load * (SERVICE - 1) as f64 / (2.0 * (1.0 - load)) + SERVICE as f64
}

/// Runs the queue for so many cycles.
pub(super) fn measured(load: f64, seed: u64, cycles: u64, batches: usize) -> Measured {
    let mut rng = stream(seed, "arrivals");
    let mut latencies = Latencies::new(batches);
    let (mut free_at, mut created, mut served) = (0u64, 0u64, 0u64);
    for cycle in 0..cycles {
        if rng.random_bool(load / SERVICE as f64) {
            free_at = free_at.max(cycle) + SERVICE;
            created += 1;
            served += u64::from(free_at <= cycles);
            let batch = (cycle * batches as u64 / cycles) as usize;
            latencies.record(batch, free_at - cycle, 1);
        }
    }
    let rate = |packets: u64| (packets * SERVICE) as f64 / cycles as f64;
    Measured {
        cycles,
        offered: rate(created),
        accepted: rate(served),
        latencies,
        flit_hops: created * SERVICE,
        undelivered: 0,
        deadlock: None,
    }
}

/// One point of the queue's curve.
pub(super) fn point(load: f64, seed: u64) -> Point {
    let reference =
        Reference { zero_load_cycles: Some(SERVICE as f64), bound: Some(1.0), ..Reference::default() };
    let machine = Machine::new("mesh:1x2").unwrap();
    Point::new(load, &measured(load, seed, 60_000, 20), &machine, &reference)
}

#[test]
fn the_interval_holds_the_calculated_mean() {
    for load in [0.2, 0.5, 0.7] {
        let runs = 200;
        let holds = (0..runs).filter(|&seed| {
            let run = measured(load, seed, 100_000, 20);
            let half = run.latencies.ci95().expect("twenty batches");
            (run.latencies.mean() - mean_time(load)).abs() <= half
        });
        let share = holds.count() as f64 / f64::from(runs as u32);
        assert!((0.89..=0.99).contains(&share), "load {load}: {share}");
    }
}

#[test]
fn a_single_batch_has_no_interval_and_many_have_a_narrower_one() {
    assert_eq!(measured(0.3, 1, 10_000, 1).latencies.ci95(), None);
    let half = |cycles| measured(0.3, 1, cycles, 20).latencies.ci95().unwrap();
    assert!(half(1_000_000) < half(10_000) / 5.0, "ten times narrower in a hundred times the cycles");
}

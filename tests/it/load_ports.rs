//! Loads on machines with few ports or little memory: against the formula for a star, and against the machine without that limit.

use meshwright_core::rng;
use meshwright_core::units::NodeId;
use meshwright_demos::star::{Rank, Star};
use meshwright_load::installments::Scale;
use meshwright_load::lp::{Duplex, Ports, Variant};
use meshwright_load::{FORWARDINGS, Source};
use meshwright_network::topology::graph_file::{Arc, ArcList};
use meshwright_network::topology::{Graph, Machine, Switching};
use meshwright_verdict::load::{self, Job};
use rand::RngExt;

/// The speedup of the winner, and that of the bound, for a load at node 0.
fn speedups(
    machine: Machine,
    (sigma, startup): (f64, f64),
    variant: Variant,
    chunks: Option<u64>,
) -> (f64, f64) {
    let mut job = Job::new(&machine, vec![Source::at(NodeId(0), 1.0)], sigma, 1);
    let (costs, bytes) = Scale::costs_of(sigma, startup).expect("costs");
    let machine = machine.with_costs(costs).unwrap().with_switching(Switching::StoreAndForward);
    let machine = machine.with_port_model(variant.ports.model());
    (job.bytes, job.chunks, job.further.variant) = (bytes, chunks, Some(variant));
    job.forwardings = FORWARDINGS.iter().map(|(_, forwarding)| *forwarding).collect();
    let verdict = load::judge("ports", &job, &machine, &mut |_| {}).expect("a verdict");
    let winner = verdict.results.iter().find(|outcome| verdict.is_won_by(outcome)).expect("a winner");
    (winner.detail.simulated_speedup.expect("it was run"), verdict.facts.bound.speedup)
}

fn star(leaves: u32) -> Machine {
    let arcs = (1..=leaves).map(|to| Arc { from: 0, to, weight: 1 }).collect();
    Machine::of("star", &Graph::from_arcs(&ArcList { vertices: leaves + 1, arcs }).unwrap()).unwrap()
}

fn one_port() -> Variant {
    Variant { ports: Ports::ONE, ..Variant::default() }
}

/// One port of the middle of a star: no slower than the best order of one message each, whose shares a recursion gives.
#[test]
fn one_port_of_a_star_is_no_slower_than_the_recursion() {
    let mut random = rng::stream(11, "star");
    for case in 0..12 {
        let leaves = random.random_range(1..6);
        let (sigma, startup) = (random.random_range(0.05..0.6), random.random_range(0.005..0.2));
        let rank = Rank { work: 1.0, link: sigma, startup };
        let formula = Star::new(vec![rank; leaves as usize + 1], None).unwrap();
        let division = formula.divide(1.0);
        let least = 1.0 / formula.timetable(&division.order, &division.shares).makespan;
        let (found, bound) = speedups(star(leaves), (sigma, startup), one_port(), None);
        let what = format!("case {case}: {leaves} leaves, sigma {sigma}, start-up {startup}");
        assert!(found >= least * (1.0 - 1e-5), "{what}: {found} of {least}");
        assert!(found <= bound * (1.0 + 1e-6), "{what}: {found} above {bound}");
    }
    let (found, _) = speedups(star(4), (0.1, 0.1), one_port(), None);
    assert!((found - 2.3044).abs() < 1e-3, "the textbook's optimum, and not {found}");
    // Two messages to one of the leaves are better than one to each, which makes 2.5393.
    let (found, _) = speedups(star(3), (0.2, 0.05), one_port(), None);
    assert!(found > 2.595, "{found}");
}

/// A limit that nothing comes up against changes nothing, start-ups or not.
#[test]
fn a_limit_that_limits_nothing_changes_nothing() {
    let plain = Variant::default();
    let limits = [
        Variant { memory: Some(1.0), ..plain },
        Variant { ports: Ports::Few(4), ..plain },
        Variant { duplex: Duplex::Half, ..plain },
    ];
    for startup in [0.0, 0.005, 0.2] {
        let mesh = || Machine::new("mesh:3x3").unwrap();
        let (free, bound) = speedups(mesh(), (0.3, startup), plain, None);
        for limit in limits {
            let (found, limited) = speedups(mesh(), (0.3, startup), limit, None);
            assert!(found >= free * (1.0 - 1e-4), "{limit:?}, start-up {startup}: {found} of {free}");
            assert!(limited <= bound * (1.0 + 1e-6), "{limit:?}, start-up {startup}: {limited}, {bound}");
        }
    }
}

/// Little room takes many small messages, and not much time.
#[test]
fn little_memory_is_enough() {
    for (name, sigma, least) in [("mesh:1x2", 1.0, 1.99), ("mesh:2x3", 0.3, 5.9), ("mesh:3x3", 0.2, 8.8)] {
        let little = Variant { memory: Some(0.01), ..Variant::default() };
        let (found, _) = speedups(Machine::new(name).unwrap(), (sigma, 0.0), little, None);
        assert!(found >= least, "{name}: {found} of {least}");
    }
}

/// So few messages, with limits as without: more are never worse, and one or two already help.
#[test]
fn few_messages_are_still_some() {
    for variant in [Variant::default(), one_port(), Variant { memory: Some(0.9), ..Variant::default() }] {
        let mesh = || Machine::new("mesh:2x2").unwrap();
        let found: Vec<f64> =
            [1, 2, 4, 8, 16].map(|few| speedups(mesh(), (0.3, 0.0), variant, Some(few)).0).into();
        assert!(found.is_sorted(), "{variant:?}: {found:?}");
        assert!(found[0] > 1.5 && found[4] > 2.5, "{variant:?}: {found:?}");
    }
}

/// Where no programme fits, equal shares lead to the optimum, although one neighbour has far too much at first.
#[test]
fn equal_shares_lead_to_the_optimum() {
    let (found, bound) = speedups(Machine::new("mesh:80x80").unwrap(), (4.0, 0.0), one_port(), Some(100));
    assert!((bound - 1.25).abs() < 1e-9 && found > 1.24, "{found} of {bound}");
}

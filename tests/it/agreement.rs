//! Agreement with other simulators: short versions of what `examples/agreement` writes to `docs/agreement.md`.

#[path = "../../examples/agreement/page.rs"]
pub(crate) mod program;

use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Network, Switching, Topology};
use meshwright_sim::flit::Router;
use program::curves::{Outcome, Zone, compare};
use program::golden::points;
use program::sample::{Run, summary};
use program::zero_load::{Law, check, delay_sets, distance, others};
use program::{engines, loggp, phases};

#[test]
fn distances_are_those_of_the_topology() {
    for name in ["mesh:3x4", "torus:5x2x3"] {
        let machine = Machine::new(name).unwrap();
        let Network::Grid(grid) = machine.network() else { panic!("{name} is a box") };
        for (a, b) in (0..machine.nodes()).flat_map(|a| (0..machine.nodes()).map(move |b| (a, b))) {
            let hops = u64::from(machine.distance(NodeId(a), NodeId(b)).unwrap().0);
            assert_eq!(distance(grid.sides(), grid.wraps(), a, b), hops, "{name} {a} {b}");
        }
    }
}

#[test]
fn one_packet_alone_takes_what_the_formula_of_booksim_says() {
    for (name, link) in [("mesh:3x3", 1), ("torus:3x3", 2)] {
        let machine = Machine::new(name).unwrap();
        for (delays, flits) in delay_sets(link).iter().zip([16, 1, 5].into_iter().cycle()) {
            let router = delays.router_for(&machine).unwrap();
            let (pairs, wrong) = check(&machine, &router, flits, |hops| delays.formula(hops, flits)).unwrap();
            assert_eq!((pairs, wrong), (72, 0), "{name} {delays:?} {flits} flits");
        }
    }
}

#[test]
fn a_formula_that_is_a_cycle_off_is_noticed() {
    let mesh = Machine::new("mesh:2x2").unwrap();
    let router = Router::named("booksim", &mesh).unwrap();
    assert_eq!(check(&mesh, &router, 1, |hops| 8 + 5 * hops).unwrap(), (12, 12));
    assert_eq!(check(&mesh, &router, 1, |hops| 7 + 5 * hops).unwrap(), (12, 0));
}

#[test]
fn one_packet_alone_takes_what_the_formula_of_caminos_says() {
    agrees_alone(others()[0]);
}

#[test]
fn one_packet_alone_takes_what_the_formula_of_cnsim_says() {
    agrees_alone(others()[1]);
}

fn agrees_alone((preset, text, law): Law) {
    let mesh = Machine::new("mesh:3x3").unwrap().with_switching(Switching::CutThrough);
    let router = Router::named(preset, &mesh).unwrap();
    for flits in [1, 2, 16] {
        let counted = check(&mesh, &router, flits, |hops| law(hops, flits)).unwrap();
        assert_eq!(counted, (72, 0), "{preset}: {text}, {flits} flits");
    }
}

#[test]
fn a_straight_line_is_read_off_without_noise() {
    let run = |accepted: f64, hops: f64| Run {
        latency: 10.0 + 100.0 * accepted + 5.0 * hops,
        accepted,
        hops,
        complete: true,
    };
    let runs = [run(0.1, 3.0), run(0.2, 4.0), run(0.3, 2.0), run(0.4, 5.0)];
    let summary = summary(&runs, 3.5, 5.0, 0.5);
    let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
    assert!(close(summary.latency, 10.0 + 25.0 + 17.5), "{summary:?}");
    assert!(close(summary.expected, 10.0 + 50.0 + 17.5), "{summary:?}");
    assert!(summary.noise < 1e-6 && close(summary.accepted, 0.25), "{summary:?}");
    // Standard deviation of 20, 30, 40, 50 over the root of four, times t(0.975, 3).
    assert!(close(summary.half, 3.182 * (500.0f64 / 3.0 / 4.0).sqrt()), "{summary:?}");
}

/// The points that cost little: the 8x8 mesh below the knee, and one of each packet length on 16x16.
#[test]
fn curves_follow_booksim_below_the_knee() {
    let few: Vec<_> = points("booksim2")
        .into_iter()
        .filter(|point| {
            let small = point.side == 8 && point.cycles < 20_000 && point.offered < 0.2;
            small || point.side == 16 && point.channels == 4 && point.offered == 0.01
        })
        .collect();
    assert_eq!(few.len(), 6);
    for row in compare(&few, |_| 4).unwrap() {
        let agrees = match row.zone {
            Zone::BelowKnee => row.outcome() == Outcome::Within,
            _ => row.outcome() != Outcome::Miss,
        };
        assert!(agrees, "{row:?}: {} %", row.difference());
    }
}

#[test]
fn the_binomial_scatter_takes_as_long_as_on_caminos() {
    // Eight phases of h + L + 1 cycles, and one to end.
    let formula = |flits: u64| [8, 4, 2, 1, 8, 4, 2, 1].iter().map(|hops| hops + flits + 1).sum::<u64>() + 1;
    for (flits, reference) in [(16, 167), (64, 551)] {
        assert_eq!(formula(flits), reference);
        assert_eq!(phases::by_flits(&phases::scatter(), flits).unwrap(), reference, "flit engine");
        assert_eq!(phases::by_messages(&phases::scatter(), flits).unwrap(), reference, "message engine");
    }
}

#[test]
fn the_example_beside_loggp_takes_what_the_page_says() {
    for trace in loggp::example().unwrap() {
        assert_eq!(trace.latency_ticks, [100 + 64 + 2 * 2, 100 + 16 + 2]);
        assert_eq!((trace.cycles.0, trace.longest_wait), (50 + 168 + 30 + 118, None));
    }
    let section = loggp::section().unwrap();
    assert!(section.ends_with("= 366 cycles. Message engine: 366, flit engine: 366.\n"));
    let page = include_str!("../../docs/agreement.md");
    assert!(page.ends_with(&(section + &engines::section())), "run the example again");
}

#[test]
fn the_recorded_permutations_are_permutations() {
    let permutations = phases::permutations();
    assert_eq!(permutations.len(), 10);
    for sends in permutations {
        let mut targets: Vec<u32> = sends.iter().map(|&(_, target)| target).collect();
        let sources: Vec<u32> = sends.iter().map(|&(source, _)| source).collect();
        targets.sort_unstable();
        assert_eq!(targets, sources, "who sends also receives");
        assert!(sources.len() > 250, "few nodes are their own target");
    }
}

#[test]
#[ignore = "minutes: the whole page"]
fn the_page_is_what_the_program_writes() {
    assert_eq!(
        program::document().unwrap(),
        include_str!("../../docs/agreement.md"),
        "run the example again"
    );
}

//! What holds on machines as they are, whatever their networks, rates and ports: no simulated time is below the bound.

use meshwright_core::units::{Cycles, NodeId, Ratio};
use meshwright_network::Grid;
use meshwright_network::fabric::{Fabric, Leg, Plane, Processor};
use meshwright_network::topology::Machine;
use meshwright_verdict::{Job, map};
use proptest::prelude::*;

use crate::graph_bounds::graph;

/// One network of a random machine: both ways or one way along each axis, the first axis, bytes per cycle in eighths.
type Ways = ([u8; 2], bool, u64);

fn plane(index: usize, (turns, rows_first, rate): &Ways, wraps: bool) -> Plane {
    let leg = |axis: usize| match turns[axis] {
        1 if wraps => Leg::up(axis),
        2 if wraps => Leg::down(axis),
        _ => Leg::shorter(axis),
    };
    let legs = if *rows_first { vec![leg(0), leg(1)] } else { vec![leg(1), leg(0)] };
    Plane::new(format!("N{index}"), legs, Ratio::new(*rate, 8).unwrap())
}

/// A machine whose ports, slow links and overhead are drawn.
fn machine(
    (rows, columns, wraps): (u32, u32, bool),
    ways: &[Ways],
    (out, slow, hop, overhead, service): (u64, u64, u64, u64, u32),
) -> Machine {
    let sides = [rows, columns];
    let grid = if wraps { Grid::torus(&sides) } else { Grid::mesh(&sides) }.unwrap();
    let planes: Vec<Plane> = ways.iter().enumerate().map(|(index, ways)| plane(index, ways, wraps)).collect();
    let all: Vec<usize> = (0..planes.len()).collect();
    let eighths = |rate| Ratio::new(rate, 8).unwrap();
    let kind = Processor { overhead: Cycles(overhead), ..Processor::default() };
    let fabric = Fabric::new(grid, planes).unwrap().with_hop(Cycles(hop));
    let fabric = fabric.with_in_service(&[NodeId(0), NodeId(1)], service).unwrap();
    let fabric = fabric.with_ports(&all, &[NodeId(0)], (Some(eighths(out)), None)).unwrap();
    let link = (1, [true, false].as_slice());
    let fabric = fabric.with_links(&all, &[NodeId(1)], link, ("slow", eighths(slow))).unwrap();
    let family = if wraps { "torus" } else { "mesh" };
    let plain = Machine::new(&format!("{family}:{rows}x{columns}")).unwrap();
    plain.with_fabric(fabric.with_processors(vec![kind])).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// `map` refuses a time below the bound as a contradiction, so that an answer is the law; and the figures of links are
    /// those of the ways that messages go.
    #[test]
    fn no_simulated_time_is_below_the_bound(
        sides in (1u32..=4, 2u32..=4, any::<bool>()),
        ways in prop::collection::vec((any::<[u8; 2]>().prop_map(|turns| turns.map(|turn| turn % 3)), any::<bool>(), 1u64..400), 1..=3),
        rates in (1u64..400, 1u64..400, 0u64..30, 0u64..300, 0u32..4),
        edges in prop::collection::vec((0u32..3, any::<u32>(), any::<u32>(), 1u64..5000), 1..30),
        tasks in 1u32..=16,
    ) {
        let machine = machine(sides, &ways, rates);
        let tasks = tasks.min(sides.0 * sides.1);
        let job = Job::trace(graph(tasks, &edges));
        let report = map::report(&job, &machine, &["row-major", "random"], 1, &mut |_| {});
        let report = report.map_err(|error| TestCaseError::fail(error.to_string()))?;
        for row in &report.placements {
            let own = machine.switching();
            let simulated = row.simulated_cycles.of(own).expect("flows end");
            let link = row.levels.of(own).link;
            prop_assert!(simulated as f64 >= link - 1e-9, "{}: {simulated} below the busiest link, {link}", row.name);
            let busy = row.busiest_link.of(own).map_or(0, |link| link.busy_cycles);
            prop_assert!(busy <= simulated, "{}: a link is busy for {busy} of {simulated} cycles", row.name);
        }
    }
}

/// On one-way rings a neighbour behind is far: the busiest link is one that messages really cross.
#[test]
fn the_busiest_link_is_on_the_way() {
    let ring = machine((1, 4, true), &[([0, 1], false, 8)], (400, 8, 0, 0, 0));
    let job = Job::trace(graph(4, &[(0, 1, 0, 100)]));
    let report = map::report(&job, &ring, &["row-major"], 0, &mut |_| {}).unwrap();
    let busiest = report.placements[0].busiest_link.of(ring.switching()).expect("a message was sent");
    assert_ne!((busiest.from, busiest.to), (1, 0), "there is no link back");
    assert_eq!((busiest.bytes, busiest.to), (100, (busiest.from + 1) % 4));
    assert_eq!(report.switchings, [ring.switching()], "one way to move messages, nothing to compare");
}

/// Of two networks that run alike messages take the first: bound, busiest link and simulated time are those of the machine without
/// the second, and a rate that is no fraction of 64 costs next to nothing.
#[test]
fn a_network_that_nobody_takes_changes_nothing() {
    let job = || Job::trace(graph(9, &[(0, 1, 0, 1000), (1, 2, 0, 5000), (3, 8, 1, 700)]));
    let judged = |networks: &[(&str, &str)]| {
        let network = |(name, rate): &(&str, &str)| {
            format!("[[machine.networks]]\nname = \"{name}\"\nroute = [\"1\", \"0\"]\nrate = {rate}\n")
        };
        let text = networks.iter().map(network).collect::<String>();
        let machine =
            crate::machines::of_file(&format!("[machine]\ntopology = \"torus:3x3\"\n{text}")).unwrap();
        let report = map::report(&job(), &machine, &["row-major"], 0, &mut |_| {}).unwrap();
        let (row, own) = (&report.placements[0], machine.switching());
        let busiest = row.busiest_link.of(own).expect("a message was sent");
        let simulated = row.simulated_cycles.of(own).expect("flows end");
        (row.levels.of(own).link, busiest.busy_cycles, simulated)
    };
    let one = judged(&[("A", "4")]);
    assert_eq!(one, (1675.0, 1250, 1675));
    assert_eq!(judged(&[("A", "4"), ("B", "100")]), one);
    let (link, busy, simulated) = judged(&[("A", "\"1/100\"")]);
    assert_eq!((busy, simulated), (500_000, 670_000));
    assert!(link <= 670_000.0 && link > 669_000.0, "{link}");
}

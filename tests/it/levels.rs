//! The bracket of the four models: alone <= link <= simulated, and where path stands.

use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_mapping::{Divide, Shape, metrics};
use meshwright_network::routing;
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_schedule::cost::{self, LinkLoads};
use meshwright_schedule::{Message, Phases};
use meshwright_sim as sim;
use meshwright_verdict::{Job, map};

const METHODS: [&str; 7] =
    ["reflecting", "growing", "centred-halving", "row-major", "snake", "hilbert", "random"];

fn tree(n: u32) -> Job {
    let job =
        Divide { shape: Shape::Binomial(n), alpha: Some(1.0), combine_alpha: None, volume: Bytes(1024) };
    Job::divide(&job).unwrap()
}

fn square(n: u32) -> Machine {
    Machine::mesh([1 << (n / 2), 1 << n.div_ceil(2)]).unwrap()
}

/// Messages i of one size over links i and i + 1 of a line: each meets two others, the last waits for all.
#[test]
fn a_chain_of_worms_exceeds_the_path_level() {
    let line = Machine::new("mesh:66").unwrap();
    let messages: Vec<Message> = (0..64)
        .map(|i| Message { source: NodeId(i), target: NodeId(i + 2), bytes: Bytes(10_000), phase: 1 })
        .collect();
    let pairs: Vec<_> = messages.iter().map(Message::pair).collect();
    let routes = routing::routes(&line, &pairs).unwrap();
    let mut loads = LinkLoads::new(line.links());
    loads.fill(&messages, &routes);
    let met = metrics::meetings(&messages, &routes, &loads);
    assert!(met.iter().all(|&(count, _)| count <= 2));
    let path = cost::path_level(&messages, &routes, &met, Switching::Wormhole, line.costs());
    // c + b (W + 2 W + 2 h): one's own bytes and those of two others.
    assert_eq!(line.costs().cycles(path), Cycles(100 + 30_000 + 4));
    let trace = sim::simulate(&line, &Phases::new(line.nodes(), messages), &sim::Engine::Message).unwrap();
    let units = trace.cycles.0 as f64 / 10_000.0;
    assert!((63.0..65.0).contains(&units), "the worms take {units} units, one after the other");
}

#[test]
fn no_placement_of_a_tree_is_faster_than_its_busiest_link() {
    for n in [4, 6, 8] {
        let report = map::report(&tree(n), &square(n), &METHODS, 5, &mut |_| {}).unwrap();
        assert_eq!(report.placements.len(), METHODS.len());
        for row in &report.placements {
            for switching in map::SWITCHINGS {
                let levels = row.levels.of(switching);
                let simulated = levels.simulated.expect("a mesh does not deadlock") as f64;
                let what = format!("{} B({n}) {}: {levels:?}", row.name, switching.name());
                assert!(levels.alone <= levels.link && levels.link <= levels.path, "{what}");
                assert!(levels.link <= simulated, "{what}");
                // Only in the tangle of a random placement does anyone wait for those one does not meet.
                assert!(simulated <= levels.path * if row.name == "random" { 1.1 } else { 1.0 }, "{what}");
            }
        }
    }
}

/// Stored messages of one size take as many steps as the longest route has links or the busiest link messages,
/// in every phase of a tree, and no more than both together in any phase.
#[test]
fn stored_messages_of_a_tree_take_the_greater_of_dilation_and_load() {
    for n in [6, 8, 10] {
        let mut mesh = square(n);
        mesh = mesh.with_startup(Cycles(1)).unwrap().with_byte_time(Ratio::whole(0)).unwrap();
        mesh = mesh.with_switching(Switching::StoreAndForward);
        let job = tree(n);
        let report = map::report(&job, &mesh, &METHODS, 5, &mut |_| {}).unwrap();
        for row in &report.placements {
            let placement =
                meshwright_mapping::Placement { name: row.name.clone(), nodes: row.nodes().to_vec() };
            let phases = placement.phases(&job.tasks, &mesh);
            let trace = sim::simulate(&mesh, &phases, &sim::Engine::Message).unwrap();
            for (phase, &steps) in row.phases.iter().zip(&trace.phase_ticks) {
                let (far, load) = (u64::from(phase.dilation), u64::from(phase.link_load));
                let what = format!("{} B({n}) phase {}", row.name, phase.phase);
                assert!(far.max(load) <= steps && steps < far + load, "{what}: {steps} steps");
                assert_eq!(steps, far.max(load), "{what}");
            }
        }
    }
}

//! Verdicts made by hand, as no planner would: only their drawings and tables matter.

use meshwright_core::units::{Bytes, Cycles, LinkId, NodeId, Port};
use meshwright_mapping::Placement;
use meshwright_mapping::task_graph::{Edge, TaskGraph};
use meshwright_network::topology::graph_file::{Arc, ArcList};
use meshwright_network::topology::{Graph, Machine, Network, PortModel, Topology};
use meshwright_report::{PlanReport, page};
use meshwright_verdict::{
    JobVerdict, LinkUse, LinkWait, MappingDetail, MappingFacts, MappingOutcome, MappingVerdict, PhaseRow,
    Skipped,
};

/// The binomial tree of 2^n tasks in postorder, sizes halving from phase to phase.
pub(super) fn binomial(n: u32) -> TaskGraph {
    let edges = (0..(1u32 << n) - 1).map(|task| {
        let phase = n - task.trailing_ones();
        let edge = Edge { source: task | (task + 1), target: task, bytes: Bytes(1 << (n + 6 - phase)) };
        (phase, edge)
    });
    TaskGraph::new(format!("binomial:{n}"), 1 << n, edges.collect()).expect("labels lie in range")
}

/// Every node of a torus to its six neighbours, over and over.
fn halo(machine: &Machine, phases: u32) -> TaskGraph {
    let mut edges = vec![];
    for phase in 0..phases {
        for node in (0..machine.nodes()).map(NodeId) {
            let port = Port((phase + node.0 / 16) % machine.ports(node));
            let target = machine.neighbour(node, port).expect("a torus has no border").0;
            edges
                .push((phase, Edge { source: node.0, target, bytes: Bytes(40 + u64::from(phase * 7 % 90)) }));
        }
    }
    TaskGraph::new("halo", machine.nodes(), edges).expect("neighbours lie in range")
}

/// Messages over each link on dimension-order routes, last dimension first.
fn loads(machine: &Machine, tasks: &TaskGraph, placement: &Placement) -> Vec<u32> {
    let mut loads = vec![0; machine.links() as usize];
    let Network::Grid(grid) = machine.network() else { return vec![3, 1, 4, 1] };
    for edge in tasks.edges() {
        let (mut here, to) = (placement.nodes[edge.source as usize], placement.nodes[edge.target as usize]);
        for axis in (0..grid.dimensions()).rev() {
            let (steps, up) = grid.offset(here, to, axis);
            for _ in 0..steps {
                loads[machine.link(here, grid.port(axis, up)).index()] += 1;
                here = grid.step(here, axis, up).expect("the offset stays inside");
            }
        }
    }
    loads
}

/// Every message takes 99 cycles.
fn busy(messages: &[u32]) -> Vec<u64> {
    messages.iter().map(|&messages| u64::from(messages) * 99).collect()
}

fn hottest(machine: &Machine, loads: &[u32]) -> Option<LinkUse> {
    let messages = *loads.iter().max().filter(|&&load| load > 0)?;
    let link = loads.iter().position(|&load| load == messages)? as u32;
    let link = LinkId(link);
    let (from, to) = (machine.source(link), machine.target(link)?);
    let messages = u64::from(messages);
    Some(LinkUse { from: from.0, to: to.0, messages, bytes: messages * 99, busy_cycles: messages * 99 })
}

/// An outcome with drawings as they would be and times that grow with the hops.
pub(super) fn outcome(
    machine: &Machine,
    tasks: &TaskGraph,
    method: &str,
    nodes: Vec<NodeId>,
) -> MappingOutcome {
    let placement = Placement { name: method.to_string(), nodes };
    let link_messages = loads(machine, tasks, &placement);
    let hops_total: u64 = link_messages.iter().map(|&load| u64::from(load)).sum();
    let phases = (0..tasks.phases()).map(|i| phase_row(tasks, i)).collect();
    let bound_cycles = 1480;
    let simulated_cycles = bound_cycles + hops_total * 7 / 2;
    let hottest_link = hottest(machine, &link_messages);
    MappingOutcome {
        method: method.to_string(),
        bound_cycles,
        predicted_cycles: bound_cycles + hops_total * 3,
        simulated_cycles: Some(simulated_cycles),
        busiest_link: hottest_link,
        waited_link: hottest_link.filter(|link| link.messages > 5).map(|link| LinkWait {
            from: link.from,
            to: link.to,
            phase: 2,
            waited_cycles: 1234,
        }),
        detail: MappingDetail {
            dependency_cycles: Some(simulated_cycles - 90),
            deadlock_free: true,
            hops_total,
            phases,
            placement,
            engine: "message",
            routers: None,
            link_busy: busy(&link_messages),
            link_messages,
        },
    }
}

fn phase_row(tasks: &TaskGraph, index: usize) -> PhaseRow {
    let bytes = tasks.phase(index).iter().map(|edge| edge.bytes.0).max().unwrap_or(0);
    PhaseRow {
        phase: tasks.number(index),
        repeats: 1,
        messages: tasks.phase(index).len() as u64,
        bytes,
        dilation: 1 + index as u32 % 4,
        contention: index as u32 % 3,
        link_load: 1 + index as u32 % 3,
        bound_cycles: 100 + bytes,
        link_cycles: 105 + bytes,
        predicted_cycles: 110 + bytes,
        path_cycles: 115 + bytes,
        simulated_cycles: 112 + bytes,
    }
}

pub(super) fn job(name: &str, tasks: TaskGraph, results: Vec<MappingOutcome>) -> MappingVerdict {
    let best =
        (0..results.len()).min_by_key(|&index| results[index].simulated_cycles).expect("there is a result");
    let reason = format!("{} keeps the early, heavy messages on short paths.", results[best].method);
    let facts = MappingFacts { searched: None, interrupted: false, axes: None, tasks, culprit: None };
    let mut verdict =
        MappingVerdict::new(name, Cycles(results[best].bound_cycles), results, Some(best), facts);
    verdict.reason = reason;
    verdict.skipped = vec![Skipped {
        method: "growing".into(),
        why: "the root would lie outside the mesh".into(),
        deadlock: false,
    }];
    verdict
}

fn snake(machine: &Machine) -> Vec<NodeId> {
    let columns = *machine.sides().last().expect("a machine has a side");
    let turned = |id: u32| match id / columns % 2 {
        0 => id,
        _ => id / columns * columns + columns - 1 - id % columns,
    };
    machine.living().map(|node| NodeId(turned(node.0))).collect()
}

fn scattered(machine: &Machine) -> Vec<NodeId> {
    let living: Vec<_> = machine.living().collect();
    (0..living.len()).map(|task| living[task * 29 % living.len()]).collect()
}

pub(super) fn mesh_page() -> String {
    let machine = Machine::new("mesh:8x8").expect("a mesh");
    let tasks = binomial(6);
    let rows: Vec<_> = machine.living().collect();
    let results = vec![
        outcome(&machine, &tasks, "row", rows),
        outcome(&machine, &tasks, "snake", snake(&machine)),
        outcome(&machine, &tasks, "random", scattered(&machine)),
    ];
    let jobs = [job("sort the catalogue", tasks, results)];
    render("Sorting on an 8 × 8 mesh", "sort.toml", &machine, &jobs)
}

pub(super) fn wounded_page() -> String {
    let dead = [9, 10, 21, 28].map(NodeId).to_vec();
    let machine = Machine::new("mesh:4x8").and_then(|machine| machine.with_dead(dead)).expect("a mesh");
    let tasks = binomial(4);
    let nodes: Vec<_> = machine.living().take(16).collect();
    let jobs = [("a", "row"), ("b", "snake")].map(|(name, method)| {
        job(name, tasks.clone(), vec![outcome(&machine, &tasks, method, nodes.clone())])
    });
    render("A mesh with four dead nodes", "", &machine, &jobs)
}

pub(super) fn torus_page() -> String {
    let machine = Machine::new("torus:4x4x4").expect("a torus");
    let tasks = halo(&machine, 228);
    let nodes: Vec<_> = machine.living().collect();
    let results = vec![
        outcome(&machine, &tasks, "row", nodes),
        outcome(&machine, &tasks, "random", scattered(&machine)),
    ];
    render("Molecules in a box", "lj.toml", &machine, &[job("lammps-lj-64", tasks, results)])
}

pub(super) fn flat_torus_page() -> String {
    let mut machine = Machine::new("torus:8x8").expect("a torus");
    machine = machine.with_port_model(PortModel::One);
    let tasks = binomial(6);
    let results = vec![outcome(&machine, &tasks, "random", scattered(&machine))];
    render("A torus of two dimensions", "torus.toml", &machine, &[job("sort", tasks, results)])
}

/// A network of so many nodes in a ring, every third one joined to the middle of the ring.
fn ring(nodes: u32) -> Machine {
    let arc = |from, to| Arc { from, to, weight: 1 };
    let arcs = (0..nodes).map(|node| arc(node, (node + 1) % nodes));
    let arcs: Vec<_> = arcs.chain((0..nodes).step_by(3).map(|node| arc(node, nodes / 2))).collect();
    let graph = Graph::from_arcs(&ArcList { vertices: nodes, arcs }).expect("a graph");
    Machine::of("graph:ring.mtx", &graph).expect("wires both ways")
}

pub(super) fn graph_page(nodes: u32) -> String {
    let machine = ring(nodes);
    let edges = (0..nodes)
        .map(|node| (node % 2, Edge { source: node, target: (node + 1) % nodes, bytes: Bytes(64) }));
    let tasks = TaskGraph::new("ring", nodes, edges.collect()).expect("nodes lie in range");
    let nodes: Vec<_> = (0..nodes).map(NodeId).collect();
    let mut result = outcome(&machine, &tasks, "identity", nodes);
    result.detail.link_messages = (0..machine.links()).map(|link| link * 5 % 7).collect();
    result.busiest_link = hottest(&machine, &result.detail.link_messages);
    result.detail.link_busy = busy(&result.detail.link_messages);
    render("A ring", "ring.toml", &machine, &[job("ring", tasks, vec![result])])
}

pub(super) fn large_page(specification: &str) -> String {
    let machine = Machine::new(specification).expect("a machine");
    let tasks = binomial(10);
    let count = u64::from(machine.nodes());
    let nodes = (0..1024).map(|task| NodeId((task * count / 1024) as u32)).collect();
    let jobs = [job("large", tasks.clone(), vec![outcome(&machine, &tasks, "spread", nodes)])];
    render("A large machine", "large.toml", &machine, &jobs)
}

pub(super) fn small_page(specification: &str) -> String {
    let machine = Machine::new(specification).expect("a machine");
    let tasks = binomial(6);
    let nodes = machine.living().take(64).collect();
    let jobs = [job("small", tasks.clone(), vec![outcome(&machine, &tasks, "row", nodes)])];
    render("A small machine", "small.toml", &machine, &jobs)
}

/// Results without results, phases without messages, times of 0, a gap without a bound.
pub(super) fn empty_page() -> String {
    let machine = Machine::new("mesh:1x1").expect("a mesh");
    let tasks = TaskGraph::new("nothing", 0, vec![]).expect("no edge is wrong");
    let nothing = MappingOutcome {
        method: "none".to_string(),
        bound_cycles: 0,
        predicted_cycles: 0,
        simulated_cycles: Some(0),
        busiest_link: None,
        waited_link: None,
        detail: MappingDetail {
            dependency_cycles: Some(0),
            deadlock_free: true,
            hops_total: 0,
            phases: vec![],
            placement: Placement { name: "none".to_string(), nodes: vec![] },
            link_messages: vec![],
            link_busy: vec![],
            engine: "message",
            routers: None,
        },
    };
    let mut unbounded = MappingOutcome { simulated_cycles: Some(7), ..nothing.clone() };
    assert_eq!(unbounded.gap(), Some(f64::INFINITY));
    unbounded.detail.placement.nodes = vec![NodeId(0); 3];
    let facts =
        MappingFacts { searched: None, interrupted: false, axes: None, tasks: tasks.clone(), culprit: None };
    let without = MappingVerdict::new("no methods", Cycles(0), vec![], None, facts);
    let jobs = vec![job("nothing", tasks, vec![nothing, unbounded]), without];
    render("Nothing", "", &machine, &jobs)
}

pub(super) fn render(title: &str, scenario: &str, machine: &Machine, jobs: &[MappingVerdict]) -> String {
    let jobs: Vec<JobVerdict> = jobs.iter().cloned().map(JobVerdict::from).collect();
    let jobs = &jobs;
    page(&PlanReport { title, scenario, machine, seed: 7, jobs }).expect("the verdicts fit the machine")
}

//! Evaluation of placements at three sizes: link loads by sums over pieces against counting link by link, routes round
//! holes found near the straight way against a search of the machine for each target, and a wafer with holes: place,
//! bound, simulate.
//!
//! `cargo bench --bench scale`

mod table;

use std::hint::black_box;

use meshwright_core::rng::stream;
use meshwright_core::units::{Bytes, LinkId, NodeId};
use meshwright_mapping::task_graph::Edge;
use meshwright_mapping::{Divide, Mapping, Request, Shape, TaskGraph, divide, place};
use meshwright_network::routing::shortest_path::PathSearch;
use meshwright_network::routing::{Pair, routes};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::Message;
use meshwright_schedule::cost::LinkLoads;
use meshwright_sim::{Engine, simulate};
use rand::RngExt;
use table::{Comparison, way};

fn main() {
    loads();
    holes();
    wafer();
}

/// Messages between random nodes.
fn random_messages(machine: &Machine, count: u32) -> Vec<Message> {
    let mut rng = stream(1, "messages");
    let living: Vec<NodeId> = machine.living().collect();
    let mut node = || living[rng.random_range(0..living.len())];
    (0..count).map(|_| Message { source: node(), target: node(), bytes: Bytes(64), phase: 1 }).collect()
}

fn pairs(messages: &[Message]) -> Vec<Pair> {
    messages.iter().map(Message::pair).collect()
}

/// A mesh of which one node in a hundred is dead.
fn holed(side: u32) -> Machine {
    let mut rng = stream(1, "holes");
    let dead = (0..side * side / 100).map(|_| NodeId(rng.random_range(0..side * side)));
    Machine::mesh([side, side]).and_then(|mesh| mesh.with_dead(dead.collect())).expect("a mesh with holes")
}

fn loads() {
    let mut table = Comparison::new("Loads of all links, messages between random nodes", "message");
    for side in [64u32, 256, 1024] {
        let mesh = Machine::mesh([side, side]).expect("a mesh");
        let messages = random_messages(&mesh, side * side / 4);
        let routes = routes(&mesh, &pairs(&messages)).expect("a mesh is connected");
        let mut counted = vec![0u32; mesh.links() as usize];
        let mut loads = LinkLoads::new(mesh.links());
        let ways = vec![
            way("link by link", || {
                counted.fill(0);
                for (index, message) in messages.iter().enumerate() {
                    routes.for_each_link(index, message.pair(), |LinkId(link)| counted[link as usize] += 1);
                }
                u64::from(*counted.iter().max().expect("there are links"))
            }),
            way("sums over pieces", || {
                loads.fill(&messages, &routes);
                u64::from(loads.messages_max())
            }),
        ];
        table.size(&format!("mesh:{side}x{side}"), messages.len() as u64, 3, ways);
    }
    table.print();
}

fn holes() {
    let mut table = Comparison::new("Routes between random nodes, one node in a hundred dead", "message");
    for side in [32u32, 128, 512] {
        let mesh = holed(side);
        let messages = random_messages(&mesh, 64);
        let pairs = pairs(&messages);
        let ways = vec![
            way("a search for each target", || {
                let (mut search, mut links) = (PathSearch::new(&mesh), Vec::new());
                pairs.iter().for_each(|&(from, to)| {
                    search.searched(from, to, &mut links);
                });
                links.len() as u64
            }),
            way("near the straight way", || {
                let routes = routes(&mesh, &pairs).expect("the holes lie apart");
                (0..pairs.len()).map(|message| u64::from(routes.hops(message, pairs[message]).0)).sum()
            }),
        ];
        table.size(&format!("mesh:{side}x{side}"), pairs.len() as u64, 3, ways);
    }
    table.print();
}

/// A grid of tasks that exchange with the next in their row, then in their column, round and round.
fn rings(rows: u32, columns: u32) -> TaskGraph {
    let edge = |phase, row: u32, column: u32| {
        let next = if phase == 1 { (row, (column + 1) % columns) } else { ((row + 1) % rows, column) };
        let [source, target] = [(row, column), next].map(|(row, column)| row * columns + column);
        (phase, Edge { source, target, bytes: Bytes(1024) })
    };
    let all = (1..=2).flat_map(|phase| {
        (0..rows).flat_map(move |row| (0..columns).map(move |column| edge(phase, row, column)))
    });
    TaskGraph::new("rings", rows * columns, all.collect()).expect("a grid of tasks")
}

/// A grid of tasks that exchange with those beside them, all in one phase.
fn stencil(rows: u32, columns: u32) -> TaskGraph {
    let mut edges = Vec::new();
    for task in 0..rows * columns {
        let right = (task % columns + 1 < columns).then_some(task + 1);
        let below = (task / columns + 1 < rows).then_some(task + columns);
        for other in [right, below].into_iter().flatten() {
            for (source, target) in [(task, other), (other, task)] {
                edges.push((1, Edge { source, target, bytes: Bytes(256) }));
            }
        }
    }
    TaskGraph::new("stencil", rows * columns, edges).expect("a grid of tasks")
}

fn wafer() {
    let mut table = Comparison::new("A mesh of which one node in a hundred is dead", "task");
    for side in [100u32, 316, 1000] {
        let mesh = holed(side);
        let tasks = side * side / 100 * 98;
        let tree = Divide {
            shape: Shape::Halving(vec![tasks]),
            alpha: Some(0.5),
            combine_alpha: None,
            volume: Bytes(1 << 20),
        };
        let jobs = [
            ("a tree", "bisection", divide::task_graph(&tree).expect("a valid job")),
            ("rings", "row-major", rings(side, side / 100 * 98)),
            ("a stencil", "axes", stencil(side, side / 100 * 98)),
        ];
        let mut ways = Vec::new();
        for (job, method, graph) in &jobs {
            let (graph, mesh) = (graph, &mesh);
            for what in ["place", "bound", "place and simulate"] {
                let name: &str = format!("{job}: {what}").leak();
                ways.push(way(name, move || match what {
                    "bound" => black_box(Mapping::new(graph, mesh).own_bound().ticks),
                    "place" => {
                        place(method, &Request::of(graph, mesh, 0)).expect("it fits").nodes.len() as u64
                    }
                    _ => {
                        let placement = place(method, &Request::of(graph, mesh, 0)).expect("it fits");
                        simulate(mesh, &placement.phases(graph, mesh), &Engine::Message)
                            .expect("it runs")
                            .ticks
                    }
                }));
            }
        }
        table.size(&format!("mesh:{side}x{side}"), u64::from(tasks), 1, ways);
    }
    table.print();
}

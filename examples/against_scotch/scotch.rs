//! Placements by Scotch's `scotch_gmap`, if it is installed: the other tool that maps a graph onto a mesh.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

use meshwright_core::units::NodeId;
use meshwright_mapping::{TaskGraph, map_file};
use meshwright_network::topology::{Machine, Network, Topology};

/// The mapping strategies of `scotch_gmap`: quality, speed, balance, recursion.
pub(crate) const STRATEGIES: [&str; 4] = ["q", "s", "b", "r"];

/// Whether the program is here.
pub(crate) fn is_installed() -> bool {
    Command::new("scotch_gmap").arg("-V").output().is_ok()
}

/// By task whom it talks to, and all bytes between the two, in both directions and all phases.
pub(crate) fn rows(graph: &TaskGraph) -> Vec<Vec<(u32, u64)>> {
    let mut weights: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for edge in graph.edges().iter().filter(|edge| edge.source != edge.target) {
        *weights.entry((edge.source, edge.target)).or_default() += edge.bytes.0;
        *weights.entry((edge.target, edge.source)).or_default() += edge.bytes.0;
    }
    let of_task =
        |task| weights.range((task, 0)..=(task, u32::MAX)).map(|((_, to), weight)| (*to, (*weight).max(1)));
    (0..graph.tasks).map(|task| of_task(task).collect()).collect()
}

/// The graph in Scotch's form.
fn source_graph(graph: &TaskGraph) -> String {
    let rows = rows(graph);
    let mut text = format!("0\n{} {}\n0 010\n", graph.tasks, rows.iter().map(Vec::len).sum::<usize>());
    for row in rows {
        write!(text, "{}", row.len()).expect("text grows");
        row.iter().for_each(|(to, weight)| write!(text, " {weight} {to}").expect("text grows"));
        text.push('\n');
    }
    text
}

/// The machine in Scotch's form: its first number varies fastest, as our last one does.
fn target(machine: &Machine) -> String {
    let Network::Grid(grid) = machine.network() else { panic!("Scotch is asked about boxes only") };
    let sides: Vec<String> = grid.sides().iter().rev().map(u32::to_string).collect();
    let family = if grid.wraps() { "torus" } else { "mesh" };
    format!("{family}{}D {}\n", sides.len(), sides.join(" "))
}

/// Where Scotch puts the tasks under one strategy.
pub(crate) fn place(graph: &TaskGraph, machine: &Machine, strategy: &str) -> Vec<NodeId> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("tasks.grf"), source_graph(graph)).expect("the folder can be written to");
    std::fs::write(file("machine.tgt"), target(machine)).expect("the folder can be written to");
    let status = Command::new("scotch_gmap")
        .args([file("tasks.grf"), file("machine.tgt"), file("tasks.map")])
        .args(["-b0".to_string(), format!("-c{strategy}")])
        .status()
        .expect("Scotch can be started");
    assert!(status.success(), "Scotch maps the graph");
    map_file::read(&file("tasks.map"), graph.tasks, machine).expect("Scotch puts one task on a node")
}

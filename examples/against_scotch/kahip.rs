//! Placements by KaHIP's process mapping (VieM), if Python and the package `kahip` are here.
//!
//! It maps onto hierarchies: a square mesh whose side is a power of 2 is one of quarters of quarters, as far from each
//! other as their nodes are on the average.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use meshwright_core::units::NodeId;
use meshwright_mapping::TaskGraph;
use meshwright_network::topology::{Grid, Machine, Network, Topology};

use crate::scotch;

/// Distances are given in such parts of a link.
const PARTS_OF_A_LINK: f64 = 12.0;
/// Weights times distances, all together, have fewer bits: KaHIP counts in 32.
const COST_BITS: u32 = 30;

/// The version of the package, if it is here.
pub(crate) fn version() -> Option<String> {
    let said = "import kahip, importlib.metadata as m; print(m.version('kahip'))";
    let output = Command::new("python3").args(["-c", said]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// The quarter of a quarter, the innermost first, in which a place of the hierarchy lies.
fn node(grid: &Grid, place: u32, levels: u32) -> NodeId {
    let mut at = [0, 0];
    for level in 0..levels {
        let quarter = place >> (2 * level) & 3;
        at[0] += (quarter >> 1) << level;
        at[1] += (quarter & 1) << level;
    }
    grid.node_at(&at)
}

/// The mean distance of nodes in different quarters of a block of 2^(level + 1) nodes a side.
fn apart(grid: &Grid, level: u32) -> u32 {
    let (mut links, mut pairs) = (0.0, 0.0);
    let block = 1 << (2 * (level + 1));
    for (a, b) in (0..block)
        .flat_map(|a| (0..a).map(move |b| (a, b)))
        .filter(|(a, b)| a >> (2 * level) != b >> (2 * level))
    {
        let ends = [a, b].map(|place| node(grid, place, level + 1));
        links += f64::from(grid.distance(ends[0], ends[1]).map_or(0, |hops| hops.0));
        pairs += 1.0;
    }
    (PARTS_OF_A_LINK * links / pairs) as u32
}

/// Where KaHIP puts the tasks: one placement for each preset and mapping.
pub(crate) fn place(graph: &TaskGraph, machine: &Machine, seed: u64) -> Vec<Vec<NodeId>> {
    let Network::Grid(grid) = machine.network() else { panic!("KaHIP is asked about boxes only") };
    let levels = grid.nodes().ilog2() / 2;
    assert_eq!(grid.sides(), [1 << levels; 2], "a square of a power of 2");
    assert!(graph.tasks <= grid.nodes());
    let mut text = format!("{seed} {levels}\n");
    (0..levels).for_each(|level| text += &format!("4 {}\n", apart(grid, level)));
    text += &format!("{}\n", graph.tasks);
    let rows = scotch::rows(graph);
    let all: u64 = rows.iter().flatten().map(|(_, weight)| weight).sum();
    let unit = ((all * u64::from(apart(grid, levels - 1))) >> COST_BITS) + 1;
    for row in &rows {
        text += &row.len().to_string();
        row.iter().for_each(|(to, weight)| text += &format!(" {to} {}", (weight / unit).max(1)));
        text.push('\n');
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/against_scotch/kahip.py");
    let mut command = Command::new("python3");
    command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("Python can be started");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("the script reads");
    let output = child.wait_with_output().expect("the script ends");
    assert!(output.status.success(), "KaHIP maps the graph");
    let read = |line: &str| {
        let places = line.split_whitespace().map(|word| word.parse().expect("a place"));
        one_on_each(&rows, grid, places.map(|place| node(grid, place, levels)).collect())
    };
    String::from_utf8_lossy(&output.stdout).lines().map(read).collect()
}

/// KaHIP leaves some nodes with two tasks, though it is told not to: the later one goes to the free node that costs least.
fn one_on_each(rows: &[Vec<(u32, u64)>], grid: &Grid, mut nodes: Vec<NodeId>) -> Vec<NodeId> {
    let mut taken = vec![false; grid.nodes() as usize];
    let again = |node: &NodeId| std::mem::replace(&mut taken[node.index()], true);
    let late: Vec<bool> = nodes.iter().map(again).collect();
    for task in (0..nodes.len()).filter(|task| late[*task]) {
        let cost = |node: NodeId| {
            let one = |(to, weight): &(u32, u64)| {
                weight * u64::from(grid.distance(node, nodes[*to as usize]).map_or(0, |hops| hops.0))
            };
            rows[task].iter().map(one).sum::<u64>()
        };
        let free = (0..grid.nodes()).map(NodeId).filter(|node| !taken[node.index()]);
        let best = free.min_by_key(|node| cost(*node)).expect("as many nodes as tasks");
        taken[best.index()] = true;
        nodes[task] = best;
    }
    nodes
}

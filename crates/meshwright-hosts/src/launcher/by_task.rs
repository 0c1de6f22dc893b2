//! Tables and graphs of tasks: where each of them runs.

use std::fmt::Write;

use super::{Format, Launch, any_machine, any_tasks};
use meshwright_network::topology::Network;

/// A line `task,rank,node,host,slot` for each task, then a column for each coordinate.
pub(super) const CSV: Format = Format {
    name: "csv",
    summary: "a table: task, rank, node, host, slot and coordinates",
    check: any_machine,
    fits: any_tasks,
    write: |launch| {
        let axes = match launch.machine.network() {
            Network::Grid(grid) => grid.dimensions(),
            Network::Graph(_) => 0,
        };
        let mut text = "task,rank,node,host,slot".to_string();
        (0..axes).for_each(|axis| _ = write!(text, ",c{axis}"));
        text.push('\n');
        for (task, (&node, rank)) in launch.placement.nodes.iter().zip(ranks(launch)).enumerate() {
            let (host, slot) = (launch.hosts.name(node), launch.hosts.slot(node));
            _ = write!(text, "{task},{rank},{node},{host},{slot}");
            let coordinates = launch.machine.coordinates(node);
            coordinates.iter().take(axes).for_each(|c| _ = write!(text, ",{c}"));
            text.push('\n');
        }
        text
    },
};

/// The task graph; each task has its node, host and coordinates, each message its bytes and phase.
pub(super) const GRAPHML: Format = Format {
    name: "graphml",
    summary: "NetworkX, yEd, Gephi: tasks with their nodes, messages with bytes and phases",
    check: any_machine,
    fits: any_tasks,
    write: graphml,
};

const GRAPHML_HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="rank" for="node" attr.name="rank" attr.type="int"/>
  <key id="node" for="node" attr.name="node" attr.type="int"/>
  <key id="at" for="node" attr.name="at" attr.type="string"/>
  <key id="host" for="node" attr.name="host" attr.type="string"/>
  <key id="bytes" for="edge" attr.name="bytes" attr.type="long"/>
  <key id="phase" for="edge" attr.name="phase" attr.type="int"/>
  <key id="repeats" for="edge" attr.name="repeats" attr.type="int"/>
  <graph edgedefault="directed">
"#;

fn graphml(launch: &Launch<'_>) -> String {
    let mut text = GRAPHML_HEAD.to_string();
    for (task, (&node, rank)) in launch.placement.nodes.iter().zip(ranks(launch)).enumerate() {
        let (at, host) = (launch.machine.node_name(node), launch.hosts.name(node));
        _ = writeln!(
            text,
            "    <node id=\"{task}\"><data key=\"rank\">{rank}</data><data key=\"node\">{node}</data>\
             <data key=\"at\">{at}</data><data key=\"host\">{host}</data></node>"
        );
    }
    for phase in 0..launch.tasks.phases() {
        let (number, repeats) = (launch.tasks.number(phase), launch.tasks.repeats(phase));
        for edge in launch.tasks.phase(phase) {
            let (source, target, bytes) = (edge.source, edge.target, edge.bytes.0);
            _ = write!(
                text,
                "    <edge source=\"{source}\" target=\"{target}\"><data key=\"bytes\">{bytes}</data>\
                 <data key=\"phase\">{number}</data>"
            );
            if repeats > 1 {
                _ = write!(text, "<data key=\"repeats\">{repeats}</data>");
            }
            text += "</edge>\n";
        }
    }
    text + "  </graph>\n</graphml>\n"
}

/// The rank of each task.
fn ranks(launch: &Launch<'_>) -> Vec<u32> {
    let tasks = launch.tasks.tasks;
    let mut ranks = vec![0; tasks as usize];
    (0..tasks).for_each(|rank| ranks[launch.ranks.task(rank, tasks) as usize] = rank);
    ranks
}

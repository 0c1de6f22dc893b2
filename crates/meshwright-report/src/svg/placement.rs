//! A placement: every task on its node, and the messages of each phase.

use std::collections::BTreeMap;

use super::messages::Messages;
use super::path::Path;
use super::{DRAWING_WIDTH_MIN, Layout, Point, Svg};
use crate::wording::node as node_name;
use meshwright_core::units::NodeId;
use meshwright_mapping::{Placement, TaskGraph};
use meshwright_network::topology::Topology;

/// From this pitch on, tiles have round corners and words of their own.
const SPOKEN_PITCH_MIN: f64 = 14.0;

/// The machine with its tasks, and with its messages where they can be told apart.
pub struct PlacementDrawing {
    pub svg: String,
    /// Whether its messages are too many to be drawn as lines.
    pub hides_messages: bool,
    pub has_root: bool,
    /// Whether lines run along links; else they are curves.
    pub follows_routes: bool,
}

/// Draws a placement; tasks and nodes that do not exist are left out.
pub fn draw(layout: &Layout<'_>, tasks: &TaskGraph, placement: &Placement) -> PlacementDrawing {
    let mut svg = Svg::new(format!("Placement of {} by {}", tasks.name, placement.name));
    let root = tree_root(tasks);
    let messages = Messages::of(layout, tasks, placement, root.is_some());
    layout.draw_axes(&mut svg);
    let held = tasks_by_node(layout, placement);
    draw_tiles(layout, &mut svg, &held);
    messages.draw(&mut svg);
    messages.draw_ends(&mut svg, root.is_some());
    draw_labels(layout, &mut svg, &held, root);
    let width = layout.width.max(DRAWING_WIDTH_MIN);
    let at = Point::new(8.0, layout.height + 8.0);
    let height = messages.draw_legend(&mut svg, at, width);
    PlacementDrawing {
        svg: svg.finish(width, layout.height + height + 16.0),
        hides_messages: messages.pairs.len() < messages.found,
        has_root: root.is_some(),
        follows_routes: messages.follow_routes(),
    }
}

/// The tasks of each node, in increasing order.
fn tasks_by_node(layout: &Layout<'_>, placement: &Placement) -> Vec<Vec<u32>> {
    let mut held = vec![vec![]; layout.machine.nodes() as usize];
    for (task, node) in placement.nodes.iter().enumerate() {
        if let Some(list) = held.get_mut(node.index()) {
            list.push(task as u32);
        }
    }
    held
}

/// The last task of a tree whose tasks are numbered after their children, else `None`.
///
/// A job of divide and conquer is one; of others, one in which every other task shares exactly one message with a task
/// of a greater number.
fn tree_root(tasks: &TaskGraph) -> Option<u32> {
    if tasks.divide.is_some() {
        return tasks.tasks.checked_sub(1);
    }
    let mut has_parent = vec![false; tasks.tasks as usize];
    for edge in tasks.edges() {
        let child = edge.source.min(edge.target) as usize;
        if edge.source == edge.target || std::mem::replace(&mut has_parent[child], true) {
            return None;
        }
    }
    let root = tasks.tasks.checked_sub(1)?;
    has_parent[..root as usize].iter().all(|&has| has).then_some(root)
}

/// The class of a node's tile and its words.
fn describe(layout: &Layout<'_>, node: NodeId, tasks: &[u32]) -> (&'static str, String) {
    let list = || tasks.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let (class, words) = match (layout.machine.is_alive(node), tasks) {
        (false, _) => ("dead", "dead".to_string()),
        (true, []) => ("tile idle", "no task".to_string()),
        (true, [_]) => ("tile", format!("task {}", list())),
        (true, _) => ("tile", format!("tasks {}", list())),
    };
    (class, format!("node {}: {words}", node_name(layout.machine, node)))
}

fn draw_tiles(layout: &Layout<'_>, svg: &mut Svg, held: &[Vec<u32>]) {
    let side = (layout.pitch * 0.84).floor();
    let mut merged: BTreeMap<&str, Path> = BTreeMap::new();
    let mut crosses = Path::default();
    for (node, tasks) in (0..).map(NodeId).zip(held) {
        let centre = layout.centre(node);
        let corner = centre.plus(-side / 2.0, -side / 2.0);
        let (class, tip) = describe(layout, node, tasks);
        // Small tiles are many: one path holds all of a kind, without words.
        if layout.pitch < SPOKEN_PITCH_MIN {
            merged.entry(class).or_default().square(corner, side);
        } else {
            svg.tile(centre, side, class, &tip);
        }
        if !layout.machine.is_alive(node) {
            crosses.cross(corner, (side, side), 0.28);
        }
    }
    for (class, path) in merged {
        svg.path(&path, class);
    }
    svg.path(&crosses, "cross");
}

fn draw_labels(layout: &Layout<'_>, svg: &mut Svg, held: &[Vec<u32>], root: Option<u32>) {
    for (node, tasks) in (0..).map(NodeId).zip(held) {
        let Some(&first) = tasks.first() else { continue };
        let at = layout.centre(node);
        if root.is_some_and(|root| tasks.contains(&root)) {
            svg.tile(at, (layout.pitch * 0.32).max(5.0), "root", &format!("root: task {first}"));
        }
        let label = if tasks.len() > 1 { format!("{first}+{}", tasks.len() - 1) } else { first.to_string() };
        let room = layout.pitch * 0.84 - 4.0;
        let (size, width) = if layout.pitch >= 34.0 { (11.0, 6.4) } else { (8.5, 5.0) };
        if layout.pitch >= 20.0 && label.len() as f64 * width <= room {
            let class = if size > 9.0 { "task" } else { "task small" };
            svg.text(at.plus(-layout.pitch * 0.36, -layout.pitch * 0.36 + size * 0.75), class, &label);
        }
    }
}

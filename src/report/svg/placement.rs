//! Which node runs which task, and who sends to whom in which phase.

use std::collections::BTreeMap;

use super::legend::{self, Entry, Strong};
use super::path::Path;
use super::{Layout, Point, Px, Svg, palette, route};
use crate::mapping::{Placement, TaskGraph};
use crate::report::wording::{counted, grouped, node as node_name};
use crate::topology::Topology;
use crate::units::NodeId;

/// More pairs than this make a drawing black; the heaviest are kept.
const PAIRS_DRAWN_MAX: usize = 2000;

/// Up to here every stroke carries its own words.
const PAIRS_TIPPED_MAX: usize = 1000;

/// Up to here the legend is a list.
const PHASES_LISTED_MAX: usize = 18;

/// The machine with its tasks and messages, and how many pairs of nodes were left out.
pub(in crate::report) struct Drawing {
    pub(in crate::report) svg: String,
    pub(in crate::report) pairs: usize,
    pub(in crate::report) pairs_drawn: usize,
    pub(in crate::report) has_root: bool,
}

/// Everything one node sends to another.
struct Pair {
    from: NodeId,
    to: NodeId,
    tasks: (u32, u32),
    phase: usize,
    messages: u64,
    bytes: u64,
}

/// Draws a placement; tasks and nodes that do not exist are left out.
pub(in crate::report) fn draw(layout: &Layout<'_>, tasks: &TaskGraph, placement: &Placement) -> Drawing {
    let mut svg = Svg::new(format!("Placement of {} by {}", tasks.name, placement.name));
    let mut pairs = pairs(layout, tasks, placement);
    let found = pairs.len();
    if found > PAIRS_DRAWN_MAX {
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.bytes));
        pairs.truncate(PAIRS_DRAWN_MAX);
    }
    pairs.sort_by_key(|pair| (pair.phase, pair.from, pair.to));
    layout.draw_axes(&mut svg);
    let held = tasks_by_node(layout, placement);
    draw_tiles(layout, &mut svg, &held);
    draw_pairs(layout, &mut svg, tasks, &pairs);
    let root = tree_root(tasks);
    draw_ends(layout, &mut svg, tasks, &pairs, root.is_some());
    draw_labels(layout, &mut svg, &held, root);
    let width = layout.width.max(420.0);
    let at = Point::new(8.0, layout.height + 8.0);
    let height = draw_legend(layout, &mut svg, tasks, at, width);
    Drawing {
        svg: svg.finish(width, layout.height + height + 16.0),
        pairs: found,
        pairs_drawn: pairs.len(),
        has_root: root.is_some(),
    }
}

fn pairs(layout: &Layout<'_>, tasks: &TaskGraph, placement: &Placement) -> Vec<Pair> {
    let place = |task: u32| {
        placement.nodes.get(task as usize).copied().filter(|node| node.0 < layout.machine.nodes())
    };
    let mut pairs: BTreeMap<(NodeId, NodeId), Pair> = BTreeMap::new();
    for phase in 0..tasks.phases() {
        for edge in tasks.phase(phase) {
            let (Some(from), Some(to)) = (place(edge.source), place(edge.target)) else { continue };
            if from == to {
                continue;
            }
            let tasks = (edge.source, edge.target);
            let pair =
                pairs.entry((from, to)).or_insert(Pair { from, to, tasks, phase, messages: 0, bytes: 0 });
            pair.messages += 1;
            pair.bytes = pair.bytes.saturating_add(edge.bytes.0);
        }
    }
    pairs.into_values().collect()
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
/// Then every other task shares exactly one message with a task of a greater number.
fn tree_root(tasks: &TaskGraph) -> Option<u32> {
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

fn draw_tiles(layout: &Layout<'_>, svg: &mut Svg, held: &[Vec<u32>]) {
    let side = (layout.pitch * 0.84).floor();
    let (mut dead, mut crosses) = (Path::default(), Path::default());
    let mut plain = [Path::default(), Path::default()];
    let small = layout.pitch < 14.0;
    for (node, tasks) in (0..).map(NodeId).zip(held) {
        let corner = layout.centre(node).plus(-side / 2.0, -side / 2.0);
        if !layout.machine.is_alive(node) {
            dead.square(corner, side);
            let (near, far) = (side * 0.28, side * 0.72);
            crosses.stroke(corner.plus(near, near), corner.plus(far, far));
            crosses.stroke(corner.plus(far, near), corner.plus(near, far));
        } else if small {
            plain[usize::from(tasks.is_empty())].square(corner, side);
        } else {
            let class = if tasks.is_empty() { "tile idle" } else { "tile" };
            let list: Vec<_> = tasks.iter().map(u32::to_string).collect();
            let words = if tasks.is_empty() { "no task".into() } else { format!("task {}", list.join(", ")) };
            let tip = format!("node {}: {words}", node_name(layout.machine, node));
            let (x, y, side, radius) = (Px(corner.x), Px(corner.y), Px(side), Px(side * 0.16));
            svg.tipped(
                "rect",
                &[
                    ("x", &x),
                    ("y", &y),
                    ("width", &side),
                    ("height", &side),
                    ("rx", &radius),
                    ("class", &class),
                ],
                &tip,
            );
        }
    }
    let classes = [(&plain[0], "tile"), (&plain[1], "tile idle"), (&dead, "dead"), (&crosses, "cross")];
    for (path, class) in classes {
        add(svg, path, class);
    }
}

fn add(svg: &mut Svg, path: &Path, class: &str) {
    if !path.is_empty() {
        svg.leaf("path", &[("d", &path.data()), ("class", &class)]);
    }
}

/// Early phases are broad and lie below, so that late ones stay visible.
fn stroke_width(layout: &Layout<'_>, phase: usize, phases: usize) -> f64 {
    let scale = (layout.pitch / 48.0).clamp(0.35, 1.0);
    let share = phase as f64 / phases.saturating_sub(1).max(1) as f64;
    // Hundreds of phases have no order of importance: their strokes stay thin.
    let broad = if phases > PHASES_LISTED_MAX { 2.6 } else { 6.0 };
    (broad - (broad - 1.6) * share) * scale
}

fn draw_pairs(layout: &Layout<'_>, svg: &mut Svg, tasks: &TaskGraph, pairs: &[Pair]) {
    let phases = tasks.phases();
    for group in pairs.chunk_by(|a, b| a.phase == b.phase) {
        let phase = group[0].phase;
        let class = format!("edge {}", palette::class(phase, phases));
        svg.open("g", &[("class", &class), ("stroke-width", &Px(stroke_width(layout, phase, phases)))]);
        let mut all = Path::default();
        for pair in group {
            if pairs.len() > PAIRS_TIPPED_MAX {
                route::draw(layout, pair.from, pair.to, &mut all);
            } else {
                let mut path = Path::default();
                route::draw(layout, pair.from, pair.to, &mut path);
                svg.tipped("path", &[("d", &path.data())], &describe(tasks, pair));
            }
        }
        if !all.is_empty() {
            svg.leaf("path", &[("d", &all.data())]);
        }
        svg.close();
    }
}

fn describe(tasks: &TaskGraph, pair: &Pair) -> String {
    let (source, target) = pair.tasks;
    let (phase, bytes) = (tasks.number(pair.phase), counted(pair.bytes, "byte"));
    match pair.messages {
        1 => format!("phase {phase}: task {source} → {target}, {bytes}"),
        n => format!("from phase {phase} on: task {source} → {target}, {} messages, {bytes}", grouped(n)),
    }
}

/// A dot where a message ends. In a tree its colour tells when the node joins.
fn draw_ends(layout: &Layout<'_>, svg: &mut Svg, tasks: &TaskGraph, pairs: &[Pair], tree: bool) {
    let radius = Px((layout.pitch * 0.09).clamp(1.2, 4.0));
    if pairs.len() > PAIRS_TIPPED_MAX {
        return;
    }
    let ends: BTreeMap<NodeId, usize> = pairs.iter().rev().map(|pair| (pair.to, pair.phase)).collect();
    for (node, phase) in ends {
        let class = match tree {
            true => format!("fill {}", palette::class(phase, tasks.phases())),
            false => "hub".to_string(),
        };
        let at = layout.centre(node);
        svg.leaf("circle", &[("cx", &Px(at.x)), ("cy", &Px(at.y)), ("r", &radius), ("class", &class)]);
    }
}

fn draw_labels(layout: &Layout<'_>, svg: &mut Svg, held: &[Vec<u32>], root: Option<u32>) {
    for (node, tasks) in (0..).map(NodeId).zip(held) {
        let Some(&first) = tasks.first() else { continue };
        let at = layout.centre(node);
        if root.is_some_and(|root| tasks.contains(&root)) {
            let half = (layout.pitch * 0.16).max(2.5);
            let (x, y, side) = (Px(at.x - half), Px(at.y - half), Px(2.0 * half));
            svg.tipped(
                "rect",
                &[("x", &x), ("y", &y), ("width", &side), ("height", &side), ("class", &"root")],
                &format!("root: task {first}"),
            );
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

fn draw_legend(layout: &Layout<'_>, svg: &mut Svg, tasks: &TaskGraph, at: Point, width: f64) -> f64 {
    let phases = tasks.phases();
    let (Some(first), Some(last)) = (phases.checked_sub(1).map(|_| 0), phases.checked_sub(1)) else {
        return 0.0;
    };
    if phases > PHASES_LISTED_MAX {
        let ends = [format!("phase {}", tasks.number(first)), tasks.number(last).to_string()];
        return legend::bar(
            svg,
            at,
            Strong::First,
            [&ends[0], &ends[1]],
            "(first phase in which a pair talks)",
        );
    }
    let entries: Vec<_> = (0..phases)
        .map(|phase| {
            let bytes = tasks.phase(phase).iter().map(|edge| edge.bytes.0).max().unwrap_or(0);
            Entry {
                class: palette::class(phase, phases),
                stroke: stroke_width(layout, phase, phases),
                text: format!("phase {}: {}", tasks.number(phase), counted(bytes, "byte")),
            }
        })
        .collect();
    legend::list(svg, at, width - 16.0, &entries)
}

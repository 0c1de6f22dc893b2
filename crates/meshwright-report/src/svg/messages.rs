//! The messages of a job between the nodes that run its tasks, coloured by phase.

use std::collections::BTreeMap;

use super::lanes::Lanes;
use super::legend::{self, LegendEntry, Strong};
use super::path::Path;
use super::{Layout, Point, Px, Svg, palette, route};
use crate::wording::counted;
use meshwright_core::units::NodeId;
use meshwright_core::words::grouped;
use meshwright_mapping::{Placement, TaskGraph};
use meshwright_network::topology::Topology;

/// Of a tree so many pairs are drawn: one for each node that is drawn.
const TREE_PAIRS_MAX: usize = 4096;

/// Of any other job so many: more lines hide each other.
const PAIRS_MAX: usize = 128;

/// Up to here every stroke carries its own words.
const PAIRS_TIPPED_MAX: usize = 1000;

/// Up to here the legend is a list.
const PHASES_LISTED_MAX: usize = 18;

/// Everything one node sends to another.
pub(super) struct MessagePair {
    from: NodeId,
    to: NodeId,
    tasks: (u32, u32),
    phase: usize,
    messages: u64,
    bytes: u64,
}

/// The pairs to draw, in the order of their phases.
pub(super) struct Messages<'a> {
    layout: &'a Layout<'a>,
    tasks: &'a TaskGraph,
    pub pairs: Vec<MessagePair>,
    /// How many pairs there are, drawn or not.
    pub found: usize,
    /// The first and the last phase that have a colour.
    span: (usize, usize),
    /// The routes, where they can be drawn link by link.
    lanes: Option<Lanes>,
}

impl<'a> Messages<'a> {
    /// All pairs, or none where there are too many to be told apart.
    pub(super) fn of(
        layout: &'a Layout<'a>,
        tasks: &'a TaskGraph,
        placement: &Placement,
        is_tree: bool,
    ) -> Self {
        let mut pairs = pairs(layout, tasks, placement);
        let found = pairs.len();
        if found > if is_tree { TREE_PAIRS_MAX } else { PAIRS_MAX } {
            pairs.clear();
        }
        pairs.sort_by_key(|pair| (pair.phase, pair.from, pair.to));
        // A trace repeats itself: all its pairs meet in the first of many phases, and share the colours.
        let span = match (pairs.first(), pairs.last()) {
            (Some(first), Some(last)) if tasks.phases() > PHASES_LISTED_MAX => (first.phase, last.phase),
            _ => (0, tasks.phases().saturating_sub(1)),
        };
        let ends: Vec<_> = pairs.iter().map(|pair| (pair.from, pair.to)).collect();
        let lanes = Lanes::of(layout, &ends);
        Self { layout, tasks, pairs, found, span, lanes }
    }

    /// Whether every message is drawn along its links.
    pub(super) fn follow_routes(&self) -> bool {
        self.lanes.is_some()
    }

    fn class(&self, phase: usize) -> String {
        palette::class(phase - self.span.0, self.span.1 - self.span.0 + 1)
    }

    /// Early phases are broad and lie below, so that late ones stay visible.
    fn stroke_width(&self, phase: usize) -> f64 {
        let scale = (self.layout.pitch / 48.0).clamp(0.35, 1.0);
        let share = (phase - self.span.0) as f64 / (self.span.1 - self.span.0).max(1) as f64;
        // The phases of a trace have no order of importance: all its strokes are thin.
        let is_trace = self.tasks.phases() > PHASES_LISTED_MAX;
        if let Some(lanes) = &self.lanes {
            // On a large machine lanes are narrow; a line must stay visible all the same.
            let (in_lane, visible) =
                if is_trace { (0.5, 0.7) } else { (1.1 - 0.6 * share, 2.2 - 1.3 * share) };
            return visible.max(lanes.step() * in_lane);
        }
        let broad = if is_trace { 2.2 } else { 6.0 };
        (broad - (broad - 1.6) * share) * scale
    }

    /// Draws one line per pair.
    pub(super) fn draw(&self, svg: &mut Svg) {
        let mut index = 0;
        for group in self.pairs.chunk_by(|a, b| a.phase == b.phase) {
            let phase = group[0].phase;
            let class = format!("edge {}", self.class(phase));
            svg.open("g", &[("class", &class), ("stroke-width", &Px(self.stroke_width(phase)))]);
            let mut all = Path::default();
            for pair in group {
                if self.pairs.len() > PAIRS_TIPPED_MAX {
                    self.draw_pair(index, &mut all);
                } else {
                    let mut path = Path::default();
                    self.draw_pair(index, &mut path);
                    svg.tipped("path", &[("d", &path.data())], &self.describe(pair));
                }
                index += 1;
            }
            if !all.is_empty() {
                svg.leaf("path", &[("d", &all.data())]);
            }
            svg.close();
        }
    }

    fn draw_pair(&self, index: usize, path: &mut Path) {
        match &self.lanes {
            Some(lanes) => lanes.draw(self.layout, index, path),
            None => route::draw(self.layout, self.pairs[index].from, self.pairs[index].to, path),
        }
    }

    fn describe(&self, pair: &MessagePair) -> String {
        let (source, target) = pair.tasks;
        let (phase, bytes) = (self.tasks.number(pair.phase), counted(pair.bytes, "byte"));
        match pair.messages {
            1 => format!("phase {phase}: task {source} → {target}, {bytes}"),
            n => format!("from phase {phase} on: task {source} → {target}, {} messages, {bytes}", grouped(n)),
        }
    }

    /// A dot where messages end. In a tree its colour tells when the node joins.
    pub(super) fn draw_ends(&self, svg: &mut Svg, is_tree: bool) {
        if self.pairs.len() > PAIRS_TIPPED_MAX {
            return;
        }
        let radius = (self.layout.pitch * 0.09).clamp(1.2, 4.0);
        // In reverse, so that the first phase of a node is the one that stays.
        let ends: BTreeMap<_, _> = self.pairs.iter().rev().map(|pair| (pair.to, pair.phase)).collect();
        for (node, phase) in ends {
            let class = if is_tree { format!("fill {}", self.class(phase)) } else { "hub".to_string() };
            svg.circle(self.layout.centre(node), radius, &class, None);
        }
    }

    /// Draws what the colours mean and returns the height it takes.
    pub(super) fn draw_legend(&self, svg: &mut Svg, at: Point, width: f64) -> f64 {
        let (tasks, (first, last)) = (self.tasks, self.span);
        if self.pairs.is_empty() {
            return 0.0;
        }
        if tasks.phases() > PHASES_LISTED_MAX {
            let first = format!("phase {}", tasks.number(first));
            let phases = grouped(tasks.phases() as u64);
            let last = format!("{} of {phases}: when a pair first talks", tasks.number(last));
            return legend::bar(svg, at, Strong::First, [&first, &last]);
        }
        let entries: Vec<_> = (0..tasks.phases())
            .map(|phase| {
                let bytes = tasks.phase(phase).iter().map(|edge| edge.bytes.0).max().unwrap_or(0);
                LegendEntry {
                    class: self.class(phase),
                    stroke: self.stroke_width(phase),
                    text: format!("phase {}: {}", tasks.number(phase), counted(bytes, "byte")),
                }
            })
            .collect();
        legend::list(svg, at, width - 16.0, &entries)
    }
}

fn pairs(layout: &Layout<'_>, tasks: &TaskGraph, placement: &Placement) -> Vec<MessagePair> {
    let place = |task: u32| {
        placement.nodes.get(task as usize).copied().filter(|node| node.0 < layout.machine.nodes())
    };
    let mut pairs: BTreeMap<(NodeId, NodeId), MessagePair> = BTreeMap::new();
    for phase in 0..tasks.phases() {
        for edge in tasks.phase(phase) {
            let (Some(from), Some(to)) = (place(edge.source), place(edge.target)) else { continue };
            if from == to {
                continue;
            }
            let tasks = (edge.source, edge.target);
            let pair = pairs.entry((from, to)).or_insert(MessagePair {
                from,
                to,
                tasks,
                phase,
                messages: 0,
                bytes: 0,
            });
            pair.messages += 1;
            pair.bytes = pair.bytes.saturating_add(edge.bytes.0);
        }
    }
    pairs.into_values().collect()
}

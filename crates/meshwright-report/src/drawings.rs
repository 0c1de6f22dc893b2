//! The drawings of a method, and the words below them.

use serde::Serialize;

use super::svg::{Layout, blocks, heat, placement};
use super::wording::counted;
use meshwright_core::words::grouped;
use meshwright_mapping::TaskGraph;
use meshwright_network::topology::{Machine, Network, Topology};
use meshwright_verdict::MappingOutcome;

/// A drawing, or the sentence that stands in its place.
#[derive(Serialize)]
pub(super) struct Figure {
    pub(super) title: &'static str,
    /// Empty when there is nothing to draw.
    pub(super) svg: String,
    pub(super) caption: String,
}

/// The placement and the link loads of one method.
pub(super) fn figures(machine: &Machine, tasks: &TaskGraph, outcome: &MappingOutcome) -> Vec<Figure> {
    let layout = Layout::of(machine);
    vec![placement_figure(layout.as_ref(), tasks, outcome), heat_figure(layout.as_ref(), machine, outcome)]
}

/// Who sits where, and who sends to whom.
pub(super) fn placement_figure(
    layout: Option<&Layout<'_>>,
    tasks: &TaskGraph,
    outcome: &MappingOutcome,
) -> Figure {
    let title = "Placement";
    let absent = |caption: &str| Figure { title, svg: String::new(), caption: caption.to_string() };
    if outcome.detail.placement.nodes.is_empty() {
        return absent("There is nothing to draw: this plan puts no task on a node of its own.");
    }
    let Some(layout) = layout else {
        return absent(
            "The machine is too large to be drawn node by node; the link loads show where it is busy.",
        );
    };
    let drawing = placement::draw(layout, tasks, &outcome.detail.placement);
    let mut caption = String::from("Each tile is a node, its number the task it runs");
    if !layout.is_flat() {
        caption.push_str("; planes of the machine lie side by side");
    }
    caption.push_str(&idle_words(layout.machine, outcome));
    caption.push_str(match drawing.follows_routes {
        true => {
            " Lines are messages on their routes, on the right hand of their way; lines side by side share a \
             link."
        }
        false => " A line joins sender and receiver of a message; it does not show the route.",
    });
    if drawing.has_root {
        caption.push_str(
            " The square marks the root; a dot has the colour of the phase in which its task joins.",
        );
    }
    if drawing.pairs_drawn < drawing.pairs {
        caption.push_str(&format!(
            " Only the {} pairs with the most bytes are drawn, of {}.",
            grouped(drawing.pairs_drawn as u64),
            grouped(drawing.pairs as u64)
        ));
    }
    Figure { title, svg: drawing.svg, caption }
}

/// Ends the sentence on tiles, and says how many of them are idle.
fn idle_words(machine: &Machine, outcome: &MappingOutcome) -> String {
    let mut busy: Vec<_> = outcome.detail.placement.nodes.clone();
    busy.sort_unstable();
    busy.dedup();
    let living = machine.living_count() as usize;
    match busy.len() < living {
        true => format!(
            ". {} of {} nodes work, the pale ones have no task.",
            grouped(busy.len() as u64),
            grouped(living as u64)
        ),
        false => ".".to_string(),
    }
}

/// How long each link is busy.
pub(super) fn heat_figure(
    layout: Option<&Layout<'_>>,
    machine: &Machine,
    outcome: &MappingOutcome,
) -> Figure {
    let title = "Busy time of each link";
    let loads = heat::Loads { messages: &outcome.detail.link_messages, busy: &outcome.detail.link_busy };
    if outcome.detail.link_messages.iter().all(|&messages| messages == 0) {
        let caption = "No link carries a message.".to_string();
        return Figure { title, svg: String::new(), caption };
    }
    let Some(layout) = layout else {
        let (svg, block) = blocks::draw(machine, &outcome.method, loads, outcome.busiest_link);
        let caption = format!(
            "With {} the machine is too large to be drawn node by node. \
             Each block stands for {block}; its colour is the busy time of the busiest link that leaves one of them.",
            counted(machine.nodes().into(), "node")
        );
        return Figure { title, svg, caption };
    };
    let drawing = heat::draw(layout, &outcome.method, loads, outcome.busiest_link);
    let mut caption = String::from(
        "Each stroke is one direction of a link, on the right hand of its way; its colour is how long the messages take on it.",
    );
    if let Network::Grid(grid) = machine.network() {
        if grid.wraps() {
            caption.push_str(" Strokes beyond the border come back on the opposite side.");
        }
        if !layout.is_flat() {
            caption.push_str(" Slanted strokes lead to the next plane (up) and the one before (down).");
        }
    }
    if drawing.links_drawn < drawing.links {
        caption.push_str(&format!(
            " Only the {} busiest links are drawn, of {} in use.",
            grouped(drawing.links_drawn as u64),
            grouped(drawing.links as u64)
        ));
    }
    Figure { title, svg: drawing.svg, caption }
}

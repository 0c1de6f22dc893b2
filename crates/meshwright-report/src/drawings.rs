//! The drawings of a method, and the words below them.

use serde::Serialize;

use super::svg::{Layout, blocks, heat, matrix, placement};
use super::wording::counted;
use meshwright_core::words::grouped;
use meshwright_mapping::TaskGraph;
use meshwright_network::topology::{Machine, Network, Topology};
use meshwright_verdict::{LinkUse, MappingOutcome};

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
    let (placement, hides_messages) = placed(layout.as_ref(), tasks, outcome);
    let mut figures = vec![placement];
    if hides_messages {
        figures.push(matrix_figure(machine, tasks, outcome));
    }
    figures.push(heat_figure_of(layout.as_ref(), machine, outcome));
    figures
}

/// How much each node sends to each other.
fn matrix_figure(machine: &Machine, tasks: &TaskGraph, outcome: &MappingOutcome) -> Figure {
    let (svg, block) = matrix::draw(machine, tasks, &outcome.detail.placement);
    let cell = match block {
        1 => "A cell is a pair of nodes".to_string(),
        _ => format!("A cell stands for {block} × {block} nodes with consecutive ids"),
    };
    let caption = format!(
        "{cell}: the row sends, the column receives, in the order of the node ids. The nearer to the diagonal, the nearer the ids."
    );
    Figure { title: "Bytes from node to node", svg, caption }
}

/// Who sits where, and who sends to whom.
pub(super) fn placement_figure(
    layout: Option<&Layout<'_>>,
    tasks: &TaskGraph,
    outcome: &MappingOutcome,
) -> Figure {
    placed(layout, tasks, outcome).0
}

/// The placement, and whether it does not show its messages because they are too many.
fn placed(layout: Option<&Layout<'_>>, tasks: &TaskGraph, outcome: &MappingOutcome) -> (Figure, bool) {
    let title = "Placement";
    let absent = |caption: &str, hides: bool| {
        (Figure { title, svg: String::new(), caption: caption.to_string() }, hides)
    };
    if outcome.detail.placement.nodes.is_empty() {
        return absent("There is nothing to draw: this plan puts no task on a node of its own.", false);
    }
    let Some(layout) = layout else {
        return absent(
            "The machine is too large to be drawn node by node; the other figures show all of it.",
            !tasks.edges().is_empty(),
        );
    };
    let drawing = placement::draw(layout, tasks, &outcome.detail.placement);
    let mut caption = String::from("Each tile is a node, its number the task it runs");
    if !layout.is_flat() {
        caption.push_str("; planes of the machine lie side by side");
    }
    caption.push_str(&idle_words(layout.machine, outcome));
    caption.push_str(match drawing.follows_routes {
        _ if drawing.hides_messages => {
            " Its messages are too many to be drawn as lines: they are in the next figure."
        }
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
    (Figure { title, svg: drawing.svg, caption }, drawing.hides_messages)
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

/// Whose links are drawn.
pub(super) struct Busy<'a> {
    /// What ran: `"method growing"`.
    pub(super) run: &'a str,
    pub(super) loads: heat::Loads<'a>,
    pub(super) busiest: Option<LinkUse>,
}

/// How long each link is busy under a method.
pub(super) fn heat_figure_of(
    layout: Option<&Layout<'_>>,
    machine: &Machine,
    outcome: &MappingOutcome,
) -> Figure {
    let loads = heat::Loads { messages: &outcome.detail.link_messages, busy: &outcome.detail.link_busy };
    let run = format!("method {}", outcome.method);
    heat_figure(layout, machine, &Busy { run: &run, loads, busiest: outcome.busiest_link })
}

/// How long each link is busy.
pub(super) fn heat_figure(layout: Option<&Layout<'_>>, machine: &Machine, links: &Busy<'_>) -> Figure {
    let title = "Busy time of each link";
    if links.loads.messages.iter().all(|&messages| messages == 0) {
        let caption = "No link carries a message.".to_string();
        return Figure { title, svg: String::new(), caption };
    }
    let Some(layout) = layout else {
        let (svg, block) = blocks::draw(machine, links.run, links.loads, links.busiest);
        let caption = format!(
            "With {} the machine is too large to be drawn node by node. \
             Each block stands for {block}; its colour is the busy time of the busiest link that leaves one of them.",
            counted(machine.nodes().into(), "node")
        );
        return Figure { title, svg, caption };
    };
    let drawing = heat::draw(layout, links.run, links.loads, links.busiest);
    let mut caption = String::from(
        "Each stroke is one direction of a link, on the right hand of its way; its colour is how long the messages take on it.",
    );
    if let Network::Grid(grid) = machine.network() {
        if grid.wraps() {
            caption.push_str(" Strokes beyond the border come back on the opposite side.");
        }
        if layout.is_cube() {
            caption.push_str(
                " Rows and columns are named by the bits of their nodes; a stroke leads towards the node that differs in one \
                 bit, the higher the bit, the further from the middle of the tile.",
            );
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

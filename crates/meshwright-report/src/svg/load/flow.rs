//! The flow of the optimum: how busy every link and processor is, and the cut that no schedule can pass faster.

use super::super::grid_plan::{GridPlan, Level};
use super::super::legend::{self, Strong};
use super::super::palette::{self, STEPS};
use super::super::path::Path;
use super::super::{DRAWING_WIDTH_MIN, Layout, Point, Px, Svg};
use crate::wording;
use meshwright_core::units::{NodeId, Port};
use meshwright_network::topology::{Machine, Topology};

/// More links than this make a file of megabytes; the busiest are kept.
const LINKS_DRAWN_MAX: usize = 12_000;

/// Up to here every link carries its own words.
const LINKS_TIPPED_MAX: usize = 800;

/// From this part of its capacity on a link is full, but for rounding.
const FULL: f64 = 1.0 - 1e-6;

/// Below this part a link carries nothing, but for rounding.
const IDLE: f64 = 1e-9;

/// Below this part a link is drawn as pale as an idle one.
const PALE: f64 = 0.005;

/// What is drawn.
pub struct FlowView<'a> {
    pub machine: &'a Machine,
    /// By link id, which part of its capacity it carries.
    pub links: &'a [f64],
    /// By node id, which part of the time it computes.
    pub nodes: &'a [f64],
    /// The nodes of the sources, in their order.
    pub sources: &'a [NodeId],
    /// The nodes inside the cut.
    pub cut: &'a [NodeId],
}

/// A drawing and what was left out of it.
pub struct FlowDrawing {
    pub svg: String,
    /// How many links carry something, and how many of them are drawn.
    pub links: usize,
    pub links_drawn: usize,
    /// What a tile stands for, if that is more than one node.
    pub block: Option<String>,
}

/// A link in use.
struct Used {
    from: NodeId,
    to: NodeId,
    port: Port,
    part: f64,
}

/// The drawing; `None` for a machine that is too large and no plane.
pub fn draw(view: &FlowView<'_>) -> Option<FlowDrawing> {
    match Layout::of(view.machine) {
        Some(layout) => Some(by_links(view, &layout)),
        None => GridPlan::of(view.machine).map(|sheet| by_tiles(view, &sheet)),
    }
}

fn start(view: &FlowView<'_>) -> Svg {
    Svg::new(format!("How busy the links of {} are in the optimum, and the cut", view.machine.name()))
}

fn used(view: &FlowView<'_>) -> Vec<Used> {
    let machine = view.machine;
    let mut used = Vec::new();
    for from in (0..machine.nodes()).map(NodeId) {
        for port in (0..machine.ports(from)).map(Port) {
            let part = view.links.get(machine.link(from, port).index()).copied().unwrap_or(0.0);
            if let (true, Some(to)) = (part > IDLE, machine.neighbour(from, port)) {
                used.push(Used { from, to, port, part });
            }
        }
    }
    used
}

fn level(part: f64) -> usize {
    palette::level((part.clamp(0.0, 1.0) * 1e6) as u64, 1_000_000)
}

/// What distinguishes the strokes of two links.
fn look(part: f64) -> (usize, bool, bool) {
    (level(part), part >= FULL, part < PALE)
}

fn by_links(view: &FlowView<'_>, layout: &Layout<'_>) -> FlowDrawing {
    let mut svg = start(view);
    let mut used = used(view);
    let links = used.len();
    used.sort_by(|a, b| a.part.total_cmp(&b.part));
    let used = used.split_off(links.saturating_sub(LINKS_DRAWN_MAX));
    layout.draw_axes(&mut svg);
    draw_nodes(view, layout, &mut svg);
    for group in used.chunk_by(|a, b| look(a.part) == look(b.part)) {
        draw_group(view, layout, group, used.len() <= LINKS_TIPPED_MAX, &mut svg);
    }
    draw_cut(view, layout, &mut svg);
    draw_pins(view, (layout.pitch * 0.26).clamp(5.0, 11.0), |node| layout.centre(node), &mut svg);
    let legend = draw_legend(&mut svg, layout.height + 6.0, true, outlined(view));
    let svg = svg.finish(layout.width.max(DRAWING_WIDTH_MIN), layout.height + legend + 12.0);
    FlowDrawing { svg, links, links_drawn: used.len(), block: None }
}

/// Links about equally busy.
fn draw_group(view: &FlowView<'_>, layout: &Layout<'_>, group: &[Used], tipped: bool, svg: &mut Svg) {
    let level = level(group[0].part);
    let full = group[0].part >= FULL;
    let class = match group[0].part {
        part if part >= FULL => "full".to_string(),
        part if part < PALE => "unused".to_string(),
        _ => format!("link {}", palette::class(level, STEPS)),
    };
    let (broad, thin) = ((layout.pitch * 0.15).clamp(1.8, 7.0), (layout.pitch * 0.03).clamp(0.7, 1.3));
    let width = broad - (broad - thin) * level as f64 / (STEPS - 1) as f64;
    svg.open("g", &[("class", &class), ("stroke-width", &Px(width))]);
    let mut all = Path::default();
    for link in group {
        let (a, b) = layout.link(link.from, link.port, link.to);
        if !tipped {
            all.stroke(a, b);
            continue;
        }
        let mut path = Path::default();
        path.stroke(a, b);
        let ends = wording::link(view.machine, link.from, link.to);
        let tip = format!(
            "{ends}: {} of the time{}",
            wording::percent(link.part),
            if full { ", full" } else { "" }
        );
        svg.tipped("path", &[("d", &path.data())], &tip);
    }
    if !all.is_empty() {
        svg.leaf("path", &[("d", &all.data())]);
    }
    svg.close();
}

/// Working nodes as tiles in the strength of their work, others as dots.
fn draw_nodes(view: &FlowView<'_>, layout: &Layout<'_>, svg: &mut Svg) {
    let side = (layout.pitch * 0.42).round().max(2.0);
    let mut paths = vec![Path::default(); STEPS];
    let (mut idle, mut dead) = (Path::default(), Path::default());
    for node in (0..view.machine.nodes()).map(NodeId) {
        let part = view.nodes.get(node.index()).copied().unwrap_or(0.0);
        let (path, side) = match part > IDLE {
            _ if !view.machine.is_alive(node) => (&mut dead, side),
            true => (&mut paths[level(part)], side),
            false => (&mut idle, (side * 0.5).max(1.6)),
        };
        path.square(layout.centre(node).plus(-side / 2.0, -side / 2.0), side);
    }
    svg.fills(&paths, [(&idle, "node"), (&dead, "dead")]);
}

/// Whether the cut parts the machine: one that holds all nodes has no outline.
fn outlined(view: &FlowView<'_>) -> bool {
    !view.cut.is_empty() && view.cut.len() < view.machine.living_count() as usize
}

/// The members of the cut, by node id.
fn inside(view: &FlowView<'_>) -> Vec<bool> {
    let mut inside = vec![false; view.machine.nodes() as usize];
    view.cut.iter().filter(|node| node.0 < view.machine.nodes()).for_each(|node| inside[node.index()] = true);
    inside
}

/// The outline of the cut on a plane, rings around its nodes elsewhere.
fn draw_cut(view: &FlowView<'_>, layout: &Layout<'_>, svg: &mut Svg) {
    if !outlined(view) {
        return;
    }
    let inside = inside(view);
    let mut path = Path::default();
    if layout.grid().is_none_or(|_| !layout.is_flat() || layout.is_cube()) {
        for &node in view.cut {
            let half = layout.pitch * 0.4;
            path.square(layout.centre(node).plus(-half, -half), 2.0 * half);
        }
    } else {
        // Each link out of the set is crossed by a stroke in its middle; on a torus also beyond the border.
        let machine = view.machine;
        for &node in view.cut {
            for port in (0..machine.ports(node)).map(Port) {
                let out = machine.neighbour(node, port).is_some_and(|other| !inside[other.index()]);
                if let (true, Some(grid)) = (out, layout.grid()) {
                    let (axis, up) = grid.direction(port);
                    let sign = if up { 0.5 } else { -0.5 } * layout.pitch;
                    let half = layout.pitch / 2.0;
                    let at = layout.centre(node);
                    match grid.dimensions() - axis {
                        1 => path.stroke(at.plus(sign, -half), at.plus(sign, half)),
                        _ => path.stroke(at.plus(-half, sign), at.plus(half, sign)),
                    };
                }
            }
        }
    }
    for class in ["cut-under", "cut"] {
        svg.leaf("path", &[("d", &path.data()), ("class", &class)]);
    }
}

/// Each tile in the colour of its busiest link.
fn by_tiles(view: &FlowView<'_>, sheet: &GridPlan) -> FlowDrawing {
    let mut svg = start(view);
    let used = used(view);
    let mut busiest = vec![0.0f64; (sheet.tiles.0 * sheet.tiles.1) as usize];
    for link in &used {
        let (row, column) = sheet.place(link.from);
        let tile = &mut busiest[sheet.index(row, column)];
        *tile = tile.max(link.part);
    }
    sheet.draw_axes(&mut svg);
    sheet.draw_levels(&mut svg, 0.0, |tile| match busiest[tile] {
        part if part >= PALE => Level::Step(level(part)),
        _ => Level::Empty,
    });
    sheet.draw_rim(&mut svg);
    if outlined(view) {
        let inside = inside(view);
        let mut tiles = vec![false; busiest.len()];
        for node in (0..view.machine.nodes()).map(NodeId).filter(|node| inside[node.index()]) {
            let (row, column) = sheet.place(node);
            tiles[sheet.index(row, column)] = true;
        }
        let path = sheet.border(|a, b| tiles[a] != tiles[b]);
        for class in ["cut-under", "cut"] {
            svg.leaf("path", &[("d", &path.data()), ("class", &class)]);
        }
    }
    draw_pins(view, 7.5, |node| sheet.centre(node), &mut svg);
    let legend = draw_legend(&mut svg, sheet.height() + 6.0, false, outlined(view));
    let svg = svg.finish(sheet.width().max(DRAWING_WIDTH_MIN), sheet.height() + legend + 12.0);
    FlowDrawing { svg, links: used.len(), links_drawn: used.len(), block: Some(sheet.words()) }
}

/// The sources: numbered where there is room, otherwise rings.
fn draw_pins(view: &FlowView<'_>, radius: f64, at: impl Fn(NodeId) -> Point, svg: &mut Svg) {
    let many = view.sources.len() > 64;
    for (index, &node) in view.sources.iter().enumerate() {
        let (centre, radius) = (at(node), if many { 2.2 } else { radius });
        let name = wording::node(view.machine, node);
        svg.circle(centre, radius, "pin", Some(&format!("source {index} at {name}")));
        if radius >= 7.0 {
            svg.text(centre.plus(0.0, 3.6), "pinned", &index.to_string());
        }
    }
}

/// What colours mean; returns the height.
fn draw_legend(svg: &mut Svg, y: f64, strokes: bool, cut: bool) -> f64 {
    let mut height = legend::bar(svg, Point::new(12.0, y), Strong::Last, ["idle", "busy all the time"]);
    let line = y + height + 12.0;
    let mut x = 14.0;
    if strokes {
        svg.leaf(
            "path",
            &[("d", &format!("M{x} {}h22", Px(line))), ("class", &"full"), ("stroke-width", &4)],
        );
        svg.text(Point::new(x + 30.0, line + 4.0), "note", "full link");
        x += 104.0;
    }
    if cut {
        svg.leaf("path", &[("d", &format!("M{x} {}v-7h22v14h-22z", Px(line))), ("class", &"cut")]);
        svg.text(Point::new(x + 30.0, line + 4.0), "note", "the cut that sets the bound");
    }
    if strokes || cut {
        height += 24.0;
    }
    height
}

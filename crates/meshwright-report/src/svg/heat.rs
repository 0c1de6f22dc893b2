//! Link loads as a heat map: every directed link a stroke beside its twin.

use super::legend::{self, Strong};
use super::palette::{self, STEPS};
use super::path::Path;
use super::{DRAWING_WIDTH_MIN, Layout, Point, Px, Svg};
use crate::wording::{self, counted};
use meshwright_core::units::{LinkId, NodeId, Port};
use meshwright_network::topology::Topology;
use meshwright_verdict::LinkUse;

/// More links than this make a file of megabytes; the most loaded are kept.
const LINKS_DRAWN_MAX: usize = 16_384;

/// The same where most strokes are slanted and take twice the text.
const SLANTED_DRAWN_MAX: usize = 8_192;

/// Up to here every link carries its own words.
const LINKS_TIPPED_MAX: usize = 800;

/// The loads of the links, and how many used links were left out.
pub struct LoadsDrawing {
    pub svg: String,
    pub links: usize,
    pub links_drawn: usize,
}

struct Used {
    from: NodeId,
    to: NodeId,
    port: Port,
    messages: u64,
    busy: u64,
}

/// What passes over each link, by its id; missing ids carry nothing.
#[derive(Clone, Copy)]
pub struct Loads<'a> {
    /// How many messages.
    pub messages: &'a [u32],
    /// How long they take on it, in cycles.
    pub busy: &'a [u64],
}

impl Loads<'_> {
    pub fn messages(&self, link: LinkId) -> u64 {
        self.messages.get(link.index()).copied().unwrap_or(0).into()
    }

    pub fn busy(&self, link: LinkId) -> u64 {
        self.busy.get(link.index()).copied().unwrap_or(0)
    }
}

/// Draws how long every link is busy.
pub fn draw(layout: &Layout<'_>, run: &str, loads: Loads<'_>, hottest: Option<LinkUse>) -> LoadsDrawing {
    let mut svg = Svg::new(format!("Busy time of each link, {run}"));
    let limit = if layout.grid().is_some() && layout.is_flat() { LINKS_DRAWN_MAX } else { SLANTED_DRAWN_MAX };
    let (mut used, idle) = links(layout, loads, limit);
    let found = used.len();
    if found > limit {
        used.sort_by_key(|link| std::cmp::Reverse((link.busy, link.messages)));
        used.truncate(limit);
    }
    // The busiest on top.
    used.sort_unstable_by_key(|link| (link.busy, link.from, link.port));
    layout.draw_axes(&mut svg);
    svg.path(&idle, "unused");
    draw_nodes(layout, &mut svg);
    let greatest = used.last().map_or(0, |link| link.busy);
    draw_links(layout, &mut svg, &used, greatest);
    let mut at = Point::new(8.0, layout.height + 8.0);
    if greatest > 0 {
        at.y += legend::bar(&mut svg, at, Strong::Last, ["0", &counted(greatest, "cycle")]);
    }
    if let Some(hottest) = hottest {
        draw_hottest(layout, &mut svg, &hottest);
        at.y += legend::hottest(&mut svg, layout.machine, &hottest, loads.busy, at);
    }
    let width = layout.width.max(DRAWING_WIDTH_MIN);
    LoadsDrawing { svg: svg.finish(width, at.y + 8.0), links: found, links_drawn: used.len() }
}

/// The links that carry something, and the strokes of the others if there is room for all.
fn links(layout: &Layout<'_>, loads: Loads<'_>, limit: usize) -> (Vec<Used>, Path) {
    let machine = layout.machine;
    let (mut used, mut idle) = (vec![], Path::default());
    let mut idle_count = 0;
    for from in (0..machine.nodes()).map(NodeId) {
        for port in (0..machine.ports(from)).map(Port) {
            let Some(to) = machine.neighbour(from, port) else { continue };
            let link = machine.link(from, port);
            let (messages, busy) = (loads.messages(link), loads.busy(link));
            if messages > 0 {
                used.push(Used { from, to, port, messages, busy });
            } else {
                let (a, b) = layout.link(from, port, to);
                idle.stroke(a, b);
                idle_count += 1;
            }
        }
    }
    if used.len() + idle_count > limit {
        idle = Path::default();
    }
    (used, idle)
}

fn draw_nodes(layout: &Layout<'_>, svg: &mut Svg) {
    let side = (layout.pitch * if layout.pitch < 16.0 { 0.3 } else { 0.42 }).round().max(2.0);
    let (mut living, mut dead, mut crosses) = (Path::default(), Path::default(), Path::default());
    for node in (0..layout.machine.nodes()).map(NodeId) {
        let corner = layout.centre(node).plus(-side / 2.0, -side / 2.0);
        if layout.machine.is_alive(node) {
            living.square(corner, side);
        } else {
            dead.square(corner, side);
            crosses.cross(corner, (side, side), 0.25);
        }
    }
    svg.fills(&[], [(&living, "node"), (&dead, "dead"), (&crosses, "cross")]);
}

/// From a hairline to almost the whole lane.
fn stroke_width(layout: &Layout<'_>, level: usize) -> f64 {
    // Many dimensions leave the plane side by side.
    let fan = layout.machine.sides().len().saturating_sub(2).max(2) as f64 / 2.0;
    let broad = (layout.pitch * 0.18 / fan).clamp(2.0, 9.0);
    let thin = (layout.pitch * 0.03).clamp(0.9, 1.4);
    broad - (broad - thin) * level as f64 / (STEPS - 1) as f64
}

fn draw_links(layout: &Layout<'_>, svg: &mut Svg, used: &[Used], greatest: u64) {
    for group in used.chunk_by(|a, b| palette::level(a.busy, greatest) == palette::level(b.busy, greatest)) {
        let level = palette::level(group[0].busy, greatest);
        let class = format!("link {}", palette::class_of_amount(group[0].busy, greatest));
        svg.open("g", &[("class", &class), ("stroke-width", &Px(stroke_width(layout, level)))]);
        let mut all = Path::default();
        for link in group {
            let (a, b) = layout.link(link.from, link.port, link.to);
            if used.len() > LINKS_TIPPED_MAX {
                all.stroke(a, b);
                continue;
            }
            let mut path = Path::default();
            path.stroke(a, b);
            let ends = wording::link(layout.machine, link.from, link.to);
            let tip =
                format!("{ends}: {} in {}", counted(link.busy, "cycle"), counted(link.messages, "message"));
            svg.tipped("path", &[("d", &path.data())], &tip);
        }
        if !all.is_empty() {
            svg.leaf("path", &[("d", &all.data())]);
        }
        svg.close();
    }
}

/// A ring around the busiest link, if it is a link of this machine.
fn draw_hottest(layout: &Layout<'_>, svg: &mut Svg, hottest: &LinkUse) {
    let (machine, from) = (layout.machine, NodeId(hottest.from));
    if hottest.from >= machine.nodes() {
        return;
    }
    let mut ports = (0..machine.ports(from)).map(Port);
    if let Some(port) = ports.find(|&port| machine.neighbour(from, port) == Some(NodeId(hottest.to))) {
        let (a, b) = layout.link(from, port, NodeId(hottest.to));
        legend::ring(svg, a.towards(b, 0.5), (layout.pitch * 0.4).clamp(7.0, 20.0));
    }
}

//! The cells of the sources: a hue for each, strongest at the source, with lines between cells.

use std::collections::BTreeSet;

use super::super::grid_plan::GridPlan;
use super::super::path::Path;
use super::super::{Attribute, DRAWING_WIDTH_MIN, Layout, Point, Svg, hues};
use crate::wording::{self, counted};
use meshwright_core::units::NodeId;
use meshwright_load::shares::voronoi;
use meshwright_load::{Cells, UNUSED};
use meshwright_network::topology::{Machine, Topology};

/// Up to here every node has words of its own; beyond it, every cell.
const NODES_TIPPED_MAX: u32 = 1024;

/// Up to here cells have words of their own.
const CELLS_TIPPED_MAX: usize = 200;

/// Up to here sources are numbered.
const SOURCES_NUMBERED_MAX: usize = 64;

/// What is drawn: the cells and where their sources are.
#[derive(Clone, Copy)]
pub struct CellsView<'a> {
    pub machine: &'a Machine,
    pub cells: &'a Cells,
    /// The nodes of the sources, in their order.
    pub sources: &'a [NodeId],
}

/// What one tile shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The index of the source, or [`UNUSED`].
    pub label: u32,
    pub depth: u32,
    pub dead: bool,
}

/// The drawing, and what a tile stands for if that is more than one node; `None` for a machine that is too large and
/// no plane.
pub fn draw(view: &CellsView<'_>) -> Option<(String, Option<String>)> {
    match (GridPlan::of(view.machine), Layout::of(view.machine)) {
        (Some(sheet), _) => {
            let block = (sheet.nodes_per_tile() > 1).then(|| sheet.words());
            Some((on_sheet(view, &sheet), block))
        }
        (None, Some(layout)) => Some((on_layout(view, &layout), None)),
        (None, None) => None,
    }
}

fn start(view: &CellsView<'_>) -> Svg {
    Svg::new(format!(
        "The cells of {} on {}",
        counted(view.sources.len() as u64, "source"),
        view.machine.name()
    ))
}

/// What each tile of a sheet shows: the owner of most of its nodes and their mean depth.
pub fn tiles(view: &CellsView<'_>, sheet: &GridPlan) -> Vec<Tile> {
    let (rows, columns) = sheet.tiles;
    let mut tiles = Vec::with_capacity((rows * columns) as usize);
    let mut inside: Vec<(bool, u32, u32)> = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            inside.clear();
            inside.extend(
                sheet
                    .nodes(row, column)
                    .map(|node| node_tile(view, node))
                    .map(|t| (t.dead, t.label, t.depth)),
            );
            inside.sort_unstable();
            // The first of the largest groups: living before dead, low sources before high ones.
            let groups = inside.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
            let group = groups.reduce(|best, other| if other.len() > best.len() { other } else { best });
            let group = group.expect("a tile has nodes");
            let (dead, label, _) = group[0];
            let depth = group.iter().map(|&(_, _, depth)| u64::from(depth)).sum::<u64>() / group.len() as u64;
            tiles.push(Tile { label, depth: depth as u32, dead });
        }
    }
    tiles
}

fn node_tile(view: &CellsView<'_>, node: NodeId) -> Tile {
    let label = view.cells.label.get(node.index()).copied().unwrap_or(UNUSED);
    let depth = view.cells.depth.get(node.index()).copied().unwrap_or(0);
    let label = if (label as usize) < view.sources.len() { label } else { UNUSED };
    Tile { label, depth: if label == UNUSED { 0 } else { depth }, dead: !view.machine.is_alive(node) }
}

/// The hue of each source: cells that touch differ.
///
/// Sources count as neighbours where their cells touch, here or before any node was taken away: then a source keeps its
/// hue from drawing to drawing.
pub fn hues_of(
    view: &CellsView<'_>,
    sheet: Option<&GridPlan>,
    tiles: &[Tile],
    pairs: impl Iterator<Item = (usize, usize)>,
) -> Vec<u8> {
    let sites: Vec<Vec<NodeId>> = view.sources.iter().map(|&node| vec![node]).collect();
    let nearest = voronoi::cells(view.machine, &sites);
    let whole = CellsView { cells: &nearest, ..*view };
    let before = match sheet {
        Some(sheet) => self::tiles(&whole, sheet),
        None => (0..view.machine.nodes()).map(|node| node_tile(&whole, NodeId(node))).collect(),
    };
    let labels =
        |(a, b): (usize, usize)| [(tiles[a].label, tiles[b].label), (before[a].label, before[b].label)];
    let touching: BTreeSet<(u32, u32)> = pairs
        .flat_map(labels)
        .filter(|&(a, b)| a != b && a != UNUSED && b != UNUSED)
        .map(|(a, b)| (a.min(b), a.max(b)))
        .collect();
    hues::assign(view.sources.len(), &touching.into_iter().collect::<Vec<_>>())
}

fn on_sheet(view: &CellsView<'_>, sheet: &GridPlan) -> String {
    let mut svg = start(view);
    let tiles = tiles(view, sheet);
    let hues = hues_of(view, Some(sheet), &tiles, sheet.pairs());
    let deepest = tiles.iter().map(|tile| tile.depth).max().unwrap_or(0);
    sheet.draw_axes(&mut svg);
    if sheet.nodes_per_tile() == 1 && view.machine.nodes() <= NODES_TIPPED_MAX {
        for node in (0..view.machine.nodes()).map(NodeId) {
            let (row, column) = sheet.place(node);
            let mut path = Path::default();
            sheet.run(&mut path, row, column, 1);
            let class = class(&tiles[sheet.index(row, column)], &hues, deepest);
            let attributes: [Attribute<'_>; 2] = [("d", &path.data()), ("class", &class)];
            svg.tipped("path", &attributes, &node_words(view, node));
        }
    } else {
        draw_runs(view, sheet, &tiles, &hues, deepest, &mut svg);
    }
    draw_dead(sheet, &tiles, &mut svg);
    sheet.draw_rim(&mut svg);
    let border = sheet.border(|a, b| tiles[a].label != tiles[b].label);
    svg.path(&border, "border");
    draw_pins(view, &mut svg, (sheet.pitch.0.min(sheet.pitch.1) * 0.42).clamp(7.5, 13.0), |node| {
        sheet.centre(node)
    });
    let height = sheet.height();
    let unused = tiles.iter().any(|tile| tile.label == UNUSED && !tile.dead);
    let legend = draw_legend(&mut svg, height + 4.0, deepest, unused);
    svg.finish(sheet.width().max(DRAWING_WIDTH_MIN), height + legend + 10.0)
}

/// All tiles, those of one shade in a row as one rectangle, all rectangles of a cell as one element.
fn draw_runs(
    view: &CellsView<'_>,
    sheet: &GridPlan,
    tiles: &[Tile],
    hues: &[u8],
    deepest: u32,
    svg: &mut Svg,
) {
    let mut shades = vec![vec![Path::default(); hues::SHADES]; view.sources.len()];
    let mut unused = Path::default();
    for row in 0..sheet.tiles.0 {
        let look = |column: u32| {
            let tile = tiles[sheet.index(row, column)];
            (tile.label, hues::shade(tile.depth, deepest))
        };
        let mut column = 0;
        while column < sheet.tiles.1 {
            let here = look(column);
            let length = (column..sheet.tiles.1).take_while(|&next| look(next) == here).count() as u32;
            let path = match here {
                (UNUSED, _) => &mut unused,
                (label, shade) => &mut shades[label as usize][shade],
            };
            sheet.run(path, row, column, length);
            column += length;
        }
    }
    svg.path(&unused, "empty");
    let tipped = view.sources.len() <= CELLS_TIPPED_MAX;
    for (source, paths) in
        shades.iter().enumerate().filter(|(_, paths)| paths.iter().any(|path| !path.is_empty()))
    {
        svg.open("g", &[]);
        if tipped {
            svg.title(&cell_words(view, source as u32));
        }
        for (shade, path) in paths.iter().enumerate() {
            svg.path(path, &format!("cell {}", hues::class(hues[source].into(), shade)));
        }
        svg.close();
    }
}

fn on_layout(view: &CellsView<'_>, layout: &Layout<'_>) -> String {
    let mut svg = start(view);
    let machine = view.machine;
    let tiles: Vec<Tile> = (0..machine.nodes()).map(|node| node_tile(view, NodeId(node))).collect();
    let links = (0..machine.nodes()).map(NodeId).flat_map(|node| {
        let ends = (0..machine.ports(node))
            .filter_map(move |port| machine.neighbour(node, meshwright_core::units::Port(port)));
        ends.map(move |end| (node.index(), end.index()))
    });
    let hues = hues_of(view, None, &tiles, links);
    let deepest = tiles.iter().map(|tile| tile.depth).max().unwrap_or(0);
    layout.draw_axes(&mut svg);
    let side = (layout.pitch * 0.86).max(2.0);
    for node in (0..machine.nodes()).map(NodeId) {
        let class = class(&tiles[node.index()], &hues, deepest);
        svg.tile(layout.centre(node), side, &class, &node_words(view, node));
    }
    draw_pins(view, &mut svg, (layout.pitch * 0.3).clamp(7.5, 13.0), |node| layout.centre(node));
    let unused = tiles.iter().any(|tile| tile.label == UNUSED && !tile.dead);
    let legend = draw_legend(&mut svg, layout.height + 4.0, deepest, unused);
    svg.finish(layout.width.max(DRAWING_WIDTH_MIN), layout.height + legend + 10.0)
}

pub(super) fn class(tile: &Tile, hues: &[u8], deepest: u32) -> String {
    match tile.label {
        _ if tile.dead => "dead".to_string(),
        UNUSED => "empty".to_string(),
        label => {
            let hue = hues[label as usize].into();
            format!("cell {}", hues::class(hue, hues::shade(tile.depth, deepest)))
        }
    }
}

fn node_words(view: &CellsView<'_>, node: NodeId) -> String {
    let name = wording::node(view.machine, node);
    match node_tile(view, node) {
        Tile { dead: true, .. } => format!("node {name}: dead"),
        Tile { label: UNUSED, .. } => format!("node {name}: unused"),
        Tile { depth: 0, label, .. } => format!("node {name}: source {label}"),
        tile => format!(
            "node {name}: works for source {}, {} away",
            tile.label,
            counted(tile.depth.into(), "link")
        ),
    }
}

fn cell_words(view: &CellsView<'_>, source: u32) -> String {
    let own = view.cells.label.iter().zip(&view.cells.depth).filter(|&(&label, _)| label == source);
    let (nodes, deepest) =
        own.fold((0u64, 0), |(nodes, deepest), (_, &depth)| (nodes + 1, depth.max(deepest)));
    let at = wording::node(view.machine, view.sources[source as usize]);
    format!(
        "source {source} at {at}: {}, the farthest {} away",
        counted(nodes, "node"),
        counted(deepest.into(), "link")
    )
}

fn draw_dead(sheet: &GridPlan, tiles: &[Tile], svg: &mut Svg) {
    let (mut dead, mut crosses) = (Path::default(), Path::default());
    for row in 0..sheet.tiles.0 {
        for column in (0..sheet.tiles.1).filter(|&column| tiles[sheet.index(row, column)].dead) {
            sheet.run(&mut dead, row, column, 1);
            let (at, (x, y)) = (sheet.corner(row, column), sheet.pitch);
            crosses.cross(at, (x, y), 0.3);
        }
    }
    svg.fills(&[], [(&dead, "dead"), (&crosses, "cross")]);
}

/// The sources: numbered pins, dots where there are too many.
pub fn draw_pins(view: &CellsView<'_>, svg: &mut Svg, radius: f64, at: impl Fn(NodeId) -> Point) {
    let numbered = view.sources.len() <= SOURCES_NUMBERED_MAX;
    let radius = if numbered { radius } else { 2.2 };
    for (index, &node) in view.sources.iter().enumerate() {
        let centre = at(node);
        // Beside the pin of another source there is room for a dot only.
        let crowded = view.sources[..index].iter().any(|&other| at(other).distance(centre) < 1.7 * radius);
        let (numbered, radius) = if crowded { (false, 2.2) } else { (numbered, radius) };
        let tip = cell_words(view, index as u32);
        svg.circle(centre, radius, "pin", numbered.then_some(&*tip));
        if numbered {
            svg.text(centre.plus(0.0, 3.6), "pinned", &index.to_string());
        }
    }
}

/// What shades mean; returns the height.
fn draw_legend(svg: &mut Svg, y: f64, deepest: u32, unused: bool) -> f64 {
    let mut x = 12.0;
    svg.text(Point::new(x, y + 13.0), "note", "at the source");
    x += 84.0;
    for shade in 0..hues::SHADES {
        let class = format!("cell {}", hues::class(0, shade));
        svg.rectangle(Point::new(x, y + 3.0), (14.0, 12.0), &class, None);
        x += 14.0;
    }
    let words = format!("{} away", counted(deepest.into(), "link"));
    svg.text(Point::new(x + 8.0, y + 13.0), "note", &words);
    x += 40.0 + words.chars().count() as f64 * 6.2;
    if unused {
        svg.rectangle(Point::new(x, y + 3.0), (14.0, 12.0), "empty", None);
        svg.text(Point::new(x + 22.0, y + 13.0), "note", "unused");
    }
    20.0
}

//! The cells of a two-dimensional torus on a torus: columns run around the ring, rows around the tube.

use std::f64::consts::TAU;

use super::super::grid_plan::GridPlan;
use super::super::path::Path;
use super::super::{Point, Svg};
use super::cells::{self, CellsView, Tile};
use crate::wording::counted;
use meshwright_core::units::NodeId;
use meshwright_network::topology::Network;

/// More tiles than this along a side are a file of megabytes.
const TILES_MAX: u32 = 50;

/// The radius of the ring, in pixels.
const RING: f64 = 188.0;

/// The radius of the tube over that of the ring.
const TUBE: f64 = 0.46;

/// How steeply one looks down: the sine and cosine of 52 degrees.
const LOOK: (f64, f64) = (0.788, 0.616);

/// The light comes from the upper left, over the shoulder; of length 1.
const LIGHT: [f64; 3] = [-0.48, -0.40, 0.78];

/// The darkest shadow, and in how many steps it is reached.
const SHADOW: (f64, u32) = (0.30, 6);

/// A piece of the surface that looks towards the reader.
struct Piece {
    tile: usize,
    /// How near it is.
    near: f64,
    corners: [Point; 4],
    shadow: u32,
}

/// The drawing; `None` for what is no torus of two dimensions, or too large.
pub fn draw(view: &CellsView<'_>) -> Option<String> {
    let sheet = GridPlan::of(view.machine)?;
    let Network::Grid(grid) = view.machine.network() else { return None };
    let (rows, columns) = sheet.tiles;
    if !grid.wraps()
        || grid.dimensions() != 2
        || rows.min(columns) < 3
        || sheet.nodes_per_tile() > 1
        || rows.max(columns) > TILES_MAX
    {
        return None;
    }
    let tiles = cells::tiles(view, &sheet);
    let hues = cells::hues_of(view, Some(&sheet), &tiles, sheet.pairs());
    let deepest = tiles.iter().map(|tile| tile.depth).max().unwrap_or(0);
    let words = counted(view.sources.len() as u64, "source");
    let mut svg = Svg::new(format!("The cells of {words} on {}, cast on a torus", view.machine.name()));
    let turn = turn(view, &sheet);
    let mut pieces = pieces(&sheet, turn);
    pieces.sort_by(|a, b| a.near.total_cmp(&b.near));
    for piece in &pieces {
        draw_piece(&mut svg, piece, &sheet, &tiles, &hues, deepest);
    }
    draw_sources(view, &sheet, &pieces, &mut svg);
    let (width, height) = size();
    svg.text(
        Point::new(12.0, height + 4.0),
        "note",
        "Columns run around the ring, rows around the tube; the far side is hidden.",
    );
    Some(svg.finish(width, height + 18.0))
}

fn size() -> (f64, f64) {
    let across = RING * (1.0 + TUBE);
    (2.0 * across + 24.0, 2.0 * (RING * LOOK.0 + RING * TUBE) + 24.0)
}

/// The place in space of a point of the torus, u around the ring and v around the tube, in radii of the ring.
fn place(u: f64, v: f64) -> [f64; 3] {
    let out = 1.0 + TUBE * v.cos();
    [out * u.cos(), out * u.sin(), TUBE * v.sin()]
}

/// On paper.
fn project([x, y, z]: [f64; 3]) -> Point {
    let (width, height) = size();
    Point::new(width / 2.0 + RING * x, height / 2.0 - RING * (y * LOOK.0 + z * LOOK.1))
}

/// How near a place, or how much a direction looks towards the reader.
fn near([_, y, z]: [f64; 3]) -> f64 {
    z * LOOK.0 - y * LOOK.1
}

/// The angles of a corner between tiles.
fn angles(sheet: &GridPlan, turn: (f64, f64), row: f64, column: f64) -> (f64, f64) {
    let (rows, columns) = sheet.tiles;
    (turn.0 + column / f64::from(columns) * TAU, turn.1 - row / f64::from(rows) * TAU)
}

/// How far the torus is turned around its ring and its tube, so that as many sources as possible can be seen.
fn turn(view: &CellsView<'_>, sheet: &GridPlan) -> (f64, f64) {
    const STEPS: u32 = 12;
    let part = |step: u32| f64::from(step) / f64::from(STEPS) * TAU;
    let turns = (0..STEPS).flat_map(|around| (0..STEPS).map(move |over| (part(around), part(over))));
    let seen = |turn: (f64, f64)| {
        let looks = |node: &&NodeId| {
            let (row, column) = sheet.place(**node);
            let (u, v) = angles(sheet, turn, f64::from(row) + 0.5, f64::from(column) + 0.5);
            near(normal(u, v)) > 0.35
        };
        view.sources.iter().filter(looks).count()
    };
    // The first of the best.
    turns
        .fold(((0.0, 0.0), None), |(best, most), turn| match seen(turn) {
            count if most.is_none_or(|most| count > most) => (turn, Some(count)),
            _ => (best, most),
        })
        .0
}

/// Where the surface looks.
fn normal(u: f64, v: f64) -> [f64; 3] {
    [v.cos() * u.cos(), v.cos() * u.sin(), v.sin()]
}

fn pieces(sheet: &GridPlan, turn: (f64, f64)) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for row in 0..sheet.tiles.0 {
        for column in 0..sheet.tiles.1 {
            let (top, left) = (f64::from(row), f64::from(column));
            let (u, v) = angles(sheet, turn, top + 0.5, left + 0.5);
            let normal = normal(u, v);
            if near(normal) <= -0.02 {
                continue;
            }
            let corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)].map(|(down, across)| {
                let (u, v) = angles(sheet, turn, top + down, left + across);
                project(place(u, v))
            });
            let light: f64 = normal.iter().zip(LIGHT).map(|(n, l)| n * l).sum();
            let shadow = ((1.0 - light.max(0.0)) * f64::from(SHADOW.1)).round() as u32;
            pieces.push(Piece { tile: sheet.index(row, column), near: near(place(u, v)), corners, shadow });
        }
    }
    pieces
}

fn draw_piece(svg: &mut Svg, piece: &Piece, sheet: &GridPlan, tiles: &[Tile], hues: &[u8], deepest: u32) {
    let tile = &tiles[piece.tile];
    let class = cells::class(tile, hues, deepest);
    let mut path = Path::default();
    path.polygon(&piece.corners);
    svg.path(&path, &class);
    if piece.shadow > 0 {
        let depth = SHADOW.0 * f64::from(piece.shadow) / f64::from(SHADOW.1);
        let depth = format!("{depth:.2}");
        svg.leaf(
            "path",
            &[("d", &path.data()), ("class", &"shadow"), ("fill-opacity", &depth.trim_start_matches('0'))],
        );
    }
    let (rows, columns) = sheet.tiles;
    let (row, column) = (piece.tile as u32 / columns, piece.tile as u32 % columns);
    let mut border = Path::default();
    // The sides of the tile: above, right, below, left.
    let beside =
        [(row + rows - 1, column), (row, column + 1), (row + 1, column), (row, column + columns - 1)];
    for (side, (r, c)) in beside.into_iter().enumerate() {
        if tiles[sheet.index(r % rows, c % columns)].label != tile.label {
            border.stroke(piece.corners[side], piece.corners[(side + 1) % 4]);
        }
    }
    svg.path(&border, "border");
}

/// Pins on the sources that can be seen.
fn draw_sources(view: &CellsView<'_>, sheet: &GridPlan, pieces: &[Piece], svg: &mut Svg) {
    for (index, &node) in view.sources.iter().enumerate() {
        if let Some(at) = seen(sheet, pieces, node) {
            svg.circle(at, 8.5, "pin", Some(&format!("source {index}")));
            svg.text(at.plus(0.0, 3.6), "pinned", &index.to_string());
        }
    }
}

/// Where a node is on paper, if nothing nearer covers it.
fn seen(sheet: &GridPlan, pieces: &[Piece], node: NodeId) -> Option<Point> {
    let (row, column) = sheet.place(node);
    let own = pieces.iter().find(|piece| piece.tile == sheet.index(row, column))?;
    let middle = |piece: &Piece| piece.corners[0].towards(piece.corners[2], 0.5);
    let at = middle(own);
    let covered = pieces.iter().any(|piece| piece.near > own.near + 0.3 && middle(piece).distance(at) < 6.0);
    (!covered).then_some(at)
}

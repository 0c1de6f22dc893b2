//! A machine in tiles on paper: of a node each up to 100 lines of a plane, of a block of nodes beyond.

use super::palette::STEPS;
use super::path::Path;
use super::{Point, Svg};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Network, Topology};

/// More tiles than this do not stand side by side.
const TILES_MAX: u32 = 100;

/// What the tiles of the longer side may take.
const WIDTH: f64 = 520.0;

/// Room for the axes at the upper and the left border.
const AXIS: f64 = 36.0;

/// Room at the other two borders.
const MARGIN: f64 = 12.0;

/// A strip of few lines is made at least this high.
const STRIP: f64 = 28.0;

/// More blocks than this do not stand side by side.
const BLOCKS_MAX: u32 = 64;

/// The width and height of a block, and the room around all of them.
const BLOCK: (f64, f64) = (8.0, 10.0);

/// What the colour of a tile says.
#[derive(Clone, Copy)]
pub enum Level {
    /// There is no such tile.
    Absent,
    Empty,
    /// A step of the palette.
    Step(usize),
}

/// A machine in tiles: each stands for one node or a block of them.
pub struct GridPlan {
    rows: u32,
    columns: u32,
    /// The nodes of a tile, in rows and columns.
    block: (u32, u32),
    /// How many rows and columns of tiles there are.
    pub tiles: (u32, u32),
    /// The size of a tile, across and down.
    pub pitch: (f64, f64),
    /// Where the first tile begins, across and down.
    first: f64,
    wraps: bool,
    /// Whether tiles are runs of ids, not rectangles.
    runs: bool,
}

impl GridPlan {
    /// The plan of a machine, if it is a grid of one or two dimensions.
    pub fn of(machine: &Machine) -> Option<Self> {
        let Network::Grid(grid) = machine.network() else { return None };
        let (rows, columns) = match *grid.sides() {
            [rows, columns] => (rows, columns),
            [columns] => (1, columns),
            _ => return None,
        };
        let block = (rows.div_ceil(TILES_MAX), columns.div_ceil(TILES_MAX));
        let tiles = (rows.div_ceil(block.0), columns.div_ceil(block.1));
        let across = (WIDTH / f64::from(tiles.0.max(tiles.1))).floor().clamp(5.0, 44.0);
        let down = across.max((STRIP / f64::from(tiles.0)).floor());
        Some(Self {
            rows,
            columns,
            block,
            tiles,
            pitch: (across, down),
            first: AXIS,
            wraps: grid.wraps(),
            runs: false,
        })
    }

    /// Any machine in blocks: rectangles of a plane, or runs of ids in reading order.
    pub fn blocks(machine: &Machine) -> Self {
        let (rows, columns, block, runs) = match *machine.sides() {
            [rows, columns] if rows.max(columns) <= 16 * rows.min(columns) => {
                (rows, columns, (rows.div_ceil(BLOCKS_MAX), columns.div_ceil(BLOCKS_MAX)), false)
            }
            _ => {
                let length = machine.nodes().div_ceil(BLOCKS_MAX * BLOCKS_MAX);
                (machine.nodes().div_ceil(length * BLOCKS_MAX), length * BLOCKS_MAX, (1, length), true)
            }
        };
        let tiles = (rows.div_ceil(block.0), columns.div_ceil(block.1));
        let (side, first) = BLOCK;
        Self { rows, columns, block, tiles, pitch: (side, side), first, wraps: false, runs }
    }

    /// How many nodes a tile stands for, at most.
    pub fn nodes_per_tile(&self) -> u32 {
        self.block.0 * self.block.1
    }

    /// What a tile stands for, in words.
    pub fn words(&self) -> String {
        match self.block {
            block if !self.runs => format!("{} × {} nodes", block.0, block.1),
            (_, 1) => "one node, in the order of the ids".to_string(),
            (_, length) => format!("{length} nodes with consecutive ids"),
        }
    }

    pub fn width(&self) -> f64 {
        AXIS + MARGIN + f64::from(self.tiles.1) * self.pitch.0
    }

    pub fn height(&self) -> f64 {
        AXIS + MARGIN + f64::from(self.tiles.0) * self.pitch.1
    }

    /// The upper left corner of a tile.
    pub fn corner(&self, row: u32, column: u32) -> Point {
        Point::new(self.first + f64::from(column) * self.pitch.0, self.first + f64::from(row) * self.pitch.1)
    }

    /// The tile of a node.
    pub fn place(&self, node: NodeId) -> (u32, u32) {
        (node.0 / self.columns / self.block.0, node.0 % self.columns / self.block.1)
    }

    /// The middle of the tile of a node.
    pub fn centre(&self, node: NodeId) -> Point {
        let (row, column) = self.place(node);
        self.corner(row, column).plus(self.pitch.0 / 2.0, self.pitch.1 / 2.0)
    }

    /// The nodes of a tile.
    pub fn nodes(&self, row: u32, column: u32) -> impl Iterator<Item = NodeId> + use<> {
        let columns = self.columns;
        let across = column * self.block.1..((column + 1) * self.block.1).min(columns);
        let down = row * self.block.0..((row + 1) * self.block.0).min(self.rows);
        down.flat_map(move |r| across.clone().map(move |c| NodeId(r * columns + c)))
    }

    /// The index of a tile, row by row.
    pub fn index(&self, row: u32, column: u32) -> usize {
        (row * self.tiles.1 + column) as usize
    }

    /// Pairs of tiles side by side, each once, around the borders of a torus too.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (rows, columns) = self.tiles;
        (0..rows).flat_map(move |row| {
            (0..columns).flat_map(move |column| {
                let right = self.next(column, columns).map(|other| (row, other));
                let below = self.next(row, rows).map(|other| (other, column));
                let here = self.index(row, column);
                [right, below].into_iter().flatten().map(move |(r, c)| (here, self.index(r, c)))
            })
        })
    }

    fn next(&self, place: u32, count: u32) -> Option<u32> {
        match place + 1 {
            next if next < count => Some(next),
            _ if self.wraps && count > 2 => Some(0),
            _ => None,
        }
    }

    /// A rectangle of `length` tiles in a row.
    pub fn run(&self, path: &mut Path, row: u32, column: u32, length: u32) {
        let corner = self.corner(row, column);
        path.rectangle(corner, f64::from(length) * self.pitch.0, self.pitch.1);
    }

    /// The lines between tiles that differ, drawn at both borders where they meet around a torus.
    pub fn border(&self, differ: impl Fn(usize, usize) -> bool) -> Path {
        let (rows, columns) = self.tiles;
        let mut path = Path::default();
        let between = |place: u32, count: u32| match place {
            0 if !self.wraps || count <= 2 => None,
            0 => Some((count - 1, 0)),
            _ if place == count => (self.wraps && count > 2).then(|| (count - 1, 0)),
            _ => Some((place - 1, place)),
        };
        for line in 0..=columns {
            let Some((left, right)) = between(line, columns) else { continue };
            strokes(
                rows,
                |row| differ(self.index(row, left), self.index(row, right)),
                |from, to| {
                    path.stroke(self.corner(from, line), self.corner(to, line));
                },
            );
        }
        for line in 0..=rows {
            let Some((above, below)) = between(line, rows) else { continue };
            strokes(
                columns,
                |column| differ(self.index(above, column), self.index(below, column)),
                |from, to| {
                    path.stroke(self.corner(line, from), self.corner(line, to));
                },
            );
        }
        path
    }

    /// Rows and columns, and the rim of the plan.
    pub fn draw_axes(&self, svg: &mut Svg) {
        let every = |pitch: f64, block: u32| step(28.0 / pitch * f64::from(block));
        let across = every(self.pitch.0, self.block.1);
        for column in (0..self.columns).step_by(across as usize) {
            let at = self.corner(0, 0).plus((f64::from(column / self.block.1) + 0.5) * self.pitch.0, -6.0);
            svg.text(at, "axis mid", &column.to_string());
        }
        svg.text(
            self.corner(0, 0).plus(-2.0, -22.0),
            "axis",
            if self.rows > 1 { "column →" } else { "node →" },
        );
        if self.rows > 1 {
            let down = every(self.pitch.1, self.block.0);
            for row in (0..self.rows).step_by(down as usize) {
                let y = (f64::from(row / self.block.0) + 0.5) * self.pitch.1 + 4.0;
                svg.text(self.corner(0, 0).plus(-6.0, y), "axis end", &row.to_string());
            }
            svg.upwards(Point::new(11.0, self.first), "← row");
        }
    }

    /// Draws all tiles, those of one colour as one element, each this much smaller than its place.
    pub fn draw_levels(&self, svg: &mut Svg, gap: f64, level: impl Fn(usize) -> Level) {
        let (mut paths, mut empty) = (vec![Path::default(); STEPS], Path::default());
        for row in 0..self.tiles.0 {
            for column in 0..self.tiles.1 {
                let path = match level(self.index(row, column)) {
                    Level::Absent => continue,
                    Level::Empty => &mut empty,
                    Level::Step(step) => &mut paths[step],
                };
                path.rectangle(self.corner(row, column), self.pitch.0 - gap, self.pitch.1 - gap);
            }
        }
        svg.fills(&paths, [(&empty, "empty")]);
    }

    /// The frame around all tiles: dashed on a torus, which has no border.
    pub fn draw_rim(&self, svg: &mut Svg) {
        let mut path = Path::default();
        let (rows, columns) = self.tiles;
        path.rectangle(self.corner(0, 0), f64::from(columns) * self.pitch.0, f64::from(rows) * self.pitch.1);
        svg.leaf("path", &[("d", &path.data()), ("class", &if self.wraps { "rim leap" } else { "rim" })]);
    }
}

/// Each run of places for which `holds`, as its beginning and end.
fn strokes(count: u32, holds: impl Fn(u32) -> bool, mut stroke: impl FnMut(u32, u32)) {
    let mut start = None;
    for place in 0..=count {
        let inside = place < count && holds(place);
        match (start, inside) {
            (None, true) => start = Some(place),
            (Some(from), false) => {
                stroke(from, place);
                start = None;
            }
            _ => {}
        }
    }
}

/// A round step of at least `least`: 1, 2 or 5 times a power of ten.
pub(super) fn step(least: f64) -> u32 {
    let steps = (0..9).flat_map(|power| [1, 2, 5].map(|factor| factor * 10u32.pow(power)));
    steps.into_iter().find(|&step| f64::from(step) >= least).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_has_one_tile() {
        for name in ["mesh:1x1", "mesh:7", "mesh:3x5", "torus:100x100", "mesh:101x7", "mesh:1000x999"] {
            let machine = Machine::new(name).unwrap();
            let sheet = GridPlan::of(&machine).unwrap();
            let mut nodes: Vec<u32> = Vec::new();
            for row in 0..sheet.tiles.0 {
                for column in 0..sheet.tiles.1 {
                    for node in sheet.nodes(row, column) {
                        assert_eq!(sheet.place(node), (row, column));
                        nodes.push(node.0);
                    }
                }
            }
            nodes.sort_unstable();
            assert!(nodes.into_iter().eq(0..machine.nodes()), "{name}");
            assert!(sheet.tiles.0.max(sheet.tiles.1) <= TILES_MAX);
        }
        assert!(GridPlan::of(&Machine::new("hypercube:4").unwrap()).is_none());
    }

    #[test]
    fn borders_run_between_tiles_that_differ() {
        let mesh = Machine::new("mesh:2x3").unwrap();
        let sheet = GridPlan::of(&mesh).unwrap();
        assert_eq!(sheet.pairs().count(), 7);
        let first = sheet.border(|a, b| a % 3 == 0 && b % 3 == 1);
        assert_eq!(first.data().matches('v').count(), 1, "two tiles high, one stroke: {}", first.data());
        let torus = Machine::new("torus:3x3").unwrap();
        let sheet = GridPlan::of(&torus).unwrap();
        assert_eq!(sheet.pairs().count(), 18);
        assert_eq!(sheet.border(|_, _| true).data().matches(['v', 'h']).count(), 8);
    }
}

//! The link loads of a machine too large to be drawn node by node: blocks of nodes, coloured by their worst link.

use super::heat::Loads;
use super::legend::{self, Strong};
use super::path::Path;
use super::{Point, Svg, palette};
use crate::wording::counted;
use meshwright_core::units::{NodeId, Port};
use meshwright_network::topology::{Machine, Topology};
use meshwright_verdict::HottestLink;

/// How many blocks stand side by side, and how many rows of them there are.
const SIDE: u32 = 64;

/// The width and height of a block.
const PITCH: f64 = 8.0;

/// How nodes are put into blocks.
#[derive(Clone, Copy)]
enum Blocks {
    /// Rectangles of a plane.
    Rectangles { columns: u32, height: u32, width: u32 },
    /// Runs of ids, in reading order.
    Runs { length: u32 },
}

impl Blocks {
    fn of(machine: &Machine) -> Self {
        match *machine.sides() {
            [rows, columns] if rows.max(columns) <= 16 * rows.min(columns) => {
                Self::Rectangles { columns, height: rows.div_ceil(SIDE), width: columns.div_ceil(SIDE) }
            }
            _ => Self::Runs { length: machine.nodes().div_ceil(SIDE * SIDE) },
        }
    }

    /// Row and column of a node's block.
    fn place(self, node: NodeId) -> (u32, u32) {
        match self {
            Self::Rectangles { columns, height, width } => {
                (node.0 / columns / height, node.0 % columns / width)
            }
            Self::Runs { length } => (node.0 / length / SIDE, node.0 / length % SIDE),
        }
    }

    fn words(self) -> String {
        match self {
            Self::Rectangles { height, width, .. } => format!("{height} × {width} nodes"),
            Self::Runs { length: 1 } => "one node, in the order of the ids".to_string(),
            Self::Runs { length } => format!("{length} nodes with consecutive ids"),
        }
    }
}

/// The busy time of the busiest link that leaves each block, by rows; `None` where there is no block.
fn worst(machine: &Machine, blocks: Blocks, loads: Loads<'_>) -> Vec<Option<u64>> {
    let mut worst = vec![None; (SIDE * SIDE) as usize];
    for node in (0..machine.nodes()).map(NodeId) {
        let load = |port| loads.busy(machine.link(node, Port(port)));
        let load = (0..machine.ports(node)).map(load).max().unwrap_or(0);
        let (row, column) = blocks.place(node);
        let block = &mut worst[(row * SIDE + column) as usize];
        *block = (*block).max(Some(load));
    }
    worst
}

/// The upper left corner of a block.
fn corner(row: u32, column: u32) -> Point {
    Point::new(10.0 + f64::from(column) * PITCH, 10.0 + f64::from(row) * PITCH)
}

/// The drawing, and what one block is, in words.
pub fn draw(
    machine: &Machine,
    method: &str,
    loads: Loads<'_>,
    hottest: Option<HottestLink>,
) -> (String, String) {
    let blocks = Blocks::of(machine);
    let worst = worst(machine, blocks, loads);
    let greatest = worst.iter().copied().flatten().max().unwrap_or(0);
    let mut svg = Svg::new(format!("Busy time of the busiest link of each block, method {method}"));
    let (mut empty, mut paths) = (Path::default(), vec![Path::default(); palette::STEPS]);
    let mut end = Point::new(0.0, 0.0);
    for (i, load) in (0..SIDE * SIDE).zip(&worst) {
        let Some(load) = *load else { continue };
        let at = corner(i / SIDE, i % SIDE);
        let path = if load == 0 { &mut empty } else { &mut paths[palette::level(load, greatest)] };
        path.square(at, PITCH - 1.0);
        end = Point::new(end.x.max(at.x + PITCH), end.y.max(at.y + PITCH));
    }
    let classes = (0..palette::STEPS).map(|step| format!("fill k{step}"));
    for (path, class) in paths.into_iter().zip(classes).chain([(empty, "empty".to_string())]) {
        if !path.is_empty() {
            svg.leaf("path", &[("d", &path.data()), ("class", &class)]);
        }
    }
    let mut at = Point::new(10.0, end.y + 10.0);
    let most = format!("{} on the block's busiest link", counted(greatest, "cycle"));
    at.y += legend::bar(&mut svg, at, Strong::Last, ["0", &most]);
    if let Some(hottest) = hottest {
        let (row, column) = blocks.place(NodeId(hottest.from));
        legend::ring(&mut svg, corner(row, column).plus(PITCH / 2.0, PITCH / 2.0), 9.0);
        at.y += legend::hottest(&mut svg, machine, &hottest, loads.busy, at);
    }
    (svg.finish((end.x + 10.0).max(520.0), at.y + 8.0), blocks.words())
}

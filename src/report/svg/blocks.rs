//! The link loads of a machine too large to be drawn node by node: blocks of nodes, coloured by their worst link.

use super::legend::{self, Strong};
use super::path::Path;
use super::{Point, Svg, palette};
use crate::report::wording::grouped;
use crate::topology::{Machine, Topology};
use crate::units::{NodeId, Port};

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
            Self::Runs { length } => format!("{length} nodes with consecutive ids"),
        }
    }
}

/// The drawing, and what one block is, in words.
pub(in crate::report) fn draw(machine: &Machine, method: &str, link_messages: &[u32]) -> (String, String) {
    let blocks = Blocks::of(machine);
    let mut worst = vec![None; (SIDE * SIDE) as usize];
    for node in (0..machine.nodes()).map(NodeId) {
        let load = |port| link_messages.get(machine.link(node, Port(port)).index()).copied().unwrap_or(0);
        let load = (0..machine.ports(node)).map(load).max().unwrap_or(0);
        let (row, column) = blocks.place(node);
        let block = &mut worst[(row * SIDE + column) as usize];
        *block = (*block).max(Some(u64::from(load)));
    }
    let greatest = worst.iter().copied().flatten().max().unwrap_or(0);
    let mut svg = Svg::new(format!("Messages on the busiest link of each block, method {method}"));
    let corner = 10.0;
    let mut paths = vec![Path::default(); palette::STEPS];
    let mut end = Point::new(0.0, 0.0);
    for (i, load) in (0..SIDE * SIDE).zip(&worst) {
        let Some(load) = load else { continue };
        let (row, column) = (f64::from(i / SIDE), f64::from(i % SIDE));
        let at = Point::new(corner + column * PITCH, corner + row * PITCH);
        paths[palette::level(*load, greatest)].square(at, PITCH - 1.0);
        end = Point::new(end.x.max(at.x + PITCH), end.y.max(at.y + PITCH));
    }
    for (step, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        svg.leaf("path", &[("d", &path.data()), ("class", &format!("fill k{step}"))]);
    }
    let ends = ["0", &grouped(greatest)];
    let at = Point::new(corner, end.y + 10.0);
    let height = legend::bar(&mut svg, at, Strong::Last, ends, "messages on the block's busiest link");
    (svg.finish((end.x + corner).max(520.0), at.y + height + 8.0), blocks.words())
}

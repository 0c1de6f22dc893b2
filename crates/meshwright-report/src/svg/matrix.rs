//! How much each node sends to each other: a square of nodes, or of runs of nodes, in the order of their ids.

use super::grid_plan::step;
use super::legend::{self, Strong};
use super::palette::{self, STEPS};
use super::path::Path;
use super::{DRAWING_WIDTH_MIN, Point, Svg};
use crate::wording::counted;
use meshwright_mapping::{Placement, TaskGraph};
use meshwright_network::topology::{Machine, Topology};

/// More cells than this do not stand side by side.
const CELLS_MAX: u32 = 64;

/// What all cells of a side aim at, in pixels.
const WIDTH: f64 = 448.0;

/// Room for the ids at the upper and the left border, and at the other two.
const AXIS: f64 = 52.0;
const MARGIN: f64 = 10.0;

/// The drawing, and how many nodes a side of a cell stands for.
pub fn draw(machine: &Machine, tasks: &TaskGraph, placement: &Placement) -> (String, u32) {
    let block = machine.nodes().div_ceil(CELLS_MAX).max(1);
    let cells = machine.nodes().div_ceil(block);
    let bytes = bytes(tasks, placement, block, cells);
    let greatest = bytes.iter().copied().max().unwrap_or(0);
    let pitch = (WIDTH / f64::from(cells)).floor().clamp(7.0, 28.0);
    let side = f64::from(cells) * pitch;
    let corner =
        |row: u32, column: u32| Point::new(AXIS + f64::from(column) * pitch, AXIS + f64::from(row) * pitch);
    let mut svg = Svg::new(format!("Bytes from node to node, method {}", placement.name));
    svg.rectangle(corner(0, 0), (side, side), "idle", None);
    let mut levels = vec![Path::default(); STEPS];
    for (place, &amount) in (0..).zip(&bytes) {
        if amount > 0 {
            levels[palette::level(amount, greatest)]
                .square(corner(place / cells, place % cells), pitch - 0.5);
        }
    }
    svg.fills(&levels, []);
    draw_axes(&mut svg, (block, cells), pitch);
    let at = Point::new(8.0, AXIS + side + 10.0);
    let height = legend::bar(&mut svg, at, Strong::Last, ["0", &counted(greatest, "byte")]);
    (svg.finish((AXIS + side + MARGIN).max(DRAWING_WIDTH_MIN), at.y + height + 8.0), block)
}

/// The bytes of each cell, by rows: a row of senders, a column of receivers.
fn bytes(tasks: &TaskGraph, placement: &Placement, block: u32, cells: u32) -> Vec<u64> {
    let mut bytes = vec![0u64; (cells * cells) as usize];
    let place =
        |task: u32| placement.nodes.get(task as usize).map(|node| node.0 / block).filter(|&at| at < cells);
    for index in 0..tasks.phases() {
        let times = u64::from(tasks.repeats(index));
        for edge in tasks.phase(index) {
            let (Some(from), Some(to)) = (place(edge.source), place(edge.target)) else { continue };
            if placement.nodes[edge.source as usize] != placement.nodes[edge.target as usize] {
                let cell = &mut bytes[(from * cells + to) as usize];
                *cell = cell.saturating_add(edge.bytes.0.saturating_mul(times));
            }
        }
    }
    bytes
}

/// The first ids of some rows and columns.
fn draw_axes(svg: &mut Svg, (block, cells): (u32, u32), pitch: f64) {
    let every = step(36.0 / pitch);
    for cell in (0..cells).step_by(every as usize) {
        let middle = AXIS + (f64::from(cell) + 0.5) * pitch;
        let id = (cell * block).to_string();
        svg.text(Point::new(middle, AXIS - 6.0), "axis mid", &id);
        svg.text(Point::new(AXIS - 6.0, middle + 4.0), "axis end", &id);
    }
    svg.text(Point::new(AXIS, AXIS - 24.0), "axis", "to node →");
    svg.upwards(Point::new(11.0, AXIS), "← from node");
}

#[cfg(test)]
mod tests {
    use super::bytes;
    use meshwright_core::units::{Bytes, NodeId};
    use meshwright_mapping::Placement;
    use meshwright_mapping::task_graph::{Edge, TaskGraph};

    #[test]
    fn every_message_between_nodes_is_counted() {
        let edge = |source, target, bytes| (1, Edge { source, target, bytes: Bytes(bytes) });
        let edges = vec![edge(0, 1, 5), edge(1, 0, 7), edge(0, 3, 11), edge(2, 3, 13)];
        let tasks = TaskGraph::new("four", 4, edges).unwrap();
        let placement = Placement { name: "given".into(), nodes: [0, 3, 2, 2].map(NodeId).to_vec() };
        assert_eq!(bytes(&tasks, &placement, 2, 2), [0, 16, 7, 0], "tasks 2 and 3 share a node");
    }
}

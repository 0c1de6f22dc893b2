//! Lines that step over dead nodes: what was a row stays a row, a little longer.
//!
//! Where the box of the tasks is shorter than the machine along some dimension, its lines there have nodes to spare. The task at
//! place p of K on a line of S nodes wants to be at p S / K, which spreads the spare nodes evenly. A line with few of them cannot
//! have that: its task at p is at its p-th living node at least, and leaves room for those behind it. So that the lines beside
//! it make way step by step, a task wants to be no farther from what another line allows than that line is away. Then each task
//! goes to the first living node from where it wants to be that is behind the task before it, or earlier where the rest of the
//! line would not fit. Neighbours on a line stay neighbours, and those on lines beside each other stay beside each other,
//! but for the push of a hole here and there.

use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Machine, Topology};

/// No task.
const NOBODY: u32 = u32::MAX;

/// Moves tasks along the lines of the dimension on which the most find a living node of their line, where the box of the tasks is
/// shorter than the machine. Tasks for whom their line has no room are left on dead nodes of it.
///
/// # Complexity
///
/// O(nodes) for each dimension.
pub(super) fn step_over(machine: &Machine, grid: &Grid, nodes: &mut [NodeId]) {
    let extent = |axis: usize| nodes.iter().map(|&node| grid.coordinate(node, axis) + 1).max().unwrap_or(0);
    let short = (0..grid.dimensions()).map(|axis| (axis, extent(axis)));
    let short: Vec<(usize, u32)> = short.filter(|&(axis, extent)| extent < grid.sides()[axis]).collect();
    let one = |(axis, extent): (usize, u32)| along(machine, grid, nodes, axis, extent);
    // Of equal ones the last dimension, on which rows run.
    if let Some((moved, _)) = short.into_iter().rev().map(one).min_by_key(|(_, left)| *left) {
        nodes.copy_from_slice(&moved);
    }
}

/// The tasks of one line and its nodes.
#[derive(Default)]
struct Line {
    /// Place and number of each task.
    tasks: Vec<(u32, u32)>,
    /// The places of living nodes, and of the others.
    living: Vec<u32>,
    dead: Vec<u32>,
}

impl Line {
    /// Reads the line that begins at a node.
    fn read(&mut self, machine: &Machine, task_at: &[u32], first: u32, (side, stride): (u32, u32)) {
        self.tasks.clear();
        self.living.clear();
        self.dead.clear();
        for place in 0..side {
            let node = NodeId(first + place * stride);
            if task_at[node.index()] != NOBODY {
                self.tasks.push((place, task_at[node.index()]));
            }
            if machine.is_alive(node) { self.living.push(place) } else { self.dead.push(place) }
        }
    }

    /// How many of its tasks find a living node.
    fn room(&self) -> usize {
        self.tasks.len().min(self.living.len())
    }
}

/// The nodes after moving along one dimension, of which the tasks take up so much, and how many tasks found no room.
fn along(machine: &Machine, grid: &Grid, nodes: &[NodeId], axis: usize, extent: u32) -> (Vec<NodeId>, u32) {
    let (side, stride) = (grid.sides()[axis], grid.stride(axis));
    let mut task_at = vec![NOBODY; grid.nodes() as usize];
    (0u32..).zip(nodes).for_each(|(task, node)| task_at[node.index()] = task);
    let firsts = || (0..grid.nodes()).filter(|&node| grid.coordinate(NodeId(node), axis) == 0);
    let mut line = Line::default();
    // By the node that a task comes from, where its line allows it to be.
    let mut allowed = vec![[i32::MIN / 2, i32::MAX / 2]; grid.nodes() as usize];
    for first in firsts() {
        line.read(machine, &task_at, first, (side, stride));
        let (room, living) = (line.room(), line.living.len());
        for (number, &(place, _)) in line.tasks[..room].iter().enumerate() {
            let latest = living - (room - number);
            let at = [line.living[number], line.living[latest]].map(|place| place as i32);
            allowed[(first + place * stride) as usize] = at;
        }
    }
    (0..grid.dimensions())
        .filter(|&other| other != axis)
        .for_each(|other| make_way(grid, other, &mut allowed));
    let (mut moved, mut left) = (nodes.to_vec(), 0);
    for first in firsts() {
        line.read(machine, &task_at, first, (side, stride));
        let (mut next, room, living) = (0, line.room(), &line.living);
        for (number, &(place, task)) in line.tasks[..room].iter().enumerate() {
            let [least, most] = allowed[(first + place * stride) as usize];
            let evenly = (u64::from(place) * u64::from(side) / u64::from(extent)) as i32;
            let wanted = evenly.min(most).max(least);
            while next < living.len() && (living[next] as i32) < wanted {
                next += 1;
            }
            next = next.min(living.len() - (room - number));
            moved[task as usize] = NodeId(first + living[next] * stride);
            next += 1;
        }
        for (&(_, task), &place) in line.tasks[room..].iter().zip(&line.dead) {
            moved[task as usize] = NodeId(first + place * stride);
            left += 1;
        }
    }
    (moved, left)
}

/// Allows nobody to be farther from what is allowed beside him along a dimension than one more.
fn make_way(grid: &Grid, axis: usize, allowed: &mut [[i32; 2]]) {
    let stride = grid.stride(axis) as usize;
    let mut beside = |node: usize, other: usize| {
        let [least, most] = allowed[other];
        let own = &mut allowed[node];
        *own = [own[0].max(least - 1), own[1].min(most + 1)];
    };
    let has_before = |&node: &usize| grid.coordinate(NodeId(node as u32), axis) > 0;
    (0..grid.nodes() as usize).filter(has_before).for_each(|node| beside(node, node - stride));
    (0..grid.nodes() as usize).rev().filter(has_before).for_each(|node| beside(node - stride, node));
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_network::topology::Network;
    use proptest::prelude::*;

    #[test]
    fn a_hole_pushes_until_a_spare_node_takes_it_up() {
        let machine = Machine::new("mesh:2x8").unwrap().with_dead(vec![NodeId(1)]).unwrap();
        let Network::Grid(grid) = machine.network() else { unreachable!("a mesh") };
        // Two rows of six: spare nodes come after the third and the last.
        let mut nodes: Vec<NodeId> = (0..12).map(|task| NodeId(task / 6 * 8 + task % 6)).collect();
        step_over(&machine, grid, &mut nodes);
        let nodes: Vec<u32> = nodes.iter().map(|node| node.0).collect();
        assert_eq!(nodes, [0, 2, 3, 4, 5, 6, 8, 9, 10, 12, 13, 14]);
    }

    proptest! {
        /// Nodes stay different; where a line has as many living nodes as tasks, these stay on it in their order, on living
        /// nodes, each where the definition wants it.
        #[test]
        fn lines_stay_lines(
            (rows, columns) in (1u32..6, 3u32..12),
            spare in 1u32..4,
            dead in prop::collection::vec(0u32..90, 0..12),
        ) {
            let machine = Machine::mesh([rows, columns + spare]).unwrap();
            let nodes_all = machine.nodes();
            let Ok(machine) = machine.with_dead(dead.into_iter().map(|node| NodeId(node % nodes_all)).collect()) else {
                return Ok(());
            };
            let Network::Grid(grid) = machine.network() else { unreachable!("a mesh") };
            let side = columns + spare;
            let mut nodes: Vec<NodeId> =
                (0..rows * columns).map(|task| NodeId(task / columns * side + task % columns)).collect();
            step_over(&machine, grid, &mut nodes);
            let mut different = nodes.clone();
            different.sort_unstable();
            different.dedup();
            prop_assert_eq!(different.len(), nodes.len());
            for (row, tasks) in (0..rows).zip(nodes.chunks(columns as usize)) {
                let living: Vec<u32> =
                    (0..side).filter(|place| machine.is_alive(NodeId(row * side + place))).collect();
                prop_assert!(tasks.iter().all(|node| node.0 / side == row));
                if living.len() < columns as usize {
                    continue;
                }
                prop_assert!(tasks.iter().all(|&node| machine.is_alive(node)));
                prop_assert!(tasks.is_sorted());
                let rank = |node: &NodeId| living.iter().position(|&place| place == node.0 % side).unwrap();
                for (number, node) in tasks.iter().enumerate() {
                    // What each line allows, and how far away it is.
                    let [mut least, mut most] = [i32::MIN, i32::MAX];
                    for other in 0..rows {
                        let living: Vec<u32> =
                            (0..side).filter(|place| machine.is_alive(NodeId(other * side + place))).collect();
                        let (room, away) = (living.len().min(columns as usize), row.abs_diff(other) as i32);
                        if number < room {
                            least = least.max(living[number] as i32 - away);
                            most = most.min(living[living.len() - (room - number)] as i32 + away);
                        }
                    }
                    let wanted = ((number as u32 * side / columns) as i32).min(most).max(least);
                    let after = if number == 0 { 0 } else { rank(&tasks[number - 1]) + 1 };
                    let from = living.iter().position(|&place| place as i32 >= wanted).unwrap_or(living.len());
                    let latest = living.len() - (columns as usize - number);
                    prop_assert_eq!(rank(node), after.max(from).min(latest));
                }
            }
        }
    }
}

//! The binomial tree on a box: centred halving, growing, reflecting.
//!
//! # Source
//!
//! `lo1990`: reflecting and growing, here from any root; centred halving has the steps of growing, the long
//! ones first, and halves boxes of any sides.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Topology};

use crate::Task;
use crate::algorithm::Algorithm;
use crate::shape::Tree;

use super::chain::BY_TREE;

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "centred-halving",
        summary: "halves the box again and again: who has it tells the nearest of the other half",
        formula: "ceil(log2 p) (c + b V) + h L, L the links to the farthest member",
        source: "lo1990",
        operations: BY_TREE,
        streams: true,
        flow: |task| tree(task, |side| side / 2, halving)?.flow(task),
    },
    Algorithm {
        name: "growing",
        summary: "the members that have it double along the axes in turn, from the root outwards",
        formula: "log2 p (c + b V) + h L without contention",
        source: "lo1990",
        operations: BY_TREE,
        streams: true,
        flow: |task| tree(task, |side| side / 2, growing)?.flow(task),
    },
    Algorithm {
        name: "reflecting",
        summary: "who has it tells its mirror image in the box, in its halves, in its quarters, ...",
        formula: "log2 p (c + b V) + h 4/3 L from the best root",
        source: "lo1990",
        operations: BY_TREE,
        streams: true,
        flow: |task| {
            let grid = task.grid("the reflecting tree")?;
            if !grid.sides().iter().all(|side| side.is_power_of_two()) {
                return Err(Error::not_applicable("the reflecting tree", "a side is not a power of two"));
            }
            tree(task, |side| 2 * side / 3, reflecting)?.flow(task)
        },
    },
];

/// A tree over the places of a box, which on a torus are moved so that the root has the coordinates `best` of each side.
fn tree(task: &Task<'_>, best: fn(u32) -> u32, make: fn(&Grid, u32) -> Tree) -> Result<Tree> {
    let grid = task.grid("a binomial tree on a box")?;
    let mut sides: Vec<(u32, u32, u32)> = Vec::new();
    let mut place = 0;
    for (axis, &side) in grid.sides().iter().enumerate() {
        let at = grid.coordinate(NodeId(task.root), axis);
        let to = if grid.wraps() && side > 2 { best(side).min(side - 1) } else { at };
        place += to * grid.stride(axis);
        sides.push((side, at + side - to, grid.stride(axis)));
    }
    let name = |node: u32| {
        let of = |(axis, &(side, moved, stride)): (usize, &(u32, u32, u32))| {
            (grid.coordinate(NodeId(node), axis) + moved) % side * stride
        };
        sides.iter().enumerate().map(of).sum::<u32>()
    };
    let mut tree = make(grid, place);
    tree.edges.sort_by_key(|&(step, ..)| step);
    tree.edges.iter_mut().for_each(|(_, from, to)| (*from, *to) = (name(*from), name(*to)));
    Ok(tree)
}

/// Of each box the longest side is cut; its holder tells the member of the other half that is nearest to it.
fn halving(grid: &Grid, root: u32) -> Tree {
    let mut tree = Tree::default();
    let whole = grid.sides().iter().map(|&side| (0, side)).collect::<Vec<(u32, u32)>>();
    let mut todo = vec![(0, root, whole)];
    while let Some((step, holder, sides)) = todo.pop() {
        let length = |axis: usize| sides[axis].1 - sides[axis].0;
        let axis = (0..sides.len()).rev().max_by_key(|&axis| length(axis)).expect("a box has an axis");
        if length(axis) <= 1 {
            continue;
        }
        let (first, end) = sides[axis];
        let (middle, at) = (u32::midpoint(first, end), grid.coordinate(NodeId(holder), axis));
        let (mut mine, mut other) = (sides.clone(), sides);
        let there = match at < middle {
            true => {
                (mine[axis], other[axis]) = ((first, middle), (middle, end));
                middle
            }
            false => {
                (mine[axis], other[axis]) = ((middle, end), (first, middle));
                middle - 1
            }
        };
        let to = holder + there * grid.stride(axis) - at * grid.stride(axis);
        tree.edges.push((step, holder, to));
        todo.push((step + 1, holder, mine));
        todo.push((step + 1, to, other));
    }
    tree
}

/// On each axis first one down from the root, then 1, 2, 4, ... outwards.
fn growing(grid: &Grid, root: u32) -> Tree {
    let axes = || (0..grid.dimensions()).filter(|&axis| grid.sides()[axis] > 1);
    let at = |node: u32, axis: usize| grid.coordinate(NodeId(node), axis);
    let mut tree = Tree::default();
    let mut holders = vec![root];
    let mut step = 0;
    let mut go = |axis: usize, to: &dyn Fn(u32) -> Option<u32>| {
        let stride = grid.stride(axis);
        let moved = |&from: &u32| {
            let there = to(at(from, axis))?;
            Some((step, from, from + there * stride - at(from, axis) * stride))
        };
        let new: Vec<(u32, u32, u32)> = holders.iter().filter_map(moved).collect();
        holders.extend(new.iter().map(|&(.., to)| to));
        step += u32::from(!new.is_empty());
        tree.edges.extend(new);
    };
    axes().for_each(|axis| go(axis, &|c| c.checked_sub(1)));
    let longest = grid.sides().iter().max().copied().unwrap_or(1);
    for length in (0..32).map(|k| 1u32 << k).take_while(|&length| length < longest) {
        for axis in axes() {
            let (middle, side) = (at(root, axis), grid.sides()[axis]);
            go(axis, &|c| match c.checked_sub(middle) {
                Some(up) if up < length => Some(c + length).filter(|&to| to < side),
                None if middle - 1 - c < length => c.checked_sub(length),
                _ => None,
            });
        }
    }
    tree
}

/// In each step the longest side is halved: mirrored in the block of its length.
fn reflecting(grid: &Grid, root: u32) -> Tree {
    let mut lengths = grid.sides().to_vec();
    let mut tree = Tree::default();
    let mut holders = vec![root];
    for step in 0.. {
        let axis = (0..lengths.len()).rev().max_by_key(|&axis| lengths[axis]).expect("a box has an axis");
        if lengths[axis] == 1 {
            return tree;
        }
        let flip = (lengths[axis] - 1) * grid.stride(axis);
        lengths[axis] /= 2;
        tree.edges.extend(holders.iter().map(|&from| (step, from, from ^ flip)));
        holders.extend(holders.clone().iter().map(|&from| from ^ flip));
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation;
    use meshwright_network::topology::Machine;

    /// The links of the longest message of each step, summed up, and the number of steps.
    fn hops(machine: &str, name: &str, root: u32) -> Result<(u32, u32)> {
        let machine = Machine::new(machine)?;
        let task = Task::new(&machine, Operation::Broadcast, 64, root)?;
        let flow = ALGORITHMS.iter().find(|algorithm| algorithm.name == name).unwrap().of(&task)?;
        let mut longest = vec![0; flow.steps() as usize];
        for transfer in flow.transfers() {
            let links = task.distance(transfer.source, transfer.target).unwrap().0;
            let of_step: &mut u32 = &mut longest[transfer.step as usize];
            *of_step = links.max(*of_step);
        }
        Ok((longest.iter().sum(), flow.steps()))
    }

    /// Lo et al., lemmas 5(b) and 8(b): 84 and 64 links on 64 x 64.
    #[test]
    fn the_links_of_all_steps_are_those_of_the_lemmas() -> Result<()> {
        for machine in ["mesh:64x64", "torus:64x64"] {
            let centre = 32 * 64 + 32;
            assert_eq!(hops(machine, "reflecting", 42 * 64 + 42)?, (84, 12), "{machine}");
            assert_eq!(hops(machine, "growing", centre)?, (64, 12), "{machine}");
            assert_eq!(hops(machine, "centred-halving", centre)?, (64, 12), "{machine}");
        }
        assert_eq!(hops("torus:64x64", "reflecting", 5)?, (84, 12), "any root of a torus");
        assert_eq!(hops("mesh:64x64", "centred-halving", 0)?, (126, 12), "recursive halving from a corner");
        assert_eq!(hops("mesh:4x4x4", "reflecting", 0)?.1, 6);
        Ok(())
    }

    /// Centred halving and growing never turn back: on the way to a member there are no more links than from the root.
    #[test]
    fn every_way_is_a_shortest() -> Result<()> {
        for name in ["mesh:5x7", "mesh:8x8", "mesh:9", "mesh:3x4x5", "torus:5x6"] {
            let machine = Machine::new(name)?;
            for root in 0..machine.living_count() {
                let task = Task::new(&machine, Operation::Broadcast, 64, root)?;
                for algorithm in &ALGORITHMS[..2] {
                    let mut links = vec![0; task.members() as usize];
                    for transfer in algorithm.of(&task)?.transfers() {
                        let (from, to) = (transfer.source, transfer.target);
                        links[to as usize] = links[from as usize] + task.distance(from, to).unwrap().0;
                        let least = task.distance(root, to).unwrap().0;
                        assert_eq!(links[to as usize], least, "{} on {name} from {root}", algorithm.name);
                    }
                }
            }
        }
        Ok(())
    }
}

//! Three spanning trees of a mesh, each for a third of the vector: no link has more than two of them.
//!
//! An all-reduce goes up and down each tree, so that a link carries a third for each tree that has it, in either direction. A corner has
//! two links and every tree, so two thirds are the least that three trees reach; two trees without a common link, up and down, carry a
//! half twice. For a broadcast alone these two are the better ones: see [`disjoint`](super::disjoint).
//!
//! # Source
//!
//! `laskar2024`: three trees that overlap; which trees is our choice.

use meshwright_core::error::{Error, Result};
use meshwright_network::topology::{Grid, Topology};

use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::shape::{Tree, beside};
use crate::{Operation, Task};

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[Algorithm {
    name: "three-trees",
    summary: "three spanning trees of a mesh, each up and down for a third; a link has two of them at most",
    formula: "2 L (c + h) + 2/3 b V (k + 2 L - 1) / k in k chunks over trees of L levels",
    source: "laskar2024",
    operations: &[Operation::AllReduce],
    streams: true,
    flow: three,
}];

fn three(task: &Task<'_>) -> Result<Flow> {
    let what = "three trees";
    let grid = task.grid(what)?;
    let &[rows, columns] = grid.sides() else {
        return Err(Error::not_applicable(what, "it needs a mesh of two dimensions"));
    };
    if grid.wraps() {
        return Err(Error::not_applicable(what, "a torus has four trees without a common link"));
    }
    if rows < 3 || columns < 3 {
        return Err(Error::not_applicable(what, "a mesh with a side below 3 has too few links for them"));
    }
    let centre = grid.node_at(&[(rows - 1) / 2, (columns - 1) / 2]).0;
    let trees =
        beside(task, 3, |k, share| spanning(grid, centre, k).flow(&share.with(task.operation, centre)))?;
    // What is a leaf in one tree must not fill the link that others go on over.
    Ok(trees.ordered())
}

/// Whether the k-th tree may have the link from a node to the next in its row, or in its column.
///
/// | tree | links |
/// |---|---|
/// | 0 | all columns, and between two of them one link: of the middle row left of the middle column, of the row below right of it |
/// | 1 | all rows, and the middle column |
/// | 2 | what one of these leaves free twice: every link but those that join their lines |
fn has(grid: &Grid, k: u32, [row, column]: [u32; 2], is_in_row: bool) -> bool {
    let [middle, centre] = [(grid.sides()[0] - 1) / 2, (grid.sides()[1] - 1) / 2];
    let joins = match is_in_row {
        true => row == middle + u32::from(column >= centre),
        false => column == centre,
    };
    match k {
        0 => joins || !is_in_row,
        1 => joins || is_in_row,
        _ => !joins,
    }
}

/// The k-th tree: breadth first over the links it may have.
fn spanning(grid: &Grid, root: u32, k: u32) -> Tree {
    let columns = grid.sides()[1];
    let mut is_told = vec![false; grid.nodes() as usize];
    is_told[root as usize] = true;
    let mut tree = Tree::default();
    let mut front = vec![root];
    for step in 0.. {
        let mut next = Vec::new();
        for &from in &front {
            let at = [from / columns, from % columns];
            let onward = [(at[1] + 1 < columns, true, 1), (at[0] + 1 < grid.sides()[0], false, columns)];
            let to = onward.map(|(is, row, far)| (is && has(grid, k, at, row)).then(|| from + far));
            let back = [(at[1] > 0, true, 1), (at[0] > 0, false, columns)].map(|(is, row, far)| {
                let there = |node: u32| has(grid, k, [node / columns, node % columns], row);
                is.then(|| from - far).filter(|&node| there(node))
            });
            for there in to.into_iter().chain(back).flatten() {
                if !std::mem::replace(&mut is_told[there as usize], true) {
                    tree.edges.push((step, from, there));
                    next.push(there);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        front = next;
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_network::topology::Machine;

    /// Each reaches all, is no deeper than the sides together, and no link carries more than two thirds either way.
    #[test]
    fn no_link_has_more_than_two_of_the_trees() -> Result<()> {
        for (rows, columns) in (3..=9).flat_map(|rows| (3..=9).map(move |columns| (rows, columns))) {
            let machine = Machine::new(&format!("mesh:{rows}x{columns}"))?;
            let grid = machine.whole_grid().expect("a mesh");
            let mut on_link = vec![0; machine.links() as usize];
            for k in 0..3 {
                let tree = spanning(grid, machine.nodes() / 2, k);
                assert_eq!(tree.edges.len() as u32, machine.nodes() - 1, "{} {k}", machine.name());
                for (step, from, to) in tree.edges {
                    assert!(step <= rows + columns, "{}", machine.name());
                    let wire = |from, to| {
                        machine.wire(meshwright_core::units::NodeId(from), meshwright_core::units::NodeId(to))
                    };
                    for link in [wire(from, to), wire(to, from)] {
                        on_link[link.expect("a neighbour").index()] += 1;
                    }
                }
            }
            assert_eq!(on_link.iter().max(), Some(&2), "{}", machine.name());
        }
        for refused in ["mesh:2x5", "torus:4x4", "mesh:3x3x3", "mesh:9"] {
            let machine = Machine::new(refused)?;
            assert!(three(&Task::new(&machine, Operation::AllReduce, 64, 0)?).is_err(), "{refused}");
        }
        Ok(())
    }
}

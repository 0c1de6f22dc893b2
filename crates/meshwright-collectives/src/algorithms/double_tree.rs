//! Two binary trees at once, each for half of the data: who hands on in one is at the end of the other.
//!
//! # Source
//!
//! `sanders2009`: in-order trees, the second mirrored or shifted.

use meshwright_core::error::Result;

use crate::Task;
use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::shape::{Tree, beside};
use crate::tree_line::{Children, snake};

use super::chain::BY_TREE;

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "double-tree",
        summary: "two binary trees for half of the data each; nobody hands on in both",
        formula: "2 log2 p (c + h d) + b V (k + 2 log2 p) / k in k chunks",
        source: "sanders2009",
        operations: BY_TREE,
        streams: true,
        flow: |task| beside(task, 2, |k, half| Tree::in_order(half, None, &|p, _| trees(p, k)).flow(half)),
    },
    Algorithm {
        name: "snake-double-tree",
        summary: "two binary trees over a snake through the box, for half of the data each",
        formula: "2 log2 p (c + h d) + b V (k + 2 log2 p) / k in k chunks",
        source: "sanders2009",
        operations: BY_TREE,
        streams: true,
        flow: over_snake,
    },
];

/// The snake from the root on and round.
fn over_snake(task: &Task<'_>) -> Result<Flow> {
    let mut order = snake(task)?;
    let at = order.iter().position(|&member| member == task.root).expect("the root is a member");
    order.rotate_left(at);
    beside(task, 2, |k, half| Tree::in_order(half, Some(&order), &|p, _| trees(p, k)).flow(half))
}

/// Place 0 tells the top of the k-th in-order tree over the others.
///
/// The second is the first mirrored, or, with an odd number of others, shifted by one.
fn trees(places: u32, k: u32) -> Children {
    let others = places - 1;
    let name = |label: u32| match (k, others % 2) {
        (0, _) => label,
        (_, 0) => others + 1 - label,
        _ => label % others + 1,
    };
    let mut children = vec![Vec::new(); places as usize];
    // Who tells, the label before the first, how many.
    let mut todo = vec![(0, 0, others)];
    while let Some((parent, before, many)) = todo.pop() {
        if many == 0 {
            continue;
        }
        let top = 1 << many.ilog2();
        children[parent as usize].push(name(before + top));
        todo.push((name(before + top), before, top - 1));
        todo.push((name(before + top), before + top, many - top));
    }
    children
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_hands_on_in_both_trees() {
        for places in 2..200 {
            let both = [trees(places, 0), trees(places, 1)];
            for place in 1..places as usize {
                assert!(both[0][place].is_empty() || both[1][place].is_empty(), "{place} of {places}");
                assert!(both.iter().all(|tree| tree[place].len() <= 2));
            }
            for tree in &both {
                let tree = Tree::hung(0, tree);
                let mut told: Vec<u32> = tree.edges.iter().map(|&(.., to)| to).collect();
                told.sort_unstable();
                assert_eq!(told, (1..places).collect::<Vec<u32>>());
                assert!(tree.edges.last().unwrap().0 <= places.ilog2());
            }
        }
    }
}

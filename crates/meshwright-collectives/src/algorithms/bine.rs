//! Bine trees and butterflies: binomial, with Jacobsthal distances, for less traffic over long links.
//!
//! In a tree that is seen from its root, a holder at an even place sends rho(k) one way and one at an odd place the other way,
//! rho = 1, −1, 3, −5, 11, …: the farthest first (distance halving) or the nearest first (distance doubling). Dimensions of a
//! box take turns, the last of them nearest: from the right root of a mesh, distance halving is the reflecting mapping of
//! `lo1990`, seen in a mirror along sides of 2, 8, 32, ....
//!
//! # Source
//!
//! `desensi2025`.

use meshwright_core::error::{Error, Result};

use super::butterfly::halving;
use crate::algorithm::Algorithm;
use crate::shape::Tree;
use crate::turns::{Core, Turns, sides, swing};
use crate::{Operation, Task};

/// What the trees do.
const ROOTED: &[Operation] = &[
    Operation::Broadcast,
    Operation::Reduce,
    Operation::Scatter,
    Operation::Gather,
    Operation::AllReduce,
    Operation::Barrier,
];

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "bine-halving",
        summary: "a binomial tree with distances ..., 11, 5, 3, 1, 1: the farthest first",
        formula: "log2 p (c + h d + b V)",
        source: "desensi2025",
        operations: ROOTED,
        streams: true,
        flow: |task| tree(task, true)?.flow(task),
    },
    Algorithm {
        name: "bine-doubling",
        summary: "a binomial tree with distances 1, 1, 3, 5, 11, ...: the nearest first",
        formula: "log2 p (c + h d + b V)",
        source: "desensi2025",
        operations: ROOTED,
        streams: true,
        flow: |task| tree(task, false)?.flow(task),
    },
    Algorithm {
        name: "bine-butterfly",
        summary: "reduce-scatter with halves to the farthest peer first, ..., 5, 3, 1, 1 away, and all-gather back",
        formula: "2 log2 p (c + h d) + 2 b V (p - 1) / p",
        source: "desensi2025",
        operations: &[Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather],
        streams: false,
        flow: |task| {
            if !sides(task).iter().all(|side| side.is_power_of_two()) {
                return Err(Error::not_applicable("the Bine butterfly", "a side is no power of two"));
            }
            halving(task, &Core::new(task, 0), swing, true)
        },
    },
];

/// The Bine tree from the root of a task, the farthest first or the nearest first.
///
/// Who would get it twice, when a side is no power of two, is left out the second time.
///
/// # Errors
///
/// [`Error::NotApplicable`] when somebody is not reached.
///
/// # Complexity
///
/// O(p).
///
/// # Examples
///
/// ```
/// use meshwright_collectives::{Operation, Task, algorithms::bine};
/// use meshwright_network::topology::Machine;
/// let line = Machine::new("mesh:8")?;
/// let tree = bine::tree(&Task::new(&line, Operation::Broadcast, 8, 2)?, true)?;
/// assert_eq!(tree.edges[..3], [(0, 2, 5), (1, 2, 1), (1, 5, 6)]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn tree(task: &Task<'_>, farthest: bool) -> Result<Tree> {
    let sides = sides(task);
    let turns = Turns::new(&sides, sides.len().saturating_sub(1), 2);
    let mut has = vec![false; task.members() as usize];
    has[task.root as usize] = true;
    let mut holders = vec![task.root];
    let mut tree = Tree::default();
    for step in 0..turns.steps() {
        let turn = if farthest { turns.steps() - 1 - step } else { step };
        for at in 0..holders.len() {
            let target = turns.peer_seen_from(turn, holders[at], task.root, swing);
            if !std::mem::replace(&mut has[target as usize], true) {
                tree.edges.push((step, holders[at], target));
                holders.push(target);
            }
        }
    }
    if holders.len() < has.len() {
        return Err(Error::not_applicable("the Bine tree", "on these sides it does not reach everybody"));
    }
    Ok(tree)
}

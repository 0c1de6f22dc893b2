//! The order in which the ranks of a parallel program run the tasks.
//!
//! | here | rank of task x of B(n) | whose tree it is |
//! |---|---|---|
//! | [`Ranks::Task`] | x | nobody's: for programs of one's own |
//! | [`Ranks::Tree`] | v = 2^n - 1 - x | a parent is a rank without its lowest 1-bit |
//! | [`Ranks::MirroredTree`] | the n bits of v, read backwards | a parent is a rank without its highest 1-bit |

use meshwright_core::error::{Error, Result};
use meshwright_mapping::{Shape, TaskGraph};

/// A numbering of the tasks by ranks.
///
/// Libraries build the binomial tree of a collective operation from rank numbers alone. With the numbering of
/// theirs, each of their messages is one of the tree that was placed, in its phase.
///
/// # Source
///
/// `thakur2005`: the binomial trees of broadcast and reduce in MPICH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranks {
    /// Rank r runs task r.
    Task,
    /// The root is rank 0, and a child is its parent plus a power of two below the parent's lowest 1-bit.
    Tree,
    /// The root is rank 0, and a child is its parent plus a power of two above the parent's highest 1-bit.
    MirroredTree,
}

/// Every numbering with its name on the command line.
pub const RANKS: &[(&str, Ranks)] =
    &[("task", Ranks::Task), ("tree", Ranks::Tree), ("mirrored-tree", Ranks::MirroredTree)];

impl Ranks {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        RANKS.iter().find(|(_, ranks)| *ranks == self).expect("the table is complete").0
    }

    /// The numbering when nobody says: [`Ranks::Tree`] for the binomial tree, [`Ranks::Task`] for all else.
    pub fn usual(tasks: &TaskGraph) -> Self {
        if is_binomial(tasks) { Self::Tree } else { Self::Task }
    }

    /// Refuses the numbering of a tree for what is no binomial tree.
    ///
    /// # Errors
    ///
    /// [`Error::Value`].
    pub fn check(self, tasks: &TaskGraph) -> Result<()> {
        if self == Self::Task || is_binomial(tasks) {
            return Ok(());
        }
        let given = format!("`{}` for {}, which is no binomial tree", self.name(), tasks.name);
        Err(Error::value("ranks", given, "`task`"))
    }

    /// The task of a rank, of so many.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_hosts::launcher::Ranks;
    /// // The root of B(3) is task 7; its first child is task 3, with half of the tree below it.
    /// assert_eq!((Ranks::Tree.task(0, 8), Ranks::Tree.task(4, 8)), (7, 3));
    /// assert_eq!((Ranks::MirroredTree.task(0, 8), Ranks::MirroredTree.task(1, 8)), (7, 3));
    /// ```
    pub fn task(self, rank: u32, tasks: u32) -> u32 {
        match self {
            Self::Task => rank,
            Self::Tree => tasks - 1 - rank,
            Self::MirroredTree => tasks - 1 - mirrored(rank, tasks),
        }
    }

    /// The rank of a task, of so many.
    pub fn rank(self, task: u32, tasks: u32) -> u32 {
        match self {
            Self::Task => task,
            Self::Tree => tasks - 1 - task,
            Self::MirroredTree => mirrored(tasks - 1 - task, tasks),
        }
    }
}

/// The n bits of a number below 2^n, read backwards.
fn mirrored(number: u32, two_to_the_n: u32) -> u32 {
    let n = two_to_the_n.trailing_zeros();
    // Without bits there is nothing to shift, and a shift by all 32 would be none.
    if n == 0 { 0 } else { number.reverse_bits() >> (32 - n) }
}

fn is_binomial(tasks: &TaskGraph) -> bool {
    tasks.divide.as_ref().is_some_and(|divide| matches!(divide.shape, Shape::Binomial(_)))
}

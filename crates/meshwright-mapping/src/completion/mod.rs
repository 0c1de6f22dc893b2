//! Completion time of divide and conquer: work at the tasks, messages between nodes, no barriers.
//!
//! | file | what |
//! |---|---|
//! | this one | [`Completion`]: the job, and how many nodes share it |
//! | `form`, `work` | [`Form`]: cycles by the number of elements; [`Work`]: those of dividing, solving and combining |
//! | `fold` | [`Folded`]: the tree over nodes and cores; who hands what to whom |
//! | `forecast` | when the result is there, as if nobody waited for a link |
//! | `bound` | what no placement of this tree can beat |
//! | `schedule` | the same as messages and computations, for the referee |
//!
//! | paper | here | unit |
//! |---|---|---|
//! | x, a problem | [`Completion::size`] elements at the root, in proportion below | |
//! | alpha^i | [`Handover::down`], [`Handover::up`] | bytes |
//! | step 2, divide | [`Work::divide`], [`Handover::work_divide`] | cycles |
//! | step 2, solve locally | [`Work::leaf`], [`Folded::leaf`] | cycles |
//! | step 3, combine | [`Work::combine`], [`Handover::work_combine`] | cycles |
//! | steps 1 and 4, the host | [`Completion::host`] | |
//!
//! Whoever owns a part p of all tasks has p times the elements, and messages of the bytes that
//! [`in_proportion`](super::divide::in_proportion) gives them. A node divides for the child of its first phase, sends, divides for the next
//! when the last byte has left it, and solves what is left; it combines with the child of the last phase first.
//! `docs/completion-time.md` has the formulas and the proof of the bound.
//!
//! # Source
//!
//! `lo1990`, section 3, steps 1 to 4; footnote 1: leaves may do more work; section 7: completion time.

mod bound;
mod fold;
mod forecast;
mod form;
mod schedule;
mod work;

pub use fold::{Folded, Handover};
pub use form::{Form, GROWTHS, Growth, Term};
pub use work::{UnitWork, Work};

use super::{Divide, Shape};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::Bytes;
use meshwright_network::topology::costs::BYTES_MAX;
use meshwright_network::topology::{Machine, NODES_MAX, Topology};

/// The most cores of a node that are told apart.
pub const CORES_MAX: u32 = 128;

/// The most elements of a problem.
pub const SIZE_MAX: u64 = 1 << 48;

/// A divide-and-conquer computation whose completion is to be timed.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// The tree over the nodes, its shares, and the bytes at the root.
    pub divide: Divide,
    /// The bytes of the whole result, from which those of the parts follow.
    pub result: Bytes,
    /// How many elements the problem has.
    pub size: u64,
    /// The work on them.
    pub work: Work,
    /// How many tasks each node has: its part is divided once more for each doubling.
    pub per_node: u32,
    /// How many of them run at a time.
    pub cores: u32,
    /// Whether the data come from a host, over a channel of its own, and the result goes back there.
    pub host: bool,
}

impl Completion {
    /// Refuses what cannot be timed.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] as for [`Divide::check`]; when there are no elements or more than 2^48, no cores or more than 128, no
    /// tasks at a node or a number of them that the cores cannot share, more tasks than 2^24, a result of
    /// no bytes or more than a tebibyte.
    pub fn check(&self) -> Result<()> {
        self.divide.check()?;
        if !(1..=SIZE_MAX).contains(&self.size) {
            return Err(Error::value("size", self.size, format!("1 to {SIZE_MAX} elements")));
        }
        if !(1..=BYTES_MAX).contains(&self.result.0) {
            return Err(Error::value("result", self.result.0, format!("1 to {BYTES_MAX} bytes")));
        }
        if !(1..=CORES_MAX).contains(&self.cores) {
            return Err(Error::value("cores", self.cores, format!("1 to {CORES_MAX}")));
        }
        let tasks = u64::from(self.divide.shape.tasks()) * u64::from(self.per_node);
        if self.per_node == 0 || tasks > u64::from(NODES_MAX) {
            let expected = format!("at least 1, and at most {NODES_MAX} tasks on all nodes together");
            return Err(Error::value("tasks per node", self.per_node, expected));
        }
        if self.per_node > self.cores && !self.per_node.is_multiple_of(self.cores) {
            let expected = format!("at most {0}, the cores of a node, or a multiple of {0}", self.cores);
            return Err(Error::value("tasks per node", self.per_node, expected));
        }
        Ok(())
    }

    /// How many cores of each node work.
    pub fn cores_used(&self) -> u32 {
        self.cores.min(self.per_node)
    }

    /// How often the problem is divided on the way to the last task: over the nodes, then within them.
    ///
    /// ```
    /// use meshwright_core::units::Bytes;
    /// use meshwright_mapping::completion::{Completion, Work};
    /// use meshwright_mapping::{Divide, Shape};
    /// let divide = Divide { shape: Shape::Binomial(6), alpha: Some(0.5), combine_alpha: None, volume: Bytes(4096) };
    /// let sort = Completion { divide, result: Bytes(4096), size: 1024, work: Work::default(), per_node: 4, cores: 1, host: false };
    /// assert_eq!(sort.depth(), 8);
    /// ```
    pub fn depth(&self) -> u32 {
        self.divide.shape.phases() + self.per_node.next_power_of_two().trailing_zeros()
    }

    /// The cycles of one core that solves the whole without dividing it, data and result at hand.
    ///
    /// # Errors
    ///
    /// As for [`Form::cycles`].
    pub fn sequential_cycles(&self) -> Result<u64> {
        self.work.leaf.cycles(self.size as f64)
    }
}

/// The tree over so many nodes of a machine: the binomial tree of a power of two; else that of the most nearly square box that
/// fits the machine along its axes; else, on other machines and where no box does, that of a line.
///
/// # Errors
///
/// [`Error::Value`] when there are no nodes, or more than live.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::Shape;
/// use meshwright_mapping::completion::shape_on;
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:8x9")?;
/// assert_eq!(shape_on(&mesh, 16)?, Shape::Binomial(4));
/// assert_eq!(shape_on(&mesh, 12)?, Shape::Halving(vec![3, 4]));
/// assert_eq!(shape_on(&mesh, 18)?, Shape::Halving(vec![3, 6]));
/// assert_eq!(shape_on(&mesh, 26)?, Shape::Halving(vec![26]), "2 x 13 and 1 x 26 are too long");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn shape_on(machine: &Machine, nodes: u32) -> Result<Shape> {
    let living = machine.living_count();
    if !(1..=living).contains(&nodes) {
        let expected = format!("1 to {living}, the working nodes of {}", machine.name());
        return Err(Error::value("nodes", nodes, expected));
    }
    if nodes.is_power_of_two() {
        return Ok(Shape::Binomial(nodes.trailing_zeros()));
    }
    let sides = machine.whole_grid().and_then(|grid| squarest(grid.sides(), nodes));
    Ok(Shape::Halving(sides.unwrap_or_else(|| vec![nodes])))
}

/// The sides of the box of so many cells within these limits whose sides differ least: the least sum; of equal ones that
/// with the longer sides last.
fn squarest(limits: &[u32], cells: u32) -> Option<Vec<u32>> {
    let (&last, before) = limits.split_last()?;
    if before.is_empty() {
        return (cells <= last).then(|| vec![cells]);
    }
    let mut best: Option<Vec<u32>> = None;
    for side in (1..=last.min(cells)).rev().filter(|side| cells.is_multiple_of(*side)) {
        let Some(mut sides) = squarest(before, cells / side) else { continue };
        sides.push(side);
        let sum = |sides: &[u32]| sides.iter().map(|&side| u64::from(side)).sum::<u64>();
        if best.as_ref().is_none_or(|best| sum(&sides) < sum(best)) {
            best = Some(sides);
        }
    }
    best
}

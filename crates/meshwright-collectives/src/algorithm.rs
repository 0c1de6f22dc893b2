//! The table of algorithms, and how one becomes a flow.

use meshwright_core::error::{Error, Result};

use crate::algorithms as by;
use crate::flow::Flow;
use crate::{Operation, Task, synthesis};

/// A published way to do a collective operation.
#[derive(Debug)]
pub struct Algorithm {
    /// The name on the command line.
    pub name: &'static str,
    /// What it does, in half a sentence.
    pub summary: &'static str,
    /// The time without contention as a formula: p members, V bytes, c start-up, h of a hop, b of a byte; of its first operation.
    pub formula: &'static str,
    /// Where it is from: a key of `docs/sources.md`.
    pub source: &'static str,
    /// What it can do.
    pub operations: &'static [Operation],
    /// Whether cutting its messages into chunks lets them stream.
    pub streams: bool,
    /// Its flow; [`Error::NotApplicable`] where it does not suit.
    pub flow: fn(&Task<'_>) -> Result<Flow>,
}

/// Every algorithm, one file each family.
pub const ALGORITHMS: &[&[Algorithm]] = &[
    by::butterfly::ALGORITHMS,
    by::swing::ALGORITHMS,
    by::bine::ALGORITHMS,
    by::trivance::ALGORITHMS,
    by::ring::ALGORITHMS,
    by::hamiltonian::ALGORITHMS,
    by::bucket::ALGORITHMS,
    by::direct::ALGORITHMS,
    by::bruck::ALGORITHMS,
    by::exchange::ALGORITHMS,
    by::scan::ALGORITHMS,
    by::flooding::ALGORITHMS,
    by::chain::ALGORITHMS,
    by::binomial::ALGORITHMS,
    by::boxed::ALGORITHMS,
    by::tree::ALGORITHMS,
    by::double_tree::ALGORITHMS,
    by::disjoint::ALGORITHMS,
    by::three_trees::ALGORITHMS,
    by::auto_gen::ALGORITHMS,
    by::scatter_gather::ALGORITHMS,
    by::multitree::ALGORITHMS,
    by::multicast::ALGORITHMS,
    synthesis::ALGORITHMS,
];

/// Every algorithm, in the order of the table.
pub fn all() -> impl Iterator<Item = &'static Algorithm> {
    ALGORITHMS.iter().flat_map(|family| family.iter())
}

/// The algorithm of this name, one of the table.
pub(crate) fn named(name: &str) -> &'static Algorithm {
    all().find(|one| one.name == name).expect("in the table")
}

impl Algorithm {
    /// The flow of a task.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when it does not do this operation, or not on this machine; [`Error::TooLarge`] for too many
    /// messages.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_collectives::{Operation, Task, algorithm};
    /// use meshwright_network::topology::Machine;
    /// let mesh = Machine::new("mesh:4x4")?;
    /// let task = Task::new(&mesh, Operation::AllReduce, 1024, 0)?;
    /// for algorithm in algorithm::all() {
    ///     if let Ok(flow) = algorithm.of(&task) {
    ///         assert_eq!(flow.check(task.operation, task.root, task.bytes), Ok(()), "{}", algorithm.name);
    ///     }
    /// }
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn of(&self, task: &Task<'_>) -> Result<Flow> {
        if !self.operations.contains(&task.operation) {
            let others: Vec<&str> =
                all().filter(|one| one.operations.contains(&task.operation)).map(|one| one.name).collect();
            let operation = task.operation.name();
            let why = format!("{} does no {operation}; these do: {}", self.name, others.join(", "));
            return Err(Error::not_applicable(self.name, why));
        }
        if task.members() == 1 {
            return Ok(task.flow());
        }
        let flow = (self.flow)(task)?;
        task.fits(flow.transfers().len())?;
        Ok(flow)
    }
}

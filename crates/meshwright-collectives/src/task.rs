//! Where a collective runs: the members of a group, and the machine below them.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Hops, NodeId, Ratio};
use meshwright_network::topology::{Grid, Machine, Topology};

use crate::Operation;
use crate::flow::{ALL, Block, Flow, TRANSFERS_MAX, fits, share};

/// One collective operation on one machine: the living nodes are its members, numbered by their ids.
#[derive(Clone, Debug)]
pub struct Task<'m> {
    /// What is done.
    pub operation: Operation,
    /// The whole buffer of one member, the larger of the two where an operation changes its size.
    pub bytes: u64,
    /// The member at which a rooted operation begins or ends.
    pub root: u32,
    /// Cycles of adding up a byte; none if that costs nothing.
    pub combine: Option<Ratio>,
    /// Whether routers copy messages that pass them.
    pub multicast: bool,
    machine: &'m Machine,
    /// See [`Task::with_messages_max`].
    messages_max: usize,
    /// Which of how many shares.
    cut: (u32, u32),
    nodes: Vec<NodeId>,
}

impl<'m> Task<'m> {
    /// An operation of all living nodes.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when the root is no member.
    pub fn new(machine: &'m Machine, operation: Operation, bytes: u64, root: u32) -> Result<Self> {
        let nodes: Vec<NodeId> = machine.living().collect();
        operation.check_root(root, nodes.len() as u32)?;
        let (combine, multicast, messages_max, cut) = (None, false, TRANSFERS_MAX, (0, 1));
        Ok(Self { operation, bytes, root, combine, multicast, machine, messages_max, cut, nodes })
    }

    /// The machine.
    pub fn machine(&self) -> &'m Machine {
        self.machine
    }

    /// How many members there are.
    pub fn members(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// The nodes of the members.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The same task, for which algorithms of more messages than this are refused before they are made.
    pub fn with_messages_max(mut self, messages: usize) -> Self {
        self.messages_max = messages.min(TRANSFERS_MAX);
        self
    }

    /// Refuses an algorithm of so many messages.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] for more than [`TRANSFERS_MAX`], or than [`Task::with_messages_max`] allows.
    pub fn fits(&self, messages: usize) -> Result<()> {
        fits(messages, self.messages_max)
    }

    /// Refuses an algorithm that sends a message for every two members, so many times; to reduce and once more to gather.
    pub(crate) fn fits_pairs(&self, times: usize) -> Result<()> {
        let members = self.members() as usize;
        let times = if self.operation == Operation::AllReduce { 2 * times } else { times };
        self.fits(members.saturating_mul(members - 1).saturating_mul(times))
    }

    /// The same task with another operation or root.
    pub fn with(&self, operation: Operation, root: u32) -> Self {
        Self { operation, root, ..self.clone() }
    }

    /// The box of the members.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when the machine is no whole box.
    pub fn grid(&self, what: &'static str) -> Result<&'m Grid> {
        self.machine.whole_grid().ok_or_else(|| {
            Error::not_applicable(what, "it needs a whole mesh, torus or hypercube without holes")
        })
    }

    /// The logarithm of the number of members.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when it is not a power of two.
    pub fn doublings(&self, what: &'static str) -> Result<u32> {
        if self.members().is_power_of_two() {
            return Ok(self.members().trailing_zeros());
        }
        let why = format!("{} members are not a power of two", self.members());
        Err(Error::not_applicable(what, why))
    }

    /// The links between two members, as the machine routes.
    pub fn distance(&self, from: u32, to: u32) -> Option<Hops> {
        self.machine.distance(self.nodes[from as usize], self.nodes[to as usize])
    }

    /// The same task for one of so many shares of every block.
    pub fn cut(&self, k: u32, shares: u32) -> Self {
        assert!(k < shares && self.cut == (0, 1), "a share of the whole");
        Self { cut: (k, shares), ..self.clone() }
    }

    /// The blocks of the operation: one for each member where each has a part, else one; p by p for all-to-all, by sender.
    pub fn blocks(&self) -> Vec<Block> {
        use Operation as O;
        let (members, root, (k, shares)) = (self.members(), self.root, self.cut);
        let part = |m: u32| share(share(self.bytes, members, m), shares, k);
        let whole = |from, to| vec![Block { bytes: share(self.bytes, shares, k), from, to }];
        let parts = |ends: &dyn Fn(u32) -> (u32, u32)| {
            let of = |m: u32| Block { bytes: part(m), from: ends(m).0, to: ends(m).1 };
            (0..members).map(of).collect()
        };
        match self.operation {
            O::Broadcast => whole(root, ALL),
            O::Reduce => whole(ALL, root),
            O::AllReduce | O::Barrier | O::Scan => whole(ALL, ALL),
            O::Scatter => parts(&|m| (root, m)),
            O::Gather => parts(&|m| (m, root)),
            O::AllGather => parts(&|m| (m, ALL)),
            O::ReduceScatter => parts(&|m| (ALL, m)),
            O::AllToAll => {
                let of = |from: u32| (0..members).map(move |to| Block { bytes: part(to), from, to });
                (0..members).flat_map(of).collect()
            }
        }
    }

    /// A flow of these blocks in which nothing is sent yet.
    pub fn flow(&self) -> Flow {
        Flow::new(self.members(), self.blocks())
    }
}

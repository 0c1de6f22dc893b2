//! Where a collective runs: the members of a group, and the machine below them.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Hops, NodeId, Ratio};
use meshwright_network::topology::{Grid, Machine, Topology};

use crate::Operation;
use crate::flow::{ALL, Block, Flow, share};

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
        Ok(Self { operation, bytes, root, combine: None, multicast: false, machine, cut: (0, 1), nodes })
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

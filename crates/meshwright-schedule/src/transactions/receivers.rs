//! Who receives a multicast, and what a transaction holds.

use meshwright_core::units::{Cycles, NodeId};
use meshwright_network::fabric::{Branch, Fabric};
use meshwright_network::topology::{Grid, Topology};

use super::{Operation, ProcessorProgram, Program, Step, Transaction};

/// The nodes that receive a multicast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receivers {
    /// A box: from the peer upwards along each axis to this node, over the border where this one lies before it.
    UpTo(NodeId),
    /// Some nodes by the number of their list in [`Program::lists`]; the peer is one of them.
    List(u32),
}

/// What stands around the bytes of a transaction that is alone on the machine: the nodes, and the cycles before them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Around {
    /// Where the bytes come from.
    pub from: NodeId,
    /// Where they go; of several receivers the one that is done last.
    pub to: NodeId,
    /// From the issue until they flow; with the last of them the transaction is done.
    pub before: f64,
}

impl Program {
    /// The receivers of a multicast, or the one node to which the bytes of another transaction go.
    ///
    /// # Examples
    ///
    /// A box over the border of a ring.
    ///
    /// ```
    /// use meshwright_core::units::{Bytes, NodeId};
    /// use meshwright_network::Grid;
    /// use meshwright_schedule::transactions::{Operation, Program, Receivers, Transaction};
    /// let operation = Operation::Multicast { receivers: Receivers::UpTo(NodeId(8)), acknowledged: true };
    /// let transaction =
    ///     Transaction { operation, peer: NodeId(7), bytes: Bytes(64), plane: 0, issue: None };
    /// let box_of = |grid: &Grid| {
    ///     let receivers: Vec<u32> =
    ///         Program::default().receivers(grid, NodeId(0), &transaction).map(|node| node.0).collect();
    ///     receivers
    /// };
    /// assert_eq!(box_of(&Grid::torus(&[3, 4])?), [7, 4, 11, 8], "columns 3 and 0, rows 1 and 2");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no such list.
    pub fn receivers(
        &self,
        grid: &Grid,
        node: NodeId,
        transaction: &Transaction,
    ) -> impl Iterator<Item = NodeId> {
        let &Transaction { operation, peer, .. } = transaction;
        let (corner, last, list) = match operation {
            Operation::Read => (node, node, None),
            Operation::Write | Operation::PostedWrite => (peer, peer, None),
            Operation::Multicast { receivers: Receivers::UpTo(last), .. } => (peer, last, None),
            Operation::Multicast { receivers: Receivers::List(list), .. } => (peer, peer, Some(list)),
        };
        let list: &[NodeId] = list.map_or(&[], |list| &self.lists[list as usize]);
        let own = (!list.is_empty()).then_some(list.iter().copied());
        let in_box = list.is_empty().then(|| nodes_of_box(grid, corner, last));
        own.into_iter().flatten().chain(in_box.into_iter().flatten())
    }

    /// What stands around the bytes of a transaction, if this processor issues it.
    ///
    /// ```text
    /// read:            o + way there + memory + way back | bytes
    /// write:           o + way there + way of the acknowledgement | bytes
    /// posted write:    o + way there | bytes
    /// multicast:       as a write to the receiver that is done last
    /// ```
    ///
    /// The bytes of a flow hold all resources at once, so that all ways of heads stand before them: then what a resource
    /// has to carry never begins before a head can be there.
    ///
    /// # Complexity
    ///
    /// O(receivers times axes).
    pub fn around(&self, fabric: &Fabric, own: &ProcessorProgram, transaction: &Transaction) -> Around {
        let &Transaction { operation, peer, plane, .. } = transaction;
        let overhead = fabric.processors()[own.processor].overhead.0 as f64;
        let way = |from, to| fabric.way(plane, from, to).0;
        if operation == Operation::Read {
            let ways = (way(own.node, peer) + way(peer, own.node)) as f64;
            let before = overhead + ways + fabric.memory(peer).0 as f64;
            return Around { from: peer, to: own.node, before };
        }
        let behind_of = |to| behind(fabric, own.node, to, transaction).0;
        let receivers = self.receivers(fabric.grid(), own.node, transaction);
        let (behind, to) = receivers.map(|to| (behind_of(to), to)).max().expect("somebody receives it");
        Around { from: own.node, to, before: overhead + behind as f64 }
    }

    /// The resources that the bytes of a transaction hold, each once, in the order of the way or, if it has several
    /// receivers, by their numbers.
    ///
    /// # Complexity
    ///
    /// O(R log R) for R = sum of the lengths of the routes.
    pub fn held(
        &self,
        fabric: &Fabric,
        own: &ProcessorProgram,
        transaction: &Transaction,
        held: &mut Vec<Branch>,
    ) {
        let from = if transaction.operation == Operation::Read { transaction.peer } else { own.node };
        if let Operation::Multicast { .. } = transaction.operation {
            let receivers = self.receivers(fabric.grid(), own.node, transaction);
            return fabric.tree(transaction.plane, from, receivers, held);
        }
        held.clear();
        let farthest = if from == own.node { transaction.peer } else { own.node };
        fabric.route_by_hops(transaction.plane, from, farthest, |resource, hops| {
            held.push(Branch { resource, hops, farthest });
        });
    }

    /// Whether some transaction has several receivers.
    pub fn has_multicasts(&self) -> bool {
        let steps = self.processors.iter().flat_map(|own| &own.steps);
        steps.into_iter().any(|step| match step {
            Step::Issue(transaction) => matches!(transaction.operation, Operation::Multicast { .. }),
            Step::Barrier => false,
        })
    }
}

/// The ways behind the bytes that a node sends to another until their transaction is done.
pub(super) fn behind(fabric: &Fabric, from: NodeId, to: NodeId, transaction: &Transaction) -> Cycles {
    let there = fabric.way(transaction.plane, from, to);
    match transaction.operation {
        Operation::Write | Operation::Multicast { acknowledged: true, .. } => {
            Cycles(there.0 + fabric.way(transaction.plane, to, from).0)
        }
        Operation::Read | Operation::PostedWrite | Operation::Multicast { acknowledged: false, .. } => there,
    }
}

/// The nodes from one corner upwards along each axis to another, the last axis fastest.
fn nodes_of_box(grid: &Grid, corner: NodeId, last: NodeId) -> impl Iterator<Item = NodeId> {
    let side = move |axis: usize| -> (u32, u32) {
        let (side, at) = (grid.sides()[axis], grid.coordinate(corner, axis));
        (at, (grid.coordinate(last, axis) + side - at) % side + 1)
    };
    let count: u32 = (0..grid.dimensions()).map(|axis| side(axis).1).product();
    (0..count).map(move |index| {
        let (mut rest, mut node, mut stride) = (index, 0, 1);
        for axis in (0..grid.dimensions()).rev() {
            let (at, length) = side(axis);
            node += (at + rest % length) % grid.sides()[axis] * stride;
            (rest, stride) = (rest / length, stride * grid.sides()[axis]);
        }
        NodeId(node)
    })
}

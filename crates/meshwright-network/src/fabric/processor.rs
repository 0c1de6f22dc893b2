//! What issues messages: a processor, and how long each step of its program takes.

use meshwright_core::units::{Cycles, NodeId};

/// A kind of processor; every node has one of each kind.
///
/// # Source
///
/// `culler1993` for overhead and gap; the times around barriers are those of a kernel's loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Processor {
    /// Its name in traces.
    pub name: String,
    /// The nodes it exchanges bytes with, where its times are those of a kernel made for them; empty if for all.
    pub peers: Vec<NodeId>,
    /// The network its messages take where they name none.
    pub plane: usize,
    /// The overhead o: from a step that sends or asks until its first flit enters the network.
    pub overhead: Cycles,
    /// From its begin to its first message.
    pub first: Cycles,
    /// The gap g: from one message to the next.
    pub gap: Cycles,
    /// From its last message to the barrier.
    pub barrier: Cycles,
    /// From the last answer to the end of the barrier.
    pub tail: Cycles,
    /// From the begin of a barrier for which nothing is outstanding to its end.
    pub empty: Cycles,
    /// A profiler that writes its records out after so many: one at the begin, one a message, two a barrier; and how long
    /// that takes. `None` if there is none.
    pub profiler: Option<(u32, Cycles)>,
    /// From the end of a barrier to the next message.
    pub resume: Cycles,
}

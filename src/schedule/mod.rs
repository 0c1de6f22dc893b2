//! The waist: what planners make and the referee, the report and the exporters consume.
//!
//! | file | what |
//! |---|---|
//! | this one | [`Schedule`]: per rank, sends, receives and computations with their dependencies; `verify` |
//! | [`phases`] | [`Phases`]: messages grouped by phase, the loosely synchronous model of `lo1990` |
//! | [`goal`] | GOAL text, read and written |
//! | [`cost`] | analytic times: a message alone, a link's load, the serial sum |

pub mod cost;
pub mod goal;
pub mod phases;

pub use phases::Phases;

use crate::units::{Bytes, Cycles, NodeId};

/// A message from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The node that sends.
    pub source: NodeId,
    /// The node that receives.
    pub target: NodeId,
    /// How much is sent.
    pub bytes: Bytes,
    /// The phase it belongs to; the tag in GOAL text.
    pub phase: u32,
}

/// What a rank does, one step of its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Sends to `peer`; done when the last byte has left the node.
    Send {
        /// The rank that receives.
        peer: NodeId,
        /// How much.
        bytes: Bytes,
        /// Pairs the send with its receive.
        tag: u32,
    },
    /// Receives from `peer`; done when the last byte is here.
    Recv {
        /// The rank that sends.
        peer: NodeId,
        /// How much.
        bytes: Bytes,
        /// Pairs the receive with its send.
        tag: u32,
    },
    /// Computes for a while.
    Calc {
        /// How long.
        cycles: Cycles,
    },
}

/// One step waits for another of the same rank. Steps are numbered from 0 within their rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dependency {
    /// The step that waits.
    pub step: u32,
    /// The step it waits for.
    pub on: u32,
    /// Whether it waits for the start only (GOAL's `irequires`) or for the end (`requires`).
    pub start_only: bool,
}

/// The program of one rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rank {
    /// The steps; order alone means nothing, only dependencies do.
    pub ops: Vec<Op>,
    /// Which step waits for which.
    pub dependencies: Vec<Dependency>,
}

/// A graph of messages and computations between nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The programs, by rank; rank r runs on node r.
    pub ranks: Vec<Rank>,
}

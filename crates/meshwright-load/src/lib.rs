//! Divisible load: a load that can be cut anywhere enters at some nodes, and every node may take a share.
//!
//! | thesis | here | unit |
//! |---|---|---|
//! | L_i | [`Source::load`] | share of the whole load |
//! | alpha_i | [`Plan::shares`] | share of the whole load |
//! | sigma = z Tcm / (w Tcp) | [`Problem::sigma`] | none |
//! | T | [`Plan::makespan`] | w Tcp, the time of the whole load on one processor |
//! | Sp | [`Plan::speedup`] | none |
//! | D_i | layer: hops from the nearest source | links |
//!
//! Time is counted in units of w Tcp and load in shares of the whole. So a processor works off 1 load per unit of
//! time, and a link carries 1 / sigma in each direction, unless [`Speeds`] say otherwise.
//!
//! | file | what |
//! |---|---|
//! | [`problem`] | [`Problem`]: machine, sources, sigma |
//! | [`speed_file`] | processors and links that are not all alike, from a file |
//! | [`piece_file`], [`indivisible`] | pieces that must not be cut: their file; who gets which, and what that loses |
//! | [`number`] | [`Number`]: a formula is written once, for floats and for fractions |
//! | [`layers`] | how many nodes are how many hops from the nearest source |
//! | [`shares`] | the thesis's methods: what share of the load everybody takes |
//! | [`lp`] | one port, no front end, results, half duplex: the optimum as a linear programme |
//! | [`ports`], [`joint`] | where to put the next source; several at once |
//! | [`dynamic`] | loads and speeds that change: policies that share out at run time |
//! | [`queues`] | loads that keep coming: which rates can be worked off |
//! | `pieces` | what hangs together of a set of nodes |
//! | [`flow`] | what crosses the links; maximum and cheapest flows |
//! | [`optimum`] | the least makespan on shared links, its certificate and a flow that attains it |
//! | [`poisson`] | a flow for a million nodes |
//! | [`check`] | whether a claimed distribution is possible at all |
//! | [`witness`] | the flow or the schedule that shows it |
//! | [`installments`] | schedules one can run: the flow of the optimum in installments, any plan's shares as messages |
//!
//! # Source
//!
//! `zhang2018`, chapter 2.

#![forbid(unsafe_code)]

pub mod check;
mod claim;
pub mod dynamic;
pub mod flow;
pub mod indivisible;
pub mod installments;
pub mod joint;
pub mod layers;
pub mod lp;
pub mod number;
pub mod optimum;
pub mod piece_file;
mod pieces;
pub mod poisson;
pub mod ports;
pub mod problem;
pub mod queues;
pub mod shares;
pub mod speed_file;
pub mod witness;

pub use number::Number;
pub use problem::{Problem, Source, Speeds};

use serde::Serialize;

use meshwright_core::units::NodeId;

/// How a share passes the nodes on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forwarding {
    /// A node relays and works on what has arrived while the rest is still coming.
    CutThrough,
    /// A node relays without delay, but begins to work when its whole share is there.
    ModifiedStoreAndForward,
    /// A node relays and works on a message when the whole of it is there.
    StoreAndForward,
}

/// Every forwarding with its name on the command line.
pub const FORWARDINGS: &[(&str, Forwarding)] = &[
    ("cut-through", Forwarding::CutThrough),
    ("modified-store-and-forward", Forwarding::ModifiedStoreAndForward),
    ("store-and-forward", Forwarding::StoreAndForward),
];

impl Forwarding {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        FORWARDINGS.iter().find(|(_, forwarding)| *forwarding == self).expect("the table is complete").0
    }
}

/// The label of a node that belongs to no cell.
pub const UNUSED: u32 = u32::MAX;

/// Who works for which source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    /// By node id the index of its source in [`Problem::sources`], or [`UNUSED`].
    pub label: Vec<u32>,
    /// By node id the hops to the nearest member of its source (a single node, or connected sources taken as one);
    /// `u32::MAX` where there is none.
    pub depth: Vec<u32>,
}

/// A distribution of the load: what a method says everybody takes, and when all is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// When the last processor is done, in units of w Tcp.
    pub makespan: f64,
    /// By node id, the share of the whole load it works off; they sum to 1.
    pub shares: Vec<f64>,
    /// Who works for which source, if the method keeps sources apart.
    pub cells: Option<Cells>,
}

impl Plan {
    /// How many times faster than one processor: 1 / makespan.
    pub fn speedup(&self) -> f64 {
        1.0 / self.makespan
    }

    /// How many nodes have a share.
    pub fn nodes_used(&self) -> usize {
        self.shares.iter().filter(|&&share| share > 0.0).count()
    }
}

/// A set of nodes that has more to do than it can: the certificate of a bound, or what refutes a claim.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cut {
    /// The nodes of the set, in increasing order.
    pub nodes: Vec<NodeId>,
    /// What they can work off and send out in the time given, as a share of the whole load.
    pub capacity: f64,
    /// What enters among them, as a share of the whole load.
    pub demand: f64,
}

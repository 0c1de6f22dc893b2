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
//! | [`number`] | [`Number`]: a formula is written once, for floats and for fractions |
//! | [`layers`] | how many nodes are how many hops from the nearest source |
//! | [`closed_form`] | one source, the thesis: shares, speedup and finish time in O(layers) |
//! | [`voronoi`] | the cells of several sources, their layers and ties |
//! | [`schedulers`] | the thesis's schedulers for several sources: settings, answers, the table of methods |
//! | [`equivalence`] | a cell as one processor; connected sources as one source (EPSA, EPSEA) |
//! | [`earth_mover`] | evening out the loads of connected sources |
//! | [`programme`] | one port, no front end, results, half duplex: the optimum as a linear programme |
//! | [`ports`] | where to put the next source |
//! | [`queues`] | loads that keep coming: which rates can be worked off |
//! | [`reduced`], [`accelerated`], [`constrained`] | Voronoi schedulers (MDVDA, RMDVDA, ARMDVDA, RCMDVDA, RCMDVDEA) |
//! | `pieces` | what hangs together of a set of nodes |
//! | [`partition`] | the best cells in the thesis's model: a linear programme by prices |
//! | [`experiment`] | random sources, many rounds: what is saved and gained, and how far it is from the optimum |
//! | [`lower_band`] | the ideal community of a source, and the ratio to it |
//! | [`flow`] | what crosses the links; maximum and cheapest flows |
//! | [`optimum`] | the least makespan on shared links, its certificate and a flow that attains it |
//! | [`poisson`] | a flow for a million nodes |
//! | [`check`] | whether a claimed distribution is possible at all |
//! | [`witness`] | the flow or the schedule that shows it |
//! | [`flow_matrix`] | the same as a plan of a problem: [`flow_matrix::plan`] |
//! | [`timing`] | its timing diagram |
//! | [`installments`] | schedules one can run: the flow of the optimum in installments, any plan's shares as messages |
//!
//! # Source
//!
//! `zhang2018`, chapter 2.

#![forbid(unsafe_code)]

pub mod accelerated;
pub mod check;
mod claim;
pub mod closed_form;
pub mod constrained;
pub mod earth_mover;
pub mod equivalence;
pub mod experiment;
pub mod flow;
pub mod flow_matrix;
pub mod installments;
pub mod layers;
pub mod lower_band;
pub mod number;
pub mod optimum;
pub mod partition;
mod pieces;
pub mod poisson;
pub mod ports;
pub mod problem;
pub mod programme;
pub mod queues;
pub mod reduced;
mod scheduled;
pub mod schedulers;
pub mod speed_file;
pub mod timing;
pub mod voronoi;
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

//! Settings and answers of the schedulers for several sources.

use serde::Serialize;

use super::earth_mover::Rebalance;
use super::ties::Ties;
use crate::Plan;

/// What a scheduler may be told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SchedulerSettings {
    /// Whose a node is that is equally near to several sources.
    pub ties: Ties,
    /// Which processors of a cell are given up.
    pub reduction: Reduction,
    /// Whether cells are compared by Sp_i / L_i, which is right, or by Sp_i, as in the thesis.
    pub weighted: bool,
    /// Acceleration ends when no more than this share of the machine is saved.
    pub save_at_least: f64,
    /// Acceleration ends when the makespan is at most this, in units of w Tcp.
    pub finish: f64,
}

impl Default for SchedulerSettings {
    /// Ties to the lowest source; reduction by whole layers; acceleration as far as it goes.
    fn default() -> Self {
        Self {
            ties: Ties::Lowest,
            reduction: Reduction::Peel,
            weighted: true,
            save_at_least: 0.0,
            finish: 0.0,
        }
    }
}

/// Which processors a cell gives up that has more of them than the bottleneck needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reduction {
    /// Whole outer layers while the cell stays at least as fast as the bottleneck: the prose of the thesis.
    Peel,
    /// Everything beyond the radius of the bottleneck: the pseudo-code of the thesis. It may break the makespan.
    Literal,
    /// Everything beyond the smallest radius of all cells. It may break the makespan.
    LiteralMin,
    /// As by layers, then single processors of the last layer.
    Node,
}

/// Every reduction with its name on the command line.
pub const REDUCTIONS: &[(&str, Reduction)] = &[
    ("peel", Reduction::Peel),
    ("literal", Reduction::Literal),
    ("literal-min", Reduction::LiteralMin),
    ("node", Reduction::Node),
];

impl Reduction {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        REDUCTIONS.iter().find(|(_, reduction)| *reduction == self).expect("the table is complete").0
    }
}

/// One cell of a schedule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// The indices of its sources in [`Problem::sources`](crate::Problem::sources), in increasing order; the first is the label of its nodes.
    pub sources: Vec<usize>,
    /// L_i: what enters at them, as a share of the whole load.
    pub load: f64,
    /// How many of its nodes are that many hops from the nearest of its sources.
    pub layers: Vec<u32>,
    /// Sp_i: how many times faster than one processor it works off a load of its own.
    pub speedup: f64,
}

impl Cell {
    /// How many nodes work for it.
    pub fn nodes(&self) -> u32 {
        self.layers.iter().sum()
    }

    /// R_i: the hops to its farthest node.
    pub fn radius(&self) -> usize {
        self.layers.len() - 1
    }
}

/// What a scheduler answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheduled {
    /// Who takes how much and when all is done.
    pub plan: Plan,
    /// The cells, in the order of their first sources.
    pub cells: Vec<Cell>,
    /// Sp_i of the unreduced cells.
    pub speedups_before: Vec<f64>,
    /// How many nodes of the unreduced cells have nothing to do, those that a tie leaves to nobody included.
    pub saved: u32,
    /// The same as a share of the nodes that work.
    pub saved_share: f64,
    /// How many freed nodes were given to another cell.
    pub merged: u32,
    /// Whether the makespan is no longer than with the unreduced cells.
    pub makespan_kept: bool,
    /// By cell, how the sources that are taken as one share their load beforehand; empty if the method does not.
    pub rebalances: Vec<Rebalance>,
    /// What one has to know before one uses it.
    pub warning: Option<String>,
}

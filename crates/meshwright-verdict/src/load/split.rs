//! The answer to `split`: one load on one machine, without the cycles of a plan in the foreground.

use serde::Serialize;

use super::{Deadline, Further, LoadBound, LoadOutcome, LoadVerdict, SourceRow};
use crate::Skipped;
use crate::installments::FrontRow;
use meshwright_network::topology::Machine;

/// A divided load.
#[derive(Debug, Serialize)]
pub struct SplitAnswer<'a> {
    /// The version of this form: 1.
    pub format: u32,
    /// The specification of the machine.
    pub machine: &'a str,
    /// The coordinates of dead nodes.
    pub dead: Vec<Vec<u32>>,
    /// The coordinates of the two ends of each dead link.
    pub dead_links: Vec<[Vec<u32>; 2]>,
    /// The time of a load on a link over its time on a processor.
    pub sigma: f64,
    /// Processors and links, if they are not all alike.
    pub speeds: Option<SpeedRows<'a>>,
    /// The start-up of a message, in units of w Tcp.
    pub startup: f64,
    /// Where the load enters.
    pub sources: &'a [SourceRow],
    /// What no schedule can beat, and why.
    pub bound: &'a LoadBound,
    /// Installments none of which is beaten in processors, messages and time at once, if they were asked for.
    pub front: &'a [FrontRow],
    /// How few processors meet the deadline, if one was given.
    pub deadline: Option<&'a Deadline>,
    /// What was asked beyond the division.
    #[serde(flatten)]
    pub further: &'a Further,
    /// The method with the least simulated time.
    pub winner: Option<&'a str>,
    /// Why it wins, in one sentence.
    pub reason: &'a str,
    /// Method by method.
    pub methods: Vec<Named<'a>>,
    /// Methods that do not apply.
    pub skipped: &'a [Skipped],
}

/// Times of the whole load, in units of w Tcp.
#[derive(Debug, Serialize)]
pub struct SpeedRows<'a> {
    /// By node id; null for a node that only relays.
    pub work: &'a [f64],
    /// By link id; null for a link that carries nothing.
    pub link: &'a [f64],
}

/// What a method does, with its name under the key of this answer.
#[derive(Debug, Serialize)]
pub struct Named<'a> {
    /// The method's name.
    pub name: &'a str,
    /// By node id the share of the whole load, where the nodes of a layer are not all alike.
    pub shares: Option<&'a [f64]>,
    /// The rest.
    #[serde(flatten)]
    pub outcome: &'a LoadOutcome,
}

impl<'a> SplitAnswer<'a> {
    /// The answer for this verdict.
    pub fn new(machine: &'a Machine, speeds: Option<SpeedRows<'a>>, verdict: &'a LoadVerdict) -> Self {
        let ends = |&(a, b): &(_, _)| [machine.coordinates(a), machine.coordinates(b)];
        Self {
            format: 1,
            machine: machine.name(),
            dead: machine.dead().iter().map(|&node| machine.coordinates(node)).collect(),
            dead_links: machine.dead_links().iter().map(ends).collect(),
            sigma: verdict.sigma,
            speeds,
            startup: verdict.startup,
            sources: &verdict.sources,
            bound: &verdict.bound,
            front: &verdict.front,
            deadline: verdict.deadline.as_ref(),
            further: &verdict.further,
            winner: verdict.winner.as_deref(),
            reason: &verdict.reason,
            methods: verdict.results.iter().map(Named::new).collect(),
            skipped: &verdict.skipped,
        }
    }
}

impl<'a> Named<'a> {
    fn new(outcome: &'a LoadOutcome) -> Self {
        Self { name: &outcome.method, shares: outcome.single_shares(), outcome }
    }
}

//! The form of the answer to `split`: one load on one machine, without the cycles of a plan in the foreground.

use serde::Serialize;

use super::load::MethodForm;
use meshwright_network::topology::Machine;
use meshwright_verdict::installments::FrontRow;
use meshwright_verdict::load::{Deadline, Further, LoadBound, SourceRow};
use meshwright_verdict::{LoadOutcome, LoadVerdict, Skipped};

/// A divided load.
#[derive(Debug, Serialize)]
pub struct SplitForm<'a> {
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
    name: &'a str,
    /// By node id the share of the whole load, where the nodes of a layer are not all alike.
    shares: Option<&'a [f64]>,
    /// The rest.
    #[serde(flatten)]
    outcome: MethodForm<'a>,
}

impl<'a> SplitForm<'a> {
    /// The answer for this verdict.
    pub fn new(machine: &'a Machine, speeds: Option<SpeedRows<'a>>, verdict: &'a LoadVerdict) -> Self {
        Self {
            format: 1,
            machine: machine.name(),
            dead: machine.dead_coordinates(),
            dead_links: machine.dead_link_coordinates(),
            sigma: verdict.facts.sigma,
            speeds,
            startup: verdict.facts.startup,
            sources: &verdict.facts.sources,
            bound: &verdict.facts.bound,
            front: &verdict.facts.front,
            deadline: verdict.facts.deadline.as_ref(),
            further: &verdict.facts.further,
            winner: verdict.winner_name(),
            reason: &verdict.reason,
            methods: verdict.results.iter().map(Named::of).collect(),
            skipped: &verdict.skipped,
        }
    }
}

impl<'a> Named<'a> {
    fn of(outcome: &'a LoadOutcome) -> Self {
        Self { name: &outcome.method, shares: outcome.single_shares(), outcome: outcome.into() }
    }
}

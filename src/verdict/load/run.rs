//! The referee's time of a divided load.

use crate::error::Result;
use crate::load::Plan;
use crate::routing::{self, Pair};
use crate::schedule::cost::LinkLoads;
use crate::schedule::{Message, Schedule};
use crate::sim;
use crate::topology::{Machine, Topology};
use crate::verdict::{HottestLink, measure};

/// Loads that would take more messages than this are not sent.
const MESSAGES_MAX: u64 = 3_000_000;

/// Shares are cut into pieces until there are this many messages.
const MESSAGES_ENOUGH: u64 = 200_000;

/// In more pieces a share gains little.
const PIECES_MAX: u64 = 16;

/// What the referee measured.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) ticks: u64,
    pub(super) messages: u64,
    pub(super) hottest: Option<HottestLink>,
}

/// Runs a schedule; none when it comes to a standstill.
pub(super) fn run(machine: &Machine, schedule: &Schedule) -> Result<Option<Run>> {
    if schedule.ranks.is_empty() {
        return Ok(None);
    }
    let trace = sim::run_schedule(machine, schedule)?;
    if trace.deadlock.is_some() {
        return Ok(None);
    }
    let matched = schedule.messages();
    let messages: Vec<Message> = matched.iter().map(Message::from).collect();
    let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
    let mut loads = LinkLoads::new(machine.links());
    loads.fill(&messages, &routing::routes(machine, &pairs)?);
    let hottest = measure::hottest_link(&loads, machine);
    Ok(Some(Run { ticks: trace.ticks, messages: messages.len() as u64, hottest }))
}

/// Into how many pieces each share of a plan is cut on its way, with `depth` the hops to each node; none when the
/// plan takes too many messages.
pub(super) fn pieces(plan: &Plan, depth: &[u32]) -> Option<u32> {
    let hops = |(&share, &hops): (&f64, &u32)| if share > 0.0 { u64::from(hops) } else { 0 };
    let messages: u64 = plan.shares.iter().zip(depth).map(hops).sum();
    (messages <= MESSAGES_MAX).then(|| (MESSAGES_ENOUGH / messages.max(1)).clamp(1, PIECES_MAX) as u32)
}

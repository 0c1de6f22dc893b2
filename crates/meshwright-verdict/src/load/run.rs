//! The referee's time of a divided load.

use super::terms::Terms;
use super::{TimingRow, audit};
use crate::LinkUse;
use crate::measure;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_load::installments::{
    self, Basis, ListSettings, Scale, deliver_and_return, deliver_longest_first,
};
use meshwright_load::lp::Variant;
use meshwright_load::{Forwarding, Plan, Problem, layers};
use meshwright_schedule::{Message, Schedule};
use meshwright_sim as sim;
use meshwright_sim::link_use::{self, Way};

/// Loads that would take more messages than this are not sent.
const MESSAGES_MAX: u64 = 3_000_000;

/// Shares are cut into pieces until there are this many messages.
const MESSAGES_ENOUGH: u64 = 200_000;

/// On machines of so many nodes another order of whole shares is tried, too.
const ORDERED_NODES_MAX: usize = 4096;

/// In more pieces a share gains little.
const PIECES_MAX: u64 = 16;

/// Into how many pieces shares are cut where every message has a start-up: the best of these.
const PIECES: &[u32] = &[1, 2, 4, 16];

/// What the referee measured.
#[derive(Clone)]
pub(super) struct Run {
    pub(super) ticks: u64,
    pub(super) messages: u64,
    pub(super) hottest: Option<LinkUse>,
    pub(super) timing: Vec<TimingRow>,
    /// Why it is no run of the machine that was asked for, if it is none.
    pub(super) misfit: Option<String>,
}

/// Runs a schedule for a machine of this variant; none when it comes to a standstill.
pub(super) fn run(
    scale: &Scale<'_, '_>,
    variant: &Variant,
    depth: &[u32],
    schedule: &Schedule,
) -> Result<Option<Run>> {
    let machine = scale.problem().machine();
    let (trace, timeline) = sim::watch_schedule(machine, schedule)?;
    if trace.deadlock.is_some() {
        return Ok(None);
    }
    let matched = schedule.messages();
    let messages: Vec<Message> = matched.iter().map(Message::from).collect();
    let loads = measure::loads(&messages, machine, &Way::usual(machine))?;
    Ok(Some(Run {
        ticks: trace.ticks,
        messages: messages.len() as u64,
        hottest: link_use::busiest_link(&loads, machine),
        timing: TimingRow::of_run(scale, depth, &matched, &timeline),
        misfit: audit::misfit(scale, variant, &matched, &timeline),
    }))
}

/// By node the hops to the nearest source.
pub(super) fn depths(problem: &Problem<'_>) -> Vec<u32> {
    let nodes: Vec<NodeId> = problem.sources().iter().map(|source| source.node).collect();
    layers::depths(problem.machine(), &nodes)
}

/// Into how many pieces each share of a plan is worth cutting on its way, with `depth` the hops to each node; none when
/// the plan takes too many messages. Where every message has a start-up, few pieces may be faster.
fn pieces(plan: &Plan, depth: &[u32], has_startup: bool) -> Vec<u32> {
    let hops = |(&share, &hops): (&f64, &u32)| if share > 0.0 { u64::from(hops) } else { 0 };
    let messages: u64 = plan.shares.iter().zip(depth).map(hops).sum();
    if messages > MESSAGES_MAX {
        return Vec::new();
    }
    let many = (MESSAGES_ENOUGH / messages.max(1)).clamp(1, PIECES_MAX) as u32;
    match has_startup {
        true => PIECES.iter().copied().filter(|&pieces| pieces <= many).collect(),
        false => vec![many],
    }
}

/// The shares of a plan sent one by one, the nearest first, or by a list schedule where nothing else fits, or the machine does
/// less at a time and it is sooner; none when the plan takes too many messages, or nothing fits.
pub(super) fn deliver(
    scale: &Scale<'_, '_>,
    terms: &Terms,
    depth: &[u32],
    plan: &Plan,
    forwarding: Forwarding,
) -> Result<Option<(Run, Schedule)>> {
    let pieces = pieces(plan, depth, terms.startup > 0.0);
    if pieces.is_empty() {
        return Ok(None);
    }
    let variant = &terms.variant;
    let fitting = |schedule: Schedule| -> Result<Option<(Run, Schedule)>> {
        let run = run(scale, variant, depth, &schedule)?;
        Ok(run.filter(|run| run.misfit.is_none()).map(|run| (run, schedule)))
    };
    let mut sent = Vec::new();
    if (Variant { home: None, memory: None, ..*variant }) == *variant {
        for pieces in pieces {
            sent.extend(fitting(deliver_and_return(scale, plan, forwarding, pieces, variant.results)?)?);
        }
        if forwarding == Forwarding::StoreAndForward && depth.len() <= ORDERED_NODES_MAX {
            sent.extend(fitting(deliver_longest_first(scale, plan, forwarding, variant.results)?)?);
        }
    }
    if sent.is_empty() || *variant != Variant::default() || terms.startup > 0.0 {
        let settings =
            ListSettings { chunks: None, moves: false, whole: forwarding != Forwarding::CutThrough };
        match installments::list(scale, variant, Basis::Shares(plan), &settings) {
            Ok(list) => sent.extend(fitting(list.schedule)?),
            Err(Error::NotApplicable { .. } | Error::TooLarge { .. }) if !sent.is_empty() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(sent.into_iter().min_by_key(|(run, _)| run.ticks))
}

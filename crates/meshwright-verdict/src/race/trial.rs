//! One algorithm from one root: what is known before it runs, and how it runs in how many chunks.

use meshwright_collectives::chunks::chunks;
use meshwright_collectives::flow::Flow;
use meshwright_collectives::{Algorithm, Task, predict};
use meshwright_core::error::Result;
use meshwright_network::routing::Pair;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::Message;
use meshwright_schedule::cost::{self, LinkLoads};
use meshwright_sim::fitting::{self, FLIT_HOPS_MAX, Fitted};
use meshwright_sim::link_use::{self, Way};

use super::synthesis::is_searched;
use crate::measure::deadlock_sentence;
use crate::{LinkUse, LinkWait};

/// So many greater numbers of chunks than the best by the closed form are among those that are tried.
const NEIGHBOURS: usize = 2;

/// The most messages, chunks counted, of an algorithm that cannot win any more.
const CANNOT_WIN: u64 = 1 << 18;

/// What is known before it runs.
#[derive(Clone, Debug)]
pub(super) struct Look {
    /// The prediction without chunks, in cycles.
    pub(super) predicted: u64,
    /// No run of this flow takes less, in whatever chunks, in cycles.
    pub(super) floor: u64,
    /// What takes so long: its busiest link, or, once it is to run, its longest chain of messages.
    pub(super) floor_of: &'static str,
    /// What it may take: its prediction, or, where chunks stream, its floor and the start-ups and heads of all steps.
    pub(super) expected: u64,
    pub(super) steps: u32,
    pub(super) messages: u64,
    pub(super) bytes_hops: u64,
    pub(super) busiest: Option<LinkUse>,
}

/// How it ran.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) chunks: u32,
    /// The simulated time; none after a standstill.
    pub(super) cycles: Option<u64>,
    /// Why it stands still.
    pub(super) standstill: Option<String>,
    pub(super) predicted: u64,
    pub(super) messages: u64,
    pub(super) busiest: Option<LinkUse>,
    pub(super) waited: Option<LinkWait>,
}

/// Looks at the flow of an algorithm before it runs.
pub(super) fn look(task: &Task<'_>, flow: &Flow, algorithm: &Algorithm) -> Result<Look> {
    let streams = algorithm.streams;
    let (machine, messages) = (task.machine(), predict::messages(task, flow));
    let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
    let routes = Way::usual(machine).routes(&pairs)?;
    let mut loads = LinkLoads::new(machine.links());
    loads.fill(&messages, &routes);
    let hops = |index: usize| routes.hops(index, pairs[index]);
    let of = |(index, message): (usize, &Message)| message.bytes.0 * u64::from(hops(index).0);
    let bytes_hops = messages.iter().enumerate().map(of).sum();
    // Messages in chunks pay their start-ups at the same time, and their bytes still cross the link.
    let costs = machine.costs();
    let link = cost::link_bound(&messages, &routes, &loads, machine.switching(), costs);
    let whole = if streams { costs.startup_ticks() + bytes_ticks(&loads, machine) } else { link };
    let floor = whole.min(link);
    let predicted = predicted(task, flow, algorithm)?;
    let steps = u64::from(flow.steps()) * (costs.startup_ticks() + costs.head_ticks());
    let expected = if streams { costs.cycles(floor + steps).0 } else { predicted };
    Ok(Look {
        predicted,
        floor: costs.cycles(floor).0,
        floor_of: "busiest link",
        expected,
        steps: if is_searched(algorithm) { in_a_row(flow) } else { flow.steps() },
        messages: messages.len() as u64,
        bytes_hops,
        busiest: link_use::busiest_link(&loads, machine),
    })
}

/// Messages one after the other at most: steps of what was searched for say no more than the order of sending.
fn in_a_row(flow: &Flow) -> u32 {
    flow.longest_chain(|_| 1).map_or(flow.steps(), |chain| chain as u32)
}

/// What the bytes of the link with the most of them take.
fn bytes_ticks(loads: &LinkLoads, machine: &Machine) -> u64 {
    loads.bytes_max() * machine.costs().byte_time.numerator()
}

/// What is known when an algorithm is to run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// The best time so far.
    pub(super) best: Option<u64>,
    /// An algorithm that takes so many times the best does not run; none if all do.
    pub(super) hopeless: Option<u64>,
    /// All chunks of an algorithm that streams are at most so many messages.
    pub(super) chunked: u64,
}

impl Known {
    /// Whether a time is so long that nobody wants to know more.
    pub(super) fn is_hopeless(&self, cycles: u64) -> bool {
        let limit = self.best.zip(self.hopeless).map(|(best, times)| best.saturating_mul(times));
        limit.is_some_and(|limit| cycles > 0 && cycles >= limit)
    }
}

/// Runs an algorithm, in several numbers of chunks if that lets it stream; the best of these: from the number that the closed form of
/// a pipeline names to its neighbours, as long as that is faster. None where its longest chain is hopeless, which is noted as its floor.
///
/// Whoever cannot win any more, by that floor, is not cut into more than [`CANNOT_WIN`] messages.
pub(super) fn run(
    task: &Task<'_>,
    algorithm: &Algorithm,
    look: &mut Look,
    known: &Known,
) -> Result<Option<Run>> {
    let flow = algorithm.of(task)?;
    let bytes = |index| if algorithm.streams { 0 } else { flow.bytes(index) };
    let chain = task.machine().costs().cycles(predict::chain(task, &flow, bytes).unwrap_or(0)).0;
    if chain > look.floor {
        (look.floor, look.floor_of) = (chain, "longest chain of messages");
    }
    if known.is_hopeless(look.floor) {
        return Ok(None);
    }
    let best = match algorithm.streams {
        true => {
            let wins = known.best.is_none_or(|best| look.floor < best);
            best_in_chunks(task, &flow, if wins { known.chunked } else { known.chunked.min(CANNOT_WIN) })?
        }
        false => timed(task, &flow, 1)?,
    };
    Ok(Some(described(task, &flow.chunked(best.chunks)?, best, algorithm)?))
}

/// The best number of chunks.
fn best_in_chunks(task: &Task<'_>, flow: &Flow, messages_max: u64) -> Result<Timed> {
    let most = chunks_max(task, flow, messages_max).max(1);
    let mut numbers: Vec<u32> = chunks(task, flow).into_iter().map(|chunks| chunks.min(most)).collect();
    numbers.dedup();
    let first = numbers.len().saturating_sub(NEIGHBOURS + 1);
    let mut best = timed(task, flow, numbers[first])?;
    let mut is_better = |chunks: u32| -> Result<bool> {
        let next = timed(task, flow, chunks)?;
        let is_better = next.cycles().is_some_and(|cycles| best.cycles().is_none_or(|least| cycles < least));
        if is_better {
            best = next;
        }
        Ok(is_better)
    };
    let (fewer, more) = (numbers[..first].iter().rev(), &numbers[first + 1..]);
    let mut pays_off = false;
    for &chunks in fewer {
        if !is_better(chunks)? {
            break;
        }
        pays_off = true;
    }
    if !pays_off {
        for &chunks in more {
            if !is_better(chunks)? {
                break;
            }
        }
    }
    Ok(best)
}

/// A chunk has a flit at least, and all chunks are not too many messages.
fn chunks_max(task: &Task<'_>, flow: &Flow, messages_max: u64) -> u32 {
    let largest = flow.blocks().iter().map(|block| block.bytes).max().unwrap_or(0);
    let by_size = largest / task.machine().costs().flit.0.max(1);
    let by_messages = messages_max / (flow.transfers().len() as u64).max(1);
    u32::try_from(by_size.min(by_messages)).unwrap_or(u32::MAX)
}

/// A simulation of a flow in so many chunks.
struct Timed {
    chunks: u32,
    fitted: Fitted,
}

impl Timed {
    /// None after a standstill.
    fn cycles(&self) -> Option<u64> {
        self.fitted.trace.deadlock.is_none().then_some(self.fitted.trace.cycles.0)
    }
}

fn timed(task: &Task<'_>, flow: &Flow, chunks: u32) -> Result<Timed> {
    let schedule = flow.chunked(chunks)?.schedule(task.nodes(), task.machine().nodes(), task.combine);
    let mut fitted = fitting::simulate(task.machine(), &schedule, FLIT_HOPS_MAX)?;
    fitted.trace.latency_ticks = Vec::new();
    Ok(Timed { chunks, fitted })
}

/// When a flow ends as it is; none if it does not.
pub(super) fn cycles(task: &Task<'_>, flow: &Flow) -> Result<Option<u64>> {
    Ok(timed(task, flow, 1)?.cycles())
}

/// The simulation of a flow as it is.
pub(super) fn simulated(task: &Task<'_>, flow: &Flow, algorithm: &Algorithm) -> Result<Run> {
    described(task, flow, timed(task, flow, 1)?, algorithm)
}

/// The predicted cycles of a flow: steps of what was searched for are no more than the order of sending.
fn predicted(task: &Task<'_>, flow: &Flow, algorithm: &Algorithm) -> Result<u64> {
    let predicted =
        if is_searched(algorithm) { predict::in_order(task, flow) } else { predict::predicted(task, flow) };
    Ok(predicted?.0)
}

/// What there is to say of a simulation beside its time; the flow is that in chunks.
fn described(task: &Task<'_>, flow: &Flow, timed: Timed, algorithm: &Algorithm) -> Result<Run> {
    let (machine, fitted) = (task.machine(), &timed.fitted);
    let messages = predict::messages(task, flow);
    let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
    let mut loads = LinkLoads::new(machine.links());
    loads.fill(&messages, &Way::of(machine, fitted.routers.as_ref())?.routes(&pairs)?);
    Ok(Run {
        chunks: timed.chunks,
        cycles: timed.cycles(),
        standstill: deadlock_sentence(machine, fitted),
        predicted: predicted(task, flow, algorithm)?,
        messages: messages.len() as u64,
        busiest: link_use::busiest_link(&loads, machine),
        waited: link_use::blame(&fitted.trace, machine),
    })
}

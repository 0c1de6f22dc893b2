//! One algorithm from one root: what is known before it runs, and how it runs in how many chunks.

use meshwright_collectives::chunks::chunks;
use meshwright_collectives::flow::Flow;
use meshwright_collectives::{Algorithm, Task, predict};
use meshwright_core::csr::Csr;
use meshwright_core::error::Result;
use meshwright_core::units::Bytes;
use meshwright_network::routing::Pair;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::Message;
use meshwright_schedule::cost::{self, LinkLoads};
use meshwright_sim::fitting::{self, FLIT_HOPS_MAX, Fitted};
use meshwright_sim::link_use::{self, Way};

use crate::measure::deadlock_sentence;
use crate::{LinkUse, LinkWait};

/// So many greater numbers of chunks than the best by the closed form are among those that are tried.
const NEIGHBOURS: usize = 2;

/// What is known before it runs.
#[derive(Clone, Debug)]
pub(super) struct Look {
    /// The prediction without chunks, in cycles.
    pub(super) predicted: u64,
    /// No run of this flow takes less, in whatever chunks, in cycles.
    pub(super) floor: u64,
    /// What takes so long: its busiest link, or its longest chain of messages.
    pub(super) floor_of: &'static str,
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

/// The messages of a flow, all in one phase.
fn messages(task: &Task<'_>, flow: &Flow) -> Vec<Message> {
    let of = |(index, transfer): (usize, &meshwright_collectives::flow::Transfer)| Message {
        source: task.nodes()[transfer.source as usize],
        target: task.nodes()[transfer.target as usize],
        bytes: Bytes(flow.bytes(index)),
        phase: 1,
    };
    flow.transfers().iter().enumerate().map(of).collect()
}

/// Looks at the flow of an algorithm before it runs.
pub(super) fn look(task: &Task<'_>, flow: &Flow, streams: bool) -> Result<Look> {
    let (machine, messages) = (task.machine(), messages(task, flow));
    let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
    let routes = Way::usual(machine).routes(&pairs)?;
    let predicted = predict::predicted(task, flow)?.0;
    let mut loads = LinkLoads::new(machine.links());
    loads.fill(&messages, &routes);
    let hops = |index: usize| routes.hops(index, pairs[index]);
    let of = |(index, message): (usize, &Message)| message.bytes.0 * u64::from(hops(index).0);
    let bytes_hops = messages.iter().enumerate().map(of).sum();
    // Messages in chunks pay their start-ups at the same time, and their bytes still cross the link.
    let costs = machine.costs();
    let link = cost::link_bound(&messages, &routes, &loads, machine.switching(), costs);
    let whole = if streams { costs.startup_ticks() + bytes_ticks(&loads, machine) } else { link };
    let of_chunk = |bytes: Bytes| if streams { Bytes(0) } else { bytes };
    let chain = chain_ticks(flow, |index| {
        costs.alone_ticks(machine.switching(), of_chunk(messages[index].bytes), hops(index))
    });
    let floors = [(whole.min(link), "busiest link"), (chain, "longest chain of messages")];
    let (floor, floor_of) = floors.into_iter().max_by_key(|floor| floor.0).expect("two of them");
    Ok(Look {
        predicted,
        floor: costs.cycles(floor).0,
        floor_of,
        steps: flow.steps(),
        messages: messages.len() as u64,
        bytes_hops,
        busiest: link_use::busiest_link(&loads, machine),
    })
}

/// The longest chain of messages that wait for each other, each of which takes `alone` at least, in ticks.
fn chain_ticks(flow: &Flow, alone: impl Fn(usize) -> u64) -> u64 {
    let many = flow.transfers().len();
    let awaited: Csr<u32> =
        Csr::from_pairs(many, flow.waits().into_iter().map(|(on, waits)| (waits as usize, on)));
    let mut order: Vec<usize> = (0..many).collect();
    // What a message waits for has come in earlier steps.
    order.sort_by_key(|&index| flow.transfers()[index].step);
    let mut arrives = vec![0; many];
    for index in order {
        let begins = awaited.row(index).iter().map(|&on| arrives[on as usize]).max().unwrap_or(0);
        arrives[index] = begins + alone(index);
    }
    arrives.into_iter().max().unwrap_or(0)
}

/// What the bytes of the link with the most of them take.
fn bytes_ticks(loads: &LinkLoads, machine: &Machine) -> u64 {
    loads.bytes_max() * machine.costs().byte_time.numerator()
}

/// Runs an algorithm, in several numbers of chunks of at most so many messages if that lets it stream; the best of these: from the number that
/// the closed form of a pipeline names to its neighbours, as long as that is faster.
pub(super) fn run(task: &Task<'_>, algorithm: &Algorithm, messages_max: u64) -> Result<Run> {
    let flow = algorithm.of(task)?;
    if !algorithm.streams {
        return once(task, &flow, 1);
    }
    let most = chunks_max(task, &flow, messages_max).max(1);
    let mut numbers: Vec<u32> = chunks(task, &flow).into_iter().map(|chunks| chunks.min(most)).collect();
    numbers.dedup();
    let first = numbers.len().saturating_sub(NEIGHBOURS + 1);
    let mut best = once(task, &flow, numbers[first])?;
    let mut is_better = |chunks: u32| -> Result<bool> {
        let next = once(task, &flow, chunks)?;
        let is_better = next.cycles.is_some_and(|cycles| best.cycles.is_none_or(|least| cycles < least));
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

/// One simulation.
fn once(task: &Task<'_>, flow: &Flow, chunks: u32) -> Result<Run> {
    let run = simulated(task, &flow.chunked(chunks)?)?;
    Ok(Run { chunks, ..run })
}

/// The simulation of a flow as it is.
pub(super) fn simulated(task: &Task<'_>, flow: &Flow) -> Result<Run> {
    let machine = task.machine();
    let schedule = flow.schedule(task.nodes(), machine.nodes(), task.combine);
    let fitted = fitting::simulate(machine, &schedule, FLIT_HOPS_MAX)?;
    let Fitted { trace, routers, .. } = &fitted;
    let messages = messages(task, flow);
    let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
    let mut loads = LinkLoads::new(machine.links());
    loads.fill(&messages, &Way::of(machine, routers.as_ref())?.routes(&pairs)?);
    let standstill = deadlock_sentence(machine, &fitted);
    Ok(Run {
        chunks: 1,
        cycles: standstill.is_none().then_some(trace.cycles.0),
        standstill,
        predicted: predict::predicted(task, flow)?.0,
        messages: messages.len() as u64,
        busiest: link_use::busiest_link(&loads, machine),
        waited: link_use::blame(trace, machine),
    })
}

//! Analytic times of one phase: what is known before anything is simulated.
//!
//! | name | wormhole, cut-through | store-and-forward | is |
//! |---|---|---|---|
//! | [`alone`] | max of c + b (W + d h) | max of d (c + b W) | exact without contention (the paper) |
//! | [`link_level`] | max of c + b (B(e) + d h) | max(alone, busiest link) | the prediction, all ports |
//! | [`predicted`] | max(link level, ports) | max(link level, ports) | the prediction |
//! | [`path_level`] | max of c + b (W + C(e) + d h) | max of d (c + b W) + those e meets | each waits for all it meets |
//! | [`ports`] | c + b B at a node | busiest node | a lower bound with one port a node |
//! | [`link_bound`] | max(alone, c + b B) | max(alone, busiest link) | a lower bound of any schedule |
//! | [`forecast`] | sum over phases of predicted | the same | the prediction of a schedule |
//! | [`serial_sum`] | sum of alone | sum of alone | an upper bound while nothing deadlocks |
//!
//! B(e) is the most bytes on a link of the route of e, B the most on any link, C(e) the bytes of the other messages
//! that share a link with e.

mod loads;
mod pieces;
mod range_maxima;

pub use loads::{LinkLoad, LinkLoads};
#[doc(hidden)]
pub use pieces::{Entry, Piece};

use self::range_maxima::RangeMaxima;
use super::{Message, Phases};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Hops, NodeId};
use meshwright_network::routing::{self, Pair, Routes};
use meshwright_network::topology::{Costs, Machine, PortModel, Switching, Topology};

/// The time of a phase if no two messages met, in ticks.
///
/// # Source
///
/// `lo1990`, definition 8 with eq. (1) and section 5.1.2.
pub fn alone(messages: &[Message], routes: &Routes<'_>, switching: Switching, costs: &Costs) -> u64 {
    let one = |(index, message): (usize, &Message)| {
        costs.alone_ticks(switching, message.bytes, routes.hops(index, message.pair()))
    };
    messages.iter().enumerate().map(one).max().unwrap_or(0)
}

/// The predicted time of a phase, in ticks: each message as if it crossed its busiest link last.
///
/// Exact without contention. With it the prediction can be short: worms that overlap in a chain finish one after
/// the other, and three stored messages with the same three links take five steps, not three. Under wormhole
/// and cut-through it can also be long, by the head times of a message that the busiest link served early.
pub fn link_level(
    messages: &[Message],
    routes: &Routes<'_>,
    loads: &LinkLoads,
    switching: Switching,
    costs: &Costs,
) -> u64 {
    if switching == Switching::StoreAndForward {
        return link_bound(messages, routes, loads, switching, costs);
    }
    let ticks = |bytes: u64, hops: u64| {
        costs.startup_ticks() + bytes * costs.byte_time.numerator() + hops * costs.head_ticks()
    };
    let busiest = busiest_on_ways(messages, routes, loads);
    let one = |(index, message): (usize, &Message)| {
        ticks(busiest[index], routes.hops(index, message.pair()).0.into())
    };
    messages.iter().enumerate().map(one).max().unwrap_or(0)
}

/// For each message the most bytes on a link of its way, its own at least.
///
/// # Complexity
///
/// O(links of the lines in use + messages times dimensions times log links) on dimension-order routes, else O(sum of hops).
fn busiest_on_ways(messages: &[Message], routes: &Routes<'_>, loads: &LinkLoads) -> Vec<u64> {
    let mut busiest: Vec<u64> = messages.iter().map(|message| message.bytes.0).collect();
    if loads.messages_max() <= 1 {
        return busiest;
    }
    match loads.pieces() {
        Some(pieces) => {
            let maxima = RangeMaxima::new(loads.by_place().1);
            for piece in pieces {
                let most = &mut busiest[piece.message as usize];
                *most = (*most).max(maxima.most(piece.first as usize, piece.end as usize));
            }
        }
        None => {
            for (index, (message, most)) in messages.iter().zip(&mut busiest).enumerate() {
                routes.for_each_link(index, message.pair(), |link| *most = (*most).max(loads.bytes(link)));
            }
        }
    }
    busiest
}

/// The time of a phase if each message waited once for each that it meets, in ticks; `met` holds for each message how
/// many it meets and their bytes, and is empty when nobody meets.
///
/// Too long where those one meets do not come at the same time, too short where they wait for others themselves: a
/// figure beside the simulation, no bound.
///
/// # Source
///
/// `lo1990`, definitions 6 and 7, made a time.
pub fn path_level(
    messages: &[Message],
    routes: &Routes<'_>,
    met: &[(u32, u64)],
    switching: Switching,
    costs: &Costs,
) -> u64 {
    let one = |(index, message): (usize, &Message)| {
        let alone = costs.alone_ticks(switching, message.bytes, routes.hops(index, message.pair()));
        let (count, bytes) = met.get(index).copied().unwrap_or_default();
        let startups = match switching {
            Switching::Wormhole | Switching::CutThrough => 0,
            Switching::StoreAndForward => u64::from(count) * costs.startup_ticks(),
        };
        alone + startups + bytes * costs.byte_time.numerator()
    };
    messages.iter().enumerate().map(one).max().unwrap_or(0)
}

/// What the nodes at both ends of a message take for it, in ticks: 2 o; nothing where no message crosses a link.
pub fn ends(messages: &[Message], machine: &Machine) -> u64 {
    let crosses = messages.iter().any(|message| message.source != message.target);
    if crosses { 2 * machine.endpoints().overhead.0 * machine.costs().ticks_per_cycle() } else { 0 }
}

/// From the first to the last begin of the messages of the node that sends, or receives, the most of a phase, in ticks: max(o, g) between two of them.
fn between(messages: &[Message], machine: &Machine) -> u64 {
    let endpoints = machine.endpoints();
    let most = |node: fn(&Message) -> NodeId| {
        let over_links = messages.iter().filter(|message| message.source != message.target);
        let mut ends: Vec<NodeId> = over_links.map(node).collect();
        ends.sort_unstable();
        ends.chunk_by(|a, b| a == b).map(|one| one.len() as u64 - 1).max().unwrap_or(0)
    };
    let others = most(|message| message.source).max(most(|message| message.target));
    others * endpoints.overhead.0.max(endpoints.gap.0) * machine.costs().ticks_per_cycle()
}

/// The predicted time of a phase on a machine with its ports and the time of its nodes, in ticks.
///
/// ```text
/// 2 o + max(the time of links and ports, max(o, g) between the messages of the busiest node + the longest message alone)
/// ```
pub fn predicted(
    messages: &[Message],
    routes: &Routes<'_>,
    loads: &LinkLoads,
    switching: Switching,
    machine: &Machine,
) -> u64 {
    let links = link_level(messages, routes, loads, switching, machine.costs());
    let network = match machine.port_model() {
        PortModel::All => links,
        PortModel::One => links.max(ports(messages, switching, machine.costs())),
    };
    if machine.endpoints().is_free() {
        return network;
    }
    let nodes = between(messages, machine) + alone(messages, routes, switching, machine.costs());
    ends(messages, machine) + network.max(nodes)
}

/// The time nodes with one port take to send and to receive their messages of a phase one by one, in ticks:
/// the most, over nodes and directions, of the sum of c + b W. Under wormhole and cut-through the start-up is
/// paid at the sender only, so receiving takes one c and the sum of b W.
pub fn ports(messages: &[Message], switching: Switching, costs: &Costs) -> u64 {
    let busiest = |node: fn(&Message) -> NodeId, each: u64| {
        let over_links = messages.iter().filter(|message| message.source != message.target);
        let mut ends: Vec<(NodeId, u64)> =
            over_links.map(|message| (node(message), each + costs.transfer_ticks(message.bytes))).collect();
        ends.sort_unstable();
        ends.chunk_by(|a, b| a.0 == b.0).map(|one| one.iter().map(|(_, ticks)| ticks).sum::<u64>()).max()
    };
    let startup = costs.startup_ticks();
    let (once, each) = match switching {
        Switching::Wormhole | Switching::CutThrough => (startup, 0),
        Switching::StoreAndForward => (0, startup),
    };
    let sending = busiest(|message| message.source, startup).unwrap_or(0);
    let receiving = busiest(|message| message.target, each).map_or(0, |ticks| ticks + once);
    sending.max(receiving)
}

/// A time no schedule of a phase on these routes can beat, in ticks.
pub fn link_bound(
    messages: &[Message],
    routes: &Routes<'_>,
    loads: &LinkLoads,
    switching: Switching,
    costs: &Costs,
) -> u64 {
    let busiest = loads.loads().map(|load| load.occupied_ticks(switching, costs)).max().unwrap_or(0);
    let before = match switching {
        Switching::Wormhole | Switching::CutThrough => costs.startup_ticks(),
        Switching::StoreAndForward => 0,
    };
    let link = if loads.messages_max() == 0 { 0 } else { before + busiest };
    alone(messages, routes, switching, costs).max(link)
}

/// A time no schedule of a phase on these routes and ports can beat, in ticks.
fn least(messages: &[Message], routes: &Routes<'_>, loads: &LinkLoads, machine: &Machine) -> u64 {
    let links = link_bound(messages, routes, loads, machine.switching(), machine.costs());
    match machine.port_model() {
        PortModel::All => links,
        PortModel::One => links.max(ports(messages, machine.switching(), machine.costs())),
    }
}

/// What is known of a whole schedule before it is simulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Forecast {
    /// The predicted ticks of all phases, see [`predicted`].
    pub ticks: u64,
    /// No schedule on these routes takes less, in ticks: [`link_bound`] and [`ports`], summed over the phases.
    pub least_ticks: u64,
    /// The longest route of each phase, added up, in links.
    pub dilations: u64,
    /// All hops of all messages.
    pub hops: u64,
}

/// Predicts a schedule phase by phase, on the machine's usual routes and under its switching.
///
/// # Errors
///
/// As for [`routing::routes`] and [`serial_sum`].
///
/// # Complexity
///
/// O(messages log links + links of the lines in use) on a box, where routes are formulas; else O(links + sum of hops).
///
/// # Examples
///
/// ```
/// use meshwright_schedule::{Message, Phases};
/// use meshwright_schedule::cost::forecast;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::{Bytes, NodeId};
/// let send = |phase, source, target| Message { source: NodeId(source), target: NodeId(target), bytes: Bytes(8), phase };
/// let relay = Phases::new(4, vec![send(1, 0, 2), send(2, 2, 3)]);
/// let forecast = forecast(&relay, &Machine::new("mesh:4")?)?;
/// // c = 100, b = 1, h = 2: over two links, then over one.
/// assert_eq!((forecast.ticks, forecast.dilations, forecast.hops), ((100 + 8 + 4) + (100 + 8 + 2), 3, 3));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn forecast(phases: &Phases, machine: &Machine) -> Result<Forecast> {
    let mut loads = LinkLoads::new(machine.links());
    let (mut forecast, mut serial) = (Forecast::default(), 0);
    for index in 0..phases.len() {
        let messages = phases.phase(index);
        let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
        let routes = routing::routes(machine, &pairs)?;
        let times = u64::from(phases.repeats(index));
        // First of all: what passes this check can be counted.
        serial = serial_sum_of(serial, (messages, times), &routes, machine.switching(), machine.costs())?;
        loads.fill(messages, &routes);
        forecast.ticks += times * predicted(messages, &routes, &loads, machine.switching(), machine);
        forecast.least_ticks += times * least(messages, &routes, &loads, machine);
        let hops =
            || pairs.iter().enumerate().map(|(message, &pair)| u64::from(routes.hops(message, pair).0));
        forecast.dilations += times * hops().max().unwrap_or(0);
        forecast.hops += times * hops().sum::<u64>();
    }
    Ok(forecast)
}

/// The time of all messages one after the other, in ticks, added to `before`.
///
/// What passes this check can be counted and summed in 64 bits: every time, and every link's bytes.
///
/// # Errors
///
/// [`Error::TooLarge`] when the time leaves 63 bits or the bytes do; [`Error::Value`] as for [`Costs::check`].
pub fn serial_sum(
    before: u64,
    messages: &[Message],
    routes: &Routes<'_>,
    switching: Switching,
    costs: &Costs,
) -> Result<u64> {
    serial_sum_of(before, (messages, 1), routes, switching, costs)
}

/// As [`serial_sum`], of a phase that runs so often.
///
/// # Errors
///
/// As for [`serial_sum`].
pub fn serial_sum_of(
    before: u64,
    (messages, times): (&[Message], u64),
    routes: &Routes<'_>,
    switching: Switching,
    costs: &Costs,
) -> Result<u64> {
    costs.check()?;
    let too_large = |what, unit: &str| Error::TooLarge {
        what,
        needed: format!("more than 2^63 {unit}"),
        limit: format!("2^63 {unit}"),
    };
    let (mut time, mut bytes) = (Some(0u64), Some(0u64));
    for (index, message) in messages.iter().enumerate() {
        let hops = routes.hops(index, message.pair());
        // With checked costs and messages of at most a tebibyte one hop stays below 2^58 ticks.
        let hop = costs.alone_ticks(switching, message.bytes, Hops(1));
        let fits = hop.checked_mul(u64::from(hops.0.max(1))).is_some();
        time = time
            .filter(|_| fits)
            .and_then(|t| t.checked_add(costs.alone_ticks(switching, message.bytes, hops)));
        bytes = bytes.and_then(|bytes| bytes.checked_add(message.bytes.0));
    }
    if bytes.and_then(|bytes| bytes.checked_mul(times)).is_none_or(|bytes| bytes >> 63 != 0) {
        return Err(too_large("the volume of all messages", "bytes"));
    }
    let time = time.and_then(|once| once.checked_mul(times)?.checked_add(before));
    time.filter(|time| time >> 63 == 0)
        .ok_or_else(|| too_large("the time of all messages one after the other", "ticks"))
}

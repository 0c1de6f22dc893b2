//! The answer to `simulate`: what the referee measures of a schedule.

use serde::{Deserialize, Serialize};

use crate::fitting::{self, FLIT_HOPS_MAX, Fitted, Routers};
use crate::flit::Replay;
use crate::link_use::{self, LinkUse, LinkWait, Way};
use crate::point::channels;
use crate::{Engine, Trace, simulate};
use meshwright_core::error::Result;
use meshwright_core::rng;
use meshwright_core::units::{Bytes, Cycles};
use meshwright_network::fabric::Fabric;
use meshwright_network::routing::{self, Pair, Relation, Routes};
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_schedule::cost::LinkLoads;
use meshwright_schedule::{Message, Schedule};

/// Times from a message's start to its last byte, in cycles; none in a deadlock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Latency {
    /// The mean.
    pub mean: Option<f64>,
    /// Half of the messages take no longer.
    pub p50: Option<u64>,
    /// Of a hundred messages 99 take no longer.
    pub p99: Option<u64>,
    /// The longest.
    pub max: Option<u64>,
}

/// A link by its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    /// The node it leaves.
    pub from: u32,
    /// The node it enters.
    pub to: u32,
}

/// A simulated schedule.
#[derive(Clone, Debug, Serialize)]
pub struct SimulateReport {
    /// The version of this form: 1.
    pub format: u32,
    /// Where it ran.
    pub machine: String,
    /// Which engine: `message` or `flit`.
    pub engine: &'static str,
    /// How messages moved.
    pub switching: &'static str,
    /// The routers, if it ran flit by flit, or whole messages passed each other in date-line classes.
    pub routers: Option<Routers>,
    /// Why there are none, where whole messages ended in a deadlock and no engine was asked for.
    pub refused: Option<String>,
    /// When everything had ended; none in a deadlock.
    pub cycles: Option<u64>,
    /// The same in seconds; left out where the machine has no clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated_seconds: Option<f64>,
    /// How many messages.
    pub messages: u64,
    /// Flits times links, a head flit with each message (on routers not under store-and-forward); none when packets
    /// drew detours.
    pub flit_hops: Option<u128>,
    /// The busiest link, by time; none when no message passes a link, or packets choose their ways.
    #[serde(flatten, serialize_with = "crate::link_use::busiest_under_both")]
    pub hottest_link: Option<LinkUse>,
    /// The link that messages waited for the longest; none when none ever waited.
    pub waited_link: Option<LinkWait>,
    /// Message latencies; null in a deadlock.
    pub latency: Latency,
    /// A ring of channels whose holders wait for each other.
    pub deadlock: Option<Vec<Channel>>,
    /// What passes over each link, by its id; empty when packets choose their ways.
    #[serde(skip)]
    pub links: PerLink,
}

/// What passes over each link, by its id; a link behind the end carries nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PerLink {
    /// How many messages.
    pub messages: Vec<u32>,
    /// How long they take on it, in cycles.
    pub busy: Vec<u64>,
}

/// Runs a schedule on the message engine; a deadlock is an answer, with its ring.
///
/// # Errors
///
/// As for [`simulate()`].
///
/// # Examples
///
/// ```
/// use meshwright_schedule::goal;
/// use meshwright_network::topology::Machine;
/// use meshwright_sim::report;
/// let text = "num_ranks 3\nrank 0 { send 64b to 2 }\nrank 2 { recv 64b from 0 }\n";
/// let schedule = goal::parse(text.as_bytes(), "one.goal")?;
/// let report = report::report(&schedule, &Machine::new("mesh:1x3")?)?; // c = 100, b = 1, h = 2
/// // A head flit and 32 flits of 2 bytes, over two links.
/// assert_eq!((report.cycles, report.flit_hops), (Some(100 + 64 + 2 * 2), Some((1 + 32) * 2)));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn report(schedule: &Schedule, machine: &Machine) -> Result<SimulateReport> {
    let trace = simulate(machine, schedule, &Engine::Message)?;
    let (messages, pairs) = messages_of(schedule);
    let routes = routing::routes(machine, &pairs)?;
    let routers = if trace.passes > 0 { Routers::date_line(machine) } else { None };
    let mut report = told(trace, &messages, machine, "message");
    report.routers = routers;
    report.flit_hops =
        flit_hops(&messages, machine, machine.costs().flit, |index, pair| routes.hops(index, pair).0);
    report.count(&messages, &routes, machine);
    Ok(report)
}

/// Runs a schedule on the flit engine; a deadlock is an answer, with its ring.
///
/// # Errors
///
/// As for [`simulate()`].
///
/// # Examples
///
/// ```
/// use meshwright_sim::flit::{Replay, Router};
/// use meshwright_schedule::goal;
/// use meshwright_network::topology::Machine;
/// use meshwright_sim::report;
/// let text = "num_ranks 3\nrank 0 { send 64b to 2 }\nrank 2 { recv 64b from 0 }\n";
/// let schedule = goal::parse(text.as_bytes(), "one.goal")?;
/// let mesh = Machine::new("mesh:1x3")?;
/// let replay = Replay { router: Router::ideal(&mesh), packet: None, seed: 0 };
/// let flit = report::report_on_routers(&schedule, &mesh, &replay)?;
/// let message = report::report(&schedule, &mesh)?;
/// assert_eq!((flit.cycles, flit.flit_hops), (message.cycles, message.flit_hops));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn report_on_routers(schedule: &Schedule, machine: &Machine, replay: &Replay) -> Result<SimulateReport> {
    let trace = simulate(machine, schedule, &Engine::Flit(replay.clone()))?;
    let (messages, pairs) = messages_of(schedule);
    let mut report = told(trace, &messages, machine, "flit");
    report.routers = Some(Routers::of(&replay.router, machine)?);
    let flit = machine.costs().flit;
    if machine.fabric().is_some() {
        // Described networks have routes of their own.
        let routes = routing::routes(machine, &pairs)?;
        report.flit_hops = flit_hops(&messages, machine, flit, |index, pair| routes.hops(index, pair).0);
        report.count(&messages, &routes, machine);
        return Ok(report);
    }
    let relation = routing::relation(replay.router.routing_on(machine), machine)?;
    if !relation.adaptive() && !relation.random() {
        let routes = routing::stored(machine, &relation, &pairs, &mut rng::stream(replay.seed, "routing"))?;
        report.flit_hops = flit_hops(&messages, machine, flit, |index, pair| routes.hops(index, pair).0);
        // Routers serve the start-ups of several virtual channels beside each other: a link is busy with flits only.
        let mut in_flits = machine.clone();
        in_flits = in_flits.with_startup(Cycles(0))?;
        report.count(&messages, &routes, &in_flits);
    } else if !matches!(relation, Relation::Valiant(_) | Relation::RajasekaranTsantilas(_)) {
        // All others that choose or draw go by shortest ways.
        let hops = |_, (from, to)| machine.distance(from, to).map_or(0, |hops| hops.0);
        report.flit_hops = flit_hops(&messages, machine, flit, hops);
    }
    Ok(report)
}

/// Runs a schedule on the referee that fits, see [`fitting`]: on the message engine, which keeps date-line classes on a
/// torus, and if its worms end in a deadlock elsewhere, on the flit engine with the channels the routing needs.
///
/// # Errors
///
/// As for [`report`].
///
/// # Examples
///
/// ```
/// use meshwright_schedule::goal;
/// use meshwright_network::topology::Machine;
/// use meshwright_sim::report;
/// // Everybody sends half-way round a ring: with date-line classes worms pass those that wait for each other.
/// let rank = |r: u32| format!("rank {r} {{ send 64b to {}\nrecv 64b from {} }}\n", (r + 2) % 4, (r + 2) % 4);
/// let text = format!("num_ranks 4\n{}", (0..4).map(rank).collect::<String>());
/// let (schedule, ring) = (goal::parse(text.as_bytes(), "ring.goal")?, Machine::new("torus:4")?);
/// let fitting = report::fitting_report(&schedule, &ring)?;
/// assert_eq!((fitting.engine, fitting.deadlock), ("message", None));
/// assert_eq!(fitting.routers.map(|routers| routers.virtual_channels), Some(2));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn fitting_report(schedule: &Schedule, machine: &Machine) -> Result<SimulateReport> {
    let Fitted { trace, routers, refused, .. } = fitting::simulate(machine, schedule, FLIT_HOPS_MAX)?;
    let (messages, pairs) = messages_of(schedule);
    let way = Way::of(machine, routers.as_ref())?;
    let routes = way.routes(&pairs)?;
    let mut report = told(trace, &messages, machine, fitting::engine_name(routers.as_ref()));
    let lengthened = routers.as_ref().map_or(machine.costs().flit, |routers| Bytes(routers.flit));
    report.flit_hops = flit_hops(&messages, machine, lengthened, |index, pair| routes.hops(index, pair).0);
    report.count(&messages, &routes, machine);
    report.routers = routers;
    report.refused = refused;
    Ok(report)
}

fn messages_of(schedule: &Schedule) -> (Vec<Message>, Vec<Pair>) {
    let messages: Vec<Message> = schedule.messages().iter().map(Message::from).collect();
    let pairs = messages.iter().map(Message::pair).collect();
    (messages, pairs)
}

/// What a trace tells, whatever the routes.
fn told(trace: Trace, messages: &[Message], machine: &Machine, engine: &'static str) -> SimulateReport {
    let standing = trace.deadlock.is_some();
    SimulateReport {
        format: 1,
        machine: machine.name().to_string(),
        engine,
        switching: machine.switching().name(),
        routers: None,
        refused: None,
        cycles: (!standing).then_some(trace.cycles.0),
        simulated_seconds: machine.seconds(trace.cycles.0 as f64).filter(|_| !standing),
        messages: messages.len() as u64,
        flit_hops: None,
        hottest_link: None,
        waited_link: link_use::blame(&trace, machine).filter(|_| !standing),
        latency: if standing { Latency::default() } else { latency(trace.latency_ticks, machine) },
        deadlock: trace.deadlock.map(|ring| channels(machine, &ring)),
        links: PerLink::default(),
    }
}

impl SimulateReport {
    /// Adds what passes over each link, and which is the busiest.
    fn count(&mut self, messages: &[Message], routes: &Routes<'_>, machine: &Machine) {
        (self.links, self.hottest_link) = per_link(messages, routes, machine);
    }
}

/// What passes over each link when the messages of a schedule go the usual ways, and the busiest one.
///
/// # Errors
///
/// As for [`routing::routes`].
pub fn links(schedule: &Schedule, machine: &Machine) -> Result<(PerLink, Option<LinkUse>)> {
    let (messages, pairs) = messages_of(schedule);
    Ok(per_link(&messages, &routing::routes(machine, &pairs)?, machine))
}

fn per_link(messages: &[Message], routes: &Routes<'_>, machine: &Machine) -> (PerLink, Option<LinkUse>) {
    let mut loads = LinkLoads::new(machine.links());
    loads.fill(messages, routes);
    let mut passing = vec![0; machine.links() as usize];
    loads.used().for_each(|(link, load)| passing[link.index()] = load.messages);
    let links = PerLink { messages: passing, busy: link_use::busy_cycles(&loads, machine) };
    (links, link_use::busiest_link(&loads, machine))
}

/// Flits times links, with a head to each message that is not stored whole; of described networks by their routers, if they
/// have some. A tebibyte over the longest line leaves 64 bits.
fn flit_hops(
    messages: &[Message],
    machine: &Machine,
    flit: Bytes,
    hops: impl Fn(usize, Pair) -> u32,
) -> Option<u128> {
    let heads = u64::from(machine.switching() != Switching::StoreAndForward);
    let described = machine.fabric().map(Fabric::routers);
    let flits = |bytes: Bytes| match described {
        None => Some((heads + bytes.0.div_ceil(flit.0.max(1))).max(1)),
        Some(routers) => routers.map(|routers| routers.flits(bytes)),
    };
    let of = |(index, message): (usize, &Message)| {
        Some(u128::from(flits(message.bytes)?) * u128::from(hops(index, message.pair())))
    };
    messages.iter().enumerate().map(of).sum()
}

fn latency(mut ticks: Vec<u64>, machine: &Machine) -> Latency {
    let (count, cycles) = (ticks.len(), |ticks: u64| machine.costs().cycles(ticks).0);
    if count == 0 {
        return Latency { mean: Some(0.0), p50: Some(0), p99: Some(0), max: Some(0) };
    }
    ticks.sort_unstable();
    // Nearest rank: the least value that at least this share of the messages does not exceed.
    let rank = |percent: usize| Some(cycles(ticks[(count * percent).div_ceil(100) - 1]));
    let sum: u128 = ticks.iter().map(|&t| u128::from(t)).sum();
    Latency {
        mean: Some(sum as f64 / count as f64 / machine.costs().ticks_per_cycle() as f64),
        p50: rank(50),
        p99: rank(99),
        max: rank(100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::units::{Bytes, NodeId};
    use meshwright_network::topology::costs::BYTES_MAX;

    #[test]
    fn the_largest_messages_over_the_longest_line_are_counted() {
        let line = Machine::new("mesh:16777216").unwrap();
        let last = line.nodes() - 1;
        let across = Message { source: NodeId(0), target: NodeId(last), bytes: Bytes(BYTES_MAX), phase: 1 };
        let routes = routing::routes(&line, &[across.pair(); 2]).unwrap();
        let mut line = line.clone();
        line = line.with_flit(Bytes(1)).unwrap();
        let counted = flit_hops(&[across; 2], &line, Bytes(1), |index, pair| routes.hops(index, pair).0);
        let counted = counted.expect("links are alike");
        assert_eq!(counted, 2 * u128::from(BYTES_MAX + 1) * u128::from(last));
        assert!(counted > u128::from(u64::MAX));
    }
}

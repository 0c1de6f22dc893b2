//! One load of open-loop traffic: what was measured, beside what theory says.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::HottestLink;
use super::simulate::Channel;
use super::sweep::Curve;
use crate::error::Result;
use crate::sim::flit::{self, Router};
use crate::sim::traffic::{Latencies, Measured, OpenLoop, Pattern};
use crate::topology::{Machine, Topology};
use crate::units::{LinkId, NodeId, Port};

/// A network that accepts less than this share of what is offered does not carry the load.
pub const ACCEPTED_MIN: f64 = 0.95;

/// Packets that take more than this many times the zero-load latency wait in queues that grow.
pub const LATENCY_MAX: f64 = 10.0;

/// Times from the creation of a packet, its wait at the source included, to its last flit, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrafficLatency {
    /// The mean.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval of the mean; none when too few packets arrived.
    pub ci95: Option<f64>,
    /// Half of the packets take no longer.
    pub p50: u64,
    /// Of a hundred packets 99 take no longer.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

impl TrafficLatency {
    fn of(latencies: &Latencies) -> Self {
        Self {
            mean: latencies.mean(),
            ci95: latencies.ci95(),
            p50: latencies.percentile(50),
            p99: latencies.percentile(99),
            max: latencies.max(),
        }
    }
}

/// What theory says of a pattern on a machine, whatever the load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Reference {
    /// T0: the mean latency of packets that never wait, in cycles.
    pub zero_load_cycles: Option<f64>,
    /// The expected distance, in links.
    pub mean_hops: Option<f64>,
    /// The load that fills the busiest channel under dimension-order routing, in flits per node and cycle.
    pub bound: Option<f64>,
}

impl Reference {
    /// What theory says of this traffic through these routers.
    fn new(machine: &Machine, router: &Router, runs: &OpenLoop) -> Self {
        let pattern = &runs.pattern;
        let alone = |hops| router.zero_load(machine, hops, runs.packet.into()) as f64;
        // The latency of a packet that never waits is linear in its distance: that of the mean distance is the mean.
        let (none, each) = (alone(0), alone(1) - alone(0));
        let sent = if router.self_traffic { 1.0 } else { 1.0 - pattern.self_share(machine) };
        let mean_hops = pattern.mean_hops(machine).filter(|_| sent > 0.0).map(|hops| hops / sent);
        let zero_load_cycles = mean_hops.map(|hops| none + each * hops);
        Self { zero_load_cycles, mean_hops, bound: pattern.capacity(machine) }
    }
}

/// One measured load; a line of a results file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// The load asked for, in flits per living node and cycle.
    pub load: f64,
    /// What the sources created, in flits per living node and cycle.
    pub offered: f64,
    /// What arrived, in flits per living node and cycle.
    pub accepted: f64,
    /// Whether the network did not carry the load, see [`is_saturated`].
    pub saturated: bool,
    /// Of the measured packets that arrived.
    pub latency: TrafficLatency,
    /// The mean way of these packets, in links.
    pub hops_mean: f64,
    /// How many these are.
    pub packets: u64,
    /// Measured packets that had not arrived when the run ended.
    pub undelivered: u64,
    /// All cycles simulated.
    pub cycles: u64,
    /// Flits times links.
    pub flit_hops: u64,
    /// A ring of channels that wait for each other.
    pub deadlock: Option<Vec<Channel>>,
}

impl Point {
    /// The point that a run measured.
    pub fn new(load: f64, measured: &Measured, machine: &Machine, reference: &Reference) -> Self {
        Self {
            load,
            offered: measured.offered,
            accepted: measured.accepted,
            saturated: is_saturated(measured, reference.zero_load_cycles),
            latency: TrafficLatency::of(&measured.latencies),
            hops_mean: measured.latencies.hops_mean(),
            packets: measured.latencies.count(),
            undelivered: measured.undelivered,
            cycles: measured.cycles,
            flit_hops: measured.flit_hops,
            deadlock: measured.deadlock.as_deref().map(|ring| channels(machine, ring)),
        }
    }
}

/// A ring of links by their ends.
fn channels(machine: &Machine, ring: &[LinkId]) -> Vec<Channel> {
    let channel = |link: &LinkId| Channel {
        from: machine.source(*link).0,
        to: machine.target(*link).unwrap_or_default().0,
    };
    ring.iter().map(channel).collect()
}

/// Whether the network did not carry the load: it stood still, the engine says so, a measured packet had not arrived
/// when the drain ended, less than 95 % of what was offered arrived, or the mean latency was more than ten
/// times the zero-load latency.
///
/// # Examples
///
/// ```
/// use meshwright::sim::traffic::{Latencies, Measured};
/// use meshwright::verdict::traffic::is_saturated;
/// let mut latencies = Latencies::new(1);
/// latencies.record(0, 60, 5);
/// let (offered, accepted) = (0.2, 0.2);
/// let carried = Measured {
///     cycles: 100, offered, accepted, saturated: false, latencies, flit_hops: 5, undelivered: 0, deadlock: None,
/// };
/// assert!(!is_saturated(&carried, Some(30.0)));
/// assert!(is_saturated(&carried, Some(5.0)), "60 cycles in place of 5");
/// assert!(is_saturated(&Measured { accepted: 0.18, ..carried }, Some(30.0)));
/// ```
pub fn is_saturated(measured: &Measured, zero_load_cycles: Option<f64>) -> bool {
    measured.deadlock.is_some()
        || measured.saturated
        || measured.undelivered > 0
        || measured.accepted < ACCEPTED_MIN * measured.offered
        || zero_load_cycles.is_some_and(|zero| measured.latencies.mean() > LATENCY_MAX * zero)
}

/// The pattern that a preset understands by a name: BookSim counts `uniform` with self.
///
/// # Errors
///
/// As for [`Pattern::new`].
///
/// # Examples
///
/// ```
/// use meshwright::{topology::Machine, verdict::traffic::pattern};
/// let mesh = Machine::new("mesh:4x4")?;
/// assert_eq!(pattern("uniform", Some("booksim"), &mesh)?.name(), "uniform-with-self");
/// assert_eq!(pattern("uniform", None, &mesh)?.name(), "uniform");
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn pattern(name: &str, preset: Option<&str>, machine: &Machine) -> Result<Pattern> {
    match (name, preset) {
        ("uniform", Some("booksim")) => Pattern::new("uniform-with-self", machine),
        _ => Pattern::new(name, machine),
    }
}

/// Runs of one traffic on one machine at any load.
#[derive(Debug)]
pub struct Experiment<'m> {
    machine: &'m Machine,
    router: Router,
    runs: OpenLoop,
    /// What is measured, but for the load.
    pub conditions: Conditions,
    /// What theory says.
    pub reference: Reference,
}

impl<'m> Experiment<'m> {
    /// Checks what can be checked before the first run; the load of `runs` does not matter.
    ///
    /// # Errors
    ///
    /// As for [`OpenLoop::check`].
    pub fn new(machine: &'m Machine, router: Router, runs: OpenLoop) -> Result<Self> {
        let runs = OpenLoop { load: 1.0, ..runs };
        runs.check()?;
        let (conditions, reference) =
            (Conditions::new(machine, &router, &runs), Reference::new(machine, &router, &runs));
        Ok(Self { machine, router, runs, conditions, reference })
    }

    /// Measures one load with this seed on so many threads.
    ///
    /// # Errors
    ///
    /// As for [`flit::run_traffic`].
    pub fn measure(&self, load: f64, seed: u64, threads: usize) -> Result<Point> {
        let run = OpenLoop { load, seed, ..self.runs.clone() };
        let measured = flit::run_traffic(self.machine, &self.router, &run, threads)?;
        Ok(Point::new(load, &measured, self.machine, &self.reference))
    }
}

/// Everything that decides what a point is, except its load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Conditions {
    /// The version of this form: 1.
    pub format: u32,
    /// Where it ran.
    pub machine: String,
    /// The nodes that do not work.
    pub dead: Vec<u32>,
    /// A digest of the wiring and of fixed targets: files may change while their names stay.
    pub digest: String,
    /// Which engine: `flit`.
    pub engine: &'static str,
    /// How packets move.
    pub switching: &'static str,
    /// Every setting of the router with its value.
    pub router: Map<String, Value>,
    /// The traffic pattern.
    pub traffic: String,
    /// The length of a packet in flits.
    pub packet: u32,
    /// Cycles before the measurement.
    pub warm_up: u64,
    /// Cycles in which packets are measured.
    pub measure: u64,
    /// Cycles after the measurement, at most.
    pub drain: u64,
    /// The seed of every draw.
    pub seed: u64,
}

impl Conditions {
    /// The conditions of these runs.
    fn new(machine: &Machine, router: &Router, runs: &OpenLoop) -> Self {
        let Ok(Value::Object(router)) = serde_json::to_value(router) else {
            unreachable!("a router is a table of settings")
        };
        Self {
            format: 1,
            machine: machine.name.clone(),
            dead: machine.dead().iter().map(|node| node.0).collect(),
            digest: format!("{:016x}", digest(machine, &runs.pattern)),
            engine: "flit",
            switching: machine.switching.name(),
            router,
            traffic: runs.pattern.name().to_string(),
            packet: runs.packet,
            warm_up: runs.warm_up,
            measure: runs.measure,
            drain: runs.drain,
            seed: runs.seed,
        }
    }

    /// One line of JSON, the same for the same conditions.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("conditions have string keys and finite numbers")
    }
}

/// FNV-1a over the ends of all links and the fixed targets.
fn digest(machine: &Machine, pattern: &Pattern) -> u64 {
    let targets = pattern.fixed_targets().iter().map(|node| node.0);
    let ends = (0..machine.nodes()).map(NodeId).flat_map(|node| {
        let end = move |port| machine.neighbour(node, Port(port)).map_or(u32::MAX, |next| next.0);
        (0..machine.ports(node)).map(end)
    });
    let bytes = ends.chain(targets).flat_map(u32::to_le_bytes);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The answer to `simulate --traffic`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrafficReport {
    /// What was simulated.
    #[serde(flatten)]
    pub conditions: Conditions,
    /// What theory says.
    #[serde(flatten)]
    pub reference: Reference,
    /// How many packets were measured.
    pub messages: u64,
    /// The link with the most messages; open-loop runs do not count them.
    pub hottest_link: Option<HottestLink>,
    /// What was measured.
    #[serde(flatten)]
    pub point: Point,
}

impl TrafficReport {
    /// The answer for one point.
    pub fn new(conditions: Conditions, reference: Reference, point: Point) -> Self {
        Self { conditions, reference, messages: point.packets, hottest_link: None, point }
    }
}

/// The answer to `sweep`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweepReport {
    /// What was simulated.
    #[serde(flatten)]
    pub conditions: Conditions,
    /// What theory says.
    #[serde(flatten)]
    pub reference: Reference,
    /// The points, and where the network saturates.
    #[serde(flatten)]
    pub curve: Curve,
}

impl SweepReport {
    /// Whether some point came to a standstill.
    pub fn deadlocks(&self) -> bool {
        self.curve.points.iter().any(|point| point.deadlock.is_some())
    }
}

//! One load of open-loop traffic: what was measured, beside what theory says.

use serde::{Deserialize, Serialize};

use super::experiment::{Conditions, Reference};
use super::sweep::Curve;
use crate::link_use::LinkUse;
use crate::report::Channel;
use crate::traffic::{Latencies, Measured};
use meshwright_core::units::LinkId;
use meshwright_network::topology::{Machine, Topology};

/// A network that accepts less than this share of what is offered does not carry the load.
pub const ACCEPTED_MIN: f64 = 0.95;

/// Two ways to add up a load agree up to this part.
const ROUNDING: f64 = 1e-9;

/// Packets that take more than this many times the zero-load latency wait in queues that grow.
pub const LATENCY_MAX: f64 = 10.0;

/// Times from the creation of a packet, its wait at the source included, to its last flit, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrafficLatency {
    /// The mean.
    #[serde(with = "none_if_zero")]
    pub mean: f64,
    /// Half the width of the 95 % confidence interval of the mean; none when too few packets arrived.
    pub ci95: Option<f64>,
    /// Half of the packets take no longer.
    #[serde(with = "none_if_zero")]
    pub p50: u64,
    /// Of a hundred packets 99 take no longer.
    #[serde(with = "none_if_zero")]
    pub p99: u64,
    /// The longest.
    #[serde(with = "none_if_zero")]
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

/// No packet takes no time: 0 stands for none, and is written as null.
mod none_if_zero {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<T, S>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Serialize + Default + PartialEq,
        S: Serializer,
    {
        if *value == T::default() { serializer.serialize_none() } else { value.serialize(serializer) }
    }

    pub(super) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: Deserialize<'de> + Default,
        D: Deserializer<'de>,
    {
        Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
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
    /// Whether the network did not carry the load, see [`is_saturated`], or by its bound cannot.
    pub saturated: bool,
    /// Of the measured packets that arrived.
    pub latency: TrafficLatency,
    /// The mean way of these packets, in links.
    pub hops_mean: f64,
    /// How many these are.
    pub packets: u64,
    /// Measured packets that had not arrived when the run ended.
    pub undelivered: u64,
    /// All cycles simulated; null where none were.
    #[serde(with = "none_if_zero")]
    pub cycles: u64,
    /// Flits times links.
    pub flit_hops: u64,
    /// A ring of channels that wait for each other.
    pub deadlock: Option<Vec<Channel>>,
}

impl Point {
    /// The point that a run measured.
    pub fn new(load: f64, measured: &Measured, machine: &Machine, reference: &Reference) -> Self {
        // A short run may not show the queue that grows.
        let is_too_much = reference.bound.is_some_and(|bound| load > bound * (1.0 + ROUNDING));
        Self {
            load,
            offered: measured.offered,
            accepted: measured.accepted,
            saturated: is_too_much || is_saturated(measured, reference.zero_load_cycles),
            latency: TrafficLatency::of(&measured.latencies),
            hops_mean: measured.latencies.hops_mean(),
            packets: measured.latencies.count(),
            undelivered: measured.undelivered,
            cycles: measured.cycles,
            flit_hops: measured.flit_hops,
            deadlock: measured.deadlock.as_deref().map(|ring| channels(machine, ring)),
        }
    }

    /// Whether a cycle was simulated: none is where the routing can deadlock.
    pub fn is_simulated(&self) -> bool {
        self.cycles > 0
    }
}

/// Links by their ends.
pub(super) fn channels(machine: &Machine, ring: &[LinkId]) -> Vec<Channel> {
    let channel = |link: &LinkId| Channel {
        from: machine.source(*link).0,
        to: machine.target(*link).unwrap_or_default().0,
    };
    ring.iter().map(channel).collect()
}

/// Whether the network did not carry the load: it stood still, a measured packet had not arrived when the drain
/// ended, less than 95 % of what was offered arrived, or the mean latency was more than ten
/// times the zero-load latency.
///
/// # Examples
///
/// ```
/// use meshwright_sim::traffic::{Latencies, Measured};
/// use meshwright_sim::point::is_saturated;
/// let mut latencies = Latencies::new(1);
/// latencies.record(0, 60, 5);
/// let (offered, accepted) = (0.2, 0.2);
/// let carried = Measured {
///     cycles: 100, offered, accepted, latencies, flit_hops: 5, undelivered: 0, deadlock: None,
/// };
/// assert!(!is_saturated(&carried, Some(30.0)));
/// assert!(is_saturated(&carried, Some(5.0)), "60 cycles in place of 5");
/// assert!(is_saturated(&Measured { accepted: 0.18, ..carried }, Some(30.0)));
/// ```
pub fn is_saturated(measured: &Measured, zero_load_cycles: Option<f64>) -> bool {
    measured.deadlock.is_some()
        || measured.undelivered > 0
        || measured.accepted < ACCEPTED_MIN * measured.offered
        || zero_load_cycles.is_some_and(|zero| measured.latencies.mean() > LATENCY_MAX * zero)
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
    #[serde(flatten, serialize_with = "crate::link_use::busiest_under_both")]
    pub hottest_link: Option<LinkUse>,
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
    /// The first load of which more than the bound arrived: so it can be where not everything is carried.
    pub fn accepted_above_the_bound(&self) -> Option<&Point> {
        let bound = self.reference.bound?;
        self.curve.points.iter().find(|point| point.saturated && point.accepted > bound)
    }

    /// Whether some point came to a standstill.
    pub fn deadlocks(&self) -> bool {
        self.curve.points.iter().any(|point| point.deadlock.is_some())
    }
}

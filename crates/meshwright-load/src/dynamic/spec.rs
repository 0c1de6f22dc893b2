//! What is drawn at random: when loads arrive, and how processors change.

use rand::RngExt;

use super::{Arrival, FULL, Weather};
use meshwright_core::rng;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology};

/// How the speed of processors changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// What happens.
    pub kind: DriftKind,
    /// To which part of the nodes, how many times, or to how many nodes, see [`DRIFTS`].
    pub amount: f64,
}

/// What happens to a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriftKind {
    /// It is half as fast from a moment on.
    Halve,
    /// It is 16 times slower from a moment on.
    Collapse,
    /// Its speed takes a step of 5/4 or 4/5 now and then, and stays between 1/4 and 2.
    Walk,
    /// It stops; its memory and its links go on.
    Die,
}

/// Every kind of change: its name, the amount if none is given, the largest one, and what it means.
pub const DRIFTS: &[(&str, DriftKind, f64, f64, &str)] = &[
    (
        "halve",
        DriftKind::Halve,
        1.0,
        1.0,
        "this part of the processors is half as fast from a random moment on",
    ),
    ("collapse", DriftKind::Collapse, 0.1, 1.0, "this part becomes 16 times slower at a random moment"),
    ("walk", DriftKind::Walk, 8.0, 1000.0, "so many steps of 5/4 or 4/5 at random moments"),
    (
        "die",
        DriftKind::Die,
        1.0,
        1e6,
        "so many processors stop at random moments; their memory and links go on",
    ),
];

/// The speeds of all processors, drawn for a time of `horizon` cycles.
///
/// Moments are uniform in it. Where several changes meet, factors multiply.
///
/// # Complexity
///
/// O(changes log changes).
pub fn weather(machine: &Machine, drifts: &[Drift], horizon: u64, seed: u64) -> Weather {
    let mut generator = rng::stream(seed, "speeds that change");
    let mut moment = |most: u64| generator.random_range(0..most.max(1));
    let living: Vec<NodeId> = machine.living().collect();
    let mut events: Vec<(u64, NodeId, DriftKind, bool)> = Vec::new();
    for drift in drifts {
        let many = match drift.kind {
            DriftKind::Halve | DriftKind::Collapse => (drift.amount * living.len() as f64).round() as usize,
            DriftKind::Die => drift.amount as usize,
            DriftKind::Walk => living.len(),
        };
        // The first of the nodes in a random order.
        let mut chosen = living.clone();
        for place in 0..many.min(chosen.len()) {
            let other = place + moment((chosen.len() - place) as u64) as usize;
            chosen.swap(place, other);
        }
        let times = if drift.kind == DriftKind::Walk { drift.amount as usize } else { 1 };
        for &node in chosen.iter().take(many) {
            events.extend((0..times).map(|_| (moment(horizon), node, drift.kind, moment(2) == 0)));
        }
    }
    events.sort_by_key(|&(at, node, ..)| (at, node));
    let mut factors = vec![FULL; machine.nodes() as usize];
    let mut changes = Vec::with_capacity(events.len());
    for (at, node, kind, is_up) in events {
        let factor = &mut factors[node.index()];
        *factor = match kind {
            _ if *factor == 0 => 0,
            DriftKind::Halve => (*factor / 2).max(1),
            DriftKind::Collapse => (*factor / 16).max(1),
            DriftKind::Walk if is_up => (*factor / 4 * 5).min(2 * FULL),
            DriftKind::Walk => (*factor / 5 * 4).max(FULL / 4),
            DriftKind::Die => 0,
        };
        changes.push((node, at, *factor));
    }
    Weather::new(machine.nodes(), changes)
}

/// Loads of equal size that arrive in a Poisson stream, `gap` cycles apart in the mean, each at a source drawn with the
/// weight of its load; the sizes add up to `bytes`.
///
/// # Complexity
///
/// O(jobs log sources).
pub fn poisson(sources: &[(NodeId, f64)], jobs: u64, gap: f64, bytes: u64, seed: u64) -> Vec<Arrival> {
    let mut generator = rng::stream(seed, "arrivals");
    let whole: f64 = sources.iter().map(|(_, load)| load).sum();
    let mut now = 0.0;
    (0..jobs)
        .map(|job| {
            now -= libm::log(1.0 - generator.random::<f64>()) * gap;
            let mut drawn = generator.random::<f64>() * whole;
            let at = sources.iter().position(|(_, load)| {
                drawn -= load;
                drawn < 0.0
            });
            let node = sources[at.unwrap_or(sources.len() - 1)].0;
            // The first ones take what does not divide evenly.
            let size = bytes / jobs + u64::from(job < bytes % jobs);
            Arrival { node, at: now as u64, bytes: size }
        })
        .collect()
}

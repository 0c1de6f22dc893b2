//! A time no policy beats, though it knew all loads and all speeds beforehand.
//!
//! What arrives from a moment s on is worked off between s and T. In that time a processor works at most the integral of
//! its speed, from when the first of these loads can be there, and a link carries at most (T - s) / z. So there is a flow
//! with these capacities; the least T for which there is one, for the worst s, is the bound. Only necessary: the flow
//! may use the speed of a moment at another one.

use super::Case;
use crate::optimum;
use crate::{Problem, Source, Speeds};
use meshwright_core::error::Result;
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Topology;

/// The loads that arrive from one moment on.
struct Late<'a, 'c> {
    case: &'a Case<'c>,
    sources: Vec<Source>,
    /// Their bytes in all.
    bytes: u64,
    /// The moment, in cycles.
    from: u64,
    /// By node id, from when on one of them can be there.
    ready: Vec<u64>,
}

impl<'a, 'c> Late<'a, 'c> {
    fn new(case: &'a Case<'c>, from: u64) -> Self {
        let nodes = case.machine().nodes();
        let startup = case.machine().costs().startup.0;
        let late = || case.arrivals.iter().filter(|arrival| arrival.at >= from && arrival.bytes > 0);
        let mut ready = vec![u64::MAX; nodes as usize];
        // The first load of every source is the one that counts.
        for &entry in &case.entries {
            let Some(first) = late().filter(|arrival| arrival.node == entry).map(|arrival| arrival.at).min()
            else {
                continue;
            };
            for node in (0..nodes).map(NodeId) {
                let there = first + u64::from(case.hops(entry, node)) * startup;
                ready[node.index()] = ready[node.index()].min(there);
            }
        }
        let sources = late().map(|arrival| Source::at(arrival.node, arrival.bytes as f64)).collect();
        Self { case, sources, bytes: late().map(|arrival| arrival.bytes).sum(), from, ready }
    }

    /// Whether all of them may be done at a moment.
    fn fits(&self, until: u64) -> Result<bool> {
        let Case { scale, weather, .. } = self.case;
        let planned = scale.problem();
        let machine = planned.machine();
        let part = self.bytes as f64 / scale.bytes() as f64;
        let unit = scale.unit_cycles() * part;
        let span = (until - self.from) as f64;
        // The mean speed over all the time: more than nothing, or it only relays.
        let work = |node: NodeId| {
            let ready = self.ready[node.index()];
            let done = if ready < until { weather.done(node, ready, until) } else { 0.0 };
            let time = planned.work(node) * span / done;
            if time.is_nan() { f64::INFINITY } else { time }
        };
        let work = (0..machine.nodes()).map(|node| work(NodeId(node))).collect();
        let link = (0..machine.links()).map(|link| planned.link_time(LinkId(link))).collect();
        let problem = Problem::new(machine, self.sources.clone(), planned.sigma())?;
        let problem = problem.with_speeds(Speeds { work, link })?;
        Ok(optimum::within(&problem, span / unit)?.is_ok())
    }
}

/// The bound in cycles; none if some load can never be done.
///
/// # Errors
///
/// What [`optimum::within`] refuses.
///
/// # Complexity
///
/// A maximum flow for each moment at which load arrives, and some forty where a moment raises the bound.
pub fn clairvoyant(case: &Case<'_>) -> Result<Option<u64>> {
    let mut moments: Vec<u64> = case.arrivals.iter().map(|arrival| arrival.at).collect();
    moments.sort_unstable();
    moments.dedup();
    let mut bound = 0;
    for from in moments {
        let late = Late::new(case, from);
        if late.bytes == 0 || (bound > from && late.fits(bound)?) {
            continue;
        }
        let (mut low, mut step) = (bound.max(from), (case.planned_cycles as u64).max(1));
        while !late.fits(low + step)? {
            (low, step) = (low + step, step.saturating_mul(2));
            if low > 1 << 50 {
                return Ok(None);
            }
        }
        let mut high = low + step;
        // To some 1e-9 of it, from below.
        while high - low > (high >> 30).max(1) {
            let middle = low + (high - low) / 2;
            match late.fits(middle)? {
                true => high = middle,
                false => low = middle,
            }
        }
        bound = low;
    }
    Ok(Some(bound))
}

//! A smooth stand-in for the time of a placement, kept up to date while tasks change places.
//!
//! Of every phase the loads of its links and the ways of its messages are a vector; what is made small is the sum over the
//! phases of its p-norm. With p = 1 that is the traffic, with a large p the busiest link. In between lies what worms feel:
//! those that share a link wait for each other, and whoever waits holds the links behind it, so that two links of load 3
//! cost more than three of load 2. Which p follows the referee best differs from job to job, so a search tries several.

use super::job::PhasedJob;
use super::seats::{Seated, Seats};
use super::ways::Ways;

/// The heaviest message of a phase has about so many quanta.
const QUANTA: u64 = 1 << 10;
/// All messages of a phase together have fewer: any sum of loads fits into 32 bits.
const QUANTA_IN_ALL: u64 = 1 << 31;

/// A placement and its p-norm, p = 2^`doublings`.
#[derive(Clone, Debug)]
pub(super) struct Smooth<'p> {
    job: &'p PhasedJob,
    ways: &'p Ways<'p>,
    links: usize,
    doublings: u32,
    seats: Seats<'p>,
    /// Quanta on each link, a row for each phase.
    loads: Vec<u32>,
    /// Quanta of each message, and those of its way over one link.
    quanta: Vec<(u32, f32)>,
    /// Ticks of a quantum, times the repeats of the phase.
    scale: Vec<f64>,
    /// By phase the sum of p-th powers, and the norm.
    sums: Vec<(f64, f64)>,
    total: f64,
    /// The phases of the messages touched last, and what they were before.
    touched: Vec<(u32, (f64, f64))>,
    before: f64,
    /// What the links carried that were touched last, in their order.
    changed: Vec<(u32, u32)>,
}

/// x to the power 2^`doublings`.
#[inline]
fn power(x: f64, doublings: u32) -> f64 {
    (0..doublings).fold(x, |x, _| x * x)
}

/// The root that takes [`power`] back.
fn root(x: f64, doublings: u32) -> f64 {
    (0..doublings).fold(x.max(0.0), |x, _| x.sqrt())
}

impl<'p> Smooth<'p> {
    /// No task placed yet: [`Smooth::reset`] follows.
    pub(super) fn new(job: &'p PhasedJob, ways: &'p Ways<'p>, nodes: u32, links: u32) -> Self {
        let unit = |phase: usize| {
            let all = job.messages(phase).fold(0u64, |sum, message| sum.saturating_add(job.load[message]));
            (job.greatest(phase).0 / QUANTA).max(all / QUANTA_IN_ALL + 1)
        };
        let units: Vec<u64> = (0..job.phases()).map(unit).collect();
        let of_message = |message: usize| {
            let unit = units[job.phase_of[message] as usize];
            let quanta = (job.load[message] / unit).max(u64::from(job.load[message] > 0));
            (quanta as u32, job.way(message, 1) as f32 / unit as f32)
        };
        Self {
            job,
            ways,
            links: links as usize,
            doublings: 1,
            seats: Seats::new(job, nodes),
            loads: vec![0; job.phases() * links as usize],
            quanta: (0..job.ends.len()).map(of_message).collect(),
            scale: (0..job.phases()).map(|phase| (units[phase] * job.repeats[phase]) as f64).collect(),
            sums: vec![(0.0, 0.0); job.phases()],
            total: 0.0,
            touched: Vec::with_capacity(job.phases()),
            before: 0.0,
            changed: Vec::new(),
        }
    }

    /// Puts every task on its node; from now on p is 2^`doublings`.
    pub(super) fn reset(&mut self, node_of: &[u32], doublings: u32) {
        self.doublings = doublings;
        self.seats.reset(node_of);
        self.loads.fill(0);
        self.sums.fill((0.0, 0.0));
        for message in 0..self.job.ends.len() {
            self.changed.clear();
            self.send::<true>(message, self.job.phase_of[message] as usize, self.seats.nodes_of(message));
        }
        self.total = 0.0;
        for phase in 0..self.job.phases() {
            self.sums[phase].1 = self.norm(phase);
            self.total += self.sums[phase].1;
        }
    }

    /// Who is where.
    pub(super) fn placed(&self) -> &Seats<'p> {
        &self.seats
    }

    /// The sum of the norms of all phases, in ticks.
    pub(super) fn total(&self) -> f64 {
        self.total
    }

    /// Messages that cross a link with at least `share` of the load of the busiest one of their phase, or of those that are
    /// stored, whose own way takes at least `share` of the longest one.
    pub(super) fn hot(&self, share: f64, messages: &mut Vec<u32>) {
        messages.clear();
        for phase in 0..self.job.phases() {
            let loads = &self.loads[phase * self.links..(phase + 1) * self.links];
            let least = (f64::from(loads.iter().copied().max().unwrap_or(0)) * share).max(1.0) as u32;
            let (first, mut ways) = (messages.len(), Vec::new());
            let mut longest = 0.0f64;
            for message in self.job.messages(phase) {
                let (source, target) = self.seats.nodes_of(message);
                let mut is_hot = false;
                let hops = self.ways.for_each_link(source, target, |link| is_hot |= loads[link] >= least);
                let way = f64::from(hops) * f64::from(self.quanta[message].1);
                longest = longest.max(way);
                if is_hot {
                    messages.push(message as u32);
                }
                ways.push(way);
            }
            // A long way hurts only where it takes longer than the busiest link.
            if self.job.stores && longest * share > f64::from(least) {
                messages.truncate(first);
                let long = self.job.messages(phase).zip(ways).filter(|(_, way)| *way >= longest * share);
                messages.extend(long.map(|(message, _)| message as u32));
            }
        }
    }

    /// Exchanges what is on two nodes and returns the norm then. [`Smooth::undo`] takes it back.
    pub(super) fn exchange(&mut self, a: u32, b: u32) -> f64 {
        self.touched.clear();
        self.changed.clear();
        self.before = self.total;
        self.swap(a, b);
        for index in 0..self.touched.len() {
            let phase = self.touched[index].0 as usize;
            let norm = self.norm(phase);
            self.total += norm - self.sums[phase].1;
            self.sums[phase].1 = norm;
        }
        self.total
    }

    /// Takes the last exchange back.
    pub(super) fn undo(&mut self) {
        self.seats.take_back();
        self.changed.iter().rev().for_each(|&(cell, load)| self.loads[cell as usize] = load);
        for &(phase, sums) in &self.touched {
            self.sums[phase as usize] = sums;
        }
        self.total = self.before;
    }

    fn norm(&self, phase: usize) -> f64 {
        root(self.sums[phase].0, self.doublings) * self.scale[phase]
    }
}

impl<'p> Seated<'p> for Smooth<'p> {
    #[inline]
    fn seats(&mut self) -> &mut Seats<'p> {
        &mut self.seats
    }

    #[inline]
    fn remember(&mut self, phase: u32) {
        self.touched.push((phase, self.sums[phase as usize]));
    }

    #[inline]
    fn send<const SEND: bool>(&mut self, message: usize, phase: usize, (from, to): (u32, u32)) {
        let (load, way) = self.quanta[message];
        let (doublings, row) = (self.doublings, phase * self.links);
        let (loads, changed) = (&mut self.loads, &mut self.changed);
        let mut change = 0.0;
        let hops = self.ways.for_each_link(from, to, |link| {
            let before = loads[row + link];
            let after = if SEND { before + load } else { before - load };
            loads[row + link] = after;
            changed.push(((row + link) as u32, before));
            change += power(f64::from(after), doublings) - power(f64::from(before), doublings);
        });
        let way = power(f64::from(hops) * f64::from(way), doublings);
        self.sums[phase].0 += if SEND { change + way } else { change - way };
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::TaskGraph;
    use crate::task_graph::Edge;
    use meshwright_core::units::{Bytes, NodeId};
    use meshwright_network::topology::costs::SWITCHINGS;
    use meshwright_network::topology::{Machine, Topology};

    /// The definition: every load and every way, counted anew.
    fn naive(smooth: &Smooth<'_>, job: &PhasedJob, links: u32) -> f64 {
        let phase = |phase: usize| {
            let (mut loads, mut ways) = (vec![0u64; links as usize], 0.0);
            for message in job.messages(phase) {
                let (from, to) = smooth.seats.nodes_of(message);
                let load = u64::from(smooth.quanta[message].0);
                let hops = smooth.ways.for_each_link(from, to, |link| loads[link] += load);
                ways += (f64::from(hops) * f64::from(smooth.quanta[message].1)).powi(1 << smooth.doublings);
            }
            let powers = loads.iter().map(|&load| (load as f64).powi(1 << smooth.doublings)).sum::<f64>();
            (powers + ways).powf(1.0 / f64::from(1 << smooth.doublings)) * smooth.scale[phase]
        };
        (0..job.phases()).map(phase).sum()
    }

    #[test]
    fn exchanges_and_the_definition_agree() {
        let mut rng = meshwright_core::rng::stream(5, "smooth");
        let broken = Machine::new("mesh:4x4").unwrap().with_dead(vec![NodeId(5)]).unwrap();
        for machine in [Machine::new("mesh:3x5").unwrap(), Machine::new("torus:4x4").unwrap(), broken] {
            for (_, switching) in SWITCHINGS {
                let machine = machine.clone().with_switching(*switching);
                let mut edge = |index: u32| {
                    let (source, target) = (rng.random_range(0..12), rng.random_range(0..12));
                    (index % 3, Edge { source, target, bytes: Bytes(rng.random_range(0..5000)) })
                };
                let edges = (0..40).map(&mut edge).collect();
                let graph = TaskGraph::new("twelve", 12, edges).unwrap();
                let job = PhasedJob::new(&graph, &machine).unwrap();
                let ways = Ways::new(&machine).unwrap();
                let living: Vec<u32> = machine.living().map(|node| node.0).collect();
                let mut smooth = Smooth::new(&job, &ways, machine.nodes(), machine.links());
                for doublings in 0..4 {
                    smooth.reset(&living[..12], doublings);
                    for _ in 0..60 {
                        let (a, b) = (rng.random_range(0..living.len()), rng.random_range(0..living.len()));
                        let before = (smooth.total().to_bits(), smooth.placed().node_of().to_vec());
                        let (after, expected) =
                            (smooth.exchange(living[a], living[b]), naive(&smooth, &job, machine.links()));
                        assert!((after - expected).abs() <= 1e-6 * expected, "{after} {expected}");
                        if rng.random_range(0..2) == 0 {
                            smooth.undo();
                            assert_eq!(
                                (smooth.total().to_bits(), smooth.placed().node_of().to_vec()),
                                before
                            );
                        }
                    }
                }
            }
        }
    }
}

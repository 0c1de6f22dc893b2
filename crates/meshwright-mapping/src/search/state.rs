//! A placement that knows its cost while tasks change places: only the messages of those that move are touched.

use super::job::PhasedJob;
use super::maxima::Maxima;
use super::seats::{Seated, Seats};
use super::ways::Ways;

/// Points for a tick of predicted time.
pub(super) const POINTS_PER_TICK: u64 = 64;
/// Points for a tick of the smooth stand-ins, which tell apart placements of equal time.
const POINTS_PER_SMOOTH_TICK: f64 = 4.0;

/// The points of a phase that takes at most `ticks`; `smooth` are the stand-ins for its greatest load and way.
#[inline]
pub(super) fn points(ticks: u64, smooth: f64) -> u64 {
    ticks * POINTS_PER_TICK + (smooth * POINTS_PER_SMOOTH_TICK) as u64
}

/// Where every task is, what every link carries in every phase, and the cost of it.
#[derive(Clone, Debug)]
pub(super) struct SearchState<'p> {
    job: &'p PhasedJob,
    ways: &'p Ways<'p>,
    seats: Seats<'p>,
    /// Ticks on each link, a row for each phase.
    loads: Maxima,
    /// Ticks for the distance of each message, a row for each phase.
    lengths: Maxima,
    points: Vec<u64>,
    total: u64,
    /// The phases of the messages that were touched last, and their points before.
    touched: Vec<(u32, u64)>,
}

impl<'p> SearchState<'p> {
    /// No task placed yet: [`SearchState::reset`] follows.
    pub(super) fn new(job: &'p PhasedJob, ways: &'p Ways<'p>, nodes: u32, links: u32) -> Self {
        let load_rows = (0..job.phases()).map(|phase| (links as usize, job.greatest(phase).0));
        let way_rows = (0..job.phases()).map(|phase| (job.messages(phase).len(), job.greatest(phase).1));
        Self {
            job,
            ways,
            seats: Seats::new(job, nodes),
            loads: Maxima::new(load_rows),
            lengths: Maxima::new(way_rows),
            points: vec![0; job.phases()],
            total: 0,
            touched: Vec::with_capacity(job.phases()),
        }
    }

    /// Puts every task on its node.
    pub(super) fn reset(&mut self, node_of: &[u32]) {
        self.seats.reset(node_of);
        self.loads.clear();
        self.lengths.clear();
        for message in 0..self.job.ends.len() {
            self.send::<true>(message, self.job.phase_of[message] as usize, self.seats.nodes_of(message));
        }
        self.total = 0;
        for phase in 0..self.job.phases() {
            self.points[phase] = self.phase_points(phase);
            self.total += self.points[phase];
        }
    }

    /// Who is where.
    pub(super) fn placed(&self) -> &Seats<'p> {
        &self.seats
    }

    /// The points of the placement: what the search makes small.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// The message of a phase with the longest way, the first one at or after `from`, as a place in the phase.
    pub(super) fn longest(&self, phase: usize, from: usize) -> usize {
        self.lengths.place_of_max(phase, from)
    }

    /// A message of a phase that crosses its busiest link, among the next few from a place in the phase on.
    pub(super) fn crossing(&self, phase: usize, from: usize, few: usize) -> Option<usize> {
        let messages = self.job.messages(phase);
        let max = self.loads.max(phase);
        let crosses = |message: &usize| {
            let (source, target) = self.seats.nodes_of(*message);
            let mut crosses = false;
            self.ways.for_each_link(source, target, |link| crosses |= self.loads.get(phase, link) == max);
            crosses
        };
        let next = |step: usize| messages.start + (from + step) % messages.len();
        (0..few.min(messages.len())).map(next).find(crosses)
    }

    /// Whether the busiest link of a phase costs more than its longest way.
    pub(super) fn is_link_bound(&self, phase: usize) -> bool {
        self.loads.max(phase) > self.lengths.max(phase)
    }

    /// Exchanges what is on two nodes and returns the points then. [`SearchState::undo`] takes it back.
    pub(super) fn exchange(&mut self, a: u32, b: u32) -> u64 {
        self.touched.clear();
        self.swap(a, b);
        for index in 0..self.touched.len() {
            let phase = self.touched[index].0 as usize;
            let points = self.phase_points(phase);
            self.total = self.total - self.points[phase] + points;
            self.points[phase] = points;
        }
        self.total
    }

    /// Takes the last exchange back.
    pub(super) fn undo(&mut self) {
        self.swap_back();
        for &(phase, points) in &self.touched {
            self.total = self.total - self.points[phase as usize] + points;
            self.points[phase as usize] = points;
        }
    }

    fn phase_points(&self, phase: usize) -> u64 {
        let ticks = self.job.at_most(phase, self.loads.max(phase), self.lengths.max(phase));
        let smooth = self.loads.smooth(phase) + self.lengths.smooth(phase);
        self.job.repeats[phase] * points(ticks, smooth)
    }
}

impl<'p> Seated<'p> for SearchState<'p> {
    #[inline]
    fn seats(&mut self) -> &mut Seats<'p> {
        &mut self.seats
    }

    #[inline]
    fn remember(&mut self, phase: u32) {
        self.touched.push((phase, self.points[phase as usize]));
    }

    #[inline]
    fn send<const SEND: bool>(&mut self, message: usize, phase: usize, (from, to): (u32, u32)) {
        let load = self.job.load[message];
        let loads = &mut self.loads;
        let hops = self.ways.for_each_link(from, to, |link| {
            let before = loads.get(phase, link);
            loads.set(phase, link, if SEND { before + load } else { before - load });
        });
        if SEND {
            let place = message - self.job.first[phase] as usize;
            self.lengths.set(phase, place, self.job.way(message, hops));
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::super::full::Full;
    use super::super::job::PhasedJob;
    use super::super::ways::Ways;
    use super::*;
    use crate::TaskGraph;
    use crate::task_graph::Edge;
    use meshwright_core::units::{Bytes, NodeId};
    use meshwright_network::topology::costs::SWITCHINGS;
    use meshwright_network::topology::{Machine, Topology};

    /// Twelve tasks, five phases, two of them equal and three between the same tasks; a message of no bytes.
    fn graph(rng: &mut impl rand::Rng) -> TaskGraph {
        let mut edges = Vec::new();
        for phase in 0..3 {
            for _ in 0..10 {
                let (source, target) = (rng.random_range(0..12), rng.random_range(0..12));
                let edge = |bytes| Edge { source, target, bytes: Bytes(bytes) };
                edges.push((phase, edge(rng.random_range(0..500))));
                if phase == 2 {
                    edges.extend([(3, edge(7)), (4, edge(7))]);
                }
            }
        }
        TaskGraph::new("twelve", 12, edges).unwrap()
    }

    #[test]
    fn exchanges_and_a_new_count_agree() {
        let broken = Machine::new("mesh:4x4").unwrap().with_dead(vec![NodeId(5)]).unwrap();
        let mut rng = meshwright_core::rng::stream(5, "state");
        for machine in [Machine::new("mesh:3x5").unwrap(), Machine::new("torus:4x4").unwrap(), broken] {
            for (_, switching) in SWITCHINGS {
                let machine = machine.clone().with_switching(*switching);
                let graph = graph(&mut rng);
                let job = PhasedJob::new(&graph, &machine).unwrap();
                assert_eq!((job.phases(), job.join().phases()), (4, 3));
                let living: Vec<u32> = machine.living().map(|node| node.0).collect();
                for job in [&job, &job.join()] {
                    let ways = Ways::new(&machine).unwrap();
                    let mut state = SearchState::new(job, &ways, machine.nodes(), machine.links());
                    let mut full = Full::new(job, &ways, machine.links());
                    state.reset(&living[..12]);
                    for _ in 0..200 {
                        let (a, b) = (rng.random_range(0..living.len()), rng.random_range(0..living.len()));
                        let before = (state.total(), state.placed().node_of().to_vec());
                        let after = state.exchange(living[a], living[b]);
                        assert_eq!(after, full.cost(state.placed().node_of()).points);
                        if rng.random_range(0..2) == 0 {
                            state.undo();
                            assert_eq!((state.total(), state.placed().node_of().to_vec()), before);
                        }
                    }
                }
            }
        }
    }
}

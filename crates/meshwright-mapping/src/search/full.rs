//! The cost of a placement from nothing: for moves of many tasks at once, and to hold the other way to.

use super::job::PhasedJob;
use super::maxima::{fourth_power, fourth_root, quantum};
use super::state::points;
use super::ways::Ways;

/// What a placement costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    /// The predicted ticks.
    pub(super) ticks: u64,
    /// What the search makes small.
    pub(super) points: u64,
}

/// Link loads of one phase at a time.
#[derive(Clone, Debug)]
pub(super) struct Full<'p> {
    job: &'p PhasedJob,
    ways: &'p Ways<'p>,
    loads: Vec<u64>,
    touched: Vec<u32>,
    /// Of loads and ways, by phase.
    quanta: Vec<(u32, u32)>,
}

impl<'p> Full<'p> {
    /// Domain for the loads of one phase.
    pub(super) fn new(job: &'p PhasedJob, ways: &'p Ways<'p>, links: u32) -> Self {
        let quanta = |phase: usize| (quantum(job.greatest(phase).0), quantum(job.greatest(phase).1));
        let quanta = (0..job.phases()).map(quanta).collect();
        Self { job, ways, loads: vec![0; links as usize], touched: Vec::new(), quanta }
    }

    /// The job whose cost it knows.
    pub(super) fn job(&self) -> &'p PhasedJob {
        self.job
    }

    /// The cost with each task on its node.
    pub(super) fn cost(&mut self, node_of: &[u32]) -> Cost {
        let mut cost = Cost { ticks: 0, points: 0 };
        for phase in 0..self.job.phases() {
            let of_phase = self.phase(phase, node_of);
            cost.ticks += of_phase.ticks * self.job.repeats[phase];
            cost.points += of_phase.points * self.job.repeats[phase];
        }
        cost
    }

    fn phase(&mut self, phase: usize, node_of: &[u32]) -> Cost {
        let job = self.job;
        let (loads, touched) = (&mut self.loads, &mut self.touched);
        let nodes = |message: usize| {
            let (source, target) = job.ends[message];
            (node_of[source as usize], node_of[target as usize])
        };
        let (mut longest, mut way_powers) = (0, 0);
        let (shift, way_shift) = self.quanta[phase];
        for message in job.messages(phase) {
            let (from, to) = nodes(message);
            let load = job.load[message];
            let hops = self.ways.for_each_link(from, to, |link| {
                if loads[link] == 0 && load > 0 {
                    touched.push(link as u32);
                }
                loads[link] += load;
            });
            let way = job.way(message, hops);
            longest = longest.max(way);
            way_powers += fourth_power(way, way_shift);
        }
        let (mut busiest, mut powers) = (0, 0);
        for &link in touched.iter() {
            busiest = busiest.max(loads[link as usize]);
            powers += fourth_power(loads[link as usize], shift);
        }
        let at_most = job.at_most(phase, busiest, longest);
        let smooth = fourth_root(powers, shift) + fourth_root(way_powers, way_shift);
        let mut ticks = at_most;
        if !job.stores && !job.messages(phase).is_empty() {
            let one = |message: usize| {
                let (from, to) = nodes(message);
                let mut busiest = 0;
                let hops = self.ways.for_each_link(from, to, |link| busiest = busiest.max(loads[link]));
                job.at_most(phase, busiest, job.way(message, hops))
            };
            ticks = job.messages(phase).map(one).max().unwrap_or(0);
        }
        touched.drain(..).for_each(|link| loads[link as usize] = 0);
        Cost { ticks, points: points(at_most, smooth) }
    }
}

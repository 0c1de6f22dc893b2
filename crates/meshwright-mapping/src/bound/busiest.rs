//! The busiest link: what it carries at least, and which argument says so.

use std::ops::Add;

use super::argument::{Argument, Found};
use super::gilmore_lawler;
use super::graph::Terrain;
use super::loads::{Loads, Partners};
use crate::TaskGraph;
use crate::certificate::Side;
use crate::certificate::leaving::Leaving;
use meshwright_network::topology::{Machine, Topology};

/// All subsets of so many tasks are looked at.
const SUBSET_TASKS_MAX: usize = 16;

/// By task the loads it shares with each partner, both ways, the heaviest first.
pub(super) type ByTask = Vec<Vec<u128>>;

/// Of each task with partners what it sends or hears beyond its 0, 1, 2, ... best ones.
fn rests(partners: &Partners<'_>) -> ByTask {
    let mut rests = Vec::new();
    partners.for_each(u128::add, |_, loads| {
        let mut loads = loads.to_vec();
        (0..loads.len().saturating_sub(1)).rev().for_each(|at| loads[at] += loads[at + 1]);
        rests.push(loads);
    });
    rests
}

/// Of each task what it sends or hears beyond its `most` best partners, in increasing order.
fn beyond(rests: &[Vec<u128>], most: usize, tasks: usize) -> Vec<u128> {
    let mut beyond = vec![0; tasks];
    beyond.iter_mut().zip(rests).for_each(|(beyond, rests)| *beyond = rests.get(most).copied().unwrap_or(0));
    beyond.sort_unstable();
    beyond
}

/// Which of the longer arguments are looked at.
#[derive(Clone, Copy)]
pub(super) struct With<'a> {
    pub(super) cuts: bool,
    /// Where, if all subsets of the tasks and the place of each task are looked at.
    pub(super) thorough: Option<&'a Machine>,
}

impl Terrain {
    /// The ticks for which the busiest link is occupied at least, for so many tasks; `partners` are those of the loads, both ways.
    pub(super) fn busiest(
        &self,
        (loads, partners): (&Loads<'_>, &Partners<'_>),
        tasks: usize,
        with: With<'_>,
    ) -> Found {
        let mut found = Found::nothing();
        for side in [Side::Sent, Side::Received] {
            found = found.or(self.by_degrees(&loads.totals(tasks, side), side));
        }
        found = found.or(self.by_volume(partners));
        if with.cuts {
            let rests = [Side::Sent, Side::Received].map(|side| rests(&Partners::on(loads, tasks, side)));
            found = found.or(self.by_cuts(&rests, tasks));
        }
        if with.cuts && with.thorough.is_some() && tasks <= SUBSET_TASKS_MAX {
            found = found.or(self.over_cuts(&super::subsets::least(loads, tasks), tasks, Leaving::Subsets));
        }
        if let Some(machine) = with.thorough.filter(|machine| machine.nodes() <= gilmore_lawler::NODES_MAX) {
            found = found.or(self.by_places(partners, tasks, machine));
        }
        // Messages go whole, so that every link carries a multiple of what divides them all.
        let divisor = loads.divisor();
        Found { ticks: if divisor == 0 { 0 } else { found.ticks.next_multiple_of(divisor) }, ..found }
    }

    /// `of_tasks` what each task sends, or hears, in increasing order.
    fn by_degrees(&self, of_tasks: &[u128], side: Side) -> Found {
        let spare = self.degrees.len().saturating_sub(of_tasks.len());
        let used = self.degrees.iter().zip(1..).skip(spare).zip(of_tasks);
        let held = used.filter(|((degree, _), _)| **degree > 0);
        let found = held.map(|((&degree, nodes), load)| Found {
            ticks: load.div_ceil(degree.into()),
            argument: Argument::Degrees { nodes, side },
        });
        found.fold(Found::nothing(), Found::or)
    }

    fn by_volume(&self, partners: &Partners<'_>) -> Found {
        let mut twice = 0u128;
        partners.for_each(u128::add, |_, loads| {
            twice += loads.iter().zip(self.distances()).map(|(load, hops)| load * hops as u128).sum::<u128>();
        });
        let ticks = if self.links == 0 { 0 } else { twice.div_ceil(2 * u128::from(self.links)) };
        Found { ticks, argument: Argument::Distances }
    }

    /// As [`Self::by_volume`], with the place of each task.
    fn by_places(&self, partners: &Partners<'_>, tasks: usize, machine: &Machine) -> Found {
        let mut by_task: ByTask = vec![Vec::new(); tasks];
        partners.for_each(u128::add, |task, loads| by_task[task as usize] = loads.to_vec());
        let Some([of_tasks, of_nodes]) = gilmore_lawler::potentials(&by_task, machine) else {
            return Found::nothing();
        };
        let twice: i128 = of_tasks.iter().chain(&of_nodes).map(|&potential| i128::from(potential)).sum();
        let ticks =
            if self.links == 0 { 0 } else { (twice.max(0) as u128).div_ceil(2 * u128::from(self.links)) };
        Found { ticks, argument: Argument::GilmoreLawler { tasks: of_tasks, nodes: of_nodes } }
    }

    fn by_cuts(&self, rests: &[Vec<Vec<u128>>; 2], tasks: usize) -> Found {
        // least[m]: what leaves m tasks at least; from m = the most partners on nothing need leave.
        let leaves = |rests: &[Vec<u128>]| {
            let most = rests.iter().map(Vec::len).max().unwrap_or(0);
            let least = |m: usize| beyond(rests, m - 1, tasks).iter().take(m).sum::<u128>();
            let mut of_count = vec![0; tasks + 1];
            (1..=most.min(tasks)).for_each(|m| of_count[m] = least(m));
            of_count
        };
        let [out, into] = rests.each_ref().map(|rests| leaves(rests));
        let least: Vec<u128> = (0..=tasks).map(|m| out[m].max(into[tasks - m])).collect();
        self.over_cuts(&least, tasks, Leaving::Partners)
    }

    /// The best cut where so much leaves 0, 1, 2, ... tasks at least.
    fn over_cuts(&self, least: &[u128], tasks: usize, leaving: Leaving) -> Found {
        let spare = self.degrees.len().saturating_sub(tasks);
        let one = |(nodes, cut): (usize, &super::graph::Cut)| {
            let range = nodes.saturating_sub(spare)..=nodes.min(tasks);
            let over = least[range].iter().min().copied().unwrap_or(0);
            let ticks = if cut.links == 0 { 0 } else { over.div_ceil(cut.links.into()) };
            Found { ticks, argument: Argument::Cut { nodes, leaving } }
        };
        let known = self.cuts.iter().enumerate().filter(|(_, cut)| cut.links != u64::MAX);
        known.map(one).fold(Found::nothing(), Found::or)
    }

    /// The steps of [`Self::by_cuts`], about.
    pub(super) fn cut_steps(&self, graph: &TaskGraph) -> u64 {
        let mut partners = vec![0u64; graph.tasks as usize];
        for edge in graph.edges() {
            partners[edge.source as usize] += 1;
            partners[edge.target as usize] += 1;
        }
        let most = partners.into_iter().max().unwrap_or(0).min(u64::from(graph.tasks));
        let spare = (self.degrees.len() as u64).saturating_sub(u64::from(graph.tasks));
        (most * u64::from(graph.tasks) + spare * self.degrees.len() as u64) * (graph.phases() as u64 + 1)
    }

    /// The slowest message of a phase: of many partners some are far.
    pub(super) fn slowest(&self, partners: &Partners<'_>, alone: impl Fn(u128, u128) -> u128) -> Found {
        let mut found = Found::nothing();
        partners.for_each(u128::max, |task, loads| {
            for ((partners, &load), hops) in (1u32..).zip(loads).zip(self.distances()) {
                let ticks = alone(load, hops as u128);
                if ticks > found.ticks {
                    let argument = Argument::Partner { task, partners, hops: hops as u32 };
                    found = Found { ticks, argument };
                }
            }
        });
        found
    }
}

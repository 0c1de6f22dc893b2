//! The busiest link: what it carries at least, and which argument says so.

use super::argument::{Argument, Found};
use super::gilmore_lawler;
use super::graph::Terrain;
use crate::TaskGraph;
use crate::certificate::Side;
use crate::certificate::leaving::Leaving;
use meshwright_network::topology::{Machine, Topology};

/// All subsets of so many tasks are looked at.
const SUBSET_TASKS_MAX: usize = 16;

/// What one task sends to another, or hears from it, in ticks on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Share {
    task: u32,
    partner: u32,
    load: u128,
}

/// Messages between different tasks: source, target, ticks on a link.
pub(super) type Loads = Vec<(u32, u32, u128)>;

/// By task the loads it shares with each partner, both ways, the heaviest first.
pub(super) type Partners = Vec<Vec<u128>>;

/// Adds up what goes from each task to each partner, or takes the most of one message.
fn shares(ends: impl Iterator<Item = Share>, add: fn(u128, u128) -> u128) -> Vec<Share> {
    let mut shares: Vec<Share> = ends.collect();
    shares.sort_unstable();
    shares.dedup_by(|next, kept| {
        let same = (next.task, next.partner) == (kept.task, kept.partner);
        if same {
            kept.load = add(kept.load, next.load);
        }
        same
    });
    shares
}

fn sent(loads: &Loads) -> impl Iterator<Item = Share> {
    loads.iter().map(|&(task, partner, load)| Share { task, partner, load })
}

fn heard(loads: &Loads) -> impl Iterator<Item = Share> {
    loads.iter().map(|&(partner, task, load)| Share { task, partner, load })
}

/// The partners of each task that has some, the heaviest first.
fn by_task(shares: &[Share]) -> impl Iterator<Item = Vec<u128>> {
    shares.chunk_by(|a, b| a.task == b.task).map(|own| {
        let mut loads: Vec<u128> = own.iter().map(|share| share.load).collect();
        loads.sort_unstable_by(|a, b| b.cmp(a));
        loads
    })
}

/// Of each task with partners what it sends or hears beyond its 0, 1, 2, ... best ones.
fn rests(shares: &[Share]) -> Vec<Vec<u128>> {
    let from_the_end = |mut loads: Vec<u128>| {
        (0..loads.len().saturating_sub(1)).rev().for_each(|at| loads[at] += loads[at + 1]);
        loads
    };
    by_task(shares).map(from_the_end).collect()
}

/// Of each task what it sends or hears beyond its `most` best partners, in increasing order.
fn beyond(rests: &[Vec<u128>], most: usize, tasks: usize) -> Vec<u128> {
    let mut beyond = vec![0; tasks];
    beyond.iter_mut().zip(rests).for_each(|(beyond, rests)| *beyond = rests.get(most).copied().unwrap_or(0));
    beyond.sort_unstable();
    beyond
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Which of the longer arguments are looked at.
#[derive(Clone, Copy)]
pub(super) struct With<'a> {
    pub(super) cuts: bool,
    /// Where, if all subsets of the tasks and the place of each task are looked at.
    pub(super) thorough: Option<&'a Machine>,
}

impl Terrain {
    /// The ticks for which the busiest link is occupied at least, for so many tasks.
    pub(super) fn busiest(&self, loads: &Loads, tasks: usize, with: With<'_>) -> Found {
        let add = |a: u128, b: u128| a + b;
        let directions = [shares(sent(loads), add), shares(heard(loads), add)];
        let rests = directions.each_ref().map(|shares| rests(shares));
        let mut found = Found::nothing();
        for (rests, side) in rests.iter().zip([Side::Sent, Side::Received]) {
            found = found.or(self.by_degrees(&beyond(rests, 0, tasks), side));
        }
        found = found.or(self.by_volume(loads));
        let mut found = if with.cuts { found.or(self.by_cuts(&rests, tasks)) } else { found };
        if with.cuts && with.thorough.is_some() && tasks <= SUBSET_TASKS_MAX {
            found = found.or(self.over_cuts(&super::subsets::least(loads, tasks), tasks, Leaving::Subsets));
        }
        if let Some(machine) = with.thorough.filter(|machine| machine.nodes() <= gilmore_lawler::NODES_MAX) {
            found = found.or(self.by_places(loads, tasks, machine));
        }
        // Messages go whole, so that every link carries a multiple of what divides them all.
        let divisor = loads.iter().fold(0, |divisor, &(_, _, load)| gcd(divisor, load));
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

    fn by_volume(&self, loads: &Loads) -> Found {
        let both = shares(sent(loads).chain(heard(loads)), |a, b| a + b);
        let far = |loads: Vec<u128>| -> u128 {
            loads.iter().enumerate().map(|(rank, load)| load * self.distance(rank) as u128).sum()
        };
        let twice: u128 = by_task(&both).map(far).sum();
        let ticks = if self.links == 0 { 0 } else { twice.div_ceil(2 * u128::from(self.links)) };
        Found { ticks, argument: Argument::Distances }
    }

    /// As [`Self::by_volume`], with the place of each task.
    fn by_places(&self, loads: &Loads, tasks: usize, machine: &Machine) -> Found {
        let both = shares(sent(loads).chain(heard(loads)), |a, b| a + b);
        let mut partners: Partners = vec![Vec::new(); tasks];
        for own in both.chunk_by(|a, b| a.task == b.task) {
            let loads = &mut partners[own[0].task as usize];
            loads.extend(own.iter().map(|share| share.load));
            loads.sort_unstable_by(|a, b| b.cmp(a));
        }
        let Some([of_tasks, of_nodes]) = gilmore_lawler::potentials(&partners, machine) else {
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
    pub(super) fn slowest(&self, loads: &Loads, alone: impl Fn(u128, u128) -> u128) -> Found {
        let most = shares(sent(loads).chain(heard(loads)), u128::max);
        let mut found = Found::nothing();
        for own in most.chunk_by(|a, b| a.task == b.task) {
            let task = own[0].task;
            let mut own: Vec<u128> = own.iter().map(|share| share.load).collect();
            own.sort_unstable_by(|a, b| b.cmp(a));
            for (rank, load) in own.iter().enumerate() {
                let hops = self.distance(rank);
                let partner = Argument::Partner { task, partners: rank as u32 + 1, hops: hops as u32 };
                found = found.or(Found { ticks: alone(*load, hops as u128), argument: partner });
            }
        }
        found
    }
}

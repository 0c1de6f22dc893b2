//! Where a search starts.

use rand::seq::SliceRandom;

use super::rounds::Rounds;
use super::{Start, digits};
use crate::bisection::BISECTION;
use crate::ordered::RANDOM;
use crate::recursive_bisection::{Aim, Weights};
use crate::{PLACEMENTS, Request, phases, place};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Topology};
use meshwright_schedule::cost::forecast;

/// Links looked at for tasks numbered like the nodes of a box, and how many ways that makes.
const DIGIT_LOOKS: u64 = 1 << 24;
const DIGIT_WAYS_MIN: u64 = 8;
const DIGIT_WAYS_MAX: u64 = 384;
/// So many of these ways are judged.
const DIGIT_WAYS_JUDGED: usize = 3;

/// The most that crosses a cut across an axis of a box in one direction, for each of its links.
fn busiest_cut(grid: &Grid, messages: impl Iterator<Item = (u64, [NodeId; 2])>) -> u64 {
    // By axis and direction what begins, less what ends, to cross at each coordinate.
    let mut change: Vec<[Vec<i64>; 2]> =
        grid.sides().iter().map(|&side| [vec![0; side as usize], vec![0; side as usize]]).collect();
    for (load, [from, to]) in messages {
        for (axis, change) in change.iter_mut().enumerate() {
            let [from, to] = [from, to].map(|node| grid.coordinate(node, axis) as usize);
            let change = &mut change[usize::from(from > to)];
            change[from.min(to)] += load as i64;
            change[from.max(to)] -= load as i64;
        }
    }
    let most = |(change, &side): (&[Vec<i64>; 2], &u32)| {
        let crossing = |changes: &Vec<i64>| {
            let sums = changes.iter().scan(0, |sum, change| {
                *sum += change;
                Some(*sum)
            });
            sums.max().unwrap_or(0) as u64
        };
        change.iter().map(crossing).max().unwrap_or(0) / u64::from(grid.nodes() / side)
    };
    change.iter().zip(grid.sides()).map(most).max().unwrap_or(0)
}

impl Rounds<'_, '_> {
    /// Evaluates where the search starts: all of it, however little time there is, so that no search is worse than what it
    /// could have begun with. Of a large job a placement is left out unseen whose mean link load already takes too long. After
    /// a signal the best there is so far has to do.
    pub(super) fn begin(&mut self) {
        self.start_ticks = u64::MAX;
        let large = self.is_large();
        if !large {
            let random = self.random();
            self.start_at(&random);
        }
        if self.problem.start == Start::Best {
            for (mean, node_of) in self.known(large) {
                if self.is_interrupted() {
                    break;
                }
                if self.found.would_keep(mean) && !(large && self.cannot_win(&node_of)) {
                    self.start_at(&node_of);
                }
            }
            if !self.is_interrupted() {
                self.start_at_digits();
            }
        }
        if self.found.best.is_empty() {
            let random = self.random();
            self.start_at(&random);
        }
        self.start_judged_ticks = self.found.best[0].judged;
    }

    /// The placements the program knows; of a large job with their mean link loads in ticks, the least first.
    fn known(&mut self, large: bool) -> Vec<(u64, Vec<u32>)> {
        let request = Request::of(self.problem.graph, self.problem.machine, self.problem.seed);
        let mut placements = Vec::new();
        // Of a large job neither by lot, nor cut to the shape of a tree that it is not.
        let is_tree = self.problem.graph.divide.is_some();
        let unfit = |name| name == RANDOM.name || name == BISECTION.name && !is_tree;
        for method in PLACEMENTS.iter().filter(|method| !(large && unfit(method.name))) {
            if !placements.is_empty() && self.is_interrupted() {
                break;
            }
            let Ok(placement) = place(method.name, &request) else { continue };
            let mut node_of: Vec<u32> = placement.nodes.iter().map(|node| node.0).collect();
            self.domain.settle(&mut node_of, &mut Vec::new());
            if self.domain.allows(&node_of) {
                placements.push((if large { self.mean_ticks(&node_of) } else { 0 }, node_of));
            }
        }
        placements.sort_by_key(|(mean, _)| *mean);
        if let (true, true, Some((_, node_of))) =
            (self.is_interrupted(), self.found.best.is_empty(), placements.first())
        {
            // No time for a judge.
            let ticks = self.full.cost(node_of).ticks;
            self.start_ticks = ticks;
            self.found.keep(ticks, ticks, node_of);
        }
        placements
    }

    /// Whether the busiest links of a placement alone take longer than the best so far.
    fn cannot_win(&self, node_of: &[u32]) -> bool {
        let nodes: Vec<NodeId> = node_of.iter().copied().map(NodeId).collect();
        let known = forecast(&phases(self.problem.graph, &nodes, self.problem.machine), self.problem.machine);
        known.is_ok_and(|known| !self.found.would_keep(known.least_ticks))
    }

    /// What a placement takes if the links that cross a cut of the box, or all links elsewhere, carry the same: no placement of
    /// this traffic takes less.
    fn mean_ticks(&self, node_of: &[u32]) -> u64 {
        let machine = self.problem.machine;
        let (links, straight) = (machine.links().max(1), machine.whole_grid().filter(|grid| !grid.wraps()));
        let phase = |phase: usize| {
            let ends = |message: usize| {
                let (source, target) = self.job.ends[message];
                [source, target].map(|task| NodeId(node_of[task as usize]))
            };
            let hops = |[from, to]: [NodeId; 2]| machine.distance(from, to).map_or(0, |hops| hops.0);
            let mean = || {
                let messages = self.job.messages(phase);
                let all: u128 = messages
                    .map(|message| u128::from(self.job.load[message]) * u128::from(hops(ends(message))))
                    .sum();
                (all / u128::from(links)) as u64
            };
            let messages = self.job.messages(phase).map(|message| (self.job.load[message], ends(message)));
            let link = straight.map_or_else(mean, |grid| busiest_cut(grid, messages));
            self.job.at_most(phase, link, 0) * self.job.repeats[phase]
        };
        (0..self.job.phases()).map(phase).sum()
    }

    /// Tasks numbered like the nodes of a box, dealt out to the axes: of many ways those of the least predicted time.
    fn start_at_digits(&mut self) {
        let Some(grid) = self.problem.machine.whole_grid() else { return };
        if self.job.tasks != grid.nodes() {
            return;
        }
        let looks = 8 * self.job.ends.len() as u64 + u64::from(grid.nodes());
        let most = (DIGIT_LOOKS / looks.max(1)).clamp(DIGIT_WAYS_MIN, DIGIT_WAYS_MAX);
        let mut ways: Vec<(u64, Vec<u32>)> = Vec::new();
        for mut node_of in digits::placements(grid, most as usize) {
            self.domain.settle(&mut node_of, &mut Vec::new());
            ways.push((self.full.cost(&node_of).ticks, node_of));
        }
        ways.sort_unstable();
        ways.dedup();
        for (_, node_of) in ways.iter().take(DIGIT_WAYS_JUDGED) {
            if self.is_interrupted() {
                break;
            }
            self.start_at(node_of);
        }
    }

    fn start_at(&mut self, node_of: &[u32]) {
        let ticks = self.full.cost(node_of).ticks;
        self.start_ticks = self.start_ticks.min(ticks);
        self.found.offer_now(ticks, node_of);
    }

    /// Every task on a node of its part, drawn by lot.
    pub(super) fn random(&mut self) -> Vec<u32> {
        let mut node_of = vec![0; self.job.tasks as usize];
        let mut nodes = self.domain.parts.clone();
        nodes.iter_mut().for_each(|nodes| nodes.shuffle(&mut self.rng));
        for (node, &part) in node_of.iter_mut().zip(&self.domain.part_of_task) {
            *node = nodes[part as usize].pop().expect("a part has domain for its tasks").0;
        }
        self.domain.settle(&mut node_of, &mut Vec::new());
        node_of
    }

    /// Tasks and machine cut in two together.
    pub(super) fn bisect(&mut self, round: u64) -> Vec<u32> {
        let aim = if round % 8 == 2 { Aim::Traffic } else { Aim::Cut };
        let weights = Weights::new(Some(self.problem.graph), self.problem.machine, aim);
        let mut placed = vec![NodeId(0); self.job.tasks as usize];
        for (part, nodes) in self.domain.parts.iter().enumerate() {
            let of_part = |task: &u32| self.domain.part_of_task[*task as usize] == part as u32;
            let mut tasks: Vec<u32> = (0..self.job.tasks).filter(of_part).collect();
            weights.place(self.problem.machine, &mut tasks, &mut nodes.clone(), &mut placed, &mut self.rng);
        }
        let mut node_of: Vec<u32> = placed.iter().map(|node| node.0).collect();
        self.domain.settle(&mut node_of, &mut Vec::new());
        node_of
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_network::routing::Routes;
    use rand::RngExt;

    #[test]
    fn no_link_carries_less_than_the_busiest_cut_says() {
        let mut rng = meshwright_core::rng::stream(2, "cuts");
        for sides in [&[4u32, 5][..], &[7], &[3, 2, 4]] {
            let grid = Grid::mesh(sides).unwrap();
            let mut node = || NodeId(rng.random_range(0..grid.nodes()));
            let messages: Vec<_> = (0..30).map(|load| (load, [node(), node()])).collect();
            let (routes, mut loads) = (Routes::DimensionOrder(&grid), vec![0; grid.links() as usize]);
            for &(load, [from, to]) in &messages {
                routes.for_each_link(0, (from, to), |link| loads[link.index()] += load);
            }
            let (cut, link) = (busiest_cut(&grid, messages.into_iter()), loads.into_iter().max().unwrap());
            assert!(cut <= link, "{sides:?}");
            assert!(sides.len() > 1 || cut == link, "on a line a cut is a link");
        }
    }
}

//! Where a search starts.

use rand::seq::SliceRandom;

use super::rounds::Rounds;
use super::{Start, digits};
use crate::bisection::BISECTION;
use crate::ordered::RANDOM;
use crate::recursive_bisection::{Aim, Weights};
use crate::{PLACEMENTS, Request, phases, place};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;
use meshwright_schedule::cost::forecast;

/// Links looked at for tasks numbered like the nodes of a box, and how many ways that makes.
const DIGIT_LOOKS: u64 = 1 << 24;
const DIGIT_WAYS_MIN: u64 = 8;
const DIGIT_WAYS_MAX: u64 = 384;
/// So many of these ways are judged.
const DIGIT_WAYS_JUDGED: usize = 3;

impl Rounds<'_, '_> {
    /// Evaluates where the search starts: all of it, however little time there is, so that no search is worse than what it
    /// could have begun with. Of a large job a placement is left out unseen whose mean link load already takes too long.
    pub(super) fn begin(&mut self) {
        self.start_ticks = u64::MAX;
        let large = self.is_large();
        if !large {
            let random = self.random();
            self.start_at(&random);
        }
        if self.problem.start == Start::Best {
            let request = Request::of(self.problem.graph, self.problem.machine, self.problem.seed);
            let mut placements = Vec::new();
            // Of a large job neither by lot, nor cut to the shape of a tree that it is not.
            let is_tree = self.problem.graph.divide.is_some();
            let unfit = |name| name == RANDOM.name || name == BISECTION.name && !is_tree;
            for method in PLACEMENTS.iter().filter(|method| !(large && unfit(method.name))) {
                let Ok(placement) = place(method.name, &request) else { continue };
                let mut node_of: Vec<u32> = placement.nodes.iter().map(|node| node.0).collect();
                self.domain.settle(&mut node_of, &mut Vec::new());
                if self.domain.allows(&node_of) {
                    placements.push((if large { self.mean_ticks(&node_of) } else { 0 }, node_of));
                }
            }
            placements.sort_by_key(|(mean, _)| *mean);
            for (mean, node_of) in placements {
                if self.found.would_keep(mean) && !(large && self.cannot_win(&node_of)) {
                    self.start_at(&node_of);
                }
            }
            self.start_at_digits();
        }
        if self.found.best.is_empty() {
            let random = self.random();
            self.start_at(&random);
        }
        self.start_judged_ticks = self.found.best[0].judged;
    }

    /// Whether the busiest links of a placement alone take longer than the best so far.
    fn cannot_win(&self, node_of: &[u32]) -> bool {
        let nodes: Vec<NodeId> = node_of.iter().copied().map(NodeId).collect();
        let known = forecast(&phases(self.problem.graph, &nodes, self.problem.machine), self.problem.machine);
        known.is_ok_and(|known| !self.found.would_keep(known.least_ticks))
    }

    /// What a placement takes if every link of a phase carries the same: no placement of this traffic takes less.
    fn mean_ticks(&self, node_of: &[u32]) -> u64 {
        let machine = self.problem.machine;
        let phase = |phase: usize| {
            let load = |message: usize| {
                let (source, target) = self.job.ends[message];
                let [from, to] = [source, target].map(|task| NodeId(node_of[task as usize]));
                u128::from(self.job.load[message])
                    * u128::from(machine.distance(from, to).map_or(0, |hops| hops.0))
            };
            let all: u128 = self.job.messages(phase).map(load).sum();
            self.job.at_most(phase, (all / u128::from(machine.links().max(1))) as u64, 0)
                * self.job.repeats[phase]
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
        ways.sort();
        ways.dedup();
        for (_, node_of) in ways.iter().take(DIGIT_WAYS_JUDGED) {
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

//! The rounds of a search: place anew or go on from the best, turn blocks, exchange tasks, and again for longer.

use std::ops::ControlFlow;

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_xoshiro::SplitMix64;

use super::domain::Domain;
use super::found::{Found, FoundPlacement};
use super::full::{Cost, Full};
use super::job::PhasedJob;
use super::shapes::Shapes;
use super::state::SearchState;
use super::ways::Ways;
use super::{Judge, NAME, SearchAnswer, SearchOutcome, SearchProblem, SearchProgress, Start};
use crate::recursive_bisection::{Aim, Weights};
use crate::{PLACEMENTS, Placement, Request, place};
use meshwright_core::csr::Csr;
use meshwright_core::interrupt::Grace;
use meshwright_core::rng::streams;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology};

/// After about as many links looked at, `watch` is asked: some milliseconds.
const LOOKS_BETWEEN_WATCHES: u64 = 500_000;
/// Turns of blocks in each annealing of the first round; each round makes a quarter more.
const FIRST_TURNS: u64 = 500;
/// The annealings by turns of a round: each begins at the points of its start divided by this.
const TURN_COOLNESS: [f64; 4] = [300.0, 1000.0, 3000.0, 10_000.0];
/// Exchanges of tasks in the first round.
const FIRST_EXCHANGES: u64 = 8000;
/// The annealing by exchanges of each round in four begins at the points of its start, per phase, divided by this.
const EXCHANGE_COOLNESS: [f64; 4] = [100.0, 4.0, 20.0, 100.0];
/// Exact costs take longer than an exchange, so that not every better placement of an annealing gets one.
const STEPS_BETWEEN_OFFERS: u64 = 300;

/// A search under way.
pub(super) struct Rounds<'p, 'w> {
    problem: &'p SearchProblem<'p>,
    job: &'p PhasedJob,
    domain: &'p Domain,
    watch: &'w mut dyn FnMut(&SearchProgress) -> ControlFlow<()>,
    full: Full<'p>,
    /// The same for the job with joined phases.
    joint: Full<'p>,
    shapes: Option<Shapes>,
    near: Adjacency,
    rng: SplitMix64,
    found: Found<'w>,
    start_ticks: u64,
    start_judged_ticks: u64,
    steps: u64,
    looks: u64,
    stopped: bool,
    /// While it lives a signal ends the search and not the process.
    grace: Grace,
    interrupted: bool,
}

/// The name of an answer: `search` for the best, `search-2` for the next.
fn name(index: usize) -> String {
    if index == 0 { NAME.to_string() } else { format!("{NAME}-{}", index + 1) }
}

/// The nodes next to each node.
struct Adjacency(Csr<u32>);

impl Adjacency {
    fn new(machine: &Machine) -> Self {
        let mut nodes = Csr::default();
        for node in (0..machine.nodes()).map(NodeId) {
            nodes.push_row(machine.neighbours(node).map(|(_, next)| next.0));
        }
        Self(nodes)
    }

    /// A neighbour drawn by lot; the node itself if it has none.
    fn draw(&self, node: u32, rng: &mut SplitMix64) -> u32 {
        let neighbours = self.0.row(node as usize);
        if neighbours.is_empty() { node } else { neighbours[rng.random_range(0..neighbours.len())] }
    }
}

impl<'p, 'w> Rounds<'p, 'w> {
    /// A search that has not begun.
    pub(super) fn new(
        problem: &'p SearchProblem<'p>,
        [job, joint]: [&'p PhasedJob; 2],
        ways: &'p Ways<'p>,
        domain: &'p Domain,
        judge: Option<Judge<'w>>,
        watch: &'w mut dyn FnMut(&SearchProgress) -> ControlFlow<()>,
    ) -> Self {
        let machine = problem.machine;
        Self {
            problem,
            job,
            domain,
            watch,
            full: Full::new(job, ways, machine.links()),
            joint: Full::new(joint, ways, machine.links()),
            shapes: machine.whole_grid().and_then(Shapes::new),
            near: Adjacency::new(machine),
            rng: streams(problem.seed, NAME, 0..1).remove(0),
            found: Found::new(problem.answers, problem.graph.edges().len(), judge),
            start_ticks: 0,
            start_judged_ticks: 0,
            steps: 0,
            looks: 0,
            stopped: false,
            grace: Grace::begin(),
            interrupted: false,
        }
    }

    /// Searches until it is time to stop.
    ///
    /// `exact` is missing when no phases were joined.
    pub(super) fn run(&mut self, mut exact: Option<SearchState<'p>>, mut joint: SearchState<'p>) {
        self.begin();
        let (mut turns, mut exchanges) = (FIRST_TURNS, FIRST_EXCHANGES);
        let mut round = 0;
        while self.goes_on(0) {
            let again = round % 4 == 3;
            let mut node_of = if again { self.found.best[0].nodes.clone() } else { self.bisect(round) };
            if let Some(shapes) = self.shapes.take() {
                self.turn_blocks(&shapes, &mut node_of, turns);
                self.shapes = Some(shapes);
            }
            let coolness = EXCHANGE_COOLNESS[(round % 4) as usize];
            self.exchange_tasks(&mut joint, &mut node_of, exchanges, coolness);
            if again && let Some(exact) = &mut exact {
                self.exchange_tasks(exact, &mut node_of, exchanges / 8, 200.0);
            }
            turns = turns.saturating_add(turns / 4);
            exchanges = exchanges.saturating_add(exchanges / 4);
            round += 1;
        }
        self.found.judge_waiting();
    }

    /// What was found.
    pub(super) fn outcome(self) -> SearchOutcome {
        let answer =
            |(index, FoundPlacement { judged, predicted, nodes }): (usize, FoundPlacement)| SearchAnswer {
                placement: Placement { name: name(index), nodes: nodes.into_iter().map(NodeId).collect() },
                predicted_ticks: predicted,
                judged_ticks: judged,
            };
        SearchOutcome {
            answers: self.found.best.into_iter().enumerate().map(answer).collect(),
            steps: self.steps,
            start_ticks: self.start_ticks,
            start_judged_ticks: self.start_judged_ticks,
            interrupted: self.interrupted,
        }
    }

    /// Evaluates where the search starts: all of it, however little time there is, so that no search is worse than what it
    /// could have begun with.
    fn begin(&mut self) {
        let random = self.random();
        self.start_ticks = u64::MAX;
        self.start_at(&random);
        if self.problem.start == Start::Best {
            let request = Request::of(self.problem.graph, self.problem.machine, self.problem.seed);
            for method in PLACEMENTS {
                let Ok(placement) = place(method.name, &request) else { continue };
                let mut node_of: Vec<u32> = placement.nodes.iter().map(|node| node.0).collect();
                self.domain.settle(&mut node_of, &mut Vec::new());
                if self.domain.allows(&node_of) {
                    self.start_at(&node_of);
                }
            }
        }
        self.start_judged_ticks = self.found.best[0].judged;
    }

    fn start_at(&mut self, node_of: &[u32]) {
        let ticks = self.full.cost(node_of).ticks;
        self.start_ticks = self.start_ticks.min(ticks);
        self.found.offer_now(ticks, node_of);
    }

    /// Every task on a node of its part, drawn by lot.
    fn random(&mut self) -> Vec<u32> {
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
    fn bisect(&mut self, round: u64) -> Vec<u32> {
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

    /// Counts a step of about so many links looked at, if there is one more to make.
    fn goes_on(&mut self, looks: u64) -> bool {
        self.looks += looks;
        self.found.look(looks);
        if self.looks >= LOOKS_BETWEEN_WATCHES && !self.stopped {
            self.looks = 0;
            let progress = SearchProgress {
                steps: self.steps,
                start_ticks: self.start_judged_ticks,
                best_ticks: self.found.best[0].judged,
            };
            self.interrupted = self.grace.is_over();
            self.stopped = (self.watch)(&progress).is_break() || self.interrupted;
        }
        self.stopped |= self.steps == self.problem.steps;
        self.steps += u64::from(!self.stopped);
        !self.stopped
    }

    /// Anneals by turns of blocks, several times from the same placement; the best one met is left in `node_of`.
    fn turn_blocks(&mut self, shapes: &Shapes, node_of: &mut Vec<u32>, turns: u64) {
        let start = (self.joint.cost(node_of), node_of.clone());
        let looks = (self.joint.job().ends.len() * 8 + node_of.len()) as u64;
        let (mut turned, mut task_at) = (node_of.clone(), Vec::new());
        let mut best = start.clone();
        self.offer_exactly(node_of);
        for coolness in TURN_COOLNESS {
            let mut now = start.0;
            node_of.copy_from_slice(&start.1);
            let mut heat = Annealing::new(now.points as f64 / coolness, now.points as f64 / 50_000.0, turns);
            for _ in 0..turns {
                if !self.goes_on(looks) {
                    break;
                }
                shapes.apply(&shapes.draw(&mut self.rng), node_of, &mut turned);
                self.domain.settle(&mut turned, &mut task_at);
                let cost: Cost = self.joint.cost(&turned);
                if heat.accepts(now.points, cost.points, &mut self.rng) {
                    now = cost;
                    std::mem::swap(node_of, &mut turned);
                    if (now.ticks, now.points) < (best.0.ticks, best.0.points) {
                        best.0 = now;
                        best.1.copy_from_slice(node_of);
                        self.offer_exactly(node_of);
                    }
                }
            }
        }
        *node_of = best.1;
    }

    /// Remembers a placement if its exact cost is among the best.
    fn offer_exactly(&mut self, node_of: &[u32]) {
        let ticks = self.full.cost(node_of).ticks;
        self.found.offer(ticks, node_of);
    }

    /// Anneals by exchanges of two tasks, or of a task and a free node.
    fn exchange_tasks(
        &mut self,
        state: &mut SearchState<'p>,
        node_of: &mut [u32],
        exchanges: u64,
        coolness: f64,
    ) {
        let job = state.job();
        if job.ends.is_empty() {
            return;
        }
        state.reset(node_of);
        let start = state.total() as f64 / job.phases() as f64;
        let mut heat = Annealing::new(start / coolness, start / 2000.0, exchanges);
        let looks = (8 * job.ends.len() / job.tasks.max(1) as usize + 8) as u64;
        let mut best = state.total();
        let mut next_offer = self.steps;
        // The exchanges since the best placement: taken back in the end.
        let mut since: Vec<(u32, u32)> = Vec::new();
        for _ in 0..exchanges {
            if !self.goes_on(looks) {
                break;
            }
            let (a, b) = self.draw_exchange(state);
            if !self.may_exchange(state, a, b) {
                continue;
            }
            let before = state.total();
            let after = state.exchange(a, b);
            if !heat.accepts(before, after, &mut self.rng) {
                state.undo();
                continue;
            }
            since.push((a, b));
            let worth_it = after < best || self.found.wants_more();
            if after < best {
                best = after;
                since.clear();
            }
            if worth_it && self.steps >= next_offer {
                next_offer = self.steps + STEPS_BETWEEN_OFFERS;
                self.offer_exactly(state.node_of());
            }
        }
        for &(a, b) in since.iter().rev() {
            state.exchange(a, b);
        }
        node_of.copy_from_slice(state.node_of());
        self.offer_exactly(node_of);
    }

    fn may_exchange(&self, state: &SearchState<'p>, a: u32, b: u32) -> bool {
        let (on_a, on_b) = (state.task_at(a), state.task_at(b));
        a != b
            && on_a != on_b
            && self.domain.may_leave(on_a)
            && self.domain.may_leave(on_b)
            && self.domain.part_of_node[a as usize] == self.domain.part_of_node[b as usize]
    }

    /// Two nodes: mostly that of a task that hurts and one near the task it talks to.
    fn draw_exchange(&mut self, state: &SearchState<'p>) -> (u32, u32) {
        let job = state.job();
        let lot = self.rng.random_range(0..100);
        let message = match lot {
            0..40 => self.draw_worst(state),
            _ => self.rng.random_range(0..job.ends.len()),
        };
        let (source, target) = job.ends[message];
        let (mover, other) =
            if self.rng.random_range(0..2) == 0 { (source, target) } else { (target, source) };
        let node_of = state.node_of();
        let (from, anchor) = (node_of[mover as usize], node_of[other as usize]);
        let start = if lot < 80 { anchor } else { from };
        let mut to = self.near.draw(start, &mut self.rng);
        if self.rng.random_range(0..3) == 0 || to == from {
            to = self.near.draw(to, &mut self.rng);
        }
        (from, to)
    }

    /// A message of some phase that has the longest way there, or crosses the busiest link.
    fn draw_worst(&mut self, state: &SearchState<'p>) -> usize {
        let job = state.job();
        let phase = self.rng.random_range(0..job.phases());
        let messages = job.messages(phase);
        if messages.is_empty() {
            return self.rng.random_range(0..job.ends.len());
        }
        let from = self.rng.random_range(0..messages.len());
        if state.is_link_bound(phase) {
            return state.crossing(phase, from, 16).unwrap_or(messages.start + from);
        }
        messages.start + state.longest(phase, from)
    }
}

/// The temperature of an annealing: falls evenly in its logarithm from step to step.
///
/// # Source
///
/// `kirkpatrick1983`.
struct Annealing {
    points: f64,
    factor: f64,
}

impl Annealing {
    fn new(from: f64, to: f64, steps: u64) -> Self {
        let (from, to) = (from.max(1e-9), to.max(1e-12));
        Self { points: from, factor: libm::exp(libm::log(to / from) / steps.max(1) as f64) }
    }

    /// Whether to go from one number of points to another.
    fn accepts(&mut self, before: u64, after: u64, rng: &mut SplitMix64) -> bool {
        self.points *= self.factor;
        if after <= before {
            return true;
        }
        let loss = (after - before) as f64 / self.points;
        loss < 30.0 && rng.random::<f64>() < libm::exp(-loss)
    }
}

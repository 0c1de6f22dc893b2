//! The rounds of a search: kinds of looking that take turns, each with as much work as the others, and again for longer.

use std::ops::ControlFlow;

use rand_xoshiro::SplitMix64;

use super::domain::Domain;
use super::exchanges::Adjacency;
use super::found::{Found, FoundPlacement};
use super::full::Full;
use super::gentle::Gentle;
use super::job::PhasedJob;
use super::shapes::Shapes;
use super::smooth::Smooth;
use super::state::SearchState;
use super::ways::Ways;
use super::{Judge, NAME, SearchAnswer, SearchOutcome, SearchProblem, SearchProgress};
use crate::Placement;
use meshwright_core::interrupt::Grace;
use meshwright_core::rng::streams;
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;

/// After about as many links looked at, `watch` is asked: some milliseconds.
const LOOKS_BETWEEN_WATCHES: u64 = 500_000;
/// Turns of blocks in each annealing of the first round; each round makes a quarter more.
const FIRST_TURNS: u64 = 500;
/// Exchanges of tasks in the first round.
const FIRST_EXCHANGES: u64 = 8000;
/// The annealing by exchanges of each round in four begins at the points of its start, per phase, divided by this.
const EXCHANGE_COOLNESS: [f64; 4] = [100.0, 4.0, 20.0, 100.0];
/// Links looked at in a round of each kind, at least, and for each message.
const ROUND_LOOKS: u64 = 4 << 20;
const ROUND_LOOKS_A_MESSAGE: u64 = 200;
/// Jobs of more tasks have no time for whole placements cut or turned anew.
const LARGE: u32 = 4096;
/// A search that goes on for as many cycles of rounds, and for as many steps again, without anything better has converged.
const CONVERGED_CYCLES: u64 = 2;

/// What a round does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Cut in two anew or go on from the best, turn blocks, exchange by the predicted time.
    Predicted,
    /// Anneal the smooth stand-in from the best.
    Gentle,
    /// The same from elsewhere: cut in two anew, or from random.
    Anew,
    /// Ask the judge about one exchange after the other.
    Judged,
}

/// The kinds of rounds in their order.
const SMALL_CYCLE: &[Kind] = &[Kind::Predicted, Kind::Gentle, Kind::Judged, Kind::Anew, Kind::Judged];
const LARGE_CYCLE: &[Kind] = &[Kind::Gentle];

/// Hears how far the search is, and may break it off.
type Watch<'w> = &'w mut dyn FnMut(&SearchProgress) -> ControlFlow<()>;

/// A search under way.
pub(super) struct Rounds<'p, 'w> {
    pub(super) problem: &'p SearchProblem<'p>,
    pub(super) job: &'p PhasedJob,
    pub(super) domain: &'p Domain,
    watch: Watch<'w>,
    pub(super) full: Full<'p>,
    /// The same for the job with joined phases.
    pub(super) joint: Full<'p>,
    shapes: Option<Shapes>,
    pub(super) near: Adjacency,
    pub(super) rng: SplitMix64,
    pub(super) found: Found<'w>,
    pub(super) start_ticks: u64,
    pub(super) start_judged_ticks: u64,
    pub(super) steps: u64,
    looks: u64,
    stopped: bool,
    /// The best that was judged, and after how many steps.
    improved: (u64, u64),
    /// Cycles of rounds that were begun since.
    idle_cycles: u64,
    /// While it lives a signal ends the search and not the process.
    grace: Grace,
    interrupted: bool,
}

/// The states that rounds keep up to date: by the predicted time, exactly and with joined phases, and the smooth one.
pub(super) struct States<'p> {
    /// Missing when no phases were joined.
    pub(super) exact: Option<SearchState<'p>>,
    pub(super) joint: SearchState<'p>,
    pub(super) smooth: Smooth<'p>,
}

/// The name of an answer: `search` for the best, `search-2` for the next.
fn name(index: usize) -> String {
    if index == 0 { NAME.to_string() } else { format!("{NAME}-{}", index + 1) }
}

impl<'p, 'w> Rounds<'p, 'w> {
    /// A search that has not begun.
    pub(super) fn new(
        problem: &'p SearchProblem<'p>,
        [job, joint]: [&'p PhasedJob; 2],
        ways: &'p Ways<'p>,
        domain: &'p Domain,
        (judge, watch, grace): (Option<Judge<'w>>, Watch<'w>, Grace),
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
            improved: (u64::MAX, 0),
            idle_cycles: 0,
            grace,
            interrupted: false,
        }
    }

    /// Searches until it is time to stop.
    pub(super) fn run(&mut self, mut states: States<'p>) {
        self.begin();
        self.note();
        let kinds = if self.is_large() { LARGE_CYCLE } else { SMALL_CYCLE };
        let mut budget = ROUND_LOOKS.max(ROUND_LOOKS_A_MESSAGE * self.job.ends.len() as u64);
        let mut cycle = 0;
        while self.goes_on(0) {
            for kind in kinds {
                match kind {
                    Kind::Predicted => self.by_prediction(&mut states, cycle, budget),
                    Kind::Gentle => self.gently(&mut states.smooth, cycle, budget),
                    Kind::Anew => self.anew(&mut states.smooth, cycle, budget),
                    Kind::Judged => self.by_judge(budget),
                }
            }
            cycle += 1;
            self.idle_cycles += 1;
            budget = budget.saturating_add(budget / 4);
        }
        self.found.judge_waiting();
        self.note();
    }

    /// Whether there is no time for whole placements made anew.
    pub(super) fn is_large(&self) -> bool {
        self.job.tasks > LARGE
    }

    /// Place anew or go on from the best, turn blocks, exchange tasks.
    fn by_prediction(&mut self, states: &mut States<'p>, round: u64, budget: u64) {
        let growth = |first: u64| (0..round).fold(first, |count, _| count.saturating_add(count / 4));
        let (turns, exchanges) = (growth(FIRST_TURNS), growth(FIRST_EXCHANGES));
        let again = round % 4 == 3;
        let mut node_of = if again { self.found.best[0].nodes.clone() } else { self.bisect(round) };
        if let Some(shapes) = self.shapes.take() {
            let looks = (8 * self.job.ends.len() + node_of.len()) as u64;
            self.turn_blocks(&shapes, &mut node_of, turns.min(2 * budget / looks + 1));
            self.shapes = Some(shapes);
        }
        let coolness = EXCHANGE_COOLNESS[(round % 4) as usize];
        self.exchange_tasks(&mut states.joint, &mut node_of, exchanges, coolness);
        if again && let Some(exact) = &mut states.exact {
            self.exchange_tasks(exact, &mut node_of, exchanges / 8, 200.0);
        }
    }

    /// Anneals the smooth stand-in from the best, with another power each time.
    fn gently(&mut self, smooth: &mut Smooth<'p>, cycle: u64, budget: u64) {
        let mut node_of = self.found.best[0].nodes.clone();
        let gentle = match self.is_large() {
            true => Gentle::of_large(cycle, self.job.stores),
            false => Gentle::from_best(cycle),
        };
        self.anneal_gently(smooth, &mut node_of, gentle, budget);
    }

    /// The same from a placement of its own.
    fn anew(&mut self, smooth: &mut Smooth<'p>, cycle: u64, budget: u64) {
        let mut node_of = if cycle.is_multiple_of(2) { self.bisect(2) } else { self.random() };
        self.anneal_gently(smooth, &mut node_of, Gentle::anew(cycle), budget);
    }

    /// What was found.
    pub(super) fn outcome(self) -> SearchOutcome {
        let answer =
            |(index, FoundPlacement { judged, predicted, nodes }): (usize, FoundPlacement)| SearchAnswer {
                placement: Placement { name: name(index), nodes: nodes.into_iter().map(NodeId).collect() },
                predicted_ticks: predicted,
                judged_ticks: judged,
            };
        let converged = self.converged();
        SearchOutcome {
            answers: self.found.best.into_iter().enumerate().map(answer).collect(),
            steps: self.steps,
            start_ticks: self.start_ticks,
            start_judged_ticks: self.start_judged_ticks,
            last_improved_steps: self.improved.1,
            converged,
            interrupted: self.interrupted,
        }
    }

    /// Counts a step of about so many links looked at, if there is one more to make.
    pub(super) fn goes_on(&mut self, looks: u64) -> bool {
        self.looks += looks;
        self.found.look(looks);
        self.note();
        if self.looks >= LOOKS_BETWEEN_WATCHES && !self.stopped {
            self.looks = 0;
            let progress = SearchProgress {
                steps: self.steps,
                start_ticks: self.start_judged_ticks,
                best_ticks: self.found.best[0].judged,
                last_improved_steps: self.improved.1,
                converged: self.converged(),
            };
            self.stopped = (self.watch)(&progress).is_break() || self.is_interrupted();
        }
        self.stopped |= self.steps == self.problem.steps;
        self.steps += u64::from(!self.stopped);
        !self.stopped
    }

    /// Whether a signal has ended the search.
    pub(super) fn is_interrupted(&mut self) -> bool {
        self.interrupted |= self.grace.is_over();
        self.stopped |= self.interrupted;
        self.interrupted
    }

    /// Notes when something better was found.
    fn note(&mut self) {
        let best = self.found.best[0].judged;
        if best < self.improved.0 {
            self.improved = (best, self.steps);
            self.idle_cycles = 0;
        }
    }

    fn converged(&self) -> bool {
        self.idle_cycles > CONVERGED_CYCLES && self.steps >= 2 * self.improved.1
    }
}

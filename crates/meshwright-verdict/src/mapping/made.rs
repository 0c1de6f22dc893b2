//! What is told of placements that were looked for: by search, by branch and bound.

use serde::Serialize;

use meshwright_mapping::bound::GraphBound;
use meshwright_mapping::{exact, search};
use meshwright_network::topology::{Machine, Switching};

/// A search that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Searched {
    /// The steps it made: asked for again, they give the same placements.
    pub steps: u64,
    /// The least that was predicted for a placement it started from.
    pub start_cycles: u64,
    /// The least that was simulated for a placement it started from, under the machine's switching; none
    /// when none comes to an end.
    pub start_simulated_cycles: Option<u64>,
    /// What is predicted for the placements it found, the best first.
    pub predicted_cycles: Vec<u64>,
    /// What is simulated for them: this says which is the best.
    pub simulated_cycles: Vec<Option<u64>>,
    /// Steps made when the best was found; 0 if the search started from it.
    pub last_improved_steps: u64,
    /// Whether nothing better was found for as many steps again, and through all kinds of rounds at least twice.
    pub converged: bool,
}

impl Searched {
    /// What a search did, in cycles of its machine.
    pub fn new(outcome: &search::SearchOutcome, machine: &Machine) -> Self {
        let cycles = |ticks: u64| machine.costs().cycles(ticks).0;
        // A judge's word for what never ends is the most there is.
        let simulated = |ticks: u64| (ticks != u64::MAX).then(|| cycles(ticks));
        let answers = outcome.answers.iter();
        Self {
            steps: outcome.steps,
            start_cycles: cycles(outcome.start_ticks),
            start_simulated_cycles: simulated(outcome.start_judged_ticks),
            predicted_cycles: answers.clone().map(|answer| cycles(answer.predicted_ticks)).collect(),
            simulated_cycles: answers.map(|answer| simulated(answer.judged_ticks)).collect(),
            last_improved_steps: outcome.last_improved_steps,
            converged: outcome.converged,
        }
    }
}

/// What branch and bound says of the best placement it found, under the machine's switching.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Proved {
    /// Whether no placement takes less simulated time.
    pub optimal: bool,
    /// What no placement takes less than, simulated.
    pub bound_cycles: u64,
    /// Partial placements that were looked at.
    pub nodes_searched: u64,
    /// Complete placements that bounds left and the simulator was asked about.
    pub placements_simulated: u64,
    /// Its simulated time, also where the machine's switching is not among those of a table; none when it never ends.
    #[serde(skip)]
    pub cycles: Option<u64>,
    /// The bound with what proves it.
    #[serde(skip)]
    pub bound: GraphBound,
    /// Under which switching.
    #[serde(skip)]
    pub switching: Switching,
}

impl Proved {
    /// What was proved, in cycles of the machine.
    pub fn new(outcome: &exact::ExactOutcome, machine: &Machine) -> Self {
        let cycles = |ticks: u64| machine.costs().cycles(ticks).0;
        Self {
            optimal: outcome.is_optimal(),
            bound_cycles: cycles(outcome.bound_ticks),
            nodes_searched: outcome.nodes,
            placements_simulated: outcome.judged,
            bound: outcome.bound.clone(),
            switching: machine.switching(),
            cycles: (outcome.ticks != u64::MAX).then(|| cycles(outcome.ticks)),
        }
    }
}

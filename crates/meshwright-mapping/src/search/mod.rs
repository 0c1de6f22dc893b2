//! Phase-aware local search: a placement for any phased task graph on any machine.
//!
//! | file | what |
//! |---|---|
//! | this one | the question, the answers, how a search starts and when it stops |
//! | `job`, `ways` | the job in ticks; the routes of the machine |
//! | `found` | the best placements met, and when a judge is asked |
//! | `full` | the cost of a placement from nothing |
//! | `seats` | who is where, and the exchange of what is on two nodes |
//! | `state`, `maxima` | the cost of a placement, kept up to date while tasks change places |
//! | `domain` | pinned tasks, dead nodes, parts that do not reach each other; why there is no answer |
//! | `shapes` | moves of whole blocks of a box |
//! | `smooth` | p-norms of link loads, kept up to date while tasks change places |
//! | `begin`, `digits` | where a search starts |
//! | `rounds` | the rounds of a search, and when it has converged |
//! | `exchanges`, `gentle` | what a round does: by the predicted time, by the smooth one, by the judge |
//! | `annealing` | a temperature |
//!
//! Several kinds of rounds take turns. What the first makes small is the predicted time: the sum over phases of the time of the slowest message,
//! [`meshwright_schedule::cost::predicted`]. Equal times are told apart by fourth roots of sums of fourth powers of link
//! loads and distances, which see every message and not the worst alone.
//!
//! A prediction does not see who waits behind whom. Other rounds make p-norms of the loads small, which follow waiting better.
//! [`search_by`] has a judge besides, usually a simulation: what he says decides who is best, and in rounds of his own he is
//! asked about every exchange.
//!
//! Coarser levels are where [recursive bisection](crate::recursive_bisection) has them: each of its cuts coarsens, cuts and
//! refines. Two stages of the search's own were measured and left out, because plain descent from there was better at equal
//! time: pairs by heavy edges on halved boxes, and tiles of the machine that change places with all their tasks.

mod annealing;
mod begin;
mod digits;
mod domain;
mod exchanges;
mod found;
mod full;
mod gentle;
mod job;
mod maxima;
mod rounds;
mod seats;
mod shapes;
mod smooth;
mod state;
mod ways;

use std::ops::ControlFlow;

use super::{Placement, TaskGraph};
use meshwright_core::error::{Error, Result};
use meshwright_core::interrupt::Grace;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology};

/// Where a search starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// At the best of all placements the program knows.
    #[default]
    Best,
    /// At a random placement, and without the closed forms.
    Random,
}

/// Every start with its name on the command line.
pub const STARTS: &[(&str, Start)] = &[("best", Start::Best), ("random", Start::Random)];

/// The name of what a search makes.
pub const NAME: &str = "search";

/// What is to be placed, where, and how long to look.
#[derive(Clone, Copy, Debug)]
pub struct SearchProblem<'a> {
    /// Who sends how much to whom, by phase.
    pub graph: &'a TaskGraph,
    /// Where; its switching and its costs say what time a placement takes.
    pub machine: &'a Machine,
    /// Tasks that must be on these nodes.
    pub pins: &'a [(u32, NodeId)],
    /// Where to start.
    pub start: Start,
    /// For what is drawn by lot.
    pub seed: u64,
    /// After how many steps to stop: a step is one move tried.
    pub steps: u64,
    /// How many different placements are wanted, at most.
    pub answers: usize,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchProgress {
    /// Steps made so far.
    pub steps: u64,
    /// The ticks at the start: predicted, or what the judge says.
    pub start_ticks: u64,
    /// The fewest such ticks so far.
    pub best_ticks: u64,
    /// Steps made when the best so far was found.
    pub last_improved_steps: u64,
    /// Whether nothing better was found for long: see [`SearchOutcome::converged`].
    pub converged: bool,
}

/// A placement with its predicted time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchAnswer {
    /// Which node runs which task.
    pub placement: Placement,
    /// What the formula says, in ticks of the machine.
    pub predicted_ticks: u64,
    /// What the judge says, if there is one; else as predicted.
    pub judged_ticks: u64,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchOutcome {
    /// Different placements, named `search`, `search-2` and so on, the fastest first; fewer than asked for if the search met no more. At least one.
    pub answers: Vec<SearchAnswer>,
    /// The steps made: asked for as [`SearchProblem::steps`], they give the same outcome again.
    pub steps: u64,
    /// The fewest predicted ticks of the placements it started from.
    pub start_ticks: u64,
    /// The same as the judge says, if there is one.
    pub start_judged_ticks: u64,
    /// Steps made when the best was found; 0 if it was among those it started from.
    pub last_improved_steps: u64,
    /// Whether nothing better was found for as many steps again, and through all kinds of rounds at least twice.
    pub converged: bool,
    /// Whether a signal has ended it: then these are the best so far.
    pub interrupted: bool,
}

/// What a judge says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// What a placement takes.
    pub ticks: u64,
    /// Flits times links that he simulated; 0 where he looked at whole messages. Where it takes long he is asked less often.
    pub flit_hops: u64,
}

/// Says what a placement takes, in ticks; for one that takes no less than the second argument any number that is no less.
pub type Judge<'j> = &'j mut dyn FnMut(&[NodeId], u64) -> Judged;

/// Why no placement at all keeps together the tasks that talk to each other: a machine in parts that are too small.
pub fn apart(graph: &TaskGraph, machine: &Machine) -> Option<String> {
    domain::apart(graph, machine)
}

/// Searches until the steps are made or `watch` breaks off.
///
/// `watch` is called every few milliseconds; the library knows no clock, so a time limit is its affair. The same problem
/// gives the same outcome, whenever `watch` was called, as long as the same number of steps is made. In a program that
/// [watches signals](meshwright_core::interrupt) the first one ends the search, too.
///
/// # Errors
///
/// [`Error::Value`] when a pin names no task or no node, or no answer is wanted; [`Error::NotApplicable`]
/// with the reason when no placement exists; [`Error::TooLarge`] when the tables do not fit into memory, or a time
/// into 57 bits.
///
/// # Complexity
///
/// Per exchange of two tasks O(hops of their messages); per move of blocks O(nodes + sum of hops). Memory 8 bytes
/// for each link and different phase.
///
/// # Examples
///
/// ```
/// use std::ops::ControlFlow;
/// use meshwright_mapping::search::{SearchProblem, Start, search};
/// use meshwright_mapping::{Divide, Shape, divide};
/// use meshwright_network::topology::{Machine, Switching};
/// use meshwright_core::units::{Bytes, NodeId};
/// let job = Divide { shape: Shape::Binomial(4), alpha: Some(1.0), combine_alpha: None, volume: Bytes(64) };
/// let graph = divide::task_graph(&job)?;
/// let machine = Machine::new("mesh:4x4")?.with_switching(Switching::StoreAndForward);
/// let problem = SearchProblem {
///     graph: &graph,
///     machine: &machine,
///     pins: &[(15, NodeId(5))],
///     start: Start::Random,
///     seed: 1,
///     steps: 60_000,
///     answers: 1,
/// };
/// let outcome = search(&problem, &mut |_| ControlFlow::Continue(()))?;
/// // Four phases over one link each, with the root where it was pinned.
/// assert_eq!(outcome.answers[0].predicted_ticks, 4 * (100 + 64));
/// assert_eq!(outcome.answers[0].placement.nodes[15], NodeId(5));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn search(
    problem: &SearchProblem<'_>,
    watch: &mut dyn FnMut(&SearchProgress) -> ControlFlow<()>,
) -> Result<SearchOutcome> {
    run(problem, None, watch)
}

/// As [`search`], with a judge: what he says of a placement decides how good it is, and the prediction whom he is asked about.
///
/// He is asked about every placement of the start, so that no answer is worse than any of them.
///
/// # Errors
///
/// As for [`search`].
///
/// # Examples
///
/// ```
/// use std::ops::ControlFlow;
/// use meshwright_mapping::search::{Judged, SearchProblem, Start, search_by};
/// use meshwright_mapping::{Divide, Shape, divide};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::Bytes;
/// let job = Divide { shape: Shape::Binomial(2), alpha: Some(1.0), combine_alpha: None, volume: Bytes(64) };
/// let (graph, machine) = (divide::task_graph(&job)?, Machine::new("mesh:2x2")?);
/// let problem =
///     SearchProblem { graph: &graph, machine: &machine, pins: &[], start: Start::Best, seed: 1, steps: 100, answers: 1 };
/// // This one likes task 0 on node 0, as row-major has it.
/// let ticks = |nodes: &[_]| if nodes[0] == meshwright_core::units::NodeId(0) { 1 } else { 2 };
/// let mut judge = |nodes: &[_], _| Judged { ticks: ticks(nodes), flit_hops: 0 };
/// let outcome = search_by(&problem, &mut judge, &mut |_| ControlFlow::Continue(()))?;
/// assert_eq!(outcome.answers[0].judged_ticks, 1);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn search_by<'j>(
    problem: &SearchProblem<'_>,
    judge: Judge<'j>,
    watch: &'j mut dyn FnMut(&SearchProgress) -> ControlFlow<()>,
) -> Result<SearchOutcome> {
    run(problem, Some(judge), watch)
}

fn run<'j>(
    problem: &SearchProblem<'_>,
    judge: Option<Judge<'j>>,
    watch: &'j mut dyn FnMut(&SearchProgress) -> ControlFlow<()>,
) -> Result<SearchOutcome> {
    if problem.answers == 0 {
        return Err(Error::value("number of answers", 0, "at least 1"));
    }
    let grace = Grace::begin();
    let job = job::PhasedJob::new(problem.graph, problem.machine)?;
    let ways = ways::Ways::new(problem.machine)?;
    let domain = domain::Domain::new(problem)?;
    let joint = job.join();
    let mut rounds = rounds::Rounds::new(problem, [&job, &joint], &ways, &domain, (judge, watch, grace));
    let (nodes, links) = (problem.machine.nodes(), problem.machine.links());
    let state = |job| state::SearchState::new(job, &ways, nodes, links);
    let exact = (job.phases() != joint.phases()).then(|| state(&job));
    let smooth = smooth::Smooth::new(&joint, &ways, nodes, links);
    rounds.run(rounds::States { exact, joint: state(&joint), smooth });
    Ok(rounds.outcome())
}

//! The race: one collective operation by every published algorithm, each simulated, held against one bound.
//!
//! | file | what |
//! |---|---|
//! | this one | what is asked, and the verdict |
//! | `root` | where a rooted operation may begin |
//! | `trial` | one algorithm from one root: its floor, its chunks, its simulation |
//! | `synthesis` | our own entry, which is searched for |
//! | `field` | all of them, in the order of their prospects |
//! | `words` | why the winner wins |
//! | [`regimes`] | who wins over bytes, start-ups and hop times |

mod field;
mod joined;
pub mod regimes;
mod root;
mod synthesis;
mod trial;
mod words;

use std::sync::Arc;

use meshwright_collectives::algorithms::multicast;
use meshwright_collectives::bound::{self, Bound};
use meshwright_collectives::flow::Flow;
use meshwright_collectives::synthesis::Recipe;
use meshwright_collectives::{Algorithm, Operation, Task, algorithm};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Cycles, NodeId, Ratio};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::{Plan, Planner, Proposal, Schedule};

use self::field::{Entry, Finish};
use crate::contradiction::not_below;
use crate::{Contest, Ending, Facts, Options, Outcome, Rank, Skipped, Verdict, Watch};

/// What is asked: an operation of all living nodes.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The operation.
    pub operation: Operation,
    /// The whole buffer of one member, the larger of the two where an operation changes its size; 0 for a barrier.
    pub bytes: u64,
    /// Where a rooted operation begins or ends; none to let every algorithm choose.
    pub root: Option<NodeId>,
    /// Cycles of adding up a byte; none if that costs nothing.
    pub combine: Option<Ratio>,
    /// Whether routers copy messages that pass them.
    pub multicast: bool,
    /// Names of algorithms; none for all of them. Those that are named are simulated whatever their prospects.
    pub algorithms: Vec<&'static Algorithm>,
    /// How much is simulated.
    pub effort: Effort,
}

/// How much of a race is simulated; whoever is not says why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// An algorithm whose busiest link, or longest chain of messages, alone takes so many times the best time so far is not simulated.
    pub hopeless: u64,
    /// Nor is one of more messages than this, unless its prediction is below the best time.
    pub messages: u64,
    /// All chunks of an algorithm that streams are at most so many messages.
    pub chunked: u64,
    /// Whether schedules of our own are searched for.
    pub searches: bool,
}

impl Default for Effort {
    fn default() -> Self {
        Self { hopeless: 4, messages: 1 << 22, chunked: 1 << 20, searches: true }
    }
}

impl Asked {
    /// An operation by all algorithms, its root chosen, adding up for free.
    pub fn new(operation: Operation, bytes: u64) -> Self {
        Self {
            operation,
            bytes,
            root: None,
            combine: None,
            multicast: false,
            algorithms: Vec::new(),
            effort: Effort::default(),
        }
    }

    /// The algorithms that are compared.
    fn algorithms(&self) -> Vec<&'static Algorithm> {
        match self.algorithms.as_slice() {
            [] => algorithm::all()
                .filter(|one| one.operations.contains(&self.operation))
                .filter(|one| self.effort.searches || !synthesis::is_searched(one))
                .filter(|one| self.multicast || !multicast::ALGORITHMS.iter().any(|own| own.name == one.name))
                .collect(),
            some => some.to_vec(),
        }
    }
}

/// What is known of a race.
#[derive(Clone, Debug)]
pub struct RaceFacts {
    /// The operation.
    pub operation: Operation,
    /// The buffer of one member.
    pub bytes: u64,
    /// How many members there are.
    pub members: u32,
    /// Cycles of adding up a byte.
    pub combine: Option<Ratio>,
    /// Whether routers copy messages that pass them.
    pub multicast: bool,
    /// The roots that were compared; none where the operation has no root.
    pub roots: Vec<NodeId>,
    /// A time that no algorithm beats from any of these roots, and what proves it.
    pub bound: Bound,
}

/// What is known of an algorithm beside its times.
#[derive(Clone, Debug, PartialEq)]
pub struct RaceDetail {
    /// The root it did best from; none where the operation has no root.
    pub root: Option<NodeId>,
    /// Into how many chunks every message is cut, which stream.
    pub chunks: u32,
    /// Steps before messages are cut: messages of one step wait for those of the steps before. Of what is searched for, messages in a row.
    pub steps: u32,
    /// Messages, chunks counted; none before it was simulated.
    pub messages: u64,
    /// Sum over messages of bytes times links.
    pub bytes_hops: u64,
    /// No run of it takes less, in whatever chunks: its busiest link, or its longest chain of messages, in cycles.
    pub floor_cycles: u64,
    /// Why it was not simulated, without a full stop.
    pub not_simulated: Option<String>,
    /// How it was found, if it was searched for.
    pub recipe: Option<Recipe>,
}

impl Facts for RaceFacts {
    const KIND: &'static str = "collective";
    type Detail = RaceDetail;
}

/// The verdict on a collective operation.
pub type RaceVerdict = Verdict<RaceFacts>;
/// What one algorithm does.
pub type RaceOutcome = Outcome<RaceDetail>;

/// Runs an operation by every algorithm that suits, and names the winner: the least simulated time.
///
/// A rooted operation without a root is tried from the centre of the machine and from its first node; a row is the better
/// of the two. Algorithms that stream are tried in several numbers of chunks. An algorithm whose busiest link or longest chain
/// of messages alone takes four times what the best has taken so far is not simulated, unless it was named.
///
/// # Errors
///
/// [`Error::Value`] for a root that does not work or is none; [`Error::NotApplicable`] when no algorithm suits, or on machines
/// whose links are not alike; [`Error::Contradiction`] when a time falls below the bound.
///
/// # Examples
///
/// ```
/// use meshwright_collectives::Operation;
/// use meshwright_network::Machine;
/// use meshwright_verdict::race::{self, Asked};
/// let mesh = Machine::new("mesh:4x4")?;
/// let verdict = race::judge("", &Asked::new(Operation::Broadcast, 1 << 20), &mesh, &mut |_| ())?;
/// let best = verdict.winner().expect("one algorithm comes to its end");
/// assert!(verdict.bound() <= best.time);
/// assert!(verdict.results.iter().filter_map(|other| other.simulated_cycles).all(|cycles| cycles >= best.time.0));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn judge(
    name: &str,
    asked: &Asked,
    machine: &Machine,
    progress: &mut dyn FnMut(&str),
) -> Result<RaceVerdict> {
    let race = Race::new(asked, machine, progress)?;
    let methods = 0..race.finishes.len();
    crate::judge(&race, methods, &Options::new(name, 0), &mut |_: &str| ())
}

/// The planner: all algorithms have run before their plans are asked for.
struct Race<'a> {
    asked: &'a Asked,
    machine: &'a Machine,
    /// One task for each root.
    tasks: Vec<Task<'a>>,
    bound: Bound,
    finishes: Vec<Finish>,
    /// The one with the least time.
    best: Option<usize>,
}

impl<'a> Race<'a> {
    fn new(asked: &'a Asked, machine: &'a Machine, progress: &mut dyn FnMut(&str)) -> Result<Self> {
        machine.equal_links("a collective operation")?;
        progress("bound");
        let tasks = root::tasks(asked, machine)?;
        let bounds: Vec<Bound> = tasks.iter().map(bound::bound).collect::<Result<_>>()?;
        let finishes = field::run(asked, &tasks, &bounds, progress)?;
        // What holds from every root that is compared.
        let bound = bounds.into_iter().min_by_key(|bound| bound.cycles).expect("at least one root");
        let time = |finish: &Finish| match finish {
            Finish::Ran(entry) => entry.rank(),
            Finish::Skipped { .. } => None,
        };
        let ranked = finishes.iter().enumerate().filter_map(|(index, finish)| Some((time(finish)?, index)));
        let best = ranked.min().map(|(_, index)| index);
        Ok(Self { asked, machine, tasks, bound, finishes, best })
    }

    /// The roots that are compared.
    fn roots(&self) -> Vec<NodeId> {
        self.tasks.iter().map(|task| task.nodes()[task.root as usize]).collect()
    }

    fn root(&self, entry: &Entry) -> Option<NodeId> {
        let task = &self.tasks[entry.task];
        task.operation.is_rooted().then(|| task.nodes()[task.root as usize])
    }

    /// The row of an algorithm.
    fn outcome(&self, entry: &Entry) -> Result<RaceOutcome> {
        let name = entry.algorithm.name;
        let bound = self.bound.cycles.0;
        let simulated = entry.run.as_ref().and_then(|run| run.cycles);
        not_below(bound, simulated.unwrap_or(bound), "cycles", name, None)?;
        Ok(Outcome {
            method: name.to_string(),
            bound_cycles: bound,
            // A prediction that is below the bound is too low.
            predicted_cycles: entry.run.as_ref().map_or(entry.look.predicted, |run| run.predicted).max(bound),
            simulated_cycles: simulated,
            busiest_link: entry.run.as_ref().map_or(entry.look.busiest, |run| run.busiest),
            waited_link: entry.run.as_ref().and_then(|run| run.waited),
            detail: RaceDetail {
                root: self.root(entry),
                chunks: entry.run.as_ref().map_or(1, |run| run.chunks),
                steps: entry.look.steps,
                messages: entry.run.as_ref().map_or(entry.look.messages, |run| run.messages),
                bytes_hops: entry.look.bytes_hops,
                floor_cycles: entry.look.floor,
                not_simulated: entry.not_simulated.clone(),
                recipe: entry.recipe.clone(),
            },
        })
    }
}

/// The schedule of an algorithm as a verdict has it: from its root, in its chunks.
///
/// # Errors
///
/// As for [`Algorithm::of`].
pub fn schedule(asked: &Asked, machine: &Machine, outcome: &RaceOutcome) -> Result<Schedule> {
    let (task, flow) = flow(asked, machine, outcome)?;
    Ok(flow.schedule(task.nodes(), machine.nodes(), task.combine))
}

/// The data flow of an algorithm as a verdict has it, and its task.
///
/// # Errors
///
/// As for [`Algorithm::of`].
pub fn flow<'m>(asked: &Asked, machine: &'m Machine, outcome: &RaceOutcome) -> Result<(Task<'m>, Flow)> {
    let asked = Asked { root: outcome.detail.root.or(asked.root), ..asked.clone() };
    let task = root::tasks(&asked, machine)?.remove(0);
    let flow = match &outcome.detail.recipe {
        Some(recipe) => recipe.flow(&task)?,
        None => {
            let named = algorithm::all().find(|one| one.name == outcome.method);
            named.expect("the name of an algorithm").of(&task)?.chunked(outcome.detail.chunks)?
        }
    };
    Ok((task, flow))
}

impl Planner for Race<'_> {
    /// The place of an algorithm in the race.
    type Method = usize;
    type Workload = ();
    type Detail = ();

    fn machine(&self) -> &Machine {
        self.machine
    }

    fn bound(&self) -> Result<Cycles> {
        Ok(self.bound.cycles)
    }

    fn plan(&self, &method: &usize, _seed: u64) -> Result<Proposal<(), ()>> {
        Ok(match &self.finishes[method] {
            Finish::Skipped { why, deadlock: false, .. } => Proposal::Unsuitable(why.clone()),
            _ => Proposal::Plan(Plan { workload: (), detail: () }),
        })
    }
}

impl Contest for Race<'_> {
    type Facts = RaceFacts;

    const WHAT: &'static str = "this collective operation";

    fn name_of(&self, &method: &usize) -> String {
        self.finishes[method].algorithm().name.to_string()
    }

    fn measure(&self, &method: &usize, _plan: Plan<(), ()>, _seed: u64) -> Result<Ending<RaceDetail>> {
        let entry = match &self.finishes[method] {
            Finish::Skipped { why, .. } => return Ok(Ending::Standstill(why.clone())),
            Finish::Ran(entry) => entry,
        };
        let outcome = self.outcome(entry)?;
        let schedule = match self.best == Some(method) {
            true => Some(Arc::new(schedule(self.asked, self.machine, &outcome)?)),
            false => None,
        };
        Ok(Ending::Done(outcome, schedule))
    }

    fn rank(outcome: &RaceOutcome) -> Option<Rank> {
        Some((outcome.simulated_cycles?, outcome.detail.bytes_hops, 0))
    }

    fn nothing(&self, skipped: &[Skipped]) -> Option<Error> {
        let what = self.asked.operation.name();
        Some(match skipped {
            [] => Error::not_applicable(what, "no algorithm of the table does it"),
            some => crate::nothing_applies(what, some),
        })
    }

    fn words(&self, winner: Option<&RaceOutcome>, results: &[RaceOutcome]) -> (String, Option<String>) {
        let is_chosen = self.asked.operation.is_rooted() && self.asked.root.is_none();
        let chosen = if is_chosen { self.roots() } else { Vec::new() };
        words::reason(self.machine, &self.bound, &chosen, winner, results)
    }

    fn facts(
        &self,
        _winner: Option<&RaceOutcome>,
        _results: &[RaceOutcome],
        _skipped: &mut Vec<Skipped>,
        _watch: &mut dyn Watch,
    ) -> Result<RaceFacts> {
        Ok(RaceFacts {
            operation: self.asked.operation,
            bytes: self.asked.bytes,
            members: self.tasks[0].members(),
            combine: self.asked.combine,
            multicast: self.asked.multicast,
            roots: if self.asked.operation.is_rooted() { self.roots() } else { Vec::new() },
            bound: self.bound.clone(),
        })
    }
}

/// Refuses bytes where an operation has none, and none where it needs some.
fn check_bytes(asked: &Asked) -> Result<()> {
    match (asked.operation, asked.bytes) {
        (Operation::Barrier, 0) => Ok(()),
        (Operation::Barrier, bytes) => {
            Err(Error::value("bytes of a barrier", bytes, "none: it carries nothing"))
        }
        (operation, 0) => Err(Error::value("bytes", "0", format!("at least 1 for {}", operation.name()))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_sim::{Engine, simulate};

    /// Every row can be made again from what it says of itself: root and chunks.
    #[test]
    fn the_schedule_of_a_row_takes_as_long_as_the_row_says() {
        let mesh = Machine::new("mesh:3x4").unwrap();
        for operation in [Operation::Broadcast, Operation::Gather, Operation::AllReduce] {
            let asked = Asked { combine: Ratio::new(1, 4).ok(), ..Asked::new(operation, 5000) };
            let verdict = judge("", &asked, &mesh, &mut |_| ()).unwrap();
            for row in verdict.results.iter().filter(|row| row.simulated_cycles.is_some()) {
                let schedule = schedule(&asked, &mesh, row).unwrap();
                let trace = simulate(&mesh, &schedule, &Engine::Message).unwrap();
                assert_eq!(
                    Some(trace.cycles.0),
                    row.simulated_cycles,
                    "{} by {}",
                    operation.name(),
                    row.method
                );
                assert_eq!(trace.messages, row.detail.messages, "{} by {}", operation.name(), row.method);
            }
            let winner = verdict.winner().unwrap();
            let own = simulate(&mesh, winner.schedule().unwrap(), &Engine::Message).unwrap();
            assert_eq!(own.cycles, winner.time);
        }
    }
}

//! Every method side by side.

use super::detail::{GroupsDetail, GroupsFacts};
use super::experiment::{self, Experiment};
use super::job::{Job, Pace};
use super::methods::{Method, Viewed, Visitor};
use super::program::{self, Kind, Steps};
use super::{bound_cycles, words};
use crate::contradiction::not_below;
use crate::{Contest, Ending, GroupsOutcome, GroupsVerdict, LinkUse, Options, Outcome, Skipped, Watch};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::Cycles;
use meshwright_groups::Group;
use meshwright_groups::history::History;
use meshwright_groups::protocol::members;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::{Plan, Planner, Proposal};

/// About so many points has a curve over sizes.
const BINS: u32 = 16;

/// The groups of larger machines are not drawn over time.
const HISTORY_MAX: u32 = 4096;

/// Does a program by every method of the job, and names the winner: the least time the referee measures.
///
/// A method that does not apply is listed with the reason if it was asked for by name. `progress` is told what is being
/// worked on.
///
/// # Errors
///
/// As for [`Job::group`]; [`Error::NotApplicable`] when no method applies; [`Error::Contradiction`] when a time falls
/// below the bound.
///
/// # Examples
///
/// ```
/// use meshwright_network::topology::Machine;
/// use meshwright_verdict::groups::{self, Drawn, Job, Labels};
/// let mesh = Machine::new("mesh:4x4")?.in_packets();
/// let job = Job::new("hilbert", Labels::Drawn { levels: 2, kind: Drawn::Scattered });
/// let verdict = groups::judge("halves", &job, &mesh, &mut |_| {})?;
/// let cycles = |name| verdict.results.iter().find(|result| result.method == name).unwrap().simulated();
/// assert!(cycles("paper-fast") < cycles("paper"));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn judge(
    name: &str,
    job: &Job,
    machine: &Machine,
    progress: &mut dyn FnMut(&str),
) -> Result<GroupsVerdict> {
    progress("bound");
    let planner = Programs::new(job, machine)?;
    let options = Options::new(name, job.seed);
    crate::judge(&planner, job.methods.iter().copied(), &options, &mut |what: &str| progress(what))
}

/// The planner of a program of groups: a method is run as it is, for its messages are decided as it runs.
struct Programs<'a> {
    job: &'a Job,
    machine: &'a Machine,
    members: u32,
    bound: u64,
}

impl<'a> Programs<'a> {
    fn new(job: &'a Job, machine: &'a Machine) -> Result<Self> {
        let members = job.group(machine)?.size();
        Ok(Self { job, machine, members, bound: bound_cycles(job, machine)? })
    }

    /// Predicts and measures one method.
    fn outcome(&self, method: &'static Method) -> Result<Ending<GroupsDetail>> {
        let &Self { job, machine, members, bound } = self;
        let simulated = experiment::run(job, machine, method, &|| ())?;
        if simulated.deadlock().is_some() {
            let why = format!("it comes to a standstill on the {} engine", job.engine.name());
            return Ok(Ending::Standstill(why));
        }
        let predicted = experiment::run(&Job { alone: true, ..job.clone() }, machine, method, &|| ())?;
        let cycles = simulated.cycles();
        not_below(bound, cycles, "cycles", method.name, Some(job.seed))?;
        // Alone, any number of messages fit through a port.
        let predicted_cycles = predicted.cycles().max(bound);
        let mean =
            |kind| simulated.overhead(kind, |sample| sample.size > 1).map(|overhead| overhead.mean.mean);
        let outcome = Outcome {
            method: method.name.to_string(),
            bound_cycles: bound,
            predicted_cycles,
            simulated_cycles: Some(cycles),
            busiest_link: hottest(machine, &simulated),
            waited_link: None,
            detail: GroupsDetail {
                split: method.split,
                tree: method.tree,
                messages: simulated.rounds.iter().map(|ran| ran.messages).sum(),
                split_cycles_mean: mean(Kind::Split),
                barrier_cycles_mean: mean(Kind::Barrier),
                join_cycles_mean: mean(Kind::Join),
                bytes_kept_max: simulated.bytes_kept_most,
                by_doubling: simulated.by_doubling(),
                by_size: simulated.by_bins_of((members / BINS).max(1)),
            },
        };
        Ok(Ending::Done(outcome, None))
    }
}

impl Planner for Programs<'_> {
    type Method = &'static Method;
    type Workload = ();
    type Detail = ();

    fn machine(&self) -> &Machine {
        self.machine
    }

    fn bound(&self) -> Result<Cycles> {
        Ok(Cycles(self.bound))
    }

    fn plan(&self, _method: &&'static Method, _seed: u64) -> Result<Proposal<(), ()>> {
        Ok(Proposal::Plan(Plan { workload: (), detail: () }))
    }
}

impl Contest for Programs<'_> {
    type Facts = GroupsFacts;

    const WHAT: &'static str = "the program of groups";

    fn name_of(&self, method: &&'static Method) -> String {
        method.name.to_string()
    }

    fn measure(
        &self,
        method: &&'static Method,
        _plan: Plan<(), ()>,
        _seed: u64,
    ) -> Result<Ending<GroupsDetail>> {
        match self.outcome(method) {
            Err(error @ Error::TooLarge { .. }) => Ok(Ending::TooLarge(error.to_string())),
            Err(Error::NotApplicable { why, .. }) => Ok(Ending::Unsuitable(why)),
            ending => ending,
        }
    }

    fn rank(outcome: &GroupsOutcome) -> Option<crate::Rank> {
        Some((outcome.simulated_cycles?, 0, 0))
    }

    fn is_told(&self, skipped: &Skipped) -> bool {
        self.job.named || skipped.deadlock
    }

    fn words(&self, winner: Option<&GroupsOutcome>, results: &[GroupsOutcome]) -> (String, Option<String>) {
        match winner {
            Some(winner) => (words::reason(winner, results), words::advice(winner, results)),
            None => ("every method comes to a standstill".to_string(), None),
        }
    }

    fn facts(
        &self,
        winner: Option<&GroupsOutcome>,
        _results: &[GroupsOutcome],
        _skipped: &mut Vec<Skipped>,
        _watch: &mut dyn Watch,
    ) -> Result<GroupsFacts> {
        let &Self { job, machine, members, .. } = self;
        Ok(GroupsFacts {
            order: job.order.clone(),
            members,
            levels: job.levels(),
            runs: job.repeat,
            engine: job.engine.name(),
            lockstep: job.pace == Pace::Lockstep,
            seed: job.seed,
            history: winner.map(|winner| shown_history(job, machine, winner)).transpose()?.flatten(),
        })
    }
}

/// The history that is drawn: of the winner, on machines that can be drawn.
fn shown_history(job: &Job, machine: &Machine, winner: &GroupsOutcome) -> Result<Option<History>> {
    let method = job.methods.iter().find(|method| method.name == winner.method);
    match method.filter(|_| machine.living_count() <= HISTORY_MAX) {
        None => Ok(None),
        Some(method) => history(job, machine, method),
    }
}

/// Which groups there were when in the first repetition of a method, each group at its own pace; none if it comes to a
/// standstill.
///
/// # Errors
///
/// As for [`Job::group`] and the simulation.
///
/// # Complexity
///
/// One repetition; memory O(operations of all members).
pub fn history(job: &Job, machine: &Machine, method: &Method) -> Result<Option<History>> {
    let group = job.group(machine)?;
    method.apply(job, machine, Watched { job, machine, group: &group })
}

struct Watched<'a> {
    job: &'a Job,
    machine: &'a Machine,
    group: &'a Group,
}

impl Visitor for Watched<'_> {
    type Output = Option<History>;

    fn visit<S: Viewed>(self, scheme: &S) -> Result<Option<History>> {
        let Self { job, machine, group } = self;
        let round = job.round(group, 0);
        let steps = |rank| Steps::new(program::operations(&round, rank), Pace::Free);
        let mut processes = members(scheme, machine, group, (0..group.size()).map(steps).collect())?;
        let trace = job.run(machine, &mut processes)?;
        let ended = trace.deadlock.is_none();
        Ok(ended.then(|| History::of(group, |node| processes[node.index()].log())))
    }
}

/// The link that most packets crossed in one run.
fn hottest(machine: &Machine, experiment: &Experiment) -> Option<LinkUse> {
    let busiest = experiment.rounds.iter().filter_map(|ran| ran.busiest);
    // Of equal ones the first.
    let (link, packets) = busiest.rev().max_by_key(|&(_, packets)| packets)?;
    let busy = packets * machine.costs().head_ticks();
    Some(LinkUse {
        from: machine.source(link).0,
        to: machine.target(link).map_or(u32::MAX, |node| node.0),
        messages: packets,
        bytes: packets * machine.costs().flit.0,
        busy_cycles: machine.costs().cycles(busy).0,
    })
}

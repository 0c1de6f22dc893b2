//! Every method side by side.

use super::experiment::{self, Experiment};
use super::form::{GroupsOutcome, GroupsVerdict};
use super::job::{Job, Pace};
use super::methods::{Method, Viewed, Visitor};
use super::program::{self, Kind, Steps};
use super::{bound_cycles, words};
use crate::contradiction::not_below;
use crate::{HottestLink, Skipped, gap, nothing_applies};
use meshwright_core::error::{Error, Result};
use meshwright_groups::Group;
use meshwright_groups::history::History;
use meshwright_groups::protocol::members;
use meshwright_network::topology::{Machine, Topology};

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
/// let cycles = |name| verdict.results.iter().find(|result| result.method == name).unwrap().simulated_cycles;
/// assert!(cycles("paper-fast") < cycles("paper"));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn judge(
    name: &str,
    job: &Job,
    machine: &Machine,
    progress: &mut dyn FnMut(&str),
) -> Result<GroupsVerdict> {
    let members = job.group(machine)?.size();
    progress("bound");
    let bound = bound_cycles(job, machine)?;
    let (mut results, mut skipped): (Vec<GroupsOutcome>, Vec<Skipped>) = (Vec::new(), Vec::new());
    let mut too_large = Vec::new();
    for method in &job.methods {
        progress(method.name);
        match outcome(job, machine, method, (members, bound)) {
            Ok(Some(outcome)) => results.push(outcome),
            Ok(None) => skipped.push(Skipped {
                method: method.name.to_string(),
                why: format!("it comes to a standstill on the {} engine", job.engine.name()),
                deadlock: true,
            }),
            Err(Error::NotApplicable { why, .. }) => {
                skipped.push(Skipped { method: method.name.to_string(), why, deadlock: false });
            }
            Err(error @ Error::TooLarge { .. }) => {
                let (method, why) = (method.name.to_string(), error.to_string());
                too_large.push(Skipped { method, why, deadlock: false });
            }
            Err(error) => return Err(error),
        }
    }
    if results.is_empty() && skipped.is_empty() && !too_large.is_empty() {
        return Err(nothing_applies("the program of groups", &too_large));
    }
    if results.is_empty() && !skipped.iter().any(|skipped| skipped.deadlock) {
        return Err(nothing_applies("the program of groups", &skipped));
    }
    if !job.named {
        skipped.retain(|skipped| skipped.deadlock);
    }
    skipped.extend(too_large);
    let winner = results.iter().min_by_key(|outcome| outcome.simulated_cycles);
    Ok(GroupsVerdict {
        kind: "groups",
        name: name.to_string(),
        winner: winner.map(|winner| winner.method.clone()),
        reason: winner.map_or_else(
            || "every method comes to a standstill".to_string(),
            |winner| words::reason(winner, &results),
        ),
        advice: winner.and_then(|winner| words::advice(winner, &results)),
        skipped,
        order: job.order.clone(),
        members,
        levels: job.levels(),
        runs: job.repeat,
        engine: job.engine.name(),
        lockstep: job.pace == Pace::Lockstep,
        seed: job.seed,
        history: winner.map(|winner| history(job, machine, winner)).transpose()?.flatten(),
        results,
    })
}

/// Predicts and measures one method; none if it comes to a standstill.
fn outcome(
    job: &Job,
    machine: &Machine,
    method: &Method,
    (members, bound): (u32, u64),
) -> Result<Option<GroupsOutcome>> {
    let simulated = experiment::run(job, machine, method, &|| ())?;
    if simulated.deadlock().is_some() {
        return Ok(None);
    }
    let predicted = experiment::run(&Job { alone: true, ..job.clone() }, machine, method, &|| ())?;
    let cycles = simulated.cycles();
    not_below(bound, cycles, "cycles", method.name, Some(job.seed))?;
    not_below(bound, predicted.cycles(), "predicted cycles", method.name, Some(job.seed))?;
    let mean = |kind| simulated.overhead(kind, |sample| sample.size > 1).map(|overhead| overhead.mean.mean);
    Ok(Some(GroupsOutcome {
        method: method.name.to_string(),
        split: method.split,
        tree: method.tree,
        bound_cycles: bound,
        predicted_cycles: predicted.cycles(),
        simulated_cycles: cycles,
        gap: gap(bound, cycles),
        hottest_link: hottest(machine, &simulated),
        messages: simulated.rounds.iter().map(|ran| ran.messages).sum(),
        split_cycles_mean: mean(Kind::Split),
        barrier_cycles_mean: mean(Kind::Barrier),
        join_cycles_mean: mean(Kind::Join),
        bytes_kept_max: simulated.bytes_kept_most,
        by_doubling: simulated.by_doubling(),
        by_size: simulated.by_bins_of((members / BINS).max(1)),
    }))
}

/// Which groups there were when in the first repetition of a method, each group at its own pace.
fn history(job: &Job, machine: &Machine, winner: &GroupsOutcome) -> Result<Option<History>> {
    let group = job.group(machine)?;
    let method = job.methods.iter().find(|method| method.name == winner.method);
    match method.filter(|_| group.size() <= HISTORY_MAX) {
        None => Ok(None),
        Some(method) => method.apply(job, machine, Watched { job, machine, group: &group }),
    }
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
fn hottest(machine: &Machine, experiment: &Experiment) -> Option<HottestLink> {
    let busiest = experiment.rounds.iter().filter_map(|ran| ran.busiest);
    // Of equal ones the first.
    let (link, packets) = busiest.rev().max_by_key(|&(_, packets)| packets)?;
    let busy = packets * machine.costs().head_ticks();
    Some(HottestLink {
        from: machine.source(link).0,
        to: machine.target(link).map_or(u32::MAX, |node| node.0),
        messages: packets,
        bytes: packets * machine.costs().flit.0,
        busy_cycles: machine.costs().cycles(busy).0,
    })
}

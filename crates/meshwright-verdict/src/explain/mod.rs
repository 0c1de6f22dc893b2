//! Why a plan takes as long as it does: the culprit, the critical path, and what changes would gain.
//!
//! | file | what |
//! |---|---|
//! | this one | [`explain()`]: a plan becomes an [`Explanation`] |
//! | `culprit` | [`Culprit`]: the busiest link by time, with the messages on it |
//! | `path` | the critical path in cycles, and its phases |
//! | `times` | [`Times`]: cycles or seconds in sentences |
//! | `what_if` | [`WHAT_IFS`]: changes, each simulated |
//! | `words` | the same in sentences |

mod culprit;
mod path;
mod times;
mod what_if;
mod words;

pub use culprit::{Culprit, OnLink, TaskPair};
pub use path::{PathEntry, PathLink, PathParts, PathPhase};
pub use times::Times;
pub use what_if::{Change, Outcome, Trial, WHAT_IFS, WhatIf};

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use meshwright_core::error::Result;
use meshwright_core::units::{LinkId, NodeId};
use meshwright_core::words::{grouped, plural};
use meshwright_mapping::{Placement, TaskGraph};
use meshwright_network::routing::Pair;
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_schedule::{Message, Phases, Schedule, cost};
use meshwright_sim::critical::{self, CriticalPath};
use meshwright_sim::fitting::Routers;
use meshwright_sim::link_use::Way;

/// What is explained.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "few of them live at a time")]
pub enum Work<'a> {
    /// Tasks on nodes, a barrier after each phase.
    Placed {
        /// Who sends how much to whom.
        tasks: Cow<'a, TaskGraph>,
        /// Where they are.
        placement: Placement,
        /// The next best placement, if another was tried.
        runner_up: Option<Placement>,
    },
    /// A schedule: each rank goes on when its own steps allow; rank r runs on node r.
    Schedule(Cow<'a, Schedule>),
}

/// A plan on its machine.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// The job's name.
    pub name: &'a str,
    /// Whose plan it is.
    pub method: &'a str,
    /// Where it runs.
    pub machine: &'a Machine,
    /// What runs.
    pub work: Work<'a>,
}

/// Why a plan takes as long as it does.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// The version of this form: 1.
    pub format: u32,
    /// The job's name.
    pub name: String,
    /// Whose plan it is.
    pub method: String,
    /// Where it runs.
    pub machine: String,
    /// How messages move.
    pub switching: Switching,
    /// The makespan.
    pub simulated_cycles: u64,
    /// What the phases would take if no two messages met; none of a schedule.
    pub alone_cycles: Option<u64>,
    /// What the critical path is made of: its parts add up to the makespan.
    pub parts: PathParts,
    /// The phases in their order, with what they take of the makespan; empty where there are no barriers.
    pub phases: Vec<PathPhase>,
    /// From the begin of the run to its end: the cycles add up to the makespan.
    pub critical_path: Vec<PathEntry>,
    /// The culprit; none where no message crosses a link.
    pub busiest_link: Option<Culprit>,
    /// Changes, each simulated, the greatest gain first.
    pub what_if: Vec<Outcome>,
}

impl Work<'_> {
    /// The messages as they are sent; those of a schedule by their tags.
    fn sent(&self, machine: &Machine) -> Phases {
        match self {
            Self::Placed { tasks, placement, .. } => placement.phases(tasks, machine),
            Self::Schedule(schedule) => {
                Phases::new(machine.nodes(), schedule.messages().iter().map(Message::from).collect())
            }
        }
    }

    /// The phases of placed tasks.
    fn phases(&self, machine: &Machine) -> Option<Phases> {
        match self {
            Self::Placed { tasks, placement, .. } => Some(placement.phases(tasks, machine)),
            Self::Schedule(_) => None,
        }
    }

    /// The task on each node; a rank of a schedule is its own task.
    fn tasks_on(&self, machine: &Machine) -> Vec<Option<u32>> {
        let nodes = machine.nodes();
        match self {
            Self::Placed { placement, .. } => tasks_on(&placement.nodes, nodes),
            Self::Schedule(schedule) => (0..nodes)
                .map(|node| Some(node).filter(|&node| (node as usize) < schedule.ranks.len()))
                .collect(),
        }
    }
}

/// A count with its noun, the digits in groups.
fn counted(number: u64, noun: &str) -> String {
    format!("{} {}", grouped(number), plural(number, noun))
}

/// The task on each of so many nodes.
pub(crate) fn tasks_on(placement: &[NodeId], nodes: u32) -> Vec<Option<u32>> {
    let mut tasks = vec![None; nodes as usize];
    for (task, node) in (0u32..).zip(placement) {
        tasks[node.index()] = Some(task);
    }
    tasks
}

/// Explains a plan: runs it again, follows the last arrival back to the begin, and simulates every change that applies.
///
/// # Errors
///
/// As for [`critical::of_phases`].
///
/// # Complexity
///
/// That of [`meshwright_sim::simulate`], once for the path and once for every change.
///
/// # Examples
///
/// ```
/// use std::borrow::Cow;
/// use meshwright_core::units::{Bytes, NodeId};
/// use meshwright_mapping::{Placement, TaskGraph};
/// use meshwright_mapping::task_graph::Edge;
/// use meshwright_network::topology::Machine;
/// use meshwright_verdict::explain::{Subject, Work, explain};
/// let edge = |source, bytes| (1, Edge { source, target: 2, bytes: Bytes(bytes) });
/// let tasks = TaskGraph::new("two to one", 3, vec![edge(0, 600), edge(1, 1000)])?;
/// let placement = Placement { name: "in a row".into(), nodes: vec![NodeId(0), NodeId(1), NodeId(2)] };
/// let work = Work::Placed { tasks: Cow::Borrowed(&tasks), placement, runner_up: None };
/// let line = Machine::new("mesh:3")?; // c = 100, b = 1, h = 2
/// let told = explain(&Subject { name: "two", method: "in a row", machine: &line, work }, &mut |_| {})?;
/// assert_eq!(told.critical_path.iter().map(|step| step.cycles).sum::<u64>(), told.simulated_cycles);
/// let culprit = told.busiest_link.expect("messages cross links");
/// assert_eq!((culprit.link.from, culprit.link.to, culprit.link.busy_cycles), (1, 2, 1600));
/// assert_eq!(culprit.relieved_cycles, Some(100 + 2 + 1000), "with a second wire nobody waits");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn explain(subject: &Subject<'_>, progress: &mut dyn FnMut(&str)) -> Result<Explanation> {
    let Subject { name, method, machine, work } = subject;
    progress("the critical path");
    let path = match work {
        Work::Placed { .. } => {
            critical::of_phases(machine, &work.phases(machine).expect("tasks are placed"))?
        }
        Work::Schedule(schedule) => critical::of_schedule(machine, schedule)?,
    };
    let cycles = path.trace.cycles.0;
    let tasks_on = work.tasks_on(machine);
    let way = Way::of(machine, path.routers.as_ref())?;
    let mut culprit = Culprit::of(&work.sent(machine), &tasks_on, machine, &way, cycles)?;
    let what_if = what_if::all(subject, &path, culprit.as_ref(), progress);
    if let Some(culprit) = &mut culprit {
        if matches!(work, Work::Schedule(_)) {
            culprit.phase_word = "tag";
        }
        culprit.relieved_cycles = what_if.iter().find(|one| one.is_culprit).map(|one| one.simulated_cycles);
    }
    let critical_path = path::entries(&path, machine, &tasks_on);
    Ok(Explanation {
        format: 1,
        name: (*name).to_string(),
        method: (*method).to_string(),
        machine: machine.name().to_string(),
        switching: machine.switching(),
        simulated_cycles: cycles,
        alone_cycles: work.phases(machine).map(|phases| alone(&phases, machine, &way)).transpose()?,
        parts: PathParts::of(&critical_path),
        phases: path::phases(&path, work.phases(machine).as_ref(), machine),
        critical_path,
        busiest_link: culprit,
        what_if,
    })
}

/// What phases take if no two messages meet, in cycles.
fn alone(phases: &Phases, machine: &Machine, way: &Way<'_>) -> Result<u64> {
    let mut ticks = 0;
    for index in 0..phases.len() {
        let messages = phases.phase(index);
        let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
        let times = u64::from(phases.repeats(index));
        let alone = cost::alone(messages, &way.routes(&pairs)?, machine.switching(), machine.costs());
        ticks += times * (alone + cost::ends(messages, machine));
    }
    Ok(machine.costs().cycles(ticks).0)
}

/// The culprit of tasks on these nodes, in a run of so many cycles on these routers or on whole messages; with what a
/// second wire would gain, where the job is small enough.
///
/// # Errors
///
/// As for [`Culprit::of`].
pub(crate) fn culprit(
    tasks: &TaskGraph,
    nodes: &[NodeId],
    machine: &Machine,
    routers: Option<&Routers>,
    simulated_cycles: u64,
) -> Result<Option<Culprit>> {
    let placement = Placement { name: String::new(), nodes: nodes.to_vec() };
    let phases = placement.phases(tasks, machine);
    let way = Way::of(machine, routers)?;
    let tasks_on = tasks_on(nodes, machine.nodes());
    let culprit = Culprit::of(&phases, &tasks_on, machine, &way, simulated_cycles)?;
    // On routers a link has one wire.
    Ok(match way.is_other() || routers.is_some_and(|routers| !routers.whole_messages) {
        true => culprit,
        false => culprit.map(|culprit| culprit.relieved(&phases, machine)),
    })
}

/// The link of a critical path that its messages waited for the longest, all waits for it added up.
fn waited_most(path: &CriticalPath) -> Option<LinkId> {
    let mut waits = BTreeMap::new();
    for blocked in path.steps.iter().filter_map(|step| step.blocked) {
        if let Some(link) = blocked.link {
            *waits.entry(link).or_insert(0) += blocked.ticks;
        }
    }
    let most = waits.into_iter().max_by_key(|&(link, ticks)| (ticks, std::cmp::Reverse(link)));
    most.map(|(link, _)| link)
}

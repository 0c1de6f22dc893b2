//! Verdicts on programs of groups: every split on every tree bounded, predicted and simulated.
//!
//! | file | what |
//! |---|---|
//! | `job` | [`Job`]: a program of splits, barriers and joins as it is asked for |
//! | `methods` | [`METHODS`]: which trees go with which splits |
//! | `engine`, `runs`, `alone` | what it runs on, and how that is kept; a network where nobody is in anybody's way |
//! | `program` | one repetition, and how long each operation took each group |
//! | `bound` | what no method can beat |
//! | [`collective`] | barriers, broadcasts and the like: every structure side by side |
//! | `shown` | one split with every function, tree and message |
//! | `auto` | which split and tree are used where nobody says so |
//! | `judge`, `detail`, `words` | every method side by side |
//! | `answer` | the answer to `groups` |
//! | [`experiment`] | many repetitions, by the size of the group |

mod alone;
mod answer;
mod auto;
mod bound;
pub mod collective;
mod detail;
mod engine;
pub mod experiment;
mod job;
mod judge;
mod methods;
pub mod program;
mod runs;
mod shown;
mod words;

pub use answer::{Found, GroupsAnswer, LevelEntry, SizeEntry};
pub use auto::{TRIAL_REPEAT, TRIAL_SIZE_MAX, choose};
pub use bound::{diameter, least_cycles};
pub use detail::{GroupsDetail, GroupsFacts};
pub use engine::{ENGINES, Engine};
pub use job::{Drawn, Job, LEVELS_MAX, Labels, Pace, REPEAT_MAX, Round};
pub use judge::{history, judge};
pub use methods::{LabelsKnown, METHODS, Method, Viewed, Visitor, methods, splits, trees};
pub use shown::{Functions, NewTree, Pair, Shown, Vertex, show};

use rayon::prelude::*;

use crate::contradiction::not_below;
use meshwright_core::error::Result;
use meshwright_core::units::LinkId;
use meshwright_network::topology::{Machine, Topology};

/// A job under one method: all repetitions, the first split shown, the bound; `finished` is called after each
/// repetition.
///
/// # Errors
///
/// As for [`experiment::run`]; [`meshwright_core::Error::Contradiction`] when the simulated time falls below the bound.
///
/// # Examples
///
/// ```
/// use meshwright_network::topology::Machine;
/// use meshwright_verdict::groups::{self, Drawn, Job, Labels};
/// let mesh = Machine::new("mesh:4x4")?.in_packets();
/// let mut job = Job::new("hilbert", Labels::Drawn { levels: 2, kind: Drawn::Scattered });
/// job.repeat = 3;
/// let (method, why) = groups::choose(&job, &mesh, "paper", "auto")?;
/// let answer = groups::GroupsAnswer::new(&job, &mesh, groups::find(&job, &mesh, method, why, &|| ())?);
/// assert_eq!((answer.split, answer.tree, answer.runs), ("paper", "rank-halving", 3));
/// assert_eq!(answer.vertices.len(), 16);
/// assert!(answer.simulated_cycles >= answer.bound_cycles);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn find(
    job: &Job,
    machine: &Machine,
    method: &'static Method,
    why: Option<String>,
    finished: &(dyn Fn() + Sync),
) -> Result<Found> {
    let experiment = experiment::run(job, machine, method, finished)?;
    let bound_cycles = bound_cycles(job, machine)?;
    let ends = experiment.deadlock().is_none();
    if ends {
        not_below(bound_cycles, experiment.cycles(), "cycles", method.name, Some(job.seed))?;
    }
    let shown = show(job, machine, method)?;
    Ok(Found { method, why, experiment, shown, bound_cycles })
}

/// No method does all repetitions in less.
///
/// # Errors
///
/// As for [`Job::group`].
pub fn bound_cycles(job: &Job, machine: &Machine) -> Result<u64> {
    let group = job.group(machine)?;
    let least = |number| least_cycles(job, machine, &group, &job.round(&group, number));
    Ok((0..job.repeat).into_par_iter().map(least).sum())
}

/// The ends of these links.
pub(crate) fn ends_of(machine: &Machine, links: &[LinkId]) -> Vec<[u32; 2]> {
    let end = |&link: &LinkId| [machine.source(link).0, machine.target(link).map_or(u32::MAX, |node| node.0)];
    links.iter().map(end).collect()
}

//! Divide and conquer for real: how much faster than on one thread, and beside what else could be used.
//!
//! | file | what |
//! |---|---|
//! | this one | [`APPLICATIONS`], and the form of the [`SpeedupAnswer`] |
//! | `cases` | each application: a problem of any size, its solution by other ways |
//! | `here` | [`measure_here`]: one thread, all threads, ranks that are threads |
//! | `ranks` | [`measure_on_ranks`]: one rank, all ranks, the collective operations of the network |
//! | [`collectives`] | [`Collectives`]: broadcast, sum, scatter, gather |
//!
//! Every executor solves the same problem, round by round, so that what disturbs the machine disturbs all of them. Every
//! solution is compared with one that was found by an independent way.

mod cases;
pub mod collectives;
mod here;
mod ranks;

pub use collectives::Collectives;
pub use here::measure_here;
pub use ranks::measure_on_ranks;

use serde::Serialize;

use meshwright_core::error::{Error, Result};
use meshwright_core::statistics::median;
use meshwright_core::units::Bytes;
use meshwright_core::{find_or, unknown};
use meshwright_mapping::divide::{PRESETS, Preset};
use meshwright_network::topology::Machine;
use meshwright_verdict::Ranked;

/// An application by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Application {
    /// The name.
    pub name: &'static str,
    /// What the size counts.
    pub unit: &'static str,
    /// The size when nobody says.
    pub size: u32,
    /// The largest size; messages of MPI must stay below 2 GiB.
    pub size_max: u32,
    /// How the planner calls it.
    preset: &'static str,
}

/// Every application there is.
pub const APPLICATIONS: &[Application] = &[
    application("merge-sort", "numbers", 4_000_000, 400_000_000, "merge-sort"),
    application("matrix-chain", "matrices", 1024, 50_000, "matrix-chain"),
    application("components", "vertices", 16_384, 100_000, "graph-halving"),
    application("broadcast", "bytes", 16_000_000, 1_000_000_000, "broadcast"),
    application("reduce", "elements", 1_000_000, 100_000_000, "reduce"),
];

const fn application(
    name: &'static str,
    unit: &'static str,
    size: u32,
    size_max: u32,
    preset: &'static str,
) -> Application {
    Application { name, unit, size, size_max, preset }
}

/// The applications with this name: one of [`APPLICATIONS`], or `all`.
///
/// # Errors
///
/// [`Error::Value`] for another name.
///
/// # Examples
///
/// ```
/// use meshwright_demos::speedup::applications;
/// assert_eq!(applications("all")?.len(), 5);
/// assert_eq!(applications("reduce")?[0].unit, "elements");
/// assert!(applications("quick-sort").is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn applications(name: &str) -> Result<&'static [Application]> {
    if name == "all" {
        return Ok(APPLICATIONS);
    }
    let error = |names: &[&str]| unknown("application", name, names.join(", ") + " or all", names);
    find_or(name, APPLICATIONS, |application| application.name, error).map(std::slice::from_ref)
}

/// A problem that is to be solved by every executor.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// Of which application.
    pub application: &'static Application,
    /// How large, in units of the application.
    pub size: u32,
    /// How many ranks there are; so many receive a broadcast, and so many contribute to a sum.
    pub ranks: u32,
    /// For what is drawn at random.
    pub seed: u64,
    /// How often everyone solves it.
    pub repeat: u32,
}

impl Task {
    /// A problem of this size, of the usual one when none is given.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when the size is too large for the application, or a number of ranks or of rounds is 0.
    pub fn new(
        application: &'static Application,
        size: Option<u32>,
        (ranks, seed, repeat): (u32, u64, u32),
    ) -> Result<Self> {
        let size = size.unwrap_or(application.size);
        let least = u32::from(application.name == "matrix-chain");
        if !(least..=application.size_max).contains(&size) {
            let Application { name, unit, size_max, .. } = application;
            let expected = format!("{least} to {size_max} {unit} for {name}");
            return Err(Error::value("size", size, expected));
        }
        for (what, number) in [("number of ranks", ranks), ("repeat", repeat)] {
            if number == 0 {
                return Err(Error::value(what, number, "at least 1"));
            }
        }
        Ok(Self { application, size, ranks, seed, repeat })
    }

    /// The problem over the ranks of a machine, as [`Ranked::new`] places it.
    ///
    /// # Errors
    ///
    /// As for [`Ranked::new`].
    pub fn ranked(&self, machine: Option<Machine>, placement: Option<&str>) -> Result<Ranked> {
        let preset: &Preset = PRESETS
            .iter()
            .find(|preset| preset.name == self.application.preset)
            .expect("each application has its preset");
        let volume = Bytes(cases::volume(self).max(1));
        Ranked::new(preset, volume, machine, placement, (self.ranks, self.seed))
    }
}

/// What was measured, for scripts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpeedupAnswer {
    /// The version of this form.
    pub format: u32,
    /// The seed of all problems.
    pub seed: u64,
    /// How often everyone solved each problem.
    pub repeat: u32,
    /// How many threads stole work; none where only ranks worked.
    pub threads: Option<u32>,
    /// How many ranks there were.
    pub ranks: u32,
    /// Application by application.
    pub applications: Vec<Speedups>,
}

/// One way to solve the problem.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Executor {
    /// What it is.
    pub name: String,
    /// How many processors it may use at most.
    pub workers: u32,
    /// How often it solved the problem.
    pub runs: u32,
    /// The median of the times.
    pub seconds: f64,
    /// The time of the sequential executor over this one.
    pub speedup: f64,
    /// Whether every solution was the right one.
    pub checked: bool,
}

/// All ways to solve one problem.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Speedups {
    /// The application.
    pub application: &'static str,
    /// How large the problem is.
    pub size: u32,
    /// What the size counts.
    pub unit: &'static str,
    /// The problem in bytes, as it is sent.
    pub bytes: u64,
    /// The machine of the ranks.
    pub machine: String,
    /// Which rank runs which task of the tree.
    pub placement: String,
    /// The ways, the sequential one first.
    pub executors: Vec<Executor>,
}

impl Speedups {
    /// Whether all solutions were right.
    pub fn is_right(&self) -> bool {
        self.executors.iter().all(|executor| executor.checked)
    }

    /// From the times of all rounds; the first executor is the one with which the others are compared.
    fn new(task: &Task, ranked: &Ranked, times: Vec<ExecutorTimes>) -> Self {
        let first = times.first().map_or(0.0, |times| middle(&times.seconds));
        let executor = |times: ExecutorTimes| {
            let seconds = middle(&times.seconds);
            let runs = times.seconds.len() as u32;
            let speedup = first / seconds;
            Executor {
                name: times.name,
                workers: times.workers,
                runs,
                seconds,
                speedup,
                checked: times.checked,
            }
        };
        Self {
            application: task.application.name,
            size: task.size,
            unit: task.application.unit,
            bytes: cases::volume(task),
            machine: ranked.machine.clone(),
            placement: ranked.placement.clone(),
            executors: times.into_iter().map(executor).collect(),
        }
    }
}

/// What one executor took, round by round.
struct ExecutorTimes {
    name: String,
    workers: u32,
    seconds: Vec<f64>,
    checked: bool,
}

impl ExecutorTimes {
    fn new(name: impl Into<String>, workers: u32) -> Self {
        Self { name: name.into(), workers, seconds: Vec::new(), checked: true }
    }

    /// One round.
    fn add(&mut self, seconds: f64, is_right: bool) {
        self.seconds.push(seconds);
        self.checked &= is_right;
    }
}

/// The median of some times; a clock that stood still shows a nanosecond.
fn middle(seconds: &[f64]) -> f64 {
    median(seconds.iter().copied()).unwrap_or(0.0).max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_out_of_range_are_refused() {
        for application in APPLICATIONS {
            let task = |size| Task::new(application, size, (4, 0, 1));
            assert!(task(Some(application.size_max)).is_ok() && task(None).is_ok() && task(Some(1)).is_ok());
            assert!(task(Some(application.size_max + 1)).is_err() && task(Some(u32::MAX)).is_err());
            assert_eq!(task(Some(0)).is_ok(), application.name != "matrix-chain");
            assert!(Task::new(application, None, (0, 0, 1)).is_err());
            assert!(Task::new(application, None, (1, 0, 0)).is_err());
        }
    }
}

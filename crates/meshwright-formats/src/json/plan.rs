//! The form of the answer to `plan`: the machine and the verdict on every job.

use serde::Serialize;

use super::groups::GroupsForm;
use super::load::LoadForm;
use super::machine::MachineForm;
use super::mapping::MappingForm;
use super::race::RaceForm;
use meshwright_core::units::NodeId;
use meshwright_network::topology::Machine;
use meshwright_verdict::JobVerdict;
use meshwright_verdict::explain::Explanation;

/// The format of plan.json, as this version writes and reads it.
pub const FORMAT: u32 = 1;

/// A planned scenario.
#[derive(Debug, Serialize)]
pub struct PlanForm<'a> {
    /// The version of this form: 1.
    pub format: u32,
    /// What the jobs were planned for.
    pub machine: MachineForm<'a>,
    /// The seed of whatever is random.
    pub seed: u64,
    /// One cycle in seconds; left out where the machine has no clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle_seconds: Option<f64>,
    /// The verdicts, in the order of the scenario.
    pub jobs: Vec<JobForm<'a>>,
    /// The network of the scenario, where another machine was named in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_machine: Option<&'a str>,
}

/// The verdict on a job, and where its schedule is.
#[derive(Debug, Serialize)]
pub struct JobForm<'a> {
    /// The verdict.
    #[serde(flatten)]
    verdict: VerdictForm<'a>,
    /// The file with its schedule, for `run`; left out where there is none.
    #[serde(flatten)]
    schedule: Option<ScheduleFile>,
    /// Where the tasks are, for `explain`; left out where there are none, or too many.
    #[serde(flatten)]
    placed: Option<PlacedForm<'a>>,
    /// The time of the winner in seconds; left out where there is none, or the machine has no clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    simulated_seconds: Option<f64>,
    /// Why the winner takes as long as it does, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explanation>,
}

/// The placement of the winner, and of who comes next.
#[derive(Debug, Serialize)]
struct PlacedForm<'a> {
    /// The file with the messages between the tasks, relative to the plan.
    tasks: String,
    /// The node of each task.
    placement: &'a [NodeId],
    /// The best of the others.
    runner_up: Option<RunnerUpForm<'a>>,
}

/// Another placement.
#[derive(Debug, Serialize)]
struct RunnerUpForm<'a> {
    method: &'a str,
    placement: &'a [NodeId],
}

/// With more tasks a plan would be too long to be read again.
const PLACED_MAX: usize = 1 << 16;

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum VerdictForm<'a> {
    Mapping(MappingForm<'a>),
    Load(LoadForm<'a>),
    Groups(GroupsForm<'a>),
    Race(RaceForm<'a>),
}

/// A file with a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct ScheduleFile {
    /// Its name, relative to the plan.
    schedule: String,
    /// The method whose schedule it is.
    schedule_method: String,
}

impl<'a> PlanForm<'a> {
    /// The answer for these verdicts; `schedules` are those that have been written, by job: file and method.
    pub fn new(
        machine: &'a Machine,
        seed: u64,
        jobs: &'a [JobVerdict],
        schedules: Vec<Option<(String, String)>>,
    ) -> Self {
        let schedules = schedules.into_iter().chain(std::iter::repeat(None));
        let file = |(schedule, schedule_method)| ScheduleFile { schedule, schedule_method };
        let form = |(verdict, schedule): (&'a JobVerdict, Option<(String, String)>)| JobForm {
            verdict: VerdictForm::of(verdict),
            placed: schedule.as_ref().and_then(|(file, _)| PlacedForm::of(verdict, file)),
            schedule: schedule.map(file),
            simulated_seconds: verdict.winner_cycles().and_then(|cycles| machine.seconds(cycles as f64)),
            explain: None,
        };
        let jobs = jobs.iter().zip(schedules).map(form).collect();
        let cycle_seconds = machine.seconds(1.0);
        Self { format: FORMAT, machine: machine.into(), seed, cycle_seconds, jobs, replaced_machine: None }
    }

    /// For another machine than that of the scenario.
    pub fn in_place_of(mut self, replaced: Option<&'a str>) -> Self {
        self.replaced_machine = replaced;
        self
    }

    /// With the explanations of the jobs, as far as there are any.
    pub fn with_explanations(mut self, explanations: Vec<Option<Explanation>>) -> Self {
        for (job, explanation) in self.jobs.iter_mut().zip(explanations) {
            job.explain = explanation;
        }
        self
    }
}

impl<'a> PlacedForm<'a> {
    /// Where the tasks of a job are whose schedule is in this file.
    fn of(verdict: &'a JobVerdict, schedule: &str) -> Option<Self> {
        let JobVerdict::Mapping(verdict) = verdict else { return None };
        let placement = &verdict.winner()?.outcome.detail.placement.nodes;
        let fits = placement.len() <= PLACED_MAX && !verdict.facts.tasks.edges().is_empty();
        let runner_up = verdict.runner_up().map(|outcome| RunnerUpForm {
            method: &outcome.method,
            placement: &outcome.detail.placement.nodes,
        });
        fits.then(|| Self { tasks: tasks_file(schedule), placement, runner_up })
    }
}

/// The file of the messages between tasks, beside that of their schedule.
fn tasks_file(schedule: &str) -> String {
    format!("{}.phases.csv", schedule.strip_suffix(".goal").unwrap_or(schedule))
}

impl<'a> VerdictForm<'a> {
    fn of(verdict: &'a JobVerdict) -> Self {
        match verdict {
            JobVerdict::Mapping(verdict) => Self::Mapping(verdict.into()),
            JobVerdict::Load(verdict) => Self::Load(verdict.into()),
            JobVerdict::Groups(verdict) => Self::Groups(verdict.into()),
            JobVerdict::Race(verdict) => Self::Race(verdict.into()),
        }
    }
}

//! The form of the answer to `plan`: the machine and the verdict on every job.

use serde::Serialize;

use super::groups::GroupsForm;
use super::load::LoadForm;
use super::machine::MachineForm;
use super::mapping::MappingForm;
use meshwright_network::topology::Machine;
use meshwright_verdict::JobVerdict;

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
    /// The verdicts, in the order of the scenario.
    pub jobs: Vec<JobForm<'a>>,
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
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum VerdictForm<'a> {
    Mapping(MappingForm<'a>),
    Load(LoadForm<'a>),
    Groups(GroupsForm<'a>),
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
        let form = |(verdict, schedule): (_, Option<_>)| JobForm {
            verdict: VerdictForm::of(verdict),
            schedule: schedule.map(file),
        };
        let jobs = jobs.iter().zip(schedules).map(form).collect();
        Self { format: FORMAT, machine: machine.into(), seed, jobs }
    }
}

impl<'a> VerdictForm<'a> {
    fn of(verdict: &'a JobVerdict) -> Self {
        match verdict {
            JobVerdict::Mapping(verdict) => Self::Mapping(verdict.into()),
            JobVerdict::Load(verdict) => Self::Load(verdict.into()),
            JobVerdict::Groups(verdict) => Self::Groups(verdict.into()),
        }
    }
}

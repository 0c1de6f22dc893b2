//! The answer to `plan`: the machine and the verdict on every job.

use serde::Serialize;

use super::JobVerdict;
use meshwright_network::topology::{Machine, PortModel, Switching, Topology};

/// The format of plan.json, as this version writes and reads it.
pub const FORMAT: u32 = 1;

/// A planned scenario.
#[derive(Debug, Serialize)]
pub struct PlanAnswer<'a> {
    /// The version of this form: 1.
    pub format: u32,
    /// What the jobs were planned for.
    pub machine: MachineFacts<'a>,
    /// The seed of whatever is random.
    pub seed: u64,
    /// The verdicts, in the order of the scenario.
    pub jobs: Vec<JobAnswer<'a>>,
}

/// The verdict on a job, and where its schedule is.
#[derive(Debug, Serialize)]
pub struct JobAnswer<'a> {
    /// The verdict.
    #[serde(flatten)]
    pub verdict: &'a JobVerdict,
    /// The file with its schedule, for `run`; left out where there is none.
    #[serde(flatten)]
    pub schedule: Option<ScheduleFile>,
}

/// A file with a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScheduleFile {
    /// Its name, relative to the plan.
    pub schedule: String,
    /// The method whose schedule it is.
    pub schedule_method: String,
}

/// A machine as it was planned for.
#[derive(Debug, Serialize)]
pub struct MachineFacts<'a> {
    /// Its specification.
    pub topology: &'a str,
    /// How many nodes, dead ones included.
    pub nodes: u32,
    /// The coordinates of dead nodes.
    pub dead: Vec<Vec<u32>>,
    /// The coordinates of the two ends of each dead link.
    pub dead_links: Vec<[Vec<u32>; 2]>,
    /// How messages move.
    pub switching: Switching,
    /// c, in cycles.
    pub startup: u64,
    /// b, in cycles per byte.
    pub byte_time: f64,
    /// h, in bytes.
    pub flit: u64,
    /// Flits per virtual channel.
    pub buffers: u32,
    /// Virtual channels per link.
    pub virtual_channels: u32,
    /// How many messages a node sends and receives at a time.
    pub ports: PortModel,
}

impl<'a> PlanAnswer<'a> {
    /// The answer for these verdicts; `schedules` are those that have been written, by job.
    pub fn new(
        machine: &'a Machine,
        seed: u64,
        jobs: &'a [JobVerdict],
        schedules: Vec<Option<ScheduleFile>>,
    ) -> Self {
        let schedules = schedules.into_iter().chain(std::iter::repeat(None));
        let answer = |(verdict, schedule)| JobAnswer { verdict, schedule };
        let jobs = jobs.iter().zip(schedules).map(answer).collect();
        let machine = MachineFacts {
            topology: machine.name(),
            nodes: machine.nodes(),
            dead: machine.dead().iter().map(|&node| machine.coordinates(node)).collect(),
            dead_links: ends(machine),
            switching: machine.switching(),
            startup: machine.costs().startup.0,
            byte_time: machine.costs().byte_time.to_f64(),
            flit: machine.costs().flit.0,
            buffers: machine.buffers(),
            virtual_channels: machine.virtual_channels(),
            ports: machine.port_model(),
        };
        Self { format: FORMAT, machine, seed, jobs }
    }
}

/// The coordinates of the ends of the dead links.
pub(super) fn ends(machine: &Machine) -> Vec<[Vec<u32>; 2]> {
    let ends = |&(a, b): &(_, _)| [machine.coordinates(a), machine.coordinates(b)];
    machine.dead_links().iter().map(ends).collect()
}

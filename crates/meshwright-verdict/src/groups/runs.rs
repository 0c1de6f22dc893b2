//! Runs one after the other, on an engine that is kept.

use super::job::Job;
use meshwright_core::error::Result;
use meshwright_network::topology::Machine;
use meshwright_schedule::process::Process;
use meshwright_sim::{Runner, Trace};

/// Runs of one job, one after the other.
pub(super) struct Runs<'r> {
    pub(super) job: &'r Job,
    pub(super) machine: &'r Machine,
    /// None where nothing is kept from run to run.
    runner: Option<Runner<'r>>,
}

impl<'r> Runs<'r> {
    /// Nothing has run.
    pub(super) fn new(job: &'r Job, machine: &'r Machine) -> Self {
        let runner = if job.alone { None } else { job.engine.seeded(job.seed).runner(machine) };
        Self { job, machine, runner }
    }

    /// As [`Job::run`].
    pub(super) fn run<P: Process>(&mut self, processes: &mut [P]) -> Result<Trace> {
        match &mut self.runner {
            Some(runner) => runner.run(processes),
            None if self.job.alone => self.job.engine.run_alone(self.machine, processes),
            None => self.job.engine.run(self.machine, processes),
        }
    }
}

//! A divisible load as it is asked for.

use super::further::Wishes;
use super::methods::METHODS;
use meshwright_core::error::{Error, Result};
use meshwright_load::shares::schedulers;
use meshwright_load::{Forwarding, Problem, Source, Speeds};
use meshwright_network::topology::{Machine, Switching};

/// A divisible load, and how it is to be judged.
#[derive(Clone, Debug)]
pub struct Job {
    /// Where it enters; releases in units of w Tcp.
    pub sources: Vec<Source>,
    /// The time of a load on a link over its time on a processor.
    pub sigma: f64,
    /// Processors and links, if they are not all alike.
    pub speeds: Option<Speeds>,
    /// The whole load, in bytes.
    pub bytes: u64,
    /// The methods to compare, by name.
    pub methods: Vec<String>,
    /// Whether a method that does not apply is worth a word: it was asked for by name.
    pub named: bool,
    /// How the thesis's methods forward, one after the other.
    pub forwardings: Vec<Forwarding>,
    /// What the schedulers for several sources are told.
    pub settings: schedulers::SchedulerSettings,
    /// How many messages the installments may take; none for the number that gives the least time.
    pub chunks: Option<u64>,
    /// Whether also schedules with fewer processors and fewer messages are wanted.
    pub front: bool,
    /// A time by which all is to be done, in units of w Tcp.
    pub deadline: Option<f64>,
    /// What is asked beyond the division.
    pub further: Wishes,
    /// How the routers with the machine's buffers switch.
    pub routers: Switching,
}

impl Job {
    /// This load by every method, forwarded as the machine switches.
    pub fn new(machine: &Machine, sources: Vec<Source>, sigma: f64, bytes: u64) -> Self {
        Self {
            sources,
            sigma,
            speeds: None,
            bytes,
            methods: METHODS.iter().map(|method| method.name.to_string()).collect(),
            named: false,
            forwardings: vec![forwarding(machine.switching())],
            settings: schedulers::SchedulerSettings::default(),
            chunks: None,
            front: false,
            deadline: None,
            further: Wishes::default(),
            routers: machine.switching(),
        }
    }

    /// The problem on this machine.
    ///
    /// # Errors
    ///
    /// As for [`Problem::new`] and [`Problem::with_speeds`]; [`Error::Value`] for a deadline that is not above 0.
    pub fn problem<'m>(&self, machine: &'m Machine) -> Result<Problem<'m>> {
        if let Some(deadline) = self.deadline.filter(|deadline| !(*deadline > 0.0 && deadline.is_finite())) {
            return Err(Error::value("deadline", deadline, "a number above 0"));
        }
        let problem = Problem::new(machine, self.sources.clone(), self.sigma)?;
        match &self.speeds {
            Some(speeds) => problem.with_speeds(speeds.clone()),
            None => Ok(problem),
        }
    }
}

/// How loads pass the nodes of a machine that switches like this.
pub fn forwarding(switching: Switching) -> Forwarding {
    match switching {
        Switching::Wormhole | Switching::CutThrough => Forwarding::CutThrough,
        Switching::StoreAndForward => Forwarding::StoreAndForward,
    }
}

//! Loads that keep coming: whether a machine can work them off.

use serde::Serialize;

use super::job::Job;
use super::limited::refuse_one_port;
use super::words;
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_core::words::short;
use meshwright_load::{Cut, Source, queues};
use meshwright_network::topology::Machine;

/// Whether loads that keep coming can be worked off.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueuesAnswer {
    /// The version of this form: 1.
    pub format: u32,
    /// The specification of the machine.
    pub machine: String,
    /// The time of a load on a link over its time on a processor.
    pub sigma: f64,
    /// Where loads arrive.
    pub sources: Vec<Arrivals>,
    /// The answer.
    pub queues: Queues,
}

/// Loads that arrive at a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Arrivals {
    /// The node.
    pub node: NodeId,
    /// Its coordinates.
    pub at: Vec<u32>,
    /// Loads per unit of time w Tcp.
    pub rate: f64,
}

/// Whether queues stay short.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Queues {
    /// Whether they do: every set of nodes can do more than arrives in it.
    pub stable: bool,
    /// By how much all rates may be multiplied before some queue grows for ever.
    pub factor: f64,
    /// The set that is the first to have too much, in loads per unit of time.
    pub tightest: Cut,
}

impl From<queues::Stability> for Queues {
    fn from(stability: queues::Stability) -> Self {
        let queues::Stability { stable, factor, tightest } = stability;
        Self { stable, factor, tightest }
    }
}

/// Whether a machine can work off loads that keep coming: the loads of the job's sources are rates, in loads per unit
/// of time w Tcp.
///
/// # Errors
///
/// As for [`Job::problem`] and [`queues::stability`]; [`meshwright_core::Error::NotApplicable`] where nodes have one port.
///
/// # Examples
///
/// ```
/// use meshwright_load::Source;
/// use meshwright_verdict::load::{self, Job};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:5x5")?;
/// let job = Job::new(&mesh, vec![Source::at(NodeId(12), 6.0)], 0.5, 1);
/// let answer = load::queues(&job, &mesh)?;
/// assert!(answer.queues.stable && (answer.queues.factor - 1.5).abs() < 1e-9);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn queues(job: &Job, machine: &Machine) -> Result<QueuesAnswer> {
    refuse_one_port(machine, "telling whether queues grow")?;
    let problem = job.problem(machine)?;
    let rate: f64 = job.sources.iter().map(|source| source.load).sum();
    let arrivals = |source: &Source| Arrivals {
        node: source.node,
        at: machine.coordinates(source.node),
        rate: source.load * rate,
    };
    Ok(QueuesAnswer {
        format: 1,
        machine: machine.name().to_string(),
        sigma: job.sigma,
        sources: problem.sources().iter().map(arrivals).collect(),
        queues: queues::stability(&problem, rate)?.into(),
    })
}

impl Queues {
    /// Whether the queues stay short and what limits them, in a sentence.
    pub fn sentence(&self, machine: &Machine) -> String {
        let Self { stable, factor, tightest } = self;
        let factor = short(*factor);
        let (nodes, verb) = (words::nodes(tightest, machine), words::verbs(tightest));
        let [demand, capacity] = [tightest.demand, tightest.capacity].map(short);
        let noun = if demand == "1" { "load" } else { "loads" };
        let set = format!(
            "{nodes} {verb} {demand} {noun} per unit of time and can work off or send out {capacity}"
        );
        match stable {
            true => format!("Stable: all rates may grow to less than {factor} times what they are; {set}."),
            false => format!("Not stable: all rates must fall below {factor} times what they are; {set}."),
        }
    }
}

//! Files of certificates ([`collective`]: those of collectives): a task graph, a machine, a lower bound with what proves it, and a placement beside it.
//!
//! Such a file needs nothing beside it: tasks are edges, a machine is its specification with what is dead and what messages
//! cost. [`check`] trusts no number of it: it proves the bound again from the edges and the wires, and simulates the placement.

pub mod collective;

use std::path::Path;

use serde::{Deserialize, Serialize};

use meshwright_core::error::{Error, Result};
use meshwright_core::text::{self, parse_error};
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_mapping::certificate::{self, Certificate, Refuted};
use meshwright_mapping::task_graph::Edge;
use meshwright_mapping::{Placement, TaskGraph};
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Costs, Endpoints, Machine, PortModel, Switching, Topology};
use meshwright_sim::fitting::{self, FLIT_HOPS_MAX};

use self::collective::CollectiveFile;
use crate::json::FORMAT;
use crate::scenario::ScenarioText;

/// What the key `kind` of such a file says.
pub const KIND: &str = "bound";

/// What a file of a certificate holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateFile {
    /// The version of this form: 1.
    pub format: u32,
    /// [`KIND`].
    pub kind: String,
    /// What is placed.
    pub tasks: TasksForm,
    /// Onto what.
    pub machine: MachineForm,
    /// How messages move: `wormhole`, `cut-through` or `store-and-forward`.
    pub switching: String,
    /// No placement takes fewer cycles.
    pub bound_cycles: u64,
    /// Why.
    pub certificate: Certificate,
    /// A placement, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<PlacementForm>,
}

/// A task graph by its edges.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TasksForm {
    /// What it is called.
    pub name: String,
    /// How many tasks.
    pub count: u32,
    /// Phase, source, target and bytes of every message.
    pub edges: Vec<[u64; 4]>,
    /// How often each phase runs, one after the other; nothing where each runs once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<u32>,
}

/// A machine by its specification.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineForm {
    /// As on the command line.
    pub topology: String,
    /// Dead nodes.
    pub dead: Vec<u32>,
    /// Dead wires, by their two nodes.
    pub dead_links: Vec<[u32; 2]>,
    /// c, in cycles.
    pub startup: u64,
    /// b, in cycles per byte, as a fraction of two numbers.
    pub byte_time: [u64; 2],
    /// h, in bytes.
    pub flit: u64,
    /// Whether a node sends and receives one message at a time.
    pub one_port: bool,
    /// o, in cycles.
    pub overhead: u64,
    /// g, in cycles.
    pub gap: u64,
    /// Flits per virtual channel.
    pub buffers: u32,
    /// Virtual channels per link.
    pub virtual_channels: u32,
}

/// A placement with its time.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacementForm {
    /// What it is called.
    pub name: String,
    /// The node of every task.
    pub nodes: Vec<u32>,
    /// What the referee measures, a barrier after each phase.
    pub simulated_cycles: u64,
}

/// What has come of a check.
#[derive(Clone, Debug, Serialize)]
pub struct CheckedBound {
    /// The version of this form: 1.
    pub format: u32,
    /// The tasks.
    pub tasks: String,
    /// The machine.
    pub machine: String,
    /// How messages move.
    pub switching: String,
    /// The argument, by its name.
    pub kind: &'static str,
    /// As the file claims it.
    pub bound_cycles: u64,
    /// As it is proved again; null where nothing is proved.
    pub proved_cycles: Option<u64>,
    /// The placement, if there is one.
    pub placement: Option<String>,
    /// Its time, simulated again.
    pub simulated_cycles: Option<u64>,
    /// simulated / proved - 1.
    pub gap: Option<f64>,
    /// Whether all that the file claims is what is proved and measured.
    pub holds: bool,
    /// What is not, each with its numbers.
    pub refuted: Vec<String>,
}

impl MachineForm {
    /// The form of a machine.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] for a machine that its specification does not say in full.
    pub fn of(machine: &Machine) -> Result<Self> {
        let same = Machine::new(machine.name()).is_ok_and(|plain| plain.nodes() == machine.nodes());
        if machine.fabric().is_some() || !same {
            let why = format!("`{}` cannot be written as a specification", machine.name());
            return Err(Error::not_applicable("a certificate", why));
        }
        let (costs, endpoints) = (machine.costs(), machine.endpoints());
        Ok(Self {
            topology: machine.name().to_string(),
            dead: machine.dead().iter().map(|node| node.0).collect(),
            dead_links: machine.dead_links().iter().map(|(a, b)| [a.0, b.0]).collect(),
            startup: costs.startup.0,
            byte_time: [costs.byte_time.numerator(), costs.byte_time.denominator()],
            flit: costs.flit.0,
            one_port: machine.port_model() == PortModel::One,
            overhead: endpoints.overhead.0,
            gap: endpoints.gap.0,
            buffers: machine.buffers(),
            virtual_channels: machine.virtual_channels(),
        })
    }

    pub(crate) fn machine(&self, switching: Switching) -> Result<Machine> {
        for (what, number, most) in
            [("buffers", self.buffers, 1 << 16), ("virtual_channels", self.virtual_channels, 256)]
        {
            if !(1..=most).contains(&number) {
                return Err(Error::value(what, number, format!("a whole number from 1 to {most}")));
            }
        }
        let [numerator, denominator] = self.byte_time;
        let byte_time = Ratio::new(numerator, denominator)?;
        let costs = Costs { startup: Cycles(self.startup), byte_time, flit: Bytes(self.flit) };
        let dead_links = self.dead_links.iter().map(|&[a, b]| (NodeId(a), NodeId(b)));
        let endpoints = Endpoints { overhead: Cycles(self.overhead), gap: Cycles(self.gap) };
        let machine = Machine::new(&self.topology)?
            .with_dead(self.dead.iter().copied().map(NodeId).collect())?
            .with_dead_links(dead_links.collect())?
            .with_switching(switching)
            .with_costs(costs)?
            .with_port_model(if self.one_port { PortModel::One } else { PortModel::All })
            .with_endpoints(endpoints)?;
        Ok(machine.with_buffers(self.buffers).with_virtual_channels(self.virtual_channels))
    }
}

impl TasksForm {
    /// The form of a task graph.
    pub fn of(tasks: &TaskGraph) -> Self {
        let of_phase = |index: usize| {
            let number = u64::from(tasks.number(index));
            let form = move |edge: &Edge| [number, edge.source.into(), edge.target.into(), edge.bytes.0];
            tasks.phase(index).iter().map(form)
        };
        let edges = (0..tasks.phases()).flat_map(of_phase).collect();
        let mut repeats: Vec<u32> = (0..tasks.phases()).map(|index| tasks.repeats(index)).collect();
        if repeats.iter().all(|&times| times == 1) {
            repeats.clear();
        }
        Self { name: tasks.name.clone(), count: tasks.tasks, edges, repeats }
    }

    fn graph(&self) -> Result<TaskGraph> {
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let edge = |&[phase, source, target, bytes]: &[u64; 4]| {
            (small(phase), Edge { source: small(source), target: small(target), bytes: Bytes(bytes) })
        };
        let graph = TaskGraph::new(&self.name, self.count, self.edges.iter().map(edge).collect())?;
        if self.repeats.is_empty() {
            return Ok(graph);
        }
        if self.repeats.len() != graph.phases() || self.repeats.contains(&0) {
            let expected = format!("{} counts of at least 1, one for each phase", graph.phases());
            return Err(Error::value("repeats", format!("{:?}", self.repeats), expected));
        }
        graph.with_repeats(self.repeats.clone())
    }
}

/// A file that holds a certificate.
#[derive(Clone, Debug)]
pub enum AnyFile {
    /// Of the placement of tasks.
    Tasks(Box<CertificateFile>),
    /// Of a collective operation.
    Collective(Box<CollectiveFile>),
}

impl AnyFile {
    /// Proves its bound again.
    ///
    /// # Errors
    ///
    /// As for [`check`] and [`collective::check`].
    pub fn check(&self) -> Result<CheckedBound> {
        match self {
            Self::Tasks(file) => check(file),
            Self::Collective(file) => collective::check(file),
        }
    }
}

/// Reads a file, if it holds a certificate: an object with that key.
///
/// # Errors
///
/// [`Error::Parse`] with the place of what is wrong; [`Error::Io`] when the file cannot be read.
pub fn read(path: &Path) -> Result<Option<AnyFile>> {
    let source = ScenarioText::read(path)?;
    let Ok(value) = serde_json::from_str::<serde_json::Value>(&source.text) else { return Ok(None) };
    if value.get("certificate").is_none() || value.get("bound_cycles").is_none() {
        return Ok(None);
    }
    Ok(Some(if value.get("operation").is_some() {
        let file: CollectiveFile = parsed(&source.text, path)?;
        is_kind(file.format, &file.kind, collective::KIND)?;
        AnyFile::Collective(Box::new(file))
    } else {
        let file: CertificateFile = parsed(&source.text, path)?;
        is_kind(file.format, &file.kind, KIND)?;
        AnyFile::Tasks(Box::new(file))
    }))
}

/// The text of a file in one of its forms.
pub(crate) fn parsed<T: for<'t> Deserialize<'t>>(source: &str, path: &Path) -> Result<T> {
    serde_json::from_str(source).map_err(|error| {
        let before = source.lines().take(error.line().saturating_sub(1)).map(|line| line.len() + 1);
        let at = before.sum::<usize>() + error.column().saturating_sub(1);
        let message = format!("no certificate: {error}");
        let at = at.min(source.len());
        let expected = "what `--emit` of `map`, `race` or `groups` writes";
        parse_error(path.display().to_string(), source.as_bytes(), at..at, message, expected).into()
    })
}

pub(crate) fn is_kind(format: u32, kind: &str, expected: &str) -> Result<()> {
    if format == 1 && kind == expected {
        return Ok(());
    }
    let given = format!("format {format} of kind `{}`", text::harmless(kind));
    Err(Error::value("the certificate", given, format!("format 1 of kind `{expected}`")))
}

/// Proves the bound of a file again, and simulates its placement.
///
/// # Errors
///
/// [`Error::Value`] when the file describes no tasks or no machine, or a placement that is none.
///
/// # Examples
///
/// ```
/// use meshwright_formats::certificate::{CertificateFile, KIND, MachineForm, TasksForm, check};
/// use meshwright_mapping::{Mapping, task_file};
/// use meshwright_network::topology::Machine;
/// use meshwright_schedule::Planner;
/// let tasks = task_file::parse("phase,source,target,bytes\n1,0,1,64\n1,0,2,64\n".as_bytes(), "a.csv")?;
/// let mesh = Machine::new("mesh:3")?;
/// let bound = Mapping::new(&tasks, &mesh).own_bound().clone();
/// let mut file = CertificateFile {
///     format: 1,
///     kind: KIND.into(),
///     tasks: TasksForm::of(&tasks),
///     machine: MachineForm::of(&mesh)?,
///     switching: "wormhole".into(),
///     bound_cycles: bound.ticks,
///     certificate: bound.certificate,
///     placement: None,
/// };
/// assert!(check(&file)?.holds);
/// file.bound_cycles -= 1;
/// assert!(!check(&file)?.holds, "it proves more than that");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn check(file: &CertificateFile) -> Result<CheckedBound> {
    let (name, switching) = switching_named(&file.switching)?;
    let (tasks, machine) = (file.tasks.graph()?, file.machine.machine(switching)?);
    let mut refuted = Vec::new();
    let proved = match proved(&file.certificate, &tasks, &machine) {
        Ok(ticks) => Some(machine.costs().cycles(ticks).0),
        Err(why) => {
            refuted.push(why.to_string());
            None
        }
    };
    if let Some(proved) = proved
        && proved != file.bound_cycles
    {
        refuted.push(format!("the certificate proves {proved} cycles, not {}", file.bound_cycles));
    }
    let simulated =
        file.placement.as_ref().map(|placement| simulated(placement, &tasks, &machine)).transpose()?;
    if let (Some(placement), Some(cycles)) = (&file.placement, simulated)
        && cycles != Some(placement.simulated_cycles)
    {
        let took = cycles.map_or("no end".to_string(), |cycles| format!("{cycles} cycles"));
        refuted.push(format!("the simulation takes {took}, not {}", placement.simulated_cycles));
    }
    let simulated_cycles = simulated.flatten();
    let gap = proved.zip(simulated_cycles).filter(|(proved, _)| *proved > 0);
    Ok(CheckedBound {
        format: FORMAT,
        tasks: file.tasks.name.clone(),
        machine: file.machine.topology.clone(),
        switching: name.to_string(),
        kind: file.certificate.main_kind(),
        bound_cycles: file.bound_cycles,
        proved_cycles: proved,
        placement: file.placement.as_ref().map(|placement| placement.name.clone()),
        simulated_cycles,
        gap: gap.map(|(proved, simulated)| simulated as f64 / proved as f64 - 1.0),
        holds: refuted.is_empty(),
        refuted,
    })
}

/// A switching by its name.
fn switching_named(text: &str) -> Result<(&'static str, Switching)> {
    SWITCHINGS.iter().find(|(name, _)| *name == text).copied().ok_or_else(|| {
        let names: Vec<_> = SWITCHINGS.iter().map(|(name, _)| *name).collect();
        let given = format!("`{}`", text::harmless(text));
        Error::value("switching", given, format!("one of {}", names.join(", ")))
    })
}

/// What a certificate proves under the machine's switching, in ticks; what a branch and bound left is simulated.
///
/// # Errors
///
/// As for [`certificate::verify_by`].
pub fn proved(
    certificate: &Certificate,
    tasks: &TaskGraph,
    machine: &Machine,
) -> std::result::Result<u64, Refuted> {
    let mut simulator = |nodes: &[NodeId]| {
        let placement = Placement { name: String::new(), nodes: nodes.to_vec() };
        let fitted = fitting::simulate(machine, &placement.phases(tasks, machine), FLIT_HOPS_MAX).ok()?;
        Some(if fitted.trace.deadlock.is_some() { u64::MAX } else { fitted.trace.ticks })
    };
    certificate::verify_by(certificate, tasks, machine, machine.switching(), &mut simulator)
}

/// The cycles of a placement; none where its messages wait for each other for ever.
fn simulated(placement: &PlacementForm, tasks: &TaskGraph, machine: &Machine) -> Result<Option<u64>> {
    let nodes: Vec<NodeId> = placement.nodes.iter().copied().map(NodeId).collect();
    let mut different: Vec<NodeId> = nodes.clone();
    different.sort_unstable();
    different.dedup();
    let living = |node: &NodeId| node.0 < machine.nodes() && machine.is_alive(*node);
    if nodes.len() != tasks.tasks as usize || different.len() != nodes.len() || !nodes.iter().all(living) {
        let expected = format!("{} different living nodes", tasks.tasks);
        return Err(Error::value("placement", format!("{} nodes", nodes.len()), expected));
    }
    let placement = Placement { name: placement.name.clone(), nodes };
    let fitted = fitting::simulate(machine, &placement.phases(tasks, machine), FLIT_HOPS_MAX)?;
    Ok(fitted.trace.deadlock.is_none().then_some(fitted.trace.cycles.0))
}

//! The bound of a phased task graph: every phase by its best argument, or all of them by one.

use super::argument::{Argument, Found};
use super::busiest::With;
use super::graph::Terrain;
use super::growth;
use super::loads::{Loads, Partners};
use super::{phase_ticks, squares};
use crate::TaskGraph;
use crate::certificate::{Certificate, Part, Side};
use crate::task_graph::Edge;
use meshwright_core::units::{Hops, NodeId};
use meshwright_network::topology::{Machine, PortModel, Switching};
use meshwright_schedule::{Message, cost};

/// Cuts are left out where all phases together take more steps.
const CUT_STEPS_MAX: u64 = 1 << 24;

/// A lower bound of a task graph, in ticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphBound {
    /// Of each phase alone, all its repetitions together.
    pub phases: Vec<u64>,
    /// Of all together.
    pub ticks: u64,
    /// What proves it, see [`crate::certificate`].
    pub certificate: Certificate,
}

/// The bound of a task graph on this machine, under this switching.
///
/// More than 2^64 - 1 ticks count as so many.
///
/// # Complexity
///
/// O(edges log edges), and for cuts O(tasks log tasks) times the most partners of a task; they are left out where that is long.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::bound::{Terrain, graph_ticks};
/// use meshwright_mapping::TaskGraph;
/// use meshwright_mapping::task_graph::Edge;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::Bytes;
/// // Everybody sends 80 bytes to everybody: 8 * 8 messages leave the left half of the mesh over 4 links.
/// let pairs = (0..16).flat_map(|source| (0..16).map(move |target| (source, target)));
/// let edge = |(source, target)| (1, Edge { source, target, bytes: Bytes(80) });
/// let graph = TaskGraph::new("all to all", 16, pairs.filter(|(a, b)| a != b).map(edge).collect())?;
/// let mesh = Machine::new("mesh:4x4")?;
/// let bound = graph_ticks(&graph, &Terrain::new(&mesh), &mesh, mesh.switching());
/// assert_eq!(bound.ticks, 100 + 8 * 8 * 80 / 4);
/// assert_eq!(bound.certificate.kind(), "cut");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn graph_ticks(
    graph: &TaskGraph,
    terrain: &Terrain,
    machine: &Machine,
    switching: Switching,
) -> GraphBound {
    let job = Job { graph, terrain, machine, switching, cuts: terrain.cut_steps(graph) <= CUT_STEPS_MAX };
    let phases: Vec<Found> = (0..graph.phases()).map(|index| job.phase(index)).collect();
    let ticks: Vec<u64> = phases.iter().map(|found| saturated(found.ticks)).collect();
    let all: Vec<u32> = (0..graph.phases() as u32).collect();
    let mut groups: Vec<Group> =
        (0..).zip(phases).map(|(index, found)| Group { phases: vec![index], found }).collect();
    for class in job.growth() {
        join(&mut groups, class);
    }
    if graph.phases() > 1 {
        join(&mut groups, Group { phases: all, found: job.together() });
    }
    GraphBound { phases: ticks, ticks: saturated(sum(&groups)), certificate: job.certificate(groups) }
}

/// Some phases, and what is proved of them together.
struct Group {
    phases: Vec<u32>,
    found: Found,
}

fn sum(groups: &[Group]) -> u128 {
    groups.iter().map(|group| group.found.ticks).sum()
}

/// Puts a group in the place of those that share a phase with it, if it proves more than they do together.
fn join(groups: &mut Vec<Group>, group: Group) {
    let meets = |other: &Group| other.phases.iter().any(|phase| group.phases.binary_search(phase).is_ok());
    let before: u128 = groups.iter().filter(|other| meets(other)).map(|other| other.found.ticks).sum();
    if group.found.ticks > before {
        groups.retain(|other| !meets(other));
        groups.push(group);
    }
}

/// A task graph and where it is to run.
struct Job<'a> {
    graph: &'a TaskGraph,
    terrain: &'a Terrain,
    machine: &'a Machine,
    switching: Switching,
    cuts: bool,
}

impl Job<'_> {
    fn stores(&self) -> bool {
        self.switching == Switching::StoreAndForward
    }

    fn startup(&self) -> u128 {
        self.machine.costs().startup_ticks().into()
    }

    /// The arguments that there is time for: the longest ones once.
    fn with(&self, is_once: bool) -> With<'_> {
        With { cuts: self.cuts, thorough: is_once.then_some(self.machine) }
    }

    /// What a message takes on a link before its bytes.
    fn stored(&self) -> u128 {
        if self.stores() { self.startup() } else { 0 }
    }

    /// How often a phase runs.
    fn times(&self, index: usize) -> u128 {
        self.graph.repeats(index).into()
    }

    /// What comes before the links and after them, if there is a message.
    fn beside_links(&self, loads: &Loads<'_>) -> u128 {
        match loads.is_empty() {
            true => 0,
            false => (if self.stores() { 0 } else { self.startup() }) + 2 * self.overhead(),
        }
    }

    fn overhead(&self) -> u128 {
        u128::from(self.machine.endpoints().overhead.0) * u128::from(self.machine.costs().ticks_per_cycle())
    }

    fn alone(&self, load: u128, hops: u128) -> u128 {
        match self.stores() {
            true => load * hops,
            false => self.startup() + load + hops * u128::from(self.machine.costs().head_ticks()),
        }
    }

    /// One phase, all its repetitions together.
    fn phase(&self, index: usize) -> Found {
        let edges = self.graph.phase(index);
        let tasks = self.graph.tasks as usize;
        let loads = Loads::of_phase(self.graph, index, self.machine.costs(), self.stored());
        let partners = Partners::both(&loads, tasks);
        let busiest = self.terrain.busiest((&loads, &partners), tasks, self.with(self.graph.phases() == 1));
        let slowest = self.terrain.slowest(&partners, |load, hops| self.alone(load, hops));
        let alone = |load, hops| self.alone(load, hops);
        let squares = squares::squares(&loads, self.graph.tasks, self.machine, alone);
        self.message(index)
            .or(busiest.plus(self.beside_links(&loads)))
            .or(slowest.plus(if loads.is_empty() { 0 } else { 2 * self.overhead() }))
            .or(squares.plus(if loads.is_empty() { 0 } else { 2 * self.overhead() }))
            .or(self.ports(edges))
            .or(self.ends(&loads))
            .times(self.times(index))
    }

    /// One argument for all, or one for each group.
    fn certificate(&self, mut groups: Vec<Group>) -> Certificate {
        groups.retain(|group| group.found.ticks > 0);
        groups.sort_by(|a, b| a.phases.cmp(&b.phases));
        let part = |group: Group| Part {
            phases: group.phases,
            ticks: saturated(group.found.ticks),
            certificate: group.found.argument.certificate(self.terrain),
        };
        let mut parts: Vec<Part> = groups.into_iter().map(part).collect();
        match &parts[..] {
            [all] if all.phases.len() == self.graph.phases() => parts.remove(0).certificate,
            _ => Certificate::Phases { parts },
        }
    }

    /// Classes of phases by what grows around a task: each alone, then the first two, three, ... of them.
    fn growth(&self) -> Vec<Group> {
        let load = |edge: &Edge| u128::from(self.machine.costs().transfer_ticks(edge.bytes)) + self.stored();
        let (mut groups, mut steps) = (Vec::new(), growth::STEPS_MAX);
        for share in [0, growth::SHARE] {
            let classes = growth::classes(self.graph, self.machine, share, load);
            if share > 0 && classes.iter().all(growth::Class::is_whole) {
                break;
            }
            let mut group = |classes: &[growth::Class]| {
                let mut phases: Vec<u32> = classes.iter().flat_map(|class| &class.phases).copied().collect();
                phases.sort_unstable();
                let alone = |load, hops| self.alone(load, hops);
                let on = (self.graph.tasks, self.machine);
                let ticks = growth::least(classes, on, &alone, 2 * self.overhead(), &mut steps);
                // Of one phase a certificate speaks of one run.
                let times = if let [phase] = phases[..] { self.times(phase as usize) } else { 1 };
                let argument = Argument::Growth { ticks: saturated(ticks / times.max(1)), share };
                Group { phases, found: Found { ticks, argument } }
            };
            groups.extend(classes.chunks(1).map(&mut group));
            // In a pipeline a link more is a head time more, which is worth no long search.
            let most = if self.stores() { classes.len() } else { 1 };
            groups.extend((2..=most).map(|count| group(&classes[..count])));
        }
        groups
    }

    /// All phases: what the busiest link carries in all of them bounds the sum of what it carries in each.
    fn together(&self) -> Found {
        let beside = (0..self.graph.phases()).map(|index| {
            let loads = Loads::of_phase(self.graph, index, self.machine.costs(), self.stored());
            self.beside_links(&loads) * self.times(index)
        });
        let tasks = self.graph.tasks as usize;
        let loads = Loads::of_all(self.graph, self.machine.costs(), self.stored());
        let partners = Partners::both(&loads, tasks);
        self.terrain.busiest((&loads, &partners), tasks, self.with(true)).plus(beside.sum())
    }

    /// The slowest message over one link, or over none to its own task.
    fn message(&self, index: usize) -> Found {
        let all = phase_ticks(self.graph, index, self.switching, self.machine.costs());
        let ticks = all / u64::from(self.graph.repeats(index).max(1));
        let hops = |edge: &Edge| Hops(u32::from(edge.source != edge.target));
        let alone =
            |edge: &&Edge| self.machine.costs().alone_ticks(self.switching, edge.bytes, hops(edge)) == ticks;
        self.graph.phase(index).iter().find(alone).map_or(Found::nothing(), |edge| {
            let ends = if edge.source == edge.target { 0 } else { 2 * self.overhead() };
            let (source, target, bytes) = (edge.source, edge.target, edge.bytes.0);
            Found { ticks: u128::from(ticks) + ends, argument: Argument::Message { source, target, bytes } }
        })
    }

    /// What one port a node takes for a phase: different tasks are on different nodes, so tasks stand for them.
    fn ports(&self, edges: &[Edge]) -> Found {
        if self.machine.port_model() == PortModel::All {
            return Found::nothing();
        }
        let mut between: Vec<Edge> =
            edges.iter().filter(|edge| edge.source != edge.target).copied().collect();
        let mut found = Found::nothing();
        for side in [Side::Sent, Side::Received] {
            let task_of = |edge: &Edge| if side == Side::Sent { edge.source } else { edge.target };
            between.sort_by_key(task_of);
            for own in between.chunk_by(|a, b| task_of(a) == task_of(b)) {
                let ticks = u128::from(ports(own, self.machine, self.switching));
                found = found.or(Found { ticks, argument: Argument::Ports { task: task_of(&own[0]), side } });
            }
        }
        found
    }

    /// What the nodes at the ends of messages take for a phase: a task that sends or receives d messages needs
    /// `o + (d - 1) max(o, g) + its shortest message alone + o`.
    fn ends(&self, loads: &Loads<'_>) -> Found {
        let endpoints = self.machine.endpoints();
        if endpoints.is_free() {
            return Found::nothing();
        }
        let between = u128::from(endpoints.overhead.0.max(endpoints.gap.0));
        let between = between * u128::from(self.machine.costs().ticks_per_cycle());
        let of_side = |side: Side| {
            let own = |(source, target, load)| (if side == Side::Sent { source } else { target }, load);
            let mut own: Vec<(u32, u128)> = loads.iter().map(own).collect();
            own.sort_unstable();
            let found = own.chunk_by(|a, b| a.0 == b.0).map(|own| {
                let ticks = 2 * self.overhead() + (own.len() as u128 - 1) * between + self.alone(own[0].1, 1);
                Found { ticks, argument: Argument::Ends { task: own[0].0, side } }
            });
            found.fold(Found::nothing(), Found::or)
        };
        of_side(Side::Sent).or(of_side(Side::Received))
    }
}

fn saturated(ticks: u128) -> u64 {
    u64::try_from(ticks).unwrap_or(u64::MAX)
}

/// What one port a node takes for a phase, in ticks.
pub(crate) fn ports(edges: &[Edge], machine: &Machine, switching: Switching) -> u64 {
    if machine.port_model() == PortModel::All {
        return 0;
    }
    let message = |edge: &Edge| Message {
        source: NodeId(edge.source),
        target: NodeId(edge.target),
        bytes: edge.bytes,
        phase: 0,
    };
    let messages: Vec<Message> = edges.iter().map(message).collect();
    cost::ports(&messages, switching, machine.costs())
}

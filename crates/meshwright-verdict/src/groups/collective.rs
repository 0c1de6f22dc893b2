//! Verdicts on operations that a group does together: every structure bounded, predicted and simulated; `operation`: which there are.

mod operation;

pub use operation::{COLLECTIVES, Collective, MESSAGE};

use std::cell::RefCell;

use rayon::prelude::*;
use serde::Serialize;

use super::Engine;
use crate::Skipped;
use crate::contradiction::not_below;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Cycles, NodeId};
use meshwright_groups::barrier_time::Delays;
use meshwright_groups::exchange::{self, Exchange, Structure};
use meshwright_groups::protocol::{Here, Member, Operation, Outcome, Program, members};
use meshwright_groups::{Extent, Group, TREES, Tree};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::overhead::WithOverhead;
use meshwright_schedule::watched::{ProcessLog, Watched};
use meshwright_sim::Trace;

/// The longest overhead accepted, in cycles: 2^28 messages one after the other still fit into 64 bits.
pub const OVERHEAD_MAX: u64 = 1 << 32;

/// Everybody a child of the member in the middle: two edges on a way, for long start-ups.
pub const FLAT: &str = "flat";

/// It is looked at in groups of at most so many members: the root sends a message to each.
const FLAT_SIZE_MAX: u32 = 1024;

/// How many hubs are tried.
pub const HUBS: [u32; 3] = [4, 8, 16];

/// An operation on every structure that fits the group, and the one that `auto` picks.
#[derive(Clone, Debug, Serialize)]
pub struct CollectiveVerdict {
    /// The version of the form.
    pub format: u32,
    /// The machine.
    pub machine: String,
    /// The operation.
    pub operation: &'static str,
    /// How many members there are.
    pub size: u32,
    /// D: the greatest distance between two members, in links.
    pub diameter: u32,
    /// What a packet takes over a link, in cycles.
    pub link_delay: u64,
    /// alpha: what a node works on each message it sends or receives, in cycles.
    pub overhead: u64,
    /// The name of the structure to use.
    pub chosen: String,
    /// Why, in one sentence.
    pub why: String,
    /// Every structure that fits.
    pub structures: Vec<StructureRow>,
    /// Those that do not, and why.
    pub skipped: Vec<Skipped>,
}

/// What an operation takes on one structure.
#[derive(Clone, Debug, Serialize)]
pub struct StructureRow {
    /// The name of a tree in [`TREES`], or that of the [`Structure`].
    pub name: String,
    /// The links of the longest way from its root.
    pub height_links: u32,
    /// The edges of that with the most edges.
    pub edges: u32,
    /// The most members that one member sends to.
    pub fan_out: u32,
    /// No structure takes less, in cycles.
    pub bound_cycles: u64,
    /// How long it takes if no message is in another's way, but no less than the bound, in cycles.
    pub predicted_cycles: u64,
    /// What the referee measures, in cycles; none when messages waited for each other in a ring.
    pub simulated_cycles: Option<u64>,
    /// simulated / bound - 1; 0 where there is nothing to wait for, none when the operation did not end.
    pub gap: Option<f64>,
}

impl StructureRow {
    /// What ends first comes first, what does not end last; of equal ones that with the better prediction.
    pub fn order(&self) -> (u64, u64) {
        (self.simulated_cycles.unwrap_or(u64::MAX), self.predicted_cycles)
    }
}

/// Once: one operation, and what it left.
#[derive(Clone, Debug, Default)]
struct Once {
    operation: Option<Operation>,
    outcome: Option<Outcome>,
}

impl Program for Once {
    fn next(&mut self, here: Here) -> Operation {
        self.operation.take().unwrap_or_else(|| {
            self.outcome = Some(here.outcome);
            Operation::Stop
        })
    }
}

/// One structure with its name.
struct Named {
    name: String,
    structure: Structure,
}

/// Holds all structures of a group against each other, for each of these operations: trees and hubs and, where the
/// group fills a box, sweeps. Every message costs its sender and its receiver `overhead` cycles, one after the other.
///
/// `wanted` is the name of the structure to use, or `auto` for the one that ends first in the simulation; of equal ones
/// that with the better prediction, then the first. On each structure, the root is where the structure has it.
///
/// # Errors
///
/// [`Error::Value`] for a group without members, an unknown name, or an overhead above [`OVERHEAD_MAX`];
/// [`Error::NotApplicable`] when members do not reach each other, or what is wanted does not fit the group; as for the
/// packet engine.
///
/// # Panics
///
/// When a member is left with another value than a fold over all ranks gives.
///
/// # Examples
///
/// ```
/// use meshwright_groups::Group;
/// use meshwright_network::topology::Machine;
/// use meshwright_verdict::groups::collective::{Collective, judge};
/// let mesh = Machine::new("mesh:4x4")?.in_packets();
/// let group = Group::whole(&mesh, "hilbert")?;
/// let verdicts = judge(&mesh, &group, &[Collective::Barrier], 0, "auto")?;
/// assert_eq!((verdicts[0].diameter, verdicts[0].chosen.as_str()), (6, "sweeps"));
/// let best = verdicts[0].chosen().expect("one of the rows");
/// assert_eq!((best.predicted_cycles, best.simulated_cycles, best.gap), (6, Some(6), Some(0.0)));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn judge(
    machine: &Machine,
    group: &Group,
    collectives: &[Collective],
    overhead: u64,
    wanted: &str,
) -> Result<Vec<CollectiveVerdict>> {
    if overhead > OVERHEAD_MAX {
        return Err(Error::value("overhead in cycles", overhead, format!("at most {OVERHEAD_MAX}")));
    }
    machine.equal_links("an operation of a group")?;
    let extent = Extent::of(machine, group)?;
    let (structures, skipped) = structures(machine, group, extent.centre)?;
    check_wanted(wanted, &structures, &skipped)?;
    let delays = delays(machine, overhead);
    let verdict = |&collective: &Collective| {
        let engine = Engine::of(machine);
        let bound = collective.bound_ticks((machine, engine), group, &extent, delays.overhead);
        let bound = machine.costs().cycles(bound).0;
        let case = Case { machine, engine, group, collective, overhead, delays, bound };
        let rows: Result<Vec<_>> = structures.par_iter().map(|named| case.row(named)).collect();
        let rows = rows?;
        let (chosen, why) = choose(&rows, wanted);
        Ok(CollectiveVerdict {
            format: 1,
            machine: machine.name().to_string(),
            operation: collective.name(),
            size: group.size(),
            diameter: extent.diameter,
            link_delay: machine.costs().cycles(delays.link).0,
            overhead,
            chosen,
            why,
            structures: rows,
            skipped: skipped.clone(),
        })
    };
    collectives.iter().map(verdict).collect()
}

/// What every member does and sends in an operation on the structure of this name, as [`judge`] simulates it.
///
/// # Errors
///
/// As for [`judge`].
pub fn recorded(
    machine: &Machine,
    group: &Group,
    collective: Collective,
    overhead: u64,
    name: &str,
) -> Result<ProcessLog> {
    let (structures, skipped) = structures(machine, group, Extent::of(machine, group)?.centre)?;
    check_wanted(name, &structures, &skipped)?;
    let found = structures.iter().find(|named| named.name == name);
    let structure =
        &found.ok_or_else(|| Error::value("structure", format!("`{name}`"), "one structure"))?.structure;
    let delays = delays(machine, overhead);
    let case = Case { machine, engine: Engine::of(machine), group, collective, overhead, delays, bound: 0 };
    let log = RefCell::new(ProcessLog::default());
    case.run(structure, Some(&log), |members| case.engine.run(machine, members))?;
    Ok(log.into_inner())
}

/// What messages cost here, in ticks.
fn delays(machine: &Machine, overhead: u64) -> Delays {
    let costs = machine.costs();
    Delays { link: costs.head_ticks(), overhead: overhead * costs.ticks_per_cycle() }
}

impl CollectiveVerdict {
    /// The row of the structure to use.
    pub fn chosen(&self) -> Option<&StructureRow> {
        self.structures.iter().find(|row| row.name == self.chosen)
    }
}

/// The structures that fit a group, and those that do not.
fn structures(machine: &Machine, group: &Group, centre: u32) -> Result<(Vec<Named>, Vec<Skipped>)> {
    let (mut all, mut skipped) = (Vec::new(), Vec::new());
    for method in TREES {
        match (method.build)(machine, group) {
            Ok(tree) => all.push(Named { name: method.name.into(), structure: Structure::Rooted(tree) }),
            Err(Error::NotApplicable { why, .. }) => {
                skipped.push(Skipped { method: method.name.into(), why, deadlock: false });
            }
            Err(error) => return Err(error),
        }
    }
    if group.size() <= FLAT_SIZE_MAX {
        let tree = Tree::flat(centre, group.size());
        all.push(Named { name: FLAT.into(), structure: Structure::Rooted(tree) });
    } else {
        let why = format!("the root would have {} children", group.size() - 1);
        skipped.push(Skipped { method: FLAT.into(), why, deadlock: false });
    }
    let others = exchange::structures(machine, group, &HUBS)?;
    all.extend(others.into_iter().map(|structure| Named { name: structure.name(), structure }));
    for name in HUBS.map(|hubs| format!("hubs:{hubs}")).into_iter().chain(["sweeps".into()]) {
        if all.iter().all(|named| named.name != name) {
            let why = if name == "sweeps" { "the members fill no box" } else { "there are fewer members" };
            skipped.push(Skipped { method: name, why: why.into(), deadlock: false });
        }
    }
    Ok((all, skipped))
}

fn check_wanted(wanted: &str, structures: &[Named], skipped: &[Skipped]) -> Result<()> {
    let fits = structures.iter().any(|named| named.name == wanted);
    if wanted == "auto" || fits {
        return Ok(());
    }
    if let Some(refused) = skipped.iter().find(|refused| refused.method == wanted) {
        let why = format!("{wanted} does not fit the group: {}", refused.why);
        return Err(Error::not_applicable("this structure", why));
    }
    let names =
        structures.iter().map(|named| &named.name).chain(skipped.iter().map(|refused| &refused.method));
    let names: Vec<&str> = names.map(String::as_str).chain(["auto"]).collect();
    Err(Error::value("structure", format!("`{wanted}`"), names.join(", ")))
}

/// The structure to use, and why.
fn choose(rows: &[StructureRow], wanted: &str) -> (String, String) {
    if wanted != "auto" {
        return (wanted.to_string(), "it was asked for".into());
    }
    let order = |row: &&StructureRow| row.order();
    let time = |row: &StructureRow| match row.simulated_cycles {
        Some(cycles) => format!("{cycles} cycles"),
        None => "no end".into(),
    };
    let best = rows.iter().min_by_key(order).expect("rank halving fits every group");
    let others = rows.iter().filter(|row| row.name != best.name);
    let why = match others.min_by_key(order) {
        None => "nothing else fits the group".into(),
        Some(next) if order(&next) == order(&best) => {
            format!("it takes {}, as with {}", time(best), next.name)
        }
        Some(next) => format!("it takes {}, and {} with {}", time(best), time(next), next.name),
    };
    (best.name.clone(), why)
}

/// An operation of a group, with what it costs.
struct Case<'a> {
    machine: &'a Machine,
    engine: Engine,
    group: &'a Group,
    collective: Collective,
    overhead: u64,
    delays: Delays,
    bound: u64,
}

impl Case<'_> {
    fn row(&self, Named { name, structure }: &Named) -> Result<StructureRow> {
        let Self { machine, engine, group, bound, .. } = *self;
        let predicted = self.run(structure, None, |members| engine.run_alone(machine, members))?;
        // Alone, any number of packets fit on the last links to a root.
        let predicted = predicted.expect("nobody is in anybody's way").max(bound);
        let simulated = self.run(structure, None, |members| engine.run(machine, members))?;
        not_below(bound, simulated.unwrap_or(bound), "cycles", name, None)?;
        let gap = |cycles: u64| if bound == 0 { 0.0 } else { cycles as f64 / bound as f64 - 1.0 };
        let (height_links, edges) = match tree(structure) {
            Some(tree) => (tree.height_links(machine, group), tree.hops()),
            None => (sweep_height(structure), sweep_height(structure)),
        };
        Ok(StructureRow {
            name: name.clone(),
            height_links,
            edges,
            fan_out: structure.fan_out(),
            bound_cycles: bound,
            predicted_cycles: predicted,
            simulated_cycles: simulated,
            gap: simulated.map(gap),
        })
    }

    /// The cycles of the operation; none when it does not end.
    fn run(
        &self,
        structure: &Structure,
        log: Option<&RefCell<ProcessLog>>,
        engine: impl FnOnce(&mut [Watched<'_, WithOverhead<Member<'_, Exchange<'_>, Once>>>]) -> Result<Trace>,
    ) -> Result<Option<u64>> {
        let (group, root) = (self.group, structure.root());
        let once = |rank| Once { operation: Some(self.collective.operation(rank, root)), outcome: None };
        let exchange = Exchange::new(structure, group);
        let all = members(&exchange, self.machine, group, (0..group.size()).map(once).collect())?;
        let mut urgency = urgency(structure, self.machine, group, self.delays);
        let with = |(node, member): (usize, _)| {
            let urgency = urgency.get_mut(node).map(std::mem::take).unwrap_or_default();
            let member = WithOverhead::new(member, Cycles(self.overhead)).with_urgency(urgency);
            Watched::new(member, log)
        };
        let mut all: Vec<_> = all.into_iter().enumerate().map(with).collect();
        let trace = engine(&mut all)?;
        if !trace.unfinished.is_empty() {
            assert!(trace.deadlock.is_some(), "only messages that wait for each other stop a member");
            return Ok(None);
        }
        for (expected, node) in self.collective.expected(group.size(), root).iter().zip(group.members()) {
            let found = all[node.index()].process().process().program().outcome.as_ref();
            assert_eq!(found, Some(expected), "{} on {} at {node}", self.collective.name(), structure.name());
        }
        Ok(Some(trace.cycles.0))
    }
}

/// The tree of a structure; none for sweeps.
fn tree(structure: &Structure) -> Option<&Tree> {
    match structure {
        Structure::Rooted(tree) => Some(tree),
        Structure::Hubs(hubs) => Some(hubs.tree()),
        Structure::Sweeps(_) => None,
    }
}

/// From the middle of the box to its farthest corner; every edge is a link.
fn sweep_height(structure: &Structure) -> u32 {
    let Structure::Sweeps(sweeps) = structure else { return 0 };
    sweeps.full_box().sides().iter().map(|side| side / 2).sum()
}

/// Per node, how much is left to do below each child: the most is told first.
fn urgency(
    structure: &Structure,
    machine: &Machine,
    group: &Group,
    delays: Delays,
) -> Vec<Vec<(NodeId, u64)>> {
    let mut urgency = vec![Vec::new(); machine.nodes() as usize];
    let Some(tree) = tree(structure).filter(|_| delays.overhead > 0) else { return urgency };
    let edges = tree.edge_links(machine, group);
    let mut below = vec![0u64; edges.len()];
    for &rank in tree.top_down().iter().rev() {
        let own = &mut urgency[group.node(rank).index()];
        let tail = |&child: &u32| {
            let length = u64::from(edges[child as usize]) * delays.link;
            (group.node(child), length + delays.overhead + below[child as usize])
        };
        own.extend(tree.children(rank).iter().map(tail));
        let mut left: Vec<u64> = own.iter().map(|&(_, tail)| tail).collect();
        left.sort_unstable_by(|a, b| b.cmp(a));
        let ends = (1..).zip(left).map(|(messages, tail)| messages * delays.overhead + tail);
        below[rank as usize] = ends.max().unwrap_or(0);
    }
    urgency
}

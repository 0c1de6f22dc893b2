//! Patterns: a job as the different phases it has, in ticks on a machine.
//!
//! Phases with the same messages are one pattern, and so are those with the same senders and receivers in which all messages
//! of a phase have one size: there links are counted, not weighed.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::cuts::Cuts;
use super::node_set::NODES_MAX;
use super::routes::RouteTable;
use super::symmetry;
use crate::TaskGraph;
use crate::bound::{Terrain, graph_ticks};
use crate::certificate::Part;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Hops};
use meshwright_network::topology::{Costs, Machine, Switching, Topology};

/// The name among errors.
const WHAT: &str = "placing exactly";

/// The tables of a run take at most so many bytes.
const BYTES_MAX: usize = 1 << 30;

/// A message between two tasks, in the units of its pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PatternMessage {
    pub(super) source: u16,
    pub(super) target: u16,
    /// How long it occupies each of its links.
    pub(super) body: u64,
    /// How long its head takes over a link; where messages are stored, the whole of it.
    pub(super) step: u64,
}

/// Phases with the same messages, or with messages of one size between the same tasks.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) messages: Vec<PatternMessage>,
    pub(super) value: Value,
}

/// From the busiest link and the longest way to ticks.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Messages of one size: links are counted in messages, ways in hops.
    Counted(Vec<Size>),
    /// Messages of many sizes: in ticks.
    Weighed(Size),
}

/// Phases in which a message takes so long.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    /// Ticks before anything is on a link.
    pub(super) start: u64,
    /// Ticks for which a link is occupied.
    pub(super) body: u64,
    /// Ticks of a head over a link, or of the message.
    pub(super) step: u64,
    /// No placement makes the phase shorter.
    pub(super) least: u64,
    /// How many such phases there are.
    pub(super) times: u64,
}

/// The busiest link of a pattern and its longest way, in the units of the pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent {
    /// What is on the busiest link.
    pub(super) busiest: u64,
    /// The least that comes before and after it.
    pub(super) around: u64,
    /// The longest message alone: its links, or its ticks.
    pub(super) far: u64,
}

impl Pattern {
    /// The ticks of all its phases, at least.
    pub(super) fn ticks(&self, extent: Extent) -> u64 {
        let Extent { busiest, around, far } = extent;
        match &self.value {
            Value::Weighed(size) => {
                let over = if far == 0 { 0 } else { size.start + far.max(busiest + around) };
                size.times * over.max(size.least)
            }
            Value::Counted(sizes) => {
                let one = |size: &Size| {
                    let link = busiest * size.body + around * size.step;
                    let way = size.body + far.saturating_sub(1) * size.step;
                    let over = if far == 0 { 0 } else { size.start + way.max(link) };
                    size.times * over.max(size.least)
                };
                sizes.iter().map(one).sum()
            }
        }
    }

    pub(super) fn is_counted(&self) -> bool {
        matches!(self.value, Value::Counted(_))
    }
}

/// A job on a machine, as tables.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) tasks: usize,
    /// Node ids are below this.
    pub(super) nodes: usize,
    pub(super) links: usize,
    pub(super) living: Vec<u16>,
    pub(super) routes: RouteTable,
    pub(super) patterns: Vec<Pattern>,
    pub(super) symmetries: symmetry::Symmetries,
    pub(super) cuts: Cuts,
    /// What each phase takes at least, with what proves it.
    pub(super) phases: Vec<Part>,
}

impl Problem {
    /// The tables of a job.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] where there are too many nodes, links with times of their own, or parts of the machine that do
    /// not reach each other; [`Error::TooLarge`] when the tables or the times are too large.
    pub(super) fn new(graph: &TaskGraph, machine: &Machine) -> Result<Self> {
        let refuse = |why: String| Err(Error::not_applicable(WHAT, why));
        if machine.nodes() > NODES_MAX {
            return refuse(format!("{} has more than {NODES_MAX} nodes", machine.name()));
        }
        if machine.fabric().is_some() || !machine.endpoints().is_free() {
            return refuse("links, ports or nodes with times of their own are not bounded".to_string());
        }
        if graph.tasks > machine.living_count() {
            let why = format!("{} tasks do not fit on {} living nodes", graph.tasks, machine.living_count());
            return refuse(why);
        }
        if crate::parts_of(machine).1.len() > 1 {
            return refuse("parts of the machine do not reach each other".to_string());
        }
        check_sums(graph, machine)?;
        let phases = parts(graph, machine)?;
        let patterns = patterns(graph, machine, &phases);
        let (tasks, links) = (graph.tasks as usize, machine.links() as usize);
        let bytes = (tasks + 1) * patterns.len() * links * 24;
        if bytes > BYTES_MAX {
            return Err(Error::TooLarge {
                what: WHAT,
                needed: format!("{bytes} bytes of tables"),
                limit: format!("{BYTES_MAX} bytes"),
            });
        }
        let routes = RouteTable::new(machine)?;
        let symmetries = symmetry::Symmetries::new(graph, machine, &routes);
        let living = machine.living().map(|node| node.0 as u16).collect();
        Ok(Self {
            tasks,
            nodes: machine.nodes() as usize,
            links,
            living,
            routes,
            cuts: Cuts::new(machine, tasks, &patterns),
            patterns,
            symmetries,
            phases,
        })
    }
}

/// Refuses jobs whose times might leave 62 bits on some placement.
fn check_sums(graph: &TaskGraph, machine: &Machine) -> Result<()> {
    let costs = machine.costs();
    costs.check()?;
    let hops = Hops(machine.nodes());
    let alone = |bytes: Bytes| {
        let one = costs.alone_ticks(Switching::StoreAndForward, bytes, Hops(1)) + costs.head_ticks();
        u128::from(one) * u128::from(hops.0)
    };
    let sum: u128 = graph.edges().iter().map(|edge| alone(edge.bytes)).sum();
    if sum >> 62 == 0 {
        return Ok(());
    }
    Err(Error::TooLarge {
        what: WHAT,
        needed: "times of more than 2^62 ticks".to_string(),
        limit: "2^62 ticks".to_string(),
    })
}

/// Ticks for which a message occupies a link, and those of its head over it.
///
/// ```text
/// wormhole, cut-through   b (W + h), b h
/// store-and-forward       c + b W, the same
/// ```
pub(super) fn occupied(bytes: Bytes, switching: Switching, costs: &Costs) -> (u64, u64) {
    match switching {
        Switching::Wormhole | Switching::CutThrough => {
            (costs.transfer_ticks(bytes) + costs.head_ticks(), costs.head_ticks())
        }
        Switching::StoreAndForward => {
            let whole = costs.startup_ticks() + costs.transfer_ticks(bytes);
            (whole, whole)
        }
    }
}

/// Ticks before the first message is on a link.
pub(super) fn start(switching: Switching, costs: &Costs) -> u64 {
    match switching {
        Switching::Wormhole | Switching::CutThrough => costs.startup_ticks(),
        Switching::StoreAndForward => 0,
    }
}

/// Source, target and bytes of the messages of a phase.
type SizedMessages = Vec<(u16, u16, u64)>;

/// What each phase takes at least by itself, with what proves it.
fn parts(graph: &TaskGraph, machine: &Machine) -> Result<Vec<Part>> {
    let terrain = Terrain::new(machine);
    let mut known: BTreeMap<Vec<(u32, u32, u64)>, Part> = BTreeMap::new();
    let mut parts = Vec::new();
    for index in 0..graph.phases() {
        let edges = graph.phase(index);
        let key = edges.iter().map(|edge| (edge.source, edge.target, edge.bytes.0)).collect();
        let part = match known.entry(key) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(place) => {
                let alone = edges.iter().map(|&edge| (0, edge)).collect();
                let alone = TaskGraph::new("one phase", graph.tasks, alone)?;
                let bound = graph_ticks(&alone, &terrain, machine, machine.switching());
                let (ticks, certificate) = (bound.ticks, bound.certificate);
                place.insert(Part { phases: vec![], ticks, certificate }).clone()
            }
        };
        parts.push(Part { phases: vec![index as u32], ..part });
    }
    Ok(parts)
}

fn patterns(graph: &TaskGraph, machine: &Machine, parts: &[Part]) -> Vec<Pattern> {
    let mut least = vec![0; graph.phases()];
    parts.iter().for_each(|part| least[part.phases[0] as usize] = part.ticks);
    let (switching, costs) = (machine.switching(), machine.costs());
    // By messages and bound: how often.
    let mut phases: BTreeMap<(SizedMessages, u64), u64> = BTreeMap::new();
    for (index, &least) in least.iter().enumerate() {
        let between = graph.phase(index).iter().filter(|edge| edge.source != edge.target);
        let mut messages: Vec<(u16, u16, u64)> =
            between.map(|edge| (edge.source as u16, edge.target as u16, edge.bytes.0)).collect();
        messages.sort_unstable();
        *phases.entry((messages, least)).or_default() += u64::from(graph.repeats(index));
    }
    let mut counted: BTreeMap<Vec<(u16, u16)>, Vec<Size>> = BTreeMap::new();
    let mut patterns = Vec::new();
    for ((messages, least), times) in phases {
        let size = |bytes| {
            let (body, step) = occupied(Bytes(bytes), switching, costs);
            Size { start: start(switching, costs), body, step, least, times }
        };
        let first = messages.first().map_or(0, |message| message.2);
        if messages.iter().all(|message| message.2 == first) {
            let pairs = messages.iter().map(|message| (message.0, message.1)).collect();
            counted.entry(pairs).or_default().push(size(first));
            continue;
        }
        let weighed = |&(source, target, bytes): &(u16, u16, u64)| {
            let Size { body, step, .. } = size(bytes);
            PatternMessage { source, target, body, step }
        };
        patterns.push(Pattern {
            messages: messages.iter().map(weighed).collect(),
            value: Value::Weighed(size(0)),
        });
    }
    let one = |&(source, target): &(u16, u16)| PatternMessage { source, target, body: 1, step: 1 };
    patterns.extend(counted.into_iter().map(|(pairs, sizes)| Pattern {
        messages: pairs.iter().map(one).collect(),
        value: Value::Counted(sizes),
    }));
    patterns
}

//! The job as the search sees it: flat arrays of messages in ticks, and which messages a task has.

use crate::task_graph::Edge;
use crate::{TaskGraph, bound};
use meshwright_core::csr::Csr;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::Hops;
use meshwright_network::topology::{Machine, Switching, Topology};

/// Link loads of all phases beyond this are refused: 1 GiB.
const LOADS_MAX: u64 = 1 << 27;

/// A phased job in the ticks of one machine. Phases that repeat each other stand here once.
#[derive(Clone, Debug)]
pub(super) struct PhasedJob {
    pub(super) tasks: u32,
    /// Whether nodes forward whole messages; else messages are worms.
    pub(super) stores: bool,
    /// Ticks before a worm sets out; 0 when messages are stored: there each link takes a start-up of its own.
    pub(super) startup: u64,
    /// Ticks for which the head of a worm is on one link.
    pub(super) head: u64,
    /// How often each phase occurs.
    pub(super) repeats: Vec<u64>,
    /// Of how many phases one after the other each phase is the sum: 1 unless they were joined.
    pub(super) joined: Vec<u64>,
    /// What each phase takes on any placement: its ports, and messages that stay at home.
    pub(super) floor: Vec<u64>,
    /// The messages of phase p are `first[p]..first[p + 1]`.
    pub(super) first: Vec<u32>,
    /// The tasks of each message.
    pub(super) ends: Vec<(u32, u32)>,
    /// For how many ticks each message occupies a link.
    pub(super) load: Vec<u64>,
    /// The phase of each message.
    pub(super) phase_of: Vec<u32>,
    /// By task its messages.
    pub(super) of_task: Csr<Incident>,
}

/// A message as one of its tasks sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Incident {
    pub(super) message: u32,
    pub(super) phase: u32,
    /// The other task.
    pub(super) other: u32,
    /// Whether this one sends it.
    pub(super) sends: bool,
}

impl PhasedJob {
    /// The messages of a graph on this machine.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] as for [`meshwright_network::topology::Costs::check`]; [`Error::TooLarge`] when a time could leave 57 bits, or link
    /// loads of all phases do not fit into memory.
    pub(super) fn new(graph: &TaskGraph, machine: &Machine) -> Result<Self> {
        machine.costs().check()?;
        check_times(graph, machine)?;
        let switching = machine.switching();
        let stores = switching == Switching::StoreAndForward;
        let startup = machine.costs().startup_ticks();
        let mut job = Self {
            tasks: graph.tasks,
            stores,
            startup: if stores { 0 } else { startup },
            head: machine.costs().head_ticks(),
            repeats: vec![],
            joined: vec![],
            floor: vec![],
            first: vec![0],
            ends: vec![],
            load: vec![],
            phase_of: vec![],
            of_task: Csr::default(),
        };
        for (index, repeats) in different_phases(graph) {
            let edges = graph.phase(index);
            let phase = job.repeats.len() as u32;
            for edge in edges.iter().filter(|edge| edge.source != edge.target) {
                job.ends.push((edge.source, edge.target));
                job.load.push(machine.costs().transfer_ticks(edge.bytes) + if stores { startup } else { 0 });
                job.phase_of.push(phase);
            }
            job.repeats.push(repeats);
            job.joined.push(1);
            job.floor.push(floor(edges, machine));
            job.first.push(job.ends.len() as u32);
        }
        let loads = job.repeats.len() as u64 * u64::from(machine.links());
        if loads > LOADS_MAX {
            return Err(Error::TooLarge {
                what: "the search",
                needed: format!("the loads of {} phases on {} links", job.repeats.len(), machine.links()),
                limit: format!("{LOADS_MAX} loads, 1 GiB"),
            });
        }
        job.index_tasks();
        Ok(job)
    }

    /// How many different phases there are.
    pub(super) fn phases(&self) -> usize {
        self.repeats.len()
    }

    /// The messages of a phase.
    pub(super) fn messages(&self, phase: usize) -> std::ops::Range<usize> {
        self.first[phase] as usize..self.first[phase + 1] as usize
    }

    /// Ticks a message takes for its distance alone.
    pub(super) fn way(&self, message: usize, hops: u32) -> u64 {
        u64::from(hops) * self.way_of_a_hop(message)
    }

    fn way_of_a_hop(&self, message: usize) -> u64 {
        let worm = || self.head * self.joined[self.phase_of[message] as usize];
        if self.stores { self.load[message] } else { worm() }
    }

    /// The heaviest message of a phase, and the longest way of a message over one link, in ticks.
    pub(super) fn greatest(&self, phase: usize) -> (u64, u64) {
        let loads = self.messages(phase).map(|message| self.load[message]);
        let ways = self.messages(phase).map(|message| self.way_of_a_hop(message));
        (loads.max().unwrap_or(0), ways.max().unwrap_or(0))
    }

    /// The job with phases joined in which the same tasks send to the same tasks, whatever the volumes: their volumes
    /// are added up, as if the slowest message were the same in all. Quicker to search, and not exact.
    pub(super) fn join(&self) -> Self {
        let sorted = |phase: usize| {
            let mut messages: Vec<usize> = self.messages(phase).collect();
            messages.sort_by_key(|&message| self.ends[message]);
            messages
        };
        let ends =
            |messages: &[usize]| messages.iter().map(|&message| self.ends[message]).collect::<Vec<_>>();
        let mut phases: Vec<_> = (0..self.phases())
            .map(|phase| {
                let messages = sorted(phase);
                (ends(&messages), phase, messages)
            })
            .collect();
        phases.sort_unstable();
        let none = || Vec::with_capacity(phases.len());
        let mut joint = Self { repeats: none(), joined: none(), floor: none(), ..self.clone() };
        (joint.first, joint.ends, joint.load, joint.phase_of) = (vec![0], vec![], vec![], vec![]);
        for same in phases.chunk_by(|a, b| a.0 == b.0) {
            let number = joint.repeats.len() as u32;
            joint.ends.extend_from_slice(&same[0].0);
            joint.load.extend((0..same[0].2.len()).map(|place| {
                same.iter()
                    .map(|(_, phase, messages)| self.load[messages[place]] * self.repeats[*phase])
                    .sum::<u64>()
            }));
            joint.phase_of.resize(joint.ends.len(), number);
            joint.repeats.push(1);
            joint.joined.push(same.iter().map(|(_, phase, _)| self.repeats[*phase]).sum());
            joint
                .floor
                .push(same.iter().map(|(_, phase, _)| self.floor[*phase] * self.repeats[*phase]).sum());
            joint.first.push(joint.ends.len() as u32);
        }
        joint.index_tasks();
        joint
    }

    /// The prediction for a phase from its busiest link and its longest way, or a little more: with worms the
    /// two may belong to different messages.
    pub(super) fn at_most(&self, phase: usize, link: u64, way: u64) -> u64 {
        let links = if self.stores { link.max(way) } else { self.startup * self.joined[phase] + link + way };
        self.floor[phase].max(if self.messages(phase).is_empty() { 0 } else { links })
    }

    fn index_tasks(&mut self) {
        let both = |((message, &(source, target)), &phase): ((u32, &(u32, u32)), &u32)| {
            let seen = |other, sends| Incident { message, phase, other, sends };
            [(source as usize, seen(target, true)), (target as usize, seen(source, false))]
        };
        let all = (0..).zip(&self.ends).zip(&self.phase_of);
        self.of_task = Csr::from_pairs(self.tasks as usize, all.flat_map(both));
    }
}

/// Each phase that differs from those before it, and how often it occurs.
fn different_phases(graph: &TaskGraph) -> Vec<(usize, u64)> {
    let key = |edge: &Edge| (edge.source, edge.target, edge.bytes);
    let sorted = |index: usize| {
        let mut keys: Vec<_> = graph.phase(index).iter().map(key).collect();
        keys.sort_unstable();
        keys
    };
    let mut phases: Vec<_> = (0..graph.phases()).map(|index| (sorted(index), index)).collect();
    phases.sort_unstable();
    let times =
        |same: &[(Vec<_>, usize)]| same.iter().map(|&(_, index)| u64::from(graph.repeats(index))).sum();
    let mut different: Vec<(usize, u64)> =
        phases.chunk_by(|a, b| a.0 == b.0).map(|same| (same[0].1, times(same))).collect();
    different.sort_unstable();
    different
}

/// What a phase takes wherever its tasks are.
fn floor(edges: &[Edge], machine: &Machine) -> u64 {
    let costs = machine.costs();
    let at_home = edges.iter().filter(|edge| edge.source == edge.target);
    let still =
        at_home.map(|edge| costs.alone_ticks(machine.switching(), edge.bytes, Hops(0))).max().unwrap_or(0);
    still.max(bound::ports(edges, machine, machine.switching()))
}

/// Refuses a job whose times could leave 57 bits: what is summed here is at least any sum of the search.
fn check_times(graph: &TaskGraph, machine: &Machine) -> Result<()> {
    let longest = match machine.whole_grid() {
        Some(grid) => grid.sides().iter().sum(),
        None => machine.nodes(),
    };
    let one = |edge: &Edge| {
        let hop = machine.costs().alone_ticks(Switching::StoreAndForward, edge.bytes, Hops(1));
        (hop + machine.costs().head_ticks()).checked_mul(u64::from(longest))
    };
    let phase = |sum: Option<u64>, index: usize| {
        let once = graph.phase(index).iter().try_fold(0u64, |sum, edge| sum.checked_add(one(edge)?))?;
        sum?.checked_add(once.checked_mul(graph.repeats(index).into())?)
    };
    match (0..graph.phases()).fold(Some(0), phase) {
        Some(sum) if sum >> 57 == 0 => Ok(()),
        _ => Err(Error::TooLarge {
            what: "the time of all messages one after the other, over the longest way",
            needed: "more than 2^57 ticks".into(),
            limit: "2^57 ticks".into(),
        }),
    }
}

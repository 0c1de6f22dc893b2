//! The culprit: the busiest link by time, with the messages on it and whose they are.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;

use super::{Times, counted};
use crate::LinkUse;
use crate::measure;
use meshwright_core::error::Result;
use meshwright_core::units::{LinkId, NodeId};
use meshwright_core::words::{grouped, percent};
use meshwright_network::routing::{Pair, Routes};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::cost::{LinkLoad, LinkLoads};
use meshwright_schedule::{Message, Phases};
use meshwright_sim::link_use::{self, LinkTimes, Way};
use meshwright_sim::{Engine, simulate};

/// So many messages of a link are told one by one.
const LISTED: usize = 4;

/// Over so many hops a job is simulated once more to know what a second wire gains, where nobody asked for it.
const HOPS_MAX: u64 = 1 << 22;

/// The busiest link: the one that is occupied the longest over all phases; of equal ones the lowest.
///
/// It is the one that tables, sentences, pictures and JSON name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Culprit {
    /// The link, and how busy it is.
    #[serde(flatten)]
    pub link: LinkUse,
    /// Its busy time over the makespan.
    pub share: f64,
    /// The messages that take the longest on it, of equal ones the first.
    pub largest: Vec<OnLink>,
    /// How many more there are.
    pub rest: u64,
    /// Between whom they run, the pairs with the most bytes first.
    pub pairs: Vec<TaskPair>,
    /// How many more pairs there are.
    pub pairs_rest: u64,
    /// What the numbers of phases are called.
    #[serde(skip)]
    pub(super) phase_word: &'static str,
    /// The simulated time with a second wire beside it; none where that was not, or cannot be, simulated.
    pub relieved_cycles: Option<u64>,
}

/// A message on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OnLink {
    /// The task that sends; none on a node without one.
    pub source_task: Option<u32>,
    /// The task that receives.
    pub target_task: Option<u32>,
    /// The node that sends.
    pub source: u32,
    /// The node that receives.
    pub target: u32,
    /// How much.
    pub bytes: u64,
    /// In which phase; the tag in a schedule.
    pub phase: u32,
    /// How long it takes on the link.
    pub busy_cycles: u64,
}

/// All messages on a link from one task to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TaskPair {
    /// The task that sends; none on a node without one.
    pub source_task: Option<u32>,
    /// The task that receives.
    pub target_task: Option<u32>,
    /// The node that sends.
    pub source: u32,
    /// The node that receives.
    pub target: u32,
    /// How many messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The first phase in which there is one.
    pub first_phase: u32,
}

impl Culprit {
    /// The busiest link of these messages on their ways, in a run of so many cycles; none if no message crosses a link.
    ///
    /// # Errors
    ///
    /// As for [`Way::routes`].
    ///
    /// # Complexity
    ///
    /// O(links + sum of hops + messages on the link, each as often as it is sent).
    pub fn of(
        phases: &Phases,
        tasks_on: &[Option<u32>],
        machine: &Machine,
        way: &Way<'_>,
        simulated_cycles: u64,
    ) -> Result<Option<Self>> {
        let routes = measure::routes_of(phases, way)?;
        let mut loads = LinkLoads::new(machine.links());
        loads.fill_phases(phases, &routes);
        let Some(link) = link_use::busiest_link(&loads, machine) else { return Ok(None) };
        let Some(id) = machine.wire(NodeId(link.from), NodeId(link.to)) else { return Ok(None) };
        let mut crossing = crossing(phases, &routes, id);
        let (pairs, pairs_rest) = pairs_of(&crossing, tasks_on);
        let rest = crossing.len().saturating_sub(LISTED) as u64;
        crossing.sort_by_key(|message| (std::cmp::Reverse(message.bytes), message.phase));
        let times = LinkTimes::of(machine);
        let on_link = |&Message { source, target, bytes, phase }: &Message| {
            let [source_task, target_task] = [source, target].map(|node| tasks_on[node.index()]);
            let busy_cycles = times.cycles(id, LinkLoad { messages: 1, bytes: bytes.0 });
            OnLink {
                source_task,
                target_task,
                source: source.0,
                target: target.0,
                bytes: bytes.0,
                phase,
                busy_cycles,
            }
        };
        Ok(Some(Self {
            share: link.busy_cycles as f64 / simulated_cycles.max(1) as f64,
            largest: crossing.iter().take(LISTED).map(on_link).collect(),
            rest,
            pairs,
            pairs_rest,
            phase_word: "phase",
            relieved_cycles: None,
            link,
        }))
    }

    /// With the simulated time of a second wire beside it, where the job is small enough to be simulated unasked.
    pub(super) fn relieved(mut self, phases: &Phases, machine: &Machine) -> Self {
        let pairs: Vec<Pair> = phases.messages().iter().map(Message::pair).collect();
        let hops = pairs.iter().filter_map(|&(from, to)| machine.network().distance(from, to));
        let hops: u64 = hops.map(|hops| u64::from(hops.0)).sum();
        let link = machine.wire(NodeId(self.link.from), NodeId(self.link.to));
        let Some(link) = link.filter(|_| hops <= HOPS_MAX && machine.fabric().is_none()) else { return self };
        let trace = simulate(machine, phases, &Engine::Doubled(link));
        self.relieved_cycles =
            trace.ok().filter(|trace| trace.deadlock.is_none()).map(|trace| trace.cycles.0);
        self
    }

    /// Which link, how busy, with whose messages, and what a second wire beside it would gain: a sentence each.
    pub fn sentences(&self, times: &Times<'_>, simulated_cycles: u64) -> Vec<String> {
        let LinkUse { from, to, messages, bytes, busy_cycles } = self.link;
        let [from, to] = [from, to].map(|node| times.machine.node_name(NodeId(node)));
        let which = format!(
            "The busiest link is {from} → {to}: it is busy for {} of {} ({}), with {} of {} bytes in all.",
            times.bare(busy_cycles),
            times.told(simulated_cycles),
            percent(self.share),
            counted(messages, "message"),
            grouped(bytes)
        );
        [which]
            .into_iter()
            .chain(self.of_whom(times.machine))
            .chain(self.relief(times, simulated_cycles))
            .collect()
    }

    /// The tasks whose messages cross it, in a sentence.
    pub fn of_whom(&self, machine: &Machine) -> Option<String> {
        let mut list: Vec<String> =
            self.pairs.iter().map(|pair| pair.words(machine, self.phase_word)).collect();
        if self.pairs_rest > 0 {
            list.push(counted(self.pairs_rest, "more pair").replace("more pairs", "pairs more"));
        }
        (!list.is_empty()).then(|| format!("Over it go: {}.", list.join("; ")))
    }

    /// What a second wire beside it would gain, in a sentence.
    pub fn relief(&self, times: &Times<'_>, simulated_cycles: u64) -> Option<String> {
        let cycles = self.relieved_cycles?;
        let gain = 1.0 - cycles as f64 / simulated_cycles.max(1) as f64;
        Some(match cycles.cmp(&simulated_cycles) {
            Ordering::Less => {
                let than = percent(gain);
                format!("With a second wire beside it the job takes {}: {than} less.", times.told(cycles))
            }
            Ordering::Equal => {
                "A second wire beside it would gain nothing: something else takes as long.".to_string()
            }
            Ordering::Greater => format!(
                "A second wire beside it would not help: others come later then, and the job takes {}.",
                times.told(cycles)
            ),
        })
    }
}

impl TaskPair {
    /// `task 3 → task 9 (600 bytes, phase 2)`, or `(4 messages, 900 bytes)`.
    fn words(&self, machine: &Machine, phase: &str) -> String {
        let end = |task: Option<u32>, node| match task {
            Some(task) => format!("task {task}"),
            None => format!("node {}", machine.node_name(NodeId(node))),
        };
        let what = match self.messages {
            1 => format!("{}, {phase} {}", counted(self.bytes, "byte"), self.first_phase),
            _ => format!("{} of {}", counted(self.messages, "message"), counted(self.bytes, "byte")),
        };
        format!("{} → {} ({what})", end(self.source_task, self.source), end(self.target_task, self.target))
    }
}

/// The messages over a link, each as often as it is sent.
fn crossing(phases: &Phases, routes: &Routes<'_>, link: LinkId) -> Vec<Message> {
    let mut crossing = Vec::new();
    for index in 0..phases.len() {
        let times = phases.repeats(index);
        for (number, message) in phases.range(index).zip(phases.phase(index)) {
            let mut is_on_it = false;
            routes.for_each_link(number, message.pair(), |one| is_on_it |= one == link);
            let at = |time| Message { phase: message.phase + time, ..*message };
            crossing.extend((0..if is_on_it { times } else { 0 }).map(at));
        }
    }
    crossing
}

/// The pairs of tasks of messages, those with the most bytes first, so many of them; how many more there are.
fn pairs_of(crossing: &[Message], tasks_on: &[Option<u32>]) -> (Vec<TaskPair>, u64) {
    let mut by_pair: BTreeMap<Pair, TaskPair> = BTreeMap::new();
    for message in crossing {
        let Message { source, target, bytes, phase } = *message;
        let [source_task, target_task] = [source, target].map(|node| tasks_on[node.index()]);
        let (source, target) = (source.0, target.0);
        let fresh =
            TaskPair { source_task, target_task, source, target, messages: 0, bytes: 0, first_phase: phase };
        let pair = by_pair.entry(message.pair()).or_insert(fresh);
        pair.messages += 1;
        pair.bytes += bytes.0;
        pair.first_phase = pair.first_phase.min(phase);
    }
    let mut pairs: Vec<TaskPair> = by_pair.into_values().collect();
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.bytes));
    let rest = pairs.len().saturating_sub(LISTED) as u64;
    pairs.truncate(LISTED);
    (pairs, rest)
}

//! Processes on a network where nobody is in anybody's way: the prediction.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Hops, NodeId};
use meshwright_network::topology::{Machine, Topology, distances_from};
use meshwright_schedule::process::{Action, Context, Process};
use meshwright_sim::Trace;

/// The most messages and computations of a run, as of the packet engine.
const EVENTS_MAX: u64 = 1 << 28;

/// What happens at a node.
enum Event<T> {
    Message(NodeId, T),
    Sent(u32),
    Computed(u32),
    Alarm(u32),
}

/// Runs processes, process i on node i: every message arrives after the time it takes alone.
///
/// ```text
/// arrival = start + T(W, d)       T the time of a message alone
/// start >= start' + t(W')         for the message before of the same sender: its one port; t = 0 where it has more
/// ```
///
/// `costs` gives T and t in ticks.
///
/// # Errors
///
/// [`Error::Value`] when the costs fail their check; [`Error::NotApplicable`] when there is no path to a target;
/// [`Error::TooLarge`] for more than 2^28 messages and computations.
///
/// # Panics
///
/// When a message goes to a node that has no process.
///
/// # Complexity
///
/// O(E log E) for E messages and computations; O(nodes + links) for each sender where no formula gives distances.
pub(super) fn run_processes<P: Process>(
    machine: &Machine,
    processes: &mut [P],
    costs: impl Fn(Bytes, Hops) -> [u64; 2],
) -> Result<Trace> {
    machine.costs().check()?;
    let mut run = AloneRun {
        machine,
        costs,
        rows: vec![None; machine.nodes() as usize],
        agenda: BinaryHeap::new(),
        made: 0,
        events: Vec::new(),
        idle: Vec::new(),
        finished: vec![None; processes.len()],
        processor_free: vec![0; processes.len()],
        port_free: vec![0; processes.len()],
        actions: Vec::new(),
    };
    let living: Vec<NodeId> =
        (0..processes.len() as u32).map(NodeId).filter(|&node| machine.is_alive(node)).collect();
    for &node in &living {
        run.react(processes, node, 0, |process, context| process.on_start(context))?;
    }
    let (mut end, mut messages) = (0, 0);
    while let Some(Reverse((now, _, place))) = run.agenda.pop() {
        end = now;
        let (node, event) = run.events[place as usize].take().expect("an event happens once");
        run.idle.push(place);
        run.react(processes, node, now, |process, context| match event {
            Event::Message(from, payload) => {
                messages += 1;
                process.on_message(from, payload, context);
            }
            Event::Sent(token) => process.on_sent(token, context),
            Event::Computed(token) => process.on_computed(token, context),
            Event::Alarm(token) => process.on_alarm(token, context),
        })?;
    }
    let mut trace = Trace::default();
    (trace.cycles, trace.ticks, trace.messages) = (machine.costs().cycles(end), end, messages);
    trace.unfinished = living.into_iter().filter(|node| run.finished[node.index()].is_none()).collect();
    trace.finished_ticks = run.finished;
    Ok(trace)
}

struct AloneRun<'m, T, A> {
    machine: &'m Machine,
    /// How long a message takes alone, and how long it keeps the next waiting.
    costs: A,
    /// Per sender the distances to all nodes, where there is no formula.
    rows: Vec<Option<Vec<u32>>>,
    /// Moment, number and place of the event: those of one moment happen in the order in which they were made.
    agenda: BinaryHeap<Reverse<(u64, u64, u32)>>,
    made: u64,
    events: Vec<Option<(NodeId, Event<T>)>>,
    /// Places of what has happened.
    idle: Vec<u32>,
    finished: Vec<Option<u64>>,
    processor_free: Vec<u64>,
    port_free: Vec<u64>,
    actions: Vec<Action<T>>,
}

impl<T, A: Fn(Bytes, Hops) -> [u64; 2]> AloneRun<'_, T, A> {
    fn react<P: Process<Payload = T>>(
        &mut self,
        processes: &mut [P],
        node: NodeId,
        now: u64,
        tell: impl FnOnce(&mut P, &mut Context<'_, T>),
    ) -> Result<()> {
        let mut actions = std::mem::take(&mut self.actions);
        let mut context = Context::new(node, self.machine.costs().cycles(now), &mut actions);
        tell(&mut processes[node.index()], &mut context);
        for action in actions.drain(..) {
            match action {
                Action::Send { to, bytes, payload, token } => {
                    let [alone, turn] = self.alone(node, to, bytes)?;
                    let free = &mut self.port_free[node.index()];
                    let start = now.max(*free);
                    *free = if turn > 0 { start + turn } else { *free };
                    let arrival = start + alone;
                    self.plan(now, node, Event::Sent(token))?;
                    self.plan(arrival, to, Event::Message(node, payload))?;
                }
                Action::Compute { cycles, token } => {
                    let ticks = cycles.0 * self.machine.costs().ticks_per_cycle();
                    let free = &mut self.processor_free[node.index()];
                    *free = now.max(*free) + ticks;
                    let end = *free;
                    self.plan(end, node, Event::Computed(token))?;
                }
                Action::Alarm { cycles, token } => {
                    let ticks = cycles.0 * self.machine.costs().ticks_per_cycle();
                    self.plan(now + ticks, node, Event::Alarm(token))?;
                }
                Action::Finish => {
                    self.finished[node.index()].get_or_insert(now);
                }
            }
        }
        self.actions = actions;
        Ok(())
    }

    fn plan(&mut self, moment: u64, node: NodeId, event: Event<T>) -> Result<()> {
        if self.made >= EVENTS_MAX {
            return Err(Error::TooLarge {
                what: "the run of the processes",
                needed: format!("more than {EVENTS_MAX} messages and computations"),
                limit: format!("{EVENTS_MAX} of them"),
            });
        }
        let place = self.idle.pop().unwrap_or_else(|| {
            self.events.push(None);
            self.events.len() as u32 - 1
        });
        self.agenda.push(Reverse((moment, self.made, place)));
        self.events[place as usize] = Some((node, event));
        self.made += 1;
        Ok(())
    }

    /// The ticks of a message from one node to another, and for how long it keeps the next waiting; none to oneself.
    fn alone(&mut self, from: NodeId, to: NodeId, bytes: Bytes) -> Result<[u64; 2]> {
        if from == to {
            return Ok([0, 0]);
        }
        let hops = if self.machine.whole_grid().is_some() {
            self.machine.distance(from, to)
        } else {
            let row = self.rows[from.index()].get_or_insert_with(|| distances_from(self.machine, from));
            Some(row[to.index()]).filter(|&hops| hops != u32::MAX).map(Hops)
        };
        let hops = hops.ok_or_else(|| {
            let why = format!("there is no way from node {from} to node {to}");
            Error::not_applicable("the run of the processes", why)
        })?;
        Ok((self.costs)(bytes, hops))
    }
}

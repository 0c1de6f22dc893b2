//! A workload that decides at run time: one [`Process`] per node.
//!
//! Messages are numbered in the order in which they are sent, so where two ask for a link at the same moment, the
//! one sent first has it. Independent groups of processes therefore see what they would see alone, as long as they
//! share no link.

use super::engine::{Driver, Open};
use super::simulate::Task;
use super::trace::{Trace, Wait};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Cycles, Hops, NodeId};
use meshwright_network::topology::costs::BYTES_MAX;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::process::{Action, Context, Process};
use meshwright_schedule::{CALC_MAX, Message};

/// Processes as a task for an engine.
pub(super) struct ProcessTask<'p, 'm, P> {
    pub(super) machine: &'m Machine,
    pub(super) processes: &'p mut [P],
    /// Messages are made as long as the packets of so many bytes that they need; as they are, if 0.
    pub(super) packet: Bytes,
}

impl<'m, P: Process> Task<'m> for ProcessTask<'_, 'm, P> {
    fn on<E: Open<'m>>(self, engine: &mut E) -> Result<Trace> {
        let Self { machine, processes, packet } = self;
        machine.costs().check()?;
        if processes.len() > machine.nodes() as usize {
            let expected = format!("at most the {} nodes of {}", machine.nodes(), machine.name());
            return Err(Error::value("number of processes", processes.len(), expected));
        }
        engine.open();
        let mut set = ProcessSet::new(machine, processes, packet);
        let taking_part = set.finished.len() as u32;
        for node in (0..taking_part).map(NodeId).filter(|&node| machine.is_alive(node)) {
            set.react(engine, node, |process, context| process.on_start(context));
        }
        engine.run(&mut set);
        let left = set.on_the_way();
        let ProcessSet { error, finished, delivered, end, .. } = set;
        if let Some(error) = error {
            return Err(error);
        }
        Ok(traced(machine, engine, finished, (end, delivered), &left))
    }
}

/// The trace of a run that ended at tick `end`.
fn traced<'m>(
    machine: &Machine,
    engine: &impl Open<'m>,
    finished_ticks: Vec<Option<u64>>,
    (end, messages): (u64, u64),
    left: &[u32],
) -> Trace {
    let deadlock = engine.waiting_ring(left);
    assert!(
        left.is_empty() || deadlock.is_some(),
        "messages that never arrive wait for each other in a ring"
    );
    let nodes = (0u32..).map(NodeId).zip(&finished_ticks);
    let unfinished = nodes.filter(|&(node, finished)| finished.is_none() && machine.is_alive(node));
    Trace {
        cycles: machine.costs().cycles(end),
        ticks: end,
        messages,
        unfinished: unfinished.map(|(node, _)| node).collect(),
        longest_wait: engine.longest_wait().map(|(link, ticks)| Wait {
            link,
            phase: 0,
            waited: machine.costs().cycles(ticks),
        }),
        busiest: engine.busiest(),
        longest_queue: engine.longest_queue(),
        passes: engine.passes(),
        finished_ticks,
        deadlock,
        ..Trace::default()
    }
}

/// A message until it arrives: who asked for what. Nothing is left to send then.
struct ProcessMessage<T> {
    source: NodeId,
    token: u32,
    action: Action<T>,
}

/// All processes and what they have asked for.
struct ProcessSet<'p, P: Process> {
    machine: &'p Machine,
    processes: &'p mut [P],
    packet: Bytes,
    /// By the number of the message; that of one that has arrived may be given again.
    messages: Vec<ProcessMessage<P::Payload>>,
    /// Node, token and whether it is an alarm, by the number of the timer; the timers that have run out.
    timers: Vec<(NodeId, u32, bool)>,
    idle_timers: Vec<u32>,
    /// Messages and computations asked for so far.
    asked: usize,
    /// A moment in ticks and in cycles: few divisions.
    moment: (u64, Cycles),
    /// The bytes of the last message and its time over one link: few multiplications.
    hop: (Bytes, u64),
    processor_free: Vec<u64>,
    finished: Vec<Option<u64>>,
    delivered: u64,
    end: u64,
    /// An upper bound on the time of everything asked for so far.
    serial: u64,
    /// The list every [`Context`] writes to.
    actions: Vec<Action<P::Payload>>,
    /// The first unacceptable action; from then on nobody is told anything.
    error: Option<Error>,
}

impl<'p, P: Process> ProcessSet<'p, P> {
    fn new(machine: &'p Machine, processes: &'p mut [P], packet: Bytes) -> Self {
        Self {
            machine,
            packet,
            messages: Vec::new(),
            timers: Vec::new(),
            idle_timers: Vec::new(),
            asked: 0,
            moment: (0, Cycles(0)),
            // One hop stays below 2^58 ticks with checked costs.
            hop: (Bytes(0), machine.costs().alone_ticks(machine.switching(), Bytes(0), Hops(1))),
            processor_free: vec![0; processes.len()],
            finished: vec![None; processes.len()],
            processes,
            delivered: 0,
            end: 0,
            serial: 0,
            actions: Vec::new(),
            error: None,
        }
    }

    /// The messages that were sent and have not arrived.
    fn on_the_way(&self) -> Vec<u32> {
        (0..)
            .zip(&self.messages)
            .filter(|(_, sent)| matches!(sent.action, Action::Send { .. }))
            .map(|(message, _)| message)
            .collect()
    }

    /// Tells one process something and does what it asks for.
    fn react<'m, E: Open<'m>>(
        &mut self,
        engine: &mut E,
        node: NodeId,
        tell: impl FnOnce(&mut P, &mut Context<'_, P::Payload>),
    ) {
        if self.error.is_some() {
            return;
        }
        let now = engine.now();
        self.end = self.end.max(now);
        if self.moment.0 != now {
            self.moment = (now, self.machine.costs().cycles(now));
        }
        let Self { processes, moment, actions, .. } = self;
        tell(&mut processes[node.index()], &mut Context::new(node, moment.1, actions));
        if !actions.is_empty() {
            let mut actions = std::mem::take(actions);
            self.carry_out(engine, node, &mut actions);
            self.actions = actions;
        }
    }

    /// Does what a process asks for.
    fn carry_out<'m, E: Open<'m>>(
        &mut self,
        engine: &mut E,
        node: NodeId,
        actions: &mut Vec<Action<P::Payload>>,
    ) {
        for action in actions.drain(..) {
            if let Err(error) = self.act(engine, node, action) {
                self.error.get_or_insert(error);
            }
        }
    }

    #[inline(always)]
    fn act<'m, E: Open<'m>>(
        &mut self,
        engine: &mut E,
        node: NodeId,
        action: Action<P::Payload>,
    ) -> Result<()> {
        let now = engine.now();
        match action {
            Action::Send { to, bytes, token, .. } => {
                let bytes = if self.packet.0 > 0 { in_packets(bytes, self.packet) } else { bytes };
                self.check_message(to, bytes)?;
                let (number, hops) = engine.send(&Message { source: node, target: to, bytes, phase: 0 })?;
                // What was sent arrives, and so it is kept whatever the account says.
                let sent = ProcessMessage { source: node, token, action };
                match self.messages.get_mut(number as usize) {
                    Some(place) => *place = sent,
                    None => self.messages.push(sent),
                }
                if self.hop.0 != bytes {
                    let costs = self.machine.costs();
                    self.hop = (bytes, costs.alone_ticks(self.machine.switching(), bytes, Hops(1)));
                }
                self.account(self.hop.1.checked_mul(u64::from(hops.0.max(1))), E::ACTIONS_MAX)?;
            }
            Action::Compute { cycles, token } => {
                let ticks = self.waited(cycles, E::ACTIONS_MAX)?;
                let free = &mut self.processor_free[node.index()];
                *free = (*free).max(now) + ticks;
                let until = *free;
                engine.set_timer(self.timer_of((node, token, false)), until);
            }
            Action::Alarm { cycles, token } => {
                let ticks = self.waited(cycles, E::ACTIONS_MAX)?;
                engine.set_timer(self.timer_of((node, token, true)), now + ticks);
            }
            Action::Finish => {
                self.finished[node.index()].get_or_insert(now);
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn check_message(&self, to: NodeId, bytes: Bytes) -> Result<()> {
        let nodes = self.processes.len();
        if to.index() >= nodes || bytes.0 > BYTES_MAX { Err(bad_message(to, bytes, nodes)) } else { Ok(()) }
    }

    /// The ticks of a computation or an alarm.
    #[inline(always)]
    fn waited(&mut self, cycles: Cycles, most: usize) -> Result<u64> {
        if cycles > CALC_MAX {
            let expected = format!("at most {} cycles", CALC_MAX.0);
            return Err(Error::value("computation", cycles.0, expected));
        }
        let ticks = cycles.0.checked_mul(self.machine.costs().ticks_per_cycle());
        self.account(ticks, most)?;
        Ok(ticks.unwrap_or(0))
    }

    /// The number of a timer that will tell this.
    #[inline(always)]
    fn timer_of(&mut self, what: (NodeId, u32, bool)) -> u32 {
        let timer = self.idle_timers.pop().unwrap_or(self.timers.len() as u32);
        match self.timers.get_mut(timer as usize) {
            Some(place) => *place = what,
            None => self.timers.push(what),
        }
        timer
    }

    /// Counts an action that takes so long if nothing else happens.
    #[inline(always)]
    fn account(&mut self, ticks: Option<u64>, most: usize) -> Result<()> {
        let sum = ticks.and_then(|ticks| self.serial.checked_add(ticks)).filter(|sum| sum >> 63 == 0);
        let Some(sum) = sum else { return Err(too_long()) };
        self.serial = sum;
        self.asked += 1;
        if self.asked > most { Err(too_many(most)) } else { Ok(()) }
    }
}

/// The bytes on a wire of a message in packets of h bytes, `max(1, ceil(W / h)) h`.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::Bytes;
/// use meshwright_sim::in_packets;
/// assert_eq!([0, 8, 9].map(|bytes| in_packets(Bytes(bytes), Bytes(8)).0), [8, 8, 16]);
/// ```
pub fn in_packets(bytes: Bytes, packet: Bytes) -> Bytes {
    let packet = packet.0.max(1);
    Bytes(bytes.0.div_ceil(packet).max(1).saturating_mul(packet))
}

#[cold]
fn bad_message(to: NodeId, bytes: Bytes, nodes: usize) -> Error {
    if to.index() >= nodes {
        return Error::value("target of a message", to, format!("a node from 0 to {}", nodes - 1));
    }
    Error::value("message", bytes.0, format!("at most {BYTES_MAX} bytes"))
}

#[cold]
fn too_long() -> Error {
    Error::TooLarge {
        what: "the time of all messages and computations one after the other",
        needed: "more than 2^63 ticks".into(),
        limit: "2^63 ticks".into(),
    }
}

#[cold]
fn too_many(most: usize) -> Error {
    Error::TooLarge {
        what: "the run of the processes",
        needed: format!("more than {most} messages and computations"),
        limit: format!("{most} of them"),
    }
}

impl<'m, P: Process, E: Open<'m>> Driver<E> for ProcessSet<'_, P> {
    const WANTS_SENT: bool = P::HEARS_SENT;

    fn sent(&mut self, engine: &mut E, message: u32) {
        let ProcessMessage { source, token, .. } = self.messages[message as usize];
        self.react(engine, source, |process, context| process.on_sent(token, context));
    }

    fn delivered(&mut self, engine: &mut E, message: u32) {
        self.delivered += 1;
        let ProcessMessage { source, ref mut action, .. } = self.messages[message as usize];
        let Action::Send { to, payload, .. } = std::mem::replace(action, Action::Finish) else {
            unreachable!("a message arrives once")
        };
        self.react(engine, to, |process, context| process.on_message(source, payload, context));
    }

    fn timer(&mut self, engine: &mut E, id: u32) {
        let (node, token, is_alarm) = self.timers[id as usize];
        self.idle_timers.push(id);
        self.react(engine, node, |process, context| match is_alarm {
            true => process.on_alarm(token, context),
            false => process.on_computed(token, context),
        });
    }
}

//! A workload that decides at run time: one [`Process`] per node.
//!
//! Messages are numbered in the order in which they are sent, so where two ask for a link at the same moment, the
//! one sent first has it. Independent groups of processes therefore see what they would see alone, as long as they
//! share no link.

use super::engine::{Driver, Open};
use super::message::Core;
use super::trace::{ProcessTrace, Wait};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Cycles, Hops, NodeId};
use meshwright_network::topology::costs::BYTES_MAX;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::process::{Action, Context, Process};
use meshwright_schedule::{CALC_MAX, Message};

/// Runs processes on the message engine, process i on node i, until nothing happens any more.
///
/// The processes of dead nodes are not started. That some process has not finished when all is quiet is an
/// answer, [`ProcessTrace::unfinished`], and so is a deadlock.
///
/// # Errors
///
/// [`Error::Value`] when there are more processes than nodes, the costs fail their check, a message goes to a node
/// that has no process, or is larger than a tebibyte, or a computation is longer than
/// [`CALC_MAX`]; [`Error::NotApplicable`] when there is no path to a target; [`Error::TooLarge`] when a time could leave
/// 63 bits or the processes send and compute more than 2^25 times.
///
/// # Complexity
///
/// O(E log E) for E = sum of hops; where no formula gives the routes, O(nodes + links) for each different target.
///
/// # Examples
///
/// A token goes round and adds up the numbers of all nodes.
///
/// ```
/// use meshwright_schedule::process::{Context, Process};
/// use meshwright_sim as sim;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::{Bytes, Cycles, NodeId};
/// struct Ring { next: NodeId, total: Option<u32> }
/// impl Process for Ring {
///     type Payload = u32;
///     fn on_start(&mut self, context: &mut Context<'_, u32>) {
///         if context.node() == NodeId(0) {
///             context.send(self.next, Bytes(8), 0);
///         }
///     }
///     fn on_message(&mut self, _: NodeId, sum: u32, context: &mut Context<'_, u32>) {
///         if context.node() != NodeId(0) {
///             context.send(self.next, Bytes(8), sum + context.node().0);
///         }
///         self.total = Some(sum);
///         context.finish();
///     }
/// }
/// let mut ring: Vec<Ring> = (1..=4).map(|i| Ring { next: NodeId(i % 4), total: None }).collect();
/// let trace = sim::run_processes(&Machine::new("torus:4")?, &mut ring)?; // c = 100, b = 1, h = 2
/// assert_eq!(ring[0].total, Some(1 + 2 + 3));
/// assert_eq!(trace.cycles, Cycles(4 * (100 + 8 + 2)));
/// assert!(trace.unfinished.is_empty());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn run_processes<P: Process>(machine: &Machine, processes: &mut [P]) -> Result<ProcessTrace> {
    run(machine, processes, &mut Core::new(machine))
}

/// As [`run_processes`], on any engine of this machine.
pub(super) fn run<'m, P: Process, E: Open<'m>>(
    machine: &'m Machine,
    processes: &mut [P],
    engine: &mut E,
) -> Result<ProcessTrace> {
    machine.costs().check()?;
    if processes.len() > machine.nodes() as usize {
        let expected = format!("at most the {} nodes of {}", machine.nodes(), machine.name());
        return Err(Error::value("number of processes", processes.len(), expected));
    }
    engine.open();
    let mut ensemble = Ensemble::new(machine, processes);
    let taking_part = ensemble.finished.len() as u32;
    for node in (0..taking_part).map(NodeId).filter(|&node| machine.is_alive(node)) {
        ensemble.react(engine, node, |process, context| process.on_start(context));
    }
    engine.run(&mut ensemble);
    let Ensemble { error, finished, letters, delivered, end, .. } = ensemble;
    if let Some(error) = error {
        return Err(error);
    }
    let left: Vec<u32> = (0..).zip(&letters).filter(|(_, l)| l.payload.is_some()).map(|(m, _)| m).collect();
    let deadlock = engine.waiting_ring(&left);
    assert!(
        left.is_empty() || deadlock.is_some(),
        "messages that never arrive wait for each other in a ring"
    );
    let living = (0..taking_part).map(NodeId).filter(|&node| machine.is_alive(node));
    let wait = |(link, ticks)| Wait { link, phase: 0, waited: machine.costs().cycles(ticks) };
    Ok(ProcessTrace {
        cycles: machine.costs().cycles(end),
        ticks: end,
        messages: delivered,
        unfinished: living.filter(|node| finished[node.index()].is_none()).collect(),
        finished_ticks: finished,
        longest_wait: engine.longest_wait().map(wait),
        busiest: engine.busiest(),
        deadlock,
    })
}

/// A message and what it carries, until it arrives.
struct Letter<T> {
    source: NodeId,
    target: NodeId,
    token: u32,
    payload: Option<T>,
}

/// All processes and what they have asked for.
struct Ensemble<'p, P: Process> {
    machine: &'p Machine,
    processes: &'p mut [P],
    /// By the number of the message; that of one that has arrived may be given again.
    letters: Vec<Letter<P::Payload>>,
    /// Node and token, by the number of the timer; the timers that have run out.
    computations: Vec<(NodeId, u32)>,
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

impl<'p, P: Process> Ensemble<'p, P> {
    fn new(machine: &'p Machine, processes: &'p mut [P]) -> Self {
        Self {
            machine,
            letters: Vec::new(),
            computations: Vec::new(),
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
        let mut actions = std::mem::take(&mut self.actions);
        let mut context = Context::new(node, self.moment.1, &mut actions);
        tell(&mut self.processes[node.index()], &mut context);
        for action in actions.drain(..) {
            if let Err(error) = self.act(engine, node, action) {
                self.error.get_or_insert(error);
            }
        }
        self.actions = actions;
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
            Action::Send { to, bytes, payload, token } => {
                self.check_message(to, bytes)?;
                let (number, hops) = engine.add(&Message { source: node, target: to, bytes, phase: 0 })?;
                if self.hop.0 != bytes {
                    let costs = self.machine.costs();
                    self.hop = (bytes, costs.alone_ticks(self.machine.switching(), bytes, Hops(1)));
                }
                self.account(self.hop.1.checked_mul(u64::from(hops.0.max(1))), E::ACTIONS_MAX)?;
                let letter = Letter { source: node, target: to, token, payload: Some(payload) };
                match self.letters.get_mut(number as usize) {
                    Some(place) => *place = letter,
                    None => self.letters.push(letter),
                }
                engine.start(number, now);
            }
            Action::Compute { cycles, token } => {
                if cycles > CALC_MAX {
                    let expected = format!("at most {} cycles", CALC_MAX.0);
                    return Err(Error::value("computation", cycles.0, expected));
                }
                let Cycles(cycles) = cycles;
                let ticks = cycles.checked_mul(self.machine.costs().ticks_per_cycle());
                self.account(ticks, E::ACTIONS_MAX)?;
                let free = &mut self.processor_free[node.index()];
                *free = (*free).max(now) + ticks.unwrap_or(0);
                let until = *free;
                let timer = self.idle_timers.pop().unwrap_or(self.computations.len() as u32);
                match self.computations.get_mut(timer as usize) {
                    Some(place) => *place = (node, token),
                    None => self.computations.push((node, token)),
                }
                engine.set_timer(timer, until);
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

impl<'m, P: Process, E: Open<'m>> Driver<E> for Ensemble<'_, P> {
    const WANTS_SENT: bool = P::HEARS_SENT;

    fn sent(&mut self, engine: &mut E, message: u32) {
        let Letter { source, token, .. } = self.letters[message as usize];
        self.react(engine, source, |process, context| process.on_sent(token, context));
    }

    fn delivered(&mut self, engine: &mut E, message: u32) {
        self.delivered += 1;
        let Letter { source, target, ref mut payload, .. } = self.letters[message as usize];
        let payload = payload.take().expect("a message arrives once");
        self.react(engine, target, |process, context| process.on_message(source, payload, context));
    }

    fn timer(&mut self, engine: &mut E, id: u32) {
        let (node, token) = self.computations[id as usize];
        self.idle_timers.push(id);
        self.react(engine, node, |process, context| process.on_computed(token, context));
    }
}

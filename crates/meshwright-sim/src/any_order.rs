//! Processes without a network: an adversary decides which message arrives next.
//!
//! Every message sent is under way until the adversary lets it arrive; so is every computation until it lets it end.
//! Whatever order it chooses, the network of some day could have done the same: a protocol that is right in every order
//! is right on every machine. Time is the number of events so far.

use std::collections::VecDeque;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::trace::Trace;
use meshwright_core::error::{Error, Result};
use meshwright_core::rng;
use meshwright_core::units::{Cycles, NodeId};
use meshwright_schedule::process::{Action, Context, Process};

/// The most messages and computations of a run: processes that never stop end in an error, not in a hang.
const ACTIONS_MAX: u64 = 1 << 28;

/// What arrives next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// What was sent first.
    OldestFirst,
    /// What was sent last.
    NewestFirst,
    /// Any, each as likely as the others.
    Random,
    /// Any, but what goes to or from this node only when nothing else is left.
    StarveNode(NodeId),
    /// Any, but what goes between these two nodes only when nothing else is left.
    StarvePair(NodeId, NodeId),
}

/// An adversary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adversary {
    /// What arrives next.
    pub order: Order,
    /// Whether messages of one node to another arrive in the order in which they were sent: then the order says
    /// which pair is next.
    pub in_channels: bool,
    /// The seed of its choices.
    pub seed: u64,
}

/// Runs processes, process i on node i, until nothing is under way.
///
/// Times are numbers of events: a message that arrives, a computation that ends. That a message has left is told just
/// before it arrives.
///
/// # Errors
///
/// [`Error::Value`] when a message goes to a node that has no process, [`Error::TooLarge`] when they send and
/// compute more than 2^28 times.
///
/// # Complexity
///
/// O(1) an event; with channels O(log p) for a source with p partners.
///
/// # Examples
///
/// ```
/// use meshwright_schedule::process::{Context, Process};
/// use meshwright_sim::any_order::{self, Adversary, Order};
/// use meshwright_core::units::{Bytes, NodeId};
/// struct Node { heard: Vec<u32> }
/// impl Process for Node {
///     type Payload = u32;
///     fn on_start(&mut self, context: &mut Context<'_, u32>) {
///         if context.node() == NodeId(0) {
///             (0..3).for_each(|i| context.send(NodeId(1), Bytes(8), i));
///         }
///     }
///     fn on_message(&mut self, _: NodeId, i: u32, _: &mut Context<'_, u32>) {
///         self.heard.push(i);
///     }
/// }
/// let mut nodes = [Node { heard: vec![] }, Node { heard: vec![] }];
/// let adversary = Adversary { order: Order::NewestFirst, in_channels: false, seed: 0 };
/// let trace = any_order::run_processes(&mut nodes, adversary)?;
/// assert_eq!((trace.messages, nodes[1].heard.as_slice()), (3, [2, 1, 0].as_slice()));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn run_processes<P: Process>(processes: &mut [P], adversary: Adversary) -> Result<Trace> {
    let nodes = processes.len() as u32;
    let mut scheduler = AdversarialScheduler {
        in_flight: Messages::new(nodes, adversary),
        finished: vec![None; processes.len()],
        now: 0,
    };
    let mut actions = Vec::new();
    for node in (0..nodes).map(NodeId) {
        scheduler.react(node, &mut actions, |context| processes[node.index()].on_start(context))?;
    }
    let mut messages = 0;
    while let Some(InFlight { source, target, token, payload, .. }) = scheduler.in_flight.take() {
        scheduler.now += 1;
        match payload {
            None => {
                scheduler.react(target, &mut actions, |c| processes[target.index()].on_computed(token, c))?;
            }
            Some(payload) => {
                messages += 1;
                scheduler.react(source, &mut actions, |c| processes[source.index()].on_sent(token, c))?;
                let process = &mut processes[target.index()];
                scheduler.react(target, &mut actions, |c| process.on_message(source, payload, c))?;
            }
        }
    }
    let AdversarialScheduler { finished, now, .. } = scheduler;
    Ok(Trace {
        cycles: Cycles(now),
        ticks: now,
        messages,
        unfinished: (0..nodes).map(NodeId).filter(|node| finished[node.index()].is_none()).collect(),
        finished_ticks: finished,
        ..Trace::default()
    })
}

/// What is under way, who has finished and how many events there were.
struct AdversarialScheduler<T> {
    in_flight: Messages<T>,
    finished: Vec<Option<u64>>,
    now: u64,
}

impl<T> AdversarialScheduler<T> {
    /// Tells one process something and does what it asks for.
    #[inline]
    fn react(
        &mut self,
        node: NodeId,
        actions: &mut Vec<Action<T>>,
        tell: impl FnOnce(&mut Context<'_, T>),
    ) -> Result<()> {
        tell(&mut Context::new(node, Cycles(self.now), actions));
        for action in actions.drain(..) {
            match action {
                Action::Send { to, payload, token, .. } => {
                    let nodes = self.finished.len();
                    if to.index() >= nodes {
                        let expected = format!("a node from 0 to {}", nodes - 1);
                        return Err(Error::value("target of a message", to, expected));
                    }
                    let payload = Some(payload);
                    self.in_flight.put(InFlight { source: node, target: to, token, payload, next: NONE })?;
                }
                Action::Compute { token, .. } => {
                    let (source, target) = (node, node);
                    self.in_flight.put(InFlight { source, target, token, payload: None, next: NONE })?;
                }
                Action::Alarm { .. } => {
                    let why = "a process asks for an alarm, and here is no clock";
                    return Err(Error::not_applicable("messages in any order", why));
                }
                Action::Finish => {
                    self.finished[node.index()].get_or_insert(self.now);
                }
            }
        }
        Ok(())
    }
}

/// No message.
const NONE: u32 = u32::MAX;

/// A message under way; without a payload, a computation.
#[derive(Debug)]
struct InFlight<T> {
    source: NodeId,
    target: NodeId,
    token: u32,
    payload: Option<T>,
    /// The next of the same line.
    next: u32,
}

/// Messages that come one after the other: its ends.
#[derive(Clone, Copy, Debug)]
struct Fifo {
    head: u32,
    tail: u32,
}

/// Everything under way, and what comes next.
///
/// For every message there is one entry in one of two drums. The computations of a node are a line, and so is a channel;
/// all entries of a line are alike: each means its first message.
#[derive(Debug)]
struct Messages<T> {
    adversary: Adversary,
    generator: ChaCha8Rng,
    messages: Vec<Option<InFlight<T>>>,
    idle: Vec<u32>,
    /// The computations of each node, then the channels.
    lines: Vec<Fifo>,
    /// By source the targets, in increasing order, and the lines of their channels.
    channels: Vec<Vec<(NodeId, u32)>>,
    willing: VecDeque<Pending>,
    starved: VecDeque<Pending>,
    asked: u64,
}

/// A message, or the first one of a line.
#[derive(Clone, Copy, Debug)]
enum Pending {
    One(u32),
    FirstOf(u32),
}

impl<T> Messages<T> {
    fn new(nodes: u32, adversary: Adversary) -> Self {
        Self {
            adversary,
            generator: rng::stream(adversary.seed, "order of messages"),
            messages: Vec::new(),
            idle: Vec::new(),
            lines: vec![Fifo { head: NONE, tail: NONE }; nodes as usize],
            channels: vec![Vec::new(); nodes as usize],
            willing: VecDeque::new(),
            starved: VecDeque::new(),
            asked: 0,
        }
    }

    /// The line a message has to keep to.
    fn line(&mut self, message: &InFlight<T>) -> Option<u32> {
        if message.payload.is_none() {
            return Some(message.source.0);
        }
        if !self.adversary.in_channels {
            return None;
        }
        let channels = &mut self.channels[message.source.index()];
        let line = match channels.binary_search_by_key(&message.target, |&(target, _)| target) {
            Ok(at) => channels[at].1,
            Err(at) => {
                let line = self.lines.len() as u32;
                channels.insert(at, (message.target, line));
                self.lines.push(Fifo { head: NONE, tail: NONE });
                line
            }
        };
        Some(line)
    }

    /// Whether a message comes only when nothing else is left.
    fn is_starved(&self, message: &InFlight<T>) -> bool {
        let ends = (message.source, message.target);
        match self.adversary.order {
            Order::StarveNode(node) => ends.0 == node || ends.1 == node,
            Order::StarvePair(a, b) => ends == (a, b) || ends == (b, a),
            Order::OldestFirst | Order::NewestFirst | Order::Random => false,
        }
    }

    /// Adds a message.
    fn put(&mut self, message: InFlight<T>) -> Result<()> {
        self.asked += 1;
        if self.asked > ACTIONS_MAX {
            return Err(Error::TooLarge {
                what: "the run of the processes",
                needed: format!("more than {ACTIONS_MAX} messages and computations"),
                limit: format!("{ACTIONS_MAX} of them"),
            });
        }
        let (line, is_starved) = (self.line(&message), self.is_starved(&message));
        let number = self.idle.pop().unwrap_or(self.messages.len() as u32);
        match self.messages.get_mut(number as usize) {
            Some(place) => *place = Some(message),
            None => self.messages.push(Some(message)),
        }
        let mut entry = Pending::One(number);
        if let Some(line) = line {
            entry = Pending::FirstOf(line);
            let Fifo { head, tail } = &mut self.lines[line as usize];
            let before = std::mem::replace(tail, number);
            if *head == NONE {
                *head = number;
            } else {
                self.messages[before as usize].as_mut().expect("it is under way").next = number;
            }
        }
        if is_starved {
            self.starved.push_back(entry);
        } else {
            self.willing.push_back(entry);
        }
        Ok(())
    }

    /// Takes out the message that comes next.
    fn take(&mut self) -> Option<InFlight<T>> {
        let drum = if self.willing.is_empty() { &mut self.starved } else { &mut self.willing };
        if drum.is_empty() {
            return None;
        }
        let entry = match self.adversary.order {
            Order::OldestFirst => drum.pop_front(),
            Order::NewestFirst => drum.pop_back(),
            Order::Random | Order::StarveNode(_) | Order::StarvePair(..) => {
                drum.swap_remove_back(self.generator.random_range(0..drum.len()))
            }
        };
        let number = match entry? {
            Pending::One(number) => number,
            Pending::FirstOf(line) => self.lines[line as usize].head,
        };
        let message = self.messages[number as usize].take().expect("it is under way");
        if let Pending::FirstOf(line) = entry? {
            self.lines[line as usize].head = message.next;
        }
        self.idle.push(number);
        Some(message)
    }
}

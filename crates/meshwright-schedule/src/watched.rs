//! Processes whose messages and computations are noted: what an event trace of a protocol is made of.

use std::cell::RefCell;
use std::collections::VecDeque;

use super::process::{Action, Context, Process};
use meshwright_core::units::{Bytes, Cycles, NodeId};

/// A message that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedMessage {
    /// Who sent it.
    pub source: NodeId,
    /// Who got it.
    pub target: NodeId,
    /// How long it was.
    pub bytes: Bytes,
    /// When it was to be sent.
    pub sent: Cycles,
    /// When its last byte had come.
    pub arrived: Cycles,
}

/// A computation that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedComputation {
    /// Whose.
    pub node: NodeId,
    /// From when.
    pub begin: Cycles,
    /// Until when.
    pub end: Cycles,
}

/// What processes did, in the order in which it ended; times are whole cycles, rounded up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessLog {
    /// The messages.
    pub messages: Vec<LoggedMessage>,
    /// The computations that took time; those of a node follow one another.
    pub computations: Vec<LoggedComputation>,
}

impl ProcessLog {
    /// When the last message had come and the last computation had ended.
    pub fn end(&self) -> Cycles {
        let messages = self.messages.iter().map(|message| message.arrived);
        messages.chain(self.computations.iter().map(|one| one.end)).max().unwrap_or_default()
    }
}

/// A process that does what it did, and notes it in a log that all of them share, if there is one.
///
/// # Examples
///
/// ```
/// use std::cell::RefCell;
/// use meshwright_core::units::{Bytes, Cycles, NodeId};
/// use meshwright_schedule::process::{Action, Context, Process};
/// use meshwright_schedule::watched::{ProcessLog, Watched};
/// struct Hears;
/// impl Process for Hears {
///     type Payload = u8;
///     fn on_start(&mut self, context: &mut Context<'_, u8>) {
///         context.send(NodeId(1), Bytes(8), 42);
///     }
///     fn on_message(&mut self, _: NodeId, heard: u8, _: &mut Context<'_, u8>) {
///         assert_eq!(heard, 42);
///     }
/// }
/// let log = RefCell::new(ProcessLog::default());
/// let mut all = [Watched::new(Hears, Some(&log)), Watched::new(Hears, Some(&log))];
/// let mut actions = Vec::new();
/// all[0].on_start(&mut Context::new(NodeId(0), Cycles(3), &mut actions));
/// let Some(Action::Send { payload, .. }) = actions.pop() else { panic!("it sends") };
/// all[1].on_message(NodeId(0), payload, &mut Context::new(NodeId(1), Cycles(20), &mut actions));
/// let message = log.borrow().messages[0];
/// assert_eq!((message.sent, message.arrived, message.bytes), (Cycles(3), Cycles(20), Bytes(8)));
/// ```
#[derive(Debug)]
pub struct Watched<'l, P: Process> {
    process: P,
    /// None where nobody wants to know.
    log: Option<&'l RefCell<ProcessLog>>,
    /// How long the computations take that have not ended, the oldest first.
    computing: VecDeque<Cycles>,
    /// The list that the process writes to.
    asked: Vec<Action<P::Payload>>,
}

impl<'l, P: Process> Watched<'l, P> {
    /// The process, watched.
    pub fn new(process: P, log: Option<&'l RefCell<ProcessLog>>) -> Self {
        Self { process, log, computing: VecDeque::new(), asked: Vec::new() }
    }

    /// The process itself.
    pub fn process(&self) -> &P {
        &self.process
    }

    fn react(
        &mut self,
        context: &mut Context<'_, Stamped<P::Payload>>,
        tell: impl FnOnce(&mut P, &mut Context<'_, P::Payload>),
    ) {
        let sent = context.now();
        tell(&mut self.process, &mut Context::new(context.node(), sent, &mut self.asked));
        for action in self.asked.drain(..) {
            match action {
                Action::Finish => context.finish(),
                Action::Send { to, bytes, payload, token } => {
                    context.send_with(to, bytes, Stamped { payload, sent, bytes }, token);
                }
                Action::Compute { cycles, token } => {
                    if self.log.is_some() {
                        self.computing.push_back(cycles);
                    }
                    context.compute(cycles, token);
                }
                Action::Alarm { cycles, token } => context.alarm(cycles, token),
            }
        }
    }
}

/// What a message carries beside its payload while it is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamped<T> {
    payload: T,
    sent: Cycles,
    bytes: Bytes,
}

impl<P: Process> Process for Watched<'_, P> {
    type Payload = Stamped<P::Payload>;

    const HEARS_SENT: bool = P::HEARS_SENT;

    fn on_start(&mut self, context: &mut Context<'_, Self::Payload>) {
        self.react(context, |process, context| process.on_start(context));
    }

    fn on_message(
        &mut self,
        from: NodeId,
        Stamped { payload, sent, bytes }: Self::Payload,
        context: &mut Context<'_, Self::Payload>,
    ) {
        if let Some(log) = self.log {
            let (target, arrived) = (context.node(), context.now());
            let message = LoggedMessage { source: from, target, bytes, sent, arrived };
            log.borrow_mut().messages.push(message);
        }
        self.react(context, |process, context| process.on_message(from, payload, context));
    }

    fn on_sent(&mut self, token: u32, context: &mut Context<'_, Self::Payload>) {
        self.react(context, |process, context| process.on_sent(token, context));
    }

    fn on_computed(&mut self, token: u32, context: &mut Context<'_, Self::Payload>) {
        if let Some(log) = self.log {
            let cycles =
                self.computing.pop_front().expect("computations end in the order they were asked for");
            if cycles > Cycles(0) {
                let (node, end) = (context.node(), context.now());
                let one = LoggedComputation { node, begin: Cycles(end.0 - cycles.0), end };
                log.borrow_mut().computations.push(one);
            }
        }
        self.react(context, |process, context| process.on_computed(token, context));
    }

    fn on_alarm(&mut self, token: u32, context: &mut Context<'_, Self::Payload>) {
        self.react(context, |process, context| process.on_alarm(token, context));
    }
}

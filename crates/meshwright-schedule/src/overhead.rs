//! Processes whose messages cost their nodes time: alpha for every send and for every receive, one after the other.

use std::collections::VecDeque;

use super::process::{Action, Context, Process};
use meshwright_core::units::{Bytes, Cycles, NodeId};

/// A process that works alpha cycles on each message before it leaves and after it has come.
///
/// A node works on one message at a time, in the order in which they come up, its own computations among them. With
/// alpha = 0 the process is what it was.
///
/// ```text
/// a message from one idle node to another:  alpha + T(W, d) + alpha
/// ```
///
/// # Examples
///
/// ```
/// use meshwright_core::units::{Bytes, Cycles, NodeId};
/// use meshwright_schedule::overhead::WithOverhead;
/// use meshwright_schedule::process::{Action, Context, Process};
/// struct Hello;
/// impl Process for Hello {
///     type Payload = ();
///     fn on_start(&mut self, context: &mut Context<'_, ()>) {
///         context.send(NodeId(1), Bytes(8), ());
///     }
///     fn on_message(&mut self, _: NodeId, (): (), _: &mut Context<'_, ()>) {}
/// }
/// let mut hello = WithOverhead::new(Hello, Cycles(5));
/// let mut actions = Vec::new();
/// hello.on_start(&mut Context::new(NodeId(0), Cycles(0), &mut actions));
/// let [Action::Compute { cycles: Cycles(5), token }] = actions[..] else { panic!("it works first") };
/// actions.clear();
/// hello.on_computed(token, &mut Context::new(NodeId(0), Cycles(5), &mut actions));
/// assert!(matches!(actions[0], Action::Send { to: NodeId(1), .. }), "then it sends");
/// ```
#[derive(Debug)]
pub struct WithOverhead<P: Process> {
    process: P,
    overhead: Cycles,
    /// In increasing order of nodes: of messages sent together, that to the most urgent node goes first.
    urgency: Vec<(NodeId, u64)>,
    /// What the node works on, the oldest first.
    work: VecDeque<CpuTask<P::Payload>>,
    /// Actions of the process that were not taken up yet.
    asked: Vec<Action<P::Payload>>,
}

#[derive(Debug)]
enum CpuTask<T> {
    Send { to: NodeId, bytes: Bytes, payload: T, token: u32 },
    Receive { from: NodeId, payload: T },
    Compute { token: u32 },
}

impl<P: Process> WithOverhead<P> {
    /// The process with alpha = `overhead`. Messages sent together leave in the order in which they were asked for.
    pub fn new(process: P, overhead: Cycles) -> Self {
        Self { process, overhead, urgency: Vec::new(), work: VecDeque::new(), asked: Vec::new() }
    }

    /// The same, but messages sent together leave by decreasing urgency of their targets, 0 for those not named.
    pub fn with_urgency(mut self, mut urgency: Vec<(NodeId, u64)>) -> Self {
        urgency.sort_unstable();
        self.urgency = urgency;
        self
    }

    /// The process itself.
    pub fn process(&self) -> &P {
        &self.process
    }

    fn urgency_of(&self, action: &Action<P::Payload>) -> u64 {
        let Action::Send { to, .. } = action else { return 0 };
        let found = self.urgency.binary_search_by_key(to, |&(node, _)| node);
        found.map_or(0, |at| self.urgency[at].1)
    }

    /// Lets the process react, and takes up what it asks for.
    fn react(
        &mut self,
        context: &mut Context<'_, P::Payload>,
        tell: impl FnOnce(&mut P, &mut Context<'_, P::Payload>),
    ) {
        let mut asked = std::mem::take(&mut self.asked);
        tell(&mut self.process, &mut Context::new(context.node(), context.now(), &mut asked));
        if !self.urgency.is_empty() {
            asked.sort_by_key(|action| std::cmp::Reverse(self.urgency_of(action)));
        }
        for action in asked.drain(..) {
            match action {
                Action::Finish => context.finish(),
                Action::Send { to, bytes, payload, token } if self.overhead == Cycles(0) => {
                    context.send_with(to, bytes, payload, token);
                }
                Action::Send { to, bytes, payload, token } => {
                    self.work.push_back(CpuTask::Send { to, bytes, payload, token });
                    context.compute(self.overhead, 0);
                }
                Action::Compute { cycles, token } => {
                    self.work.push_back(CpuTask::Compute { token });
                    context.compute(cycles, 0);
                }
                Action::Alarm { cycles, token } => context.alarm(cycles, token),
            }
        }
        self.asked = asked;
    }
}

impl<P: Process> Process for WithOverhead<P> {
    type Payload = P::Payload;

    const HEARS_SENT: bool = P::HEARS_SENT;

    fn on_start(&mut self, context: &mut Context<'_, P::Payload>) {
        self.react(context, |process, context| process.on_start(context));
    }

    fn on_message(&mut self, from: NodeId, payload: P::Payload, context: &mut Context<'_, P::Payload>) {
        if self.overhead == Cycles(0) {
            self.react(context, |process, context| process.on_message(from, payload, context));
        } else {
            self.work.push_back(CpuTask::Receive { from, payload });
            context.compute(self.overhead, 0);
        }
    }

    fn on_sent(&mut self, token: u32, context: &mut Context<'_, P::Payload>) {
        self.react(context, |process, context| process.on_sent(token, context));
    }

    fn on_alarm(&mut self, token: u32, context: &mut Context<'_, P::Payload>) {
        self.react(context, |process, context| process.on_alarm(token, context));
    }

    fn on_computed(&mut self, _: u32, context: &mut Context<'_, P::Payload>) {
        match self.work.pop_front().expect("computations end in the order in which they were asked for") {
            CpuTask::Send { to, bytes, payload, token } => context.send_with(to, bytes, payload, token),
            CpuTask::Receive { from, payload } => {
                self.react(context, |process, context| process.on_message(from, payload, context));
            }
            CpuTask::Compute { token } => {
                self.react(context, |process, context| process.on_computed(token, context));
            }
        }
    }
}

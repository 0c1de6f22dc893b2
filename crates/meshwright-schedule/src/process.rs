//! Reactive processes: one small state machine per node, for protocols that decide at run time.
//!
//! A [`Process`] is told that it starts, that a message has come, that its own message has left or that a
//! computation has ended, and answers with actions on its [`Context`]. It never waits and knows no clock but
//! the one it is shown, so that a simulator, threads and an MPI program can drive the same code. A
//! [`Schedule`](super::Schedule) is a process that has decided everything beforehand.

use meshwright_core::units::{Bytes, Cycles, NodeId};

/// What one node does when something happens to it.
///
/// # Examples
///
/// Each node passes on the number that has come, with its own added; whoever drives it sees what it wants done.
///
/// ```
/// use meshwright_core::units::{Bytes, Cycles, NodeId};
/// use meshwright_schedule::process::{Action, Context, Process};
/// struct Adder { next: NodeId }
/// impl Process for Adder {
///     type Payload = u32;
///     fn on_start(&mut self, _: &mut Context<'_, u32>) {}
///     fn on_message(&mut self, _: NodeId, sum: u32, context: &mut Context<'_, u32>) {
///         context.send(self.next, Bytes(8), sum + context.node().0);
///         context.finish();
///     }
/// }
/// let mut actions = Vec::new();
/// Adder { next: NodeId(3) }.on_message(NodeId(1), 40, &mut Context::new(NodeId(2), Cycles(7), &mut actions));
/// let send = Action::Send { to: NodeId(3), bytes: Bytes(8), payload: 42, token: 0 };
/// assert_eq!(actions, [send, Action::Finish]);
/// ```
pub trait Process {
    /// What its messages carry. How long they take depends on the bytes named when they are sent, not on this.
    type Payload;

    /// Whether [`Process::on_sent`] does anything; where it does not, nobody need call it.
    const HEARS_SENT: bool = true;

    /// The run begins.
    fn on_start(&mut self, context: &mut Context<'_, Self::Payload>);

    /// The last byte of a message has come.
    fn on_message(&mut self, from: NodeId, payload: Self::Payload, context: &mut Context<'_, Self::Payload>);

    /// The last byte of a message sent with this token has left the node.
    fn on_sent(&mut self, token: u32, context: &mut Context<'_, Self::Payload>) {
        let _ = (token, context);
    }

    /// The computation with this token has ended.
    fn on_computed(&mut self, token: u32, context: &mut Context<'_, Self::Payload>) {
        let _ = (token, context);
    }

    /// The time asked for with this token has passed.
    fn on_alarm(&mut self, token: u32, context: &mut Context<'_, Self::Payload>) {
        let _ = (token, context);
    }
}

/// Something a process wants done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<T> {
    /// Send a message.
    Send {
        /// To whom.
        to: NodeId,
        /// How much.
        bytes: Bytes,
        /// What it carries.
        payload: T,
        /// What [`Process::on_sent`] is told.
        token: u32,
    },
    /// Compute for a while, after all computations asked for before.
    Compute {
        /// How long.
        cycles: Cycles,
        /// What [`Process::on_computed`] is told.
        token: u32,
    },
    /// Say when a while has passed, whatever the processor does meanwhile.
    Alarm {
        /// How long.
        cycles: Cycles,
        /// What [`Process::on_alarm`] is told.
        token: u32,
    },
    /// Note that this node has its result.
    Finish,
}

/// Who a process is and what time it is, and where it says what it wants done.
///
/// Actions are written down in a list that whoever drives the process owns and uses again, in the order in
/// which they were asked for; they begin when the call returns.
#[derive(Debug)]
pub struct Context<'c, T> {
    node: NodeId,
    now: Cycles,
    actions: &'c mut Vec<Action<T>>,
}

impl<'c, T> Context<'c, T> {
    /// The view of one node at one moment; actions are added to the list.
    pub fn new(node: NodeId, now: Cycles, actions: &'c mut Vec<Action<T>>) -> Self {
        Self { node, now, actions }
    }

    /// The node this process runs on.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// The time since the start, in whole cycles, rounded up.
    pub fn now(&self) -> Cycles {
        self.now
    }

    /// Sends a message now, with token 0.
    pub fn send(&mut self, to: NodeId, bytes: Bytes, payload: T) {
        self.send_with(to, bytes, payload, 0);
    }

    /// Sends a message now; [`Process::on_sent`] is told the token when its last byte has left.
    pub fn send_with(&mut self, to: NodeId, bytes: Bytes, payload: T, token: u32) {
        self.actions.push(Action::Send { to, bytes, payload, token });
    }

    /// Computes for a while, after all computations asked for before; messages come and go meanwhile.
    /// [`Process::on_computed`] is told the token at the end.
    pub fn compute(&mut self, cycles: Cycles, token: u32) {
        self.actions.push(Action::Compute { cycles, token });
    }

    /// Asks to be called when a while has passed; the processor is free meanwhile. [`Process::on_alarm`] is told the
    /// token. Where there is no clock this is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::units::{Cycles, NodeId};
    /// use meshwright_schedule::process::{Action, Context};
    /// let mut actions: Vec<Action<()>> = Vec::new();
    /// Context::new(NodeId(2), Cycles(7), &mut actions).alarm(Cycles(5), 1);
    /// assert_eq!(actions, [Action::Alarm { cycles: Cycles(5), token: 1 }]);
    /// ```
    pub fn alarm(&mut self, cycles: Cycles, token: u32) {
        self.actions.push(Action::Alarm { cycles, token });
    }

    /// Notes that this node has its result; only the first time counts. The process still reacts to what comes.
    pub fn finish(&mut self) {
        self.actions.push(Action::Finish);
    }
}

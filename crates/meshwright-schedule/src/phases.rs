//! Messages grouped by phase: all of one phase are done before the next begins.

use super::Message;
use meshwright_core::csr::Csr;

/// The loosely synchronous form of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phases {
    /// How many ranks take part; rank r runs on node r.
    pub ranks: u32,
    messages: Csr<Message>,
}

impl Phases {
    /// Groups messages by their phase number; within a phase the order is kept.
    ///
    /// # Complexity
    ///
    /// O(messages log messages), O(messages) if they stand in order.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_schedule::{Message, Phases};
    /// use meshwright_core::units::{Bytes, NodeId};
    /// let send = |phase, target| Message { source: NodeId(0), target: NodeId(target), bytes: Bytes(8), phase };
    /// let phases = Phases::new(3, vec![send(5, 1), send(2, 2), send(5, 2)]);
    /// assert_eq!(phases.len(), 2);
    /// assert_eq!(phases.phase(1), [send(5, 1), send(5, 2)], "phase 5 has index 1");
    /// ```
    pub fn new(ranks: u32, mut messages: Vec<Message>) -> Self {
        messages.sort_by_key(|message| message.phase);
        Self { ranks, messages: Csr::chunked(messages, |a, b| a.phase == b.phase) }
    }

    /// How many phases there are.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether no message is sent at all.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The messages of the phase with this index, from 0.
    pub fn phase(&self, index: usize) -> &[Message] {
        self.messages.row(index)
    }

    /// All messages, phase by phase.
    pub fn messages(&self) -> &[Message] {
        self.messages.entries()
    }
}

//! Messages grouped by phase: all of one phase are done before the next begins.

use super::Message;
use meshwright_core::csr::Csr;

/// The loosely synchronous form of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phases {
    /// How many ranks take part; rank r runs on node r.
    pub ranks: u32,
    messages: Csr<Message>,
    /// How often each phase runs.
    repeats: Vec<u32>,
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
        let messages = Csr::chunked(messages, |a, b| a.phase == b.phase);
        Self { ranks, repeats: vec![1; messages.len()], messages }
    }

    /// The same, each phase run so often before the next begins, with a barrier after each time.
    ///
    /// A phase with number p that runs r times has the numbers p to p + r - 1.
    ///
    /// # Panics
    ///
    /// When there are not as many counts as phases, a count is 0, or the numbers of two phases overlap.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_schedule::{Message, Phases, Schedule};
    /// use meshwright_core::units::{Bytes, NodeId};
    /// let send = |phase, target| Message { source: NodeId(0), target: NodeId(target), bytes: Bytes(8), phase };
    /// let twice = Phases::new(3, vec![send(1, 1), send(3, 2)]).with_repeats(vec![2, 1]);
    /// let written_out = Phases::new(3, vec![send(1, 1), send(2, 1), send(3, 2)]);
    /// assert_eq!((twice.messages().len(), twice.messages_total()), (2, 3));
    /// assert_eq!(Schedule::from_phases(&twice), Schedule::from_phases(&written_out));
    /// ```
    pub fn with_repeats(mut self, repeats: Vec<u32>) -> Self {
        assert_eq!(repeats.len(), self.len(), "a count for each phase");
        assert!(!repeats.contains(&0), "a phase that is there runs at least once");
        for index in 1..self.len() {
            let number = |index: usize| self.phase(index)[0].phase;
            let free = number(index - 1).checked_add(repeats[index - 1]);
            assert!(free.is_some_and(|free| free <= number(index)), "no number belongs to two phases");
        }
        self.repeats = repeats;
        self
    }

    /// How often the phase with this index runs: once unless said otherwise.
    pub fn repeats(&self, index: usize) -> u32 {
        self.repeats[index]
    }

    /// How often each phase runs.
    pub fn all_repeats(&self) -> &[u32] {
        &self.repeats
    }

    /// How many messages are sent, those of a phase as often as it runs.
    pub fn messages_total(&self) -> u64 {
        self.messages.rows().zip(&self.repeats).map(|(row, &times)| row.len() as u64 * u64::from(times)).sum()
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

    /// Where the messages of the phase with this index stand among all.
    pub fn range(&self, index: usize) -> std::ops::Range<usize> {
        self.messages.range(index)
    }

    /// All messages, phase by phase, those of a phase that runs several times once.
    pub fn messages(&self) -> &[Message] {
        self.messages.entries()
    }
}

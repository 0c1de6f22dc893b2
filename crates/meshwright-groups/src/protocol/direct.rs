//! Messages from one member to another, beside what a group does together.

use std::collections::BTreeMap;

use meshwright_core::units::NodeId;

/// A message from one member to another.
#[derive(Clone, Debug)]
pub struct DirectMessage {
    /// The group, see [`LogEntry::group`](super::LogEntry::group).
    pub group: u64,
    /// Which of the messages to that member in that group it is.
    pub number: u32,
    /// What it carries.
    pub bytes: Vec<u8>,
}

/// The messages of one member, by group and partner: numbered, so that they are taken in the order in which they were
/// sent whatever the network does.
#[derive(Debug, Default)]
pub struct Direct {
    /// How many were sent and how many were taken.
    counts: BTreeMap<(u64, NodeId), [u32; 2]>,
    /// Those that have come, by number.
    inbox: BTreeMap<(u64, NodeId, u32), Vec<u8>>,
    /// The group and the partner from whom one is awaited.
    awaited: Option<(u64, NodeId)>,
}

impl Direct {
    /// The number of the next message to a partner.
    pub fn number(&mut self, group: u64, to: NodeId) -> u32 {
        let [sent, _] = self.counts.entry((group, to)).or_default();
        *sent += 1;
        *sent - 1
    }

    /// A message has come; it, if it is the one that is awaited.
    pub fn come(&mut self, key: (u64, NodeId, u32), bytes: Vec<u8>) -> Option<Vec<u8>> {
        self.inbox.insert(key, bytes);
        let (group, from) = self.awaited?;
        self.take(group, from)
    }

    /// The next message of a partner; from now on it is awaited, if it has not come.
    pub fn take(&mut self, group: u64, from: NodeId) -> Option<Vec<u8>> {
        let [_, taken] = self.counts.entry((group, from)).or_default();
        let found = self.inbox.remove(&(group, from, *taken));
        *taken += u32::from(found.is_some());
        self.awaited = found.is_none().then_some((group, from));
        found
    }

    /// A group is no more.
    ///
    /// # Panics
    ///
    /// When messages have come that nobody took.
    pub fn forget(&mut self, group: u64) {
        assert!(
            self.inbox.keys().all(|key| key.0 != group),
            "what is sent in a group is received before it joins"
        );
        self.counts.retain(|key, _| key.0 != group);
    }
}

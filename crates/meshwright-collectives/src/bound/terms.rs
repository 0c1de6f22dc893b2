//! What a message costs at least, who hears whom, and what leaves a set of members.

use std::collections::VecDeque;

use meshwright_core::csr::Csr;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{PortModel, Switching, Topology};

use super::MEMBERS_MAX;
use crate::flow::share;
use crate::{Operation, Task};

/// What a message costs at least, in ticks.
///
/// | | wormhole, cut-through | store-and-forward |
/// |---|---|---|
/// | `start` | c | 0 |
/// | `head` | b h | c |
/// | `hop` | b h | c + b |
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// o.
    pub(super) overhead: u64,
    /// max(o, g).
    pub(super) between: u64,
    /// Before its head moves.
    pub(super) start: u64,
    /// A link is taken so long beside the bytes.
    pub(super) head: u64,
    /// A link more makes it so much later.
    pub(super) hop: u64,
    /// b: a byte on a link.
    pub(super) byte: u64,
    /// A message of one byte; 0 if there are none.
    pub(super) least: u64,
    /// The whole buffer of a member.
    pub(super) buffer: u64,
    /// The start-up c.
    pub(super) startup: u64,
    /// Whether messages are stored at every node.
    pub(super) is_stored: bool,
    /// Whether a node sends one message at a time.
    pub(super) one_port: bool,
    /// Whether routers copy.
    pub(super) multicast: bool,
}

impl Terms {
    pub(super) fn of(task: &Task<'_>) -> Self {
        let machine = task.machine();
        let (costs, ends) = (machine.costs(), machine.endpoints());
        let ticks = |cycles: u64| cycles * costs.ticks_per_cycle();
        let is_stored = machine.switching() == Switching::StoreAndForward;
        let byte = costs.byte_time.numerator();
        let least = byte * bytes(task).min(1);
        let startup = costs.startup_ticks();
        Self {
            overhead: ticks(ends.overhead.0),
            between: ticks(ends.overhead.0.max(ends.gap.0)),
            start: if is_stored { 0 } else { startup },
            head: if is_stored { startup } else { costs.head_ticks() },
            hop: if is_stored { startup + least } else { costs.head_ticks() },
            byte,
            least,
            buffer: byte * bytes(task),
            startup,
            is_stored,
            one_port: machine.port_model() == PortModel::One,
            multicast: task.multicast,
        }
    }

    /// From when a member has a byte until another, so many links away, can have it.
    pub(super) fn reach(&self, hops: u32) -> u64 {
        let whole = if self.is_stored { 0 } else { self.least };
        if hops == 0 { 0 } else { 2 * self.overhead + self.start + self.hop * u64::from(hops) + whole }
    }

    /// What a message over one link takes beside its bytes.
    pub(super) fn empty(&self) -> u64 {
        2 * self.overhead + self.start + self.head
    }
}

/// The links between members, those that leave one after the other.
#[derive(Debug)]
pub(super) struct Wires {
    pub(super) to: Csr<u32>,
}

impl Wires {
    pub(super) fn of(task: &Task<'_>) -> Self {
        let machine = task.machine();
        let mut member = vec![u32::MAX; machine.nodes() as usize];
        task.nodes().iter().zip(0..).for_each(|(node, index)| member[node.index()] = index);
        let mut to = Csr::default();
        for &node in task.nodes() {
            let of = |next: NodeId| member[next.index()];
            to.push_row(machine.neighbours(node).map(|(_, next)| of(next)));
        }
        Self { to }
    }

    pub(super) fn members(&self) -> usize {
        self.to.len()
    }

    /// How many links leave a member, and come to it.
    pub(super) fn degree(&self, member: u32) -> usize {
        self.to.row(member as usize).len()
    }

    /// Every link.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.to.rows().zip(0..).flat_map(|(row, from)| row.iter().map(move |&to| (from, to)))
    }

    /// The links from one member to each.
    pub(super) fn distances(&self, from: u32) -> Vec<u32> {
        let mut distance = vec![u32::MAX; self.members()];
        distance[from as usize] = 0;
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            for &next in self.to.row(at as usize) {
                if distance[next as usize] == u32::MAX {
                    distance[next as usize] = distance[at as usize] + 1;
                    queue.push_back(next);
                }
            }
        }
        distance
    }

    /// The same from every member; none where there are too many.
    pub(super) fn rows(&self) -> Vec<Vec<u32>> {
        let members = self.members();
        if members > MEMBERS_MAX {
            return Vec::new();
        }
        (0..members as u32).map(|from| self.distances(from)).collect()
    }
}

/// The bytes of the buffer that count: a barrier has none.
pub(super) fn bytes(task: &Task<'_>) -> u64 {
    if task.operation == Operation::Barrier { 0 } else { task.bytes }
}

/// The part of a member, where each has one.
pub(super) fn part(task: &Task<'_>, member: u32) -> u64 {
    share(bytes(task), task.members(), member)
}

/// Whether something of a member must get to others, and whether a member must get something.
pub(super) fn gives_and_gets(task: &Task<'_>, member: u32) -> (bool, bool) {
    use Operation as O;
    let (is_root, has) = (member == task.root, !task.operation.is_parted() || part(task, member) > 0);
    match task.operation {
        O::Broadcast => (is_root, true),
        O::Scatter => (is_root, has),
        O::Reduce => (true, is_root),
        O::Gather => (has, is_root),
        O::AllGather => (has, true),
        O::ReduceScatter | O::AllToAll => (true, has),
        O::AllReduce | O::Barrier => (true, true),
        O::Scan => (member + 1 < task.members(), member > 0),
    }
}

/// A set of members as far as bytes that leave it are concerned.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Side {
    pub(super) members: u32,
    pub(super) parts: u64,
    pub(super) has_root: bool,
    /// How many members outside come right after one inside: so many sums of members inside are needed outside in a scan.
    pub(super) switches: u32,
}

impl Side {
    /// The set of all members for which this holds.
    pub(super) fn of(task: &Task<'_>, is_in: impl Fn(u32) -> bool) -> Self {
        let mut side = Self::default();
        let mut is_after = false;
        for member in 0..task.members() {
            let is_here = is_in(member);
            if is_here {
                side.add(task, member);
            } else {
                side.switches += u32::from(is_after);
            }
            is_after = is_here;
        }
        side
    }

    /// With one member more; how often sides switch stays as it is.
    pub(super) fn add(&mut self, task: &Task<'_>, member: u32) {
        self.members += 1;
        self.parts += part(task, member);
        self.has_root |= member == task.root;
    }

    /// The bytes that must leave it.
    pub(super) fn leaving(&self, task: &Task<'_>) -> u128 {
        use Operation as O;
        if self.members == 0 || self.members == task.members() {
            return 0;
        }
        let (whole, others) = (u128::from(bytes(task)), u128::from(bytes(task) - self.parts));
        let when = |does: bool, bytes: u128| if does { bytes } else { 0 };
        match task.operation {
            O::Broadcast => when(self.has_root, whole),
            O::Reduce => when(!self.has_root, whole),
            O::Scatter => when(self.has_root, others),
            O::Gather => when(!self.has_root, self.parts.into()),
            O::AllGather => self.parts.into(),
            O::ReduceScatter => others,
            O::AllReduce | O::Barrier => whole,
            O::AllToAll => u128::from(self.members) * others,
            O::Scan => u128::from(self.switches) * whole,
        }
    }
}

/// The least time that is enough, in ticks; what is enough stays so.
pub(super) fn least(is_enough: impl Fn(u64) -> bool) -> u64 {
    let mut high = 1u64;
    while !is_enough(high) && high < 1 << 62 {
        high *= 2;
    }
    let mut low = 0;
    while low < high {
        let middle = low + (high - low) / 2;
        if is_enough(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

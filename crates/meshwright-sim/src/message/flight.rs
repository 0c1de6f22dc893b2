//! Messages on their way: one cache line each, in slots that are used again.

use super::queue::{QueueSlot, Waiting};
use super::way::Cursor;
use meshwright_network::routing::{Pair, Routes};
use meshwright_network::topology::Costs;
use meshwright_schedule::Message;

/// What there is to know of a message before it starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingMessage {
    pub(super) ends: Pair,
    /// Ticks its bytes take over a link.
    body: u64,
}

impl PendingMessage {
    /// A message as the engine sees it.
    pub(super) fn new(message: &Message, costs: &Costs) -> Self {
        Self { ends: message.pair(), body: costs.transfer_ticks(message.bytes) }
    }
}

/// How far a message has come through the ports of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Fresh,
    Injected,
    Ejecting,
}

/// One message on its way.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Flight {
    /// Ticks its bytes take over a link.
    pub(super) body: u64,
    /// When it asked for the channel it waits for.
    pub(super) asked: u64,
    pub(super) place: QueueSlot,
    pub(super) head: Cursor,
    /// The last link a worm stands on.
    pub(super) tail: Cursor,
    pub(super) hops: u32,
    /// Links still to take.
    pub(super) left: u32,
    /// Links a worm has let go.
    pub(super) tail_hops: u32,
    /// The number of the message.
    pub(super) message: u32,
}

impl Flight {
    /// A message at its source.
    pub(super) fn new(message: u32, pending: PendingMessage, routes: &Routes<'_>, above: u32) -> Self {
        let (way, left) = Cursor::first(routes, above, message, pending.ends);
        Self {
            body: pending.body,
            asked: 0,
            place: QueueSlot::NOWHERE,
            head: way,
            tail: way,
            hops: 0,
            left,
            tail_hops: 0,
            message,
        }
    }
}

/// The messages in the line before one channel.
pub(super) struct ChannelQueue<'f> {
    pub(super) flights: &'f mut [Flight],
    /// Whether the one with the farthest to go is first, not the one that asked first.
    pub(super) farthest_first: bool,
}

impl Waiting for ChannelQueue<'_> {
    #[inline]
    fn is_before(&self, a: u32, b: u32) -> bool {
        let (first, second) = (&self.flights[a as usize], &self.flights[b as usize]);
        if self.farthest_first {
            (second.left, first.message) < (first.left, second.message)
        } else {
            (first.asked, first.message) < (second.asked, second.message)
        }
    }

    #[inline]
    fn place(&mut self, slot: u32) -> &mut QueueSlot {
        &mut self.flights[slot as usize].place
    }
}

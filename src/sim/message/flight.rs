//! Messages on their way: one cache line each.

use super::queue::{Place, Waiting};
use super::way::Cursor;
use crate::routing::Routes;
use crate::schedule::Message;
use crate::topology::Costs;

/// How far a message has come through the ports of its ends; of no meaning without ports.
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
    pub(super) place: Place,
    pub(super) head: Cursor,
    /// The last link a worm stands on.
    pub(super) tail: Cursor,
    pub(super) hops: u32,
    /// Links still to take.
    pub(super) left: u32,
    /// Links a worm has let go.
    pub(super) tail_hops: u32,
    pub(super) stage: Stage,
}

impl Flight {
    /// A message at its source.
    pub(super) fn new(index: u32, message: &Message, routes: &Routes<'_>, costs: &Costs) -> Self {
        let (way, left) = Cursor::first(routes, index, message.pair());
        Self {
            body: costs.transfer_ticks(message.bytes),
            asked: 0,
            place: Place::NOWHERE,
            head: way,
            tail: way,
            hops: 0,
            left,
            tail_hops: 0,
            stage: Stage::Fresh,
        }
    }
}

/// The messages in the line before one channel.
pub(super) struct Line<'f> {
    pub(super) flights: &'f mut [Flight],
    /// Whether the one with the farthest to go is first, not the one that asked first.
    pub(super) farthest_first: bool,
}

impl Waiting for Line<'_> {
    #[inline]
    fn is_before(&self, a: u32, b: u32) -> bool {
        let (first, second) = (&self.flights[a as usize], &self.flights[b as usize]);
        if self.farthest_first {
            (second.left, a) < (first.left, b)
        } else {
            (first.asked, a) < (second.asked, b)
        }
    }

    #[inline]
    fn place(&mut self, message: u32) -> &mut Place {
        &mut self.flights[message as usize].place
    }
}

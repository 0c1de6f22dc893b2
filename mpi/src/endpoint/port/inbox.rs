//! Messages on their way in: buffers that wait for short ones, and long ones that come in pieces.

#![allow(unsafe_code)] // requests do not own their buffers

use std::collections::VecDeque;

use meshwright_runtime::transport::{Lost, Parcel};
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use super::outbox::Outbox;
use super::request::{PIECE, Request, WHOLE};
use super::shared::Readers;
use super::{AFTER, ALL, Head, SHORT, TAIL};

/// So many buffers wait for short messages: what finds none is kept by MPI, and copied once more.
const BUFFERS: usize = 8;

/// So many messages are received at the same time.
const OPEN: usize = 64;

/// Where all ranks share memory, MPI is asked once in so many questions, unless it has something: what found no room there comes
/// through it.
const SKIPS: u32 = 128;

/// A buffer with room for a short message; MPI fills them in turns.
struct Buffer {
    request: Request,
    /// Empty, with room for what comes.
    bytes: Vec<u8>,
}

/// A message whose pieces come, or one that has come after it from the same rank.
struct Receiving {
    parcel: Parcel,
    length: usize,
    /// Those of the pieces, and how many are done.
    requests: Vec<Request>,
    done: usize,
}

/// What comes to this rank.
pub(super) struct Inbox {
    buffers: Vec<Buffer>,
    /// Which of them MPI fills next.
    next: usize,
    receiving: VecDeque<Receiving>,
    readers: Readers,
    /// How many questions in a row MPI was not asked; [`SKIPS`] after one that it had an answer to.
    skipped: u32,
    /// Whether MPI is asked first.
    is_first: bool,
}

impl Inbox {
    /// Buffers that wait for messages of this communicator.
    pub(super) fn new(world: &SimpleCommunicator, readers: Readers) -> Self {
        let buffer = |_| {
            let mut bytes = Vec::with_capacity(SHORT + TAIL);
            let request =
                wait_for(world, &mut bytes).expect("MPI receives in a communicator that it has just made");
            Buffer { request, bytes }
        };
        let buffers = (0..BUFFERS).map(buffer).collect();
        Self { buffers, next: 0, receiving: VecDeque::new(), readers, skipped: 0, is_first: false }
    }

    /// Whether MPI was not asked in the last question in vain.
    pub(super) fn has_skipped(&self) -> bool {
        self.skipped > 0
    }

    /// Whether no long message is on its way in.
    pub(super) fn is_empty(&self) -> bool {
        self.receiving.is_empty()
    }

    /// The next message that is complete; those of one rank in the order in which they were sent.
    pub(super) fn take(
        &mut self,
        world: &SimpleCommunicator,
        outbox: &mut Outbox,
    ) -> Result<Option<Parcel>, Lost> {
        loop {
            if !self.receiving.is_empty()
                && let Some(parcel) = self.complete()?
            {
                return Ok(Some(parcel));
            }
            if self.receiving.len() >= OPEN {
                return Ok(None);
            }
            let Some((parcel, kind)) = self.short(world, outbox.is_empty())? else { return Ok(None) };
            if kind == ALL && self.receiving.iter().all(|entry| entry.parcel.from != parcel.from) {
                return Ok(Some(parcel));
            }
            let entry = match kind {
                ALL => Receiving { length: parcel.bytes.len(), parcel, requests: Vec::new(), done: 0 },
                _ => open(world, parcel, outbox)?,
            };
            self.receiving.push_back(entry);
        }
    }

    /// The next short message, and what it is. MPI is asked where something comes through it, or it has something to send.
    #[inline]
    fn short(&mut self, world: &SimpleCommunicator, is_out: bool) -> Result<Option<(Parcel, u8)>, Lost> {
        let must_ask = self.skipped >= SKIPS;
        // Whoever has much to say, the other way is heard in turns.
        self.is_first = must_ask && !self.is_first;
        if !self.is_first {
            let found = self.readers.take();
            if found.is_some() {
                self.skipped = SKIPS.min(self.skipped + 1);
                return Ok(found);
            }
            let may_skip = self.readers.have_all() && !self.readers.wait_for_mpi();
            if may_skip && !must_ask && is_out && self.receiving.is_empty() {
                self.skipped += 1;
                return Ok(None);
            }
        }
        let found = self.through_mpi(world)?;
        self.skipped = if found.is_some() { SKIPS } else { 0 };
        if found.is_none() && self.is_first { Ok(self.readers.take()) } else { Ok(found) }
    }

    /// The next short message that comes through MPI, and what it is. Asks once.
    fn through_mpi(&mut self, world: &SimpleCommunicator) -> Result<Option<(Parcel, u8)>, Lost> {
        let own = |why| Lost { rank: world.rank() as u32, why };
        loop {
            let Buffer { request, bytes } = &mut self.buffers[self.next];
            let Some(arrival) = request.arrival().map_err(own)? else { return Ok(None) };
            // SAFETY: the buffer has room for so many, and MPI has written them all.
            unsafe { bytes.set_len(arrival.count) };
            let (&[t, a, g, s, kind], body) =
                bytes.split_last_chunk().map(|(body, tail)| (tail, body)).expect("a tail");
            let (before, body) = match body.split_last_chunk() {
                Some((body, before)) if kind & AFTER > 0 => (Some(u32::from_le_bytes(*before)), body),
                _ => (None, body),
            };
            let parcel =
                Parcel { from: arrival.from, tag: u32::from_le_bytes([t, a, g, s]), bytes: body.to_vec() };
            *request = wait_for(world, bytes).map_err(own)?;
            self.next = (self.next + 1) % BUFFERS;
            let kind = kind & !AFTER;
            let due = match before {
                Some(before) => self.readers.due(before, parcel, kind),
                None => Some((parcel, kind)),
            };
            if due.is_some() {
                return Ok(due);
            }
        }
    }

    /// The first message all of whose pieces have come, of those that are the first of their rank.
    fn complete(&mut self) -> Result<Option<Parcel>, Lost> {
        for at in 0..self.receiving.len() {
            let from = self.receiving[at].parcel.from;
            if self.receiving.range(..at).any(|earlier| earlier.parcel.from == from) {
                continue;
            }
            let entry = &mut self.receiving[at];
            while let Some(request) = entry.requests.get_mut(entry.done) {
                match request.is_done() {
                    Ok(true) => entry.done += 1,
                    Ok(false) => break,
                    Err(why) => {
                        // MPI may still write to the buffer, and the requests must not be asked again.
                        self.receiving
                            .remove(at)
                            .into_iter()
                            .for_each(|entry| std::mem::forget(entry.parcel.bytes));
                        return Err(Lost { rank: from, why });
                    }
                }
            }
            if entry.done == entry.requests.len() {
                let Receiving { mut parcel, length, .. } = self.receiving.remove(at).expect("it is there");
                // SAFETY: the buffer has room for so many, and MPI has written them all.
                unsafe { parcel.bytes.set_len(length) };
                return Ok(Some(parcel));
            }
        }
        Ok(None)
    }

    /// Nothing is received any more.
    pub(super) fn close(&mut self) {
        for buffer in self.buffers.drain(..) {
            buffer.request.cancel();
        }
        for receiving in self.receiving.drain(..).filter(|entry| entry.done < entry.requests.len()) {
            std::mem::forget(receiving.parcel.bytes); // MPI may still write to them
        }
    }
}

/// A buffer waits for the next short message from whomever.
#[inline]
fn wait_for(world: &SimpleCommunicator, bytes: &mut Vec<u8>) -> Result<Request, String> {
    bytes.clear();
    // SAFETY: the buffer belongs to the inbox, which does not touch it until the request is done, and cancels the request before
    // it goes. The vector moves, its bytes do not.
    unsafe { Request::receive(world, None, WHOLE, bytes.as_mut_ptr(), SHORT + TAIL) }
}

/// Begins to receive the pieces of a message whose head has come.
fn open(world: &SimpleCommunicator, head: Parcel, outbox: &mut Outbox) -> Result<Receiving, Lost> {
    let Parcel { from, tag, bytes } = head;
    let Head { length, piece } = Head::of(&bytes);
    let (length, piece) = (length as usize, piece as usize);
    let mut bytes = outbox.room(length);
    let mut requests = Vec::with_capacity(length.div_ceil(piece));
    for begin in (0..length).step_by(piece) {
        // SAFETY: there is room for `length` bytes, of which each piece has its own; the buffer belongs to an entry of
        // `receiving`, which does not touch it before all requests are done, and leaks it if it goes earlier.
        let request = unsafe {
            let to = bytes.as_mut_ptr().add(begin);
            Request::receive(world, Some(from), PIECE, to, piece.min(length - begin))
        };
        match request {
            Ok(request) => requests.push(request),
            Err(why) => {
                std::mem::forget(bytes); // the pieces before may still come
                return Err(Lost { rank: from, why });
            }
        }
    }
    Ok(Receiving { parcel: Parcel { from, tag, bytes }, length, requests, done: 0 })
}

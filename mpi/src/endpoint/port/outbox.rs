//! Messages on their way out: buffers that are kept until MPI has done with them.

#![allow(unsafe_code)] // requests do not own their buffers

use std::rc::Rc;

use meshwright_runtime::transport::Lost;
use mpi::topology::SimpleCommunicator;

use super::request::{PIECE, Request, WHOLE};
use super::shared::Writers;
use super::{AFTER, ALL, HEAD, Head, SHORT};

/// Once so many requests are under way, it is worth while to look which ones are done.
const MANY: usize = 64;

/// A buffer of up to so many bytes that was sent is kept to receive into: fresh memory costs as much as the message.
const SPARE: usize = 1 << 26;

/// Longer messages travel in pieces of this size, in bytes.
const LONG: usize = 1 << 30;

/// A message, or a piece of one.
struct Sending {
    request: Request,
    to: u32,
    /// The whole message, which all its pieces keep.
    bytes: Rc<Vec<u8>>,
}

/// What this rank has sent, as far as MPI has not done with it.
pub(super) struct Outbox {
    /// The longest piece, in bytes.
    pub(super) piece: usize,
    sending: Vec<Sending>,
    tidy_at: usize,
    /// The largest buffer that was sent, of those that are not in use.
    spare: Vec<u8>,
    writers: Writers,
}

impl Outbox {
    pub(super) fn new(writers: Writers) -> Self {
        Self { piece: LONG, sending: Vec::new(), tidy_at: MANY, spare: Vec::new(), writers }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sending.is_empty()
    }

    /// Begins to send a message. A short one is a single message of MPI; before a long one goes its [`Head`].
    pub(super) fn send(
        &mut self,
        world: &SimpleCommunicator,
        to: u32,
        tag: u32,
        mut bytes: Vec<u8>,
    ) -> Result<(), Lost> {
        if bytes.len() <= SHORT.min(self.piece) {
            return self.send_whole(world, to, (tag, ALL), bytes);
        }
        if self.sending.len() >= self.tidy_at {
            self.tidy()?;
        }
        let head = Head { length: bytes.len() as u64, piece: self.piece as u64 };
        self.send_whole(world, to, (tag, HEAD), head.to_bytes())?;
        if bytes.capacity() > 2 * bytes.len() {
            bytes.shrink_to_fit(); // it may wait long
        }
        let bytes = Rc::new(bytes);
        for piece in bytes.chunks(self.piece) {
            // SAFETY: the bytes belong to an entry of `sending`, which `tidy` and `forget` alone take away, and which they
            // leak if MPI has not done with it.
            let request = unsafe { Request::send(world, to, PIECE, piece) };
            let request = request.map_err(|why| Lost { rank: to, why })?;
            self.sending.push(Sending { request, to, bytes: Rc::clone(&bytes) });
        }
        Ok(())
    }

    /// Sends these bytes: in shared memory where there is some, else with what stands behind them; most often MPI has done with
    /// them at once.
    fn send_whole(
        &mut self,
        world: &SimpleCommunicator,
        to: u32,
        (tag, kind): (u32, u8),
        mut bytes: Vec<u8>,
    ) -> Result<(), Lost> {
        let mut kind = kind;
        if let Some(Some(writer)) = self.writers.get_mut(to as usize) {
            if writer.write(tag, kind, &bytes) {
                return Ok(());
            }
            bytes.extend_from_slice(&writer.pass_by().to_le_bytes());
            kind |= AFTER;
        }
        bytes.extend_from_slice(&tag.to_le_bytes());
        bytes.push(kind);
        if self.sending.len() >= self.tidy_at {
            self.tidy()?;
        }
        // SAFETY: as above. The vector moves, its bytes do not.
        let request = unsafe { Request::send(world, to, WHOLE, &bytes) };
        let mut request = request.map_err(|why| Lost { rank: to, why })?;
        match request.is_done() {
            Ok(true) => Ok(()),
            Ok(false) => {
                self.sending.push(Sending { request, to, bytes: Rc::new(bytes) });
                Ok(())
            }
            Err(why) => {
                std::mem::forget(bytes); // MPI may still read them
                Err(Lost { rank: to, why })
            }
        }
    }

    /// Gives back the buffers of messages that are out.
    pub(super) fn tidy(&mut self) -> Result<(), Lost> {
        let (mut lost, spare) = (None, &mut self.spare);
        self.sending.retain_mut(|sending| match sending.request.is_done() {
            Ok(false) => true,
            Ok(true) => {
                let bytes = Rc::get_mut(&mut sending.bytes).map(std::mem::take);
                let is_better = |bytes: &Vec<u8>| (spare.capacity() + 1..=SPARE).contains(&bytes.capacity());
                if let Some(bytes) = bytes.filter(is_better) {
                    *spare = bytes;
                }
                false
            }
            Err(why) => {
                lost.get_or_insert(Lost { rank: sending.to, why });
                // MPI may still read the buffer of a message that failed.
                std::mem::forget(Rc::clone(&sending.bytes));
                false
            }
        });
        self.tidy_at = MANY.max(2 * self.sending.len());
        lost.map_or(Ok(()), Err)
    }

    /// An empty buffer with room for so many bytes.
    pub(super) fn room(&mut self, count: usize) -> Vec<u8> {
        if (count..=2 * count).contains(&self.spare.capacity()) {
            let mut spare = std::mem::take(&mut self.spare);
            spare.clear();
            return spare;
        }
        Vec::with_capacity(count)
    }

    /// Leaves what is still under way to MPI, which may read it.
    pub(super) fn forget(&mut self) {
        for sending in self.sending.drain(..) {
            std::mem::forget(sending.bytes);
        }
    }
}

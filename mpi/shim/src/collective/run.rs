//! One member at work: messages as soon as what they carry is there, sums in the order of the play.
//!
//! All receives are posted at the beginning, so no send waits for ever, whatever the MPI does with large messages. What comes for a
//! place that is still needed waits beside it.

use std::ffi::{c_int, c_void};

use super::plan::Part;
use super::play::Way;
use crate::agree::checked;
use crate::library::{Code, Constants, Functions, Raw};

/// Memory that is used again from call to call.
#[derive(Default)]
pub(super) struct Room {
    /// What has come for a place that is not free yet.
    staged: Bytes,
    /// By move where that is.
    places: Vec<usize>,
    /// By move how many others are still waited for.
    waits: Vec<u32>,
    /// Moves that can be done, from the first that was not.
    ready: Vec<u32>,
    requests: Requests,
    /// The buffer where the caller has none.
    pub(super) work: Bytes,
}

/// Bytes at an address that suits any number.
#[derive(Default)]
pub(super) struct Bytes(Vec<u128>);

impl Bytes {
    /// So many of them, whatever they are.
    pub(super) fn of(&mut self, bytes: usize) -> *mut u8 {
        let words = bytes.div_ceil(size_of::<u128>());
        if self.0.len() < words {
            self.0.resize(words, 0);
        }
        self.0.as_mut_ptr().cast()
    }
}

/// Requests under way, side by side as this MPI wants them, and the moves they belong to.
#[derive(Default)]
struct Requests {
    words: Vec<u64>,
    owners: Vec<u32>,
    done: Vec<c_int>,
}

impl Requests {
    fn clear(&mut self, most: usize) {
        self.words.resize(most.max(self.words.len()), 0);
        self.done.resize(most.max(self.done.len()), 0);
        self.owners.clear();
    }

    /// Where the request of a handle of so many bytes is.
    fn at(&mut self, index: usize, width: usize) -> *mut u8 {
        // SAFETY: there is a word for each move.
        unsafe { self.words.as_mut_ptr().cast::<u8>().add(index * width) }
    }

    /// Forgets a request, whose place the last one takes.
    fn remove(&mut self, index: usize, width: usize) -> u32 {
        let last = self.owners.len() - 1;
        let (from, to) = (self.at(last, width), self.at(index, width));
        // SAFETY: both are places of requests; they may be the same.
        unsafe { std::ptr::copy(from, to, width) };
        self.owners.swap_remove(index)
    }
}

/// What is to be done with a buffer.
pub(super) struct Work<'a> {
    pub(super) functions: &'a Functions,
    pub(super) constants: &'a Constants,
    /// A communicator of its own.
    pub(super) comm: Raw,
    pub(super) part: &'a Part,
    pub(super) chunks: u64,
    /// How many elements there are, and the bytes of one.
    pub(super) elements: u64,
    pub(super) width: u64,
    pub(super) buffer: *mut u8,
    /// Datatype and operator of sums.
    pub(super) sums: Option<(Raw, Raw)>,
}

impl Work<'_> {
    /// Where a chunk begins: chunks differ by an element at most.
    fn begin(&self, chunk: u32) -> usize {
        (u64::from(chunk) * self.elements / self.chunks * self.width) as usize
    }

    /// Where the chunks of a move begin, and their bytes.
    fn place(&self, index: usize) -> (usize, usize) {
        let own = &self.part.moves[index];
        let begin = self.begin(own.first);
        (begin, self.begin(own.first + own.count) - begin)
    }

    /// Whether what comes goes into the buffer at once: nothing before it touches its place.
    fn is_direct(&self, index: usize) -> bool {
        self.part.moves[index].way == Way::Receive && self.part.waits[index] == 0
    }

    /// Does it.
    ///
    /// # Safety
    ///
    /// The buffer has all elements, and all members of the communicator do the same.
    pub(super) unsafe fn run(&self, room: &mut Room) -> Result<(), Code> {
        // SAFETY: as above.
        unsafe {
            self.begin_all(room)?;
            let mut next = 0;
            loop {
                while let Some(&index) = room.ready.get(next) {
                    next += 1;
                    self.advance(index as usize, room)?;
                }
                if room.requests.owners.is_empty() {
                    return Ok(());
                }
                self.wait(room)?;
            }
        }
    }

    /// Posts all receives, and finds what can be done.
    unsafe fn begin_all(&self, room: &mut Room) -> Result<(), Code> {
        let moves = &self.part.moves;
        room.requests.clear(moves.len());
        room.ready.clear();
        room.waits.clone_from(&self.part.waits);
        room.places.clear();
        let mut end = 0;
        for (index, own) in moves.iter().enumerate() {
            room.places.push(end);
            if own.way != Way::Send && !self.is_direct(index) {
                end += self.place(index).1.next_multiple_of(size_of::<u128>());
            }
        }
        let staged = room.staged.of(end);
        for (index, own) in moves.iter().enumerate() {
            let (begin, length) = self.place(index);
            if own.way != Way::Send && length > 0 {
                room.waits[index] += 1;
                // SAFETY: the bytes are those of the move, in the buffer or beside it.
                let to = unsafe {
                    if self.is_direct(index) {
                        self.buffer.add(begin)
                    } else {
                        staged.add(room.places[index])
                    }
                };
                // SAFETY: as above, and nobody touches them before they are there.
                unsafe { self.post(index, to, length, &mut room.requests)? };
            }
            if room.waits[index] == 0 {
                room.ready.push(index as u32);
            }
        }
        Ok(())
    }

    /// Begins to send or to receive.
    unsafe fn post(
        &self,
        index: usize,
        at: *mut u8,
        length: usize,
        requests: &mut Requests,
    ) -> Result<(), Code> {
        let own = &self.part.moves[index];
        let (byte, many) = (self.constants.byte, requests.owners.len());
        let request = requests.at(many, self.constants.handle()).cast::<c_void>();
        let (length, peer, tag) = (length as c_int, own.peer as c_int, own.tag as c_int);
        // SAFETY: the bytes live until the request is done.
        checked(unsafe {
            match own.way {
                Way::Send => (self.functions.Isend)(at.cast(), length, byte, peer, tag, self.comm, request),
                _ => (self.functions.Irecv)(at.cast(), length, byte, peer, tag, self.comm, request),
            }
        })?;
        requests.owners.push(index as u32);
        Ok(())
    }

    /// Does a move that waits for nothing any more.
    unsafe fn advance(&self, index: usize, room: &mut Room) -> Result<(), Code> {
        let (begin, length) = self.place(index);
        let way = self.part.moves[index].way;
        if length > 0 {
            // SAFETY: the place is within the buffer, and what has come beside it.
            unsafe {
                let place = self.buffer.add(begin);
                let came = room.staged.of(0).add(room.places[index]);
                match (way, self.sums) {
                    // It is done when its bytes are on their way.
                    (Way::Send, _) => return self.post(index, place, length, &mut room.requests),
                    (Way::Add, Some((datatype, operator))) => {
                        let many = (length as u64 / self.width) as c_int;
                        let add = self.functions.Reduce_local;
                        checked(add(came.cast(), place.cast(), many, datatype, operator))?;
                    }
                    _ if self.is_direct(index) => {}
                    _ => std::ptr::copy_nonoverlapping(came, place, length),
                }
            }
        }
        self.finish(index, room);
        Ok(())
    }

    /// Waits until something has come or gone.
    unsafe fn wait(&self, room: &mut Room) -> Result<(), Code> {
        let Requests { words, owners, done } = &mut room.requests;
        let (width, mut many) = (self.constants.handle(), 0);
        // SAFETY: there is a place for the number of each request.
        checked(unsafe {
            (self.functions.Waitsome)(
                owners.len() as c_int,
                words.as_mut_ptr().cast(),
                &mut many,
                done.as_mut_ptr(),
                self.constants.no_statuses,
            )
        })?;
        // From the last back: a place that the last request takes is one that was looked at.
        let mut ended = std::mem::take(done);
        let some = &mut ended[..many.max(0) as usize];
        some.sort_unstable();
        for &at in some.iter().rev() {
            let index = room.requests.remove(at as usize, width) as usize;
            if self.part.moves[index].way == Way::Send {
                self.finish(index, room);
            } else {
                let waits = &mut room.waits[index];
                *waits -= 1;
                if *waits == 0 {
                    room.ready.push(index as u32);
                }
            }
        }
        room.requests.done = ended;
        Ok(())
    }

    /// What waited for a move waits no longer.
    fn finish(&self, index: usize, room: &mut Room) {
        for &later in self.part.followers(index) {
            let waits = &mut room.waits[later as usize];
            *waits -= 1;
            if *waits == 0 {
                room.ready.push(later);
            }
        }
    }
}

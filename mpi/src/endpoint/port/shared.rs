//! Short messages between ranks of one host, past MPI: memory that they share has a ring of lines for each sender and receiver.
//!
//! A message takes as many lines of the cache as it needs, most often one, which goes from core to core once. Its first word,
//! written last, says that it is there. Nobody waits for room: what finds none in the ring goes through MPI. Both ways count
//! their messages, and each message says how many went the other way before it, so the receiver takes all of them in order.

#![allow(unsafe_code)] // memory that other processes write to

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

use meshwright_runtime::transport::Parcel;
use mpi::collective::SystemOperation;
use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{AsRaw, Communicator, CommunicatorCollectives};

use super::SHORT;

/// Bytes of a line: those of most caches.
const LINE: usize = 64;

/// Bytes of a message before its own: the word that says that it is there, its tag and what it is.
const FRONT: usize = 16;

/// The most lines of a message: behind a ring there is room for so many less one, so that none is cut at its end.
const MOST: usize = (FRONT + SHORT).div_ceil(LINE);

/// Lines of a ring where few ranks share a host, and where many do.
const LINES: (u64, u64) = (512, 64);

/// Of all rings before one rank together, if that leaves [`LINES`].
const ALL_LINES: u64 = 4096;

/// On hosts with more ranks all messages go through MPI: rings are as many as pairs, and looked at one by one.
const RANKS_MAX: usize = 64;

/// A ring in shared memory: how far the receiver has read, in a line of its own, then the lines.
///
/// Every process has its own address of it, which stays as long as the process.
struct Ring {
    at: *mut u8,
    /// A power of two.
    lines: u64,
}

impl Ring {
    const fn bytes(lines: u64) -> usize {
        (1 + lines as usize + MOST - 1) * LINE
    }

    /// The line at which a message begins that has so many before it.
    fn line(&self, number: u64) -> *mut u8 {
        // SAFETY: a ring has so many lines behind the first.
        unsafe { self.at.add((1 + (number & (self.lines - 1)) as usize) * LINE) }
    }

    /// The first word of a line.
    fn word(&self, number: u64) -> &AtomicU64 {
        // SAFETY: lines are aligned, and shared memory stays.
        unsafe { AtomicU64::from_ptr(self.line(number).cast()) }
    }

    /// How many lines the receiver has read.
    fn read(&self) -> &AtomicU64 {
        // SAFETY: as above.
        unsafe { AtomicU64::from_ptr(self.at.cast()) }
    }

    /// Nothing was written; before anybody else looks.
    fn clear(&self) {
        // SAFETY: the caller is alone, and a ring has so many bytes.
        unsafe { self.at.write_bytes(0, Self::bytes(self.lines)) }
    }
}

/// Lines of a message with so many bytes of its own.
fn lines(count: usize) -> u64 {
    (FRONT + count).div_ceil(LINE) as u64
}

/// The way to one rank of this host.
pub(super) struct Writer {
    ring: Ring,
    /// Lines that were written; those that had been read when this rank looked last.
    end: u64,
    read: u64,
    /// Messages written, and sent through MPI.
    written: u32,
    elsewhere: u32,
}

impl Writer {
    /// Writes a message; false where the ring has no room, or never has.
    #[inline]
    pub(super) fn write(&mut self, tag: u32, kind: u8, bytes: &[u8]) -> bool {
        let lines = lines(bytes.len());
        if bytes.len() > SHORT {
            return false;
        }
        if self.end + lines > self.read + self.ring.lines {
            self.read = self.ring.read().load(Ordering::Acquire);
            if self.end + lines > self.read + self.ring.lines {
                return false;
            }
        }
        let line = self.ring.line(self.end);
        // SAFETY: so many lines are free, or stand behind the ring; the receiver reads them after it has seen the first word.
        unsafe {
            line.add(8).cast::<u64>().write(u64::from(tag) | u64::from(kind) << 32);
            line.add(FRONT).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        let word = u64::from(self.elsewhere) << 32 | (bytes.len() as u64 + 1);
        self.ring.word(self.end).store(word, Ordering::Release);
        self.end += lines;
        self.written = self.written.wrapping_add(1);
        true
    }

    /// A message goes through MPI: how many were written before it.
    pub(super) fn pass_by(&mut self) -> u32 {
        self.elsewhere = self.elsewhere.wrapping_add(1);
        self.written
    }
}

/// The way from one rank of this host.
struct Reader {
    ring: Ring,
    from: u32,
    /// Lines that were read.
    end: u64,
    /// Messages read, and taken from MPI.
    taken: u32,
    elsewhere: u32,
    /// What came through MPI and is not due, with the number of those that have to be read before it.
    held: VecDeque<(u32, Parcel, u8)>,
}

impl Reader {
    /// The next message, and what it is; whether there is one that waits for what comes through MPI.
    #[inline]
    fn take(&mut self, is_waiting: &mut bool) -> Option<(Parcel, u8)> {
        if self.held.front().is_some_and(|(before, ..)| *before == self.taken) {
            self.elsewhere = self.elsewhere.wrapping_add(1);
            return self.held.pop_front().map(|(_, parcel, kind)| (parcel, kind));
        }
        let word = self.ring.word(self.end).load(Ordering::Acquire);
        if word == 0 {
            return None;
        }
        if (word >> 32) as u32 != self.elsewhere {
            *is_waiting = true;
            return None;
        }
        let count = (word as u32 - 1) as usize;
        let line = self.ring.line(self.end);
        // SAFETY: the sender has written so many bytes before the first word, and leaves them until they are read.
        let (what, bytes) = unsafe {
            let bytes = std::slice::from_raw_parts(line.add(FRONT), count);
            (line.add(8).cast::<u64>().read(), bytes.to_vec())
        };
        let lines = lines(count);
        // A line is not read again before its first word says so.
        (self.end..self.end + lines).for_each(|line| self.ring.word(line).store(0, Ordering::Relaxed));
        self.end += lines;
        self.ring.read().store(self.end, Ordering::Release);
        self.taken = self.taken.wrapping_add(1);
        Some((Parcel { from: self.from, tag: what as u32, bytes }, (what >> 32) as u8))
    }
}

/// The ways to the ranks of this host, by rank.
pub(super) type Writers = Vec<Option<Writer>>;

/// The ways from the ranks of this host, looked at in turns.
#[derive(Default)]
pub(super) struct Readers {
    readers: Vec<Reader>,
    /// By rank.
    places: Vec<Option<usize>>,
    turn: usize,
    is_waiting: bool,
}

impl Readers {
    /// Whether all ranks are on this host: then hardly anything comes through MPI.
    pub(super) fn have_all(&self) -> bool {
        !self.readers.is_empty() && self.readers.len() == self.places.len()
    }

    /// Whether a message that was not taken waits for what comes through MPI.
    pub(super) fn wait_for_mpi(&self) -> bool {
        self.is_waiting
    }

    /// The next message of whomever, and what it is.
    #[inline]
    pub(super) fn take(&mut self) -> Option<(Parcel, u8)> {
        let mut is_waiting = false;
        let (first, second) = self.readers.split_at_mut(self.turn);
        let found = second
            .iter_mut()
            .chain(first)
            .enumerate()
            .find_map(|(at, reader)| Some((at, reader.take(&mut is_waiting)?)));
        self.is_waiting = is_waiting;
        let (at, found) = found?;
        self.turn = (self.turn + at + 1) % self.readers.len();
        Some(found)
    }

    /// A message has come through MPI before which so many were written; it, if it is due.
    pub(super) fn due(&mut self, before: u32, parcel: Parcel, kind: u8) -> Option<(Parcel, u8)> {
        let place = self.places[parcel.from as usize].expect("the sender is on this host");
        let reader = &mut self.readers[place];
        if reader.held.is_empty() && before == reader.taken {
            reader.elsewhere = reader.elsewhere.wrapping_add(1);
            return Some((parcel, kind));
        }
        reader.held.push_back((before, parcel, kind));
        None
    }
}

/// The ways between the ranks of this host; none where MPI has no shared memory, or one rank is here alone or too many are. All
/// ranks of the communicator call this together.
pub(super) fn ways(world: &SimpleCommunicator) -> (Writers, Readers) {
    let here = world.split_shared(world.rank());
    let (own, count) = (here.rank() as usize, here.size() as usize);
    if !(2..=RANKS_MAX).contains(&count) {
        return Default::default();
    }
    let lines = (ALL_LINES / count as u64).next_power_of_two().clamp(LINES.1, LINES.0);
    let begins = allocate(&here, count * Ring::bytes(lines));
    let (all, mut is_shared) = (begins.is_some(), false);
    here.all_reduce_into(&all, &mut is_shared, SystemOperation::logical_and());
    let Some(begins) = begins.filter(|_| is_shared) else { return Default::default() };
    // Before each rank stand the rings of all, by sender.
    // SAFETY: every rank has asked for so many bytes.
    let ring =
        |to: usize, from: usize| Ring { at: unsafe { begins[to].add(from * Ring::bytes(lines)) }, lines };
    (0..count).for_each(|from| ring(own, from).clear());
    let mut ranks = vec![0; count];
    here.all_gather_into(&world.rank(), &mut ranks[..]); // and nobody writes before all are clear
    let mut writers: Writers = (0..world.size()).map(|_| None).collect();
    let mut readers = Readers { places: vec![None; world.size() as usize], ..Readers::default() };
    for (place, &rank) in ranks.iter().enumerate() {
        let ring_to = ring(place, own);
        writers[rank as usize] = Some(Writer { ring: ring_to, end: 0, read: 0, written: 0, elsewhere: 0 });
        let (ring, held) = (ring(own, place), VecDeque::new());
        readers.places[rank as usize] = Some(place);
        readers.readers.push(Reader { ring, from: rank as u32, end: 0, taken: 0, elsewhere: 0, held });
    }
    (writers, readers)
}

/// Shared memory with so many bytes for each rank: where that of each begins.
///
/// It is given back with the process: MPI would wait for all ranks, and some may be lost by then.
fn allocate(here: &SimpleCommunicator, bytes: usize) -> Option<Vec<*mut u8>> {
    let (mut own, mut window) = (std::ptr::null_mut::<u8>(), std::mem::MaybeUninit::uninit());
    let room = (bytes + LINE) as ffi::MPI_Aint;
    let succeeded = |code| code == ffi::MPI_SUCCESS as i32;
    // SAFETY: all ranks of the communicator call this; MPI sets the address and the window if it succeeds.
    let window = unsafe {
        ffi::MPI_Comm_set_errhandler(here.as_raw(), ffi::RSMPI_ERRORS_RETURN);
        let (info, begin) = (ffi::RSMPI_INFO_NULL, (&raw mut own).cast());
        let code = ffi::MPI_Win_allocate_shared(room, 1, info, here.as_raw(), begin, window.as_mut_ptr());
        succeeded(code).then(|| window.assume_init())?
    };
    let begin_of = |rank| {
        let (mut begin, mut size, mut unit) = (std::ptr::null_mut::<u8>(), 0, 0);
        // SAFETY: the window is shared memory, and has so many ranks.
        let code = unsafe {
            ffi::MPI_Win_shared_query(window, rank, &raw mut size, &raw mut unit, (&raw mut begin).cast())
        };
        // All have the same pages at other addresses, so the same line is the first.
        let begin = begin.map_addr(|address| address.next_multiple_of(LINE));
        (succeeded(code) && !begin.is_null()).then_some(begin)
    };
    (0..here.size()).map(begin_of).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::{LINES, Parcel, Reader, Readers, Ring, Writer};

    /// Lengths of all sizes, the longest of which are longer than any message of a ring.
    fn bytes(number: usize) -> Vec<u8> {
        (0..number * number % 1100).map(|at| (at + number) as u8).collect()
    }

    #[test]
    fn messages_come_in_order_whatever_way_they_go() {
        let lines = LINES.1;
        let mut memory = vec![0_u64; Ring::bytes(lines) / 8 + 8];
        let begin = memory.as_mut_ptr().cast::<u8>();
        let at = begin.map_addr(|address| address.next_multiple_of(64));
        let ring = || Ring { at, lines };
        let mut writer = Writer { ring: ring(), end: 0, read: 0, written: 0, elsewhere: 0 };
        let reader = Reader { ring: ring(), from: 3, end: 0, taken: 0, elsewhere: 0, held: VecDeque::new() };
        let places = vec![None, None, None, Some(0)];
        let mut readers = Readers { readers: vec![reader], places, turn: 0, is_waiting: false };
        let (mut through_mpi, mut sent, mut past) = (VecDeque::new(), 0, 0);
        for taken in 0..5000 {
            // The ring is full most of the time, and what goes through MPI is long in coming.
            while sent < taken + 40 {
                if !writer.write(sent as u32, (sent % 2) as u8, &bytes(sent)) {
                    past += 1;
                    through_mpi.push_back((writer.pass_by(), sent));
                }
                sent += 1;
            }
            let mut found = readers.take();
            while found.is_none()
                && let Some((before, number)) = through_mpi.pop_front()
            {
                let parcel = Parcel { from: 3, tag: number as u32, bytes: bytes(number) };
                found = readers.due(before, parcel, (number % 2) as u8);
            }
            let (parcel, kind) = found.expect("something has come");
            assert_eq!((parcel.tag, kind, parcel.from), (taken as u32, (taken % 2) as u8, 3));
            assert!(parcel.bytes == bytes(taken), "message {taken}");
        }
        assert!(0 < past && past < sent);
    }
}

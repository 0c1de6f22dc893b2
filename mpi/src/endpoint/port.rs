//! Bytes into MPI and out of it, without waiting.
//!
//! Messages are sent with `MPI_Isend` from buffers that are kept until MPI has done with them. The tag travels behind the
//! bytes, because MPI promises tags up to 32767 only; MPI's own tag says whether a piece is the last one. Messages are
//! received with `MPI_Improbe` and `MPI_Imrecv`, so a long one does not keep this rank from answering others. Which of
//! several ranks comes first is left to MPI: Open MPI takes turns, MPICH takes them as they came.

#![allow(unsafe_code)] // rsmpi has no request that owns its buffer

use std::collections::{BTreeMap, VecDeque};
use std::mem::MaybeUninit;
use std::os::raw::{c_char, c_int};
use std::rc::Rc;
use std::time::{Duration, Instant};

use meshwright_runtime::transport::{Endpoint, Lost, Parcel};
use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{AsRaw, Communicator};

/// MPI's tag of a piece that others follow, and of the last or only one.
const PIECE: c_int = 1;
const LAST: c_int = 2;

/// Longer messages travel in pieces of this size, in bytes.
const LONG: usize = 1 << 30;

/// So many messages are received at the same time.
const OPEN: usize = 64;

/// Messages of up to so many bytes come as a whole: every MPI sends them without asking the receiver.
const SHORT: usize = 1 << 10;

/// A rank that waits asks again at once for so long, where it has a core of its own; then it lets other processes run before it
/// asks again, and then it sleeps.
const SPIN: Duration = Duration::from_micros(20);
/// When it begins to sleep: where every rank has a core, and where ranks share cores. Asking in turns costs those who work.
const YIELD: (Duration, Duration) = (Duration::from_millis(100), Duration::from_millis(5));

/// With this variable Open MPI's `mpirun` tells its processes that they share cores; then they let others run as they wait.
const OVERSUBSCRIBED: &str = "OMPI_MCA_mpi_oversubscribe";

/// The longest sleep, for each rank that shares the core: so asking never takes more than a small part of a core.
const SLEEP: Duration = Duration::from_micros(200);

/// While messages are under way, which may need this rank's help: when it begins to sleep, and the longest sleep.
const UNDER_WAY: (Duration, Duration) = (Duration::from_millis(50), Duration::from_micros(100));

/// A buffer of up to so many bytes that was sent is kept to receive into: fresh memory costs as much as the message.
const SPARE: usize = 1 << 26;

/// How long the buffers of messages that nobody has taken are waited for at the end.
const GRACE: Duration = Duration::from_secs(2);

/// A piece of a message on its way out.
struct Sending {
    request: ffi::MPI_Request,
    to: u32,
    /// The whole message, which all its pieces keep.
    bytes: Rc<Vec<u8>>,
}

/// A piece of a message on its way in.
struct Receiving {
    request: ffi::MPI_Request,
    is_done: bool,
    from: u32,
    is_last: bool,
    /// Empty, with room for what comes.
    bytes: Vec<u8>,
    count: usize,
}

/// This process as one end of the network.
pub(super) struct Port {
    world: SimpleCommunicator,
    piece: usize,
    /// How many ranks share a core.
    crowd: u32,
    /// Whether MPI lets others run whenever it is asked in vain.
    mpi_yields: bool,
    sending: Vec<Sending>,
    /// Once so many messages are on their way out, it is worth while to look which ones are done.
    tidy_at: usize,
    receiving: VecDeque<Receiving>,
    /// The pieces that have come, by rank.
    pieces: BTreeMap<u32, Vec<u8>>,
    /// The largest buffer that was sent, of those that are not in use.
    spare: Vec<u8>,
    /// Since when nothing has come, if this rank waits.
    idle_since: Option<Instant>,
}

// SAFETY: nothing of a port is shared with anybody outside of it, not even the counted buffers; one thread at a time uses it
// behind a lock, and a second one does only where MPI was started for calls of several threads.
unsafe impl Send for Port {}

impl Port {
    /// The end of this process in a communicator of its own, where so many ranks share a core.
    pub(super) fn new(world: &SimpleCommunicator, crowd: u32) -> Self {
        let world = world.duplicate();
        // SAFETY: the communicator is valid, and the handler is one that MPI brings along.
        unsafe { ffi::MPI_Comm_set_errhandler(world.as_raw(), ffi::RSMPI_ERRORS_RETURN) };
        Self {
            world,
            piece: LONG,
            crowd,
            mpi_yields: std::env::var(OVERSUBSCRIBED).is_ok_and(|value| value == "1"),
            sending: Vec::new(),
            tidy_at: OPEN,
            receiving: VecDeque::new(),
            pieces: BTreeMap::new(),
            spare: Vec::new(),
            idle_since: None,
        }
    }

    /// From which length on messages travel in pieces.
    pub(super) fn set_piece(&mut self, bytes: usize) {
        assert!((1..=c_int::MAX as usize).contains(&bytes), "MPI counts from 1 to 2 GiB - 1");
        self.piece = bytes;
    }

    /// Gives back the buffers of messages that are out.
    fn tidy(&mut self) -> Result<(), Lost> {
        let (mut lost, spare) = (None, &mut self.spare);
        self.sending.retain_mut(|sending| match is_done(&mut sending.request) {
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
        self.tidy_at = OPEN.max(2 * self.sending.len());
        lost.map_or(Ok(()), Err)
    }

    /// Begins to send a piece of a message.
    fn begin(&mut self, to: u32, tag: c_int, piece: &[u8]) -> Result<ffi::MPI_Request, Lost> {
        let mut request = MaybeUninit::uninit();
        let count = c_int::try_from(piece.len()).expect("a piece is shorter than 2 GiB");
        // SAFETY: the caller keeps the bytes alive, and does not move them, until the request is done: they belong to an entry
        // of `sending`, which `tidy` and `drop` alone take away, and which they leak if MPI has not done with it.
        let code = unsafe {
            ffi::MPI_Isend(
                piece.as_ptr().cast(),
                count,
                ffi::RSMPI_UINT8_T,
                to as c_int,
                tag,
                self.world.as_raw(),
                request.as_mut_ptr(),
            )
        };
        check(code).map_err(|why| Lost { rank: to, why })?;
        // SAFETY: MPI has set it, for there was no error.
        Ok(unsafe { request.assume_init() })
    }

    /// Begins to receive a message that has come, if one has.
    fn open(&mut self) -> Result<bool, Lost> {
        let mut is_there: c_int = 0;
        let (mut message, mut status) = (MaybeUninit::uninit(), MaybeUninit::<ffi::MPI_Status>::uninit());
        // SAFETY: all that is pointed to lives as long as the call.
        let code = unsafe {
            ffi::MPI_Improbe(
                ffi::RSMPI_ANY_SOURCE,
                ffi::RSMPI_ANY_TAG,
                self.world.as_raw(),
                &raw mut is_there,
                message.as_mut_ptr(),
                status.as_mut_ptr(),
            )
        };
        self.own(code)?;
        if is_there == 0 {
            return Ok(false);
        }
        let mut count: c_int = 0;
        // SAFETY: a message is there, so MPI has set its status.
        let status = unsafe {
            let status = status.assume_init();
            ffi::MPI_Get_count(&raw const status, ffi::RSMPI_UINT8_T, &raw mut count);
            status
        };
        let bytes = self.room(count as usize);
        self.receive(&mut message, &status, count, bytes)?;
        Ok(true)
    }

    /// An empty buffer with room for so many bytes.
    fn room(&mut self, count: usize) -> Vec<u8> {
        if count > SHORT && (count..=2 * count).contains(&self.spare.capacity()) {
            let mut spare = std::mem::take(&mut self.spare);
            spare.clear();
            return spare;
        }
        Vec::with_capacity(count)
    }

    /// Begins to receive the message that was found, and ends it at once if it is short.
    fn receive(
        &mut self,
        message: &mut MaybeUninit<ffi::MPI_Message>,
        status: &ffi::MPI_Status,
        count: c_int,
        mut bytes: Vec<u8>,
    ) -> Result<(), Lost> {
        let is_short = count as usize <= SHORT;
        let mut request = MaybeUninit::uninit();
        let to = bytes.as_mut_ptr().cast();
        // SAFETY: MPI has set the message. The buffer has room for all of it, and belongs to an entry of `receiving`, where it
        // does not move before the request is done.
        let code = unsafe {
            if is_short {
                request.write(ffi::RSMPI_REQUEST_NULL);
                let (kind, no_status) = (ffi::RSMPI_UINT8_T, ffi::RSMPI_STATUS_IGNORE);
                ffi::MPI_Mrecv(to, count, kind, message.as_mut_ptr(), no_status)
            } else {
                ffi::MPI_Imrecv(to, count, ffi::RSMPI_UINT8_T, message.as_mut_ptr(), request.as_mut_ptr())
            }
        };
        self.own(code)?;
        // SAFETY: MPI has set it, for there was no error.
        let request = unsafe { request.assume_init() };
        let (from, is_last) = (status.MPI_SOURCE as u32, status.MPI_TAG == LAST);
        let count = count as usize;
        self.receiving.push_back(Receiving { request, is_done: is_short, from, is_last, bytes, count });
        Ok(())
    }

    /// An error that names no other rank is this rank's.
    fn own(&self, code: c_int) -> Result<(), Lost> {
        check(code).map_err(|why| Lost { rank: self.world.rank() as u32, why })
    }

    /// The first message that is complete; those of one rank in the order in which they were sent.
    fn take(&mut self) -> Result<Option<Parcel>, Lost> {
        let mut at = 0;
        while at < self.receiving.len() {
            let (earlier, this) = (self.receiving.range(..at), &self.receiving[at]);
            if earlier.into_iter().any(|entry| entry.from == this.from) {
                at += 1;
                continue;
            }
            let this = &mut self.receiving[at];
            if !this.is_done {
                match is_done(&mut this.request) {
                    Ok(is_done) => this.is_done = is_done,
                    Err(why) => {
                        // MPI may still write to the buffer, and the request must not be asked again.
                        let Receiving { from, bytes, .. } = self.receiving.remove(at).expect("it is there");
                        std::mem::forget(bytes);
                        return Err(Lost { rank: from, why });
                    }
                }
            }
            if !this.is_done {
                at += 1;
                continue;
            }
            let this = self.receiving.remove(at).expect("it is there");
            let Receiving { from, is_last, mut bytes, count, .. } = this;
            // SAFETY: the buffer has room for so many, and MPI has written them all.
            unsafe { bytes.set_len(count) };
            if let Some(parcel) = self.complete(from, is_last, bytes) {
                return Ok(Some(parcel));
            }
        }
        Ok(None)
    }

    /// Puts a piece behind those before it; the last one makes a message.
    fn complete(&mut self, from: u32, is_last: bool, bytes: Vec<u8>) -> Option<Parcel> {
        if !is_last {
            self.pieces.entry(from).or_default().extend_from_slice(&bytes);
            return None;
        }
        let mut bytes = match self.pieces.remove(&from) {
            None => bytes,
            Some(mut before) => {
                before.extend_from_slice(&bytes);
                before
            }
        };
        let (rest, tag) = bytes.split_last_chunk().expect("the tag travels behind the bytes");
        let (length, tag) = (rest.len(), u32::from_le_bytes(*tag));
        bytes.truncate(length);
        Some(Parcel { from, tag, bytes })
    }

    /// Waits a little, and longer the longer nothing has come.
    fn idle(&mut self, left: Duration) {
        let idle = self.idle_since.get_or_insert_with(Instant::now).elapsed();
        let is_under_way = !(self.sending.is_empty() && self.receiving.is_empty() && self.pieces.is_empty());
        let awake = if self.crowd > 1 { YIELD.1 } else { YIELD.0 };
        let (awake, longest) =
            if is_under_way { (awake.max(UNDER_WAY.0), UNDER_WAY.1) } else { (awake, SLEEP * self.crowd) };
        if idle < SPIN && self.crowd == 1 {
            std::hint::spin_loop();
        } else if idle < awake {
            if !self.mpi_yields {
                std::thread::yield_now();
            }
        } else {
            std::thread::sleep((idle / 8).min(longest).min(left));
        }
    }
}

/// Whether MPI has done with a request.
fn is_done(request: &mut ffi::MPI_Request) -> Result<bool, String> {
    let mut is_done: c_int = 0;
    // SAFETY: the request comes from MPI; once it is done MPI makes it the null request, which may be tested again.
    let code = unsafe { ffi::MPI_Test(request, &raw mut is_done, ffi::RSMPI_STATUS_IGNORE) };
    check(code).map(|()| is_done != 0)
}

/// What MPI says about an error.
fn check(code: c_int) -> Result<(), String> {
    if code == ffi::MPI_SUCCESS as c_int {
        return Ok(());
    }
    let (mut text, mut length) = ([0_u8; ffi::MPI_MAX_ERROR_STRING as usize + 1], 0);
    // SAFETY: the text has room for the longest message.
    unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast::<c_char>(), &raw mut length) };
    let text = &text[..usize::try_from(length).unwrap_or(0).min(text.len())];
    Err(format!("MPI says: {}", String::from_utf8_lossy(text)))
}

impl Endpoint for Port {
    fn rank(&self) -> u32 {
        self.world.rank() as u32
    }

    fn ranks(&self) -> u32 {
        self.world.size() as u32
    }

    fn send(&mut self, to: u32, tag: u32, mut bytes: Vec<u8>) -> Result<(), Lost> {
        assert!(to < self.ranks(), "ranks are numbered from 0");
        if self.sending.len() >= self.tidy_at {
            self.tidy()?;
        }
        self.idle_since = None;
        bytes.extend_from_slice(&tag.to_le_bytes());
        let bytes = Rc::new(bytes);
        let pieces = bytes.len().div_ceil(self.piece);
        for (number, piece) in bytes.chunks(self.piece).enumerate() {
            let kind = if number + 1 < pieces { PIECE } else { LAST };
            let request = self.begin(to, kind, piece)?;
            self.sending.push(Sending { request, to, bytes: Rc::clone(&bytes) });
        }
        Ok(())
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Parcel>, Lost> {
        let begin = Instant::now();
        loop {
            if let Some(parcel) = self.take()? {
                self.idle_since = None;
                return Ok(Some(parcel));
            }
            // A question that is in vain makes MPI look at the network, and the next one finds what it saw there. Where ranks
            // share cores it lets others run first, so nobody who has a message should ask.
            if self.receiving.len() < OPEN && (self.open()? || self.open()?) {
                continue;
            }
            if !self.sending.is_empty() {
                self.tidy()?;
            }
            let left = wait.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return Ok(None);
            }
            self.idle(left);
        }
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        let begin = Instant::now();
        while !self.sending.is_empty() && begin.elapsed() < GRACE && self.tidy().is_ok() {
            std::thread::yield_now();
        }
        // MPI may still read these, or write to those.
        for sending in self.sending.drain(..) {
            std::mem::forget(sending.bytes);
        }
        for receiving in self.receiving.drain(..).filter(|entry| !entry.is_done) {
            std::mem::forget(receiving.bytes);
        }
    }
}

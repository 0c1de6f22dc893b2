//! Bytes into MPI and out of it, without waiting.
//!
//! Between ranks of one host a short message goes through memory that they share. Elsewhere it is one message of MPI, for which
//! buffers wait at every rank (`MPI_Irecv` from whomever): so it comes as fast as those of MPI itself, and asking for it is one
//! `MPI_Test`. Before a long one goes a short one that says how long it is; its
//! pieces have an MPI tag of their own, and are received into one buffer while this rank answers others. Messages of one rank
//! are taken in the order in which it sent them. Buffers that are sent are kept until MPI has done with them. The tag travels behind the bytes,
//! because MPI promises tags up to 32767 only.
//!
//! | file | what |
//! |---|---|
//! | this one | the [`Port`] as an endpoint; how it waits |
//! | `outbox`, `inbox` | messages on their way out and in |
//! | `shared` | short messages between ranks of one host |
//! | `request` | what MPI is asked for |

#![allow(unsafe_code)] // an error handler of MPI, and one thread at a time

mod inbox;
mod outbox;
mod request;
mod shared;

use std::time::{Duration, Instant};

use meshwright_runtime::transport::{Endpoint, Lost, Parcel};
use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{AsRaw, Communicator};

use inbox::Inbox;
use outbox::Outbox;

/// Messages of up to so many bytes are short: every MPI sends them without asking the receiver.
const SHORT: usize = 1 << 10;

/// Behind the bytes of a short message at most: how many went another way before it, the tag, and what it is.
const TAIL: usize = 2 * size_of::<u32>() + 1;

/// A message that is all there is; the head of a long one.
const ALL: u8 = 0;
const HEAD: u8 = 1;
/// Beside one of these: others went another way before it.
const AFTER: u8 = 2;

/// A rank that waits asks again at once for so long, where it has a core of its own; then it lets other processes run before it
/// asks again, and then it sleeps.
const SPIN: Duration = Duration::from_micros(20);
/// When it begins to sleep: where every rank has a core, and where ranks share cores. Asking in turns costs those who work.
const YIELD: (Duration, Duration) = (Duration::from_millis(100), Duration::from_millis(5));

/// With this variable Open MPI's `mpirun` tells its processes that they share cores; then they let others run as they wait.
const OVERSUBSCRIBED: &str = "OMPI_MCA_mpi_oversubscribe";

/// A rank that is awake asks so often before it looks at the clock: asking takes less time than the clock.
const ASKS: u32 = 16;

/// The longest sleep, for each rank that shares the core: so asking never takes more than a small part of a core.
const SLEEP: Duration = Duration::from_micros(200);

/// While messages are under way, which may need this rank's help: when it begins to sleep, and the longest sleep.
const UNDER_WAY: (Duration, Duration) = (Duration::from_millis(50), Duration::from_micros(100));

/// How long the buffers of messages that nobody has taken are waited for at the end.
const GRACE: Duration = Duration::from_secs(2);

/// What goes before a long message.
struct Head {
    length: u64,
    /// Of a piece, but for the last one.
    piece: u64,
}

impl Head {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(2 * size_of::<u64>() + TAIL);
        bytes.extend_from_slice(&self.length.to_le_bytes());
        bytes.extend_from_slice(&self.piece.to_le_bytes());
        bytes
    }

    fn of(bytes: &[u8]) -> Self {
        let (numbers, _) = bytes.as_chunks();
        let [length, piece] = [numbers[0], numbers[1]].map(u64::from_le_bytes);
        Self { length, piece }
    }
}

/// This process as one end of the network.
pub(super) struct Port {
    world: SimpleCommunicator,
    /// How many ranks share a core.
    crowd: u32,
    /// Whether MPI lets others run whenever it is asked in vain.
    mpi_yields: bool,
    outbox: Outbox,
    inbox: Inbox,
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
        let (writers, readers) = shared::ways(&world);
        // SAFETY: the communicator is valid, and the handler is one that MPI brings along.
        unsafe { ffi::MPI_Comm_set_errhandler(world.as_raw(), ffi::RSMPI_ERRORS_RETURN) };
        Self {
            crowd,
            mpi_yields: std::env::var(OVERSUBSCRIBED).is_ok_and(|value| value == "1"),
            outbox: Outbox::new(writers),
            inbox: Inbox::new(&world, readers),
            world,
            idle_since: None,
        }
    }

    /// From which length on messages travel in pieces.
    pub(super) fn set_piece(&mut self, bytes: usize) {
        assert!((1..=i32::MAX as usize).contains(&bytes), "MPI counts from 1 to 2 GiB - 1");
        self.outbox.piece = bytes;
    }

    /// Waits a little, and longer the longer nothing has come; how often to ask before the next wait.
    fn idle(&mut self, left: Duration) -> u32 {
        let idle = self.idle_since.get_or_insert_with(Instant::now).elapsed();
        let is_under_way = !(self.outbox.is_empty() && self.inbox.is_empty());
        let awake = if self.crowd > 1 { YIELD.1 } else { YIELD.0 };
        let (awake, longest) =
            if is_under_way { (awake.max(UNDER_WAY.0), UNDER_WAY.1) } else { (awake, SLEEP * self.crowd) };
        if idle >= awake {
            std::thread::sleep((idle / 8).min(longest).min(left));
            return 1;
        }
        if self.crowd == 1 && idle >= SPIN && !self.mpi_yields {
            std::thread::yield_now();
            return 1;
        }
        if is_under_way { 1 } else { ASKS }
    }

    /// Between two questions: lets others run that share the core, unless MPI has.
    fn rest(&self) {
        if self.crowd > 1 && (!self.mpi_yields || self.inbox.has_skipped()) {
            std::thread::yield_now();
        }
    }
}

impl Endpoint for Port {
    fn rank(&self) -> u32 {
        self.world.rank() as u32
    }

    fn ranks(&self) -> u32 {
        self.world.size() as u32
    }

    fn send(&mut self, to: u32, tag: u32, bytes: Vec<u8>) -> Result<(), Lost> {
        assert!(to < self.ranks(), "ranks are numbered from 0");
        self.idle_since = None;
        self.outbox.send(&self.world, to, tag, bytes)
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Parcel>, Lost> {
        let mut begin = None;
        let mut asks = if wait.is_zero() { 1 } else { ASKS };
        loop {
            for _ in 0..asks {
                if let Some(parcel) = self.inbox.take(&self.world, &mut self.outbox)? {
                    self.idle_since = None;
                    return Ok(Some(parcel));
                }
                if !wait.is_zero() {
                    self.rest();
                }
            }
            if !self.outbox.is_empty() {
                self.outbox.tidy()?;
            }
            let left = wait.saturating_sub(begin.get_or_insert_with(Instant::now).elapsed());
            if left.is_zero() {
                return Ok(None);
            }
            asks = self.idle(left);
        }
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        let begin = Instant::now();
        while !self.outbox.is_empty() && begin.elapsed() < GRACE && self.outbox.tidy().is_ok() {
            std::thread::yield_now();
        }
        self.outbox.forget();
        self.inbox.close();
    }
}

//! Messages between ranks that really run: on threads of this process, or on MPI in `meshwright-mpi`.
//!
//! Whatever is to run for real (a schedule, a divide and conquer, a group, a scatter) is written once, for an
//! [`Endpoint`]: one rank's end of the network. Tests run it on [`threads`], where no MPI is needed.
//!
//! | file | what |
//! |---|---|
//! | this one | [`Endpoint`]: send, and take what comes; [`Lost`]: a rank that does not answer any more |
//! | [`mailbox`] | [`Mailbox`]: receive from this rank with this tag; messages counted |
//! | [`topic`] | [`Topic`]: who sends with which tags |
//! | [`wire`] | [`Wire`]: values as bytes, and how many |
//! | [`threads`] | ranks that are threads of this process |
//! | [`ping`] | how fast messages are |
//! | [`watch`] | who beats to whom, and when somebody is lost |
//! | [`watched`] | [`Watched`]: an endpoint that beats and watches while it waits, sends and computes |

pub mod mailbox;
pub mod ping;
pub mod threads;
pub mod topic;
pub mod watch;
pub mod watched;

pub use mailbox::Mailbox;
pub use meshwright_core::wire::{self, Wire};
pub use topic::Topic;
pub use watched::{Finder, Watched};

use std::time::Duration;

/// A message that has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parcel {
    /// The rank that sent it.
    pub from: u32,
    /// What it was sent with.
    pub tag: u32,
    /// What it carries.
    pub bytes: Vec<u8>,
}

/// A rank does not answer any more: it died, or it hangs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rank {rank} is lost: {why}")]
pub struct Lost {
    /// Which one.
    pub rank: u32,
    /// How this was noticed, as half a sentence without a full stop.
    pub why: String,
}

/// One rank's end of the network.
///
/// Between two ranks messages of equal tags come in the order in which they were sent; nothing else is promised.
/// Sending never waits for the receiver.
///
/// # Examples
///
/// Every rank tells the next one its number.
///
/// ```
/// use meshwright_runtime::transport::{Endpoint, Mailbox, threads};
/// let heard = threads::run(4, |endpoint| {
///     let mut mail = Mailbox::new(endpoint);
///     let (rank, ranks) = (mail.rank(), mail.ranks());
///     mail.send((rank + 1) % ranks, 7, &rank)?;
///     mail.receive::<u32>((rank + ranks - 1) % ranks, 7)
/// })?;
/// assert_eq!(heard, [3, 0, 1, 2]);
/// # Ok::<(), meshwright_runtime::transport::Lost>(())
/// ```
pub trait Endpoint {
    /// The number of this rank, from 0.
    fn rank(&self) -> u32;

    /// How many ranks there are.
    fn ranks(&self) -> u32;

    /// Begins to send a message, to this rank itself too, and returns at once.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank is known to be lost.
    fn send(&mut self, to: u32, tag: u32, bytes: Vec<u8>) -> Result<(), Lost>;

    /// The next message, from whomever; none when none has come after this time.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank is known to be lost, and nothing is left of what came before.
    fn next(&mut self, wait: Duration) -> Result<Option<Parcel>, Lost>;

    /// Computes for a long time. Where ranks watch each other, this one answers meanwhile; work that takes more than a
    /// second is done inside of this.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank was found to be lost meanwhile.
    fn compute<T: Send>(&mut self, work: impl FnOnce() -> T + Send) -> Result<T, Lost>
    where
        Self: Sized,
    {
        Ok(work())
    }

    /// Tells what this rank is doing now, in a few words: if it is lost, whoever finds out says so.
    fn tell(&mut self, _doing: &str) {}
}

impl<E: Endpoint> Endpoint for &mut E {
    fn rank(&self) -> u32 {
        (**self).rank()
    }

    fn ranks(&self) -> u32 {
        (**self).ranks()
    }

    fn send(&mut self, to: u32, tag: u32, bytes: Vec<u8>) -> Result<(), Lost> {
        (**self).send(to, tag, bytes)
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Parcel>, Lost> {
        (**self).next(wait)
    }

    fn compute<T: Send>(&mut self, work: impl FnOnce() -> T + Send) -> Result<T, Lost> {
        (**self).compute(work)
    }

    fn tell(&mut self, doing: &str) {
        (**self).tell(doing);
    }
}

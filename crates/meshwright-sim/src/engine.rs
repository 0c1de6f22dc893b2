//! The calls between workloads and engines, so that every workload runs on every engine.
//!
//! An engine moves messages and knows no programs; a workload ([`Driver`]) decides what is sent when and knows no
//! links. Both are named at compile time: no call between them goes through a table. Times are in ticks.

use meshwright_core::error::Result;
use meshwright_core::units::{Hops, LinkId};
use meshwright_network::routing::Routes;
use meshwright_schedule::Message;

/// What a workload may ask of an engine while it runs.
pub(super) trait Control {
    /// The present moment.
    fn now(&self) -> u64;

    /// Hands a loaded message to the network now or later.
    fn start(&mut self, message: u32, at: u64);

    /// Hands on a loaded message as its router copies it: without a start-up. Only after [`Referee::tell_heads`].
    fn relay(&mut self, message: u32, _: u64) {
        unreachable!("message {message} is relayed on an engine whose routers copy nothing");
    }

    /// Calls [`Driver::timer`] with this id now or later.
    fn set_timer(&mut self, id: u32, at: u64);
}

/// Something that happens outside a network of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SourceEvent {
    /// A message enters its source queue.
    Queue(u32),
    /// A message to oneself is there.
    Copied(u32),
    /// A timer runs out.
    Timer(u32),
}

/// A workload: told what happens, and free to start more.
pub(super) trait Driver<E: Control> {
    /// Whether [`Driver::sent`] does anything; if not, an engine need not call it.
    const WANTS_SENT: bool;

    /// The last byte of a message has left its source.
    fn sent(&mut self, engine: &mut E, message: u32);

    /// The last byte of a message has reached its target.
    fn delivered(&mut self, engine: &mut E, message: u32);

    /// The head of a message has reached its target; only after [`Referee::tell_heads`].
    fn head(&mut self, _: &mut E, _: u32) {}

    /// A timer has run out.
    fn timer(&mut self, engine: &mut E, id: u32);
}

/// An engine that runs batches of messages on one machine, one batch after the other.
pub(super) trait Referee<'m>: Control + Sized {
    /// Prepares for a batch; it begins at [`Control::now`], whatever that is. Messages are known by their index in it.
    ///
    /// # Panics
    ///
    /// When messages of the batch before are still on the way (it ended in a deadlock).
    fn load(&mut self, messages: &[Message], routes: Routes<'m>);

    /// Calls [`Driver::head`] from now on, as routers copy; false where they cannot.
    fn tell_heads(&mut self) -> bool {
        false
    }

    /// Runs until nothing happens any more: everything is delivered, or what is left waits in a ring.
    fn run<D: Driver<Self>>(&mut self, driver: &mut D);

    /// The link messages have waited for the longest since the last [`Referee::load`], and the ticks added up;
    /// of equal ones the lowest. Waiting for a port is not waiting for a link.
    fn longest_wait(&self) -> Option<(LinkId, u64)>;

    /// The link that most packets crossed since the last [`Referee::load`], and how many; of equal ones the lowest.
    /// `None` if there was none, or the engine does not count.
    fn busiest(&self) -> Option<(LinkId, u64)> {
        None
    }

    /// The link before which most packets stood at once since the last [`Referee::load`], and how many; of equal ones the
    /// lowest. `None` if there was none, or queues have a bound.
    fn longest_queue(&self) -> Option<(LinkId, u64)> {
        None
    }

    /// How often a message passed one that stood still on a link, since the engine was made. 0 if the engine does not
    /// count.
    fn passes(&self) -> u64 {
        0
    }

    /// Whether a batch that begins now goes as it would on an engine that was just made, but for the hour. False where an
    /// engine does not know.
    fn is_fresh(&self) -> bool {
        false
    }

    /// After a run that did not deliver everything: a ring of channels, each held by a message that waits for the
    /// next. `undelivered` are the messages that were started and did not arrive.
    fn waiting_ring(&self, undelivered: &[u32]) -> Option<Vec<LinkId>>;
}

/// An engine that also takes messages made while it runs.
pub(super) trait Open<'m>: Referee<'m> {
    /// The most messages and computations of a run: processes that never stop end in an error, not in a hang. Engines
    /// that give numbers again need no memory for those that are over and can afford more.
    const ACTIONS_MAX: usize = 1 << 25;

    /// Prepares for a run that begins without messages; it begins at [`Control::now`].
    ///
    /// # Panics
    ///
    /// As for [`Referee::load`].
    fn open(&mut self);

    /// Adds a message and tells its number and how far it goes. The number is how many were added before, or that of a
    /// message that has arrived. It is not started yet.
    ///
    /// # Errors
    ///
    /// [`meshwright_core::Error::NotApplicable`] when there is no path, [`meshwright_core::Error::TooLarge`] when its route does not fit.
    fn add(&mut self, message: &Message) -> Result<(u32, Hops)>;

    /// Adds a message and starts it now.
    ///
    /// # Errors
    ///
    /// As for [`Open::add`].
    fn send(&mut self, message: &Message) -> Result<(u32, Hops)> {
        let added = self.add(message)?;
        let now = self.now();
        self.start(added.0, now);
        Ok(added)
    }
}

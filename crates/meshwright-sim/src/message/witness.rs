//! Who waited for whom: what the engine tells while it runs, if somebody asks.
//!
//! Each time a message is given a channel is a grant. A message that had to wait for it waited for the grant whose message
//! let go at that moment: its cause. So the chain of causes, from the last arrival back to a start, has no gap.

use std::fmt::Debug;

use meshwright_core::units::LinkId;

/// No grant.
const NONE: u32 = u32::MAX;

/// Who is told what happens on channels. Nobody is `()`: it costs nothing.
pub(crate) trait Witness: Debug {
    /// Whether anybody listens.
    const LISTENS: bool;

    /// Where it is written down.
    fn log(&mut self) -> Option<&mut Log>;
}

impl Witness for () {
    const LISTENS: bool = false;

    #[inline]
    fn log(&mut self) -> Option<&mut Log> {
        None
    }
}

impl Witness for Log {
    const LISTENS: bool = true;

    #[inline]
    fn log(&mut self) -> Option<&mut Log> {
        Some(self)
    }
}

/// A message is given a channel.
#[derive(Clone, Copy, Debug)]
struct Grant {
    message: u32,
    channel: LinkId,
    asked: u64,
    given: u64,
    /// When it lets go of the channel.
    until: u64,
    /// The grant of the same message before.
    before: u32,
    /// The grant whose message let go.
    cause: u32,
}

/// What is known of a message.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// When it was to be sent, and when it entered the network.
    begin: [u64; 2],
    arrived: u64,
    latest: u32,
    /// The grant with which its last byte left the source.
    left: u32,
}

/// All grants of one batch of messages.
#[derive(Debug, Default)]
pub(crate) struct Log {
    grants: Vec<Grant>,
    ways: Vec<Way>,
    /// By channel: the grant with which it was let go, and from when on it was free.
    freed: Vec<(u32, u64)>,
    /// By channel: its latest grant.
    holders: Vec<u32>,
}

/// A message on a channel, in ticks: from the moment it is given the channel until it lets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holding {
    pub(crate) message: u32,
    pub(crate) channel: LinkId,
    pub(crate) begin: u64,
    pub(crate) end: u64,
}

/// The part of a chain in which one message moves, in ticks; what is left of it is its way and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leg {
    pub(crate) message: u32,
    pub(crate) begin: u64,
    pub(crate) end: u64,
    /// Start-up.
    pub(crate) startup: u64,
    /// The nodes at its ends.
    pub(crate) overhead: u64,
    /// Waiting for nobody who is known.
    pub(crate) waiting: u64,
    /// Before its begin it waited for this channel, and so long, until the message of the leg before let go.
    pub(crate) blocked: Option<(LinkId, u64)>,
}

/// What of a machine a chain needs to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// Ticks of the start-up.
    pub(crate) startup: u64,
    /// Whether it is paid at every node.
    pub(crate) is_stored: bool,
    /// The channels from here on are ports for sending.
    pub(crate) injection: u32,
}

impl Log {
    /// Begins a batch.
    pub(super) fn clear(&mut self, messages: usize) {
        self.grants.clear();
        self.ways.clear();
        self.ways.resize(messages, Way { begin: [0; 2], arrived: 0, latest: NONE, left: NONE });
    }

    /// A message is to be sent at the first time and enters at the second.
    pub(super) fn started(&mut self, message: u32, begin: [u64; 2]) {
        self.ways[message as usize].begin = begin;
    }

    pub(super) fn arrived(&mut self, message: u32, at: u64) {
        self.ways[message as usize].arrived = at;
    }

    /// A message is given a channel, asked for at the first time, at the second.
    pub(super) fn given(
        &mut self,
        message: u32,
        channel: LinkId,
        [asked, given]: [u64; 2],
        cause: Option<u32>,
    ) {
        let way = &mut self.ways[message as usize];
        let before = std::mem::replace(&mut way.latest, self.grants.len() as u32);
        if self.holders.len() <= channel.index() {
            self.holders.resize(channel.index() + 1, NONE);
        }
        self.holders[channel.index()] = self.grants.len() as u32;
        let cause = cause.unwrap_or(NONE);
        self.grants.push(Grant { message, channel, asked, given, until: given, before, cause });
    }

    /// A message lets go of a channel, which is free from this time on.
    pub(super) fn released(&mut self, channel: LinkId, message: u32, at: u64) {
        if self.freed.len() <= channel.index() {
            self.freed.resize(channel.index() + 1, (NONE, 0));
        }
        self.freed[channel.index()] = (self.ways[message as usize].latest, at);
        // No other is given the channel before it is let go.
        let holder = &mut self.grants[self.holders[channel.index()] as usize];
        debug_assert_eq!(holder.message, message, "who lets go has held");
        holder.until = at;
    }

    /// Which message held which channel, and when; one after the other for each channel.
    pub(crate) fn holdings(&self) -> impl Iterator<Item = Holding> + '_ {
        self.grants.iter().map(|&Grant { message, channel, given, until, .. }| Holding {
            message,
            channel,
            begin: given,
            end: until,
        })
    }

    /// When a message was to be sent, and when it was there.
    pub(crate) fn times(&self, message: u32) -> (u64, u64) {
        let Way { begin, arrived, .. } = self.ways[message as usize];
        (begin[0], arrived)
    }

    /// The last byte of a message leaves its source as far as is known by its latest grant.
    pub(super) fn left(&mut self, message: u32) {
        let way = &mut self.ways[message as usize];
        way.left = way.latest;
    }

    /// The grant with which a channel became free at this time.
    pub(super) fn freed(&self, channel: LinkId, at: u64) -> Option<u32> {
        let &(grant, time) = self.freed.get(channel.index())?;
        (grant != NONE && time == at).then_some(grant)
    }

    /// The latest grant of a message.
    pub(super) fn latest(&self, message: u32) -> Option<u32> {
        let latest = self.ways[message as usize].latest;
        (latest != NONE).then_some(latest)
    }

    /// The chain that ends when a message is there, at this time; the latest leg first. The last one begins when its
    /// message was to be sent.
    pub(crate) fn to_arrival(&self, message: u32, end: u64, terms: Terms) -> Vec<Leg> {
        let Way { arrived, latest, .. } = self.ways[message as usize];
        let mut chain = self.chain(message, latest, arrived, terms);
        chain[0].overhead += end - arrived;
        chain[0].end = end;
        chain
    }

    /// The same up to the moment in which its last byte left the source.
    pub(crate) fn to_leaving(&self, message: u32, end: u64, terms: Terms) -> Vec<Leg> {
        let Way { left, latest, .. } = self.ways[message as usize];
        self.chain(message, if left == NONE { latest } else { left }, end, terms)
    }

    /// The chain that ends at a time after a grant of a message.
    fn chain(&self, mut message: u32, mut grant: u32, mut end: u64, terms: Terms) -> Vec<Leg> {
        let mut legs = Vec::new();
        loop {
            let begin = self.ways[message as usize].begin;
            let mut leg =
                Leg { message, begin: begin[0], end, startup: 0, overhead: 0, waiting: 0, blocked: None };
            let mut cause = NONE;
            let mut later = end;
            while grant != NONE {
                let Grant { channel, asked, given, before, cause: by, .. } = self.grants[grant as usize];
                if terms.is_stored && channel.0 < terms.injection {
                    leg.startup += terms.startup;
                } else if !terms.is_stored && channel.0 >= terms.injection && before == NONE {
                    leg.startup += terms.startup.min(later - given);
                }
                later = asked;
                if asked < given && by != NONE {
                    (leg.begin, leg.blocked, cause) = (given, Some((channel, given - asked)), by);
                    break;
                }
                leg.waiting += given - asked;
                grant = before;
            }
            if cause == NONE {
                leg.overhead += begin[1] - begin[0];
                leg.startup += later - begin[1];
                legs.push(leg);
                return legs;
            }
            end = leg.begin;
            legs.push(leg);
            (message, grant) = (self.grants[cause as usize].message, cause);
        }
    }
}

//! A range of routers as the driver of open-loop traffic sees it, however it moves its packets.

use super::packet::{FlitPacket, Packets};
use super::region::{Region, Setup};

/// Something that leaves a range of routers. Words are packed (node, local channel).
#[derive(Clone, Copy, Debug)]
pub(super) enum Crossing {
    /// A head with its packet.
    Head(u32, FlitPacket),
    /// A flit behind it.
    Body(u32),
    /// A credit.
    Credit(u32),
    /// Flits behind a head, one a cycle, so many at most; none: the run breaks off.
    Run(u32, u32),
    /// Credits likewise.
    Credits(u32, u32),
}

impl Crossing {
    /// The node it goes to.
    pub(super) fn node(&self) -> u32 {
        let (Self::Head(word, _)
        | Self::Body(word)
        | Self::Credit(word)
        | Self::Run(word, _)
        | Self::Credits(word, _)) = self;
        super::wiring::unpack(*word).0
    }
}

/// A range of routers that is clocked from outside.
pub(super) trait Fabric {
    /// What it was made of.
    fn setup(&self) -> &Setup<'_>;

    /// Its nodes.
    fn nodes(&self) -> std::ops::Range<u32>;

    /// How many parts it has, which are clocked one by one.
    fn parts(&self) -> usize;

    /// The part of a node.
    fn part_of(&self, node: u32) -> usize;

    /// From now on this part is worked on.
    fn enter(&mut self, part: usize);

    /// The present cycle of the part.
    fn now(&self) -> u64;

    /// Queues a packet at a node's injection port.
    fn enqueue(&mut self, node: u32, port: u32, packet: FlitPacket);

    /// First phase: what was sent to this cycle of the part comes in.
    fn arrivals(&mut self, now: u64);

    /// Second phase: every router of the part that is awake does its work.
    fn visits(&mut self);

    /// Packets that came out in this cycle, by slot.
    fn delivered(&mut self) -> &mut Vec<u32>;

    /// The packets under way.
    fn packets(&mut self) -> &mut Packets;

    /// Whether anything happened in this cycle of the part or is to come.
    fn is_busy(&self) -> bool;

    /// A number above 0 if flits stand in buffers.
    fn flits_stuck(&self) -> u64;

    /// From now on, packets whose head has not left their source stay there.
    fn hold_sources(&mut self);

    /// What left, with the cycle it is due.
    fn outbox(&mut self) -> &mut Vec<(u64, Crossing)>;

    /// Takes in what another range sent.
    fn take_in(&mut self, at: u64, crossing: Crossing);

    /// Flits times links so far.
    fn flit_hops(&self) -> u64;
}

impl Fabric for Region<'_> {
    fn setup(&self) -> &Setup<'_> {
        self.setup
    }

    fn nodes(&self) -> std::ops::Range<u32> {
        self.first..self.last
    }

    fn parts(&self) -> usize {
        self.parts.count()
    }

    fn part_of(&self, node: u32) -> usize {
        self.parts.index(node)
    }

    fn enter(&mut self, part: usize) {
        self.parts.enter(part);
    }

    fn now(&self) -> u64 {
        self.now
    }

    fn enqueue(&mut self, node: u32, port: u32, packet: FlitPacket) {
        Region::enqueue(self, node, port, packet);
    }

    fn arrivals(&mut self, now: u64) {
        Region::arrivals(self, now);
    }

    fn visits(&mut self) {
        Region::visits(self);
    }

    fn delivered(&mut self) -> &mut Vec<u32> {
        &mut self.delivered
    }

    fn packets(&mut self) -> &mut Packets {
        &mut self.packets
    }

    fn is_busy(&self) -> bool {
        self.moved || !self.parts.here.wheel.is_empty()
    }

    fn flits_stuck(&self) -> u64 {
        self.flits() as u64
    }

    fn hold_sources(&mut self) {
        self.held = true;
    }

    fn outbox(&mut self) -> &mut Vec<(u64, Crossing)> {
        &mut self.outbox
    }

    fn take_in(&mut self, at: u64, crossing: Crossing) {
        let moment = self.parts.any(crossing.node()).wheel.at(at);
        match crossing {
            Crossing::Head(word, packet) => {
                let slot = self.packets.insert(packet);
                moment.heads.push((word, slot));
            }
            Crossing::Body(word) => moment.bodies.push(word),
            Crossing::Credit(word) => moment.credits.push(word),
            Crossing::Run(..) | Crossing::Credits(..) => unreachable!("every flit is sent by itself"),
        }
    }

    fn flit_hops(&self) -> u64 {
        self.flit_hops
    }
}

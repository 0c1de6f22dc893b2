//! The paper's split in bounded memory, and its messages of 16 bytes.

use crate::halving;
use crate::list::{Bounded, Full};
use crate::member::{Body, Early, Envelope, EnvelopeOf, Level, Member, Port};
use crate::packet::RankSplitPacket;
use crate::pass::PassDirection;
use crate::program::Label;
use crate::routing::{Role, Routed};
use crate::scheme::{Join, Outbox, Scheme};
use crate::splitting::{RankSplitEvent, RankSplitting, Steps};
use crate::tree::{Edges, Neighbours, Place, Side};
use crate::words::Words;

/// The paper's split with room for LEVELS groups around each other, EARLY messages before their time, and HELD packets
/// of others before step 4; nodes are numbers of 32 bits, colours 0 and 1, and members keep their order.
///
/// Groups join over their own trees, whose roots tell each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chip<const LEVELS: usize, const EARLY: usize, const HELD: usize> {
    steps: Steps,
}

impl<const LEVELS: usize, const EARLY: usize, const HELD: usize> Chip<LEVELS, EARLY, HELD> {
    /// A split that does these steps.
    pub fn new(steps: Steps) -> Self {
        Self { steps }
    }
}

/// The place of a member in a rank-halving tree: four neighbours at most, whatever the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seat {
    rank: u32,
    size: u32,
    parent: Option<u32>,
    children: [(u32, Side); 2],
    child_count: u8,
    adjacent_root: Option<u32>,
}

impl Seat {
    /// A rank in a group of this size, and who its neighbours are.
    pub fn new(rank: u32, size: u32, neighbours: Neighbours<u32>) -> Self {
        let Neighbours { parent, left, right, adjacent_root } = neighbours;
        let [left, right] =
            [(left, Side::Left), (right, Side::Right)].map(|(node, side)| node.map(|node| (node, side)));
        let (children, child_count) = match (left, right) {
            (Some(left), Some(right)) => ([left, right], 2),
            (Some(only), None) | (None, Some(only)) => ([only, (0, Side::Right)], 1),
            (None, None) => ([(0, Side::Left), (0, Side::Right)], 0),
        };
        Self { rank, size, parent, children, child_count, adjacent_root }
    }

    /// The place of a rank in a group whose nodes are listed by rank.
    ///
    /// # Panics
    ///
    /// When the rank is not below the size of the group.
    pub fn in_group(nodes: &[u32], rank: u32) -> Self {
        let size = nodes.len() as u32;
        let place = halving::place(rank, size);
        let node = |rank: u32| nodes[rank as usize];
        let (parent, left, right) = (place.parent.map(node), place.left.map(node), place.right.map(node));
        Self::new(rank, size, Neighbours { parent, left, right, adjacent_root: None })
    }

    /// At the root: the root of the other group of the split that made this one, if that has members.
    pub fn adjacent_root(&self) -> Option<u32> {
        self.adjacent_root
    }
}

impl Place for Seat {
    type Node = u32;

    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn edges(&self) -> Edges<'_, u32> {
        Edges { parent: self.parent, children: &self.children[..usize::from(self.child_count)] }
    }
}

/// What a member keeps of a split.
pub type Splitting<const HELD: usize> = RankSplitting<u32, Bounded<Routed<u32>, HELD>>;

impl<const LEVELS: usize, const EARLY: usize, const HELD: usize> Scheme for Chip<LEVELS, EARLY, HELD> {
    type Node = u32;
    type Place = Seat;
    type Packet = RankSplitPacket<u32>;
    type Splitting = Splitting<HELD>;
    type Cargo = Words<Bounded<u64, 2>>;
    type Levels = Bounded<Level<Seat, Self::Splitting>, LEVELS>;
    type Early = Bounded<Early<Self>, EARLY>;

    fn is_ordered(&self) -> bool {
        true
    }

    fn join<'p>(&self, _: &'p Seat, own: &'p Seat) -> Join<'p, u32> {
        Join { edges: own.edges(), across: own.adjacent_root }
    }

    /// # Panics
    ///
    /// When the colour is neither 0 nor 1. Keys are not looked at.
    fn begin(
        &mut self,
        node: u32,
        place: &Seat,
        label: Label,
        out: &mut impl Outbox<u32, Self::Packet>,
    ) -> Result<Self::Splitting, Full> {
        assert!(label.colour < 2, "the paper's states are 0 and 1");
        RankSplitting::begin(node, label.colour as u8, &mut RankSplitEvent::at(self.steps, place, out))
    }

    fn receive(
        &mut self,
        _: u32,
        place: &Seat,
        splitting: &mut Self::Splitting,
        from: u32,
        packet: Self::Packet,
        out: &mut impl Outbox<u32, Self::Packet>,
    ) -> Result<(), Full> {
        splitting.receive(from, packet, &mut RankSplitEvent::at(self.steps, place, out))
    }

    fn take_place(&mut self, splitting: &mut Self::Splitting) -> Option<Seat> {
        splitting.take_place().map(|(rank, size, neighbours)| Seat::new(rank, size, neighbours))
    }
}

/// What is sent by members that pass words and split as the paper does; N names a node.
pub type WordEnvelope<N> = Envelope<Option<u64>, RankSplitPacket<N>>;

/// A message as 16 bytes on a wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(C)]
pub struct Message {
    /// What it carries.
    pub word: u64,
    /// Which operation of its group it belongs to.
    pub number: u32,
    /// How many splits are around that.
    pub level: u16,
    /// What it is: see [`Message::of`].
    pub kind: u16,
}

/// Kinds: the packets of a split in the order of [`RankSplitPacket::STEPS`], then passes up, down and across, without
/// and with a word.
const PASS: u16 = 6;

impl Message {
    /// Of what members send each other; none where the level or a rank is too large for it: 2^16 levels, ranks of 29 bits.
    pub fn of<N: Copy + Into<u32>>(envelope: &WordEnvelope<N>) -> Option<Self> {
        let (kind, word) = match &envelope.body {
            Body::Pass(way, load) => (PASS + 2 * *way as u16 + u16::from(load.is_some()), load.unwrap_or(0)),
            Body::Own(packet) => (packet.step() as u16, word_of(packet)?),
        };
        let level = u16::try_from(envelope.level).ok()?;
        Some(Self { word, number: envelope.number, level, kind })
    }

    /// Its bytes, little-endian.
    pub fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.word.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.number.to_le_bytes());
        bytes[12..14].copy_from_slice(&self.level.to_le_bytes());
        bytes[14..].copy_from_slice(&self.kind.to_le_bytes());
        bytes
    }

    /// The message with these bytes; none if they are not 16.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (word, rest) = bytes.split_first_chunk()?;
        let (number, rest) = rest.split_first_chunk()?;
        let (level, rest) = rest.split_first_chunk()?;
        let (kind, rest) = rest.split_first_chunk()?;
        let message = Self {
            word: u64::from_le_bytes(*word),
            number: u32::from_le_bytes(*number),
            level: u16::from_le_bytes(*level),
            kind: u16::from_le_bytes(*kind),
        };
        rest.is_empty().then_some(message)
    }

    /// What it says; none if no member has sent it.
    pub fn open<N: From<u32>>(self) -> Option<WordEnvelope<N>> {
        let Self { word, number, level, kind } = self;
        let [low, high] = [word as u32, (word >> 32) as u32];
        let body = match kind {
            0 => Body::Own(RankSplitPacket::Forward([low, high])),
            1 => Body::Own(RankSplitPacket::Backward { total: low, before: high }),
            2 => Body::Own(RankSplitPacket::Partial),
            3 => {
                let role = [Role::Parent, Role::Left, Role::Right, Role::Adjacent][(high >> 29 & 3) as usize];
                let (state, rank) = ((high >> 31) as u8, high & ((1 << 29) - 1));
                Body::Own(RankSplitPacket::Routing(Routed { state, rank, source: N::from(low), role }))
            }
            4 => Body::Own(RankSplitPacket::Gather),
            5 => Body::Own(RankSplitPacket::Release),
            PASS..12 => {
                let ways = [PassDirection::Up, PassDirection::Down, PassDirection::Across];
                let way = ways[usize::from((kind - PASS) / 2)];
                Body::Pass(way, (kind % 2 == 1).then_some(word))
            }
            _ => return None,
        };
        Some(Envelope { level: level.into(), number, body })
    }
}

/// The two words of 32 bits of a packet: 1 + 2 + 29 + 32 bits of one that is routed.
fn word_of<N: Copy + Into<u32>>(packet: &RankSplitPacket<N>) -> Option<u64> {
    let [low, high] = match *packet {
        RankSplitPacket::Forward(counts) => counts,
        RankSplitPacket::Backward { total, before } => [total, before],
        RankSplitPacket::Routing(Routed { state, rank, source, role }) => {
            if rank >> 29 > 0 {
                return None;
            }
            [source.into(), u32::from(state) << 31 | (role as u32) << 29 | rank]
        }
        _ => [0; 2],
    };
    Some(u64::from(high) << 32 | u64::from(low))
}

/// A member on a chip.
pub type ChipMember<const LEVELS: usize, const EARLY: usize, const HELD: usize> =
    Member<Chip<LEVELS, EARLY, HELD>>;

/// Messages go to a function, as they stand on the wire.
///
/// # Panics
///
/// When a group has 2^29 members or more.
impl<F: FnMut(u32, Message), const LEVELS: usize, const EARLY: usize, const HELD: usize>
    Port<Chip<LEVELS, EARLY, HELD>> for F
{
    fn send(&mut self, to: u32, _: u64, envelope: EnvelopeOf<Chip<LEVELS, EARLY, HELD>>) {
        self(to, Message::of(&envelope).expect("groups have fewer than 2^29 members"));
    }
}

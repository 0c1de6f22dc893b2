//! MASK: everybody learns all labels, and finds its new group alone.
//!
//! The labels are gathered up the tree of the group and sent down again, in blocks of B bytes that are passed on as
//! soon as they are full: a member does not wait for its whole sub-tree, and the root sends the first labels down
//! while the last are still coming up. A block lists labels one by one, `ceil(log2 k)` bits each for k colours, or
//! runs of equal ones, whichever tells more. A member knows the tree of its group, so a block need only say where it
//! begins; this, the number of its labels, its form and the number of the split travel in the head of the packet, as
//! ranks and addresses do in the paper's.
//!
//! With all labels a member computes its new rank (by key, then by old rank: what `MPI_Comm_split` does) and the tree
//! of its new group; no further message is needed. The price is memory, O(s) per member, and s log2 k bits on every
//! edge of the tree.
//!
//! In a simulation all members of a group would make the same from the same labels. It is made once, by the root, and
//! handed down beside the last block; [`Mask::bytes_kept`](Scheme::bytes_kept) counts it for every member, and a test
//! lets every member make its own from the blocks it has seen.
//!
//! | file | what |
//! |---|---|
//! | [`coding`] | labels as bits, blocks |
//! | [`stream`] | what is gathered and not sent on |
//! | [`membership`] | what a member knows of its group, and what it makes of the labels |
//!
//! # Source
//!
//! `chochia1996` for the problem; that an exchange of all colours suffices is how `sack2010` describes the usual
//! implementation of `MPI_Comm_split`.

pub mod coding;
pub mod membership;
pub mod stream;

use std::sync::Arc;

pub use coding::{Block, Coding, Extent, LabelRun, Number};
pub use membership::{Membership, Parts};
use stream::Stream;

use crate::protocol::{Label, Outbox, Position, Scheme};
use crate::{Group, Tree};
use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, NodeId};
use meshwright_network::topology::Machine;

/// How the tree of a group is built: a function that every member can run alone.
pub type TreeOf = fn(&Machine, &Group) -> Result<Tree>;

/// The scheme; see [the module](self).
#[derive(Clone, Debug)]
pub struct Mask<'m> {
    machine: &'m Machine,
    tree: TreeOf,
    known: Option<Extent>,
    block: Bytes,
}

impl<'m> Mask<'m> {
    /// With trees of this kind, in blocks of 8 bytes; before the labels are gathered, the members find out between
    /// which values they lie: one barrier more.
    pub fn new(machine: &'m Machine, tree: TreeOf) -> Self {
        Self { machine, tree, known: None, block: Bytes(8) }
    }

    /// With all colours below the first and all keys below the second number, which everybody knows; there are no
    /// keys if the second is 1.
    ///
    /// # Panics
    ///
    /// When a number is 0; later, when a label breaks the promise.
    pub fn knowing(self, colours: u32, keys: u32) -> Self {
        assert!(colours > 0 && keys > 0, "there is a colour and a key");
        Self { known: Some(Extent { colours: (0, colours - 1), keys: (0, keys - 1) }), ..self }
    }

    /// In blocks of so many bytes, at least 8. Small blocks are passed on sooner, large ones are fewer.
    pub fn in_blocks(self, block: Bytes) -> Self {
        Self { block, ..self }
    }

    /// Everything is known about the labels: the blocks begin to flow, or, if all are equal, nothing is left to do.
    fn know(
        &self,
        place: &Position<Arc<Membership>>,
        splitting: &mut MaskSplitting,
        extent: Extent,
        out: &mut Outbox<MaskPacket>,
    ) {
        let is_inside = extent.and(Extent::of(splitting.label)) == extent;
        assert!(is_inside, "a label is inside the extent that was named for it");
        let coding = Coding::new(extent, place.size(), self.block);
        if coding.bits() == 0 {
            splitting.next = Some(place.clone());
            return;
        }
        splitting.coding = Some(coding);
        let own = vec![(coding.code(splitting.label), 1)];
        splitting.stream.add(place.known().at(place.rank()), own);
        self.flow(place, splitting, out);
    }

    /// Sends on what is there: to the parent, or from the root to its children.
    fn flow(
        &self,
        place: &Position<Arc<Membership>>,
        splitting: &mut MaskSplitting,
        out: &mut Outbox<MaskPacket>,
    ) {
        let coding = splitting.coding.expect("labels flow when their width is known");
        let end = place.known().stretch(place.rank()).1;
        while let Some(block) = splitting.stream.take(end, &coding) {
            if let Some(parent) = place.links().parent {
                out.send(parent, block.bytes(), MaskPacket::Gather(block));
                continue;
            }
            splitting.all.extend(coding.decode(&block));
            let is_last = block.first + block.count == end;
            let parts = is_last.then(|| {
                let all = std::mem::take(&mut splitting.all);
                Arc::new(Parts::new(self.machine, self.tree, place.known(), &coding, &all))
            });
            splitting.learn(place, &block, parts, out);
        }
    }

    /// Reports one kind of number, once all children have.
    fn report(
        &self,
        place: &Position<Arc<Membership>>,
        splitting: &mut MaskSplitting,
        number: Number,
        out: &mut Outbox<MaskPacket>,
    ) {
        if splitting.waiting[number as usize] > 0 {
            return;
        }
        let range = splitting.extent.of_number(number);
        match place.links().parent {
            Some(parent) => out.send(parent, RANGE, MaskPacket::Extent(number, range)),
            None => self.pass_range(place, splitting, (number, range), out),
        }
    }

    /// Tells the children between which values all numbers of a kind lie.
    fn pass_range(
        &self,
        place: &Position<Arc<Membership>>,
        splitting: &mut MaskSplitting,
        (number, range): (Number, (u32, u32)),
        out: &mut Outbox<MaskPacket>,
    ) {
        for &(child, _) in &place.links().children {
            out.send(child, RANGE, MaskPacket::Width(number, range));
        }
        *splitting.extent.of_number_mut(number) = range;
        splitting.unknown -= 1;
        if splitting.unknown == 0 {
            self.know(place, splitting, splitting.extent, out);
        }
    }
}

/// A smallest and a largest number.
const RANGE: Bytes = Bytes(8);

/// The position of a rank: beside it what all members keep, shared in a simulation.
fn position(membership: &Arc<Membership>, rank: u32) -> Position<Arc<Membership>> {
    Position::new(rank, membership.group().size(), membership.links(rank), Arc::clone(membership))
}

/// What members send each other.
#[derive(Clone, Debug)]
pub enum MaskPacket {
    /// Up: between which values the colours or the keys of a sub-tree lie.
    Extent(Number, (u32, u32)),
    /// Down: between which values all colours or keys lie.
    Width(Number, (u32, u32)),
    /// Up: labels of a sub-tree.
    Gather(Block),
    /// Down: labels of the group, the last block with what they make of it.
    Spread(Block, Option<Arc<Parts>>),
}

/// What a member keeps of a split.
#[derive(Debug)]
pub struct MaskSplitting {
    label: Label,
    /// Children that have not told the extent of their colours, of their keys.
    waiting: [u32; 2],
    /// How many of the two it does not know for the whole group.
    unknown: u32,
    extent: Extent,
    coding: Option<Coding>,
    stream: Stream,
    /// At the root: the labels it has sent.
    all: Vec<LabelRun>,
    /// How many labels have come down.
    learnt: u32,
    parts: Option<Arc<Parts>>,
    next: Option<Position<Arc<Membership>>>,
}

impl MaskSplitting {
    /// Passes on a block that comes down, and goes on when it was the last to come.
    fn learn(
        &mut self,
        place: &Position<Arc<Membership>>,
        block: &Block,
        parts: Option<Arc<Parts>>,
        out: &mut Outbox<MaskPacket>,
    ) {
        for &(child, _) in &place.links().children {
            out.send(child, block.bytes(), MaskPacket::Spread(block.clone(), parts.clone()));
        }
        self.learnt += block.count;
        self.parts = self.parts.take().or(parts);
        if self.learnt == place.size() {
            let parts = self.parts.take().expect("the last block brings what the labels make");
            let (membership, rank) = parts.place(place.rank());
            self.next = Some(position(membership, rank));
        }
    }
}

impl Scheme for Mask<'_> {
    const STEPS: &'static [&'static str] = &["extent", "width", "gather", "spread"];
    type Known = Arc<Membership>;
    type Packet = MaskPacket;
    type Splitting = MaskSplitting;

    fn is_ordered(&self) -> bool {
        false
    }

    fn places(&self, machine: &Machine, group: &Group) -> Result<Vec<Position<Arc<Membership>>>> {
        let membership = Arc::new(Membership::new(group.clone(), (self.tree)(machine, group)?));
        Ok((0..group.size()).map(|rank| position(&membership, rank)).collect())
    }

    fn begin(
        &self,
        _: NodeId,
        place: &Position<Arc<Membership>>,
        label: Label,
        out: &mut Outbox<MaskPacket>,
    ) -> MaskSplitting {
        let mut splitting = MaskSplitting {
            label,
            waiting: [place.links().children.len() as u32; 2],
            unknown: 2,
            extent: Extent::of(label),
            coding: None,
            stream: Stream::from(place.known().stretch(place.rank()).0),
            all: Vec::new(),
            learnt: 0,
            parts: None,
            next: None,
        };
        match self.known {
            Some(extent) => self.know(place, &mut splitting, extent, out),
            None => {
                self.report(place, &mut splitting, Number::Colour, out);
                self.report(place, &mut splitting, Number::Key, out);
            }
        }
        splitting
    }

    fn receive(
        &self,
        _: NodeId,
        place: &Position<Arc<Membership>>,
        splitting: &mut MaskSplitting,
        _: NodeId,
        packet: MaskPacket,
        out: &mut Outbox<MaskPacket>,
    ) {
        match packet {
            MaskPacket::Extent(number, range) => {
                splitting.waiting[number as usize] -= 1;
                splitting.extent.include(number, range);
                self.report(place, splitting, number, out);
            }
            MaskPacket::Width(number, range) => self.pass_range(place, splitting, (number, range), out),
            MaskPacket::Gather(block) => {
                let coding = splitting.coding.expect("children hear of the width from their parent");
                splitting.stream.add(block.first, coding.decode(&block));
                self.flow(place, splitting, out);
            }
            MaskPacket::Spread(block, parts) => splitting.learn(place, &block, parts, out),
        }
    }

    fn take_place(&self, splitting: &mut MaskSplitting) -> Option<Position<Arc<Membership>>> {
        splitting.next.take()
    }

    fn step(packet: &MaskPacket) -> usize {
        match packet {
            MaskPacket::Extent(..) => 0,
            MaskPacket::Width(..) => 1,
            MaskPacket::Gather(_) => 2,
            MaskPacket::Spread(..) => 3,
        }
    }

    fn nodes(place: &Position<Arc<Membership>>) -> Option<&[NodeId]> {
        Some(place.known().group().members())
    }

    fn bytes_kept(place: &Position<Arc<Membership>>, splitting: Option<&MaskSplitting>) -> usize {
        let labels = |splitting: &MaskSplitting| {
            // The labels that have come down, a code each.
            size_of::<MaskSplitting>()
                + splitting.stream.bytes()
                + splitting.learnt as usize * size_of::<u64>()
        };
        place.bytes() + place.known().bytes() + splitting.map_or(0, labels)
    }
}

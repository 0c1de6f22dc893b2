//! The part of one member in a split.

use smallvec::SmallVec;

use super::counting::Passes;
use super::fingers::Fingers;
use super::network::Round;
use super::packet::{Seat, Sort, SortPacket};
use super::record::{Coding, Record};
use super::scheme::{CurvePlace, CurveSort, links};
use crate::mask::Extent;
use crate::protocol::{Label, Outbox, Position, Side};
use meshwright_core::units::{Bytes, NodeId};

/// One member at one event of a split.
pub(super) struct SortEvent<'a> {
    pub(super) sort: &'a CurveSort,
    pub(super) node: NodeId,
    pub(super) place: &'a Position<CurvePlace>,
    pub(super) out: &'a mut Outbox<SortPacket>,
}

/// What a member waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The extent of all labels.
    Extent,
    /// What its children have counted.
    Counts,
    /// What is before it.
    Before,
    /// The record that goes to its place.
    Moving,
    /// The record it is compared with.
    Sorting(Sort, Round),
    /// The records beside its own.
    Beside,
    /// The ends of groups below it.
    Ends,
    /// The ends of its group.
    Around,
    /// Who is beside its record in the new tree.
    Edges,
    /// Nothing: what may still come concerns its own place.
    Over,
}

/// What a member keeps of a split: O(log s).
#[derive(Debug)]
pub struct CurveSplitting {
    pub(super) label: Label,
    pub(super) stage: Stage,
    /// Whether its own part of the present round has been sent.
    pub(super) is_sent: bool,
    pub(super) fingers: Fingers,
    /// Children that have not told the extent of their labels.
    pub(super) waiting: u32,
    pub(super) extent: Extent,
    pub(super) coding: Option<Coding>,
    /// The record it holds.
    pub(super) record: u128,
    pub(super) passes: Passes,
    /// Records of later rounds.
    pub(super) early: SmallVec<[(Sort, Round, u128); 2]>,
    /// Records on their way over a member that it does not know yet: pass and target.
    pub(super) waiting_moves: Vec<(u32, u32, u128)>,
    /// The records at the places before and after.
    pub(super) beside: [Option<u128>; 2],
    /// By child on the left and on the right, the ends of groups below it; whether it has told.
    pub(super) below: [Option<[Option<u32>; 2]>; 2],
    /// The first and the last place of the group whose record it holds.
    pub(super) run: [u32; 2],
    /// Who holds the records beside its own in the new tree.
    pub(super) edges: [Option<NodeId>; 3],
    /// Its own place in its new group.
    pub(super) seat: Option<Seat>,
    pub(super) rank: Option<u32>,
    pub(super) is_taken: bool,
}

impl CurveSplitting {
    /// A member begins.
    pub(super) fn begin(label: Label, event: &mut SortEvent<'_>) -> Self {
        let (size, known) = (event.place.size(), event.place.known());
        let mut own = Self {
            label,
            stage: Stage::Extent,
            is_sent: false,
            fingers: if known.fingers.is_some() { Fingers::default() } else { Fingers::new(size) },
            waiting: event.place.links().children.len() as u32,
            extent: Extent::of(label),
            coding: None,
            record: 0,
            passes: Passes::default(),
            early: SmallVec::new(),
            waiting_moves: Vec::new(),
            beside: [None; 2],
            below: [None; 2],
            run: [0, size - 1],
            edges: [None; 3],
            seat: None,
            rank: None,
            is_taken: false,
        };
        let bytes = event.node_bytes();
        let asks = event.place.known().fingers.is_none();
        for (side, beside) in [Side::Left, Side::Right].into_iter().zip(event.place.known().beside) {
            if let Some(node) = beside.filter(|_| asks) {
                own.fingers.learn(0, side, node, bytes, event.out);
            }
        }
        match event.sort.known() {
            Some(extent) => own.know(extent, event),
            None => own.report(event),
        }
        own
    }

    /// A packet has come.
    pub(super) fn receive(&mut self, from: NodeId, packet: SortPacket, event: &mut SortEvent<'_>) {
        match packet {
            SortPacket::Extent(extent) => {
                self.waiting -= 1;
                self.extent = self.extent.and(extent);
                self.report(event);
            }
            SortPacket::Width(extent) => self.know(extent, event),
            SortPacket::Finger(level, side, node) => {
                self.fingers.learn(level.into(), side, node, event.node_bytes(), event.out);
                for (pass, target, record) in std::mem::take(&mut self.waiting_moves) {
                    self.carry(pass, target, record, event);
                }
                self.advance(event);
            }
            SortPacket::Counts(counts) => {
                self.passes.put(event.side_of(from), counts);
                self.advance(event);
            }
            SortPacket::Before(before) => self.distribute(&before, event),
            SortPacket::Move(pass, target, record) => self.carry(pass, target, record, event),
            SortPacket::Compare(sort, round, record) => {
                self.early.push((sort, round, record));
                self.advance(event);
            }
            SortPacket::Beside(side, record) => {
                self.beside[side as usize] = Some(record);
                self.advance(event);
            }
            SortPacket::Ends(ends) => {
                self.below[event.side_of(from) as usize] = Some(ends);
                self.advance(event);
            }
            SortPacket::Around(around) => self.found(around, event),
            SortPacket::Edge(which, node) => {
                self.edges[usize::from(which)] = Some(node);
                self.advance(event);
            }
            SortPacket::Seat(seat) => self.seat = Some(seat),
            SortPacket::Rank(rank) => self.rank = Some(rank),
        }
    }

    /// Reports the extent of the labels below, once all children have.
    fn report(&mut self, event: &mut SortEvent<'_>) {
        if self.waiting > 0 {
            return;
        }
        match event.place.links().parent {
            Some(parent) => event.out.send(parent, EXTENT, SortPacket::Extent(self.extent)),
            None => self.know(self.extent, event),
        }
    }

    /// Everything is known about the labels: the sorting begins.
    fn know(&mut self, extent: Extent, event: &mut SortEvent<'_>) {
        let is_inside = extent.and(Extent::of(self.label)) == extent;
        assert!(is_inside, "a label is inside the extent that was named for it");
        if event.sort.known().is_none() {
            event.tell_children(EXTENT, |_| SortPacket::Width(extent));
        }
        let (place, known) = (event.place, event.place.known());
        let coding = Coding::new(extent, event.sort.length(), place.size(), known.is_reordered);
        let step = event.sort.step_of(event.node);
        self.coding = Some(coding);
        self.record = coding.by_colour(&Record { label: self.label, step, rank: place.rank() });
        if coding.has_one_colour() {
            // The group stays; its members may change their ranks.
            let links = place.links();
            let child = |side| links.children.iter().find(|child| child.1 == side).map(|child| child.0);
            self.seat = Some(Seat {
                place: known.place,
                size: place.size(),
                beside: known.beside,
                links: [links.parent, child(Side::Left), child(Side::Right)],
            });
            self.by_key();
            if extent.keys.0 == extent.keys.1 {
                (self.stage, self.rank) = (Stage::Over, Some(place.rank()));
            }
        } else {
            let counts = coding.passes() <= event.sort.passes_most();
            self.stage = if counts { Stage::Counts } else { Stage::Sorting(Sort::ByColour, Round::FIRST) };
        }
        self.advance(event);
    }

    /// The record goes into the sort by key, if ranks may change.
    pub(super) fn by_key(&mut self) {
        let coding = self.coding();
        self.stage = Stage::Over;
        if coding.reorders() {
            self.record = coding.by_key(self.record);
            self.stage = Stage::Sorting(Sort::ByKey, Round::FIRST);
        }
    }

    pub(super) fn coding(&self) -> Coding {
        self.coding.expect("records are compared when their length is known")
    }

    /// Goes on as far as it can.
    pub(super) fn advance(&mut self, event: &mut SortEvent<'_>) {
        while match self.stage {
            Stage::Counts => self.tell_counts(event),
            Stage::Moving => self.settle(event),
            Stage::Sorting(sort, round) => self.compare(sort, round, event),
            Stage::Beside => self.look_beside(event),
            Stage::Ends => self.tell_ends(event),
            Stage::Edges => self.find_edges(event),
            Stage::Extent | Stage::Before | Stage::Around | Stage::Over => false,
        } {}
    }

    /// One round; whether it is over.
    fn compare(&mut self, sort: Sort, round: Round, event: &mut SortEvent<'_>) -> bool {
        let [first, last] = if sort == Sort::ByKey { self.run } else { [0, event.place.size() - 1] };
        let (place, size) = (event.place.known().place - first, last - first + 1);
        if round.is_over(size) {
            self.sorted(sort, place, event);
            return true;
        }
        if let Some(partner) = round.partner(place, size) {
            let side = if partner < place { Side::Left } else { Side::Right };
            let Some(node) = self.finger(round.stride(), side, event) else { return false };
            if !self.is_sent {
                let bytes = self.coding().record_bytes(sort == Sort::ByColour);
                event.out.send(node, bytes, SortPacket::Compare(sort, round, self.record));
                self.is_sent = true;
            }
            let come = self.early.iter().position(|early| (early.0, early.1) == (sort, round));
            let Some(come) = come else { return false };
            let (.., other) = self.early.swap_remove(come);
            self.record = if partner < place { self.record.max(other) } else { self.record.min(other) };
        }
        self.is_sent = false;
        self.stage = Stage::Sorting(sort, round.next());
        true
    }

    /// The node `2^level` places away, once it is known.
    pub(super) fn finger(&self, level: usize, side: Side, event: &SortEvent<'_>) -> Option<NodeId> {
        event.place.known().fingers.as_ref().unwrap_or(&self.fingers).at(level, side)
    }

    /// All records stand where they belong.
    pub(super) fn sorted(&mut self, sort: Sort, place: u32, event: &mut SortEvent<'_>) {
        let coding = self.coding();
        match sort {
            Sort::ByColour => {
                self.stage = Stage::Beside;
                let sides = [Side::Right, Side::Left].into_iter();
                for (side, beside) in sides.zip(event.place.known().beside) {
                    if let Some(node) = beside {
                        let packet = SortPacket::Beside(side, self.record);
                        event.out.send(node, coding.beside_bytes(), packet);
                    }
                }
            }
            Sort::ByKey => {
                self.stage = Stage::Over;
                let member = event.sort.node(coding.step_by_key(self.record));
                self.tell(member, coding.bytes(0, 1), SortPacket::Rank(place), event);
            }
        }
    }

    /// Sends to a member, which may be this one.
    pub(super) fn tell(
        &mut self,
        member: NodeId,
        bytes: Bytes,
        packet: SortPacket,
        event: &mut SortEvent<'_>,
    ) {
        if member == event.node {
            self.receive(member, packet, event);
        } else {
            event.out.send(member, bytes, packet);
        }
    }

    /// The new place, once, when both answers have come.
    pub(super) fn take_place(&mut self) -> Option<Position<CurvePlace>> {
        let (seat, reorders) = (self.seat?, self.coding?.reorders());
        let rank = if reorders { self.rank? } else { seat.place };
        if std::mem::replace(&mut self.is_taken, true) {
            return None;
        }
        let known =
            CurvePlace { place: seat.place, beside: seat.beside, is_reordered: reorders, fingers: None };
        Some(Position::new(rank, seat.size, links(seat.links), known))
    }

    /// The memory it takes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let spilled = if self.early.spilled() { size_of_val(&self.early[..]) } else { 0 };
        size_of::<Self>() - size_of::<Fingers>()
            + self.fingers.bytes()
            + self.passes.bytes()
            + spilled
            + size_of_val(&self.waiting_moves[..])
    }
}

/// Two smallest and two largest numbers.
const EXTENT: Bytes = Bytes(16);

impl SortEvent<'_> {
    /// The length of a node.
    pub(super) fn node_bytes(&self) -> Bytes {
        let bits = u32::BITS - (self.sort.length() - 1).leading_zeros();
        Bytes(u64::from(bits.div_ceil(8).max(1)))
    }

    /// On which side a child is.
    pub(super) fn side_of(&self, child: NodeId) -> Side {
        let mut children = self.place.links().children.iter();
        children.find(|(node, _)| *node == child).expect("children tell").1
    }

    pub(super) fn tell_children(&mut self, bytes: Bytes, packet: impl Fn(Side) -> SortPacket) {
        for &(child, side) in &self.place.links().children {
            self.out.send(child, bytes, packet(side));
        }
    }
}

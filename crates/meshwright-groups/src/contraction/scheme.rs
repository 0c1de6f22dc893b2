//! The part of one member in a split.

use super::Contraction;
use super::frame::{Cut, Extents};
use super::heads::{Attachment, Head, contract};
use super::merge::Merge;
use super::packet::{Child, ContractionPacket, GroupTarget, Tally};
use crate::Group;
use crate::protocol::{Label, Links, Outbox, Position, Scheme, Side};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Network};

/// What a member keeps of one group; beside its position where the group cuts rings open.
impl Position<Cut> {
    /// The slot of the member itself: how many children it has on the left.
    fn own_slot(&self) -> usize {
        self.links().children.iter().take_while(|(_, side)| *side == Side::Left).count()
    }

    /// The slot of a child.
    fn slot(&self, node: NodeId) -> usize {
        let place = self.links().children.iter().position(|&(child, _)| child == node);
        let place = place.expect("reports come from children");
        place + usize::from(place >= self.own_slot())
    }

    /// The child in a slot; none for the member itself.
    fn child(&self, slot: usize) -> Option<NodeId> {
        let own = self.own_slot();
        (slot != own).then(|| self.links().children[slot - usize::from(slot > own)].0)
    }
}

/// One colour at one member.
#[derive(Debug)]
struct Colour {
    colour: u32,
    /// How many members of it are in the sub-tree.
    count: u32,
    /// What the root told.
    target: Option<GroupTarget>,
    /// The heads that came, with their slots; in order when all are there.
    heads: Vec<(usize, Head)>,
}

/// What a member keeps of a split.
#[derive(Debug)]
pub struct ContractionSplitting {
    colour: u32,
    merge: Merge,
    /// In increasing colour, as they were merged.
    colours: Vec<Colour>,
    /// Per colour one count for each slot.
    counts: Vec<u32>,
    /// Its rank in the new group.
    rank: u32,
    /// Where its groups cut rings open.
    cut: Cut,
    /// Its parent in the new group and how many children it will have.
    attached: Option<(Option<NodeId>, u32)>,
    children: Vec<Child>,
    is_taken: bool,
}

/// One member at one event of a split.
struct ContractionEvent<'a> {
    contraction: &'a Contraction,
    node: NodeId,
    place: &'a Position<Cut>,
    splitting: &'a mut ContractionSplitting,
    out: &'a mut Outbox<ContractionPacket>,
}

impl ContractionEvent<'_> {
    fn send(&mut self, to: NodeId, packet: ContractionPacket) {
        if to == self.node {
            self.answer(packet);
        } else {
            let bytes = packet.bytes(&self.contraction.frame, self.place.size());
            self.out.send(to, bytes, packet);
        }
    }

    /// Takes in what concerns the member itself.
    fn answer(&mut self, packet: ContractionPacket) {
        match packet {
            ContractionPacket::Attach { parent, children } => {
                self.splitting.attached = Some((parent, children));
            }
            ContractionPacket::Add(child) => self.splitting.children.push(child),
            packet => unreachable!("{packet:?} is for others"),
        }
    }

    /// Sends up, or aims at the root, what all children have counted.
    fn count(&mut self) {
        while let Some(tally) = self.splitting.merge.next(&mut self.splitting.counts) {
            let turn = self.splitting.colours.len() as u32;
            let Tally { colour, count, ref extents } = tally;
            let target = self.place.links().parent.is_none().then(|| GroupTarget {
                before: 0,
                size: count,
                centre: extents.centre(),
            });
            self.splitting.colours.push(Colour { colour, count, target: None, heads: Vec::new() });
            let is_last = self.splitting.merge.is_over();
            match (self.place.links().parent, target) {
                (Some(parent), _) => self.send(parent, ContractionPacket::Count { turn, is_last, tally }),
                (None, Some(target)) => self.aim(turn as usize, target),
                (None, None) => unreachable!("the root aims"),
            }
        }
    }

    /// The root has told about a colour.
    fn aim(&mut self, at: usize, target: GroupTarget) {
        let slots = self.place.links().children.len() + 1;
        let colour = self.splitting.colours[at].colour;
        let GroupTarget { mut before, size, ref centre } = target;
        for slot in 0..slots {
            let count = self.splitting.counts[at * slots + slot];
            if count == 0 {
                continue;
            }
            if let Some(child) = self.place.child(slot) {
                let target = GroupTarget { before, size, centre: centre.clone() };
                self.send(child, ContractionPacket::Target { colour, target });
            } else {
                self.splitting.rank = before;
                self.splitting.colours[at].heads.push((slot, Head::alone(self.node)));
            }
            before += count;
        }
        self.splitting.colours[at].target = Some(target);
        self.join_heads(at);
    }

    /// Contracts, once the heads of all slots have come.
    fn join_heads(&mut self, at: usize) {
        let slots = self.place.links().children.len() + 1;
        let wanted = self.splitting.counts[at * slots..][..slots].iter().filter(|&&count| count > 0).count();
        let own = &mut self.splitting.colours[at];
        let Some(target) = own.target.as_ref().filter(|_| own.heads.len() == wanted) else { return };
        let is_whole = own.count == target.size;
        own.heads.sort_unstable_by_key(|&(slot, _)| slot);
        let mut heads: Vec<Head> = std::mem::take(&mut own.heads).into_iter().map(|(_, head)| head).collect();
        let (frame, cut) = (&self.contraction.frame, self.place.known());
        let away = |node| frame.twice_from_centre(node, cut, &target.centre);
        let mut attached = Vec::new();
        let winner = contract(frame, self.contraction.penalty, &mut heads, away, &mut attached);
        let colour = own.colour;
        for &Attachment { child, parent, side, turn } in &attached {
            let (child, parent) = (heads[child], heads[parent].node);
            self.send(
                child.node,
                ContractionPacket::Attach { parent: Some(parent), children: child.children },
            );
            self.send(parent, ContractionPacket::Add(Child { node: child.node, side, turn }));
        }
        let head = heads[winner];
        match self.place.links().parent {
            Some(parent) if !is_whole => self.send(parent, ContractionPacket::Head { colour, head }),
            _ => self.send(head.node, ContractionPacket::Attach { parent: None, children: head.children }),
        }
    }

    fn place_of(&self, colour: u32) -> usize {
        let found = self.splitting.colours.binary_search_by_key(&colour, |own| own.colour);
        found.expect("the colour was counted here")
    }
}

impl Contraction {
    /// What the members of a tree are given, in the order of their ranks.
    pub fn places_in(&self, from: &super::OrderedTree) -> Vec<Position<Cut>> {
        let size = from.group.size();
        let links = |rank| Links::in_tree(&from.tree, &from.group, rank);
        (0..size).map(|rank| Position::new(rank, size, links(rank), from.cut.clone())).collect()
    }
}

impl Scheme for Contraction {
    const STEPS: &'static [&'static str] = ContractionPacket::KINDS;
    type Known = Cut;
    type Packet = ContractionPacket;
    type Splitting = ContractionSplitting;

    fn is_ordered(&self) -> bool {
        true
    }

    /// The places in [`Contraction::first`].
    fn places(&self, machine: &Machine, group: &Group) -> Result<Vec<Position<Cut>>> {
        match machine.network() {
            Network::Grid(grid) if self.frame.is_of(grid) => {}
            _ => return Err(Error::not_applicable("tac", "it was made for another machine")),
        }
        if group.size() == 0 {
            return Ok(Vec::new());
        }
        Ok(self.places_in(&self.first(group)))
    }

    /// # Panics
    ///
    /// When the key is not 0: ranks keep the old order.
    fn begin(
        &self,
        node: NodeId,
        place: &Position<Cut>,
        label: Label,
        out: &mut Outbox<ContractionPacket>,
    ) -> ContractionSplitting {
        assert_eq!(label.key, 0, "a contraction keeps the old order: keys are 0");
        let extents = Extents::of(self.frame.numbers(node, place.known()));
        let own = Tally { colour: label.colour, count: 1, extents };
        let mut splitting = ContractionSplitting {
            colour: label.colour,
            merge: Merge::new(place.links().children.len() + 1, place.own_slot(), own),
            colours: Vec::new(),
            counts: Vec::new(),
            rank: 0,
            cut: place.known().clone(),
            attached: None,
            children: Vec::new(),
            is_taken: false,
        };
        ContractionEvent { contraction: self, node, place, splitting: &mut splitting, out }.count();
        splitting
    }

    fn receive(
        &self,
        node: NodeId,
        place: &Position<Cut>,
        splitting: &mut ContractionSplitting,
        from: NodeId,
        packet: ContractionPacket,
        out: &mut Outbox<ContractionPacket>,
    ) {
        let mut event = ContractionEvent { contraction: self, node, place, splitting, out };
        match packet {
            ContractionPacket::Count { turn, is_last, tally } => {
                event.splitting.merge.put(place.slot(from), turn, is_last, tally);
                event.count();
            }
            ContractionPacket::Target { colour, target } => event.aim(event.place_of(colour), target),
            ContractionPacket::Head { colour, head } => {
                let at = event.place_of(colour);
                event.splitting.colours[at].heads.push((place.slot(from), head));
                event.join_heads(at);
            }
            packet => event.answer(packet),
        }
    }

    fn take_place(&self, splitting: &mut ContractionSplitting) -> Option<Position<Cut>> {
        let (parent, children) = splitting.attached?;
        if splitting.is_taken || splitting.children.len() < children as usize {
            return None;
        }
        splitting.is_taken = true;
        let own = splitting.colours.binary_search_by_key(&splitting.colour, |colour| colour.colour);
        let own = &splitting.colours[own.expect("its own colour was counted")];
        let target = own.target.as_ref().expect("a head knows its target");
        // Later children stand farther out on either side.
        splitting.children.sort_unstable_by_key(|child| match child.side {
            Side::Left => -1 - i64::from(child.turn),
            Side::Right => i64::from(child.turn),
        });
        let children = splitting.children.iter().map(|child| (child.node, child.side)).collect();
        Some(Position::new(splitting.rank, target.size, Links { parent, children }, splitting.cut.clone()))
    }

    fn step(packet: &ContractionPacket) -> usize {
        packet.kind()
    }

    fn bytes_kept(place: &Position<Cut>, splitting: Option<&ContractionSplitting>) -> usize {
        let split = splitting.map_or(0, |splitting| {
            let heads: usize = splitting.colours.iter().map(|colour| colour.heads.len()).sum();
            size_of::<ContractionSplitting>()
                + splitting.merge.bytes_kept()
                + splitting.colours.len() * size_of::<Colour>()
                + splitting.counts.len() * size_of::<u32>()
                + splitting.children.len() * size_of::<Child>()
                + heads * size_of::<(usize, Head)>()
        });
        place.bytes() + split
    }
}

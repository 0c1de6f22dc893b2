//! The plainest scheme there is: everybody sends its label to the first rank, which answers with places.

use meshwright_core::units::{Bytes, NodeId};
use meshwright_groups::protocol::{Label, Links, Outbox, Position, Scheme, Side};
use meshwright_groups::{Group, rank_halving};
use meshwright_network::topology::Machine;

/// Rank-halving trees, made by the member with rank 0.
pub(crate) struct Roster;

/// What a member knows of its group: the node of the first rank.
type Place = Position<NodeId>;

/// What members send each other.
#[derive(Debug)]
pub(crate) enum Packet {
    /// A rank, its node and its label.
    Label(u32, NodeId, Label),
    /// The new place.
    Place(Place),
}

/// The labels that came to the first rank; the new place, when it is known.
#[derive(Debug, Default)]
pub(crate) struct Splitting {
    labels: Vec<(u32, NodeId, Label)>,
    place: Option<Place>,
}

fn places_of(group: &Group) -> Vec<Place> {
    let size = group.size();
    let of = |rank| {
        let place = rank_halving::place(rank, size);
        let child = |rank: Option<u32>, side| rank.map(|rank| (group.node(rank), side));
        let children = [child(place.left, Side::Left), child(place.right, Side::Right)];
        let links = Links {
            parent: place.parent.map(|rank| group.node(rank)),
            children: children.into_iter().flatten().collect(),
        };
        Position::new(rank, size, links, group.node(0))
    };
    (0..size).map(of).collect()
}

impl Roster {
    /// The first rank has a label; when it has them all, it tells everybody.
    fn take(
        &self,
        node: NodeId,
        size: u32,
        splitting: &mut Splitting,
        label: (u32, NodeId, Label),
        out: &mut Outbox<Packet>,
    ) {
        splitting.labels.push(label);
        if splitting.labels.len() < size as usize {
            return;
        }
        splitting.labels.sort_by_key(|&(rank, ..)| rank);
        let group = Group::in_order(splitting.labels.iter().map(|&(_, node, _)| node).collect());
        let colours: Vec<u32> = splitting.labels.iter().map(|(.., label)| label.colour).collect();
        let keys: Vec<u32> = splitting.labels.iter().map(|(.., label)| label.key).collect();
        for (_, part) in group.split_by(&colours, &keys) {
            for (place, &member) in places_of(&part).into_iter().zip(part.members()) {
                if member == node {
                    splitting.place = Some(place);
                } else {
                    out.send(member, Bytes(8), Packet::Place(place));
                }
            }
        }
    }
}

impl Scheme for Roster {
    const STEPS: &'static [&'static str] = &["labels", "places"];
    type Known = NodeId;
    type Packet = Packet;
    type Splitting = Splitting;

    fn is_ordered(&self) -> bool {
        true
    }

    fn places(&self, _: &Machine, group: &Group) -> meshwright_core::Result<Vec<Place>> {
        Ok(places_of(group))
    }

    fn begin(&self, node: NodeId, place: &Place, label: Label, out: &mut Outbox<Packet>) -> Splitting {
        let mut splitting = Splitting::default();
        if place.rank() == 0 {
            self.take(node, place.size(), &mut splitting, (0, node, label), out);
        } else {
            out.send(*place.known(), Bytes(8), Packet::Label(place.rank(), node, label));
        }
        splitting
    }

    fn receive(
        &self,
        node: NodeId,
        place: &Place,
        splitting: &mut Splitting,
        _: NodeId,
        packet: Packet,
        out: &mut Outbox<Packet>,
    ) {
        match packet {
            Packet::Label(rank, from, label) => {
                self.take(node, place.size(), splitting, (rank, from, label), out);
            }
            Packet::Place(place) => splitting.place = Some(place),
        }
    }

    fn take_place(&self, splitting: &mut Splitting) -> Option<Place> {
        splitting.place.take()
    }

    fn step(packet: &Packet) -> usize {
        usize::from(matches!(packet, Packet::Place(_)))
    }

    fn bytes_kept(_: &Place, _: Option<&Splitting>) -> usize {
        0
    }
}

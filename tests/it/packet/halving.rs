//! Groups on rank-halving trees that never split.

use meshwright::Result;
use meshwright::groups::protocol::{Label, Links, Outbox, Scheme, Side};
use meshwright::groups::{Group, rank_halving};
use meshwright::topology::Machine;
use meshwright::units::NodeId;

/// Every member knows its edges in the rank-halving tree.
pub(crate) struct Halving;

#[derive(Debug)]
pub(crate) struct Place {
    links: Links,
    rank: u32,
    size: u32,
}

impl Scheme for Halving {
    const ORDERED: bool = true;
    const STEPS: &'static [&'static str] = &[];
    type Place = Place;
    type Packet = ();
    type Splitting = ();

    fn places(&self, _: &Machine, group: &Group) -> Result<Vec<Place>> {
        let size = group.size();
        let place = |rank| {
            let at = rank_halving::place(rank, size);
            let left = at.left.map(|child| (group.node(child), Side::Left));
            let right = at.right.map(|child| (group.node(child), Side::Right));
            let children = left.into_iter().chain(right).collect();
            Place { links: Links { parent: at.parent.map(|up| group.node(up)), children }, rank, size }
        };
        Ok((0..size).map(place).collect())
    }

    fn links(place: &Place) -> &Links {
        &place.links
    }

    fn rank_and_size(place: &Place) -> (u32, u32) {
        (place.rank, place.size)
    }

    fn begin(&self, _: NodeId, _: &Place, _: Label, _: &mut Outbox<()>) {
        unreachable!("these groups never split")
    }

    fn receive(&self, _: NodeId, _: &Place, _: &mut (), _: NodeId, _: (), _: &mut Outbox<()>) {
        unreachable!("these groups never split")
    }

    fn take_place(&self, _: &mut ()) -> Option<Place> {
        unreachable!("these groups never split")
    }

    fn step(_: &()) -> usize {
        unreachable!("these groups never split")
    }

    fn bytes_kept(_: &Place, _: Option<&()>) -> usize {
        size_of::<Place>()
    }
}

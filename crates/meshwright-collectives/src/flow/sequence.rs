//! One flow after another: who needed a block in the first contributes it to the second.

use std::collections::BTreeMap;

use super::{Block, Flow, Transfer};

/// The blocks of a flow and who needs or contributes each, its owner.
struct Side<'f> {
    flow: &'f Flow,
    owner: fn(&Block) -> u32,
    /// By owner the bytes and the number of its blocks.
    owned: BTreeMap<u32, (u64, u64)>,
}

impl<'f> Side<'f> {
    fn new(flow: &'f Flow, owner: fn(&Block) -> u32) -> Self {
        let mut owned: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for block in &flow.blocks {
            let (bytes, many) = owned.entry(owner(block)).or_default();
            (*bytes, *many) = (*bytes + block.bytes, *many + 1);
        }
        Self { flow, owner, owned }
    }

    /// By block where it begins and ends among those of its owner, in bytes; where none has bytes, all are of the same length.
    fn places(&self, other: &Self) -> Vec<(u64, u64)> {
        let mut before: BTreeMap<u32, u64> = BTreeMap::new();
        let place = |block: &Block| {
            let owner = (self.owner)(block);
            let length = if self.owned[&owner].0 == 0 { other.owned[&owner].1 } else { block.bytes };
            let end = before.entry(owner).or_default();
            *end += length;
            (*end - length, *end)
        };
        self.flow.blocks.iter().map(place).collect()
    }

    /// Its flow with every block cut where one of its owner ends, here or there. Messages of which nothing is left are left out.
    fn cut(&self, places: &[(u64, u64)], ends: &BTreeMap<u32, Vec<u64>>) -> Flow {
        let mut pieces = Vec::new();
        // By block the first of its pieces, and the number of all.
        let mut first = vec![0];
        for (&block, &(start, end)) in self.flow.blocks.iter().zip(places) {
            let ends = &ends[&(self.owner)(&block)];
            let inside = &ends[ends.partition_point(|&at| at < start)..ends.partition_point(|&at| at <= end)];
            let bytes = |two: &[u64]| if block.bytes == 0 { 0 } else { two[1] - two[0] };
            pieces.extend(inside.windows(2).map(|two| Block { bytes: bytes(two), ..block }));
            first.push(pieces.len() as u32);
        }
        let mut flow = Flow::new(self.flow.members, pieces);
        (flow.is_stepwise, flow.is_ordered) = (self.flow.is_stepwise, self.flow.is_ordered);
        (flow.is_copied, flow.is_added_up) = (self.flow.is_copied, self.flow.is_added_up);
        let mut row = Vec::new();
        for (index, &transfer) in self.flow.transfers.iter().enumerate() {
            let cut = |&(from, end): &(u32, u32)| (first[from as usize], first[end as usize]);
            row.clear();
            row.extend(self.flow.carried.row(index).iter().map(cut).filter(|(from, end)| from < end));
            flow.send_ranges(transfer, &row);
        }
        flow
    }
}

impl Flow {
    /// This flow, and then another, whose blocks stand in whatever order: who needed a block in the first contributes it to the second. Where their
    /// sizes differ, blocks are cut where those of the other end. Stepwise if one is.
    ///
    /// # Panics
    ///
    /// When members differ, or one needs other bytes in the first than it contributes to the second.
    pub fn then(mut self, next: &Self) -> Self {
        assert_eq!(self.members, next.members, "the same members");
        let place = self.places_of(next);
        let goes_on = |(&place, other): (&u32, &Block)| {
            let block = self.blocks[place as usize];
            (block.bytes, block.to) == (other.bytes, other.from)
        };
        if self.blocks.len() != next.blocks.len() || !place.iter().zip(&next.blocks).all(goes_on) {
            let [first, second] = self.refined(next);
            return first.then(&second);
        }
        let after = self.steps();
        self.is_stepwise |= next.is_stepwise;
        self.is_copied |= next.is_copied;
        self.is_ordered |= next.is_ordered;
        self.moments.clear();
        for (&place, other) in place.iter().zip(&next.blocks) {
            self.blocks[place as usize].to = other.to;
        }
        let is_same = place.iter().copied().eq(0..place.len() as u32);
        for (index, &transfer) in next.transfers.iter().enumerate() {
            let turned = Transfer { step: after + transfer.step, ..transfer };
            if is_same {
                self.send_ranges(turned, next.carried.row(index));
            } else {
                let mut blocks: Vec<u32> = next.carried(index).map(|block| place[block as usize]).collect();
                blocks.sort_unstable();
                self.send(turned, blocks);
            }
        }
        self
    }

    /// By block of another flow the block of this one that it goes on with: the k-th of a member with the k-th.
    fn places_of(&self, next: &Self) -> Vec<u32> {
        let order = |key: &dyn Fn(&Block) -> u32, blocks: &[Block]| {
            let mut order: Vec<u32> = (0..blocks.len() as u32).collect();
            order.sort_by_key(|&block| key(&blocks[block as usize]));
            order
        };
        let mut place = vec![0; next.blocks.len()];
        let own = order(&|block| block.to, &self.blocks);
        for (own, other) in own.into_iter().zip(order(&|block| block.from, &next.blocks)) {
            place[other as usize] = own;
        }
        place
    }

    /// Both flows with blocks of the same sizes, the k-th that a member needs in the one and the k-th that it contributes to the other. Blocks without
    /// bytes among others are left out.
    fn refined(&self, next: &Self) -> [Self; 2] {
        let sides = [Side::new(self, |block| block.to), Side::new(next, |block| block.from)];
        let [one, other] = &sides;
        let bytes = |side: &Side<'_>| -> Vec<(u32, u64)> {
            side.owned.iter().map(|(&owner, &(bytes, _))| (owner, bytes)).collect()
        };
        assert_eq!(bytes(one), bytes(other), "one goes on where the other ends");
        let places = [one.places(other), other.places(one)];
        let mut ends: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        for (side, places) in sides.iter().zip(&places) {
            for (block, &(_, end)) in side.flow.blocks.iter().zip(places) {
                ends.entry((side.owner)(block)).or_insert_with(|| vec![0]).push(end);
            }
        }
        for ends in ends.values_mut() {
            ends.sort_unstable();
            ends.dedup();
        }
        [one.cut(&places[0], &ends), other.cut(&places[1], &ends)]
    }
}

//! One flow after another: who needed a block in the first contributes it to the second.

use meshwright_core::csr::Csr;

use super::{Block, Flow, Transfer};

/// The blocks of a flow by owner: who needs or contributes each. The last owner stands for all.
struct Side<'f> {
    flow: &'f Flow,
    /// By block its owner, and where it begins and ends among those of its owner, in bytes.
    places: Vec<(usize, u64, u64)>,
    /// By owner the bytes and the number of its blocks.
    owned: Vec<(u64, u64)>,
}

impl<'f> Side<'f> {
    fn new(flow: &'f Flow, owner: fn(&Block) -> u32) -> Self {
        let mut owned = vec![(0, 0); flow.members as usize + 1];
        let place = |block: &Block| {
            let owner = owner(block).min(flow.members) as usize;
            let (bytes, many) = &mut owned[owner];
            (*bytes, *many) = (*bytes + block.bytes, *many + 1);
            (owner, *bytes - block.bytes, *bytes)
        };
        let places = flow.blocks.iter().map(place).collect();
        Self { flow, places, owned }
    }

    /// Makes the blocks of owners without bytes as long as there are blocks in the other.
    fn stretch(&mut self, other: &[(u64, u64)]) {
        let mut before = vec![0; other.len()];
        for (owner, start, end) in &mut self.places {
            if self.owned[*owner].0 == 0 {
                *start = before[*owner];
                *end = *start + other[*owner].1;
                before[*owner] = *end;
            }
        }
    }

    /// Its flow with every block cut where one of its owner ends, here or there. Messages of which nothing is left are left out.
    fn cut(&self, ends: &[Vec<u64>]) -> Flow {
        let mut pieces = Vec::new();
        // By block the first of its pieces, and the number of all.
        let mut first = vec![0];
        for (&block, &(owner, start, end)) in self.flow.blocks.iter().zip(&self.places) {
            let (mut at, ends) = (start, &ends[owner]);
            for &next in
                ends[ends.partition_point(|&at| at <= start)..].iter().take_while(|&&next| next <= end)
            {
                pieces.push(Block { bytes: if block.bytes == 0 { 0 } else { next - at }, ..block });
                at = next;
            }
            first.push(pieces.len() as u32);
        }
        let mut flow = Flow::new(self.flow.members, pieces);
        (flow.is_stepwise, flow.is_ordered) = (self.flow.is_stepwise, self.flow.is_ordered);
        (flow.is_copied, flow.is_added_up) = (self.flow.is_copied, self.flow.is_added_up);
        let mut row = Vec::new();
        for (index, &transfer) in self.flow.transfers.iter().enumerate() {
            row.clear();
            for &(from, end) in self.flow.carried.row(index) {
                let (from, end) = (first[from as usize], first[end as usize]);
                if from < end {
                    row.push((from, end));
                }
            }
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
        let by_owner = |flow: &Self, owner: fn(&Block) -> u32| {
            let owners = flow.blocks.iter().map(|block| owner(block).min(flow.members) as usize);
            Csr::from_pairs(flow.members as usize + 1, owners.zip(0u32..))
        };
        let mut place = vec![0; next.blocks.len()];
        let (own, others) = (by_owner(self, |block| block.to), by_owner(next, |block| block.from));
        for (&own, &other) in own.rows().flatten().zip(others.rows().flatten()) {
            place[other as usize] = own;
        }
        place
    }

    /// Both flows with blocks of the same sizes, the k-th that a member needs in the one and the k-th that it contributes to the other. Blocks without
    /// bytes among others are left out.
    fn refined(&self, next: &Self) -> [Self; 2] {
        let (mut one, mut other) = (Side::new(self, |block| block.to), Side::new(next, |block| block.from));
        let same = one.owned.iter().zip(&other.owned).all(|(one, other)| one.0 == other.0);
        assert!(same, "one goes on where the other ends");
        one.stretch(&other.owned);
        other.stretch(&one.owned);
        let mut ends: Vec<Vec<u64>> = vec![Vec::new(); one.owned.len()];
        one.places.iter().chain(&other.places).for_each(|&(owner, _, end)| ends[owner].push(end));
        for ends in &mut ends {
            ends.sort_unstable();
            ends.dedup();
        }
        [one.cut(&ends), other.cut(&ends)]
    }
}

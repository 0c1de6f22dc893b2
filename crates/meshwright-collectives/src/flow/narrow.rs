//! A flow for one: only one member contributes, or only one needs what comes.

use fixedbitset::FixedBitSet;

use super::{Block, Flow, Mode, Transfer};

impl Flow {
    /// What is left of a flow where nobody but `from` contributes: a broadcast of an all-reduce, a scatter of a reduce-scatter. None where members
    /// have two values of a block, or add up in the end.
    ///
    /// # Complexity
    ///
    /// O(messages log messages + blocks of all messages + members blocks / 64).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_collectives::Operation;
    /// use meshwright_collectives::flow::{ALL, Block, Flow};
    /// let mut flow = Flow::new(2, vec![Block { bytes: 8, from: ALL, to: ALL }]);
    /// flow.combine(0, 0, 1, [0]);
    /// flow.copy(1, 1, 0, [0]);
    /// let broadcast = flow.from_one(0).expect("members have one value of a block");
    /// assert_eq!(broadcast.check(Operation::Broadcast, 0, 8), Ok(()));
    /// assert_eq!(broadcast.transfers().len(), 1, "member 0 has what comes back");
    /// ```
    pub fn from_one(&self, from: u32) -> Option<Self> {
        let mut held = self.places_of_one(from)?;
        let mut rows = vec![Vec::new(); self.transfers.len()];
        let order = self.in_steps();
        for step in self.steps_of(&order) {
            for &index in step {
                let Transfer { source, target, .. } = self.transfers[index];
                let (source, target) = (&held[source as usize], &held[target as usize]);
                let carries = |&block: &u32| source[block as usize] && !target[block as usize];
                rows[index] = self.carried(index).filter(carries).collect();
            }
            for &index in step {
                held[self.transfers[index].target as usize].extend(rows[index].iter().map(|&b| b as usize));
            }
        }
        let blocks = self.blocks.iter().map(|&block| Block { from, ..block }).collect();
        Some(self.left(blocks, &rows, |_| Mode::Copy))
    }

    /// What is left of a flow where nobody but `to` needs what comes: a reduction of an all-reduce, a gather of an all-gather. None where members
    /// have two values of a block, or add up in the end.
    ///
    /// # Complexity
    ///
    /// As of [`Flow::from_one`].
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_collectives::Operation;
    /// use meshwright_collectives::flow::{ALL, Block, Flow};
    /// let mut flow = Flow::new(2, vec![Block { bytes: 8, from: ALL, to: ALL }]);
    /// flow.combine(0, 0, 1, [0]);
    /// flow.combine(0, 1, 0, [0]);
    /// let reduction = flow.to_one(1).expect("members have one value of a block");
    /// assert_eq!(reduction.check(Operation::Reduce, 1, 8), Ok(()));
    /// assert_eq!(reduction.transfers().len(), 1);
    /// ```
    pub fn to_one(&self, to: u32) -> Option<Self> {
        let mut needed = self.places_of_one(to)?;
        let mut rows = vec![Vec::new(); self.transfers.len()];
        let order = self.in_steps();
        for step in self.steps_of(&order).rev() {
            for &index in step {
                let target = &needed[self.transfers[index].target as usize];
                rows[index] = self.carried(index).filter(|&block| target[block as usize]).collect();
            }
            // What is replaced was not needed.
            for &index in step.iter().filter(|&&index| self.transfers[index].mode == Mode::Copy) {
                let target = &mut needed[self.transfers[index].target as usize];
                rows[index].iter().for_each(|&block| target.remove(block as usize));
            }
            for &index in step {
                needed[self.transfers[index].source as usize].extend(rows[index].iter().map(|&b| b as usize));
            }
        }
        let blocks = self.blocks.iter().map(|&block| Block { to, ..block }).collect();
        Some(self.left(blocks, &rows, |mode| mode))
    }

    /// By member a set of blocks: all at one member, none elsewhere.
    fn places_of_one(&self, one: u32) -> Option<Vec<FixedBitSet>> {
        if self.is_added_up || self.values() > 1 {
            return None;
        }
        let mut places = vec![FixedBitSet::with_capacity(self.blocks.len()); self.members as usize];
        places[one as usize].insert_range(..);
        Some(places)
    }

    /// The same with other blocks, of which its messages carry these.
    fn left(&self, blocks: Vec<Block>, rows: &[Vec<u32>], mode: impl Fn(Mode) -> Mode) -> Self {
        let mut flow = Self::new(self.members, blocks);
        (flow.is_stepwise, flow.is_ordered, flow.is_copied) =
            (self.is_stepwise, self.is_ordered, self.is_copied);
        for (&transfer, row) in self.transfers.iter().zip(rows) {
            flow.send(Transfer { mode: mode(transfer.mode), ..transfer }, row.iter().copied());
        }
        flow
    }
}

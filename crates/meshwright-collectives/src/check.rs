//! Symbolic check of a flow: every contribution reaches every result exactly once.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use crate::Operation;
use crate::flow::{ALL, Block, Flow, Mode, share};

/// What is wrong with a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Defect {
    /// A member sends a block of which it has nothing.
    Empty(Place),
    /// A contribution is added where it was before.
    Twice(Place),
    /// At the end a member has not exactly what it needs.
    Result(Place),
    /// Two messages of a step bring the same block to the same member, and one takes the place of the other.
    Clash(Place),
    /// The blocks are not those of the operation: what it is about.
    Blocks(&'static str),
}

/// Where a flow is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// In which step; the number of steps for the end.
    pub step: u32,
    /// At which member.
    pub member: u32,
    /// Which block.
    pub block: u32,
}

/// Sets of contributions by number; each set is kept once.
#[derive(Default)]
struct Sets {
    sets: Vec<FixedBitSet>,
    numbers: BTreeMap<FixedBitSet, u32>,
    unions: BTreeMap<(u32, u32), Option<u32>>,
}

impl Sets {
    fn number(&mut self, set: FixedBitSet) -> u32 {
        if let Some(&number) = self.numbers.get(&set) {
            return number;
        }
        let number = self.sets.len() as u32;
        self.sets.push(set.clone());
        self.numbers.insert(set, number);
        number
    }

    /// The number of both together; none if they overlap and may not.
    fn union(&mut self, a: u32, b: u32, may_overlap: bool) -> Option<u32> {
        if let Some(&known) = self.unions.get(&(a, b)) {
            return known;
        }
        let (one, other) = (&self.sets[a as usize], &self.sets[b as usize]);
        let both = (may_overlap || one.is_disjoint(other)).then(|| {
            let mut both = one.clone();
            both.union_with(other);
            both
        });
        let number = both.map(|both| self.number(both));
        self.unions.insert((a, b), number);
        number
    }
}

impl Flow {
    /// Follows every contribution through the flow, step by step.
    ///
    /// In a scan a member needs the contributions of the members up to itself, else a block needs those of all, or that of the
    /// one member it is from, as where vectors are [added up](Flow::added_up) in the end: in a scan those up to itself. Blocks
    /// without bytes among others may get lost; in a barrier nothing is added up, and hearing twice of a member is no harm.
    ///
    /// # Errors
    ///
    /// The first [`Defect`].
    ///
    /// # Complexity
    ///
    /// O(blocks of all messages log sets + sets members / 64).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_collectives::check::{Defect, Place};
    /// use meshwright_collectives::flow::{ALL, Block, Flow};
    /// use meshwright_collectives::Operation;
    /// let mut flow = Flow::new(2, vec![Block { bytes: 8, from: ALL, to: ALL }]);
    /// flow.combine(0, 0, 1, [0]);
    /// assert_eq!(flow.check(Operation::AllReduce, 0, 8), Err(Defect::Result(Place { step: 1, member: 0, block: 0 })));
    /// flow.combine(0, 1, 0, [0]);
    /// assert_eq!(flow.check(Operation::AllReduce, 0, 8), Ok(()), "both read before both write");
    /// ```
    pub fn check(&self, operation: Operation, root: u32, bytes: u64) -> Result<(), Defect> {
        self.check_blocks(operation, root, bytes).map_err(Defect::Blocks)?;
        let members = self.members() as usize;
        let mut sets = Sets::default();
        let nothing = sets.number(FixedBitSet::with_capacity(members));
        let only = |member: u32| {
            let mut set = FixedBitSet::with_capacity(members);
            set.insert(member as usize);
            set
        };
        let own: Vec<u32> = (0..self.members()).map(|member| sets.number(only(member))).collect();
        let wide = self.blocks().len() * self.values();
        // By member and block, behind these what is aside.
        let mut held = vec![nothing; members * wide];
        for (member, row) in (0..).zip(held.chunks_exact_mut(wide.max(1))) {
            for (value, block) in row.iter_mut().zip(self.blocks().iter().cycle()) {
                if block.from == ALL || block.from == member {
                    *value = own[member as usize];
                }
            }
        }
        self.follow(&mut held, &mut sets, nothing, operation == Operation::Barrier)?;
        let is_scan = operation == Operation::Scan;
        for (member, row) in (0..).zip(held.chunks_exact(wide.max(1))) {
            for (number, (&value, block)) in (0..).zip(row.iter().zip(self.blocks())) {
                if block.bytes == 0 && bytes > 0 || block.to != ALL && block.to != member {
                    continue;
                }
                if is_scan && self.is_added_up() && block.from > member {
                    continue;
                }
                let set = &sets.sets[value as usize];
                let right = match block.from {
                    ALL if is_scan => set.ones().eq(0..=member as usize),
                    ALL => set.count_ones(..) == members,
                    from => set.ones().eq([from as usize]),
                };
                if !right {
                    return Err(Defect::Result(Place { step: self.steps(), member, block: number }));
                }
            }
        }
        Ok(())
    }

    /// Moves what is held through all steps.
    fn follow(
        &self,
        held: &mut [u32],
        sets: &mut Sets,
        nothing: u32,
        may_overlap: bool,
    ) -> Result<(), Defect> {
        let blocks = self.blocks().len();
        let wide = blocks * self.values();
        let order = self.in_steps();
        let mut coming: Vec<(usize, u32, Mode)> = Vec::new();
        for step in self.steps_of(&order) {
            coming.clear();
            let number = self.transfers()[step[0]].step;
            for &index in step {
                let transfer = self.transfers()[index];
                for block in self.carried(index) {
                    let from = if transfer.aside.sent { blocks } else { 0 };
                    let value = held[transfer.source as usize * wide + from + block as usize];
                    if value == nothing && self.blocks()[block as usize].bytes > 0 {
                        return Err(Defect::Empty(Place { step: number, member: transfer.source, block }));
                    }
                    let place = transfer.target as usize * wide + block as usize;
                    let modes = [place, place + blocks].into_iter().zip(transfer.modes());
                    coming.extend(
                        modes.filter(|&(_, mode)| mode != Mode::Leave).map(|(at, mode)| (at, value, mode)),
                    );
                }
            }
            coming.sort_unstable_by_key(|&(place, ..)| place);
            for same in coming.chunk_by(|a, b| a.0 == b.0) {
                let (member, block) = ((same[0].0 / wide) as u32, (same[0].0 % wide % blocks) as u32);
                if same.len() > 1 && same.iter().any(|&(.., mode)| mode == Mode::Copy) {
                    return Err(Defect::Clash(Place { step: number, member, block }));
                }
                for &(place, value, mode) in same {
                    held[place] = match mode {
                        Mode::Leave => held[place],
                        Mode::Copy => value,
                        Mode::Combine => {
                            let twice = Defect::Twice(Place { step: number, member, block });
                            sets.union(held[place], value, may_overlap).ok_or(twice)?
                        }
                    };
                }
            }
        }
        Ok(())
    }

    /// Whether the blocks are those of an operation on buffers of so many bytes.
    fn check_blocks(&self, operation: Operation, root: u32, bytes: u64) -> Result<(), &'static str> {
        use Operation as O;
        let members = self.members();
        let sum = |is: &dyn Fn(&Block) -> bool| -> u64 {
            self.blocks().iter().filter(|block| is(block)).map(|block| block.bytes).sum()
        };
        let (from, to) = match operation {
            O::Broadcast => (Some(root), Some(ALL)),
            O::Reduce => (Some(ALL), Some(root)),
            O::AllReduce | O::Barrier | O::Scan if self.is_added_up() => (None, Some(ALL)),
            O::AllReduce | O::Barrier | O::Scan => (Some(ALL), Some(ALL)),
            O::Scatter => (Some(root), None),
            O::Gather => (None, Some(root)),
            O::AllGather => (None, Some(ALL)),
            O::ReduceScatter => (Some(ALL), None),
            O::AllToAll => (None, None),
        };
        let fits = |block: &Block| from.is_none_or(|f| block.from == f) && to.is_none_or(|t| block.to == t);
        if !self.blocks().iter().all(fits) {
            return Err("who contributes, or who needs it");
        }
        let has_all = operation == O::AllToAll || self.is_added_up();
        if sum(&|_| true) != if has_all { bytes * u64::from(members) } else { bytes } {
            return Err("the bytes of all blocks together");
        }
        if self.is_added_up() {
            let is_whole = |m: u32| sum(&|block| block.from == m) == bytes;
            return if (0..members).all(is_whole) { Ok(()) } else { Err("the bytes of a member's vector") };
        }
        if !operation.is_parted() || operation == O::AllToAll {
            return Ok(());
        }
        let whole = |m: u32| {
            sum(&|block| {
                if operation == O::Scatter || operation == O::ReduceScatter {
                    block.to == m
                } else {
                    block.from == m
                }
            })
        };
        let parts_differ = (0..members).any(|m| whole(m) != share(bytes, members, m));
        if parts_differ { Err("the bytes of a member's part") } else { Ok(()) }
    }
}

//! What members contribute, and what an operation owes them: sums of contributions, without a look at who sends what.

use std::ops::RangeInclusive;

use rand_xoshiro::rand_core::Rng;

use meshwright_collectives::Operation;
use meshwright_collectives::flow::{ALL, Block, Flow};
use meshwright_core::rng;

/// A word, in bytes.
pub(super) const WORD: u64 = 8;

/// The words that a member contributes to a block in a run, without end.
pub(super) fn contribution(run: u32, member: u32, block: u32) -> impl Iterator<Item = u64> {
    let mut generator = rng::numbered(&[run, member, block]);
    std::iter::repeat_with(move || generator.next_u64())
}

/// Words as so many bytes, the first bytes of the last one.
pub(super) fn bytes(words: impl Iterator<Item = u64>, length: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length + WORD as usize);
    for word in words.take(length.div_ceil(WORD as usize)) {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

/// The sum of the contributions of some members to a block, word by word.
pub(super) fn sum(run: u32, members: RangeInclusive<u32>, block: u32, words: usize) -> Vec<u64> {
    let mut sums = vec![0u64; words];
    for member in members {
        for (sum, word) in sums.iter_mut().zip(contribution(run, member, block)) {
            *sum = sum.wrapping_add(word);
        }
    }
    sums
}

/// Whether no block has bytes: members only hear of each other, once or more often.
pub(super) fn is_barrier(flow: &Flow) -> bool {
    flow.blocks().iter().all(|block| block.bytes == 0)
}

/// How many bytes each block has on the ranks: its own; in a barrier a bit for each member.
pub(super) fn widths(flow: &Flow) -> Vec<u64> {
    let heard = WORD * u64::from(flow.members().div_ceil(u64::BITS));
    let is_barrier = is_barrier(flow);
    flow.blocks().iter().map(|block| if is_barrier { heard } else { block.bytes }).collect()
}

/// Of whom is heard, in a barrier: a bit for each.
pub(super) fn heard(members: RangeInclusive<u32>, width: u64) -> Vec<u8> {
    let mut bits = vec![0u8; width as usize];
    for member in members {
        bits[member as usize / 8] |= 1 << (member % 8);
    }
    bits
}

/// Whether a member is to have a block in the end.
pub(super) fn is_owed(block: &Block, member: u32) -> bool {
    block.to == ALL || block.to == member
}

/// The bytes of a block that is owed to a member.
pub(super) fn owed(
    operation: Operation,
    (number, block): (u32, &Block),
    (member, members): (u32, u32),
    (run, width): (u32, u64),
) -> Vec<u8> {
    let contributors = match block.from {
        ALL if operation == Operation::Scan => 0..=member,
        ALL => 0..=members - 1,
        from => from..=from,
    };
    if operation == Operation::Barrier {
        return heard(contributors, width);
    }
    let words = sum(run, contributors, number, width.div_ceil(WORD) as usize);
    bytes(words.into_iter(), width as usize)
}

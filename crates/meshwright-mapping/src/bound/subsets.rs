//! The least traffic that leaves any so many tasks, of all subsets.

use super::loads::Loads;

/// By the number of tasks in a subset the least that leaves it or enters it, whichever is more, in ticks.
///
/// Subsets follow each other in the order of Gray's code, so that one task moves at a time.
pub(super) fn least(loads: &Loads<'_>, tasks: usize) -> Vec<u128> {
    let mut pairs = vec![0u128; tasks * tasks];
    for (source, target, load) in loads.iter() {
        pairs[source as usize * tasks + target as usize] += load;
    }
    let mut least = vec![u128::MAX; tasks + 1];
    let (mut subset, mut out, mut into) = (0u32, 0u128, 0u128);
    least[0] = 0;
    for index in 1..1u32 << tasks {
        let moved = index.trailing_zeros() as usize;
        let joins = subset >> moved & 1 == 0;
        subset ^= 1 << moved;
        // With all others inside or outside: what it sends to those outside leaves, what they send enters.
        let (mut sent, mut heard) = ([0u128; 2], [0u128; 2]);
        for other in (0..tasks).filter(|&other| other != moved) {
            let side = (subset >> other & 1) as usize;
            sent[side] += pairs[moved * tasks + other];
            heard[side] += pairs[other * tasks + moved];
        }
        if joins {
            (out, into) = (out + sent[0] - heard[1], into + heard[0] - sent[1]);
        } else {
            (out, into) = (out + heard[1] - sent[0], into + sent[1] - heard[0]);
        }
        let count = subset.count_ones() as usize;
        least[count] = least[count].min(out.max(into));
    }
    least
}

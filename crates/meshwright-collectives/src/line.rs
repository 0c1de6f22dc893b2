//! All-gathers of members that stand in a line or a ring: what products over the axes of a box are made of.
//!
//! Each is a flow of n members whose blocks are equal shares of what a member has; the bytes of the blocks do not matter.
//!
//! | all-gather | steps | sent to one neighbour at most, in parts of a member |
//! |---|---|---|
//! | [`round`] | n - 1 | n - 1 |
//! | [`both_ways`] | ceil((n - 1) / 2) | (n - 1) / 2 |
//! | [`outward`] | n - 1 | n - 1, without a wrap |
//! | [`direct`], [`far_first`] | 1 | any member sends to any other |
//! | [`doubling`] | ceil(log_r n) | any member sends to any other |
//!
//! # Source
//!
//! `jain2010` for the rings; `bruck1997` for [`doubling`].

use std::cmp::Reverse;

use crate::flow::{ALL, Block, Flow};

/// A flow of n members, each with so many blocks, one after the other.
fn parts(members: u32, pieces: u32) -> Flow {
    let of = |from: u32| (0..pieces).map(move |_| Block { bytes: 1, from, to: ALL });
    Flow::new(members, (0..members).flat_map(of).collect())
}

/// Round the ring: in step s every member hands on to the next what is from s members before.
///
/// `up` says which of the two neighbours is the next.
pub fn round(members: u32, up: bool) -> Flow {
    let mut flow = parts(members, 1);
    let to = |from: u32, far: u32| (from + if up { far } else { members - far }) % members;
    for step in 0..members.saturating_sub(1) {
        (0..members).for_each(|from| flow.copy(step, to(from, step), to(from, step + 1), [from]));
    }
    flow
}

/// Both ways round the ring at once: ceil((n - 1) / 2) steps.
///
/// In a ring of even length the part from the member opposite comes half from either side. Two members have one link and
/// nothing to halve.
///
/// # Examples
///
/// ```
/// use meshwright_collectives::line;
/// assert_eq!([2, 3, 8, 9].map(|n| line::both_ways(n).steps()), [1, 1, 4, 4]);
/// ```
pub fn both_ways(members: u32) -> Flow {
    if members <= 2 {
        return outward(members);
    }
    let pieces = if members.is_multiple_of(2) { 2 } else { 1 };
    let mut flow = parts(members, pieces);
    let at = |from: u32, far: u32| (from + far) % members;
    for step in 0..members / 2 {
        let halved = 2 * (step + 1) == members;
        for from in 0..members {
            let (first, end) = (from * pieces, (from + 1) * pieces);
            let (up, down) =
                if halved { (first..first + 1, first + 1..end) } else { (first..end, first..end) };
            flow.copy(step, at(from, step), at(from, step + 1), up);
            flow.copy(step, at(from, members - step), at(from, members - step - 1), down);
        }
    }
    flow
}

/// Along a line without a wrap: everything streams outward to both ends.
pub fn outward(members: u32) -> Flow {
    let mut flow = parts(members, 1);
    for step in 0..members.saturating_sub(1) {
        for from in 0..members {
            if from + step + 1 < members {
                flow.copy(step, from + step, from + step + 1, [from]);
            }
            if from > step {
                flow.copy(step, from - step, from - step - 1, [from]);
            }
        }
    }
    flow
}

/// Everyone to everyone in one step, each to the members after itself, the nearest first.
pub fn direct(members: u32) -> Flow {
    at_once(members, 1..members)
}

/// The same, those half-way round the ring first: where members share the links of a ring, the longest ways begin before short ones fill them.
pub fn far_first(members: u32) -> Flow {
    let mut far: Vec<u32> = (1..members).collect();
    far.sort_by_key(|&far| Reverse(far.min(members - far)));
    at_once(members, far.into_iter())
}

/// Everyone to everyone in one step, each to the members so far after itself.
fn at_once(members: u32, far: impl Iterator<Item = u32>) -> Flow {
    let mut flow = parts(members, 1);
    for far in far {
        (0..members).for_each(|from| flow.copy(0, from, (from + far) % members, [from]));
    }
    flow
}

/// What a member has grows to the `radix`-fold in every step: it gets as much from each of the members 1, 2, ...,
/// radix - 1 times as far after itself as it has, any number of members.
///
/// # Panics
///
/// When the radix is below 2.
///
/// # Examples
///
/// ```
/// use meshwright_collectives::line;
/// assert_eq!([2, 3, 5].map(|radix| line::doubling(12, radix).steps()), [4, 3, 2]);
/// ```
pub fn doubling(members: u32, radix: u32) -> Flow {
    assert!(radix >= 2, "what a member has must grow");
    let mut flow = parts(members, 1);
    let (mut step, mut held) = (0, 1);
    while held < members {
        for digit in 1..radix.min(members.div_ceil(held)) {
            let far = digit * held;
            for to in 0..members {
                let from = (to + far) % members;
                // The last step may need less than all.
                let mut blocks: Vec<u32> =
                    (0..held.min(members - far)).map(|k| (from + k) % members).collect();
                blocks.sort_unstable();
                flow.copy(step, from, to, blocks);
            }
        }
        (step, held) = (step + 1, held.saturating_mul(radix));
    }
    flow
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation;

    type Line = (&'static str, fn(u32) -> Flow, fn(u32) -> u32);

    /// Name, flow, its number of steps.
    const LINES: &[Line] = &[
        ("up", |n| round(n, true), |n| n - 1),
        ("down", |n| round(n, false), |n| n - 1),
        ("both ways", both_ways, |n| n / 2),
        ("outward", outward, |n| n - 1),
        ("direct", direct, |n| u32::from(n > 1)),
        ("far first", far_first, |n| u32::from(n > 1)),
        ("doubling", |n| doubling(n, 2), |n| (n as f64).log2().ceil() as u32),
        ("by three", |n| doubling(n, 3), |n| (0..).find(|&k| 3u32.pow(k) >= n).unwrap()),
        ("by five", |n| doubling(n, 5), |n| (0..).find(|&k| 5u32.pow(k) >= n).unwrap()),
    ];

    /// With as many bytes of each member as it has blocks, every line is an all-gather, and its reverse a reduce-scatter.
    #[test]
    fn lines_are_all_gathers_in_their_number_of_steps() {
        for &(name, line, steps) in LINES {
            for members in 1..=17 {
                let flow = line(members);
                let bytes = flow.blocks().len() as u64;
                assert_eq!(flow.steps(), steps(members), "{name}, {members}");
                assert_eq!(flow.check(Operation::AllGather, 0, bytes), Ok(()), "{name}, {members}");
                assert_eq!(
                    flow.reversed().check(Operation::ReduceScatter, 0, bytes),
                    Ok(()),
                    "{name}, {members}"
                );
            }
        }
    }

    /// Everyone gets each part once: p (p - 1) parts are sent in all where nobody hands on, and where everybody does.
    #[test]
    fn nothing_comes_twice() {
        for &(name, line, _) in LINES {
            for members in 1..=17u64 {
                let flow = line(members as u32);
                let pieces = flow.blocks().len() as u64 / members;
                assert_eq!(flow.bytes_total(), members * (members - 1) * pieces, "{name}, {members}");
            }
        }
    }
}

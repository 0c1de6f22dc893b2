//! The nearest member in the box that a member spans with the root.
//!
//! Seen from v, the nearest member in the box is the one with the most links to the root, so the choice does not depend
//! on v: sort all members once, by links to the root, then by how evenly their steps are spread, then by node. A box
//! then asks for the last of its members in this sequence, v excepted.

use crate::displacement::Displacements;
use crate::{Group, Tree};

/// Parents by rank.
pub(super) fn parents(group: &Group, steps: &Displacements) -> Vec<u32> {
    let sequence = sequence(group, steps);
    let (low, high) = bounds(group, steps);
    let area: u64 = low.iter().zip(&high).map(|(low, high)| (high - low) as u64 + 1).product();
    let size = sequence.len() as u64;
    if size * size <= (area * steps.axes as u64).min(1 << 14) {
        by_scan(&sequence, steps)
    } else if area <= 16 * size * u64::from(size.ilog2() + 1) {
        by_table(&sequence, steps, &low, &high)
    } else if steps.axes == 2 {
        by_sweep(&sequence, steps)
    } else if size * size <= area * steps.axes as u64 {
        by_scan(&sequence, steps)
    } else {
        by_table(&sequence, steps, &low, &high)
    }
}

/// The ranks, farther from the root later; of equally far ones the better parent later.
fn sequence(group: &Group, steps: &Displacements) -> Vec<u32> {
    let key = |rank: u32| {
        let (mut sum, mut least, mut most) = (0, u32::MAX, 0);
        for step in steps.of(rank) {
            let links = step.unsigned_abs();
            (sum, least, most) = (sum + links, least.min(links), most.max(links));
        }
        let (spread, node) = (most.saturating_sub(least), group.node(rank).0);
        u128::from(sum) << 96 | u128::from(!spread) << 64 | u128::from(!node) << 32 | u128::from(rank)
    };
    let mut keys: Vec<u128> = (0..group.size()).map(key).collect();
    keys.sort_unstable();
    keys.into_iter().map(|key| key as u32).collect()
}

/// The least and the greatest step along each axis; the root's own are 0.
fn bounds(group: &Group, steps: &Displacements) -> (Vec<i32>, Vec<i32>) {
    let (mut low, mut high) = (vec![0; steps.axes], vec![0; steps.axes]);
    for rank in 0..group.size() {
        for (axis, &step) in steps.of(rank).iter().enumerate() {
            low[axis] = low[axis].min(step);
            high[axis] = high[axis].max(step);
        }
    }
    (low, high)
}

/// Whether u lies in the box of v and the root.
fn is_between(u: &[i32], v: &[i32]) -> bool {
    u.iter().zip(v).all(|(&u, &v)| if v < 0 { (v..=0).contains(&u) } else { (0..=v).contains(&u) })
}

/// Back through the sequence from every member: for few members.
fn by_scan(sequence: &[u32], steps: &Displacements) -> Vec<u32> {
    let mut parent = vec![Tree::NONE; sequence.len()];
    for (at, &v) in sequence.iter().enumerate() {
        let nearest = sequence[..at].iter().rev().find(|&&u| is_between(steps.of(u), steps.of(v)));
        parent[v as usize] = nearest.copied().unwrap_or(Tree::NONE);
    }
    parent
}

/// A table over the box round the group: the last of the sequence in a cell's box is its member, or the later of the
/// last ones of the cells one step nearer to the root.
fn by_table(sequence: &[u32], steps: &Displacements, low: &[i32], high: &[i32]) -> Vec<u32> {
    // Along each axis: 0, 1, .. high, then -1, -2, .. low, so that a cell comes after those nearer to the root.
    let digit = |axis: usize, step: i32| (if step < 0 { high[axis] - step } else { step }) as usize;
    let sides: Vec<usize> = low.iter().zip(high).map(|(low, high)| (high - low) as usize + 1).collect();
    let stride = |axis: usize| sides[..axis].iter().product::<usize>();
    let strides: Vec<usize> = (0..steps.axes).map(stride).collect();
    let cell = |rank: u32| {
        let of_axis = |(axis, &step): (usize, &i32)| digit(axis, step) * strides[axis];
        steps.of(rank).iter().enumerate().map(of_axis).sum::<usize>()
    };
    // One more than the place in the sequence; 0 where there is no member.
    let mut last = vec![0u32; sides.iter().product()];
    (1..).zip(sequence).for_each(|(place, &rank)| last[cell(rank)] = place);
    let mut parent = vec![Tree::NONE; sequence.len()];
    let mut digits = vec![0usize; steps.axes];
    for at in 0..last.len() {
        let mut nearer = 0;
        for axis in 0..steps.axes {
            if digits[axis] > 0 {
                let is_first_below = digits[axis] == high[axis] as usize + 1;
                let back = if is_first_below { digits[axis] } else { 1 };
                nearer = nearer.max(last[at - back * strides[axis]]);
            }
        }
        if last[at] == 0 {
            last[at] = nearer;
        } else if nearer > 0 {
            parent[sequence[last[at] as usize - 1] as usize] = sequence[nearer as usize - 1];
        }
        for (digit, &side) in digits.iter_mut().zip(&sides) {
            *digit += 1;
            if *digit < side {
                break;
            }
            *digit = 0;
        }
    }
    parent
}

/// On a plane, quadrant by quadrant: along one axis, with a tree of maxima over the other.
fn by_sweep(sequence: &[u32], steps: &Displacements) -> Vec<u32> {
    let mut parent = vec![Tree::NONE; sequence.len()];
    for (right, up) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
        let inside = |(place, &rank): (u32, &u32)| {
            let (a, b) = (steps.of(rank)[0] * right, steps.of(rank)[1] * up);
            (a >= 0 && b >= 0).then_some((a as u32, b as u32, place))
        };
        let mut quadrant: Vec<(u32, u32, u32)> = (1..).zip(sequence).filter_map(inside).collect();
        quadrant.sort_unstable();
        let side = quadrant.iter().map(|&(_, b, _)| b as usize + 1).max().unwrap_or(0);
        // A Fenwick tree: entry i holds the latest of the last `i & -i` values of b up to i - 1.
        let mut latest = vec![0u32; side + 1];
        for (_, b, place) in quadrant {
            let (mut at, mut nearest) = (b as usize + 1, 0);
            while at > 0 {
                nearest = nearest.max(latest[at]);
                at &= at - 1;
            }
            if nearest > 0 {
                parent[sequence[place as usize - 1] as usize] = sequence[nearest as usize - 1];
            }
            at = b as usize + 1;
            while at <= side {
                latest[at] = latest[at].max(place);
                at += at & at.wrapping_neg();
            }
        }
    }
    parent
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::rng;
    use meshwright_core::units::NodeId;
    use meshwright_network::topology::{Machine, Topology};
    use rand::RngExt;

    /// The definition: over all pairs, by distances of the machine.
    fn by_definition(machine: &Machine, group: &Group, root: u32) -> Vec<u32> {
        let grid = machine.whole_grid().unwrap();
        let steps = Displacements::new(grid, group, root);
        let better = |v: u32| {
            let links = |u: u32| machine.distance(group.node(v), group.node(u)).unwrap();
            let spread = |u: u32| {
                let all = || steps.of(u).iter().map(|step| step.unsigned_abs());
                all().max().unwrap_or(0) - all().min().unwrap_or(0)
            };
            (0..group.size())
                .filter(|&u| u != v && is_between(steps.of(u), steps.of(v)))
                .min_by_key(|&u| (links(u), spread(u), group.node(u)))
                .unwrap_or(Tree::NONE)
        };
        (0..group.size()).map(better).collect()
    }

    #[test]
    fn three_ways_to_the_nearest() {
        let mut random = rng::stream(3, "nearest");
        for name in [
            "mesh:9x8",
            "torus:8x6",
            "torus:7x5",
            "mesh:3x4x5",
            "torus:4x3x4",
            "hypercube:6",
            "mesh:1x12",
            "mesh:1x1",
        ] {
            let machine = Machine::new(name).unwrap();
            for round in 1..12 {
                let mut members: Vec<NodeId> =
                    machine.living().filter(|_| random.random_range(0..12) < round).collect();
                if members.is_empty() {
                    members.push(NodeId(0));
                }
                let group = Group::in_order(members);
                let root = random.random_range(0..group.size());
                let steps = Displacements::new(machine.whole_grid().unwrap(), &group, root);
                let definition = by_definition(&machine, &group, root);
                let (sequence, (low, high)) = (sequence(&group, &steps), bounds(&group, &steps));
                assert_eq!(by_scan(&sequence, &steps), definition, "{name}");
                assert_eq!(by_table(&sequence, &steps, &low, &high), definition, "{name}");
                if steps.axes == 2 {
                    assert_eq!(by_sweep(&sequence, &steps), definition, "{name}");
                }
                assert_eq!(parents(&group, &steps), definition, "{name}");
            }
        }
    }
}

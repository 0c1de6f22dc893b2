//! The longest root path of a rank-halving tree, over all groups of a size.
//!
//! A member of rank r stands at index r + o of the order, where the offsets o do not decrease with the rank and are
//! at most the number of nodes outside the group. A path from the root meets vertices whose ranks close in on an
//! interval; all that the rest of the path sees of the choices before are the offsets at the two ends of it. So
//! dynamic programming over intervals and pairs of offsets finds the longest path of all groups.

/// The cost of an edge between two indices of the order.
pub type Cost<'c> = dyn Fn(usize, usize) -> i64 + 'c;

/// A group with a long path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongPath {
    /// The sum of the costs of the edges.
    pub cost: i64,
    /// The indices of the members, in increasing order.
    pub group: Vec<usize>,
}

/// Where the parent stands, seen from an interval of ranks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parent {
    None,
    Before,
    Behind,
}

/// The longest path from here down by the offsets at the two ends.
struct OffsetTable {
    width: usize,
    best: Vec<i64>,
    /// The offset of the middle vertex that gives it.
    choice: Vec<u32>,
}

impl OffsetTable {
    fn at(&self, low: usize, high: usize) -> usize {
        low * self.width + high
    }
}

/// An interval of ranks with its table, and what hangs below its middle.
struct RankInterval {
    middle: usize,
    table: OffsetTable,
    left: Option<Box<Self>>,
    right: Option<Box<Self>>,
}

/// The longest way down from the middle of an interval; nothing if it is empty.
fn below(step: Option<&RankInterval>, low: usize, high: usize) -> i64 {
    step.map_or(0, |step| step.table.best[step.table.at(low, high)])
}

/// The interval `first..end` below a parent, with so many nodes outside the group; `None` if it is empty.
fn solve(
    first: usize,
    end: usize,
    parent: Parent,
    outside: usize,
    cost: &Cost<'_>,
) -> Option<Box<RankInterval>> {
    if first == end {
        return None;
    }
    let middle = first + (end - first) / 2;
    let left = solve(first, middle, Parent::Behind, outside, cost);
    let right = solve(middle + 1, end, Parent::Before, outside, cost);
    let width = outside + 1;
    let mut table = OffsetTable { width, best: vec![0; width * width], choice: vec![0; width * width] };
    for low in 0..width {
        for high in low..width {
            let longest = |offset: usize| {
                let edge = match parent {
                    Parent::None => 0,
                    Parent::Before => cost(first - 1 + low, middle + offset),
                    Parent::Behind => cost(end + high, middle + offset),
                };
                let (l, r) = (below(left.as_deref(), low, offset), below(right.as_deref(), offset, high));
                (edge + l.max(r), offset)
            };
            let (best, offset) = (low..=high).map(longest).max().expect("the offsets do not decrease");
            let place = table.at(low, high);
            (table.best[place], table.choice[place]) = (best, offset as u32);
        }
    }
    Some(Box::new(RankInterval { middle, table, left, right }))
}

/// The group with the costliest root path of all groups of this size, in an order of so many nodes.
///
/// # Panics
///
/// When the size is 0 or larger than the number of nodes.
///
/// # Complexity
///
/// O(s (N - s)^3) for N nodes, memory O(s (N - s)^2).
///
/// # Examples
///
/// ```
/// use meshwright_papers::chochia1996::worst_path::costliest;
/// // On a line, three of five nodes: the root is the second, and may be 3 from the last.
/// assert_eq!(costliest(5, 3, &|a, b| a.abs_diff(b) as i64).cost, 3);
/// ```
pub fn costliest(nodes: usize, size: usize, cost: &Cost<'_>) -> LongPath {
    let outside = nodes.checked_sub(size).expect("a group is part of the order");
    let top = solve(0, size, Parent::None, outside, cost).expect("a group has members");
    let cost = top.table.best[top.table.at(0, outside)];
    // Ranks of the path and their offsets; the ranks between keep the offset of the one before.
    let mut chosen = vec![(0, 0)];
    let (mut low, mut high, mut step) = (0, outside, Some(&*top));
    while let Some(here) = step {
        let offset = here.table.choice[here.table.at(low, high)] as usize;
        chosen.push((here.middle, offset));
        let (left, right) = (here.left.as_deref(), here.right.as_deref());
        step = if below(left, low, offset) >= below(right, offset, high) {
            high = offset;
            left
        } else {
            low = offset;
            right
        };
    }
    chosen.sort_unstable();
    let offset = |rank: usize| chosen[chosen.partition_point(|&(at, _)| at <= rank) - 1].1;
    LongPath { cost, group: (0..size).map(|rank| rank + offset(rank)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_groups::rank_halving;

    /// The costliest path of one group, by its definition.
    fn of_group(group: &[usize], cost: &Cost<'_>) -> i64 {
        let tree = rank_halving::tree(group.len() as u32);
        let mut below = vec![0; group.len()];
        for rank in tree.top_down() {
            for &child in tree.children(rank) {
                below[child as usize] =
                    below[rank as usize] + cost(group[rank as usize], group[child as usize]);
            }
        }
        below.into_iter().max().unwrap()
    }

    #[test]
    fn it_is_the_worst_of_all_subsets() {
        // A cost without any order in it.
        let cost = |a: usize, b: usize| (a.min(b) * 7 + a.max(b) * 5) as i64 % 11;
        for size in 1..=9usize {
            let all = (0u32..1 << 9).filter(|set| set.count_ones() as usize == size);
            let worst = all.map(|set| {
                let group: Vec<usize> = (0..9).filter(|bit| set >> bit & 1 == 1).collect();
                of_group(&group, &cost)
            });
            let found = costliest(9, size, &cost);
            assert_eq!(found.cost, worst.max().unwrap(), "size {size}");
            assert_eq!(of_group(&found.group, &cost), found.cost, "the group has it");
        }
    }
}

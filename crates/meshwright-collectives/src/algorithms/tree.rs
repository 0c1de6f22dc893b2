//! Trees over a line, and over a box axis by axis: star, k-ary trees, two levels of chains.
//!
//! # Source
//!
//! `luczynski2024`: star, two-phase, and their use along the axes; `he2025`: the K-tree; `sanders2009`: pipelined binary trees.

use crate::algorithm::Algorithm;
use crate::shape::Tree;
use crate::tree_line::{Children, both_ways};

use super::chain::{BY_TREE, along_axes, by_numbers};

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "star",
        summary: "the root tells each member itself",
        formula: "c + h d + b V (p - 1) over one link",
        source: "luczynski2024",
        operations: BY_TREE,
        streams: false,
        flow: |task| by_numbers(task, star),
    },
    Algorithm {
        name: "binary-tree",
        summary: "every member tells two others, in chunks that stream",
        formula: "log2 p (c + h d) + 2 b V (k + log2 p - 1) / k in k chunks",
        source: "sanders2009",
        operations: BY_TREE,
        streams: true,
        flow: |task| Tree::in_order(task, None, &k_ary::<2>).flow(task),
    },
    Algorithm {
        name: "quaternary-tree",
        summary: "every member tells four others, in chunks that stream",
        formula: "log4 p (c + h d) + 4 b V (k + log4 p - 1) / k in k chunks",
        source: "sanders2009",
        operations: BY_TREE,
        streams: true,
        flow: |task| Tree::in_order(task, None, &k_ary::<4>).flow(task),
    },
    Algorithm {
        name: "two-phase",
        summary: "a chain of leaders, chains of sqrt(p) members from each",
        formula: "2 sqrt(p) (c + h d) + b V (k + 2 sqrt(p) - 1) / k in k chunks",
        source: "luczynski2024",
        operations: BY_TREE,
        streams: true,
        flow: |task| by_numbers(task, two_phase),
    },
    Algorithm {
        name: "k-tree",
        summary: "a chain of leaders, each in the middle of sqrt(p) members that it tells both ways",
        formula: "3/2 sqrt(p) (c + h d) + b V (k + 3/2 sqrt(p) - 1) / k in k chunks",
        source: "he2025",
        operations: BY_TREE,
        streams: true,
        flow: |task| by_numbers(task, k_tree),
    },
    Algorithm {
        name: "xy-star",
        summary: "the root tells its row, each of them its column",
        formula: "2 c + h d + b V (n - 1) of each side n",
        source: "luczynski2024",
        operations: BY_TREE,
        streams: false,
        flow: |task| along_axes(task, star),
    },
    Algorithm {
        name: "xy-binary-tree",
        summary: "a binary tree along the row of the root, from there along all columns",
        formula: "log2 p c + h d + 2 b V (k + log2 p - 1) / k in k chunks",
        source: "luczynski2024",
        operations: BY_TREE,
        streams: true,
        flow: |task| along_axes(task, k_ary::<2>),
    },
    Algorithm {
        name: "xy-two-phase",
        summary: "two-phase along the row of the root, from there along all columns",
        formula: "2 sqrt(n) c + h d + 2 b V of each side n",
        source: "luczynski2024",
        operations: BY_TREE,
        streams: true,
        flow: |task| along_axes(task, two_phase),
    },
    Algorithm {
        name: "xy-k-tree",
        summary: "a K-tree along the row of the root, from there along all columns",
        formula: "3/2 sqrt(n) c + h d + 3 b V of each side n",
        source: "he2025",
        operations: BY_TREE,
        streams: true,
        flow: |task| along_axes(task, k_tree),
    },
];

/// The farthest first.
fn star(places: u32, at: u32) -> Children {
    let mut children = vec![Vec::new(); places as usize];
    let mut all: Vec<u32> = (0..places).filter(|&place| place != at).collect();
    all.sort_by_key(|&place| std::cmp::Reverse(place.abs_diff(at)));
    children[at as usize] = all;
    children
}

/// A tree in which a member begins its part of the line and its children begin K pieces of the rest, the farthest first.
///
/// A root between both ends tells K/2 of them on either side.
fn k_ary<const K: u32>(places: u32, at: u32) -> Children {
    let is_between = at > 0 && at + 1 < places;
    both_ways(places, at, |length| {
        let mut children = vec![Vec::new(); length as usize];
        let mut todo = vec![(0, length, if is_between { K / 2 } else { K })];
        while let Some((first, end, pieces)) = todo.pop() {
            let rest = end - first - 1;
            for piece in (0..pieces.min(rest)).rev() {
                let cut = |piece: u32| first + 1 + rest * piece / pieces.min(rest);
                children[first as usize].push(cut(piece));
                todo.push((cut(piece), cut(piece + 1), K));
            }
        }
        children
    })
}

/// The least number whose square is not less.
fn root_up(n: u32) -> u32 {
    let root = n.isqrt();
    root + u32::from(root * root < n)
}

/// Groups of about sqrt(n) that end towards the root: a chain of their first members, chains inside.
fn two_phase(places: u32, at: u32) -> Children {
    both_ways(places, at, |length| {
        let group = root_up(length).max(1);
        let of = |place: u32| {
            let leader = place.is_multiple_of(group).then_some(place + group);
            let inside = (!(place + 1).is_multiple_of(group)).then_some(place + 1);
            leader.into_iter().chain(inside).filter(|&next| next < length).collect()
        };
        (0..length).map(of).collect()
    })
}

/// Groups of about sqrt(n): a chain of their middle members, in the group of the root the root; chains both ways inside.
fn k_tree(places: u32, at: u32) -> Children {
    let group = root_up(places).max(1);
    let groups = places.div_ceil(group);
    let bounds = |g: u32| (g * group, (g * group + group).min(places));
    let leader = |g: u32| if g == at / group { at } else { u32::midpoint(bounds(g).0, bounds(g).1 - 1) };
    let mut children = vec![Vec::new(); places as usize];
    let leaders = super::chain::chain(groups, at / group);
    for (g, next) in (0..groups).zip(leaders) {
        let (first, end) = bounds(g);
        children[leader(g) as usize].extend(next.into_iter().map(leader));
        for (place, those) in (first..end).zip(super::chain::chain(end - first, leader(g) - first)) {
            children[place as usize].extend(those.into_iter().map(|other| first + other));
        }
    }
    children
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::error::Error;

    /// How many places each tree reaches, how deep it is, and how many children a place has at most.
    fn measure(children: &Children, at: u32) -> (usize, u32, usize) {
        let tree = Tree::hung(at, children);
        let mut reached: Vec<u32> = tree.edges.iter().map(|&(.., to)| to).collect();
        reached.sort_unstable();
        reached.dedup();
        let depth = tree.edges.last().map_or(0, |&(step, ..)| step + 1);
        (reached.len(), depth, children.iter().map(Vec::len).max().unwrap())
    }

    #[test]
    fn trees_over_a_line_are_as_deep_and_as_wide_as_they_say() -> Result<(), Error> {
        for places in 1..70u32 {
            for at in 0..places {
                let longest = at.max(places - 1 - at);
                let all = places as usize - 1;
                assert_eq!(measure(&super::super::chain::chain(places, at), at).1, longest);
                assert_eq!(measure(&star(places, at), at), (all, u32::from(places > 1), all));
                let (reached, depth, width) = measure(&k_ary::<2>(places, at), at);
                let levels = if at == 0 || at + 1 == places { places.ilog2() } else { 1 + longest.ilog2() };
                assert_eq!((reached, depth), (all, levels), "{places} {at}");
                assert!(width <= 2);
                let (reached, depth, width) = measure(&k_ary::<4>(places, at), at);
                assert!(
                    reached == all && width <= 4 && depth <= 2 + places.ilog2() / 2,
                    "{places} {at}: {depth}"
                );
                let (reached, depth, _) = measure(&two_phase(places, at), at);
                let most = 2 * (root_up(longest + 1).max(1) - 1);
                assert!(reached == all && depth <= most, "{places} {at}: {depth} > {most}");
                let (reached, depth, _) = measure(&k_tree(places, at), at);
                let most = root_up(places) + root_up(places);
                assert!(reached == all && depth <= most, "{places} {at}: {depth} > {most}");
            }
        }
        Ok(())
    }
}

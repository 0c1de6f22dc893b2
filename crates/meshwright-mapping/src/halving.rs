//! The halving tree of a box: keep half, send half, for sides that need not be powers of two.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | keep half, send half | `for_each_split` | |
//! | n | `phases` | phases |
//!
//! Each axis is halved on its own: an owner of m cells along it keeps floor(m/2) and sends ceil(m/2) to a child, and
//! an owner of one cell has nothing to send. The first phase of each axis parts it at its centre, both owners at
//! the inner ends of their arms; later phases go outwards. The axes take turns as in
//! [`super::centred_halving`]: all centres first, then always the longest step that is left.
//!
//! Tasks carry 0-based postorder labels, children in the order of their phases; the root is N - 1, and every subtree is
//! a run of labels that ends with its root. Where all sides are powers of two the tree is [`super::binomial`]'s,
//! label by label.

use meshwright_core::error::{Error, Result};
use meshwright_network::topology::NODES_MAX;

/// No box has more sides than this: 24 sides of two cells make the largest.
const SIDES_MAX: usize = 24;

/// One owner sends a part of its cells to a new owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    /// The phase, from 1.
    pub(crate) phase: u32,
    /// The axis that is parted.
    pub(crate) axis: usize,
    /// Who sends.
    pub(crate) parent: u32,
    /// Who receives.
    pub(crate) child: u32,
    /// The cells the child takes over: the size of its subtree.
    pub(crate) cells: u32,
    /// How far the child is along the axis.
    pub(crate) distance: u32,
    /// Whether the child has the lower coordinate.
    pub(crate) down: bool,
}

/// An owner between two phases; its labels are the last `size` up to `root`.
#[derive(Clone, Copy)]
struct Owner {
    root: u32,
    size: u32,
    /// Axes, by bit, along which it has one cell more than the least of all owners.
    larger: u32,
    /// Axes, by bit, along which its arm goes down.
    below: u32,
}

/// Refuses sides that make no tree.
///
/// # Errors
///
/// [`Error::Value`] when there is no side or more than 24, one is 0, or the box has more than 2^24 cells.
pub(crate) fn check(sides: &[u32]) -> Result<()> {
    let cells = sides.iter().try_fold(1u32, |cells, &side| cells.checked_mul(side));
    if (1..=SIDES_MAX).contains(&sides.len()) && cells.is_some_and(|cells| (1..=NODES_MAX).contains(&cells)) {
        return Ok(());
    }
    let expected = format!("1 to {SIDES_MAX} sides of at least 1 whose product is at most {NODES_MAX}");
    Err(Error::value("sides of the halving tree", format!("`{}`", name(sides)), expected))
}

/// The sides joined by x.
pub(crate) fn name(sides: &[u32]) -> String {
    sides.iter().map(u32::to_string).collect::<Vec<_>>().join("x")
}

/// n: the phases of the tree, ceil(log2 side) for each axis.
pub(crate) fn phases(sides: &[u32]) -> u32 {
    sides.iter().map(|&side| rounds(side)).sum()
}

/// ceil(log2 side): how often an axis is halved.
fn rounds(side: u32) -> u32 {
    side.max(1).next_power_of_two().trailing_zeros()
}

/// The longest step along an axis when it is halved for the time `round`, from 0.
fn longest(side: u32, round: u32) -> u32 {
    if round == 0 { 1 } else { side.div_ceil(1 << round) / 2 }
}

/// The axis of each phase: every centre from the first axis on, then the longest step that is left, of equal ones the
/// last axis.
pub(crate) fn axes(sides: &[u32]) -> Vec<usize> {
    let mut axes: Vec<usize> = (0..sides.len()).filter(|&axis| sides[axis] > 1).collect();
    let mut done: Vec<u32> = sides.iter().map(|&side| u32::from(side > 1)).collect();
    let open = |done: &[u32], axis: usize| done[axis] < rounds(sides[axis]);
    // Of equal keys the maximum is the last.
    while let Some(axis) = (0..sides.len())
        .filter(|&axis| open(&done, axis))
        .max_by_key(|&axis| longest(sides[axis], done[axis]))
    {
        done[axis] += 1;
        axes.push(axis);
    }
    axes
}

/// The longest step of each phase, in cells.
///
/// They sum to ceil(L/2) for every axis of L > 1 cells; docs/centred-halving.md has the proof.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::halving::steps;
/// assert_eq!(steps(&[35]), [1, 9, 4, 2, 1, 1], "they sum to 18");
/// assert_eq!(steps(&[5, 7]), [1, 1, 2, 1, 1, 1], "to 3 + 4");
/// ```
pub fn steps(sides: &[u32]) -> Vec<u32> {
    let mut done = vec![0; sides.len()];
    let step = |axis: usize| {
        done[axis] += 1;
        longest(sides[axis], done[axis] - 1)
    };
    axes(sides).into_iter().map(step).collect()
}

/// Calls `split` for every edge of the tree, phase after phase, in the order of the labels.
///
/// # Complexity
///
/// O(cells).
pub(crate) fn for_each_split(sides: &[u32], mut split: impl FnMut(Split)) {
    let cells: u32 = sides.iter().product();
    let mut owners = vec![Owner { root: cells - 1, size: cells, larger: 0, below: 0 }];
    let mut next = Vec::new();
    let mut done = vec![0; sides.len()];
    for (phase, axis) in (1..).zip(axes(sides)) {
        let (side, round, bit) = (sides[axis], done[axis], 1u32 << axis);
        let least_now = side >> round;
        let least_then = least_now / 2;
        done[axis] += 1;
        next.clear();
        for owner in &owners {
            let arm = least_now + u32::from(owner.larger & bit != 0);
            if arm < 2 {
                next.push(part(owner, owner.size, arm > least_then, bit));
                continue;
            }
            let (keep, give) = (arm / 2, arm.div_ceil(2));
            let rest = part(owner, owner.size / arm * keep, keep > least_then, bit);
            let mut child = part(owner, owner.size - rest.size, give > least_then, bit);
            child.root = owner.root - rest.size;
            if round == 0 {
                child.below |= bit;
            }
            let (distance, down) = (if round == 0 { 1 } else { keep }, child.below & bit != 0);
            let (parent, cells) = (owner.root, child.size);
            split(Split { phase, axis, parent, child: child.root, cells, distance, down });
            next.extend([child, rest]);
        }
        std::mem::swap(&mut owners, &mut next);
    }
}

/// An owner with another size, and another arm along the axis of `bit`.
fn part(owner: &Owner, size: u32, larger: bool, bit: u32) -> Owner {
    let larger = if larger { owner.larger | bit } else { owner.larger & !bit };
    Owner { size, larger, ..*owner }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binomial;

    #[test]
    fn boxes_of_powers_of_two_give_the_binomial_tree() {
        for sides in [vec![1], vec![16], vec![4, 8], vec![8, 2, 1, 4], vec![2; 6]] {
            let n = phases(&sides);
            let mut edges = Vec::new();
            for_each_split(&sides, |split| edges.push((split.phase, split.parent, split.child)));
            let expected: Vec<_> = (1..=n)
                .flat_map(|i| binomial::children(n, i).map(move |child| (i, binomial::parent(child), child)))
                .collect();
            assert_eq!(edges, expected, "{sides:?}");
        }
    }

    /// Keep half, send half, written as a recursion over the arms; labels from a walk in postorder.
    fn definition(sides: &[u32]) -> Vec<(u32, u32, u32)> {
        fn grow(
            arms: &[u32],
            axes: &[usize],
            phase: u32,
            next: &mut u32,
            edges: &mut Vec<(u32, u32, u32)>,
        ) -> u32 {
            let mut arms = arms.to_vec();
            let mut children = Vec::new();
            for (i, &axis) in (phase..).zip(axes.iter().skip(phase as usize - 1)) {
                if arms[axis] < 2 {
                    continue;
                }
                let mut child = arms.clone();
                child[axis] = arms[axis].div_ceil(2);
                arms[axis] /= 2;
                children.push((i, grow(&child, axes, i + 1, next, edges)));
            }
            let own = *next;
            *next += 1;
            edges.extend(children.into_iter().map(|(i, child)| (i, own, child)));
            own
        }
        let (mut edges, mut next) = (Vec::new(), 0);
        grow(sides, &axes(sides), 1, &mut next, &mut edges);
        edges.sort_unstable_by_key(|&(phase, _, child)| (phase, child));
        edges
    }

    #[test]
    fn labels_follow_the_definition() {
        for sides in
            [vec![1], vec![2], vec![3], vec![13], vec![35], vec![5, 7], vec![6, 1, 9], vec![3, 5, 2, 4]]
        {
            let mut edges = Vec::new();
            for_each_split(&sides, |split| edges.push((split.phase, split.parent, split.child)));
            assert_eq!(edges, definition(&sides), "{sides:?}");
            assert_eq!(edges.len() as u32 + 1, sides.iter().product::<u32>(), "{sides:?}");
        }
    }

    #[test]
    fn impossible_sides_are_refused() {
        for sides in [vec![], vec![0], vec![4, 0], vec![1 << 25], vec![1 << 16; 3], vec![1; 25]] {
            assert!(check(&sides).is_err(), "{sides:?}");
        }
        assert!(check(&[1 << 24]).is_ok() && check(&[2; 24]).is_ok() && check(&[1]).is_ok());
    }
}

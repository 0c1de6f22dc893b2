//! Entry and recursive bisection: few edges on every way, few children at every vertex.

use super::displacement::Displacements;
use super::extent::Extent;
use super::{Group, Tree};
use crate::error::{Error, Result};
use crate::topology::{Machine, Network};

/// The tree that enters a set of members at the one nearest to where it comes from, and then cuts the rest in two parts.
///
/// ```text
/// members round the root, by orthants:  enter(orthant, root)
/// enter(S, p):  e = member of S nearest to p; parent(e) = p;
///               cut the tight box of S - e in the middle of its longer side; enter(each part, e)
/// ```
///
/// The root is [`Extent::centre`]; of equally near members the lowest node is entered, of equally long sides the one
/// along the last axis is cut. A member on an axis, between two orthants of the plane, belongs to the one to its right
/// as seen from the root with the last axis to the right and the first one up.
///
/// With `bits(x) = floor(log2 x) + 1`, `bits(0) = 0`, and x the steps from one end of the tight box of an orthant to the
/// other along each axis, no way has more edges than `1 + sum bits(x)`: every cut takes at least one bit away, and a box
/// without bits has one member. No vertex but the root has more than two children, and the root one for each orthant.
/// On the plane of a whole mesh or torus, with w links along both sides of the largest of these boxes, the height is at
/// most `d + 7 w / 2` links, d the distance from the root to the first member entered: two cuts halve a box and both of
/// its edges are inside of it. Where nodes are dead the box is cut all the same; ways round the holes come on top.
///
/// # Errors
///
/// As for [`Extent::of`], and [`Error::NotApplicable`] for a network without a box.
///
/// # Complexity
///
/// The extent, and O(s log w).
///
/// # Examples
///
/// ```
/// use meshwright::groups::{Group, entry_bisection};
/// use meshwright::{topology::Machine, units::NodeId};
/// let line = Machine::new("mesh:1x9")?;
/// let all = Group::whole(&line, "row")?;
/// let tree = entry_bisection::two(&line, &all)?;
/// assert_eq!(tree.children(4), [3, 5]);
/// assert_eq!(tree.children(5), [6, 8], "6, 7 | 8");
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn two(machine: &Machine, group: &Group) -> Result<Tree> {
    tree(machine, group, 1)
}

/// As [`two`], but both parts are cut again before they are entered: four children at most, and ways of at most
/// `1 + ceil(sum bits(x) / 2)` edges.
///
/// # Errors
///
/// As for [`two`].
///
/// # Complexity
///
/// As for [`two`].
pub fn four(machine: &Machine, group: &Group) -> Result<Tree> {
    tree(machine, group, 2)
}

fn tree(machine: &Machine, group: &Group, cuts: u32) -> Result<Tree> {
    let Network::Grid(grid) = &machine.network else {
        return Err(Error::not_applicable("bisection tree", format!("{} has no box to cut", machine.name)));
    };
    let root = Extent::of(machine, group)?.centre;
    let steps = Displacements::new(grid, group, root);
    let mut builder = Builder { group, steps: &steps, parent: vec![Tree::NONE; group.members().len()] };
    let mut ranks: Vec<u32> = (0..group.size()).filter(|&rank| rank != root).collect();
    ranks.sort_by_cached_key(|&rank| orthant(steps.of(rank)));
    for part in ranks.chunk_by_mut(|&a, &b| orthant(steps.of(a)) == orthant(steps.of(b))) {
        builder.enter(part, root, cuts);
    }
    Ok(Tree::new(root, builder.parent))
}

/// Which signs the steps have, one bit an axis. An axis without steps takes the sign of the next one that has some; past
/// the last axis it begins again at the first, with the signs turned round.
fn orthant(steps: &[i32]) -> u32 {
    let is_up = |axis: usize| {
        let after = steps[axis..].iter().find(|&&step| step != 0).map(|&step| step > 0);
        let before = || steps[..axis].iter().find(|&&step| step != 0).map(|&step| step < 0);
        after.or_else(before).unwrap_or(true)
    };
    (0..steps.len()).map(|axis| u32::from(is_up(axis)) << axis).sum()
}

struct Builder<'a> {
    group: &'a Group,
    steps: &'a Displacements,
    parent: Vec<u32>,
}

impl Builder<'_> {
    /// Hangs a set of members below one outside of it.
    fn enter(&mut self, set: &mut [u32], parent: u32, cuts: u32) {
        let from = |&rank: &u32| (self.steps.links(rank, parent), self.group.node(rank));
        let Some(at) = (0..set.len()).min_by_key(|&at| from(&set[at])) else { return };
        let entry = set[at];
        self.parent[entry as usize] = parent;
        set.swap(0, at);
        self.cut(&mut set[1..], entry, cuts, cuts);
    }

    /// Cuts a set, its parts again if so many cuts are left, and enters what comes of it.
    fn cut(&mut self, set: &mut [u32], parent: u32, left: u32, cuts: u32) {
        if left == 0 || set.len() < 2 {
            return self.enter(set, parent, cuts);
        }
        let (axis, middle) = self.middle(set);
        let mut below = 0;
        for at in 0..set.len() {
            if self.steps.of(set[at])[axis] <= middle {
                set.swap(below, at);
                below += 1;
            }
        }
        let (low, high) = set.split_at_mut(below);
        self.cut(low, parent, left - 1, cuts);
        self.cut(high, parent, left - 1, cuts);
    }

    /// The longest side of the tight box, and the last step of its lower half.
    fn middle(&self, set: &[u32]) -> (usize, i32) {
        let mut longest = (-1, 0, 0);
        for axis in 0..self.steps.axes {
            let step = |&rank: &u32| self.steps.of(rank)[axis];
            let (low, high) =
                set.iter().map(step).fold((i32::MAX, i32::MIN), |(l, h), x| (l.min(x), h.max(x)));
            if high - low > longest.0 {
                longest = (high - low, axis, (low + high).div_euclid(2));
            }
        }
        (longest.1, longest.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plane_has_four_quadrants_and_each_axis_belongs_to_one() {
        let of = |x, y| orthant(&[x, y]);
        for (axis, inside) in [((3, 0), (2, -5)), ((0, 3), (5, 2)), ((-3, 0), (-2, 5)), ((0, -3), (-5, -2))] {
            assert_eq!(of(axis.0, axis.1), of(inside.0, inside.1), "{axis:?}");
        }
        let mut all: Vec<u32> = [(1, 1), (1, -1), (-1, 1), (-1, -1)].map(|(x, y)| of(x, y)).to_vec();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3]);
    }
}

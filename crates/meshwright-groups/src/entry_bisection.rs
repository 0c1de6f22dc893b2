//! Entry and recursive bisection: few edges on every way, few children at every vertex.

use super::displacement::Displacements;
use super::extent::Extent;
use super::{Group, Tree};
use meshwright_core::error::{Error, Result};
use meshwright_network::topology::{Machine, Network};

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
///
/// Let W be the links along all k long sides of the largest box of an orthant, the root inside. On a whole mesh or torus
///
/// ```text
/// H <= (1 + g (3 k + 1) / 2) W,   g = max(1 / 2, 1 - 1 / k):   2 W on a line, 11/4 W on the plane, 13/3 W in a cube
/// ```
///
/// *Proof.* Let w_1, w_2, .. be the links along the tight boxes of the sets that a way enters. (1) From a point of a tight
/// box with sides a_1, .., a_k to the nearest member it is at most g (a_1 + .. + a_k): every face holds a member, and with
/// p_i <= a_i / 2 the way to the nearer face of axis i, the one on that face is at most `p_i + sum over j of (a_j - p_j)`,
/// j other than i, away; the mean of this over i is at most what is said. (2) So the edge from the entry of one set to that
/// of the next takes at most `w_j - (1 - g) w_(j+1)`, the first of all at most `W - (1 - g) w_1`: what lies between the two
/// boxes and the next box itself fit into the one before. In sum `H <= W + g (w_1 + w_2 + ..)`. (3) With sides in
/// falling order `w_1 + w_2 + .. <= sum (k + i) a_i`, by induction: the longest side halved comes to stand at place m, and
/// the k - m sides after it are no longer than it. As the sides fall and the factors rise, that is at most their mean
/// `(3 k + 1) / 2` times w_1, and w_1 <= W.
///
/// Where nodes are dead the box is cut all the same; ways round the holes come on top.
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
/// use meshwright_groups::{Group, entry_bisection};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let line = Machine::new("mesh:1x9")?;
/// let all = Group::whole(&line, "row")?;
/// let tree = entry_bisection::two(&line, &all)?;
/// assert_eq!(tree.children(4), [3, 5]);
/// assert_eq!(tree.children(5), [6, 8], "6, 7 | 8");
/// # Ok::<(), meshwright_core::Error>(())
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

/// As [`two`], but every part is cut three times more before it is entered: sixteen children at most, and ways of at most
/// `1 + ceil(sum bits(x) / 4)` edges. Where a message has a long start-up and many go out at once, few edges count.
///
/// # Errors
///
/// As for [`two`].
///
/// # Complexity
///
/// As for [`two`].
pub fn sixteen(machine: &Machine, group: &Group) -> Result<Tree> {
    tree(machine, group, 4)
}

fn tree(machine: &Machine, group: &Group, cuts: u32) -> Result<Tree> {
    let Network::Grid(grid) = machine.network() else {
        return Err(Error::not_applicable("bisection tree", format!("{} has no box to cut", machine.name())));
    };
    let root = Extent::of(machine, group)?.centre;
    let steps = Displacements::new(grid, group, root);
    // Boxes of more axes than this are rare, and small along each of them.
    let parent = match steps.axes {
        0..=2 => parents::<2>(group, root, &steps, cuts),
        3 => parents::<3>(group, root, &steps, cuts),
        4..=8 => parents::<8>(group, root, &steps, cuts),
        _ => parents::<24>(group, root, &steps, cuts),
    };
    Ok(Tree::new(root, parent))
}

/// A member with its steps from the root; axes that there are not have none.
#[derive(Clone, Copy)]
struct DisplacedMember<const K: usize> {
    steps: [i32; K],
    rank: u32,
}

fn parents<const K: usize>(group: &Group, root: u32, steps: &Displacements, cuts: u32) -> Vec<u32> {
    let member = |rank: u32| {
        let mut own = [0; K];
        own[..steps.axes].copy_from_slice(steps.of(rank));
        DisplacedMember { steps: own, rank }
    };
    let mut builder = Builder { group, cuts, parent: vec![Tree::NONE; group.members().len()] };
    let others = (0..group.size()).filter(|&rank| rank != root);
    let mut order: Vec<(u32, u32)> = others.map(|rank| (orthant(&member(rank).steps), rank)).collect();
    order.sort_unstable();
    let mut members: Vec<DisplacedMember<K>> = order.into_iter().map(|(_, rank)| member(rank)).collect();
    for part in members.chunk_by_mut(|a, b| orthant(&a.steps) == orthant(&b.steps)) {
        builder.enter(part, &member(root));
    }
    builder.parent
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
    /// How often a set is cut before its parts are entered.
    cuts: u32,
    parent: Vec<u32>,
}

impl Builder<'_> {
    /// Hangs a set of members below one outside of it.
    fn enter<const K: usize>(&mut self, set: &mut [DisplacedMember<K>], parent: &DisplacedMember<K>) {
        let mut nearest = (u32::MAX, 0);
        for (at, member) in set.iter().enumerate() {
            let links = member.steps.iter().zip(&parent.steps).map(|(a, b)| a.abs_diff(*b)).sum();
            let is_lower = || self.group.node(member.rank) < self.group.node(set[nearest.1].rank);
            if links < nearest.0 || (links == nearest.0 && is_lower()) {
                nearest = (links, at);
            }
        }
        if set.is_empty() {
            return;
        }
        set.swap(0, nearest.1);
        let (entry, others) = set.split_first_mut().expect("there is one");
        self.parent[entry.rank as usize] = parent.rank;
        self.cut(others, entry, self.cuts);
    }

    /// Cuts a set, its parts again if so many cuts are left, and enters what comes of it.
    fn cut<const K: usize>(
        &mut self,
        set: &mut [DisplacedMember<K>],
        parent: &DisplacedMember<K>,
        left: u32,
    ) {
        if left == 0 || set.len() < 2 {
            return self.enter(set, parent);
        }
        let (axis, middle) = middle(set);
        let mut below = 0;
        for at in 0..set.len() {
            if set[at].steps[axis] <= middle {
                set.swap(below, at);
                below += 1;
            }
        }
        let (low, high) = set.split_at_mut(below);
        self.cut(low, parent, left - 1);
        self.cut(high, parent, left - 1);
    }
}

/// The longest side of the tight box, and the last step of its lower half.
fn middle<const K: usize>(set: &[DisplacedMember<K>]) -> (usize, i32) {
    let (mut low, mut high) = ([i32::MAX; K], [i32::MIN; K]);
    for member in set {
        for axis in 0..K {
            low[axis] = low[axis].min(member.steps[axis]);
            high[axis] = high[axis].max(member.steps[axis]);
        }
    }
    let longest = (0..K).rev().max_by_key(|&axis| high[axis] - low[axis]).expect("a box has axes");
    (longest, (low[longest] + high[longest]).div_euclid(2))
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

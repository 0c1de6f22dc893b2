//! The functions of all vertices at once: from their definitions as sets, by the recursions; the way of a packet on them.

use meshwright_groups::protocol::Side;
use meshwright_groups::rank_split::Functions;
use meshwright_groups::rank_split::functions::{PerState, in_sub_tree};
use meshwright_groups::rank_split::routing::{Hop, Routed, route};
use meshwright_groups::{Tree, rank_halving};

/// On which side of a vertex another one hangs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Below {
    Left,
    Right,
    Elsewhere,
}

/// Where v is as seen from u: the child of u through which the way from v to the root goes tells.
fn below(tree: &Tree, v: u32, u: u32) -> Below {
    let mut at = v;
    while let Some(parent) = tree.parent(at) {
        if parent == u {
            return if at < u { Below::Left } else { Below::Right };
        }
        at = parent;
    }
    Below::Elsewhere
}

/// The functions of all vertices of a tree that keeps the order of ranks; states by rank.
///
/// Every set is listed and counted: `F_z^x(u)` of the vertices in state x below u on side z, `B^x(u)` of those with
/// smaller ranks, and `m_z^x(u)` is the largest of the new ranks of the vertices in `F_z^x(u)`.
///
/// # Complexity
///
/// O(s^2 depth).
///
/// # Panics
///
/// When there is not one state, 0 or 1, for each vertex.
///
/// # Source
///
/// `chochia1996`, section 3: the definitions before lemma 2, and its formula 1.
///
/// # Examples
///
/// ```
/// use meshwright_groups::rank_halving;
/// use meshwright_papers::chochia1996::definition::{evaluate, functions};
/// let states = [1, 0, 0, 1, 1, 0, 1];
/// assert_eq!(functions(&rank_halving::tree(7), &states), evaluate(&states));
/// ```
pub fn functions(tree: &Tree, states: &[u8]) -> Vec<Functions> {
    assert_eq!(tree.size() as usize, states.len(), "a state for each vertex");
    assert!(states.iter().all(|&state| state < 2), "a state is 0 or 1");
    (0..tree.size()).map(|u| at(tree, states, u)).collect()
}

/// The vertices in a state.
fn in_state(states: &[u8], x: u8) -> impl Iterator<Item = u32> {
    (0..).zip(states).filter(move |&(_, &state)| state == x).map(|(v, _)| v)
}

fn at(tree: &Tree, states: &[u8], u: u32) -> Functions {
    let on_side = |x, side| in_state(states, x).filter(move |&v| below(tree, v, u) == side);
    let both = |side| [0, 1].map(|x| on_side(x, side).count() as u32);
    // The new rank of a vertex in state x: how many of its state stand before it.
    let new_rank = |x, v| in_state(states, x).filter(|&w| w < v).count() as u32;
    let largest = |side| [0, 1].map(|x| on_side(x, side).map(|v| new_rank(x, v)).max());
    Functions {
        state: states[u as usize],
        left: both(Below::Left),
        right: both(Below::Right),
        total: [0, 1].map(|x| in_state(states, x).count() as u32),
        before: [0, 1].map(|x| in_state(states, x).filter(|&v| v < u).count() as u32),
        max_left: largest(Below::Left),
        max_right: largest(Below::Right),
    }
}

/// The functions of all vertices of a rank-halving tree by the recursions, without messages; states by rank.
///
/// # Complexity
///
/// O(s).
///
/// # Panics
///
/// When a state is neither 0 nor 1.
pub fn evaluate(states: &[u8]) -> Vec<Functions> {
    let zero = Functions::new(0, [0; 2], [0; 2], [0; 2], [0; 2]);
    let mut all = vec![zero; states.len()];
    assert!(states.iter().all(|&state| state < 2), "a state is 0 or 1");
    forward(states, &mut all);
    if !states.is_empty() {
        let root = &all[states.len() / 2];
        let total = in_sub_tree(root.state, root.left, root.right);
        backward(&mut all, total, [0; 2]);
    }
    all
}

/// Fills in states and counts of the sub-tree over these ranks; how many it has of each state.
fn forward(states: &[u8], all: &mut [Functions]) -> PerState {
    if states.is_empty() {
        return [0; 2];
    }
    let middle = states.len() / 2;
    let (left, right) = all.split_at_mut(middle);
    let left = forward(&states[..middle], left);
    let right = forward(&states[middle + 1..], &mut right[1..]);
    let root = &mut all[middle];
    (root.state, root.left, root.right) = (states[middle], left, right);
    in_sub_tree(root.state, left, right)
}

/// Fills in the rest of the sub-tree over these ranks.
fn backward(all: &mut [Functions], total: PerState, before: PerState) {
    if all.is_empty() {
        return;
    }
    let middle = all.len() / 2;
    let Functions { state, left, right, .. } = all[middle];
    let root = Functions::new(state, left, right, total, before);
    all[middle] = root;
    let (below, above) = all.split_at_mut(middle);
    backward(below, total, root.before_child(Side::Left));
    backward(&mut above[1..], total, root.before_child(Side::Right));
}

/// The whole way of a packet from a vertex on the rank-halving tree of these functions: the ranks it meets; none if it
/// comes back to one of them or leaves the tree.
///
/// # Complexity
///
/// O(d^2) for d edges.
///
/// # Source
///
/// `chochia1996`, lemma 3: it arrives.
///
/// # Examples
///
/// ```
/// use meshwright_groups::rank_split::routing::{Role, Routed};
/// use meshwright_papers::chochia1996::definition::{evaluate, way};
/// use meshwright_core::units::NodeId;
/// let at = evaluate(&[0, 1, 0, 1, 0, 1, 0]);
/// let packet = Routed { state: 0, rank: 3, source: NodeId(0), role: Role::Parent };
/// assert_eq!(way(&at, 0, &packet), Some(vec![0, 1, 3, 5, 6]));
/// ```
pub fn way(functions: &[Functions], from: u32, packet: &Routed) -> Option<Vec<u32>> {
    let size = functions.len() as u32;
    let (mut at, mut way) = (from, vec![from]);
    loop {
        let place = rank_halving::place(at, size);
        let next = match route(&functions[at as usize], packet) {
            Hop::Here => return Some(way),
            Hop::Left => place.left,
            Hop::Right => place.right,
            Hop::Parent => place.parent,
        };
        at = next.filter(|next| !way.contains(next))?;
        way.push(at);
    }
}

//! The functions straight from their definitions as sets: slow, for comparison.

use super::functions::Functions;
use crate::Tree;

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
/// use meshwright_groups::paper::{definition, functions};
/// use meshwright_groups::rank_halving;
/// let states = [1, 0, 0, 1, 1, 0, 1];
/// assert_eq!(definition::functions(&rank_halving::tree(7), &states), functions::evaluate(&states));
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

//! Routing on the tree: where a packet for a rank of a new tree goes next.

use super::functions::Functions;
use crate::rank_halving;
use meshwright_core::units::NodeId;

/// What the source of a routed packet is to the vertex that gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Its parent in the new tree.
    Parent,
    /// Its left child.
    Left,
    /// Its right child.
    Right,
    /// The root of the other new tree.
    Adjacent,
}

/// A packet (q, r, c) with a role: 1 + 29 + 32 + 2 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Routed {
    /// q: the state of the destination. The paper names that of the source; they differ between adjacent roots.
    pub state: u8,
    /// r: the rank of the destination in the new tree of state q.
    pub rank: u32,
    /// c: the node of the source.
    pub source: NodeId,
    /// What the source is to the destination.
    pub role: Role,
}

/// Where a packet goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hop {
    /// It has arrived.
    Here,
    /// To the left child.
    Left,
    /// To the right child.
    Right,
    /// To the parent.
    Parent,
}

/// Where a vertex with these functions sends a packet for rank r of the new tree of state q: along the shortest path
/// on the old tree.
///
/// # Complexity
///
/// O(1).
///
/// # Source
///
/// `chochia1996`, figure 3 and lemma 3; the check that the packet has arrived is left out there.
///
/// # Examples
///
/// ```
/// use meshwright_groups::paper::functions;
/// use meshwright_groups::paper::routing::{Hop, Role, Routed, route};
/// use meshwright_core::units::NodeId;
/// // Ranks 0..7, odd ranks in state 1; the root is rank 3, its children are 1 and 5.
/// let at = functions::evaluate(&[0, 1, 0, 1, 0, 1, 0]);
/// let packet = Routed { state: 0, rank: 3, source: NodeId(0), role: Role::Parent };
/// let way = [0, 1, 3, 5, 6].map(|u: usize| route(&at[u], &packet));
/// assert_eq!(way, [Hop::Parent, Hop::Parent, Hop::Right, Hop::Right, Hop::Here]);
/// ```
pub fn route(functions: &Functions, packet: &Routed) -> Hop {
    let (q, r) = (usize::from(packet.state), packet.rank);
    let before = functions.before[q];
    if functions.state == packet.state && before == r {
        return Hop::Here;
    }
    let (side, largest, count) = if before > r {
        (Hop::Left, functions.max_left[q], functions.left[q])
    } else {
        (Hop::Right, functions.max_right[q], functions.right[q])
    };
    // m - f < r, without leaving the natural numbers.
    match largest {
        Some(largest) if largest >= r && largest < r + count => side,
        _ => Hop::Parent,
    }
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
/// use meshwright_groups::paper::functions;
/// use meshwright_groups::paper::routing::{Role, Routed, way};
/// use meshwright_core::units::NodeId;
/// let at = functions::evaluate(&[0, 1, 0, 1, 0, 1, 0]);
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

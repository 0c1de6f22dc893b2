//! Routing on the tree: where a packet for a rank of a new tree goes next.

use crate::functions::Functions;

/// What the source of a routed packet is to the vertex that gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Routed<N> {
    /// q: the state of the destination. The paper names that of the source; they differ between adjacent roots.
    pub state: u8,
    /// r: the rank of the destination in the new tree of state q.
    pub rank: u32,
    /// c: the node of the source.
    pub source: N,
    /// What the source is to the destination.
    pub role: Role,
}

/// Where a packet goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
/// use meshwright_member::functions::Functions;
/// use meshwright_member::routing::{Hop, Role, Routed, route};
/// // Ranks 0..7, odd ranks in state 1; the root is rank 3, with three vertices on either side.
/// let root = Functions::new(1, [2, 1], [2, 1], [4, 3], [0, 0]);
/// let packet = |rank| Routed { state: 0, rank, source: 0_u32, role: Role::Parent };
/// assert_eq!([1, 3].map(|rank| route(&root, &packet(rank))), [Hop::Left, Hop::Right]);
/// ```
pub fn route<N>(functions: &Functions, packet: &Routed<N>) -> Hop {
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

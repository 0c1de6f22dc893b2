//! The functions of lemma 2 at one vertex, from what its children and its parent tell it.

use crate::tree::Side;

/// A value of each state: 0, 1.
pub type PerState = [u32; 2];

/// The functions of one vertex u: what it needs to route packets on the tree.
///
/// # Examples
///
/// ```
/// use meshwright_member::functions::Functions;
/// // Ranks 0, 1, 2 in states 0, 1, 0; the root is rank 1.
/// let root = Functions::new(1, [1, 0], [1, 0], [2, 1], [0, 0]);
/// assert_eq!((root.left, root.right, root.total), ([1, 0], [1, 0], [2, 1]));
/// assert_eq!((root.before, root.max_left, root.max_right), ([1, 0], [Some(0), None], [Some(1), None]));
/// assert_eq!((root.rank(0), root.rank(1)), (Some(0), Some(0)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Functions {
    /// phi(u): its own state, 0 or 1.
    pub state: u8,
    /// f_L^x(u): vertices in state x in its left sub-tree.
    pub left: PerState,
    /// f_R^x(u): vertices in state x in its right sub-tree.
    pub right: PerState,
    /// t^x: vertices in state x in the whole tree.
    pub total: PerState,
    /// b^x(u): vertices in state x with a smaller rank.
    pub before: PerState,
    /// m_L^x(u): the largest rank in T^x of a vertex in its left sub-tree; none is minus infinity.
    pub max_left: [Option<u32>; 2],
    /// m_R^x(u): the largest rank in T^x of a vertex in its right sub-tree; none is minus infinity.
    pub max_right: [Option<u32>; 2],
}

/// Adds two pairs.
fn sum(a: PerState, b: PerState) -> PerState {
    [a[0] + b[0], a[1] + b[1]]
}

/// delta_{phi(u)}^x: 1 for the state of the vertex, 0 for the other.
fn delta(state: u8) -> PerState {
    [u32::from(state == 0), u32::from(state == 1)]
}

/// The forward recursion: `f_L^x(u) + f_R^x(u) + delta`, what u tells its parent; at the root it is t^x.
///
/// # Source
///
/// `chochia1996`, lemma 2.
pub fn in_sub_tree(state: u8, left: PerState, right: PerState) -> PerState {
    sum(sum(left, right), delta(state))
}

impl Functions {
    /// The backward recursion: all functions of a vertex, from its counts and from s^x, the vertices in state x
    /// before the first of its sub-tree, which its parent tells it and which is 0 at the root.
    ///
    /// # Source
    ///
    /// `chochia1996`, lemma 2: `b^x = s_L^x + f_L^x`, `m_L^x = b^x - 1`, `m_R^x = b^x + f_R^x + delta - 1`.
    pub fn new(
        state: u8,
        left: PerState,
        right: PerState,
        total: PerState,
        before_sub_tree: PerState,
    ) -> Self {
        let before = sum(before_sub_tree, left);
        let upper = sum(sum(before, right), delta(state));
        let largest = |count: PerState, end: PerState| [0, 1].map(|x| (count[x] > 0).then(|| end[x] - 1));
        let (max_left, max_right) = (largest(left, before), largest(right, upper));
        Self { state, left, right, total, before, max_left, max_right }
    }

    /// s_z^x(u): the vertices in state x before the first of the sub-tree of a child.
    pub fn before_child(&self, side: Side) -> PerState {
        match side {
            Side::Left => [0, 1].map(|x| self.before[x] - self.left[x]),
            Side::Right => sum(self.before, delta(self.state)),
        }
    }

    /// rank^x I(u) = b^x + delta - 1: its place among the vertices in state x, or that of the last one before it;
    /// none if there is no such vertex.
    pub fn rank(&self, state: u8) -> Option<u32> {
        (self.before[usize::from(state)] + u32::from(state == self.state)).checked_sub(1)
    }

    /// Its rank in its new group: b^x for its own state x.
    pub fn new_rank(&self) -> u32 {
        self.before[usize::from(self.state)]
    }

    /// The size of its new group: t^x for its own state x.
    pub fn new_size(&self) -> u32 {
        self.total[usize::from(self.state)]
    }
}

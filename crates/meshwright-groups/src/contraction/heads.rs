//! One contraction: of the roots that meet at a vertex one wins, the others are hung below it.

use super::frame::Frame;
use crate::protocol::Side;
use meshwright_core::units::NodeId;

/// Heads with more children than this are avoided.
const CHILDREN_FREE: u32 = 3;

/// The root of a finished piece of a new tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Which member.
    pub node: NodeId,
    /// Links down to the farthest member of its piece.
    pub height: u32,
    /// How many children it has.
    pub children: u32,
}

impl Head {
    /// A member alone.
    pub fn alone(node: NodeId) -> Self {
        Self { node, height: 0, children: 0 }
    }
}

/// A head hung below another; both are named by their places among the heads that met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Who was hung.
    pub child: usize,
    /// Below whom.
    pub parent: usize,
    /// On which side.
    pub side: Side,
    /// How many children the parent had before.
    pub turn: u32,
}

/// Hangs all heads but one below each other, in order; the place of the one that is left.
///
/// Heads stand in the order of their ranks. The winner has the least
///
/// ```text
/// max(H_h, max_g (d(h, g) + H_g)) + 1.001 d(h, c) + w max(0, f_h - 3)
/// ```
///
/// with H the heights, f the children and c the centre of the whole new group; of equals, the first. Then,
/// outwards to the left and to the right, each head is hung below the winner or below the head hung just before
/// it, whichever gives the shorter way to the winner, the same penalty added; of equals, below the winner.
/// Sub-trees so keep consecutive ranks.
///
/// # Complexity
///
/// O(h^2) for h heads.
pub fn contract(
    frame: &Frame,
    penalty: u32,
    heads: &mut [Head],
    twice_from_centre: impl Fn(NodeId) -> u32,
    attached: &mut Vec<Attachment>,
) -> usize {
    attached.clear();
    if heads.len() == 1 {
        return 0;
    }
    let too_many = |head: &Head| u64::from(head.children.saturating_sub(CHILDREN_FREE)) * u64::from(penalty);
    let apart = Apart::new(frame, heads);
    // In units of 1/2000 of a link the sum is exact.
    let cost = |&place: &usize| {
        let head = &heads[place];
        let way = |(other, at): (&Head, usize)| apart.links(heads, place, at) + u64::from(other.height);
        let farthest = heads.iter().zip(0..).map(way).max();
        2000 * (farthest.unwrap_or(0) + too_many(head)) + 1001 * u64::from(twice_from_centre(head.node))
    };
    let winner = (0..heads.len()).min_by_key(cost).expect("heads meet");
    let end = heads.len();
    let mut hang = |child: usize, inner: usize, inner_way: u64, side: Side| {
        let direct = apart.links(heads, child, winner);
        let over = inner_way + apart.links(heads, child, inner);
        let is_direct = direct + too_many(&heads[winner]) <= over + too_many(&heads[inner]);
        let (parent, way) = if is_direct { (winner, direct) } else { (inner, over) };
        attached.push(Attachment { child, parent, side, turn: heads[parent].children });
        heads[parent].children += 1;
        let height = way + u64::from(heads[child].height);
        heads[winner].height = heads[winner].height.max(height as u32);
        (child, way)
    };
    (0..winner).rev().fold((winner, 0), |(inner, way), child| hang(child, inner, way, Side::Left));
    (winner + 1..end).fold((winner, 0), |(inner, way), child| hang(child, inner, way, Side::Right));
    winner
}

/// So many heads meet at most vertices: their distances are computed once.
const FEW: usize = 6;

/// How far heads are from each other.
struct Apart<'f> {
    frame: &'f Frame,
    few: Option<[[u32; FEW]; FEW]>,
}

impl<'f> Apart<'f> {
    fn new(frame: &'f Frame, heads: &[Head]) -> Self {
        let table = || {
            let mut table = [[0; FEW]; FEW];
            for (i, a) in heads.iter().enumerate() {
                for (j, b) in heads[..i].iter().enumerate() {
                    let links = frame.distance(a.node, b.node);
                    (table[i][j], table[j][i]) = (links, links);
                }
            }
            table
        };
        Self { frame, few: (heads.len() <= FEW).then(table) }
    }

    #[inline]
    fn links(&self, heads: &[Head], a: usize, b: usize) -> u64 {
        u64::from(match &self.few {
            Some(table) => table[a][b],
            None => self.frame.distance(heads[a].node, heads[b].node),
        })
    }
}

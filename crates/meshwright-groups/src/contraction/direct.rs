//! The trees of all new groups, built in one place: what the messages have to agree with.

use smallvec::SmallVec;

use super::Contraction;
use super::frame::{Centre, Cut, Extents};
use super::heads::{Head, contract};
use crate::{Group, Tree, rank_halving};

/// A group with a tree that keeps the order of its ranks: what a contraction starts from and ends with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderedTree {
    /// The members.
    pub group: Group,
    /// Their tree: the ranks of every sub-tree are consecutive.
    pub tree: Tree,
    /// Where rings are cut open.
    pub(super) cut: Cut,
}

impl Contraction {
    /// The rank-halving tree of a group.
    ///
    /// # Panics
    ///
    /// When the group is empty.
    pub fn halving(&self, group: &Group) -> OrderedTree {
        let cut = self.frame.cut(group.members());
        OrderedTree { group: group.clone(), tree: rank_halving::tree(group.size()), cut }
    }

    /// The tree a first group is given: the rank-halving tree contracted until its height falls no more.
    ///
    /// # Complexity
    ///
    /// O(s) per contraction; two or three on most groups, eight at most.
    ///
    /// # Panics
    ///
    /// When the group is empty.
    pub fn first(&self, group: &Group) -> OrderedTree {
        let (mut lowest, mut best) = (u32::MAX, self.halving(group));
        for _ in 0..CONTRACTIONS_MAX {
            let (height, next) = self.contract_whole(&best);
            if height >= lowest {
                break;
            }
            (lowest, best) = (height, next);
        }
        best
    }

    /// The groups of equal colours, in increasing colour, with their trees.
    ///
    /// # Panics
    ///
    /// When there is not one colour for each member.
    ///
    /// # Complexity
    ///
    /// O(s log s) for few colours; for many, O(s) times the height of the tree in edges.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_groups::Group;
    /// use meshwright_groups::contraction::Contraction;
    /// use meshwright_network::topology::Machine;
    /// let line = Machine::new("mesh:1x5")?;
    /// let contraction = Contraction::new(&line)?;
    /// let whole = contraction.halving(&Group::whole(&line, "row")?);
    /// let parts = contraction.split(&whole, &[7, 0, 7, 0, 7]);
    /// // The nodes 0, 2 and 4: the middle one is their root.
    /// assert_eq!((parts[1].0, parts[1].1.tree.root(), parts[1].1.tree.children(1)), (7, 1, &[0, 2][..]));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn split(&self, from: &OrderedTree, colours: &[u32]) -> Vec<(u32, OrderedTree)> {
        let mut parts = Vec::new();
        let places = self.sort_into_parts(from, colours, &mut parts);
        self.climb(from, &places, &mut parts);
        let groups = from.group.split(colours).into_iter().zip(parts);
        groups.map(|((colour, group), part)| (colour, part.tree(group, &from.cut))).collect()
    }

    /// One more contraction of a whole group, and its height.
    fn contract_whole(&self, from: &OrderedTree) -> (u32, OrderedTree) {
        let mut parts = Vec::new();
        let places = self.sort_into_parts(from, &vec![0; from.group.size() as usize], &mut parts);
        self.climb(from, &places, &mut parts);
        let part = parts.remove(0);
        (part.height, part.tree(from.group.clone(), &from.cut))
    }

    /// The parts of the colours in increasing order; per rank its part and its rank there.
    fn sort_into_parts(
        &self,
        from: &OrderedTree,
        colours: &[u32],
        parts: &mut Vec<GrowingGroup>,
    ) -> Vec<(u32, u32)> {
        assert_eq!(colours.len(), from.group.members().len(), "a colour for each member");
        let mut names: Vec<u32> = colours.to_vec();
        names.sort_unstable();
        names.dedup();
        parts.extend(names.iter().map(|_| GrowingGroup::default()));
        let mut places = Vec::with_capacity(colours.len());
        for (rank, colour) in (0..).zip(colours) {
            let part = names.binary_search(colour).expect("every colour is named");
            let extents = Extents::of(self.frame.numbers(from.group.node(rank), &from.cut));
            places.push((part as u32, parts[part].take(extents)));
        }
        for part in parts {
            part.centre = part.extents.as_ref().expect("a part has members").centre();
        }
        places
    }

    /// Contracts at every vertex, children before parents. `places` has the part and the new rank of each rank.
    fn climb(&self, from: &OrderedTree, places: &[(u32, u32)], parts: &mut [GrowingGroup]) {
        // Most vertices leave one piece: it needs no memory of its own.
        let mut at: Vec<SmallVec<[Piece; 1]>> = vec![SmallVec::new(); places.len()];
        let (mut meeting, mut heads, mut attached) = (Vec::new(), Vec::new(), Vec::new());
        for &rank in from.tree.top_down().iter().rev() {
            let (part, new_rank) = places[rank as usize];
            let own = Piece { part, new_rank, head: Head::alone(from.group.node(rank)) };
            meeting.clear();
            let children = from.tree.children(rank);
            let right = children.partition_point(|&child| child < rank);
            for &child in &children[..right] {
                meeting.extend(at[child as usize].drain(..));
            }
            meeting.push(own);
            for &child in &children[right..] {
                meeting.extend(at[child as usize].drain(..));
            }
            if !meeting.is_sorted_by_key(|piece| piece.part) {
                meeting.sort_by_key(|piece| piece.part);
            }
            let left = &mut at[rank as usize];
            for pieces in meeting.chunk_by(|a, b| a.part == b.part) {
                let part = &mut parts[pieces[0].part as usize];
                heads.clear();
                heads.extend(pieces.iter().map(|piece| piece.head));
                let away = |node| self.frame.twice_from_centre(node, &from.cut, &part.centre);
                let winner = contract(&self.frame, self.penalty, &mut heads, away, &mut attached);
                for hung in &attached {
                    part.parent[pieces[hung.child].new_rank as usize] = pieces[hung.parent].new_rank;
                }
                part.heads -= attached.len() as u32;
                let piece = Piece { head: heads[winner], ..pieces[winner] };
                if part.heads == 1 {
                    (part.root, part.height) = (piece.new_rank, piece.head.height);
                } else {
                    left.push(piece);
                }
            }
        }
    }
}

/// A first tree is contracted at most so often.
const CONTRACTIONS_MAX: u32 = 8;

/// A new group while it grows.
#[derive(Default)]
struct GrowingGroup {
    /// By new rank.
    parent: Vec<u32>,
    extents: Option<Extents>,
    centre: Centre,
    /// Pieces that are not hung yet.
    heads: u32,
    root: u32,
    height: u32,
}

impl GrowingGroup {
    /// Takes in a member; its new rank.
    fn take(&mut self, extents: Extents) -> u32 {
        match &mut self.extents {
            Some(own) => own.include(&extents),
            none => *none = Some(extents),
        }
        self.parent.push(Tree::NONE);
        self.heads += 1;
        self.heads - 1
    }

    /// What has grown.
    fn tree(self, group: Group, cut: &Cut) -> OrderedTree {
        OrderedTree { group, tree: Tree::new(self.root, self.parent), cut: cut.clone() }
    }
}

/// A head on its way up.
#[derive(Clone, Copy)]
struct Piece {
    part: u32,
    new_rank: u32,
    head: Head,
}

//! Groups whose members stand beside each other in an order: two numbers say all of it.
//!
//! A member finds the node of any rank by the formula of the order, and so its parent and its children in the
//! rank-halving tree; to become a part of itself the group sends no message when everybody knows the cuts, and one
//! broadcast when a member has to tell them.
//!
//! # Source
//!
//! `axtmann2018`: communicators that are ranges of ranks, made locally in constant time.

use std::convert::Infallible;

use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_groups::protocol::{Label, Links, Outbox, Position, Scheme, Side};
use meshwright_groups::{Group, Tree, rank_halving};
use meshwright_network::topology::order::{Order, order};
use meshwright_network::topology::{Machine, Topology};

/// The nodes from one place of an order to another.
///
/// # Examples
///
/// ```
/// use meshwright_papers::range::RangeGroup;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:1024x1024")?;
/// let all = RangeGroup::whole(&mesh, "hilbert")?;
/// let quarter = all.part(0, 1 << 18);
/// assert_eq!((quarter.size(), quarter.node(0)), (1 << 18, NodeId(0)));
/// assert_eq!(quarter.links(1 << 17).parent, None);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct RangeGroup<'m> {
    order: &'static Order,
    sides: &'m [u32],
    first: u32,
    end: u32,
}

impl std::fmt::Debug for RangeGroup<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{} of {}", self.first, self.end, self.order.name)
    }
}

impl PartialEq for RangeGroup<'_> {
    fn eq(&self, other: &Self) -> bool {
        let key = |range: &Self| (range.order.name, range.first, range.end);
        key(self) == key(other) && self.sides == other.sides
    }
}

impl<'m> RangeGroup<'m> {
    /// All nodes of a machine in an order.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for an unknown order, [`Error::NotApplicable`] when a node is dead: the formulas do not know
    /// it.
    pub fn whole(machine: &'m Machine, order_name: &str) -> Result<Self> {
        if !machine.dead().is_empty() {
            return Err(Error::not_applicable("ranges", "a dead node leaves a hole in the order"));
        }
        Ok(Self { order: order(order_name)?, sides: machine.sides(), first: 0, end: machine.nodes() })
    }

    /// s: how many members there are.
    pub fn size(&self) -> u32 {
        self.end - self.first
    }

    /// The node of a rank.
    ///
    /// # Panics
    ///
    /// When the rank is not below the size.
    ///
    /// # Complexity
    ///
    /// O(axes) in the orders row, column and snake; O(log nodes) in the order hilbert.
    pub fn node(&self, rank: u32) -> NodeId {
        assert!(rank < self.size(), "a rank is below the size of its group");
        (self.order.at)(self.sides, self.first + rank)
    }

    /// The members from one rank to another, as a group of their own.
    ///
    /// # Panics
    ///
    /// When they are not ranks of this group in this order.
    ///
    /// # Complexity
    ///
    /// O(1), no messages.
    pub fn part(&self, first: u32, end: u32) -> Self {
        assert!(first <= end && end <= self.size(), "a part lies inside its group");
        Self { first: self.first + first, end: self.first + end, ..*self }
    }

    /// The edges of a rank in the rank-halving tree.
    ///
    /// # Panics
    ///
    /// When the rank is not below the size.
    ///
    /// # Complexity
    ///
    /// O(log nodes), no messages.
    pub fn links(&self, rank: u32) -> Links {
        let place = rank_halving::place(rank, self.size());
        let left = place.left.map(|child| (self.node(child), Side::Left));
        let right = place.right.map(|child| (self.node(child), Side::Right));
        Links {
            parent: place.parent.map(|parent| self.node(parent)),
            children: left.into_iter().chain(right).collect(),
        }
    }

    /// The same group as a list.
    ///
    /// # Complexity
    ///
    /// O(s log nodes).
    pub fn to_group(&self) -> Group {
        Group::in_order((0..self.size()).map(|rank| self.node(rank)).collect())
    }
}

/// The scheme of splits into ranges: the colour of a label is the first rank of the member's new group and its key the
/// rank behind the last, so that every member names its part itself and no message is sent.
///
/// The parts are those of [`Group::split_by`] when all members speak of the same cuts. If one member alone knows them,
/// a broadcast before the split tells the others.
#[derive(Clone, Debug)]
pub struct Ranges<'m> {
    range: RangeGroup<'m>,
}

impl<'m> Ranges<'m> {
    /// Of this group.
    pub fn new(range: RangeGroup<'m>) -> Self {
        Self { range }
    }
}

/// What a member keeps of a range: two numbers, its rank, its at most three edges.
fn position(range: RangeGroup<'_>, rank: u32) -> Position<RangeGroup<'_>> {
    Position::new(rank, range.size(), range.links(rank), range)
}

impl<'m> Scheme for Ranges<'m> {
    const STEPS: &'static [&'static str] = &[];
    type Known = RangeGroup<'m>;
    type Packet = Infallible;
    type Splitting = Option<Position<RangeGroup<'m>>>;

    fn is_ordered(&self) -> bool {
        true
    }

    fn places(&self, _: &Machine, group: &Group) -> Result<Vec<Position<Self::Known>>> {
        if *group != self.range.to_group() {
            let why = format!("the group is not the range {:?}", self.range);
            return Err(Error::not_applicable("ranges", why));
        }
        Ok((0..group.size()).map(|rank| position(self.range, rank)).collect())
    }

    fn begin(
        &self,
        _: NodeId,
        place: &Position<Self::Known>,
        label: Label,
        _: &mut Outbox<Infallible>,
    ) -> Self::Splitting {
        let (first, end) = (label.colour, label.key);
        assert!(first <= place.rank() && place.rank() < end, "a member is inside the range it names");
        Some(position(place.known().part(first, end), place.rank() - first))
    }

    fn receive(
        &self,
        _: NodeId,
        _: &Position<Self::Known>,
        _: &mut Self::Splitting,
        _: NodeId,
        packet: Infallible,
        _: &mut Outbox<Infallible>,
    ) {
        match packet {}
    }

    fn take_place(&self, splitting: &mut Self::Splitting) -> Option<Position<Self::Known>> {
        splitting.take()
    }

    fn step(packet: &Infallible) -> usize {
        match *packet {}
    }

    fn bytes_kept(place: &Position<Self::Known>, splitting: Option<&Self::Splitting>) -> usize {
        place.bytes() + splitting.map_or(0, size_of_val)
    }
}

/// A tree of ranks cut in two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halves {
    /// The tree of the ranks below the cut, if there are any.
    pub below: Option<Tree>,
    /// The tree of the others, their ranks counted from the cut.
    pub above: Option<Tree>,
    /// The ranks whose own edges are not what they were, in increasing order.
    pub changed: Vec<u32>,
}

/// Cuts a tree that keeps the order of ranks: only members on the way from the root to the cut, and the roots of
/// sub-trees that hung there, get other edges; all others keep their parents and children.
///
/// The trees are no longer those of rank halving, but no deeper than the tree that was cut.
///
/// # Panics
///
/// When the cut is beyond the size, or a vertex has two children on the same side.
///
/// # Complexity
///
/// O(depth) edges change; the trees are written down in O(s).
///
/// # Examples
///
/// ```
/// use meshwright_papers::range::cut;
/// use meshwright_groups::rank_halving;
/// let halves = cut(&rank_halving::tree(7), 3); // the root is 3
/// assert_eq!(halves.changed, [1, 3]);
/// assert_eq!(halves.below.unwrap().root(), 1);
/// ```
pub fn cut(tree: &Tree, at: u32) -> Halves {
    assert!(at <= tree.size(), "the cut is inside the group");
    let child = |rank: u32, is_left: bool| {
        let mut there = tree.children(rank).iter().copied().filter(|&child| (child < rank) == is_left);
        let child = there.next();
        assert!(there.next().is_none(), "a vertex has a child on each side at most");
        child
    };
    let mut parent: Vec<u32> = (0..tree.size()).map(|r| tree.parent(r).unwrap_or(Tree::NONE)).collect();
    let mut roots = [None, None];
    // The last vertex of each half on the way, below which the next one of that half is hung.
    let mut last: [Option<u32>; 2] = [None, None];
    let mut here = Some(tree.root());
    let mut way = Vec::new();
    while let Some(rank) = here {
        let half = usize::from(rank >= at);
        parent[rank as usize] = last[half].unwrap_or(Tree::NONE);
        roots[half] = roots[half].or(Some(rank));
        last[half] = Some(rank);
        way.push(rank);
        here = child(rank, rank >= at);
    }
    let changed = edges_changed(tree, &parent, &way);
    let (below, above) = parent.split_at(at as usize);
    let above: Vec<u32> = above.iter().map(|&p| if p == Tree::NONE { p } else { p - at }).collect();
    Halves {
        below: roots[0].map(|root| Tree::new(root, below.to_vec())),
        above: roots[1].map(|root| Tree::new(root - at, above)),
        changed,
    }
}

/// The ranks with a parent that is not what it was, and those that have lost or won a child.
fn edges_changed(tree: &Tree, parent: &[u32], way: &[u32]) -> Vec<u32> {
    let mut changed = Vec::new();
    for &rank in way {
        let (old, new) = (tree.parent(rank).unwrap_or(Tree::NONE), parent[rank as usize]);
        if old != new {
            changed.extend([rank, old, new]);
        }
    }
    changed.retain(|&rank| rank != Tree::NONE);
    changed.sort_unstable();
    changed.dedup();
    changed
}

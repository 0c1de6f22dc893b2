//! A given tree that is never split: any [`Tree`] can run the passes.

use std::convert::Infallible;

use super::scheme::{Label, Links, Outbox, Scheme, Side};
use crate::{Group, Tree};
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_network::topology::Machine;

/// Members of one tree, for programs without splits and joins.
///
/// On a tree that [keeps the order](Tree::keeps_order) of ranks, `Fixed<true>` scans with one value a message; on
/// any tree, `Fixed<false>` scans with lists.
///
/// # Examples
///
/// ```
/// use meshwright_groups::protocol::{Fixed, Operation, Operator, Script, members};
/// use meshwright_groups::{Group, rank_halving};
/// use meshwright_sim as sim;
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:2x3")?;
/// let group = Group::whole(&mesh, "row")?;
/// let tree = Fixed::<true>::new(rank_halving::tree(6));
/// let program = |value| Script::new(vec![Operation::Scan(Operator::Sum, value)]);
/// let mut all = members(&tree, &mesh, &group, (1..=6).map(program).collect())?;
/// assert!(sim::run(&mesh, &mut all, &sim::Engine::Message)?.unfinished.is_empty());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed<const ORDERED: bool> {
    tree: Tree,
}

impl<const ORDERED: bool> Fixed<ORDERED> {
    /// Members of this tree.
    ///
    /// # Panics
    ///
    /// When `ORDERED` is asked for and the tree does not keep the order of ranks.
    pub fn new(tree: Tree) -> Self {
        assert!(!ORDERED || tree.keeps_order(), "the ranks of every sub-tree are consecutive");
        Self { tree }
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }
}

/// What a member of a fixed tree keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedPlace {
    links: Links,
    rank: u32,
    size: u32,
}

/// The edges of one rank of a tree, with the nodes at their ends.
///
/// # Complexity
///
/// O(children).
pub fn links(tree: &Tree, group: &Group, rank: u32) -> Links {
    let side = |child| if child < rank { Side::Left } else { Side::Right };
    Links {
        parent: tree.parent(rank).map(|parent| group.node(parent)),
        children: tree.children(rank).iter().map(|&child| (group.node(child), side(child))).collect(),
    }
}

impl<const ORDERED: bool> Scheme for Fixed<ORDERED> {
    const ORDERED: bool = ORDERED;
    const STEPS: &'static [&'static str] = &[];
    type Place = FixedPlace;
    type Packet = Infallible;
    type Splitting = Infallible;

    /// # Panics
    ///
    /// When the group has another size than the tree.
    fn places(&self, _: &Machine, group: &Group) -> Result<Vec<FixedPlace>> {
        assert_eq!(group.size(), self.tree.size(), "a tree of this group");
        let place = |rank| FixedPlace { links: links(&self.tree, group, rank), rank, size: group.size() };
        Ok((0..group.size()).map(place).collect())
    }

    fn links(place: &FixedPlace) -> &Links {
        &place.links
    }

    fn rank_and_size(place: &FixedPlace) -> (u32, u32) {
        (place.rank, place.size)
    }

    /// # Panics
    ///
    /// Always: a fixed tree is not split.
    fn begin(&self, _: NodeId, _: &FixedPlace, _: Label, _: &mut Outbox<Infallible>) -> Infallible {
        panic!("the program of a fixed tree has no splits")
    }

    fn receive(
        &self,
        _: NodeId,
        _: &FixedPlace,
        _: &mut Infallible,
        _: NodeId,
        packet: Infallible,
        _: &mut Outbox<Infallible>,
    ) {
        match packet {}
    }

    fn take_place(&self, splitting: &mut Infallible) -> Option<FixedPlace> {
        match *splitting {}
    }

    fn step(packet: &Infallible) -> usize {
        match *packet {}
    }

    fn bytes_kept(place: &FixedPlace, _: Option<&Infallible>) -> usize {
        size_of::<FixedPlace>() + size_of_val(place.links.children.as_slice())
    }
}

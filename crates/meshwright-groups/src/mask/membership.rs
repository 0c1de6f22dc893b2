//! The group as every member knows it, and the groups that its labels make.

use std::sync::Arc;

use super::TreeOf;
use super::coding::{Coding, LabelRun};
use crate::protocol::Links;
use crate::{Group, Tree};
use meshwright_network::topology::Machine;

/// The members of a group, its tree, and the order in which labels travel.
///
/// The labels of a sub-tree stand together: first those of its children of smaller rank, then its root's, then those
/// of the other children. On a tree that keeps the order of ranks this is the order of ranks.
#[derive(Debug)]
pub struct Membership {
    group: Group,
    tree: Tree,
    /// By rank: where the labels of its sub-tree begin.
    begin: Vec<u32>,
    /// By rank: where they end.
    end: Vec<u32>,
    /// By rank: where its own label stands.
    at: Vec<u32>,
}

impl Membership {
    /// Of a group with this tree.
    ///
    /// # Panics
    ///
    /// When the tree is of another size.
    ///
    /// # Complexity
    ///
    /// O(s).
    pub fn new(group: Group, tree: Tree) -> Self {
        assert_eq!(group.size(), tree.size(), "a tree of this group");
        let size = group.members().len();
        let walk = tree.top_down();
        let mut end = vec![1u32; size];
        for &rank in walk.iter().rev() {
            if let Some(parent) = tree.parent(rank) {
                end[parent as usize] += end[rank as usize];
            }
        }
        let (mut begin, mut at) = (vec![0; size], vec![0; size]);
        for &rank in &walk {
            let (mut cursor, mut is_placed) = (begin[rank as usize], false);
            for &child in tree.children(rank) {
                if child > rank && !is_placed {
                    at[rank as usize] = cursor;
                    cursor += 1;
                    is_placed = true;
                }
                begin[child as usize] = cursor;
                cursor += end[child as usize];
            }
            if !is_placed {
                at[rank as usize] = cursor;
            }
            // The parent has used the size already; from now on the place where the labels end.
            end[rank as usize] += begin[rank as usize];
        }
        Self { group, tree, begin, end, at }
    }

    /// The group.
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// Its tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Where the labels of the sub-tree of a rank begin and end.
    pub fn stretch(&self, rank: u32) -> (u32, u32) {
        (self.begin[rank as usize], self.end[rank as usize])
    }

    /// Where the label of a rank stands.
    pub fn at(&self, rank: u32) -> u32 {
        self.at[rank as usize]
    }

    /// The edges of a rank.
    pub fn links(&self, rank: u32) -> Links {
        Links::in_tree(&self.tree, &self.group, rank)
    }

    /// The memory it takes, in bytes: the list of the members, three numbers a member for the tree and three for the
    /// order of the labels.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.group.members().len() * 7 * size_of::<u32>()
    }
}

/// What a split makes of a group: what every member finds alone, once it has all labels.
#[derive(Debug)]
pub struct Parts {
    /// By colour.
    memberships: Vec<(u32, Arc<Membership>)>,
    /// By old rank: the index of the new group, and the rank in it.
    places: Vec<(u32, u32)>,
}

impl Parts {
    /// The groups of equal colours of a group, from all its labels in the order in which they travel.
    ///
    /// # Panics
    ///
    /// When there are not as many labels as members, or the tree of a part cannot be built where that of the whole
    /// could.
    ///
    /// # Complexity
    ///
    /// O(s log s) and what the trees take.
    pub fn new(
        machine: &Machine,
        tree: TreeOf,
        membership: &Membership,
        coding: &Coding,
        runs: &[LabelRun],
    ) -> Self {
        let mut codes = Vec::with_capacity(membership.at.len());
        for &(code, count) in runs {
            codes.extend(std::iter::repeat_n(code, count as usize));
        }
        assert_eq!(codes.len(), membership.at.len(), "a label for each member");
        let code = |rank: u32| codes[membership.at[rank as usize] as usize];
        let mut ranks: Vec<u32> = (0..membership.group.size()).collect();
        ranks.sort_unstable_by_key(|&rank| (code(rank), rank));
        let mut places = vec![(0, 0); ranks.len()];
        let mut memberships = Vec::new();
        for part in ranks.chunk_by(|&a, &b| coding.colour(code(a)) == coding.colour(code(b))) {
            for (new, &old) in (0..).zip(part) {
                places[old as usize] = (memberships.len() as u32, new);
            }
            let group = Group::in_order(part.iter().map(|&rank| membership.group.node(rank)).collect());
            let tree = tree(machine, &group).expect("a tree that suits a group suits its parts");
            memberships.push((coding.colour(code(part[0])), Arc::new(Membership::new(group, tree))));
        }
        Self { memberships, places }
    }

    /// The new groups, in increasing colour.
    pub fn memberships(&self) -> &[(u32, Arc<Membership>)] {
        &self.memberships
    }

    /// The new group of an old rank, and the rank in it.
    pub fn place(&self, old: u32) -> (&Arc<Membership>, u32) {
        let (part, rank) = self.places[old as usize];
        (&self.memberships[part as usize].1, rank)
    }
}

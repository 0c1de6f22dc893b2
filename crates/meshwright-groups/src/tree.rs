//! Any rooted tree over a group and what it costs.

use super::Group;
use super::nearby::Nearby;
use meshwright_network::topology::{Machine, Topology};

/// A rooted tree whose vertices are the ranks of a group.
///
/// # Examples
///
/// ```
/// use meshwright_groups::{Group, Tree};
/// use meshwright_network::topology::Machine;
/// let line = Machine::new("mesh:1x4")?;
/// let tree = Tree::new(1, vec![1, Tree::NONE, 1, 2]);
/// assert_eq!(tree.children(1), [0, 2]);
/// assert_eq!(tree.height_links(&line, &Group::whole(&line, "row")?), 2);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    root: u32,
    parent: Vec<u32>,
    /// The children of v are `children[first[v]..first[v + 1]]`.
    first: Vec<u32>,
    children: Vec<u32>,
}

impl Tree {
    /// In place of the parent of the root.
    pub const NONE: u32 = u32::MAX;

    /// The tree with these parents; children stand in the order of their ranks.
    ///
    /// # Panics
    ///
    /// When the parents are not those of one tree with this root.
    ///
    /// # Complexity
    ///
    /// O(s).
    pub fn new(root: u32, parent: Vec<u32>) -> Self {
        let size = parent.len();
        let mut first = vec![0u32; size + 1];
        for (rank, &up) in (0..).zip(&parent) {
            assert_eq!(up == Self::NONE, rank == root, "the root alone has no parent");
            if up != Self::NONE {
                first[up as usize + 1] += 1;
            }
        }
        for rank in 0..size {
            first[rank + 1] += first[rank];
        }
        let mut next = first.clone();
        let mut children = vec![0; size - 1];
        for (rank, &up) in (0..).zip(&parent) {
            if up != Self::NONE {
                children[next[up as usize] as usize] = rank;
                next[up as usize] += 1;
            }
        }
        let tree = Self { root, parent, first, children };
        assert_eq!(tree.top_down().len(), size, "every vertex hangs below the root");
        tree
    }

    /// The tree of so many members in which all others are children of the root.
    ///
    /// # Panics
    ///
    /// When the root is none of the members.
    ///
    /// # Complexity
    ///
    /// O(s).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_groups::Tree;
    /// let tree = Tree::flat(1, 3);
    /// assert_eq!((tree.root(), tree.children(1), tree.hops()), (1, &[0, 2][..], 1));
    /// ```
    pub fn flat(root: u32, size: u32) -> Self {
        let mut parents = vec![root; size as usize];
        parents[root as usize] = Self::NONE;
        Self::new(root, parents)
    }

    /// The rank of the root.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// How many vertices there are.
    pub fn size(&self) -> u32 {
        self.parent.len() as u32
    }

    /// The rank of the parent; none for the root.
    pub fn parent(&self, rank: u32) -> Option<u32> {
        Some(self.parent[rank as usize]).filter(|&up| up != Self::NONE)
    }

    /// The ranks of the children.
    pub fn children(&self, rank: u32) -> &[u32] {
        &self.children[self.first[rank as usize] as usize..self.first[rank as usize + 1] as usize]
    }

    /// All vertices, each after its parent.
    ///
    /// # Complexity
    ///
    /// O(s).
    pub fn top_down(&self) -> Vec<u32> {
        let mut walk = vec![self.root];
        let mut done = 0;
        while done < walk.len() {
            walk.extend(self.children(walk[done]));
            done += 1;
            assert!(walk.len() <= self.parent.len(), "a tree has no rings");
        }
        walk
    }

    /// The most children a vertex has.
    ///
    /// # Complexity
    ///
    /// O(s).
    pub fn fan_out(&self) -> u32 {
        self.first.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }

    /// Whether the ranks of every sub-tree are consecutive: then values can be put together in the order of ranks.
    ///
    /// # Complexity
    ///
    /// O(s).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_groups::{Tree, rank_halving};
    /// assert!(rank_halving::tree(12).keeps_order());
    /// assert!(!Tree::new(1, vec![2, Tree::NONE, 1]).keeps_order(), "below 2 hangs 0, and 1 does not");
    /// ```
    pub fn keeps_order(&self) -> bool {
        let mut sizes = vec![1; self.parent.len()];
        for &rank in self.top_down().iter().rev() {
            if let Some(up) = self.parent(rank) {
                sizes[up as usize] += sizes[rank as usize];
            }
        }
        self.spans().iter().zip(sizes).all(|((first, last), size)| last - first + 1 == size)
    }

    /// By rank the least and the largest rank of its sub-tree, its own included.
    ///
    /// # Complexity
    ///
    /// O(s).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_groups::rank_halving;
    /// assert_eq!(rank_halving::tree(5).spans(), [(0, 0), (0, 1), (0, 4), (3, 3), (3, 4)]);
    /// ```
    pub fn spans(&self) -> Vec<(u32, u32)> {
        let mut spans: Vec<(u32, u32)> = (0..self.size()).map(|rank| (rank, rank)).collect();
        for &rank in self.top_down().iter().rev() {
            if let Some(up) = self.parent(rank) {
                let (first, last) = spans[rank as usize];
                let above = &mut spans[up as usize];
                *above = (above.0.min(first), above.1.max(last));
            }
        }
        spans
    }

    /// H: the links of the longest way from the root.
    ///
    /// A barrier takes 2 H steps when nobody is in the way: up to the root, and down again.
    ///
    /// # Panics
    ///
    /// When a member cannot reach its parent, or the group has another size.
    ///
    /// # Complexity
    ///
    /// O(s) where distances are formulas.
    pub fn height_links(&self, machine: &Machine, group: &Group) -> u32 {
        self.below_root(machine, group).into_iter().max().unwrap_or(0)
    }

    /// Per rank the links of the way from the root.
    ///
    /// # Panics
    ///
    /// As for [`Tree::height_links`].
    ///
    /// # Complexity
    ///
    /// As for [`Tree::edge_links`].
    pub fn below_root(&self, machine: &Machine, group: &Group) -> Vec<u32> {
        let mut below = self.edge_links(machine, group);
        for rank in self.top_down() {
            for &child in self.children(rank) {
                below[child as usize] += below[rank as usize];
            }
        }
        below
    }

    /// Per rank the links to the parent; 0 for the root.
    ///
    /// # Panics
    ///
    /// As for [`Tree::height_links`].
    ///
    /// # Complexity
    ///
    /// O(s) where distances are formulas, else a search from every vertex, as far as its children are away.
    pub fn edge_links(&self, machine: &Machine, group: &Group) -> Vec<u32> {
        assert_eq!(group.size(), self.size(), "a tree of this group");
        let mut links = vec![0; self.parent.len()];
        if machine.is_whole() {
            for rank in 0..self.size() {
                let Some(up) = self.parent(rank) else { continue };
                let edge = machine.distance(group.node(up), group.node(rank));
                links[rank as usize] = edge.expect("members reach each other").0;
            }
            return links;
        }
        let mut nearby = Nearby::new(machine);
        for rank in 0..self.size() {
            nearby.start(group.node(rank));
            for &child in self.children(rank) {
                links[child as usize] = nearby.links(group.node(child)).expect("members reach each other");
            }
        }
        links
    }

    /// The edges of the longest way from the root.
    ///
    /// # Complexity
    ///
    /// O(s).
    pub fn hops(&self) -> u32 {
        let mut depth = vec![0; self.parent.len()];
        for rank in self.top_down() {
            for &child in self.children(rank) {
                depth[child as usize] = depth[rank as usize] + 1;
            }
        }
        depth.into_iter().max().unwrap_or(0)
    }
}

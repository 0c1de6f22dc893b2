//! k-hub exchange: members tell the nearest hub, hubs tell each other, hubs tell their members.

use super::k_centre::{Centres, centres, farthest_pair};
use super::scheme::ExchangePacket;
use crate::protocol::pass::{Load, Pass, PassDirection, Post, combine, into_prefixes};
use crate::protocol::{Links, Operation, Outbox, Outcome, Side};
use crate::{Group, Tree, monotone_nearest};
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology};

/// Hubs, each with a tree of the members nearest to it.
///
/// Every hub has the [monotone nearest](monotone_nearest) tree of its cluster, whose ways are shortest ways. Barriers,
/// all-reductions and scans exchange between all hubs, each telling the farthest first. Broadcasts start at the hub of
/// their source, so that they too pass between two hubs once; reductions and gatherings end at the first hub.
///
/// # Examples
///
/// ```
/// use meshwright_groups::Group;
/// use meshwright_groups::exchange::Hubs;
/// use meshwright_network::topology::Machine;
/// let torus = Machine::new("torus:8x8")?;
/// let group = Group::whole(&torus, "row")?;
/// let barrier = |hubs| Ok::<_, meshwright_core::Error>(Hubs::new(&torus, &group, hubs)?.barrier_links(&torus, &group));
/// assert_eq!(barrier(64)?, 8, "everybody tells everybody: D");
/// assert_eq!(barrier(1)?, 16, "one hub: a tree");
/// assert!(barrier(16)? < 14);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hubs {
    /// The first hub is the root, the other hubs are among its children.
    tree: Tree,
    hubs: Vec<u32>,
    /// Per rank, its hub's place among the hubs.
    nearest: Vec<u32>,
    /// Per hub the other hubs, the farthest first: in this order they are told.
    others: Vec<Vec<u32>>,
}

impl Hubs {
    /// So many hubs, or as many as there are members.
    ///
    /// # Errors
    ///
    /// As for [`centres`].
    ///
    /// # Complexity
    ///
    /// As for [`centres`], for [`monotone_nearest::tree`] in each cluster, and O(hubs^2 log hubs).
    pub fn new(machine: &Machine, group: &Group, count: u32) -> Result<Self> {
        let found = centres(machine, group, count)?;
        let parent = trees(machine, group, &found)?;
        let others = |&hub: &u32| {
            let mut others: Vec<u32> = found.hubs.iter().copied().filter(|&other| other != hub).collect();
            let distance = |&other: &u32| machine.distance(group.node(hub), group.node(other));
            others.sort_by_cached_key(|other| std::cmp::Reverse(distance(other)));
            others
        };
        let others = found.hubs.iter().map(others).collect();
        Ok(Self { tree: Tree::new(found.hubs[0], parent), hubs: found.hubs, nearest: found.nearest, others })
    }

    /// The ranks of the hubs.
    pub fn hubs(&self) -> &[u32] {
        &self.hubs
    }

    /// The trees of the hubs as one: the first hub is the root, the other hubs are children of it.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The rank of a member's hub.
    pub fn hub_of(&self, rank: u32) -> u32 {
        self.hubs[self.nearest[rank as usize] as usize]
    }

    /// Whether a member is a hub.
    pub fn is_hub(&self, rank: u32) -> bool {
        self.hub_of(rank) == rank
    }

    /// max over hubs a, b of `H(a) + d(a, b) + H(b)`, for H the height of a hub's tree in links.
    ///
    /// # Panics
    ///
    /// As for [`Tree::height_links`].
    ///
    /// # Complexity
    ///
    /// O(s + hubs^2) where distances are formulas.
    pub fn barrier_links(&self, machine: &Machine, group: &Group) -> u32 {
        let mut below = vec![0; self.tree.size() as usize];
        let distance = |a: u32, b: u32| {
            machine.distance(group.node(a), group.node(b)).expect("members reach each other").0
        };
        let mut height = vec![0; self.hubs.len()];
        for rank in self.tree.top_down() {
            if !self.is_hub(rank) {
                let up = self.tree.parent(rank).expect("a hub is above");
                below[rank as usize] = below[up as usize] + distance(up, rank);
            }
            let own = &mut height[self.nearest[rank as usize] as usize];
            *own = below[rank as usize].max(*own);
        }
        farthest_pair(machine, group, &self.hubs, &height)
    }

    /// The most children of a member, or children and other hubs of a hub.
    pub fn fan_out(&self) -> u32 {
        let others = self.hubs.len() as u32 - 1;
        let own = |rank| {
            let children = self.children(rank).count() as u32;
            if self.is_hub(rank) { children + others } else { children }
        };
        (0..self.tree.size()).map(own).max().unwrap_or(0)
    }

    /// The children in the tree of the cluster.
    fn children(&self, rank: u32) -> impl Iterator<Item = u32> {
        self.tree.children(rank).iter().copied().filter(|&child| !self.is_hub(child))
    }

    /// The edges of a member in the tree that hangs from one of the hubs, the other hubs below it.
    pub(super) fn links_below(&self, group: &Group, rank: u32, root: u32) -> Links {
        let parent = if self.is_hub(rank) { Some(root) } else { self.tree.parent(rank) };
        let others = self.hubs.iter().copied().filter(|&hub| rank == root && hub != root);
        Links {
            parent: parent.filter(|&up| up != rank).map(|up| group.node(up)),
            children: self
                .children(rank)
                .chain(others)
                .map(|child| (group.node(child), Side::Right))
                .collect(),
        }
    }

    /// The edges of a member in the tree of its cluster; a hub is its own parent, where the exchange takes over.
    fn links_inside(&self, group: &Group, rank: u32) -> Links {
        let parent = if self.is_hub(rank) { rank } else { self.tree.parent(rank).expect("a hub is above") };
        Links {
            parent: Some(group.node(parent)),
            children: self.children(rank).map(|child| (group.node(child), Side::Right)).collect(),
        }
    }
}

/// Parents by rank: the first hub of the other hubs, in each cluster the nearest member on a shortest way to the hub.
fn trees(machine: &Machine, group: &Group, found: &Centres) -> Result<Vec<u32>> {
    let mut parent = vec![Tree::NONE; group.members().len()];
    for (cluster, &hub) in found.clusters().iter().zip(&found.hubs) {
        let own = Group::in_order(cluster.iter().map(|&rank| group.node(rank)).collect());
        let root = cluster.binary_search(&hub).expect("a hub is in its own cluster") as u32;
        let tree = monotone_nearest::rooted_at(machine, &own, root)?;
        for (place, &rank) in (0..).zip(cluster) {
            let first = Some(found.hubs[0]).filter(|&first| first != hub);
            let up = tree.parent(place).map(|up| cluster[up as usize]).or(first);
            parent[rank as usize] = up.unwrap_or(Tree::NONE);
        }
    }
    Ok(parent)
}

/// The part of one member in an operation with an exchange between hubs.
#[derive(Debug)]
pub(super) struct Meeting {
    operation: Operation,
    links: Links,
    pass: Pass,
    /// What the hubs have told so far, this one included.
    told: Option<Load>,
    /// Hubs that have not.
    waiting: usize,
    post: Post,
}

impl Meeting {
    /// Begins an operation; its outcome, if this member is alone.
    pub(super) fn begin(
        hubs: &Hubs,
        group: &Group,
        rank: u32,
        operation: Operation,
        out: &mut Outbox<ExchangePacket>,
    ) -> (Self, Option<Outcome>) {
        let links = hubs.links_inside(group, rank);
        let mut post = Vec::new();
        let (pass, outcome) =
            Pass::begin(operation, rank, false, links.edges(), &mut post).expect("lists grow");
        assert!(outcome.is_none(), "a member of a cluster waits for word from its hub");
        let mut meeting = Self { operation, links, pass, told: None, waiting: hubs.hubs.len(), post };
        let outcome = meeting.flush(hubs, group, rank, out);
        (meeting, outcome)
    }

    /// Word from a child, the parent, or, where no way is named, from another hub.
    pub(super) fn receive(
        &mut self,
        (hubs, group, rank): (&Hubs, &Group, u32),
        from: NodeId,
        way: Option<PassDirection>,
        load: Load,
        out: &mut Outbox<ExchangePacket>,
    ) -> Option<Outcome> {
        let outcome = match way {
            Some(way) => self.pass.receive(from, way, load, self.links.edges(), &mut self.post),
            None => self.hear(group.node(rank), load),
        };
        let later = self.flush(hubs, group, rank, out);
        outcome.or(later)
    }

    /// Sends what the pass has put down; what a hub reports to itself goes to the other hubs.
    fn flush(
        &mut self,
        hubs: &Hubs,
        group: &Group,
        rank: u32,
        out: &mut Outbox<ExchangePacket>,
    ) -> Option<Outcome> {
        let own = group.node(rank);
        let mut outcome = None;
        let mut at = 0;
        while at < self.post.len() {
            let (to, way, load) = (self.post[at].0, self.post[at].1, self.post[at].2.clone());
            at += 1;
            if to == own {
                let others = &hubs.others[hubs.nearest[rank as usize] as usize];
                for &hub in others {
                    out.send(group.node(hub), load.bytes(), ExchangePacket::Meeting(load.clone()));
                }
                outcome = self.hear(own, load);
            } else {
                out.send(to, load.bytes(), ExchangePacket::Pass(way, load));
            }
        }
        self.post.clear();
        outcome
    }

    /// A hub has reported, perhaps this one; after the last the result goes down.
    fn hear(&mut self, own: NodeId, load: Load) -> Option<Outcome> {
        self.told = Some(match self.told.take() {
            None => load,
            Some(before) => combine(self.operation, before, load),
        });
        self.waiting -= 1;
        if self.waiting > 0 {
            return None;
        }
        let mut all = self.told.take().expect("somebody has reported");
        if let (Operation::Scan(operator, _), Load::List(list)) = (self.operation, &mut all) {
            into_prefixes(operator, list);
        }
        self.pass.receive(own, PassDirection::Down, all, self.links.edges(), &mut self.post)
    }
}

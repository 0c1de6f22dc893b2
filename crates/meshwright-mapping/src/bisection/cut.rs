//! Cuts of a set of nodes in two: one part stays with its owner, the other gets an owner of its own.

use std::collections::VecDeque;

use super::CutVariant;
use super::field::Field;
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;

/// Distance to what a search within the set does not reach.
const FAR: u32 = 1 << 28;

/// Cuts the sets of one placement, phase after phase.
pub(super) struct Cutter<'f, 'm> {
    field: &'f Field<'m>,
    way: CutVariant,
    /// By axis, then by node.
    coordinates: Vec<Vec<u32>>,
    /// Hops from the owner, and from the node farthest from it, within the set of the last search.
    from_owner: Vec<u32>,
    from_far: Vec<u32>,
    /// Hops from the owner over the whole machine, where a search came; [`FAR`] elsewhere.
    around: Vec<u32>,
    queue: VecDeque<NodeId>,
    /// Which nodes are in the set being cut.
    inside: Vec<bool>,
    keyed: Vec<(u64, u32, NodeId)>,
}

impl<'f, 'm> Cutter<'f, 'm> {
    pub(super) fn new(field: &'f Field<'m>, way: CutVariant) -> Self {
        let nodes = field.machine.nodes() as usize;
        Self {
            field,
            way,
            coordinates: field.coordinates(way.root),
            from_owner: vec![FAR; nodes],
            from_far: vec![FAR; nodes],
            around: Vec::new(),
            queue: VecDeque::new(),
            inside: vec![false; nodes],
            keyed: Vec::new(),
        }
    }

    /// The node of every task: edges come phase after phase, as (phase, parent, child).
    ///
    /// The nodes of an owner stand where the labels of its subtree are, so they need no table of their own.
    pub(super) fn place(mut self, mut set: Vec<NodeId>, edges: &[(u32, u32, u32)]) -> Vec<NodeId> {
        let mut owners = set.clone();
        let mut first = vec![0u32; set.len()];
        *owners.last_mut().expect("there is a task") = self.way.root;
        for &(_, parent, child) in edges {
            let low = first[parent as usize];
            let piece = &mut set[low as usize..=parent as usize];
            let owner = owners[parent as usize];
            owners[child as usize] = self.cut(piece, owner, (child + 1 - low) as usize);
            first[child as usize] = low;
            first[parent as usize] = child + 1;
        }
        owners
    }

    /// Moves the part of a new owner to the front of a set, as many nodes as `give`; the new owner.
    fn cut(&mut self, set: &mut [NodeId], owner: NodeId, give: usize) -> NodeId {
        set.iter().for_each(|node| self.inside[node.index()] = true);
        if self.field.whole().is_none() || !self.way.across {
            search(self.field, &self.inside, owner, &mut self.queue, set, &mut self.from_owner);
        }
        if !(self.way.across && self.cut_across(set, owner, give)) {
            self.cut_between(set, owner, give);
        }
        let child = self.choose(&set[..give], owner);
        set.iter().for_each(|node| self.inside[node.index()] = false);
        child
    }

    /// Cuts across the longest axis on which the owner keeps its side; whether there is one.
    fn cut_across(&mut self, set: &mut [NodeId], owner: NodeId, give: usize) -> bool {
        // Whether the owner is in the middle, so that the child is next to it; how long; which.
        let mut axes: Vec<(bool, u32, usize)> = Vec::with_capacity(self.coordinates.len());
        for (axis, along) in self.coordinates.iter().enumerate() {
            let (low, high) = range(along, set);
            let c = along[owner.index()];
            let middle = self.way.clean && 4 * (c - low).min(high - c) > high - low;
            axes.push((middle, high - low, axis));
        }
        axes.retain(|(_, extent, _)| *extent > 0);
        axes.sort_unstable_by(|a, b| b.cmp(a));
        // A cut between two layers of nodes before one through a layer.
        for &clean in if self.way.clean { &[true, false][..] } else { &[false] } {
            for &(_, _, axis) in &axes {
                for up in [true, false] {
                    if self.cut_off(set, owner, give, (axis, up), clean) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Moves the `give` nodes at the upper or lower end of an axis to the front, unless the owner is one of them or the
    /// cut is to be clean and is not.
    fn cut_off(
        &mut self,
        set: &mut [NodeId],
        owner: NodeId,
        give: usize,
        (axis, up): (usize, bool),
        clean: bool,
    ) -> bool {
        let along = &self.coordinates[axis];
        let backwards = self.way.backwards;
        let key = |node: NodeId| {
            let c = along[node.index()];
            let tie = if backwards { u32::MAX - node.0 } else { node.0 };
            (u64::from(if up { FAR - c } else { c }), tie, node)
        };
        self.keyed.clear();
        self.keyed.extend(set.iter().map(|&node| key(node)));
        let (_, &mut last, kept) = self.keyed.select_nth_unstable(give - 1);
        if key(owner) <= last || clean && kept.iter().any(|key| key.0 == last.0) {
            return false;
        }
        set.iter_mut().zip(&self.keyed).for_each(|(node, key)| *node = key.2);
        true
    }

    /// Keeps the nodes that are nearer to the owner than to the node farthest from it.
    ///
    /// With hops counted within the set what is kept is connected: a step towards the owner makes the difference of the
    /// two distances no larger.
    fn cut_between(&mut self, set: &mut [NodeId], owner: NodeId, give: usize) {
        if self.field.whole().is_some() && self.way.across {
            search(self.field, &self.inside, owner, &mut self.queue, set, &mut self.from_owner);
        }
        let reached = |node: &&NodeId| self.from_owner[node.index()] < FAR;
        let far = set.iter().filter(reached).max_by_key(|node| (self.from_owner[node.index()], **node));
        let far = *far.expect("the owner is in its set");
        search(self.field, &self.inside, far, &mut self.queue, set, &mut self.from_far);
        let backwards = self.way.backwards;
        let key = |&node: &NodeId| {
            let (near, far) = (self.from_owner[node.index()], self.from_far[node.index()]);
            // The largest differences are given away: what no search reaches first, the owner never.
            let difference = match near {
                0 => 0,
                FAR => u64::from(2 * FAR),
                near => u64::from(FAR + near - far),
            };
            let tie = if backwards { FAR - near } else { near };
            (u64::MAX - difference, u32::MAX - tie, node)
        };
        self.keyed.clear();
        self.keyed.extend(set.iter().map(key));
        self.keyed.select_nth_unstable(give - 1);
        set.iter_mut().zip(&self.keyed).for_each(|(node, key)| *node = key.2);
    }

    /// The new owner: nearest to the old one, and of equals, or first of all, near the rest of its nodes.
    fn choose(&mut self, part: &[NodeId], owner: NodeId) -> NodeId {
        let ranges: Vec<(u32, u32)> = self.coordinates.iter().map(|along| range(along, part)).collect();
        // On a whole box distances are formulas; elsewhere a part may lie beyond the reach of its set.
        let elsewhere =
            self.field.whole().is_none() && part.iter().all(|node| self.from_owner[node.index()] >= FAR);
        if elsewhere {
            self.look_around(part, owner);
        }
        let reach = |node: NodeId| -> u32 {
            let along = |(along, (low, high)): (&Vec<u32>, &(u32, u32))| {
                let c = along[node.index()];
                (c - low).max(high - c)
            };
            self.coordinates.iter().zip(&ranges).map(along).sum()
        };
        let hops = |node: NodeId| match self.field.whole() {
            Some(grid) => grid.distance(owner, node).map_or(FAR, |hops| hops.0),
            None if elsewhere => self.around[node.index()],
            None => self.from_owner[node.index()],
        };
        let key = |node: NodeId| {
            let (near, reach) = (hops(node), reach(node));
            if self.way.inside { (near + reach, near, node) } else { (near, reach, node) }
        };
        let chosen = *part.iter().min_by_key(|&&node| key(node)).expect("a subtree has a node");
        if elsewhere {
            self.queue.drain(..).for_each(|node| self.around[node.index()] = FAR);
        }
        chosen
    }

    /// Measures the hops from the owner over the whole machine until all of a part is reached; the queue keeps who was.
    fn look_around(&mut self, part: &[NodeId], owner: NodeId) {
        /// A node of the part that is not reached yet.
        const WANTED: u32 = FAR + 1;
        self.around.resize(self.field.machine.nodes() as usize, FAR);
        part.iter().for_each(|node| self.around[node.index()] = WANTED);
        self.around[owner.index()] = 0;
        self.queue.push_back(owner);
        let (mut next, mut left) = (0, part.len());
        while let Some(&node) = self.queue.get(next).filter(|_| left > 0) {
            next += 1;
            for &to in self.field.beside.row(node.index()) {
                if self.around[to.index()] >= FAR {
                    left -= usize::from(self.around[to.index()] == WANTED);
                    self.around[to.index()] = self.around[node.index()] + 1;
                    self.queue.push_back(to);
                }
            }
        }
    }
}

/// The least and the greatest coordinate of a set.
fn range(along: &[u32], set: &[NodeId]) -> (u32, u32) {
    let c = |node: &NodeId| along[node.index()];
    set.iter().fold((u32::MAX, 0), |(low, high), node| (low.min(c(node)), high.max(c(node))))
}

/// Breadth-first distances from a node within a set.
fn search(
    field: &Field<'_>,
    inside: &[bool],
    from: NodeId,
    queue: &mut VecDeque<NodeId>,
    set: &[NodeId],
    distance: &mut [u32],
) {
    set.iter().for_each(|node| distance[node.index()] = FAR);
    distance[from.index()] = 0;
    queue.push_back(from);
    while let Some(node) = queue.pop_front() {
        for &next in field.beside.row(node.index()) {
            if inside[next.index()] && distance[next.index()] == FAR {
                distance[next.index()] = distance[node.index()] + 1;
                queue.push_back(next);
            }
        }
    }
}

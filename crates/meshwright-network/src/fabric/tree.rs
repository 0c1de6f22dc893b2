//! The tree of a multicast: the routes to all its receivers, what they share taken once.

use super::Fabric;
use meshwright_core::units::NodeId;

/// A resource on the tree of a multicast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its number.
    pub resource: u32,
    /// The links crossed before it.
    pub hops: u32,
    /// The receiver behind it whose way is the longest; of equal ones that with the least number.
    pub farthest: NodeId,
}

impl Fabric {
    /// The resources that a multicast from one node to some others holds, each once, by their numbers: the source's port,
    /// links, a port of each receiver. Routes with one order of axes part and never meet again: they are a tree.
    ///
    /// What several receivers share behind their ports is there once too.
    ///
    /// # Examples
    ///
    /// To the end of a row and to all nodes before it: the same links.
    ///
    /// ```
    /// use meshwright_core::units::{NodeId, Ratio};
    /// use meshwright_network::Grid;
    /// use meshwright_network::fabric::{Fabric, Leg, Plane};
    /// let plane = Plane::new("A", vec![Leg::up(0), Leg::up(1)], Ratio::whole(32));
    /// let fabric = Fabric::new(Grid::torus(&[4, 4])?, vec![plane])?;
    /// let held = |receivers: &[u32]| {
    ///     let mut tree = Vec::new();
    ///     fabric.tree(0, NodeId(0), receivers.iter().map(|&node| NodeId(node)), &mut tree);
    ///     tree.len()
    /// };
    /// assert_eq!(held(&[3]), 1 + 3 + 1, "a port, three links, a port");
    /// assert_eq!(held(&[1, 2, 3]), 1 + 3 + 3, "the links once, three ports");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(R log R) for R = sum of the lengths of the routes.
    pub fn tree(
        &self,
        plane: usize,
        from: NodeId,
        receivers: impl IntoIterator<Item = NodeId>,
        tree: &mut Vec<Branch>,
    ) {
        tree.clear();
        for to in receivers {
            self.route_by_hops(plane, from, to, |resource, hops| {
                tree.push(Branch { resource, hops, farthest: to });
            });
        }
        let way = |branch: &Branch| self.hops(plane, from, branch.farthest);
        tree.sort_unstable_by(|a, b| {
            let by_way = || way(b).cmp(&way(a)).then(a.farthest.cmp(&b.farthest));
            a.resource.cmp(&b.resource).then_with(by_way)
        });
        tree.dedup_by_key(|branch| branch.resource);
    }
}

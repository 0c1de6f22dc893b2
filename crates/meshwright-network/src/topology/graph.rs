//! A network given by its links: irregular machines, read from a file.

use std::path::Path;

use super::graph_file::{self, ArcList};
use super::{Family, NODES_MAX, Network, Topology};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{LinkId, NodeId, Port};

/// `graph:FILE`: Matrix Market, METIS or Scotch, by the name's ending.
pub const GRAPH: Family = Family {
    name: "graph",
    example: "",
    usage: "graph:FILE",
    build: |path| {
        let arcs = graph_file::read(Path::new(path))?;
        Ok(Network::Graph(Graph::from_arcs(&arcs)?))
    },
};

/// Adjacency in compressed rows; every link has its partner in the other direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    sides: [u32; 1],
    first: Vec<u32>,
    neighbours: Vec<NodeId>,
}

impl Graph {
    /// The network with a pair of links for every arc between two different nodes.
    ///
    /// Neighbours stand in increasing order; parallel arcs make one pair of links, weights are ignored.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when there are no nodes or more than [`NODES_MAX`], [`Error::TooLarge`] when there are more
    /// than [`super::LINKS_MAX`] links.
    ///
    /// # Panics
    ///
    /// When an arc names a vertex that is not below `arcs.vertices`.
    ///
    /// # Complexity
    ///
    /// O(arcs log arcs + vertices).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::graph_file::{Arc, ArcList};
    /// use meshwright_network::topology::{Graph, Topology};
    /// use meshwright_core::units::{Hops, NodeId};
    /// let arc = |from, to| Arc { from, to, weight: 1 };
    /// let path = Graph::from_arcs(&ArcList { vertices: 3, arcs: vec![arc(0, 1), arc(1, 2)] })?;
    /// assert_eq!((path.links(), path.distance(NodeId(2), NodeId(0))), (4, Some(Hops(2))));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn from_arcs(arcs: &ArcList) -> Result<Self> {
        if arcs.vertices == 0 || arcs.vertices > NODES_MAX {
            return Err(Error::value("number of nodes", arcs.vertices, format!("1 to {NODES_MAX}")));
        }
        let mut pairs: Vec<(u32, u32)> = arcs
            .arcs
            .iter()
            .filter(|arc| arc.from != arc.to)
            .flat_map(|arc| [(arc.from, arc.to), (arc.to, arc.from)])
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        super::check_links(pairs.len() as u64)?;
        let mut first = vec![0u32; arcs.vertices as usize + 1];
        for &(from, _) in &pairs {
            first[from as usize + 1] += 1;
        }
        for node in 0..arcs.vertices as usize {
            first[node + 1] += first[node];
        }
        let neighbours = pairs.into_iter().map(|(_, to)| NodeId(to)).collect();
        Ok(Self { sides: [arcs.vertices], first, neighbours })
    }
}

impl Topology for Graph {
    fn sides(&self) -> &[u32] {
        &self.sides
    }

    fn first_link(&self, node: NodeId) -> LinkId {
        LinkId(self.first[node.index()])
    }

    fn neighbour(&self, node: NodeId, port: Port) -> Option<NodeId> {
        Some(self.neighbours[self.link(node, port).index()])
    }
}

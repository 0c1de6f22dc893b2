//! Machines made by a program, without a specification: boxes by their sides, and networks that a user wrote.

use super::{Graph, Machine, Network, Topology};
use crate::topology::graph_file::{Arc, ArcList};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;

impl Machine {
    /// A mesh with these sides.
    ///
    /// # Errors
    ///
    /// As for [`Machine::new`].
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::{Machine, Topology};
    /// let mesh = Machine::mesh([8, 8])?;
    /// assert_eq!((mesh.nodes(), mesh.name()), (64, "mesh:8x8"));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn mesh(sides: impl AsRef<[u32]>) -> Result<Self> {
        boxed("mesh", sides.as_ref())
    }

    /// A torus with these sides.
    ///
    /// # Errors
    ///
    /// As for [`Machine::new`].
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::{Machine, Topology};
    /// assert_eq!(Machine::torus([4, 4, 2])?.nodes(), 32);
    /// assert!(Machine::torus([]).is_err());
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn torus(sides: impl AsRef<[u32]>) -> Result<Self> {
        boxed("torus", sides.as_ref())
    }

    /// A hypercube with this many dimensions.
    ///
    /// # Errors
    ///
    /// As for [`Machine::new`].
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::{Machine, Topology};
    /// assert_eq!(Machine::hypercube(5)?.nodes(), 32);
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn hypercube(dimensions: u32) -> Result<Self> {
        Self::new(&format!("hypercube:{dimensions}"))
    }

    /// A network of your own as a machine that is planned for, simulated and drawn like any other.
    ///
    /// It is read once and kept as tables; formulas that it overrides are not asked again. Neighbours stand in increasing order.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when a port leads outside the network, or a wire leads there and not back; as for
    /// [`Graph::from_arcs`].
    ///
    /// # Complexity
    ///
    /// O(links log links).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::units::{Hops, LinkId, NodeId, Port};
    /// use meshwright_network::{Machine, Topology};
    /// #[derive(Debug)]
    /// struct Ring([u32; 1]);
    /// impl Topology for Ring {
    ///     fn sides(&self) -> &[u32] {
    ///         &self.0
    ///     }
    ///     fn first_link(&self, node: NodeId) -> LinkId {
    ///         LinkId(2 * node.0)
    ///     }
    ///     fn neighbour(&self, node: NodeId, port: Port) -> Option<NodeId> {
    ///         let step = if port.0 == 0 { 1 } else { self.0[0] - 1 };
    ///         Some(NodeId((node.0 + step) % self.0[0]))
    ///     }
    /// }
    /// let ring = Machine::of("a ring", &Ring([6]))?;
    /// assert_eq!((ring.nodes(), ring.distance(NodeId(1), NodeId(5))), (6, Some(Hops(2))));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn of(name: &str, network: &impl Topology) -> Result<Self> {
        let nodes = network.nodes();
        let mut arcs = Vec::new();
        for from in (0..nodes).map(NodeId) {
            for (_, to) in network.neighbours(from) {
                if to.0 >= nodes {
                    return Err(Error::value("neighbour", to, format!("a node from 0 to {}", nodes - 1)));
                }
                if !network.neighbours(to).any(|(_, back)| back == from) {
                    let expected = format!("a wire back, from {to} to {from}");
                    return Err(Error::value("wire", format!("{from} to {to} only"), expected));
                }
                arcs.push(Arc { from: from.0, to: to.0, weight: 1 });
            }
        }
        let graph = Graph::from_arcs(&ArcList { vertices: nodes, arcs })?;
        Ok(Self::of_network(name, Network::Graph(graph)))
    }
}

fn boxed(family: &str, sides: &[u32]) -> Result<Machine> {
    let sides: Vec<String> = sides.iter().map(u32::to_string).collect();
    Machine::new(&format!("{family}:{}", sides.join("x")))
}

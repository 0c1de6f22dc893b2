//! Topologies: meshes, tori, hypercubes, further networks, general graphs; node orders; the machine.
//!
//! | file | what |
//! |---|---|
//! | [`grid`] | mesh, torus and hypercube of any dimension: one struct |
//! | [`gaussian`] | Gaussian integers modulo one of them |
//! | [`cube_connected_cycles`] | a hypercube of rings: three wires at every node |
//! | [`graph`] | a network given by its links |
//! | [`graph_file`] | Matrix Market, METIS and Scotch files |
//! | [`order`] | row, column, snake and Hilbert orders of the nodes |
//! | [`machine`] | a network with its dead nodes, switching and costs |
//! | `made` | machines by their sides, and of a user's own network |
//! | `place` | where its nodes really are |

pub mod costs;
pub mod cube_connected_cycles;
pub mod gaussian;
pub mod graph;
pub mod graph_file;
pub mod grid;
pub mod machine;
mod made;
pub mod order;
mod place;

use std::collections::VecDeque;
use std::fmt::Debug;

pub use costs::{Costs, Endpoints, PortModel, Switching};
pub use graph::Graph;
pub use grid::Grid;
pub use machine::{Imported, Machine};
pub use place::{Place, Slot};

use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Hops, LinkId, NodeId, Port};

/// The largest machine accepted, in nodes.
pub const NODES_MAX: u32 = 1 << 24;

/// The most link ids accepted: the tables of metrics and referee take some 24 bytes for each, 3 GB in all.
pub const LINKS_MAX: u64 = 1 << 27;

/// Refuses a network whose tables would not fit.
///
/// # Errors
///
/// [`Error::TooLarge`] with the memory they would take.
pub fn check_links(links: u64) -> Result<()> {
    if links <= LINKS_MAX {
        return Ok(());
    }
    let gigabytes = |links: u64| (links * 24).div_ceil(1 << 30);
    Err(Error::TooLarge {
        what: "a machine of this size",
        needed: format!("{links} links, about {} GiB", gigabytes(links)),
        limit: format!("{LINKS_MAX} links, {} GiB", gigabytes(LINKS_MAX)),
    })
}

/// Three methods define a topology; the rest are definitions derived from them.
///
/// A family overrides a derived method only with a theorem, and the law tests hold the theorem to the
/// definition. Links come in pairs: if node `a` has a port to `b`, then `b` has a port to `a`.
///
/// # Panics
///
/// Methods may panic, or answer nonsense, for nodes, ports and links outside the network.
///
/// # Examples
///
/// A ring is three methods; distances follow from them.
///
/// ```
/// use meshwright_network::topology::Topology;
/// use meshwright_core::units::{Hops, LinkId, NodeId, Port};
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
/// let ring = Ring([6]);
/// assert_eq!(ring.links(), 12);
/// assert_eq!(ring.distance(NodeId(1), NodeId(5)), Some(Hops(2)));
/// assert_eq!(ring.source(LinkId(7)), NodeId(3));
/// ```
pub trait Topology: Debug + Send + Sync {
    /// The box of node ids, last side fastest; a network without coordinates is a line.
    fn sides(&self) -> &[u32];

    /// The id of the link at port 0 of `node`; `node` may be `nodes()`, which yields the number of links.
    ///
    /// Ids are consecutive over the ports of a node and over the nodes. A port may be unwired, as at the
    /// border of a mesh; its id is then never used.
    fn first_link(&self, node: NodeId) -> LinkId;

    /// The node at the other end of a port, or `None` if the port is unwired.
    fn neighbour(&self, node: NodeId, port: Port) -> Option<NodeId>;

    /// The links that leave a node and are wired, each with the node it enters, in the order of ports.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::units::{LinkId, NodeId};
    /// use meshwright_network::{Machine, Topology};
    /// let corner: Vec<_> = Machine::mesh([3, 3])?.neighbours(NodeId(0)).map(|(_, node)| node.0).collect();
    /// assert_eq!(corner, [1, 3], "along and down");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    #[inline]
    fn neighbours(&self, node: NodeId) -> impl Iterator<Item = (LinkId, NodeId)>
    where
        Self: Sized,
    {
        let first = self.first_link(node).0;
        let ports = (0..self.ports(node)).map(Port);
        ports.filter_map(move |port| Some((LinkId(first + port.0), self.neighbour(node, port)?)))
    }

    /// How many nodes there are, dead ones included.
    #[inline]
    fn nodes(&self) -> u32 {
        self.sides().iter().product()
    }

    /// How many link ids there are (an upper bound on the links).
    fn links(&self) -> u32 {
        self.first_link(NodeId(self.nodes())).0
    }

    /// The ports of a node, wired or not.
    #[inline]
    fn ports(&self, node: NodeId) -> u32 {
        self.first_link(NodeId(node.0 + 1)).0 - self.first_link(node).0
    }

    /// The id of the link that leaves `node` by `port`.
    #[inline]
    fn link(&self, node: NodeId, port: Port) -> LinkId {
        LinkId(self.first_link(node).0 + port.0)
    }

    /// The node a link leaves.
    ///
    /// # Complexity
    ///
    /// O(log nodes): by definition, the last node whose first link is not beyond it.
    fn source(&self, link: LinkId) -> NodeId {
        let (mut low, mut high) = (0, self.nodes());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.first_link(NodeId(middle)) <= link { low = middle } else { high = middle }
        }
        NodeId(low)
    }

    /// The node a link enters, or `None` if its port is unwired.
    fn target(&self, link: LinkId) -> Option<NodeId> {
        let node = self.source(link);
        self.neighbour(node, Port(link.0 - self.first_link(node).0))
    }

    /// The length of a shortest path, or `None` if there is none. A metric on every connected part.
    ///
    /// # Complexity
    ///
    /// O(nodes + links): by definition, breadth-first search.
    fn distance(&self, from: NodeId, to: NodeId) -> Option<Hops> {
        searched_distance(self, from, to)
    }

    /// The greatest distance from `node` to a node it can reach.
    ///
    /// # Complexity
    ///
    /// O(nodes + links): by definition, breadth-first search.
    fn eccentricity(&self, node: NodeId) -> Hops {
        searched_eccentricity(self, node)
    }
}

/// Breadth-first distances from one node to all, in links; `u32::MAX` where there is no path.
///
/// # Panics
///
/// When `from` lies outside the network.
///
/// # Complexity
///
/// O(nodes + links).
///
/// # Examples
///
/// ```
/// use meshwright_network::topology::{Grid, distances_from};
/// use meshwright_core::units::NodeId;
/// assert_eq!(distances_from(&Grid::torus(&[5])?, NodeId(1)), [1, 0, 1, 2, 2]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn distances_from<T: Topology + ?Sized>(topology: &T, from: NodeId) -> Vec<u32> {
    let mut distance = Vec::new();
    search(topology, from, &mut distance);
    distance
}

/// As [`distances_from`], into a table that is used again.
pub fn search<T: Topology + ?Sized>(topology: &T, from: NodeId, distance: &mut Vec<u32>) {
    distance.clear();
    distance.resize(topology.nodes() as usize, u32::MAX);
    distance[from.index()] = 0;
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        for port in 0..topology.ports(node) {
            if let Some(next) = topology.neighbour(node, Port(port))
                && distance[next.index()] == u32::MAX
            {
                distance[next.index()] = distance[node.index()] + 1;
                queue.push_back(next);
            }
        }
    }
}

/// The definition of [`Topology::distance`].
fn searched_distance<T: Topology + ?Sized>(topology: &T, from: NodeId, to: NodeId) -> Option<Hops> {
    Some(distances_from(topology, from)[to.index()]).filter(|&hops| hops != u32::MAX).map(Hops)
}

/// The definition of [`Topology::eccentricity`].
fn searched_eccentricity<T: Topology + ?Sized>(topology: &T, node: NodeId) -> Hops {
    let reached = distances_from(topology, node).into_iter().filter(|&hops| hops != u32::MAX);
    Hops(reached.max().unwrap_or(0))
}

/// A network that is either a box with formulas or a list of links: what every family builds.
#[derive(Clone, Debug)]
pub enum Network {
    /// Mesh, torus or hypercube.
    Grid(Grid),
    /// Any other network.
    Graph(Graph),
}

impl Network {
    fn as_topology(&self) -> &dyn Topology {
        match self {
            Self::Grid(grid) => grid,
            Self::Graph(graph) => graph,
        }
    }
}

impl Topology for Network {
    fn sides(&self) -> &[u32] {
        self.as_topology().sides()
    }
    fn first_link(&self, node: NodeId) -> LinkId {
        self.as_topology().first_link(node)
    }
    fn neighbour(&self, node: NodeId, port: Port) -> Option<NodeId> {
        self.as_topology().neighbour(node, port)
    }
    fn source(&self, link: LinkId) -> NodeId {
        self.as_topology().source(link)
    }
    fn distance(&self, from: NodeId, to: NodeId) -> Option<Hops> {
        self.as_topology().distance(from, to)
    }
    fn eccentricity(&self, node: NodeId) -> Hops {
        self.as_topology().eccentricity(node)
    }
}

/// A named way to build a network from the text after the colon, as in `mesh:8x8`.
pub struct Family {
    /// The word before the colon.
    pub name: &'static str,
    /// A specification that works everywhere, for tests and help; empty if it needs a file.
    pub example: &'static str,
    /// What a specification looks like.
    pub usage: &'static str,
    /// Builds the network from the text after the colon.
    pub build: fn(&str) -> Result<Network>,
}

/// Every family the program knows.
pub const FAMILIES: &[Family] = &[
    grid::MESH,
    grid::TORUS,
    grid::HYPERCUBE,
    gaussian::GAUSSIAN,
    cube_connected_cycles::CUBE_CONNECTED_CYCLES,
    graph::GRAPH,
];

/// Builds a network from a specification such as `mesh:4x8`, `torus:4x4x4`, `hypercube:6`,
/// `gaussian:4+5i`, `ccc:3` or `graph:FILE`.
///
/// # Errors
///
/// [`Error::Value`] for an unknown family or sides outside the range, [`Error::Parse`] and [`Error::Io`]
/// for a file.
///
/// # Examples
///
/// ```
/// use meshwright_network::topology::{Topology, network};
/// assert_eq!(network("mesh:4x8")?.nodes(), 32);
/// assert!(network("ring:8").is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn network(specification: &str) -> Result<Network> {
    let usages: Vec<_> = FAMILIES.iter().map(|family| family.usage).collect();
    let unknown = || Error::value("machine", format!("`{specification}`"), usages.join(", "));
    let (name, rest) = specification.split_once(':').ok_or_else(unknown)?;
    let family = FAMILIES.iter().find(|family| family.name == name).ok_or_else(unknown)?;
    (family.build)(rest)
}

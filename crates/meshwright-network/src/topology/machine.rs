//! A machine: a network with its dead nodes and links, its switching and what a message costs on it.

mod with;

use std::str::FromStr;
use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::{Costs, Endpoints, Grid, Network, Place, PortModel, Switching, Topology, network};
use crate::fabric::Fabric;
use meshwright_core::error::{Error, Result};
use meshwright_core::text::one_line;
use meshwright_core::units::{Hops, LinkId, NodeId, Port, Ratio};

/// What a file of another simulator says of a machine beside its network and costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The simulator.
    pub model: &'static str,
    /// The settings of its routers, by name, for the flit engine; none if it describes no routers.
    pub router: Vec<(&'static str, String)>,
    /// What is not modelled or left out, each in a sentence.
    pub remarks: Vec<String>,
}

/// A network with what is dead on it and its costs: what a job is planned for.
#[derive(Clone, Debug)]
pub struct Machine {
    name: String,
    network: Network,
    switching: Switching,
    costs: Costs,
    ports: PortModel,
    endpoints: Endpoints,
    buffers: u32,
    virtual_channels: u32,
    dead: Vec<NodeId>,
    is_dead: FixedBitSet,
    dead_links: Vec<(NodeId, NodeId)>,
    /// By link id, both directions; of no length while every link works.
    is_dead_link: FixedBitSet,
    /// What its links and ports are, if that is described.
    fabric: Option<Arc<Fabric>>,
    /// Cycles per second, if that is known.
    clock: Option<Ratio>,
    /// The text of the file that says what its name and costs do not.
    description: Option<Arc<str>>,
    /// What the file of another simulator says of it beside.
    imported: Option<Arc<Imported>>,
    /// In the order of the launcher's slots; empty for a machine that stands nowhere.
    pub(super) places: Vec<Place>,
}

impl Machine {
    /// A machine with default costs on which everything works.
    ///
    /// # Errors
    ///
    /// As for [`network`].
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::{Machine, Topology};
    /// assert_eq!(Machine::new("torus:4x4")?.nodes(), 16);
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn new(specification: &str) -> Result<Self> {
        one_line("machine", specification)?;
        Ok(Self::of_network(specification, network(specification)?))
    }

    /// The machine with default costs on which everything works.
    pub(super) fn of_network(specification: &str, network: Network) -> Self {
        Self {
            name: specification.to_string(),
            places: Vec::new(),
            is_dead: FixedBitSet::with_capacity(network.nodes() as usize),
            network,
            dead: Vec::new(),
            dead_links: Vec::new(),
            is_dead_link: FixedBitSet::new(),
            switching: Switching::default(),
            costs: Costs::default(),
            ports: PortModel::default(),
            endpoints: Endpoints::default(),
            buffers: 4,
            virtual_channels: 1,
            fabric: None,
            clock: None,
            description: None,
            imported: None,
        }
    }

    /// Another network with the same costs, on which everything works.
    pub(crate) fn on_network(&self, name: &str, network: Network) -> Self {
        let &Self { switching, costs, ports, endpoints, buffers, virtual_channels, clock, .. } = self;
        Self {
            switching,
            costs,
            ports,
            endpoints,
            buffers,
            virtual_channels,
            clock,
            ..Self::of_network(name, network)
        }
    }

    /// The same machine with these nodes dead.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when a node lies outside the machine or all are dead.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::{Machine, Topology};
    /// use meshwright_core::units::{Hops, NodeId};
    /// let mesh = Machine::new("mesh:3x3")?.with_dead(vec![NodeId(4)])?;
    /// assert_eq!((mesh.nodes(), mesh.living_count()), (9, 8));
    /// assert_eq!(mesh.distance(NodeId(3), NodeId(5)), Some(Hops(4)), "around the hole");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn with_dead(mut self, mut dead: Vec<NodeId>) -> Result<Self> {
        let nodes = self.nodes();
        dead.sort_unstable();
        dead.dedup();
        if let Some(outside) = dead.iter().find(|node| node.0 >= nodes) {
            return Err(Error::value("dead node", outside, format!("a node from 0 to {}", nodes - 1)));
        }
        if dead.len() == nodes as usize {
            return Err(Error::value("number of dead nodes", dead.len(), "at least one living node"));
        }
        self.is_dead.clear();
        self.is_dead.extend(dead.iter().map(|node| node.index()));
        self.dead = dead;
        Ok(self)
    }

    /// The same machine with the wires between these neighbours dead, in both directions.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when two nodes are not wired together.
    ///
    /// # Complexity
    ///
    /// O(links / 64 + dead links times ports).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::{Machine, Topology};
    /// use meshwright_core::units::{Hops, NodeId};
    /// let mesh = Machine::new("mesh:2x3")?.with_dead_links(vec![(NodeId(1), NodeId(0))])?;
    /// assert_eq!(mesh.distance(NodeId(0), NodeId(1)), Some(Hops(3)), "down, along and up");
    /// assert!(mesh.with_dead_links(vec![(NodeId(0), NodeId(2))]).is_err(), "there is no such wire");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn with_dead_links(mut self, mut dead: Vec<(NodeId, NodeId)>) -> Result<Self> {
        for wire in &mut dead {
            *wire = (wire.0.min(wire.1), wire.0.max(wire.1));
        }
        dead.sort_unstable();
        dead.dedup();
        let mut is_dead = FixedBitSet::with_capacity(if dead.is_empty() { 0 } else { self.links() as usize });
        for &(a, b) in &dead {
            let (Some(there), Some(back)) = (self.wire(a, b), self.wire(b, a)) else {
                return Err(Error::value("dead link", format!("{a} to {b}"), "two nodes wired together"));
            };
            is_dead.insert(there.index());
            is_dead.insert(back.index());
        }
        self.is_dead_link = is_dead;
        self.dead_links = dead;
        Ok(self)
    }

    /// The link from one node to another, dead or not; `None` if they are not wired together.
    ///
    /// # Complexity
    ///
    /// O(ports).
    pub fn wire(&self, from: NodeId, to: NodeId) -> Option<LinkId> {
        if from.0.max(to.0) >= self.nodes() {
            return None;
        }
        let mut ports = (0..self.ports(from)).map(Port);
        let port = ports.find(|&port| self.network.neighbour(from, port) == Some(to))?;
        Some(self.link(from, port))
    }

    /// The specification it was built from, e.g. `mesh:8x8`.
    #[inline]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is wired to what, dead nodes and links included.
    #[inline]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// How messages move.
    #[inline]
    pub fn switching(&self) -> Switching {
        self.switching
    }

    /// What messages cost.
    #[inline]
    pub fn costs(&self) -> &Costs {
        &self.costs
    }

    /// What its links and ports are, if that is described.
    #[inline]
    pub fn fabric(&self) -> Option<&Fabric> {
        self.fabric.as_deref()
    }

    /// What the file of another simulator says of it beside, if it comes from one.
    pub fn imported(&self) -> Option<&Imported> {
        self.imported.as_deref()
    }

    /// How many messages a node sends and receives at a time.
    #[inline]
    pub fn port_model(&self) -> PortModel {
        self.ports
    }

    /// What messages cost the nodes at their ends.
    #[inline]
    pub fn endpoints(&self) -> &Endpoints {
        &self.endpoints
    }

    /// Whether a message pays a start-up for every link of its way: store-and-forward, and a start-up there is.
    #[inline]
    pub fn pays_each_link(&self) -> bool {
        self.switching == Switching::StoreAndForward && self.costs.startup.0 > 0
    }

    /// Flits per virtual channel (packets under store-and-forward); the message engine does not look at it.
    #[inline]
    pub fn buffers(&self) -> u32 {
        self.buffers
    }

    /// Virtual channels per link; the message engine does not look at it.
    #[inline]
    pub fn virtual_channels(&self) -> u32 {
        self.virtual_channels
    }

    /// The nodes that do not work, in increasing order.
    pub fn dead(&self) -> &[NodeId] {
        &self.dead
    }

    /// The wires that do not work, each once and in increasing order, the lower node first.
    pub fn dead_links(&self) -> &[(NodeId, NodeId)] {
        &self.dead_links
    }

    /// The coordinates of the nodes that do not work.
    pub fn dead_coordinates(&self) -> Vec<Vec<u32>> {
        self.dead.iter().map(|&node| self.coordinates(node)).collect()
    }

    /// The coordinates of both ends of the wires that do not work.
    pub fn dead_link_coordinates(&self) -> Vec<[Vec<u32>; 2]> {
        self.dead_links.iter().map(|&(a, b)| [self.coordinates(a), self.coordinates(b)]).collect()
    }

    /// Whether every node and every link works.
    #[inline]
    pub fn is_whole(&self) -> bool {
        self.dead.is_empty() && self.dead_links.is_empty()
    }

    /// Whether a node works.
    #[inline]
    pub fn is_alive(&self, node: NodeId) -> bool {
        !self.is_dead.contains(node.index())
    }

    /// Whether the wire at this port works, which leads to this node, and both of its ends.
    #[inline]
    pub(crate) fn leads(&self, node: NodeId, port: Port, next: NodeId) -> bool {
        let wired = self.dead_links.is_empty() || !self.is_dead_link.contains(self.link(node, port).index());
        wired && self.is_alive(node) && self.is_alive(next)
    }

    /// The nodes that work, in increasing order.
    pub fn living(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.nodes()).map(NodeId).filter(|&node| self.is_alive(node))
    }

    /// How many nodes work.
    pub fn living_count(&self) -> u32 {
        self.nodes() - self.dead.len() as u32
    }

    /// Coordinates of a node: row and column on a mesh, the id alone on a general graph.
    pub fn coordinates(&self, node: NodeId) -> Vec<u32> {
        match &self.network {
            Network::Grid(grid) => grid.coordinates(node),
            Network::Graph(_) => vec![node.0],
        }
    }

    /// The columns by which tables name a node, and how many places each has: `row` and `column` on a mesh, `node` on a
    /// hypercube or a graph.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::Machine;
    /// let columns = Machine::new("mesh:2x3")?.columns();
    /// assert_eq!(columns, [("row".to_string(), 2), ("column".to_string(), 3)]);
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn columns(&self) -> Vec<(String, u32)> {
        match &self.network {
            Network::Grid(grid) if !self.name.starts_with("hypercube:") && grid.sides().len() > 1 => {
                let count = grid.sides().len();
                let name = |axis: usize| match count - axis {
                    1 => "column".to_string(),
                    2 => "row".to_string(),
                    3 => "plane".to_string(),
                    further => format!("axis{further}"),
                };
                grid.sides().iter().enumerate().map(|(axis, &side)| (name(axis), side)).collect()
            }
            _ => vec![("node".to_string(), self.nodes())],
        }
    }

    /// A node for people: `(1,2)` on a box, the id alone on a general graph.
    pub fn node_name(&self, node: NodeId) -> String {
        let coordinates: Vec<String> = self.coordinates(node).iter().map(u32::to_string).collect();
        match &self.network {
            Network::Grid(_) => format!("({})", coordinates.join(",")),
            Network::Graph(_) => coordinates.concat(),
        }
    }

    /// The box with its formulas when every node and link of it works: then closed forms hold.
    pub fn whole_grid(&self) -> Option<&Grid> {
        match &self.network {
            Network::Grid(grid) if self.is_whole() => Some(grid),
            _ => None,
        }
    }
}

impl FromStr for Machine {
    type Err = Error;

    /// As [`Machine::new`].
    fn from_str(specification: &str) -> Result<Self> {
        Self::new(specification)
    }
}

impl Topology for Machine {
    fn sides(&self) -> &[u32] {
        self.network.sides()
    }

    #[inline]
    fn first_link(&self, node: NodeId) -> LinkId {
        self.network.first_link(node)
    }

    /// A dead node has no wired port, no port leads to one, and the ends of a dead link are not wired.
    #[inline]
    fn neighbour(&self, node: NodeId, port: Port) -> Option<NodeId> {
        self.network.neighbour(node, port).filter(|&next| self.leads(node, port, next))
    }

    fn source(&self, link: LinkId) -> NodeId {
        self.network.source(link)
    }

    /// The network's formula while everything works, else the definition.
    #[inline]
    fn distance(&self, from: NodeId, to: NodeId) -> Option<Hops> {
        if self.is_whole() {
            return self.network.distance(from, to);
        }
        super::searched_distance(self, from, to)
    }

    fn eccentricity(&self, node: NodeId) -> Hops {
        match self.whole_grid() {
            Some(grid) => grid.eccentricity(node),
            None => super::searched_eccentricity(self, node),
        }
    }
}

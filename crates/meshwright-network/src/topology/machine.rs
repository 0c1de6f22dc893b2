//! A machine: a network with its dead nodes and links, its switching and what a message costs on it.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | c | [`Costs::startup`] | cycles |
//! | b | [`Costs::byte_time`] | cycles per byte |
//! | h | [`Costs::flit`] | bytes |
//! | W(e) | `bytes` | bytes |
//! | d | `hops` | links |

use fixedbitset::FixedBitSet;
use serde::Serialize;

use super::{Grid, Network, Place, Topology, network};
use meshwright_core::error::{Error, Result};
use meshwright_core::text::one_line;
use meshwright_core::units::{Bytes, Cycles, Hops, LinkId, NodeId, Port, Ratio};

/// How a message moves through the nodes on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Switching {
    /// Flits follow the head in a pipeline; a blocked worm keeps every link it stands on.
    #[default]
    Wormhole,
    /// A pipeline as well, but a blocked message is drawn into the node before it and frees its links.
    CutThrough,
    /// A node forwards a message when the whole of it has arrived.
    StoreAndForward,
}

/// Every switching with its name on the command line.
pub const SWITCHINGS: &[(&str, Switching)] = &[
    ("wormhole", Switching::Wormhole),
    ("cut-through", Switching::CutThrough),
    ("store-and-forward", Switching::StoreAndForward),
];

impl Switching {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        SWITCHINGS.iter().find(|(_, switching)| *switching == self).expect("the table is complete").0
    }
}

/// How many messages a node can send and receive at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PortModel {
    /// One on every link.
    #[default]
    All,
    /// One out and one in.
    One,
}

/// What a message costs.
///
/// Times are exact: they are counted in ticks of `1 / byte_time.denominator()` cycles, so that a link of
/// 30 bytes per cycle loses nothing to rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// c: cycles before a message enters the network (store-and-forward: at every node it leaves).
    pub startup: Cycles,
    /// b: cycles per byte on a link.
    pub byte_time: Ratio,
    /// h: bytes of the head flit, which go ahead of the message on every link.
    pub flit: Bytes,
}

impl Default for Costs {
    /// c = 100, b = 1, h = 2: the order of magnitude of the paper's machines.
    fn default() -> Self {
        Self { startup: Cycles(100), byte_time: Ratio::whole(1), flit: Bytes(2) }
    }
}

impl Costs {
    /// Ticks per cycle.
    pub fn ticks_per_cycle(&self) -> u64 {
        self.byte_time.denominator()
    }

    /// The whole cycles that cover a number of ticks.
    pub fn cycles(&self, ticks: u64) -> Cycles {
        Cycles(ticks.div_ceil(self.ticks_per_cycle()))
    }

    /// Ticks of the start-up c.
    pub fn startup_ticks(&self) -> u64 {
        self.startup.0 * self.ticks_per_cycle()
    }

    /// Ticks of b W.
    pub fn transfer_ticks(&self, bytes: Bytes) -> u64 {
        bytes.0 * self.byte_time.numerator()
    }

    /// Ticks of b h: how long the head takes over one link.
    pub fn head_ticks(&self) -> u64 {
        self.transfer_ticks(self.flit)
    }

    /// The time of a message alone on the network, in ticks.
    ///
    /// ```text
    /// wormhole, cut-through:  c + b (W + d h)
    /// store-and-forward:      d (c + b W)
    /// ```
    ///
    /// # Source
    ///
    /// `lo1990`, eq. (1) and section 5.1.2, all three terms kept.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::{Costs, Switching};
    /// use meshwright_core::units::{Bytes, Hops};
    /// let costs = Costs::default(); // c = 100, b = 1, h = 2
    /// assert_eq!(costs.alone_ticks(Switching::Wormhole, Bytes(64), Hops(5)), 100 + 64 + 5 * 2);
    /// assert_eq!(costs.alone_ticks(Switching::StoreAndForward, Bytes(64), Hops(5)), 5 * (100 + 64));
    /// ```
    pub fn alone_ticks(&self, switching: Switching, bytes: Bytes, hops: Hops) -> u64 {
        let (startup, transfer, hops) = (self.startup_ticks(), self.transfer_ticks(bytes), u64::from(hops.0));
        match switching {
            Switching::Wormhole | Switching::CutThrough => startup + transfer + hops * self.head_ticks(),
            Switching::StoreAndForward => hops * (startup + transfer),
        }
    }

    /// Refuses costs with which the time of one message over one link could leave 64 bits.
    ///
    /// Accepted are a start-up of at most 2^32 cycles, a flit of at most 2^16 bytes, and a byte time p/q with p
    /// and q of at most 2^16.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] naming the term.
    pub fn check(&self) -> Result<()> {
        let (startup, flit) = (self.startup.0, self.flit.0);
        if startup > 1 << 32 {
            return Err(Error::value("startup", startup, format!("at most {} cycles", 1u64 << 32)));
        }
        if flit > 1 << 16 {
            return Err(Error::value("flit", flit, format!("at most {} bytes", 1 << 16)));
        }
        if self.byte_time.numerator().max(self.byte_time.denominator()) > 1 << 16 {
            let expected = format!("a fraction p/q of cycles per byte with p and q of at most {}", 1 << 16);
            return Err(Error::value("byte_time", self.byte_time, expected));
        }
        Ok(())
    }
}

/// The largest message accepted: a tebibyte.
pub const BYTES_MAX: u64 = 1 << 40;

/// A network with what is dead on it and its costs: what a job is planned for.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The specification it was built from, e.g. `mesh:8x8`.
    pub name: String,
    /// What is wired to what, dead nodes and links included.
    pub network: Network,
    /// How messages move.
    pub switching: Switching,
    /// What messages cost.
    pub costs: Costs,
    /// How many messages a node sends and receives at a time.
    pub ports: PortModel,
    /// Flits per virtual channel (packets under store-and-forward); the message engine does not look at it.
    pub buffers: u32,
    /// Virtual channels per link; the message engine does not look at it.
    pub virtual_channels: u32,
    dead: Vec<NodeId>,
    is_dead: FixedBitSet,
    dead_links: Vec<(NodeId, NodeId)>,
    /// By link id, both directions; of no length while every link works.
    is_dead_link: FixedBitSet,
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
            buffers: 4,
            virtual_channels: 1,
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

    /// The same machine with another switching.
    pub fn with_switching(mut self, switching: Switching) -> Self {
        self.switching = switching;
        self
    }

    /// The same machine in steps of packets: a packet of 8 bytes takes one cycle over a link, is stored before it goes on
    /// and costs no start-up; queues have four slots.
    ///
    /// # Source
    ///
    /// `chochia1996`, section 5; the bytes of a packet are ours.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::Machine;
    /// use meshwright_core::units::{Bytes, Hops};
    /// let mesh = Machine::new("mesh:16x16")?.in_packets();
    /// let ticks = mesh.costs.alone_ticks(mesh.switching, Bytes(8), Hops(5));
    /// assert_eq!(ticks, 5 * mesh.costs.ticks_per_cycle());
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn in_packets(mut self) -> Self {
        let byte_time = Ratio::new(1, 8).expect("eight is not zero");
        self.switching = Switching::StoreAndForward;
        self.costs = Costs { startup: Cycles(0), byte_time, flit: Bytes(8) };
        self.ports = PortModel::All;
        self.buffers = 4;
        self
    }

    /// The nodes that do not work, in increasing order.
    pub fn dead(&self) -> &[NodeId] {
        &self.dead
    }

    /// The wires that do not work, each once and in increasing order, the lower node first.
    pub fn dead_links(&self) -> &[(NodeId, NodeId)] {
        &self.dead_links
    }

    /// Whether every node and every link works.
    pub fn is_whole(&self) -> bool {
        self.dead.is_empty() && self.dead_links.is_empty()
    }

    /// Whether a node works.
    pub fn is_alive(&self, node: NodeId) -> bool {
        !self.is_dead.contains(node.index())
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

impl Topology for Machine {
    fn sides(&self) -> &[u32] {
        self.network.sides()
    }

    fn first_link(&self, node: NodeId) -> LinkId {
        self.network.first_link(node)
    }

    /// A dead node has no wired port, no port leads to one, and the ends of a dead link are not wired.
    fn neighbour(&self, node: NodeId, port: Port) -> Option<NodeId> {
        let next = self.network.neighbour(node, port)?;
        let wired = self.dead_links.is_empty() || !self.is_dead_link.contains(self.link(node, port).index());
        (wired && self.is_alive(node) && self.is_alive(next)).then_some(next)
    }

    fn source(&self, link: LinkId) -> NodeId {
        self.network.source(link)
    }

    /// The network's formula while everything works, else the definition.
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

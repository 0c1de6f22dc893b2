//! Flat tables of the machine: which output port feeds which input port.
//!
//! A wire joins port p of one node with port q of another and carries both directions, so one table serves flits
//! and credits alike: what leaves by (node, p) comes in at (next, q), and its credits go back the same way.

use crate::error::{Error, Result};
use crate::topology::{Machine, PortModel, Topology};
use crate::units::{LinkId, NodeId, Port};

/// No wire.
pub(super) const NO_PEER: u32 = u32::MAX;

/// Bits of a port or channel number beside a node number in one word.
pub(super) const LOCAL_BITS: u32 = 6;

/// The widest router: this many input channels.
pub(super) const CHANNELS_MAX: u32 = 1 << LOCAL_BITS;

/// Node and local number in one word.
#[inline]
pub(super) fn pack(node: u32, local: u32) -> u32 {
    node << LOCAL_BITS | local
}

/// The two parts of a packed word.
#[inline]
pub(super) fn unpack(word: u32) -> (u32, u32) {
    (word >> LOCAL_BITS, word & (CHANNELS_MAX - 1))
}

/// The ports of all routers and the wires between them.
#[derive(Debug)]
pub(super) struct Wiring {
    /// Ports of every node, if all have the same number.
    degree: Option<u32>,
    /// The first port of each node otherwise.
    first: Vec<u32>,
    /// By link: the packed (node, port) at the other end.
    peers: Vec<u32>,
    /// Whether a node has an injection and an ejection port for each of its links, or one of each.
    all_ports: bool,
    /// How many nodes there are.
    pub(super) nodes: u32,
}

impl Wiring {
    /// Reads the machine; wires of dead nodes are left out.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when a link has no link back, [`Error::TooLarge`] when a router would have more
    /// than [`CHANNELS_MAX`] channels.
    pub(super) fn new(machine: &Machine, ports: PortModel, virtual_channels: u32) -> Result<Self> {
        let nodes = machine.nodes();
        let degree = machine.ports(NodeId(0));
        let uniform = (0..nodes).all(|node| machine.ports(NodeId(node)) == degree);
        let first = |node| machine.first_link(NodeId(node)).0;
        let mut wiring = Self {
            degree: uniform.then_some(degree),
            first: if uniform { Vec::new() } else { (0..=nodes).map(first).collect() },
            peers: vec![NO_PEER; machine.links() as usize],
            all_ports: ports == PortModel::All,
            nodes,
        };
        let widest = (0..nodes).map(|node| wiring.inputs(node).max(wiring.outputs(node))).max().unwrap_or(0);
        if widest * virtual_channels > CHANNELS_MAX {
            return Err(Error::TooLarge {
                what: "a router of the flit engine",
                needed: format!("{} channels", widest * virtual_channels),
                limit: format!("{CHANNELS_MAX} channels (ports times virtual channels)"),
            });
        }
        for node in (0..nodes).map(NodeId) {
            for port in (0..machine.ports(node)).map(Port) {
                let Some(next) = machine.neighbour(node, port) else { continue };
                let back = (0..machine.ports(next)).find(|&q| machine.neighbour(next, Port(q)) == Some(node));
                let Some(back) = back else {
                    let why =
                        format!("the link from node {node} to node {next} has no link back for credits");
                    return Err(Error::not_applicable("the flit engine", why));
                };
                wiring.peers[machine.link(node, port).index()] = pack(next.0, back);
            }
        }
        Ok(wiring)
    }

    /// Whether a node has an injection and an ejection port for each of its links.
    pub(super) fn is_all_ports(&self) -> bool {
        self.all_ports
    }

    /// Network ports of every node, if all have the same number.
    pub(super) fn uniform_degree(&self) -> Option<u32> {
        self.degree
    }

    /// The first network port of a node.
    #[inline]
    pub(super) fn first(&self, node: u32) -> u32 {
        match self.degree {
            Some(degree) => node * degree,
            None => self.first[node as usize],
        }
    }

    /// Network ports of a node.
    #[inline]
    pub(super) fn degree(&self, node: u32) -> u32 {
        match self.degree {
            Some(degree) => degree,
            None => self.first[node as usize + 1] - self.first[node as usize],
        }
    }

    /// Injection ports of a node, and as many ejection ports.
    #[inline]
    pub(super) fn locals(&self, node: u32) -> u32 {
        if self.all_ports { self.degree(node) } else { 1 }
    }

    /// Input ports of a node: the network's, then the injection ports.
    #[inline]
    pub(super) fn inputs(&self, node: u32) -> u32 {
        self.degree(node) + self.locals(node)
    }

    /// Output ports of a node: the network's, the ejection ports, then those of the source queues.
    #[inline]
    pub(super) fn outputs(&self, node: u32) -> u32 {
        self.degree(node) + 2 * self.locals(node)
    }

    /// How many input ports the nodes before this one have.
    #[inline]
    pub(super) fn inputs_before(&self, node: u32) -> u32 {
        self.first(node) + self.locals_before(node)
    }

    /// How many output ports the nodes before this one have.
    #[inline]
    pub(super) fn outputs_before(&self, node: u32) -> u32 {
        self.first(node) + 2 * self.locals_before(node)
    }

    /// How many source queues the nodes before this one have.
    #[inline]
    pub(super) fn locals_before(&self, node: u32) -> u32 {
        match self.degree {
            Some(degree) if self.all_ports => node * degree,
            // An isolated node of a graph keeps no port of its own: it has nobody to send to.
            None if self.all_ports => self.first[node as usize],
            _ => node,
        }
    }

    /// The packed (node, port) at the other end of a network port, or [`NO_PEER`].
    #[inline]
    pub(super) fn peer(&self, node: u32, port: u32) -> u32 {
        self.peers[(self.first(node) + port) as usize]
    }

    /// The link that comes in at a network port.
    #[inline]
    pub(super) fn incoming(&self, node: u32, port: u32) -> LinkId {
        let (next, back) = unpack(self.peer(node, port));
        LinkId(self.first(next) + back)
    }
}

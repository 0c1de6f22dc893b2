//! Flat tables of the machine: which output port feeds which input port.
//!
//! A wire joins port p of one node with port q of another and carries both directions, so one table serves flits
//! and credits alike: what leaves by (node, p) comes in at (next, q), and its credits go back the same way. All
//! routers have the ports of the widest one, so that a place is a product and no table.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::{LinkId, NodeId, Port};
use meshwright_network::topology::{Machine, PortModel, Topology};

/// No wire.
pub(super) const NO_PEER: u32 = u32::MAX;

/// Bits of a port or channel number beside a node number in one word.
const LOCAL_BITS: u32 = 7;

/// The widest router: this many input channels, for they are sets in one machine word.
pub(super) const CHANNELS_MAX: u32 = u64::BITS;

/// Node and local number in one word.
#[inline(always)]
pub(super) fn pack(node: u32, local: u32) -> u32 {
    node << LOCAL_BITS | local
}

/// The two parts of a packed word.
#[inline(always)]
pub(super) fn unpack(word: u32) -> (u32, u32) {
    (word >> LOCAL_BITS, word & ((1 << LOCAL_BITS) - 1))
}

/// The ports of all routers and the wires between them.
#[derive(Debug)]
pub(super) struct Wiring {
    /// How many nodes there are.
    pub(super) nodes: u32,
    /// Network ports of a router.
    pub(super) degree: u32,
    /// Injection ports of a router, and as many ejection ports.
    pub(super) locals: u32,
    /// By node and port: the packed (node, port) at the other end.
    peers: Vec<u32>,
    /// The first link of each node, where nodes have different numbers of ports.
    first_links: Vec<u32>,
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
        let (degree, locals) = widths(machine, ports);
        let widest = (degree + locals) * virtual_channels;
        if widest > CHANNELS_MAX {
            return Err(Error::TooLarge {
                what: "a router of the flit engine",
                needed: format!("{widest} channels"),
                limit: format!(
                    "{CHANNELS_MAX} channels (ports, injection and ejection included, times virtual channels)"
                ),
            });
        }
        let uniform = (0..nodes).all(|node| machine.ports(NodeId(node)) == degree);
        let first_link = |node| machine.first_link(NodeId(node)).0;
        let mut wiring = Self {
            nodes,
            degree,
            locals,
            peers: vec![NO_PEER; nodes as usize * degree as usize],
            first_links: if uniform { Vec::new() } else { (0..nodes).map(first_link).collect() },
        };
        for node in (0..nodes).map(NodeId) {
            for port in (0..machine.ports(node)).map(Port) {
                let Some(next) = machine.neighbour(node, port) else { continue };
                let back = (0..machine.ports(next)).find(|&q| machine.neighbour(next, Port(q)) == Some(node));
                let Some(back) = back else {
                    let why =
                        format!("the link from node {node} to node {next} has no link back for credits");
                    return Err(Error::not_applicable("the flit engine", why));
                };
                wiring.peers[(node.0 * degree + port.0) as usize] = pack(next.0, back);
            }
        }
        Ok(wiring)
    }

    /// The packed (node, port) at the other end of a network port, or [`NO_PEER`].
    #[inline(always)]
    pub(super) fn peer(&self, node: u32, port: u32) -> u32 {
        self.peers[(node * self.degree + port) as usize]
    }

    /// The link that comes in at a network port.
    #[inline]
    pub(super) fn incoming(&self, node: u32, port: u32) -> LinkId {
        let (next, back) = unpack(self.peer(node, port));
        match self.first_links.get(next as usize) {
            Some(first) => LinkId(first + back),
            None => LinkId(next * self.degree + back),
        }
    }
}

/// Network ports of the widest router, and its injection ports.
pub(super) fn widths(machine: &Machine, ports: PortModel) -> (u32, u32) {
    let degree = (0..machine.nodes()).map(|node| machine.ports(NodeId(node))).max().unwrap_or(0);
    let locals = match ports {
        PortModel::One => 1,
        PortModel::All => degree.max(1),
    };
    (degree, locals)
}

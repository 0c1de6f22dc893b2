//! Flat tables: which link leads to which queue, and where a packet goes next.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::{LinkId, NodeId, Port};
use meshwright_network::routing::{self, Choices, Header, Relation};
use meshwright_network::topology::{Machine, Topology};

/// No node: a port without a wire.
pub(super) const NOBODY: u32 = u32::MAX;

/// The most incoming queues of a router: they and the queue of new packets are bits of a word.
const QUEUES_MAX: u32 = u64::BITS - 1;

/// Where a link leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wire {
    /// The node it enters, or [`NOBODY`].
    pub(super) node: u32,
    /// The first of the queues before that node, one for each class.
    pub(super) lane: u32,
}

/// A way out: port and class in one number.
pub(super) type Out = u16;

/// The port of a way out.
#[inline(always)]
pub(super) fn port(out: Out) -> u32 {
    u32::from(out >> 1)
}

/// The class of a way out.
#[inline(always)]
pub(super) fn class(out: Out) -> u32 {
    u32::from(out & 1)
}

/// The wires of all routers, which have the ports of the widest, and the routes.
#[derive(Debug)]
pub(super) struct Wires<'m> {
    pub(super) machine: &'m Machine,
    relation: Relation<'m>,
    /// Ports of a router.
    pub(super) degree: u32,
    /// Incoming queues of a router: one for each port and class.
    pub(super) lanes: u32,
    classes: u32,
    /// By place, which is node times degree plus port.
    wires: Vec<Wire>,
    choices: Choices,
    /// On a plane without rings whose coordinates are bit fields: both fields and the ports that go up, in the order
    /// of travel.
    plane: Option<[(u32, u32); 2]>,
}

impl<'m> Wires<'m> {
    /// Reads the machine; what is dead is left out. Errors as for [`simulate`](crate::simulate()).
    pub(super) fn new(machine: &'m Machine, routing: &str) -> Result<Self> {
        let relation = routing::relation(routing, machine)?;
        assert!(!relation.adaptive() && !relation.random(), "a packet has one way");
        let degree = (0..machine.nodes()).map(|node| machine.ports(NodeId(node))).max().unwrap_or(0);
        let classes = relation.classes();
        let lanes = degree * classes;
        if lanes > QUEUES_MAX {
            return Err(Error::TooLarge {
                what: "a router of the packet engine",
                needed: format!("{lanes} queues"),
                limit: format!("{QUEUES_MAX} queues (ports times classes)"),
            });
        }
        let none = Wire { node: NOBODY, lane: 0 };
        let mut wires = vec![none; machine.nodes() as usize * degree as usize];
        for node in (0..machine.nodes()).map(NodeId) {
            for port in (0..machine.ports(node)).map(Port) {
                let Some(next) = machine.neighbour(node, port) else { continue };
                let back = (0..machine.ports(next)).find(|&q| machine.neighbour(next, Port(q)) == Some(node));
                let Some(back) = back else {
                    let why = format!("the link from node {node} to node {next} has no link back");
                    return Err(Error::not_applicable("the packet engine", why));
                };
                wires[(node.0 * degree + port.0) as usize] =
                    Wire { node: next.0, lane: next.0 * lanes + back * classes };
            }
        }
        let plane = match &relation {
            Relation::DimensionOrder(axes) => axes.plane(),
            _ => None,
        };
        Ok(Self { machine, relation, degree, lanes, classes, wires, choices: Choices::new(), plane })
    }

    /// Where the link at a place leads.
    #[inline(always)]
    pub(super) fn at(&self, place: usize) -> Wire {
        self.wires[place]
    }

    /// How many places there are.
    pub(super) fn places(&self) -> usize {
        self.wires.len()
    }

    /// The link at a place.
    pub(super) fn link(&self, place: usize) -> LinkId {
        let (node, port) = (place as u32 / self.degree, place as u32 % self.degree);
        self.machine.link(NodeId(node), Port(port))
    }

    /// The place of the link that ends in an incoming queue of a node.
    pub(super) fn before(&self, lane: u32) -> usize {
        let (node, local) = (lane / self.lanes, lane % self.lanes);
        let wire = self.wires[(node * self.degree + local / self.classes) as usize];
        let back = (wire.lane - wire.node * self.lanes) / self.classes;
        // The wire of a port and the wire back end at each other's queues.
        (wire.node * self.degree + back) as usize
    }

    /// The way out of a node for a packet that came in by this queue, or was made there.
    #[inline(always)]
    pub(super) fn route(&mut self, at: u32, lane: Option<u32>, target: u32) -> Out {
        if let Some([first, second]) = self.plane {
            // Both ways are worked out, so that nothing has to be guessed.
            let port = |(bits, up): (u32, u32)| up + u32::from(target & bits < at & bits);
            let (now, later) = (port(first), port(second));
            let turned = (at ^ target) & first.0 == 0;
            return (std::hint::select_unpredictable(turned, later, now) << 1) as Out;
        }
        self.route_elsewhere(at, lane, target)
    }

    /// The same on other machines.
    fn route_elsewhere(&mut self, at: u32, lane: Option<u32>, target: u32) -> Out {
        if let Relation::DimensionOrder(axes) = &self.relation
            && !axes.has_rings()
        {
            let port = axes.port(NodeId(at), NodeId(target)).expect("it is not there yet");
            return (port.0 << 1) as Out;
        }
        self.look_up(at, lane, target)
    }

    /// The same where there are classes or tables.
    pub(super) fn look_up(&mut self, at: u32, lane: Option<u32>, target: u32) -> Out {
        let arrived = match self.relation {
            Relation::UpDown(_) => lane.map(|lane| self.link(self.before(lane))),
            _ => None,
        };
        let target = NodeId(target);
        let mut header = Header { target, via: target, stage: 0, variant: 0 };
        self.relation.choose(NodeId(at), arrived, &mut header, &mut self.choices);
        let choice = self.choices.as_slice().first().expect("it is not there yet");
        (choice.port.0 << 1) as Out | Out::from(choice.class)
    }

    /// The links of a way.
    #[inline(always)]
    pub(super) fn hops(&mut self, source: u32, target: u32) -> u32 {
        if let Some(fields) = self.plane {
            return fields
                .iter()
                .map(|&(bits, _)| (source & bits).abs_diff(target & bits) >> bits.trailing_zeros())
                .sum();
        }
        self.hops_elsewhere(source, target)
    }

    /// The same on other machines.
    fn hops_elsewhere(&mut self, source: u32, target: u32) -> u32 {
        if let Relation::DimensionOrder(axes) = &self.relation {
            return axes.hops(NodeId(source), NodeId(target));
        }
        let (mut at, mut lane, mut hops) = (source, None, 0);
        while at != target {
            let out = self.route(at, lane, target);
            let wire = self.at((at * self.degree + port(out)) as usize);
            (at, lane) = (wire.node, Some(wire.lane + class(out)));
            hops += 1;
        }
        hops
    }
}

#[cfg(test)]
impl Wires<'_> {
    /// Whether both ways are worked out at once.
    pub(super) fn is_plane(&self) -> bool {
        self.plane.is_some()
    }
}

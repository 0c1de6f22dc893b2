//! A machine as it is: several networks on one set of nodes, links with direction, class and rate, ports, resources that
//! several ports share.
//!
//! | file | what |
//! |---|---|
//! | this one | [`Fabric`]: every [`Resource`] with its rate, and which of them a message holds |
//! | `resource` | [`Resource`], [`Shared`]: what messages hold |
//! | `with` | the same fabric with ports, links, memories and processors of its own |
//! | `rates` | what all networks carry together over a link, and the least costs |
//! | `equal_links` | who cannot work on such a machine, and says so |
//! | [`plane`] | [`Plane`]: one of the networks, and the order in which its messages take the axes |
//! | [`embedding`] | [`Embedding`]: a logical box of ranks laid into the box of a machine |
//! | [`rate_table`] | [`RateTable`]: bandwidth by size |
//! | [`routers`] | [`Routers`]: flits, virtual channels and buffers |
//! | [`tree`] | [`Branch`]: a resource on the tree of a multicast |
//! | [`processor`] | [`Processor`]: what issues messages, and how long each step of it takes |
//!
//! A rate is bytes per cycle. Resources are numbered from 0: those of the first network, node by node, then those of the
//! next, then what is shared.

pub mod embedding;
mod equal_links;
pub mod plane;
pub mod processor;
pub mod rate_table;
mod rates;
mod resource;
pub mod routers;
pub mod tree;
mod with;

pub use embedding::Embedding;
pub use plane::{Leg, Plane, Turn};
pub use processor::Processor;
pub use rate_table::RateTable;
pub use resource::{Resource, Shared, Ways};
pub use routers::Routers;
pub use tree::Branch;

use meshwright_core::csr::Csr;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Cycles, LinkId, NodeId, Ratio};

use super::topology::{Grid, Topology};

/// The resources of a machine and the routes over them.
///
/// # Examples
///
/// Two networks of one-way rings: what goes east on one goes west on the other.
///
/// ```
/// use meshwright_core::units::{Bytes, Cycles, LinkId, NodeId, Ratio};
/// use meshwright_network::Grid;
/// use meshwright_network::fabric::{Fabric, Leg, Plane, Resource};
/// let rings = |name, leg| Plane::new(name, vec![leg], Ratio::whole(32));
/// let fabric = Fabric::new(Grid::torus(&[4])?, vec![rings("A", Leg::up(0)), rings("B", Leg::down(0))])?;
/// let links = |plane| {
///     let mut links = 0;
///     fabric.route(plane, NodeId(3), NodeId(0), |resource| {
///         links += u32::from(matches!(fabric.resource(resource), Resource::Link { .. }));
///     });
///     links
/// };
/// assert_eq!([links(0), links(1)], [1, 3], "over the border, and all the way back");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fabric {
    grid: Grid,
    planes: Vec<Plane>,
    /// By resource, in bytes per cycle; infinite where nothing limits.
    rates: Vec<f64>,
    /// The class of each link that has one, by resource and in its order.
    classes: Vec<(u32, String)>,
    shared: Vec<Shared>,
    /// Per node what of it is shared: row 2 v for what leaves node v, row 2 v + 1 for what comes to it.
    shared_of: Csr<u32>,
    /// By node, how many of its messages are in service at a time on each network; 0 if there is no limit.
    in_service: Vec<u32>,
    /// Cycles of a head over a link.
    hop: Cycles,
    /// Cycles of each node's memory, from a request to the first byte of the answer.
    memory: Vec<Cycles>,
    routers: Option<Routers>,
    rate_table: RateTable,
    processors: Vec<Processor>,
}

/// Injection and ejection come before the links of a node.
const PORTS: usize = 2;

impl Fabric {
    /// Networks on a box, without limits at their ports, without latency.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when there is no network or more than 255, two of one name, a rate is 0, or a network cannot
    /// reach every node: an axis is not among its legs, or is one-way without wrap-around.
    pub fn new(grid: Grid, planes: Vec<Plane>) -> Result<Self> {
        if planes.is_empty() || planes.len() > 255 {
            return Err(Error::value("number of networks", planes.len(), "1 to 255 networks"));
        }
        for (index, plane) in planes.iter().enumerate() {
            plane.check(&grid)?;
            if planes[..index].iter().any(|before| before.name == plane.name) {
                return Err(Error::value("name of a network", &plane.name, "a name for each of its own"));
            }
        }
        let per_node = PORTS + 2 * grid.dimensions();
        let nodes = grid.nodes() as usize;
        let mut rates = Vec::with_capacity(planes.len() * nodes * per_node);
        for plane in &planes {
            for _ in 0..nodes {
                rates.extend([f64::INFINITY; PORTS]);
                rates.resize(rates.len() + per_node - PORTS, plane.rate.to_f64());
            }
        }
        let mut none = Csr::default();
        (0..2 * nodes).for_each(|_| none.end_row());
        Ok(Self {
            grid,
            planes,
            rates,
            classes: Vec::new(),
            shared: Vec::new(),
            shared_of: none,
            in_service: vec![0; nodes],
            hop: Cycles(0),
            memory: vec![Cycles(0); nodes],
            routers: None,
            rate_table: RateTable::default(),
            processors: Vec::new(),
        })
    }

    /// The box.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The networks.
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// The network with this name.
    pub fn plane(&self, name: &str) -> Option<usize> {
        self.planes.iter().position(|plane| plane.name == name)
    }

    /// How many messages of a node are in service at a time on each network; 0 if there is no limit.
    pub fn in_service(&self, node: usize) -> u32 {
        self.in_service[node]
    }

    /// Cycles of a head over a link.
    pub fn hop(&self) -> Cycles {
        self.hop
    }

    /// Cycles of a node's memory, from a request to the first byte of the answer.
    pub fn memory(&self, node: NodeId) -> Cycles {
        self.memory[node.index()]
    }

    /// The routers, if they are described.
    pub fn routers(&self) -> Option<&Routers> {
        self.routers.as_ref()
    }

    /// Cycles of a head from one node to another on a network.
    pub fn way(&self, plane: usize, from: NodeId, to: NodeId) -> Cycles {
        Cycles(self.hop.0 * u64::from(self.hops(plane, from, to)))
    }

    /// The links from one node to another on a network.
    ///
    /// # Complexity
    ///
    /// O(axes).
    pub fn hops(&self, plane: usize, from: NodeId, to: NodeId) -> u32 {
        self.planes[plane].legs.iter().map(|leg| leg.steps(&self.grid, from, to).0).sum()
    }

    /// Bandwidth by message size.
    pub fn rate_table(&self) -> &RateTable {
        &self.rate_table
    }

    /// The kinds of processors.
    pub fn processors(&self) -> &[Processor] {
        &self.processors
    }

    /// The rate of every resource, in bytes per cycle; infinite where nothing limits.
    pub fn rates(&self) -> &[f64] {
        &self.rates
    }

    /// What a resource is.
    ///
    /// # Panics
    ///
    /// When there is no such resource.
    pub fn resource(&self, resource: u32) -> Resource {
        let (nodes, per_node) = (self.grid.nodes() as usize, PORTS + 2 * self.grid.dimensions());
        let (at, slot) = (resource as usize / per_node, resource as usize % per_node);
        let (plane, node) = (at / nodes, NodeId((at % nodes) as u32));
        match slot {
            _ if plane >= self.planes.len() => {
                Resource::Shared(resource as usize - self.planes.len() * nodes * per_node)
            }
            0 => Resource::Injection { plane, node },
            1 => Resource::Ejection { plane, node },
            slot => {
                let slot = slot - PORTS;
                Resource::Link { plane, node, axis: slot / 2, up: slot.is_multiple_of(2) }
            }
        }
    }

    /// A resource for people: `NOC_0 (1,2) → (1,3)`, `injection (1,2) into NOC_0`, the name of what is shared.
    pub fn resource_name(&self, resource: u32) -> String {
        let at = |node: NodeId| {
            let coordinates: Vec<String> = self.grid.coordinates(node).iter().map(u32::to_string).collect();
            format!("({})", coordinates.join(","))
        };
        match self.resource(resource) {
            Resource::Injection { plane, node } => format!("{} into {}", at(node), self.planes[plane].name),
            Resource::Ejection { plane, node } => format!("{} out of {}", at(node), self.planes[plane].name),
            Resource::Link { plane, node, axis, up } => {
                let next = self.step(node, axis, up);
                format!("{} {} → {}", self.planes[plane].name, at(node), at(next))
            }
            Resource::Shared(shared) => self.shared[shared].name.clone(),
        }
    }

    /// The number of a port or link.
    ///
    /// # Panics
    ///
    /// When it is shared: those are the last ones.
    pub fn number(&self, resource: &Resource) -> u32 {
        let (plane, node, slot) = match *resource {
            Resource::Injection { plane, node } => (plane, node, 0),
            Resource::Ejection { plane, node } => (plane, node, 1),
            Resource::Link { plane, node, axis, up } => (plane, node, PORTS + slot(axis, up)),
            Resource::Shared(_) => panic!("what is shared has no port"),
        };
        (self.first(plane, node).expect("a network of the fabric") + slot) as u32
    }

    /// What is shared, in the order of the last resources.
    pub fn shared(&self) -> &[Shared] {
        &self.shared
    }

    /// The shared resources behind all that leaves a node.
    pub fn shared_out(&self, node: NodeId) -> &[u32] {
        self.shared_of.row(2 * node.index())
    }

    /// The shared resources behind all that comes to a node.
    pub fn shared_into(&self, node: NodeId) -> &[u32] {
        self.shared_of.row(2 * node.index() + 1)
    }

    /// The node after a link along an axis, over the border too.
    #[inline]
    pub fn step(&self, node: NodeId, axis: usize, up: bool) -> NodeId {
        plane::step(&self.grid, node, axis, up)
    }

    /// The network that a message takes if it names none: that on which it crosses the fewest links, of equal ones the
    /// first.
    pub fn shortest(&self, from: NodeId, to: NodeId) -> usize {
        let hops = |&plane: &usize| self.hops(plane, from, to);
        (0..self.planes.len()).min_by_key(hops).expect("a fabric has a network")
    }

    /// The link of the box that leaves a node along an axis. Two neighbours on a side of two have one.
    pub fn link(&self, node: NodeId, axis: usize, up: bool) -> LinkId {
        let up = if self.grid.sides()[axis] == 2 { self.grid.coordinate(node, axis) == 0 } else { up };
        self.grid.link(node, self.grid.port(axis, up))
    }

    /// The axis and direction of the next link on a network; `None` at the target.
    ///
    /// # Complexity
    ///
    /// O(axes).
    #[inline]
    pub fn next(&self, plane: usize, at: NodeId, to: NodeId) -> Option<(usize, bool)> {
        self.planes[plane].legs.iter().find_map(|leg| {
            let (steps, up) = leg.steps(&self.grid, at, to);
            (steps > 0).then_some((leg.axis, up))
        })
    }

    /// The class of a link, if it has one.
    pub fn class(&self, resource: u32) -> Option<&str> {
        let index = self.classes.partition_point(|(link, _)| *link < resource);
        self.classes.get(index).filter(|(link, _)| *link == resource).map(|(_, class)| class.as_str())
    }

    /// Visits every resource that bytes from one node to another hold on a network: the source's port, links, the
    /// target's port. A node that sends to itself uses its ports only. Returns the links crossed.
    ///
    /// # Complexity
    ///
    /// O(links on the way + axes).
    pub fn route(&self, plane: usize, from: NodeId, to: NodeId, mut visit: impl FnMut(u32)) -> u32 {
        self.route_by_hops(plane, from, to, |resource, _| visit(resource))
    }

    /// As [`Fabric::route`], with the links crossed before each resource.
    pub fn route_by_hops(
        &self,
        plane: usize,
        from: NodeId,
        to: NodeId,
        mut visit: impl FnMut(u32, u32),
    ) -> u32 {
        let per_node = PORTS + 2 * self.grid.dimensions();
        let base = plane * self.grid.nodes() as usize * per_node;
        let first = |node: NodeId| base + node.index() * per_node;
        let (mut at, mut hops) = (from, 0);
        self.shared_of.row(2 * from.index()).iter().for_each(|&shared| visit(shared, 0));
        visit(first(from) as u32, 0);
        for leg in &self.planes[plane].legs {
            let (steps, up) = leg.steps(&self.grid, at, to);
            for _ in 0..steps {
                visit((first(at) + PORTS + slot(leg.axis, up)) as u32, hops);
                at = self.step(at, leg.axis, up);
                hops += 1;
            }
        }
        debug_assert_eq!(at, to, "the legs of a network reach every node");
        visit(first(to) as u32 + 1, hops);
        self.shared_of.row(2 * to.index() + 1).iter().for_each(|&shared| visit(shared, hops));
        hops
    }

    fn inside(&self, node: NodeId) -> Result<NodeId> {
        let nodes = self.grid.nodes();
        let refused = || Error::value("node", node, format!("a node from 0 to {}", nodes - 1));
        (node.0 < nodes).then_some(node).ok_or_else(refused)
    }

    /// The first resource of a node on a network.
    fn first(&self, plane: usize, node: NodeId) -> Result<usize> {
        let planes = self.planes.len();
        if plane >= planes {
            return Err(Error::value("network", plane, format!("a network from 0 to {}", planes - 1)));
        }
        Ok((plane * self.grid.nodes() as usize + node.index()) * (PORTS + 2 * self.grid.dimensions()))
    }
}

/// The place of a link among those of its node.
fn slot(axis: usize, up: bool) -> usize {
    2 * axis + usize::from(!up)
}

/// The largest rate accepted, in bytes per cycle.
pub const RATE_MAX: f64 = 1e9;

/// A rate as a floating-point number.
fn positive(what: &'static str, rate: Ratio) -> Result<f64> {
    let rate = rate.to_f64();
    if rate > 0.0 && rate <= RATE_MAX {
        return Ok(rate);
    }
    Err(Error::value(what, rate, "bytes per cycle, more than 0 and at most 1e9"))
}

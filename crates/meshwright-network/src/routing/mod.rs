//! Routings: the ways of messages, and certificates that a set of ways cannot deadlock.
//!
//! | file | what |
//! |---|---|
//! | [`mod@relation`] | which channels a packet may take next, for networks with virtual channels |
//! | [`dimension_order`] | the last dimension first: XY on a 2-D mesh, e-cube on a hypercube; date-lines of tori |
//! | [`o1turn`] | one of two dimension orders, by a coin |
//! | [`valiant`] | by way of a random node |
//! | [`min_adaptive`] | every shortest way, with dimension order as the escape |
//! | [`turn_model`] | west-first and odd-even on 2-D meshes |
//! | [`rajasekaran_tsantilas`] | permutations on a 2-D mesh in three phases, by way of a random row |
//! | [`shortest_path`] | breadth-first, around what is dead and on general graphs |
//! | `straight`, `detour`, `runs` | ways that meet no hole, and round holes without a search of the whole box; routes stored as straight pieces |
//! | [`up_down`] | up a spanning tree, then down: without deadlock on every network |
//! | [`next_hops`] | the tables of the last two |
//! | [`certify`] | whether packets can deadlock under a relation |
//! | [`deadlock`] | the channel-dependency graph; a cycle of it is the certificate |

pub mod certify;
pub mod deadlock;
mod detour;
pub mod dimension_order;
pub mod min_adaptive;
pub mod next_hops;
pub mod o1turn;
pub mod rajasekaran_tsantilas;
pub mod relation;
mod runs;
pub mod shortest_path;
mod straight;
pub mod turn_model;
pub mod up_down;
pub mod valiant;

pub use relation::{Choices, Header, PortChoice, Relation};
pub use runs::{Run, Runs};

use self::dimension_order::Straight;
use crate::fabric::Fabric;
use crate::topology::{Grid, Machine, Topology};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Hops, LinkId, NodeId};
use meshwright_core::unknown;
use rand::Rng;

/// A source and a target.
pub type Pair = (NodeId, NodeId);

/// A named way to route packets.
pub struct Routing {
    /// Its name.
    pub name: &'static str,
    /// Other names it is known by.
    pub aliases: &'static [&'static str],
    /// What it is, in half a sentence.
    pub summary: &'static str,
    /// Its relation on this machine.
    pub relation: for<'m> fn(&'m Machine) -> Result<Relation<'m>>,
}

/// Every routing the program knows.
pub const ROUTINGS: &[Routing] = &[
    dimension_order::DIMENSION_ORDER,
    dimension_order::YX,
    o1turn::O1TURN,
    valiant::VALIANT,
    min_adaptive::MIN_ADAPTIVE,
    turn_model::WEST_FIRST,
    turn_model::ODD_EVEN,
    rajasekaran_tsantilas::RAJASEKARAN_TSANTILAS,
    up_down::UP_DOWN,
    shortest_path::SHORTEST_PATH,
    dimension_order::ONE_CLASS,
];

/// The name of the usual relation of a machine: dimension order where all of a box works, else up*/down*.
pub fn usual(machine: &Machine) -> &'static str {
    if machine.whole_grid().is_some() { dimension_order::DIMENSION_ORDER.name } else { up_down::UP_DOWN.name }
}

impl Routing {
    /// Whether it goes by this name.
    pub fn is(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

/// The name in the table of a routing that may be known by another.
///
/// # Errors
///
/// [`Error::Value`] when there is none.
///
/// # Examples
///
/// ```
/// assert_eq!(meshwright_network::routing::named("xy")?, "dimension-order");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn named(name: &str) -> Result<&'static str> {
    entry(name).map(|routing| routing.name)
}

/// The relation with this name on this machine.
///
/// # Errors
///
/// [`Error::Value`] when there is no such name, [`Error::NotApplicable`] when the relation does not fit the
/// machine, [`Error::TooLarge`] when its tables do not fit into memory.
///
/// # Examples
///
/// ```
/// use meshwright_network::routing;
/// use meshwright_network::topology::Machine;
/// let torus = Machine::new("torus:4x4")?;
/// assert_eq!(routing::relation("xy", &torus)?.classes(), 2, "date-line classes");
/// assert!(routing::relation("zigzag", &torus).is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn relation<'m>(name: &str, machine: &'m Machine) -> Result<Relation<'m>> {
    (entry(name)?.relation)(machine)
}

/// The entry that goes by this name.
fn entry(name: &str) -> Result<&'static Routing> {
    ROUTINGS.iter().find(|routing| routing.is(name)).ok_or_else(|| {
        let known = ROUTINGS.iter().flat_map(|routing| routing.aliases.iter().copied().chain([routing.name]));
        let names: Vec<&str> = ROUTINGS.iter().map(|routing| routing.name).collect();
        unknown("routing", name, names.join(", "), &known.collect::<Vec<_>>())
    })
}

/// The routes of a list of messages, one path each.
///
/// Dimension-order routes are computed hop by hop and take no memory; others are stored.
#[derive(Clone, Debug)]
pub enum Routes<'m> {
    /// A formula over the coordinates of a box.
    DimensionOrder(&'m Grid),
    /// Straight pieces on a box with holes.
    Runs(Runs<'m>),
    /// The links of message m are `links[first[m]..first[m + 1]]`.
    Stored {
        /// Where each message's links start.
        first: Vec<u32>,
        /// The links of all messages.
        links: Vec<LinkId>,
    },
}

/// The usual routing of a machine: dimension order where every node of a box works, else shortest paths; that of its
/// networks where they are described.
///
/// # Errors
///
/// [`meshwright_core::Error::NotApplicable`] when a pair is not connected, [`meshwright_core::Error::TooLarge`] when the stored routes do not
/// fit into memory.
///
/// # Complexity
///
/// O(1) where every node of a box works, else as [`shortest_path::routes`].
///
/// # Examples
///
/// ```
/// use meshwright_network::routing;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::{Hops, NodeId};
/// let mesh = Machine::new("mesh:4x8")?;
/// let pairs = [(NodeId(0), NodeId(31))];
/// assert_eq!(routing::routes(&mesh, &pairs)?.hops(0, pairs[0]), Hops(10));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn routes<'m>(machine: &'m Machine, pairs: &[Pair]) -> Result<Routes<'m>> {
    match (machine.fabric(), machine.whole_grid()) {
        (Some(fabric), _) => of_fabric(fabric, pairs),
        (None, Some(grid)) => Ok(Routes::DimensionOrder(grid)),
        (None, None) => shortest_path::routes(machine, pairs),
    }
}

/// The routes over the networks of a fabric, each message on the one where its way is the shortest.
fn of_fabric(fabric: &Fabric, pairs: &[Pair]) -> Result<Routes<'static>> {
    let (mut first, mut links) = (vec![0], Vec::new());
    for &(from, to) in pairs {
        let (plane, mut at) = (fabric.shortest(from, to), from);
        while let Some((axis, up)) = fabric.next(plane, at, to) {
            links.push(fabric.link(at, axis, up));
            at = fabric.step(at, axis, up);
        }
        let end = u32::try_from(links.len()).map_err(|_| Error::TooLarge {
            what: "storing the routes",
            needed: format!("{} links", links.len()),
            limit: format!("{} links", u32::MAX),
        })?;
        first.push(end);
    }
    Ok(Routes::Stored { first, links })
}

/// The routes that messages take under a relation: as drawn from `rng` where it is random.
///
/// The classes of the relation are not part of a route: on one channel per link, messages under a relation of
/// several classes can deadlock.
///
/// # Errors
///
/// [`Error::NotApplicable`] for an adaptive relation, whose packets choose on the way; [`Error::TooLarge`] when the
/// routes take more than 2 GiB.
///
/// # Panics
///
/// When the relation was made for another machine, or a node of a pair is dead.
///
/// # Complexity
///
/// O(sum of hops).
///
/// # Examples
///
/// ```
/// use meshwright_core::rng;
/// use meshwright_network::routing;
/// use meshwright_network::topology::{Machine, Topology};
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:2x3")?;
/// let pairs = [(NodeId(0), NodeId(5))];
/// let down_first = routing::relation("yx", &mesh)?;
/// let routes = routing::stored(&mesh, &down_first, &pairs, &mut rng::stream(0, "routing"))?;
/// let first = routes.next(0, 0, NodeId(0), NodeId(5)).expect("they differ");
/// assert_eq!(mesh.target(first), Some(NodeId(3)));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn stored(
    machine: &Machine,
    relation: &Relation<'_>,
    pairs: &[Pair],
    rng: &mut impl Rng,
) -> Result<Routes<'static>> {
    if relation.adaptive() {
        let why = "its packets choose their way as they go: only the flit engine can route them";
        return Err(Error::not_applicable("storing the routes of an adaptive routing", why));
    }
    let mut choices = Choices::new();
    let (mut first, mut links) = (vec![0], Vec::new());
    for &(source, target) in pairs {
        let mut header = relation.header(source, target, rng);
        let (mut at, mut arrived) = (source, None);
        loop {
            relation.choose(at, arrived, &mut header, &mut choices);
            let Some(choice) = choices.as_slice().first() else { break };
            let link = machine.link(at, choice.port);
            at = machine.target(link).expect("a choice is a wired port");
            arrived = Some(link);
            links.push(link);
        }
        shortest_path::check_stored(links.len())?;
        first.push(links.len() as u32);
    }
    Ok(Routes::Stored { first, links })
}

/// A message is known by its index in the list of pairs that was routed; methods may panic for another index.
impl Routes<'_> {
    /// How many links the route of `message` has.
    pub fn hops(&self, message: usize, (from, to): Pair) -> Hops {
        match self {
            Self::DimensionOrder(grid) => grid.distance(from, to).expect("a box is connected"),
            Self::Runs(runs) => runs.hops(message),
            Self::Stored { first, .. } => Hops(first[message + 1] - first[message]),
        }
    }

    /// The link `message` takes after `hop` links, standing at `at`, or `None` at its target.
    #[inline]
    pub fn next(&self, message: usize, hop: u32, at: NodeId, to: NodeId) -> Option<LinkId> {
        match self {
            Self::DimensionOrder(grid) => dimension_order::next_link(grid, at, to),
            Self::Runs(runs) => runs.link(message, hop),
            Self::Stored { first, links } => {
                links[first[message] as usize..first[message + 1] as usize].get(hop as usize).copied()
            }
        }
    }

    /// Calls `visit` with each link of a route in turn.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::routing;
    /// use meshwright_network::topology::{Machine, Topology};
    /// use meshwright_core::units::NodeId;
    /// let mesh = Machine::new("mesh:2x3")?;
    /// let pairs = [(NodeId(0), NodeId(5))];
    /// let mut passed = Vec::new();
    /// routing::routes(&mesh, &pairs)?.for_each_link(0, pairs[0], |link| passed.extend(mesh.target(link)));
    /// assert_eq!(passed, [NodeId(1), NodeId(2), NodeId(5)], "along the row, then down the column");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    #[inline]
    pub fn for_each_link(&self, message: usize, (from, to): Pair, mut visit: impl FnMut(LinkId)) {
        match self {
            Self::DimensionOrder(grid) => dimension_order::for_each_link(grid, from, to, visit),
            Self::Runs(runs) => runs.for_each_link(message, visit),
            Self::Stored { first, links } => {
                let route = &links[first[message] as usize..first[message + 1] as usize];
                route.iter().for_each(|&link| visit(link));
            }
        }
    }

    /// The routes of some messages that follow each other, which are known by their places in this range from now on.
    ///
    /// # Complexity
    ///
    /// O(1), O(sum of hops) where routes are stored link by link.
    pub fn part(&self, messages: std::ops::Range<usize>) -> Self {
        match self {
            Self::DimensionOrder(grid) => Self::DimensionOrder(grid),
            Self::Runs(runs) => Self::Runs(runs.starting_at(messages.start)),
            Self::Stored { .. } => self.of_some(&messages.collect::<Vec<usize>>()),
        }
    }

    /// The routes of some of the messages, which are known by their places in this list from now on.
    pub fn of_some(&self, messages: &[usize]) -> Self {
        match self {
            Self::DimensionOrder(grid) => Self::DimensionOrder(grid),
            Self::Runs(runs) => Self::Runs(runs.of_some(messages)),
            Self::Stored { first, links } => {
                let (mut ends, mut some) = (vec![0], Vec::new());
                for &message in messages {
                    some.extend_from_slice(&links[first[message] as usize..first[message + 1] as usize]);
                    ends.push(some.len() as u32);
                }
                Self::Stored { first: ends, links: some }
            }
        }
    }

    /// The box on which routes are straight pieces; none where they are stored link by link.
    pub fn grid(&self) -> Option<&Grid> {
        match self {
            Self::DimensionOrder(grid) => Some(grid),
            Self::Runs(runs) => Some(runs.grid()),
            Self::Stored { .. } => None,
        }
    }

    /// Calls `visit` with each straight piece of a route in turn, where routes are made of them.
    #[inline]
    pub fn for_each_piece(&self, message: usize, (from, to): Pair, visit: impl FnMut(Straight)) {
        match self {
            Self::DimensionOrder(grid) => dimension_order::for_each_piece(grid, from, to, visit),
            Self::Runs(runs) => runs.for_each_piece(message, visit),
            Self::Stored { .. } => {}
        }
    }
}

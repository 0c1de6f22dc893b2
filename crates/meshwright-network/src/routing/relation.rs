//! Routing relations: which channels a packet may take next, for networks with virtual channels.
//!
//! A relation sees a head flit at a node and lists the channels it may ask for. A channel is a link and a
//! *class*; an engine gives each class an equal share of the link's virtual channels. Which of the channels a
//! packet gets is up to the engine; whether packets can wait for each other in a ring is up to the relation,
//! and [`super::certify`] decides it.

use rand::Rng;

use super::dimension_order::Axes;
use super::min_adaptive::MinAdaptive;
use super::next_hops::NextHops;
use super::o1turn::O1turn;
use super::rajasekaran_tsantilas::Slices;
use super::up_down::UpDown;
use super::valiant::Valiant;
use super::{shortest_path, turn_model};
use crate::topology::Grid;
use meshwright_core::units::{LinkId, NodeId, Port};

/// A channel a packet may take from a node: a port and a class of virtual channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortChoice {
    /// The port of the node.
    pub port: Port,
    /// The class, below [`Relation::classes`].
    pub class: u8,
}

/// What a packet carries for its routing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Where the packet leaves the network.
    pub target: NodeId,
    /// A node to visit first; the target if there is none.
    pub via: NodeId,
    /// Which part of its way the packet is on, from 0.
    pub stage: u8,
    /// A choice made once, at the source.
    pub variant: u8,
}

/// More than the choices a packet can have: both ways around 12 rings of 4 nodes, or 24 ways through a mesh of
/// sides 2, and an escape.
pub const CHOICES_MAX: usize = 32;

/// The choices of one packet at one node: preferred first, the escape last; empty at the target.
///
/// # Examples
///
/// ```
/// use meshwright_network::routing::{PortChoice, Choices};
/// use meshwright_core::units::Port;
/// let mut choices = Choices::new();
/// choices.push(PortChoice { port: Port(3), class: 1 });
/// assert_eq!(choices.as_slice(), [PortChoice { port: Port(3), class: 1 }]);
/// choices.clear();
/// assert!(choices.as_slice().is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Choices {
    length: usize,
    entries: [PortChoice; CHOICES_MAX],
}

impl Choices {
    /// No choice.
    pub fn new() -> Self {
        Self { length: 0, entries: [PortChoice { port: Port(0), class: 0 }; CHOICES_MAX] }
    }

    /// Forgets all choices.
    #[inline]
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Adds a choice behind the others.
    ///
    /// # Panics
    ///
    /// When there are [`CHOICES_MAX`] already.
    #[inline]
    pub fn push(&mut self, choice: PortChoice) {
        self.entries[self.length] = choice;
        self.length += 1;
    }

    /// The choices in order.
    #[inline]
    pub fn as_slice(&self) -> &[PortChoice] {
        &self.entries[..self.length]
    }
}

impl Default for Choices {
    fn default() -> Self {
        Self::new()
    }
}

/// Which channels a packet may take: a closed set, matched without dynamic dispatch.
#[derive(Clone, Debug)]
pub enum Relation<'m> {
    /// One axis after the other.
    DimensionOrder(Axes<'m>),
    /// One axis after the other, in the order that a coin decides.
    O1turn(O1turn<'m>),
    /// By way of a random node.
    Valiant(Valiant<'m>),
    /// Every shortest way, with dimension order as the escape.
    MinAdaptive(MinAdaptive<'m>),
    /// Steps west first.
    WestFirst(&'m Grid),
    /// Turns by the parity of the column.
    OddEven(&'m Grid),
    /// By way of a random row of the slice.
    RajasekaranTsantilas(Slices<'m>),
    /// Up a spanning tree, then down.
    UpDown(UpDown),
    /// The first port that leads nearer.
    ShortestPath(NextHops),
}

impl Relation<'_> {
    /// How many classes of virtual channels it uses.
    pub fn classes(&self) -> u32 {
        match self {
            Self::DimensionOrder(axes) => axes.classes(),
            Self::O1turn(o1turn) => o1turn.classes(),
            Self::Valiant(valiant) => valiant.classes(),
            Self::MinAdaptive(adaptive) => adaptive.classes(),
            Self::RajasekaranTsantilas(slices) => slices.classes(),
            Self::WestFirst(_) | Self::OddEven(_) | Self::UpDown(_) | Self::ShortestPath(_) => 1,
        }
    }

    /// Whether a packet can have more than one choice.
    pub fn adaptive(&self) -> bool {
        matches!(self, Self::MinAdaptive(_) | Self::WestFirst(_) | Self::OddEven(_))
    }

    /// Whether headers are drawn at random.
    pub fn random(&self) -> bool {
        matches!(self, Self::O1turn(_) | Self::Valiant(_) | Self::RajasekaranTsantilas(_))
    }

    /// The header of a new packet, with its random choices made.
    pub fn header(&self, source: NodeId, target: NodeId, rng: &mut impl Rng) -> Header {
        match self {
            Self::O1turn(o1turn) => o1turn.header(target, rng),
            Self::Valiant(valiant) => valiant.header(source, target, rng),
            Self::RajasekaranTsantilas(slices) => slices.header(source, target, rng),
            _ => Header { target, via: target, stage: 0, variant: 0 },
        }
    }

    /// Every header that [`Relation::header`] can draw, each once.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::routing;
    /// use meshwright_network::topology::Machine;
    /// use meshwright_core::units::NodeId;
    /// let mesh = Machine::new("mesh:4x4")?;
    /// assert_eq!(routing::relation("xy", &mesh)?.headers(NodeId(0), NodeId(9)).len(), 1);
    /// assert_eq!(routing::relation("valiant", &mesh)?.headers(NodeId(0), NodeId(9)).len(), 16);
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn headers(&self, source: NodeId, target: NodeId) -> Vec<Header> {
        let header = |via, variant| Header { target, via, stage: 0, variant };
        let over = |vias: Vec<NodeId>| vias.into_iter().map(|via| header(via, 0)).collect();
        match self {
            Self::O1turn(_) => vec![header(target, 0), header(target, 1)],
            Self::Valiant(valiant) => over(valiant.vias(source, target)),
            Self::RajasekaranTsantilas(slices) => over(slices.vias(source, target)),
            _ => vec![header(target, 0)],
        }
    }

    /// Lists what a packet may take next at `at`, where it arrived over `arrived` (`None` at its source).
    ///
    /// The list is empty at the target. The stage of the header moves on as needed; asking again at the same
    /// node gives the same answer.
    ///
    /// # Panics
    ///
    /// When the relation has a table and the packet stands where no packet for its target can stand, as at a dead
    /// node.
    ///
    /// # Complexity
    ///
    /// O(dimensions) on a box, O(1) from a table.
    #[inline]
    pub fn choose(&self, at: NodeId, arrived: Option<LinkId>, header: &mut Header, choices: &mut Choices) {
        choices.clear();
        match self {
            Self::DimensionOrder(axes) => axes.push(at, header.target, 0, choices),
            Self::O1turn(o1turn) => o1turn.choose(at, header, choices),
            Self::Valiant(valiant) => valiant.choose(at, header, choices),
            Self::MinAdaptive(adaptive) => adaptive.choose(at, header.target, choices),
            Self::WestFirst(grid) => turn_model::west_first(grid, at, header.target, choices),
            Self::OddEven(grid) => turn_model::odd_even(grid, at, arrived, header.target, choices),
            Self::RajasekaranTsantilas(slices) => slices.choose(at, header, choices),
            Self::UpDown(up_down) => up_down.choose(at, arrived, header.target, choices),
            Self::ShortestPath(hops) => shortest_path::choose(hops, at, header.target, choices),
        }
    }
}

//! Routing relations: which channels a packet may take next, for networks with virtual channels.
//!
//! A relation sees a head flit at a node and lists the channels it may ask for. A channel is a link and a
//! *class*; an engine gives each class an equal share of the link's virtual channels. Which of the channels a
//! packet gets is up to the engine; whether packets can wait for each other in a ring is up to the relation,
//! and [`super::deadlock`] decides it.

use rand::Rng;

use super::dimension_order::Axes;
use crate::units::{LinkId, NodeId, Port};

/// A channel a packet may take from a node: a port and a class of virtual channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
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

/// The most choices a packet can have: both ways around 15 rings of a torus and an escape, or 24 ways of a mesh and
/// an escape.
pub const CHOICES_MAX: usize = 32;

/// The choices of one packet at one node: preferred first, the escape last; empty at the target.
///
/// # Examples
///
/// ```
/// use meshwright::routing::{Choice, Choices};
/// use meshwright::units::Port;
/// let mut choices = Choices::new();
/// choices.push(Choice { port: Port(3), class: 1 });
/// assert_eq!(choices.as_slice(), [Choice { port: Port(3), class: 1 }]);
/// choices.clear();
/// assert!(choices.as_slice().is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Choices {
    length: usize,
    entries: [Choice; CHOICES_MAX],
}

impl Choices {
    /// No choice.
    pub fn new() -> Self {
        Self { length: 0, entries: [Choice { port: Port(0), class: 0 }; CHOICES_MAX] }
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
    pub fn push(&mut self, choice: Choice) {
        self.entries[self.length] = choice;
        self.length += 1;
    }

    /// The choices in order.
    #[inline]
    pub fn as_slice(&self) -> &[Choice] {
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
}

impl Relation<'_> {
    /// How many classes of virtual channels it uses.
    pub fn classes(&self) -> u32 {
        match self {
            Self::DimensionOrder(axes) => axes.classes(),
        }
    }

    /// Whether a packet can have more than one choice.
    pub fn adaptive(&self) -> bool {
        match self {
            Self::DimensionOrder(_) => false,
        }
    }

    /// The header of a new packet, with its random choices made.
    pub fn header(&self, _source: NodeId, target: NodeId, _rng: &mut impl Rng) -> Header {
        Header { target, via: target, stage: 0, variant: 0 }
    }

    /// Lists what a packet may take next at `at`, where it arrived over `arrived` (`None` at its source).
    ///
    /// The list is empty at the target. The stage of the header moves on as needed; asking again at the same
    /// node gives the same answer.
    ///
    /// # Complexity
    ///
    /// O(dimensions) on a box, O(1) from a table.
    #[inline]
    pub fn choose(&self, at: NodeId, _arrived: Option<LinkId>, header: &mut Header, choices: &mut Choices) {
        choices.clear();
        match self {
            Self::DimensionOrder(axes) => axes.push(at, header.target, 0, choices),
        }
    }
}

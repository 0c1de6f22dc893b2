//! The real places of the nodes of a machine: host and slot of each.

use super::{Machine, Network};
use meshwright_core::units::NodeId;

/// Which core of its host a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// Counted over the host, from 0.
    OfHost(u32),
    /// Counted within a package, both from 0.
    OfPackage {
        /// Which package.
        package: u32,
        /// Which core of it.
        core: u32,
    },
}

impl Slot {
    /// A slot as rankfiles have it: `3`, or `0:3` for core 3 of package 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::Slot;
    /// assert_eq!(Slot::parse(b"3"), Some(Slot::OfHost(3)));
    /// assert_eq!(Slot::parse(b"0:3").map(|slot| slot.to_string()), Some("0:3".to_string()));
    /// assert_eq!(Slot::parse(b"0-3"), None);
    /// ```
    pub fn parse(word: &[u8]) -> Option<Self> {
        let number = |digits: &[u8]| {
            let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
            std::str::from_utf8(digits).ok().filter(|_| plain)?.parse().ok()
        };
        match word.iter().position(|&byte| byte == b':') {
            Some(colon) => {
                Some(Self::OfPackage { package: number(&word[..colon])?, core: number(&word[colon + 1..])? })
            }
            None => number(word).map(Self::OfHost),
        }
    }
}

impl std::fmt::Display for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OfHost(slot) => write!(f, "{slot}"),
            Self::OfPackage { package, core } => write!(f, "{package}:{core}"),
        }
    }
}

/// Where a node really is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which node.
    pub node: NodeId,
    /// The name of its host.
    pub host: String,
    /// Which core of the host.
    pub slot: Slot,
}

impl Machine {
    /// A machine whose nodes, or some of them, are at these places, given in the order of the launcher's slots.
    pub fn at_places(specification: &str, network: Network, places: Vec<Place>) -> Self {
        let mut machine = Self::of_network(specification, network);
        machine.places = places;
        machine
    }

    /// Where its nodes really are, in the order of the launcher's slots; empty for a machine that is only planned.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The nodes that work, in the order in which a launcher counts their slots: that of the places, if the machine has
    /// some, else that of the numbers.
    pub fn slot_order(&self) -> Vec<NodeId> {
        match self.places.as_slice() {
            [] => self.living().collect(),
            places => places.iter().map(|place| place.node).filter(|&node| self.is_alive(node)).collect(),
        }
    }
}

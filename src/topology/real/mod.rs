//! Machines that stand somewhere: read from files and from the environment, with the names of their hosts.
//!
//! | file | what |
//! |---|---|
//! | this one | [`Place`]: host and slot of a node; [`SOURCES`]: where machines are read from |
//! | [`hwloc`] | the cores of one host, from the XML that `lstopo` writes |
//! | [`coordinates`] | a mesh or torus of hosts, from a table |
//! | [`slurm`] | the hosts of a Slurm job, from its environment |
//! | `hierarchy` | the network of cores in groups in groups |
//! | [`started`] | what a launcher tells a rank by its environment |

pub mod coordinates;
mod hierarchy;
pub mod hwloc;
pub mod slurm;
pub mod started;

use std::path::Path;

use super::{FAMILIES, Machine};
use crate::error::{Error, Result};
use crate::units::NodeId;

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
    /// use meshwright::topology::real::Slot;
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

/// Where machines are read from.
pub struct Source {
    /// The word before the colon.
    pub name: &'static str,
    /// What a specification looks like.
    pub usage: &'static str,
    /// Whether a file stands after the colon.
    pub is_file: bool,
    read: fn(&str, &str) -> Result<Machine>,
}

/// Every source of real machines.
pub const SOURCES: &[Source] = &[
    Source {
        name: "hwloc",
        usage: "hwloc:FILE.xml",
        is_file: true,
        read: |specification, file| hwloc::read(specification, Path::new(file)),
    },
    Source {
        name: "coordinates",
        usage: "coordinates:FILE.csv",
        is_file: true,
        read: |specification, file| coordinates::read(specification, Path::new(file)),
    },
    Source {
        name: "slurm",
        usage: "slurm[:names|:MACHINE]",
        is_file: false,
        read: |specification, wiring| slurm::machine(specification, wiring, &|name| std::env::var(name).ok()),
    },
];

/// Reads the machine, if the specification names a source of real ones.
pub(super) fn machine(specification: &str) -> Option<Result<Machine>> {
    let (name, rest) = specification.split_once(':').unwrap_or((specification, ""));
    let source = SOURCES.iter().find(|source| source.name == name)?;
    if source.is_file && rest.is_empty() {
        return Some(Err(Error::value("machine", format!("`{specification}`"), source.usage)));
    }
    Some((source.read)(specification, rest))
}

impl Machine {
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

/// Names the sources, too, in the error that a specification is of no family.
pub(super) fn or_sources(error: Error, specification: &str) -> Error {
    let name = specification.split_once(':').map(|(name, _)| name);
    match error {
        Error::Value { what: "machine", value, expected }
            if !FAMILIES.iter().any(|family| Some(family.name) == name) =>
        {
            let sources: Vec<&str> = SOURCES.iter().map(|source| source.usage).collect();
            Error::value("machine", value, format!("{expected}, {}", sources.join(", ")))
        }
        other => other,
    }
}

/// What a host may be called in every format of every launcher.
pub const HOST_EXPECTED: &str = "letters, digits, `-`, `.` and `_`, such as `node10.cluster`";

/// Whether a word can stand for a host in every format: what separates words in one of them is not allowed.
///
/// # Examples
///
/// ```
/// use meshwright::topology::real::is_host;
/// assert!(is_host(b"node-1.cluster") && !is_host(b"a=b") && !is_host(b""));
/// ```
pub fn is_host(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_alphanumeric)
        && word.iter().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b'_'))
}

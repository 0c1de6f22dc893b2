//! The words that carry a unit: newtypes for identifiers, lengths, volumes and times.
//!
//! Identifiers are dense and start at 0. Only operations that mean something are implemented: two
//! [`Hops`] add up, two [`NodeId`]s do not.

use std::fmt;

use serde::Serialize;

use crate::error::{Error, Result};

/// A node of the machine: `row * columns + column` on a mesh (last dimension fastest).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct NodeId(pub u32);

/// A directed link: the port of the node it leaves, numbered through over all nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct LinkId(pub u32);

/// A port of one node. On a mesh the last dimension comes first: east, west, south, north.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Port(pub u32);

/// A length in links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Hops(pub u32);

/// A volume in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Bytes(pub u64);

/// A time in clock cycles of the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Cycles(pub u64);

/// A volume of 1024 bytes each.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::{Bytes, KiB};
/// assert_eq!(KiB(64), Bytes(65_536));
/// ```
#[allow(non_snake_case, reason = "it is written like a unit and used like `Bytes`")]
pub const fn KiB(kibibytes: u64) -> Bytes {
    Bytes(kibibytes << 10)
}

impl From<u32> for NodeId {
    fn from(number: u32) -> Self {
        Self(number)
    }
}

impl From<NodeId> for u32 {
    fn from(node: NodeId) -> Self {
        node.0
    }
}

impl NodeId {
    /// The id as an index into a table of nodes.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl LinkId {
    /// The id as an index into a table of links.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Cycles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A non-negative exact fraction, for cycles per byte: a link of 30 bytes a cycle takes 1/30.
///
/// ```
/// use meshwright_core::units::Ratio;
/// assert_eq!("0.25".parse::<Ratio>()?, Ratio::new(1, 4)?);
/// assert_eq!("3/12".parse::<Ratio>()?.to_string(), "1/4");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    numerator: u64,
    denominator: u64,
}

impl Ratio {
    /// The fraction `numerator / denominator`, in lowest terms.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when the denominator is 0.
    pub fn new(numerator: u64, denominator: u64) -> Result<Self> {
        if denominator == 0 {
            return Err(Error::value("fraction", format!("{numerator}/0"), "a denominator of at least 1"));
        }
        let divisor = greatest_common_divisor(numerator, denominator);
        Ok(Self { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    /// The whole number `n`.
    pub fn whole(n: u64) -> Self {
        Self { numerator: n, denominator: 1 }
    }

    /// Numerator in lowest terms.
    pub fn numerator(self) -> u64 {
        self.numerator
    }

    /// Denominator in lowest terms.
    pub fn denominator(self) -> u64 {
        self.denominator
    }

    /// The nearest floating-point number.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { greatest_common_divisor(b, a % b) }
}

impl std::str::FromStr for Ratio {
    type Err = Error;

    /// Reads `p/q`, a whole number or a decimal number of at most 12 decimals.
    fn from_str(text: &str) -> Result<Self> {
        let bad = || Error::value("fraction", text, "a number such as 2, 0.25 or 1/30");
        let digits = |s: &str| -> Result<u64> {
            if s.is_empty() || !s.bytes().all(|c| c.is_ascii_digit()) {
                return Err(bad());
            }
            s.parse().map_err(|_| bad())
        };
        if let Some((numerator, denominator)) = text.split_once('/') {
            return Self::new(digits(numerator.trim())?, digits(denominator.trim())?);
        }
        let Some((whole, decimals)) = text.split_once('.') else { return Ok(Self::whole(digits(text)?)) };
        if decimals.len() > 12 {
            return Err(bad());
        }
        let scale = 10u64.pow(decimals.len() as u32);
        let part = if decimals.is_empty() { 0 } else { digits(decimals)? };
        let numerator =
            digits(whole)?.checked_mul(scale).and_then(|n| n.checked_add(part)).ok_or_else(bad)?;
        Self::new(numerator, scale)
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            q => write!(f, "{}/{q}", self.numerator),
        }
    }
}

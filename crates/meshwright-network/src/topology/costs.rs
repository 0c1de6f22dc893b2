//! Costs of a message: start-up, time per byte, head flit; switching and ports.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | c | [`Costs::startup`] | cycles |
//! | b | [`Costs::byte_time`] | cycles per byte |
//! | h | [`Costs::flit`] | bytes |
//! | W(e) | `bytes` | bytes |
//! | d | `hops` | links |

use serde::Serialize;

use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Cycles, Hops, Ratio};

/// How a message moves through the nodes on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Switching {
    /// Flits follow the head in a pipeline; a blocked worm keeps every link it stands on.
    #[default]
    Wormhole,
    /// A pipeline as well, but a blocked message is drawn into the node before it and frees its links.
    CutThrough,
    /// A node forwards a message when the whole of it has arrived.
    StoreAndForward,
}

/// Every switching with its name on the command line.
pub const SWITCHINGS: &[(&str, Switching)] = &[
    ("wormhole", Switching::Wormhole),
    ("cut-through", Switching::CutThrough),
    ("store-and-forward", Switching::StoreAndForward),
];

impl Switching {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        SWITCHINGS.iter().find(|(_, switching)| *switching == self).expect("the table is complete").0
    }
}

/// How many messages a node can send and receive at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PortModel {
    /// One on every link.
    #[default]
    All,
    /// One out and one in.
    One,
}

/// What a message costs.
///
/// Times are exact: they are counted in ticks of `1 / byte_time.denominator()` cycles, so that a link of
/// 30 bytes per cycle loses nothing to rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// c: cycles before a message enters the network (store-and-forward: at every node it leaves).
    pub startup: Cycles,
    /// b: cycles per byte on a link.
    pub byte_time: Ratio,
    /// h: bytes of the head flit, which go ahead of the message on every link.
    pub flit: Bytes,
}

impl Default for Costs {
    /// c = 100, b = 1, h = 2: the order of magnitude of the paper's machines.
    fn default() -> Self {
        Self { startup: Cycles(100), byte_time: Ratio::whole(1), flit: Bytes(2) }
    }
}

impl Costs {
    /// Ticks per cycle.
    pub fn ticks_per_cycle(&self) -> u64 {
        self.byte_time.denominator()
    }

    /// The whole cycles that cover a number of ticks.
    pub fn cycles(&self, ticks: u64) -> Cycles {
        Cycles(ticks.div_ceil(self.ticks_per_cycle()))
    }

    /// Ticks of the start-up c.
    pub fn startup_ticks(&self) -> u64 {
        self.startup.0 * self.ticks_per_cycle()
    }

    /// Ticks of b W.
    pub fn transfer_ticks(&self, bytes: Bytes) -> u64 {
        bytes.0 * self.byte_time.numerator()
    }

    /// Ticks of b h: how long the head takes over one link.
    pub fn head_ticks(&self) -> u64 {
        self.transfer_ticks(self.flit)
    }

    /// The time of a message alone on the network, in ticks.
    ///
    /// ```text
    /// wormhole, cut-through:  c + b (W + d h)
    /// store-and-forward:      d (c + b W)
    /// ```
    ///
    /// # Source
    ///
    /// `lo1990`, eq. (1) and section 5.1.2, all three terms kept.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::{Costs, Switching};
    /// use meshwright_core::units::{Bytes, Hops};
    /// let costs = Costs::default(); // c = 100, b = 1, h = 2
    /// assert_eq!(costs.alone_ticks(Switching::Wormhole, Bytes(64), Hops(5)), 100 + 64 + 5 * 2);
    /// assert_eq!(costs.alone_ticks(Switching::StoreAndForward, Bytes(64), Hops(5)), 5 * (100 + 64));
    /// ```
    pub fn alone_ticks(&self, switching: Switching, bytes: Bytes, hops: Hops) -> u64 {
        let (startup, transfer, hops) = (self.startup_ticks(), self.transfer_ticks(bytes), u64::from(hops.0));
        match switching {
            Switching::Wormhole | Switching::CutThrough => startup + transfer + hops * self.head_ticks(),
            Switching::StoreAndForward => hops * (startup + transfer),
        }
    }

    /// Refuses costs with which the time of one message over one link could leave 64 bits.
    ///
    /// Accepted are a start-up of at most 2^32 cycles, a flit of at most 2^16 bytes, and a byte time p/q with p
    /// and q of at most 2^16.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] naming the term.
    pub fn check(&self) -> Result<()> {
        let (startup, flit) = (self.startup.0, self.flit.0);
        if startup > 1 << 32 {
            return Err(Error::value("startup", startup, format!("at most {} cycles", 1u64 << 32)));
        }
        if flit > 1 << 16 {
            return Err(Error::value("flit", flit, format!("at most {} bytes", 1 << 16)));
        }
        if self.byte_time.numerator().max(self.byte_time.denominator()) > 1 << 16 {
            let expected = format!("a fraction p/q of cycles per byte with p and q of at most {}", 1 << 16);
            return Err(Error::value("byte_time", self.byte_time, expected));
        }
        Ok(())
    }
}

/// What messages cost the two nodes at their ends, beside the network.
///
/// ```text
/// the i-th message of a node enters at   max(asked, entered before + max(o, g)) + o
/// a message is received at               max(arrived, began before + max(o, g)) + o
/// ```
///
/// Sending and receiving go beside each other and beside computations.
///
/// # Source
///
/// `culler1993`, section 3: o and g of LogP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Endpoints {
    /// o: cycles of each node for a message that it sends or receives.
    pub overhead: Cycles,
    /// g: the fewest cycles between two messages that a node sends, and between two that it receives.
    pub gap: Cycles,
}

impl Endpoints {
    /// Whether messages cost the nodes at their ends nothing.
    pub fn is_free(&self) -> bool {
        *self == Self::default()
    }

    /// Refuses times with which a run could leave 64 bits.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when one is more than 2^24 cycles.
    pub fn check(&self) -> Result<()> {
        for (what, cycles) in [("overhead", self.overhead), ("gap", self.gap)] {
            if cycles.0 > 1 << 24 {
                return Err(Error::value(what, cycles.0, format!("at most {} cycles", 1u64 << 24)));
            }
        }
        Ok(())
    }
}

/// The largest message accepted: a tebibyte.
pub const BYTES_MAX: u64 = 1 << 40;

//! What routers move flit by flit: flits, virtual channels, buffers.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::Bytes;

/// The routers of a fabric: wormhole switching with virtual channels and credits.
///
/// A packet is a header and its bytes in flits; on each link it holds one virtual channel from its header to its tail.
/// Where rings close, every channel exists twice: a packet that has crossed the border takes the second (date-line).
/// Requests have channels of their own. A channel is free again when its packet has left the link.
///
/// # Source
///
/// `dally1987`, section 4 (date-lines).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Routers {
    /// Bytes of a flit.
    pub flit: Bytes,
    /// Flits before the bytes of a packet.
    pub header: u32,
    /// Virtual channels of a link for packets with bytes, on each side of the date-line.
    pub channels: u32,
    /// Flits of a virtual channel, those on the wire among them.
    pub buffers: u32,
    /// Requests a node works on at a time; further ones wait in the network. 0 if there is no limit.
    pub requests: u32,
}

impl Default for Routers {
    /// Flits of 32 bytes, one of them the header, two channels of sixteen flits.
    fn default() -> Self {
        Self { flit: Bytes(32), header: 1, channels: 2, buffers: 16, requests: 0 }
    }
}

impl Routers {
    /// Refuses routers that could move nothing, or whose tables would not fit.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] naming the setting.
    pub fn check(&self) -> Result<()> {
        let in_range = |what, value: u64, most: u64| match (1..=most).contains(&value) {
            true => Ok(()),
            false => Err(Error::value(what, value, format!("a whole number from 1 to {most}"))),
        };
        in_range("bytes of a flit", self.flit.0, 1 << 16)?;
        in_range("virtual channels of a link", self.channels.into(), 4)?;
        in_range("flits of a buffer", self.buffers.into(), 1 << 16)?;
        if self.header > 1 << 8 {
            return Err(Error::value("flits of a header", self.header, "at most 256"));
        }
        Ok(())
    }

    /// The flits of a packet with so many bytes.
    pub fn flits(&self, bytes: Bytes) -> u64 {
        u64::from(self.header) + bytes.0.div_ceil(self.flit.0)
    }

    /// What a packet with so many bytes takes on each link: whole flits, its header among them.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::units::Bytes;
    /// use meshwright_network::fabric::Routers;
    ///
    /// assert_eq!(Routers::default().carried(Bytes(33)), Bytes(3 * 32));
    /// ```
    pub fn carried(&self, bytes: Bytes) -> Bytes {
        Bytes(self.flits(bytes) * self.flit.0)
    }
}

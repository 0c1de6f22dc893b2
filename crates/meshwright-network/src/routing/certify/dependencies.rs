//! The set of direct dependencies: one bit for each channel and each channel that leaves its far end.

use fixedbitset::FixedBitSet;

use crate::topology::{Machine, Topology};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{LinkId, NodeId, Port};

/// Larger sets are refused: 1 GiB.
const BITS_MAX: u64 = 1 << 33;

/// Where the packets on each link go on, and which dependencies were seen.
pub(super) struct Dependencies {
    classes: usize,
    /// For each link, the first channel that leaves its far end, or `None` where the port is unwired.
    onward: Vec<Option<u32>>,
    /// For each link, its first bit; each of its classes has a row of `width` bits.
    first: Vec<usize>,
    bits: FixedBitSet,
}

impl Dependencies {
    /// No dependency yet.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] when the set does not fit.
    pub(super) fn new(machine: &Machine, classes: u32) -> Result<Self> {
        let mut onward = Vec::with_capacity(machine.links() as usize);
        let mut first = vec![0];
        let mut bits = 0u64;
        for node in (0..machine.nodes()).map(NodeId) {
            for port in (0..machine.ports(node)).map(Port) {
                let next = machine.neighbour(node, port);
                onward.push(next.map(|next| machine.first_link(next).0 * classes));
                let ports = next.map_or(0, |next| machine.ports(next));
                bits += u64::from(ports) * u64::from(classes) * u64::from(classes);
                first.push(bits as usize);
            }
        }
        if bits > BITS_MAX {
            return Err(Error::TooLarge {
                what: "the channel-dependency graph",
                needed: format!("{} bytes", bits / 8),
                limit: format!("{} bytes", BITS_MAX / 8),
            });
        }
        let bits = FixedBitSet::with_capacity(bits as usize);
        Ok(Self { classes: classes as usize, onward, first, bits })
    }

    /// Notes that a packet can hold the channel of `link` and `class` and ask for `next`.
    #[inline]
    pub(super) fn insert(&mut self, (link, class): (LinkId, u8), next: u32) {
        let onward = self.onward[link.index()].expect("packets stand on wired links");
        let row = self.first[link.index()] + usize::from(class) * self.width(link.index());
        self.bits.insert(row + (next - onward) as usize);
    }

    /// How many channels leave the far end of a link.
    #[inline]
    fn width(&self, link: usize) -> usize {
        (self.first[link + 1] - self.first[link]) / self.classes
    }

    /// All dependencies, sorted.
    pub(super) fn arcs(&self) -> Vec<(u32, u32)> {
        let mut arcs = Vec::with_capacity(self.bits.count_ones(..));
        let mut link = 0;
        for bit in self.bits.ones() {
            while self.first[link + 1] <= bit {
                link += 1;
            }
            let (width, offset) = (self.width(link), bit - self.first[link]);
            let onward = self.onward[link].expect("packets stand on wired links");
            arcs.push(((link * self.classes + offset / width) as u32, onward + (offset % width) as u32));
        }
        arcs
    }
}

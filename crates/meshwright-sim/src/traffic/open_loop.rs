//! The experiment: sources that send without looking at the network.

use super::Pattern;
use meshwright_core::error::{Error, Result};

/// The longest packet, in flits.
pub const PACKET_MAX: u32 = 1 << 16;

/// The most cycles of each part of a run.
pub const CYCLES_MAX: u64 = 1 << 40;

/// Open-loop traffic with Bernoulli injection.
///
/// In each cycle every living node creates a packet with probability `load / packet`, whether or not the network
/// has taken the packets before; those wait in a queue at the source. Packets created in the `measure` cycles after
/// the `warm_up` are measured; afterwards sources go on and the run ends when all measured packets have arrived, at
/// the latest after `drain` cycles.
///
/// # Source
///
/// `dally2004`, chapters 23 and 24 (open-loop measurement, warm-up and drain).
#[derive(Clone, Debug)]
pub struct OpenLoop {
    /// Who sends to whom.
    pub pattern: Pattern,
    /// Flits per living node and cycle, above 0 and at most 1.
    pub load: f64,
    /// The length of a packet in flits.
    pub packet: u32,
    /// Cycles before the measurement.
    pub warm_up: u64,
    /// Cycles in which packets are measured.
    pub measure: u64,
    /// Cycles after the measurement, at most.
    pub drain: u64,
    /// The seed of every draw.
    pub seed: u64,
}

impl OpenLoop {
    /// Refuses what no run can be made of.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] naming the figure.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_sim::traffic::{OpenLoop, Pattern};
    /// let pattern = Pattern::new("uniform", &meshwright_network::topology::Machine::new("mesh:4x4")?)?;
    /// let half = OpenLoop { pattern, load: 0.5, packet: 4, warm_up: 0, measure: 100, drain: 100, seed: 0 };
    /// assert!(half.check().is_ok());
    /// assert!(OpenLoop { load: 1.5, ..half }.check().is_err());
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn check(&self) -> Result<()> {
        if !(self.load > 0.0 && self.load <= 1.0) {
            return Err(Error::value("load", self.load, "flits per node and cycle, above 0 and at most 1"));
        }
        if !(1..=PACKET_MAX).contains(&self.packet) {
            return Err(Error::value("packet", self.packet, format!("1 to {PACKET_MAX} flits")));
        }
        let parts = [("warm-up", self.warm_up, 0), ("measure", self.measure, 1), ("drain", self.drain, 0)];
        for (what, cycles, least) in parts {
            if !(least..=CYCLES_MAX).contains(&cycles) {
                return Err(Error::value(what, cycles, format!("{least} to {CYCLES_MAX} cycles")));
            }
        }
        Ok(())
    }
}

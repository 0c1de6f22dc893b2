//! Times in sentences.

use super::counted;
use meshwright_core::words::{grouped, seconds};
use meshwright_network::topology::Machine;

/// In which unit sentences about a machine tell times: cycles, or seconds by its clock.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::Ratio;
/// use meshwright_network::topology::Machine;
/// use meshwright_verdict::explain::Times;
///
/// let machine = Machine::new("mesh:2x2")?.with_clock(Some(Ratio::whole(1_000_000_000)));
/// assert_eq!(Times::in_cycles(&machine).told(640), "640 cycles");
/// assert_eq!(Times::in_seconds(&machine).told(640), "640 ns");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Times<'m> {
    pub(super) machine: &'m Machine,
    is_in_seconds: bool,
}

impl<'m> Times<'m> {
    /// Cycles.
    pub fn in_cycles(machine: &'m Machine) -> Self {
        Self { machine, is_in_seconds: false }
    }

    /// Seconds; cycles on a machine without a clock.
    pub fn in_seconds(machine: &'m Machine) -> Self {
        Self { machine, is_in_seconds: true }
    }

    /// A time with its unit.
    pub fn told(&self, cycles: u64) -> String {
        self.seconds(cycles).unwrap_or_else(|| counted(cycles, "cycle"))
    }

    /// A time among others: cycles go without saying.
    pub(super) fn bare(&self, cycles: u64) -> String {
        self.seconds(cycles).unwrap_or_else(|| grouped(cycles))
    }

    fn seconds(&self, cycles: u64) -> Option<String> {
        self.machine.seconds(cycles as f64).filter(|_| self.is_in_seconds).map(seconds)
    }
}

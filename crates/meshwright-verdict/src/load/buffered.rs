//! What the machine's buffers cost the installments.

use super::answer::Case;
use crate::buffers;
use meshwright_core::words::percent;
use meshwright_load::installments::Installments;
use meshwright_network::topology::{Machine, Switching};

/// The installments on routers.
pub(super) struct Buffered {
    /// How many times longer they take; none where they were not run.
    pub(super) delay: Option<f64>,
    /// Why they were not, or have not come to an end.
    why: String,
    /// The most messages that wait at one node at a time.
    pub(super) waiting_max: u64,
}

impl Buffered {
    /// Runs them.
    pub(super) fn new(case: &Case<'_, '_>, sent: &Installments) -> Self {
        let (delay, why) = match buffers::delay(case.machine, case.job.routers, &sent.schedule) {
            Ok(Some(delay)) => (Some(delay), String::new()),
            Ok(None) => (None, "the routers come to a standstill".to_string()),
            Err(error) => (None, format!("not tried: {error}")),
        };
        Self { delay, why, waiting_max: sent.waiting_max }
    }

    /// What is to be said of it.
    pub(super) fn sentence(&self, case: &Case<'_, '_>) -> String {
        let buffers = slots(case.machine, case.job.routers);
        let waiting = match self.waiting_max {
            1 => "1 message waits".to_string(),
            many => format!("{many} messages wait"),
        };
        let buffered = match self.delay {
            // What would be said of less is the rounding to whole flits.
            Some(delay) if (delay - 1.0).abs() < 5e-4 => {
                format!("With {buffers} the installments take as long")
            }
            Some(delay) if delay < 1.0 => {
                format!("With {buffers} the installments take {} less", percent(1.0 - delay))
            }
            Some(delay) if delay < 2.0 => {
                format!("With {buffers} the installments take {} longer", percent(delay - 1.0))
            }
            Some(delay) => format!("With {buffers} the installments take {delay:.1} times as long"),
            None => format!("Installments with {buffers}: {}", self.why),
        };
        format!("{buffered}; at most {waiting} in the memory of one node.")
    }
}

/// The buffers in words, as in `buffers of 4 flits per virtual channel`.
fn slots(machine: &Machine, switching: Switching) -> String {
    let noun = match (switching, machine.buffers()) {
        (Switching::Wormhole, 1) => "flit",
        (Switching::Wormhole, _) => "flits",
        (_, 1) => "packet",
        (_, _) => "packets",
    };
    format!("buffers of {} {noun} per virtual channel", machine.buffers())
}

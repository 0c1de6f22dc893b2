//! The metrics of a placed, phased computation: dilation, contention, interference.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | D(E_i) | [`PhaseMetrics::dilation`] | links |
//! | I(e) | [`interference_set`] | messages |
//! | max of \|I(e)\| | [`PhaseMetrics::contention`] | messages |
//! | D_w(E_i) | [`PhaseMetrics::weighted_dilation`] | bytes x links |
//! | C_w(E_i) | [`PhaseMetrics::weighted_contention`] | bytes |
//! | C(l) | [`Classic::contention`] | messages |
//!
//! Contention between messages (definition 6) counts who meets whom; the load of a link counts how many
//! meet there. Both are given.

mod meetings;

pub use meetings::meetings;

use meshwright_core::units::{Bytes, Hops};
use meshwright_network::routing::Routes;
use meshwright_schedule::Message;
use meshwright_schedule::cost::LinkLoads;

/// One phase of a placed computation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseMetrics {
    /// How often it runs; [`phase`] says once.
    pub repeats: u32,
    /// How many messages, every repetition counted.
    pub messages: u64,
    /// W(E_i): the heaviest message.
    pub heaviest: Bytes,
    /// The longest route.
    pub dilation: Hops,
    /// The sum of all routes, every repetition counted.
    pub hops_total: u64,
    /// The most bytes times links of one message.
    pub weighted_dilation: u64,
    /// The most other messages one message meets on some link.
    pub contention: u32,
    /// The most bytes of the other messages one message meets.
    pub weighted_contention: u64,
    /// The most messages on one link.
    pub link_load: u32,
    /// The most bytes on one link.
    pub link_bytes: u64,
}

impl PhaseMetrics {
    /// Those of the phase run so often.
    pub fn repeated(self, times: u32) -> Self {
        let (messages, hops_total) = (self.messages * u64::from(times), self.hops_total * u64::from(times));
        Self { repeats: times, messages, hops_total, ..self }
    }
}

/// The metrics of one phase run once; `loads` must be filled with the same messages and routes, and `met` be their
/// [`meetings()`].
///
/// # Complexity
///
/// O(messages), where routes are formulas times dimensions.
///
/// # Source
///
/// `lo1990`, definitions 4, 6 and 7.
pub fn phase(
    messages: &[Message],
    routes: &Routes<'_>,
    loads: &LinkLoads,
    met: &[(u32, u64)],
) -> PhaseMetrics {
    let mut metrics = PhaseMetrics {
        repeats: 1,
        messages: messages.len() as u64,
        link_load: loads.messages_max(),
        link_bytes: loads.bytes_max(),
        ..PhaseMetrics::default()
    };
    for (index, message) in messages.iter().enumerate() {
        let hops = routes.hops(index, message.pair());
        metrics.heaviest = metrics.heaviest.max(message.bytes);
        metrics.dilation = metrics.dilation.max(hops);
        metrics.hops_total += u64::from(hops.0);
        metrics.weighted_dilation =
            metrics.weighted_dilation.max(message.bytes.0.saturating_mul(u64::from(hops.0)));
    }
    for &(count, bytes) in met {
        metrics.contention = metrics.contention.max(count);
        metrics.weighted_contention = metrics.weighted_contention.max(bytes);
    }
    metrics
}

/// The other messages of a phase that share a link with message `index`, in increasing order.
///
/// # Complexity
///
/// O(h log d) for h = sum of hops and d the hops of the message itself.
///
/// # Source
///
/// `lo1990`, definition 6.
pub fn interference_set(index: usize, messages: &[Message], routes: &Routes<'_>) -> Vec<usize> {
    let mut own = Vec::new();
    routes.for_each_link(index, messages[index].pair(), |link| own.push(link));
    own.sort_unstable();
    let meets = |other: &usize| {
        let mut shared = false;
        routes.for_each_link(*other, messages[*other].pair(), |link| {
            shared |= own.binary_search(&link).is_ok();
        });
        shared && *other != index
    };
    (0..messages.len()).filter(meets).collect()
}

/// The classical, phase-blind metrics of a whole computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classic {
    /// The longest route of all.
    pub dilation: Hops,
    /// The most messages over one directed link, all phases together.
    pub contention: u32,
}

/// Dilation and contention as if all phases were one.
///
/// # Source
///
/// `lo1990`, definitions 4 and 5.
pub fn classic(messages: &[Message], routes: &Routes<'_>, links: u32) -> Classic {
    let mut loads = LinkLoads::new(links);
    loads.fill(messages, routes);
    let dilation = messages.iter().enumerate().map(|(i, m)| routes.hops(i, m.pair())).max();
    Classic { dilation: dilation.unwrap_or_default(), contention: loads.messages_max() }
}

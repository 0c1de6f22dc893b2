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

use meshwright_core::units::{Bytes, Hops, LinkId};
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
/// [`meetings`].
///
/// # Complexity
///
/// O(sum of hops).
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

/// For each message |I(e)| and the bytes of I(e); nothing at all when no two messages share a link.
///
/// The definition collects the messages on each link of e. On dimension-order routes two messages that
/// part never meet again: messages that share a link of an axis and leave the axis at one node stay together up
/// to there, those that leave it at different nodes are on different lines of every later axis, and
/// on a ring two ways of at most half of it have no two separate stretches in common. So e meets each of them
/// first on just one link, where the other begins or turns in or e does: counting beginnings and turns gives the
/// same numbers in one pass.
///
/// # Complexity
///
/// O(links + h + t log t) on dimension-order routes, for h = sum of hops and t turns; else O(h log h + the sum
/// over routes of link loads).
pub fn meetings(messages: &[Message], routes: &Routes<'_>, loads: &LinkLoads) -> Vec<(u32, u64)> {
    match routes {
        _ if loads.messages_max() <= 1 => Vec::new(),
        Routes::DimensionOrder(_) => meetings_by_beginnings(messages, routes, loads),
        Routes::Stored { .. } => meetings_by_definition(messages, routes, loads),
    }
}

fn meetings_by_definition(messages: &[Message], routes: &Routes<'_>, loads: &LinkLoads) -> Vec<(u32, u64)> {
    let mut users: Vec<(LinkId, u32)> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        routes.for_each_link(index, message.pair(), |link| {
            if loads.messages(link) > 1 {
                users.push((link, index as u32));
            }
        });
    }
    users.sort_unstable();
    let mut met_by = vec![u32::MAX; messages.len()];
    let meet = |(index, message): (usize, &Message)| {
        met_by[index] = index as u32;
        let (mut count, mut bytes) = (0, 0);
        routes.for_each_link(index, message.pair(), |link| {
            let start = users.partition_point(|&(other, _)| other < link);
            for &(_, user) in users[start..].iter().take_while(|&&(other, _)| other == link) {
                if met_by[user as usize] != index as u32 {
                    met_by[user as usize] = index as u32;
                    count += 1;
                    bytes += messages[user as usize].bytes.0;
                }
            }
        });
        (count, bytes)
    };
    messages.iter().enumerate().map(meet).collect()
}

fn meetings_by_beginnings(messages: &[Message], routes: &Routes<'_>, loads: &LinkLoads) -> Vec<(u32, u64)> {
    /// Messages and bytes.
    type Count = (u32, u64);
    let links = loads.touched().iter().map(|link| link.index() + 1).max().unwrap_or(0);
    let Routes::DimensionOrder(grid) = routes else { unreachable!("only called on dimension-order routes") };
    let port = |link: LinkId| {
        let node = meshwright_network::topology::Topology::source(*grid, link);
        link.0 - meshwright_network::topology::Topology::first_link(*grid, node).0
    };
    // Those that begin at a link or turn into it, and the turns one by one.
    let mut entering: Vec<Count> = vec![(0, 0); links];
    let mut turns: Vec<(LinkId, LinkId, Count)> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let mut before = None;
        routes.for_each_link(index, message.pair(), |link| {
            if before.is_none_or(|before| port(before) != port(link)) {
                let entry = &mut entering[link.index()];
                *entry = (entry.0 + 1, entry.1 + message.bytes.0);
                turns.extend(before.map(|before| (before, link, (1, message.bytes.0))));
            }
            before = Some(link);
        });
    }
    turns.sort_unstable_by_key(|&(from, to, _)| (from, to));
    turns.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        if same {
            kept.2 = (kept.2.0 + next.2.0, kept.2.1 + next.2.1);
        }
        same
    });
    let together = |from: LinkId, to: LinkId| {
        let found = turns.binary_search_by_key(&(from, to), |&(from, to, _)| (from, to));
        turns[found.expect("the message itself turns here")].2
    };
    let meet = |(index, message): (usize, &Message)| {
        let (mut before, mut count, mut bytes) = (None, 0, 0);
        routes.for_each_link(index, message.pair(), |link| {
            let all = (loads.messages(link), loads.bytes(link));
            let new = match before {
                // Everyone on the first link, except the message itself.
                None => (all.0 - 1, all.1 - message.bytes.0),
                Some(before) if port(before) == port(link) => entering[link.index()],
                Some(before) => {
                    let met = together(before, link);
                    (all.0 - met.0, all.1 - met.1)
                }
            };
            count += new.0;
            bytes += new.1;
            before = Some(link);
        });
        (count, bytes)
    };
    messages.iter().enumerate().map(meet).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::units::NodeId;
    use meshwright_network::topology::{Machine, Topology};
    use proptest::prelude::*;

    proptest! {
        /// Three ways to |I(e)|: beginnings and turns, the users of each link, and definition 6 itself.
        #[test]
        fn meetings_agree_with_definition_6(
            which in 0usize..9,
            ends in prop::collection::vec((0u32..60, 0u32..60, 1u64..9), 1..60),
        ) {
            // Sides of 2 to 5: ways round that are equally long, of one link, or none.
            let names = [
                "mesh:6x10", "torus:6x10", "mesh:4x5x3", "torus:5x4x3", "torus:60", "torus:4x4x4", "torus:3x20",
                "torus:2x6x5", "hypercube:6",
            ];
            let machine = Machine::new(names[which]).unwrap();
            let message = |&(from, to, bytes)| Message { source: NodeId(from), target: NodeId(to), bytes: Bytes(bytes), phase: 1 };
            let messages: Vec<_> = ends.iter().map(message).collect();
            let pairs: Vec<_> = messages.iter().map(Message::pair).collect();
            let routes = meshwright_network::routing::routes(&machine, &pairs).unwrap();
            let mut loads = LinkLoads::new(machine.links());
            loads.fill(&messages, &routes);
            let by_beginnings = meetings_by_beginnings(&messages, &routes, &loads);
            prop_assert_eq!(&by_beginnings, &meetings_by_definition(&messages, &routes, &loads));
            for (index, &(count, bytes)) in by_beginnings.iter().enumerate() {
                let set = interference_set(index, &messages, &routes);
                prop_assert_eq!(count as usize, set.len());
                prop_assert_eq!(bytes, set.iter().map(|&other| messages[other].bytes.0).sum::<u64>());
            }
        }
    }
}

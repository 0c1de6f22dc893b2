//! Whether a run kept to what the machine that was asked for does at a time.
//!
//! The referee knows links, and nodes with one port. Wires whose directions share their time, nodes with several ports and
//! processors that stand still while messages come and go it does not know: what it has measured is looked through for them.

use meshwright_core::units::NodeId;
use meshwright_load::installments::{CLOCK, Scale};
use meshwright_load::lp::{Duplex, Ports, Variant};
use meshwright_network::topology::Topology;
use meshwright_schedule::MatchedMessage;
use meshwright_sim::Timeline;

/// What something is busy with: since when, until when.
type Span = (u64, u64);

/// Why a run is none of this machine; none if it is. Every message goes over one link.
pub(super) fn misfit(
    scale: &Scale<'_, '_>,
    variant: &Variant,
    messages: &[MatchedMessage],
    timeline: &Timeline,
) -> Option<String> {
    let nodes = scale.problem().machine().nodes() as usize;
    let span = |index: usize| {
        let end = timeline.arrivals[index];
        (end.saturating_sub(scale.message_ticks(messages[index].bytes)), end)
    };
    let gather = |of: &dyn Fn(&MatchedMessage) -> Vec<usize>, groups: usize| {
        let mut spans: Vec<Vec<Span>> = vec![Vec::new(); groups];
        for (index, message) in messages.iter().enumerate() {
            of(message).into_iter().for_each(|group| spans[group].push(span(index)));
        }
        spans
    };
    let (out, into) = (|m: &MatchedMessage| m.source.index(), |m: &MatchedMessage| m.target.index());
    let name = |node: usize| scale.problem().machine().node_name(NodeId(node as u32));
    if variant.duplex == Duplex::Half {
        let mut wires: Vec<((u32, u32), Span)> = (0..messages.len())
            .map(|index| {
                let (a, b) = (messages[index].source.0, messages[index].target.0);
                ((a.min(b), a.max(b)), span(index))
            })
            .collect();
        wires.sort_unstable();
        let is_twice = |pair: &[((u32, u32), Span)]| pair[0].0 == pair[1].0 && pair[1].1.0 < pair[0].1.1;
        if wires.windows(2).any(is_twice) {
            let why = "its messages use both directions of a wire, which half duplex does not have at a time";
            return Some(why.to_string());
        }
    }
    if !variant.front_end {
        let mut spans = gather(&|message| vec![out(message), into(message)], nodes);
        for one in timeline.computations.iter().filter(|one| one.processor != u32::from(CLOCK)) {
            spans[one.rank as usize].push((one.begin, one.end));
        }
        if let Some(node) = (0..nodes).find(|&node| most(&mut spans[node]) > 1) {
            let node = name(node);
            return Some(format!("node {node} computes while it communicates, which takes a front end"));
        }
    } else if let Ports::Few(ports) = variant.ports {
        let groups = match variant.duplex {
            Duplex::Half => gather(&|message| vec![out(message), into(message)], nodes),
            Duplex::Full => gather(&|message| vec![out(message), nodes + into(message)], 2 * nodes),
        };
        for (group, mut spans) in groups.into_iter().enumerate() {
            if most(&mut spans) > ports as usize {
                let node = name(group % nodes);
                return Some(format!("node {node} takes part in more messages at a time than it has ports"));
            }
        }
    }
    None
}

/// The most spans at a moment.
fn most(spans: &mut [Span]) -> usize {
    spans.sort_unstable();
    let mut ends: std::collections::BinaryHeap<std::cmp::Reverse<u64>> = std::collections::BinaryHeap::new();
    let mut most = 0;
    for &(begin, end) in spans.iter().filter(|span| span.0 < span.1) {
        while ends.peek().is_some_and(|first| first.0 <= begin) {
            ends.pop();
        }
        ends.push(std::cmp::Reverse(end));
        most = most.max(ends.len());
    }
    most
}

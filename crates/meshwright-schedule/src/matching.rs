//! Matching of sends with receives: in linear time where everything fits, by sorting where something does not.

use super::{Fault, MatchedMessage, Op, Schedule};
use meshwright_core::units::{Bytes, NodeId};
use meshwright_network::topology::NODES_MAX;

/// Every send with its receive, by rank and step of the send, or `None` when some send or receive has no partner,
/// another size than its partner, or a peer that does not exist, when something is too large, or when a dependency
/// names a step that does not exist or relays what cannot be relayed.
///
/// The sends are handed to their targets by counting; each rank then orders its own few.
///
/// # Complexity
///
/// O(steps + ranks + sum over the ranks of r log r), r the receives of a rank.
pub(super) fn all(schedule: &Schedule) -> Option<Vec<MatchedMessage>> {
    let (mut messages, mut begin) = sent(schedule)?;
    let mut incoming = vec![0u32; messages.len()];
    for (message, &MatchedMessage { target, .. }) in (0u32..).zip(&messages) {
        incoming[begin[target.index()] as usize] = message;
        begin[target.index()] += 1;
    }
    // Each begin has moved up to the end.
    let (mut sends, mut recvs) = (Vec::new(), Vec::new());
    let mut start = 0;
    for (program, &end) in schedule.ranks.iter().zip(&begin) {
        sends.clear();
        sends.extend(incoming[start..end as usize].iter().map(|&message| {
            let MatchedMessage { source, tag, .. } = messages[message as usize];
            (key(source, tag), message)
        }));
        recvs.clear();
        recvs.extend((0u32..).zip(&program.ops).filter_map(|(step, op)| match *op {
            Op::Recv { peer, bytes, tag } => Some((key(peer, tag), step, bytes)),
            Op::Send { .. } | Op::Calc { .. } => None,
        }));
        if sends.len() != recvs.len() {
            return None;
        }
        // Messages are numbered by source and step, so the k-th send comes before the next.
        sends.sort_unstable();
        recvs.sort_unstable();
        for (&(sent, message), &(received, step, bytes)) in sends.iter().zip(&recvs) {
            let message = &mut messages[message as usize];
            if sent != received || message.bytes != bytes {
                return None;
            }
            message.target_step = step;
        }
        start = end as usize;
    }
    Some(messages)
}

/// The rank that sends and the tag, in one number that is ordered like the two.
fn key(source: NodeId, tag: u32) -> u64 {
    u64::from(source.0) << u32::BITS | u64::from(tag)
}

/// Every send as a message whose receive is not known yet, and where the messages to each rank begin when they are
/// listed by target; `None` when a peer does not exist, something is too large, a dependency names no step, or there
/// are not as many receives.
fn sent(schedule: &Schedule) -> Option<(Vec<MatchedMessage>, Vec<u32>)> {
    let (mut messages, mut recvs) = (Vec::new(), 0);
    if schedule.ranks.len() > NODES_MAX as usize {
        return None;
    }
    let mut begin = vec![0u32; schedule.ranks.len() + 1];
    for (rank, program) in (0..).map(NodeId).zip(&schedule.ranks) {
        if program.step_outside().is_some() || program.wrong_relay().is_some() {
            return None;
        }
        for (step, op) in (0..).zip(&program.ops) {
            if !op.fits() {
                return None;
            }
            match *op {
                Op::Send { peer, bytes, tag } => {
                    *begin.get_mut(peer.index() + 1)? += 1;
                    messages.push(MatchedMessage {
                        source: rank,
                        source_step: step,
                        target: peer,
                        target_step: u32::MAX,
                        bytes,
                        tag,
                    });
                }
                Op::Recv { .. } => recvs += 1,
                Op::Calc { .. } => {}
            }
        }
    }
    for rank in 0..schedule.ranks.len() {
        begin[rank + 1] += begin[rank];
    }
    (recvs == messages.len()).then_some((messages, begin))
}

/// One side of a message; the order of the fields pairs the k-th send with the k-th receive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    source: u32,
    target: u32,
    tag: u32,
    step: u32,
    bytes: u64,
}

/// The pairs in order of source, target, tag; every send or receive that does not fit is told.
pub(super) fn paired(schedule: &Schedule, mut tell: impl FnMut(Fault)) -> Vec<MatchedMessage> {
    let (sends, recvs) = sides(schedule);
    let key = |side: &Side| (side.source, side.target, side.tag);
    let unsent = |side: &Side| Fault::UnmatchedSend { rank: NodeId(side.source), step: side.step };
    let unreceived = |side: &Side| Fault::UnmatchedRecv { rank: NodeId(side.target), step: side.step };
    let mut messages = Vec::with_capacity(sends.len().min(recvs.len()));
    let (mut s, mut r) = (0, 0);
    while let (Some(send), Some(recv)) = (sends.get(s), recvs.get(r)) {
        if key(send) < key(recv) {
            tell(unsent(send));
            s += 1;
            continue;
        }
        if key(send) > key(recv) {
            tell(unreceived(recv));
            r += 1;
            continue;
        }
        let message = MatchedMessage {
            source: NodeId(send.source),
            source_step: send.step,
            target: NodeId(send.target),
            target_step: recv.step,
            bytes: Bytes(send.bytes),
            tag: send.tag,
        };
        if send.bytes != recv.bytes {
            tell(Fault::BytesDiffer { message, received: Bytes(recv.bytes) });
        }
        messages.push(message);
        (s, r) = (s + 1, r + 1);
    }
    sends[s..].iter().for_each(|send| tell(unsent(send)));
    recvs[r..].iter().for_each(|recv| tell(unreceived(recv)));
    messages
}

/// All sends and all receives, each sorted.
fn sides(schedule: &Schedule) -> (Vec<Side>, Vec<Side>) {
    let (mut sends, mut recvs) = (vec![], vec![]);
    for (rank, program) in (0u32..).zip(&schedule.ranks) {
        for (step, op) in (0u32..).zip(&program.ops) {
            match *op {
                Op::Send { peer, bytes, tag } => {
                    sends.push(Side { source: rank, target: peer.0, tag, step, bytes: bytes.0 });
                }
                Op::Recv { peer, bytes, tag } => {
                    recvs.push(Side { source: peer.0, target: rank, tag, step, bytes: bytes.0 });
                }
                Op::Calc { .. } => {}
            }
        }
    }
    sends.sort_unstable();
    recvs.sort_unstable();
    (sends, recvs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rank;
    use proptest::prelude::*;

    proptest! {
        /// Counting and sorting find the same pairs, and the same schedules unfit.
        #[test]
        fn both_ways_agree(
            steps in prop::collection::vec((0u32..4, 0u32..4, 0u32..2, 0u64..2, 0u8..40), 0..16)
        ) {
            let mut schedule = Schedule { ranks: vec![Rank::default(); 4] };
            for (source, target, tag, bytes, kind) in steps {
                let bytes = Bytes(bytes);
                let sides = [
                    (source, Op::Send { peer: NodeId(target), bytes, tag }),
                    (target, Op::Recv { peer: NodeId(source), bytes, tag }),
                ];
                // Now and then one side is missing.
                for (side, (rank, op)) in (0u8..).zip(sides) {
                    if kind != side {
                        schedule.ranks[rank as usize].ops.push(op);
                    }
                }
            }
            let mut fits = true;
            let mut sorted = paired(&schedule, |_| fits = false);
            sorted.sort_unstable_by_key(|message| (message.source, message.source_step));
            prop_assert_eq!(all(&schedule), fits.then_some(sorted));
        }
    }
}

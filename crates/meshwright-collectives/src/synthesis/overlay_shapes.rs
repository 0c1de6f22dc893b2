//! What overlay trees begin with: how many pieces there are, and the members at which each comes together or from which it is handed on.

use meshwright_core::units::Bytes;

use super::gossip::Manner;
use super::ways::Ways;
use crate::{Operation, Task};

/// Members that hand a piece on to those near them, and the most start-ups for which parts of all members take a link.
const RELAYS: [u32; 8] = [0, 2, 3, 4, 6, 8, 12, 16];
const PARTS_MAX: u64 = 1 << 8;

/// The most messages.
const MESSAGES_MAX: usize = 1 << 14;

/// The most pairs of a message and a member with a piece that one may be of.
const LOOKS_MAX: usize = 1 << 30;

/// Members that exchange a piece.
const HUBS: [u32; 8] = [1, 2, 3, 4, 6, 8, 12, 16];

/// What trees begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) pieces: u32,
    /// How many members exchange a piece.
    pub(super) hubs: u32,
    pub(super) begins: Begins,
}

/// How trees begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begins {
    /// As gossip.
    Gossip(Manner),
    /// With so many members for each piece that hand it on to those that are nearest to them.
    Relays(u32),
}

/// Whether sums come up and pieces go down; none for operations that trees do not do.
pub(super) fn directions(operation: Operation) -> Option<(bool, bool)> {
    use Operation as O;
    match operation {
        O::Broadcast | O::AllGather | O::Scatter => Some((false, true)),
        O::Reduce | O::ReduceScatter | O::Gather => Some((true, false)),
        O::AllReduce | O::Barrier => Some((true, true)),
        O::AllToAll | O::Scan => None,
    }
}

/// Whether every member has a part of its own.
pub(super) fn is_personalised(operation: Operation) -> bool {
    matches!(operation, Operation::Scatter | Operation::Gather)
}

/// What trees of all numbers of pieces and hubs begin with: none whose messages are too many, or longer than two start-ups.
pub(super) fn shapes(task: &Task<'_>) -> Vec<Shape> {
    let Some((is_up, is_down)) = directions(task.operation).filter(|_| task.members() > 1) else {
        return Vec::new();
    };
    let (is_both, costs) = (is_up && is_down, task.machine().costs());
    let members = task.members() as usize;
    let is_personalised = is_personalised(task.operation);
    let blocks = if is_personalised { 1 } else { task.blocks().len() };
    let bytes = task.bytes / blocks as u64;
    let least = if is_personalised { bytes / members as u64 } else { bytes };
    let both = 1 + usize::from(is_both);
    let all = (0..u32::BITS - 1).map(|power| 1 << power);
    let fits = |pieces: &u32| {
        let messages = (*pieces as usize).saturating_mul(blocks * members * both);
        let looks = messages.saturating_mul(*pieces as usize * blocks * members);
        u64::from(*pieces) <= least.max(1) && messages <= MESSAGES_MAX && looks <= LOOKS_MAX
    };
    let is_short = |pieces: &u32| {
        let (bytes, most) =
            if is_personalised { (bytes, PARTS_MAX) } else { (bytes / u64::from(*pieces), 2) };
        costs.transfer_ticks(Bytes(bytes)) <= most * costs.startup_ticks()
    };
    let hubs = if is_both { &HUBS[..] } else { &HUBS[..1] };
    let hubs = hubs.iter().filter(|hubs| **hubs <= task.members());
    let gossip = (!is_personalised).then_some(Begins::Gossip(Manner { until: u64::MAX, slack: 1 }));
    let has_parts = task.operation.is_parted();
    let relays = RELAYS.iter().filter(|relays| has_parts && **relays < task.members());
    let begins = gossip.into_iter().chain(relays.map(|&relays| Begins::Relays(relays)));
    let of = |pieces: u32| {
        let begins = begins.clone();
        hubs.clone().flat_map(move |&hubs| begins.clone().map(move |begins| Shape { pieces, hubs, begins }))
    };
    all.take_while(fits).filter(is_short).flat_map(of).collect()
}

/// Members at which pieces come together: those of one near to all others, and all members in turn.
pub(super) fn hubs(ways: &Ways, pieces: usize, many: u32) -> Vec<Vec<u32>> {
    let members = ways.members();
    let mut used = vec![0; members];
    let of = |piece: usize| {
        let mut near = vec![u16::MAX; members];
        let mut here: Vec<u32> = Vec::new();
        for turn in 0..many as usize {
            let best = if turn == 0 {
                piece * members / pieces % members
            } else {
                let mut price: Vec<usize> = used.iter().map(|times| members * times / 4).collect();
                for (to, &near) in near.iter().enumerate() {
                    let away = price.iter_mut().zip(ways.hops_to(to));
                    away.for_each(|(price, &hops)| *price += usize::from(near.min(hops)));
                }
                let left = (0..members).filter(|&at| !here.contains(&(at as u32)));
                left.min_by_key(|&at| price[at]).expect("one is left")
            };
            here.push(best as u32);
            used[best] += 1;
            (0..members).for_each(|to| near[to] = near[to].min(ways.hops_to(to)[best]));
        }
        here
    };
    (0..pieces).map(of).collect()
}

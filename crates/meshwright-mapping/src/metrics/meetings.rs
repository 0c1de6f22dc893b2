//! Interference sets counted: whom a message meets on its way.

use meshwright_core::csr::Csr;
use meshwright_network::routing::Routes;
use meshwright_schedule::Message;
use meshwright_schedule::cost::{Entry, LinkLoads, Piece};

/// For each message |I(e)| and the bytes of I(e); nothing at all when no two messages share a link. `loads` must be
/// filled with the same messages and routes.
///
/// The definition collects the messages on each link of e. On dimension-order routes two messages that
/// part never meet again: messages that share a link of an axis and leave the axis at one node stay together up
/// to there, those that leave it at different nodes are on different lines of every later axis, and
/// on a ring two ways of at most half of it have no two separate stretches in common. So e meets each of them
/// first on just one link, where the other begins or turns in or e does: counting beginnings and turns gives the
/// same numbers. Along a straight piece those who come in are a sum over a run of links, the difference of two
/// prefix sums.
///
/// Round holes two messages may part and meet again, so there the definition decides, as long as that takes at most
/// 2^31 steps. Of more messages, who meets another twice counts it twice: no less than |I(e)|.
///
/// # Complexity
///
/// O(links of the lines in use + p + t log t) on dimension-order routes, for p straight pieces and t turns; else O(links + h +
/// the sum over routes of link loads) for h = sum of hops, on a box as before where that sum is more than 2^31.
pub fn meetings(messages: &[Message], routes: &Routes<'_>, loads: &LinkLoads) -> Vec<(u32, u64)> {
    let is_short = || steps(loads) <= STEPS_MAX;
    match loads.pieces() {
        _ if loads.messages_max() <= 1 => Vec::new(),
        Some(pieces) if matches!(routes, Routes::DimensionOrder(_)) || !is_short() => {
            meetings_by_beginnings(messages, pieces, loads)
        }
        _ => meetings_by_definition(messages, routes, loads),
    }
}

/// So many steps of the definition are taken on a box: some seconds.
const STEPS_MAX: u64 = 1 << 31;

/// The sum over routes of the loads of their links.
fn steps(loads: &LinkLoads) -> u64 {
    loads.by_place().0.iter().map(|&messages| u64::from(messages).pow(2)).fold(0, u64::saturating_add)
}

/// Messages and bytes.
type Count = (u32, u64);

/// By message the links of its way that others use, too: by place or by their ids.
fn shared_links(messages: &[Message], routes: &Routes<'_>, loads: &LinkLoads) -> Csr<u32> {
    let mut shared = Csr::default();
    match loads.pieces().filter(|_| routes.grid().is_some()) {
        Some(pieces) => {
            let (users, mut pieces) = (loads.by_place().0, pieces.iter().peekable());
            for message in 0..messages.len() as u32 {
                while let Some(piece) = pieces.next_if(|piece| piece.message == message) {
                    let places = piece.first..piece.end;
                    places.filter(|&place| users[place as usize] > 1).for_each(|place| shared.push(place));
                }
                shared.end_row();
            }
        }
        None => {
            for (index, message) in messages.iter().enumerate() {
                routes.for_each_link(index, message.pair(), |link| {
                    if loads.messages(link) > 1 {
                        shared.push(link.0);
                    }
                });
                shared.end_row();
            }
        }
    }
    shared
}

fn meetings_by_definition(messages: &[Message], routes: &Routes<'_>, loads: &LinkLoads) -> Vec<Count> {
    let shared = shared_links(messages, routes, loads);
    let links = shared.entries().iter().max().map_or(0, |&link| link as usize + 1);
    let by_message = (0u32..).zip(shared.rows());
    let uses = by_message.flat_map(|(user, links)| links.iter().map(move |&link| (link as usize, user)));
    let users = Csr::from_pairs(links, uses);
    let mut met_by = vec![u32::MAX; messages.len()];
    let meet = |(index, links): (u32, &[u32])| {
        met_by[index as usize] = index;
        let (mut count, mut bytes) = (0, 0);
        for &user in links.iter().flat_map(|&link| users.row(link as usize)) {
            if met_by[user as usize] != index {
                met_by[user as usize] = index;
                count += 1;
                bytes += messages[user as usize].bytes.0;
            }
        }
        (count, bytes)
    };
    (0u32..).zip(shared.rows()).map(meet).collect()
}

fn meetings_by_beginnings(messages: &[Message], pieces: &[Piece], loads: &LinkLoads) -> Vec<Count> {
    let (load_messages, load_bytes) = loads.by_place();
    // Those that begin or turn in on the links before each place.
    let (mut entered, mut entered_bytes) = (vec![0u32; load_messages.len()], vec![0u64; load_messages.len()]);
    for piece in pieces.iter().filter(|piece| piece.entry != Entry::Border) {
        entered[piece.first as usize + 1] += 1;
        entered_bytes[piece.first as usize + 1] += messages[piece.message as usize].bytes.0;
    }
    let mut sum: Count = (0, 0);
    for (count, bytes) in entered.iter_mut().zip(&mut entered_bytes) {
        sum = (sum.0 + *count, sum.1 + *bytes);
        (*count, *bytes) = sum;
    }
    let mut met: Vec<Count> = vec![(0, 0); messages.len()];
    let mut turns: Vec<(u64, u32)> = Vec::new();
    let mut before: Option<&Piece> = None;
    for piece in pieces {
        let own = messages[piece.message as usize].bytes.0;
        let (first, end) = (piece.first as usize, piece.end as usize);
        let (count, bytes) = &mut met[piece.message as usize];
        let alone = match (piece.entry, before) {
            (Entry::Source, _) | (_, None) => {
                // Everyone on the first link, except the message itself.
                *count += load_messages[first] - 1;
                *bytes += load_bytes[first] - own;
                1
            }
            (Entry::Turn, Some(before)) => {
                *count += load_messages[first];
                *bytes += load_bytes[first];
                turns.push((u64::from(before.end) << 32 | u64::from(piece.first), piece.message));
                1
            }
            (Entry::Border, _) => 0,
        };
        *count += entered[end] - entered[first + alone];
        *bytes += entered_bytes[end] - entered_bytes[first + alone];
        before = Some(piece);
    }
    without_company(messages, turns, &mut met);
    met
}

/// Takes away from each message those who make the same turn: it has met them before.
fn without_company(messages: &[Message], mut turns: Vec<(u64, u32)>, met: &mut [Count]) {
    turns.sort_unstable();
    for company in turns.chunk_by(|a, b| a.0 == b.0) {
        let bytes: u64 = company.iter().map(|&(_, message)| messages[message as usize].bytes.0).sum();
        for &(_, message) in company {
            let (count, met_bytes) = &mut met[message as usize];
            *count -= company.len() as u32;
            *met_bytes -= bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::interference_set;
    use super::*;
    use meshwright_core::units::{Bytes, NodeId};
    use meshwright_network::topology::{Machine, Topology};
    use proptest::prelude::*;

    proptest! {
        /// Round holes each link on which another comes beside a message counts once: so many as meet it, or more.
        #[test]
        fn round_holes_whoever_comes_again_counts_again(
            (which, dead) in (0usize..4, prop::collection::vec(0u32..60, 1..12)),
            ends in prop::collection::vec((0u32..60, 0u32..60, 1u64..9), 1..60),
        ) {
            let names = ["mesh:6x10", "torus:6x10", "mesh:4x5x3", "torus:5x4x3"];
            let machine = Machine::new(names[which]).unwrap().with_dead(dead.into_iter().map(NodeId).collect()).unwrap();
            let living: Vec<NodeId> = machine.living().collect();
            let node = |at: u32| living[at as usize % living.len()];
            let message = |&(from, to, bytes)| Message { source: node(from), target: node(to), bytes: Bytes(bytes), phase: 1 };
            let messages: Vec<_> = ends.iter().map(message).collect();
            let pairs: Vec<_> = messages.iter().map(Message::pair).collect();
            // Holes may part the machine, and then there is no route.
            let Ok(routes) = meshwright_network::routing::routes(&machine, &pairs) else { return Ok(()) };
            let mut loads = LinkLoads::new(machine.links());
            loads.fill(&messages, &routes);
            prop_assert_eq!(
                steps(&loads),
                (0..machine.links()).map(|link| u64::from(loads.messages(meshwright_core::units::LinkId(link))).pow(2)).sum::<u64>()
            );
            let ways: Vec<Vec<_>> = (0..messages.len())
                .map(|index| {
                    let mut way = Vec::new();
                    routes.for_each_link(index, pairs[index], |link| way.push(link));
                    way
                })
                .collect();
            let by_beginnings = meetings_by_beginnings(&messages, loads.pieces().unwrap(), &loads);
            let by_definition = meetings_by_definition(&messages, &routes, &loads);
            for (index, way) in ways.iter().enumerate() {
                let (mut count, mut bytes) = (0, 0);
                for (hop, link) in way.iter().enumerate() {
                    let others = ways.iter().zip(&messages).enumerate().filter(|(other, _)| *other != index);
                    for (_, (other, message)) in others {
                        let comes = |at: usize| hop == 0 || at == 0 || other[at - 1] != way[hop - 1];
                        if other.iter().position(|one| one == link).is_some_and(comes) {
                            (count, bytes) = (count + 1, bytes + message.bytes.0);
                        }
                    }
                }
                prop_assert_eq!(by_beginnings[index], (count, bytes));
                prop_assert!(by_definition[index].0 <= count && by_definition[index].1 <= bytes);
            }
        }

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
            let by_beginnings = meetings_by_beginnings(&messages, loads.pieces().unwrap(), &loads);
            prop_assert_eq!(&by_beginnings, &meetings_by_definition(&messages, &routes, &loads));
            for (index, &(count, bytes)) in by_beginnings.iter().enumerate() {
                let set = interference_set(index, &messages, &routes);
                prop_assert_eq!(count as usize, set.len());
                prop_assert_eq!(bytes, set.iter().map(|&other| messages[other].bytes.0).sum::<u64>());
            }
        }
    }
}

//! Arguments of single members: distance, rounds, ports, adding up.

use std::collections::BTreeMap;

use meshwright_core::words::counted;

use super::certificate::Certificate;
use super::terms::{Side, Terms, Wires, bytes, gives_and_gets};
use super::{MEMBERS_MAX, Proof};
use crate::Task;

/// The most moments that a count of rounds looks at.
const MOMENTS_MAX: usize = 1 << 16;

/// The farthest two of which one must hear of the other.
pub(super) fn distance(task: &Task<'_>, terms: &Terms, wires: &Wires, rows: &[Vec<u32>]) -> Proof {
    let members = task.members();
    let mut best = (0, 0, 0);
    let mut look = |from: u32, row: &[u32]| -> u32 {
        let mut far = (0, from);
        for (to, &hops) in (0..).zip(row) {
            far = far.max((hops, to));
            // Of two members of a scan one must hear of the other: links lead both ways.
            let counts = gives_and_gets(task, from).0 && gives_and_gets(task, to).1;
            if counts && hops > best.0 {
                best = (hops, from, to);
            }
        }
        far.1
    };
    if task.operation.is_rooted() {
        let row = wires.distances(task.root);
        for (other, &hops) in (0..members).zip(&row) {
            let (gives, gets) = gives_and_gets(task, other);
            if (gives || gets) && hops > best.0 {
                let outward = gives_and_gets(task, task.root).0 && gets;
                best = if outward { (hops, task.root, other) } else { (hops, other, task.root) };
            }
        }
    } else if members as usize <= MEMBERS_MAX {
        (0..members).zip(rows).for_each(|(from, row)| {
            look(from, row);
        });
    } else {
        // From one end to the other and back: on a mesh those are two corners.
        let mut from = 0;
        for _ in 0..3 {
            from = look(from, &wires.distances(from));
        }
    }
    let (hops, mut from, mut to) = best;
    if task.operation == crate::Operation::Scan && from > to {
        (from, to) = (to, from);
    }
    if hops == 0 {
        let why = "nothing must get from one member to another".to_string();
        return Proof { ticks: 0, why, certificate: Certificate::Nothing };
    }
    let why = format!("member {to} must hear of member {from}, {hops} links away");
    Proof { ticks: terms.reach(hops), why, certificate: Certificate::Distance { from, to } }
}

/// From when on how many members can have heard of one, until all have: pairs (t, N), N of them from t ticks on.
///
/// ```text
/// N(t) = 1 + k sum over i >= 0 of N(t - T - i b),    N(t) = 0 for t < 0
/// ```
///
/// for k `ways` of a member, on each of which it begins a message `every` b ticks, there `latency` T after it began: who
/// hears at t tells k others until t + T, k more until t + T + b, ... Back in time it is the same: from so many members can
/// one have heard in the last t ticks, k messages of its coming in b. Where T = b that is `(k + 1)^(t / b)`, so
/// `ceil(log_(k+1) members)` rounds; where T is long it is a queue, `T + (members / k - 1) b`, until it is sooner to hear
/// over others.
///
/// # Complexity
///
/// O(min(T / b, members / k) log members), of 2^16 moments at most: after those, all hear at once.
///
/// # Source
///
/// `barnoy1992`, the postal model, for one way.
///
/// # Examples
///
/// ```
/// use meshwright_collectives::bound::spread;
/// assert_eq!(spread(8, 1, 5, 5), [(0, 1), (5, 2), (10, 4), (15, 8)]);
/// assert_eq!(spread(6, 2, 1, 9), [(0, 1), (9, 3), (10, 5), (11, 6)]);
/// ```
pub fn spread(members: u64, ways: u64, every: u64, latency: u64) -> Vec<(u64, u64)> {
    let mut steps = vec![(0, 1)];
    let mut informed = 1;
    let mut slots = BTreeMap::from([(latency, ways)]);
    while informed < members {
        let Some((at, many)) = slots.pop_first() else { break };
        // As if all the others heard at once.
        let is_last = every == 0 || steps.len() > MOMENTS_MAX;
        informed = if is_last { members } else { members.min(informed.saturating_add(many)) };
        steps.push((at, informed));
        let more = |slots: &mut BTreeMap<u64, u64>, at, many: u64| {
            let slot = slots.entry(at).or_insert(0u64);
            *slot = slot.saturating_add(many);
        };
        more(&mut slots, at + every, many);
        more(&mut slots, at + latency, many.saturating_mul(ways));
    }
    steps
}

/// The argument of one direction and one limit, in ticks: how many ways a member has, and how often each begins.
pub(super) fn limits(terms: &Terms, degree: usize, inward: bool) -> Vec<(u64, u64)> {
    let mut limits = vec![(degree as u64, terms.head + terms.least)];
    if terms.one_port {
        let started = if inward { 0 } else { terms.startup };
        let head = if inward || terms.is_stored { 0 } else { terms.head };
        let stored = if inward && terms.is_stored { terms.startup } else { 0 };
        limits.push((1, started + head + stored + terms.least));
    }
    if terms.between > 0 {
        limits.push((1, terms.between));
    }
    limits
}

/// How many must hear of one member, or one of how many, itself included; the root, the first or the last.
fn crowd(task: &Task<'_>, inward: bool) -> u32 {
    let members = task.members();
    if task.operation == crate::Operation::Scan {
        return members;
    }
    let around = |one: u32| {
        let (gives, gets) = gives_and_gets(task, one);
        let is_heard = |&other: &u32| {
            let (other_gives, other_gets) = gives_and_gets(task, other);
            let counts = if inward { gets && other_gives } else { gives && other_gets };
            other != one && counts
        };
        1 + (0..members).filter(is_heard).count() as u32
    };
    [task.root, 0, members - 1].map(around).into_iter().max().unwrap_or(0)
}

/// Nobody hears before somebody who has heard has sent to it.
pub(super) fn rounds(task: &Task<'_>, terms: &Terms, wires: &Wires) -> Option<Proof> {
    let degree = (0..task.members()).map(|member| wires.degree(member)).max()?;
    let mut best: Option<Proof> = None;
    for inward in [false, true] {
        let crowd = crowd(task, inward);
        if crowd < 2 {
            continue;
        }
        for (limit, &(ways, every)) in limits(terms, degree, inward).iter().enumerate() {
            let ticks = spread(crowd.into(), ways, every, terms.reach(1)).last().map_or(0, |&(at, _)| at);
            if best.as_ref().is_none_or(|best| ticks > best.ticks) {
                let what = if inward { "be added up or gathered at" } else { "have heard of" };
                let why = format!(
                    "{crowd} members can {what} one no sooner: each has {} to {}, and begins one message after the other on each",
                    counted(ways, "way"),
                    if inward { "receive" } else { "send" }
                );
                let certificate = Certificate::Rounds { inward, limit: limit as u32 };
                best = Some(Proof { ticks, why, certificate });
            }
        }
    }
    best
}

/// A member with one port sends, or receives, one message at a time.
pub(super) fn port(task: &Task<'_>, terms: &Terms) -> Option<Proof> {
    if !terms.one_port {
        return None;
    }
    // Parts differ by a byte at most: the first and the last member and the root stand for all.
    let last = task.members() - 1;
    let mut best: Option<Proof> = None;
    for member in [task.root, 0, last] {
        for inward in [false, true] {
            let side = Side::of(task, |other| (other == member) != inward);
            let bytes = side.leaving(task) as u64;
            let ticks = terms.empty() + terms.byte * bytes;
            if bytes > 0 && best.as_ref().is_none_or(|best| ticks > best.ticks) {
                let does = if inward { "receives" } else { "sends" };
                let why = format!("member {member} {does} {bytes} bytes over its one port");
                best = Some(Proof { ticks, why, certificate: Certificate::Port { member, inward } });
            }
        }
    }
    best
}

/// Of every byte p contributions become one: p - 1 sums.
pub(super) fn adding(task: &Task<'_>, terms: &Terms) -> Option<Proof> {
    let combine = task.combine.filter(|_| task.operation.reduces() && bytes(task) > 0)?;
    let members = u128::from(task.members());
    let sums = (members - 1) * u128::from(bytes(task));
    let cycles = sums * u128::from(combine.numerator());
    let ticks = (cycles * u128::from(task.machine().costs().ticks_per_cycle()))
        .div_ceil(u128::from(combine.denominator()) * members);
    let why = format!("{members} members add up {sums} bytes, and nobody begins before something has come");
    let ticks = terms.reach(1).saturating_add(u64::try_from(ticks).unwrap_or(u64::MAX));
    Some(Proof { ticks, why, certificate: Certificate::Adding })
}

#[cfg(test)]
mod tests {
    use super::spread;

    /// When all have heard.
    fn last(members: u64, ways: u64, every: u64, latency: u64) -> u64 {
        spread(members, ways, every, latency).last().unwrap().0
    }

    #[test]
    fn hearing_takes_rounds() {
        for ways in 1..5u64 {
            for members in 1..2000u64 {
                // No start-up: as many times as many in each round.
                let rounds = (0..).find(|&rounds| (ways + 1).pow(rounds) >= members).unwrap();
                assert_eq!(last(members, ways, 7, 7), 7 * u64::from(rounds));
                // A start-up longer than all messages one after the other: one round, and the queue before the ports.
                let queue = (members - 1).div_ceil(ways);
                let expected = if members == 1 { 0 } else { 9000 + 3 * (queue - 1) };
                assert_eq!(last(members, ways, 3, 9000), expected);
            }
        }
        // One port and a start-up as long as a packet: the numbers of Fibonacci.
        let (mut fibonacci, mut ticks) = ((1, 2), 2);
        while fibonacci.1 < 1 << 40 {
            assert_eq!(last(fibonacci.1, 1, 1, 2), ticks, "{fibonacci:?}");
            assert_eq!(last(fibonacci.1 + 1, 1, 1, 2), ticks + 1);
            (fibonacci, ticks) = ((fibonacci.1, fibonacci.0 + fibonacci.1), ticks + 1);
        }
    }
}

//! Gossip: every piece spreads from those who have it to those who have not, over whichever links are idle.
//!
//! A member that has a piece sends it to whomever all others together save most links by, if there is still time to hand it on, else to the nearest. Links
//! are taken in the order of time, as if the network were unrolled over it.
//!
//! # Source
//!
//! `won2024`: links and chunks are matched in the order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use meshwright_core::units::Bytes;
use meshwright_network::topology::Costs;

use super::ways::{Exits, Ways};

/// What a message takes, in ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticks {
    pub(super) startup: u64,
    pub(super) head: u64,
    pub(super) body: u64,
}

impl Ticks {
    pub(super) fn of(costs: &Costs, bytes: u64) -> Self {
        Self {
            startup: costs.startup_ticks(),
            head: costs.head_ticks(),
            body: costs.transfer_ticks(Bytes(bytes)),
        }
    }
}

/// A message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) piece: u32,
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) begun: u64,
    pub(super) arrived: u64,
}

/// How pieces spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Manner {
    /// When all should have all, in ticks: what comes too late to be handed on by then goes to the nearest.
    pub(super) until: u64,
    /// By so many links a member may be further away than the nearest who has a piece.
    pub(super) slack: i32,
}

/// Stands for further away than anybody is.
const FAR: u16 = u16::MAX >> 4;

/// How far everybody is from the pieces.
struct Nearness<'w> {
    ways: &'w Ways,
    /// By piece and member whether the member has the piece or will, how many links away it is, and how many links all others would be
    /// nearer together if this one had it.
    has: Vec<bool>,
    near: Vec<u16>,
    gain: Vec<i32>,
    /// By member how many pieces it will not have.
    missing: Vec<u32>,
}

impl<'w> Nearness<'w> {
    fn new(ways: &'w Ways, pieces: usize) -> Self {
        let members = ways.members();
        let mut alone = vec![0; members];
        for other in 0..members {
            let away = alone.iter_mut().zip(ways.hops_to(other));
            away.for_each(|(gain, &hops)| *gain += i32::from(FAR) - i32::from(hops));
        }
        Self {
            ways,
            has: vec![false; pieces * members],
            near: vec![FAR; pieces * members],
            gain: alone.repeat(pieces),
            missing: vec![pieces as u32; members],
        }
    }

    /// A member has a piece, or will.
    fn holds(&mut self, piece: usize, member: usize) {
        let members = self.ways.members();
        let row = piece * members;
        self.has[row + member] = true;
        self.missing[member] -= 1;
        for other in 0..members {
            let away = self.ways.hops_to(other);
            let (now, was) = (away[member], self.near[row + other]);
            if now >= was {
                continue;
            }
            self.near[row + other] = now;
            for (gain, &hops) in self.gain[row..row + members].iter_mut().zip(away) {
                *gain -= i32::from(was.saturating_sub(hops) - now.saturating_sub(hops));
            }
        }
    }
}

/// Links that a message saves, and pieces that its target will not have. Neither ever grows.
type Worth = (i32, u32);

/// A piece that may be sent over an exit.
#[derive(Clone, Copy)]
struct May {
    piece: u32,
    /// What a message with it is worth at most, which is what it was when last looked at; none where nobody should have it.
    most: Option<Worth>,
}

/// The best message over an exit: what it is worth, how soon it is there, and the place of its piece; to whom it goes.
type Best = ((Worth, Reverse<u64>, Reverse<usize>), u32);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A link is free again, by exit.
    Free(u32),
    /// A member may send a piece.
    May(u32, u32),
}

/// Pieces on their way.
pub(super) struct Gossip<'w> {
    ways: &'w Ways,
    exits: &'w Exits,
    ticks: Ticks,
    manner: Manner,
    nearness: Nearness<'w>,
    /// By exit the pieces that may be sent over it to somebody: one without a target stays without.
    may: Vec<Vec<May>>,
    /// By link from when on it is free.
    free_at: Vec<u64>,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    sent: Vec<Sent>,
}

impl<'w> Gossip<'w> {
    /// The messages by which all members get all pieces, in the order of sending; `first` says by piece who has it at the beginning.
    ///
    /// # Complexity
    ///
    /// O(messages × members × pieces of a member) at most.
    pub(super) fn spread(
        (ways, exits): (&'w Ways, &'w Exits),
        ticks: Ticks,
        manner: Manner,
        first: &[Vec<u32>],
    ) -> Vec<Sent> {
        let mut gossip = Self {
            ways,
            exits,
            ticks,
            manner,
            nearness: Nearness::new(ways, first.len()),
            may: vec![Vec::new(); exits.links.len()],
            free_at: vec![0; ways.links()],
            events: BinaryHeap::new(),
            sent: Vec::new(),
        };
        for (piece, &member) in
            (0..).zip(first).flat_map(|(piece, all)| all.iter().map(move |at| (piece, at)))
        {
            gossip.nearness.holds(piece as usize, member as usize);
            gossip.events.push(Reverse((ticks.startup, Event::May(member, piece))));
        }
        while let Some(Reverse((now, event))) = gossip.events.pop() {
            match event {
                Event::Free(exit) => gossip.send(exit, now),
                Event::May(member, piece) => {
                    let (first, end) = exits.of[member as usize];
                    for exit in first..end {
                        gossip.may[exit as usize].push(May { piece, most: Some((i32::MAX, 0)) });
                        gossip.send(exit, now);
                    }
                }
            }
        }
        gossip.sent
    }

    /// Sends what is best over an exit, if anything is.
    fn send(&mut self, exit: u32, now: u64) {
        let link = self.exits.links[exit as usize];
        if self.free_at[link as usize] > now {
            return;
        }
        let mut may = std::mem::take(&mut self.may[exit as usize]);
        let mut best: Option<Best> = None;
        // What may be worth most is looked at first: others are mostly worth less, whatever has come since they were looked at.
        let promising = (0..may.len()).max_by_key(|&at| may[at].most);
        for at in promising.into_iter().chain(0..may.len()) {
            if may[at].most < best.map(|((worth, ..), _)| worth) {
                continue;
            }
            let looked = self.look((may[at].piece, exit), now);
            may[at].most = looked.map(|(worth, ..)| worth);
            best = best.max(looked.map(|(worth, arrived, to)| ((worth, arrived, Reverse(at)), to)));
        }
        if let Some(((.., Reverse(at)), to)) = best {
            self.take((may[at].piece, self.exits.owner[exit as usize], to), now);
        }
        may.retain(|one| one.most.is_some());
        self.may[exit as usize] = may;
    }

    /// The best message with a piece over an exit: what it is worth, how soon it is there, and to whom; none where nobody should have it.
    fn look(&self, (piece, exit): (u32, u32), now: u64) -> Option<(Worth, Reverse<u64>, u32)> {
        let from = self.exits.owner[exit as usize];
        let mut best: Option<(Worth, Reverse<u64>, u32)> = None;
        for &to in &self.exits.reached[exit as usize] {
            let Some(saved) = self.saved((piece, from, to), now) else { continue };
            let worth = (saved, self.nearness.missing[to as usize]);
            if best.is_some_and(|(known, ..)| known > worth) {
                continue;
            }
            let arrived = Reverse(self.moves((from, to), now, |_, _| ()));
            if best.is_none_or(|(known, soonest, _)| (known, soonest) < (worth, arrived)) {
                best = Some((worth, arrived, to));
            }
        }
        best
    }

    /// How many links a message saves all together; none where the target has the piece, or should have it from others.
    fn saved(&self, (piece, from, to): (u32, u32, u32), now: u64) -> Option<i32> {
        let at = piece as usize * self.ways.members() + to as usize;
        if self.nearness.has[at] {
            return None;
        }
        let hops = self.ways.hops_to(to as usize)[from as usize];
        let Ticks { startup, head, body } = self.ticks;
        let handed_on = now + head * u64::from(hops) + body + startup + head + body;
        let gain = if handed_on <= self.manner.until {
            self.nearness.gain[at]
        } else {
            i32::from(self.nearness.near[at])
        };
        let saved = gain - i32::from(hops);
        (saved >= -self.manner.slack).then_some(saved)
    }

    /// When a message arrives that is sent now; tells its links, and when each is free again.
    fn moves(&self, (from, to): (u32, u32), now: u64, mut visit: impl FnMut(u32, u64)) -> u64 {
        let mut at = now;
        for &link in self.ways.way(from as usize, to as usize) {
            at = at.max(self.free_at[link as usize]) + self.ticks.head;
            visit(link, at + self.ticks.body);
        }
        at + self.ticks.body
    }

    fn take(&mut self, (piece, from, to): (u32, u32, u32), now: u64) {
        let mut taken = Vec::new();
        let arrived = self.moves((from, to), now, |link, free_at| taken.push((link, free_at)));
        for (link, free_at) in taken {
            self.free_at[link as usize] = free_at;
            if let Some(exit) = self.exits.exit[link as usize] {
                self.events.push(Reverse((free_at, Event::Free(exit))));
            }
        }
        self.nearness.holds(piece as usize, to as usize);
        self.sent.push(Sent { piece, from, to, begun: now, arrived });
        self.events.push(Reverse((arrived + self.ticks.startup, Event::May(to, piece))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Operation, Task};
    use meshwright_core::units::NodeId;
    use meshwright_network::topology::Machine;

    /// Everybody gets every piece once, from who had it a start-up before, and no link carries two at a time.
    #[test]
    fn all_get_all_and_links_carry_one_at_a_time() {
        let broken = Machine::new("mesh:5x5").unwrap().with_dead(vec![NodeId(7), NodeId(12)]).unwrap();
        let whole = ["mesh:4x5", "torus:3x4", "hypercube:4", "ccc:3"].map(|name| Machine::new(name).unwrap());
        for machine in whole.iter().chain([&broken]) {
            let task = Task::new(machine, Operation::Broadcast, 100, 0).unwrap();
            let ways = Ways::of(&task).unwrap();
            for ways in [ways.reversed(), ways] {
                let (exits, members) = (Exits::of(&ways), task.members());
                let ticks = Ticks { startup: 30, head: 1, body: 7 };
                for (until, slack) in [(0, 0), (150, 1), (u64::MAX, 2)] {
                    let first = [vec![0], vec![0], vec![3, 5], vec![members - 1]];
                    let sent = Gossip::spread((&ways, &exits), ticks, Manner { until, slack }, &first);
                    assert_eq!(sent.len(), 4 * members as usize - 5);
                    let mut since = vec![u64::MAX; 4 * members as usize];
                    let at = |piece: u32, member: u32| (piece * members + member) as usize;
                    for (piece, all) in (0..).zip(&first) {
                        all.iter().for_each(|&member| since[at(piece, member)] = 0);
                    }
                    let mut free_at = vec![0; ways.links()];
                    for one in &sent {
                        assert!(one.begun >= since[at(one.piece, one.from)] + ticks.startup);
                        assert_eq!(since[at(one.piece, one.to)], u64::MAX, "once");
                        since[at(one.piece, one.to)] = one.arrived;
                        let mut now = one.begun;
                        for &link in ways.way(one.from as usize, one.to as usize) {
                            now = now.max(free_at[link as usize]) + ticks.head;
                            free_at[link as usize] = now + ticks.body;
                        }
                        assert_eq!(one.arrived, now + ticks.body);
                    }
                }
            }
        }
    }
}

//! What all links carry together.
//!
//! Each byte needs messages: one into every member that gets it, one out of every member whose contribution counts. A
//! message of w bytes takes head + b w of each of its links. It must not be too late, so it is not too large, and its
//! bytes pay for a head: T is too small while all links together, each from when it can be used, carry less than that.
//!
//! # Source
//!
//! `harary1974`: 2 (p - 1) one-way messages until everybody knows everything.

use std::collections::BTreeMap;

use super::Proof;
use super::certificate::Certificate;
use super::terms::{Terms, Wires, bytes, gives_and_gets, least, part};
use crate::{Operation, Task};

/// Bytes by what they need.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Needs {
    /// Links to one that has it, or to which it goes: a message by which a member that far away first has it.
    pub(super) joined: BTreeMap<u32, u128>,
    /// Links that it is carried, in one message or more.
    pub(super) carried: BTreeMap<u32, u128>,
}

impl Terms {
    /// The ticks a link must give to a byte of a message that leaves so much of T for its bytes, times `bytes`.
    fn price(&self, room: u64, hops: u64, head: u64, bytes: u128) -> Option<u128> {
        if self.byte == 0 {
            return Some(0);
        }
        if room < self.byte {
            return None;
        }
        let ticks = bytes * u128::from(hops) * u128::from(self.byte);
        Some(ticks.saturating_add(ticks.saturating_mul(head.into()) / u128::from(room)))
    }

    /// The least price of bytes that come to a member so many links away from where they begin, or none if they come too late.
    ///
    /// Over one link from a member that is nearer, which has it no sooner than it can, or from the beginning in one message.
    pub(super) fn joined(&self, time: u64, hops: u32, bytes: u128) -> Option<u128> {
        let near = time.saturating_sub(self.reach(hops.saturating_sub(1)) + self.empty());
        let far = self.rest(time, hops);
        if self.multicast {
            // A router hands on what it has not wholly taken in.
            return self.price(far.min(self.buffer), 1, self.head, bytes);
        }
        let one = |room: u64, hops: u64| self.price(room.min(self.buffer), hops, self.head, bytes);
        match (one(near, 1), one(far, hops.max(1).into())) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    /// What is left of T for the bytes of one message over so many links.
    fn rest(&self, time: u64, hops: u32) -> u64 {
        let (hops, ends) = (u64::from(hops.max(1)), 2 * self.overhead);
        if self.is_stored {
            (time.saturating_sub(ends) / hops).saturating_sub(self.head)
        } else {
            time.saturating_sub(ends + self.start + self.head * hops)
        }
    }

    /// The least price of bytes that are carried over so many links.
    pub(super) fn carried(&self, time: u64, hops: u32, bytes: u128) -> Option<u128> {
        let others = self.hop * u64::from(hops - 1);
        self.price(time.saturating_sub(self.empty() + others), hops.into(), self.head, bytes)
    }

    /// The least price at one port of bytes in messages.
    pub(super) fn ported(&self, time: u64, bytes: u128) -> Option<u128> {
        let head = if self.is_stored { self.startup } else { self.startup + self.head };
        self.price(time.saturating_sub(self.empty()), 1, head, bytes)
    }
}

/// How many bytes need what: one of these holds.
fn needs(task: &Task<'_>, wires: &Wires, rows: &[Vec<u32>]) -> Vec<Needs> {
    use Operation as O;
    let (members, all) = (task.members(), u128::from(bytes(task)));
    let of = |joined, carried| Needs { joined, carried };
    let others = u128::from(members) - 1;
    // The bytes of each of the others by its distance from one.
    let around = |row: &[u32], bytes: &dyn Fn(u32) -> u128| {
        let mut by = BTreeMap::new();
        for (member, &hops) in (0..).zip(row) {
            if hops > 0 && bytes(member) > 0 {
                *by.entry(hops).or_insert(0) += bytes(member);
            }
        }
        by
    };
    let add = |mut into: BTreeMap<u32, u128>, from: BTreeMap<u32, u128>| {
        from.into_iter().for_each(|(hops, bytes)| *into.entry(hops).or_insert(0) += bytes);
        into
    };
    let none = BTreeMap::new;
    let whole = |_: u32| all;
    let of_part = |member: u32| u128::from(part(task, member));
    match task.operation {
        O::Barrier => Vec::new(),
        O::Broadcast | O::Reduce => vec![of(around(&wires.distances(task.root), &whole), none())],
        O::Scan => vec![of(around(&wires.distances(members - 1), &whole), none())],
        O::Scatter | O::Gather => vec![of(none(), around(&wires.distances(task.root), &of_part))],
        O::AllGather | O::ReduceScatter if rows.is_empty() => {
            vec![of(BTreeMap::from([(1, all * others)]), none())]
        }
        O::AllGather | O::ReduceScatter => {
            let trees = (0..).zip(rows).map(|(owner, row)| around(row, &|_| of_part(owner)));
            vec![of(trees.fold(none(), add), none())]
        }
        // As many messages before the first member has the sum as after it.
        O::AllReduce if rows.is_empty() => vec![of(BTreeMap::from([(1, 2 * all * others)]), none())],
        O::AllReduce => {
            let tree =
                |row: &Vec<u32>| of(add(around(row, &whole), BTreeMap::from([(1, all * others)])), none());
            let mut trees: Vec<Needs> = rows.iter().map(tree).collect();
            trees.sort_unstable();
            trees.dedup();
            trees
        }
        O::AllToAll if rows.is_empty() => vec![of(none(), BTreeMap::from([(1, all * others)]))],
        O::AllToAll => {
            let from = rows.iter().map(|row| around(row, &of_part));
            vec![of(none(), from.fold(none(), add))]
        }
    }
}

/// How many links are shut before a moment.
fn windows(task: &Task<'_>, terms: &Terms, wires: &Wires) -> BTreeMap<u64, u128> {
    let near = task.operation.is_rooted().then(|| wires.distances(task.root));
    let outward = gives_and_gets(task, task.root).0
        && matches!(task.operation, Operation::Broadcast | Operation::Scatter);
    let mut windows = BTreeMap::new();
    for (x, y) in wires.all() {
        let hops = near.as_ref().map_or(0, |near| near[if outward { x } else { y } as usize]);
        *windows.entry(2 * terms.overhead + terms.start + terms.hop * u64::from(hops)).or_insert(0) += 1;
    }
    windows
}

/// Whether so much time could be enough.
fn could(terms: &Terms, needs: &Needs, windows: &BTreeMap<u64, u128>, time: u64, ports: bool) -> bool {
    let room: u128 =
        windows.iter().map(|(&shut, &links)| u128::from(time.saturating_sub(shut)) * links).sum();
    let one = |is_joined: bool| {
        move |(&hops, &bytes): (&u32, &u128)| match (ports, is_joined) {
            (true, _) => terms.ported(time, bytes),
            (_, true) => terms.joined(time, hops, bytes),
            (_, false) => terms.carried(time, hops, bytes),
        }
    };
    let prices = needs.joined.iter().map(one(true)).chain(needs.carried.iter().map(one(false)));
    let sum = prices.into_iter().try_fold(0u128, |sum, price| Some(sum.saturating_add(price?)));
    sum.is_some_and(|sum| sum <= room)
}

/// The traffic of all links, or of all ports where a node has one.
pub(super) fn traffic(task: &Task<'_>, terms: &Terms, wires: &Wires, rows: &[Vec<u32>]) -> Vec<Proof> {
    let all = needs(task, wires, rows);
    let mut proofs = Vec::new();
    for ports in [false, true] {
        if all.is_empty() || (ports && !terms.one_port) || bytes(task) == 0 {
            continue;
        }
        let windows = match ports {
            false => windows(task, terms, wires),
            true => BTreeMap::from([(2 * terms.overhead, u128::from(task.members()))]),
        };
        let Some(ticks) =
            all.iter().map(|needs| least(|time| could(terms, needs, &windows, time, ports))).min()
        else {
            continue;
        };
        let bytes: u128 = all
            .iter()
            .map(|needs| {
                let carried = needs
                    .carried
                    .iter()
                    .map(|(&hops, bytes)| bytes * u128::from(if ports { 1 } else { hops }));
                needs.joined.values().sum::<u128>() + carried.sum::<u128>()
            })
            .min()
            .unwrap_or(0);
        if bytes == 0 {
            continue;
        }
        let count: u128 = windows.values().sum();
        let what = if ports { "ports" } else { "links" };
        let why = format!(
            "{bytes} bytes cross {count} {what} together, in messages none of which is too late, each behind its head"
        );
        proofs.push(Proof { ticks, why, certificate: Certificate::Traffic { ports, ticks } });
    }
    proofs
}

//! Few messages one after the other.
//!
//! Every member must hear of one that is far away. Where time allows three messages in a chain, the first and the last of them
//! serve one such pair only, and only the one between is shared; with two none is. So each byte crosses many links.
//!
//! | time less than | messages in a chain | shared |
//! |---|---|---|
//! | 3 m + k D + 3 b | 2 | none |
//! | 4 m + k D + 4 b | 3 | the second |
//!
//! m = 2 o + c, k = b h, D the links of a pair.
//!
//! # Source
//!
//! Theorem 8 of `docs/collective-bounds.md`.

use meshwright_network::topology::Topology;

use super::Proof;
use super::certificate::Certificate;
use super::terms::{Terms, Wires, bytes, least};
use crate::{Operation, Task};

/// Links are counted in units of one in so many.
const LINK: u128 = 1 << 20;

/// The price of time is counted in units of one in 2^32 for a tick.
const PRICES: u32 = 32;

/// Prices that are tried: four in each octave.
const OCTAVES: std::ops::Range<u32> = 2..36;

/// A pairing of all members and what chains between them cost.
struct Pairs<'a> {
    terms: &'a Terms,
    /// Links between the two of a pair, at least.
    hops: u32,
    /// By distance, how many members at most are so far away from one.
    around: Vec<u64>,
}

impl Pairs<'_> {
    /// A message over so many links for so many pairs that each pay for its bytes' time: min over x of l (1 + k / x) + price a x.
    fn message(&self, links: u32, users: u64, price: u64) -> u128 {
        let links = u128::from(links);
        let root = 4 * links * u128::from(self.terms.head) * u128::from(users) * u128::from(price);
        links * LINK + (root << (40 - PRICES)).isqrt()
    }

    /// Time that costs so much, rounded up.
    fn time(&self, ticks: u64, price: u64) -> u128 {
        (u128::from(ticks) * u128::from(price) * LINK).div_ceil(1 << PRICES)
    }

    /// What a first and a last message cost together over so many links at least, if there are both.
    fn two(&self, links: u32, price: u64) -> u128 {
        let own = |links: u32| self.message(links.max(1), 1, price);
        (1..=links.div_ceil(2)).map(|first| own(first) + own(links - first)).min().unwrap_or(2 * own(1))
    }

    /// What a pair pays at least, time beyond that of its heads and `meets + 2` messages included.
    fn share(&self, meets: bool, price: u64) -> u128 {
        let message = 2 * self.terms.overhead + self.terms.start;
        let free = self.time(message, price);
        let alone = self.message(self.hops, 1, price);
        let apart = self.two(self.hops, price);
        if !meets {
            return apart.min(alone.saturating_sub(free));
        }
        let one = |links| if links == 0 { 0 } else { self.message(links, 1, price) };
        let both: Vec<u128> = (0..self.hops).map(|links| one(links).min(self.two(links, price))).collect();
        let mut best = apart.saturating_sub(free);
        let (mut users, mut ends) = (0u64, 0u128);
        for (links, &many) in (0..).zip(&self.around) {
            let end = if links == 0 { 0 } else { 2 * self.message(links, 1, price) };
            for _ in 0..many {
                (users, ends) = (users + 1, ends + end);
                if ends.saturating_sub(2 * free) >= best * u128::from(users) {
                    return best;
                }
                for (links, &both) in (0..).zip(&both) {
                    let own = ends.max(both * u128::from(users));
                    let all = own + self.message(self.hops - links, users, price);
                    best = best.min(all.saturating_sub(2 * free) / u128::from(users));
                }
            }
        }
        best
    }
}

/// Half of every side: from each member to its partner.
fn halves(task: &Task<'_>) -> Option<Vec<u32>> {
    let sides = task.machine().whole_grid()?.sides();
    Some(sides.iter().map(|side| side / 2).collect())
}

/// The number of the partner of every member.
fn partners(task: &Task<'_>, shift: &[u32]) -> Option<Vec<u32>> {
    let grid = task.machine().whole_grid()?;
    let partner = |member: u32| {
        let axes = grid.sides().iter().enumerate();
        axes.fold(member, |to, (axis, &side)| {
            let (apart, at) = (grid.stride(axis), member / grid.stride(axis) % side);
            to - at * apart + (at + shift[axis]) % side * apart
        })
    };
    Some((0..task.members()).map(partner).collect())
}

/// The best of few messages, without and with one that is shared.
pub(super) fn few(task: &Task<'_>, terms: &Terms, wires: &Wires, rows: &[Vec<u32>]) -> Option<Proof> {
    if task.operation != Operation::AllReduce || bytes(task) == 0 || terms.is_stored || rows.is_empty() {
        return None;
    }
    let shift = halves(task)?;
    let partners = partners(task, &shift)?;
    let hops = partners.iter().zip(rows).map(|(&to, row)| row[to as usize]).min()?;
    if hops == 0 {
        return None;
    }
    let pairs = Pairs { terms, hops, around: around(rows) };
    let links = wires.all().count() as u128;
    let mut best: Option<Proof> = None;
    for meets in [false, true] {
        let messages = 3 + u64::from(meets);
        let each = 2 * terms.overhead + terms.start;
        let heads = terms.head * u64::from(hops);
        let most = messages * (each + terms.least) + heads;
        for quarter in 4 * OCTAVES.start..4 * OCTAVES.end {
            let price = (4 + u64::from(quarter % 4)) << (quarter / 4) >> 2;
            let share = pairs.share(meets, price);
            let is_enough = |time: u64| {
                let rest = time.saturating_sub(heads + (messages - 1) * each);
                let cost = share.saturating_sub(pairs.time(rest, price));
                let needed = cost * u128::from(terms.buffer) * u128::from(task.members());
                needed <= links * u128::from(time.saturating_sub(each)) * LINK
            };
            let ticks = least(|time| time >= most || is_enough(time));
            if best.as_ref().is_none_or(|best| ticks > best.ticks) {
                let shared =
                    if meets { "the second of three messages is shared" } else { "no message is shared" };
                let why = format!(
                    "each member must hear of one {hops} links away: {shared} in so short a time, and heads take their part"
                );
                let share = u64::try_from(share).ok()?;
                let certificate = Certificate::FewMessages { shift: shift.clone(), meets, price, share };
                best = Some(Proof { ticks, why, certificate });
            }
        }
    }
    best
}

/// By distance, how many members at most are so far away: as many within each distance as around the one with the most.
fn around(rows: &[Vec<u32>]) -> Vec<u64> {
    let far = rows.iter().flatten().copied().max().unwrap_or(0) as usize;
    let mut within = vec![0u64; far + 1];
    let mut own = vec![0u64; far + 1];
    for row in rows {
        own.fill(0);
        row.iter().for_each(|&links| own[links as usize] += 1);
        let mut sum = 0;
        for (most, many) in within.iter_mut().zip(&own) {
            sum += many;
            *most = sum.max(*most);
        }
    }
    for links in (1..within.len()).rev() {
        within[links] -= within[links - 1];
    }
    within
}

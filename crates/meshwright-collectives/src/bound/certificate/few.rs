//! Few messages one after the other, from the definition: every set of pairs that may share a message.

use meshwright_network::topology::Topology;

use super::{Judge, first};
use crate::Operation;
use crate::flow::ALL;

/// What a certificate claims of the chains between partners.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim<'c> {
    /// How far the partner of a member is away, along each axis.
    pub(super) shift: &'c [u32],
    /// Whether a message between first and last is shared.
    pub(super) meets: bool,
    /// A tick costs so many links, by 2^-32.
    pub(super) price: u64,
    /// What every pair pays, in links by 2^-20.
    pub(super) share: u64,
}

impl Judge<'_> {
    /// Links to the partner, at least; the partners must be all members.
    fn partner_hops(&self, shift: &[u32]) -> Result<u64, String> {
        let machine = self.task.machine();
        let grid = machine.whole_grid().ok_or("only whole boxes have partners")?;
        if shift.len() != grid.sides().len() {
            return Err(format!("{} numbers for {} axes", shift.len(), grid.sides().len()));
        }
        let mut hops = u64::MAX;
        for (member, &node) in (0..).zip(self.task.nodes()) {
            let mut at = machine.coordinates(node);
            for ((at, side), shift) in at.iter_mut().zip(grid.sides()).zip(shift) {
                *at = (*at + shift % side) % side;
            }
            let row = self.distances(member);
            let mut nodes = self.task.nodes().iter();
            let partner = nodes.position(|&node| machine.coordinates(node) == at);
            hops = hops.min(self.hops(&row, partner.ok_or("a partner is no member")? as u32));
        }
        if hops == 0 { Err("who is its own partner hears of itself".to_string()) } else { Ok(hops) }
    }

    /// Of all members the most within each distance, and so how far the a-th nearest is at least.
    fn nearest(&self) -> Vec<u64> {
        let members = self.task.members();
        let mut nearest = vec![u64::MAX; members as usize];
        for member in 0..members {
            let row = self.distances(member);
            let mut sorted: Vec<u64> = (0..members).map(|other| self.hops(&row, other)).collect();
            sorted.sort_unstable();
            nearest.iter_mut().zip(sorted).for_each(|(least, hops)| *least = hops.min(*least));
        }
        nearest
    }

    pub(super) fn few(&self, claim: &Claim<'_>) -> Result<u64, String> {
        let task = self.task;
        let whole = matches!(self.blocks[..], [block] if (block.from, block.to) == (ALL, ALL));
        if task.operation != Operation::AllReduce || !whole || self.least() == 0 || self.is_stored() {
            return Err("only sums that all get are looked at, of messages that are not stored".to_string());
        }
        if task.members() as usize > super::super::MEMBERS_MAX {
            return Err("so many distances are not looked at".to_string());
        }
        if claim.price >> 40 > 0 || claim.share >> 50 > 0 {
            return Err("no price and no share is as large".to_string());
        }
        let (hops, nearest) = (self.partner_hops(claim.shift)?, self.nearest());
        let each = self.alone(0, 1) - self.head();
        let scaled = |ticks: u64| (u128::from(ticks) * u128::from(claim.price)) << 20;
        let saved = scaled(each).div_ceil(1 << 32);
        // Links and heads of a message of whatever size, its time paid by so many.
        let message = |links: u64, users: u64| {
            let (links, square) = (u128::from(links), u128::from(self.head()) * u128::from(claim.price));
            (links << 20) + ((links * square * u128::from(users)) << 10).isqrt()
        };
        let one = |links: u64| if links == 0 { 0 } else { message(links, 1) };
        // A first or a last message, or both; at least over so many links together.
        let two = |links: u64| {
            let lengths = (1..=links).map(|first| one(first) + one((links - first).max(1)));
            lengths.min().unwrap_or(2 * one(1))
        };
        let ends = |links: u64| one(links).min(two(links));
        let share = u128::from(claim.share);
        let unshared = if claim.meets { 2 } else { 1 };
        if share + unshared * saved > message(hops, 1) || share + (unshared - 1) * saved > two(hops) {
            return Err("a pair may pay less by itself".to_string());
        }
        if claim.meets {
            let mut own = 0;
            for (users, &far) in (1u64..).zip(&nearest) {
                own += if far == 0 { 0 } else { 2 * message(far, 1) };
                for apart in 0..hops {
                    let paid = own.max(ends(apart) * u128::from(users)) + message(hops - apart, users);
                    if share * u128::from(users) + 2 * saved > paid {
                        return Err(format!("{users} pairs may pay less"));
                    }
                }
            }
        }
        let messages = if claim.meets { 4 } else { 3 };
        let longest = messages * (each + self.byte()) + hops * self.head();
        let links: usize = task.nodes().iter().map(|&node| task.machine().neighbours(node).count()).sum();
        let is_enough = |time: u64| {
            let spare = time.saturating_sub((messages - 1) * each + hops * self.head());
            let one = share.saturating_sub(scaled(spare).div_ceil(1 << 32));
            let all = one * u128::from(task.bytes * self.byte()) * u128::from(task.members());
            all <= u128::from(time.saturating_sub(each)) * links as u128 * (1 << 20)
        };
        Ok(first(is_enough).min(longest))
    }
}

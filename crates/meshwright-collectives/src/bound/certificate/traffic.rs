//! The traffic of a task, block by block and member by member.

use std::collections::{BTreeMap, BTreeSet};

use meshwright_network::topology::{PortModel, Topology};

use super::{Judge, first};
use crate::Operation;
use crate::flow::ALL;

impl Judge<'_> {
    /// The price of a byte of a message over `hops` links that takes `T - others` at most, times `bytes`; none if it has no time.
    fn price(&self, time: u64, others: u64, [hops, head]: [u64; 2], bytes: u128) -> Option<u128> {
        // Stored messages take all their links one after the other.
        let room = time.checked_sub(others)?.checked_sub(self.alone(0, hops))?;
        let room = if self.is_stored() { room / hops } else { room };
        if self.byte() == 0 {
            return Some(0);
        }
        if room < self.byte() {
            return None;
        }
        let ticks = bytes * u128::from(hops) * u128::from(self.byte());
        Some(ticks + ticks * u128::from(head) / u128::from(room))
    }

    /// The same of a message by which a member first has bytes, so many links from where they begin.
    fn joined(&self, time: u64, hops: u64, bytes: u128) -> Option<u128> {
        if self.task.multicast {
            let others = self.alone(0, hops) - self.alone(0, 1);
            let most = self.alone(0, hops).saturating_add(self.task.bytes.saturating_mul(self.byte()));
            return self.price(time.min(most), others, [1, self.head()], bytes);
        }
        let before = if hops > 1 { self.alone(self.least(), hops - 1) } else { 0 };
        let capped = |time: u64, others: u64, hops: u64| {
            let most = (self.alone(0, hops) + others).saturating_add(
                self.task.bytes.saturating_mul(self.byte()) * if self.is_stored() { hops } else { 1 },
            );
            self.price(time.min(most), others, [hops, self.head()], bytes)
        };
        let (near, far) = (capped(time, before, 1), capped(time, 0, hops));
        near.into_iter().chain(far).min()
    }

    /// Bytes by what they need, with all sums at this member first: whether they join a member or are carried, and how far.
    fn needs(&self, center: u32, rows: &[Vec<u32>]) -> BTreeMap<(bool, u64), u128> {
        let members = self.task.members();
        let links = |from: u32, to: u32| self.hops(&rows[from as usize], to);
        let mut needs = BTreeMap::new();
        let mut need = |joins: bool, hops: u64, bytes: u64| {
            *needs.entry((joins, hops)).or_insert(0u128) += u128::from(bytes);
        };
        for block in self.blocks.iter().filter(|block| block.bytes > 0) {
            let is_scan = self.task.operation == Operation::Scan;
            let one = match (block.from, block.to) {
                (ALL, ALL) if is_scan => members - 1,
                (ALL, ALL) => center,
                (one, ALL) | (ALL, one) => one,
                (from, to) => {
                    // Distances are known from the root, and are the same both ways.
                    if from != to {
                        need(
                            false,
                            if rows[from as usize].is_empty() { links(to, from) } else { links(from, to) },
                            block.bytes,
                        );
                    }
                    continue;
                }
            };
            for other in (0..members).filter(|&other| other != one) {
                need(true, links(one, other), block.bytes);
                if (block.from, block.to) == (ALL, ALL) && !is_scan {
                    need(true, 1, block.bytes);
                }
            }
        }
        needs
    }

    /// What they cost.
    fn cost(&self, time: u64, ports: bool, needs: &BTreeMap<(bool, u64), u128>) -> Option<u128> {
        let startup = self.task.machine().costs().startup_ticks();
        let at_port = if self.is_stored() { startup } else { startup + self.head() };
        let price = |(&(joins, hops), &bytes): (&(bool, u64), &u128)| match (ports, joins) {
            (true, _) => self.price(time, 0, [1, at_port], bytes),
            (_, true) => self.joined(time, hops, bytes),
            (_, false) => {
                // On one link it has the time that all others leave.
                let others = self.alone(self.least(), hops) - self.alone(self.least(), 1);
                self.price(time, others, [1, self.head()], bytes * u128::from(hops))
            }
        };
        needs.iter().map(price).sum()
    }

    /// What links, or ports, can carry until a time.
    fn room(&self, time: u64, ports: bool) -> u128 {
        let machine = self.task.machine();
        if ports {
            return u128::from(time.saturating_sub(2 * self.overhead())) * u128::from(self.task.members());
        }
        let near = self.task.operation.is_rooted().then(|| self.distances(self.task.root));
        let outward = matches!(self.task.operation, Operation::Broadcast | Operation::Scatter);
        let mut sum = 0u128;
        for &node in self.task.nodes() {
            for (_, next) in machine.neighbours(node) {
                let end = if outward { node } else { next };
                let hops = u64::from(near.as_ref().map_or(0, |near| near[end.index()]));
                let stored = if self.is_stored() { hops * self.byte() * self.least() } else { 0 };
                let shut = self.alone(0, hops + 1) - self.head() + stored;
                sum += u128::from(time.saturating_sub(shut));
            }
        }
        sum
    }

    pub(super) fn traffic(&self, ports: bool, ticks: u64) -> Result<u64, String> {
        let members = self.task.members();
        if self.least() == 0 || (ports && self.task.machine().port_model() != PortModel::One) {
            return Err("no bytes, or no ports".to_string());
        }
        let all_distances = members as usize <= super::super::MEMBERS_MAX && !self.task.operation.is_rooted();
        if !all_distances && !self.task.operation.is_rooted() && self.task.operation != Operation::Scan {
            return Err("so many distances are not looked at".to_string());
        }
        let rows: Vec<Vec<u32>> = (0..members)
            .map(|from| {
                if all_distances || from == self.task.root || from + 1 == members {
                    self.distances(from)
                } else {
                    Vec::new()
                }
            })
            .collect();
        // Sums may come together anywhere.
        let centers = match self.task.operation {
            Operation::AllReduce => members,
            _ => 1,
        };
        let needs: BTreeSet<_> = (0..centers).map(|center| self.needs(center, &rows)).collect();
        let could = |time: u64| {
            let room = self.room(time, ports);
            needs.iter().any(|needs| self.cost(time, ports, needs).is_some_and(|cost| cost <= room))
        };
        if could(ticks.saturating_sub(1)) {
            let least = first(could);
            return Err(format!("{least} ticks could be enough, fewer than {ticks}"));
        }
        Ok(ticks)
    }
}

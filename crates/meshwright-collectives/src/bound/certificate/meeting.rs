//! What crosses from a set of members, times how many it joins, moment by moment.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use meshwright_network::topology::Topology;

use super::{Judge, first};
use crate::Operation;

impl Judge<'_> {
    /// The moments at which the first, second, ... of so many can be there, by each of the limits of a machine.
    fn arrivals(&self, many: usize, inward: bool) -> Vec<Vec<u64>> {
        let latency = self.alone(self.least(), 1);
        let one = |(ways, every): (usize, u64)| {
            let mut next = BinaryHeap::from(vec![Reverse(latency); ways]);
            let mut times = vec![0];
            while times.len() < many {
                let Some(Reverse(time)) = next.pop() else { break };
                times.push(time);
                next.push(Reverse(time + every));
                next.extend(std::iter::repeat_n(Reverse(time + latency), ways));
            }
            times
        };
        self.round_limits(inward).into_iter().map(one).collect()
    }

    pub(super) fn meeting(&self, members: &[[u32; 2]]) -> Result<u64, String> {
        let (task, all) = (self.task, self.task.members());
        members.iter().flatten().try_for_each(|&member| self.known(member))?;
        let bytes: u64 = self.blocks.iter().map(|block| block.bytes).sum();
        let sums =
            task.operation == Operation::AllReduce && bytes > 0 || task.operation == Operation::Barrier;
        if !sums || all as usize > super::super::MEMBERS_MAX {
            return Err("only sums that all of not too many members get are looked at".to_string());
        }
        let is_in: Vec<bool> = (0..all)
            .map(|member| members.iter().any(|&[low, high]| (low..=high).contains(&member)))
            .collect();
        let inside = is_in.iter().filter(|&&is_in| is_in).count();
        let outside = is_in.len() - inside;
        if inside == 0 || outside == 0 {
            return Err("nobody is on the other side".to_string());
        }
        let grown = [self.arrivals(inside, true), self.arrivals(outside, false)];
        let hop = self.alone(self.least(), 2) - self.alone(self.least(), 1);
        // The k-th of one side is no sooner at an end of a link than the k-th nearest is, or than so many come together.
        let times = |end: u32, side: bool| -> Vec<u64> {
            let row = self.distances(end);
            let near = (0..all).filter(|&member| is_in[member as usize] == side);
            let mut times: Vec<u64> = near.map(|member| hop * self.hops(&row, member)).collect();
            times.sort_unstable();
            for limit in &grown[usize::from(!side)] {
                times.iter_mut().zip(limit).for_each(|(time, &limit)| *time = limit.max(*time));
            }
            times
        };
        let mut links: Vec<(Vec<u64>, Vec<u64>)> = Vec::new();
        for (member, &node) in (0..all).zip(task.nodes()).filter(|&(member, _)| is_in[member as usize]) {
            for (_, next) in task.machine().neighbours(node) {
                let other = self.members[next.index()];
                if !is_in[other as usize] {
                    links.push((times(member, true), times(other, false)));
                }
            }
        }
        let needed = u128::from(bytes * self.byte() + self.head()) * inside as u128 * outside as u128;
        let closed = self.alone(0, 1) - self.head();
        // The k-th of one and the l-th of the other meet from when both are there.
        let is_enough = |time: u64| {
            let room = time.saturating_sub(closed);
            let mut sum = 0u128;
            for (joined, heard) in &links {
                let mut reach = heard.len();
                let mut early: u128 = heard.iter().map(|&at| u128::from(at)).sum();
                for &at in joined {
                    while reach > 0 && at.saturating_add(heard[reach - 1]) > room {
                        reach -= 1;
                        early -= u128::from(heard[reach]);
                    }
                    if reach == 0 {
                        break;
                    }
                    sum += u128::from(room - at) * reach as u128 - early;
                }
            }
            sum >= needed
        };
        Ok(first(is_enough))
    }
}

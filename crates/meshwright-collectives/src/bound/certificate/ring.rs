//! Scans along a ring: what goes forward over one link, and what comes round.

use meshwright_network::topology::Topology;

use super::{Judge, first};
use crate::Operation;

impl Judge<'_> {
    pub(super) fn ring(&self) -> Result<u64, String> {
        let task = self.task;
        if task.operation != Operation::Scan {
            return Err("only sums of those before are looked at".to_string());
        }
        let column = |node| task.machine().coordinates(node).last().copied().unwrap_or(0);
        let columns: Vec<u32> = task.nodes().iter().map(|&node| column(node)).collect();
        let side = columns.iter().max().map_or(0, |most| most + 1);
        // From one column to another, forward by so many.
        let apart = |from: u32, to: u32| (to + side - from) % side;
        let (mut needs, mut forward, mut back) =
            (vec![0u64; side as usize], vec![0u64; side as usize], vec![0u64; side as usize]);
        for (member, &node) in columns.iter().zip(task.nodes()) {
            for (_, next) in task.machine().neighbours(node) {
                let to = column(next);
                match apart(*member, to) {
                    0 => {}
                    1 if side > 2 => forward[to as usize] += 1,
                    far if side > 2 && far == side - 1 => back[*member as usize] += 1,
                    _ => return Err("a link passes by a column, or there is no ring".to_string()),
                }
            }
        }
        for member in 1..columns.len() {
            let to = columns[member];
            needs[to as usize] += u64::from(apart(columns[member - 1], to) == 1);
        }
        let bytes: u64 = self.blocks.iter().map(|block| block.bytes).sum();
        let body = u128::from(bytes * self.byte());
        // What is left for the way back, times the columns it passes: all but its own.
        let is_enough = |room: u64| {
            let room = u128::from(room);
            let rest: Vec<u128> = (0..side as usize)
                .map(|to| (body * u128::from(needs[to])).saturating_sub(room * u128::from(forward[to])))
                .collect();
            let all: u128 = rest.iter().sum();
            rest.iter().zip(&back).all(|(own, &back)| all <= own + 2 * room * u128::from(back))
        };
        Ok(self.alone(0, 1) + first(is_enough))
    }
}

//! The order of sending: members that send much at once had better send first what others wait for.
//!
//! Messages that are alike but for where they begin are moved together, so that there are few orders to choose from: one is changed at a time, and
//! kept where the simulation ends no later.

use std::collections::BTreeMap;

use meshwright_core::csr::Csr;
use meshwright_core::error::Result;
use meshwright_core::rng;
use meshwright_core::units::{Cycles, NodeId};
use meshwright_network::topology::{Grid, Topology};
use rand::RngExt;

use super::Simulate;
use crate::flow::Flow;

/// The seed of what is tried.
const SEED: u32 = 20;

/// By message the number of those that are alike: in one step, over the same way, from members that lie the same way in boxes of sides `period`.
///
/// The numbers of one step follow each other.
pub fn alike(flow: &Flow, grid: &Grid, period: &[u32]) -> Vec<u32> {
    let mut numbers = BTreeMap::new();
    let kind = |index: usize| {
        let transfer = flow.transfers()[index];
        let (from, to) = (NodeId(transfer.source), NodeId(transfer.target));
        let place = |axis: usize| {
            let (at, side) = (grid.coordinate(from, axis), grid.sides()[axis]);
            (at % period[axis], (grid.coordinate(to, axis) + side - at) % side)
        };
        (transfer.step, (0..grid.dimensions()).map(place).collect::<Vec<_>>())
    };
    let kinds: Vec<_> = (0..flow.transfers().len()).map(kind).collect();
    kinds.iter().for_each(|kind| {
        numbers.insert(kind, 0);
    });
    numbers.values_mut().zip(0..).for_each(|(number, next)| *number = next);
    kinds.iter().map(|kind| numbers[kind]).collect()
}

/// Tries so many orders of a flow that takes `cycles`: the best, as messages of the flow, and what it takes; none if none is better.
///
/// # Errors
///
/// Those of the simulation.
///
/// # Complexity
///
/// O(trials × messages), and so many simulations.
pub fn improved(
    flow: &Flow,
    alike: &[u32],
    cycles: Cycles,
    trials: usize,
    simulate: &Simulate<'_>,
) -> Result<Option<(Vec<u32>, Cycles)>> {
    let many = alike.iter().max().map_or(0, |&last| last as usize + 1);
    let of = Csr::from_pairs(many, alike.iter().zip(0..).map(|(&kind, index)| (kind as usize, index)));
    let step = |kind: u32| flow.transfers()[of.row(kind as usize)[0] as usize].step;
    let mut order: Vec<u32> = (0..many as u32).collect();
    let messages = |order: &[u32]| -> Vec<u32> {
        order.iter().flat_map(|&kind| of.row(kind as usize).iter().copied()).collect()
    };
    let (mut best, mut least, mut rng) = (None, cycles, rng::numbered(&[SEED]));
    let mut last: Option<Cycles> = None;
    for trial in 0..trials {
        let from = rng.random_range(0..many);
        // The places of the same step.
        let at = step(order[from]);
        let first = order.partition_point(|&kind| step(kind) < at);
        let end = order.partition_point(|&kind| step(kind) <= at);
        let mut next = order.clone();
        let kind = next.remove(from);
        // First the order as it is.
        next.insert(if trial == 0 { from } else { rng.random_range(first..end) }, kind);
        let all = messages(&next);
        let Some(taken) = simulate(&flow.arranged(&all))? else { continue };
        if last.is_none_or(|last| taken <= last) {
            (order, last) = (next, Some(taken));
        }
        if taken < least {
            (least, best) = (taken, Some((all, taken)));
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::super::spread::spreads;
    use super::*;
    use crate::{Operation, Task};
    use meshwright_network::topology::Machine;
    use meshwright_sim::Engine;

    /// Spreads are right in any order, the first kinds of messages last, and what is found is what it takes, less than before.
    #[test]
    fn spreads_are_right_in_any_order() {
        let mut better = 0;
        for name in ["torus:4x4", "torus:6x6", "torus:12", "torus:2x4x4"] {
            let machine = Machine::new(name).unwrap();
            for (operation, bytes) in [(Operation::AllReduce, 1000), (Operation::Barrier, 0)] {
                let task = Task::new(&machine, operation, bytes, 0).unwrap();
                let grid = machine.whole_grid().unwrap();
                let run = |flow: &Flow| {
                    let schedule = flow.schedule(task.nodes(), machine.nodes(), None);
                    let trace = meshwright_sim::simulate(&machine, &schedule, &Engine::Message)?;
                    Ok(trace.deadlock.is_none().then_some(trace.cycles))
                };
                let all = spreads(&task, grid, None);
                assert!(!all.is_empty(), "{name}");
                for (spread, _) in all {
                    let flow = spread.flow(&task).unwrap();
                    assert_eq!(flow.check(operation, 0, bytes), Ok(()), "{name}: {spread}");
                    let turned: Vec<u32> = (0..flow.transfers().len() as u32).rev().collect();
                    assert_eq!(flow.arranged(&turned).check(operation, 0, bytes), Ok(()), "{name}: {spread}");
                    let kinds = alike(&flow, grid, &spread.period);
                    let cycles = run(&flow).unwrap().unwrap();
                    let Some((order, least)) = improved(&flow, &kinds, cycles, 9, &run).unwrap() else {
                        continue;
                    };
                    assert!(least < cycles, "{name}: {spread}");
                    assert_eq!(run(&flow.arranged(&order)).unwrap(), Some(least), "{name}: {spread}");
                    better += 1;
                }
            }
        }
        assert!(better > 0);
    }
}

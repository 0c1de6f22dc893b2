//! Operations by others: two one after the other that do a third, as a reduce-scatter and an all-gather an all-reduce, and what one needs of another.
//!
//! # Source
//!
//! `thakur2005`: composed operations; `traff2010`: no operation should take longer than others that do the same.

use std::fmt::{self, Display, Formatter};

use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Cycles};

use super::packing::centres;
use super::{Recipe, settle_overlays};
use crate::flow::Flow;
use crate::{Operation, Task};

/// So many parts take a link for no longer than a start-up and a head.
const PARTS: u64 = 16;

/// One of two operations.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it does.
    pub operation: Operation,
    /// The member at which it begins or ends, if it is rooted.
    pub root: u32,
    /// How it is made.
    pub recipe: Recipe,
}

/// Two operations, the blocks of the second from where those of the first end.
#[derive(Clone, Debug, PartialEq)]
pub struct Joined(pub [Part; 2]);

impl Display for Joined {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.0;
        let (one, other) = (first.operation.name(), second.operation.name());
        write!(f, "{one} ({}), then {other} ({})", first.recipe, second.recipe)
    }
}

/// Operations on as many bytes that do one together; none for operations that are not made of others.
pub fn pairs(operation: Operation) -> &'static [[Operation; 2]] {
    use Operation as O;
    match operation {
        O::AllReduce => &[[O::ReduceScatter, O::AllGather], [O::Reduce, O::Broadcast]],
        O::Broadcast => &[[O::Scatter, O::AllGather]],
        O::Reduce => &[[O::ReduceScatter, O::Gather]],
        O::AllGather => &[[O::Gather, O::Broadcast]],
        O::ReduceScatter => &[[O::Reduce, O::Scatter]],
        O::Scatter | O::Gather | O::AllToAll | O::Barrier | O::Scan => &[],
    }
}

/// The operation on as many bytes that does one from or to a root for all members; none where there is none.
pub fn of_all(operation: Operation) -> Option<Operation> {
    match operation {
        Operation::Broadcast | Operation::Reduce => Some(Operation::AllReduce),
        Operation::Scatter => Some(Operation::ReduceScatter),
        Operation::Gather => Some(Operation::AllGather),
        _ => None,
    }
}

/// What an operation from or to a root needs of one of all members.
#[derive(Clone, Debug, PartialEq)]
pub struct Narrowed(pub Part);

impl Display for Narrowed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}), what the root takes part in", self.0.operation.name(), self.0.recipe)
    }
}

impl Narrowed {
    /// Its flow.
    ///
    /// # Errors
    ///
    /// Those of the operation of all, and [`Error::NotApplicable`] where its members have two values of a block or add up in the end.
    pub fn flow(&self, task: &Task<'_>) -> Result<Flow> {
        let all = self.0.recipe.flow(&task.with(self.0.operation, self.0.root))?;
        let is_from = matches!(task.operation, Operation::Broadcast | Operation::Scatter);
        let narrowed = if is_from { all.from_one(task.root) } else { all.to_one(task.root) };
        let why = "its members have two values of a block, or add up in the end";
        narrowed.ok_or_else(|| Error::not_applicable("synthesis", why))
    }
}

impl Joined {
    /// Its flow.
    ///
    /// # Errors
    ///
    /// Those of both parts.
    pub fn flow(&self, task: &Task<'_>) -> Result<Flow> {
        let flow = |part: &Part| part.recipe.flow(&task.with(part.operation, part.root));
        let [first, second] = &self.0;
        Ok(flow(first)?.then(&flow(second)?))
    }

    /// All-gather as a gather and a broadcast, reduce-scatter as a reduction and a scatter: both over the overlay trees that end first by the clock, with
    /// one member in the middle, and when they end; none for other operations, or where they would not end before `known`.
    ///
    /// Where a head or a start-up takes longer than the parts of many members, one message for all below a member beats a message for each
    /// part. For machines that are no whole boxes, on which exchanges do the same.
    ///
    /// # Errors
    ///
    /// Those of the search for overlay trees.
    pub(super) fn through_one(task: &Task<'_>, known: Option<Cycles>) -> Result<Option<(Self, Cycles)>> {
        let &[pair] = pairs(task.operation) else { return Ok(None) };
        if !task.operation.is_parted() || task.members() < 2 || task.machine().whole_grid().is_some() {
            return Ok(None);
        }
        let costs = task.machine().costs();
        let part = costs.transfer_ticks(Bytes(task.bytes.div_ceil(task.members().into())));
        if part * PARTS > costs.startup_ticks() + costs.head_ticks() {
            return Ok(None);
        }
        let root = centres(task)[0];
        let (mut left, mut ends) = (known, 0);
        let mut found = Vec::new();
        for operation in pair {
            let trees = settle_overlays::overlays(&task.with(operation, root), left)?.into_iter().next();
            let Some((trees, cycles)) = trees.filter(|(_, cycles)| left.is_none_or(|left| *cycles < left))
            else {
                return Ok(None);
            };
            left = left.map(|left| Cycles(left.0 - cycles.0));
            ends += cycles.0;
            found.push(Part { operation, root, recipe: Recipe::Overlay(trees) });
        }
        Ok(Some((Self(found.try_into().expect("two parts")), Cycles(ends))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::units::{NodeId, Ratio};
    use meshwright_network::topology::{Costs, Machine, Switching};
    use meshwright_sim::{Engine, simulate};

    /// Right for any number of bytes, and around a hole with long heads better than any published schedule by a quarter.
    #[test]
    fn few_bytes_go_fast_where_heads_are_long() {
        let byte_time = Ratio::new(1, 50).unwrap();
        let costs = Costs { startup: Cycles(500), byte_time, flit: Bytes(20_000) };
        let machine = Machine::new("mesh:5x5").unwrap().with_switching(Switching::CutThrough);
        let machine = machine.with_costs(costs).unwrap().with_dead(vec![NodeId(12)]).unwrap();
        for (operation, all) in
            [(Operation::AllGather, [0, 1000]), (Operation::ReduceScatter, [1000, 30_000])]
        {
            for bytes in all {
                let task = Task::new(&machine, operation, bytes, 0).unwrap();
                let run = |flow: &Flow| {
                    let schedule = flow.schedule(task.nodes(), 25, None);
                    simulate(&machine, &schedule, &Engine::Message).unwrap().cycles
                };
                let Some((joined, expected)) = Joined::through_one(&task, None).unwrap() else {
                    assert_eq!(bytes, 0, "{}", operation.name());
                    continue;
                };
                let flow = joined.flow(&task).unwrap();
                assert_eq!(flow.check(operation, 0, bytes), Ok(()), "{} {bytes}", operation.name());
                let cycles = run(&flow);
                let bound = crate::bound::bound(&task).unwrap().cycles;
                let name = format!("{} of {bytes} by {joined}", operation.name());
                assert!(bound <= cycles, "{bound:?} {cycles:?} {name}");
                // The clock rounds; of many bytes what is early in the second part is in the way of what is late in the first.
                assert!(bytes > 1000 || cycles.0.abs_diff(expected.0) < 10, "{cycles:?} {expected:?} {name}");
                if bytes == 1000 {
                    let others = crate::algorithm::all().filter(|algorithm| algorithm.name != "synthesis");
                    let published = others.filter_map(|algorithm| Some(run(&algorithm.of(&task).ok()?)));
                    let published = published.min().unwrap();
                    assert!(4 * cycles.0 <= 3 * published.0, "{} {cycles:?} {published:?}", operation.name());
                }
            }
        }
    }
}

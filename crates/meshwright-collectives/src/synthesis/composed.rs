//! All-gather as a gather and a broadcast, reduce-scatter as a reduction and a scatter: both over overlay trees, with one member in the middle.
//!
//! Where a head or a start-up takes longer than the parts of many members, one message for all below a member beats a message for each part. For
//! machines that are no whole boxes, on which exchanges do the same.
//!
//! # Source
//!
//! `thakur2005`: composed operations for short messages.

use std::fmt::{self, Display, Formatter};

use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, Cycles};

use super::overlay::Overlay;
use super::packing::{centres, chunks};
use super::settle_overlays;
use crate::flow::{Flow, Transfer};
use crate::{Operation, Task};

/// So many parts take a link for no longer than a start-up and a head.
const PARTS: u64 = 16;

/// Two operations one after the other, through one member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    /// Gathers or reduces to it.
    first: Overlay,
    /// Broadcasts or scatters from it.
    second: Overlay,
}

impl Display for Composed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "through one member, to it by {}, from it by {}", self.first, self.second)
    }
}

/// What an operation is composed of; none for those that are not.
fn parts(operation: Operation) -> Option<[Operation; 2]> {
    use Operation as O;
    match operation {
        O::AllGather => Some([O::Gather, O::Broadcast]),
        O::ReduceScatter => Some([O::Reduce, O::Scatter]),
        _ => None,
    }
}

impl Composed {
    /// That of the trees that end first by the clock, and when it ends; none for other operations, or where it would not end before `known`.
    ///
    /// # Errors
    ///
    /// Those of the search for overlay trees.
    pub(super) fn searched(task: &Task<'_>, known: Option<Cycles>) -> Result<Option<(Self, Cycles)>> {
        let Some(parts) = parts(task.operation).filter(|_| task.members() > 1) else { return Ok(None) };
        // Exchanges along the dimensions of a box carry many parts in a message, too.
        if task.machine().whole_grid().is_some() {
            return Ok(None);
        }
        let costs = task.machine().costs();
        let part = costs.transfer_ticks(Bytes(task.bytes.div_ceil(task.members().into())));
        if part * PARTS > costs.startup_ticks() + costs.head_ticks() {
            return Ok(None);
        }
        let root = centres(task)[0];
        let mut left = known;
        let mut found = Vec::new();
        for part in parts {
            let trees = settle_overlays::overlays(&task.with(part, root), left)?.into_iter().next();
            let Some((trees, cycles)) = trees.filter(|(_, cycles)| left.is_none_or(|left| *cycles < left))
            else {
                return Ok(None);
            };
            left = left.map(|left| Cycles(left.0 - cycles.0));
            found.push((trees, cycles));
        }
        let [(first, one), (second, other)] = <[_; 2]>::try_from(found).expect("two parts");
        Ok(Some((Self { first, second }, Cycles(one.0 + other.0))))
    }

    /// Its flow.
    ///
    /// # Complexity
    ///
    /// That of [`Overlay::flow`], twice.
    pub fn flow(&self, task: &Task<'_>) -> Flow {
        let parts = parts(task.operation).expect("an operation that is composed");
        let root = self.first.hubs[0][0];
        let pieces = [&self.first, &self.second].into_iter().find(|trees| trees.is_personalised);
        let pieces = pieces.expect("one of the two has parts of members").pieces;
        let mut flow = Flow::new(task.members(), chunks(task, pieces));
        let blocks = flow.blocks().len();
        for (trees, part) in [&self.first, &self.second].into_iter().zip(parts) {
            let (begin, of) = (flow.steps(), trees.flow(&task.with(part, root)));
            for (index, &transfer) in of.transfers().iter().enumerate() {
                let transfer = Transfer { step: begin + transfer.step, ..transfer };
                if trees.is_personalised {
                    flow.send_ranges(transfer, of.row(index));
                    continue;
                }
                // One piece of so many of all parts.
                let piece = of.row(index)[0].0 as usize;
                let end = |piece: usize| (piece * blocks / trees.pieces as usize) as u32;
                flow.send_ranges(transfer, &[(end(piece), end(piece + 1))]);
            }
        }
        flow
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
                let Some((composed, expected)) = Composed::searched(&task, None).unwrap() else {
                    assert_eq!(bytes, 0, "{}", operation.name());
                    continue;
                };
                let flow = composed.flow(&task);
                assert_eq!(flow.check(operation, 0, bytes), Ok(()), "{} {bytes}", operation.name());
                let cycles = run(&flow);
                let bound = crate::bound::bound(&task).unwrap().cycles;
                let name = format!("{} of {bytes} by {composed}", operation.name());
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

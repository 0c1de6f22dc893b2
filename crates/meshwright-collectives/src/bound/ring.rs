//! Scans along a ring: what a member needs of the one before comes over one link, or all the way round.
//!
//! Columns are the members with the same last coordinate. A sum that has the contribution of j - 1 and none beyond j serves the
//! members j - 1 and j, or j and j + 1, and nobody else:
//!
//! ```text
//! R(c) = max(0, b V needs(c) - forward(c) W)                  what must come to column c from the other side, in ticks
//! sum over the columns c but y of R(c)  <=  2 W back(y)       for each column y;  W = T - 2 o - s - k
//! ```
//!
//! # Source
//!
//! Theorem 11 of `docs/collective-bounds.md`.

use super::Proof;
use super::certificate::Certificate;
use super::terms::{Terms, Wires, bytes, least};
use crate::{Operation, Task};

/// What must come into a column from the one before, and the links that lead there.
#[derive(Clone, Copy, Debug, Default)]
struct Column {
    /// Members whose predecessor is in the column before.
    needs: u64,
    /// Links from the column before.
    forward: u64,
    /// Links to the column before.
    back: u64,
}

/// The columns, where no link passes one by; none where there are too few for a ring.
fn columns(task: &Task<'_>, wires: &Wires) -> Option<Vec<Column>> {
    let last = |node| task.machine().coordinates(node).last().copied();
    let at: Vec<u32> = task.nodes().iter().map(|&node| last(node)).collect::<Option<_>>()?;
    let side = at.iter().max()? + 1;
    if side < 3 {
        return None;
    }
    let mut columns = vec![Column::default(); side as usize];
    let next = |column: u32| (column + 1) % side;
    for pair in at.windows(2).filter(|pair| next(pair[0]) == pair[1]) {
        columns[pair[1] as usize].needs += 1;
    }
    for (x, y) in wires.all() {
        let (from, to) = (at[x as usize], at[y as usize]);
        if next(from) == to {
            columns[to as usize].forward += 1;
        } else if next(to) == from {
            columns[from as usize].back += 1;
        } else if from != to {
            return None;
        }
    }
    Some(columns)
}

/// What goes forward over one link, and back round the ring for two members at most.
pub(super) fn ring(task: &Task<'_>, terms: &Terms, wires: &Wires) -> Option<Proof> {
    if task.operation != Operation::Scan || bytes(task) == 0 {
        return None;
    }
    let columns = columns(task, wires)?;
    let is_enough = |room: u64| {
        let room = u128::from(room);
        let rest = |column: &Column| {
            let needed = u128::from(terms.buffer) * u128::from(column.needs);
            needed.saturating_sub(u128::from(column.forward) * room)
        };
        let all: u128 = columns.iter().map(rest).sum();
        columns.iter().all(|column| all - rest(column) <= 2 * room * u128::from(column.back))
    };
    let ticks = terms.empty() + least(is_enough);
    let side = columns.len();
    let why = format!(
        "in each of {side} columns members need the sum of the column before, over the links from there or all the way round, \
         where a message serves two of them at most"
    );
    Some(Proof { ticks, why, certificate: Certificate::Ring })
}

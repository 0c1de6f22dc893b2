//! Squares: of a mesh of tasks that does not fit the machine axis by axis some neighbours are two links apart.
//!
//! Let tasks exchange messages with their neighbours in rows and columns, and let each pair be on neighbouring nodes of a mesh.
//! Four tasks in a square are on four nodes in a ring of four links: a unit square, whose opposite sides lead along the same
//! axis and whose adjacent sides do not. From square to square the step from one column to the next leads along one axis in all
//! rows, and so does a step between rows in all columns; and these axes differ. So rows lie along some axes A, columns along
//! others, and as all tasks are on different nodes
//!
//! ```text
//! columns <= the product of the sides of A      rows <= the product of the other sides
//! ```
//!
//! If no A allows that, two neighbours are two links apart, or more.

use super::argument::{Argument, Found};
use super::loads::Loads;
use meshwright_network::topology::{Grid, Machine, Network, Topology};
use std::collections::{BTreeMap, BTreeSet};

/// Subsets of more axes are not looked at.
const AXES_MAX: usize = 16;

/// What the messages of a phase prove; `alone` says what a load takes over so many links.
pub(super) fn squares(
    loads: &Loads<'_>,
    tasks: u32,
    machine: &Machine,
    alone: impl Fn(u128, u128) -> u128,
) -> Found {
    let Network::Grid(grid) = machine.network() else { return Found::nothing() };
    if grid.wraps() || grid.dimensions() > AXES_MAX {
        return Found::nothing();
    }
    // The first task talks to the one below it.
    let below = loads
        .iter()
        .filter_map(|(source, target, _)| (source.min(target) == 0).then_some(source.max(target)));
    let may_be = |columns: &u32| *columns > 1 && tasks.is_multiple_of(*columns);
    let columns: BTreeSet<u32> = below.filter(may_be).collect();
    let columns = columns.into_iter().filter(|&columns| !fits(grid, tasks / columns, columns));
    let mut columns = columns.peekable();
    if columns.peek().is_none() {
        return Found::nothing();
    }
    let mut pairs: BTreeMap<(u32, u32), u128> = BTreeMap::new();
    for (source, target, load) in loads.iter() {
        let most = pairs.entry((source.min(target), source.max(target))).or_default();
        *most = load.max(*most);
    }
    let mut found = Found::nothing();
    for columns in columns {
        let right = (0..tasks).filter(|task| (task + 1) % columns > 0).map(|task| (task, task + 1));
        let down = (0..tasks - columns).map(|task| (task, task + columns));
        let least = right.chain(down).try_fold(u128::MAX, |least, pair| Some(least.min(*pairs.get(&pair)?)));
        if let Some(least) = least {
            found = found.or(Found { ticks: alone(least, 2), argument: Argument::Squares { columns } });
        }
    }
    found
}

/// Whether rows and columns can have axes of their own.
fn fits(grid: &Grid, rows: u32, columns: u32) -> bool {
    (0u32..1 << grid.dimensions()).any(|axes| {
        let mut room = [1u64; 2];
        for (axis, &side) in grid.sides().iter().enumerate() {
            room[(axes >> axis & 1) as usize] *= u64::from(side);
        }
        u64::from(rows) <= room[0] && u64::from(columns) <= room[1]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_on_axes_of_their_own() {
        let fits = |name: &str, rows, columns| {
            let machine = Machine::new(name).unwrap();
            let Network::Grid(grid) = machine.network() else { panic!("a grid") };
            super::fits(grid, rows, columns)
        };
        assert!(fits("mesh:4x4x4", 4, 16) && fits("mesh:8x8", 8, 8) && fits("hypercube:6", 8, 8));
        assert!(!fits("mesh:4x4x4", 8, 8) && !fits("mesh:4x8x8", 16, 16) && !fits("mesh:3x3", 2, 4));
    }
}

//! How the axes of a logical mesh share the dimensions of a machine: f_ij places of dimension j go to axis i.
//!
//! The factors of a row multiply to the size of the axis, those of a column to the side that is used.

use std::ops::ControlFlow;

/// By axis, by dimension the number of places.
pub(super) type Table = Vec<Vec<u32>>;

/// The boxes of so many nodes within a machine, the most compact first.
pub(super) fn boxes(tasks: u32, sides: &[u32]) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    fill(tasks, sides, &mut Vec::new(), &mut found);
    found
        .sort_by_key(|used: &Vec<u32>| (used.iter().map(|&side| u64::from(side)).sum::<u64>(), used.clone()));
    found
}

fn fill(left: u32, sides: &[u32], used: &mut Vec<u32>, found: &mut Vec<Vec<u32>>) {
    let Some((&side, rest)) = sides.split_first() else {
        if left == 1 {
            found.push(used.clone());
        }
        return;
    };
    let room = rest.iter().fold(1u64, |room, &side| room.saturating_mul(side.into()));
    for own in (1..=side.min(left)).filter(|own| left.is_multiple_of(*own)) {
        if u64::from(left / own) <= room {
            used.push(own);
            fill(left / own, rest, used, found);
            used.pop();
        }
    }
}

/// Calls with every table for these axes and used sides, until told to stop; of tables that differ in the order of
/// dimensions of two nodes only one.
pub(super) fn tables(
    sizes: &[u32],
    used: &[u32],
    call: &mut dyn FnMut(&Table) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut left = used.to_vec();
    let mut table = vec![vec![1; used.len()]; sizes.len()];
    row(0, 0, sizes.first().copied().unwrap_or(1), sizes, &mut left, &mut table, call)
}

fn row(
    axis: usize,
    dim: usize,
    size: u32,
    sizes: &[u32],
    left: &mut Vec<u32>,
    table: &mut Table,
    call: &mut dyn FnMut(&Table) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if axis == sizes.len() {
        return if left.iter().all(|&left| left == 1) { call(table) } else { ControlFlow::Continue(()) };
    }
    if dim == left.len() {
        if size > 1 {
            return ControlFlow::Continue(());
        }
        let next = sizes.get(axis + 1).copied().unwrap_or(1);
        return row(axis + 1, 0, next, sizes, left, table, call);
    }
    // Two dimensions of two nodes that no axis before told apart: the first of them is taken first.
    let is_twin = dim > 0
        && left[dim] == 2
        && (0..axis).all(|before| table[before][dim] == table[before][dim - 1])
        && left[dim - 1] * table[axis][dim - 1] == 2;
    let most = if is_twin { table[axis][dim - 1] } else { u32::MAX };
    let side = left[dim];
    for places in (1..=side.min(size).min(most)).rev() {
        if side.is_multiple_of(places) && size.is_multiple_of(places) {
            table[axis][dim] = places;
            left[dim] = side / places;
            row(axis, dim + 1, size / places, sizes, left, table, call)?;
        }
    }
    table[axis][dim] = 1;
    left[dim] = side;
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(sizes: &[u32], used: &[u32]) -> Vec<Table> {
        let mut found = Vec::new();
        let _ = tables(sizes, used, &mut |table| {
            found.push(table.clone());
            ControlFlow::Continue(())
        });
        found
    }

    /// Against all fillings of the table.
    #[test]
    fn tables_are_all_that_multiply_to_sizes_and_sides() {
        for (sizes, used) in [([16, 8], [8, 16]), ([12, 6], [8, 9]), ([6, 6], [4, 9]), ([1, 12], [3, 4])] {
            let mut expected = Vec::new();
            for (a, b) in (1..=16).flat_map(|a| (1..=16).map(move |b| (a, b))) {
                let divides = [(sizes[0], a), (used[0], a), (sizes[1], b), (used[1], b)];
                if divides.iter().all(|(whole, part)| whole % part == 0)
                    && (sizes[0] / a, sizes[1] / b) == (used[1] / b, used[0] / a)
                {
                    expected.push(vec![vec![a, sizes[0] / a], vec![sizes[1] / b, b]]);
                }
            }
            let mut found = all(&sizes, &used);
            found.sort_unstable();
            assert_eq!(found, expected, "{sizes:?} on {used:?}");
        }
    }

    #[test]
    fn dimensions_of_two_nodes_are_alike() {
        assert_eq!(all(&[8, 4], &[2; 5]), [vec![vec![2, 2, 2, 1, 1], vec![1, 1, 1, 2, 2]]]);
        assert_eq!(all(&[4, 16, 32], &[2; 11]).len(), 1);
        assert_eq!(all(&[6, 4], &[4, 3, 2]).len(), 2, "a dimension of four is not one of two");
    }

    #[test]
    fn boxes_hold_just_the_tasks() {
        assert_eq!(boxes(12, &[4, 4]), [vec![3, 4], vec![4, 3]]);
        assert_eq!(boxes(7, &[4, 4]), Vec::<Vec<u32>>::new());
        assert_eq!(boxes(16, &[4, 4]), [vec![4, 4]]);
    }
}

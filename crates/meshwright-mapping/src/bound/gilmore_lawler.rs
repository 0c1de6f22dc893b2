//! Gilmore and Lawler: the sum of load times distance, with the place of each task.
//!
//! Task i on node j costs its loads in decreasing order times the distances of the other nodes from j in increasing order, or
//! more: corners are far from everybody. The cheapest assignment of tasks to nodes by these costs bounds twice the sum of load
//! times distance, for each message is counted at both ends.

use super::busiest::ByTask;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, distances_from};

/// More nodes are not looked at: an assignment takes the cube of their number.
pub(super) const NODES_MAX: u32 = 128;

/// The potentials of the cheapest assignment: of tasks, of living nodes; none where a cost cannot be counted, or a node does not
/// reach as many others as a task has partners.
///
/// # Complexity
///
/// O(tasks^2 nodes).
///
/// # Source
///
/// `lawler1963`; the assignment by shortest augmenting paths, `kuhn1955`.
pub(super) fn potentials(partners: &ByTask, machine: &Machine) -> Option<[Vec<i64>; 2]> {
    if partners.len() > machine.living_count() as usize {
        return None;
    }
    let near: Vec<Vec<u32>> = machine.living().map(|node| distances(machine, node)).collect();
    let cost = |loads: &Vec<u128>, near: &Vec<u32>| -> Option<i64> {
        if loads.len() > near.len() {
            return None;
        }
        let sum: u128 = loads.iter().zip(near).map(|(load, &hops)| load * u128::from(hops)).sum();
        // Sums of as many as there are nodes are counted.
        i64::try_from(sum).ok().filter(|&cost| cost < i64::MAX >> 12)
    };
    let row = |loads: &Vec<u128>| near.iter().map(|near| cost(loads, near)).collect::<Option<Vec<i64>>>();
    let costs = partners.iter().map(row).collect::<Option<Vec<Vec<i64>>>>()?;
    Some(assign(&costs, near.len()))
}

/// The distances of the other nodes from one, in increasing order.
fn distances(machine: &Machine, node: NodeId) -> Vec<u32> {
    let mut near = distances_from(machine, node);
    near.swap_remove(node.index());
    near.retain(|&hops| hops != u32::MAX);
    near.sort_unstable();
    near
}

/// Row by row a shortest augmenting path; no more rows than columns.
fn assign(costs: &[Vec<i64>], columns: usize) -> [Vec<i64>; 2] {
    const NONE: usize = usize::MAX;
    // The last column stands for the row that is looking for one.
    let (mut of_row, mut of_column) = (vec![0i64; costs.len()], vec![0i64; columns + 1]);
    let mut row_of = vec![NONE; columns + 1];
    for row in 0..costs.len() {
        row_of[columns] = row;
        let (mut least, mut before) = (vec![i64::MAX; columns], vec![columns; columns]);
        let mut is_settled = vec![false; columns + 1];
        let mut at = columns;
        while row_of[at] != NONE {
            is_settled[at] = true;
            let own = row_of[at];
            let (mut next, mut step) = (NONE, i64::MAX);
            for column in (0..columns).filter(|&column| !is_settled[column]) {
                let reduced = costs[own][column] - of_row[own] - of_column[column];
                if reduced < least[column] {
                    (least[column], before[column]) = (reduced, at);
                }
                if least[column] < step {
                    (next, step) = (column, least[column]);
                }
            }
            for column in 0..=columns {
                if is_settled[column] {
                    of_row[row_of[column]] += step;
                    of_column[column] -= step;
                } else if column < columns {
                    least[column] -= step;
                }
            }
            at = next;
        }
        while at != columns {
            row_of[at] = row_of[before[at]];
            at = before[at];
        }
    }
    of_column.truncate(columns);
    [of_row, of_column]
}

//! A mesh of tasks, row by row, that cannot lie on a mesh of nodes with neighbours beside each other.
//!
//! Four tasks in a square would be on a unit square of nodes, whose opposite sides are parallel. So each step along a row leads
//! along one axis, the same in all rows; the steps along columns lead along other axes. Why no split of the axes leaves room
//! stands in `bound`'s `squares`; here all splits are tried.

use super::Refuted;
use super::referee::Referee;
use meshwright_network::topology::{Network, Topology};

/// So many axes at most.
const AXES_MAX: usize = 16;

/// Of two neighbours of a phase, tasks in rows of so many, one is two links from the other.
pub(super) fn squares(referee: &Referee<'_>, phases: &[u32], columns: u32) -> Result<u128, Refuted> {
    let &[_] = phases else {
        return Refuted::because(format!("this argument is about one phase, not about {}", phases.len()));
    };
    let Network::Grid(grid) = referee.machine.network() else {
        return Refuted::because("squares of nodes are those of a mesh");
    };
    let (tasks, sides) = (referee.graph.tasks, grid.sides());
    if grid.wraps() || sides.len() > AXES_MAX {
        return Refuted::because("squares of nodes are those of a mesh without rings, of few axes");
    }
    if columns < 2 || columns >= tasks || tasks % columns != 0 {
        return Refuted::because(format!("{tasks} tasks are no rows of {columns}"));
    }
    let rows = u64::from(tasks / columns);
    for axes in 0u32..1 << sides.len() {
        let product = |mine: bool| -> u64 {
            let of = sides.iter().enumerate().filter(|(axis, _)| (axes >> axis & 1 == 1) == mine);
            of.map(|(_, &side)| u64::from(side)).product()
        };
        if product(true) >= u64::from(columns) && product(false) >= rows {
            return Refuted::because(format!("{rows} rows of {columns} fit the axes"));
        }
    }
    let mut least = u128::MAX;
    for task in 0..tasks {
        let right = ((task + 1) % columns != 0).then_some(task + 1);
        let below = (task + columns < tasks).then_some(task + columns);
        for other in right.into_iter().chain(below) {
            let joins = |ends: (u32, u32)| ends == (task, other) || ends == (other, task);
            let between = referee.between(phases).filter(|edge| joins((edge.source, edge.target)));
            let Some(slowest) = between.map(|edge| referee.alone(edge, 2)).max() else {
                return Refuted::because(format!("tasks {task} and {other} exchange no message"));
            };
            least = least.min(slowest);
        }
    }
    Ok(least + 2 * referee.overhead())
}

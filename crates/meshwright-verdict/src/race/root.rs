//! Where a rooted operation may begin.

use std::cmp::Reverse;

use meshwright_collectives::Task;
use meshwright_collectives::algorithms::multicast;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Hops, NodeId};
use meshwright_network::topology::{Machine, Topology};

use super::{Asked, check_bytes};

/// Machines that are no boxes are searched for their centre up to so many nodes.
const SEARCHED_MAX: u32 = 2048;

/// Algorithms of more messages are not made unless they are named: they would not be simulated, and take gigabytes. Among 1,024
/// members all have fewer.
const MADE_MAX: usize = 1 << 23;
// Four rings, to reduce and to gather.
const _: () = assert!(4 * 2 * 1024 * 1023 < MADE_MAX);

/// One task for each root that is compared: the one asked for, or the centre, a node with more links than that, and the first
/// node; the first node alone where all are alike, and for operations without a root.
pub(super) fn tasks<'m>(asked: &Asked, machine: &'m Machine) -> Result<Vec<Task<'m>>> {
    check_bytes(asked)?;
    let mut task = Task::new(machine, asked.operation, asked.bytes, 0)?;
    task.combine = asked.combine;
    if asked.algorithms.is_empty() {
        task = task.with_messages_max(MADE_MAX);
    }
    if asked.multicast {
        task.multicast = true;
        multicast::possible(&task)?;
    }
    let of = |root: NodeId| -> Result<Task<'m>> {
        let member = task
            .nodes()
            .binary_search(&root)
            .map_err(|_| Error::value("root", machine.node_name(root), "a node that works"))?;
        Ok(task.with(asked.operation, member as u32))
    };
    if let Some(root) = asked.root {
        if !asked.operation.is_rooted() {
            let expected = format!("none: {} has no root", asked.operation.name());
            return Err(Error::value("root", machine.node_name(root), expected));
        }
        return Ok(vec![of(root)?]);
    }
    let first = task.nodes()[0];
    if !asked.operation.is_rooted() {
        return Ok(vec![task]);
    }
    let mut tasks: Vec<Task<'m>> = Vec::new();
    for root in middles(machine, task.nodes()).into_iter().chain([first]) {
        let task = of(root)?;
        if tasks.iter().all(|known| known.root != task.root) {
            tasks.push(task);
        }
    }
    Ok(tasks)
}

/// The node with the least distance to its farthest, and of those with the most links the one that has, where it has more
/// links; the lowest id of several. None where all are alike, or there are too many.
fn middles(machine: &Machine, nodes: &[NodeId]) -> Vec<NodeId> {
    if let Some(grid) = machine.whole_grid() {
        let middle = |&side: &u32| if grid.wraps() { 0 } else { (side - 1) / 2 };
        return vec![grid.node_at(&grid.sides().iter().map(middle).collect::<Vec<_>>())];
    }
    if machine.nodes() > SEARCHED_MAX {
        return Vec::new();
    }
    let farthest = |node: NodeId| {
        nodes.iter().filter_map(|&other| machine.distance(node, other)).max().unwrap_or(Hops(0))
    };
    let links = |node: NodeId| machine.neighbours(node).count();
    let known: Vec<_> = nodes.iter().map(|&node| (farthest(node), links(node), node)).collect();
    let centre = known.iter().min_by_key(|(far, _, _)| far);
    let hub = known.iter().min_by_key(|(far, links, _)| (Reverse(*links), far));
    let hub = hub.filter(|hub| centre.is_some_and(|centre| hub.1 > centre.1));
    centre.into_iter().chain(hub).map(|one| one.2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_collectives::Operation;

    fn roots(machine: &Machine, operation: Operation) -> Vec<u32> {
        let asked = Asked::new(operation, 64);
        tasks(&asked, machine).unwrap().iter().map(|task| task.nodes()[task.root as usize].0).collect()
    }

    #[test]
    fn the_centre_and_the_corner_are_compared_where_they_differ() {
        let machine = |name| Machine::new(name).unwrap();
        assert_eq!(roots(&machine("mesh:5x5"), Operation::Broadcast), [12, 0]);
        assert_eq!(roots(&machine("torus:5x5"), Operation::Broadcast), [0]);
        assert_eq!(roots(&machine("mesh:5x5"), Operation::AllReduce), [0]);
        let narrow = machine("mesh:3x7").with_dead(vec![NodeId(3), NodeId(17)]).unwrap();
        assert_eq!(
            roots(&narrow, Operation::Gather),
            [10, 9, 0],
            "the centre has two links, its neighbour four"
        );
        let holed = machine("mesh:1x5").with_dead(vec![NodeId(0)]).unwrap();
        assert_eq!(
            roots(&holed, Operation::Reduce),
            [2, 1],
            "of four in a row the second, and the first that lives"
        );
    }

    #[test]
    fn a_root_is_refused_where_there_is_none() {
        let mesh = Machine::new("mesh:2x2").unwrap().with_dead(vec![NodeId(3)]).unwrap();
        let asked = |operation, root| Asked { root: Some(NodeId(root)), ..Asked::new(operation, 64) };
        assert!(tasks(&asked(Operation::Broadcast, 3), &mesh).is_err());
        assert!(tasks(&asked(Operation::AllReduce, 0), &mesh).is_err());
        assert_eq!(tasks(&asked(Operation::Scatter, 2), &mesh).unwrap()[0].root, 2);
        assert!(tasks(&Asked::new(Operation::Barrier, 8), &mesh).is_err());
        assert!(tasks(&Asked::new(Operation::Reduce, 0), &mesh).is_err());
    }
}

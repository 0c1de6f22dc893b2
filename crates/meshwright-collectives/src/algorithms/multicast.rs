//! Multicasts: routers that copy send a message on to several links as it comes in.
//!
//! A tree of neighbours, in which every node hands on what comes to it without a start-up, its router behind the head: it takes
//! c + h L + b V over L levels, as one message to the farthest member does. Only under cut-through, where a copy that must wait
//! for its link is stored, so that it holds up no other.
//!
//! # Source
//!
//! `lin1994` for multicasts in meshes; the trees that are disjoint are those of [`super::disjoint`].

use std::collections::VecDeque;

use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{PortModel, Switching, Topology};

use super::{direct, disjoint};
use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::{Operation, Task};

/// The operations that copies make faster.
pub const OPERATIONS: &[Operation] = &[Operation::Broadcast, Operation::AllGather, Operation::AllReduce];

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "multicast",
        summary: "routers copy: a shortest-path tree from each member that has something",
        formula: "c + h L + b V over L links to the farthest member",
        source: "lin1994",
        operations: OPERATIONS,
        streams: false,
        flow: multicast,
    },
    Algorithm {
        name: "multicast-trees",
        summary: "routers copy along the disjoint trees, each its share",
        formula: "c + h L + b V / t over t trees of L levels",
        source: "lin1994",
        operations: &[Operation::Broadcast],
        streams: false,
        flow: |task| copying(task).and_then(|()| disjoint::disjoint(task)).map(Flow::copied),
    },
];

/// Whether routers copy, and can.
///
/// # Errors
///
/// [`Error::NotApplicable`].
fn copying(task: &Task<'_>) -> Result<()> {
    let refuse = |why: &str| Err(Error::not_applicable("a multicast", why));
    if task.multicast {
        possible(task)
    } else {
        refuse("routers copy nothing; --multicast says that they do")
    }
}

/// Whether the routers of the machine of a task can copy what passes them.
///
/// # Errors
///
/// [`Error::NotApplicable`] without cut-through, with one port or an overhead, and where networks are described; for operations that
/// copies make no faster.
///
/// # Examples
///
/// ```
/// use meshwright_collectives::{Operation, Task, algorithms::multicast};
/// use meshwright_network::topology::{Machine, Switching};
/// let worms = Machine::new("mesh:4x4")?;
/// assert!(multicast::possible(&Task::new(&worms, Operation::Broadcast, 64, 0)?).is_err());
/// let mesh = worms.with_switching(Switching::CutThrough);
/// assert!(multicast::possible(&Task::new(&mesh, Operation::Broadcast, 64, 0)?).is_ok());
/// assert!(multicast::possible(&Task::new(&mesh, Operation::Gather, 64, 0)?).is_err(), "nothing is copied");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn possible(task: &Task<'_>) -> Result<()> {
    let machine = task.machine();
    let refuse = |why: String| Err(Error::not_applicable("a multicast", why));
    if !OPERATIONS.contains(&task.operation) {
        let names: Vec<&str> = OPERATIONS.iter().map(|operation| operation.name()).collect();
        return refuse(format!("{} copies nothing; {} do", task.operation.name(), names.join(", ")));
    }
    if machine.switching() != Switching::CutThrough {
        return refuse("a copy that waits must be stored: --switching cut-through".to_string());
    }
    let is_plain = machine.port_model() == PortModel::All && machine.endpoints().is_free();
    if machine.fabric().is_some() || !is_plain || machine.costs().head_ticks() == 0 {
        return refuse(
            "links must be alike, heads take time, and nodes have all ports and no overhead".to_string(),
        );
    }
    Ok(())
}

fn multicast(task: &Task<'_>) -> Result<Flow> {
    copying(task)?;
    let members = task.members();
    if task.operation == Operation::AllReduce {
        // The sums of the parts at their owners, and from there to everybody.
        let [sums, results] =
            [Operation::ReduceScatter, Operation::AllGather].map(|one| task.with(one, task.root));
        return Ok(direct::direct(&sums)?.then(&multicast(&results)?));
    }
    let mut flow = task.flow();
    task.fits(flow.blocks().len().saturating_mul(members as usize - 1))?;
    for block in 0..flow.blocks().len() as u32 {
        let root = flow.blocks()[block as usize].from;
        for (step, from, to) in shortest_paths(task, root) {
            flow.copy(step, from, to, [block]);
        }
    }
    Ok(flow.copied())
}

/// The edges of a shortest-path tree of neighbours: step, who has it, who gets it. The ports of a node are tried in an order that depends on the
/// root, so that the trees of many roots use all links.
fn shortest_paths(task: &Task<'_>, root: u32) -> Vec<(u32, u32, u32)> {
    let machine = task.machine();
    let mut level: Vec<Option<u32>> = vec![None; machine.nodes() as usize];
    let member = |node: NodeId| task.nodes().binary_search(&node).expect("living nodes are members") as u32;
    let first = task.nodes()[root as usize];
    level[first.index()] = Some(0);
    let (mut edges, mut queue) = (Vec::new(), VecDeque::from([first]));
    while let Some(at) = queue.pop_front() {
        let step = level[at.index()].expect("who is in line was reached");
        let mut near: Vec<NodeId> = machine.neighbours(at).map(|(_, next)| next).collect();
        let turn = root as usize % near.len().max(1);
        near.rotate_left(turn);
        for next in near {
            if level[next.index()].is_none() {
                level[next.index()] = Some(step + 1);
                edges.push((step, member(at), member(next)));
                queue.push_back(next);
            }
        }
    }
    edges
}

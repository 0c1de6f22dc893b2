//! Lower bounds: a time that no algorithm beats, and what proves it.

use meshwright_core::error::Result;
use meshwright_core::units::Cycles;
use meshwright_network::topology::{PortModel, Topology};

use crate::{Operation, Task};

/// A lower bound, and what proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// No algorithm takes less.
    pub cycles: Cycles,
    /// The argument: `distance`, `bytes of a node`, ...
    pub kind: &'static str,
    /// The argument with its numbers, in one sentence.
    pub why: String,
}

/// The best bound known.
///
/// ```text
/// c + h D                                    two members must hear of each other; D the diameter, or from the root
/// c + h + b bytes / ports                    without h under store-and-forward; what the busiest member must send or receive
/// ```
///
/// # Errors
///
/// Those of the machine's costs.
pub fn bound(task: &Task<'_>) -> Result<Bound> {
    let all = [distance(task), node(task)];
    Ok(all.into_iter().max_by_key(|bound| bound.cycles).expect("two bounds"))
}

/// The farthest two that must hear of each other.
fn distance(task: &Task<'_>) -> Bound {
    let (machine, members) = (task.machine(), task.members());
    let costs = machine.costs();
    let from = |root: u32| (0..members).filter_map(|m| task.distance(root, m)).max();
    let hops = match task.operation.is_rooted() {
        true => from(task.root),
        false => (0..members).filter_map(from).max(),
    };
    let hops = hops.unwrap_or_default();
    let ticks = if members > 1 {
        costs.alone_ticks(machine.switching(), meshwright_core::units::Bytes(0), hops)
    } else {
        0
    };
    let why = format!("two members {} links apart must hear of each other", hops.0);
    Bound { cycles: costs.cycles(ticks), kind: "distance", why }
}

/// What one member must send or receive over its links.
fn node(task: &Task<'_>) -> Bound {
    let (machine, costs) = (task.machine(), task.machine().costs());
    let members = u64::from(task.members());
    let links = |node: usize| match machine.port_model() {
        PortModel::One => 1,
        PortModel::All => u64::from(machine.ports(task.nodes()[node])).max(1),
    };
    let parts = task.bytes - task.bytes.div_ceil(members);
    let least = (0..task.nodes().len()).map(links).min().unwrap_or(1);
    let root = links(task.root as usize);
    let (bytes, ports) = match task.operation {
        Operation::Scatter | Operation::Gather => (parts, root),
        Operation::Broadcast | Operation::Reduce | Operation::Scan | Operation::AllReduce => {
            (task.bytes, least)
        }
        Operation::AllGather | Operation::ReduceScatter | Operation::AllToAll => (parts, least),
        Operation::Barrier => (0, least),
    };
    let ticks = if members > 1 {
        // What is sent on the last link at least: under store-and-forward there is no head.
        let empty = costs.alone_ticks(
            machine.switching(),
            meshwright_core::units::Bytes(0),
            meshwright_core::units::Hops(1),
        );
        empty + (bytes * costs.byte_time.numerator()).div_ceil(ports)
    } else {
        0
    };
    let why = format!("a member with {ports} links must send or receive {bytes} bytes");
    Bound { cycles: costs.cycles(ticks), kind: "bytes of a member", why }
}

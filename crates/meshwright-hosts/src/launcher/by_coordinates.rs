//! Formats that call a node by its coordinates on a mesh or torus.

use super::{Format, Launch, any_tasks};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Network, Topology};

const BGQ_DIMENSIONS: usize = 5;
const FUJITSU_DIMENSIONS: usize = 3;

/// A line `A B C D E T` for each rank, from rank 0 on; coordinates the machine does not have are 0, and so is T.
///
/// The file has to cover the partition. Nodes without a task follow after the last rank, by their numbers.
pub(super) const BGQ_MAPFILE: Format = Format {
    name: "bgq-mapfile",
    summary: "Blue Gene/Q: runjob --mapping FILE",
    check: |machine| {
        boxed("bgq-mapfile", machine, BGQ_DIMENSIONS)?;
        match machine.dead() {
            [] => Ok(()),
            [node, ..] => {
                let node = machine.node_name(*node);
                let why = format!("a mapfile covers the whole partition, and node {node} is dead");
                Err(Error::not_applicable("bgq-mapfile", why))
            }
        }
    },
    fits: any_tasks,
    write: |launch| {
        let mut free = vec![true; launch.machine.nodes() as usize];
        launch.placement.nodes.iter().for_each(|node| free[node.index()] = false);
        let idle = launch.machine.living().filter(|node| free[node.index()]);
        launch.nodes_by_rank().chain(idle).map(|node| bgq_line(launch, node)).collect()
    },
};

/// A line `(X)`, `(X,Y)` or `(X,Y,Z)` for each rank, from rank 0 on.
pub(super) const VCOORDFILE: Format = Format {
    name: "vcoordfile",
    summary: "Fujitsu: mpiexec --vcoordfile FILE",
    check: |machine| boxed("vcoordfile", machine, FUJITSU_DIMENSIONS),
    fits: any_tasks,
    write: |launch| {
        launch.nodes_by_rank().map(|node| format!("({})\n", joined(launch.machine, node, ","))).collect()
    },
};

fn bgq_line(launch: &Launch<'_>, node: NodeId) -> String {
    let left = BGQ_DIMENSIONS - launch.machine.sides().len();
    // The coordinates that are left, and T.
    joined(launch.machine, node, " ") + &" 0".repeat(left + 1) + "\n"
}

fn joined(machine: &Machine, node: NodeId, between: &str) -> String {
    let coordinates: Vec<String> = machine.coordinates(node).iter().map(u32::to_string).collect();
    coordinates.join(between)
}

/// Refuses what is no box, or one of too many dimensions.
fn boxed(format: &'static str, machine: &Machine, most: usize) -> Result<()> {
    let Network::Grid(grid) = machine.network() else {
        return Err(Error::not_applicable(format, "the nodes of a general graph have no coordinates"));
    };
    let dimensions = grid.sides().len();
    if dimensions > most {
        let why = format!("it has at most {most} coordinates, and {} has {dimensions} sides", machine.name());
        return Err(Error::not_applicable(format, why));
    }
    Ok(())
}

//! Formats that call a node by the name of its host.

use super::{Format, any_machine, any_tasks};

/// A line `rank R=HOST slot=S` for each rank, from rank 0 on.
pub(super) const RANKFILE: Format = Format {
    name: "rankfile",
    summary: "Open MPI: mpirun --map-by rankfile:file=FILE, or -rf FILE before version 5",
    check: any_machine,
    fits: any_tasks,
    write: |launch| {
        let hosts = launch.hosts;
        let line = |(rank, node)| format!("rank {rank}={} slot={}\n", hosts.name(node), hosts.slot(node));
        launch.nodes_by_rank().enumerate().map(line).collect()
    },
};

/// The host of each rank, one on a line, from rank 0 on.
pub(super) const SLURM_HOSTFILE: Format = Format {
    name: "slurm-hostfile",
    summary: "Slurm: SLURM_HOSTFILE=FILE srun --distribution=arbitrary",
    check: any_machine,
    fits: any_tasks,
    write: |launch| launch.nodes_by_rank().map(|node| launch.hosts.name(node) + "\n").collect(),
};

//! Placements as the files that launchers read.
//!
//! | file | formats |
//! |---|---|
//! | `by_host` | Open MPI rankfile, Slurm host file: nodes by their names |
//! | `by_slot` | `MPICH_RANK_ORDER`: ranks in the order of the slots |
//! | `by_coordinates` | Blue Gene/Q mapfile, Fujitsu vcoordfile: nodes by their coordinates |
//! | `by_mesh` | JAX, PyTorch, JSON, Tenstorrent: nodes in the order of a logical mesh |
//! | `by_task` | tables and GraphML of the tasks |
//! | `by_chunk` | MSCCL: sends and receives of chunks |
//! | `by_node` | Scotch `.map`, GOAL: nodes by their numbers |
//! | [`ranks`] | which rank runs which task |
//! | [`hosts`] | what the nodes are called |
//! | [`expected`] | such files, read again: where each rank is to be |
//! | [`seats`] | where each rank is, and whether that is where it should be |

mod by_chunk;
mod by_coordinates;
mod by_host;
mod by_mesh;
mod by_node;
mod by_slot;
mod by_task;
pub mod expected;
pub mod hosts;
pub mod ranks;
pub mod seats;

pub use hosts::Hosts;
pub use ranks::Ranks;

use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_core::{find_or, unknown};
use meshwright_mapping::{Placement, TaskGraph};
use meshwright_network::topology::Machine;

/// A placed job, and how its ranks and nodes are called.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// What runs.
    pub tasks: &'a TaskGraph,
    /// Where each task runs.
    pub placement: &'a Placement,
    /// On what.
    pub machine: &'a Machine,
    /// Which rank runs which task.
    pub ranks: Ranks,
    /// What the nodes are called.
    pub hosts: &'a Hosts,
}

impl Launch<'_> {
    /// The node of every rank, from rank 0 on.
    fn nodes_by_rank(&self) -> impl Iterator<Item = NodeId> {
        let tasks = self.tasks.tasks;
        (0..tasks).map(move |rank| self.placement.nodes[self.ranks.task(rank, tasks) as usize])
    }
}

/// A file format of a launcher.
pub struct Format {
    /// The name on the command line.
    pub name: &'static str,
    /// Who reads it, in half a sentence.
    pub summary: &'static str,
    /// Refuses a machine whose nodes the format cannot name.
    pub check: fn(&Machine) -> Result<()>,
    /// Refuses tasks that the format cannot express.
    pub fits: fn(&TaskGraph) -> Result<()>,
    /// The text of the file, for a machine that passes `check` and tasks that pass `fits`.
    pub write: fn(&Launch<'_>) -> String,
}

/// Every launcher format the program writes.
pub const FORMATS: &[Format] = &[
    by_host::RANKFILE,
    by_slot::MPICH_RANK_ORDER,
    by_host::SLURM_HOSTFILE,
    by_coordinates::BGQ_MAPFILE,
    by_coordinates::VCOORDFILE,
    by_node::SCOTCH_MAP,
    by_node::GOAL,
    by_mesh::JAX,
    by_mesh::TORCH,
    by_mesh::JSON,
    by_mesh::TT_MESH,
    by_task::CSV,
    by_task::GRAPHML,
    by_chunk::MSCCL_XML,
];

/// The format with this name.
///
/// # Errors
///
/// [`Error::Value`](meshwright_core::Error::Value) with the list of all formats.
///
/// # Examples
///
/// ```
/// use meshwright_hosts::launcher::{self, Hosts, Launch, Ranks};
/// use meshwright_mapping::{Divide, Request, Shape, divide, place};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::Bytes;
/// let mesh = Machine::new("mesh:4x4")?;
/// let tree = Divide { shape: Shape::Binomial(4), alpha: Some(0.5), combine_alpha: None, volume: Bytes(4096) };
/// let tasks = divide::task_graph(&tree)?;
/// let placement = place("reflecting", &Request::of(&tasks, &mesh, 0))?;
/// let ranks = Ranks::usual(&tasks);
/// let launch = Launch { tasks: &tasks, placement: &placement, machine: &mesh, ranks, hosts: &Hosts::Numbered };
/// let text = (launcher::format("rankfile")?.write)(&launch);
/// // The root of the tree is rank 0; the reflecting mapping puts it at (2,2).
/// assert!(text.starts_with("rank 0=node10 slot=0\n"));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn format(name: &str) -> Result<&'static Format> {
    let error =
        |names: &[&str]| unknown("launcher format", name, format!("one of {}", names.join(", ")), names);
    find_or(name, FORMATS, |format| format.name, error)
}

/// For formats that can name the nodes of any machine.
fn any_machine(_: &Machine) -> Result<()> {
    Ok(())
}

/// For formats that can express any tasks.
fn any_tasks(_: &TaskGraph) -> Result<()> {
    Ok(())
}

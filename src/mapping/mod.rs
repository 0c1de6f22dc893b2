//! Mapping: which node runs which task.

pub mod task_file;
pub mod task_graph;

pub use task_graph::TaskGraph;

use crate::units::NodeId;

/// Which node runs which task: `nodes[task]`, one task per node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The name of the method that made it.
    pub name: String,
    /// The node of each task.
    pub nodes: Vec<NodeId>,
}

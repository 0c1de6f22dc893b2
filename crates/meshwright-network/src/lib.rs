//! Networks of processors: topologies, machines with their dead nodes and costs, routings.
//!
//! | module | what |
//! |---|---|
//! | [`topology`] | meshes, tori, hypercubes, general graphs; [`Machine`] |
//! | [`routing`] | from node to node, link by link; proofs of freedom from deadlock |

#![forbid(unsafe_code)]

pub mod routing;
pub mod topology;

pub use routing::ROUTINGS;
pub use topology::{Costs, FAMILIES, Machine, PortModel, Switching, Topology};

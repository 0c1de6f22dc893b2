//! Networks of processors: topologies, machines with their dead nodes and costs, routings.
//!
//! | module | what |
//! |---|---|
//! | [`topology`] | meshes, tori, hypercubes, general graphs; [`Machine`] |
//! | [`fabric`] | machines as they are: one-way links, several networks, ports and their rates |
//! | [`routing`] | from node to node, link by link; proofs of freedom from deadlock |

#![forbid(unsafe_code)]

pub mod fabric;
pub mod routing;
pub mod topology;

pub use routing::ROUTINGS;
pub use topology::{Costs, Endpoints, FAMILIES, Grid, Machine, PortModel, Switching, Topology};

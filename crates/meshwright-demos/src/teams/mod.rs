//! Programs of groups that split as the data tell, and join: one text for the simulator, threads and MPI.
//!
//! | file | what |
//! |---|---|
//! | [`kd_tree`] | a k-d tree over one point of each member: a team splits at the median |
//! | [`integration`] | adaptive integration: a team splits where the function is difficult, and joins for the next interval |
//! | [`multigrid`] | Poisson's equation in one dimension: on coarse levels half of a team waits |
//!
//! Each file has the same computation for one processor beside it, written on its own.

pub mod integration;
pub mod kd_tree;
pub mod multigrid;

//! Applications that run for real, and what they are measured against.
//!
//! | module | what |
//! |---|---|
//! | [`applications`] | sorting, matrix chains, components, broadcast, reduction by divide and conquer |
//! | [`speedup`] | the same beside what else could be used |
//! | [`scatter`] | a divisible load over ranks: words, images |
//! | [`star`] | the load of a star, in theory |
//! | [`teams`] | programs of groups that split and join: k-d trees, integration, multigrid |
//! | [`drawings`] | timing diagrams of [`scatter`] |

#![forbid(unsafe_code)]

pub mod applications;
pub mod drawings;
pub mod scatter;
pub mod speedup;
pub mod star;
pub mod teams;

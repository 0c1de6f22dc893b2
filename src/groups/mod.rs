//! Groups: arbitrary sets of nodes that split, synchronise and rejoin while they run.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | U, s | [`Group`], [`Group::size`] | nodes |
//! | I, rank I(v) | the [order](crate::topology::order) of a group, the place in [`Group::members`] | |
//! | T | [`Tree`], vertices named by their ranks | |
//! | phi(v) | the label, or colour, of a member | |
//! | d(u, v) | [`crate::topology::Topology::distance`] | links |
//!
//! | file | what |
//! |---|---|
//! | [`group`] | a set of nodes in some order, and what splitting it means |
//! | [`range`] | groups that are a stretch of an order: two numbers, no messages |
//! | [`rank_halving`] | the paper's synchronisation trees, as a formula of rank and size |
//! | [`tree`] | any rooted tree over a group and what it costs |
//! | [`mask`] | splitting by telling everybody all labels |
//! | [`protocol`] | what a member does: passes over trees, splits, joins; programs that call them |
//!
//! # Source
//!
//! `chochia1996`.

pub mod group;
pub mod mask;
pub mod protocol;
pub mod range;
pub mod rank_halving;
pub mod tree;

pub use group::Group;
pub use tree::Tree;

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
//! | [`adversary`] | groups on which rank-halving trees are worst |
//! | [`group`] | a set of nodes in some order, and what splitting it means |
//! | [`label_file`] | the members of a group and their labels, read from a file |
//! | [`rank_halving`] | the paper's synchronisation trees, as a formula of rank and size |
//! | [`tree`] | any rooted tree over a group and what it costs |
//! | [`paper`] | the paper's split: ranks and neighbours in the new trees found by routing on the old one |
//! | [`exchange`] | hubs, sweeps, binary trees of boxes: structures that know the shape of the group |
//! | [`contraction`] | splits that draw the trees of the new groups together |
//! | [`mask`] | splitting by telling everybody all labels |
//! | [`protocol`] | what a member does: passes over trees, splits, joins; programs that call them |
//! | [`nested`] | programs as async functions over a team: splits, conditionals, joins |
//! | [`history`] | which groups there were when, from what their members did |
//!
//! # Source
//!
//! `chochia1996`.

pub mod adversary;
pub mod contraction;
pub mod exchange;
pub mod group;
pub mod history;
pub mod label_file;
pub mod mask;
pub mod nested;
pub mod paper;
pub mod protocol;
pub mod rank_halving;
pub mod tree;

pub use group::Group;
pub use tree::Tree;

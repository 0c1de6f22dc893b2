//! Groups: arbitrary sets of nodes that split, synchronise and rejoin while they run.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | U, s | [`Group`], [`Group::size`] | nodes |
//! | I, rank I(v) | the [order](meshwright_network::topology::order) of a group, the place in [`Group::members`] | |
//! | T | [`Tree`], vertices named by their ranks | |
//! | phi(v) | the label, or colour, of a member | |
//! | d(u, v) | [`meshwright_network::topology::Topology::distance`] | links |
//!
//! | file | what |
//! |---|---|
//! | [`group`] | a set of nodes in some order, and what splitting it means |
//! | [`label_file`] | the members of a group and their labels, read from a file |
//! | [`extent`] | the farthest members, the most central one, what no barrier can beat |
//! | [`rank_halving`] | the paper's synchronisation trees, as a formula of rank and size |
//! | [`monotone_nearest`], [`entry_bisection`] | trees of the least height; trees of few edges and few children |
//! | [`tree`], [`trees`] | any rooted tree over a group and what it costs; the table of those there are |
//! | [`barrier_time`], [`portfolio`] | when a barrier ends where sending takes time too; the tree on which it ends first |
//! | [`rank_split`] | the paper's split: ranks and neighbours in the new trees found by routing on the old one |
//! | [`exchange`] | hubs, sweeps, binary trees of boxes: structures that know the shape of the group |
//! | [`contraction`] | splits that draw the trees of the new groups together |
//! | [`choice`] | which of the splits |
//! | [`prices`] | what splits cost on up to millions of ranks, in LogGP, beside those of others |
//! | [`mask`] | splitting by telling everybody all labels |
//! | [`curve_sort`] | splitting by sorting along a curve: any colours and keys, O(log s) memory |
//! | [`protocol`] | what a member does: passes over trees, splits, joins; programs that call them |
//! | [`nested`] | programs as async functions over a team: splits, conditionals, joins |
//! | [`history`] | which groups there were when, from what their members did |
//!
//! # Source
//!
//! `chochia1996`.

#![forbid(unsafe_code)]

pub mod barrier_time;
pub mod choice;
pub mod contraction;
pub mod curve_sort;
mod displacement;
pub mod entry_bisection;
pub mod exchange;
pub mod extent;
pub mod group;
pub mod history;
pub mod label_file;
pub mod mask;
pub mod monotone_nearest;
mod nearby;
pub mod nested;
pub mod portfolio;
pub mod prices;
pub mod protocol;
pub mod rank_halving;
pub mod rank_split;
pub mod tree;
pub mod trees;

pub use extent::Extent;
pub use group::Group;
pub use tree::Tree;
pub use trees::TREES;

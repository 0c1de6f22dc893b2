//! Splitting by sorting along a curve: any colours, any keys, O(log s) memory at a member.
//!
//! Members stand on a curve through the machine. Their records (colour, place on the curve, key, rank) are sorted by
//! Batcher's odd-even merging network: in each round a member compares with the one `2^j` places before or behind it,
//! whose node it knows. A curve that stays in one place keeps these near, so on an n x n mesh all rounds together take
//! O(n) steps, as Thompson and Kung found for bitonic sorting, although there are log2 s (log2 s + 1) / 2 of them.
//!
//! Sorted, the members of a new group are consecutive. A pass over the old tree tells every place where its group begins
//! and ends; the nodes beside it in the new tree, which are powers of two away, tell each other; and all of that goes to the
//! member whose record it is. Where there are keys, the records of each group are sorted once more, by key and old
//! rank, among its places; the place of a record is then the new rank of its member.
//!
//! The new group keeps the curve for its trees and its next split whatever its ranks are: keys do not make ways longer,
//! and nothing depends on the order of the ranks but ties.
//!
//! | packet | which way | what |
//! |---|---|---|
//! | extent, width | up and down | between which values the labels lie: what sets the length of a record |
//! | finger | `2^j` places | who is `2^(j+1)` places away |
//! | counts, before | up and down | of few colours: where every record goes |
//! | move | to its place | a record, over members that are powers of two of places apart |
//! | compare | `2^j` places | of many colours, or by key: a record |
//! | beside | 1 place | whether a group begins or ends here |
//! | ends, around | up and down | where the group begins and ends |
//! | edge | `2^j` places | the nodes at the ends of an edge of the new tree |
//! | seat, rank | to the member | what it has to know |
//!
//! | file | what |
//! |---|---|
//! | [`counting`] | sorting by few colours: one digit |
//! | [`network`] | the rounds of the sort |
//! | [`heap`] | a tree in which all edges are powers of two |
//! | [`record`] | labels as numbers of few bits |
//! | [`packet`] | what members send |
//! | [`fingers`] | who is `2^j` places away |
//! | [`splitting`] | the part of one member |
//! | `distribution` | its part in sorting by counting |
//! | `runs` | its part in what follows: ends of groups, edges of trees |
//! | [`scheme`] | it as a [`Scheme`](crate::protocol::Scheme) |
//!
//! # Source
//!
//! `batcher1968` for the network, `thompson1977` for its time on meshes; `sack2010` and `moody2011` split communicators by
//! sorting, without a place for the members. The exchange along a curve and the trees are ours.

pub mod counting;
mod distribution;
pub mod fingers;
pub mod heap;
pub mod network;
pub mod packet;
pub mod record;
mod runs;
pub mod scheme;
pub mod splitting;

pub use scheme::{CurvePlace, CurveSort};

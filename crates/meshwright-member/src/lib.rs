//! What one node does in a group that splits, synchronises and joins: a state machine without a system below it.
//!
//! No allocation, no clock, no thread: a [`Member`] begins an operation when it is asked to, takes messages that come,
//! and hands those it sends to a [`Port`]. The same code runs inside of the simulator, on threads and on MPI, where its
//! lists grow; on a [`chip`] they are bounded, and the memory of a node is a number that the compiler knows.
//!
//! | file | what |
//! |---|---|
//! | [`member`] | the state machine of one node |
//! | [`program`] | what it is asked to do |
//! | [`pass`] | up a tree and down again: who waits for whom |
//! | [`words`] | passes that carry words: barrier, broadcast, reduce, all-reduce, scan |
//! | [`scheme`] | how groups are split, and in which memory |
//! | [`tree`] | the edges of a member in the tree of its group |
//! | [`halving`] | the paper's synchronisation trees, as a formula of rank and size |
//! | [`functions`], [`routing`] | lemma 2: what a vertex knows; figure 3: where a packet goes next |
//! | [`packet`], [`splitting`] | what members send in a split; its six steps at one member |
//! | [`list`] | lists, of bounded size or not |
//! | [`chip`] | the paper's split in bounded memory, and its messages of 16 bytes |
//! | `c` | the same for C: `include/meshwright_member.h` |
//!
//! # Memory
//!
//! A member inside of L - 1 splits, with room for E messages that come early and for H packets that are held, takes
//! `size_of::<ChipMember<L, E, H>>()` bytes whatever the size of its groups: no field grows with it. `tests/memory.rs` holds
//! these numbers, on targets of 64 bits:
//!
//! | L | E | H | bytes | of these for each group |
//! |--:|--:|--:|--:|--:|
//! | 1 | 2 | 0 | 424 | 208 |
//! | 2 | 6 | 0 | 792 | 208 |
//! | 4 | 10 | 0 | 1368 | 208 |
//! | 8 | 18 | 0 | 2520 | 208 |
//! | 8 | 20 | 32 | 5672 | 592 |
//!
//! H = 0 suffices without step 2 where channels keep the order of messages: what a vertex needs to send a packet on was sent
//! to it before the packet was. With step 2 it is what climbs out of the sub-tree of one child, `3 log2 s + 3` by lemma 4 as
//! corrected (searched up to s = 5461, not proved); on channels without order twice as much. E: a member is ahead of another
//! one of its group by one operation at most if that waits for all, so that two children or a parent may be early at each
//! level, and one root of another group. A broadcast and a reduction do not wait: a program that calls many of them in a
//! row puts a barrier between. A list that is too short is [`Full`], never a wrong answer.
//!
//! # What was checked
//!
//! All interleavings of calls and deliveries in small groups, for all colourings; `tests/exhaustive.rs` counts the states. S: which
//! of the steps 2 and 5 are done; "most": messages that were early and packets that were held at one member.
//!
//! | program | S | order | members | colourings | states | most |
//! |---|---|---|--:|--:|--:|--:|
//! | barrier, scan | without 2, 5 | any | 5 | 1 | 307 | 2, 0 |
//! | split | without 2, 5 | kept | 4 | 16 | 3084 | 2, 0 |
//! | split | without 2, 5 | any | 4 | 16 | 17960 | 2, 2 |
//! | split | all | kept | 4 | 16 | 7578 | 2, 2 |
//! | split | all | any | 4 | 16 | 32166 | 2, 4 |
//! | split, sum, join | without 2, 5 | kept | 4 | 16 | 18126 | 3, 0 |
//! | split, sum, join | without 2, 5 | any | 3 | 8 | 5292 | 2, 2 |
//! | split, sum, join | all | any | 3 | 8 | 3666 | 2, 3 |
//! | split, split, join, join | without 2, 5 | kept | 3 | 64 | 17716 | 2, 0 |
//! | split | without 2, 5 | kept | 6 | 64 | 458696 | 2, 0 |
//! | split | without 2, 5 | any | 5 | 32 | 1190200 | 2, 3 |
//! | split | all | any | 5 | 32 | 2390808 | 2, 5 |
//! | split, sum, join | without 2, 5 | kept | 5 | 32 | 297542 | 3, 0 |
//! | split, split, join, join | all | any | 3 | 64 | 76796 | 2, 3 |
//!
//! # Source
//!
//! `chochia1996`, section 3.

#![no_std]
#![cfg_attr(not(feature = "c"), forbid(unsafe_code))]

#[cfg(feature = "c")]
mod c;
pub mod chip;
pub mod functions;
pub mod halving;
pub mod list;
pub mod member;
pub mod packet;
pub mod pass;
pub mod program;
pub mod routing;
pub mod scheme;
pub mod splitting;
pub mod tree;
pub mod words;

pub use chip::Chip;
pub use list::{Full, List};
pub use member::{Member, Port};
pub use program::{Act, Label, Operator, Over};
pub use scheme::{Outbox, Scheme};
pub use splitting::Steps;
pub use tree::{Edges, Place, Side};
pub use words::WordOperation;

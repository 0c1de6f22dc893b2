//! Collective operations as data flow: published algorithms, lower bounds, and a search for better ones.
//!
//! | file | what |
//! |---|---|
//! | [`operation`] | [`Operation`]: broadcast, all-reduce, ... |
//! | [`task`] | [`Task`]: an operation of the living nodes of a machine |
//! | [`flow`] | [`Flow`](flow::Flow): which member sends which blocks to which other, in which step |
//! | [`check`] | the symbolic proof that every contribution reaches every result exactly once |
//! | `schedule` | from a flow to a schedule that can be simulated |
//! | [`ranges`] | sets of blocks |
//! | [`turns`] | peers on boxes: dimensions take turns |
//! | [`shape`] | trees, butterflies, operations made of others |
//! | [`tree_line`] | trees over a line, and over a box axis by axis |
//! | [`line`](mod@line) | all-gathers of members in a line or a ring |
//! | [`prefix`] | sums of runs of members, and what lies before a run |
//! | [`product`] | from lines to boxes, axis by axis |
//! | [`algorithm`] | the table of [`Algorithm`]s |
//! | [`algorithms`] | the algorithms, one file for each family |
//! | [`msccl`] | a flow as an algorithm of MSCCL |
//! | [`predict`] | the time of a flow before it is simulated |
//! | [`chunks`] | into how many chunks messages are cut |
//! | [`bound`] | a time that no algorithm beats |
//! | [`synthesis`] | schedules of our own, searched for |

#![forbid(unsafe_code)]

pub mod algorithm;
pub mod algorithms;
pub mod bound;
pub mod check;
pub mod chunks;
pub mod flow;
pub mod line;
pub mod msccl;
pub mod operation;
pub mod predict;
pub mod prefix;
pub mod product;
pub mod ranges;
mod schedule;
pub mod shape;
pub mod synthesis;
pub mod task;
pub mod tree_line;
pub mod turns;

pub use algorithm::Algorithm;
pub use operation::{OPERATIONS, Operation};
pub use task::Task;

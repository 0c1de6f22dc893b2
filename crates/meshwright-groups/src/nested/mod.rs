//! Nested data-parallel programs: what a member does, written as an `async fn` over its team.
//!
//! A [`Team`] is the group a member is in. What a group does together is awaited: [`Team::barrier`],
//! [`Team::all_reduce`] and their like for words, [`Team::all_reduce_with`] and its like for values of any
//! [`Wire`](meshwright_core::wire::Wire) type, [`Team::send`] and [`Team::receive`] from rank to rank; [`Team::split`] makes a [`Part`], and [`Part::join`] ends it. The conditionals
//! are those of a PRAM: in [`Team::branch`] and [`Team::switch`] each branch runs in its own sub-team, synchronous
//! inside, and waits for no other branch until all have come to its end and are one team again.
//!
//! A [`Run`] makes such a function a [`Program`](super::protocol::Program): it polls the function until that waits for
//! an operation, and hands the operation to whoever drives the member. So there is no executor, and a program knows
//! neither the machine nor the way groups are split.
//!
//! | file | what |
//! |---|---|
//! | [`team`] | the handle a program holds |
//! | `values` | values of any type: from rank to rank, reduced, scanned, gathered, kept |
//! | [`run`] | a program that runs |
//!
//! # Examples
//!
//! The conditional `if rank is odd { step twice } else { step once }`: the sum of what the branches return.
//!
//! ```
//! use meshwright_groups::nested::{Run, Team};
//! use meshwright_groups::protocol::{Here, Operation, Operator, Outcome, Program};
//! use meshwright_core::units::{Cycles, NodeId};
//!
//! async fn body(team: &mut Team) -> u64 {
//!     let steps = team
//!         .branch(
//!             team.rank() % 2 == 1,
//!             async |odd| {
//!                 odd.step(Cycles(5)).await;
//!                 odd.step(Cycles(5)).await;
//!                 2
//!             },
//!             async |even| {
//!                 even.step(Cycles(5)).await;
//!                 1
//!             },
//!         )
//!         .await;
//!     team.all_reduce(Operator::Sum, steps).await
//! }
//!
//! // Driven by hand: a member that is alone in its group and hears only its own voice.
//! let mut run = Run::of(body);
//! let (mut level, mut outcome, mut called) = (0, Outcome::Done, vec![]);
//! loop {
//!     let here = Here { node: NodeId(0), rank: 0, size: 1, level, now: Cycles(0), outcome };
//!     let operation = run.next(here);
//!     (level, outcome) = match operation {
//!         Operation::Split(_) => (level + 1, Outcome::Done),
//!         Operation::Join => (level - 1, Outcome::Done),
//!         Operation::AllReduce(_, value) => (level, Outcome::Value(value)),
//!         Operation::Stop => break,
//!         _ => (level, Outcome::Done),
//!     };
//!     called.push(operation);
//! }
//! assert_eq!(run.result(), Some(&1));
//! assert_eq!(called.len(), 5, "split, compute, barrier, join, all-reduce: {called:?}");
//! ```
//!
//! # Source
//!
//! `chochia1996`, section 1.1: the conditional of a PRAM language forms groups that proceed on their own and are one
//! again at its end.

pub mod run;
pub mod team;
mod values;

pub use run::Run;
pub use team::{Part, Team};

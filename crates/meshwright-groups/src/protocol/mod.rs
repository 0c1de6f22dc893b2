//! The protocol of a member: passes over trees, splits, joins; programs that call them.
//!
//! Every member is a [`Process`](meshwright_schedule::Process). It keeps one level for each split it is inside of, runs the
//! operations its [`Program`] asks for one after the other, and waits for nobody but the members of its own group: groups
//! proceed on their own. How a group is split, and what a member knows of its group, is a [`Scheme`]. The state machine
//! itself is that of [`meshwright_member`], which needs no system below it; here its lists grow.
//!
//! | file | what |
//! |---|---|
//! | [`program`] | what a member is asked to do next |
//! | [`scheme`] | how groups are split |
//! | [`Children`] | those of a member, without memory of their own where they are few |
//! | [`pass`] | what passes over trees carry: words, lists |
//! | [`member`] | the state machine of one node, as a process with a program |
//! | [`members`](mod@members) | those of all nodes, and of the next run in the same memory |
//! | [`direct`] | messages from one member to another |
//! | [`hosted`], [`grown`] | a scheme as that machine sees it; lists that grow |

mod children;
pub mod direct;
pub mod grown;
pub mod hosted;
pub mod member;
pub mod members;
pub mod pass;
pub mod program;
pub mod scheme;

pub use children::Children;
pub use member::{LogEntry, Member};
pub use members::{members, renew};
pub use program::{Around, Here, Operation, Operator, Outcome, Program, Script};
pub use scheme::{Join, Label, Links, Outbox, Position, Scheme, Side};

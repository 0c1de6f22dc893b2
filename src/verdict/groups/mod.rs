//! Verdicts on programs of groups: every split on every tree bounded, predicted and simulated.
//!
//! | file | what |
//! |---|---|
//! | `job` | [`Job`]: a program of splits, barriers and joins as it is asked for |
//! | `methods` | [`METHODS`]: which trees go with which splits |
//! | `engine`, `alone` | what it runs on; a network where nobody is in anybody's way |
//! | `program` | one repetition, and how long each operation took each group |
//! | `bound` | what no method can beat |
//! | `shown` | one split with every function, tree and message |
//! | [`experiment`] | many repetitions, by the size of the group |

mod alone;
mod bound;
mod engine;
pub mod experiment;
mod job;
mod methods;
pub mod program;
mod shown;

pub use bound::{diameter, least_cycles};
pub use engine::{ENGINES, Engine};
pub use job::{Drawn, Job, LEVELS_MAX, Labels, Pace, REPEAT_MAX, Round};
pub use methods::{LabelsKnown, METHODS, Method, Viewed, Visitor, methods, splits, trees};
pub use shown::{Functions, NewTree, Shown, Vertex, show};

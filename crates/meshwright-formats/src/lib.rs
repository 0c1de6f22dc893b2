//! The edge: files that people and programs write, read with the place of every fault; JSON forms of what is answered.
//!
//! | module | what |
//! |---|---|
//! | [`certificate`] | lower bounds with what proves them |
//! | [`json`] | what verdicts look like in files |
//! | [`perfetto`] | runs as Chrome trace events |
//! | [`presets`] | machines by name |
//! | [`task_files`] | tasks from files of other programs |
//! | [`trace`] | traces of real programs: transactions of processors |
//! | [`scenario`] | TOML scenarios; machines and tasks by their specification; claims of loads |

#![forbid(unsafe_code)]

pub mod barrier_table;
pub mod certificate;
pub mod json;
pub mod perfetto;
pub mod presets;
pub mod scenario;
pub mod task_files;
pub mod trace;

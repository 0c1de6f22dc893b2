//! The edge: files that people and programs write, read with the place of every fault; JSON forms of what is answered.
//!
//! | module | what |
//! |---|---|
//! | [`json`] | what verdicts look like in files |
//! | [`scenario`] | TOML scenarios; machines and tasks by their specification; claims of loads |

#![forbid(unsafe_code)]

pub mod json;
pub mod scenario;

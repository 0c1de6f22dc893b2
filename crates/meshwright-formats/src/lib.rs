//! Files that people and programs write for Meshwright, read with the place of every fault.
//!
//! | module | what |
//! |---|---|
//! | [`scenario`] | TOML scenarios; machines and tasks by their specification; claims of loads |

#![forbid(unsafe_code)]

pub mod scenario;

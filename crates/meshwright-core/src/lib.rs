//! The base of every crate of Meshwright: units, errors, random numbers, text, files.
//!
//! | module | what |
//! |---|---|
//! | [`units`] | cycles, bytes, hops, ids of nodes and links |
//! | [`error`] | [`Error`]: what is not accepted, where it stands and what would be |
//! | `find` | [`find()`], [`unknown`]: entries of a table by their names, with the nearest one in the error |
//! | [`rng`] | streams of random numbers from a seed and a purpose |
//! | [`text`] | readers that know line and column; names made fit for a terminal |
//! | [`words`] | percentages, digits in groups, counts with their noun |
//! | [`exact`] | fractions of any size |
//! | [`statistics`] | means and their confidence |
//! | [`csr`], [`bits`] | compressed rows; the set bits of a word |
//! | [`budget`] | memory priced before it is taken |
//! | [`interrupt`] | signals |
//! | [`wire`] | values as bytes |
//! | [`output`] | files that appear together or not at all |

#![forbid(unsafe_code)]

pub mod bits;
pub mod budget;
pub mod csr;
pub mod error;
pub mod exact;
mod find;
pub mod interrupt;
pub mod output;
pub mod rng;
pub mod statistics;
pub mod text;
pub mod units;
pub mod wire;
pub mod words;

pub use error::{Error, Result};
pub use find::{find, find_or, same_word, unknown};

//! Unmodified programs in C and Fortran under the real `mpirun`, with and without the library.

#![allow(clippy::disallowed_methods, reason = "tests run programs, read files and wait")]

mod declared;
mod fallback;
mod graphs;
mod grids;
mod kept;
mod packaged;
mod plans;
mod started;

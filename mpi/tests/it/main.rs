//! Everything here starts real ranks with `mpirun`; what needs none is tested in the library.

#![allow(clippy::disallowed_methods, reason = "tests run programs, read files and wait")]

mod divide;
mod endpoint;
mod frame;
mod groups;
mod launch;
mod lost;
mod mpirun;
mod race;
mod ranks;
mod run;
mod scatter;
mod slurm;
mod sort;
mod sweep;

//! Everything here starts real ranks with `mpirun`; what needs none is tested in the library.

mod endpoint;
mod frame;
mod groups;
mod launch;
mod lost;
mod divide;
mod mpirun;
mod ranks;
mod run;
mod scatter;
mod slurm;
mod sort;
mod sweep;

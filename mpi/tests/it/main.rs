//! Everything here starts real ranks with `mpirun`; what needs none is tested in the library.

mod endpoint;
mod frame;
mod launch;
mod lost;
mod mpirun;
mod ranks;
mod slurm;
mod sort;
mod sweep;

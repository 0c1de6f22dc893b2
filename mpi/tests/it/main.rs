//! Everything here starts real ranks with `mpirun`; what needs none is tested in the library.

mod endpoint;
mod frame;
mod lost;
mod mpirun;
mod ranks;
mod sort;
mod sweep;

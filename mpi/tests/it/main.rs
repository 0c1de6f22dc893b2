//! Everything here starts real ranks with `mpirun`; what needs none is tested in the library.

mod launch;
mod mpirun;
mod ranks;

//! What a process knows of where it is.

use std::ffi::c_char;

use meshwright_hosts::launcher::seats::{Carried, Seat};
use meshwright_hosts::reorder::Process;
use serde::{Deserialize, Serialize};

use crate::library::{Constants, Functions, Raw};
use crate::settings::variable;

/// A [`Process`] on its way to the one that plans.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Here {
    seat: Carried,
    world: u32,
    /// How many processes the world has.
    pub(crate) worlds: u32,
    package: Option<u32>,
    switches: Vec<String>,
}

impl Here {
    /// This process, as a member of a communicator.
    ///
    /// # Safety
    ///
    /// MPI runs, and the communicator is one.
    pub(crate) unsafe fn find(functions: &Functions, constants: &Constants, comm: Raw) -> Self {
        let mut is_initialized = 0;
        let (mut rank, mut ranks) = (0, 0);
        // SAFETY: the world is one where MPI was initialised; without it, by sessions, the communicator has to do.
        unsafe {
            (functions.Initialized)(&mut is_initialized);
            let world = if is_initialized != 0 { constants.world } else { comm };
            (functions.Comm_rank)(world, &mut rank);
            (functions.Comm_size)(world, &mut ranks);
        }
        let seat = Seat::here(host(functions));
        let package = package(&seat.processors);
        let [address, pattern] = ["SLURM_TOPOLOGY_ADDR", "SLURM_TOPOLOGY_ADDR_PATTERN"].map(variable);
        let switches = match (address, pattern) {
            (Some(address), Some(pattern)) => Process::switches(&address, &pattern),
            _ => Vec::new(),
        };
        Self { seat: seat.into(), world: rank as u32, worlds: ranks as u32, package, switches }
    }

    /// A process that is known already.
    #[cfg(test)]
    pub(crate) fn of(process: Process, worlds: u32) -> Self {
        let Process { seat, world, package, switches } = process;
        Self { seat: seat.into(), world, worlds, package, switches }
    }

    /// What it has told.
    pub(crate) fn process(self) -> Process {
        let Self { seat, world, package, switches, .. } = self;
        Process { seat: seat.into(), world, package, switches }
    }
}

/// The name that MPI gives the host.
fn host(functions: &Functions) -> String {
    // MPI_MAX_PROCESSOR_NAME is 128 in one and 256 in the other.
    let mut name = [0 as c_char; 1024];
    let mut length = 0;
    // SAFETY: the name is as long as any MPI wants it.
    unsafe { (functions.Get_processor_name)(name.as_mut_ptr(), &mut length) };
    let bytes: Vec<u8> = name.iter().take(length.clamp(0, 1024) as usize).map(|&byte| byte as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The package that all these processors belong to.
#[expect(clippy::disallowed_methods, reason = "what the kernel tells of processors")]
fn package(processors: &[u32]) -> Option<u32> {
    let of = |processor: &u32| -> Option<u32> {
        let file = format!("/sys/devices/system/cpu/cpu{processor}/topology/physical_package_id");
        std::fs::read_to_string(file).ok()?.trim().parse().ok()
    };
    let first = of(processors.first()?)?;
    processors[1..].iter().all(|processor| of(processor) == Some(first)).then_some(first)
}

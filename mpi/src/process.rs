//! The process of a rank.

use std::fmt;

use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};

/// The longest host name, in bytes; longer ones are cut.
const NAME: usize = 60;

/// Where a rank runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// The host's name.
    pub host: String,
    /// The number of the process on that host.
    pub id: u32,
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} on {}", self.id, self.host)
    }
}

/// All processes, by rank; all ranks call this together.
pub(crate) fn gather(world: &SimpleCommunicator) -> Vec<Process> {
    let host = mpi::environment::processor_name().unwrap_or_else(|_| "an unknown host".to_string());
    let mut own = [0_u8; NAME + 4];
    for (place, byte) in own[..NAME].iter_mut().zip(host.bytes()) {
        *place = byte;
    }
    own[NAME..].copy_from_slice(&std::process::id().to_le_bytes());
    let mut all = vec![0_u8; own.len() * world.size() as usize];
    world.all_gather_into(&own[..], &mut all[..]);
    let (all, _) = all.as_chunks::<{ NAME + 4 }>();
    all.iter()
        .map(|one| {
            let (name, id) = one.split_last_chunk().expect("the number stands last");
            let host = String::from_utf8_lossy(name).trim_end_matches('\0').to_string();
            Process { host, id: u32::from_le_bytes(*id) }
        })
        .collect()
}

/// How many ranks share a core of this rank's host, rounded up.
pub(crate) fn crowd(processes: &[Process], own: usize) -> u32 {
    let here = processes.iter().filter(|process| process.host == processes[own].host).count();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    here.div_ceil(cores) as u32
}

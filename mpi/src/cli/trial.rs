//! Hidden options of `ranks`: what goes wrong on purpose, so that tests see how the frame ends.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use meshwright_core::Error;
use meshwright_mpi::MpiEndpoint;
use meshwright_runtime::transport::Endpoint;
use mpi::traits::CommunicatorCollectives;

use super::Failure;

#[derive(Args)]
pub(super) struct Trial {
    /// Every rank makes a file of its number in this folder when it begins
    #[arg(long, value_name = "FOLDER", hide = true)]
    ready: Option<PathBuf>,
    /// All ranks compute for so many seconds
    #[arg(long, value_name = "SECONDS", hide = true)]
    compute: Option<u32>,
    /// Rank 0 computes for so many seconds, while the others wait for it inside of MPI_Barrier
    #[arg(long, value_name = "SECONDS", hide = true)]
    block: Option<u32>,
    /// Lost ranks are forgiven
    #[arg(long, hide = true)]
    forgive: bool,
    /// This rank panics
    #[arg(long, value_name = "RANK", hide = true)]
    panic: Option<u32>,
    /// This rank finds its input unacceptable; 0: all ranks do
    #[arg(long, value_name = "RANK", hide = true)]
    refuse: Option<u32>,
}

impl Trial {
    /// Whether it calls operations of MPI that block.
    pub(super) fn blocks(&self) -> bool {
        self.block.is_some()
    }

    /// Lets happen what is asked for.
    pub(super) fn run(&self, endpoint: &mut MpiEndpoint) -> Result<(), Failure> {
        let own = endpoint.rank();
        assert!(self.panic != Some(own), "this rank was asked to panic");
        if self.refuse.is_some_and(|rank| rank == own || rank == 0) {
            return Err(Error::not_applicable("the trial", format!("rank {own} was asked to refuse")).into());
        }
        if let Some(folder) = &self.ready {
            let file = folder.join(own.to_string());
            meshwright_core::output::write_atomically(&file, "")?;
        }
        if self.forgive {
            endpoint.forgive();
        }
        if let Some(seconds) = self.compute.or(self.block.filter(|_| own == 0)) {
            endpoint.tell("computing");
            endpoint.compute(|| std::thread::sleep(Duration::from_secs(seconds.into())))?;
        }
        if self.blocks() {
            endpoint.tell("waiting inside of MPI");
            endpoint.attendant().during(|| endpoint.world().barrier());
        }
        Ok(())
    }
}

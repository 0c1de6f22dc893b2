//! `--rank-order`: ranks in the order of an `MPICH_RANK_ORDER` file, where MPI itself does not read it.

use std::path::Path;

use meshwright_core::{Error, Result};
use meshwright_hosts::launcher::expected;
use mpi::topology::{Color, SimpleCommunicator};
use mpi::traits::{Communicator, Root};

/// The world of the verbs: what was started as rank k is rank `order[k]`.
///
/// The file is read by rank 0 alone, which alone has the error.
pub(super) fn world(
    world: &SimpleCommunicator,
    file: Option<&Path>,
) -> std::result::Result<SimpleCommunicator, Option<Error>> {
    let Some(file) = file else { return Ok(world.duplicate()) };
    let ranks = world.size() as usize;
    let mut error = None;
    let mut order = vec![0_u32; ranks];
    let mut is_read = false;
    if world.rank() == 0 {
        match read(file, ranks) {
            Ok(read) => (order, is_read) = (read, true),
            Err(refused) => error = Some(refused),
        }
    }
    let root = world.process_at_rank(0);
    root.broadcast_into(&mut is_read);
    if !is_read {
        return Err(error);
    }
    root.broadcast_into(&mut order[..]);
    let key = order[world.rank() as usize] as i32;
    Ok(world.split_by_color_with_key(Color::with_value(0), key).expect("a colour makes a member"))
}

fn read(file: &Path, ranks: usize) -> Result<Vec<u32>> {
    let order = expected::rank_order(file)?;
    if order.len() == ranks {
        return Ok(order);
    }
    let expected = format!("{}, as {} has", order.len(), file.display());
    Err(Error::value("number of ranks", ranks, expected))
}

//! The collective operations of MPI.

use meshwright_collectives::Operation;
use meshwright_demos::speedup::Collectives;
use meshwright_runtime::collective::Library;
use meshwright_runtime::transport::Lost;
use mpi::Count;
use mpi::collective::SystemOperation;
use mpi::datatype::{Partition, PartitionMut};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Root};

use crate::endpoint::Attendant;

/// All ranks of a communicator; every operation blocks until MPI lets go. Meanwhile the attendant answers.
///
/// # Examples
///
/// ```no_run
/// use meshwright_demos::speedup::Collectives;
/// use meshwright_mpi::{Attendant, MpiCollectives};
/// let universe = mpi::initialize().expect("MPI is started once in a process");
/// let mut all = MpiCollectives::new(&universe.world(), Attendant::default());
/// assert_eq!(all.broadcast(0, vec![7])?, [7]);
/// # Ok::<(), meshwright_runtime::transport::Lost>(())
/// ```
pub struct MpiCollectives {
    world: SimpleCommunicator,
    attendant: Attendant,
}

impl MpiCollectives {
    /// In a communicator of their own; all ranks call this together.
    pub fn new(world: &SimpleCommunicator, attendant: Attendant) -> Self {
        Self { world: attendant.during(|| world.duplicate()), attendant }
    }

    fn is(&self, root: u32) -> bool {
        self.world.rank() as u32 == root
    }

    fn ranks(&self) -> usize {
        self.world.size() as usize
    }
}

/// Where each part begins when they stand one after the other.
fn starts(counts: &[Count]) -> Vec<Count> {
    let begin = |end: &mut Count, count: &Count| {
        let begin = *end;
        *end = end.checked_add(*count).expect("all parts together are shorter than 2 GiB");
        Some(begin)
    };
    counts.iter().scan(0, begin).collect()
}

fn count(length: usize) -> Count {
    Count::try_from(length).expect("a message of MPI is shorter than 2 GiB")
}

impl Collectives for MpiCollectives {
    const PREFIX: &'static str = "MPI_";

    /// `MPI_Bcast`, of the length first.
    fn broadcast(&mut self, root: u32, value: Vec<u8>) -> Result<Vec<u8>, Lost> {
        self.attendant.during(|| {
            let process = self.world.process_at_rank(root as i32);
            let mut length = value.len() as u64;
            process.broadcast_into(&mut length);
            let mut value = if self.is(root) { value } else { vec![0; length as usize] };
            process.broadcast_into(&mut value[..]);
            Ok(value)
        })
    }

    /// `MPI_Reduce`.
    fn sum(&mut self, root: u32, values: &[u64]) -> Result<Option<Vec<u64>>, Lost> {
        self.attendant.during(|| {
            let process = self.world.process_at_rank(root as i32);
            if !self.is(root) {
                process.reduce_into(values, SystemOperation::sum());
                return Ok(None);
            }
            let mut sums = vec![0; values.len()];
            process.reduce_into_root(values, &mut sums[..], SystemOperation::sum());
            Ok(Some(sums))
        })
    }

    /// `MPI_Scatterv`, after `MPI_Scatter` of the lengths.
    fn scatter(&mut self, root: u32, parts: Option<Vec<Vec<u8>>>) -> Result<Vec<u8>, Lost> {
        self.attendant.during(|| {
            let process = self.world.process_at_rank(root as i32);
            let mut length: Count = 0;
            let Some(parts) = parts else {
                process.scatter_into(&mut length);
                let mut part = vec![0u8; length as usize];
                process.scatter_varcount_into(&mut part[..]);
                return Ok(part);
            };
            let counts: Vec<Count> = parts.iter().map(|part| count(part.len())).collect();
            process.scatter_into_root(&counts[..], &mut length);
            let mut part = vec![0u8; length as usize];
            let all = parts.concat();
            let starts = starts(&counts);
            process.scatter_varcount_into_root(&Partition::new(&all[..], counts, starts), &mut part[..]);
            Ok(part)
        })
    }

    /// `MPI_Gatherv`, after `MPI_Gather` of the lengths.
    fn gather(&mut self, root: u32, bytes: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>, Lost> {
        self.attendant.during(|| {
            let process = self.world.process_at_rank(root as i32);
            let length = count(bytes.len());
            if !self.is(root) {
                process.gather_into(&length);
                process.gather_varcount_into(&bytes[..]);
                return Ok(None);
            }
            let mut counts: Vec<Count> = vec![0; self.ranks()];
            process.gather_into_root(&length, &mut counts[..]);
            let starts = starts(&counts);
            let mut all = vec![0u8; counts.iter().map(|count| *count as usize).sum()];
            let mut places = PartitionMut::new(&mut all[..], &counts[..], &starts[..]);
            process.gather_varcount_into_root(&bytes[..], &mut places);
            let part = |(start, count): (&Count, &Count)| all[*start as usize..][..*count as usize].to_vec();
            Ok(Some(starts.iter().zip(&counts).map(part).collect()))
        })
    }
}

impl Library for MpiCollectives {
    fn name(&self, operation: Operation) -> &'static str {
        use Operation as O;
        match operation {
            O::Broadcast => "MPI_Bcast",
            O::Reduce => "MPI_Reduce",
            O::Scatter => "MPI_Scatter",
            O::Gather => "MPI_Gather",
            O::AllGather => "MPI_Allgather",
            O::ReduceScatter => "MPI_Reduce_scatter_block",
            O::AllReduce => "MPI_Allreduce",
            O::AllToAll => "MPI_Alltoall",
            O::Barrier => "MPI_Barrier",
            O::Scan => "MPI_Scan",
        }
    }

    fn perform(&mut self, operation: Operation, root: u32, input: &[u64], output: &mut [u64]) {
        use Operation as O;
        let (world, is_root, sum) = (&self.world, self.is(root), SystemOperation::sum());
        let process = world.process_at_rank(root as i32);
        self.attendant.during(|| match operation {
            O::Broadcast => process.broadcast_into(output),
            O::Reduce if is_root => process.reduce_into_root(input, output, sum),
            O::Reduce => process.reduce_into(input, sum),
            O::Scatter if is_root => process.scatter_into_root(input, output),
            O::Scatter => process.scatter_into(output),
            O::Gather if is_root => process.gather_into_root(input, output),
            O::Gather => process.gather_into(input),
            O::AllGather => world.all_gather_into(input, output),
            O::ReduceScatter => world.reduce_scatter_block_into(input, output, sum),
            O::AllReduce => world.all_reduce_into(input, output, sum),
            O::AllToAll => world.all_to_all_into(input, output),
            O::Barrier => world.barrier(),
            O::Scan => world.scan_into(input, output, sum),
        });
    }
}

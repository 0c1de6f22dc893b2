//! One rank of MPI as an endpoint.
//!
//! Messages are sent with `MPI_Isend` from buffers that this endpoint keeps until MPI has done with them. The tag travels
//! behind the bytes, because MPI promises tags up to 32767 only.

#![allow(unsafe_code)] // rsmpi has no request that owns its buffer

use std::os::raw::c_int;
use std::time::{Duration, Instant};

use meshwright::transport::{Endpoint, Lost, Parcel};
use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{AsRaw, Communicator, MatchedReceiveVec, Source};

/// The tag of all messages of an endpoint.
const TAG: c_int = 1;

/// How long a rank that waits sleeps, at least and at most: ranks may share a core.
const SLEEP: (Duration, Duration) = (Duration::from_micros(1), Duration::from_millis(1));

/// One rank's end of the network.
pub struct MpiEndpoint {
    world: SimpleCommunicator,
    sending: Vec<(ffi::MPI_Request, Vec<u8>)>,
}

impl MpiEndpoint {
    /// The end of this process in a communicator of its own.
    pub fn new(world: &SimpleCommunicator) -> Self {
        Self { world: world.duplicate(), sending: Vec::new() }
    }

    /// The communicator.
    pub fn world(&self) -> &SimpleCommunicator {
        &self.world
    }

    /// Gives back the buffers of messages that are out.
    fn tidy(&mut self) {
        self.sending.retain_mut(|(request, _)| {
            let mut is_done: c_int = 0;
            // SAFETY: the request comes from `MPI_Isend` and is tested until it is done, once; the status is not asked for.
            unsafe { ffi::MPI_Test(request, &raw mut is_done, ffi::RSMPI_STATUS_IGNORE) };
            is_done == 0
        });
    }
}

impl Endpoint for MpiEndpoint {
    fn rank(&self) -> u32 {
        self.world.rank() as u32
    }

    fn ranks(&self) -> u32 {
        self.world.size() as u32
    }

    fn send(&mut self, to: u32, tag: u32, mut bytes: Vec<u8>) -> Result<(), Lost> {
        self.tidy();
        bytes.extend_from_slice(&tag.to_le_bytes());
        let count = c_int::try_from(bytes.len()).expect("a message of MPI is shorter than 2 GiB");
        // SAFETY: all values are set by the call before they are read; the buffer lives, and does not move, until the
        // request is done: it is owned by `sending`, which is emptied by `tidy` and `drop` alone.
        unsafe {
            let mut request = std::mem::zeroed();
            ffi::MPI_Isend(
                bytes.as_ptr().cast(),
                count,
                ffi::RSMPI_UINT8_T,
                to as c_int,
                TAG,
                self.world.as_raw(),
                &raw mut request,
            );
            self.sending.push((request, bytes));
        }
        Ok(())
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Parcel>, Lost> {
        let begin = Instant::now();
        let mut sleep = SLEEP.0;
        loop {
            if let Some(found) = self.world.any_process().immediate_matched_probe_with_tag(TAG) {
                let (mut bytes, status) = found.matched_receive_vec::<u8>();
                let (rest, tag) = bytes.split_last_chunk().expect("the tag travels behind the bytes");
                let (length, tag) = (rest.len(), u32::from_le_bytes(*tag));
                bytes.truncate(length);
                return Ok(Some(Parcel { from: status.source_rank() as u32, tag, bytes }));
            }
            self.tidy();
            if begin.elapsed() >= wait {
                return Ok(None);
            }
            std::thread::sleep(sleep);
            sleep = (sleep * 2).min(SLEEP.1);
        }
    }
}

impl Drop for MpiEndpoint {
    fn drop(&mut self) {
        while !self.sending.is_empty() {
            self.tidy();
            std::thread::yield_now();
        }
    }
}

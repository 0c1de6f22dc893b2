//! What MPI is asked for and not waited for.

#![allow(unsafe_code)] // rsmpi has no request that owns its buffer

use std::mem::MaybeUninit;
use std::os::raw::{c_char, c_int};

use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::AsRaw;

/// MPI's tag of what comes as a whole, and of pieces.
pub(super) const WHOLE: c_int = 1;
pub(super) const PIECE: c_int = 2;

/// A request of MPI: bytes that are on their way.
pub(super) struct Request(ffi::MPI_Request);

/// What has come: from whom, and how many bytes.
pub(super) struct Arrival {
    pub(super) from: u32,
    pub(super) count: usize,
}

impl Request {
    /// Begins to send.
    ///
    /// # Safety
    ///
    /// The bytes stay where they are until the request is done.
    pub(super) unsafe fn send(
        world: &SimpleCommunicator,
        to: u32,
        tag: c_int,
        bytes: &[u8],
    ) -> Result<Self, String> {
        let mut request = MaybeUninit::uninit();
        let (from, count) = (bytes.as_ptr().cast(), counted(bytes.len()));
        let world = world.as_raw();
        // SAFETY: the caller keeps the bytes.
        let code = unsafe {
            ffi::MPI_Isend(from, count, ffi::RSMPI_UINT8_T, to as c_int, tag, world, request.as_mut_ptr())
        };
        check(code)?;
        // SAFETY: MPI has set it, for there was no error.
        Ok(Self(unsafe { request.assume_init() }))
    }

    /// Begins to receive up to so many bytes, from one rank or from whomever.
    ///
    /// # Safety
    ///
    /// There is room for them, which stays and is used by nobody else until the request is done.
    pub(super) unsafe fn receive(
        world: &SimpleCommunicator,
        from: Option<u32>,
        tag: c_int,
        to: *mut u8,
        count: usize,
    ) -> Result<Self, String> {
        let mut request = MaybeUninit::uninit();
        // SAFETY: it is a constant of MPI.
        let from = from.map_or(unsafe { ffi::RSMPI_ANY_SOURCE }, |from| from as c_int);
        let (count, world) = (counted(count), world.as_raw());
        // SAFETY: the caller has room.
        let code = unsafe {
            ffi::MPI_Irecv(to.cast(), count, ffi::RSMPI_UINT8_T, from, tag, world, request.as_mut_ptr())
        };
        check(code)?;
        // SAFETY: MPI has set it, for there was no error.
        Ok(Self(unsafe { request.assume_init() }))
    }

    /// Whether MPI has done with it; after that it may be asked again.
    #[inline]
    pub(super) fn is_done(&mut self) -> Result<bool, String> {
        let mut is_done: c_int = 0;
        // SAFETY: the request comes from MPI; once it is done MPI makes it the null request, which may be tested again.
        let code = unsafe { ffi::MPI_Test(&raw mut self.0, &raw mut is_done, ffi::RSMPI_STATUS_IGNORE) };
        check(code).map(|()| is_done != 0)
    }

    /// What has come, of a request to receive from whomever; not asked again once something has.
    #[inline]
    pub(super) fn arrival(&mut self) -> Result<Option<Arrival>, String> {
        let (mut is_done, mut count): (c_int, c_int) = (0, 0);
        let mut status = MaybeUninit::<ffi::MPI_Status>::uninit();
        // SAFETY: as for `is_done`; the status lives as long as the call.
        check(unsafe { ffi::MPI_Test(&raw mut self.0, &raw mut is_done, status.as_mut_ptr()) })?;
        if is_done == 0 {
            return Ok(None);
        }
        // SAFETY: something has come, so MPI has set the status.
        let from = unsafe {
            let status = status.assume_init();
            ffi::MPI_Get_count(&raw const status, ffi::RSMPI_UINT8_T, &raw mut count);
            status.MPI_SOURCE as u32
        };
        Ok(Some(Arrival { from, count: count as usize }))
    }

    /// Gives up to receive; afterwards nobody writes to the buffer. What has been received already is lost.
    pub(super) fn cancel(mut self) {
        // SAFETY: the request comes from MPI. A receive that is cancelled ends, whatever others do.
        unsafe {
            ffi::MPI_Cancel(&raw mut self.0);
            ffi::MPI_Wait(&raw mut self.0, ffi::RSMPI_STATUS_IGNORE);
        }
    }
}

fn counted(length: usize) -> c_int {
    c_int::try_from(length).expect("a piece is shorter than 2 GiB")
}

/// What MPI says about an error.
#[inline]
fn check(code: c_int) -> Result<(), String> {
    if code == ffi::MPI_SUCCESS as c_int {
        return Ok(());
    }
    let (mut text, mut length) = ([0_u8; ffi::MPI_MAX_ERROR_STRING as usize + 1], 0);
    // SAFETY: the text has room for the longest message.
    unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast::<c_char>(), &raw mut length) };
    let text = &text[..usize::try_from(length).unwrap_or(0).min(text.len())];
    Err(format!("MPI says: {}", String::from_utf8_lossy(text)))
}

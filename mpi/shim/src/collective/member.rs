//! A communicator whose operations are done by plans: what hangs at it as an attribute, and ends with it.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::{Mutex, OnceLock};

use super::run::Room;
use crate::agree::checked;
use crate::library::{Code, Constants, Functions, Library, Raw};

/// This process in a communicator.
pub(super) struct Member {
    /// A communicator of the same processes for messages of plans; nothing where plans do not suit.
    pub(super) comm: Option<Raw>,
    pub(super) rank: usize,
    pub(super) room: Mutex<Room>,
    /// Whether it lives as long as MPI.
    is_world: bool,
}

thread_local! {
    /// Whether a communicator is being made: what the MPI calls for that goes through.
    static IS_BUSY: Cell<bool> = const { Cell::new(false) };
}

impl Member {
    /// What hangs at a communicator of more than one process; the first time, all its processes make it together.
    ///
    /// # Safety
    ///
    /// It is a communicator, and all its processes come here in the same call.
    pub(super) unsafe fn of<'a>(
        functions: &Functions,
        constants: &Constants,
        comm: Raw,
    ) -> Result<Option<&'a Self>, Code> {
        if IS_BUSY.get() {
            return Ok(None);
        }
        let key = *KEY.get_or_init(|| key(functions));
        let Some(key) = key else { return Err(16) };
        let (mut value, mut is_there) = (std::ptr::null_mut::<c_void>(), 0);
        // SAFETY: nobody else has this key, and the box lives as long as the communicator.
        unsafe {
            checked((functions.Comm_get_attr)(comm, key, (&raw mut value).cast(), &mut is_there))?;
            if is_there != 0 {
                return Ok(Some(&*value.cast::<Self>()));
            }
            IS_BUSY.set(true);
            let made = Self::make(functions, constants, comm);
            IS_BUSY.set(false);
            let value = Box::into_raw(Box::new(made?));
            checked((functions.Comm_set_attr)(comm, key, value.cast()))?;
            Ok(Some(&*value))
        }
    }

    unsafe fn make(functions: &Functions, constants: &Constants, comm: Raw) -> Result<Self, Code> {
        let (mut is_inter, mut rank) = (0, 0);
        // SAFETY: it is a communicator; a handle of any MPI fits.
        unsafe {
            checked((functions.Comm_test_inter)(comm, &mut is_inter))?;
            checked((functions.Comm_rank)(comm, &mut rank))?;
            let is_ordered = is_inter == 0 && is_ordered(functions, constants, comm)?;
            let mut own = None;
            if is_ordered {
                let (mut made, mut handler) = (0_u64, 0_u64);
                checked((functions.Comm_split)(comm, 0, rank, (&raw mut made).cast()))?;
                // Errors end as those of the communicator do.
                let code = (functions.Comm_get_errhandler)(comm, (&raw mut handler).cast());
                if code == 0 {
                    checked((functions.Comm_set_errhandler)(made as Raw, handler as Raw))?;
                    checked((functions.Errhandler_free)((&raw mut handler).cast()))?;
                }
                own = Some(made as Raw);
            }
            Ok(Self {
                comm: own,
                rank: rank as usize,
                room: Mutex::default(),
                is_world: constants.plain(comm) == constants.world,
            })
        }
    }
}

/// Whether the processes are of the own world, in its order.
unsafe fn is_ordered(functions: &Functions, constants: &Constants, comm: Raw) -> Result<bool, Code> {
    let (mut world, mut group, mut size) = (0_u64, 0_u64, 0);
    // SAFETY: both are communicators; handles of any MPI fit, and there is a number for each process.
    unsafe {
        checked((functions.Comm_size)(comm, &mut size))?;
        checked((functions.Comm_group)(comm, (&raw mut group).cast()))?;
        checked((functions.Comm_group)(constants.world, (&raw mut world).cast()))?;
        let from: Vec<c_int> = (0..size).collect();
        let mut to = vec![0; from.len()];
        let translate = functions.Group_translate_ranks;
        let code = translate(group as Raw, size, from.as_ptr(), world as Raw, to.as_mut_ptr());
        checked((functions.Group_free)((&raw mut group).cast()))?;
        checked((functions.Group_free)((&raw mut world).cast()))?;
        checked(code)?;
        // Who is of another world has a number below 0.
        Ok(to[0] >= 0 && to.is_sorted_by(|a, b| a < b))
    }
}

/// The key of the attribute, once a communicator has it.
static KEY: OnceLock<Option<c_int>> = OnceLock::new();

fn key(functions: &Functions) -> Option<c_int> {
    let mut key = 0;
    let (copy, delete) = (copy as *const c_void, delete as *const c_void);
    // SAFETY: the two functions are as MPI wants them.
    let code = unsafe { (functions.Comm_create_keyval)(copy, delete, &mut key, std::ptr::null_mut()) };
    (code == 0).then_some(key)
}

/// MPI copies a communicator: the copy makes its own when it needs it.
unsafe extern "C" fn copy(
    _: Raw,
    _: c_int,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut *mut c_void,
    is_copied: *mut c_int,
) -> c_int {
    // SAFETY: the place is that of MPI.
    unsafe { *is_copied = 0 };
    0
}

/// MPI frees a communicator, and all its processes take part in that.
unsafe extern "C" fn delete(_: Raw, _: c_int, value: *mut c_void, _: *mut c_void) -> c_int {
    // SAFETY: the value is a box of `of`, and nobody asks for it any more.
    let member = unsafe { Box::from_raw(value.cast::<Member>()) };
    let (Some(library), Some(comm), false) = (Library::get(), member.comm, member.is_world) else { return 0 };
    let (mut is_over, mut comm) = (0, comm as u64);
    // SAFETY: the communicator was made by `make`.
    unsafe {
        (library.functions.Finalized)(&mut is_over);
        if is_over == 0 { (library.functions.Comm_free)((&raw mut comm).cast()) } else { 0 }
    }
}

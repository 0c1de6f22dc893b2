//! Whether the program has loaded the driver of a device, so that its buffers may be in memory that only MPI can copy.

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How the files of drivers begin: those of NVIDIA, AMD and Intel.
const DRIVERS: [&[u8]; 3] = [b"libcuda.so", b"libhsa-runtime64.so", b"libze_loader.so"];

/// How many libraries had been loaded when somebody looked last, and whether a driver was among them.
static LOADED: AtomicU64 = AtomicU64::new(u64::MAX);
static IS_THERE: AtomicBool = AtomicBool::new(false);

/// Whether there is one. A program may load it at any time, so this looks again whenever something was loaded.
pub(super) fn has_devices() -> bool {
    let mut loaded = u64::MAX;
    // SAFETY: the function takes what it gets.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut loaded).cast()) };
    LOADED.store(loaded, Ordering::Relaxed);
    IS_THERE.load(Ordering::Relaxed)
}

/// Looks at one library; 1 ends it.
unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the linker gives a library with its name, and `data` is the number above.
    let (name, loaded) = unsafe {
        *data.cast::<u64>() = (*info).dlpi_adds;
        (CStr::from_ptr((*info).dlpi_name).to_bytes(), (*info).dlpi_adds)
    };
    if LOADED.load(Ordering::Relaxed) == loaded {
        return 1;
    }
    let file = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name);
    if DRIVERS.iter().any(|driver| file.starts_with(driver)) {
        IS_THERE.store(true, Ordering::Relaxed);
    }
    0
}

//! The program `meshwright-mpi`: every rank runs it.

#[path = "../../src/allocator.rs"]
mod allocator;
mod cli;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

/// Blocks of up to so many bytes, and as much free memory in all, stay with the process: fresh pages cost as much as the message that
/// is received into them. The first is the most that glibc allows.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: [(libc::c_int, libc::c_int); 2] =
    [(libc::M_MMAP_THRESHOLD, 32 << 20), (libc::M_TRIM_THRESHOLD, 256 << 20)];

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(unsafe_code, reason = "an option of the allocator, set before there are threads")]
    for (option, bytes) in KEPT {
        // SAFETY: it reads its arguments alone; what it does not accept it leaves as it was.
        unsafe { libc::mallopt(option, bytes) };
    }
    cli::run()
}

//! The allocator of the programs `meshwright` and `meshwright-mpi`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;

/// The allocator of the system. Where that has no more memory, the process ends: one sentence, exit code 2.
#[derive(Debug)]
pub(crate) struct Allocator;

// Each call is handed on as it came; what is added looks at the result only.
#[expect(unsafe_code, reason = "an allocator is unsafe by its nature")]
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        given(unsafe { System.realloc(old, layout, size) }, size)
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        unsafe { System.dealloc(old, layout) }
    }
}

/// What the system gave, if it gave something.
#[inline]
fn given(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() {
        refused(size);
    }
    memory
}

/// Says so without allocating, and ends.
#[cold]
#[allow(clippy::disallowed_methods, reason = "the program ends here")]
fn refused(size: usize) -> ! {
    let mut text = [0u8; 160];
    let mut rest = &mut text[..];
    _ = writeln!(
        rest,
        "error: this needs more memory than the process may have; {size} bytes more were refused"
    );
    let unused = rest.len();
    _ = std::io::stderr().write_all(&text[..160 - unused]);
    std::process::exit(2)
}

//! The MPI of the program: its functions and constants.
//!
//! Nothing is linked: the functions are looked up by name, and the constants are those of the two binary interfaces there are.
//! Handles of Open MPI are addresses of objects, those of MPICH and its relatives (Intel, Cray, MVAPICH) are numbers of 32 bits;
//! both travel in a register as a [`Raw`] word.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

use crate::collective::Kinds;

/// A handle as an argument: of MPICH only the lower 32 bits count.
pub(crate) type Raw = usize;

/// What a function of MPI returns when it has not succeeded.
pub(crate) type Code = c_int;

/// Functions, all of them under their names with `P` in front.
macro_rules! functions {
    ($(#[$about:meta])* $all:ident: $($name:ident($($kind:ty),*);)*) => {
        $(#[$about])*
        pub(crate) struct $all {
            $(pub(crate) $name: unsafe extern "C" fn($($kind),*) -> Code,)*
        }

        impl $all {
            fn find() -> Option<Self> {
                Some(Self {
                    // SAFETY: a function of this name in an MPI has these arguments.
                    $($name: unsafe {
                        std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($kind),*) -> Code>(
                            function(concat!("PMPI_", stringify!($name), "\0"))?)
                    },)*
                })
            }
        }
    };
}

functions! {
    /// What must go through whatever else is missing.
    Passed:
    Init(*mut c_int, *mut c_void);
    Init_thread(*mut c_int, *mut c_void, c_int, *mut c_int);
    Bcast(*mut c_void, c_int, Raw, c_int, Raw);
    Reduce(*const c_void, *mut c_void, c_int, Raw, Raw, c_int, Raw);
    Allreduce(*const c_void, *mut c_void, c_int, Raw, Raw, Raw);
}

impl Passed {
    /// Those of this process; nothing if it has no MPI.
    pub(crate) fn get() -> Option<&'static Self> {
        static PASSED: OnceLock<Option<Passed>> = OnceLock::new();
        PASSED.get_or_init(Self::find).as_ref()
    }
}

functions! {
    /// What this library itself calls.
    Functions:
    Initialized(*mut c_int);
    Finalized(*mut c_int);
    Comm_rank(Raw, *mut c_int);
    Comm_size(Raw, *mut c_int);
    Comm_test_inter(Raw, *mut c_int);
    Comm_split(Raw, c_int, c_int, *mut c_void);
    Comm_free(*mut c_void);
    Comm_create_keyval(*const c_void, *const c_void, *mut c_int, *mut c_void);
    Comm_set_attr(Raw, c_int, *mut c_void);
    Comm_get_attr(Raw, c_int, *mut c_void, *mut c_int);
    Comm_get_errhandler(Raw, *mut c_void);
    Comm_set_errhandler(Raw, Raw);
    Errhandler_free(*mut c_void);
    Comm_group(Raw, *mut c_void);
    Group_translate_ranks(Raw, c_int, *const c_int, Raw, *mut c_int);
    Group_free(*mut c_void);
    Type_size(Raw, *mut c_int);
    Type_get_extent(Raw, *mut isize, *mut isize);
    Type_get_envelope(Raw, *mut c_int, *mut c_int, *mut c_int, *mut c_int);
    Pack(*const c_void, c_int, Raw, *mut c_void, c_int, *mut c_int, Raw);
    Unpack(*const c_void, c_int, *mut c_int, *mut c_void, c_int, Raw, Raw);
    Isend(*const c_void, c_int, Raw, c_int, c_int, Raw, *mut c_void);
    Irecv(*mut c_void, c_int, Raw, c_int, c_int, Raw, *mut c_void);
    Waitsome(c_int, *mut c_void, *mut c_int, *mut c_int, *mut c_void);
    Reduce_local(*const c_void, *mut c_void, c_int, Raw, Raw);
    Ibarrier(Raw, *mut c_void);
    Test(*mut c_void, *mut c_int, *mut c_void);
    Bcast(*mut c_void, c_int, Raw, c_int, Raw);
    Gather(*const c_void, c_int, Raw, *mut c_void, c_int, Raw, c_int, Raw);
    Gatherv(*const c_void, c_int, Raw, *mut c_void, *const c_int, *const c_int, Raw, c_int, Raw);
    Sendrecv(*const c_void, c_int, Raw, c_int, c_int, *mut c_void, c_int, Raw, c_int, c_int, Raw, *mut c_void);
    Get_processor_name(*mut c_char, *mut c_int);
    Get_library_version(*mut c_char, *mut c_int);
    Cart_create(Raw, c_int, *const c_int, *const c_int, c_int, *mut c_void);
    Cart_get(Raw, c_int, *mut c_int, *mut c_int, *mut c_int);
    Cart_coords(Raw, c_int, c_int, *mut c_int);
    Cart_rank(Raw, *const c_int, *mut c_int);
    Cart_shift(Raw, c_int, c_int, *mut c_int, *mut c_int);
    Cart_sub(Raw, *const c_int, *mut c_void);
    Graph_create(Raw, c_int, *const c_int, *const c_int, c_int, *mut c_void);
    Dist_graph_create(Raw, c_int, *const c_int, *const c_int, *const c_int, *const c_int, Raw, c_int, *mut c_void);
    Dist_graph_create_adjacent(Raw, c_int, *const c_int, *const c_int, c_int, *const c_int, *const c_int, Raw, c_int,
        *mut c_void);
}

/// The constants of a binary interface.
pub(crate) struct Constants {
    /// Whether a handle is a number of 32 bits.
    pub(crate) is_narrow: bool,
    pub(crate) world: Raw,
    pub(crate) null: Raw,
    pub(crate) byte: Raw,
    pub(crate) int: Raw,
    pub(crate) unweighted: *const c_int,
    pub(crate) weights_empty: *const c_int,
    /// `MPI_PROC_NULL`.
    pub(crate) nobody: c_int,
    pub(crate) null_type: Raw,
    pub(crate) in_place: *const c_void,
    /// `MPI_STATUSES_IGNORE`.
    pub(crate) no_statuses: *mut c_void,
    /// `MPI_COMBINER_NAMED`.
    pub(crate) named: c_int,
    /// Datatypes and operators of numbers.
    pub(crate) kinds: Kinds,
}

impl Constants {
    /// A handle of which only what counts is left.
    pub(crate) fn plain(&self, handle: Raw) -> Raw {
        if self.is_narrow { handle as u32 as Raw } else { handle }
    }

    /// The bytes of a handle in memory.
    pub(crate) fn handle(&self) -> usize {
        if self.is_narrow { size_of::<u32>() } else { size_of::<Raw>() }
    }
}

// SAFETY: the pointers are only compared and passed on.
unsafe impl Send for Constants {}
// SAFETY: as above.
unsafe impl Sync for Constants {}

/// The MPI that the program uses.
pub(crate) struct Library {
    pub(crate) functions: Functions,
    /// None for an MPI of an unknown binary interface.
    pub(crate) constants: Option<Constants>,
    /// What it calls itself.
    pub(crate) version: String,
}

impl Library {
    /// The one of this process; nothing if it has none.
    pub(crate) fn get() -> Option<&'static Self> {
        static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
        LIBRARY.get_or_init(Self::find).as_ref()
    }

    fn find() -> Option<Self> {
        let functions = Functions::find()?;
        // MPI_MAX_LIBRARY_VERSION_STRING is 256 in one and 8192 in the other.
        let mut text = [0 as c_char; 8192];
        let mut length = 0;
        // SAFETY: the text is as long as any MPI wants it; it may be asked for before MPI_Init.
        unsafe { (functions.Get_library_version)(text.as_mut_ptr(), &mut length) };
        text[8191] = 0;
        // SAFETY: it ends with a zero.
        let version = unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy();
        let version = version.lines().next().unwrap_or_default().trim().to_string();
        let constants =
            if object("ompi_mpi_comm_world\0").is_some() { of_open_mpi() } else { of_mpich(&version) };
        Some(Self { functions, constants, version })
    }
}

fn of_open_mpi() -> Option<Constants> {
    let address = |name: &str| object(name).map(|address| address as Raw);
    Some(Constants {
        is_narrow: false,
        world: address("ompi_mpi_comm_world\0")?,
        null: address("ompi_mpi_comm_null\0")?,
        byte: address("ompi_mpi_byte\0")?,
        int: address("ompi_mpi_int\0")?,
        unweighted: std::ptr::without_provenance(2),
        weights_empty: std::ptr::without_provenance(3),
        nobody: -2,
        null_type: address("ompi_mpi_datatype_null\0")?,
        in_place: std::ptr::without_provenance(1),
        no_statuses: std::ptr::null_mut(),
        named: 0,
        kinds: Kinds::of_objects(address),
    })
}

/// MPICH, and those who agreed to be compatible with it: their libraries name themselves so.
fn of_mpich(version: &str) -> Option<Constants> {
    if !["MPICH", "Intel(R) MPI", "MVAPICH"].iter().any(|name| version.contains(name)) {
        return None;
    }
    let value = |name| {
        let variable = object(name)?.cast::<*const c_int>();
        // SAFETY: the symbol is a variable of this type.
        Some(unsafe { variable.read() })
    };
    Some(Constants {
        is_narrow: true,
        world: 0x4400_0000,
        null: 0x0400_0000,
        byte: 0x4c00_010d,
        int: 0x4c00_0405,
        unweighted: value("MPI_UNWEIGHTED\0")?,
        weights_empty: value("MPI_WEIGHTS_EMPTY\0")?,
        nobody: -1,
        null_type: 0x0c00_0000,
        in_place: std::ptr::without_provenance(usize::MAX),
        no_statuses: std::ptr::without_provenance_mut(1),
        named: 1,
        kinds: Kinds::of_numbers(),
    })
}

/// The libraries of MPI that a program may have loaded for itself alone, as Python does.
const LIBRARIES: [&CStr; 4] = [c"libmpi.so.40", c"libmpich.so.12", c"libmpi.so.12", c"libmpi.so"];

/// What comes after this library under a name that ends with a zero: a function.
fn function(name: &str) -> Option<*mut c_void> {
    symbol(name, libc::RTLD_NEXT)
}

/// What the whole program means by a name that ends with a zero: an object, of which the program itself may hold the one that
/// counts, copied there when it was loaded.
fn object(name: &str) -> Option<*mut c_void> {
    symbol(name, libc::RTLD_DEFAULT)
}

fn symbol(name: &str, whose: *mut c_void) -> Option<*mut c_void> {
    let name = CStr::from_bytes_with_nul(name.as_bytes()).expect("a zero at the end, and no other");
    // SAFETY: looking up needs nothing but a name.
    let found = unsafe { libc::dlsym(whose, name.as_ptr()) };
    if !found.is_null() {
        return Some(found);
    }
    LIBRARIES.iter().find_map(|library| {
        // SAFETY: nothing is loaded that is not there already.
        let found = unsafe {
            let handle = libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
            if handle.is_null() {
                return None;
            }
            libc::dlsym(handle, name.as_ptr())
        };
        Some(found).filter(|found| !found.is_null())
    })
}

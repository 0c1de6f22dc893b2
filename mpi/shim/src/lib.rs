//! A library to preload into unmodified MPI programs: communicators that ask for `reorder` are placed, and collective operations
//! done by plans.
//!
//! | file | what |
//! |---|---|
//! | this one | the functions of MPI that are intercepted |
//! | `library` | the MPI of the program: its functions and constants, found when they are first needed |
//! | `call` | what a program asks for, and what all processes do about it |
//! | `make` | the call as it is, or on a communicator in a new order |
//! | `order` | the communicator in the new order, and what processes pass on to those that have their ranks now |
//! | `agree` | one plan for all processes: they tell the first of them where they are, it plans and tells all |
//! | `plan` | what the first process does: machine, plan, words |
//! | `dealt` | grids whose ranks stay, for programs that use them elsewhere |
//! | `collective` | `MPI_Bcast`, `MPI_Reduce` and `MPI_Allreduce` by plans of the race |
//! | `here` | what a process knows of where it is |
//! | `settings` | the variables `MESHWRIGHT_...` |
//! | `say` | the log, and what is said when nothing is done |
//!
//! A call is intercepted by its name with and without `P` in front: so are the Fortran bindings, which end in one of the two.

#![cfg(target_os = "linux")]
#![allow(non_snake_case, reason = "the names of MPI")]
#![allow(unsafe_code, reason = "functions of C, called by C")]

mod agree;
mod call;
mod collective;
mod dealt;
mod here;
mod library;
mod make;
mod order;
mod plan;
mod say;
mod settings;

use std::ffi::{c_int, c_void};

use call::Call;
use library::Raw;

/// Both names of an intercepted function; what it does is the function of the second name.
macro_rules! intercept {
    ($($name:ident, $profiled:ident = $function:path as ($($argument:ident: $kind:ty),*);)*) => {$(
        /// As MPI defines it; what is changed says the page of this library.
        ///
        /// # Safety
        ///
        /// That of the function of MPI.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $kind),*) -> c_int {
            // SAFETY: the caller promises what MPI wants.
            unsafe { $function(stringify!($name), $($argument),*) }
        }

        /// As the function without `P`: Fortran programs and tools end here.
        ///
        /// # Safety
        ///
        /// That of the function of MPI.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $profiled($($argument: $kind),*) -> c_int {
            // SAFETY: the caller promises what MPI wants.
            unsafe { $function(stringify!($name), $($argument),*) }
        }
    )*};
}

intercept! {
    MPI_Cart_create, PMPI_Cart_create = cart as (comm: Raw, ndims: c_int, dims: *const c_int,
        periods: *const c_int, reorder: c_int, out: *mut c_void);
    MPI_Graph_create, PMPI_Graph_create = graph as (comm: Raw, nnodes: c_int, index: *const c_int,
        edges: *const c_int, reorder: c_int, out: *mut c_void);
    MPI_Dist_graph_create, PMPI_Dist_graph_create = dist_graph as (comm: Raw, n: c_int, sources: *const c_int,
        degrees: *const c_int, destinations: *const c_int, weights: *const c_int, info: Raw, reorder: c_int,
        out: *mut c_void);
    MPI_Dist_graph_create_adjacent, PMPI_Dist_graph_create_adjacent = adjacent as (comm: Raw, indegree: c_int,
        sources: *const c_int, source_weights: *const c_int, outdegree: c_int, destinations: *const c_int,
        destination_weights: *const c_int, info: Raw, reorder: c_int, out: *mut c_void);
}

// As they are, but for grids whose ranks stay.
intercept! {
    MPI_Cart_get, PMPI_Cart_get = dealt::get as (comm: Raw, most: c_int, dims: *mut c_int, periods: *mut c_int,
        coordinates: *mut c_int);
    MPI_Cart_coords, PMPI_Cart_coords = dealt::coords as (comm: Raw, rank: c_int, most: c_int,
        coordinates: *mut c_int);
    MPI_Cart_rank, PMPI_Cart_rank = dealt::rank as (comm: Raw, coordinates: *const c_int, rank: *mut c_int);
    MPI_Cart_shift, PMPI_Cart_shift = dealt::shift as (comm: Raw, dimension: c_int, steps: c_int,
        source: *mut c_int, target: *mut c_int);
    MPI_Cart_sub, PMPI_Cart_sub = dealt::sub as (comm: Raw, remains: *const c_int, out: *mut c_void);
}

// As they are, but for calls that a plan suits.
intercept! {
    MPI_Init, PMPI_Init = collective::init as (argc: *mut c_int, argv: *mut c_void);
    MPI_Init_thread, PMPI_Init_thread = collective::init_thread as (argc: *mut c_int, argv: *mut c_void, required: c_int,
        provided: *mut c_int);
    MPI_Bcast, PMPI_Bcast = collective::broadcast as (buffer: *mut c_void, count: c_int, datatype: Raw, root: c_int,
        comm: Raw);
    MPI_Reduce, PMPI_Reduce = collective::reduce as (input: *const c_void, output: *mut c_void, count: c_int,
        datatype: Raw, operator: Raw, root: c_int, comm: Raw);
    MPI_Allreduce, PMPI_Allreduce = collective::all_reduce as (input: *const c_void, output: *mut c_void, count: c_int,
        datatype: Raw, operator: Raw, comm: Raw);
}

unsafe fn cart(
    name: &'static str,
    comm: Raw,
    ndims: c_int,
    dims: *const c_int,
    periods: *const c_int,
    reorder: c_int,
    out: *mut c_void,
) -> c_int {
    let call = Call::Cart { ndims, dims, periods };
    // SAFETY: the pointers are those of the caller.
    unsafe { call::create(name, &call, comm, reorder, out) }
}

unsafe fn graph(
    name: &'static str,
    comm: Raw,
    nnodes: c_int,
    index: *const c_int,
    edges: *const c_int,
    reorder: c_int,
    out: *mut c_void,
) -> c_int {
    let call = Call::Graph { nnodes, index, edges };
    // SAFETY: the pointers are those of the caller.
    unsafe { call::create(name, &call, comm, reorder, out) }
}

#[expect(clippy::too_many_arguments, reason = "those of MPI")]
unsafe fn dist_graph(
    name: &'static str,
    comm: Raw,
    n: c_int,
    sources: *const c_int,
    degrees: *const c_int,
    destinations: *const c_int,
    weights: *const c_int,
    info: Raw,
    reorder: c_int,
    out: *mut c_void,
) -> c_int {
    let call = Call::DistGraph { n, sources, degrees, destinations, weights, info };
    // SAFETY: the pointers are those of the caller.
    unsafe { call::create(name, &call, comm, reorder, out) }
}

#[expect(clippy::too_many_arguments, reason = "those of MPI")]
unsafe fn adjacent(
    name: &'static str,
    comm: Raw,
    indegree: c_int,
    sources: *const c_int,
    source_weights: *const c_int,
    outdegree: c_int,
    destinations: *const c_int,
    destination_weights: *const c_int,
    info: Raw,
    reorder: c_int,
    out: *mut c_void,
) -> c_int {
    let incoming = call::Side { degree: indegree, neighbours: sources, weights: source_weights };
    let outgoing = call::Side { degree: outdegree, neighbours: destinations, weights: destination_weights };
    let call = Call::Adjacent { incoming, outgoing, info };
    // SAFETY: the pointers are those of the caller.
    unsafe { call::create(name, &call, comm, reorder, out) }
}

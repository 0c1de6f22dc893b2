//! What a program asks for, and the same on a communicator in a new order.
//!
//! The process that becomes rank r makes the call that rank r made, on the communicator in the new order, without `reorder`. For
//! grids and graphs all make the same call. For distributed graphs each has its own: it goes from the old rank r to the new one.

use std::ffi::{c_int, c_void};

use serde::{Deserialize, Serialize};

use crate::agree::{Members, checked, guarded};
use crate::here::Here;
use crate::library::{Code, Constants, Library, Raw};
use crate::order::Order;
use crate::{plan, say};

/// One side of the neighbours of a process.
#[derive(Clone, Copy)]
pub(crate) struct Side {
    pub(crate) degree: c_int,
    pub(crate) neighbours: *const c_int,
    pub(crate) weights: *const c_int,
}

/// A call with its arguments; pointers are those of the caller.
pub(crate) enum Call {
    Cart {
        ndims: c_int,
        dims: *const c_int,
        periods: *const c_int,
    },
    Graph {
        nnodes: c_int,
        index: *const c_int,
        edges: *const c_int,
    },
    DistGraph {
        n: c_int,
        sources: *const c_int,
        degrees: *const c_int,
        destinations: *const c_int,
        weights: *const c_int,
        info: Raw,
    },
    Adjacent {
        incoming: Side,
        outgoing: Side,
        info: Raw,
    },
}

/// What a process asks for, as far as planning needs it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Wish {
    /// Sides, and which wrap.
    Grid(Vec<i32>, Vec<bool>),
    /// Index and edges.
    Graph(Vec<i32>, Vec<i32>),
    /// From, to, weight.
    Edges(Vec<(i32, i32, i32)>),
    /// What MPI will refuse.
    Wrong,
}

/// What a process tells the one that plans.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Told {
    pub(crate) here: Here,
    pub(crate) wish: Wish,
}

/// The numbers from an address on; nothing for a count below 0 or no address.
///
/// # Safety
///
/// There are as many.
pub(crate) unsafe fn numbers<'a>(address: *const c_int, count: c_int) -> Option<&'a [c_int]> {
    match usize::try_from(count).ok()? {
        0 => Some(&[]),
        // SAFETY: the caller promises it.
        count => (!address.is_null()).then(|| unsafe { std::slice::from_raw_parts(address, count) }),
    }
}

/// Weights, if the program gives some.
///
/// # Safety
///
/// There are as many, if it gives some.
pub(crate) unsafe fn weights<'a>(
    constants: &Constants,
    address: *const c_int,
    count: c_int,
) -> Option<Option<&'a [c_int]>> {
    if address == constants.unweighted {
        return Some(None);
    }
    let count = if address == constants.weights_empty { 0 } else { count };
    // SAFETY: the caller promises it.
    Some(Some(unsafe { numbers(address, count)? }))
}

/// The call of the program, placed if that is possible.
///
/// # Safety
///
/// That of the function of MPI.
pub(crate) unsafe fn create(
    name: &'static str,
    call: &Call,
    comm: Raw,
    reorder: c_int,
    out: *mut c_void,
) -> Code {
    let Some(library) = Library::get() else {
        say::complain(&format!("{name}: the MPI of this program is not found, or is older than MPI 3"));
        return 16; // MPI_ERR_OTHER of Open MPI; any but 0 is an error
    };
    // SAFETY: the arguments are those of the caller.
    let plain = || unsafe { call.make(&library.functions, comm, reorder, out) };
    if reorder == 0 {
        return plain();
    }
    let Some(constants) = &library.constants else {
        say::complain(&format!("{name} keeps its ranks: `{}` is no MPI that is known here", library.version));
        return plain();
    };
    // SAFETY: the communicator is the caller's.
    match unsafe { agreed(name, call, library, constants, comm) } {
        Ok(Agreed::Plain) => plain(),
        Ok(Agreed::Renumbered(order)) => {
            // SAFETY: the communicator in the new order was just made.
            unsafe { call.make_in_order(library, constants, &order, out) }
        }
        Ok(Agreed::Dealt(processes)) => {
            // SAFETY: the arguments are those of the caller.
            unsafe { call.make_dealt(&library.functions, constants, comm, &processes, out) }
        }
        Err(code) => code,
    }
}

/// What all processes do.
enum Agreed {
    /// What they were asked for.
    Plain,
    /// The same on a communicator in a new order.
    Renumbered(Order),
    /// The same without a new order, and then other coordinates: by position the rank.
    Dealt(Vec<c_int>),
}

/// One answer for all processes of the communicator.
unsafe fn agreed(
    name: &'static str,
    call: &Call,
    library: &Library,
    constants: &Constants,
    comm: Raw,
) -> Result<Agreed, Code> {
    let functions = &library.functions;
    let (mut is_inter, mut rank, mut size) = (0, 0, 0);
    if constants.plain(comm) == constants.null {
        return Ok(Agreed::Plain);
    }
    // SAFETY: it is a communicator.
    unsafe {
        checked((functions.Comm_test_inter)(comm, &mut is_inter))?;
        checked((functions.Comm_rank)(comm, &mut rank))?;
        checked((functions.Comm_size)(comm, &mut size))?;
    }
    if is_inter != 0 || size < 2 {
        return Ok(Agreed::Plain);
    }
    let members = Members { functions, constants, comm, rank: rank as usize, size: size as usize };
    members.meet(
        "place a communicator; every process must preload this library (Open MPI: mpirun -x LD_PRELOAD)",
    )?;
    let told = guarded(|| {
        // SAFETY: MPI runs, and the pointers are those of the caller.
        let told = unsafe {
            Told { here: Here::find(functions, constants, comm), wish: call.wish(constants, rank) }
        };
        serde_json::to_vec(&told).unwrap_or_default()
    });
    let all = members.gather(&told.unwrap_or_default())?;
    let Some(decision) = members.decide(|| plan::decision(name, all))? else { return Ok(Agreed::Plain) };
    let processes = decision.processes;
    if decision.keeps_ranks {
        return Ok(Agreed::Dealt(processes));
    }
    let new = processes.iter().position(|&process| process == rank).expect("a permutation") as c_int;
    let mut ordered = 0_u64;
    // SAFETY: a handle of any MPI fits.
    unsafe { checked((functions.Comm_split)(comm, 0, new, (&raw mut ordered).cast()))? };
    Ok(Agreed::Renumbered(Order { comm: ordered as Raw, processes, old: rank }))
}

impl Call {
    /// What it asks for, as this rank tells it.
    unsafe fn wish(&self, constants: &Constants, rank: c_int) -> Wish {
        // SAFETY: the caller of MPI promises as much.
        unsafe { self.wished(constants, rank) }.unwrap_or(Wish::Wrong)
    }

    unsafe fn wished(&self, constants: &Constants, rank: c_int) -> Option<Wish> {
        // All make the same call: the first process alone tells it.
        let is_told =
            |wish: &dyn Fn() -> Option<Wish>| if rank == 0 { wish() } else { Some(Wish::Edges(Vec::new())) };
        // SAFETY: the caller of MPI promises as many numbers.
        unsafe {
            match *self {
                Self::Cart { ndims, dims, periods } => is_told(&|| {
                    let wraps = numbers(periods, ndims)?.iter().map(|&wraps| wraps != 0);
                    Some(Wish::Grid(numbers(dims, ndims)?.to_vec(), wraps.collect()))
                }),
                Self::Graph { nnodes, index, edges } => is_told(&|| {
                    let index = numbers(index, nnodes)?;
                    let edges = numbers(edges, index.last().copied().unwrap_or(0))?;
                    Some(Wish::Graph(index.to_vec(), edges.to_vec()))
                }),
                Self::Adjacent { outgoing: Side { degree, neighbours, weights: own }, .. } => {
                    // Each edge is told at both of its ends; here it counts where it begins.
                    let weights = weights(constants, own, degree)?;
                    let weight = |at: usize| weights.map_or(Some(1), |weights| weights.get(at).copied());
                    let edge = |(at, &to): (usize, &c_int)| Some((rank, to, weight(at)?));
                    Some(Wish::Edges(
                        numbers(neighbours, degree)?.iter().enumerate().map(edge).collect::<Option<_>>()?,
                    ))
                }
                Self::DistGraph { n, sources, degrees, destinations, weights: own, .. } => {
                    let (sources, degrees) = (numbers(sources, n)?, numbers(degrees, n)?);
                    let total = total(degrees)?;
                    let destinations = numbers(destinations, total)?;
                    let weights = weights(constants, own, total)?;
                    let from = sources.iter().zip(degrees);
                    let from = from.flat_map(|(&from, &degree)| std::iter::repeat_n(from, degree as usize));
                    let weight = |at: usize| weights.map_or(Some(1), |weights| weights.get(at).copied());
                    let edge = |(at, (from, &to)): (usize, (c_int, &c_int))| Some((from, to, weight(at)?));
                    Some(Wish::Edges(from.zip(destinations).enumerate().map(edge).collect::<Option<_>>()?))
                }
            }
        }
    }
}

pub(crate) fn total(degrees: &[c_int]) -> Option<c_int> {
    let is_wrong = degrees.iter().any(|&degree| degree < 0);
    let sum = degrees.iter().try_fold(0 as c_int, |sum, &degree| sum.checked_add(degree));
    sum.filter(|_| !is_wrong)
}

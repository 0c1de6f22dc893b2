//! The call of a program, made: as it is, in a new order, or with other coordinates.

use std::ffi::{c_int, c_void};

use crate::call::{Call, numbers};
use crate::dealt::Dealt;
use crate::library::{Code, Constants, Functions, Library, Raw};
use crate::order::Order;

impl Call {
    /// The function of MPI itself.
    ///
    /// # Safety
    ///
    /// That of the function.
    pub(crate) unsafe fn make(
        &self,
        functions: &Functions,
        comm: Raw,
        reorder: c_int,
        out: *mut c_void,
    ) -> Code {
        // SAFETY: the caller promises what MPI wants.
        unsafe {
            match *self {
                Self::Cart { ndims, dims, periods } => {
                    (functions.Cart_create)(comm, ndims, dims, periods, reorder, out)
                }
                Self::Graph { nnodes, index, edges } => {
                    (functions.Graph_create)(comm, nnodes, index, edges, reorder, out)
                }
                Self::DistGraph { n, sources, degrees, destinations, weights, info } => (functions
                    .Dist_graph_create)(
                    comm,
                    n,
                    sources,
                    degrees,
                    destinations,
                    weights,
                    info,
                    reorder,
                    out,
                ),
                Self::Adjacent { incoming, outgoing, info } => (functions.Dist_graph_create_adjacent)(
                    comm,
                    incoming.degree,
                    incoming.neighbours,
                    incoming.weights,
                    outgoing.degree,
                    outgoing.neighbours,
                    outgoing.weights,
                    info,
                    reorder,
                    out,
                ),
            }
        }
    }

    /// The call of the old process of this rank, made by the new one.
    pub(crate) unsafe fn make_in_order(
        &self,
        library: &Library,
        constants: &Constants,
        order: &Order,
        out: *mut c_void,
    ) -> Code {
        let functions = &library.functions;
        // SAFETY: the communicator was just made, the numbers live until the call is over.
        unsafe {
            let code = match self.lists(constants) {
                None => self.make(functions, order.comm, 0, out),
                Some(own) => match order.pass(functions, constants, &own) {
                    Ok(lists) => lists.call(constants, self).make(functions, order.comm, 0, out),
                    Err(code) => code,
                },
            };
            let mut comm = order.comm as u64;
            (functions.Comm_free)((&raw mut comm).cast());
            code
        }
    }

    /// A grid without a new order, whose coordinates are dealt anew.
    pub(crate) unsafe fn make_dealt(
        &self,
        functions: &Functions,
        constants: &Constants,
        comm: Raw,
        processes: &[c_int],
        out: *mut c_void,
    ) -> Code {
        // SAFETY: the arguments are those of the caller, which MPI has accepted when they are read.
        unsafe {
            let code = self.make(functions, comm, 0, out);
            let Self::Cart { ndims, dims, periods } = *self else { return code };
            let made =
                if constants.is_narrow { out.cast::<u32>().read() as Raw } else { out.cast::<Raw>().read() };
            if code != 0 || made == constants.null {
                return code;
            }
            let sides = numbers(dims, ndims).unwrap_or_default();
            let wraps: Vec<bool> =
                numbers(periods, ndims).unwrap_or_default().iter().map(|&wraps| wraps != 0).collect();
            let vertices = sides.iter().product::<c_int>() as usize;
            let dealt = Dealt::new(sides, &wraps, &processes[..vertices]);
            dealt.attach(functions, made).err().unwrap_or(0)
        }
    }
}

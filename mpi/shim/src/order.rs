//! Communicators in a new order, and the lists of distributed graphs on their way to the processes that have the ranks now.

use std::ffi::c_int;

use crate::agree::checked;
use crate::call::{Call, Side, numbers, total, weights};
use crate::library::{Code, Constants, Functions, Raw};

/// A communicator in a new order.
pub(crate) struct Order {
    /// With the old rank of each.
    pub(crate) comm: Raw,
    /// By new rank the old one.
    pub(crate) processes: Vec<c_int>,
    pub(crate) old: c_int,
}

impl Call {
    /// The lists of a distributed graph, which differ from process to process; nothing for other calls.
    pub(crate) unsafe fn lists(&self, constants: &Constants) -> Option<Lists> {
        // SAFETY: the caller of MPI promises as many numbers.
        let list = |address, count| unsafe { numbers(address, count) }.unwrap_or_default().to_vec();
        // SAFETY: as above.
        let weights =
            |address, count| unsafe { weights(constants, address, count) }.flatten().map(<[c_int]>::to_vec);
        match *self {
            Self::Cart { .. } | Self::Graph { .. } => None,
            Self::DistGraph { n, sources, degrees, destinations, weights: own, .. } => {
                let (sources, degrees) = (list(sources, n), list(degrees, n));
                let total = total(&degrees).unwrap_or(0);
                Some(Lists([
                    Some(sources),
                    Some(degrees),
                    Some(list(destinations, total)),
                    weights(own, total),
                ]))
            }
            Self::Adjacent { incoming, outgoing, .. } => Some(Lists([
                Some(list(incoming.neighbours, incoming.degree)),
                weights(incoming.weights, incoming.degree),
                Some(list(outgoing.neighbours, outgoing.degree)),
                weights(outgoing.weights, outgoing.degree),
            ])),
        }
    }
}

/// The lists of a distributed graph in the order of the arguments; weights may be none.
pub(crate) struct Lists([Option<Vec<c_int>>; 4]);

impl Lists {
    /// The same call with these lists.
    pub(crate) fn call(&self, constants: &Constants, like: &Call) -> Call {
        let Self([first, second, third, fourth]) = self;
        let count = |list: &Option<Vec<c_int>>| list.as_ref().map_or(0, |list| list.len() as c_int);
        let list = |list: &Option<Vec<c_int>>| list.as_ref().map_or(std::ptr::null(), |list| list.as_ptr());
        let weights = |list: &Option<Vec<c_int>>| match list {
            None => constants.unweighted,
            Some(list) if list.is_empty() => constants.weights_empty,
            Some(list) => list.as_ptr(),
        };
        match *like {
            Call::DistGraph { info, .. } => Call::DistGraph {
                n: count(first),
                sources: list(first),
                degrees: list(second),
                destinations: list(third),
                weights: weights(fourth),
                info,
            },
            Call::Adjacent { info, .. } => Call::Adjacent {
                incoming: Side { degree: count(first), neighbours: list(first), weights: weights(second) },
                outgoing: Side { degree: count(third), neighbours: list(third), weights: weights(fourth) },
                info,
            },
            Call::Cart { .. } | Call::Graph { .. } => unreachable!("these have no lists"),
        }
    }
}

impl Order {
    /// Gives the lists of this process to the new process of its old rank; those of its new rank come back.
    pub(crate) unsafe fn pass(
        &self,
        functions: &Functions,
        constants: &Constants,
        own: &Lists,
    ) -> Result<Lists, Code> {
        let new = self.processes.iter().position(|&process| process == self.old).expect("a permutation");
        let to = self.old;
        // Whoever had the old rank that is now ours.
        let from = self.processes.iter().position(|&process| process == new as c_int).expect("a permutation")
            as c_int;
        let swap = |own: &[c_int], theirs: &mut [c_int]| {
            let mut status = [0_u64; 32];
            // SAFETY: both ends know how many numbers there are.
            checked(unsafe {
                (functions.Sendrecv)(
                    own.as_ptr().cast(),
                    own.len() as c_int,
                    constants.int,
                    to,
                    0,
                    theirs.as_mut_ptr().cast(),
                    theirs.len() as c_int,
                    constants.int,
                    from,
                    0,
                    self.comm,
                    status.as_mut_ptr().cast(),
                )
            })
        };
        // A length of -1 says that there is no list.
        let lengths = own.0.each_ref().map(|list| list.as_ref().map_or(-1, |list| list.len() as c_int));
        let mut coming = [0; 4];
        swap(&lengths, &mut coming)?;
        let all: Vec<c_int> = own.0.iter().flatten().flatten().copied().collect();
        let mut theirs = vec![0; coming.iter().map(|&length| length.max(0) as usize).sum()];
        swap(&all, &mut theirs)?;
        let mut rest = theirs.as_slice();
        Ok(Lists(coming.map(|length| {
            let (list, after) = rest.split_at(usize::try_from(length).ok()?);
            rest = after;
            Some(list.to_vec())
        })))
    }
}

//! Centred halving: the steps of the growing mapping, the long ones first.
//!
//! It is a recursive bisection seen from the centre: two active tasks on a line own disjoint intervals, and
//! a message stays inside the interval of its sender. So no two messages of a phase share a link, as in
//! the reflecting mapping; and its dilations sum to the radius of its box, as in the growing mapping. Where the
//! box is the whole machine, both together make it the fastest placement possible under wormhole routing with
//! a barrier after each phase, for every start-up, byte time, flit size and alpha ([`super::bound`] has the proof).

use super::{Method, axes::Axes, growing::outwards};
use crate::units::Hops;

/// Long steps first: the least wormhole time, no contention.
pub const CENTRED_HALVING: Method = Method {
    name: "centred-halving",
    summary: "halves from the centre, long hops first: fastest under wormhole",
    place: |request| {
        let axes = Axes::of(CENTRED_HALVING.name, request)?;
        Ok(outwards(&axes, &axes.of_phases_longest_first(), |k, step| k - 2 - step))
    },
};

/// The dilation of every edge of phase i of B(n) on the paper's mesh.
///
/// ```text
/// D(E_i) = 1 in phases 1 and 2, then 2^(k - 2 - floor((i - 3) / 2)),
/// k = ceil(n / 2) for odd i, floor(n / 2) for even i
/// ```
///
/// # Examples
///
/// ```
/// use meshwright::mapping::centred_halving::dilation;
/// assert_eq!((1..=9).map(|i| dilation(9, i).0).collect::<Vec<_>>(), [1, 1, 8, 4, 4, 2, 2, 1, 1]);
/// ```
pub fn dilation(n: u32, phase: u32) -> Hops {
    if phase <= 2 {
        return Hops(1);
    }
    let side = if phase.is_multiple_of(2) { n / 2 } else { n.div_ceil(2) };
    Hops(1 << (side - 2 - (phase - 3) / 2))
}

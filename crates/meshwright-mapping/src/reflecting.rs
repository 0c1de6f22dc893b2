//! The reflecting mapping M_R: two copies, the second mirrored, their roots joined.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | M_R(B(n)) | [`REFLECTING`] | |
//! | D(E_i) | [`dilation`] | links |

use super::{Method, Request, axes::Axes};
use meshwright_core::error::Result;
use meshwright_core::units::{Hops, NodeId};

/// Every phase without contention under wormhole routing; the least total traffic known. (That no placement
/// needs fewer hops is not proved here.)
pub const REFLECTING: Method = Method {
    name: "reflecting",
    summary: "mirrors copy after copy: no contention, least traffic known",
    place,
};

/// The node of every task.
///
/// With the bits of the label dealt out to the axes in the order of the doublings, the coordinate along
/// an axis is the Gray-decoded number of its bits: a set bit mirrors everything below it. Mirroring
/// 0..2^r is an exclusive or with 2^r - 1, so the highest bit of a label leads to its node from that of
/// the label without it in one operation.
///
/// # Complexity
///
/// O(1) per task and axis.
///
/// # Source
///
/// `lo1990`, definition 2, here for boxes of any dimension.
fn place(request: &Request<'_>) -> Result<Vec<NodeId>> {
    let axes = Axes::of(REFLECTING.name, request)?;
    // All coordinates of a node side by side in one word.
    let fields: Vec<(u32, u32, u32)> = axes
        .exponents
        .iter()
        .enumerate()
        .scan(0, |shift, (axis, exponent)| {
            let field = (*shift, (1 << exponent) - 1, axes.stride(axis));
            *shift += exponent;
            Some(field)
        })
        .collect();
    let mut packed = Vec::with_capacity(1 << axes.n);
    packed.push(0u32);
    let mut rank = vec![0; fields.len()];
    for axis in axes.of_doublings() {
        rank[axis] += 1;
        let flip = ((1u32 << rank[axis]) - 1) << fields[axis].0;
        packed.extend_from_within(..);
        let half = packed.len() / 2;
        packed[half..].iter_mut().for_each(|place| *place ^= flip);
    }
    let node = |place: u32| fields.iter().map(|(shift, mask, stride)| (place >> shift & mask) * stride).sum();
    Ok(packed.into_iter().map(|place| NodeId(node(place))).collect())
}

/// The dilation of every edge of phase i of B(n) on the paper's mesh.
///
/// ```text
/// D(E_i) = J(ceil((n - i + 1) / 2)),   J(q) = (2^q - (-1)^q) / 3
/// ```
///
/// # Source
///
/// `lo1990`, lemma 3, corrected: the paper prints J(ceil(i / 2)), with the phases in reverse. Smallest
/// counterexample: n = 5, phase 1, where the roots of the two 4 x 4 copies lie 3 columns apart.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::reflecting::dilation;
/// let phases: Vec<u32> = (1..=5).map(|i| dilation(5, i).0).collect();
/// assert_eq!(phases, [3, 1, 1, 1, 1]);
/// ```
pub fn dilation(n: u32, phase: u32) -> Hops {
    let q = (n - phase + 1).div_ceil(2);
    let sign = if q.is_multiple_of(2) { -1 } else { 1 };
    Hops(u32::try_from(((1i64 << q) + sign) / 3).expect("a Jacobsthal number of at most 2^16"))
}

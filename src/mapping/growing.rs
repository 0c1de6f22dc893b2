//! The growing mapping M_G and its kin: from the centre outwards, by translations along the axes.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | M_G(B(n)) | [`GROWING`] | |
//! | D(E_i) | [`dilation`] | links |
//!
//! Along each axis of 2^k nodes the first phase mirrors the root about the centre line; the later phases
//! move away from the centre by 1, 2, ..., 2^(k-2). Centred halving uses the same steps in the opposite
//! order, see [`super::centred_halving`].

use super::{Method, axes::Axes};
use crate::units::{Hops, NodeId};

/// Short steps first: the least store-and-forward time, contention in every phase after the fourth.
pub const GROWING: Method = Method {
    name: "growing",
    summary: "grows from the centre, short hops first: best under store-and-forward",
    place: |request| {
        let axes = Axes::of(GROWING.name, request)?;
        Ok(outwards(&axes, &axes.of_phases_shortest_first(), |_, step| step))
    },
};

/// The node of every task when the later phases of an axis of 2^k nodes move by 2^exponent(k, step),
/// step = 0, 1, ..., k - 2, and phase i uses the axis `phases[i - 1]`.
///
/// # Complexity
///
/// O(1) words per task, from its label alone.
///
/// # Source
///
/// `lo1990`, definition 3, here for boxes of any dimension.
pub(crate) fn outwards(axes: &Axes<'_>, phases: &[usize], exponent: impl Fn(u32, u32) -> u32) -> Vec<NodeId> {
    /// How the node id changes along one axis. A task is reached through the phases whose bits its label lacks.
    struct Walk {
        centre: u32,
        stride: u32,
        mirror: Option<u32>,
        steps: Vec<(u32, u32)>,
    }
    let mut walks: Vec<Walk> = (0..axes.exponents.len())
        .map(|axis| {
            let stride = axes.stride(axis);
            Walk { centre: (1 << axes.exponents[axis]) / 2 * stride, stride, mirror: None, steps: Vec::new() }
        })
        .collect();
    for (index, &axis) in phases.iter().enumerate() {
        let (bit, walk) = (axes.n - 1 - index as u32, &mut walks[axis]);
        if walk.mirror.is_none() {
            walk.mirror = Some(bit);
        } else {
            let step = walk.steps.len() as u32;
            walk.steps.push((bit, walk.stride << exponent(axes.exponents[axis], step)));
        }
    }
    let along = |walk: &Walk, reached: u32| {
        let outwards: u32 = walk.steps.iter().map(|(bit, step)| (reached >> bit & 1) * step).sum();
        match walk.mirror {
            Some(bit) if reached >> bit & 1 == 1 => walk.centre - walk.stride - outwards,
            _ => walk.centre + outwards,
        }
    };
    axes.place(|label| walks.iter().map(|walk| along(walk, !label)).sum())
}

/// The dilation of every edge of phase i on the paper's mesh: 1 in phases 1 and 2, then
/// 2^(ceil(i/2) - 2).
///
/// # Source
///
/// `lo1990`, lemma 6.
///
/// # Examples
///
/// ```
/// use meshwright::mapping::growing::dilation;
/// assert_eq!((1..=8).map(|i| dilation(i).0).collect::<Vec<_>>(), [1, 1, 1, 1, 2, 2, 4, 4]);
/// ```
pub fn dilation(phase: u32) -> Hops {
    Hops(if phase <= 2 { 1 } else { 1 << (phase.div_ceil(2) - 2) })
}

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

/// Short steps first: the least store-and-forward time known, contention in every phase after the fourth. With
/// alpha = 1 no placement on the paper's mesh is faster, nor for n <= 15 with any alpha tried ([`super::bound`]).
pub const GROWING: Method = Method {
    name: "growing",
    summary: "grows from the centre, short hops first: best under store-and-forward",
    place: |request| {
        let axes = Axes::of(GROWING.name, request)?;
        Ok(outwards(&axes, &axes.of_phases_shortest_first(), |_, step| step))
    },
};

/// The node of every task when the later phases of an axis of 2^k nodes move by 2^exponent(k, step),
/// step = 0, 1, ..., k - 2, and phase i uses the axis `phases[i - 1]`; the first phases use each axis once.
///
/// A task is reached through the phases whose bits its label lacks, phase 1 the highest. Its coordinate
/// along an axis is the node beside the centre line, mirrored or not, plus its steps, outwards. So
/// within a block of labels with the same mirrors, the node of a label is that of the label with one more
/// bit set, plus the step of that bit.
///
/// # Complexity
///
/// O(1) per task.
///
/// # Source
///
/// `lo1990`, definition 3, here for boxes of any dimension.
pub(crate) fn outwards(axes: &Axes<'_>, phases: &[usize], exponent: impl Fn(u32, u32) -> u32) -> Vec<NodeId> {
    let mirrors = axes.exponents.iter().filter(|&&exponent| exponent > 0).count();
    let mut taken = vec![0; axes.exponents.len()];
    // From the last phase, whose bit is the lowest, to the first after the mirrors: axis and change of id.
    let mut steps: Vec<(usize, u32)> = phases[mirrors..]
        .iter()
        .map(|&axis| {
            let step = axes.stride(axis) << exponent(axes.exponents[axis], taken[axis]);
            taken[axis] += 1;
            (axis, step)
        })
        .collect();
    steps.reverse();
    let mut nodes = vec![NodeId(0); 1 << axes.n];
    for (block, nodes) in (0u32..).zip(nodes.chunks_exact_mut(1 << steps.len())) {
        let mut mirrored = vec![false; axes.exponents.len()];
        for (index, &axis) in phases[..mirrors].iter().enumerate() {
            mirrored[axis] = block >> (mirrors - 1 - index) & 1 == 0;
        }
        let start = |(axis, &exponent): (usize, &u32)| {
            let centre = (1 << exponent) / 2 * axes.stride(axis);
            if mirrored[axis] { centre - axes.stride(axis) } else { centre }
        };
        let root = nodes.len() - 1;
        nodes[root] = NodeId(axes.exponents.iter().enumerate().map(start).sum());
        for (bit, &(axis, step)) in steps.iter().enumerate() {
            let (without, with) = nodes.split_at_mut(nodes.len() - (1 << bit));
            let start = without.len() - (1 << bit);
            for (node, from) in without[start..].iter_mut().zip(&*with) {
                node.0 = if mirrored[axis] { from.0 - step } else { from.0 + step };
            }
        }
    }
    nodes
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

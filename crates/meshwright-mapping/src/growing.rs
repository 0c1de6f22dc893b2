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

use super::Method;
use super::axes::{Axes, AxisStep};
use meshwright_core::units::{Hops, NodeId};

/// Short steps first: the least store-and-forward time known, contention in every phase after the fourth. With
/// alpha = 1 no placement on the paper's mesh is faster, nor for n <= 15 with any alpha tried ([`super::bound`]).
pub const GROWING: Method = Method {
    name: "growing",
    summary: "grows from the centre, short hops first: best under store-and-forward",
    place: |request| {
        let axes = Axes::of(GROWING.name, request)?;
        Ok(outwards(&axes, &axes.shortest_first()))
    },
};

/// The node of every task when phase i makes the step `steps[i - 1]`: away from the centre line of its axis, and the
/// first step of each axis across it.
///
/// A task is reached through the phases whose bits its label lacks, phase 1 the highest. So its node is that of the
/// label with the lowest such bit set, plus the step of that bit: downwards if the label lacks the bit of the first step
/// of that axis. Labels that agree in the bits up to the last of these first steps make a block in which
/// directions do not change; there whole runs of labels are moved at once.
///
/// # Complexity
///
/// O(1) per task.
///
/// # Source
///
/// `lo1990`, definition 3, here for boxes of any dimension and any order of the steps.
pub(crate) fn outwards(axes: &Axes<'_>, steps: &[AxisStep]) -> Vec<NodeId> {
    let first = |axis: usize| steps.iter().position(|step| step.axis == axis);
    let firsts: Vec<Option<usize>> = (0..axes.exponents.len()).map(first).collect();
    let prefix = firsts.iter().flatten().max().map_or(0, |last| last + 1);
    let moves: Vec<(usize, u32)> = steps.iter().map(|s| (s.axis, axes.stride(s.axis) * s.length)).collect();
    let start = |(axis, &exponent): (usize, &u32)| (1u32 << exponent) / 2 * axes.stride(axis);
    let root = NodeId(axes.exponents.iter().enumerate().map(start).sum());
    // The roots of the blocks, from the last, whose bits are all set.
    let mut roots = vec![root; 1 << prefix];
    let lacks =
        |block: usize, axis: usize| firsts[axis].is_some_and(|at| block >> (prefix - 1 - at) & 1 == 0);
    for block in (0..roots.len() - 1).rev() {
        let (axis, step) = moves[prefix - 1 - block.trailing_ones() as usize];
        let from = roots[block | (block + 1)].0;
        roots[block] = NodeId(if lacks(block, axis) { from - step } else { from + step });
    }
    let mut nodes = vec![NodeId(0); 1 << axes.n];
    for (block, (nodes, root)) in nodes.chunks_exact_mut(1 << (steps.len() - prefix)).zip(roots).enumerate() {
        let last = nodes.len() - 1;
        nodes[last] = root;
        for (bit, &(axis, step)) in moves[prefix..].iter().rev().enumerate() {
            let down = lacks(block, axis);
            let (without, with) = nodes.split_at_mut(nodes.len() - (1 << bit));
            let start = without.len() - (1 << bit);
            for (node, from) in without[start..].iter_mut().zip(&*with) {
                node.0 = if down { from.0 - step } else { from.0 + step };
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
/// use meshwright_mapping::growing::dilation;
/// assert_eq!((1..=8).map(|i| dilation(i).0).collect::<Vec<_>>(), [1, 1, 1, 1, 2, 2, 4, 4]);
/// ```
pub fn dilation(phase: u32) -> Hops {
    Hops(if phase <= 2 { 1 } else { 1 << (phase.div_ceil(2) - 2) })
}

//! Centred halving: the steps of the growing mapping, the long ones first.
//!
//! It is a recursive bisection seen from the centre: two active tasks on a line own disjoint intervals, and
//! a message stays inside the interval of its sender. So no two messages of a phase share a link, as in
//! the reflecting mapping; and its dilations sum to the radius of its box, as in the growing mapping. Where the
//! box is the whole machine, both together make it the fastest placement possible under wormhole routing with
//! a barrier after each phase, for every start-up, byte time, flit size and alpha ([`super::bound`] has the proof).
//!
//! Sides need not be powers of two: the halving tree of a box ([`super::halving`]) is placed on a box of its own
//! sides, contention-free as well, its dilations summing to ceil(L/2) per axis; docs/centred-halving.md has the
//! proofs.

use super::halving::{self, Split};
use super::{Method, Request, Shape, axes::Axes, growing::outwards};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Hops, NodeId};
use meshwright_network::topology::{Network, Topology};

/// Long steps first: the least wormhole time, no contention.
pub const CENTRED_HALVING: Method = Method {
    name: "centred-halving",
    summary: "halves from the centre, long hops first: fastest under wormhole",
    place: |request| {
        if let Some(Shape::Halving(sides)) = request.shape() {
            return on_box(sides, request);
        }
        let axes = Axes::of(CENTRED_HALVING.name, request)?;
        Ok(outwards(&axes, &axes.longest_first()))
    },
};

/// The node of every task of a halving tree, on a box of its sides at the origin of the machine.
///
/// # Errors
///
/// [`Error::NotApplicable`] when no box of these sides lies along the axes of the machine.
///
/// # Complexity
///
/// O(tasks).
fn on_box(sides: &[u32], request: &Request<'_>) -> Result<Vec<NodeId>> {
    let refuse = |why| Err(Error::not_applicable(CENTRED_HALVING.name, why));
    let Network::Grid(grid) = request.machine.network() else {
        return refuse("it needs a mesh, torus or hypercube".to_string());
    };
    let Some(axes) = axes_for(sides, grid.sides()) else {
        let size = halving::name(sides);
        return refuse(format!(
            "no box of {size} nodes lies on {} (bisection needs none)",
            request.machine.name()
        ));
    };
    let strides: Vec<u32> = axes.iter().map(|&axis| grid.sides()[axis + 1..].iter().product()).collect();
    let mut nodes = vec![NodeId(0); request.tasks as usize];
    let root = sides.iter().zip(&strides).map(|(side, stride)| upper_middle(*side) * stride).sum();
    *nodes.last_mut().expect("a tree has a root") = NodeId(root);
    halving::for_each_split(sides, |Split { axis, parent, child, distance, down, .. }| {
        let (from, step) = (nodes[parent as usize].0, distance * strides[axis]);
        nodes[child as usize] = NodeId(if down { from - step } else { from + step });
    });
    Ok(nodes)
}

/// Where the root is along a side: the inner end of the upper arm, which has floor(side / 2) cells.
fn upper_middle(side: u32) -> u32 {
    if side == 1 { 0 } else { side.div_ceil(2) }
}

/// An axis of the machine for each side of the tree, each used once and long enough.
///
/// In order where that works, the last side on the last axis; else the longest side on the longest axis, and so on,
/// which works if anything does. Sides of 1 take any axis: they are never moved along.
fn axes_for(sides: &[u32], machine: &[u32]) -> Option<Vec<usize>> {
    let mut wanted: Vec<usize> = (0..sides.len()).filter(|&axis| sides[axis] > 1).collect();
    let mut offered: Vec<usize> = (0..machine.len()).collect();
    let spare = offered.len().checked_sub(wanted.len())?;
    let fits = |wanted: &[usize], offered: &[usize]| {
        wanted.iter().zip(offered).all(|(&side, &axis)| sides[side] <= machine[axis])
    };
    if !fits(&wanted, &offered[spare..]) {
        wanted.sort_by_key(|&side| sides[side]);
        offered.sort_by_key(|&axis| machine[axis]);
        if !fits(&wanted, &offered[spare..]) {
            return None;
        }
    }
    let mut axes = vec![0; sides.len()];
    wanted.iter().zip(&offered[spare..]).for_each(|(&side, &axis)| axes[side] = axis);
    Some(axes)
}

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
/// use meshwright_mapping::centred_halving::dilation;
/// assert_eq!((1..=9).map(|i| dilation(9, i).0).collect::<Vec<_>>(), [1, 1, 8, 4, 4, 2, 2, 1, 1]);
/// ```
pub fn dilation(n: u32, phase: u32) -> Hops {
    if phase <= 2 {
        return Hops(1);
    }
    let side = if phase.is_multiple_of(2) { n / 2 } else { n.div_ceil(2) };
    Hops(1 << (side - 2 - (phase - 3) / 2))
}

//! Embeddings: a logical box of ranks laid into the box of a machine, so that its rings run over neighbouring nodes.
//!
//! A job asks for 64x64 ranks; the machine has six axes, some rings, some lines. Each side of the logical box is laid
//! along some of the axes as a [`comb_ring`].

use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;

use super::Fabric;
use crate::topology::Topology;

/// The node of every rank of a logical box.
///
/// # Examples
///
/// A ring of four ranks over two lines of a machine that wraps nowhere, times a line of rings of three:
///
/// ```
/// use meshwright_core::units::{NodeId, Ratio};
/// use meshwright_network::Grid;
/// use meshwright_network::fabric::{Embedding, Fabric, Leg, Plane};
/// let legs = vec![Leg::straight(0), Leg::straight(1), Leg::shorter(2)];
/// let machine = Fabric::new(Grid::torus(&[2, 2, 3])?, vec![Plane::new("net", legs, Ratio::whole(6))])?;
/// let job = Embedding::of_rings(&machine, 0, &[&[0, 1], &[2]], &[4, 3])?;
/// let hops = |a, b| machine.hops(0, job.node(a), job.node(b));
/// assert_eq!([hops(0, 3), hops(0, 9), hops(0, 2)], [1, 1, 1], "neighbours of rank 0, over both borders too");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedding {
    shape: Vec<u32>,
    nodes: Vec<NodeId>,
}

impl Embedding {
    /// Lays every side of a logical box along axes of a machine, given for each side in their nesting, as a [`comb_ring`]
    /// shortened to the side. Nodes that differ along an axis that no side takes stay unused, but for the first.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when there is no such network, the sides are not as many as the lists of axes, an axis is unknown
    /// or named twice, or a side has no ring (see [`comb_ring`]).
    ///
    /// # Complexity
    ///
    /// O(ranks · axes), and that of [`comb_ring`] for each side.
    pub fn of_rings(fabric: &Fabric, plane: usize, axes: &[&[usize]], shape: &[u32]) -> Result<Self> {
        let grid = fabric.grid();
        let Some(network) = fabric.planes().get(plane) else {
            let expected = format!("a network from 0 to {}", fabric.planes().len() - 1);
            return Err(Error::value("network", plane, expected));
        };
        if shape.is_empty() || axes.len() != shape.len() {
            let expected = format!("a list of axes for each of the {} sides", shape.len());
            return Err(Error::value("number of lists of axes", axes.len(), expected));
        }
        let all: Vec<usize> = axes.concat();
        for (index, &axis) in all.iter().enumerate() {
            if axis >= grid.dimensions() || all[..index].contains(&axis) {
                let expected = format!("each axis from 0 to {} at most once", grid.dimensions() - 1);
                return Err(Error::value("an axis of an embedding", axis, expected));
            }
        }
        let axis_of = |axis: usize| Axis {
            side: grid.sides()[axis],
            wraps: network.legs.iter().any(|leg| leg.axis == axis && leg.wraps(grid)),
        };
        let mut nodes = vec![NodeId(0)];
        for (axes, &side) in axes.iter().zip(shape) {
            let ring = comb_ring(&axes.iter().map(|&axis| axis_of(axis)).collect::<Vec<_>>(), side)?;
            let id =
                |at: &Vec<u32>| axes.iter().zip(at).map(|(&axis, &at)| at * grid.stride(axis)).sum::<u32>();
            let ring: Vec<u32> = ring.iter().map(id).collect();
            nodes = nodes.iter().flat_map(|node| ring.iter().map(|&id| NodeId(node.0 + id))).collect();
        }
        Ok(Self { shape: shape.to_vec(), nodes })
    }

    /// The sides of the logical box.
    pub fn shape(&self) -> &[u32] {
        &self.shape
    }

    /// The node of every rank; ranks count along the last side first.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The node of a rank.
    ///
    /// # Panics
    ///
    /// When there is no such rank.
    pub fn node(&self, rank: u32) -> NodeId {
        self.nodes[rank as usize]
    }
}

/// An axis of a box: how many places, and whether the last is wired to the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// How many places it has.
    pub side: u32,
    /// Whether it is a ring.
    pub wraps: bool,
}

/// A ring of so many places of a box, each a step from the next and the last from the first, by their coordinates.
///
/// It begins with the line along the first axis. Each further axis takes what there is as a line, and goes back over it
/// from its end to its begin, at each of its places through all other levels of the axis, upwards and downwards in turn:
/// the teeth of a comb. With two levels that is there and back. What is longer than asked for is shortened: the last two
/// successive places without which the ring still closes are left out; if there are no such two, or one is too many, the
/// last single one.
///
/// # Errors
///
/// [`Error::Value`] when there is no axis, the box is smaller than the ring, or no ring is found in this way: an axis alone
/// that does not wrap, an odd number of places in a box without an odd ring.
///
/// # Complexity
///
/// O(places · (1 + places left out) · axes).
///
/// # Examples
///
/// ```
/// use meshwright_network::fabric::embedding::{Axis, comb_ring};
/// let line = |side| Axis { side, wraps: false };
/// let comb = comb_ring(&[line(2), line(3)], 6)?;
/// assert_eq!(comb, [[0, 0], [1, 0], [1, 1], [1, 2], [0, 2], [0, 1]]);
/// assert_eq!(comb_ring(&[line(2), line(3)], 4)?, [[0, 0], [1, 0], [1, 1], [0, 1]], "the far end is left out");
/// let refused = comb_ring(&[line(2), line(3)], 5).unwrap_err().to_string();
/// assert!(refused.contains("a ring of 5 places"), "{refused}");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn comb_ring(axes: &[Axis], length: u32) -> Result<Vec<Vec<u32>>> {
    let sides: Vec<String> = axes.iter().map(|axis| axis.side.to_string()).collect();
    let none = || {
        let expected = "a side for which a comb through these axes closes: at most as many places, an even number unless \
                        an axis is a ring of odd length";
        Error::value(
            "an embedding",
            format!("a ring of {length} places along axes of {}", sides.join("x")),
            expected,
        )
    };
    let (Some((first, further)), true) = (axes.split_first(), length > 0) else { return Err(none()) };
    let mut ring: Vec<Vec<u32>> = (0..first.side).map(|at| vec![at]).collect();
    for axis in further {
        ring = comb(&ring, axis.side);
    }
    while ring.len() > length as usize {
        shorten(&mut ring, length as usize, axes).ok_or_else(none)?;
    }
    let closes =
        ring.len() == 1 || (0..ring.len()).all(|at| adjacent(&ring[at], &ring[(at + 1) % ring.len()], axes));
    if ring.len() == length as usize && closes { Ok(ring) } else { Err(none()) }
}

/// A line at level 0 of a further axis, and back over it through the other levels.
fn comb(line: &[Vec<u32>], levels: u32) -> Vec<Vec<u32>> {
    let at = |place: &Vec<u32>, level: u32| place.iter().copied().chain([level]).collect();
    let mut ring: Vec<Vec<u32>> = line.iter().map(|place| at(place, 0)).collect();
    for (index, place) in line.iter().rev().enumerate() {
        let up = index.is_multiple_of(2);
        ring.extend((1..levels).map(|level| at(place, if up { level } else { levels - level })));
    }
    ring
}

/// Leaves out the last two places, or the last one, without which a ring still closes.
fn shorten(ring: &mut Vec<Vec<u32>>, length: usize, axes: &[Axis]) -> Option<()> {
    let places = ring.len();
    let last = |gone: usize| {
        let closes =
            |&at: &usize| adjacent(&ring[(at + places - 1) % places], &ring[(at + gone) % places], axes);
        (0..places).rev().find(closes).map(|at| (at, gone))
    };
    let two = if places - length >= 2 { last(2) } else { None };
    let (at, gone) = two.or_else(|| last(1))?;
    let mut index = 0;
    ring.retain(|_| {
        let stays = (index + places - at) % places >= gone;
        index += 1;
        stays
    });
    Some(())
}

/// Whether two places are a step apart.
fn adjacent(a: &[u32], b: &[u32], axes: &[Axis]) -> bool {
    let apart = |((&a, &b), axis): ((&u32, &u32), &Axis)| {
        let straight = a.abs_diff(b);
        if axis.wraps { straight.min(axis.side - straight) } else { straight }
    };
    a.iter().zip(b).zip(axes).map(apart).sum::<u32>() == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;
    use crate::fabric::{Leg, Plane};
    use meshwright_core::units::Ratio;

    fn line(side: u32) -> Axis {
        Axis { side, wraps: false }
    }

    fn tofu(sides: &[u32]) -> Fabric {
        let legs = [3, 5, 4].map(Leg::shorter).into_iter().chain([0, 1, 2].map(Leg::straight)).collect();
        Fabric::new(Grid::torus(sides).unwrap(), vec![Plane::new("Tofu", legs, Ratio::whole(6))]).unwrap()
    }

    #[test]
    fn neighbours_of_a_logical_torus_are_neighbours_on_the_machine() {
        let (two, three): (&[&[usize]], &[&[usize]]) =
            (&[&[0, 1], &[3, 4, 2, 5]], &[&[0, 3], &[1, 4], &[2, 5]]);
        for (sides, axes, shape) in [
            ([8, 8, 6, 2, 3, 2], two, &[64, 64][..]),
            ([8, 4, 22, 2, 3, 2], two, &[32, 256]),
            ([4, 3, 4, 2, 3, 2], three, &[8, 8, 8]),
            ([2, 2, 2, 2, 3, 2], three, &[4, 4, 4]),
        ] {
            let machine = tofu(&sides);
            let job = Embedding::of_rings(&machine, 0, axes, shape).unwrap();
            let ranks = shape.iter().product::<u32>();
            let mut used: Vec<NodeId> = job.nodes().to_vec();
            used.sort();
            used.dedup();
            assert_eq!(
                (used.len(), job.shape()),
                (ranks as usize, shape),
                "every rank has a node of its own"
            );
            let mut stride = ranks;
            for &side in shape {
                stride /= side;
                for rank in 0..ranks {
                    let at = rank / stride % side;
                    let next = rank - at * stride + (at + 1) % side * stride;
                    assert_eq!(
                        machine.hops(0, job.node(rank), job.node(next)),
                        1,
                        "{shape:?}: {rank} to {next}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_ring_alone_is_itself_and_an_odd_one_shortens_by_one() {
        let ring = comb_ring(&[Axis { side: 5, wraps: true }], 5).unwrap();
        assert_eq!(ring, [[0], [1], [2], [3], [4]]);
        let by_three = comb_ring(&[line(3), Axis { side: 3, wraps: true }], 8).unwrap();
        assert_eq!(by_three.len(), 8);
        assert_eq!(comb_ring(&[line(1)], 1).unwrap(), [[0]]);
    }

    #[test]
    fn what_cannot_be_laid_is_refused() {
        let machine = tofu(&[4, 3, 4, 2, 3, 2]);
        for (axes, shape, reason) in [
            (&[&[0, 3][..]][..], &[8, 8][..], "a list of axes for each of the 2 sides"),
            (&[&[0, 6]], &[8], "each axis from 0 to 5 at most once"),
            (&[&[0, 0]], &[8], "each axis from 0 to 5 at most once"),
            (&[&[0]], &[4], "a ring of 4 places along axes of 4"),
            (&[&[0, 3]], &[9], "a ring of 9 places along axes of 4x2"),
            (&[&[0, 3]], &[7], "a ring of 7 places"),
            (&[&[0, 3]], &[0], "a ring of 0 places"),
        ] {
            let refused = Embedding::of_rings(&machine, 0, axes, shape).unwrap_err().to_string();
            assert!(refused.contains(reason), "{refused}");
        }
        assert!(
            Embedding::of_rings(&machine, 1, &[&[0, 3]], &[8]).unwrap_err().to_string().contains("network")
        );
    }
}

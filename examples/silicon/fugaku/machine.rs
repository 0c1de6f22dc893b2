//! The machine of a job: its part of Tofu, and the node of every rank. Physical coordinates are unpublished: assumed.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_formats::presets;
use meshwright_network::fabric::{Embedding, Fabric, Leg, Plane};
use meshwright_network::topology::{Grid, Topology};

/// A job: a logical box of ranks on a machine.
pub(crate) struct Job {
    /// The machine.
    pub(crate) fabric: Fabric,
    /// Where its ranks are.
    pub(crate) embedding: Embedding,
}

/// The axes of Tofu, as the preset numbers them: three big ones,
const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;
/// and those of a unit of 2x3x2 nodes.
const A: usize = 3;
const B: usize = 4;
const C: usize = 5;

/// A job on Tofu. Of three sides each is a big and a small axis, (X, A), (Y, B) and (Z, C), as Fujitsu's own mapping has
/// them. Of two the first is the plane X × Y, the second A, B, Z and C in this nesting.
pub(crate) fn tofu(shape: &[u32]) -> Result<Job> {
    tofu_nested(shape, &[A, B, Z, C])
}

/// The same with another nesting of the axes of the second of two sides.
pub(crate) fn tofu_nested(shape: &[u32], column: &[usize]) -> Result<Job> {
    if let Some(side) = shape.iter().find(|side| !(2..=1 << 12).contains(*side) || !side.is_power_of_two()) {
        return Err(Error::value("a side of a job", side, "a power of two from 2 to 4096"));
    }
    let mut sides = [1, 1, 1, 2, 3, 2];
    let axes: Vec<&[usize]> = match *shape {
        [first, second, third] => {
            (sides[X], sides[Y], sides[Z]) = (first.div_ceil(2), second.div_ceil(3), third.div_ceil(2));
            vec![&[X, A], &[Y, B], &[Z, C]]
        }
        [first, second] => {
            let low = 1 << (first.trailing_zeros() / 2);
            (sides[X], sides[Y], sides[Z]) = (first / low, low, second.div_ceil(12));
            vec![&[X, Y], column]
        }
        _ => return Err(Error::value("the sides of a job", shape.len(), "two or three")),
    };
    let machine = presets::named("tofu")?.machine()?;
    let preset = machine.fabric().expect("the preset describes its links");
    lay(Grid::torus(&sides)?, preset.planes().to_vec(), preset, &axes, shape)
}

/// A job on a torus of its own shape, with the links of Tofu.
pub(crate) fn torus(shape: &[u32]) -> Result<Job> {
    let machine = presets::named("tofu")?.machine()?;
    let preset = machine.fabric().expect("the preset describes its links");
    let legs = (0..shape.len()).map(Leg::shorter).collect();
    let planes = vec![Plane::new("torus", legs, preset.planes()[0].rate)];
    let axes: Vec<usize> = (0..shape.len()).collect();
    let axes: Vec<&[usize]> = axes.chunks(1).collect();
    lay(Grid::torus(shape)?, planes, preset, &axes, shape)
}

fn lay(grid: Grid, planes: Vec<Plane>, like: &Fabric, axes: &[&[usize]], shape: &[u32]) -> Result<Job> {
    let nodes: Vec<NodeId> = (0..grid.nodes()).map(NodeId).collect();
    let port = Some(planes[0].rate);
    let fabric = Fabric::new(grid, planes)?.with_hop(like.hop()).with_ports(&[0], &nodes, (port, port))?;
    let embedding = Embedding::of_rings(&fabric, 0, axes, shape)?;
    Ok(Job { fabric, embedding })
}

impl Job {
    /// How many ranks there are.
    pub(crate) fn ranks(&self) -> usize {
        self.embedding.nodes().len()
    }

    /// Microseconds of a head over a link.
    pub(crate) fn hop(&self) -> f64 {
        self.fabric.hop().0 as f64 * 1e-3
    }

    /// Bytes a link carries in a microsecond.
    pub(crate) fn rate(&self) -> f64 {
        self.fabric.planes()[0].rate.to_f64() * 1e3
    }
}

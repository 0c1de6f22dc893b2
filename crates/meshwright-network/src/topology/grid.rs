//! Mesh, torus and hypercube of any dimension: one struct.
//!
//! A node id is the mixed-radix number of its coordinates, last dimension fastest. Ports run over the
//! dimensions from the last to the first, up before down: on a 2-D mesh east, west, south, north. A
//! torus side of 2 has one link between its two nodes, not two; a hypercube is a mesh of sides 2.

use super::{Family, NODES_MAX, Network, Topology};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Hops, LinkId, NodeId, Port};

/// More sides than this are a slip of the pen: 24 of 2 nodes make the largest machine.
const DIMENSIONS_MAX: usize = 24;

/// `mesh:RxC[xD…]`.
pub const MESH: Family = Family {
    name: "mesh",
    example: "mesh:3x4",
    usage: "mesh:RxC[xD…]",
    build: |text| Ok(Network::Grid(Grid::mesh(&parse_sides(text)?)?)),
};

/// `torus:RxC[xD…]`.
pub const TORUS: Family = Family {
    name: "torus",
    example: "torus:4x3x2",
    usage: "torus:RxC[xD…]",
    build: |text| Ok(Network::Grid(Grid::torus(&parse_sides(text)?)?)),
};

/// `hypercube:D`.
pub const HYPERCUBE: Family = Family {
    name: "hypercube",
    example: "hypercube:4",
    usage: "hypercube:D",
    build: |text| {
        let dimension = text.parse().map_err(|_| {
            Error::value("hypercube dimension", format!("`{text}`"), "a whole number from 0 to 24")
        })?;
        Ok(Network::Grid(Grid::hypercube(dimension)?))
    },
};

/// A box of nodes, each wired to its neighbours along every axis, with or without wrap-around.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    sides: Vec<u32>,
    strides: Vec<u32>,
    wraps: bool,
    /// Whether all sides are powers of two: then coordinates are bit fields of the id.
    binary: bool,
}

impl Grid {
    /// A mesh with these sides.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when there is no side or more than 24, a side is 0, or there are more than [`NODES_MAX`]
    /// nodes; [`Error::TooLarge`] when there are more than [`super::LINKS_MAX`] links.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::{Grid, Topology};
    /// use meshwright_core::units::{Hops, NodeId};
    /// let mesh = Grid::mesh(&[4, 8])?;
    /// assert_eq!(mesh.distance(NodeId(0), NodeId(31)), Some(Hops(3 + 7)));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn mesh(sides: &[u32]) -> Result<Self> {
        Self::new(sides, false)
    }

    /// A torus with these sides.
    ///
    /// # Errors
    ///
    /// As for [`Grid::mesh`].
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::{Grid, Topology};
    /// use meshwright_core::units::{Hops, NodeId};
    /// let torus = Grid::torus(&[4, 8])?;
    /// assert_eq!(torus.distance(NodeId(0), NodeId(31)), Some(Hops(1 + 1)));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn torus(sides: &[u32]) -> Result<Self> {
        Self::new(sides, true)
    }

    /// The hypercube of `dimension` dimensions: a mesh of sides 2.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when there are more than 24 dimensions; else as for [`Grid::mesh`].
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::{Grid, Topology};
    /// use meshwright_core::units::{Hops, NodeId};
    /// let cube = Grid::hypercube(4)?;
    /// assert_eq!(cube.distance(NodeId(0b0110), NodeId(0b1100)), Some(Hops(2)), "Hamming distance");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn hypercube(dimension: u32) -> Result<Self> {
        match dimension {
            0 => Self::new(&[1], false),
            1..=24 => Self::new(&vec![2; dimension as usize], false),
            _ => Err(Error::value("hypercube dimension", dimension, "a whole number from 0 to 24")),
        }
    }

    fn new(sides: &[u32], wraps: bool) -> Result<Self> {
        let nodes = sides.iter().try_fold(1u64, |nodes, &side| nodes.checked_mul(u64::from(side)));
        let size = sides.iter().map(u32::to_string).collect::<Vec<_>>().join("x");
        if sides.is_empty() || sides.contains(&0) {
            return Err(Error::value("machine size", format!("`{size}`"), "sides of at least 1"));
        }
        if nodes.is_none_or(|nodes| nodes > u64::from(NODES_MAX)) {
            return Err(Error::value("machine size", size, format!("at most {NODES_MAX} nodes")));
        }
        if sides.len() > DIMENSIONS_MAX {
            let expected = format!("at most {DIMENSIONS_MAX} sides");
            return Err(Error::value("number of dimensions", sides.len(), expected));
        }
        super::check_links(nodes.unwrap_or(u64::MAX).saturating_mul(2 * sides.len() as u64))?;
        let mut strides = vec![1; sides.len()];
        for axis in (0..sides.len() - 1).rev() {
            strides[axis] = strides[axis + 1] * sides[axis + 1];
        }
        let binary = sides.iter().all(|side| side.is_power_of_two());
        Ok(Self { sides: sides.to_vec(), strides, wraps, binary })
    }

    /// How many dimensions the box has.
    pub fn dimensions(&self) -> usize {
        self.sides.len()
    }

    /// Whether opposite borders are wired together.
    pub fn wraps(&self) -> bool {
        self.wraps
    }

    /// The coordinate of a node along one axis.
    #[inline]
    pub fn coordinate(&self, node: NodeId, axis: usize) -> u32 {
        let (stride, side) = (self.strides[axis], self.sides[axis]);
        if self.binary { node.0 >> stride.trailing_zeros() & (side - 1) } else { node.0 / stride % side }
    }

    /// All coordinates of a node, e.g. row and column.
    pub fn coordinates(&self, node: NodeId) -> Vec<u32> {
        (0..self.dimensions()).map(|axis| self.coordinate(node, axis)).collect()
    }

    /// How far apart the ids of neighbours along an axis are.
    #[inline]
    pub fn stride(&self, axis: usize) -> u32 {
        self.strides[axis]
    }

    /// The bits of a node id that hold a coordinate, if all sides are powers of two.
    pub(crate) fn bit_field(&self, axis: usize) -> Option<u32> {
        self.binary.then(|| (self.sides[axis] - 1) * self.strides[axis])
    }

    /// The node at these coordinates.
    ///
    /// # Panics
    ///
    /// When there are not as many coordinates as dimensions, or one lies outside its side.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::Grid;
    /// use meshwright_core::units::NodeId;
    /// let mesh = Grid::mesh(&[4, 8])?;
    /// assert_eq!(mesh.node_at(&[2, 3]), NodeId(2 * 8 + 3));
    /// assert_eq!(mesh.coordinates(NodeId(19)), [2, 3]);
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn node_at(&self, coordinates: &[u32]) -> NodeId {
        assert_eq!(coordinates.len(), self.dimensions(), "one coordinate per dimension");
        let mut id = 0;
        for ((&c, &side), &stride) in coordinates.iter().zip(&self.sides).zip(&self.strides) {
            assert!(c < side, "coordinate {c} lies outside a side of {side}");
            id += c * stride;
        }
        NodeId(id)
    }

    /// The axis a port belongs to, and whether it goes up.
    pub fn direction(&self, port: Port) -> (usize, bool) {
        (self.dimensions() - 1 - port.0 as usize / 2, port.0.is_multiple_of(2))
    }

    /// The port along `axis`, up or down.
    pub fn port(&self, axis: usize, up: bool) -> Port {
        Port(2 * (self.dimensions() - 1 - axis) as u32 + u32::from(!up))
    }

    /// The shorter way along one axis: steps, and whether upwards. Half-way round a torus, up.
    ///
    /// # Complexity
    ///
    /// O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::Grid;
    /// use meshwright_core::units::NodeId;
    /// let ring = Grid::torus(&[8])?;
    /// assert_eq!(ring.offset(NodeId(1), NodeId(6), 0), (3, false), "three steps down, over the border");
    /// assert_eq!(ring.offset(NodeId(6), NodeId(2), 0), (4, true), "both ways are equal: up");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    #[inline]
    pub fn offset(&self, from: NodeId, to: NodeId, axis: usize) -> (u32, bool) {
        let (a, b) = (self.coordinate(from, axis), self.coordinate(to, axis));
        let (straight, up) = (a.abs_diff(b), b >= a);
        let around = self.sides[axis] - straight;
        let way_round_is_shorter = around < straight || (around == straight && !up);
        let wired_around = self.wraps && self.sides[axis] > 2;
        if wired_around && way_round_is_shorter { (around, !up) } else { (straight, up) }
    }

    /// One step along an axis, or `None` at the border of a mesh.
    #[inline]
    pub fn step(&self, node: NodeId, axis: usize, up: bool) -> Option<NodeId> {
        let (side, stride) = (self.sides[axis], self.strides[axis]);
        let c = self.coordinate(node, axis);
        match (up, self.wraps && side > 2) {
            (true, _) if c + 1 < side => Some(NodeId(node.0 + stride)),
            (true, true) => Some(NodeId(node.0 - c * stride)),
            (false, _) if c > 0 => Some(NodeId(node.0 - stride)),
            (false, true) => Some(NodeId(node.0 + (side - 1) * stride)),
            (_, false) => None,
        }
    }
}

impl Topology for Grid {
    fn sides(&self) -> &[u32] {
        &self.sides
    }

    #[inline]
    fn first_link(&self, node: NodeId) -> LinkId {
        LinkId(node.0 * 2 * self.dimensions() as u32)
    }

    #[inline]
    fn neighbour(&self, node: NodeId, port: Port) -> Option<NodeId> {
        let (axis, up) = self.direction(port);
        self.step(node, axis, up)
    }

    /// O(1): each node has the same number of ports.
    #[inline]
    fn source(&self, link: LinkId) -> NodeId {
        NodeId(link.0 / (2 * self.dimensions() as u32))
    }

    /// The sum over the axes of the shorter way: Manhattan distance, with wrap-around on a torus.
    #[inline]
    fn distance(&self, from: NodeId, to: NodeId) -> Option<Hops> {
        Some(Hops((0..self.dimensions()).map(|axis| self.offset(from, to, axis).0).sum()))
    }

    /// The sum over the axes of the way to the farther end, on a torus of half the side.
    fn eccentricity(&self, node: NodeId) -> Hops {
        let along = |axis: usize| {
            let (side, c) = (self.sides[axis], self.coordinate(node, axis));
            if self.wraps { side / 2 } else { c.max(side - 1 - c) }
        };
        Hops((0..self.dimensions()).map(along).sum())
    }
}

/// Reads `4x8x2`: digits only, so that one machine has one name.
fn parse_sides(text: &str) -> Result<Vec<u32>> {
    let side = |side: &str| {
        let plain = side.bytes().all(|c| c.is_ascii_digit()) && !(side.len() > 1 && side.starts_with('0'));
        side.parse().ok().filter(|_| plain).ok_or_else(|| {
            Error::value("machine size", format!("`{text}`"), "sides joined by x, such as 8x8 or 4x4x4")
        })
    };
    text.split('x').map(side).collect()
}

//! Coordinates of members, their extents and the middle of them.

use smallvec::{SmallVec, smallvec};

use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Topology};

/// One number per axis.
pub type Axes<T> = SmallVec<[T; 3]>;

/// Per axis the coordinate at which a ring is cut open and laid flat; nothing on a mesh.
pub type Cut = Axes<u32>;

/// Twice the middle of some members, in the numbers of [`Frame::numbers`].
pub type Centre = Axes<i32>;

/// From where to where some members reach, in the numbers of [`Frame::numbers`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extents {
    low: Axes<i32>,
    high: Axes<i32>,
}

impl Extents {
    /// Those of one member.
    pub fn of(numbers: Axes<i32>) -> Self {
        Self { low: numbers.clone(), high: numbers }
    }

    /// Takes in others.
    pub fn include(&mut self, other: &Self) {
        for (own, &theirs) in self.low.iter_mut().zip(&other.low) {
            *own = (*own).min(theirs);
        }
        for (own, &theirs) in self.high.iter_mut().zip(&other.high) {
            *own = (*own).max(theirs);
        }
    }

    /// Twice the middle.
    pub fn centre(&self) -> Centre {
        self.low.iter().zip(&self.high).map(|(low, high)| low + high).collect()
    }
}

/// The box that coordinates are taken from.
#[derive(Clone, Debug)]
pub struct Frame {
    grid: Grid,
}

impl Frame {
    /// The coordinates of this box.
    pub fn new(grid: Grid) -> Self {
        Self { grid }
    }

    /// Whether it is the box of another network.
    pub fn is_of(&self, grid: &Grid) -> bool {
        self.grid == *grid
    }

    /// Links between two nodes where everything works: what members can compute alone.
    #[inline]
    pub fn distance(&self, a: NodeId, b: NodeId) -> u32 {
        self.grid.distance(a, b).expect("a box is connected").0
    }

    /// A coordinate, counted from the cut.
    #[inline]
    fn along(&self, node: NodeId, axis: usize, cut: &Cut) -> i32 {
        let coordinate = self.grid.coordinate(node, axis);
        match cut.get(axis) {
            Some(&from) if coordinate < from => (coordinate + self.grid.sides()[axis] - from) as i32,
            Some(&from) => (coordinate - from) as i32,
            None => coordinate as i32,
        }
    }

    /// Where to cut the rings of a first group: behind the longest stretch without a member.
    ///
    /// # Complexity
    ///
    /// O(axes (members + side)).
    pub fn cut(&self, members: &[NodeId]) -> Cut {
        if !self.grid.wraps() {
            return Cut::new();
        }
        (0..self.grid.dimensions()).map(|axis| self.cut_along(members, axis)).collect()
    }

    fn cut_along(&self, members: &[NodeId], axis: usize) -> u32 {
        let side = self.grid.sides()[axis];
        let mut is_taken = vec![false; side as usize];
        for &node in members {
            is_taken[self.grid.coordinate(node, axis) as usize] = true;
        }
        let (mut empty, mut longest, mut cut) = (0, 0, 0);
        for place in (0..side).chain(0..side) {
            if !is_taken[place as usize] {
                empty += 1;
                continue;
            }
            if empty > longest {
                (longest, cut) = (empty, place);
            }
            empty = 0;
        }
        cut
    }

    /// The numbers whose extents are kept: the sum and the difference of two coordinates, else the coordinates.
    pub fn numbers(&self, node: NodeId, cut: &Cut) -> Axes<i32> {
        let along = |axis| self.along(node, axis, cut);
        match self.grid.dimensions() {
            2 => {
                let (row, column) = (along(0), along(1));
                smallvec![row + column, row - column]
            }
            axes => (0..axes).map(along).collect(),
        }
    }

    /// Twice the distance of a member from a centre: the larger of two, the sum over more axes; both are links.
    pub fn twice_from_centre(&self, node: NodeId, cut: &Cut, centre: &Centre) -> u32 {
        let numbers = self.numbers(node, cut);
        let apart = numbers.iter().zip(centre).map(|(number, centre)| (2 * number).abs_diff(*centre));
        if numbers.len() == 2 { apart.max().unwrap_or(0) } else { apart.sum() }
    }

    /// The bits that hold the extents of one group: two numbers per axis.
    pub fn extent_bits(&self) -> u32 {
        let sides = self.grid.sides();
        match *sides {
            [rows, columns] => 4 * bits(rows + columns - 2),
            _ => sides.iter().map(|side| 2 * bits(side - 1)).sum(),
        }
    }

    /// The bits that hold a centre: one number per axis, in halves.
    pub fn centre_bits(&self) -> u32 {
        self.extent_bits() / 2 + self.grid.dimensions() as u32
    }

    /// The bits that hold the name of a node.
    pub fn node_bits(&self) -> u32 {
        bits(self.grid.nodes() - 1)
    }
}

/// The bits that hold a number up to this one.
pub fn bits(most: u32) -> u32 {
    most.checked_ilog2().map_or(1, |highest| highest + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(frame: &Frame, cut: &Cut, nodes: &[u32]) -> Extents {
        let mut of = nodes.iter().map(|&node| Extents::of(frame.numbers(NodeId(node), cut)));
        let first = of.next().expect("a group has members");
        of.fold(first, |mut all, one| {
            all.include(&one);
            all
        })
    }

    /// The way to the farthest member lies between the way to the middle and that and half a diameter.
    #[test]
    fn the_middle_tells_the_eccentricity() {
        let frame = Frame::new(Grid::mesh(&[9, 14]).unwrap());
        let (cut, nodes) = (Cut::new(), [3, 17, 40, 41, 77, 90, 91, 125]);
        let centre = reach(&frame, &cut, &nodes).centre();
        let farthest = |from: u32| {
            let far = nodes.iter().map(|&to| frame.distance(NodeId(from), NodeId(to))).max();
            far.expect("a group has members")
        };
        let diameter = nodes.iter().map(|&from| farthest(from)).max().unwrap();
        for from in 0..9 * 14 {
            let twice = frame.twice_from_centre(NodeId(from), &cut, &centre);
            assert!(twice <= 2 * farthest(from) && 2 * farthest(from) <= twice + diameter, "from {from}");
        }
    }

    #[test]
    fn rings_are_opened_where_nobody_is() {
        let frame = Frame::new(Grid::torus(&[10]).unwrap());
        let nodes = [8, 9, 0, 1].map(NodeId);
        let cut = frame.cut(&nodes);
        assert_eq!(cut[..], [8]);
        assert_eq!(nodes.map(|node| frame.numbers(node, &cut)[0]), [0, 1, 2, 3]);
        // The middle lies between 9 and 0.
        let centre = reach(&frame, &cut, &[8, 9, 0, 1]).centre();
        assert_eq!(
            [8, 9, 0, 1].map(|node| frame.twice_from_centre(NodeId(node), &cut, &centre)),
            [3, 1, 1, 3]
        );
    }

    #[test]
    fn bits_hold_every_extent() {
        let frame = Frame::new(Grid::mesh(&[16, 16]).unwrap());
        assert_eq!((frame.extent_bits(), frame.centre_bits(), frame.node_bits()), (20, 12, 8));
        let frame = Frame::new(Grid::mesh(&[4, 8, 2]).unwrap());
        assert_eq!((frame.extent_bits(), frame.centre_bits(), frame.node_bits()), (12, 9, 6));
    }
}

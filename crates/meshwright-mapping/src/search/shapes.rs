//! Moves of whole blocks of a box at once: neighbouring blocks change places, blocks are mirrored.
//!
//! A task graph with a regular plan has regular placements, and between two of them lies no chain of single swaps
//! that never gets worse. These moves step from one regular placement to another: the same exchange in every tile
//! of the box, in every other one, or in one.

use rand::{Rng, RngExt};

use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Topology};

/// A box and the lengths of blocks along each axis.
#[derive(Clone, Debug)]
pub(super) struct Shapes {
    sides: Vec<u32>,
    strides: Vec<u32>,
    coordinates: Vec<u32>,
    /// Axes with blocks, and their lengths: two of them fit into the side.
    lengths: Vec<(usize, u32)>,
}

/// What happens within each tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TurnKind {
    /// Two blocks of this length make a tile and change places.
    Swap { axis: usize, length: u32 },
    /// The tile is mirrored.
    Mirror { axis: usize, length: u32 },
    /// Of the four quarters of a tile two opposite ones change places. Along one axis quarters lie in a row, and
    /// the first length is a multiple of twice the second.
    Diagonal { first: (usize, u32), second: (usize, u32) },
}

/// A permutation of the nodes of a box that is its own inverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    kind: TurnKind,
    /// Only where the block of this length along this axis has an odd number; the parity stays.
    odd: Option<(usize, u32)>,
    /// Only where blocks of this length along this axis have this number.
    only: Option<(usize, u32, u32)>,
}

impl Shapes {
    /// The blocks of a box; nothing if it has one node.
    pub(super) fn new(grid: &Grid) -> Option<Self> {
        let sides = grid.sides().to_vec();
        let mut strides = vec![1; sides.len()];
        for axis in (1..sides.len()).rev() {
            strides[axis - 1] = strides[axis] * sides[axis];
        }
        let mut lengths = Vec::new();
        for (axis, &side) in sides.iter().enumerate() {
            let halves = std::iter::successors(Some(side / 2), |half| Some(half / 2));
            let powers = (0..31).map(|power| 1 << power);
            let mut of_axis: Vec<u32> = halves
                .take_while(|&half| half > 0)
                .chain(powers.take_while(|power| 2 * power <= side))
                .collect();
            of_axis.sort_unstable();
            of_axis.dedup();
            lengths.extend(of_axis.into_iter().map(|length| (axis, length)));
        }
        let nodes = (0..grid.nodes()).map(NodeId);
        let axes = 0..sides.len();
        let coordinates =
            nodes.flat_map(|node| axes.clone().map(move |axis| grid.coordinate(node, axis))).collect();
        (!lengths.is_empty()).then_some(Self { sides, strides, coordinates, lengths })
    }

    /// A turn drawn by lot.
    pub(super) fn draw(&self, rng: &mut impl Rng) -> Turn {
        let mut block = |_: u32| self.lengths[rng.random_range(0..self.lengths.len())];
        let (first, second, condition) = (block(0), block(1), block(2));
        let lot = rng.random_range(0..100);
        let kind = match lot {
            0..55 => TurnKind::Swap { axis: first.0, length: first.1 },
            55..70 => {
                let double = 2 * first.1;
                let side = self.sides[first.0];
                let length = if double + double > side && lot < 58 { side } else { double };
                TurnKind::Mirror { axis: first.0, length }
            }
            _ => {
                let (long, short) = if first.1 >= second.1 { (first, second) } else { (second, first) };
                if first.0 != second.0 || long.1 % (2 * short.1) == 0 {
                    TurnKind::Diagonal { first: long, second: short }
                } else {
                    TurnKind::Swap { axis: first.0, length: first.1 }
                }
            }
        };
        let odd = (rng.random_range(0..4) > 0 && kind.keeps_parity(condition)).then_some(condition);
        let region = self.lengths[rng.random_range(0..self.lengths.len())];
        let number = rng.random_range(0..self.sides[region.0].div_ceil(region.1));
        let only =
            (rng.random_range(0..4) == 0 && kind.keeps(region)).then_some((region.0, region.1, number));
        Turn { kind, odd, only }
    }

    /// Where a node goes.
    #[inline]
    fn image(&self, node: u32, turn: &Turn) -> u32 {
        let at = |axis: usize| self.coordinates[node as usize * self.sides.len() + axis];
        let odd = |(axis, length): (usize, u32)| at(axis) / length % 2 == 1;
        if turn.odd.is_some_and(|block| !odd(block))
            || turn.only.is_some_and(|(axis, length, number)| at(axis) / length != number)
        {
            return node;
        }
        let whole = |axis: usize, tile: u32| (at(axis) / tile + 1) * tile <= self.sides[axis];
        let toggle = |node: u32, (axis, length): (usize, u32)| {
            let step = length * self.strides[axis];
            if odd((axis, length)) { node - step } else { node + step }
        };
        match turn.kind {
            TurnKind::Swap { axis, length } if whole(axis, 2 * length) => toggle(node, (axis, length)),
            TurnKind::Mirror { axis, length } if whole(axis, length) => {
                let within = at(axis) % length;
                node + (length - 1) * self.strides[axis] - 2 * within * self.strides[axis]
            }
            TurnKind::Diagonal { first, second }
                if odd(first) != odd(second)
                    && whole(first.0, 2 * first.1)
                    && whole(second.0, 2 * second.1) =>
            {
                // The way up first: ids stay positive.
                let (up, down) = if odd(first) { (second, first) } else { (first, second) };
                toggle(toggle(node, up), down)
            }
            _ => node,
        }
    }

    /// Moves all tasks.
    pub(super) fn apply(&self, turn: &Turn, node_of: &[u32], turned: &mut [u32]) {
        for (node, turned) in node_of.iter().zip(turned) {
            *turned = self.image(*node, turn);
        }
    }
}

impl TurnKind {
    /// Whether the numbers of blocks of this length along this axis stay odd or even.
    fn keeps_parity(self, (along, size): (usize, u32)) -> bool {
        match self {
            Self::Swap { axis, length } if axis == along => {
                size.is_multiple_of(2 * length) || length.is_multiple_of(2 * size)
            }
            _ => self.keeps((along, size)),
        }
    }

    /// Whether no node leaves its block of this length along this axis.
    fn keeps(self, (along, size): (usize, u32)) -> bool {
        let within = |axis: usize, tile: u32| axis != along || size.is_multiple_of(tile);
        match self {
            Self::Swap { axis, length } => within(axis, 2 * length),
            Self::Mirror { axis, length } => within(axis, length),
            Self::Diagonal { first, second } => {
                within(first.0, 2 * first.1) && within(second.0, 2 * second.1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_turn_is_a_permutation_that_is_its_own_inverse() {
        for sides in
            [&[8u32, 8][..], &[4, 16], &[6, 10], &[5, 7], &[12], &[4, 4, 4], &[3, 2, 5], &[2, 2, 2, 2]]
        {
            let grid = Grid::mesh(sides).unwrap();
            let shapes = Shapes::new(&grid).unwrap();
            let mut rng = meshwright_core::rng::stream(3, "turns");
            let all: Vec<u32> = (0..grid.nodes()).collect();
            let (mut once, mut twice) = (all.clone(), all.clone());
            let mut moved = 0;
            for _ in 0..2000 {
                let turn = shapes.draw(&mut rng);
                shapes.apply(&turn, &all, &mut once);
                shapes.apply(&turn, &once, &mut twice);
                assert_eq!(twice, all, "{turn:?} on {sides:?}");
                moved += usize::from(once != all);
            }
            assert!(moved > 1000, "{moved} of 2000 turns move something on {sides:?}");
        }
    }
}

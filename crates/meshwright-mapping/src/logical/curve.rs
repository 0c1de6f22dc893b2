//! The order of an axis within its places: a walk over the cells of a small box, one cell for each member.
//!
//! | walk | what | good for |
//! |---|---|---|
//! | straight, in rows | the last dimension fastest, or another | lines; rings on a torus |
//! | snake | back and forth: neighbours stay neighbours | halos, shifts |
//! | cycle | a snake that leaves a column free for the way back, where a side is even | rings |
//! | folded | every second place out, the others back: all neighbours of a ring within two places | rings on a line |
//! | Hilbert | the Hilbert walk of a rectangle | what is near in number |

use meshwright_network::topology::order::{self, Order};

/// Up to so many dimensions all orders of them are tried.
const DIMENSIONS_PERMUTED: usize = 3;

/// A walk over the cells of a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Curve {
    /// What it is called; nothing for a straight line.
    pub(super) words: String,
    /// The cell of each member, numbered row after row.
    pub(super) cells: Vec<u32>,
}

/// Every walk over a box of this shape that the family knows, each once.
pub(super) fn curves(shape: &[u32]) -> Vec<Curve> {
    let long: Vec<usize> = (0..shape.len()).filter(|&dim| shape[dim] > 1).collect();
    let mut curves: Vec<Curve> = Vec::new();
    let mut add = |words: String, cells: Vec<u32>| {
        if !curves.iter().any(|curve| curve.cells == cells) {
            curves.push(Curve { words, cells });
        }
    };
    for dims in orders(&long) {
        let view = View { shape, dims: &dims };
        let snake = view.along(named("snake"));
        if dims.len() < 2 {
            add("folded".into(), folded(&snake));
            add(String::new(), snake);
            continue;
        }
        let fastest = format!(", dim{} fastest", dims[dims.len() - 1]);
        if let Some(cycle) = view.cycle() {
            add(format!("in a cycle{fastest}"), cycle);
        }
        add(format!("folded along a snake{fastest}"), folded(&snake));
        add(format!("as a snake{fastest}"), snake);
        if dims.len() == 2 {
            add(format!("along a Hilbert walk from dim{}", dims[0]), view.along(named("hilbert")));
        }
        add(format!("in rows{fastest}"), view.along(named("row")));
    }
    curves
}

fn named(name: &str) -> &'static Order {
    order::order(name).expect("an order of the table")
}

/// The dimensions in every order, the slowest first; of many dimensions only forwards and backwards.
fn orders(dims: &[usize]) -> Vec<Vec<usize>> {
    if dims.len() > DIMENSIONS_PERMUTED {
        return vec![dims.to_vec(), dims.iter().rev().copied().collect()];
    }
    permutations(dims)
}

/// All orders of some numbers.
pub(super) fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.len() < 2 {
        return vec![items.to_vec()];
    }
    let mut all = Vec::new();
    for (at, &first) in items.iter().enumerate() {
        let rest: Vec<usize> = [&items[..at], &items[at + 1..]].concat();
        all.extend(permutations(&rest).into_iter().map(|tail| [vec![first], tail].concat()));
    }
    all
}

/// Every second place of a walk, then the others backwards: who is next on the ring is at most two places away.
fn folded(walk: &[u32]) -> Vec<u32> {
    let places = (0..walk.len()).step_by(2).chain((0..walk.len()).skip(1).step_by(2).rev());
    places.map(|place| walk[place]).collect()
}

/// A box seen with its dimensions in another order, the slowest first.
struct View<'a> {
    shape: &'a [u32],
    dims: &'a [usize],
}

impl View<'_> {
    /// The sides in this order; a box of one cell has one side of 1.
    fn sides(&self) -> Vec<u32> {
        if self.dims.is_empty() { vec![1] } else { self.dims.iter().map(|&dim| self.shape[dim]).collect() }
    }

    /// The cell of the box, in its own numbering, for a cell in the numbering of this view.
    fn cell(&self, mut number: u32) -> u32 {
        let mut cell = 0;
        for &dim in self.dims.iter().rev() {
            let stride: u32 = self.shape[dim + 1..].iter().product();
            cell += number % self.shape[dim] * stride;
            number /= self.shape[dim];
        }
        cell
    }

    /// The cells along an order of the table.
    fn along(&self, order: &Order) -> Vec<u32> {
        (order.walk)(&self.sides()).into_iter().map(|node| self.cell(node.0)).collect()
    }

    /// A walk whose end is beside its begin, if the slowest side is even: up and down over the snake of the others, but for
    /// their first cell, over which it comes back.
    fn cycle(&self) -> Option<Vec<u32>> {
        let sides = self.sides();
        let (rows, others) = (sides[0], &sides[1..]);
        if !rows.is_multiple_of(2) {
            return None;
        }
        let snake = (named("snake").walk)(others);
        let cells = snake.len() as u32;
        let at = |row: u32, place: u32| self.cell(row * cells + snake[place as usize].0);
        let mut walk = Vec::with_capacity((rows * cells) as usize);
        for row in 0..rows {
            let there = 1..cells;
            match row % 2 {
                0 => walk.extend(there.map(|place| at(row, place))),
                _ => walk.extend(there.rev().map(|place| at(row, place))),
            }
        }
        walk.extend((0..rows).rev().map(|row| at(row, 0)));
        Some(walk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::units::{Hops, NodeId};
    use meshwright_network::topology::{Grid, Topology};

    /// Every walk visits every cell once; snakes have unit steps, cycles come back, and folds never go farther than two.
    #[test]
    fn walks_keep_what_their_names_promise() {
        for shape in [
            &[8][..],
            &[7],
            &[2],
            &[1, 6],
            &[4, 4],
            &[3, 4],
            &[3, 5],
            &[4, 1, 6],
            &[2, 3, 4],
            &[2, 2, 2, 2, 2],
        ] {
            let grid = Grid::mesh(shape).unwrap();
            let cells: u32 = shape.iter().product();
            let far = |walk: &[u32], closed: bool| {
                let ends = closed.then(|| (walk[walk.len() - 1], walk[0]));
                let pairs = walk.windows(2).map(|two| (two[0], two[1])).chain(ends);
                pairs.map(|(a, b)| grid.distance(NodeId(a), NodeId(b)).unwrap()).max().unwrap()
            };
            let mut cycles = 0;
            for Curve { words, cells: walk } in curves(shape) {
                let mut seen = walk.clone();
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..cells), "{words} on {shape:?}");
                if words.starts_with("in a cycle") {
                    assert_eq!(far(&walk, true), Hops(1), "{words} on {shape:?}");
                    cycles += 1;
                } else if words.starts_with("folded") {
                    assert!(far(&walk, true) <= Hops(2), "{words} on {shape:?}");
                } else if words.is_empty() || words.starts_with("as a snake") {
                    assert_eq!(far(&walk, false), Hops(1), "{words} on {shape:?}");
                }
            }
            let sides = shape.iter().filter(|&&side| side > 1);
            let may_close = sides.clone().count() > 1 && sides.clone().any(|side| side % 2 == 0);
            assert_eq!(cycles > 0, may_close, "{shape:?}");
        }
    }
}

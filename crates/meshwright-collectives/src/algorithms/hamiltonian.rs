//! Hamiltonian rings: parts go round cycles that visit every node of a box over its links.
//!
//! # Source
//!
//! `hoefler2022`; two cycles that share no link after `kotzig1973`, by a construction of our own.

use fixedbitset::FixedBitSet;
use meshwright_core::error::{Error, Result};
use meshwright_network::topology::{Grid, Topology};

use super::kotzig;
use super::ring::{GATHERS, one_way, ring};
use crate::Task;
use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::shape::beside;

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "hamiltonian-ring",
        summary: "a ring over a cycle through all nodes, from neighbour to neighbour",
        formula: "2 (p - 1) (c + h + b V / p)",
        source: "hoefler2022",
        operations: GATHERS,
        streams: false,
        flow: |task| ring(task, &one(task)?, &[true]),
    },
    Algorithm {
        name: "two-way-hamiltonian-ring",
        summary: "a ring over a cycle through all nodes, half of every part each way",
        formula: "2 (p - 1) (c + h + b V / (2 p))",
        source: "hoefler2022",
        operations: GATHERS,
        streams: false,
        flow: |task| ring(task, &one(task)?, &[true, false]),
    },
    Algorithm {
        name: "disjoint-hamiltonian-rings",
        summary: "rings over 2 cycles that share no link (4 of 4 dimensions), a share of every part each way round each",
        formula: "2 (p - 1) (c + h + b V / (4 p))",
        source: "kotzig1973",
        operations: GATHERS,
        streams: false,
        flow: several,
    },
];

/// One cycle through all nodes.
fn one(task: &Task<'_>) -> Result<Vec<u32>> {
    cycle(task.grid("a Hamiltonian ring")?).map_err(|why| Error::not_applicable("a Hamiltonian ring", why))
}

/// Round several cycles that share no link, both ways.
fn several(task: &Task<'_>) -> Result<Flow> {
    let what = "two Hamiltonian rings";
    let cycles = disjoint(task.grid(what)?).map_err(|why| Error::not_applicable(what, why))?;
    task.fits_pairs(2 * cycles.len())?;
    beside(task, 2 * cycles.len() as u32, |k, task| one_way(task, &cycles[k as usize / 2], k % 2 == 0))
}

/// A cycle through all nodes of a box over its links.
///
/// | box | cycle |
/// |---|---|
/// | an even side, and another side | row 0 of that side and the snake over all others, rows 1, 2, ... as a snake without their first column, back over that |
/// | a torus of odd sides | the `helix` of the last side and the cycle of the others |
///
/// # Errors
///
/// A reason why there is none: a line, or a mesh of odd sides, which has one node more of one colour of a chessboard.
///
/// # Examples
///
/// ```
/// use meshwright_collectives::algorithms::hamiltonian::cycle;
/// use meshwright_network::topology::Grid;
/// assert_eq!(cycle(&Grid::mesh(&[2, 3])?).unwrap(), [0, 1, 2, 5, 4, 3]);
/// assert!(cycle(&Grid::mesh(&[3, 3])?).is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn cycle(grid: &Grid) -> std::result::Result<Vec<u32>, &'static str> {
    let axes: Vec<usize> = (0..grid.dimensions()).filter(|&axis| grid.sides()[axis] > 1).collect();
    let rings = || grid.wraps() && axes.iter().all(|&axis| grid.sides()[axis] > 2);
    if let [axis] = axes[..] {
        let is_ring = rings() || grid.sides()[axis] == 2;
        return if is_ring { Ok(along_axis(grid, axis)) } else { Err("a line is no ring") };
    }
    match axes.iter().position(|&axis| grid.sides()[axis].is_multiple_of(2)) {
        Some(at) => {
            let rest: Vec<usize> = axes.iter().copied().filter(|&axis| axis != axes[at]).collect();
            Ok(comb(&along_axis(grid, axes[at]), &snake(grid, &rest)))
        }
        None if rings() => {
            let all = axes.iter().map(|&axis| along_axis(grid, axis));
            Ok(all.reduce(|cycle, axis| helix(&cycle, &axis)).unwrap_or_default())
        }
        None => Err("a mesh of odd sides has no cycle through all nodes"),
    }
}

/// Cycles through all nodes of a torus that share no link, not even in opposite directions: two of 2 or 3 dimensions, four of 4.
///
/// Two sides of 2 count as a ring of 4. The product of two cycles of lengths alike modulo 2 is a `helix` and the rest of its
/// links, which are a second cycle: see there; of lengths even and odd, two cycles are found by exchanging squares. Dimensions are
/// halved, and the cycles of the halves paired.
///
/// # Errors
///
/// A reason why there are none, or none that this construction finds: no torus, or more than 4096 nodes of sides even and odd.
///
/// # Examples
///
/// ```
/// use meshwright_collectives::algorithms::hamiltonian::disjoint;
/// use meshwright_network::topology::Grid;
/// let [one, other] = &disjoint(&Grid::torus(&[3, 3])?).unwrap()[..] else { panic!("two") };
/// assert_eq!((&one[..], &other[..]), (&[0, 3, 6, 7, 1, 4, 5, 8, 2][..], &[0, 1, 2, 5, 3, 4, 7, 8, 6][..]));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn disjoint(grid: &Grid) -> std::result::Result<Vec<Vec<u32>>, &'static str> {
    let axes = |is: &dyn Fn(u32) -> bool| -> Vec<usize> {
        (0..grid.dimensions()).filter(|&axis| is(grid.sides()[axis])).collect()
    };
    let (short, long) = (axes(&|side| side == 2), axes(&|side| side > 2));
    if !grid.wraps() && !long.is_empty() || !short.len().is_multiple_of(2) {
        return Err("it needs a torus: every side a ring, or sides of 2 in pairs");
    }
    let mut rings: Vec<Vec<u32>> = long.iter().map(|&axis| along_axis(grid, axis)).collect();
    let pair = |two: &[usize]| comb(&along_axis(grid, two[0]), &along_axis(grid, two[1]));
    rings.extend(short.chunks(2).map(pair));
    if rings.len() < 2 {
        return Err("it needs two dimensions");
    }
    halves(&rings).ok_or("it looks for two of sides even and odd only among 4096 nodes")
}

/// Cycles of a product of rings that share no link.
fn halves(rings: &[Vec<u32>]) -> Option<Vec<Vec<u32>>> {
    if let [ring] = rings {
        return Some(vec![ring.clone()]);
    }
    let (first, second) = rings.split_at(rings.len() / 2);
    let mut all = Vec::new();
    for (one, other) in halves(first)?.iter().zip(&halves(second)?) {
        if one.len() % 2 != other.len() % 2 {
            all.extend(kotzig::two(one, other)?);
            continue;
        }
        all.push(helix(one, other));
        all.push(rest(one, other, &all[all.len() - 1]));
    }
    Some(all)
}

/// The nodes along one axis from node 0.
fn along_axis(grid: &Grid, axis: usize) -> Vec<u32> {
    (0..grid.sides()[axis]).map(|at| at * grid.stride(axis)).collect()
}

/// The snake over some axes from node 0: every next node a neighbour.
fn snake(grid: &Grid, axes: &[usize]) -> Vec<u32> {
    let mut path = vec![0];
    for &axis in axes.iter().rev() {
        let forth = path.clone();
        for (turn, at) in along_axis(grid, axis).into_iter().enumerate().skip(1) {
            let mut row: Vec<u32> = forth.iter().map(|&node| node + at).collect();
            if turn % 2 == 1 {
                row.reverse();
            }
            path.extend(row);
        }
    }
    path
}

/// The cycle through a box of two paths, the first of even length: forth along row 0, as a snake over all other rows without
/// their first column, and back over that.
fn comb(rows: &[u32], columns: &[u32]) -> Vec<u32> {
    let mut cycle: Vec<u32> = columns.to_vec();
    for (number, &row) in rows.iter().enumerate().skip(1) {
        let snake = columns[1..].iter().map(|&column| row + column);
        if number % 2 == 1 { cycle.extend(snake.rev()) } else { cycle.extend(snake) }
    }
    cycle.extend(rows[1..].iter().rev().map(|&row| row + columns[0]));
    cycle
}

/// The cycle through the product of two cycles of lengths n <= m, both even or both odd, that goes round the n nodes of every
/// place of the longer one, from where it comes in to the node before (or behind) that, and on to the next place.
///
/// It closes because (m + n) / 2 of the m places are gone round one way and the others the other way: n steps in all.
/// Its other links are one cycle too. At every place one link of the short cycle is left over, and of the n links to the next place all but
/// one; so n - 1 tracks lead round the long cycle, and at every place one of them moves to the row that is free: a
/// shifting puzzle on a ring of n rows. Once round, the free row has gone round the ring once, and every track has become the next of n - 1.
fn helix(one: &[u32], other: &[u32]) -> Vec<u32> {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let (n, m) = (short.len(), long.len());
    let mut row = 0;
    let mut cycle = Vec::with_capacity(n * m);
    for (place, &at) in long.iter().enumerate() {
        let step = if place < (m + n) / 2 { 1 } else { n - 1 };
        cycle.extend((0..n).map(|k| short[(row + k * step) % n] + at));
        row = (row + (n - 1) * step) % n;
    }
    cycle
}

/// The cycle of the links of a product of two cycles that another cycle leaves over.
fn rest(one: &[u32], other: &[u32], used: &[u32]) -> Vec<u32> {
    let number = |i: usize, j: usize| (i % one.len()) * other.len() + j % other.len();
    let node = |at: usize| one[at / other.len()] + other[at % other.len()];
    let around = |at: usize| {
        let (i, j) = (at / other.len(), at % other.len());
        [number(i, j + 1), number(i + 1, j), number(i, j + other.len() - 1), number(i + one.len() - 1, j)]
    };
    // By node its two neighbours on the cycle used.
    let most = used.iter().max().map_or(0, |&most| most as usize);
    let mut taken = vec![[0; 2]; most + 1];
    for (k, &node) in used.iter().enumerate() {
        taken[node as usize] = [used[(k + 1) % used.len()], used[(k + used.len() - 1) % used.len()]];
    }
    let mut visited = FixedBitSet::with_capacity(used.len());
    let (mut cycle, mut at) = (Vec::with_capacity(used.len()), 0);
    loop {
        visited.insert(at);
        cycle.push(node(at));
        let is_free =
            |next: &usize| !visited.contains(*next) && !taken[node(at) as usize].contains(&node(*next));
        match around(at).into_iter().find(is_free) {
            Some(next) => at = next,
            None => break,
        }
    }
    assert_eq!(cycle.len(), used.len(), "the rest is one cycle");
    cycle
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::units::NodeId;

    /// The links of a cycle, each once; panics unless it visits every node over links.
    fn links(grid: &Grid, cycle: &[u32]) -> Vec<(u32, u32)> {
        let mut sorted = cycle.to_vec();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..grid.nodes()), "{:?}: every node once", grid.sides());
        let next = cycle.iter().cycle().skip(1);
        let links = cycle.iter().zip(next).map(|(&a, &b)| {
            assert_eq!(grid.distance(NodeId(a), NodeId(b)).unwrap().0, 1, "{:?}: {a} {b}", grid.sides());
            (a.min(b), a.max(b))
        });
        links.collect()
    }

    /// Boxes of up to 3 sides of 1 to 7 nodes.
    fn boxes(wraps: bool) -> Vec<Grid> {
        let of = |sides: &[u32]| if wraps { Grid::torus(sides) } else { Grid::mesh(sides) }.unwrap();
        let mut all = Vec::new();
        for a in 1..=7 {
            for b in 1..=12 {
                all.push(of(&[a, b]));
                all.extend((1..=5).map(|c| of(&[a, b, c])));
            }
        }
        all
    }

    /// Definition against construction: a mesh has a cycle unless it is a line or its sides are odd; a torus always.
    #[test]
    fn cycles_visit_every_node_over_links_where_there_is_one() {
        for wraps in [false, true] {
            for grid in boxes(wraps) {
                let sides: Vec<u32> = grid.sides().iter().copied().filter(|&side| side > 1).collect();
                let exists = match sides[..] {
                    [] => continue,
                    [one] => wraps || one == 2,
                    _ => wraps || grid.nodes().is_multiple_of(2),
                };
                match cycle(&grid) {
                    Ok(cycle) => assert_eq!(links(&grid, &cycle).len() as u32, grid.nodes()),
                    Err(why) => assert!(!exists, "{:?}, {why}", grid.sides()),
                }
            }
        }
    }

    /// They share no link; in 2 dimensions and in 4 they use every link.
    #[test]
    fn disjoint_cycles_share_no_link() {
        let mut grids = boxes(true);
        grids.extend([[4, 4, 4, 4], [3, 5, 3, 3], [4, 6, 8, 4]].map(|sides| Grid::torus(&sides).unwrap()));
        grids.extend([4, 6, 8].map(|dimension| Grid::hypercube(dimension).unwrap()));
        let mut found = 0;
        for grid in grids {
            let Ok(cycles) = disjoint(&grid) else { continue };
            found += 1;
            let mut all: Vec<(u32, u32)> = cycles.iter().flat_map(|cycle| links(&grid, cycle)).collect();
            let many = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), many, "{:?}", grid.sides());
            if grid.dimensions() == 2 || grid.dimensions() == 4 {
                assert_eq!(
                    all.len() as u32,
                    grid.nodes() * grid.dimensions() as u32 / if grid.wraps() { 1 } else { 2 }
                );
            }
        }
        assert!(found > 60, "{found}");
    }

    /// Kotzig: every torus of 2 sides of at least 3 nodes has two, also of sides even and odd, short and long.
    #[test]
    fn any_two_sides_have_two() {
        let small = (3..=16).flat_map(|a| (3..=16).map(move |b| [a, b]));
        for sides in small.chain([[4, 33], [33, 4], [32, 33], [31, 16], [3, 40], [40, 3], [5, 64]]) {
            let grid = Grid::torus(&sides).unwrap();
            let cycles = disjoint(&grid).unwrap_or_else(|why| panic!("{sides:?}: {why}"));
            let mut all: Vec<(u32, u32)> = cycles.iter().flat_map(|cycle| links(&grid, cycle)).collect();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len() as u32, 2 * grid.nodes(), "{sides:?}: every link once");
        }
    }
}

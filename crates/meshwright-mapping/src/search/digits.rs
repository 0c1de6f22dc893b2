//! Placements of tasks that are numbered like the nodes of a box: their numbers read as digits, digits dealt out to axes.
//!
//! Task numbers of logical grids, butterflies and rings of rings are digits of mixed radix, the last one the fastest. Dealt
//! out to the axes of the machine, in any order and cut in any way that fills the box, they are the row-major order,
//! transposition, Morton order and blocks inside blocks. Each can be folded besides: every other turn of a digit runs
//! backwards, so that numbers that follow each other are neighbours; or a digit goes out over the even places and comes back
//! over the odd ones, so that a ring closes.

use meshwright_network::topology::{Grid, Topology};

/// How the digits of an axis run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Run {
    /// 0 1 2 3.
    Straight,
    /// 0 1 2 3, then 3 2 1 0.
    Snake,
    /// 0 3 1 2: out over the even places, back over the odd ones.
    Ring,
}

const RUNS: [Run; 3] = [Run::Straight, Run::Snake, Run::Ring];

/// For each task of a box full of tasks its node, in every way up to a number, the ways with the fewest digits first.
///
/// # Complexity
///
/// O(nodes times digits) for each.
pub(super) fn placements(grid: &Grid, most: usize) -> Vec<Vec<u32>> {
    let dealt = dealings(grid.sides(), most.div_ceil(RUNS.len()));
    let each = dealt.iter().flat_map(|digits| RUNS.map(|run| place(grid, digits, run)));
    each.take(most).collect()
}

/// Digits, the slowest first, each with its axis and its radix.
type Digits = Vec<(usize, u32)>;

/// Lists of digits, the slowest first, each with its axis and its radix; those of an axis multiply to its side, and no two
/// that follow each other lie on one axis.
fn dealings(sides: &[u32], most: usize) -> Vec<Digits> {
    let mut done = Vec::new();
    let mut open: Vec<(Digits, Vec<u32>)> = vec![(Vec::new(), sides.to_vec())];
    while !open.is_empty() && done.len() < most {
        let mut longer = Vec::new();
        for (digits, left) in &open {
            if left.iter().all(|&left| left == 1) {
                done.push(digits.clone());
                continue;
            }
            for axis in (0..sides.len()).filter(|&axis| digits.last().is_none_or(|last| last.0 != axis)) {
                for radix in (2..=left[axis]).rev().filter(|radix| left[axis].is_multiple_of(*radix)) {
                    let (mut digits, mut left) = (digits.clone(), left.clone());
                    digits.push((axis, radix));
                    left[axis] /= radix;
                    longer.push((digits, left));
                }
            }
            if longer.len() > 8 * most {
                break;
            }
        }
        open = longer;
    }
    done.truncate(most);
    done
}

fn place(grid: &Grid, digits: &[(usize, u32)], run: Run) -> Vec<u32> {
    let mut coordinates = vec![0u32; grid.sides().len()];
    let node = |task: u32, coordinates: &mut [u32]| {
        coordinates.fill(0);
        let mut below: u32 = digits.iter().map(|digit| digit.1).product();
        let mut turns = 0;
        for &(axis, radix) in digits {
            below /= radix;
            let digit = task / below % radix;
            let at = match run {
                Run::Straight => digit,
                Run::Snake if turns % 2 == 1 => radix - 1 - digit,
                Run::Snake => digit,
                Run::Ring if 2 * digit < radix => 2 * digit,
                Run::Ring => 2 * (radix - 1 - digit) + 1,
            };
            turns = turns * radix + digit;
            coordinates[axis] = coordinates[axis] * radix + at;
        }
        grid.node_at(coordinates).0
    };
    (0..grid.nodes()).map(|task| node(task, &mut coordinates)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::units::NodeId;

    #[test]
    fn every_way_fills_the_box_and_the_known_ones_are_there() {
        for sides in [&[8u32, 16][..], &[3, 5], &[7], &[4, 4, 4], &[2, 6, 5], &[1, 9]] {
            let grid = Grid::mesh(sides).unwrap();
            let ways = placements(&grid, 300);
            assert!(ways.len() >= 3, "{sides:?}");
            for way in &ways {
                let mut sorted = way.clone();
                sorted.sort_unstable();
                assert!(sorted.iter().copied().eq(0..grid.nodes()), "{sides:?}");
            }
            assert!(ways.contains(&(0..grid.nodes()).collect()), "row-major on {sides:?}");
        }
        let grid = Grid::mesh(&[8, 16]).unwrap();
        let swapped: Vec<u32> = (0..128).map(|task| 16 * (task % 8) + task / 8).collect();
        assert!(placements(&grid, 6).contains(&swapped), "axes change places");
        // Neighbours on the ring of 7 are at most two apart.
        let ring = place(&Grid::mesh(&[7]).unwrap(), &[(0, 7)], Run::Ring);
        assert!((0..7).all(|task| ring[task].abs_diff(ring[(task + 1) % 7]) <= 2), "{ring:?}");
        let snake = place(&grid, &[(0, 8), (1, 16)], Run::Snake);
        assert!(snake.windows(2).all(|two| grid.distance(NodeId(two[0]), NodeId(two[1])).unwrap().0 == 1));
    }
}

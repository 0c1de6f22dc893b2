//! The Hilbert curve and its distances.

use rand::seq::SliceRandom;

use super::adversary::zig_zag;
use super::{CORRECTED, HOLDS, REMARK, Study};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::rng;
use meshwright_core::units::NodeId;
use meshwright_groups::Group;
use meshwright_network::topology::Machine;
use meshwright_network::topology::order::order;

pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "figure-1",
        source: "Section 2, figure 1",
        statement: "The recursive rule orders the nodes of a mesh of side 2^q",
        definition: "the walk of our order `hilbert`, as (column, row)",
        printed: "four quadrants in the order lower left, upper left, upper right, lower right; the first and the last \
                  turned about a diagonal, the others as they are",
        fails_if: "the rule of the figure and our order `hilbert` put an index at different nodes, or a step is \
            longer than 1",
        derive: figure_1,
        ..HOLDS
    },
    Claim {
        id: "fact-1",
        source: "Section 2, fact 1",
        statement: "Nodes near each other on the curve are near each other on the mesh",
        definition: "the Manhattan distance of every pair of nodes, and the distance of their indices",
        printed: "d(u, v) < 3 sqrt |I(u) - I(v)| for any u, v",
        fails_if: "every pair keeps the strict inequality, u = v included, or a pair of different nodes breaks it",
        correct: Some("the same for u /= v"),
        errata: Some("G1"),
        derive: fact_1,
        ..CORRECTED
    },
    Claim {
        id: "fact-1-ranks",
        source: "Section 2, fact 1 and the mapping",
        statement: "What holds of indices does not hold of ranks where the area is no square of side 2^q",
        definition: "the largest d(u, v) / sqrt |rank I(u) - rank I(v)|: ranks on the Hilbert curve of a square of which only \
                     a box is used, and on the generalised walk of the box itself",
        printed: "3 is passed on boxes cut from a square, and reached on walks of boxes whose sides differ by less than a \
                  factor of two; there it stays below 3.2 in every box tried, which is not proved",
        fails_if: "no box cut from a square passes 3, no walk of a box of its own does, or one of those tried passes 3.2",
        derive: fact_1_ranks,
        ..REMARK
    },
];

/// The walk of an order over a box as (column, row).
pub(super) fn walk(name: &str, rows: u32, columns: u32) -> Result<Vec<(i64, i64)>> {
    let walk = (order(name)?.walk)(&[rows, columns]);
    Ok(walk.iter().map(|node| (i64::from(node.0 % columns), i64::from(node.0 / columns))).collect())
}

/// d(u, v).
pub(super) fn manhattan(u: (i64, i64), v: (i64, i64)) -> i64 {
    (u.0 - v.0).abs() + (u.1 - v.1).abs()
}

/// The curve by the rule of the figure.
fn by_the_rule(side: i64) -> Vec<(i64, i64)> {
    if side == 1 {
        return vec![(0, 0)];
    }
    let (half, inner) = (side / 2, by_the_rule(side / 2));
    let first = inner.iter().map(|&(x, y)| (y, x));
    let second = inner.iter().map(|&(x, y)| (x, half + y));
    let third = inner.iter().map(|&(x, y)| (half + x, half + y));
    let last = inner.iter().map(|&(x, y)| (side - 1 - y, half - 1 - x));
    first.chain(second).chain(third).chain(last).collect()
}

fn figure_1(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for q in 0..=8u32 {
        let (ours, rule) = (walk("hilbert", 1 << q, 1 << q)?, by_the_rule(1 << q));
        check.case(ours == rule, || format!("side {}: the walks differ", 1 << q));
        let is_walk = ours.windows(2).all(|pair| manhattan(pair[0], pair[1]) == 1);
        check.case(is_walk, || format!("side {}: a step is longer than 1", 1 << q));
    }
    let note = "The figure itself is lost in our copy; the rule is the one its reference gives. With (0, 0) in the lower left \
                corner, I(0, 0) = 0 and I(n - 1, 0) = n^2 - 1.";
    Ok(Derivation::of("n = 1 to 256", check).note(note))
}

fn fact_1(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut numbers = Numbers::new(&["n", "largest d / sqrt |dI|", "3 - 4/n"]);
    for q in 0..=6u32 {
        let side = 1u32 << q;
        let walk = walk("hilbert", side, side)?;
        printed.case(false, || format!("n = {side}, u = v = (0, 0): 0 < 0"));
        // The largest d^2 / |dI|, as a fraction.
        let mut largest = (0i64, 1i64);
        for (i, &u) in walk.iter().enumerate() {
            for (&v, gap) in walk[i + 1..].iter().zip(1i64..) {
                let square = manhattan(u, v).pow(2);
                if square * largest.1 > largest.0 * gap {
                    largest = (square, gap);
                }
            }
        }
        let holds = largest.0 < 9 * largest.1;
        printed.case(holds, || format!("n = {side}: d^2 = {} over {} indices", largest.0, largest.1));
        corrected.case(holds, || format!("n = {side}: d^2 = {} over {} indices", largest.0, largest.1));
        let found = (largest.0 as f64 / largest.1 as f64).sqrt();
        let limit = 3.0 - 4.0 / f64::from(side);
        if side >= 4 {
            corrected.case((found - limit).abs() < 1e-12, || format!("n = {side}: {found}, not 3 - 4/n"));
        }
        let limit = if side >= 4 { format!("{limit:.6}") } else { "-".to_string() };
        numbers.row(&[&side, &format!("{found:.6}"), &limit]);
    }
    let note = "The factor 3 is the best: the largest ratio is 3 - 4/n for n from 4 to 64.";
    Ok(Derivation::of("all pairs of nodes, n = 1 to 64", printed)
        .corrected(corrected)
        .numbers(numbers)
        .note(note))
}

/// The largest d / sqrt(rank distance) over all pairs.
fn largest_ratio(walk: &[(i64, i64)]) -> f64 {
    let mut largest = 0f64;
    for (i, &u) in walk.iter().enumerate() {
        for (&v, gap) in walk[i + 1..].iter().zip(1u32..) {
            largest = largest.max(manhattan(u, v) as f64 / f64::from(gap).sqrt());
        }
    }
    largest
}

/// The boxes whose ratio is told, rows and columns; those from 20 x 30 on come near or over 3.
const SHOWN: [(u32, u32); 13] = [
    (3, 3),
    (5, 5),
    (6, 6),
    (8, 8),
    (7, 9),
    (12, 12),
    (10, 16),
    (24, 24),
    (12, 19),
    (20, 30),
    (22, 32),
    (64, 48),
    (60, 40),
];

/// Boxes up to this side are all tried, where the sides differ by less than a factor of two.
const SIDE_MAX: u32 = 24;

fn fact_1_ranks(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["rows x columns", "cut from a square", "walk of the box"]);
    let (mut most, mut most_cut) = (0f64, 0f64);
    for (rows, columns) in SHOWN {
        let square = u32::max(columns, rows).next_power_of_two();
        let mut cut = walk("hilbert", square, square)?;
        cut.retain(|&(x, y)| x < i64::from(columns) && y < i64::from(rows));
        let (cut, own) = (largest_ratio(&cut), largest_ratio(&walk("hilbert", rows, columns)?));
        (most_cut, most) = (most_cut.max(cut), most.max(own));
        check.case(own < LIMIT, || format!("{rows} x {columns}: d = {own:.3} sqrt(rank distance)"));
        numbers.row(&[&format!("{rows} x {columns}"), &format!("{cut:.3}"), &format!("{own:.3}")]);
    }
    for rows in 2..=SIDE_MAX {
        for columns in (2..=SIDE_MAX).filter(|&columns| columns < 2 * rows && rows < 2 * columns) {
            let own = largest_ratio(&walk("hilbert", rows, columns)?);
            check.case(own < LIMIT, || format!("{rows} x {columns}: d = {own:.3} sqrt(rank distance)"));
        }
    }
    check.case(most_cut > 3.0, || "no box cut from a square passes 3".into());
    check.case(most > 3.0, || "no walk of a box passes 3".into());
    let note = format!(
        "On 20 x 30 ranks 64 and 179 are 33 links apart, and 3 sqrt(115) = 32.17; the most of the boxes shown is {most:.3}. The \
         proofs use the fact on squares of side 2^q only, where ranks of all nodes are indices."
    );
    let range = format!(
        "the {} boxes shown, and all of sides 2 to {SIDE_MAX} less than a factor of two apart",
        SHOWN.len()
    );
    Ok(Derivation::of(range, check).numbers(numbers).note(note))
}

/// What no ratio passed in any box tried.
const LIMIT: f64 = 3.2;

/// A corner group in a random order: ranks below the gap near one corner, of the lower half of the order, the others near the
/// opposite corner, of the upper half.
pub(super) fn corners_of_a_random_order(mesh: &Machine, side: u32) -> Group {
    let mut order: Vec<NodeId> = mesh.living().collect();
    order.shuffle(&mut rng::stream(side.into(), "any order"));
    let nearest = |nodes: &[NodeId], far: bool| {
        let mut near: Vec<(u32, usize)> =
            (0..nodes.len()).map(|at| (nodes[at].0 / side + nodes[at].0 % side, at)).collect();
        near.sort_unstable_by_key(|&(sum, at)| (if far { 2 * side - sum } else { sum }, at));
        near.into_iter().map(|(_, at)| at).collect::<Vec<_>>()
    };
    let size =
        (2..).map(|k| (1u32 << k) / 3).take_while(|&size| size <= side * side / 16).last().unwrap_or(1);
    let (_, gap) = zig_zag(size);
    let (lower, upper) = order.split_at(order.len() / 2);
    let (mut first, mut second) = (nearest(lower, false), nearest(upper, true));
    first.truncate(gap as usize);
    second.truncate((size - gap) as usize);
    first.sort_unstable();
    second.sort_unstable();
    Group::in_order(
        first.into_iter().map(|at| lower[at]).chain(second.into_iter().map(|at| upper[at])).collect(),
    )
}

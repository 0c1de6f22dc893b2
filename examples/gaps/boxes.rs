//! A job of two axes on a machine of boxes: either axis gets a factor of every side, and goes round in it.

use meshwright_core::units::NodeId;
use meshwright_mapping::Placement;
use meshwright_network::topology::{Machine, Topology};

use crate::jobs::Shaped;

/// Every way to split the sides of the machine between the two axes of the job, one in blocks of the other or strewn over it.
pub(super) fn all(job: &Shaped, machine: &Machine) -> Vec<Placement> {
    let [rows, columns] = job.sides[..] else { return Vec::new() };
    let sides = machine.sides();
    let mut placements = Vec::new();
    for factors in factors(sides, rows) {
        let others: Vec<u32> = sides.iter().zip(&factors).map(|(side, factor)| side / factor).collect();
        for way in [round as fn(&[u32]) -> Vec<Vec<u32>>, snake] {
            let (of_rows, of_columns) = (way(&factors), way(&others));
            for rows_inside in [true, false] {
                let at = |task: u32| {
                    let (row, column) =
                        (&of_rows[(task / columns) as usize], &of_columns[(task % columns) as usize]);
                    let node = (0..sides.len()).fold(0, |node, axis| {
                        let inside = match rows_inside {
                            true => column[axis] * factors[axis] + row[axis],
                            false => row[axis] * others[axis] + column[axis],
                        };
                        node * sides[axis] + inside
                    });
                    NodeId(node)
                };
                let nodes = (0..rows * columns).map(at).collect();
                placements.push(Placement { name: "boxes".to_string(), nodes });
            }
        }
    }
    placements
}

/// Factors of the sides with this product.
fn factors(sides: &[u32], product: u32) -> Vec<Vec<u32>> {
    let Some((&side, rest)) = sides.split_first() else {
        return if product == 1 { vec![Vec::new()] } else { Vec::new() };
    };
    let fits = (1..=side).filter(|factor| side.is_multiple_of(*factor) && product.is_multiple_of(*factor));
    let with = |factor: u32| {
        factors(rest, product / factor).into_iter().map(move |more| [vec![factor], more].concat())
    };
    fits.flat_map(with).collect()
}

/// All cells of a box, each beside the one before.
fn snake(sides: &[u32]) -> Vec<Vec<u32>> {
    let Some((&side, rest)) = sides.split_first() else { return vec![Vec::new()] };
    let inner = snake(rest);
    let row = |at: u32| {
        let turned = inner.iter().rev().cloned().collect::<Vec<_>>();
        let cells = if at.is_multiple_of(2) { inner.clone() } else { turned };
        cells.into_iter().map(move |cell| [vec![at], cell].concat())
    };
    (0..side).flat_map(row).collect()
}

/// All cells of a box, the first beside the last where that can be; else two links apart at most, along a snake.
fn round(sides: &[u32]) -> Vec<Vec<u32>> {
    let even = (0..sides.len()).find(|&axis| sides[axis].is_multiple_of(2));
    let long = sides.iter().filter(|&&side| side > 1).count();
    if let Some(axis) = even.filter(|_| long > 1) {
        // Down the first cell of a snake through the other axes, and back through the rest of it, turn by turn.
        let mut others = sides.to_vec();
        let turns = std::mem::replace(&mut others[axis], 1);
        let path = snake(&others);
        let cell = |turn: u32, at: usize| {
            let mut cell = path[at].clone();
            cell[axis] = turn;
            cell
        };
        let down = (0..turns).map(|turn| cell(turn, 0));
        let back = (0..turns).rev().flat_map(|turn| {
            let rest: Vec<usize> = (1..path.len()).collect();
            let rest = if turn.is_multiple_of(2) { rest.into_iter().rev().collect() } else { rest };
            rest.into_iter().map(move |at| (turn, at))
        });
        return down.chain(back.map(|(turn, at)| cell(turn, at))).collect();
    }
    let path = snake(sides);
    let folded = (0..path.len()).step_by(2).chain((0..path.len()).rev().filter(|at| at % 2 == 1));
    folded.map(|at| path[at].clone()).collect()
}

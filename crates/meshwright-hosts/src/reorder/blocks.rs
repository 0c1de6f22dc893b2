//! Grids in equal boxes, one for each host.

use super::{Job, arrange};

/// Boxes of the grid with as many vertices as a host has processes, those with the least surface; nothing where hosts differ or
/// no box fits.
///
/// # Source
///
/// `gropp2019`: node-aware Cartesian communicators.
pub(super) fn place(job: &Job<'_>) -> Option<Vec<u32>> {
    let sides = job.topology.sides();
    let hosts = job.seating.hosts();
    let room = job.topology.vertices() / hosts.max(1);
    let rooms = arrange::rooms(job.seating);
    if sides.is_empty() || hosts < 2 || rooms.iter().any(|&own| own != room) {
        return None;
    }
    let mut best: Option<(u64, Vec<u32>)> = None;
    shapes(sides, room, &mut Vec::new(), &mut |shape| {
        let cut = between(job, shape);
        if best.as_ref().is_none_or(|(least, _)| cut < *least) {
            best = Some((cut, shape.to_vec()));
        }
    });
    let group = boxes(sides, &best?.1);
    Some(arrange::on_hosts(job, &group))
}

/// All shapes of so many vertices whose sides divide those of the grid.
fn shapes(sides: &[u32], room: u32, chosen: &mut Vec<u32>, found: &mut impl FnMut(&[u32])) {
    let Some((&side, rest)) = sides.split_first() else {
        if room == 1 {
            found(chosen);
        }
        return;
    };
    for length in
        (1..=side.min(room)).filter(|length| side.is_multiple_of(*length) && room.is_multiple_of(*length))
    {
        chosen.push(length);
        shapes(rest, room / length, chosen, found);
        chosen.pop();
    }
}

/// The box of each vertex; boxes are numbered row-major.
fn boxes(sides: &[u32], shape: &[u32]) -> Vec<u32> {
    let vertices = sides.iter().product();
    let number = |vertex: u32| {
        let (mut rest, mut number, mut stride) = (vertex, 0, 1);
        for (&side, &length) in sides.iter().zip(shape).rev() {
            number += rest % side / length * stride;
            rest /= side;
            stride *= side / length;
        }
        number
    };
    (0..vertices).map(number).collect()
}

/// The weight between boxes of this shape.
fn between(job: &Job<'_>, shape: &[u32]) -> u64 {
    let group = boxes(job.topology.sides(), shape);
    let across = |&(from, to, _): &(u32, u32, u64)| group[from as usize] != group[to as usize];
    job.topology.edges().filter(across).map(|(_, _, weight)| weight).sum()
}

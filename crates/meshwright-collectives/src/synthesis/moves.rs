//! Spreads to begin with, and changes that are tried of them.

use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Topology};
use rand::{Rng, RngExt};

use super::draft::{Change, Draft};
use super::shapes::Shape;
use super::spread::Spread;
use super::symmetry::Alike;

/// How many nodes are drawn for a point.
const DRAWS: usize = 12;

/// A spread to begin with: points anywhere, far from each other, those of a group near to each other.
pub fn begun(alike: &Alike<'_>, shape: &Shape, rng: &mut impl Rng) -> Spread {
    let (members, points) = (alike.grid.nodes(), shape.points as usize);
    let mut piece = || {
        let mut left: Vec<u32> = Vec::new();
        while left.len() < points {
            let draws: Vec<u32> = (0..DRAWS).map(|_| rng.random_range(0..members)).collect();
            let apart = |&node: &u32| {
                let others = left.iter().map(|&point| alike.hops(node, point));
                others.chain([2 * to_border(alike.grid, node) + 1]).min()
            };
            let node = draws.into_iter().max_by_key(apart).expect("a draw");
            if !left.contains(&node) {
                left.push(node);
            }
        }
        let mut all = Vec::new();
        while let Some(&first) = left.first() {
            left.sort_by_key(|&node| alike.hops(node, first));
            all.extend(left.drain(..shape.group as usize));
        }
        all
    };
    let points: Vec<Vec<u32>> = (0..shape.first).map(|_| piece()).collect();
    let nobody = vec![vec![0; members as usize]; shape.first as usize];
    let mut spread = Spread {
        symmetry: shape.symmetry.clone(),
        group: shape.group,
        points,
        up: nobody.clone(),
        down: nobody,
        turn: Vec::new(),
    };
    spread.turn = (0..spread.messages() as u32).collect();
    spread
}

/// How far a member is from the border of a mesh; far on a torus, and along sides of two members.
fn to_border(grid: &Grid, node: u32) -> u32 {
    let along = |axis: usize| {
        let (at, side) = (grid.coordinate(NodeId(node), axis), grid.sides()[axis]);
        if grid.wraps() || side < 3 { grid.nodes() } else { at.min(side - 1 - at) }
    };
    (0..grid.dimensions()).map(along).min().unwrap_or(0)
}

/// Another point for a member, if it may use it.
pub fn chosen(alike: &Alike<'_>, spread: &Spread, rng: &mut impl Rng, further: u32) -> Option<Change> {
    let piece = rng.random_range(0..spread.points.len());
    let member = rng.random_range(0..spread.up[piece].len());
    let point = rng.random_range(0..spread.many()) as u32;
    let change = if rng.random_range(0..2) == 0 {
        Change::Up(piece, member, point)
    } else {
        Change::Down(piece, member, point)
    };
    let apart = alike.hops(member as u32, spread.points[piece][point as usize]);
    (apart <= spread.reach(alike, piece, member, further)).then_some(change)
}

/// Where a point may go: near to where it is, or anywhere.
fn elsewhere(grid: &Grid, spread: &Spread, rng: &mut impl Rng, near_by: bool) -> Option<Change> {
    let piece = rng.random_range(0..spread.points.len());
    let which = rng.random_range(0..spread.many());
    let mut to = spread.points[piece][which];
    if near_by {
        for axis in 0..grid.dimensions() {
            for _ in 0..rng.random_range(0..3) {
                to = grid.step(NodeId(to), axis, rng.random_range(0..2) == 0).map_or(to, |next| next.0);
            }
        }
    } else {
        to = rng.random_range(0..grid.nodes());
    }
    (!spread.points[piece].contains(&to)).then_some(Change::Point(piece, which, to))
}

/// Moves a point; those that used it, and those to which it is now as near as theirs, choose again.
pub fn point_moved(draft: &mut Draft<'_>, rng: &mut impl Rng, further: u32, backs: &mut Vec<Change>) {
    let near_by = rng.random_range(0..4) > 0;
    let Some(change) = elsewhere(draft.alike.grid, &draft.spread, rng, near_by) else { return };
    let Change::Point(piece, which, to) = change else { return };
    backs.push(draft.change(change));
    let alike = draft.alike;
    for member in 0..draft.spread.up[piece].len() {
        let apart = alike.hops(member as u32, to);
        for is_up in [true, false] {
            let spread = &draft.spread;
            let theirs = if is_up { spread.up[piece][member] } else { spread.down[piece][member] } as usize;
            if theirs == which || apart <= alike.hops(member as u32, spread.points[piece][theirs]) {
                let choice = draft.choice(piece, member, is_up, further);
                let now = match choice {
                    Change::Up(..) => Change::Up(piece, member, theirs as u32),
                    _ => Change::Down(piece, member, theirs as u32),
                };
                if choice != now {
                    backs.push(draft.change(choice));
                }
            }
        }
    }
}

/// Changes to try by the clock.
pub fn retimed(alike: &Alike<'_>, spread: &Spread, rng: &mut impl Rng, further: u32) -> Vec<Change> {
    match rng.random_range(0..10) {
        0..2 => {
            let Some(change) = elsewhere(alike.grid, spread, rng, true) else { return Vec::new() };
            let Change::Point(piece, which, to) = change else { return Vec::new() };
            let (member, which) = (to as usize, which as u32);
            vec![change, Change::Up(piece, member, which), Change::Down(piece, member, which)]
        }
        2..7 => (0..rng.random_range(1..3)).filter_map(|_| chosen(alike, spread, rng, further)).collect(),
        _ => {
            let messages = spread.messages();
            let many = rng.random_range(1..4);
            let mut turns = || Change::Turns(rng.random_range(0..messages), rng.random_range(0..messages));
            (0..many).map(|_| turns()).collect()
        }
    }
}

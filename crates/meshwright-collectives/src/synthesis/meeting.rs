//! Meetings: each piece of an all-reduce comes together at a few members, which exchange their sums and hand the result back.
//!
//! Where start-ups weigh most a schedule needs few messages one after the other, and few links in all. Cells of the box send to one of their own,
//! these in larger cells again; those of the largest exchange with each other at once, and the result goes back the same way.
//! Every piece has cells, or places in them, of its own, so that all links carry alike.

use std::fmt::{self, Display, Formatter};

use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Cycles};
use meshwright_network::topology::{Costs, Grid, Topology};

use crate::flow::{Flow, share};
use crate::{Operation, Task};

/// How many members meet for a piece at most: all of them send to each other.
const MEMBERS_MAX: u32 = 64;

/// How many chains of cells are looked at.
const CHAINS_MAX: usize = 1 << 12;

/// Numbers of pieces.
const PIECES: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// Cells in which a piece comes together, and how many pieces there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The sides of the cells, the smallest first; each divides the next, and the last those of the box.
    pub cells: Vec<Vec<u32>>,
    /// Pieces of the vector, each with meeting points of its own.
    pub pieces: u32,
}

impl Display for Meeting {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let words = |cell: &Vec<u32>| cell.iter().map(u32::to_string).collect::<Vec<_>>().join("x");
        let cells: Vec<String> = self.cells.iter().map(words).collect();
        write!(f, "meetings in {}, {} pieces", cells.join(" in "), self.pieces)
    }
}

/// Where one piece meets.
struct Places<'m> {
    grid: &'m Grid,
    cells: &'m [Vec<u32>],
    /// By axis how far the cells are moved, round a torus.
    moved: Vec<u32>,
    /// By axis the place in the largest cell, and with it in all.
    place: Vec<u32>,
}

impl<'m> Places<'m> {
    fn of(meeting: &'m Meeting, grid: &'m Grid, piece: u32) -> Self {
        let largest = meeting.cells.last().expect("a cell");
        let mut places = Self { grid, cells: &meeting.cells, moved: Vec::new(), place: Vec::new() };
        let mut left = piece;
        let mut digits = 0;
        for (axis, &side) in largest.iter().enumerate() {
            // Pieces that agree along one axis differ along the next: diagonals before the whole cell.
            let ways = side.min(meeting.pieces);
            digits += left % ways;
            left /= ways;
            let digit = digits % ways * (side / ways).max(1);
            let order = central(&meeting.cells, axis);
            let (moved, place) =
                if grid.wraps() { (digit, order[0]) } else { (0, order[(digits % ways) as usize]) };
            places.moved.push(moved);
            places.place.push(place);
        }
        places
    }

    /// The member at which a cell of this level meets to which a member belongs; itself at level 0.
    fn at(&self, member: u32, level: usize) -> u32 {
        let Some(cell) = level.checked_sub(1).map(|level| &self.cells[level]) else { return member };
        let on = |to: u32, axis: usize| {
            let (apart, side) = (self.grid.stride(axis), self.grid.sides()[axis]);
            let at = member / apart % side;
            let within = (at + side - self.moved[axis]) % side;
            let met = within / cell[axis] * cell[axis] + self.place[axis] % cell[axis];
            to + (met + self.moved[axis]) % side * apart
        };
        (0..self.grid.dimensions()).fold(0, on)
    }

    /// The pairs of a level: who sends to whom.
    fn pairs(&self, members: u32, level: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let met = move |&member: &u32| self.at(member, level) == member;
        (0..members)
            .filter(met)
            .map(move |from| (from, self.at(from, level + 1)))
            .filter(|(from, to)| from != to)
    }

    /// Those who exchange.
    fn top(&self, members: u32) -> Vec<u32> {
        (0..members).filter(|&member| self.at(member, self.cells.len()) == member).collect()
    }
}

/// The places of the largest cell along an axis, those first from which the members of all cells are near.
fn central(cells: &[Vec<u32>], axis: usize) -> Vec<u32> {
    let far = |place: u32| -> u32 {
        let of = |cell: &Vec<u32>| (place % cell[axis]).max(cell[axis] - 1 - place % cell[axis]);
        cells.iter().map(of).sum()
    };
    let mut order: Vec<u32> = (0..cells.last().map_or(1, |cell| cell[axis])).collect();
    order.sort_unstable_by_key(|&place| (far(place), place));
    order
}

impl Meeting {
    /// Its flow.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when the machine is no whole box, and for other operations than all-reduce and barrier.
    ///
    /// # Complexity
    ///
    /// O(pieces (members levels + k²)), k members exchanging.
    pub fn flow(&self, task: &Task<'_>) -> Result<Flow> {
        let grid = task.grid("a meeting")?;
        if !matches!(task.operation, Operation::AllReduce | Operation::Barrier) {
            let why = format!("it is no way to do {}", task.operation.name());
            return Err(Error::not_applicable("a meeting", why));
        }
        let whole = task.blocks()[0];
        let part = |k| crate::flow::Block { bytes: share(whole.bytes, self.pieces, k), ..whole };
        let mut flow = Flow::new(task.members(), (0..self.pieces).map(part).collect());
        let (members, levels) = (task.members(), self.cells.len());
        for piece in 0..self.pieces {
            let places = Places::of(self, grid, piece);
            for level in 0..levels {
                places
                    .pairs(members, level)
                    .for_each(|(from, to)| flow.combine(level as u32, from, to, [piece]));
            }
            let top = places.top(members);
            for &from in &top {
                for &to in top.iter().filter(|&&to| to != from) {
                    flow.combine(levels as u32, from, to, [piece]);
                }
            }
            for level in 0..levels {
                let step = (2 * levels - level) as u32;
                places.pairs(members, level).for_each(|(from, to)| flow.copy(step, to, from, [piece]));
            }
        }
        Ok(flow)
    }
}

/// A meeting that is worth a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its cells and pieces.
    pub meeting: Meeting,
    /// What it would take if nobody waited and all links carried alike.
    pub expected: Cycles,
    /// How many messages its flow has.
    pub messages: u64,
}

/// Meetings for a task, the cheapest first; none for other operations than all-reduce and barrier.
///
/// # Complexity
///
/// O(chains (p levels + k²)), at most a few thousand chains of cells.
pub fn meetings(task: &Task<'_>, grid: &Grid) -> Vec<Candidate> {
    if !matches!(task.operation, Operation::AllReduce | Operation::Barrier) {
        return Vec::new();
    }
    let mut all = Vec::new();
    for cells in chains(grid) {
        let first = Meeting { cells, pieces: 1 };
        let Some(ways) = Ways::of(task, grid, &first) else { continue };
        for pieces in PIECES {
            if u64::from(pieces) > task.bytes.max(1) {
                break;
            }
            let (expected, messages) = (ways.expected(task, pieces), ways.messages * u64::from(pieces));
            all.push(Candidate { meeting: Meeting { pieces, ..first.clone() }, expected, messages });
        }
    }
    all.sort_by_key(|one| (one.expected, one.meeting.pieces, one.meeting.cells.len()));
    all
}

/// The chains of one and of two cells that are larger than a member, the second not everybody alone.
fn chains(grid: &Grid) -> Vec<Vec<Vec<u32>>> {
    let sides = grid.sides();
    let divisors = |side: u32| (1..=side).filter(move |&of| side.is_multiple_of(of));
    let within = |outer: &[u32]| -> Vec<Vec<u32>> {
        let mut cells = vec![Vec::new()];
        for &side in outer {
            let longer = |cell: &Vec<u32>| {
                let cell = cell.clone();
                divisors(side).map(move |of| [cell.as_slice(), &[of]].concat()).collect::<Vec<_>>()
            };
            cells = cells.iter().flat_map(longer).take(CHAINS_MAX).collect();
        }
        cells.retain(|cell| cell.iter().any(|&side| side > 1));
        cells
    };
    let mut all = Vec::new();
    for outer in within(sides) {
        let inner = within(&outer);
        all.extend(inner.into_iter().filter(|inner| *inner != outer).map(|inner| vec![inner, outer.clone()]));
        all.push(vec![outer]);
        if all.len() > CHAINS_MAX {
            break;
        }
    }
    all
}

/// Lengths of the ways of a piece.
struct Ways {
    /// Messages one after the other, and the links of their longest.
    rounds: u64,
    longest: u64,
    /// Messages, and the links of all.
    messages: u64,
    hops: u64,
}

impl Ways {
    fn of(task: &Task<'_>, grid: &Grid, meeting: &Meeting) -> Option<Self> {
        let largest = meeting.cells.last().expect("a cell");
        let many: u32 = grid.sides().iter().zip(largest).map(|(side, cell)| side / cell).product();
        if many > MEMBERS_MAX {
            return None;
        }
        let places = Places::of(meeting, grid, 0);
        let (members, levels) = (task.members(), meeting.cells.len());
        let mut ways = Self { rounds: 0, longest: 0, messages: 0, hops: 0 };
        let mut add = |times: u64, pairs: &mut dyn Iterator<Item = (u32, u32)>| {
            let (mut longest, mut hops) = (0, 0);
            for (from, to) in pairs.filter(|(from, to)| from != to) {
                ways.messages += times;
                let apart = task.distance(from, to).map_or(0, |hops| u64::from(hops.0));
                (longest, hops) = (apart.max(longest), hops + apart);
            }
            ways.rounds += if longest > 0 { times } else { 0 };
            ways.longest += times * longest;
            ways.hops += times * hops;
        };
        (0..levels).for_each(|level| add(2, &mut places.pairs(members, level)));
        let top = places.top(members);
        let mut exchanged = top.iter().flat_map(|&from| top.iter().map(move |&to| (from, to)));
        add(1, &mut exchanged);
        Some(ways)
    }

    /// Start-ups and heads of the longest ways, and of all pieces what a link carries on average.
    fn expected(&self, task: &Task<'_>, pieces: u32) -> Cycles {
        let costs: &Costs = task.machine().costs();
        let piece = costs.transfer_ticks(Bytes(task.bytes.div_ceil(u64::from(pieces))));
        let latency = self.rounds * (costs.startup_ticks() + piece) + self.longest * costs.head_ticks();
        let load = u64::from(pieces) * self.hops * (piece + costs.head_ticks());
        costs.cycles(latency + load / u64::from(task.machine().links()).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_network::topology::Machine;

    #[test]
    fn messages_are_counted_before_they_are_made() {
        for name in ["mesh:4x6", "torus:6x4", "hypercube:4"] {
            let machine = Machine::new(name).unwrap();
            let task = Task::new(&machine, Operation::AllReduce, 1000, 0).unwrap();
            for one in meetings(&task, machine.whole_grid().unwrap()) {
                let flow = one.meeting.flow(&task).unwrap();
                assert_eq!(flow.transfers().len() as u64, one.messages, "{} on {name}", one.meeting);
            }
        }
    }
}

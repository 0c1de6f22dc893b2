//! A spread that is being changed, and what its links carry.

use super::spread::{ROUNDS, Spread};
use super::symmetry::Alike;

/// What changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Of a piece a point, and where it goes.
    Point(usize, usize, u32),
    /// Of a piece a member, and the point it sends to.
    Up(usize, usize, u32),
    /// The same from which it takes the result.
    Down(usize, usize, u32),
    /// Two messages, their turns.
    Turns(usize, usize),
}

impl Spread {
    /// Changes it; what takes the change back.
    pub fn change(&mut self, change: Change) -> Change {
        match change {
            Change::Point(piece, which, to) => {
                Change::Point(piece, which, std::mem::replace(&mut self.points[piece][which], to))
            }
            Change::Up(piece, member, to) => {
                Change::Up(piece, member, std::mem::replace(&mut self.up[piece][member], to))
            }
            Change::Down(piece, member, to) => {
                Change::Down(piece, member, std::mem::replace(&mut self.down[piece][member], to))
            }
            Change::Turns(one, other) => {
                self.turn.swap(one, other);
                change
            }
        }
    }

    /// From how far off a member may use a point: nearly as near as the nearest, and itself if it is a point.
    pub fn reach(&self, alike: &Alike<'_>, piece: usize, member: usize, further: u32) -> u32 {
        let hops = |&point: &u32| alike.hops(member as u32, point);
        let least = self.points[piece].iter().map(hops).min().unwrap_or(0);
        if least > 0 { least + further } else { 0 }
    }

    /// Messages whose ways a change changes.
    pub fn touched(&self, change: Change, all: &mut Vec<usize>) {
        all.clear();
        let rounds = self.rounds();
        match change {
            Change::Point(piece, which, _) => {
                let first = piece * rounds[ROUNDS];
                let is_end = |index: &usize| {
                    let letter = self.letter(*index);
                    letter.from == which || letter.to == which
                };
                let at = |members: &[u32], before: usize, all: &mut Vec<usize>| {
                    let theirs = members.iter().enumerate().filter(|(_, point)| **point as usize == which);
                    all.extend(theirs.map(|(member, _)| first + before + member));
                };
                at(&self.up[piece], 0, all);
                all.extend((first + rounds[1]..first + rounds[3]).filter(is_end));
                at(&self.down[piece], rounds[3], all);
            }
            Change::Up(piece, member, _) => all.push(piece * rounds[ROUNDS] + member),
            Change::Down(piece, member, _) => all.push(piece * rounds[ROUNDS] + rounds[3] + member),
            Change::Turns(..) => {}
        }
    }
}

/// A spread, and the loads of its links by round.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    /// Links by what they carry.
    pub alike: &'a Alike<'a>,
    /// As it is now.
    pub spread: Spread,
    loads: Vec<[f64; ROUNDS]>,
    /// By round, and of all together, the eighth powers of the loads added up.
    powers: [f64; ROUNDS + 1],
    /// Links of all ways.
    hops: f64,
    way: Vec<u32>,
    touched: Vec<usize>,
}

/// x⁸.
fn power(x: f64) -> f64 {
    let square = x * x;
    let fourth = square * square;
    fourth * fourth
}

impl<'a> Draft<'a> {
    /// The loads of a spread.
    pub fn new(alike: &'a Alike<'a>, spread: Spread) -> Self {
        let mut draft = Self {
            alike,
            spread,
            loads: vec![[0.0; ROUNDS]; alike.weight.len()],
            powers: [0.0; ROUNDS + 1],
            hops: 0.0,
            way: Vec::new(),
            touched: Vec::new(),
        };
        (0..draft.spread.messages()).for_each(|index| draft.carry(index, 1.0));
        draft
    }

    /// A message more, or one less.
    fn carry(&mut self, index: usize, times: f64) {
        let letter = self.spread.letter(index);
        let (from, to) = self.spread.ends(letter);
        let mut way = std::mem::take(&mut self.way);
        self.alike.way(from, to, &mut way);
        for &link in &way {
            let loads = &mut self.loads[link as usize];
            let more = times * f64::from(self.alike.weight[link as usize]);
            let (all, one) = (loads.iter().sum::<f64>(), &mut loads[letter.round]);
            self.powers[letter.round] += power(*one + more) - power(*one);
            self.powers[ROUNDS] += power(all + more) - power(all);
            self.hops += more;
            *one += more;
        }
        self.way = way;
    }

    /// Changes it; what takes the change back.
    pub fn change(&mut self, change: Change) -> Change {
        let mut touched = std::mem::take(&mut self.touched);
        self.spread.touched(change, &mut touched);
        touched.iter().for_each(|&index| self.carry(index, -1.0));
        let back = self.spread.change(change);
        touched.iter().for_each(|&index| self.carry(index, 1.0));
        self.touched = touched;
        back
    }

    /// What it costs: about the loads of the busiest links of all rounds, half of that of the busiest of all rounds together, and a fifth of the average.
    pub fn cost(&self) -> f64 {
        let links = self.loads.len() as f64;
        let busiest = |power: &f64| (power.max(0.0) / links).sqrt().sqrt().sqrt();
        let rounds: f64 = self.powers[..ROUNDS].iter().map(busiest).sum();
        rounds + busiest(&self.powers[ROUNDS]) / 2.0 + self.hops / links / 5.0
    }

    /// The point a member had better send to, or take the result from: of those nearly nearest the one on whose way links carry least.
    pub fn choice(&mut self, piece: usize, member: usize, is_up: bool, further: u32) -> Change {
        let (mut best, mut way) = ((f64::INFINITY, 0), std::mem::take(&mut self.way));
        let reach = self.spread.reach(self.alike, piece, member, further);
        for (&point, which) in self.spread.points[piece].iter().zip(0..) {
            if self.alike.hops(member as u32, point) > reach {
                continue;
            }
            let (ends, round) =
                if is_up { ((member as u32, point), 0) } else { ((point, member as u32), ROUNDS - 1) };
            self.alike.way(ends.0, ends.1, &mut way);
            let grows = |&link: &u32| {
                let load = self.loads[link as usize][round];
                power(load + 1.0) - power(load)
            };
            let grows: f64 = way.iter().map(grows).sum();
            if grows < best.0 {
                best = (grows, which);
            }
        }
        self.way = way;
        if is_up { Change::Up(piece, member, best.1) } else { Change::Down(piece, member, best.1) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::moves::{begun, chosen, point_moved};
    use super::super::shapes::Shape;
    use super::super::symmetry::Symmetry;
    use super::*;
    use meshwright_core::rng;
    use meshwright_network::topology::Machine;

    /// The loads of what was changed are those of what is so from the first, and what is taken back is as it was.
    #[test]
    fn changes_are_counted_and_taken_back() {
        let machine = Machine::new("mesh:5x6").unwrap();
        let grid = machine.whole_grid().unwrap();
        let symmetry = Symmetry::Mirrored(vec![true, true]);
        let alike = Alike::new(grid, &symmetry);
        let shape = Shape { symmetry, pieces: 8, first: 2, points: 6, group: 2 };
        let mut rng = rng::numbered(&[1]);
        let mut draft = Draft::new(&alike, begun(&alike, &shape, &mut rng));
        for _ in 0..50 {
            let (before, mut backs) = (draft.clone(), Vec::new());
            point_moved(&mut draft, &mut rng, 1, &mut backs);
            if let Some(change) = chosen(&alike, &draft.spread, &mut rng, 1) {
                backs.push(draft.change(change));
            }
            let fresh = Draft::new(&alike, draft.spread.clone());
            assert_eq!(draft.loads, fresh.loads);
            assert!((draft.cost() - fresh.cost()).abs() < 1e-6 * fresh.cost());
            let changed = draft.clone();
            backs.into_iter().rev().for_each(|back| {
                draft.change(back);
            });
            assert_eq!((&draft.spread, &draft.loads), (&before.spread, &before.loads));
            draft = changed;
        }
    }
}

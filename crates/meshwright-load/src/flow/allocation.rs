//! Dealing out the shared nodes of a division, so that the slowest cell is as fast as can be.
//!
//! In units of price this is a flow: a set of cells shares an amount, and a cell that is to reach the rate t needs
//! t times its need. The largest t is a minimum over sets of cells,
//!
//! ```text
//! t = min over U of  (amounts that U has a claim to) / (needs of U)
//! ```
//!
//! and Newton's method finds it: a set whose claims are too small for t lowers t to its own ratio.

/// An amount and the cells that have a claim to it.
pub(crate) struct Pile {
    pub(crate) cells: Vec<u32>,
    pub(crate) amount: f64,
}

/// Who gets how much.
pub(crate) struct Dealing {
    /// The rate of the slowest cell.
    pub(crate) rate: f64,
    /// By cell, whether it is in the set whose claims allow no more.
    pub(crate) is_limited: Vec<bool>,
    /// By pile, by claim, the amount; as few piles as possible are split.
    pub(crate) parts: Vec<Vec<f64>>,
}

/// Deals out the piles so that the least of what a cell gets over what it needs is as large as can be.
pub(crate) fn deal(piles: &[Pile], needs: &[f64]) -> Dealing {
    let mut is_limited = vec![true; needs.len()];
    let mut rate = ratio(piles, needs, &is_limited);
    let small = piles.iter().map(|pile| pile.amount).sum::<f64>() * 1e-13;
    loop {
        let mut hands = Hands::new(piles, needs.iter().map(|need| rate * need).collect(), small);
        let Some(short) = hands.fill() else {
            hands.undo_cycles();
            return Dealing { rate, is_limited, parts: hands.parts };
        };
        let lower = ratio(piles, needs, &short);
        if lower >= rate * (1.0 - 1e-12) {
            hands.undo_cycles();
            return Dealing { rate, is_limited, parts: hands.parts };
        }
        (rate, is_limited) = (lower, short);
    }
}

/// What these cells have a claim to over what they need.
fn ratio(piles: &[Pile], needs: &[f64], is_in: &[bool]) -> f64 {
    let claims = |pile: &&Pile| pile.cells.iter().any(|&cell| is_in[cell as usize]);
    let amount: f64 = piles.iter().filter(claims).map(|pile| pile.amount).sum();
    amount / needs.iter().zip(is_in).filter(|&(_, &is_in)| is_in).map(|(need, _)| need).sum::<f64>()
}

/// What lies before every cell while it is dealt out.
struct Hands<'a> {
    piles: &'a [Pile],
    parts: Vec<Vec<f64>>,
    left: Vec<f64>,
    wanted: Vec<f64>,
    got: Vec<f64>,
    small: f64,
}

/// How a cell was reached on the search for more: from which cell, over which pile.
type Reached = Vec<Option<(usize, usize)>>;

impl<'a> Hands<'a> {
    fn new(piles: &'a [Pile], wanted: Vec<f64>, small: f64) -> Self {
        let mut hands = Self {
            parts: piles.iter().map(|pile| vec![0.0; pile.cells.len()]).collect(),
            left: piles.iter().map(|pile| pile.amount).collect(),
            got: vec![0.0; wanted.len()],
            piles,
            wanted,
            small,
        };
        for (number, pile) in piles.iter().enumerate() {
            if let [cell] = pile.cells[..] {
                hands.take(number, cell as usize, pile.amount);
            }
        }
        hands
    }

    fn take(&mut self, pile: usize, cell: usize, amount: f64) {
        let place = self.place(pile, cell);
        self.parts[pile][place] += amount;
        self.left[pile] -= amount;
        self.got[cell] += amount;
    }

    fn place(&self, pile: usize, cell: usize) -> usize {
        self.piles[pile].cells.iter().position(|&claim| claim as usize == cell).expect("the cell has a claim")
    }

    /// Gives every cell what it wants; else the cells that cannot have enough together.
    fn fill(&mut self) -> Option<Vec<bool>> {
        for cell in 0..self.wanted.len() {
            while self.wanted[cell] - self.got[cell] > self.small {
                if let Err(seen) = self.fetch(cell) {
                    return Some(seen);
                }
            }
        }
        None
    }

    /// Moves something to a cell along the shortest chain of cells: from a pile, or from a cell with more than it
    /// wants. Without such a chain, the cells seen.
    fn fetch(&mut self, start: usize) -> Result<(), Vec<bool>> {
        let mut reached: Reached = vec![None; self.wanted.len()];
        let mut seen = vec![false; self.wanted.len()];
        seen[start] = true;
        let mut queue = vec![start];
        let mut done = 0;
        while done < queue.len() {
            let cell = queue[done];
            done += 1;
            for (number, pile) in self.piles.iter().enumerate() {
                if !pile.cells.contains(&(cell as u32)) {
                    continue;
                }
                if self.left[number] > self.small {
                    let amount = self.room(start, cell, &reached).min(self.left[number]);
                    self.take(number, cell, amount);
                    self.hand_on(start, cell, &reached, amount);
                    return Ok(());
                }
                for (&holder, &part) in pile.cells.iter().zip(&self.parts[number]) {
                    let holder = holder as usize;
                    if part > self.small && !std::mem::replace(&mut seen[holder], true) {
                        reached[holder] = Some((cell, number));
                        queue.push(holder);
                    }
                }
            }
            let spare = self.got[cell] - self.wanted[cell];
            if cell != start && spare > self.small {
                let amount = self.room(start, cell, &reached).min(spare);
                self.hand_on(start, cell, &reached, amount);
                return Ok(());
            }
        }
        Err(seen)
    }

    /// What the chain from `cell` to `start` can pass on, and `start` wants.
    fn room(&self, start: usize, cell: usize, reached: &Reached) -> f64 {
        let (mut room, mut cell) = (self.wanted[start] - self.got[start], cell);
        while let Some((next, pile)) = reached[cell] {
            room = room.min(self.parts[pile][self.place(pile, cell)]);
            cell = next;
        }
        room
    }

    /// Every cell of the chain gives the amount to the next one.
    fn hand_on(&mut self, start: usize, cell: usize, reached: &Reached, amount: f64) {
        let mut cell = cell;
        while let Some((next, pile)) = reached[cell] {
            self.take(pile, cell, -amount);
            self.take(pile, next, amount);
            cell = next;
        }
        assert_eq!(cell, start, "a chain ends where the search began");
    }

    /// Moves amounts around cycles of cells and piles until none is left: then fewer piles are split than there are
    /// cells.
    fn undo_cycles(&mut self) {
        self.parts.iter_mut().flatten().filter(|part| **part <= self.small).for_each(|part| *part = 0.0);
        while let Some(cycle) = self.cycle() {
            // Every other part shrinks, the ones between grow; every cell and every pile keeps its sum.
            let part = |&(pile, cell): &(usize, usize)| self.parts[pile][self.place(pile, cell)];
            let amount = cycle.iter().step_by(2).map(part).fold(f64::INFINITY, f64::min);
            for (step, &(pile, cell)) in cycle.iter().enumerate() {
                let place = self.place(pile, cell);
                let part = &mut self.parts[pile][place];
                *part = if step % 2 == 1 { *part + amount } else { *part - amount };
                if *part <= self.small {
                    *part = 0.0;
                }
            }
        }
    }

    /// A cycle of parts, neighbours by turns in the same pile and in the same cell.
    fn cycle(&self) -> Option<Vec<(usize, usize)>> {
        let mut forest: Vec<(usize, usize)> = Vec::new();
        for (pile, parts) in self.parts.iter().enumerate() {
            for (&cell, _) in self.piles[pile].cells.iter().zip(parts).filter(|&(_, &part)| part > self.small)
            {
                if let Some(way) = way(&forest, pile, cell as usize) {
                    return Some([vec![(pile, cell as usize)], way].concat());
                }
                forest.push((pile, cell as usize));
            }
        }
        None
    }
}

/// The parts on the way from a pile to a cell in a forest of parts.
fn way(forest: &[(usize, usize)], pile: usize, cell: usize) -> Option<Vec<(usize, usize)>> {
    // Each entry: a part, and the entry it was reached from.
    let mut queue: Vec<(usize, usize)> = Vec::new();
    let ends = |at: usize, part: usize, of_pile: bool| {
        if of_pile { forest[at].0 == part } else { forest[at].1 == part }
    };
    let mut is_seen = vec![false; forest.len()];
    for at in (0..forest.len()).filter(|&at| ends(at, pile, true)) {
        is_seen[at] = true;
        queue.push((at, usize::MAX));
    }
    let mut done = 0;
    while done < queue.len() {
        let (at, _) = queue[done];
        if forest[at].1 == cell {
            let mut way = Vec::new();
            let mut entry = done;
            while entry != usize::MAX {
                way.push(forest[queue[entry].0]);
                entry = queue[entry].1;
            }
            way.reverse();
            return Some(way);
        }
        for (next, is_seen) in is_seen.iter_mut().enumerate() {
            let touches = ends(next, forest[at].0, true) || ends(next, forest[at].1, false);
            if touches && !std::mem::replace(is_seen, true) {
                queue.push((next, done));
            }
        }
        done += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Pile, deal};

    /// Piles and needs from a seed.
    fn example(mut seed: u64) -> (Vec<Pile>, Vec<f64>) {
        let mut draw = |end: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % end
        };
        let cells = 2 + draw(4) as u32;
        let needs = (0..cells).map(|_| 1.0 + draw(4) as f64).collect();
        let mut piles: Vec<Pile> =
            (0..cells).map(|cell| Pile { cells: vec![cell], amount: draw(20) as f64 }).collect();
        for _ in 0..draw(6) {
            let claims: Vec<u32> = (0..cells).filter(|_| draw(2) == 1).collect();
            if claims.len() > 1 {
                piles.push(Pile { cells: claims, amount: 1.0 + draw(30) as f64 });
            }
        }
        (piles, needs)
    }

    /// The rate is the minimum over all sets of cells; the parts attain it, add up, and are a forest.
    #[test]
    fn the_slowest_cell_is_as_fast_as_any_dealing_makes_it() {
        for seed in 0..300 {
            let (piles, needs) = example(seed);
            let dealing = deal(&piles, &needs);
            let ratio = |set: usize| {
                let is_in: Vec<bool> = (0..needs.len()).map(|cell| set >> cell & 1 == 1).collect();
                super::ratio(&piles, &needs, &is_in)
            };
            let best = (1..1usize << needs.len()).map(ratio).fold(f64::INFINITY, f64::min);
            assert!((dealing.rate - best).abs() <= 1e-9 * best, "seed {seed}: {} {best}", dealing.rate);
            let mut got = vec![0.0; needs.len()];
            let mut splits = 0;
            for (pile, parts) in piles.iter().zip(&dealing.parts) {
                assert!(parts.iter().all(|&part| part >= 0.0));
                assert!(parts.iter().sum::<f64>() <= pile.amount * (1.0 + 1e-9), "seed {seed}");
                splits += parts.iter().filter(|&&part| part > 1e-9).count().max(1) - 1;
                pile.cells.iter().zip(parts).for_each(|(&cell, part)| got[cell as usize] += part);
            }
            assert!(got.iter().zip(&needs).all(|(got, need)| *got >= best * need - 1e-9), "seed {seed}");
            assert!(splits < needs.len(), "seed {seed}: {splits} splits");
        }
    }
}

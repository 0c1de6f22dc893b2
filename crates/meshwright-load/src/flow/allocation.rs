//! Allocation of supplies to cells that have claims to them, so that the slowest cell is as fast as can be.
//!
//! Amounts are sums of powers and so floats, and the answer shall split few supplies: no flow in whole units gives that.
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
pub(crate) struct Supply {
    pub(crate) cells: Vec<u32>,
    pub(crate) amount: f64,
}

/// Who gets how much.
pub(crate) struct Allocation {
    /// The rate of the slowest cell.
    pub(crate) rate: f64,
    /// By cell, whether it is in the set whose claims allow no more.
    pub(crate) is_limited: Vec<bool>,
    /// By supply, by claim, the amount; as few supplies as possible are split.
    pub(crate) parts: Vec<Vec<f64>>,
}

/// Allocates the supplies so that the least of what a cell gets over what it needs is as large as can be.
pub(crate) fn allocate(supplies: &[Supply], needs: &[f64]) -> Allocation {
    let mut is_limited = vec![true; needs.len()];
    let mut rate = ratio(supplies, needs, &is_limited);
    let small = supplies.iter().map(|supply| supply.amount).sum::<f64>() * 1e-13;
    loop {
        let mut flow = TransportFlow::new(supplies, needs.iter().map(|need| rate * need).collect(), small);
        let Some(short) = flow.fill() else {
            flow.undo_cycles();
            return Allocation { rate, is_limited, parts: flow.parts };
        };
        let lower = ratio(supplies, needs, &short);
        if lower >= rate * (1.0 - 1e-12) {
            flow.undo_cycles();
            return Allocation { rate, is_limited, parts: flow.parts };
        }
        (rate, is_limited) = (lower, short);
    }
}

/// What these cells have a claim to over what they need.
fn ratio(supplies: &[Supply], needs: &[f64], is_in: &[bool]) -> f64 {
    let claims = |supply: &&Supply| supply.cells.iter().any(|&cell| is_in[cell as usize]);
    let amount: f64 = supplies.iter().filter(claims).map(|supply| supply.amount).sum();
    amount / needs.iter().zip(is_in).filter(|&(_, &is_in)| is_in).map(|(need, _)| need).sum::<f64>()
}

/// A flow from supplies to cells.
struct TransportFlow<'a> {
    supplies: &'a [Supply],
    parts: Vec<Vec<f64>>,
    left: Vec<f64>,
    wanted: Vec<f64>,
    got: Vec<f64>,
    small: f64,
}

/// How a cell was reached on the search for more: from which cell, over which supply.
type Reached = Vec<Option<(usize, usize)>>;

impl<'a> TransportFlow<'a> {
    fn new(supplies: &'a [Supply], wanted: Vec<f64>, small: f64) -> Self {
        let mut flow = Self {
            parts: supplies.iter().map(|supply| vec![0.0; supply.cells.len()]).collect(),
            left: supplies.iter().map(|supply| supply.amount).collect(),
            got: vec![0.0; wanted.len()],
            supplies,
            wanted,
            small,
        };
        for (number, supply) in supplies.iter().enumerate() {
            if let [cell] = supply.cells[..] {
                flow.take(number, cell as usize, supply.amount);
            }
        }
        flow
    }

    fn take(&mut self, supply: usize, cell: usize, amount: f64) {
        let place = self.place(supply, cell);
        self.parts[supply][place] += amount;
        self.left[supply] -= amount;
        self.got[cell] += amount;
    }

    fn place(&self, supply: usize, cell: usize) -> usize {
        self.supplies[supply]
            .cells
            .iter()
            .position(|&claim| claim as usize == cell)
            .expect("the cell has a claim")
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

    /// Moves something to a cell along the shortest chain of cells: from a supply, or from a cell with more than it
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
            for (number, supply) in self.supplies.iter().enumerate() {
                if !supply.cells.contains(&(cell as u32)) {
                    continue;
                }
                if self.left[number] > self.small {
                    let amount = self.room(start, cell, &reached).min(self.left[number]);
                    self.take(number, cell, amount);
                    self.hand_on(start, cell, &reached, amount);
                    return Ok(());
                }
                for (&holder, &part) in supply.cells.iter().zip(&self.parts[number]) {
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
        while let Some((next, supply)) = reached[cell] {
            room = room.min(self.parts[supply][self.place(supply, cell)]);
            cell = next;
        }
        room
    }

    /// Every cell of the chain gives the amount to the next one.
    fn hand_on(&mut self, start: usize, cell: usize, reached: &Reached, amount: f64) {
        let mut cell = cell;
        while let Some((next, supply)) = reached[cell] {
            self.take(supply, cell, -amount);
            self.take(supply, next, amount);
            cell = next;
        }
        assert_eq!(cell, start, "a chain ends where the search began");
    }

    /// Moves amounts around cycles of cells and supplies until none is left: then fewer supplies are split than there are
    /// cells.
    fn undo_cycles(&mut self) {
        self.parts.iter_mut().flatten().filter(|part| **part <= self.small).for_each(|part| *part = 0.0);
        while let Some(cycle) = self.cycle() {
            // Every other part shrinks, the ones between grow; every cell and every supply keeps its sum.
            let part = |&(supply, cell): &(usize, usize)| self.parts[supply][self.place(supply, cell)];
            let amount = cycle.iter().step_by(2).map(part).fold(f64::INFINITY, f64::min);
            for (step, &(supply, cell)) in cycle.iter().enumerate() {
                let place = self.place(supply, cell);
                let part = &mut self.parts[supply][place];
                *part = if step % 2 == 1 { *part + amount } else { *part - amount };
                if *part <= self.small {
                    *part = 0.0;
                }
            }
        }
    }

    /// A cycle of parts, neighbours by turns in the same supply and in the same cell.
    fn cycle(&self) -> Option<Vec<(usize, usize)>> {
        let mut forest: Vec<(usize, usize)> = Vec::new();
        for (supply, parts) in self.parts.iter().enumerate() {
            for (&cell, _) in
                self.supplies[supply].cells.iter().zip(parts).filter(|&(_, &part)| part > self.small)
            {
                if let Some(way) = way(&forest, supply, cell as usize) {
                    return Some([vec![(supply, cell as usize)], way].concat());
                }
                forest.push((supply, cell as usize));
            }
        }
        None
    }
}

/// The parts on the way from a supply to a cell in a forest of parts.
fn way(forest: &[(usize, usize)], supply: usize, cell: usize) -> Option<Vec<(usize, usize)>> {
    // Each entry: a part, and the entry it was reached from.
    let mut queue: Vec<(usize, usize)> = Vec::new();
    let ends = |at: usize, part: usize, of_supply: bool| {
        if of_supply { forest[at].0 == part } else { forest[at].1 == part }
    };
    let mut is_seen = vec![false; forest.len()];
    for at in (0..forest.len()).filter(|&at| ends(at, supply, true)) {
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
    use super::{Supply, allocate};

    /// Supplies and needs from a seed.
    fn example(mut seed: u64) -> (Vec<Supply>, Vec<f64>) {
        let mut draw = |end: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % end
        };
        let cells = 2 + draw(4) as u32;
        let needs = (0..cells).map(|_| 1.0 + draw(4) as f64).collect();
        let mut supplies: Vec<Supply> =
            (0..cells).map(|cell| Supply { cells: vec![cell], amount: draw(20) as f64 }).collect();
        for _ in 0..draw(6) {
            let claims: Vec<u32> = (0..cells).filter(|_| draw(2) == 1).collect();
            if claims.len() > 1 {
                supplies.push(Supply { cells: claims, amount: 1.0 + draw(30) as f64 });
            }
        }
        (supplies, needs)
    }

    /// The rate is the minimum over all sets of cells; the parts attain it, add up, and are a forest.
    #[test]
    fn the_slowest_cell_is_as_fast_as_any_allocation_makes_it() {
        for seed in 0..300 {
            let (supplies, needs) = example(seed);
            let allocation = allocate(&supplies, &needs);
            let ratio = |set: usize| {
                let is_in: Vec<bool> = (0..needs.len()).map(|cell| set >> cell & 1 == 1).collect();
                super::ratio(&supplies, &needs, &is_in)
            };
            let best = (1..1usize << needs.len()).map(ratio).fold(f64::INFINITY, f64::min);
            assert!((allocation.rate - best).abs() <= 1e-9 * best, "seed {seed}: {} {best}", allocation.rate);
            let mut got = vec![0.0; needs.len()];
            let mut splits = 0;
            for (supply, parts) in supplies.iter().zip(&allocation.parts) {
                assert!(parts.iter().all(|&part| part >= 0.0));
                assert!(parts.iter().sum::<f64>() <= supply.amount * (1.0 + 1e-9), "seed {seed}");
                splits += parts.iter().filter(|&&part| part > 1e-9).count().max(1) - 1;
                supply.cells.iter().zip(parts).for_each(|(&cell, part)| got[cell as usize] += part);
            }
            assert!(got.iter().zip(&needs).all(|(got, need)| *got >= best * need - 1e-9), "seed {seed}");
            assert!(splits < needs.len(), "seed {seed}: {splits} splits");
        }
    }
}

//! Shares that end together, and who takes part.

use serde::Serialize;

use super::Star;

/// Who gets how much, and in which order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Division {
    /// The ranks that get a piece, in the order in which rank 0 sends.
    pub order: Vec<usize>,
    /// By rank, its share in bytes.
    pub shares: Vec<f64>,
}

/// A number that depends on the share of the first rank: `slope x + offset`.
#[derive(Clone, Copy)]
struct Line {
    slope: f64,
    offset: f64,
}

impl Line {
    fn at(self, x: f64) -> f64 {
        self.slope * x + self.offset
    }

    /// `self + factor other + constant`.
    fn plus(self, factor: f64, other: Self, constant: f64) -> Self {
        Self {
            slope: self.slope + factor * other.slope,
            offset: self.offset + factor * other.offset + constant,
        }
    }
}

impl Star {
    /// The shares with which nobody waits, when rank 0 sends in this order; none where such shares are not all above 0.
    ///
    /// Without results all ranks end at the same time:
    ///
    /// ```text
    /// x_(k+1) = (w_k x_k - s_(k+1)) / (z_(k+1) + w_(k+1))
    /// ```
    ///
    /// With results a rank ends as much earlier than the next as its results take, and rank 0 together with the
    /// first; so s_k + z_k (q + r x_k) stands in the bracket, too. The share of rank 0 follows from the time in which
    /// all are sent, and the shares sum to the load.
    ///
    /// # Panics
    ///
    /// When the order names a rank that is none.
    ///
    /// # Complexity
    ///
    /// O(ranks).
    ///
    /// # Source
    ///
    /// `bharadwaj1996`, on single-level trees without front ends; start-ups and results derived here.
    pub fn equal_finish(&self, order: &[usize], load: f64) -> Option<Vec<f64>> {
        let mut shares = vec![0.0; self.ranks.len()];
        let Some(&first) = order.first() else {
            shares[0] = load;
            return Some(shares);
        };
        let mut lines: Vec<Line> = vec![Line { slope: 1.0, offset: 0.0 }];
        for pair in order.windows(2) {
            let (before, here) = (self.ranks[pair[0]], self.ranks[pair[1]]);
            let x = *lines.last().expect("the first line is there");
            let (rate, constant) = self.returning_line(pair[0]);
            let all = Line { slope: 0.0, offset: 0.0 }.plus(before.work + rate, x, constant - here.startup);
            let time = here.work + here.link;
            lines.push(Line { slope: all.slope / time, offset: all.offset / time });
        }
        let done = self.transfer(first, 0.0);
        // Rank 0 is done with the first one, after all is sent.
        let mut own = Line { slope: self.ranks[first].work + self.ranks[first].link, offset: done };
        let mut sum = Line { slope: 0.0, offset: 0.0 };
        for (&rank, &x) in order.iter().zip(&lines) {
            own = own.plus(-self.ranks[rank].link, x, -self.ranks[rank].startup);
            sum = sum.plus(1.0, x, 0.0);
        }
        sum = sum.plus(1.0 / self.ranks[0].work, own, 0.0);
        let x = (load - sum.offset) / sum.slope;
        for (&rank, line) in order.iter().zip(&lines) {
            shares[rank] = line.at(x);
        }
        shares[0] = own.at(x) / self.ranks[0].work;
        let is_possible = |share: f64| share > 0.0 && share.is_finite();
        (is_possible(shares[0]) && order.iter().all(|&rank| is_possible(shares[rank]))).then_some(shares)
    }

    /// The time of results from a rank: seconds per byte of load, and seconds.
    fn returning_line(&self, rank: usize) -> (f64, f64) {
        self.results.map_or((0.0, 0.0), |results| {
            (self.ranks[rank].link * results.share, self.transfer(rank, results.constant))
        })
    }

    /// The division of a load: the fastest links first, and those ranks that are worth their start-up.
    ///
    /// Who takes part is found by search: the best of the first so many, and then ranks are taken in or left out one
    /// at a time for as long as that shortens the run. With start-ups the best set is a hard problem; tests compare with
    /// all sets.
    ///
    /// # Complexity
    ///
    /// O(ranks^2) for each round of the search.
    pub fn divide(&self, load: f64) -> Division {
        let order = self.order();
        let mut taken = vec![false; order.len()];
        let (mut best_makespan, mut best) =
            self.tried(&order, &taken, load).expect("rank 0 can do all alone");
        for count in 1..=order.len() {
            let first: Vec<bool> = (0..order.len()).map(|place| place < count).collect();
            if let Some((makespan, division)) = self.tried(&order, &first, load)
                && makespan < best_makespan
            {
                (best_makespan, best, taken) = (makespan, division, first);
            }
        }
        let mut unchanged = 0;
        let mut place = 0;
        while unchanged < order.len() {
            taken[place] = !taken[place];
            match self.tried(&order, &taken, load) {
                Some((makespan, division)) if makespan < best_makespan => {
                    (best_makespan, best) = (makespan, division);
                    unchanged = 0;
                }
                _ => {
                    taken[place] = !taken[place];
                    unchanged += 1;
                }
            }
            place = (place + 1) % order.len();
        }
        best
    }

    /// The makespan with these of the ranks, and the division; none where they cannot end together.
    fn tried(&self, order: &[usize], taken: &[bool], load: f64) -> Option<(f64, Division)> {
        let order: Vec<usize> =
            order.iter().zip(taken).filter(|(_, taken)| **taken).map(|(&rank, _)| rank).collect();
        let shares = self.equal_finish(&order, load)?;
        let makespan = self.timetable(&order, &shares).makespan;
        Some((makespan, Division { order, shares }))
    }
}

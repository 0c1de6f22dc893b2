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
struct LinearTime {
    slope: f64,
    offset: f64,
}

impl LinearTime {
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

/// Up to so many ranks any two change places in the search, among more only neighbours.
const PAIRS_MAX: usize = 64;

/// The steps of the search: a place with itself is taken in or left out, two places exchange their ranks.
fn moves(places: usize) -> Vec<(usize, usize)> {
    let reach = if places <= PAIRS_MAX { places } else { 2 };
    (0..places).flat_map(|a| (a..places.min(a + reach)).map(move |b| (a, b))).collect()
}

/// One step, which takes itself back when it is done again.
fn step_between(places: &mut [(usize, bool)], a: usize, b: usize) {
    if a == b {
        places[a].1 = !places[a].1;
    } else {
        (places[a].0, places[b].0) = (places[b].0, places[a].0);
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
        let mut lines: Vec<LinearTime> = vec![LinearTime { slope: 1.0, offset: 0.0 }];
        for pair in order.windows(2) {
            let (before, here) = (self.ranks[pair[0]], self.ranks[pair[1]]);
            let x = *lines.last().expect("the first line is there");
            let (rate, constant) = self.returning_line(pair[0]);
            let all =
                LinearTime { slope: 0.0, offset: 0.0 }.plus(before.work + rate, x, constant - here.startup);
            let time = here.work + here.link;
            lines.push(LinearTime { slope: all.slope / time, offset: all.offset / time });
        }
        let done = self.transfer(first, 0.0);
        // Rank 0 is done with the first one, after all is sent.
        let mut own = LinearTime { slope: self.ranks[first].work + self.ranks[first].link, offset: done };
        let mut sum = LinearTime { slope: 0.0, offset: 0.0 };
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

    /// The division of a load: in which order to send, and to whom at all.
    ///
    /// A rank that is not worth its start-up, or the time in which rank 0 could have worked, gets nothing. Without
    /// start-ups and results this is the best there is. With start-ups the best is a hard problem, so it is searched for: from
    /// the fastest links, the least start-ups and the quickest messages first, the best of the first so many; then a
    /// rank is taken in, left out, or changes places with another, for as long as that shortens the run.
    ///
    /// # Complexity
    ///
    /// O(ranks^3) for each round of the search, O(ranks^2) above 64 ranks.
    pub fn divide(&self, load: f64) -> Division {
        let quickest_first = |load: f64| {
            let mut order = self.order();
            order.sort_by(|&a, &b| self.transfer(a, load).total_cmp(&self.transfer(b, load)));
            order
        };
        let even = load / self.ranks.len() as f64;
        let alone = self.tried(&[], load).expect("rank 0 can do all alone");
        let orders = [self.order(), quickest_first(0.0), quickest_first(even)];
        let found = orders.map(|order| self.searched(order, load));
        let best = found.into_iter().fold(alone, |best, found| if found.0 < best.0 { found } else { best });
        best.1
    }

    /// The best that one search finds, and its makespan.
    fn searched(&self, order: Vec<usize>, load: f64) -> (f64, Division) {
        let mut best = self.tried(&[], load).expect("rank 0 can do all alone");
        let mut places: Vec<(usize, bool)> = order.into_iter().map(|rank| (rank, false)).collect();
        let mut first = 0;
        for count in 1..=places.len() {
            let ranks: Vec<usize> = places[..count].iter().map(|&(rank, _)| rank).collect();
            if let Some(found) = self.tried(&ranks, load).filter(|found| found.0 < best.0) {
                (best, first) = (found, count);
            }
        }
        places[..first].iter_mut().for_each(|(_, taken)| *taken = true);
        let moves = moves(places.len());
        let (mut unchanged, mut step) = (0, 0);
        while unchanged < moves.len() {
            let (a, b) = moves[step % moves.len()];
            step_between(&mut places, a, b);
            let ranks: Vec<usize> =
                places.iter().filter(|(_, taken)| *taken).map(|&(rank, _)| rank).collect();
            match self.tried(&ranks, load).filter(|found| found.0 < best.0) {
                Some(found) => (best, unchanged) = (found, 0),
                None => {
                    step_between(&mut places, a, b);
                    unchanged += 1;
                }
            }
            step += 1;
        }
        best
    }

    /// The division among these ranks in this order, and its makespan; none where they cannot end together.
    fn tried(&self, order: &[usize], load: f64) -> Option<(f64, Division)> {
        let shares = self.equal_finish(order, load)?;
        let makespan = self.timetable(order, &shares).makespan;
        Some((makespan, Division { order: order.to_vec(), shares }))
    }
}

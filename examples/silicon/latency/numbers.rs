//! The few numbers that no point-to-point row can give, and how they are chosen.

use super::chip::Chip;
use super::closed;
use super::points::Points;
use super::table::{Mechanism, Row};

/// Numbers beside those of point-to-point rows; cycles unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Numbers {
    /// Of the processor for a new peer.
    pub(crate) new_peer: f64,
    /// To reserve the tree of a multicast: once, and for each link to the farthest receiver.
    pub(crate) reserve: [f64; 2],
    /// Of the processor for the address of the next bank, by chip.
    pub(crate) next_bank: [f64; 2],
    /// The part of the total after which the median of many cores is done that multicast in turn.
    pub(crate) median_part: f64,
    /// Failed reservations at a handover of a path.
    pub(crate) retries: f64,
}

impl Numbers {
    /// Nothing chosen on collective rows: a new peer costs what keeping its state costs (9 cycles, point to point), a
    /// reservation goes there and back (twice a hop of 9), the median lies between one at a time and all in step, a
    /// handover succeeds at once.
    pub(crate) const STRICT: Self =
        Self { new_peer: 9.0, reserve: [0.0, 18.0], next_bank: [9.0, 9.0], median_part: 0.75, retries: 0.0 };

    /// The best of a few values of each number on some rows, one number after the other; each touches rows of its own.
    pub(crate) fn chosen_on(rows: &[&Row], chips: &[Chip; 2], points: &Points) -> Self {
        let mut best = Self::STRICT;
        let one = |row: &Row| !row.pattern.has_many_masters();
        let unicast = |row: &Row| row.mechanism == Mechanism::Unicast;
        let mut choose = |values: &[f64], set: &dyn Fn(&mut Self, f64), takes: &dyn Fn(&Row) -> bool| {
            let concerned: Vec<&Row> = rows.iter().copied().filter(|row| takes(row)).collect();
            let error = |&value: &f64| {
                let mut tried = best;
                set(&mut tried, value);
                let errors = concerned.iter().map(|row| {
                    let times = closed::times(row, &chips[row.chip], points, &tried);
                    row_error(row, &times.expect("a row with a formula"))
                });
                errors.sum::<f64>()
            };
            if concerned.is_empty() {
                return;
            }
            let least = values.iter().min_by(|a, b| error(a).total_cmp(&error(b))).expect("a value");
            set(&mut best, *least);
        };
        let peers: Vec<f64> = (0..=20).map(f64::from).collect();
        choose(&peers, &|it, value| it.new_peer = value, &|row| one(row) && unicast(row) && !row.dram);
        // Both numbers of a reservation at once: 4 x 9 pairs.
        let pairs: Vec<f64> = (0..36).map(f64::from).collect();
        let reserve = |it: &mut Self, pair: f64| {
            it.reserve = [4.0 * (pair / 9.0).floor(), 14.0 + 0.5 * (pair % 9.0)];
        };
        choose(&pairs, &reserve, &|row| one(row) && !unicast(row));
        for chip in 0..2 {
            let set = |it: &mut Self, value| it.next_bank[chip] = value;
            choose(&peers, &set, &|row| row.dram && one(row) && row.chip == chip);
        }
        let parts: Vec<f64> = (10..=20).map(|part| f64::from(part) / 20.0).collect();
        let in_turn = |row: &Row| !one(row) && row.mechanism == Mechanism::Multicast && row.transactions > 1;
        choose(&parts, &|it, value| it.median_part = value, &in_turn);
        let retries: Vec<f64> = (0..=4).map(|half| f64::from(half) / 2.0).collect();
        choose(&retries, &|it, value| it.retries = value, &|row| !one(row) && !unicast(row) && !in_turn(row));
        best
    }
}

/// The mean over its sizes of |predicted - measured| / measured.
pub(crate) fn row_error(row: &Row, predicted: &[f64]) -> f64 {
    let errors =
        predicted.iter().zip(&row.cycles).map(|(predicted, measured)| (predicted / measured - 1.0).abs());
    errors.sum::<f64>() / row.cycles.len() as f64
}

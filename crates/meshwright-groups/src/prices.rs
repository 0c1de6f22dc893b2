//! What splits cost on many ranks, in LogGP: ours beside what MPI libraries and others do.
//!
//! A message of w bytes takes `m(w) = L + 2 o + w G` from one rank to another, whoever they are: no network, nobody in
//! anybody's way. R is `ceil(log2 p)`, M that of the members p / k of a new group, c what a rank takes to look at a record.
//!
//! | split | time | bytes at a rank |
//! |---|---|---|
//! | `all-gather` | R (L + 2 o) + 8 (p - 1) G + c (p + M p / k) | 12 p |
//! | `sack-gropp` | 2 (log2 g (L + 2 o) + 12 g G) + S (S + 1) / 2 (m(12 g) + c g) + c g log2 g, S = `ceil(log2(p / g))`, the best g | 24 g |
//! | `moody` | R (R + 1) / 2 (m(16) + c) + 2 R m(24) + m(16) | 16 R |
//! | `grid` | 2 R (L + 2 o) + 40 sqrt(p) G + c sqrt(p) R + m(16) | 40 sqrt(p) |
//! | `mask` | 4 R (L + 2 o) + b p / 4 G + c (p + M p / k), b bits of a label | 36 p |
//! | `sort` | 4 R (m(8) + o) + colours + keys + m(8) + m(28) | 8 R + 700 |
//! | `range` | c: no message | 16 |
//!
//! `sort`, colours: 2 R (m(64) + o) + m(16) for each pass by counting, else R (R + 1) / 2 (m(16) + c); keys:
//! M (M + 1) / 2 (m(16) + c) + m(4). `all-gather`, `sack-gropp` and `moody` agree on a context
//! besides, R m(256): [`CONTEXT`](context). Ours number their groups without a message; where an MPI communicator is to come out,
//! it is to be paid for all but `range`.
//!
//! # Source
//!
//! `alexandrov1997` for LogGP; `sack2010` for the all-gather that libraries do, and for sorting by some ranks with merging while they
//! gather; `moody2011` for the bitonic sort with one record at a rank and scans along chains; `axtmann2017` for ranks by a grid;
//! `axtmann2018` for ranges. What their texts leave open (the number of sorters, the length of records) is ours.

use crate::curve_sort::counting::{PASSES_MAX, passes};
use crate::curve_sort::network::rounds;

/// The times of a machine, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogGp {
    /// L: a byte on its way.
    pub latency: f64,
    /// o: a rank with a message, at each end.
    pub overhead: f64,
    /// G: each byte of a long message.
    pub gap_per_byte: f64,
    /// c: a rank that looks at a record in its memory.
    pub record: f64,
}

impl Default for LogGp {
    /// About what InfiniBand clusters have: 1 us, 0.4 us, 10 GB a second; 5 ns a record.
    fn default() -> Self {
        Self { latency: 1.0, overhead: 0.4, gap_per_byte: 1e-4, record: 5e-3 }
    }
}

impl LogGp {
    /// m(w): a message of so many bytes, from its sender's call to the end of its receiver's.
    pub fn message(&self, bytes: f64) -> f64 {
        self.latency + 2.0 * self.overhead + bytes * self.gap_per_byte
    }
}

/// What is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitCase {
    /// p: how many ranks there are.
    pub ranks: u32,
    /// k: into how many groups of equal size.
    pub colours: u32,
    /// Whether there are keys, of 32 bits.
    pub has_keys: bool,
}

impl SplitCase {
    fn ranks(&self) -> f64 {
        self.ranks.into()
    }

    /// p / k.
    fn members(&self) -> u32 {
        self.ranks.div_ceil(self.colours.max(1)).max(1)
    }

    /// b: the bits of a label.
    fn bits(&self) -> u32 {
        self.colour_bits() + if self.has_keys { 32 } else { 0 }
    }

    fn colour_bits(&self) -> u32 {
        u32::BITS - self.colours.saturating_sub(1).leading_zeros()
    }
}

/// `ceil(log2 n)`.
fn levels(count: u32) -> f64 {
    f64::from(u32::BITS - count.saturating_sub(1).leading_zeros())
}

/// A way to split, priced.
pub struct PricedSplit {
    /// Its name.
    pub name: &'static str,
    /// What it is, in half a sentence.
    pub summary: &'static str,
    /// Whether it takes any colours and keys.
    pub takes_any_labels: bool,
    /// Whether it ends with a context on which all members agree: what an MPI communicator needs besides.
    pub needs_context: bool,
    /// Its time in microseconds.
    pub time: fn(&LogGp, &SplitCase) -> f64,
    /// The bytes it needs at the rank that needs most.
    pub bytes: fn(&LogGp, &SplitCase) -> f64,
}

/// Every split that is priced.
pub const PRICES: &[PricedSplit] = &[
    PricedSplit {
        name: "all-gather",
        summary: "all labels to all ranks, as MPI libraries do",
        takes_any_labels: true,
        needs_context: true,
        time: all_gather,
        bytes: |_, case| 12.0 * case.ranks(),
    },
    PricedSplit {
        name: "sack-gropp",
        summary: "some ranks gather, merge and sort in parallel",
        takes_any_labels: true,
        needs_context: true,
        time: |costs, case| sack_gropp(costs, case).0,
        bytes: |costs, case| 24.0 * sack_gropp(costs, case).1,
    },
    PricedSplit {
        name: "moody",
        summary: "bitonic sort of one record a rank, scans along chains",
        takes_any_labels: true,
        needs_context: true,
        time: moody,
        bytes: |_, case| 16.0 * levels(case.ranks),
    },
    PricedSplit {
        name: "grid",
        summary: "records to rows and columns of a square of ranks, counts added",
        takes_any_labels: true,
        needs_context: false,
        time: grid,
        bytes: |_, case| 40.0 * case.ranks().sqrt(),
    },
    PricedSplit {
        name: "mask",
        summary: "ours: all labels up a tree and down again, in few bits",
        takes_any_labels: true,
        needs_context: false,
        time: mask,
        bytes: |_, case| 36.0 * case.ranks(),
    },
    PricedSplit {
        name: "sort",
        summary: "ours: colours by counting or sorting along a curve, keys by sorting in the new groups",
        takes_any_labels: true,
        needs_context: false,
        time: sort,
        bytes: |_, case| 8.0 * levels(case.ranks) + 700.0,
    },
    PricedSplit {
        name: "range",
        summary: "groups of consecutive ranks whose ends all know",
        takes_any_labels: false,
        needs_context: false,
        time: |costs, _| costs.record,
        bytes: |_, _| 16.0,
    },
];

/// R m(256): all ranks agree on a free context by an all-reduce of a mask, as MPICH does.
pub fn context(costs: &LogGp, case: &SplitCase) -> f64 {
    levels(case.ranks) * costs.message(256.0)
}

/// What a rank does with a table of all records: it looks at all and sorts its own.
fn table(costs: &LogGp, case: &SplitCase) -> f64 {
    costs.record * (case.ranks() + levels(case.members()) * f64::from(case.members()))
}

fn all_gather(costs: &LogGp, case: &SplitCase) -> f64 {
    let bytes = 8.0 * (case.ranks() - 1.0);
    levels(case.ranks) * costs.message(0.0) + bytes * costs.gap_per_byte + table(costs, case)
}

/// The time, and how many records a sorter holds: the power of two with which it is least.
fn sack_gropp(costs: &LogGp, case: &SplitCase) -> (f64, f64) {
    let with = |log: u32| {
        let held = f64::from(1u32 << log);
        let gather = f64::from(log) * costs.message(0.0) + 12.0 * held * costs.gap_per_byte;
        let sort = f64::from(rounds(case.ranks.div_ceil(1 << log)));
        let merge = costs.record * held;
        (2.0 * gather + merge * f64::from(log) + sort * (costs.message(12.0 * held) + merge), held)
    };
    let most = levels(case.ranks) as u32;
    (0..=most.min(31)).map(with).min_by(|a, b| a.0.total_cmp(&b.0)).expect("there is one")
}

fn moody(costs: &LogGp, case: &SplitCase) -> f64 {
    let exchanges = f64::from(rounds(case.ranks)) * (costs.message(16.0) + costs.record);
    exchanges + 2.0 * levels(case.ranks) * costs.message(24.0) + costs.message(16.0)
}

fn grid(costs: &LogGp, case: &SplitCase) -> f64 {
    let side = case.ranks().sqrt();
    let gather = levels(case.ranks) * costs.message(0.0) + 32.0 * side * costs.gap_per_byte;
    let count = costs.record * side * levels(case.ranks);
    let add = levels(case.ranks) * costs.message(0.0) + 8.0 * side * costs.gap_per_byte;
    gather + count + add + costs.message(16.0)
}

fn mask(costs: &LogGp, case: &SplitCase) -> f64 {
    let bytes = f64::from(case.bits()) * case.ranks() / 8.0;
    4.0 * levels(case.ranks) * costs.message(0.0) + 2.0 * bytes * costs.gap_per_byte + table(costs, case)
}

fn sort(costs: &LogGp, case: &SplitCase) -> f64 {
    let height = levels(case.ranks);
    let exchange = costs.message(16.0) + costs.record;
    let pass = |bytes| 2.0 * height * (costs.message(bytes) + costs.overhead);
    let colours = match passes(case.colour_bits()) {
        passes if passes <= PASSES_MAX => f64::from(passes) * (pass(64.0) + costs.message(16.0)),
        _ => f64::from(rounds(case.ranks)) * exchange,
    };
    let keys = f64::from(rounds(case.members())) * exchange + costs.message(4.0);
    2.0 * pass(8.0)
        + colours
        + if case.has_keys { keys } else { 0.0 }
        + costs.message(8.0)
        + costs.message(28.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve_sort::network::Round;

    const COSTS: LogGp = LogGp { latency: 3.0, overhead: 0.5, gap_per_byte: 0.01, record: 0.1 };

    /// All ranks exchange with their partners: when each is ready, from when it was.
    fn exchange(ready: &[f64], partner: impl Fn(usize) -> Option<usize>, bytes: f64) -> Vec<f64> {
        let one = |rank: usize| match partner(rank) {
            None => ready[rank],
            Some(other) => {
                let sent = |rank: usize| ready[rank] + COSTS.overhead;
                let arrival = sent(other) + COSTS.latency + bytes * COSTS.gap_per_byte;
                arrival.max(sent(rank)) + COSTS.overhead
            }
        };
        (0..ready.len()).map(one).collect()
    }

    fn last(ready: Vec<f64>) -> f64 {
        ready.into_iter().fold(0.0, f64::max)
    }

    #[test]
    fn formulas_are_what_rounds_take_when_played_through() {
        for log in 1..9u32 {
            let ranks = 1 << log;
            let case = SplitCase { ranks, colours: 1, has_keys: true };
            // Recursive doubling: what a rank has doubles.
            let mut ready = vec![0.0; ranks as usize];
            for round in 0..log {
                ready = exchange(&ready, |rank| Some(rank ^ (1 << round)), 8.0 * f64::from(1u32 << round));
            }
            let looked = table(&COSTS, &case);
            assert!((last(ready) + looked - all_gather(&COSTS, &case)).abs() < 1e-9);
            // The comparisons of a sort, one after the other.
            let mut ready = vec![0.0; ranks as usize];
            let mut round = Round::FIRST;
            while !round.is_over(ranks) {
                let partner = |rank: usize| round.partner(rank as u32, ranks).map(|other| other as usize);
                ready = exchange(&ready, partner, 16.0).into_iter().map(|time| time + COSTS.record).collect();
                round = round.next();
            }
            let scans = 2.0 * f64::from(log) * COSTS.message(24.0) + COSTS.message(16.0);
            assert!((last(ready) + scans - moody(&COSTS, &case)).abs() < 1e-9);
        }
    }

    #[test]
    fn no_sorter_count_beats_the_best() {
        for ranks in [10, 1000, 1_000_000] {
            let case = SplitCase { ranks, colours: 2, has_keys: true };
            let (time, held) = sack_gropp(&COSTS, &case);
            assert!(time > 0.0 && held <= f64::from(ranks.next_power_of_two()));
            // One sorter that holds all is the central sort.
            let log = levels(ranks);
            let held = 2f64.powf(log);
            let gather = log * COSTS.message(0.0) + 12.0 * held * COSTS.gap_per_byte;
            assert!(time <= 2.0 * gather + COSTS.record * held * log);
        }
    }

    #[test]
    fn what_grows_with_the_ranks_loses_in_the_end() {
        let price = |name: &str, ranks| {
            let case = SplitCase { ranks, colours: 1000, has_keys: true };
            let priced = PRICES.iter().find(|priced| priced.name == name).unwrap();
            (priced.time)(&LogGp::default(), &case)
        };
        assert!(price("mask", 1000) < price("moody", 1000), "few ranks: rounds count");
        for name in ["moody", "sort", "grid"] {
            assert!(price(name, 1_000_000) < price("all-gather", 1_000_000) / 5.0, "{name}");
        }
        assert!(price("range", 1_000_000) < 0.01);
    }
}

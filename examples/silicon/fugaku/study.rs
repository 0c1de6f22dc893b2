//! Fitted on one table, predicted on all: what came of it.

use meshwright_core::Result;

use super::constants::Constants;
use super::data::{Row, Table};
use super::fit::{fit, loss};
use super::law::Law;
use super::machine::Job;
use super::steps::Steps;

/// A measured time beside ours.
#[derive(Clone, Copy)]
pub(crate) struct Outcome<'t> {
    /// The measured one.
    pub(crate) row: &'t Row,
    /// Ours in microseconds.
    pub(crate) ours: f64,
    /// The bytes of the busiest link or port, in microseconds.
    pub(crate) bound: f64,
}

impl Outcome<'_> {
    /// Ours less the measured, in percent of the measured.
    pub(crate) fn error(&self) -> f64 {
        (self.ours / self.row.measured - 1.0) * 100.0
    }
}

/// Every row of a shape that has a formula.
pub(crate) struct Predicted<'t> {
    /// The table.
    pub(crate) table: &'t Table,
    /// Its steps on the machine.
    pub(crate) steps: Steps,
    /// In the order of the table.
    pub(crate) outcomes: Vec<Outcome<'t>>,
}

/// Constants from the first table, times for all.
pub(crate) struct Study<'t> {
    /// The constants.
    pub(crate) constants: Constants,
    /// How badly they explain the first table.
    pub(crate) loss: f64,
    /// By table; the first is the one they are fitted to.
    pub(crate) tables: Vec<Predicted<'t>>,
}

impl<'t> Study<'t> {
    /// Fits the first of the tables and predicts all of them, with every job laid in this way.
    pub(crate) fn new(tables: &'t [Table], lay: impl Fn(&[u32]) -> Result<Job>) -> Result<Self> {
        let steps =
            tables.iter().map(|table| Ok(Steps::new(&lay(&table.shape)?))).collect::<Result<Vec<_>>>()?;
        let rows: Vec<&Row> = tables[0].rows.iter().collect();
        let constants = fit(&rows, &steps[0]);
        let loss = loss(&rows, &steps[0], &constants);
        let predict = |(table, steps): (&'t Table, Steps)| {
            let outcomes = outcomes(table.rows.iter(), &steps, &constants);
            Predicted { table, steps, outcomes }
        };
        Ok(Self { constants, loss, tables: tables.iter().zip(steps).map(predict).collect() })
    }

    /// The rows of the first table, each predicted by constants that have seen no row of its size.
    pub(crate) fn sizes_left_out(&self) -> Vec<Outcome<'t>> {
        let Predicted { table, steps, .. } = &self.tables[0];
        let mut sizes: Vec<f64> = table.rows.iter().map(|row| row.bytes).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        let without = |&size: &f64| {
            let rest: Vec<&Row> = table.rows.iter().filter(|row| row.bytes != size).collect();
            let left_out = table.rows.iter().filter(|row| row.bytes == size);
            outcomes(left_out, steps, &fit(&rest, steps))
        };
        sizes.iter().flat_map(without).collect()
    }
}

fn outcomes<'t>(
    rows: impl Iterator<Item = &'t Row>,
    steps: &Steps,
    constants: &Constants,
) -> Vec<Outcome<'t>> {
    let mut bounds: Vec<(Law, f64)> = Vec::new();
    let outcome = |row: &'t Row| {
        let law = row.law?;
        let known = bounds.iter().find(|(other, _)| *other == law).map(|&(_, bound)| bound);
        let of_a_byte = known.unwrap_or_else(|| law.bound(steps));
        if known.is_none() {
            bounds.push((law, of_a_byte));
        }
        Some(Outcome { row, ours: law.time(row.bytes, steps, constants), bound: of_a_byte * row.bytes })
    };
    rows.filter_map(outcome).collect()
}

/// A part of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// allreduce L and B_CONT over uTofu, unsegmented.
    LongAndHalves,
    /// All of the measured library with one port.
    Library,
    /// Fujitsu's, by name.
    Fujitsu,
    /// All.
    All,
}

/// The parts.
pub(crate) const PARTS: [(Part, &str); 4] = [
    (Part::LongAndHalves, "allreduce L and B, unsegmented"),
    (Part::Library, "all one-port rows of PICO's library"),
    (Part::Fujitsu, "Fujitsu's, by their name"),
    (Part::All, "all"),
];

impl Part {
    /// Whether a row belongs to it.
    pub(crate) fn has(self, row: &Row) -> bool {
        let of_fujitsu = row.algorithm.starts_with("default-");
        match self {
            Self::LongAndHalves => row.collective == "allreduce" && row.algorithm.ends_with("-UTOFU-0-1"),
            Self::Library => !of_fujitsu,
            Self::Fujitsu => of_fujitsu,
            Self::All => true,
        }
    }
}

/// Errors without their signs, in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Errors {
    /// How many.
    pub(crate) count: usize,
    /// Their median.
    pub(crate) median: f64,
    /// Their mean.
    pub(crate) mean: f64,
    /// The worst.
    pub(crate) worst: f64,
    /// The mean with signs.
    pub(crate) bias: f64,
}

impl Errors {
    /// Of some outcomes.
    pub(crate) fn of<'t>(outcomes: impl Iterator<Item = &'t Outcome<'t>>) -> Self {
        let signed: Vec<f64> = outcomes.map(Outcome::error).collect();
        let mut errors: Vec<f64> = signed.iter().map(|error| error.abs()).collect();
        errors.sort_by(f64::total_cmp);
        let count = errors.len();
        if count == 0 {
            return Self::default();
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / count as f64;
        Self {
            count,
            median: (errors[(count - 1) / 2] + errors[count / 2]) / 2.0,
            mean: mean(&errors),
            worst: errors[count - 1],
            bias: mean(&signed),
        }
    }
}

/// Two rows of one collective and size whose measured times differ by more than this factor have a faster one.
const APART: f64 = 1.1;

/// Pairs of outcomes of one collective and size with a clearly faster one; whether ours is the same.
pub(crate) fn pairs<'o, 't>(
    outcomes: &'o [Outcome<'t>],
    part: Part,
) -> Vec<(&'o Outcome<'t>, &'o Outcome<'t>, bool)> {
    let mut pairs = Vec::new();
    for (index, a) in outcomes.iter().enumerate() {
        for b in &outcomes[index + 1..] {
            let comparable = a.row.collective == b.row.collective && a.row.bytes == b.row.bytes;
            let (faster, slower) = if a.row.measured < b.row.measured { (a, b) } else { (b, a) };
            let apart = slower.row.measured > APART * faster.row.measured;
            if comparable && apart && part.has(a.row) && part.has(b.row) {
                pairs.push((faster, slower, faster.ours < slower.ours));
            }
        }
    }
    pairs
}

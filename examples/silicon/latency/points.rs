//! What the point-to-point rows say: times, gaps, rates. Nothing else is fitted to measured times.

use super::chip::Chip;
use super::table::{Pattern, Row, SIZES};
use meshwright_core::{Error, Result};

/// Numbers of transactions that were measured.
const COUNTS: [usize; 5] = [1, 4, 16, 64, 256];

/// Which point-to-point rows: of a chip, reads or writes, from or to DRAM, with kept state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) chip: usize,
    pub(crate) read: bool,
    pub(crate) dram: bool,
    pub(crate) stateful: bool,
}

impl Kind {
    /// Plain writes into L1: what a core's own port allows.
    pub(crate) fn write(chip: usize) -> Self {
        Self { chip, read: false, dram: false, stateful: false }
    }

    /// The rows that a collective row is made of.
    pub(crate) fn of(row: &Row) -> Self {
        Self { chip: row.chip, read: row.pattern.reads(), dram: row.dram, stateful: row.stateful }
    }

    fn index(self) -> usize {
        [self.chip == 1, self.read, self.dram, self.stateful]
            .into_iter()
            .fold(0, |index, bit| 2 * index + usize::from(bit))
    }
}

/// The point-to-point rows.
pub(crate) struct Points {
    /// By kind, whether one axis is shared, count and size; not a number where nothing was measured.
    cycles: Vec<[[[f64; SIZES.len()]; COUNTS.len()]; 2]>,
}

impl Points {
    /// Sorts the rows.
    pub(crate) fn new(rows: &[Row]) -> Result<Self> {
        let mut cycles = vec![[[[f64::NAN; SIZES.len()]; COUNTS.len()]; 2]; 16];
        for row in rows {
            let count = COUNTS.iter().position(|&count| count == row.transactions);
            let is_one = [Pattern::OneFromOne, Pattern::OneToOne].contains(&row.pattern);
            let count = count.filter(|_| is_one).ok_or_else(|| {
                let expected = "one_to_one or one_from_one with 1, 4, 16, 64 or 256 transactions";
                Error::value("a point-to-point row", format!("line {}", row.line), expected)
            })?;
            let cells = &mut cycles[Kind::of(row).index()][usize::from(row.same_axis)][count];
            cells[..row.cycles.len()].copy_from_slice(&row.cycles);
        }
        Ok(Self { cycles })
    }

    /// Cycles of so many transactions (by the number of the count).
    fn at(&self, kind: Kind, same_axis: bool, count: usize, size: usize) -> f64 {
        self.cycles[kind.index()][usize::from(same_axis)][count][size]
    }

    /// The mean of something over both relations; DRAM has one.
    fn mean(kind: Kind, of: impl Fn(bool) -> f64) -> f64 {
        if kind.dram { of(false) } else { (of(true) + of(false)) / 2.0 }
    }

    /// Cycles from one transaction to the next in the steady state, 64 to 256 of them.
    pub(crate) fn gap(&self, kind: Kind, size: usize) -> f64 {
        Self::mean(kind, |axis| (self.at(kind, axis, 4, size) - self.at(kind, axis, 3, size)) / 192.0)
    }

    /// Cycles a flit at a core's own port.
    pub(crate) fn per_flit(&self, chip: &Chip) -> f64 {
        let largest = SIZES.iter().position(|&size| size == chip.packet).expect("a size of the table");
        self.gap(Kind::write(chip.index), largest) / f64::from(chip.flits(chip.packet))
    }

    /// Cycles a flit at a bank of DRAM, from the largest size measured.
    pub(crate) fn per_flit_of_bank(&self, kind: Kind, chip: &Chip) -> f64 {
        let measured = (0..SIZES.len()).rev().find(|&size| self.gap(kind, size).is_finite());
        let size = measured.unwrap_or(0);
        self.gap(kind, size) / f64::from(chip.flits(SIZES[size]))
    }

    /// The processor's own gap: the least slope over the number of the smallest transactions. The first column of DRAM is
    /// odd at 64 bytes; there the next one counts.
    pub(crate) fn issue(&self, kind: Kind) -> f64 {
        let size = usize::from(kind.dram);
        let kind = Kind { stateful: kind.stateful && !kind.dram, ..kind };
        let slope = |count: usize| {
            let more = (COUNTS[count + 1] - COUNTS[count]) as f64;
            Self::mean(kind, |axis| {
                (self.at(kind, axis, count + 1, size) - self.at(kind, axis, count, size)) / more
            })
        };
        (0..COUNTS.len() - 1).map(slope).fold(f64::INFINITY, f64::min)
    }

    /// What kept state costs at the first transaction, in cycles.
    pub(crate) fn set_up(&self, chip: usize) -> f64 {
        let one = |stateful| {
            let kind = Kind { stateful, ..Kind::write(chip) };
            (0..8).map(|size| Self::mean(kind, |axis| self.at(kind, axis, 0, size))).sum::<f64>() / 8.0
        };
        one(true) - one(false)
    }

    /// Cycles of so many transactions whose way there and back has so many links: linear between the measured numbers, and
    /// beyond them with the gap.
    pub(crate) fn time(&self, chip: &Chip, kind: Kind, count: f64, size: usize, hops: f64) -> f64 {
        let one = |axis: bool| -> f64 {
            let measured = COUNTS.map(|count| count as f64);
            let at = |index: usize| self.at(kind, axis, index, size);
            if count >= measured[4] {
                return at(4) + (count - measured[4]) * self.gap(kind, size);
            }
            let index = (0..3).find(|&index| measured[index + 1] >= count).unwrap_or(3);
            let part = (count - measured[index]) / (measured[index + 1] - measured[index]);
            at(index) + (at(index + 1) - at(index)) * part
        };
        if kind.dram {
            return one(false);
        }
        // Both relations, moved by the time of a hop and weighted by how near they are.
        let [near, far] = chip.rings();
        let moved = [near, far].map(|ring| chip.hop() * (hops - ring));
        let weight = ((hops - near) / (far - near)).clamp(0.0, 1.0);
        (one(true) + moved[0]) * (1.0 - weight) + (one(false) + moved[1]) * weight
    }
}

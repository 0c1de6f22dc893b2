//! The equal share of every rank, and what nobody has begun of it.
//!
//! A rank works off its own share from the front, whatever others do; who has nothing left of his own takes from the back of the share that would
//! end last.

use std::ops::Range;

use crate::scatter::Load;

/// What nobody has begun.
pub(super) struct Shares<'l> {
    load: &'l dyn Load,
    /// By rank where its share ends.
    ends: Vec<u64>,
    /// By rank what is left of its share.
    rest: Vec<Range<u64>>,
    /// What lost ranks had.
    back: Vec<Range<u64>>,
}

impl<'l> Shares<'l> {
    /// Equal shares of so many ranks.
    pub(super) fn new(load: &'l dyn Load, ranks: usize) -> Self {
        let (bytes, many) = (load.bytes(), ranks as u64);
        let wanted: Vec<u64> =
            (1..=many).map(|rank| (u128::from(bytes) * u128::from(rank) / u128::from(many)) as u64).collect();
        let mut ends = load.cuts(&wanted);
        ends[ranks - 1] = bytes;
        let begin = |rank: usize| if rank == 0 { 0 } else { ends[rank - 1] };
        let rest = (0..ranks).map(|rank| begin(rank)..ends[rank]).collect();
        Self { load, ends, rest, back: Vec::new() }
    }

    /// What nobody has.
    pub(super) fn left(&self) -> u64 {
        self.rest.iter().chain(&self.back).map(|part| part.end - part.start).sum()
    }

    /// Whether something is left of the share of a rank.
    pub(super) fn has_own(&self, rank: usize) -> bool {
        !self.rest[rank].is_empty()
    }

    /// Whose share a part is of.
    pub(super) fn owner(&self, part: &Range<u64>) -> usize {
        self.ends.partition_point(|&end| end <= part.start)
    }

    /// Takes about so many bytes for a rank: of its own share, else of what was lost, else from the back of the share that would take longest, by
    /// the rates of all ranks.
    pub(super) fn take(&mut self, rank: usize, wanted: u64, rates: &[f64]) -> Option<Range<u64>> {
        if self.has_own(rank) {
            let part = self.rest[rank].clone();
            let end = self.cut(&part, wanted);
            self.rest[rank].start = end;
            return Some(part.start..end);
        }
        if let Some(part) = self.back.pop() {
            let end = self.cut(&part, wanted);
            if end < part.end {
                self.back.push(end..part.end);
            }
            return Some(part.start..end);
        }
        let long = |rank: &usize| {
            let Range { start, end } = self.rest[*rank];
            (end - start) as f64 / rates[*rank].max(f64::MIN_POSITIVE)
        };
        let others = (0..self.rest.len()).filter(|&other| self.has_own(other));
        let victim = others.max_by(|a, b| long(a).total_cmp(&long(b)))?;
        let part = self.rest[victim].clone();
        let start = self.cut_back(&part, wanted);
        self.rest[victim].end = start;
        Some(start..part.end)
    }

    /// A part that a lost rank had.
    pub(super) fn give_back(&mut self, part: Range<u64>) {
        self.back.push(part);
    }

    /// A rank is lost: what is left of its share is anybody's.
    pub(super) fn lose(&mut self, rank: usize) {
        let end = self.rest[rank].end;
        let rest = std::mem::replace(&mut self.rest[rank], end..end);
        if !rest.is_empty() {
            self.back.push(rest);
        }
    }

    /// Where to cut a part so that about so many bytes lie before, at least some.
    pub(super) fn cut(&self, part: &Range<u64>, wanted: u64) -> u64 {
        let mut wanted = wanted.max(1);
        loop {
            let at = part.start.saturating_add(wanted).min(part.end);
            let cut = self.load.cuts(&[at, self.load.bytes()])[0].min(part.end);
            if cut > part.start || at == part.end {
                return if at == part.end { part.end } else { cut };
            }
            wanted = wanted.saturating_mul(2);
        }
    }

    /// Where to cut it so that about so many lie behind, at least some.
    fn cut_back(&self, part: &Range<u64>, wanted: u64) -> u64 {
        let mut wanted = wanted.max(1);
        loop {
            let at = part.end.saturating_sub(wanted).max(part.start);
            let cut = self.load.cuts(&[at, self.load.bytes()])[0].max(part.start);
            if at == part.start {
                return part.start;
            }
            if cut < part.end {
                return cut;
            }
            wanted = wanted.saturating_mul(2);
        }
    }
}

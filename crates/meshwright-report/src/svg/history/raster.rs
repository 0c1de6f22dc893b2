//! A history in columns of time and rows of members.

use meshwright_core::units::Cycles;
use meshwright_groups::history::{Doing, History};

/// What a row shows for some columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RasterRun {
    pub first: u32,
    pub end: u32,
    /// The index of the group.
    pub group: u32,
    pub waits: bool,
}

/// Runs of one group below each other, each overlapping the one above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub group: u32,
    pub waits: bool,
    /// The first row.
    pub top: u32,
    /// Row by row, the first column and the one after the last.
    pub rows: Vec<(u32, u32)>,
}

/// All rows.
pub(super) struct Raster {
    pub columns: u32,
    /// Per row its runs, from left to right.
    pub rows: Vec<Vec<RasterRun>>,
}

impl Raster {
    /// The members in this order, each column what is so in the middle of its time.
    pub(super) fn of(history: &History, members: &[u32], columns: u32) -> Self {
        let end = history.end().0.max(1);
        let middle = |column: u32| {
            let halves = u128::from(end) * (2 * u128::from(column) + 1);
            Cycles((halves / (2 * u128::from(columns))) as u64)
        };
        let row = |&member: &u32| {
            let mut runs: Vec<RasterRun> = Vec::new();
            let mut spans = history.spans(member).iter().peekable();
            for column in 0..columns {
                let time = middle(column);
                while spans.next_if(|span| span.end <= time).is_some() {}
                // A member that has come to its end is in the first group and waits for nothing.
                let (group, waits) = match spans.peek() {
                    Some(span) if span.begin <= time => (span.group, span.doing == Doing::Wait),
                    _ => (0, true),
                };
                match runs.last_mut() {
                    Some(run) if (run.group, run.waits) == (group, waits) => run.end = column + 1,
                    _ => runs.push(RasterRun { first: column, end: column + 1, group, waits }),
                }
            }
            runs
        };
        Self { columns, rows: members.iter().map(row).collect() }
    }

    /// Everything that is shown, in as few areas as come of going down row by row.
    pub(super) fn areas(&self) -> Vec<Area> {
        let mut areas: Vec<Area> = Vec::new();
        // Areas that reach down to the row before, from left to right.
        let mut open: Vec<usize> = Vec::new();
        for (row, runs) in (0..).zip(&self.rows) {
            let mut next = Vec::with_capacity(runs.len());
            let mut above = open.iter().copied().peekable();
            for run in runs {
                let mut found = None;
                while let Some(&index) = above.peek() {
                    let Area { group, waits, rows, .. } = &areas[index];
                    let (first, end) = rows[rows.len() - 1];
                    let overlaps = first < run.end && run.first < end;
                    if overlaps && (*group, *waits) == (run.group, run.waits) {
                        found = above.next();
                        break;
                    }
                    // One that reaches further may go on in the next run.
                    if end > run.end {
                        break;
                    }
                    above.next();
                }
                let index = found.unwrap_or_else(|| {
                    areas.push(Area { group: run.group, waits: run.waits, top: row, rows: Vec::new() });
                    areas.len() - 1
                });
                areas[index].rows.push((run.first, run.end));
                next.push(index);
            }
            open = next;
        }
        areas
    }

    /// The group of a row in each column.
    pub(super) fn groups(&self, row: usize) -> Vec<u32> {
        let runs = self.rows[row].iter();
        runs.flat_map(|run| std::iter::repeat_n(run.group, (run.end - run.first) as usize)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::units::NodeId;
    use meshwright_groups::Group;
    use meshwright_groups::protocol::{Label, LogEntry, Operation};

    #[test]
    fn a_raster_has_runs_blocks_and_counts() {
        let entry = |operation, level, begin, end| LogEntry {
            operation,
            level,
            group: u64::from(level),
            size: 1,
            begin: Cycles(begin),
            end: Cycles(end),
        };
        let split = |colour| entry(Operation::Split(Label { colour, key: 0 }), 0, 0, 2);
        let quick =
            vec![split(0), entry(Operation::Compute(Cycles(2)), 1, 2, 4), entry(Operation::Join, 0, 4, 10)];
        let slow =
            vec![split(1), entry(Operation::Compute(Cycles(6)), 1, 2, 8), entry(Operation::Join, 0, 8, 10)];
        // The middle one is slow.
        let group = Group::in_order([0, 1, 2].map(NodeId).to_vec());
        let history = History::of(&group, |node| if node.0 == 1 { &slow } else { &quick });
        let raster = Raster::of(&history, &history.together(), 10);
        let run = |first, end, group, waits| RasterRun { first, end, group, waits };
        assert_eq!(raster.rows[0], raster.rows[1]);
        assert_eq!(raster.rows[2], [run(0, 2, 0, false), run(2, 10, 2, false)]);
        assert_eq!(raster.rows[0][1..], [run(2, 4, 1, false), run(4, 8, 1, true), run(8, 10, 1, false)]);
        let areas = raster.areas();
        assert_eq!(areas[0], Area { group: 0, waits: false, top: 0, rows: vec![(0, 2); 3] });
        let columns = areas.iter().flat_map(|area| &area.rows).map(|(first, end)| end - first);
        assert_eq!((columns.sum::<u32>(), areas.len()), (30, 5), "everything is covered once");
        assert_eq!(raster.groups(2)[1..4], [0, 2, 2]);
        assert_eq!(history.counts(), [(Cycles(0), 1), (Cycles(2), 2), (Cycles(10), 0)]);
    }
}

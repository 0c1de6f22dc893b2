//! The tables: a row for each pattern, a cell for each size.

use std::path::Path;

use meshwright_core::{Error, Result};

/// Sizes of the columns, in bytes.
pub(crate) const SIZES: [usize; 11] = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];

/// How bytes get to several peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mechanism {
    Unicast,
    Multicast,
    /// Multicasts that keep their path for the next one.
    Linked,
}

/// The cores that take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Pattern {
    OneFromOne,
    OneToOne,
    OneFromAll,
    OneToAll,
    OneToRow,
    OneToColumn,
    RowToRow,
    ColumnToColumn,
    AllToAll,
    AllFromAll,
}

use Pattern::{
    AllFromAll, AllToAll, ColumnToColumn, OneFromAll, OneFromOne, OneToAll, OneToColumn, OneToOne, OneToRow,
    RowToRow,
};

/// Patterns by their names.
const PATTERNS: [(&str, Pattern); 10] = [
    ("one_from_one", OneFromOne),
    ("one_to_one", OneToOne),
    ("one_from_all", OneFromAll),
    ("one_to_all", OneToAll),
    ("one_to_row", OneToRow),
    ("one_to_column", OneToColumn),
    ("row_to_row", RowToRow),
    ("column_to_column", ColumnToColumn),
    ("all_to_all", AllToAll),
    ("all_from_all", AllFromAll),
];

impl Pattern {
    /// Its name in the tables.
    pub(crate) fn name(self) -> &'static str {
        PATTERNS.iter().find(|(_, pattern)| *pattern == self).expect("a pattern of the list").0
    }

    /// Whether bytes are asked for.
    pub(crate) fn reads(self) -> bool {
        matches!(self, OneFromOne | OneFromAll | AllFromAll)
    }

    /// Whether several cores issue.
    pub(crate) fn has_many_masters(self) -> bool {
        matches!(self, RowToRow | ColumnToColumn | AllToAll | AllFromAll)
    }
}

/// A row: its key and its times.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// 0 for Wormhole, 1 for Blackhole.
    pub(crate) chip: usize,
    pub(crate) pattern: Pattern,
    pub(crate) dram: bool,
    pub(crate) mechanism: Mechanism,
    /// What one core issues, over all its peers.
    pub(crate) transactions: usize,
    pub(crate) peers: usize,
    pub(crate) same_axis: bool,
    pub(crate) stateful: bool,
    pub(crate) loopback: bool,
    /// Cycles by size, without what the source filled in.
    pub(crate) cycles: Vec<f64>,
    /// The line of its file.
    pub(crate) line: usize,
}

/// Reads a table.
pub(crate) fn read(path: &Path) -> Result<Vec<Row>> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
    let lines = text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(index, line)| row(index + 1, line)).collect()
}

fn row(line: usize, text: &str) -> Result<Row> {
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let wrong = |what, expected: &str| Error::value(what, format!("line {line}: {text}"), expected);
    if fields.len() != 9 + SIZES.len() {
        return Err(wrong("cells of a line", "9 of a key and 11 times"));
    }
    let number = |at: usize| fields[at].parse().map_err(|_| wrong("a number of a key", "a whole number"));
    let times = fields[9..].iter().map(|cell| cell.parse().map_err(|_| wrong("a time", "a number")));
    let mut cycles: Vec<f64> = times.collect::<Result<_>>()?;
    // The source fills the end of a row with its last measured value.
    let last = cycles[SIZES.len() - 1];
    let filled = cycles.iter().rev().take_while(|&&time| time == last).count();
    cycles.truncate(SIZES.len() + 1 - filled);
    let pattern = PATTERNS.iter().find(|(name, _)| *name == fields[1]);
    Ok(Row {
        chip: match fields[0] {
            "wormhole_b0" => 0,
            "blackhole" => 1,
            _ => return Err(wrong("architecture", "wormhole_b0 or blackhole")),
        },
        pattern: pattern.ok_or_else(|| wrong("pattern", "a pattern of the README"))?.1,
        dram: fields[2] != "l1",
        mechanism: match fields[3] {
            "unicast" => Mechanism::Unicast,
            "multicast" => Mechanism::Multicast,
            "multicast_linked" => Mechanism::Linked,
            _ => return Err(wrong("mechanism", "unicast, multicast or multicast_linked")),
        },
        transactions: number(4)?,
        peers: number(5)?,
        same_axis: fields[6] == "true",
        stateful: fields[7] == "true",
        loopback: fields[8] == "true",
        cycles,
        line,
    })
}

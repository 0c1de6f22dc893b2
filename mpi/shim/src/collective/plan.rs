//! Plans of this process: read by rank 0 of the world, told to all when MPI is initialised.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::Path;

use meshwright_core::error::{Error, Result};
use meshwright_hosts::xml;
use serde::{Deserialize, Serialize};

use super::file::File;
use super::play::{Move, Operation, Played, Way, play};

/// A plan, and for which calls it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// The file, what its algorithm is called, and what the race says of it.
    file: String,
    name: String,
    note: String,
    pub(super) operation: Operation,
    /// Whether all members that get a sum form it in the same way.
    pub(super) is_one: bool,
    /// The bytes of a call.
    pub(super) bytes: RangeInclusive<u64>,
    pub(super) chunks: u32,
    /// By member what it does.
    pub(super) parts: Vec<Part>,
}

/// What one member does: messages, and which of them wait for which.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) moves: Vec<Move>,
    /// By move, for how many earlier ones it waits: those that write what it reads, or touch what it writes.
    pub(super) waits: Vec<u32>,
    /// By move, where those that wait for it begin in the list, and the end.
    begins: Vec<u32>,
    followers: Vec<u32>,
    /// Whether its buffer is written at all.
    pub(super) writes: bool,
}

/// The most bytes of a call: counts of MPI have 31 bits.
pub(super) const BYTES_MAX: u64 = i32::MAX as u64;

/// Units of bytes.
const UNITS: [(&str, u64); 8] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("B", 1),
    ("", 1),
];

/// `FILE`, or `FILE@64KB..4MB` with one of the two left out or none.
fn entry(text: &str) -> Result<(&str, RangeInclusive<u64>)> {
    let whole = 1..=BYTES_MAX;
    let Some((file, range)) = text.rsplit_once('@') else { return Ok((text, whole)) };
    let bytes = |text: &str| {
        UNITS
            .iter()
            .find_map(|(unit, factor)| text.strip_suffix(unit)?.parse::<u64>().ok()?.checked_mul(*factor))
    };
    let end = |text: &str, usual| if text.is_empty() { Some(usual) } else { bytes(text) };
    let range = range.split_once("..").and_then(|(least, most)| Some(end(least, 1)?..=end(most, BYTES_MAX)?));
    match range.filter(|range| !range.is_empty()) {
        Some(range) => Ok((file, range)),
        None => Err(Error::value("MESHWRIGHT_PLAN", format!("`{text}`"), "FILE, or FILE@64KB..4MB")),
    }
}

/// The plans that the variable names, each read and played, or why not.
pub(super) fn read(variable: &str) -> Vec<Result<Plan>> {
    variable.split(',').filter(|entry| !entry.is_empty()).map(read_one).collect()
}

fn read_one(text: &str) -> Result<Plan> {
    let (name, bytes) = entry(text)?;
    let plan = Plan::parse(name, &xml::read(Path::new(name), "a plan")?)?;
    Ok(Plan { bytes, ..plan })
}

impl Plan {
    /// A plan from the bytes of a file, for calls of any size.
    ///
    /// # Errors
    ///
    /// As for [`File::parse`] and [`play`].
    pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<Self> {
        let read = File::parse(file, bytes)?;
        let Played { operation, is_one, moves } = play(&read)?;
        let parts = moves.into_iter().map(|moves| Part::new(moves, read.chunks)).collect();
        let (File { name, note, chunks, .. }, file) = (read, file.to_string());
        Ok(Self { file, name, note, operation, is_one, bytes: 1..=BYTES_MAX, chunks, parts })
    }

    pub(super) fn members(&self) -> usize {
        self.parts.len()
    }

    /// Whether it is for calls of this operation with so many bytes.
    pub(super) fn suits(&self, operation: Operation, bytes: u64) -> bool {
        self.operation == operation && self.bytes.contains(&bytes)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.operation {
            Operation::Broadcast(root) => format!("broadcast from rank {root}"),
            Operation::Reduce(root) => format!("reduction to rank {root}"),
            Operation::AllReduce => "all-reduce".to_string(),
        };
        let (file, name, chunks, members) = (&self.file, &self.name, self.chunks, self.members());
        let bytes = match (*self.bytes.start(), *self.bytes.end()) {
            (1, BYTES_MAX) => String::new(),
            (least, most) => format!(" of {least} to {most} bytes"),
        };
        write!(f, "{file}: {what}{bytes} by {name}, {members} ranks, {chunks} chunks")?;
        if self.note.is_empty() { Ok(()) } else { write!(f, "; {}", self.note) }
    }
}

impl Part {
    fn new(moves: Vec<Move>, chunks: u32) -> Self {
        // By chunk who wrote it last, and who has read it since.
        let mut last: Vec<(Option<u32>, Vec<u32>)> = vec![(None, Vec::new()); chunks as usize];
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for (index, own) in (0..).zip(&moves) {
            for (writer, readers) in &mut last[own.first as usize..(own.first + own.count) as usize] {
                pairs.extend(writer.map(|writer| [writer, index]));
                if own.way == Way::Send {
                    readers.push(index);
                } else {
                    pairs.extend(readers.drain(..).map(|reader| [reader, index]));
                    *writer = Some(index);
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut waits = vec![0; moves.len()];
        pairs.iter().for_each(|[_, later]| waits[*later as usize] += 1);
        let begin = |index: usize| pairs.partition_point(|[earlier, _]| (*earlier as usize) < index) as u32;
        let begins = (0..=moves.len()).map(begin).collect();
        let followers = pairs.iter().map(|[_, later]| *later).collect();
        let writes = moves.iter().any(|own| own.way != Way::Send);
        Self { moves, waits, begins, followers, writes }
    }

    /// The moves that wait for one.
    pub(super) fn followers(&self, index: usize) -> &[u32] {
        &self.followers[self.begins[index] as usize..self.begins[index + 1] as usize]
    }
}

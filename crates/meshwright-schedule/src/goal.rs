//! GOAL, the text form of schedules that LogGOPSim reads.
//!
//! ```text
//! num_ranks 2
//! rank 0 {
//!   l0: calc 100
//!   l1: send 64b to 1 tag 4
//!   l1 requires l0
//! }
//! rank 1 {
//!   recv 64b from 0 tag 4 cpu 1
//! }
//! ```
//!
//! A statement stands on one line. `requires` waits for the end of a step, `irequires` for its start. `relays`, which LogGOPSim
//! does not know, makes a send the copy that a router sends on of what a receive takes in. A step
//! may go without label, a tag left out is 0, and ranks left out do nothing. A computation runs on the processor
//! `cpu` of its rank, 0 if it names none; computations on different processors run beside each other. The `cpu` of a
//! message and every `nic` are read and mean nothing. Comments are `// …` and `/* … */`.
//!
//! | file | what |
//! |---|---|
//! | this one | ranks, and what is known only when all of them are read; writing |
//! | `rank` | the statements of one rank |
//! | `label` | the names of steps |
//!
//! # Source
//!
//! `hoefler2009`, in the text form of LogGOPSim, without its `nic`.

mod label;
mod rank;

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::Path;

use fixedbitset::FixedBitSet;

use super::{Awaits, Fault, Op, Rank, Schedule, matching};
use meshwright_core::error::{Error, Result};
use meshwright_core::text::{Place, Syntax, Tokens, printable, requote};
use meshwright_network::topology::NODES_MAX;

/// How words, comments and punctuation of GOAL look.
pub const SYNTAX: Syntax =
    Syntax { punctuation: b"{}:", line_comment: b"//", block_comments: true, by_line: true };

/// Reads a GOAL file.
///
/// # Errors
///
/// [`Error::Io`] when the system refuses the file; else as [`parse`].
pub fn read(path: &Path) -> Result<Schedule> {
    let mut tokens = Tokens::open(path, SYNTAX)?;
    schedule(&mut tokens).map_err(|error| requote(error, path, SYNTAX))
}

/// Reads GOAL text; `file_name` is what errors call it.
///
/// Every message of the result has both its ends. Whether its steps wait for each other in a circle is left
/// to [`Schedule::verify`]: that is a property of the program, not a fault of the text.
///
/// # Errors
///
/// [`Error::Parse`] for text that is not GOAL, a rank or label given twice, an unknown label, a step that
/// requires itself, a rank outside `num_ranks`, and a send or receive without partner or with one
/// of another size.
///
/// # Complexity
///
/// O(text log text).
///
/// # Examples
///
/// ```
/// use meshwright_schedule::goal;
/// let text = "num_ranks 2\nrank 0 { send 8b to 1 }\nrank 1 { recv 8b from 0 }\n";
/// let schedule = goal::parse(text.as_bytes(), "pair.goal")?;
/// assert_eq!(schedule.messages().len(), 1);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn parse(reader: impl Read, file_name: &str) -> Result<Schedule> {
    schedule(&mut Tokens::new(reader, file_name, SYNTAX))
}

/// Writes a schedule as GOAL; [`parse`] reads back the same, if [`Schedule::verify`] finds no fault.
///
/// # Errors
///
/// Those of the writer.
///
/// # Examples
///
/// ```
/// use meshwright_schedule::goal;
/// let text = "num_ranks 2\nrank 0 {\nl0: send 8b to 1 tag 0\n}\nrank 1 {\nl0: recv 8b from 0 tag 0\n}\n";
/// let mut written = Vec::new();
/// goal::write(&goal::parse(text.as_bytes(), "pair.goal")?, &mut written).expect("memory takes every write");
/// assert_eq!(String::from_utf8_lossy(&written), text);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn write(schedule: &Schedule, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "num_ranks {}", schedule.ranks.len())?;
    for (number, rank) in schedule.ranks.iter().enumerate() {
        writeln!(out, "rank {number} {{")?;
        for (step, op) in rank.ops.iter().enumerate() {
            write!(out, "l{step}: {}", op_text(op))?;
            match rank.processor(step) {
                0 => writeln!(out)?,
                processor => writeln!(out, " cpu {processor}")?,
            }
        }
        for dependency in &rank.dependencies {
            let verb = match dependency.awaits {
                Awaits::End => "requires",
                Awaits::Start => "irequires",
                Awaits::Head => "relays",
            };
            writeln!(out, "l{} {verb} l{}", dependency.step, dependency.on)?;
        }
        writeln!(out, "}}")?;
    }
    Ok(())
}

fn op_text(op: &Op) -> String {
    match op {
        Op::Send { peer, bytes, tag } => format!("send {}b to {peer} tag {tag}", bytes.0),
        Op::Recv { peer, bytes, tag } => format!("recv {}b from {peer} tag {tag}", bytes.0),
        Op::Calc { cycles } => format!("calc {}", cycles.0),
    }
}

fn schedule(tokens: &mut Tokens<'_>) -> Result<Schedule> {
    if !tokens.next_anywhere()? || tokens.word() != b"num_ranks" {
        return Err(tokens.unexpected("`num_ranks` and the number of ranks"));
    }
    let ranks = tokens.integer_u32("the number of ranks", 1..=NODES_MAX)?;
    tokens.end_line("the end of the line")?;
    let (mut reader, mut programs) = (rank::Reader::new(tokens, ranks), Vec::new());
    let mut given = FixedBitSet::with_capacity(ranks as usize);
    while reader.tokens.next_anywhere()? {
        if reader.tokens.word() != b"rank" {
            return Err(reader.tokens.unexpected("`rank` or the end of the file"));
        }
        let number = reader.tokens.integer_u32("rank", 0..=ranks - 1)?;
        if given.put(number as usize) {
            return Err(reader.tokens.error(format!("rank {number} is given twice"), "another rank"));
        }
        if !reader.tokens.next_anywhere()? || reader.tokens.word() != b"{" {
            return Err(reader.tokens.unexpected("`{`"));
        }
        programs.push((number, reader.rank(number)?));
    }
    let places = reader.places;
    assemble(tokens, ranks, programs, &places)
}

/// Puts the programs together, in the order read, and complains of the first message, by place, that lacks an end.
fn assemble(
    tokens: &Tokens<'_>,
    ranks: u32,
    programs: Vec<(u32, Rank)>,
    places: &[Place],
) -> Result<Schedule> {
    // Room for ranks that were left out is made only now that the whole text has proved right.
    let mut schedule = Schedule { ranks: vec![Rank::default(); ranks as usize] };
    let mut read = Vec::with_capacity(programs.len());
    for (number, rank) in programs {
        schedule.ranks[number as usize] = rank;
        read.push(number);
    }
    if matching::all(&schedule).is_some() {
        return Ok(schedule);
    }
    let (mut first_step, mut steps) = (BTreeMap::new(), 0);
    for number in read {
        first_step.insert(number, steps);
        steps += schedule.ranks[number as usize].ops.len();
    }
    let mut first: Option<(Place, Fault)> = None;
    matching::paired(&schedule, |fault| {
        let (rank, step) = match &fault {
            Fault::UnmatchedSend { rank, step } | Fault::UnmatchedRecv { rank, step } => (*rank, *step),
            Fault::BytesDiffer { message, .. } => (message.target, message.target_step),
            _ => return,
        };
        let place = places[first_step[&rank.0] + step as usize];
        if first.as_ref().is_none_or(|(earlier, _)| place < *earlier) {
            first = Some((place, fault));
        }
    });
    match first {
        None => Ok(schedule),
        Some((place, fault)) => Err(lonely(tokens, &schedule, place, &fault)),
    }
}

/// The error for a message that lacks an end or has two sizes.
fn lonely(tokens: &Tokens<'_>, schedule: &Schedule, place: Place, fault: &Fault) -> Error {
    let op = |rank: usize, step: u32| schedule.ranks[rank].ops[step as usize];
    let (own, message, expected) = match fault {
        Fault::BytesDiffer { message: m, received } => {
            let what =
                format!("this receives {} bytes, but rank {} sends {}", received.0, m.source, m.bytes.0);
            (op(m.target.index(), m.target_step), what, format!("{}b", m.bytes.0))
        }
        Fault::UnmatchedSend { rank, step } | Fault::UnmatchedRecv { rank, step } => {
            let own = op(rank.index(), *step);
            let (partner, peer) = match own {
                Op::Send { peer, bytes, tag } => (Op::Recv { peer: *rank, bytes, tag }, peer),
                Op::Recv { peer, bytes, tag } => (Op::Send { peer: *rank, bytes, tag }, peer),
                Op::Calc { .. } => (own, *rank),
            };
            let what = format!("`{}` has no partner in rank {peer}", op_text(&own));
            (own, what, format!("`{}` in rank {peer}", op_text(&partner)))
        }
        other => return tokens.error_at(place, "", other.to_string(), "a schedule that verifies"),
    };
    tokens.error_at(place, &op_text(&own), message, expected)
}

/// A word that may be no step, for messages.
fn quoted(word: &[u8]) -> String {
    format!("`{}`", printable(word))
}

//! Arrivals and speeds from files.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use meshwright_core::error::Result;
use meshwright_core::text::{Syntax, Tokens};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology};

const SYNTAX: Syntax = Syntax { punctuation: b",", line_comment: b"#", block_comments: false, by_line: true };

/// The most lines of a file.
const LINES_MAX: usize = 1_000_000;

/// No time, load or speed is greater.
const VALUE_MAX: u32 = 1 << 20;

/// The last column of a file of speeds.
pub const SPEED: &str = "speed";

/// A line of a file: when, in units of w Tcp, at which node, and how much or how fast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// When.
    pub time: f64,
    /// Where.
    pub node: NodeId,
    /// The last column.
    pub value: f64,
}

/// Reads `time,node,load` (arrivals) or `time,node,speed` (changes): the header, then a line for each.
///
/// # Errors
///
/// [`meshwright_core::Error::Io`] when the system refuses the file, [`meshwright_core::Error::Parse`] when a line is none.
pub fn read(path: &Path, column: &str, machine: &Machine) -> Result<Vec<Entry>> {
    entries(&mut Tokens::open(path, SYNTAX)?, column, machine)
}

/// Reads the same from anything; `file` is what errors call it.
///
/// # Errors
///
/// As for [`read`].
///
/// # Examples
///
/// ```
/// use meshwright_load::dynamic::trace;
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:2x2")?;
/// let entries = trace::parse("time,node,load\n0,1,2\n0.5,3,1\n".as_bytes(), "a.csv", "load", &mesh)?;
/// assert_eq!((entries.len(), entries[1].time, entries[1].node.0, entries[1].value), (2, 0.5, 3, 1.0));
/// let error = trace::parse("time,node,load\n0,4,2\n".as_bytes(), "a.csv", "load", &mesh).unwrap_err();
/// assert!(error.to_string().starts_with("a.csv:2:3: node is `4`"));
/// let twice = trace::parse("time,node,speed\n0,1,2\n0,1,3\n".as_bytes(), "a.csv", trace::SPEED, &mesh).unwrap_err();
/// assert!(twice.to_string().contains("the speed of node 1 at 0 stands here twice"));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn parse(reader: impl Read, file: &str, column: &str, machine: &Machine) -> Result<Vec<Entry>> {
    entries(&mut Tokens::new(reader, file, SYNTAX), column, machine)
}

fn entries(tokens: &mut Tokens<'_>, column: &str, machine: &Machine) -> Result<Vec<Entry>> {
    let expected = format!("the header `time,node,{column}`");
    for word in ["time", ",", "node", ",", column] {
        if !(tokens.next_anywhere()? && tokens.word() == word.as_bytes()) {
            return Err(tokens.unexpected(expected));
        }
    }
    tokens.end_line(&expected)?;
    let mut entries = Vec::new();
    // A node may get two loads at a time, but it has one speed.
    let mut told = (column == SPEED).then(BTreeSet::new);
    while tokens.next_anywhere()? {
        tokens.hold();
        let time = tokens.real("time", VALUE_MAX)?;
        tokens.expect(",")?;
        let node = NodeId(tokens.integer_u32("node", 0..=machine.nodes() - 1)?);
        tokens.expect(",")?;
        let value = tokens.real(column, VALUE_MAX)?;
        if told.as_mut().is_some_and(|told| !told.insert((time.to_bits(), node.0))) {
            let message = format!("the {column} of node {node} at {time} stands here twice");
            return Err(tokens.error(message, "each node once at a time"));
        }
        tokens.end_line("three fields")?;
        entries.push(Entry { time, node, value });
        if entries.len() > LINES_MAX {
            return Err(tokens.error("the file is too long", format!("at most {LINES_MAX} lines")));
        }
    }
    Ok(entries)
}

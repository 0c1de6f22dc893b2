//! A communication matrix as lines of numbers with commas between: row i, column j is what task i sends to task j.

use super::super::TaskGraph;
use super::super::task_graph::Edge;
use super::HEADER;
use meshwright_core::error::Result;
use meshwright_core::text::{ENTRIES_MAX, Tokens};
use meshwright_core::units::Bytes;
use meshwright_network::topology::NODES_MAX;
use meshwright_network::topology::costs::BYTES_MAX;

/// Reads a matrix whose first number is the next word; its messages are one phase, number 1.
pub(super) fn read(tokens: &mut Tokens<'_>, name: String) -> Result<TaskGraph> {
    let mut edges = Vec::new();
    let tasks = row(tokens, 0, None, &mut edges)?;
    for source in 1..tasks {
        if !tokens.next_anywhere()? {
            let message = format!("{source} of {tasks} rows are there");
            let expected = format!("as many rows as columns, or the header `{HEADER}` of a list of messages");
            return Err(tokens.error(message, expected));
        }
        tokens.hold();
        row(tokens, source, Some(tasks), &mut edges)?;
    }
    tokens.end_file("the last row of a square matrix")?;
    TaskGraph::new(name, tasks, edges)
}

/// Reads a row, of as many numbers as there are if nobody knows better, and tells how many.
fn row(
    tokens: &mut Tokens<'_>,
    source: u32,
    columns: Option<u32>,
    edges: &mut Vec<(u32, Edge)>,
) -> Result<u32> {
    let mut target = 0;
    loop {
        let bytes = Bytes(tokens.rounded_real("the number of bytes", BYTES_MAX)?);
        if bytes.0 > 0 && source != target {
            if edges.len() as u64 == ENTRIES_MAX {
                let message = format!("there are more than {ENTRIES_MAX} messages");
                return Err(tokens.error(message, "fewer messages"));
            }
            edges.push((1, Edge { source, target, bytes }));
        }
        target += 1;
        if !tokens.next_on_line()? {
            break;
        }
        if tokens.word() != b"," {
            return Err(tokens.unexpected("`,` or the end of the line"));
        }
        if target >= columns.unwrap_or(NODES_MAX) {
            let expected = format!("{target} numbers in a row, or the header `{HEADER}`");
            return Err(tokens.error("this row has more numbers", expected));
        }
    }
    match columns {
        Some(columns) if target < columns => {
            let message = format!("this row has {target} numbers");
            Err(tokens.error(message, format!("{columns}, as the first row has, or the header `{HEADER}`")))
        }
        _ => Ok(target),
    }
}

//! Matrix Market: `%%MatrixMarket matrix coordinate FIELD SYMMETRY`, sizes, one `row column value` per line.

use super::{Arc, ArcList, Format};
use crate::topology::NODES_MAX;
use crate::topology::costs::BYTES_MAX;
use meshwright_core::error::Result;
use meshwright_core::text::{ENTRIES_MAX, Syntax, Tokens, printable};

/// Entry (i, j) is an arc from i to j; a symmetric matrix gives both directions of each entry.
pub(super) const FORMAT: Format = Format { ending: "mtx", name: "Matrix Market", syntax: HEADER, parse };

/// The first line begins with what is a comment in the others.
const HEADER: Syntax = Syntax { punctuation: b"", line_comment: b"", block_comments: false, by_line: true };
const BODY: Syntax = Syntax { line_comment: b"%", ..HEADER };

#[derive(Clone, Copy)]
enum Field {
    Integer,
    Real,
    Pattern,
}

fn parse(tokens: &mut Tokens<'_>) -> Result<ArcList> {
    choice(tokens, &[("%%MatrixMarket", ())])?;
    choice(tokens, &[("matrix", ())])?;
    choice(tokens, &[("coordinate", ())])?;
    let field =
        choice(tokens, &[("integer", Field::Integer), ("real", Field::Real), ("pattern", Field::Pattern)])?;
    let symmetric = choice(tokens, &[("general", false), ("symmetric", true)])?;
    tokens.end_line("the end of the header")?;
    tokens.set_syntax(BODY);

    if tokens.next_anywhere()? {
        tokens.hold();
    }
    let rows = tokens.integer_u32("the number of rows", 1..=NODES_MAX)?;
    tokens.integer_u32("the number of columns (the matrix of a graph is square)", rows..=rows)?;
    let entries = tokens.integer("the number of entries", 0..=ENTRIES_MAX)?;
    tokens.end_line("three sizes: rows, columns, entries")?;

    let mut arcs = vec![];
    for read in 0..entries {
        if !tokens.next_anywhere()? {
            let message = format!("the file ends after {read} of {entries} entries");
            return Err(tokens.error(message, "a line for every entry"));
        }
        tokens.hold();
        let from = tokens.integer_u32("row", 1..=rows)? - 1;
        let to = tokens.integer_u32("column", 1..=rows)? - 1;
        let weight = match field {
            Field::Integer => tokens.integer("value", 0..=BYTES_MAX)?,
            Field::Real => tokens.rounded_real("value", BYTES_MAX)?,
            Field::Pattern => 1,
        };
        tokens.end_line("one entry per line")?;
        arcs.push(Arc { from, to, weight });
        if symmetric && from != to {
            arcs.push(Arc { from: to, to: from, weight });
        }
    }
    tokens.end_file("the last entry")?;
    Ok(ArcList { vertices: rows, arcs })
}

/// The next word of the header, in any case of letters.
fn choice<T: Copy>(tokens: &mut Tokens<'_>, choices: &[(&str, T)]) -> Result<T> {
    let found = tokens.next_on_line()?;
    if let Some((_, value)) =
        choices.iter().find(|(word, _)| tokens.word().eq_ignore_ascii_case(word.as_bytes()))
    {
        return Ok(*value);
    }
    let expected = choices.iter().map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>().join(" or ");
    let message = if found {
        format!("the header says `{}`", printable(tokens.word()))
    } else {
        "the header of a Matrix Market file is incomplete".to_owned()
    };
    Err(tokens.error(message, expected))
}

//! Pieces that must not be cut, read from a file.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use meshwright_core::error::Result;
use meshwright_core::text::{Syntax, Tokens};

const SYNTAX: Syntax = Syntax { punctuation: b",", line_comment: b"#", block_comments: false, by_line: true };

/// The largest piece, in bytes or whatever sizes count.
pub const SIZE_MAX: u64 = 1 << 40;

/// More pieces than this are a slip of the pen.
pub const PIECES_MAX: usize = 1_000_000;

/// A part of a load that one processor works off as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is called.
    pub name: String,
    /// How large it is: its bytes, or its work in any unit.
    pub size: u64,
}

/// Reads pieces: after the header `piece,size` a line for each, such as `page-7,1834`.
///
/// # Errors
///
/// [`meshwright_core::Error::Io`] when the system refuses the file; else as [`parse`].
pub fn read(path: &Path) -> Result<Vec<Piece>> {
    pieces(&mut Tokens::open(path, SYNTAX)?)
}

/// Reads the same from anything; `file` is what errors call it.
///
/// # Errors
///
/// [`meshwright_core::Error::Parse`] when the header or a line is none, a size is not from 1 to 2^40, or there are no pieces or more
/// than [`PIECES_MAX`].
///
/// # Complexity
///
/// O(file).
///
/// # Examples
///
/// ```
/// use meshwright_load::piece_file::parse;
/// let pieces = parse("piece,size\nfirst,30\nsecond,12 # the last\n".as_bytes(), "a.csv")?;
/// assert_eq!((pieces.len(), pieces[1].name.as_str(), pieces[1].size), (2, "second", 12));
/// assert!(parse("piece,size\nfirst,0\n".as_bytes(), "a.csv").is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn parse(reader: impl Read, file: &str) -> Result<Vec<Piece>> {
    pieces(&mut Tokens::new(reader, file, SYNTAX))
}

fn pieces(tokens: &mut Tokens<'_>) -> Result<Vec<Piece>> {
    const EXPECTED: &str = "the header `piece,size`, then a line such as `page-7,1834` for each piece";
    for (at, word) in ["piece", ",", "size"].into_iter().enumerate() {
        let is_there = if at == 0 { tokens.next_anywhere()? } else { tokens.next_on_line()? };
        if !(is_there && tokens.word() == word.as_bytes()) {
            return Err(tokens.unexpected(EXPECTED));
        }
    }
    tokens.end_line("the two columns `piece,size`")?;
    let (mut pieces, mut names) = (Vec::new(), BTreeSet::new());
    while tokens.next_anywhere()? {
        let name = String::from_utf8_lossy(tokens.word()).into_owned();
        if name == "," {
            return Err(tokens.unexpected("the name of a piece"));
        }
        if !names.insert(name.clone()) {
            return Err(
                tokens.error(format!("piece `{name}` stands here twice"), "a name for each of its own")
            );
        }
        tokens.expect(",")?;
        let size = tokens.integer("size", 1..=SIZE_MAX)?;
        tokens.end_line("two fields, `piece,size`")?;
        pieces.push(Piece { name, size });
        if pieces.len() > PIECES_MAX {
            return Err(tokens.error("too many pieces", format!("at most {PIECES_MAX}")));
        }
    }
    if pieces.is_empty() {
        return Err(tokens.unexpected(EXPECTED));
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn what_is_no_piece_is_refused_with_its_place() {
        for (text, place) in [
            ("", "a.csv:1:1: the file is empty"),
            ("piece,size\n", "a.csv:"),
            ("name,size\na,1\n", "a.csv:1:1: `name` cannot stand here; expected the header"),
            ("piece,size\na,0\n", "a.csv:2:3: size is `0`; expected an integer from 1 to"),
            ("piece,size\na,x\n", "a.csv:2:3:"),
            ("piece,size\n,4\n", "a.csv:2:1:"),
            ("piece,size\na,4,5\n", "a.csv:2:4:"),
            ("piece,size\na,4\nb,4\na,5\n", "a.csv:4:1: piece `a` stands here twice"),
        ] {
            let error = parse(text.as_bytes(), "a.csv").expect_err(text).to_string();
            assert!(error.starts_with(place), "{text:?}: {error}");
        }
    }
}

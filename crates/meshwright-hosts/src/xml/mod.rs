//! XML of other programs: read as a whole, within bounds, with the place of every fault.

mod scan;

use std::io::Read;
use std::ops::Range;
use std::path::Path;

use roxmltree::{Document, Node, ParsingOptions, TextPos};

use meshwright_core::error::{Error, Result};
use meshwright_core::text::{self, harmless, parse_error};

pub use scan::Limits;

/// Files are read as a whole: a host of 100,000 cores has about this size.
pub const BYTES_MAX: u64 = 1 << 28;

/// Reads a file of at most [`BYTES_MAX`] bytes; `what` names it in the error.
///
/// # Errors
///
/// [`Error::Io`] when the system refuses the file, [`Error::TooLarge`] beyond the limit.
pub fn read(path: &Path, what: &'static str) -> Result<Vec<u8>> {
    bytes(text::open(path)?, what).map_err(|error| match error {
        Error::Io { source, .. } => Error::io(path, source),
        other => other,
    })
}

/// The bytes of anything, at most [`BYTES_MAX`]; `what` names it in the error.
///
/// # Errors
///
/// [`Error::Io`] when reading fails, [`Error::TooLarge`] beyond the limit.
pub fn bytes(reader: impl Read, what: &'static str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|source| Error::io(what, source))?;
    if bytes.len() as u64 > BYTES_MAX {
        let needed = format!("more than {} MiB", BYTES_MAX >> 20);
        return Err(Error::TooLarge { what, needed, limit: format!("{} MiB", BYTES_MAX >> 20) });
    }
    Ok(bytes)
}

/// The text of a file, its name, and what errors say is expected.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    file: &'a str,
    text: &'a str,
    expected: &'static str,
}

impl<'a> Text<'a> {
    /// Takes the bytes of a file.
    ///
    /// # Errors
    ///
    /// [`Error::Parse`] when they are no UTF-8.
    pub fn new(file: &'a str, bytes: &'a [u8], expected: &'static str) -> Result<Self> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Self { file, text, expected }),
            Err(error) => {
                let at = error.valid_up_to();
                Err(parse_error(file, bytes, at..at + 1, "this is no text in UTF-8", expected).into())
            }
        }
    }

    /// The document.
    ///
    /// # Errors
    ///
    /// [`Error::Parse`] for what is no XML, for declared entities, and for what goes beyond the limits.
    ///
    /// # Complexity
    ///
    /// O(text).
    pub fn document(&self, limits: Limits) -> Result<Document<'a>> {
        scan::scan(self.text, limits).map_err(|(at, message)| self.error_at(at, message, self.expected))?;
        // Texts and comments are nodes, too.
        let nodes_limit = 4 * limits.elements_max as u32;
        let options = ParsingOptions { allow_dtd: true, nodes_limit, ..ParsingOptions::default() };
        Document::parse_with_options(self.text, options).map_err(|error| {
            let at = offset(self.text, error.pos());
            self.error_at(at..at, format!("this is no XML: {}", said(&error)), self.expected)
        })
    }

    /// The error at an element, with what would be accepted there.
    pub fn expecting(
        &self,
        element: Node<'_, '_>,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Error {
        let start = element.range().start;
        self.error_at(start..start + 1 + element.tag_name().name().len(), message, expected)
    }

    /// The error at an element.
    pub fn error(&self, element: Node<'_, '_>, message: impl Into<String>) -> Error {
        self.expecting(element, message, self.expected)
    }

    fn error_at(&self, at: Range<usize>, message: impl Into<String>, expected: impl Into<String>) -> Error {
        parse_error(self.file, self.text.as_bytes(), at, message, expected).into()
    }
}

/// What the parser says, without the place that it puts at the end.
fn said(error: &roxmltree::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at ").unwrap_or(text.len());
    harmless(&text[..end]).into_owned()
}

/// Where a line and a column, both from 1 and in characters, are in the text, in bytes.
fn offset(text: &str, place: TextPos) -> usize {
    let mut start = 0;
    for _ in 1..place.row {
        start += text[start..].find('\n').map_or(0, |newline| newline + 1);
    }
    let column = (place.col as usize).saturating_sub(1);
    text[start..].char_indices().nth(column).map_or(text.len(), |(at, _)| start + at)
}

//! The text of a scenario file, and errors that point into it.

use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::error::{Error, ParseError, Result};

/// The largest scenario accepted: longer files are no scenarios, and are not read.
pub const SCENARIO_BYTES_MAX: u64 = 16 << 20;

/// How many bytes of a long line are shown before and after the place in question.
const EXCERPT_BEFORE: usize = 60;
const EXCERPT_AFTER: usize = 100;

/// Messages quote the file, and a file may hold a word of megabytes.
const MESSAGE_BYTES_MAX: usize = 200;

/// A file that was read, with the name the user gave it.
#[derive(Debug)]
pub(super) struct Source {
    path: PathBuf,
    pub(super) text: String,
}

impl Source {
    /// Reads a file of at most [`SCENARIO_BYTES_MAX`] bytes of UTF-8.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let refused = |error| Error::io(path, error);
        let file = std::fs::File::open(path).map_err(refused)?;
        let length = file.metadata().map_err(refused)?.len();
        if length > SCENARIO_BYTES_MAX {
            return Err(too_long(path, &format!("the file has {length} bytes")));
        }
        let mut bytes = Vec::new();
        // A pipe or a device tells no length, so the limit holds for what comes out as well.
        file.take(SCENARIO_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(refused)?;
        if bytes.len() as u64 > SCENARIO_BYTES_MAX {
            return Err(too_long(path, "the file does not end"));
        }
        Self::from_bytes(path, bytes)
    }

    /// Takes the content of a file as read.
    pub(super) fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self> {
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { path: path.to_path_buf(), text }),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let source = Self { path: path.to_path_buf(), text };
                // Lossy text is the same up to the first bad byte, which became one replacement character.
                let span = at..at + char::REPLACEMENT_CHARACTER.len_utf8();
                Err(source.error(span, "this is not UTF-8", "UTF-8 text"))
            }
        }
    }

    /// The folder that paths in the file are relative to.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// An error at a span of the text; of a span over several lines, the first line is shown.
    pub(super) fn error(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Error {
        let at = boundary(&self.text, span.start);
        let line_start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let rest = &self.text[line_start..];
        let line = rest.lines().next().unwrap_or("");
        let start = (at - line_start).min(line.len());
        let end = boundary(line, span.end.saturating_sub(line_start)).max(start);
        let from = boundary(line, start.saturating_sub(EXCERPT_BEFORE));
        let to = boundary(line, start + EXCERPT_AFTER);
        ParseError {
            file: self.path.display().to_string(),
            line: self.text[..line_start].matches('\n').count() as u64 + 1,
            column: line[..start].chars().count() as u64 + 1,
            excerpt: line[from..to].to_string(),
            start: start - from,
            length: end.min(to) - start,
            message: shortened(message.into()),
            expected: expected.into(),
        }
        .into()
    }

    /// An error that something is missing at the end of the text.
    pub(super) fn error_at_end(&self, message: impl Into<String>, expected: impl Into<String>) -> Error {
        let end = self.text.trim_end().len();
        self.error(end..end, message, expected)
    }
}

/// A message that quotes a novel, without most of the novel.
fn shortened(mut message: String) -> String {
    if message.len() > MESSAGE_BYTES_MAX {
        message.truncate(boundary(&message, MESSAGE_BYTES_MAX));
        message.push('…');
    }
    message
}

/// The last place at or before `index` where a character starts, or the end of the text.
fn boundary(text: &str, index: usize) -> usize {
    (0..=index.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

/// The error for a file that is refused before it is read.
fn too_long(path: &Path, message: &str) -> Error {
    ParseError {
        file: path.display().to_string(),
        line: 1,
        column: 1,
        excerpt: String::new(),
        start: 0,
        length: 0,
        message: message.to_string(),
        expected: format!("at most {SCENARIO_BYTES_MAX} bytes"),
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, span: Range<usize>) -> (u64, u64, String, String) {
        let source = Source::from_bytes(Path::new("a.toml"), text.into()).unwrap();
        let Error::Parse(error) = source.error(span, "m", "e") else { panic!("always a parse error") };
        let marked = error.excerpt[error.start..error.start + error.length].to_string();
        (error.line, error.column, error.excerpt.clone(), marked)
    }

    #[test]
    fn errors_point_at_the_line_and_column() {
        assert_eq!(place("a = 1\nbé = 2\n", 12..13), (2, 6, "bé = 2".into(), "2".into()));
        assert_eq!(place("a = [\n1]", 4..8), (1, 5, "a = [".into(), "[".into()));
        assert_eq!(place("a\n", 2..2), (2, 1, String::new(), String::new()));
        assert_eq!(place("", 0..9), (1, 1, String::new(), String::new()));
        assert_eq!(place("a\r\nb", 1..2), (1, 2, "a".into(), String::new()));
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("{}x{}", "é".repeat(500), "ü".repeat(500));
        let (line, column, excerpt, marked) = place(&text, 1000..1001);
        assert_eq!((line, column, marked.as_str()), (1, 501, "x"));
        assert!(excerpt.len() < 200, "{}", excerpt.len());
    }

    #[test]
    fn bad_utf8_has_a_place() {
        let error = Source::from_bytes(Path::new("a.toml"), b"a = 1\nb = \"\xff\"".to_vec()).unwrap_err();
        assert_eq!(error.to_string(), "a.toml:2:6: this is not UTF-8; expected UTF-8 text");
    }
}

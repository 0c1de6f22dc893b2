//! The text of a scenario file, and errors that point into it.

use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use meshwright_core::error::{Error, Result};
use meshwright_core::text::{self, parse_error};

/// The largest scenario accepted: longer files are no scenarios, and are not read.
pub const SCENARIO_BYTES_MAX: u64 = 16 << 20;

/// Messages quote the file, and a file may hold a word of megabytes.
const MESSAGE_CHARACTERS_MAX: usize = 200;

/// A file that was read, with the name the user gave it.
#[derive(Debug)]
pub(crate) struct ScenarioText {
    pub(super) path: PathBuf,
    pub(crate) text: String,
}

impl ScenarioText {
    /// Reads a file of at most [`SCENARIO_BYTES_MAX`] bytes of UTF-8.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let refused = |error| Error::io(path, error);
        let file = text::open(path)?;
        let length = file.length().map_err(refused)?;
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
    pub(crate) fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self> {
        match String::from_utf8(bytes) {
            // The mark that some programs put before UTF-8 text says nothing, and would shift the columns.
            Ok(text) if text.starts_with('\u{feff}') => {
                Ok(Self { path: path.to_path_buf(), text: text['\u{feff}'.len_utf8()..].to_string() })
            }
            Ok(text) => Ok(Self { path: path.to_path_buf(), text }),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let (file, message) = (path.display().to_string(), "this is not UTF-8");
                Err(parse_error(file, error.as_bytes(), at..at + 1, message, "UTF-8 text").into())
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
        let (file, text) = (self.path.display().to_string(), self.text.as_bytes());
        let span = span.start.min(text.len())..span.end;
        parse_error(file, text, span, shortened(message.into()), expected).into()
    }

    /// An error that something is missing at the end of the text.
    pub(super) fn error_at_end(&self, message: impl Into<String>, expected: impl Into<String>) -> Error {
        let end = self.text.trim_end().len();
        self.error(end..end, message, expected)
    }
}

/// A message that quotes a novel, without most of the novel.
fn shortened(message: String) -> String {
    match message.char_indices().nth(MESSAGE_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message,
    }
}

/// The error for a file that is refused before it is read.
fn too_long(path: &Path, message: &str) -> Error {
    let expected = format!("at most {SCENARIO_BYTES_MAX} bytes");
    parse_error(path.display().to_string(), b"", 0..0, message, expected).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, span: Range<usize>) -> (u64, u64, String, String) {
        let source = ScenarioText::from_bytes(Path::new("a.toml"), text.into()).unwrap();
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
    fn a_byte_order_mark_is_no_column() {
        let source = ScenarioText::from_bytes(Path::new("a.toml"), "\u{feff}a = x".into()).unwrap();
        let error = source.error(4..5, "m", "e").to_string();
        assert_eq!((source.text.as_str(), error.as_str()), ("a = x", "a.toml:1:5: m; expected e"));
    }

    #[test]
    fn bad_utf8_has_a_place() {
        let error =
            ScenarioText::from_bytes(Path::new("a.toml"), b"a = 1\nb = \"\xff\"".to_vec()).unwrap_err();
        assert_eq!(error.to_string(), "a.toml:2:6: this is not UTF-8; expected UTF-8 text");
    }
}

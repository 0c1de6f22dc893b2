//! Text files as a stream of words with their places, in bounded memory whatever stands in them.
//!
//! Every reader of the program takes its words from [`Tokens`], so that each complaint about a file has the
//! same form: line, column, the offending text in its line, and what would be accepted.
//!
//! | file | what |
//! |---|---|
//! | this one | [`Tokens`]: from word to word |
//! | `numbers` | numbers and fixed words |
//! | `gaps` | blanks and comments, none of them endless |
//! | `buffer` | the part of the file that is in memory |
//! | `excerpt` | the part of a line that an error shows |
//! | `nearest` | did you mean |
//! | `shown` | text from outside, made safe for a terminal, a page and JSON |
//! | `again` | files read once more, for a fault noticed late |
//! | `input` | files, standard input and bytes in memory by their names |

mod again;
mod buffer;
mod excerpt;
mod gaps;
mod input;
mod nearest;
mod numbers;
mod observed;
mod shown;

use std::fs::File;
use std::io::Read;
use std::path::Path;

pub use again::{error_where, requote};
pub use excerpt::parse_error;
pub use input::{
    Input, Provided, Provisions, STANDARD_INPUT, STANDARD_INPUT_MAX, ending, provide, provisions, read_as,
};
pub use nearest::{did_you_mean, nearest};
pub use observed::on_open;
pub use shown::{harmless, harmless_lines, json, one_line, printable};

use crate::error::{Error, ParseError, Result};

/// The longest word accepted, in bytes; longer ones are not text.
pub const WORD_MAX: usize = 256;
/// The longest run of blanks and comment within one line, in bytes.
pub const BLANK_MAX: usize = 1 << 14;
/// The longest run of lines without a word.
pub const EMPTY_LINES_MAX: u32 = 1 << 20;
/// The most entries (arcs, messages, steps) read from one file: what fits into a few GiB.
pub const ENTRIES_MAX: u64 = 1 << 27;

/// How a format separates its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Syntax {
    /// Bytes that are words of their own, such as the comma.
    pub punctuation: &'static [u8],
    /// What begins a comment that ends with its line; empty for none.
    pub line_comment: &'static [u8],
    /// Whether `/* … */` is a comment.
    pub block_comments: bool,
    /// Whether an entry ends with its line, or may go on in the next.
    pub by_line: bool,
}

/// Where a word begins; both numbers stop at 4 294 967 295.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// A word: where it stands in the buffer and in the file.
#[derive(Clone, Copy)]
struct Word {
    start: usize,
    end: usize,
    /// Where its line begins in the buffer, or 0 when that has left the buffer.
    line_start: usize,
    place: Place,
}

/// The words of a file, one after another.
///
/// # Examples
///
/// ```
/// use meshwright_core::text::{Syntax, Tokens};
/// let syntax = Syntax { punctuation: b",", line_comment: b"%", block_comments: false, by_line: true };
/// let mut tokens = Tokens::new("7,x % two words\n".as_bytes(), "a.csv", syntax);
/// assert_eq!(tokens.integer("task", 0..=9)?, 7);
/// tokens.expect(",")?;
/// let error = tokens.integer("bytes", 0..=9).unwrap_err();
/// assert_eq!(error.to_string(), "a.csv:1:3: bytes is `x`; expected an integer from 0 to 9");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub struct Tokens<'a> {
    reader: Box<dyn Read + 'a>,
    file: String,
    syntax: Syntax,
    /// The bytes read and not yet forgotten: a little context, the word, what lies ahead.
    buffer: Vec<u8>,
    /// The next byte, as an index into the buffer.
    at: usize,
    at_place: Place,
    line_start: usize,
    ended: bool,
    word: Word,
    held: bool,
}

impl Tokens<'static> {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the system refuses it.
    pub fn open(path: &Path, syntax: Syntax) -> Result<Self> {
        Ok(Self::new(open(path)?, path.display().to_string(), syntax))
    }
}

/// Opens what is to be read: bytes that [`provide`] was given under this name, standard input for `-`, else a file.
///
/// # Errors
///
/// [`Error::TooLarge`] for a standard input of more than [`STANDARD_INPUT_MAX`] bytes; [`Error::Io`] when the system refuses
/// it, and for a named pipe: to open one waits for somebody to write,
/// perhaps for ever. `/dev/stdin` and the pipes of a shell under `/dev/fd` are open already.
#[expect(clippy::disallowed_methods, reason = "this is where files are opened")]
pub fn open(path: &Path) -> Result<Input> {
    observed::opened(path);
    if let Some(input) = input::in_memory(path)? {
        return Ok(input);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let pipe = path.metadata().is_ok_and(|metadata| metadata.file_type().is_fifo());
        if pipe && !["/dev", "/proc"].iter().any(|folder| path.starts_with(folder)) {
            return Err(Error::io(path, std::io::Error::other("this is a named pipe, not a file")));
        }
    }
    File::open(path).map(Input::File).map_err(|source| Error::io(path, source))
}

impl<'a> Tokens<'a> {
    /// The words of anything that can be read, under the file name that errors are to carry.
    pub fn new(reader: impl Read + 'a, file: impl Into<String>, syntax: Syntax) -> Self {
        let place = Place { line: 1, column: 1 };
        let word = Word { start: 0, end: 0, line_start: 0, place };
        Self {
            reader: Box::new(reader),
            file: file.into(),
            syntax,
            buffer: vec![],
            at: 0,
            at_place: place,
            line_start: 0,
            ended: false,
            word,
            held: false,
        }
    }

    /// The file's name.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Goes on with other rules, for formats whose first line differs from the rest.
    pub fn set_syntax(&mut self, syntax: Syntax) {
        self.syntax = syntax;
    }

    /// The word the last step led to; empty when there was none.
    pub fn word(&self) -> &[u8] {
        &self.buffer[self.word.start..self.word.end]
    }

    /// Where that word begins.
    pub fn place(&self) -> Place {
        self.word.place
    }

    /// Makes the next step lead to the same word again.
    pub fn hold(&mut self) {
        self.held = true;
    }

    /// Steps to the next word on any line; false at the end of the file.
    ///
    /// # Errors
    ///
    /// As [`Tokens::next_on_line`].
    pub fn next_anywhere(&mut self) -> Result<bool> {
        let mut lines = 0;
        while !self.next_on_line()? {
            if self.peek(0)?.is_none() {
                return Ok(false);
            }
            self.step();
            lines += 1;
            if lines > EMPTY_LINES_MAX {
                return Err(self.error("there is no word in a million lines", "an end of the file"));
            }
        }
        Ok(true)
    }

    /// Steps to the next word on this line; false, and nothing beyond is read, at the end of the line.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when reading fails; [`Error::Parse`] for a word longer than [`WORD_MAX`] or a gap
    /// longer than [`BLANK_MAX`].
    pub fn next_on_line(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.held) {
            return Ok(self.word.start < self.word.end);
        }
        self.skip_blanks()?;
        self.begin_word();
        let Some(first) = self.peek(0)? else { return Ok(false) };
        if first == b'\n' {
            return Ok(false);
        }
        self.grow_word();
        if self.syntax.punctuation.contains(&first) {
            return Ok(true);
        }
        while let Some(byte) = self.peek(0)? {
            // Most bytes are letters and digits, which separate nothing in any format.
            if !byte.is_ascii_alphanumeric()
                && (is_blank(byte) || self.syntax.punctuation.contains(&byte) || self.comment_begins()?)
            {
                break;
            }
            self.grow_word();
            if self.word.end - self.word.start > WORD_MAX {
                let message = format!("a word is longer than {WORD_MAX} bytes");
                return Err(self.error(message, "a text file"));
            }
        }
        Ok(true)
    }

    /// Steps to the next word of the entry: on this line if the syntax says so, else on any.
    ///
    /// # Errors
    ///
    /// As [`Tokens::next_on_line`].
    pub fn next_word(&mut self) -> Result<bool> {
        if self.syntax.by_line { self.next_on_line() } else { self.next_anywhere() }
    }

    /// Ends the line: no further word may stand on it.
    ///
    /// # Errors
    ///
    /// [`Error::Parse`] when there is one.
    pub fn end_line(&mut self, expected: &str) -> Result<()> {
        if self.next_on_line()? {
            let message = format!("`{}` is too much on this line", printable(self.word()));
            return Err(self.error(message, expected));
        }
        if self.peek(0)?.is_some() {
            self.step();
        }
        Ok(())
    }

    /// Ends the file: only blanks and comments may follow.
    ///
    /// # Errors
    ///
    /// [`Error::Parse`] when more follows.
    pub fn end_file(&mut self, after: &str) -> Result<()> {
        if self.next_anywhere()? {
            let message = format!("`{}` follows {after}", printable(self.word()));
            return Err(self.error(message, "the end of the file"));
        }
        Ok(())
    }

    /// An error at the current word, or at the place where a word is missing.
    pub fn error(&mut self, message: impl Into<String>, expected: impl Into<String>) -> Error {
        // What follows on the line belongs to the excerpt; a failure to read it changes nothing.
        while self.buffer.len() < self.word.end + excerpt::WIDTH && self.fill().unwrap_or(false) {}
        let shown = excerpt::cut(&self.buffer, self.word.line_start, self.word.start, self.word.end);
        self.parse_error(self.word.place, shown, message.into(), expected.into())
    }

    /// An error at an earlier place, of which only the text `shown` is still known.
    ///
    /// [`requote`] finds the line again when the file can be read twice.
    pub fn error_at(
        &self,
        place: Place,
        shown: &str,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Error {
        let shown = self
            .find_on_line(place, shown.as_bytes())
            .unwrap_or_else(|| excerpt::cut(shown.as_bytes(), 0, 0, shown.len()));
        self.parse_error(place, shown, message.into(), expected.into())
    }

    fn parse_error(&self, place: Place, shown: excerpt::Excerpt, message: String, expected: String) -> Error {
        let excerpt::Excerpt { text: excerpt, start, length } = shown;
        let (line, column) = (u64::from(place.line), u64::from(place.column));
        ParseError { file: self.file.clone(), line, column, excerpt, start, length, message, expected }.into()
    }

    /// The excerpt around an earlier word, if it stands on the line of the current one.
    fn find_on_line(&self, place: Place, shown: &[u8]) -> Option<excerpt::Excerpt> {
        if place.line != self.word.place.line {
            return None;
        }
        let line = &self.buffer[self.word.line_start..];
        let mut characters = (0..line.len()).filter(|&i| line[i] & 0xC0 != 0x80);
        let start = self.word.line_start + characters.nth(place.column as usize - 1)?;
        let found = self.buffer[start..].starts_with(shown);
        found.then(|| excerpt::cut(&self.buffer, self.word.line_start, start, start + shown.len()))
    }

    fn begin_word(&mut self) {
        self.word = Word { start: self.at, end: self.at, line_start: self.line_start, place: self.at_place };
    }

    fn grow_word(&mut self) {
        self.step();
        self.word.end = self.at;
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0B | 0x0C)
}

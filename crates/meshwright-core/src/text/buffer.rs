//! The window of the file that is kept in memory: a little behind the word, a chunk ahead.

use std::io::ErrorKind;

use super::{Place, Tokens, excerpt};
use crate::error::{Error, Result};

/// How much is read at a time; also what is read beyond a fault.
const CHUNK: usize = 1 << 13;

impl Tokens<'_> {
    /// The byte `ahead` bytes from here, or `None` beyond the end of the file.
    pub(super) fn peek(&mut self, ahead: usize) -> Result<Option<u8>> {
        while self.at + ahead >= self.buffer.len() {
            if !self.fill()? {
                return Ok(None);
            }
        }
        Ok(Some(self.buffer[self.at + ahead]))
    }

    /// Goes one byte on; a byte must have been seen by `peek`, at the end of the file nothing happens.
    pub(super) fn step(&mut self) {
        let Some(&byte) = self.buffer.get(self.at) else { return };
        self.at += 1;
        if byte == b'\n' {
            self.line_start = self.at;
            self.at_place = Place { line: self.at_place.line.saturating_add(1), column: 1 };
        } else if byte & 0xC0 != 0x80 {
            // Bytes 10xxxxxx continue a character of UTF-8.
            self.at_place.column = self.at_place.column.saturating_add(1);
        }
    }

    /// Reads a chunk more and forgets what is far behind; false at the end of the file.
    pub(super) fn fill(&mut self) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        let forget = self.word.start.min(self.at).saturating_sub(excerpt::WIDTH);
        self.buffer.drain(..forget);
        self.at -= forget;
        self.word.start -= forget;
        self.word.end -= forget;
        self.word.line_start = self.word.line_start.saturating_sub(forget);
        self.line_start = self.line_start.saturating_sub(forget);
        let filled = self.buffer.len();
        self.buffer.resize(filled + CHUNK, 0);
        let read = loop {
            match self.reader.read(&mut self.buffer[filled..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        self.buffer.truncate(filled + *read.as_ref().unwrap_or(&0));
        let read = read.map_err(|source| Error::io(&self.file, source))?;
        self.ended = read == 0;
        if filled == 0 && self.buffer.starts_with("\u{feff}".as_bytes()) {
            // The mark that some programs put before UTF-8 text says nothing.
            self.buffer.drain(..3);
        }
        Ok(!self.ended)
    }
}

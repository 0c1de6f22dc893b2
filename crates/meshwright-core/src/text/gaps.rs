//! Gaps between words: blanks and comments, none of them endless.

use super::{BLANK_MAX, EMPTY_LINES_MAX, Tokens, is_blank};
use crate::error::Result;

impl Tokens<'_> {
    /// Passes over whole lines of comment; a blank line is none. False at the end of the file.
    ///
    /// # Errors
    ///
    /// As [`Tokens::next_on_line`].
    pub fn skip_comment_lines(&mut self) -> Result<bool> {
        for _ in 0..EMPTY_LINES_MAX {
            self.begin_word();
            while self.peek(0)?.is_some_and(|byte| byte != b'\n' && is_blank(byte)) {
                self.step();
                self.check_gap()?;
            }
            if !self.comment_begins()? {
                self.begin_word();
                return Ok(self.peek(0)?.is_some());
            }
            self.skip_blanks()?;
            self.step();
        }
        Err(self.error("there are a million lines of comment", "an entry"))
    }

    /// Whether a comment starts at the next byte.
    pub(super) fn comment_begins(&mut self) -> Result<bool> {
        Ok(self.starts_with(self.syntax.line_comment)?
            || self.syntax.block_comments && self.starts_with(b"/*")?)
    }

    fn starts_with(&mut self, text: &[u8]) -> Result<bool> {
        for (i, byte) in text.iter().enumerate() {
            if self.peek(i)? != Some(*byte) {
                return Ok(false);
            }
        }
        Ok(!text.is_empty())
    }

    /// Passes over blanks and comments up to a word, the end of the line or of the file.
    pub(super) fn skip_blanks(&mut self) -> Result<()> {
        self.begin_word();
        let mut lines = 0;
        while let Some(byte) = self.peek(0)? {
            if byte != b'\n' && is_blank(byte) {
                self.step();
            } else if self.starts_with(self.syntax.line_comment)? {
                while self.peek(0)?.is_some_and(|byte| byte != b'\n') {
                    self.step();
                    self.check_gap()?;
                }
            } else if self.syntax.block_comments && self.starts_with(b"/*")? {
                self.skip_block(&mut lines)?;
            } else {
                return Ok(());
            }
            self.check_gap()?;
        }
        Ok(())
    }

    fn skip_block(&mut self, lines: &mut u32) -> Result<()> {
        let place = self.at_place;
        self.step();
        self.step();
        while !self.starts_with(b"*/")? {
            let Some(byte) = self.peek(0)? else {
                let message = "a comment has no end";
                return Err(self.error_at(place, "/*", message, "`*/` before the end of the file"));
            };
            self.step();
            if byte == b'\n' {
                self.begin_word();
                *lines += 1;
            }
            if *lines > EMPTY_LINES_MAX {
                return Err(self.error_at(place, "/*", "a comment has a million lines", "`*/`"));
            }
            self.check_gap()?;
        }
        self.step();
        self.step();
        Ok(())
    }

    /// Refuses a gap, from the last `begin_word` to here, that is too long.
    fn check_gap(&mut self) -> Result<()> {
        if self.at - self.word.start > BLANK_MAX {
            self.begin_word();
            let message = format!("blanks or a comment go on for more than {BLANK_MAX} bytes");
            return Err(self.error(message, "a text file"));
        }
        Ok(())
    }
}

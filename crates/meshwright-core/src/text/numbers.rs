//! Numbers and fixed words, each with the one error that says what would be accepted.

use std::ops::RangeInclusive;

use super::{Place, Tokens, printable};
use crate::error::{Error, Result};

/// Said of a file in which nothing stands.
const EMPTY_FILE: &str = "the file is empty";

impl Tokens<'_> {
    /// The next word as an integer: decimal digits only.
    ///
    /// # Errors
    ///
    /// [`Error::Parse`] when the word is missing, is no integer or lies outside the range.
    pub fn integer(&mut self, name: &str, range: RangeInclusive<u64>) -> Result<u64> {
        let expected = || match (range.start(), range.end()) {
            (least, most) if least == most => format!("{least}"),
            (least, most) => format!("an integer from {least} to {most}"),
        };
        if !self.next_word()? {
            return Err(self.missing(name, expected()));
        }
        match parse_integer(self.word()) {
            Some(value) if range.contains(&value) => Ok(value),
            _ => Err(self.unfit(name, expected())),
        }
    }

    /// The next word as an integer with its unit attached, such as `64b`.
    ///
    /// # Errors
    ///
    /// As [`Tokens::integer`].
    pub fn integer_with_unit(&mut self, name: &str, unit: &[u8], range: RangeInclusive<u64>) -> Result<u64> {
        let (from, to, shown) = (range.start(), range.end(), printable(unit));
        let expected = format!("an integer with its unit, from {from}{shown} to {to}{shown}");
        if !self.next_word()? {
            return Err(self.missing(name, expected));
        }
        match self.word().strip_suffix(unit).and_then(parse_integer) {
            Some(value) if range.contains(&value) => Ok(value),
            _ => Err(self.unfit(name, expected)),
        }
    }

    /// The next word as an integer of 32 bits.
    ///
    /// # Errors
    ///
    /// As [`Tokens::integer`].
    pub fn integer_u32(&mut self, name: &str, range: RangeInclusive<u32>) -> Result<u32> {
        let range = u64::from(*range.start())..=u64::from(*range.end());
        Ok(u32::try_from(self.integer(name, range)?).expect("the range ends within 32 bits"))
    }

    /// The next word as a non-negative real number, rounded to the nearest integer.
    ///
    /// # Errors
    ///
    /// [`Error::Parse`] when the word is missing, is no finite number (`inf` and `1e400` are none), is
    /// negative or greater than `max`.
    pub fn rounded_real(&mut self, name: &str, max: u64) -> Result<u64> {
        let expected = || format!("a real number from 0 to {max}");
        if !self.next_word()? {
            return Err(self.missing(name, expected()));
        }
        match parse_real(self.word()) {
            // Saturates; every limit of this program is far below 2^53, where doubles are exact.
            Some(value) if value >= 0.0 && value <= max as f64 => Ok(value.round() as u64),
            _ => Err(self.unfit(name, expected())),
        }
    }

    /// The next word as a real number from 0 to `max`; `inf` is one, too.
    ///
    /// # Errors
    ///
    /// [`Error::Parse`] when the word is missing, is no number, is negative or greater than `max`.
    pub fn real_or_infinite(&mut self, name: &str, max: u32) -> Result<f64> {
        self.real_of(name, max, true)
    }

    /// The next word as a real number from 0 to `max`.
    ///
    /// # Errors
    ///
    /// As for [`Tokens::real_or_infinite`]; also for `inf`.
    pub fn real(&mut self, name: &str, max: u32) -> Result<f64> {
        self.real_of(name, max, false)
    }

    fn real_of(&mut self, name: &str, max: u32, or_infinite: bool) -> Result<f64> {
        let expected =
            || format!("a real number from 0 to {max}{}", if or_infinite { ", or inf" } else { "" });
        if !self.next_word()? {
            return Err(self.missing(name, expected()));
        }
        if or_infinite && self.word() == b"inf" {
            return Ok(f64::INFINITY);
        }
        let value = parse_real(self.word()).filter(|value| (0.0..=f64::from(max)).contains(value));
        value.ok_or_else(|| self.unfit(name, expected()))
    }

    /// The next word, which must be this one.
    ///
    /// # Errors
    ///
    /// [`Error::Parse`] when it is another or missing.
    pub fn expect(&mut self, wanted: &str) -> Result<()> {
        if self.next_word()? && self.word() == wanted.as_bytes() {
            return Ok(());
        }
        Err(self.unexpected(format!("`{wanted}`")))
    }

    /// The error that the current word cannot stand where it stands.
    pub fn unexpected(&mut self, expected: impl Into<String>) -> Error {
        let message = match self.word() {
            [] => self.nothing().to_owned(),
            word => format!("`{}` cannot stand here", printable(word)),
        };
        self.error(message, expected)
    }

    /// The error that a named entry is missing here.
    pub fn missing(&mut self, name: &str, expected: impl Into<String>) -> Error {
        let message = match self.nothing() {
            EMPTY_FILE => EMPTY_FILE.to_owned(),
            _ => format!("{name} is missing"),
        };
        self.error(message, expected)
    }

    /// What there is where a word should be.
    fn nothing(&mut self) -> &'static str {
        // A failure to read on is told by whoever reads on.
        let ended = self.peek(0).unwrap_or(None).is_none();
        match (ended, self.word.place) {
            (true, Place { line: 1, column: 1 }) => EMPTY_FILE,
            (true, _) => "the file ends here",
            (false, _) => "the line ends here",
        }
    }

    fn unfit(&mut self, name: &str, expected: String) -> Error {
        let message = format!("{name} is `{}`", printable(self.word()));
        self.error(message, expected)
    }
}

/// Decimal digits as a number; `None` for anything else and beyond 64 bits.
fn parse_integer(word: &[u8]) -> Option<u64> {
    if word.is_empty() || !word.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// A finite number in digits; the words `inf` and `nan`, which Rust would read, are none.
fn parse_real(word: &[u8]) -> Option<f64> {
    if !word.iter().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte)) {
        return None;
    }
    let value: f64 = std::str::from_utf8(word).ok()?.parse().ok()?;
    value.is_finite().then_some(value)
}

//! The part of a line that an error shows, made safe for a terminal.

use std::ops::Range;

use super::shown::escape;
use crate::error::ParseError;

/// The most bytes an excerpt holds.
pub(super) const WIDTH: usize = 160;

/// What is shown of a line, with the offending text marked in it.
pub(super) struct Excerpt {
    pub(super) text: String,
    pub(super) start: usize,
    pub(super) length: usize,
}

/// The line around `start..end` of the buffer, or as much of it as fits into [`WIDTH`] bytes.
pub(super) fn cut(buffer: &[u8], line_start: usize, start: usize, end: usize) -> Excerpt {
    let mut from = line_start.max(start.saturating_sub(WIDTH));
    // Half a character at the cut would be shown as garbage.
    while from > line_start && from < start && buffer[from] & 0xC0 == 0x80 {
        from += 1;
    }
    let rest = &buffer[end..buffer.len().min(end + WIDTH)];
    let line_end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    let before = escape(&buffer[from..start]);
    let word = escape(&buffer[start..end]);
    let after = escape(rest[..line_end].trim_ascii_end());

    let word = head(&word, WIDTH / 2);
    let room = WIDTH - word.len();
    let before = tail(&before, room - after.len().min(room / 2));
    let after = head(&after, room - before.len());
    Excerpt { text: format!("{before}{word}{after}"), start: before.len(), length: word.len() }
}

/// The first characters, at most `bytes` bytes.
fn head(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The last characters, at most `bytes` bytes.
fn tail(text: &str, bytes: usize) -> &str {
    let mut start = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// The error at a span of a text that is in memory as a whole; of several lines, it shows the first.
///
/// # Panics
///
/// When the span begins after the end of the text.
///
/// # Examples
///
/// ```
/// let error = meshwright_core::text::parse_error("a.toml", b"a = 1\nb = x\n", 10..11, "b is `x`", "a number");
/// assert_eq!(error.to_string(), "a.toml:2:5: b is `x`; expected a number");
/// assert_eq!((error.excerpt.as_str(), error.start, error.length), ("b = x", 4, 1));
/// ```
pub fn parse_error(
    file: impl Into<String>,
    text: &[u8],
    span: Range<usize>,
    message: impl Into<String>,
    expected: impl Into<String>,
) -> ParseError {
    let (before, after) = text.split_at(span.start);
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let line = &after[..after.iter().position(|&byte| byte == b'\n').unwrap_or(after.len())];
    let end = span.end.clamp(span.start, span.start + line.trim_ascii_end().len());
    let excerpt = cut(text, line_start, span.start, end);
    ParseError {
        file: file.into(),
        line: before.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1,
        column: String::from_utf8_lossy(&before[line_start..]).chars().count() as u64 + 1,
        excerpt: excerpt.text,
        start: excerpt.start,
        length: excerpt.length,
        message: message.into(),
        expected: expected.into(),
    }
}

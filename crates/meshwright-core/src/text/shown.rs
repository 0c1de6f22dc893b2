//! Text from outside on its way out: names of jobs, tasks, files and hosts hold no order for whoever shows them.
//!
//! A terminal obeys control characters; a terminal, a browser and an editor turn the reading direction or hide text where
//! format characters say so. Every table, page, drawing and message passes here, where both are spelled out, such as
//! `\u{1b}`. JSON keeps the text, and writes them as `\u001b`.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use crate::error::{Error, Result};

/// How many characters [`printable`] shows.
const SHOWN_MAX: usize = 40;

/// Whether a character is an order, not a sign: C0, C1, DEL, what turns the reading direction, what is not seen.
///
/// # Source
///
/// Unicode 16, the general categories Cc, Cf, Zl and Zp, without the signs of Arabic, Kaithi, hieroglyphs, shorthand and
/// music, which are seen.
fn is_order(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{fffe}'
            | '\u{ffff}'
            | '\u{e0000}'..='\u{e007f}')
}

/// Text of unknown origin as a terminal may show it: at most 40 characters, none of them an order.
///
/// ```
/// use meshwright_core::text::printable;
/// assert_eq!(printable(b"\x1b[31mred"), "\\u{1b}[31mred");
/// ```
pub fn printable(bytes: &[u8]) -> String {
    let text = escape(bytes);
    match text.char_indices().nth(SHOWN_MAX) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

/// A text of one line with every order spelled out, line ends too; a tab becomes a blank.
///
/// ```
/// use meshwright_core::text::harmless;
/// assert_eq!(harmless("no\nfile\u{7}"), "no\\u{a}file\\u{7}");
/// assert_eq!(harmless("\u{202e}txt.exe"), "\\u{202e}txt.exe");
/// ```
pub fn harmless(text: &str) -> Cow<'_, str> {
    spelled_out(text, is_order)
}

/// A text of several lines with every order but the line ends spelled out; a tab becomes a blank.
///
/// ```
/// use meshwright_core::text::harmless_lines;
/// assert_eq!(harmless_lines("one\ntwo\u{9b}2J\n"), "one\ntwo\\u{9b}2J\n");
/// ```
pub fn harmless_lines(text: &str) -> Cow<'_, str> {
    spelled_out(text, |c| c != '\n' && is_order(c))
}

/// Lossy text of one line with every order spelled out.
pub(super) fn escape(bytes: &[u8]) -> String {
    harmless(&String::from_utf8_lossy(bytes)).into_owned()
}

fn spelled_out(text: &str, is_order: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_order) {
        return Cow::Borrowed(text);
    }
    let mut harmless = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\t' => harmless.push(' '),
            c if is_order(c) => harmless.extend(c.escape_unicode()),
            c => harmless.push(c),
        }
    }
    Cow::Owned(harmless)
}

/// A name from outside that stands in tables and headlines: a line end in it could pass for a line of ours.
///
/// # Errors
///
/// [`Error::Value`] when it has one.
///
/// # Examples
///
/// ```
/// use meshwright_core::text::one_line;
/// assert_eq!(one_line("name", "merge sort")?, "merge sort");
/// assert!(one_line("name", "merge\n* sort wins").is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn one_line<'t>(what: &'static str, text: &'t str) -> Result<&'t str> {
    match text.contains('\n') {
        true => Err(Error::value(what, format!("`{}`", printable(text.as_bytes())), "a name of one line")),
        false => Ok(text),
    }
}

/// A value as JSON in one line, in which no order stands raw: whoever reads the JSON has the text as it was.
///
/// # Panics
///
/// When a map has keys that are no strings, or a value cannot be serialised: reports have none.
///
/// # Examples
///
/// ```
/// let name = "a\u{1b}[31m\u{202e}b";
/// let json = meshwright_core::text::json(&name);
/// assert_eq!(json, r#""a\u001b[31m\u202eb""#);
/// assert_eq!(serde_json::from_str::<String>(&json).unwrap(), name);
/// ```
pub fn json(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, Harmless);
    value.serialize(&mut serializer).expect("reports have string keys and serialisable values");
    String::from_utf8(text).expect("the formatter writes text")
}

/// JSON without blanks; orders are written by their numbers.
struct Harmless;

impl Formatter for Harmless {
    fn write_string_fragment<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if !fragment.chars().any(is_order) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut text = String::with_capacity(fragment.len() + 16);
        for c in fragment.chars() {
            if is_order(c) {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(text, "\\u{unit:04x}").expect("writing to a string cannot fail");
                }
            } else {
                text.push(c);
            }
        }
        writer.write_all(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::{harmless, harmless_lines, is_order, json};

    /// R3: of all characters, none that is an order is left, and JSON gives each of them back.
    #[test]
    fn no_order_is_left_in_any_text() {
        let all: String = ('\0'..=char::MAX).collect();
        assert!(!harmless(&all).chars().any(is_order));
        assert!(!harmless_lines(&all).chars().any(|c| c != '\n' && is_order(c)));
        let text = json(&all);
        assert!(!text.chars().any(is_order));
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), all);
    }

    /// R3: the characters that the issue names, one by one.
    #[test]
    fn orders_are_known() {
        let orders = ('\0'..='\u{1f}').chain('\u{7f}'..='\u{9f}').chain('\u{202a}'..='\u{202e}');
        let orders = orders.chain('\u{2066}'..='\u{2069}').chain(['\u{200e}', '\u{200f}', '\u{61c}']);
        for order in orders.chain(['\u{feff}', '\u{2028}', '\u{e0041}']) {
            assert!(is_order(order), "{order:?}");
        }
        for sign in ['a', 'ä', '→', '·', '\u{202f}', '\u{a0}', '×', '😀', '\u{fffd}'] {
            assert!(!is_order(sign), "{sign:?}");
        }
    }
}

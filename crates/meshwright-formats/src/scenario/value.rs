//! Walking a TOML document: each value knows where it stands, each error points there.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::elsewhere;
use super::source::ScenarioText;
use meshwright_core::error::{Error, Result};
use meshwright_core::text::nearest;
use meshwright_core::text::one_line;
use meshwright_core::words::quoted;
use meshwright_core::{find_or, unknown};

/// A table with its name as the user writes it, e.g. `[machine]`.
#[derive(Clone, Debug)]
pub(super) struct Table<'a> {
    source: &'a ScenarioText,
    name: &'static str,
    /// Where the table begins: its header, or the start of the file.
    header: Range<usize>,
    entries: &'a DeTable<'a>,
}

/// A value with its key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value<'a> {
    source: &'a ScenarioText,
    key: &'static str,
    value: &'a Spanned<DeValue<'a>>,
}

impl<'a> Table<'a> {
    /// The whole document.
    pub(super) fn document(source: &'a ScenarioText, entries: &'a DeTable<'a>) -> Self {
        Self { source, name: "the scenario", header: 0..0, entries }
    }

    /// The text it stands in.
    pub(super) fn text(&self) -> &'a str {
        &self.source.text
    }

    /// Refuses the first key, in the order of the file, that is not among `known`.
    pub(super) fn check_keys(&self, known: &[&str]) -> Result<()> {
        // A hyphen is as good as an underscore, once.
        let is_known = |key: &str| {
            let other = key.replace('-', "_");
            known.contains(&key)
                || known.contains(&other.as_str()) && !self.entries.contains_key(other.as_str())
        };
        let unknown = self.entries.keys().filter(|key| !is_known(key.get_ref()));
        let Some(key) = unknown.min_by_key(|key| key.span().start) else { return Ok(()) };
        let expected = match nearest(key.get_ref(), known) {
            Some(near) => format!("`{near}`"),
            None => quoted(known) + &elsewhere(key.get_ref(), self.name),
        };
        Err(self.source.error(
            key.span(),
            format!("unknown key `{}` in {}", key.get_ref(), self.name),
            expected,
        ))
    }

    /// Where the table begins in the text, in bytes.
    pub(super) fn start(&self) -> usize {
        self.header.start
    }

    /// The value of a key, if it is there.
    pub(super) fn get(&self, key: &'static str) -> Option<Value<'a>> {
        self.entry(key).map(|(_, value)| Value { source: self.source, key, value })
    }

    /// The value of a key that has an older name, if it is there by one of them.
    pub(super) fn renamed(&self, key: &'static str, old: &'static str) -> Result<Option<Value<'a>>> {
        match (self.get(key), self.get(old)) {
            (Some(_), Some(other)) => Err(other
                .error(format!("`{key}` is given, too"), format!("one of them: `{old}` is its old name"))),
            (new, old) => Ok(new.or(old)),
        }
    }

    /// A key as it stands in the file, with its value.
    fn entry(&self, key: &str) -> Option<(&'a Spanned<Cow<'a, str>>, &'a Spanned<DeValue<'a>>)> {
        let spelled = || self.entries.get_key_value(key.replace('_', "-").as_str());
        self.entries.get_key_value(key).or_else(spelled)
    }

    /// The value of a key that must be there.
    pub(super) fn require(&self, key: &'static str, example: &str) -> Result<Value<'a>> {
        let missing = || self.missing(key, example);
        self.get(key).ok_or_else(missing)
    }

    /// An error of a floor below, told at the value of a key.
    pub(super) fn locate(&self, key: &'static str, error: Error) -> Error {
        match self.get(key) {
            Some(value) => value.locate(error),
            None => error,
        }
    }

    /// The error that a key is missing, at the table's header.
    pub(super) fn missing(&self, key: &str, example: &str) -> Error {
        self.source.error(self.header.clone(), format!("{} has no `{key}`", self.name), example)
    }

    /// The table under a key, called `name` in messages.
    pub(super) fn table(&self, key: &'static str, name: &'static str) -> Result<Option<Table<'a>>> {
        let Some((at, value)) = self.entry(key) else { return Ok(None) };
        match value.get_ref() {
            DeValue::Table(entries) => {
                Ok(Some(Table { source: self.source, name, header: at.span(), entries }))
            }
            other => Err(self.source.error(
                value.span(),
                format!("`{key}` is {}", describe(other)),
                format!("a table `{name}`"),
            )),
        }
    }

    /// The array of tables under a key, called `name` in messages.
    pub(super) fn tables(&self, key: &'static str, name: &'static str) -> Result<Vec<Table<'a>>> {
        let Some((at, value)) = self.entry(key) else { return Ok(Vec::new()) };
        let wrong = |span, other| {
            let message = format!("`{key}` is {}", describe(other));
            self.source.error(span, message, format!("`{name}`, with two brackets"))
        };
        let DeValue::Array(items) = value.get_ref() else { return Err(wrong(at.span(), value.get_ref())) };
        items
            .iter()
            .map(|item| match item.get_ref() {
                DeValue::Table(entries) => {
                    Ok(Table { source: self.source, name, header: item.span(), entries })
                }
                other => Err(wrong(item.span(), other)),
            })
            .collect()
    }
}

impl<'a> Value<'a> {
    /// An error at this value: what it is, and what would be accepted.
    pub(super) fn error(&self, message: impl Into<String>, expected: impl Into<String>) -> Error {
        self.source.error(self.value.span(), message, expected)
    }

    /// An error that this value is not what the key wants.
    pub(super) fn unexpected(&self, expected: impl Into<String>) -> Error {
        self.error(format!("`{}` is {}", self.key, describe(self.value.get_ref())), expected)
    }

    /// An error of a floor below, told at this value; an error that has its own place keeps it.
    pub(super) fn locate(&self, error: Error) -> Error {
        match error {
            Error::Value { what, value, expected } => self.error(format!("{what} is {value}"), expected),
            Error::TooLarge { what, needed, limit } => {
                self.error(format!("{what} needs {needed}"), format!("at most {limit}"))
            }
            Error::Io { path, source } => self.error(
                format!("cannot read {}: {source}", path.display()),
                "a file, relative to the folder of the scenario",
            ),
            other => other,
        }
    }

    /// The same as an error about this value, for an error that only knows the text.
    pub(super) fn reword(&self, error: Error) -> Error {
        match error {
            Error::Value { expected, .. } => self.unexpected(expected),
            other => self.locate(other),
        }
    }

    /// Where it stands in the text, in bytes.
    pub(super) fn span(&self) -> Range<usize> {
        self.value.span()
    }

    /// A string.
    pub(super) fn string(&self, expected: &str) -> Result<&'a str> {
        self.text().ok_or_else(|| self.unexpected(expected))
    }

    /// Its text, if it is a string.
    pub(super) fn text(&self) -> Option<&'a str> {
        match self.value.get_ref() {
            DeValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether it is this word.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.text() == Some(word)
    }

    /// The name of a job.
    pub(super) fn name(&self) -> Result<String> {
        match self.string("a name")?.trim() {
            "" => Err(self.unexpected("a name")),
            name => one_line("name", name).map(str::to_string).map_err(|error| self.locate(error)),
        }
    }

    /// The text of a number, or of a string that may hold one with its unit.
    pub(super) fn quantity(&self, expected: &str) -> Result<String> {
        match self.value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            DeValue::Integer(n) => match i128::from_str_radix(n.as_str(), n.radix()) {
                Ok(n) => Ok(n.to_string()),
                Err(_) => Ok(n.to_string()),
            },
            DeValue::Float(x) => Ok(x.to_string()),
            _ => Err(self.unexpected(expected)),
        }
    }

    /// A whole number from `least` to `most`.
    pub(super) fn whole(&self, least: u64, most: u64) -> Result<u64> {
        let expected = || self.unexpected(format!("a whole number from {least} to {most}"));
        let DeValue::Integer(n) = self.value.get_ref() else { return Err(expected()) };
        let n = u64::from_str_radix(n.as_str(), n.radix()).map_err(|_| expected())?;
        if (least..=most).contains(&n) { Ok(n) } else { Err(expected()) }
    }

    /// `true` or `false`.
    pub(super) fn boolean(&self) -> Result<bool> {
        match self.value.get_ref() {
            DeValue::Boolean(truth) => Ok(*truth),
            _ => Err(self.unexpected("true or false")),
        }
    }

    /// The table that this value is, called `name` in messages.
    pub(super) fn table(&self, name: &'static str, expected: &str) -> Result<Table<'a>> {
        match self.value.get_ref() {
            DeValue::Table(entries) => {
                Ok(Table { source: self.source, name, header: self.value.span(), entries })
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// The elements of an array.
    pub(super) fn array(&self, expected: &str) -> Result<impl ExactSizeIterator<Item = Value<'a>> + use<'a>> {
        let (source, key) = (self.source, self.key);
        match self.value.get_ref() {
            DeValue::Array(items) => Ok(items.iter().map(move |value| Value { source, key, value })),
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Whether this is an array.
    pub(super) fn is_array(&self) -> bool {
        self.value.get_ref().is_array()
    }

    /// The folder that paths are relative to.
    pub(super) fn folder(&self) -> &'a std::path::Path {
        self.source.folder()
    }
}

/// A value as a message names it.
fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("{:?}", text.as_ref()),
        DeValue::Integer(n) => n.to_string(),
        DeValue::Float(x) => x.to_string(),
        DeValue::Boolean(b) => b.to_string(),
        DeValue::Datetime(_) => "a date".to_string(),
        DeValue::Array(items) if items.is_empty() => "an empty list".to_string(),
        DeValue::Array(_) => "a list".to_string(),
        DeValue::Table(_) => "a table".to_string(),
    }
}

/// The word itself, if it is one of these; what else is possible stands before them in the error.
pub(super) fn one_of(
    what: &'static str,
    word: &str,
    known: &[&'static str],
    others: &str,
) -> Result<&'static str> {
    let error = |known: &[&str]| unknown(what, word, others.to_string() + &quoted(known), known);
    find_or(word, known, |known| known, error).copied()
}

/// What stands behind this word in a table.
pub(super) fn entry<T: Copy>(what: &'static str, word: &str, table: &[(&'static str, T)]) -> Result<T> {
    let error = |known: &[&str]| unknown(what, word, quoted(known), known);
    find_or(word, table, |entry| entry.0, error).map(|entry| entry.1)
}

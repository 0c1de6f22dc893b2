//! A table with a head line: its cells by the names of columns, each knowing where it stands.

use std::path::Path;

use meshwright_core::error::{Error, Result};
use meshwright_core::text::{Place, Syntax, Tokens, printable, requote};
use meshwright_core::words::quoted;

const SYNTAX: Syntax = Syntax { punctuation: b",", line_comment: b"#", block_comments: false, by_line: true };

/// A table as read.
pub(super) struct Columns {
    tokens: Tokens<'static>,
    names: Vec<String>,
    /// Row by row, a cell for each column.
    cells: Vec<(String, Place)>,
}

/// A line of a table.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    table: &'t Columns,
    first: usize,
}

/// The most cells accepted: 80 bytes of memory each.
const CELLS_MAX: usize = 1 << 26;

impl Columns {
    /// Reads a file and hands it to `take`; its errors show the line.
    pub(super) fn with<T>(path: &Path, take: impl FnOnce(&Columns) -> Result<T>) -> Result<T> {
        let read = || -> Result<T> {
            let mut table =
                Self { tokens: Tokens::open(path, SYNTAX)?, names: Vec::new(), cells: Vec::new() };
            table.read()?;
            take(&table)
        };
        read().map_err(|error| requote(error, path, SYNTAX))
    }

    fn read(&mut self) -> Result<()> {
        let tokens = &mut self.tokens;
        if !tokens.next_anywhere()? {
            return Err(tokens.error("the file is empty", "a head with the names of the columns"));
        }
        loop {
            let name = String::from_utf8_lossy(tokens.word()).into_owned();
            if self.names.contains(&name) {
                let message = format!("column `{}` stands in the head twice", printable(name.as_bytes()));
                return Err(tokens.error(message, "each column once"));
            }
            self.names.push(name);
            if !tokens.next_on_line()? {
                break;
            }
            tokens.hold();
            tokens.expect(",")?;
            if !tokens.next_on_line()? {
                return Err(tokens.missing("a column", "a name behind the comma"));
            }
        }
        let width = self.names.len();
        while tokens.next_anywhere()? {
            for column in 0..width {
                if column > 0 {
                    tokens.expect(",")?;
                    if !tokens.next_on_line()? {
                        let name = self.names[column].clone();
                        return Err(tokens.missing(&name, format!("{width} cells as in the head")));
                    }
                }
                let text = String::from_utf8_lossy(tokens.word()).into_owned();
                self.cells.push((text, tokens.place()));
            }
            tokens.end_line(&format!("{width} cells as in the head"))?;
            if self.cells.len() > CELLS_MAX {
                return Err(tokens.error("the table is too long", format!("at most {CELLS_MAX} cells")));
            }
        }
        Ok(())
    }

    /// The column with this name.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The column with this name, which must be there.
    pub(super) fn require(&self, name: &str) -> Result<usize> {
        self.column(name).ok_or_else(|| {
            let (head, names) = (
                Place { line: 1, column: 1 },
                quoted(&self.names.iter().map(String::as_str).collect::<Vec<_>>()),
            );
            let message = format!("there is no column `{name}`, only {names}");
            self.tokens.error_at(head, &self.names[0], message, format!("a column `{name}`"))
        })
    }

    /// The lines below the head.
    pub(super) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let width = self.names.len();
        (0..self.cells.len() / width).map(move |row| Line { table: self, first: row * width })
    }
}

impl Line<'_> {
    /// The text of a cell.
    pub(super) fn text(&self, column: usize) -> &str {
        &self.table.cells[self.first + column].0
    }

    /// A whole number from 0 to `most`.
    pub(super) fn whole(&self, column: usize, most: u64) -> Result<u64> {
        let number = self.text(column).parse().ok().filter(|number| *number <= most);
        number.ok_or_else(|| self.error(column, format!("a whole number from 0 to {most}")))
    }

    /// An error at a cell.
    pub(super) fn error(&self, column: usize, expected: impl Into<String>) -> Error {
        let (text, place) = &self.table.cells[self.first + column];
        let message = format!("{} is `{}`", self.table.names[column], printable(text.as_bytes()));
        self.table.tokens.error_at(*place, text, message, expected)
    }
}

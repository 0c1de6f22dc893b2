//! Tables for programs: `--csv`, one row per point, placement, method or size, units in the names of the columns.

use std::path::PathBuf;

use clap::Args;

use meshwright_core::output::{Writing, check_place};
use meshwright_core::{Error, Result};

use super::output::shown;

/// A column: its name with the unit, what it means, and its value in a row.
pub(super) struct Column<R: ?Sized> {
    pub(super) name: &'static str,
    pub(super) means: &'static str,
    pub(super) value: fn(&R) -> String,
}

/// Columns, each as name, meaning and value.
macro_rules! column_list {
    ($($name:literal, $means:literal, $value:expr;)*) => {
        vec![$($crate::csv::Column { name: $name, means: $means, value: $value }),*]
    };
}
pub(super) use column_list;

/// The file that is asked for.
#[derive(Args, Clone, Debug)]
pub struct CsvFile {
    /// Write the table as CSV into this file: one row per point, placement, method or algorithm, units in the head
    #[arg(long, value_name = "FILE.csv")]
    csv: Option<PathBuf>,
}

impl CsvFile {
    /// Makes sure, before long work is done, that there can be a file.
    pub(super) fn check(&self) -> Result<()> {
        self.csv.as_ref().map_or(Ok(()), |path| check_place("file of --csv", path))
    }

    /// Refuses the option where there is no such table.
    pub(super) fn refuse_beside(&self, others: &'static str) -> Result<()> {
        match &self.csv {
            Some(path) => Err(Error::value("csv", shown(path), format!("no --csv beside {others}"))),
            None => Ok(()),
        }
    }

    /// Adds the file to what is written; what there is to say about it.
    pub(super) fn add(&self, writing: &mut Writing, table: impl FnOnce() -> String) -> Result<String> {
        let Some(path) = &self.csv else { return Ok(String::new()) };
        let table = table();
        writing.file(path, table.as_bytes())?;
        let rows = meshwright_core::words::counted(table.lines().count() as u64 - 1, "row");
        Ok(format!("CSV: {}, {rows}\n", shown(path)))
    }
}

/// The table; before the columns of a row stand the values that vary between several answers, under these names.
pub(super) fn table<R>(
    varies: &[String],
    columns: &[Column<R>],
    rows: impl Iterator<Item = (Vec<String>, R)>,
) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let head = varies.iter().map(String::as_str).chain(columns.iter().map(|column| column.name));
    writer.write_record(head).expect(IN_MEMORY);
    for (values, row) in rows {
        let own = columns.iter().map(|column| (column.value)(&row));
        writer.write_record(values.into_iter().chain(own)).expect(IN_MEMORY);
    }
    let bytes = writer.into_inner().expect(IN_MEMORY);
    String::from_utf8(bytes).expect("made of strings")
}

const IN_MEMORY: &str = "memory takes rows that are as long as their head";

/// A value, or nothing.
pub(super) fn known(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// The columns of every verb with their meanings, for the reference.
pub fn reference() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    fn named<R>(columns: &[Column<R>]) -> Vec<(&'static str, &'static str)> {
        columns.iter().map(|column| (column.name, column.means)).collect()
    }
    vec![
        ("plan", named(&super::plan::csv::columns())),
        ("map", named(&super::map::csv::columns())),
        ("sweep", named(&super::sweep::csv::columns())),
        ("split", named(&super::split::csv::columns())),
        ("split --show matrix", named(&super::split::matrix::columns())),
        ("split --show timing", named(&super::split::timing::columns())),
        ("split --pieces", named(&super::split::pieces::columns())),
        ("split --random-sources", named(&super::split::random::columns())),
        ("split --dynamic", named(&super::split::dynamic::columns())),
        ("race", named(&super::race::csv::columns())),
        ("groups", named(&super::group_csv::columns())),
        ("groups --collective", named(&super::group_csv::structure_columns())),
        ("simulate", named(&super::simulate::csv::columns())),
        ("simulate --trace", named(&super::trace::columns())),
        ("explain", named(&super::explain::columns())),
        ("check", named(&super::check::columns())),
        ("fit", named(&super::fit::columns())),
        ("run", named(&super::run::columns())),
        ("divide", named(&super::divide::columns())),
        ("sort", named(&super::sort::answer::columns())),
        ("scatter", named(&super::scatter::csv::columns())),
        #[cfg(feature = "papers")]
        ("claims", named(&super::claims::columns())),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_would_break_a_line_are_quoted() {
        let columns = [Column { name: "a", means: "", value: |row: &&str| (*row).to_string() }];
        let rows = ["plain", "1,2", "say \"x\"", "two\nlines"];
        let text =
            table(&["key".to_string()], &columns, rows.into_iter().map(|row| (vec!["v".to_string()], row)));
        assert_eq!(text, "key,a\nv,plain\nv,\"1,2\"\nv,\"say \"\"x\"\"\"\nv,\"two\nlines\"\n");
    }
}

//! Cases counted, and the first that disagrees kept in words.

use std::fmt::Display;

use serde::Serialize;

/// A statement compared with the facts, case by case in increasing size.
#[derive(Clone, Debug, Default)]
pub struct Check {
    cases: u64,
    failures: u64,
    first: Option<String>,
}

impl Check {
    /// One more case; `words` describe it should it be the first that fails.
    pub fn case(&mut self, holds: bool, words: impl FnOnce() -> String) {
        self.cases += 1;
        if !holds {
            self.failures += 1;
            self.first.get_or_insert_with(words);
        }
    }

    /// One more case: what is printed against what is so.
    ///
    /// ```
    /// use meshwright_papers::check::Check;
    /// let mut check = Check::default();
    /// check.equal(&4, &(2 + 2), || "2 + 2".into());
    /// assert!(check.holds() && check.cases() == 1);
    /// ```
    pub fn equal<T: PartialEq + Display>(&mut self, printed: &T, found: &T, words: impl FnOnce() -> String) {
        self.case(printed == found, || format!("{}: printed {printed}, in fact {found}", words()));
    }

    /// The cases of another check after these.
    pub fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.failures += other.failures;
        self.first = self.first.take().or(other.first);
    }

    /// Whether no case failed.
    pub fn holds(&self) -> bool {
        self.failures == 0
    }

    /// How many cases there were.
    pub fn cases(&self) -> u64 {
        self.cases
    }

    /// How many of them failed.
    pub fn failures(&self) -> u64 {
        self.failures
    }

    /// The first that failed.
    pub fn first_failure(&self) -> Option<&str> {
        self.first.as_deref()
    }
}

/// A small table of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Numbers {
    /// What each column holds.
    pub columns: Vec<&'static str>,
    /// Row by row.
    pub rows: Vec<Vec<String>>,
}

impl Numbers {
    /// An empty table with these columns.
    pub fn new(columns: &[&'static str]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// One more row.
    ///
    /// # Panics
    ///
    /// When there is not one value for each column.
    pub fn row(&mut self, values: &[&dyn Display]) {
        assert_eq!(values.len(), self.columns.len(), "a value for each column");
        self.rows.push(values.iter().map(ToString::to_string).collect());
    }
}

/// What was done to derive a claim again.
#[derive(Clone, Debug, Default)]
pub struct Derivation {
    /// The printed form against the facts.
    pub printed: Check,
    /// The corrected form against the facts.
    pub corrected: Option<Check>,
    /// Which cases were looked at.
    pub range: String,
    /// Some of the numbers.
    pub numbers: Numbers,
    /// What is worth knowing besides.
    pub note: String,
}

impl Derivation {
    /// A derivation without numbers.
    pub fn of(range: impl Into<String>, printed: Check) -> Self {
        Self { range: range.into(), printed, ..Self::default() }
    }

    /// The same with a corrected form.
    pub fn corrected(self, corrected: Check) -> Self {
        Self { corrected: Some(corrected), ..self }
    }

    /// The same with a table.
    pub fn numbers(self, numbers: Numbers) -> Self {
        Self { numbers, ..self }
    }

    /// The same with a note.
    pub fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }
}

//! The one error: a caller gave unacceptable input.
//!
//! A bug is an `assert!` with a sentence; a negative answer (a deadlock, an infeasible plan) is data. Two numbers of the
//! program that contradict each other are a bug too, but one that need not cost the answers beside it: [`Contradiction`].

use std::path::PathBuf;

/// `Result` with the one [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What is wrong with the input, with the values in the variant.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file does not say what its format wants.
    #[error("{0}")]
    Parse(Box<ParseError>),
    /// A value lies outside what is accepted.
    #[error("{what} is {value}; expected {expected}")]
    Value {
        /// What the value is, e.g. `alpha`.
        what: &'static str,
        /// The value as given.
        value: String,
        /// What would be accepted.
        expected: String,
    },
    /// A method cannot be applied to this job on this machine.
    #[error("{method} is not possible here: {why}")]
    NotApplicable {
        /// The method asked for.
        method: &'static str,
        /// The reason, as a sentence without a full stop.
        why: String,
    },
    /// A job that would not fit into the memory or the number range of this program.
    #[error("{what} needs {needed}; the limit is {limit}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// How much it needs, with its unit.
        needed: String,
        /// How much there is, with its unit.
        limit: String,
    },
    /// The operating system refused a file.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Two numbers of this program contradict each other: no fault of the caller.
    #[error("{0}")]
    Contradiction(Box<Contradiction>),
    /// An output would replace what somebody may still want.
    #[error("`{path}` holds {holds}; name another {kind}, or --force", path = path.display())]
    Occupied {
        /// The file or the folder.
        path: PathBuf,
        /// What stands there, e.g. ``another job (`map binomial:6`)``.
        holds: String,
        /// `file` or `folder`.
        kind: &'static str,
    },
}

impl Error {
    /// A value outside what is accepted; a number of more than 24 digits is told as a power of ten.
    pub fn value(what: &'static str, value: impl ToString, expected: impl Into<String>) -> Self {
        let text = value.to_string();
        let value = match text.parse::<f64>() {
            Ok(number) if text.len() > 24 && number.is_finite() => format!("{number:e}"),
            _ => text,
        };
        Self::Value { what, value, expected: expected.into() }
    }

    /// A method that cannot be applied.
    pub fn not_applicable(method: &'static str, why: impl Into<String>) -> Self {
        Self::NotApplicable { method, why: why.into() }
    }

    /// A file the system refused.
    pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::Io { path: path.into(), source }
    }
}

/// Something is faster than its proven bound: either the bound or the time is wrong, and nobody knows which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// What was timed, e.g. `mask/ecrb4`.
    pub what: String,
    /// Its time, with the unit.
    pub time: String,
    /// What nothing can beat, with the unit.
    pub bound: String,
    /// The seed of whatever was random, if anything was.
    pub seed: Option<u64>,
}

impl std::fmt::Display for Contradiction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { what, time, bound, seed } = self;
        write!(
            f,
            "{what} takes {time}, and a proof says that nothing takes less than {bound}: one of the two is wrong"
        )?;
        seed.map_or(Ok(()), |seed| write!(f, " (seed {seed})"))
    }
}

/// One place in one file that is wrong, and what would be accepted there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The file as the user named it.
    pub file: String,
    /// Line, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub column: u64,
    /// The line, or the part of a very long line around the place.
    pub excerpt: String,
    /// Where the offending text starts in `excerpt`, in bytes.
    pub start: usize,
    /// How long the offending text is in `excerpt`, in bytes (0: something is missing here).
    pub length: usize,
    /// What is wrong, e.g. ``unknown key `toplogy` ``.
    pub message: String,
    /// What would be accepted, e.g. `a node from 0 to 63`.
    pub expected: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { file, line, column, message, expected, .. } = self;
        write!(f, "{file}:{line}:{column}: {message}; expected {expected}")
    }
}

impl From<ParseError> for Error {
    fn from(error: ParseError) -> Self {
        Self::Parse(Box::new(error))
    }
}

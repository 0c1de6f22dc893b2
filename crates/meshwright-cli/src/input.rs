//! `--format`: how a file is written whose name does not tell, and standard input.

use std::path::Path;

use clap::Args;

use meshwright_core::text::{Provided, STANDARD_INPUT, did_you_mean, read_as};
use meshwright_core::{Error, Result};

/// The option.
#[derive(Args)]
pub(super) struct FormatArgument {
    /// Read the file as one with this ending, whatever its name: mtx, graph, grf, csv, goal, toml or json. Standard input is
    /// the file `-`
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

impl FormatArgument {
    /// Has the file be read as asked for, while the value lives.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for a format that is not `known`, and for standard input in one of several that nobody names.
    pub(super) fn apply(&self, path: &Path, known: &[&str]) -> Result<Option<Provided>> {
        match (&self.format, known) {
            (Some(format), _) if known.contains(&format.as_str()) => Ok(Some(read_as(path, format))),
            (Some(format), _) => {
                let expected = known.join(", ") + &did_you_mean(format, known);
                Err(Error::value("--format", format!("`{format}`"), expected))
            }
            (None, _) if path != Path::new(STANDARD_INPUT) => Ok(None),
            (None, [only]) => Ok(Some(read_as(path, only))),
            (None, _) => {
                let expected = format!("--format beside `-`: {}", known.join(", "));
                Err(Error::value("--format", "not given for standard input", expected))
            }
        }
    }

    /// Refuses the option where no file is read.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] if it is given.
    pub(super) fn refuse_beside(&self, what: &str) -> Result<()> {
        self.format.as_ref().map_or(Ok(()), |format| {
            Err(Error::value("--format", format!("`{format}` beside `{what}`"), "a file to be read"))
        })
    }
}

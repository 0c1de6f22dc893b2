//! Printing, files and progress.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use meshwright::{Error, Result, report};

/// Prints to stdout; a reader that has seen enough (`| head`) is no error.
pub(super) fn print(text: &str) -> Result<()> {
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Error::io("standard output", error)),
        _ => Ok(()),
    }
}

/// One JSON object and a line end.
pub(super) fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).expect("reports have string keys and serializable values");
    text + "\n"
}

/// The folder for files: it is made if it is not there.
pub(super) fn folder(path: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(path).map_err(|error| Error::io(path, error))?;
    Ok(path.to_path_buf())
}

/// Writes a file whole or not at all.
pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    report::write_atomically(path, text)
}

/// A line on stderr that says what is being done, from the second second on and only to a terminal.
pub(super) struct Progress {
    started: Instant,
    bar: ProgressBar,
}

impl Progress {
    /// Starts to count.
    pub(super) fn new() -> Self {
        let bar =
            if std::io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        let style =
            ProgressStyle::with_template("{spinner} {elapsed} {msg}").expect("the template is well-formed");
        Self { started: Instant::now(), bar: bar.with_style(style) }
    }

    /// Tells what is being done now.
    pub(super) fn tell(&mut self, what: &str) {
        if self.started.elapsed() >= Duration::from_secs(1) {
            self.bar.set_message(what.to_string());
            self.bar.tick();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

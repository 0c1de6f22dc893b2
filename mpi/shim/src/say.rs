//! What is told to people: the log, and on standard error why nothing is done.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use crate::settings::{LOG, variable};

/// One line of the log, which is a file or `stderr`; no log, no line.
pub(crate) fn log(line: &str) {
    match variable(LOG).as_deref() {
        None => {}
        Some("stderr") => on_stderr(line),
        Some(file) => {
            if let Err(error) = append(file, line) {
                complain(&format!("{LOG}: {file}: {error}"));
            }
        }
    }
}

/// One line on standard error, each text once; in the log, too, each time.
pub(crate) fn complain(line: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(line.to_string()) {
        on_stderr(line);
    }
}

/// Whoever closed standard error does not want to know.
fn on_stderr(line: &str) {
    _ = std::io::stderr().write_all(format!("meshwright: {line}\n").as_bytes());
}

/// In one piece: several communicators may have a first process each.
#[expect(clippy::disallowed_methods, reason = "a log is added to, not written once")]
fn append(file: &str, line: &str) -> std::io::Result<()> {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(file)?;
    file.write_all(format!("{line}\n").as_bytes())
}

//! The program inside another process: a verb that prints nothing and returns what it would have printed.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use anstream::adapter::strip_str;

use meshwright_core::interrupt::{self, Stopped};
use meshwright_core::text::{self, harmless_lines};

use super::manner::Manner;
use super::{CommandLine, error, grammar, on_line, table};

/// What a call of the program came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// The exit code, as of the program; `None` when the work was [stopped](interrupt::stop).
    pub code: Option<u8>,
    /// What the program prints on standard output, without colours.
    pub stdout: String,
    /// What it prints on standard error.
    pub stderr: String,
}

/// The exit code of a program that panics.
const PANIC: u8 = 101;

/// What this thread prints while nothing is to be printed.
#[derive(Default)]
struct Capture {
    /// Of a call of the program, its command line.
    words: Vec<String>,
    manner: Option<Manner>,
    stdout: String,
    stderr: String,
}

thread_local! {
    static CAPTURE: RefCell<Option<Capture>> = const { RefCell::new(None) };
}

/// Runs the program in this thread: the words of the command line behind its name, and bytes to be read in place of the files
/// of these names.
///
/// It watches no signals, shows no progress and ends no process. Several threads may call at once.
///
/// # Examples
///
/// ```
/// let matrix = b"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 64\n".to_vec();
/// let words = ["map", "pair.mtx", "--on", "mesh:1x2", "--placement", "row-major", "--json"].map(String::from);
/// let called = meshwright_cli::call(&words, vec![("pair.mtx".to_string(), matrix)]);
/// assert_eq!((called.code, called.stderr.as_str()), (Some(0), ""));
/// assert!(called.stdout.starts_with("{\"format\":1,\"tasks\":\"pair.mtx\""));
/// ```
pub fn call(words: &[String], files: Vec<(String, Vec<u8>)>) -> Called {
    let words: Vec<String> = std::iter::once("meshwright".to_string()).chain(words.iter().cloned()).collect();
    let provided: Vec<_> = files.into_iter().map(|(name, bytes)| text::provide(name, bytes)).collect();
    CAPTURE.set(Some(Capture {
        words: words.clone(),
        manner: Some(Manner::default()),
        ..Capture::default()
    }));
    let code = catch_unwind(AssertUnwindSafe(|| verb(words)));
    drop(provided);
    let code = match code {
        _ if interrupt::is_stopped() => None,
        Ok(code) => Some(code),
        Err(payload) => {
            error::tell(&format!("{}. This is a bug in meshwright: please report it", said(&*payload)));
            Some(PANIC)
        }
    };
    let Capture { stdout, stderr, .. } = CAPTURE.take().expect("it was set above");
    let stdout = table::painted(&harmless_lines(&stdout));
    let [stdout, stderr] = [stdout, stderr].map(|text| strip_str(&text).to_string());
    Called { code, stdout, stderr }
}

/// Reads the command line and runs its verb; the exit code.
fn verb(words: Vec<String>) -> u8 {
    match grammar::parse::<CommandLine>(words.into_iter().map(OsString::from)) {
        Ok(line) => {
            line.manner.listen();
            with(|capture| capture.manner = Some(line.manner));
            on_line(&line)
        }
        Err(error) => {
            error::usage::<CommandLine>(&error);
            u8::try_from(error.exit_code()).unwrap_or(2)
        }
    }
}

/// Runs work that prints nothing; what it would have printed on standard output.
pub(super) fn captured<T>(work: impl FnOnce() -> T) -> (T, String) {
    let before = CAPTURE.replace(Some(Capture::default()));
    let done = work();
    let capture = CAPTURE.replace(before).expect("it was set above");
    (done, capture.stdout)
}

/// What a panic said.
fn said(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or_else(|| {
        if payload.is::<Stopped>() { "the work was stopped" } else { "the program has panicked" }
    })
}

/// Whether what this thread prints is kept.
pub(super) fn is_called() -> bool {
    CAPTURE.with_borrow(Option::is_some)
}

/// The words of the command line.
pub(super) fn words() -> Vec<String> {
    let called = with(|capture| capture.words.clone()).filter(|words| !words.is_empty());
    called.unwrap_or_else(|| {
        std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect()
    })
}

/// How a call is to be answered.
pub(super) fn manner() -> Option<Manner> {
    with(|capture| capture.manner).flatten()
}

/// Keeps what would go to standard output; whether that is wanted.
pub(super) fn keep_stdout(text: &str) -> bool {
    with(|capture| capture.stdout.push_str(text)).is_some()
}

/// Keeps what would go to standard error; whether that is wanted.
pub(super) fn keep_stderr(text: &str) -> bool {
    with(|capture| capture.stderr.push_str(text)).is_some()
}

fn with<T>(take: impl FnOnce(&mut Capture) -> T) -> Option<T> {
    CAPTURE.with_borrow_mut(|capture| capture.as_mut().map(take))
}

//! Errors, drawn on the text that caused them.

use std::ffi::OsString;
use std::io::Write;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::grammar;
use clap::Parser;
use meshwright_core::Error;
use meshwright_core::error::{Contradiction, ParseError};
use meshwright_core::text::harmless;

use super::call;

/// Prints an error to stderr.
pub(super) fn show(error: &Error) {
    let text = match error {
        Error::Parse(error) => drawn(error),
        Error::Contradiction(found) => return tell(&report(found)),
        other => return tell(&other.to_string()),
    };
    print(&text);
}

/// Prints help, or what is wrong with a command line. What the user gave stands in it as text: the same line is read
/// again with every order in it spelled out, so that the parser speaks of that.
pub fn usage<C: Parser>(error: &clap::Error) {
    let given = call::words().into_iter().map(|word| harmless(&word).into_owned());
    match grammar::parse::<C>(given.map(OsString::from)) {
        Err(spelled_out) => {
            let text = spelled_out.render().to_string();
            let is_kept =
                if spelled_out.use_stderr() { call::keep_stderr(&text) } else { call::keep_stdout(&text) };
            if !is_kept {
                _ = spelled_out.print();
            }
        }
        // Only orders were wrong in it, such as bytes that are no UTF-8.
        Ok(_) => tell(&error.to_string()),
    }
}

/// The numbers, and what a report of the bug needs.
fn report(found: &Contradiction) -> String {
    let words = call::words();
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "{found}. This is a bug in meshwright {version}: please report it with the files it reads and this command: {}",
        words.join(" ")
    )
}

/// Prints a sentence to stderr, as an error.
pub fn tell(sentence: &str) {
    let title = Level::ERROR.primary_title(harmless(sentence));
    print(&Renderer::styled().render(&[Group::with_title(title)]));
}

fn print(text: &str) {
    if call::keep_stderr(&format!("{text}\n")) {
        return;
    }
    // In one piece: a launcher writes to the same terminal. If nobody can be told, the exit code still tells.
    let mut stderr = std::io::stderr();
    let mut stream = anstream::AutoStream::new(Vec::new(), anstream::AutoStream::choice(&stderr));
    _ = writeln!(stream, "{text}");
    _ = stderr.write_all(&stream.into_inner());
}

/// The message, the place, the line with the offending text underlined, and what would be accepted.
fn drawn(error: &ParseError) -> String {
    let ParseError { line, column, excerpt, start, length, .. } = error;
    let [file, message, expected] = [&error.file, &error.message, &error.expected].map(|text| harmless(text));
    let mark = AnnotationKind::Primary.span(*start..start + length).label(format!("expected {expected}"));
    let snippet = Snippet::source(excerpt).line_start(*line as usize).path(&file).annotation(mark);
    let text = Renderer::styled().render(&[Level::ERROR.primary_title(message).element(snippet)]);
    // The renderer counts columns in the excerpt, which may begin inside its line.
    let counted = excerpt[..*start].chars().count() + 1;
    text.replacen(&format!("{file}:{line}:{counted}"), &format!("{file}:{line}:{column}"), 1)
}

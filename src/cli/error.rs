//! Errors, drawn on the text that caused them.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use meshwright::Error;
use meshwright::error::ParseError;

/// Prints an error to stderr.
pub(super) fn show(error: &Error) {
    let text = match error {
        Error::Parse(error) => drawn(error),
        other => {
            Renderer::styled().render(&[Group::with_title(Level::ERROR.primary_title(other.to_string()))])
        }
    };
    anstream::eprintln!("{text}");
}

/// The message, the place, the line with the offending text underlined, and what would be accepted.
fn drawn(error: &ParseError) -> String {
    // The excerpt may begin inside its line, so the place is told rather than counted.
    let place = Origin::path(&error.file).line(error.line as usize).char_column(error.column as usize);
    let end = error.start + error.length;
    let snippet = Snippet::source(&error.excerpt).line_start(error.line as usize).annotation(
        AnnotationKind::Primary.span(error.start..end).label(format!("expected {}", error.expected)),
    );
    Renderer::styled().render(&[Level::ERROR.primary_title(&error.message).element(place).element(snippet)])
}

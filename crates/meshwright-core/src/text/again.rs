//! Files that are read once more, to show the line of a fault that was noticed later.

use std::path::Path;

use super::{Syntax, Tokens};
use crate::error::Error;

/// Gives an error that names an earlier place the line it stands on, by reading the file once more.
///
/// Whatever cannot be read twice (a pipe, a file that changed) leaves the error as it is.
#[expect(clippy::disallowed_methods, reason = "only a file can be read again")]
pub fn requote(error: Error, path: &Path, syntax: Syntax) -> Error {
    let Error::Parse(parse) = &error else { return error };
    if !path.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return error;
    }
    let Ok(mut tokens) = Tokens::open(path, syntax) else { return error };
    let wanted = (parse.line, parse.column);
    while let Ok(true) = tokens.next_anywhere() {
        let place = (u64::from(tokens.place().line), u64::from(tokens.place().column));
        if place == wanted {
            return tokens.error(parse.message.clone(), parse.expected.clone());
        }
        if place > wanted {
            break;
        }
    }
    error
}

/// The error at the first word of a file for which `wanted` holds, for a fault that is known only when the
/// whole file has been read.
///
/// `None` when the file cannot be read twice or has no such word.
#[expect(clippy::disallowed_methods, reason = "only a file can be read again")]
pub fn error_where(
    path: &Path,
    syntax: Syntax,
    mut wanted: impl FnMut(&Tokens<'_>) -> bool,
    message: &str,
    expected: &str,
) -> Option<Error> {
    if !path.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return None;
    }
    let mut tokens = Tokens::open(path, syntax).ok()?;
    while let Ok(true) = tokens.next_anywhere() {
        if wanted(&tokens) {
            return Some(tokens.error(message, expected));
        }
    }
    None
}

//! Files that are read once more, to show the line of a fault that was noticed later.

use std::path::Path;

use super::input::is_repeatable;
use super::{Syntax, Tokens};
use crate::error::Error;

/// Gives an error that names an earlier place the line it stands on, by reading the file once more.
///
/// Whatever cannot be read twice (a named pipe, a file that changed) leaves the error as it is.
pub fn requote(error: Error, path: &Path, syntax: Syntax) -> Error {
    let Error::Parse(parse) = &error else { return error };
    if !is_repeatable(path) {
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
pub fn error_where(
    path: &Path,
    syntax: Syntax,
    mut wanted: impl FnMut(&Tokens<'_>) -> bool,
    message: &str,
    expected: &str,
) -> Option<Error> {
    if !is_repeatable(path) {
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

//! Entries of a table by their names, with the nearest name in the error.

use crate::error::{Error, Result};
use crate::text::did_you_mean;

/// The entry of a table with this name.
///
/// # Errors
///
/// [`Error::Value`] with all names there are, and the nearest one if one is near.
///
/// # Examples
///
/// ```
/// use meshwright_core::find;
/// let sides = [("mesh", 2), ("torus", 3)];
/// assert_eq!(find("network", "torus", &sides, |entry| entry.0)?.1, 3);
/// let error = find("network", "mseh", &sides, |entry| entry.0).unwrap_err();
/// assert_eq!(error.to_string(), "network is `mseh`; expected mesh, torus (did you mean `mesh`?)");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn find<'t, T>(
    what: &'static str,
    name: &str,
    table: &'t [T],
    name_of: impl Fn(&T) -> &'static str,
) -> Result<&'t T> {
    find_or(name, table, name_of, |names| unknown(what, name, names.join(", "), names))
}

/// Whether two spellings are of one word: hyphens may be left out or be underscores, `neighbor` is `neighbour` and `row-major`
/// is `row`.
///
/// # Examples
///
/// ```
/// use meshwright_core::same_word;
/// assert!(same_word("all-reduce", "allreduce") && same_word("row", "row-major") && same_word("neighbor", "neighbour"));
/// assert!(!same_word("row", "snake"));
/// ```
pub fn same_word(a: &str, b: &str) -> bool {
    plain(a) == plain(b)
}

/// A word without what may be left out of it.
fn plain(word: &str) -> String {
    let letters: String = word.chars().filter(|c| !matches!(c, '-' | '_')).collect();
    let letters = letters.replace("neighbor", "neighbour");
    letters.strip_suffix("major").map_or(letters.clone(), str::to_string)
}

/// The entry of a table with this name, in any spelling of [`same_word`], or the error that a function makes of all names there are.
///
/// # Errors
///
/// What the function makes.
///
/// # Examples
///
/// ```
/// use meshwright_core::find_or;
/// let found = find_or("ring", &["mesh", "torus"], |name| *name, |names| names.join(" or "));
/// assert_eq!(found, Err("mesh or torus".to_string()));
/// ```
pub fn find_or<'t, T, E>(
    name: &str,
    table: &'t [T],
    name_of: impl Fn(&T) -> &'static str,
    error: impl FnOnce(&[&'static str]) -> E,
) -> Result<&'t T, E> {
    for is_same in [|known: &str, name: &str| known == name, same_word] {
        for entry in table {
            if is_same(name_of(entry), name) {
                return Ok(entry);
            }
        }
    }
    let names: Vec<&'static str> = table.iter().map(name_of).collect();
    Err(error(&names))
}

/// The error for a name that is none of those known; it ends with the nearest of them, if one is near.
///
/// # Examples
///
/// ```
/// let error = meshwright_core::unknown("network", "trous", "one of two", &["mesh", "torus"]);
/// assert_eq!(error.to_string(), "network is `trous`; expected one of two (did you mean `torus`?)");
/// ```
pub fn unknown(what: &'static str, name: &str, expected: impl Into<String>, known: &[&str]) -> Error {
    Error::value(what, format!("`{name}`"), expected.into() + &did_you_mean(name, known))
}

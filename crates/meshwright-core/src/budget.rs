//! A budget of memory: what a job needs is priced from a formula before anything is allocated, and refused with the figure
//! and the limit where the process may not have as much.
//!
//! The limit is that of this process on this machine, now: whether a job is refused may differ from machine to machine,
//! what comes of it does not. Where a price is too low, or there is none, the programs end with one sentence, too: see
//! `allocator.rs`, which is part of them and not of the library.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::text;

/// The most memory that one structure is given, whatever the machine has.
const MEMORY_MAX: u64 = 64 << 30;

/// Refuses a structure of so many bytes, if this process may not have them.
///
/// # Errors
///
/// [`Error::TooLarge`] with both figures.
///
/// # Examples
///
/// ```
/// use meshwright_core::budget;
/// assert!(budget::check("a table", 1 << 10).is_ok());
/// let error = budget::check("a table", 1 << 60).unwrap_err().to_string();
/// assert!(error.starts_with("a table needs 1073741824.0 GiB of memory; the limit is "), "{error}");
/// ```
pub fn check(what: &'static str, bytes: u64) -> Result<()> {
    let (limit, whose) = limit();
    if bytes <= limit {
        return Ok(());
    }
    let needed = format!("{} of memory", shown(bytes));
    Err(Error::TooLarge { what, needed, limit: format!("{}, {whose}", shown(limit)) })
}

/// The bytes of a file, of which a job holds so many copies at the same time.
///
/// # Errors
///
/// [`Error::Io`] when the system refuses it, or for a named pipe; [`Error::TooLarge`] when the copies do not fit.
pub fn read(path: &Path, copies: u64) -> Result<Vec<u8>> {
    let refused = |error| Error::io(path, error);
    let file = text::open(path)?;
    let length = file.length().map_err(refused)?;
    check("the file in memory", length.saturating_mul(copies))?;
    // A pipe or a device tells no length.
    let most = limit().0 / copies.max(1);
    let mut bytes = Vec::new();
    let read = file.take(most).read_to_end(&mut bytes).map_err(refused)? as u64;
    match read < most {
        true => Ok(bytes),
        false => check("the file in memory", u64::MAX).map(|()| bytes),
    }
}

/// What is left, and what sets the limit.
fn limit() -> (u64, &'static str) {
    let limits = [
        (Some(MEMORY_MAX), "the most that this program asks for"),
        (address_space(), "what `ulimit -v` leaves"),
        (physical(), "what is free on this machine"),
        (group(), "what the control group leaves"),
    ];
    let known = limits.into_iter().filter_map(|(limit, whose)| Some((limit?, whose)));
    known.min().expect("the first limit is always there")
}

/// Bytes for people.
fn shown(bytes: u64) -> String {
    match bytes {
        0..0x10_0000 => format!("{bytes} bytes"),
        0x10_0000..0x4000_0000 => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}

/// The number behind a word at the beginning of a line of a file.
#[expect(
    clippy::disallowed_methods,
    reason = "the memory of this machine decides what is refused, not what is answered"
)]
fn number(path: impl AsRef<Path>, word: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(word))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The address space that this process may still take, as Linux tells it; none without a limit.
fn address_space() -> Option<u64> {
    let most = number("/proc/self/limits", "Max address space")?;
    let taken = number("/proc/self/status", "VmSize:")? << 10;
    Some(most.saturating_sub(taken))
}

/// Memory that is free or can be freed, swap included.
fn physical() -> Option<u64> {
    let of = |word| number("/proc/meminfo", word);
    Some((of("MemAvailable:")? + of("SwapFree:").unwrap_or(0)) << 10)
}

/// What the control groups of this process leave, of either version: the limit without what its processes hold.
#[expect(
    clippy::disallowed_methods,
    reason = "the memory of this machine decides what is refused, not what is answered"
)]
fn group() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let root = Path::new("/sys/fs/cgroup");
    let places = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?.trim_start_matches('/'));
        match controllers {
            "" => Some((root.join(path), "memory.max", "anon ")),
            "memory" => Some((root.join("memory").join(path), "memory.limit_in_bytes", "total_rss ")),
            _ => None,
        }
    });
    let of_place = |(place, limit, held): (PathBuf, &'static str, &'static str)| {
        let of = move |folder: &Path| {
            let most = number(folder.join(limit), "")?;
            Some(most.saturating_sub(number(folder.join("memory.stat"), held).unwrap_or(0)))
        };
        let up = place.ancestors().take_while(|folder| folder.starts_with(root));
        up.filter_map(of).min()
    };
    places.filter_map(of_place).min()
}

#[cfg(test)]
mod tests {
    use super::{MEMORY_MAX, check, limit, shown};

    #[test]
    fn what_is_too_large_is_refused_with_both_figures() {
        let (limit, whose) = limit();
        assert!((1 << 20..=MEMORY_MAX).contains(&limit), "{limit}: {whose}");
        let error = check("a thing", limit.max(MEMORY_MAX) + 1).unwrap_err().to_string();
        assert!(error.starts_with("a thing needs 64.0 GiB of memory; the limit is "), "{error}");
        assert!(check("a thing", 0).is_ok());
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!([1000, 3 << 20, 3 << 29].map(shown), ["1000 bytes", "3.0 MiB", "1.5 GiB"]);
    }
}

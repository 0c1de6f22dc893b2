//! Faults on purpose, so that tests see what each of them leaves: in builds with assertions only, by a variable of the environment.
//!
//! `MESHWRIGHT_FAULT` is `list`, or a kind and the number of the operation that it befalls, such as `kill:7`: the process
//! ends there (half way through a write), as SIGKILL ends it; `full:7` and `denied:7`: this one operation is refused; with
//! `full-from:7` and `denied-from:7` all later ones are refused, too. With `wait:7` it is told and lasts a minute, time for
//! a signal.

use std::io;
use std::path::Path;

/// Operation after operation passes here, just before it happens; `half` is what a kill leaves of it.
#[cfg(debug_assertions)]
pub(super) fn at(operation: &str, path: &Path, half: impl FnOnce()) -> io::Result<()> {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    static FAULT: OnceLock<Option<(String, u64)>> = OnceLock::new();
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let fault = FAULT.get_or_init(|| {
        let text = std::env::var("MESHWRIGHT_FAULT").ok()?;
        let (kind, number) = text.split_once(':').unwrap_or((&text, "0"));
        Some((kind.to_string(), number.parse().ok()?))
    });
    let Some((kind, number)) = fault else { return Ok(()) };
    let own = COUNT.fetch_add(1, Ordering::SeqCst) + 1;
    let takes_space = !operation.starts_with("remove") && operation != "open";
    match kind.as_str() {
        "list" => eprintln!("operation {own}: {operation} {}", path.display()),
        "kill" if own == *number => {
            half();
            std::process::abort();
        }
        "wait" if own == *number => {
            eprintln!("waits: {operation}");
            std::thread::sleep(std::time::Duration::from_secs(60));
        }
        "full" if own == *number && takes_space => return Err(io::ErrorKind::StorageFull.into()),
        "full-from" if own >= *number && takes_space => return Err(io::ErrorKind::StorageFull.into()),
        "denied" if own == *number => return Err(io::ErrorKind::PermissionDenied.into()),
        "denied-from" if own >= *number => return Err(io::ErrorKind::PermissionDenied.into()),
        _ => {}
    }
    Ok(())
}

/// Nothing happens in builds for users.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub(super) fn at(_operation: &str, _path: &Path, _half: impl FnOnce()) -> io::Result<()> {
    Ok(())
}

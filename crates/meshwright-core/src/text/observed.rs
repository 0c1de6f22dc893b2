//! Who wants to know which files are read.

use std::path::Path;
use std::sync::OnceLock;

static OBSERVER: OnceLock<fn(&Path)> = OnceLock::new();

/// From now on this hears of every file that is opened to be read. The first one stays.
pub fn on_open(observer: fn(&Path)) {
    _ = OBSERVER.set(observer);
}

/// Says that a file is opened.
pub(super) fn opened(path: &Path) {
    if let Some(observer) = OBSERVER.get() {
        observer(path);
    }
}

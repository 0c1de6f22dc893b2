//! Nobody but the layer writes.

use std::path::Path;

/// What makes, changes, renames or removes files.
const WORDS: &[&str] = &[
    "fs::write",
    "File::create",
    "OpenOptions",
    "create_dir",
    "remove_file",
    "remove_dir",
    "fs::rename",
    "fs::copy",
    "hard_link",
    "::symlink(",
    "set_permissions",
    "DirBuilder",
    "tempfile::",
    "fchown",
    "sync_all",
];

/// The code of a file without comments and without its unit tests.
fn code(text: &str) -> String {
    let end = text.find("\nmod tests {").unwrap_or(text.len());
    let lines = text[..end].lines().map(|line| line.split("//").next().unwrap_or(""));
    lines.collect::<Vec<_>>().join("\n")
}

fn complaints(path: &Path, text: &str) -> Vec<String> {
    let layer = ["crates/meshwright-core/src/output/system.rs", "crates/meshwright-core/src/output/fault.rs"];
    if layer.iter().any(|file| path == Path::new(file)) {
        return Vec::new();
    }
    // Through the layer's own door everybody in it may.
    let code = WORDS.iter().fold(code(text), |code, word| code.replace(&format!("system::{word}"), ""));
    let found = WORDS.iter().filter(|word| code.contains(**word));
    found.map(|word| format!("{}: {word}", path.display())).collect()
}

#[test]
fn nobody_else_writes() {
    let files = [crate::rust_files("crates"), crate::rust_files("mpi/src")].concat();
    assert!(files.len() > 100, "the source was found");
    let all: Vec<String> = files.iter().flat_map(|path| complaints(path, &crate::text(path))).collect();
    assert!(all.is_empty(), "use meshwright_core::output: {}", all.join("\n"));
    assert!(
        !complaints(Path::new("crates/meshwright-cli/src/map.rs"), "std::fs::write(path, text)?;").is_empty()
    );
}

//! Every claim of a source names a paper that stands in docs/sources.md, and no paper stands there for show.

use std::path::Path;

/// The keys under `# Source` headings of doc comments, each with its line.
fn keys(text: &str) -> Vec<(usize, String)> {
    let mut keys = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let Some(doc) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            inside = false;
            continue;
        };
        if doc.trim_start().starts_with("# ") {
            inside = doc.trim() == "# Source";
        } else if inside {
            let quoted = doc.split('`').skip(1).step_by(2).filter(|word| is_key(word));
            keys.extend(quoted.map(|word| (number + 1, word.to_string())));
        }
    }
    keys
}

/// A key is a name and a year: `lo1990`.
fn is_key(word: &str) -> bool {
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    word.len() == name.len() + 4 && !name.is_empty() && name.bytes().all(|c| c.is_ascii_lowercase())
}

/// The keys that docs/sources.md explains, each in backticks at the start of a line.
fn known() -> Vec<String> {
    let page = crate::text(Path::new("docs/sources.md"));
    let key = |line: &str| Some(line.strip_prefix("- `")?.split_once('`')?.0.to_string());
    page.lines().filter_map(key).collect()
}

#[test]
fn every_source_is_known_and_used() {
    let known = known();
    assert!(!known.is_empty() && known.iter().all(|key| is_key(key)), "{known:?}");
    let mut used = Vec::new();
    for path in crate::rust_files("crates") {
        for (line, key) in keys(&crate::text(&path)) {
            assert!(known.contains(&key), "{}:{line}: `{key}` is not in docs/sources.md", path.display());
            used.push(key);
        }
    }
    for key in known {
        assert!(used.contains(&key), "no `# Source` in the code names `{key}`");
    }
}

#[test]
fn the_checker_finds_keys() {
    let text = "/// # Source\n///\n/// `lo1990`, eq. (1), `bytes`; `nobody2001`.\n///\n/// # Examples\n/// `lo1991`\n";
    assert_eq!(keys(text), [(3, "lo1990".to_string()), (3, "nobody2001".to_string())]);
}

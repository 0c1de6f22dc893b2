//! The floors: a module imports only floors below its own; see ARCHITECTURE.md.

use std::path::Path;

/// Every module with its floor, as in ARCHITECTURE.md.
const FLOORS: &[(&str, u32)] = &[
    ("units", 0),
    ("error", 0),
    ("rng", 0),
    ("text", 0),
    ("exact", 0),
    ("statistics", 0),
    ("interrupt", 0),
    ("budget", 0),
    ("output", 0),
    ("topology", 1),
    ("routing", 2),
    ("schedule", 3),
    ("transport", 3),
    ("mapping", 4),
    ("load", 4),
    ("groups", 4),
    ("sim", 4),
    ("skeleton", 4),
    ("verdict", 5),
    ("scenario", 6),
    ("claims", 6),
    ("report", 7),
    ("cli", 8),
    ("main", 8),
    ("allocator", 8),
];

/// A file that knows more than this knows too much.
const LINES_MAX: usize = 450;

fn floor(module: &str) -> Option<u32> {
    FLOORS.iter().find(|(name, _)| *name == module).map(|(_, floor)| *floor)
}

/// The top module a source file belongs to: `topology` for `src/topology/grid.rs`.
fn module(path: &Path) -> String {
    let parts: Vec<String> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    parts[1].trim_end_matches(".rs").to_string()
}

/// The top modules that code names: every word after `crate::` or `meshwright::`, also inside braces.
fn imports(code: &str) -> Vec<String> {
    let mut modules = Vec::new();
    for line_start in ["crate::", "meshwright::"] {
        for (at, _) in code.match_indices(line_start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                continue;
            }
            modules.extend(heads(&code[at + line_start.len()..]));
        }
    }
    modules.sort();
    modules.dedup();
    modules
}

/// The first word of a path, or of each path in a braced list.
fn heads(rest: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let Some(list) = rest.strip_prefix('{') else { return vec![word(rest)] };
    let mut heads = Vec::new();
    let (mut depth, mut fresh) = (0, true);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => fresh = true,
            c if fresh && c.is_alphabetic() => {
                heads.push(word(&list[at..]));
                fresh = false;
            }
            _ => {}
        }
    }
    heads
}

/// The code of a file: comments are no imports, and unit tests may look where they like.
fn code(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..end].lines().map(|line| line.split("//").next().unwrap_or(""));
    lines.collect::<Vec<_>>().join("\n")
}

/// What is wrong with one file.
fn complaints(path: &Path, text: &str) -> Vec<String> {
    let own = module(path);
    if own == "lib" {
        return Vec::new();
    }
    let name = path.display();
    let Some(at) = floor(&own) else { return vec![format!("{name}: `{own}` has no floor")] };
    let mut complaints: Vec<String> = imports(&code(text))
        .into_iter()
        .filter(|other| *other != own)
        .filter_map(|other| Some((floor(&other)?, other)))
        .filter(|(floor, _)| *floor > at || (*floor == at && at > 0 && at < 8))
        .map(|(floor, other)| format!("{name} (floor {at}) uses {other} (floor {floor})"))
        .collect();
    if text.lines().count() > LINES_MAX {
        complaints.push(format!("{name} has {} lines", text.lines().count()));
    }
    complaints
}

#[test]
fn imports_go_down() {
    let files = crate::rust_files("src");
    assert!(files.len() > 10, "the source was found");
    let all: Vec<String> = files.iter().flat_map(|path| complaints(path, &crate::text(path))).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn every_floor_stands_in_the_architecture() {
    let page = crate::text(Path::new("ARCHITECTURE.md"));
    for (module, floor) in FLOORS {
        let row = |line: &&str| line.starts_with(&format!("| {floor} |"));
        let found = page.lines().filter(row).any(|line| {
            line.contains(&format!("`{module}`"))
                || line.contains(&format!("`{module}.rs`"))
                || line.contains(&format!("`{module}/`"))
        });
        assert!(found, "ARCHITECTURE.md does not put `{module}` on floor {floor}");
    }
}

#[test]
fn the_checker_finds_what_it_should() {
    let check = |path: &str, text: &str| complaints(Path::new(path), text);
    let upward = "use crate::sim::message;\n";
    assert_eq!(check("src/topology/grid.rs", upward), ["src/topology/grid.rs (floor 1) uses sim (floor 4)"]);
    assert_eq!(check("src/mapping/mod.rs", upward), ["src/mapping/mod.rs (floor 4) uses sim (floor 4)"]);
    assert_eq!(check("src/verdict/mod.rs", upward), [""; 0]);
    assert_eq!(check("src/units.rs", "use crate::error::Error;"), [""; 0], "floor 0 is one neighbourhood");
    let braces = "use crate::{error::Result, verdict::{Outcome, divide::Job}, units};";
    assert_eq!(check("src/sim/mod.rs", braces), ["src/sim/mod.rs (floor 4) uses verdict (floor 5)"]);
    let path = "fn f() { let x = crate::report::page(); }";
    assert_eq!(check("src/verdict/map.rs", path), ["src/verdict/map.rs (floor 5) uses report (floor 7)"]);
    assert_eq!(check("src/topology/mod.rs", "// see crate::sim\n/// [`crate::sim`]\n"), [""; 0]);
    assert_eq!(check("src/utils.rs", ""), ["src/utils.rs: `utils` has no floor"]);
    assert_eq!(check("src/sim/mod.rs", &"\n".repeat(451)), ["src/sim/mod.rs has 451 lines"]);
}

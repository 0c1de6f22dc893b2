//! Crates: what each may depend on, and how long a file may be; see ARCHITECTURE.md. That no import runs upwards, Cargo holds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Each crate with the highest ones below it, as in ARCHITECTURE.md.
const BELOW: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("member", &[]),
    ("network", &["core"]),
    ("schedule", &["network"]),
    ("sim", &["schedule"]),
    ("mapping", &["schedule"]),
    ("load", &["schedule"]),
    ("groups", &["schedule", "member"]),
    ("collectives", &["schedule"]),
    ("verdict", &["sim", "mapping", "load", "groups", "collectives"]),
    ("hosts", &["mapping"]),
    ("runtime", &["sim", "groups", "collectives"]),
    ("formats", &["verdict", "hosts", "runtime"]),
    ("report", &["verdict"]),
    ("papers", &["report"]),
    ("demos", &["runtime", "report"]),
    ("cli", &["papers", "demos", "formats"]),
];

/// Libraries that only these crates may name.
const RESERVED: &[(&str, &[&str])] = &[
    ("clap", &["cli"]),
    ("colorchoice-clap", &["cli"]),
    ("comfy-table", &["cli"]),
    ("csv", &["cli"]),
    ("indicatif", &["cli"]),
    ("annotate-snippets", &["cli"]),
    ("minijinja", &["report"]),
    ("microlp", &["load", "demos"]),
    ("nalgebra", &["papers"]),
    ("rustdct", &["load"]),
    ("toml", &["formats"]),
    ("roxmltree", &["hosts", "formats"]),
];

/// Crates with a `clippy.toml` of their own: the environment, time, threads or processes are their subject.
const IMPURE: [&str; 4] = ["cli", "demos", "hosts", "runtime"];

/// A file that knows more than this knows too much.
const LINES_MAX: usize = 450;

/// All crates below one, itself included.
fn below(name: &str) -> BTreeSet<&'static str> {
    let (own, direct) = BELOW.iter().find(|(own, _)| *own == name).expect("a crate of the table");
    direct.iter().flat_map(|name| below(name)).chain([*own]).collect()
}

/// The dependencies of a manifest, without those of tests.
fn dependencies(manifest: &str) -> Vec<String> {
    let manifest: toml::Table = manifest.parse().expect("TOML");
    let tables = [
        manifest.get("dependencies"),
        manifest
            .get("target")
            .and_then(|target| target.get("cfg(unix)").and_then(|unix| unix.get("dependencies"))),
    ];
    let tables = tables.into_iter().flatten().filter_map(toml::Value::as_table);
    tables.flat_map(|table| table.keys().cloned()).collect()
}

fn complaints(name: &str, manifest: &str) -> Vec<String> {
    let allowed = below(name);
    let is_wrong = |dependency: &&String| match dependency.strip_prefix("meshwright-") {
        Some(other) => !allowed.contains(other),
        None => RESERVED.iter().any(|(library, by)| library == dependency && !by.contains(&name)),
    };
    let all = dependencies(manifest);
    all.iter().filter(is_wrong).map(|dependency| format!("{name} depends on {dependency}")).collect()
}

fn manifests() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let folders = std::fs::read_dir(folder).expect("the crates are there").map(|entry| entry.unwrap().path());
    folders
        .map(|path| {
            let name = path.file_name().expect("a folder").to_string_lossy().replace("meshwright-", "");
            (name, std::fs::read_to_string(path.join("Cargo.toml")).expect("a manifest"))
        })
        .collect()
}

#[test]
fn crates_depend_on_those_below_only() {
    let manifests = manifests();
    let known: BTreeSet<&str> = BELOW.iter().map(|(name, _)| *name).collect();
    assert_eq!(manifests.keys().map(String::as_str).collect::<BTreeSet<_>>(), known);
    let all: Vec<_> = manifests.iter().flat_map(|(name, text)| complaints(name, text)).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// A library that depends on `meshwright` compiles neither the program nor the papers and the applications.
#[test]
fn the_facade_is_made_of_libraries() {
    let manifest: toml::Table = crate::text(Path::new("Cargo.toml")).parse().expect("TOML");
    let of = |name: &str| manifest["dependencies"].get(name);
    for (name, _) in BELOW {
        let is_left_out = ["papers", "demos"].contains(name);
        assert_eq!(of(&format!("meshwright-{name}")).is_none(), is_left_out, "{name}");
    }
    assert_eq!(of("meshwright-cli").and_then(|cli| cli["optional"].as_bool()), Some(true));
    let others = manifest["dependencies"].as_table().expect("a table").keys();
    assert_eq!(others.filter(|name| !name.starts_with("meshwright-")).count(), 0);
}

#[test]
fn a_crate_is_pure_unless_it_is_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let has_own = |name: &&str| folder.join(format!("meshwright-{name}/clippy.toml")).exists();
    let own: BTreeSet<&str> = BELOW.iter().map(|(name, _)| *name).filter(has_own).collect();
    assert_eq!(own, BTreeSet::from(IMPURE));
}

#[test]
fn planners_and_simulator_are_strangers() {
    const STRANGERS: [&str; 5] = ["sim", "mapping", "load", "groups", "collectives"];
    for name in STRANGERS {
        let known: Vec<_> = STRANGERS.into_iter().filter(|other| below(name).contains(other)).collect();
        assert_eq!(known, [name]);
    }
}

#[test]
fn the_checker_finds_what_it_should() {
    assert_eq!(
        complaints("sim", "[dependencies]\nmeshwright-core.workspace = true\nrand = \"1\"\n"),
        [""; 0]
    );
    let upward = "[dependencies]\nmeshwright-load.workspace = true\nclap = \"4\"\n";
    assert_eq!(complaints("sim", upward), ["sim depends on clap", "sim depends on meshwright-load"]);
    assert_eq!(complaints("sim", "[dev-dependencies]\nclap = \"4\"\n"), [""; 0], "tests may");
    let of_unix = "[target.'cfg(unix)'.dependencies]\nclap = \"4\"\n";
    assert_eq!(complaints("core", of_unix), ["core depends on clap"]);
}

#[test]
fn files_stay_small() {
    let files = ["crates", "src", "mpi/src", "mpi/shim"].map(crate::rust_files).concat();
    assert!(files.len() > 500, "the source was found");
    let long = files.iter().filter(|path| crate::text(path).lines().count() > LINES_MAX);
    let long: Vec<String> = long.map(|path| path.display().to_string()).collect();
    assert!(long.is_empty(), "more than {LINES_MAX} lines: {}", long.join(", "));
}

#[test]
fn every_crate_stands_in_the_architecture() {
    let page = crate::text(Path::new("ARCHITECTURE.md"));
    for (name, below) in BELOW {
        let below: Vec<&str> = if below.is_empty() { vec!["–"] } else { below.to_vec() };
        let row = format!("| `meshwright-{name}` | {} |", below.join(", "));
        assert!(page.contains(&row), "ARCHITECTURE.md has no row that begins with {row}");
    }
}

/// The files that the recipes of ARCHITECTURE.md tell the reader to create.
const OF_RECIPES: &[&str] = &["star.rs", "alone.rs", "families.rs"];

#[test]
fn every_path_of_the_architecture_is_there() {
    let page = crate::text(Path::new("ARCHITECTURE.md"));
    let quoted = page.split('`').skip(1).step_by(2);
    let paths = quoted.filter(|word| word.starts_with("crates/") && !word.contains([' ', '*', '{']));
    let missing: Vec<&str> = paths
        .filter(|path| !Path::new(path).exists() && !OF_RECIPES.iter().any(|file| path.ends_with(file)))
        .collect();
    assert!(missing.is_empty(), "not there: {missing:?}");
    assert!(page.matches("`crates/").count() > 30, "the page says where things are");
}

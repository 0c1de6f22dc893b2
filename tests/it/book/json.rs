//! The page of JSON keys: what commands print, each key with its types and what `json_keys.toml` says of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use rayon::prelude::*;
use serde_json::Value;

use super::reference::{WRITTEN, hold};
use crate::snapshots::beside_examples;

/// Verbs, and commands that print every key of them together; those of a verb run in one folder, one after the other.
const COMMANDS: &[(&str, &[&str])] = &[
    (
        "plan",
        &[
            "plan examples/quickstart.toml --explain --json",
            "plan load.toml --json",
            "plan examples/ingest.toml --json",
            "plan examples/groups.toml --json",
            "plan weights.toml --json",
            "plan gradients.toml --json",
            "plan changing.toml --json",
        ],
    ),
    (
        "map",
        &[
            "map binomial:4 --on mesh:4x4 --placement auto --switching all --explain --json",
            "map examples/lammps-lj-16.phases.csv --on torus:4x4 --placement row-major,search --steps 2000 --json",
            "map divide:6 --on mesh:2x3 --placement exact --json",
            "map logical:4x2 --axis 0=all-reduce:1MB --on mesh:2x4 --placement axes --json",
            "map binomial:5 --on mesh:4x8 --preset merge-sort --work 4 --nodes 1..32 --json",
            "map binomial:4 --on wormhole --placement row-major --json",
            "map binomial:4 --on mesh:4x4 --placement growing --startup 10,100 --json",
        ],
    ),
    (
        "explain",
        &["map binomial:4 --on mesh:4x4 --placement reflecting --out plan", "explain plan/plan.json --json"],
    ),
    (
        "simulate",
        &[
            "map binomial:4 --on mesh:4x4 --placement reflecting --emit goal:b4.goal",
            "simulate b4.goal --on mesh:4x4 --explain --json",
            "simulate b4.goal --on torus:4x4 --engine flit --json",
        ],
    ),
    (
        "simulate --traffic",
        &[
            "simulate --on mesh:8x8 --traffic transpose --load 0.1 --router booksim --set routing=odd-even --json",
        ],
    ),
    ("simulate --trace", &["simulate --trace wormhole/1x2_BLOCK_TO_4x4_HEIGHT.csv --on wormhole --json"]),
    (
        "sweep",
        &[
            "sweep --on mesh:4x4 --traffic transpose --packet 4 --points 3 --to 0.3 --saturation --json",
            "sweep --on mesh:4x4 --traffic transpose --packet 4 --points 2 --to 0.2 --set routing=dimension-order,odd-even --json",
        ],
    ),
    (
        "split",
        &[
            "split --on mesh:2x4 --source 1,2 --sigma 0.1 --front --deadline 0.3 --next --places 2 --json",
            "split --on mesh:4x4 --source 0,0=0.4 --source 2,2=0.6@0.01 --sigma 0.1 --ports one --result-size 0.5 --json",
            "split --on mesh:2x2 --source 0,0 --source 1,1 --sigma 0.1 --message-startup 1e-5 --json",
            "split --on mesh:8x8 --source 0,0 --sigma 0.1 --speeds examples/speeds.csv --json",
            "split --on mesh:2x2 --source 0,0=2 --source 0,1 --sigma 0.1 --method epsea --json",
            "split --on mesh:2x2 --source 0,0 --sigma 0.1 --ports one --result-size 0.5 --results-at 1,1 --memory 0.5 --json",
        ],
    ),
    (
        "split --random-sources",
        &[
            "split --on mesh:8x8 --random-sources 3 --repeat 5 --sigma 0.1 --json",
            "split --on mesh:8x8 --random-sources 2,3 --repeat 5 --sigma 0.1 --json",
        ],
    ),
    (
        "split --queues",
        &["split --on mesh:20x20 --source 2,3=20 --source 9,14=12.5 --sigma 0.1 --queues --json"],
    ),
    (
        "split --dynamic",
        &[
            "split --on mesh:4x4 --source 1,1 --sigma 0.05 --dynamic resolved,guided --drift halve --arrivals poisson:4@0.8 --json",
        ],
    ),
    ("split --show matrix", &["split --on mesh:3x8 --source 0,0 --sigma 0.1,0.5 --show matrix --json"]),
    ("split --show timing", &["split --on mesh:2x2 --source 0,0 --sigma 0.5 --show timing --json"]),
    ("split --place", &["split --on mesh:4x4 --source 0,0 --sigma 0.5 --place 2 --json"]),
    ("split --pieces", &["split --on mesh:2x2 --source 0,0 --sigma 0.05 --pieces examples/pages.csv --json"]),
    (
        "check",
        &[
            "check claim.json --json",
            "map binomial:4 --on mesh:4x4 --placement reflecting --emit certificate:bound.json",
            "check bound.json --json",
            "groups --on mesh:4x4 --collective barrier --emit barrier-table:barrier.json",
            "check barrier.json --json",
        ],
    ),
    (
        "groups",
        &[
            "groups --on mesh:4x4 --order snake --levels 1 --split mask --json",
            "groups --on mesh:4x4 --order snake --levels 1 --split paper --json",
            "groups --on mesh:8x8 --order hilbert --labels examples/labels.csv --json",
        ],
    ),
    (
        "groups --collective",
        &["groups --on mesh:8x8 --collective broadcast --random-members 20 --seed 7 --json"],
    ),
    (
        "race",
        &[
            "race reduce --bytes 4KB --on mesh:2x3 --combine-time 1/4 --json",
            "race reduce-scatter --bytes 1KB,1MB --startup 10 --on torus:3x3 --json",
            "race reduce-scatter --bytes 1KB --startup 10,100 --on torus:4x5 --algorithm ring,bucket --json",
            "race all-reduce --bytes 100KB --on mesh:16 --json",
            "race all-reduce --bytes 1KiB,1MiB --on torus:4x4 --startup 40 --byte-time 1/32 --flit 32 --algorithm direct-whole --json",
            "race all-reduce --bytes 64KiB --on torus:4x4 --startup 500 --byte-time 1/50 --flit 20000 --algorithm direct-whole --json",
            "race broadcast --bytes 1MiB --on mesh:8x8 --startup 40 --byte-time 1/32 --flit 32 --algorithm binomial --json",
            "race broadcast --bytes 4KB --on mesh:4x4 --algorithm chain --explain --json",
        ],
    ),
    ("machines", &["machines --json"]),
    (
        "fit",
        &["fit wormhole wormhole/1x2_BLOCK_TO_4x4_HEIGHT.csv wormhole/1x2_BLOCK_TO_4x8_BLOCK.csv \
             wormhole/1x2_BLOCK_TO_8x4_BLOCK.csv wormhole/1x4_BLOCK_TO_2x8_BLOCK.csv wormhole/traces.csv wormhole/begins.csv \
             --free processors.tail --folds 2 --json"],
    ),
    (
        "run",
        &[
            "map binomial:2 --on mesh:2x2 --placement reflecting --emit goal:b2.goal",
            "run b2.goal --on mesh:2x2 --repeat 1 --json",
        ],
    ),
    ("sort", &["sort numbers.bin --out sorted.bin --ranks 4 --json"]),
    ("divide", &["divide merge-sort --size 1000 --repeat 1 --ranks 2 --threads 2 --json"]),
    (
        "scatter",
        &[
            "scatter --ranks 2 words examples/README.md --adaptive --json",
            "scatter --ranks 2 words examples/pages.txt --pieces examples/pages.csv --json",
        ],
    ),
    ("claims", &["claims lo1990 --only lemma-3,E1 --n-max 8 --json"]),
];

/// By path in the order of the output, its types.
type Keys = Vec<(String, BTreeSet<&'static str>)>;

fn add(keys: &mut Keys, path: &str, value: &Value) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    };
    match keys.iter_mut().find(|(known, _)| known == path) {
        Some((_, kinds)) => drop(kinds.insert(kind)),
        None => keys.push((path.to_string(), BTreeSet::from([kind]))),
    }
}

fn walk(keys: &mut Keys, path: &str, value: &Value) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                add(keys, &path, value);
                walk(keys, &path, value);
            }
        }
        Value::Array(list) => {
            list.iter()
                .filter(|one| one.is_object() || one.is_array())
                .for_each(|one| walk(keys, &format!("{path}[]"), one));
        }
        _ => {}
    }
}

/// A scenario with loads that change.
const CHANGING: &str = "[machine]\ntopology = \"mesh:3x3\"\n\n[[load]]\nname = \"changing\"\nsources = [{ at = [1, 1] }]\n\
                        sigma = 0.1\nbytes = 100000\ndynamic = \"resolved\"\ndrift = \"halve\"\n";

/// A scenario with a collective.
fn collective(topology: &str, job: &str) -> String {
    format!("[machine]\ntopology = \"{topology}\"\n\n[[collective]]\nname = \"weights\"\n{job}\n")
}

/// All keys that commands print.
fn printed(commands: &[&str]) -> Keys {
    let folder = beside_examples();
    let traces = super::root().join("data/silicon/wormhole");
    std::fs::create_dir(folder.path().join("wormhole")).expect("there is room");
    for file in std::fs::read_dir(traces).expect("it is there") {
        let path = file.expect("it can be listed").path();
        let to = folder.path().join("wormhole").join(path.file_name().expect("a file"));
        std::fs::copy(&path, to).expect("there is room");
    }
    std::fs::write(folder.path().join("changing.toml"), CHANGING).expect("there is room");
    for (name, text) in [
        ("weights.toml", collective("mesh:12", "operation = \"broadcast\"\nbytes = \"64 KB\"")),
        (
            "gradients.toml",
            collective("mesh:2x3", "operation = \"all-reduce\"\nbytes = \"1 KB\"\ncombine_time = \"1/64\""),
        ),
    ] {
        std::fs::write(folder.path().join(name), text).expect("there is room");
    }
    std::fs::write(folder.path().join("numbers.bin"), [7; 400]).expect("there is room");
    let mut keys = Keys::new();
    for command in commands {
        let output = Command::new(env!("CARGO_BIN_EXE_meshwright"))
            .current_dir(folder.path())
            .args(command.split_whitespace())
            .output()
            .expect("the program starts");
        if command.ends_with("--json") {
            let value: Value = serde_json::from_slice(&output.stdout)
                .unwrap_or_else(|_| panic!("{command}: {}", String::from_utf8_lossy(&output.stderr)));
            assert_eq!(value["format"], 1, "{command}");
            walk(&mut keys, "", &value);
        }
    }
    keys
}

/// Meanings, and which of them were asked for.
struct Meanings {
    all: BTreeMap<String, String>,
    used: BTreeSet<String>,
}

impl Meanings {
    fn read() -> Self {
        let text = crate::text(Path::new("tests/it/book/json_keys.toml"));
        Self { all: toml::from_str(&text).expect("meanings by name"), used: BTreeSet::new() }
    }

    /// That of the longest end of a path that has one, those of the verb first.
    fn of(&mut self, verb: &str, path: &str) -> Option<String> {
        let parts: Vec<&str> = path.split('.').collect();
        let ends = (0..parts.len()).map(|from| parts[from..].join("."));
        let names = ends.flat_map(|end| [format!("{verb}:{end}"), end]);
        let name = names.into_iter().find(|name| self.all.contains_key(name))?;
        self.used.insert(name.clone());
        Some(self.all[&name].clone())
    }
}

#[test]
fn every_key_has_a_meaning() {
    let printed: Vec<Keys> = COMMANDS.par_iter().map(|(_, commands)| printed(commands)).collect();
    let mut meanings = Meanings::read();
    let mut unknown = Vec::new();
    let mut page = format!(
        "# JSON by verb\n\n{WRITTEN}\n\n`--json` prints one object and nothing else. Keys are added, never renamed. `a.b` is the key `b` in \
         the object `a`, `a[].b` that of each object in the list `a`. Nodes are ids where nothing else is said.\n"
    );
    for ((verb, _), keys) in COMMANDS.iter().zip(printed) {
        let _ = writeln!(page, "\n## {verb}\n\n| key | type | meaning |\n|---|---|---|");
        for (path, kinds) in keys {
            let Some(meaning) = meanings.of(verb, &path) else {
                unknown.push(format!("{verb}: {path}"));
                continue;
            };
            let kinds = kinds.into_iter().collect::<Vec<_>>().join(" or ");
            let _ = writeln!(page, "| `{path}` | {kinds} | {meaning} |");
        }
    }
    assert!(unknown.is_empty(), "json_keys.toml does not say what these are:\n{}", unknown.join("\n"));
    let idle: Vec<_> = meanings.all.keys().filter(|name| !meanings.used.contains(*name)).collect();
    assert!(idle.is_empty(), "json_keys.toml has more than is printed: {idle:?}");
    hold("reference/json.md", &page);
}

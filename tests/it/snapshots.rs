//! Snapshots: what documented commands print and write is what `tests/snapshots/` holds, to the byte.
//!
//! After a change that is wanted: `MESHWRIGHT_SNAPSHOTS=record cargo test --test it snapshots`. `MESHWRIGHT_PROGRAM` names
//! another build of the program to record or to compare.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;

/// A longer text is held by its length and digest.
const BYTES_MAX: usize = 10_000;

/// Chains of commands of README, `examples/` and `docs/`, each run in a folder of its own beside `examples/` and `tests/data/`.
const COMMANDS: &[(&str, &[&str])] = &[
    // The grammar itself is held by `docs/reference/verbs/`; this is how it is laid out on a terminal.
    ("help", &["--help", "tour --help"]),
    ("plan-quickstart", &["plan examples/quickstart.toml --out plan"]),
    ("plan-broken-mesh", &["plan examples/broken-mesh.toml --out plan"]),
    ("plan-torus-trace", &["plan examples/torus-trace.toml --out plan"]),
    ("plan-load", &["plan load.toml --out plan", "plan load.toml --json"]),
    ("map-preset", &["map binomial:8 --on mesh:16x16 --preset matrix-chain --switching all"]),
    ("map-box", &["map divide:35 --on mesh:6x6 --placement auto"]),
    ("map-box-json", &["map divide:35 --on mesh:6x6 --placement auto --json"]),
    ("map-all-json", &["map binomial:4 --on mesh:4x4 --placement all --switching all --json"]),
    ("map-drawn", &["map binomial:5 --on mesh:8x8 --placement growing,auto --out drawn"]),
    (
        "explain",
        &[
            "map examples/lammps-lj-64.phases.csv --on mesh:8x8 --placement hilbert,recursive-bisection --switching wormhole --out plan",
            "explain plan/plan.json",
        ],
    ),
    ("explain-tree-json", &["map binomial:4 --on mesh:4x4 --placement growing,row-major --explain --json"]),
    ("map-trace", &["map examples/lammps-lj-16.phases.csv --on torus:4x4 --placement auto"]),
    (
        "map-search-json",
        &[
            "map examples/lammps-lj-16.phases.csv --on torus:4x4 --placement row-major,search --steps 2000 --json",
        ],
    ),
    (
        "map-launchers",
        &[
            "map binomial:4 --on mesh:4x4 --placement reflecting,row-major --emit rankfile:ranks.txt",
            "map binomial:4 --on mesh:4x4 --placement reflecting --emit mpich-rank-order:MPICH_RANK_ORDER",
            "map binomial:4 --on mesh:4x4 --placement reflecting --emit slurm-hostfile:hosts.txt",
            "map binomial:4 --on mesh:4x4 --placement reflecting --emit bgq-mapfile:map.txt",
            "map binomial:4 --on mesh:4x4 --placement reflecting --emit vcoordfile:vcoord.txt",
            "map binomial:4 --on mesh:4x4 --placement reflecting --emit scotch-map:b4.map",
            "map binomial:4 --on mesh:4x4 --placement b4.map --emit slurm-hostfile:hosts.txt --force",
        ],
    ),
    (
        "map-completion",
        &[
            "map binomial:10 --on mesh:32x32 --preset merge-sort --volume 4MB --size 1000000 --work 4 --startup 20000 --nodes 1..1024",
            "map binomial:8 --on mesh:8x8 --preset matrix-chain --work 500 --per-node 4",
        ],
    ),
    (
        "map-completion-json",
        &[
            "map divide:900 --on mesh:5x8 --preset graph-halving --size 900 --work 3 --nodes 1..40,6,15 --per-node 4,8 --cores 4 --host --json --out drawn",
        ],
    ),
    (
        "map-hosts",
        &[
            "map binomial:3 --on hwloc:two-packages.xml --placement bisection --emit rankfile:cores.txt",
            "map binomial:3 --on coordinates:coordinates.csv --placement growing --emit rankfile:ranks.txt",
        ],
    ),
    (
        "simulate-goal",
        &[
            "map binomial:4 --on mesh:4x4 --placement reflecting --emit goal:b4.goal",
            "simulate b4.goal --on mesh:4x4",
            "simulate b4.goal --on mesh:4x4 --json",
            "simulate b4.goal --on mesh:4x4 --engine flit --json",
            "simulate b4.goal --on torus:4x4 --switching cut-through",
        ],
    ),
    (
        "simulate-traffic",
        &[
            "simulate --on mesh:8x8 --traffic transpose --load 0.1 --preset booksim --set routing=odd-even",
            "simulate --on mesh:8x8 --traffic transpose --load 0.1 --preset booksim --set routing=odd-even --json",
        ],
    ),
    ("sweep", &["sweep --on mesh:8x8 --traffic uniform --packet 4 --points 5 --to 0.3 --out curve"]),
    ("sweep-json", &["sweep --on mesh:4x4 --traffic transpose --packet 4 --points 3 --to 0.3 --json"]),
    ("split", &["split mesh:50x50 --from 25,25 --sigma 0.1 --switching cut-through"]),
    ("split-one-port", &["split mesh:20x20 --from 2,3 --sigma 0.1 --ports one --results 0.5"]),
    ("split-next", &["split mesh:20x20 --from 2,3 --sigma 0.1 --next --places 3"]),
    (
        "split-queues",
        &[
            "split mesh:20x20 --from 2,3=20 --from 9,14=12.5 --sigma 0.1 --queues",
            "split mesh:20x20 --from 2,3=20 --from 9,14=12.5 --sigma 0.1 --queues --json",
        ],
    ),
    ("split-json", &["split mesh:8x8 --from 2,3 --sigma 0.1 --json"]),
    ("split-drawn", &["split torus:8x8 --from 4,4 --sigma 0.1 --startup 1e-5 --method optimum --out load"]),
    ("check", &["check claim.json", "check claim.json --json"]),
    ("machines", &["machines", "map binomial:3 --on wormhole --placement row-major,reflecting"]),
    ("groups-choice", &["groups mesh:16x16 --order hilbert --random 4 --split auto --tree auto"]),
    ("groups-json", &["groups mesh:4x4 --order snake --random 1 --split mask --json"]),
    ("groups-drawn", &["groups mesh:8x8 --order hilbert --random 2 --split paper --repeat 5 --out groups"]),
    (
        "race",
        &[
            "race broadcast --bytes 64KiB --on mesh:4x4 --algorithm chain,binomial --emit goal:broadcast.goal",
            "race all-reduce --bytes 1KB..1MB/3 --startup 10,1000 --on torus:4x4 --algorithm rabenseifner,ring --csv race.csv",
            "race all-reduce --bytes 1KB,1MB --startup 10,1000 --on torus:4x4 --algorithm rabenseifner,ring --out race",
        ],
    ),
    (
        "race-json",
        &["race reduce --bytes 4KB --on mesh:4x4 --algorithm chain,binomial --combine-time 1/4 --json"],
    ),
    (
        "groups-collective",
        &[
            "groups mesh:16x16 --collective all-reduce --random-members 64 --seed 7 --overhead 4",
            "groups mesh:8x8 --collective broadcast --random-members 20 --seed 7 --json",
        ],
    ),
];

fn place(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Fowler, Noll and Vo's digest of 128 bits (FNV-1a).
fn digest(bytes: &[u8]) -> u128 {
    let step = |sum: u128, &byte: &u8| (sum ^ u128::from(byte)).wrapping_mul((1 << 88) + 0x13b);
    bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, step)
}

/// A text as it stands, or its length and digest.
fn held(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.len() <= BYTES_MAX => {
            text.to_string() + if text.is_empty() || text.ends_with('\n') { "" } else { "\n(no newline)\n" }
        }
        _ => format!("({} bytes, digest {:032x})\n", bytes.len(), digest(bytes)),
    }
}

/// The files below a folder, by their names.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut all = BTreeSet::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.insert(path);
        }
    }
    all
}

/// An empty folder with the input that documented commands name.
pub(crate) fn beside_examples() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("there is room");
    let (root, examples) = (folder.path(), folder.path().join("examples"));
    std::fs::create_dir(&examples).expect("there is room");
    let data = files(&place("tests/data")).into_iter().map(|path| (path, root));
    let own = ["load.toml", "claim.json"].map(|name| (place("tests/snapshots").join(name), root));
    let shown = std::fs::read_dir(place("examples")).expect("it is there").map(|entry| entry.unwrap().path());
    let shown = shown.filter(|path| path.is_file()).map(|path| (path, examples.as_path()));
    for (path, to) in data.chain(own).chain(shown) {
        std::fs::copy(&path, to.join(path.file_name().expect("a file"))).expect("there is room");
    }
    folder
}

/// What the commands print and write, one after the other.
fn outcome(commands: &[&str]) -> String {
    let program = std::env::var_os("MESHWRIGHT_PROGRAM").unwrap_or(env!("CARGO_BIN_EXE_meshwright").into());
    let folder = beside_examples();
    let before = files(folder.path());
    let mut told = String::new();
    for words in commands {
        let output = Command::new(&program)
            .current_dir(folder.path())
            .args(words.split_whitespace())
            .env_remove("COLUMNS")
            .envs(words.ends_with("--help").then_some(("COLUMNS", "100")))
            .env("MESHWRIGHT_PROGRESS_SECONDS", "0")
            .env_remove("CLICOLOR_FORCE")
            .output()
            .expect("the program starts");
        let _ = write!(told, "$ meshwright {words}\n{}", held(&output.stdout));
        if !output.stderr.is_empty() {
            let _ = write!(told, "=== on stderr\n{}", held(&output.stderr));
        }
        if !output.status.success() {
            let _ = writeln!(told, "=== {}", output.status);
        }
    }
    for path in files(folder.path()).difference(&before) {
        let name = path.strip_prefix(folder.path()).expect("found there").display();
        let _ = write!(told, "=== {name}\n{}", held(&std::fs::read(path).expect("it is there")));
    }
    told
}

/// The first line in which two texts differ, around the first differing character.
fn difference(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let pairs = (0..).map(|line| (old.get(line).copied(), new.get(line).copied()));
    let (line, (old, new)) = pairs.enumerate().find(|(_, (old, new))| old != new).expect("they differ");
    let (was, is) = (old.unwrap_or_default(), new.unwrap_or_default());
    let same = was.chars().zip(is.chars()).take_while(|(a, b)| a == b).count();
    let part = |text: &str| text.chars().skip(same.saturating_sub(40)).take(120).collect::<String>();
    let shown = |line: Option<&str>| line.map_or("(the end)".to_string(), part);
    format!("line {}, column {}:\n  - {}\n  + {}", line + 1, same + 1, shown(old), shown(new))
}

pub(crate) fn is_recording() -> bool {
    std::env::var("MESHWRIGHT_SNAPSHOTS").is_ok_and(|value| value == "record")
}

/// Holds one outcome against its file, or records it; what is wrong.
fn compare(name: &str, commands: &[&str]) -> Option<String> {
    let path = place("tests/snapshots").join(format!("{name}.txt"));
    let new = outcome(commands);
    if is_recording() {
        std::fs::write(&path, new).expect("the repository can be written");
        return None;
    }
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    (old != new).then(|| format!("tests/snapshots/{name}.txt, {}", difference(&old, &new)))
}

fn hold(wrong: &[String]) {
    let how = "if this change is wanted, list it and record anew:\n  MESHWRIGHT_SNAPSHOTS=record cargo test --test it snapshots";
    assert!(wrong.is_empty(), "{}\n{how}", wrong.join("\n"));
}

#[test]
fn documented_commands_print_and_write_what_they_did() {
    let wrong: Vec<_> = COMMANDS.par_iter().filter_map(|(name, commands)| compare(name, commands)).collect();
    hold(&wrong);
}

#[test]
fn every_snapshot_is_made() {
    let made: BTreeSet<_> = COMMANDS.iter().map(|(name, _)| (*name).to_string()).collect();
    let is_text = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "txt");
    let there = files(&place("tests/snapshots")).into_iter().filter(is_text);
    let name = |path: PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
    let there: BTreeSet<_> = there.map(name).collect();
    assert!(is_recording() || there == made, "nobody makes {:?}", there.difference(&made));
}

#[test]
fn a_difference_is_shown_where_it_is() {
    let line = format!("{}x tail", "a".repeat(200));
    let shown = difference(&format!("same\n{line}"), &format!("same\n{}", line.replace('x', "y")));
    assert!(shown.starts_with("line 2, column 201:\n  - aaa") && shown.ends_with("ay tail"), "{shown}");
    assert!(difference("a\n", "").contains("(the end)"));
}

//! The program as a user meets it.

mod answers;
mod barrier_table;
mod begin;
mod busiest;
mod choices;
mod claims;
mod collective;
mod contract;
mod divide;
mod emit;
mod events;
mod fit;
mod further;
mod golden;
mod groups;
mod hostile;
mod load;
mod machines;
mod orders;
mod placing;
mod questions;
mod race;
mod routers;
mod rows;
mod run;
mod same;
mod search;
mod sort;
mod study;
mod torus;
mod trace;
mod traffic;
mod words;

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Runs the program in a folder: exit code, stdout, stderr.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = command(folder, arguments).output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program prints UTF-8");
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    command.current_dir(folder).args(arguments);
    command.env_remove("CLICOLOR_FORCE").env_remove("NO_COLOR").env_remove("COLUMNS");
    // A machine at work is slow: nothing but errors is expected on stderr.
    command.env("MESHWRIGHT_PROGRESS_SECONDS", "0");
    command
}

/// An empty folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn entries(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = std::fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

const SMALL: &str =
    "[machine]\ntopology = \"mesh:4x4\"\n[[divide]]\nname = \"sort\"\ntasks = \"binomial:4\"\n";
const GOAL: &str =
    "num_ranks 2\n\nrank 0 {\nl0: send 8b to 1 tag 1\n}\n\nrank 1 {\nl0: recv 8b from 0 tag 1\n}\n";

#[test]
fn help_has_examples_and_exit_codes() {
    let folder = folder(&[]);
    for arguments in [
        vec!["--help"],
        vec!["plan", "--help"],
        vec!["map", "--help"],
        vec!["split", "--help"],
        vec!["groups", "--help"],
        vec!["race", "--help"],
        vec!["check", "--help"],
        vec!["explain", "--help"],
        vec!["simulate", "--help"],
        vec!["fit", "--help"],
        vec!["sweep", "--help"],
        vec!["run", "--help"],
        vec!["claims", "--help"],
        vec!["sort", "--help"],
        vec!["divide", "--help"],
    ] {
        let (code, stdout, stderr) = run(folder.path(), &arguments);
        assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
        assert!(stdout.contains("Exit codes:"), "{stdout}");
        assert!(arguments.len() == 1 || stdout.contains("Examples:\n  meshwright "), "{stdout}");
    }
    let help = run(folder.path(), &["map", "-h"]).1;
    for placement in meshwright_mapping::PLACEMENTS {
        assert!(help.contains(placement.name), "{}: {help}", placement.name);
    }
    let costs = meshwright_network::topology::Costs::default();
    let costs = [costs.startup.0.to_string(), costs.byte_time.to_string(), costs.flit.0.to_string()];
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for cost in costs {
        assert!(words.contains(&format!("else {cost}]")), "{cost}: {help}");
    }
    assert_eq!(run(folder.path(), &["--version"]).0, 0);
}

#[test]
fn plan_prints_a_table_and_leaves_a_report() {
    let folder = folder(&[("s.toml", SMALL)]);
    let (code, stdout, stderr) = run(folder.path(), &["plan", "s.toml"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    for word in ["method", "bound", "predicted", "simulated", "gap", "busiest link", "* ", "seed 0"] {
        assert!(stdout.contains(word), "{word} is missing in\n{stdout}");
    }
    assert_eq!(stdout.lines().filter(|line| line.starts_with("* ")).count(), 1, "{stdout}");
    assert!(stdout.ends_with("Report: report.html\n"), "{stdout}");
    assert_eq!(entries(folder.path()), ["report.html", "s.toml"]);
}

#[test]
fn plan_writes_into_the_folder_it_is_given() {
    let folder = folder(&[("s.toml", SMALL)]);
    let (code, stdout, _) = run(folder.path(), &["plan", "s.toml", "--out", "a/b", "--seed", "7", "--json"]);
    assert_eq!(code, 0);
    assert_eq!(entries(folder.path()), ["a", "s.toml"]);
    let files = [
        "meshwright.json",
        "plan.json",
        "report.html",
        "sort-bars.svg",
        "sort-links.svg",
        "sort-placement.svg",
        "sort.goal",
        "sort.phases.csv",
    ];
    assert_eq!(entries(&folder.path().join("a/b")), files);
    assert_eq!(std::fs::read_to_string(folder.path().join("a/b/plan.json")).unwrap(), stdout);
    let plan: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&plan["format"], &plan["seed"]), (&1.into(), &7.into()));
    assert_eq!(plan["machine"]["topology"], "mesh:4x4");
    assert_eq!((&plan["jobs"][0]["kind"], &plan["jobs"][0]["name"]), (&"divide".into(), &"sort".into()));
    assert!(plan["jobs"][0]["winner"].is_string());
    let result = &plan["jobs"][0]["results"][0];
    for key in ["method", "bound_cycles", "predicted_cycles", "simulated_cycles", "gap", "hottest_link"] {
        assert!(result.get(key).is_some(), "{key} is missing in {result}");
    }
}

#[test]
fn map_and_simulate_write_into_the_folder_they_are_given() {
    let folder = folder(&[]);
    let map = ["map", "binomial:4", "--on", "mesh:4x4", "--out", "m", "--json"];
    let (code, stdout, _) = run(folder.path(), &map);
    assert_eq!(code, 0);
    let files = [
        "binomial-4-bars.svg",
        "binomial-4-links.svg",
        "binomial-4-placement.svg",
        "binomial-4.goal",
        "binomial-4.phases.csv",
    ];
    let all: Vec<_> = files
        .iter()
        .chain(&["map.json", "meshwright.json", "plan.json", "report.html"])
        .map(|f| f.to_string())
        .collect();
    assert_eq!(entries(&folder.path().join("m")), all);
    assert_eq!(std::fs::read_to_string(folder.path().join("m/map.json")).unwrap(), stdout);
    let simulate = ["simulate", "m/binomial-4.goal", "--on", "mesh:4x4", "--out", "s", "--json"];
    let (code, stdout, _) = run(folder.path(), &simulate);
    assert_eq!(
        (code, entries(&folder.path().join("s"))),
        (0, ["links.svg", "meshwright.json", "simulate.json"].map(String::from).to_vec())
    );
    assert_eq!(std::fs::read_to_string(folder.path().join("s/simulate.json")).unwrap(), stdout);
}

#[test]
fn json_alone_writes_no_file() {
    let folder = folder(&[("s.toml", SMALL)]);
    let (code, stdout, stderr) = run(folder.path(), &["plan", "s.toml", "--json"]);
    assert_eq!((code, stderr.as_str(), entries(folder.path())), (0, "", vec!["s.toml".to_string()]));
    assert_eq!(stdout.lines().count(), 1);
    assert_eq!(run(folder.path(), &["plan", "s.toml", "--json"]).1, stdout, "same input, same bytes");
}

#[test]
fn map_prints_figures_for_the_switchings_asked_for() {
    let folder = folder(&[]);
    let words = ["map", "binomial:4", "--on", "mesh:4x4", "--switching", "wormhole,store-and-forward"];
    let (code, stdout, _) = run(folder.path(), &words);
    assert_eq!(code, 0);
    assert!(stdout.contains("\nwormhole") && stdout.contains("\nstore-and-forward"), "{stdout}");
    assert!(!stdout.contains("dilation"), "{stdout}");
    let one = ["map", "binomial:4", "--on", "mesh:4x4", "--placement", "reflecting"];
    assert!(run(folder.path(), &one).1.contains("dilation"));
    let json =
        ["map", "binomial:4", "--on", "mesh:4x4", "--placement", "snake,growing", "--alpha", "1/4", "--json"];
    let map: Value = serde_json::from_str(&run(folder.path(), &json).1).unwrap();
    assert_eq!((&map["format"], &map["alpha"]), (&1.into(), &0.25.into()));
    assert_eq!((&map["tasks"], &map["machine"]), (&"binomial:4".into(), &"mesh:4x4".into()));
    assert_eq!(map["placements"][1]["name"], "growing");
    assert!(map["placements"][0]["time"]["store-and-forward"]["exact"].is_number());
}

#[test]
fn simulate_measures_a_schedule() {
    let folder = folder(&[("a.goal", GOAL)]);
    let (code, stdout, stderr) = run(folder.path(), &["simulate", "a.goal", "--on", "mesh:1x2"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains("cycles"), "{stdout}");
    let json = run(folder.path(), &["simulate", "a.goal", "--on", "mesh:1x2", "--json"]).1;
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&report["engine"], &report["deadlock"]), (&"message".into(), &Value::Null));
    let words = ["simulate", "a.goal", "--on", "mesh:1x2", "--engine", "flit", "--json"];
    let mut flit: Value = serde_json::from_str(&run(folder.path(), &words).1).unwrap();
    assert_eq!(flit["engine"], "flit");
    flit["engine"] = "message".into();
    assert_eq!(flit["routers"]["routing"], "dimension-order");
    flit["routers"] = Value::Null;
    assert_eq!(flit, report, "a message alone takes the same time on both engines");
}

#[test]
fn a_deadlock_is_a_negative_answer() {
    // On a ring of four, each sends to the node opposite: without date-line classes every worm holds a link and waits for
    // the next.
    let rank = |r: u32| {
        let peer = (r + 2) % 4;
        format!("rank {r} {{\nl0: send 1000b to {peer} tag 1\nl1: recv 1000b from {peer} tag 1\n}}\n")
    };
    let goal = format!("num_ranks 4\n{}", (0..4).map(rank).collect::<String>());
    let folder = folder(&[("a.goal", &goal)]);
    for more in [&[][..], &["--engine", "message"]] {
        let whole = [&["simulate", "a.goal", "--on", "torus:1x4"], more].concat();
        let (code, stdout, _) = run(folder.path(), &whole);
        let classes = "whole messages with date-line classes: 2 virtual channels, dimension-order";
        assert!(code == 0 && stdout.contains("message engine") && stdout.contains(classes), "{stdout}");
        let report: Value =
            serde_json::from_str(&run(folder.path(), &[&whole[..], &["--json"]].concat()).1).unwrap();
        assert_eq!((&report["engine"], &report["deadlock"]), (&"message".into(), &Value::Null));
        assert_eq!(report["routers"]["virtual_channels"], 2);
        assert_eq!(report["routers"]["whole_messages"], true);
    }
    let routing = [
        "simulate",
        "a.goal",
        "--on",
        "torus:1x4",
        "--set",
        "routing=dimension-order-one-class",
        "--set",
        "virtual_channels=1",
    ];
    let (code, stdout, stderr) = run(folder.path(), &[&routing[..], &["--json"]].concat());
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, stderr.as_str(), report["deadlock"].as_array().map(Vec::len)), (1, "", Some(4)));
    let (code, stdout, _) = run(folder.path(), &routing);
    assert!(code == 1 && stdout.contains("deadlock") && stdout.contains("(0,3) → (0,0)"), "{stdout}");
    let forward = ["simulate", "a.goal", "--on", "torus:1x4", "--switching", "store-and-forward"];
    assert_eq!(run(folder.path(), &forward).0, 0, "nobody holds a link while waiting for another");
}

/// Five worms on a ring of five, each two links long: each holds one link and waits for the next. The torus has a hole, so
/// that it has no date-line; and routers would take too much memory.
#[test]
fn a_plan_without_a_way_out_is_a_negative_answer() {
    let trace = "phase,source,target,bytes\n1,0,2,900\n1,1,3,900\n1,2,4,900\n1,3,0,900\n1,4,1,900\n";
    let scenario = "[machine]\ntopology = \"torus:2000x5\"\ndead = [[1999, 4]]\nbuffers = 65536\n[[divide]]\ntasks = \"ring.phases.csv\"\nplacement = \"row-major\"\n";
    let folder = folder(&[("s.toml", scenario), ("ring.phases.csv", trace)]);
    let (code, stdout, _) = run(folder.path(), &["plan", "s.toml", "--json"]);
    let plan: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &plan["jobs"][0]["winner"]), (1, &Value::Null));
    assert_eq!(plan["jobs"][0]["skipped"][0]["deadlock"], true);
    let (code, stdout, _) = run(folder.path(), &["plan", "s.toml"]);
    assert_eq!(code, 1);
    assert!(stdout.contains("row-major is left out: it deadlocks under wormhole"), "{stdout}");
    assert_eq!(entries(folder.path()), ["report.html", "ring.phases.csv", "s.toml"]);
    // With room in the nodes it comes to an end.
    let released = scenario.replace("[[divide]]", "switching = \"cut-through\"\n[[divide]]");
    std::fs::write(folder.path().join("s.toml"), released).unwrap();
    assert_eq!(run(folder.path(), &["plan", "s.toml"]).0, 0);
}

/// On a link of 7/3 bytes a cycle times are not whole; both verbs count the cycles a clock needs.
#[test]
fn map_and_plan_agree_on_the_gap() {
    let machine = "[machine]\ntopology = \"mesh:8x8\"\nbyte_time = \"3/7\"\n";
    let scenario = format!("{machine}[[divide]]\ntasks = \"binomial:6\"\nvolume = 65536\n");
    let folder = folder(&[("m.toml", machine), ("s.toml", &scenario)]);
    let json =
        |arguments: &[&str]| -> Value { serde_json::from_str(&run(folder.path(), arguments).1).unwrap() };
    let map = json(&["map", "binomial:6", "--on", "m.toml", "--json"]);
    let plan = json(&["plan", "s.toml", "--json"]);
    let results = plan["jobs"][0]["results"].as_array().unwrap();
    for (row, result) in map["placements"].as_array().unwrap().iter().zip(results) {
        assert_eq!((&row["name"], &row["gap"]["wormhole"]), (&result["method"], &result["gap"]));
    }
    assert_eq!(map["placements"][2]["gap"]["wormhole"], 0.0, "centred halving meets the bound");
}

#[test]
fn bad_scenarios_are_drawn() {
    let cases = [
        (
            "# a comment\n[machine]\ntopology = \"mesh:8x8\"\nswithing = \"wormhole\"\n",
            "error: unknown key `swithing` in [machine]\n --> s.toml:4:1\n  |\n4 | swithing = \"wormhole\"\n  | ^^^^^^^^ expected `switching`\n",
        ),
        (
            "[machine]\ntopology = \"mesh:8x8\"\nstartup = \"2 us\"\n",
            "error: `startup` is \"2 us\"\n --> s.toml:3:11\n  |\n3 | startup = \"2 us\"\n  |           ^^^^^^ expected cycles, since the machine has no `clock` (such as clock = \"1 GHz\")\n",
        ),
        (
            "[machine]\ntopology = \"mesh:4x4\"\n[[divide]]\ntasks = \"binomial:5\"\n",
            "error: tasks is `binomial:5` with 32 tasks\n --> s.toml:4:9\n  |\n4 | tasks = \"binomial:5\"\n  |         ^^^^^^^^^^^^ expected at most 16, one for each working node of mesh:4x4\n",
        ),
        (
            "",
            "error: the file is empty\n --> s.toml:1:1\n  |\n1 |\n  | ^ expected a `[machine]` table with topology = \"mesh:8x8\" or another network\n",
        ),
    ];
    for (text, expected) in cases {
        let folder = folder(&[("s.toml", text)]);
        let (code, stdout, stderr) = run(folder.path(), &["plan", "s.toml", "--out", "plans"]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
        assert_eq!(stderr, expected);
        assert_eq!(entries(folder.path()), ["s.toml"], "nothing is written");
    }
}

#[test]
fn the_column_of_a_long_line_is_the_column_in_the_file() {
    let text = format!("[machine]\ntopology = \"mesh:4x4\"\ndead = [{}[9, 9]]\n", "[0, 0], ".repeat(50));
    let folder = folder(&[("s.toml", &text)]);
    let (code, _, stderr) = run(folder.path(), &["plan", "s.toml"]);
    assert_eq!(code, 2);
    assert!(stderr.contains(" --> s.toml:3:410\n"), "{stderr}");
}

#[test]
fn bad_options_are_one_error() {
    let folder = folder(&[]);
    for (arguments, phrase) in [
        ("", "Usage"),
        ("paln", "plan"),
        ("plan", "SCENARIO.toml"),
        ("plan no.toml", "error: no.toml: "),
        ("plan .", "error: "),
        ("map binomial:2", "--on"),
        ("map binomial:2 --on mesh:2x2x", "sides joined by x"),
        ("map binomial:3 --on mesh:2x2", "`binomial:3` with 8 tasks; expected at most 4"),
        ("map binomial:99 --on mesh:2x2", "binomial:24"),
        ("map binomial:2 --on mesh:2x2 --alpha 1.5", "at most 1"),
        ("map binomial:2 --on mesh:2x2 --alpha nan", "at most 1"),
        ("map binomial:2 --on mesh:2x2 --volume 3yd", "64 KiB"),
        ("map binomial:2 --on mesh:2x2 --volume -3", "expected 1 to 1099511627776 bytes"),
        ("map binomial:2 --on mesh:2x2 --alpha -1", "'-1' for '--alpha <SHARE>': expected a number above 0"),
        ("map binomial:2 --on mesh:2x2 --startup -1", "expected whole cycles"),
        ("map binomial:2 --on mesh:2x2 --seed -1", "expected a whole number from 0"),
        ("map binomial:2 --on mesh:2x2 --placement all,foo", "placement is `foo`"),
        ("map binomial:2 --on m.json", "or a file that ends in .toml"),
        ("map binomial:2 --on no.TOML", "error: no.TOML: "),
        ("map a\u{7}.goal --on mesh:2x2", "error: a\\u{7}.goal: "),
        ("map binomial:2 --on mesh:2x2 --startup 99999999999", "at most"),
        ("map binomial:2 --on mesh:2x2 --switching wormhol", "did you mean `wormhole`"),
        ("map binomial:2 --on mesh:2x2 --placement snake,hilbrt", "did you mean `hilbert`"),
        ("map no.phases.csv --on mesh:2x2 --alpha 0.5", "alpha"),
        ("map no.phases.csv --on mesh:2x2", "no.phases.csv"),
        ("simulate no.goal --on mesh:2x2", "no.goal"),
        ("simulate no.goal --on no.toml", "no.toml"),
    ] {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let (code, stdout, stderr) = run(folder.path(), &words);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments}: {stderr}");
        assert!(stderr.contains(phrase), "{arguments}: {stderr}");
    }
    assert!(entries(folder.path()).is_empty());
}

#[test]
fn colours_are_for_terminals_and_those_who_ask() {
    let folder = folder(&[("s.toml", "x")]);
    assert!(!run(folder.path(), &["plan", "s.toml"]).2.contains('\u{1b}'));
    assert!(run(folder.path(), &["--color", "always", "plan", "s.toml"]).2.contains('\u{1b}'));
    let output = command(folder.path(), &["plan", "s.toml"]).env("NO_COLOR", "1").output().unwrap();
    assert!(!output.stderr.contains(&0x1b));
}

#[test]
fn a_reader_may_go_away() {
    let folder = folder(&[]);
    let mut child = command(folder.path(), &["map", "binomial:12", "--on", "mesh:64x64", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let folder = folder(&[("s.toml", SMALL), ("file", "")]);
    let (code, stdout, stderr) = run(folder.path(), &["plan", "s.toml", "--out", "file"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("expected a folder, which file is not"), "{stderr}");
}

//! `split`, `check` and `[[load]]`: the contract, the thesis's claim refuted, edges, and errors with their places.

use super::contract::{Contract, hold};
use super::*;

const SPLIT: &Contract = &[
    ("", &["format", "machine", "sigma", "sources", "methods"]),
    ("sources/*", &["node", "at", "load", "release"]),
    ("bound", &["makespan", "speedup", "cut", "processors"]),
    (
        "methods/*",
        &[
            "name",
            "switching",
            "speedup",
            "makespan",
            "layers",
            "fractions",
            "nodes_used",
            "feasible",
            "violated_cut",
            "bound_speedup",
            "simulated_speedup",
            "cells",
            "cell_speedups",
            "saved",
        ],
    ),
    ("methods/*/violated_cut", &["nodes", "capacity", "demand"]),
];

const PLAN: &Contract = &[
    (
        "jobs/*",
        &["kind", "name", "winner", "reason", "results", "skipped", "sigma", "sources", "bytes", "bound"],
    ),
    (
        "jobs/*/results/*",
        &[
            "method",
            "bound_cycles",
            "predicted_cycles",
            "simulated_cycles",
            "gap",
            "hottest_link",
            "feasible",
        ],
    ),
    ("jobs/*/results/*/hottest_link", &["from", "to", "messages"]),
];

/// What `split` prints, which must keep to the contract.
fn split(words: &str) -> Value {
    let words: Vec<&str> = words.split_whitespace().collect();
    hold(SPLIT, folder(&[]).path(), &[&["split"][..], &words, &["--json"]].concat())
}

/// The first answer of a method.
fn method<'v>(answer: &'v Value, name: &str) -> &'v Value {
    let methods = answer["methods"].as_array().expect("a list");
    methods.iter().find(|method| method["name"] == name).unwrap_or_else(|| panic!("no {name} in {answer}"))
}

fn float(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is a number"))
}

#[test]
fn the_thesis_promises_more_than_the_links_of_the_source_carry() {
    let answer = split("mesh:50x50 --from 25,25 --sigma 0.1 --switching cut-through --deadline 0.1");
    let thesis = method(&answer, "flow-matrix");
    assert!((float(&thesis["speedup"]) - 345.48).abs() < 0.005);
    assert_eq!(thesis["feasible"], false);
    assert_eq!(thesis["violated_cut"]["nodes"], serde_json::json!([25 * 50 + 25]));
    assert!((float(&thesis["ratio_to_bound"]) - 8.43).abs() < 0.005);
    let optimum = method(&answer, "optimum");
    assert_eq!((&optimum["speedup"], &optimum["feasible"]), (&41.0.into(), &true.into()));
    assert_eq!(answer["bound"]["processors"], serde_json::json!({ "at_least": 41, "at_most": 41 }));
    assert_eq!(answer["deadline"]["processors"]["at_least"], 10, "ten processors take a tenth of the time");
    let sent = float(&method(&answer, "installments")["simulated_speedup"]);
    assert!((40.0..=41.0).contains(&sent), "{sent}");
    assert_eq!(answer["winner"], "installments");
    for answer in answer["methods"].as_array().expect("a list") {
        let simulated = float(&answer["simulated_speedup"]);
        assert!(simulated <= 41.0 * (1.0 + 1e-9), "no schedule beats the bound: {simulated}");
    }
    // One layer's share times its nodes, over all layers, is the load.
    let [layers, fractions] = ["layers", "fractions"].map(|key| thesis[key].as_array().expect("a list"));
    let sum: f64 = layers.iter().zip(fractions).map(|(nodes, share)| float(nodes) * float(share)).sum();
    assert!((sum - 1.0).abs() < 1e-12, "{sum}");
}

#[test]
fn several_sources_have_cells() {
    let answer = split("mesh:7x9 --from 1,1 --from 1,7 --from 5,4 --sigma 1/100 --switching cut-through");
    let voronoi = method(&answer, "voronoi");
    let rows = voronoi["cells"].as_array().expect("rows");
    // The label map of the reference.
    let golden: Value = serde_json::from_str(include_str!("../../golden/load.json")).expect("JSON");
    for (row, golden) in rows.iter().zip(golden["voronoi"][0]["labels"].as_array().expect("rows")) {
        let labels: String =
            row.as_array().expect("a row").iter().map(|label| label.as_u64().unwrap().to_string()).collect();
        assert_eq!(labels, golden.as_str().expect("a text"));
    }
    assert_eq!((rows.len(), voronoi["cell_speedups"].as_array().map(Vec::len)), (7, Some(3)));
    let names: Vec<&Value> =
        answer["methods"].as_array().unwrap().iter().map(|method| &method["name"]).collect();
    for name in ["reduced", "accelerated", "constrained", "constrained-extended", "installments", "optimum"] {
        assert!(names.contains(&&name.into()), "{name} in {names:?}");
    }
    assert!(!names.contains(&&"flow-matrix".into()), "it knows one source");
    let skipped = answer["skipped"].as_array().unwrap();
    assert!(skipped.iter().any(|skipped| skipped["method"] == "epsa"), "its sources are not connected");
    let literal = split("mesh:1x7 --from 0,1 --from 0,3 --sigma 0.01 --reduction literal --method reduced");
    assert!(method(&literal, "reduced")["warning"].is_string(), "the thesis's pseudo-code makes it slower");
}

/// Everything on the edge of what a load can be: right answers.
/// 16 nodes for 2 sources: the ideal community has layers of 1, 4 and 3 nodes.
#[test]
fn the_slowest_cell_is_held_against_the_ideal_community() {
    let answer = split("mesh:4x4 --from 0,0 --from 3,3 --sigma 0.5 --switching cut-through");
    let voronoi = method(&answer, "voronoi");
    let cells = voronoi["cell_speedups"].as_array().unwrap().iter().map(float);
    let slowest = cells.fold(f64::MAX, f64::min);
    assert!((float(&voronoi["beta"]) - slowest / (1.0 + 4.0 + 3.0 * 0.5)).abs() < 1e-12, "{voronoi}");
    assert!(method(&answer, "optimum")["beta"].is_null());
    let unequal = split("mesh:4x4 --from 0,0=2 --from 3,3 --sigma 0.5 --switching cut-through");
    assert!(method(&unequal, "voronoi")["beta"].is_null(), "the thesis has it for equal loads alone");
}

#[test]
fn edges_have_right_answers() {
    for (words, speedup) in [
        ("mesh:1x1 --from 0,0 --sigma 0.1", 1.0),
        ("mesh:1x5 --from 0,0 --sigma 1", 2.0),
        ("mesh:1x5 --from 0,2 --sigma 0", 5.0),
        ("mesh:3x3 --from 1,1 --sigma 0", 9.0),
        ("mesh:3x3 --from 1,1 --sigma 4", 2.0),
        ("mesh:3x3 --from 1,1 --from 1,1 --sigma 1", 5.0),
        ("mesh:1x2 --from 0,0 --from 0,1 --sigma 1", 2.0),
        ("mesh:2x2 --from 0,0 --from 0,1 --from 1,0 --from 1,1 --sigma 5", 4.0),
        ("hypercube:3 --from 5 --sigma 1", 4.0),
        ("mesh:2x2 --from 0,0 --z 1 --tcm 2 --w 4 --tcp 1", 4.0),
        ("mesh:3x3 --from 0,0=1e-300 --sigma 1/4", 9.0),
    ] {
        let answer = split(words);
        let bound = float(&answer["bound"]["speedup"]);
        assert!((bound - speedup).abs() < 1e-9, "{words}: {bound}");
        let optimum = method(&answer, "optimum");
        assert_eq!(optimum["feasible"], true, "{words}");
        let sent = float(&method(&answer, "installments")["simulated_speedup"]);
        assert!(sent <= speedup * (1.0 + 1e-9) && sent > 0.9 * speedup, "{words}: {sent}");
    }
    let released = split("mesh:1x1 --from 0,0=1@2 --sigma 1");
    assert!((float(&released["bound"]["makespan"]) - 3.0).abs() < 1e-9);
}

#[test]
fn unequal_processors_and_links_come_from_a_file() {
    let folder = folder(&[("s.csv", "node,to,time\n1,,0.5\n0,1,inf\n")]);
    let words = "split mesh:1x3 --from 0,0 --sigma 0.1 --speeds s.csv --json";
    let (code, stdout, stderr) = run(folder.path(), &words.split(' ').collect::<Vec<_>>());
    assert_eq!((code, stderr.as_str()), (0, ""));
    let answer: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(answer["bound"]["speedup"], 1.0, "the source is cut off");
    std::fs::write(folder.path().join("split.json"), &stdout).unwrap();
    assert_eq!(run(folder.path(), &["check", "split.json"]).0, 0, "speeds are read again");
}

#[test]
fn what_is_no_load_is_one_error() {
    let folder = folder(&[("s.csv", "node,to,time\n9,,1\n"), ("c.json", "{ \"sigma\": nan }")]);
    for (words, phrase) in [
        ("split mesh:3x3 --from 0,0 --sigma nan", "'nan' for '--sigma <S>': expected a number of at least 0"),
        ("split mesh:3x3 --from 0,0 --sigma inf", "expected a number of at least 0"),
        ("split mesh:3x3 --from 0,0 --sigma -1", "expected a number of at least 0"),
        ("split mesh:3x3 --from 0,0 --sigma 1/0", "expected a number of at least 0"),
        ("split mesh:3x3 --from 0,0", "--sigma"),
        ("split mesh:3x3 --sigma 0.1", "--source"),
        ("split mesh:3x3 --from 3,0 --sigma 0.1", "source is `3,0`; expected 0..2,0..2"),
        ("split mesh:3x3 --from 9 --sigma 0.1", "expected 0..2,0..2 or 0..8"),
        ("split mesh:3x3 --from 0,0=0 --sigma 0.1", "a load above 0"),
        ("split mesh:3x3 --from 0,0=nan --sigma 0.1", "a load above 0"),
        ("split mesh:3x3 --from 0,0@-1 --sigma 0.1", "source is `0,0@-1`"),
        ("split hypercube:3 --from 8 --sigma 0.1", "expected 0..7"),
        ("split mesh:3x3 --from 0,0 --sigma 0.1 --method optimal", "did you mean `optimum`?"),
        ("split mesh:3x3 --from 0,0 --sigma 0.1 --switching wormhole", "`modified-store-and-forward`"),
        ("split mesh:3x3 --from 0,0 --sigma 0.1 --reduction peal", "did you mean `peel`?"),
        ("split mesh:3x3 --from 0,0 --sigma 0.1 --z 1 --tcm 1 --w 1 --tcp 1", "cannot be used with"),
        ("split mesh:3x3 --from 0,0 --z 1 --tcm 1", "--w"),
        ("split mesh:3x3 --from 0,0 --z 1 --tcm 1 --w 0 --tcp 1", "w is 0; expected a number above 0"),
        ("split mesh:3x3 --from 0,0 --sigma 0.1 --deadline 0", "deadline is 0"),
        ("split mesh:3x3 --from 0,0 --sigma 0.1 --chunks 0", "1..="),
        ("split mesh:3x3 --from 0,0 --sigma 0.1 --speeds s.csv", " --> s.csv:2:1\n"),
        ("split mesh:3x3 --from 0,0 --from 2,2 --sigma 0.1 --method flow-matrix", "knows one"),
        ("check c.json", " --> c.json:1:"),
        ("check no.json", "error: no.json: "),
    ] {
        let (code, stdout, stderr) = run(folder.path(), &words.split(' ').collect::<Vec<_>>());
        assert_eq!((code, stdout.as_str()), (2, ""), "{words}: {stderr}");
        assert!(stderr.contains(phrase), "{words}: {stderr}");
    }
    assert_eq!(entries(folder.path()), ["c.json", "s.csv"]);
}

#[test]
fn a_claim_is_possible_or_refuted() {
    let folder = folder(&[]);
    let check = |text: &str| {
        std::fs::write(folder.path().join("c.json"), text).unwrap();
        let (code, stdout, stderr) = run(folder.path(), &["check", "c.json", "--json"]);
        assert_eq!(stderr, "", "{text}");
        (code, serde_json::from_str::<Value>(&stdout).unwrap())
    };
    let square = r#"{"machine": "mesh:2x2", "sigma": "1/2", "sources": [[0, 0]], "speedup": SPEEDUP, "fractions": FRACTIONS}"#;
    let claim = |speedup: &str, fractions: &str| {
        check(&square.replace("SPEEDUP", speedup).replace("FRACTIONS", fractions))
    };
    // The thesis is right on 2 x 2: 2/7, 2/7, 1/7.
    let (code, answer) = claim("3.5", "[0.2857142857142857, 0.2857142857142857, 0.14285714285714285]");
    assert_eq!((code, &answer["feasible"]), (0, &true.into()));
    // Four processors in a quarter of the time: the two links carry just that.
    assert_eq!(claim("4", "[0.25, 0.25, 0.25]").0, 0);
    let (code, answer) = claim("4.5", "[0.25, 0.25, 0.25]");
    assert_eq!((code, &answer["claims"][0]["overloaded"]), (1, &0.into()));
    // Everything far away.
    let (code, answer) = claim("2.5", "[0, 0, 1]");
    assert_eq!((code, &answer["claims"][0]["feasible"]), (1, &false.into()));
}

/// What `split` says of its methods, `check` finds again from the shares alone.
#[test]
fn check_agrees_with_split() {
    let folder = folder(&[]);
    for words in [
        "mesh:5x5 --from 2,2 --sigma 0.5",
        "mesh:6x6 --from 0,1 --from 4,4=2 --from 5,0 --sigma 0.2 --switching cut-through",
        "torus:4x5 --from 0,1 --from 0,2=2 --sigma 0.1 --switching cut-through,modified-store-and-forward",
        "mesh:4x4 --from 0,1 --from 3,3@0.02 --sigma 0.2",
    ] {
        let answer = split(words);
        std::fs::write(folder.path().join("split.json"), answer.to_string()).unwrap();
        let (code, stdout, stderr) = run(folder.path(), &["check", "split.json", "--json"]);
        assert_eq!(stderr, "", "{words}");
        let check: Value = serde_json::from_str(&stdout).unwrap();
        let said = |list: &Value| -> Vec<(String, bool)> {
            let pair = |one: &Value| (one["name"].to_string(), one["feasible"] == true);
            list.as_array().unwrap().iter().map(pair).collect()
        };
        assert_eq!(said(&check["claims"]), said(&answer["methods"]), "{words}");
        let all = said(&check["claims"]).iter().all(|(_, feasible)| *feasible);
        assert_eq!(code, i32::from(!all), "{words}");
        let (_, text, _) = run(folder.path(), &["check", "split.json"]);
        assert!(text.contains("No schedule is faster"), "{text}");
    }
}

const CLAIMS: &[(&str, &str)] = &[
    ("", ":1:1: EOF while parsing a value"),
    ("[]", ":1:1: the file is no object"),
    ("{\n  \"machine\": \"mesh:2x2\",\n  \"sigma\": nan\n}", ":3:13: expected ident"),
    ("{\"machine\": \"mesh:2x\"}", ":1:2: machine size is `2x`"),
    ("{\"machine\": \"mesh:2x2\"}", ":1:1: there is no `sigma`"),
    ("{\"machine\": \"mesh:2x2\", \"sigma\": -1}", ":1:25: `sigma` is -1"),
    ("{\"machine\": \"mesh:2x2\", \"sigma\": 1, \"sources\": []}", ":1:37: number of sources is 0"),
    ("{\"machine\": \"mesh:2x2\", \"sigma\": 1, \"sources\": [4]}", ":1:37: `sources` is"),
    ("{\"machine\": \"mesh:2x2\", \"sigma\": 1, \"sources\": [0]}", ": there is no `makespan`"),
    ("{\"machine\": \"mesh:2x2\", \"sigma\": 1, \"sources\": [0], \"speedup\": 0}", ":1:53: `speedup` is 0"),
    ("{\"machine\": \"mesh:2x2\", \"sigma\": 1, \"sources\": [0], \"speedup\": 2}", ": there is no `shares`"),
    ("{\"port\": \"one\", \"machine\": \"mesh:2x2\"}", ":1:7: unknown key `port`; expected `ports`"),
    (
        "{\"sources\": [{\"at\": 0, \"time\": 1}]}",
        "unknown key `time`; expected `at`, `node`, `load`, `release`",
    ),
    ("{\"variant\": {\"ports\": 1, \"ports\": 2}}", "`ports` stands here twice; expected each key once"),
    (
        "{\"format\": 1, \"machine\": \"mesh:2x2\", \"sigma\": 1}",
        ":1:2: the file is an answer without `methods`",
    ),
    (
        "{\"machine\": \"mesh:2x2\", \"sigma\": 1, \"sources\": [0], \"speedup\": 2, \"shares\": [1]}",
        ":1:67: `shares` is a list",
    ),
    (
        "{\"machine\": \"mesh:2x2\", \"sigma\": 1, \"sources\": [0], \"speedup\": 2, \"shares\": [1,1,0,0]}",
        ":1:67: the shares sum to 2",
    ),
    (
        "{\"machine\": \"mesh:2x2\", \"sigma\": 1, \"sources\": [0], \"speedup\": 2, \"shares\": [1,0,0,0], \"switching\": \"x\"}",
        ": switching is `x`",
    ),
];

#[test]
fn a_file_that_is_no_claim_is_refused_with_its_place() {
    for (text, place) in CLAIMS {
        let error =
            meshwright_formats::scenario::claim::read_bytes(Path::new("c.json"), text.as_bytes().to_vec());
        let error = error.expect_err(text).to_string();
        assert!(error.starts_with("c.json:") && error.contains(place), "{text}: {error}");
    }
}

/// The averages of a few rounds: the same for the same seed, and the reduction by layers keeps the makespan.
#[test]
fn random_sources_are_averaged() {
    let folder = folder(&[]);
    let words = "split mesh:12x12 --random 4 --rounds 6 --seed 3 --sigma 0.05 --switching cut-through --json";
    let words: Vec<&str> = words.split(' ').collect();
    let (code, stdout, stderr) = run(folder.path(), &words);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let answer: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (&answer["rounds"], &answer["long_rounds"], &answer["seed"]),
        (&6.into(), &6.into(), &3.into())
    );
    let reductions = answer["averages"][0]["reductions"].as_array().unwrap();
    assert_eq!((&reductions[0]["reduction"], &reductions[0]["broken_share"]), (&"peel".into(), &0.0.into()));
    let against = &answer["against_optimum"][0];
    let [optimum, within] = ["optimum", "within_voronoi"].map(|key| float(&against[key]["mean"]));
    assert!(optimum >= within && within > 1.0, "{optimum}, {within}");
    assert_eq!(run(folder.path(), &words).1, stdout, "the same seed gives the same bytes");
    assert_eq!(run(folder.path(), &[&words[..], &["--from", "0,0"]].concat()).0, 2);
    let none = "split mesh:2x2 --random 5 --rounds 6 --sigma 0.05";
    assert!(run(folder.path(), &none.split(' ').collect::<Vec<_>>()).2.contains("number of sources is 5"));
}

#[test]
fn the_camera_array_is_planned() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let plan = hold(PLAN, repository, &["plan", "examples/ingest.toml", "--json"]);
    let job = &plan["jobs"][0];
    assert_eq!(
        (&job["kind"], &job["name"], &job["winner"]),
        (&"load".into(), &"cameras".into(), &"installments".into())
    );
    assert!((float(&job["sigma"]) - 0.05).abs() < 1e-12);
    let results = job["results"].as_array().unwrap();
    assert_eq!(results.len(), 5);
    for result in results {
        let [bound, simulated] =
            ["bound_cycles", "simulated_cycles"].map(|key| result[key].as_u64().unwrap());
        assert!(bound <= simulated, "{result}");
    }
    assert!(job["front"].as_array().is_some_and(|rows| rows.len() > 3), "fewer processors, fewer messages");
    // 48 MB at 50 MB/s are 0.96 s; the first camera has 0.4 of it, three links and itself: 61 times as fast.
    // For the first 200 cycles, the start-up of a message, it works alone.
    let bound = results[0]["bound_cycles"].as_u64().unwrap() as f64;
    assert!((bound - (200.0 + (0.4 * 0.96e9 - 200.0) / 61.0)).abs() <= 1.0, "{bound}");
    // L3: nothing on the front is faster than the winner, and the winner is on it.
    let winner = results.iter().find(|result| result["method"] == job["winner"]).expect("a winner");
    let front = job["front"].as_array().unwrap().iter();
    assert_eq!(
        front.map(|row| row["simulated_cycles"].as_u64()).min(),
        Some(winner["simulated_cycles"].as_u64())
    );
}

/// What the table calls undecided is not plainly false for a script.
#[test]
fn the_reading_stands_in_the_csv() {
    let folder = folder(&[]);
    let split = ["split", "mesh:3x3", "--from", "0,0", "--sigma", "0.3", "--ports", "2", "--csv", "rows.csv"];
    let (code, table, stderr) = run(folder.path(), &split);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let csv = crate::text(&folder.path().join("rows.csv"));
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|known| *known == name).expect(name);
    let [method, feasible, reading] = ["method", "feasible", "reading"].map(column);
    for row in &rows[1..] {
        assert_eq!(row[feasible] == "true", row[reading] == "yes", "{row:?}");
    }
    let of_matrix = rows.iter().filter(|row| row[method] == "flow-matrix").map(|row| row[reading]);
    let readings: Vec<&str> = of_matrix.collect();
    assert_eq!(readings, ["yes", "no", "undecided"]);
    assert!(readings.iter().all(|reading| table.contains(reading)), "{table}");
}

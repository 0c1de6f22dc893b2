//! `--csv`: what JSON says, in rows.

use std::path::Path;

use serde_json::Value;

use super::{entries, folder, run};

/// The rows of a CSV file as any reader has them: every row as long as the head.
pub(super) fn csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut cell, mut quoted) = (vec![vec![]], String::new(), false);
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => rows.last_mut().expect("a row").push(std::mem::take(&mut cell)),
            '\n' if !quoted => {
                rows.last_mut().expect("a row").push(std::mem::take(&mut cell));
                rows.push(vec![]);
            }
            c => cell.push(c),
        }
    }
    assert_eq!(rows.pop(), Some(vec![]), "the last line ends");
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{rows:?}");
    rows
}

/// The JSON object and the table of a command.
fn ask(place: &Path, line: &str) -> (Value, Vec<Vec<String>>) {
    let line = format!("{line} --csv t.csv --force --json");
    let (code, text, error) = run(place, &line.split(' ').collect::<Vec<_>>());
    assert!(code < 2, "{error}");
    let rows = csv(&std::fs::read_to_string(place.join("t.csv")).unwrap());
    (serde_json::from_str(&text).expect("JSON"), rows)
}

/// A cell by the head of its column.
fn cell(rows: &[Vec<String>], at: usize, name: &str) -> String {
    let column = rows[0].iter().position(|head| head == name).expect(name);
    rows[at][column].clone()
}

#[test]
fn a_plan_has_a_row_for_each_method() {
    let place = folder(&[(
        "s.toml",
        "[machine]\ntopology = \"mesh:2x4\"\nstartup = 0\n[[divide]]\nname = \"a, b\"\ntasks = \"binomial:3\"\n[[load]]\nname = \"l\"\nsources = [{ at = [0, 0], load = 1 }]\nsigma = 0.1\n",
    )]);
    let (code, ..) = run(place.path(), &["plan", "s.toml", "--csv", "p.csv", "--json"]);
    let rows = csv(&std::fs::read_to_string(place.path().join("p.csv")).unwrap());
    assert_eq!((code, &*rows[1][0], &*rows[1][1]), (0, "a, b", "divide"));
    for job in ["a, b", "l"] {
        assert_eq!(rows.iter().filter(|row| row[0] == job && row[3] == "true").count(), 1, "{rows:?}");
    }
}

/// Groups by size, an operation by structure, a simulated schedule and a load of traffic: what JSON says, in rows.
#[test]
fn groups_and_simulations_have_rows() {
    let goal = "num_ranks 2\nrank 0 { send 64b to 1 }\nrank 1 { recv 64b from 0 }\n";
    let place = folder(&[("a.goal", goal)]);
    let (answer, rows) = ask(place.path(), "groups --on mesh:4x4 --levels 2 --repeat 2");
    let sizes = answer["by_size"].as_array().unwrap();
    assert_eq!(rows.len(), 1 + sizes.len());
    for (at, size) in sizes.iter().enumerate() {
        assert_eq!(cell(&rows, at + 1, "members"), size["size"].to_string());
        assert_eq!(cell(&rows, at + 1, "barrier_steps_max"), size["barrier_steps_max"].to_string());
    }
    let (answer, rows) = ask(place.path(), "groups --on mesh:4x4 --collective all");
    let of = |one: &Value| one["structures"].as_array().unwrap().len();
    assert_eq!(rows.len(), 1 + answer["collectives"].as_array().unwrap().iter().map(of).sum::<usize>());
    assert_eq!(cell(&rows, 1, "operation"), answer["collectives"][0]["operation"].as_str().unwrap());
    let (answer, rows) = ask(place.path(), "simulate a.goal --on mesh:1x2");
    assert_eq!((rows.len(), cell(&rows, 1, "cycles")), (2, answer["cycles"].to_string()));
    assert_eq!(cell(&rows, 1, "busiest_bytes"), "64");
    let (answer, rows) =
        ask(place.path(), "simulate --on mesh:4x4 --traffic uniform --load 0.1 --measure 300");
    assert_eq!(cell(&rows, 1, "latency_p99_cycles"), answer["latency"]["p99"].to_string());
}

/// A claimed division, the critical path, a run on ranks, claims of a paper and traces of a fit.
#[test]
fn whatever_prints_json_has_rows() {
    let claim = "{ \"machine\": \"mesh:3\", \"sigma\": 1, \"sources\": [0], \"speedup\": 2, \"shares\": [0.2, 0.4, 0.4] }";
    let goal = "num_ranks 2\nrank 0 { send 64b to 1 tag 0 }\nrank 1 { recv 64b from 0 tag 0 }\n";
    let place = folder(&[("c.json", claim), ("a.goal", goal)]);
    let (answer, rows) = ask(place.path(), "check c.json");
    assert_eq!(cell(&rows, 1, "feasible"), "no");
    assert_eq!(
        cell(&rows, 1, "cut_nodes"),
        answer["claims"][0]["violated_cut"]["nodes"].as_array().unwrap().len().to_string()
    );
    let (answer, rows) = ask(place.path(), "run a.goal --repeat 1");
    assert_eq!(
        (rows.len(), cell(&rows, 1, "bytes")),
        (1 + answer["phases"].as_array().unwrap().len(), "64".to_string())
    );
    let (answer, rows) = ask(place.path(), "claims lo1990 --n-max 8 --only E1,lemma-1");
    assert_eq!(rows.len(), 1 + answer["claims"].as_array().unwrap().len());
    assert_eq!(cell(&rows, 1, "verdict"), answer["claims"][0]["verdict"].as_str().unwrap());

    let (code, _, error) =
        run(place.path(), &["map", "binomial:4", "--on", "mesh:4x4", "--placement", "random", "--out", "p"]);
    assert_eq!(code, 0, "{error}");
    let (answer, rows) = ask(place.path(), "explain p/plan.json");
    let cycles: u64 = (1..rows.len()).map(|at| cell(&rows, at, "cycles").parse::<u64>().unwrap()).sum();
    assert_eq!(cycles, answer["simulated_cycles"].as_u64().unwrap(), "the path adds up to the makespan");
}

/// Nothing is written where something stands, nor beside an error.
#[test]
fn tables_replace_nothing() {
    let place = folder(&[("a.goal", "num_ranks 1\nrank 0 { calc 1 }\n"), ("t.csv", "mine")]);
    let (code, _, error) = run(place.path(), &["run", "a.goal", "--csv", "t.csv"]);
    assert!(code == 2 && error.contains("t.csv"), "{error}");
    let (code, ..) = run(place.path(), &["claims", "lo1991", "--csv", "u.csv"]);
    assert_eq!((code, entries(place.path())), (2, vec!["a.goal".to_string(), "t.csv".to_string()]));
    assert_eq!(std::fs::read_to_string(place.path().join("t.csv")).unwrap(), "mine");
}

/// What runs on ranks, and the barriers of a trace.
#[test]
fn runs_on_ranks_and_traces_have_rows() {
    let place = folder(&[("book.txt", "one two two\n"), ("n.bin", "abcdefgh"), ("t.csv", "")]);
    let (answer, rows) = ask(place.path(), "divide all --size 40 --repeat 1 --ranks 2 --threads 2");
    let applications = answer["applications"].as_array().unwrap();
    let executors: Vec<&Value> =
        applications.iter().flat_map(|one| one["executors"].as_array().unwrap()).collect();
    assert_eq!(rows.len(), 1 + executors.len());
    for (at, executor) in executors.iter().enumerate() {
        assert_eq!(cell(&rows, at + 1, "executor"), executor["name"].as_str().unwrap());
        assert_eq!(cell(&rows, at + 1, "median_s").parse::<f64>().ok(), executor["seconds"].as_f64());
    }
    let (answer, rows) = ask(place.path(), "sort n.bin --out s.bin --ranks 2");
    let phases = answer["phases"].as_array().unwrap();
    assert_eq!(rows.len(), 1 + phases.len());
    let sent = (1..rows.len()).map(|at| cell(&rows, at, "bytes").parse::<u64>().unwrap()).sum::<u64>();
    assert_eq!(Some(sent), answer["bytes"].as_u64());
    let (answer, rows) =
        ask(place.path(), "scatter --ranks 3 words book.txt --calibrate 0.01 --method equal");
    let outcome = &answer["outcomes"][0];
    assert_eq!(rows.len(), 1 + 3);
    let shares: Vec<String> = (1..4).map(|at| cell(&rows, at, "share_bytes")).collect();
    let told: Vec<String> = outcome["share_bytes"].as_array().unwrap().iter().map(Value::to_string).collect();
    assert_eq!((shares, cell(&rows, 1, "link_s_per_byte").as_str()), (told, ""));

    std::fs::write(place.path().join("small.csv"), crate::silicon_traces::SMALL_CSV).unwrap();
    let (answer, rows) = ask(place.path(), "simulate --trace small.csv --on wormhole");
    assert_eq!((rows.len(), cell(&rows, 1, "node").as_str()), (3, "(1,1)"));
    assert_eq!(cell(&rows, 2, "cycles"), answer["finishes"][1]["cycles"][0].to_string());
}

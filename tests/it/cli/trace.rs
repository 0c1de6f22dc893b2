//! `simulate --trace`.

use super::*;

const HEAD: &str =
    "noc,processor,index,barrier,source_row,source_col,target_row,target_col,bytes,issue_cycle";
const LINES: &str = "NOC_0,NCRISC,0,0,1,2,1,1,4096,224\nNOC_0,NCRISC,1,0,2,2,1,1,4096,375\n";

/// The options beside a trace on the chip.
fn simulate(folder: &Path, options: &[&str]) -> (i32, String, String) {
    run(folder, &[&["simulate", "--on", "wormhole", "--trace"], options].concat())
}

#[test]
fn the_answer_has_the_keys_of_the_contract() {
    let table = format!("{HEAD}\n{LINES}");
    let measured = "trace,measured_cycles\nother,7\nsmall,700\n";
    let folder = folder(&[("small.csv", &table), ("traces.csv", measured)]);
    for options in [vec![], vec!["--closed-loop"], vec!["--engine", "message"]] {
        let (code, stdout, stderr) = simulate(folder.path(), &[&["small.csv", "--json"], &*options].concat());
        assert_eq!((code, stderr.as_str()), (0, ""), "{options:?}");
        let answer: Value = serde_json::from_str(&stdout).unwrap();
        for key in ["format", "cycles", "bound_cycles", "measured_cycles", "error", "busiest", "finishes"] {
            assert!(!answer[key].is_null(), "{key}: {stdout}");
        }
        for key in ["resource", "busy_cycles", "messages"] {
            assert!(!answer["busiest"][key].is_null(), "{key}: {stdout}");
        }
        let [cycles, bound] = ["cycles", "bound_cycles"].map(|key| answer[key].as_u64().unwrap());
        assert!(bound <= cycles && answer["measured_cycles"] == 700, "{stdout}");
        let error = answer["error"].as_f64().unwrap();
        assert!((error - (cycles as f64 / 700.0 - 1.0)).abs() < 1e-12, "{stdout}");
        assert_eq!(answer["finishes"].as_array().unwrap().len(), 1, "one processor: {stdout}");
        assert_eq!(answer["engine"], if options.contains(&"message") { "message" } else { "flit" });
    }
    let (_, stdout, _) = simulate(folder.path(), &["small.csv"]);
    for word in ["measured", "700", "bound", "busiest resource", "open loop"] {
        assert!(stdout.contains(word), "{word}: {stdout}");
    }
    // Without a measured time there is no error.
    std::fs::remove_file(folder.path().join("traces.csv")).unwrap();
    let (_, stdout, _) = simulate(folder.path(), &["small.csv", "--json"]);
    let answer: Value = serde_json::from_str(&stdout).unwrap();
    assert!(answer.get("measured_cycles").is_none() && answer.get("error").is_none(), "{stdout}");
}

/// One message of 64 bytes over one link of 4 bytes a cycle, issued at its begin: the 20 cycles that tt-npe allows for its profiler are
/// no time of a machine without one.
#[test]
fn a_machine_without_a_profiler_is_timed_from_the_first_event_to_the_last() {
    const NETWORK: &str = "[machine]\ntopology = \"torus:4x4\"\n[[machine.networks]]\nname = \"A\"\nroute = [\"1\", \"0\"]\nrate = 4\n\
                           [[machine.processors]]\nname = \"P\"\n";
    let trace = "noc,processor,source_row,source_col,target_row,target_col,bytes,issue_cycle,operation\nA,P,0,0,0,1,64,0,posted-write\n";
    let profiled = format!("{NETWORK}profiler = [100, 7]\n");
    let folder = folder(&[("own.toml", NETWORK), ("profiled.toml", &profiled), ("one.csv", trace)]);
    for (machine, cycles) in [("own.toml", 16), ("profiled.toml", 0)] {
        let (code, stdout, stderr) =
            run(folder.path(), &["simulate", "--on", machine, "--trace", "one.csv", "--json"]);
        assert_eq!((code, stderr.as_str()), (0, ""), "{machine}");
        let answer: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(
            (&answer["cycles"], &answer["bound_cycles"]),
            (&cycles.into(), &cycles.into()),
            "{machine}"
        );
    }
}

#[test]
fn what_is_wrong_with_a_trace_is_told_with_its_place() {
    let no_column = HEAD.replace("bytes", "size");
    let no_issue = HEAD.replace(",issue_cycle", "");
    let texts = [
        ("network.csv", format!("{HEAD}\n{}", LINES.replace("NOC_0,NCRISC,1", "NOC_7,NCRISC,1"))),
        ("processor.csv", format!("{HEAD}\nNOC_0,BRISK,0,0,1,2,1,1,4096,224\n")),
        ("column.csv", format!("{no_column}\n{LINES}")),
        ("outside.csv", format!("{HEAD}\nNOC_0,NCRISC,0,0,12,2,1,1,4096,224\n")),
        ("text.csv", format!("{HEAD}\nNOC_0,NCRISC,0,0,1,2,1,1,many,224\n")),
        ("cells.csv", format!("{HEAD}\nNOC_0,NCRISC,0,0,1,2\n")),
        ("closed.csv", format!("{no_issue}\nNOC_0,NCRISC,0,0,1,2,1,1,4096\n")),
        ("twice.csv", format!("{HEAD},bytes\nNOC_0,NCRISC,0,0,1,2,1,1,4096,224,4096\n")),
        ("empty.csv", String::new()),
        ("list.json", "[{\"proc\": 1}]".to_string()),
        ("trace.txt", LINES.to_string()),
    ];
    let files: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let folder = folder(&files);
    for (name, place, words) in [
        ("network.csv", "network.csv:3:1", "`NOC_0`, `NOC_1`"),
        ("processor.csv", "processor.csv:2:7", "one of `BRISC`, `NCRISC`"),
        ("column.csv", "column.csv:1:1", "no column `bytes`"),
        ("outside.csv", "outside.csv:2:18", "0 to 11"),
        ("text.csv", "text.csv:2:26", "a whole number"),
        ("cells.csv", "cells.csv:2:21", "the line ends here"),
        ("twice.csv", "twice.csv:1:91", "column `bytes` stands in the head twice"),
        ("empty.csv", "empty.csv", "empty"),
        ("list.json", "list.json:1:11", "string"),
        ("trace.txt", "trace.txt", ".csv"),
        ("missing.csv", "missing.csv", "No such file"),
    ] {
        let (code, stdout, stderr) = simulate(folder.path(), &[name]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{name}: {stderr}");
        assert!(stderr.contains(place) && stderr.contains(words), "{name}: {stderr}");
        assert_eq!(stderr.matches("error:").count(), 1, "{name}: {stderr}");
    }
    // Without times of issue there is a closed loop, and no open one.
    let (code, _, stderr) = simulate(folder.path(), &["closed.csv"]);
    assert!(code == 2 && stderr.contains("--closed-loop"), "{stderr}");
    assert_eq!(simulate(folder.path(), &["closed.csv", "--closed-loop"]).0, 0);
}

#[test]
fn options_that_do_not_belong_to_a_trace_are_refused() {
    let table = format!("{HEAD}\n{LINES}");
    let folder = folder(&[("small.csv", &table)]);
    let trace = ["simulate", "--trace", "small.csv", "--on"];
    for (options, words) in [
        (vec!["mesh:4x4"], "[[machine.networks]]"),
        (vec!["wormhole", "--set", "buffers=2"], "--trace"),
        (vec!["wormhole", "--traffic", "uniform", "--load", "0.1"], "--trace"),
        (vec!["wormhole", "--begins", "none.csv"], "none.csv"),
    ] {
        let (code, _, stderr) = run(folder.path(), &[&trace[..], &options[..]].concat());
        assert!(code == 2 && stderr.contains(words), "{options:?}: {stderr}");
    }
    let (code, _, stderr) = run(folder.path(), &["simulate", "--on", "wormhole", "--closed-loop"]);
    assert!(code == 2 && stderr.contains("--trace"), "{stderr}");
}

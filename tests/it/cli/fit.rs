//! `fit`.

use super::*;

const MACHINE: &str = "\
# A ring of rings; what is fitted is the tail.
[machine]
topology = \"torus:4x4\"
hop = 2

[[machine.networks]]
name = \"A\"
route = [\"east\", \"south\"]
rate = 8

[[machine.interfaces]]
out = 6

[[machine.interfaces]]
nodes = [[0, 0]]
out = 4

[[machine.processors]]
name = \"P\"
first = 20
gap = 10
tail = 100
";

const HEAD: &str = "noc,processor,source_row,source_col,target_row,target_col,bytes,issue_cycle";

/// Four traces, and what a machine with a tail of 110 takes for them.
fn traces(names: &[&str]) -> tempfile::TempDir {
    let slow = MACHINE.replace("tail = 100", "tail = 110");
    let folder = folder(&[("mine.toml", MACHINE), ("slow.toml", &slow)]);
    let mut table = "trace,measured_cycles\n".to_string();
    for (index, name) in names.iter().enumerate() {
        let line = |read: usize| {
            let (row, column) = ((index + read) % 4, (2 * index + read) % 4);
            format!("A,P,{row},{column},1,1,{},{}\n", 64 * (index + 1), 20 + 10 * read)
        };
        let lines: String = (0..3 + index).map(line).collect();
        let file = format!("{name}.csv");
        std::fs::write(folder.path().join(&file), format!("{HEAD}\n{lines}")).unwrap();
        let (code, stdout, stderr) =
            run(folder.path(), &["simulate", "--on", "slow.toml", "--trace", &file, "--json"]);
        assert_eq!(code, 0, "{stderr}");
        let answer: Value = serde_json::from_str(&stdout).unwrap();
        table += &format!("{name},{}\n", answer["cycles"]);
    }
    std::fs::write(folder.path().join("traces.csv"), table).unwrap();
    folder
}

/// The constant that the traces were made with is found, from halves that never saw the traces they predict.
#[test]
fn the_constant_behind_the_traces_is_found() {
    let folder = traces(&["a", "b", "c", "d", "e"]);
    let files = ["a.csv", "b.csv", "c.csv", "d.csv", "e.csv", "traces.csv"];
    let words = |more: &[&str]| -> Value {
        let (code, stdout, stderr) =
            run(folder.path(), &[&["fit", "mine.toml", "--json"], &files[..], more].concat());
        assert_eq!((code, stderr.as_str()), (0, ""), "{more:?}");
        serde_json::from_str(&stdout).unwrap()
    };
    let answer = words(&["--free", "processors.tail", "--seed", "3"]);
    assert_eq!(answer["machine"], "mine.toml");
    assert_eq!(answer["at_edge"], serde_json::json!([]));
    // A tail of 80 is tried up to 96 only.
    let low = MACHINE.replace("tail = 100", "tail = 80");
    std::fs::write(folder.path().join("low.toml"), low).unwrap();
    let low = [&["fit", "low.toml", "--free", "processors.tail"], &files[..]].concat();
    let (_, text, _) = run(folder.path(), &low);
    assert!(text.contains("At the edge of what was tried: processors.tail. A better value may"), "{text}");
    let (_, text, _) = run(folder.path(), &[&low[..], &["--json"]].concat());
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&found["free"]["processors.tail"], &found["at_edge"][0]),
        (&96.0.into(), &"processors.tail".into())
    );
    assert_eq!(
        (&answer["free"]["processors.tail"], &answer["given"]["processors.tail"]),
        (&110.0.into(), &100.0.into())
    );
    assert_eq!(
        (answer["error_mean"].as_f64(), answer["error_held_out"]["mean"].as_f64()),
        (Some(0.0), Some(0.0))
    );
    assert_eq!((&answer["error_held_out"]["folds"], &answer["seed"]), (&100.into(), &3.into()));
    assert!(answer["error_given"]["mean"].as_f64() > Some(0.01), "{answer}");
    assert_eq!((&answer["fitted_better"], &answer["points"]), (&100.into(), &5.into()));
    let traces = answer["traces"].as_array().unwrap();
    let folds: u64 = traces.iter().map(|trace| trace["folds"].as_u64().unwrap()).sum();
    assert_eq!((traces.len(), folds), (5, 100 * 3), "two of five fit, three are held out");
    assert_eq!(answer, words(&["--free", "processors.tail", "--seed", "3"]), "the same every time");
    let answer = words(&["--folds", "7", "--closed-loop", "--engine", "message"]);
    let keys: Vec<&String> = answer["free"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["interfaces[0].out", "processors.tail"]);
    assert_eq!((&answer["error_held_out"]["folds"], &answer["closed_loop"]), (&7.into(), &true.into()));
}

#[test]
fn the_fitted_machine_is_written() {
    let folder = traces(&["a", "b", "c", "d"]);
    let line =
        ["fit", "mine.toml", "a.csv", "b.csv", "c.csv", "d.csv", "--free", "processors.tail", "--out", "o"];
    let (code, stdout, stderr) = run(folder.path(), &line);
    assert_eq!((code, stderr.as_str()), (0, ""));
    for word in ["processors.tail", "110: 100", "as given", "0.00 %", "seed 0", "machine.toml"] {
        assert!(stdout.contains(word), "{word}: {stdout}");
    }
    let written = std::fs::read_to_string(folder.path().join("o/machine.toml")).unwrap();
    assert_eq!(written, MACHINE.replace("tail = 100", "tail = 110"), "one number changed");
    assert_eq!(entries(&folder.path().join("o")), ["fit.json", "machine.toml", "meshwright.json"]);
}

#[test]
fn what_cannot_be_fitted_is_refused() {
    let folder = traces(&["a", "b", "c", "d"]);
    std::fs::write(folder.path().join("unknown.csv"), format!("{HEAD}\nA,P,1,2,1,1,64,20\n")).unwrap();
    std::fs::write(folder.path().join("units.toml"), MACHINE.replace("rate = 8", "rate = \"8 B/cycle\""))
        .unwrap();
    let four = ["a.csv", "b.csv", "c.csv", "d.csv"];
    let free = |key: &'static str| [&["mine.toml"], &four[..], &["--free", key]].concat();
    for (arguments, words) in [
        (vec!["mine.toml", "a.csv", "b.csv", "c.csv"], "at least 4"),
        (vec!["mine.toml", "a.csv", "b.csv", "c.csv", "./a.csv"], "each trace once"),
        (vec!["mine.toml", "a.csv", "b.csv", "c.csv", "unknown.csv"], "measured time is known"),
        (vec!["mine.toml", "a.csv", "b.csv", "c.csv", "none.csv"], "none.csv"),
        (free("processors.tial"), "did you mean `processors.tail`?"),
        (free("processors.tail,processors.tail"), "each key once"),
        (free("interfaces.out"), "interfaces[0].out = 6, interfaces[1].out = 4"),
        (free("interfaces[2].out"), "2 such tables"),
        (free("routers.buffers"), "a key that the file of the machine sets"),
        ([&["mine.toml"], &four[..], &["--engine", "flit"]].concat(), "describes no routers"),
        ([&["units.toml"], &four[..], &["--free", "networks.rate"]].concat(), "units.toml"),
        ([&["mesh:4x4"], &four[..]].concat(), "ends in .toml, or one of"),
        ([&["wormhole"], &four[..]].concat(), "`NOC_0`, `NOC_1`"),
        ([&["mine.toml"], &four[..], &["--folds", "0"]].concat(), "1..=10000"),
    ] {
        let (code, stdout, stderr) = run(folder.path(), &[&["fit"], &arguments[..]].concat());
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
        assert_eq!(stderr.matches("error:").count(), 1, "{arguments:?}: {stderr}");
    }
}

//! `--emit perfetto:FILE` of what decides while it runs: operations of groups, loads that change, traces.

use super::*;

/// The answer and the events of a command.
fn recorded(folder: &Path, line: &str) -> (Value, Value) {
    let line = format!("{line} --emit perfetto:events.json --force --json");
    let (code, stdout, stderr) = run(folder, &line.split(' ').collect::<Vec<_>>());
    assert_eq!((code, stderr.as_str()), (0, ""), "{line}");
    let events = std::fs::read_to_string(folder.join("events.json")).unwrap();
    (serde_json::from_str(&stdout).expect("JSON"), serde_json::from_str(&events).expect("JSON"))
}

fn events<'e>(recorded: &'e Value, kind: &'e str) -> impl Iterator<Item = &'e Value> {
    recorded["traceEvents"].as_array().unwrap().iter().filter(move |event| event["ph"] == kind)
}

/// When the last of them ends, in microseconds.
fn end(recorded: &Value) -> f64 {
    let spans = events(recorded, "e").map(|event| event["ts"].as_f64().unwrap());
    let slices =
        events(recorded, "X").map(|event| event["ts"].as_f64().unwrap() + event["dur"].as_f64().unwrap());
    spans.chain(slices).fold(0.0, f64::max)
}

/// An operation ends with the cycles that are simulated, and a value goes to every member but the root.
#[test]
fn operations_of_groups_are_recorded_as_they_were_simulated() {
    let folder = folder(&[]);
    for (line, messages) in [
        ("groups --on mesh:4x4 --collective broadcast", 15),
        ("groups --on torus:4x4 --collective reduce --overhead 5 --link-delay 3", 15),
        ("groups --on mesh:4x4 --collective barrier --structure rank-halving --overhead 2", 30),
    ] {
        let (answer, recorded) = recorded(folder.path(), line);
        let rows = answer["structures"].as_array().unwrap();
        let chosen = rows.iter().find(|row| row["name"] == answer["chosen"]).unwrap();
        assert_eq!(recorded["otherData"]["cycles"], chosen["simulated_cycles"], "{line}");
        assert_eq!(events(&recorded, "b").count(), messages, "{line}");
        // Each message costs its sender and its receiver.
        let works = if line.contains("--overhead") { 2 * messages } else { 0 };
        assert_eq!(events(&recorded, "X").count(), works, "{line}");
        assert!((end(&recorded) * 1e3 - chosen["simulated_cycles"].as_f64().unwrap()).abs() < 1e-6);
    }
    let (code, _, error) = run(
        folder.path(),
        &["groups", "--on", "mesh:4x4", "--collective", "all", "--emit", "perfetto:e.json"],
    );
    assert!(code == 2 && error.contains("one operation beside it"), "{error}");
}

/// The winner of a load that changes: where speeds stay, all its work takes w Tcp, and its last grain ends with the makespan.
#[test]
fn loads_that_change_are_recorded() {
    let folder = folder(&[]);
    let line = "split --on mesh:3x3 --source 1,1 --sigma 0.05 --grains 16 --dynamic";
    for policies in ["resolved", "guided,steal-nearest"] {
        let (answer, recorded) = recorded(folder.path(), &format!("{line} {policies}"));
        let winner = answer["winner"].as_str().unwrap();
        let row = answer["policies"].as_array().unwrap().iter().find(|row| row["name"] == winner).unwrap();
        assert_eq!(events(&recorded, "b").count() as f64, row["messages"].as_f64().unwrap(), "{winner}");
        let work: f64 = events(&recorded, "X").map(|event| event["dur"].as_f64().unwrap()).sum();
        let ends = events(&recorded, "X")
            .map(|event| event["ts"].as_f64().unwrap() + event["dur"].as_f64().unwrap());
        let (last, makespan) = (ends.fold(0.0, f64::max), row["makespan"].as_f64().unwrap());
        assert!((last / work / makespan - 1.0).abs() < 1e-6, "{winner}: {last} of {work}, {makespan}");
        let words = format!("{line} {policies} --emit perfetto:e.json --force");
        let (code, text, _) = run(folder.path(), &words.split(' ').collect::<Vec<_>>());
        assert!(code == 0 && text.contains(&format!("Emitted: e.json: {winner} under seed 0\n")), "{text}");
    }
    let other = format!("{line} fixed --emit goal:x.goal");
    let (code, _, error) = run(folder.path(), &other.split(' ').collect::<Vec<_>>());
    assert!(code == 2 && error.contains("perfetto beside --dynamic"), "{error}");
}

/// Every transaction of a trace, and barriers that end where the answer says.
#[test]
fn traces_are_recorded_as_they_were_simulated() {
    let folder = folder(&[("small.csv", crate::silicon_traces::SMALL_CSV)]);
    for more in ["", " --closed-loop", " --engine message"] {
        let line = format!("simulate --trace small.csv --on wormhole{more}");
        let (answer, recorded) = recorded(folder.path(), &line);
        assert_eq!(events(&recorded, "b").count() as u64, answer["transactions"].as_u64().unwrap());
        let begin = events(&recorded, "b").find(|event| event["name"] == "read").unwrap();
        assert_eq!((&begin["args"]["node"], &begin["args"]["peer"]), (&"(1,1)".into(), &"(2,3)".into()));
        let per_cycle = 1.0 / cycles_of(&recorded);
        for (number, finish) in answer["finishes"].as_array().unwrap().iter().enumerate() {
            let of = events(&recorded, "X").filter(|event| event["tid"] == number);
            let ends: Vec<u64> = of
                .map(|event| (event["ts"].as_f64().unwrap() + event["dur"].as_f64().unwrap()) / per_cycle)
                .map(|cycles| cycles.round() as u64)
                .collect();
            assert_eq!(serde_json::to_value(ends).unwrap(), finish["cycles"], "{line}");
        }
    }
}

/// Cycles in a microsecond.
fn cycles_of(recorded: &Value) -> f64 {
    let clock = recorded["otherData"]["clock"].as_str().unwrap();
    clock.split(' ').next().and_then(|clock| clock.parse::<f64>().ok()).map_or(1000.0, |clock| clock / 1e6)
}

//! `machines`, and every verb on every machine that comes with the program.

use super::*;
use meshwright_formats::presets::PRESETS;
use meshwright_network::topology::Topology;

#[test]
fn machines_are_listed_by_name_and_summary() {
    let folder = folder(&[]);
    let (code, list, stderr) = run(folder.path(), &["machines"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let lines: Vec<&str> = list.lines().collect();
    assert!(
        lines.len() <= PRESETS.len() + 10 && lines.iter().all(|line| line.chars().count() <= 120),
        "{list}"
    );
    for preset in PRESETS {
        assert!(lines.iter().any(|line| line.trim_start().starts_with(preset.name)), "{list}");
    }
    assert!(list.contains("meshwright machines NAME") && list.contains("--on NAME"), "{list}");
    let (code, json, _) = run(folder.path(), &["machines", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((code, json["machines"].as_array().unwrap().len()), (0, PRESETS.len()));
    for machine in json["machines"].as_array().unwrap() {
        assert!(machine["name"].is_string() && machine["summary"].is_string(), "{machine}");
        assert!(["sources", "measured", "assumed"].iter().all(|key| machine[key].is_array()), "{machine}");
    }
    let (code, _, stderr) = run(folder.path(), &["machines", "wormhol"]);
    assert!(code == 2 && stderr.contains("did you mean `wormhole`"), "{stderr}");
}

/// What is asked of a machine beyond its box is refused in one sentence where only equal links are known; all else has an
/// answer.
#[test]
fn every_verb_answers_on_every_machine() {
    for preset in PRESETS {
        let name = preset.name;
        let plan = preset.toml.to_string()
            + "\n[[divide]]\ntasks = \"binomial:3\"\nplacement = [\"row-major\", \"reflecting\"]\n";
        let folder = folder(&[("a.goal", GOAL), ("p.toml", &plan)]);
        let corner = vec!["0"; preset.machine().unwrap().sides().len()].join(",");
        let is_plain = preset.machine().unwrap().fabric().is_none();
        let (code, toml, _) = run(folder.path(), &["machines", name]);
        assert_eq!((code, toml.as_str()), (0, preset.toml));
        for (line, on_plain_only) in [
            (format!("map binomial:3 --on {name} --placement row-major,reflecting"), false),
            (format!("map binomial:3 --on {name} --placement row-major --json"), false),
            (format!("simulate a.goal --on {name}"), false),
            ("plan p.toml".to_string(), false),
            (format!("groups {name} --collective barrier --random-members 8 --seed 7"), true),
            (format!("groups {name} --order snake --random 1 --split mask --repeat 1"), true),
            (format!("split {name} --from {corner} --sigma 0.5 --method flow-matrix"), true),
            (
                format!(
                    "simulate --on {name} --traffic uniform --load 0.05 --measure 100 --warm-up 10 --drain 500"
                ),
                true,
            ),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            let (code, stdout, stderr) = run(folder.path(), &words);
            match is_plain || !on_plain_only {
                true => assert!(code == 0 && !stdout.is_empty(), "{line}: {code} {stderr}"),
                false => {
                    assert_eq!((code, stdout.as_str()), (2, ""), "{line}");
                    let one = stderr.matches("error:").count() == 1;
                    assert!(
                        one && stderr.contains("equal links") && stderr.contains(":"),
                        "{line}: {stderr}"
                    );
                }
            }
        }
    }
}

#[test]
fn options_that_would_change_nothing_are_refused() {
    let folder = folder(&[("a.goal", GOAL)]);
    for (option, value) in [("switching", "wormhole"), ("startup", "5"), ("byte-time", "2"), ("flit", "8")] {
        let option = format!("--{option}");
        for verb in [["map", "binomial:2"], ["simulate", "a.goal"]] {
            let words = [verb[0], verb[1], "--on", "wormhole", &option, value];
            let (code, stdout, stderr) = run(folder.path(), &words);
            assert_eq!((code, stdout.as_str()), (2, ""), "{words:?}");
            assert!(stderr.contains(&format!("no {option} beside --on wormhole")), "{stderr}");
        }
    }
}

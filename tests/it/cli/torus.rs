//! Wormhole on a torus: `map`, `plan` and `simulate` agree on one schedule, deadlock included, and exit alike.

use serde_json::Value;

use super::{entries, folder, run};

/// Worms on a ring of five, each two links long: each holds one link and waits for the next.
const RING: &str = "phase,source,target,bytes\n1,0,2,900\n1,1,3,900\n1,2,4,900\n1,3,0,900\n1,4,1,900\n";

/// A torus with a hole, so that it has no date-line, whose routers would take more memory than the flit engine asks for:
/// whole messages are all there is.
const TOO_LARGE: &str = "[machine]\ntopology = \"torus:2000x5\"\ndead = [[1999, 4]]\nbuffers = 65536\n";

/// Everybody sends to everybody on 16 tasks.
fn all_to_all() -> String {
    let mut text = "phase,source,target,bytes\n".to_string();
    for source in 0..16 {
        for target in (0..16).filter(|&target| target != source) {
            text += &format!("1,{source},{target},1000\n");
        }
    }
    text
}

/// M3: nine placements of all to all on a torus: each has a time, of whole messages with date-line classes, above its
/// bound, and `plan` and `simulate` have the same.
#[test]
fn all_placements_come_to_an_end_and_three_commands_agree() {
    let text = all_to_all();
    let scenario =
        "[machine]\ntopology = \"torus:4x4\"\n[[divide]]\ntasks = \"all.phases.csv\"\nplacement = \"all\"\n";
    let folder = folder(&[("all.phases.csv", &text), ("s.toml", scenario)]);
    let map = ["map", "all.phases.csv", "--on", "torus:4x4", "--switching", "wormhole", "--json"];
    let (code, stdout, _) = run(folder.path(), &map);
    let map: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, map["placements"].as_array().unwrap().len()), (0, 9));
    let plan: Value = serde_json::from_str(&run(folder.path(), &["plan", "s.toml", "--json"]).1).unwrap();
    for (row, planned) in
        map["placements"].as_array().unwrap().iter().zip(plan["jobs"][0]["results"].as_array().unwrap())
    {
        assert_eq!((&row["name"], &row["engine"]["wormhole"]), (&planned["method"], &"message".into()));
        let cycles = &row["simulated_cycles"]["wormhole"];
        assert_eq!(
            (cycles, &row["routers"]["wormhole"]["virtual_channels"]),
            (&planned["simulated_cycles"], &2.into())
        );
        assert!(cycles.as_u64() >= planned["bound_cycles"].as_u64() && cycles.is_u64(), "{row}");
        assert!(row["levels"]["wormhole"]["link"].as_f64() <= cycles.as_f64(), "{row}");
        let name = row["name"].as_str().unwrap();
        let emit = [
            "map",
            "all.phases.csv",
            "--on",
            "torus:4x4",
            "--placement",
            name,
            "--emit",
            "goal:a.goal",
            "--force",
        ];
        assert_eq!(run(folder.path(), &emit).0, 0);
        let simulate = run(folder.path(), &["simulate", "a.goal", "--on", "torus:4x4", "--json"]);
        let simulate: Value = serde_json::from_str(&simulate.1).unwrap();
        assert_eq!(
            (&simulate["cycles"], &simulate["busiest_link"]),
            (cycles, &row["busiest_link"]["wormhole"]),
            "{name}"
        );
    }
}

/// M3: `auto` chooses on a torus.
#[test]
fn auto_has_a_choice_on_a_torus() {
    let text = all_to_all();
    let folder = folder(&[("all.phases.csv", &text)]);
    let words = ["map", "all.phases.csv", "--on", "torus:4x4", "--placement", "auto", "--json"];
    let (code, stdout, _) = run(folder.path(), &words);
    let map: Value = serde_json::from_str(&stdout).unwrap();
    assert!(code == 0 && map["choice"]["placement"].is_string(), "{stdout}");
}

/// M3: where routers are out of reach the deadlock is the answer: in `map`, `plan` and `simulate` exit 1, times that are
/// null and never 0, nothing emitted, and the reason.
#[test]
fn a_deadlock_is_the_same_negative_answer_everywhere() {
    let scenario =
        TOO_LARGE.to_string() + "[[divide]]\ntasks = \"ring.phases.csv\"\nplacement = \"row-major\"\n";
    let folder = folder(&[("ring.phases.csv", RING), ("s.toml", &scenario), ("m.toml", TOO_LARGE)]);
    let map = ["map", "ring.phases.csv", "--on", "m.toml", "--placement", "row-major"];
    let emit = [&map[..], &["--emit", "goal:a.goal"]].concat();
    let (code, stdout, _) = run(folder.path(), &emit);
    assert!(
        code == 1 && stdout.contains("Nothing is emitted: every placement comes to a standstill"),
        "{stdout}"
    );
    assert!(stdout.contains("not on routers: "), "{stdout}");
    assert_eq!(entries(folder.path()), ["m.toml", "ring.phases.csv", "s.toml"]);
    let (code, stdout, _) = run(folder.path(), &[&map[..], &["--json"]].concat());
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let row = &report["placements"][0];
    assert_eq!(
        (code, &row["simulated_cycles"]["wormhole"], &row["gap"]["wormhole"]),
        (1, &Value::Null, &Value::Null)
    );
    assert!(row["reason"]["wormhole"].as_str().unwrap().contains("it deadlocks"), "{stdout}");
    let auto = ["map", "ring.phases.csv", "--on", "m.toml", "--placement", "auto", "--json"];
    let (code, stdout, _) = run(folder.path(), &auto);
    let choice = serde_json::from_str::<Value>(&stdout).map(|report| report["choice"].is_null());
    assert_eq!(code == 0, matches!(choice, Ok(false)), "no choice is never exit 0: {stdout}");
    let (code, stdout, _) = run(folder.path(), &["plan", "s.toml", "--json"]);
    let plan: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &plan["jobs"][0]["winner"]), (1, &Value::Null));
    assert_eq!(plan["jobs"][0]["skipped"][0]["deadlock"], true);
    // The same ring as a schedule.
    let rank = |r: u32| {
        format!("rank {r} {{\nl0: send 900b to {}\nl1: recv 900b from {}\n}}\n", (r + 2) % 5, (r + 3) % 5)
    };
    let goal = "num_ranks 5\n".to_string() + &(0..5).map(rank).collect::<String>();
    std::fs::write(folder.path().join("a.goal"), goal).unwrap();
    let (code, stdout, _) = run(folder.path(), &["simulate", "a.goal", "--on", "m.toml", "--json"]);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &report["cycles"]), (1, &Value::Null));
    for key in ["mean", "p50", "p99", "max"] {
        assert_eq!(report["latency"][key], Value::Null, "{key}");
    }
    assert!(report["refused"].as_str().unwrap().contains("the flit engine"), "{stdout}");
}

/// U15: `--switching` prints that table and no other, and cut-through is cut-through.
#[test]
fn one_switching_prints_one_table() {
    let folder = folder(&[]);
    let map = |switching: &str, more: &[&str]| {
        let words =
            ["map", "binomial:4", "--on", "mesh:4x4", "--placement", "snake", "--switching", switching];
        run(folder.path(), &[&words[..], more].concat()).1
    };
    for switching in ["wormhole", "cut-through", "store-and-forward"] {
        let text = map(switching, &[]);
        assert_eq!(text.matches("; times in cycles").count(), 1, "{text}");
        assert!(text.contains(&format!("\n{switching}; times in cycles")), "{text}");
        let report: Value = serde_json::from_str(&map(switching, &["--json"])).unwrap();
        assert_eq!(report["switchings"], serde_json::json!([switching]));
        let cycles = &report["placements"][0]["simulated_cycles"];
        assert!(cycles[switching].is_u64() && cycles.get("wormhole").is_some(), "{cycles}");
        assert!(cycles.get("store-and-forward").is_some(), "both keys stay: {cycles}");
    }
    let own = run(folder.path(), &["map", "binomial:4", "--on", "mesh:4x4", "--placement", "snake"]).1;
    assert_eq!(own, map("wormhole", &[]), "that of the machine, if none is asked for");
    for (asked, tables) in
        [("all", 3), ("store-and-forward,wormhole", 2), ("cut-through,all", 3), ("wormhole,wormhole", 1)]
    {
        let text = map(asked, &[]);
        assert_eq!(text.matches("; times in cycles").count(), tables, "{asked}: {text}");
    }
    let words = ["map", "binomial:4", "--on", "mesh:4x4", "--placement", "snake", "--formulas"];
    let (code, text, _) = run(folder.path(), &words);
    assert!(code == 0 && text.contains("not run") && !text.contains("deadlock"), "{text}");
    let report: Value =
        serde_json::from_str(&run(folder.path(), &[&words[..], &["--json"]].concat()).1).unwrap();
    let row = &report["placements"][0];
    assert!(
        row["simulated_cycles"]["wormhole"].is_null() && row["levels"]["wormhole"]["link"].is_number(),
        "{row}"
    );
    let words = ["sweep", "--on", "mesh:4x4", "--traffic", "uniform", "--switching", "all"];
    let refused = run(folder.path(), &words);
    assert!(refused.0 == 2 && refused.2.contains("several are compared by map"), "{}", refused.2);
}

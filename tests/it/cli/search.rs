//! `--placement search` as a user meets it.

use super::*;

const LINE: [&str; 6] = ["map", "binomial:5", "--on", "mesh:4x8", "--placement", "search"];

fn searched(more: &[&str]) -> Value {
    let folder = folder(&[]);
    let arguments = [&LINE[..], &["--json", "--steps", "20000"], more].concat();
    let (code, stdout, stderr) = run(folder.path(), &arguments);
    assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
    serde_json::from_str(&stdout).unwrap()
}

#[test]
fn the_same_steps_give_the_same_bytes() {
    let random = ["--start", "random", "--switching", "store-and-forward", "--alpha", "1"];
    let first = searched(&random);
    assert_eq!(first, searched(&random));
    assert_eq!(first["searched"]["steps"], 20000);
    assert_ne!(first["placements"], searched(&[&random[..], &["--seed", "1"]].concat())["placements"]);
    let row = &first["placements"][0];
    let predicted = row["time"]["store-and-forward"]["exact"].as_f64().unwrap();
    assert_eq!(first["searched"]["predicted_cycles"][0].as_f64().unwrap(), predicted);
    assert!(predicted < first["searched"]["start_cycles"].as_f64().unwrap());
}

#[test]
fn a_search_by_time_is_repeated_by_its_steps() {
    let folder = folder(&[]);
    let run = |more: &[&str]| {
        let arguments = [&LINE[..], &["--json", "--start", "random"], more].concat();
        let (code, stdout, _) = run(folder.path(), &arguments);
        assert_eq!(code, 0);
        serde_json::from_str::<Value>(&stdout).unwrap()
    };
    let by_time = run(&["--time", "0.1"]);
    let steps = by_time["searched"]["steps"].to_string();
    assert_eq!(by_time, run(&["--steps", &steps]), "{steps} steps");
}

#[test]
fn pins_hold_in_every_answer() {
    let report = searched(&["--pin", "31=0,0", "--pin", "0=3,7", "--answers", "3"]);
    let rows = report["placements"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["search", "search-2", "search-3"]);
    for row in rows {
        assert_eq!(
            (&row["positions"][31], &row["positions"][0]),
            (&serde_json::json!([0, 0]), &serde_json::json!([3, 7]))
        );
    }
    let simulated: Vec<u64> = serde_json::from_value(report["searched"]["simulated_cycles"].clone()).unwrap();
    assert!(simulated.is_sorted() && simulated.len() == 3, "{simulated:?}");
    assert!(report["searched"]["last_improved_steps"].as_u64().unwrap() <= 20_000);
    assert_eq!(report["searched"]["converged"], false);
}

#[test]
fn a_scenario_searches() {
    let text = SMALL.replace(
        "tasks =",
        "placement = \"search\"\nsearch = { steps = 5000, start = \"random\", answers = 2, pins = [[15, [1, 2]]] }\ntasks =",
    );
    let folder = folder(&[("s.toml", &text)]);
    let (code, stdout, stderr) = run(folder.path(), &["plan", "s.toml", "--json"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let plan: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(plan["jobs"][0]["searched"]["steps"], 5000);
    assert_eq!(plan["jobs"][0]["results"].as_array().unwrap().len(), 2);
}

#[test]
fn searches_that_cannot_be_are_refused() {
    let search =
        |line: &str| SMALL.replace("tasks =", &format!("placement = \"search\"\nsearch = {line}\ntasks ="));
    let folder = folder(&[
        ("key.toml", &search("{ stepps = 5 }")),
        ("pin.toml", &search("{ pins = [[15, [4, 0]]] }")),
        (
            "dead.toml",
            &search("{ pins = [[3, [1, 1]]] }")
                .replace("[[divide]]", "dead = [[1, 1]]\n[[divide]]")
                .replace("binomial:4", "binomial:3"),
        ),
    ]);
    for (arguments, say) in [
        (&["plan", "key.toml"][..], "`steps`"),
        (&["plan", "pin.toml"], "pin.toml:6:"),
        (&["plan", "dead.toml"], "dead"),
        (&["--pin", "0=9,9"], "expected TASK=0..3,0..7"),
        (&["--pin", "99=0,0"], "99"),
        (&["--pin", "0=0,0", "--pin", "1=0,0"], "both pinned to node (0,0)"),
        (&["--time", "0"], "greater than 0"),
        (&["--answers", "0"], "0"),
        (&["--start", "here"], "expected best or random"),
        (&["--placement", "hilbert", "--pin", "0=0,0"], "expected --placement search beside it"),
    ] {
        let line = if arguments[0] == "plan" {
            arguments.to_vec()
        } else {
            [&LINE[..4], &["--placement", "search"], arguments].concat()
        };
        let line = if arguments.contains(&"hilbert") { [&LINE[..4], arguments].concat() } else { line };
        let (code, stdout, stderr) = run(folder.path(), &line);
        assert_eq!((code, stdout.as_str()), (2, ""), "{line:?}: {stderr}");
        assert!(stderr.contains(say), "{line:?}: {stderr}");
    }
}

//! `--placement auto` and `--preset`: what the program chooses, and what a well-known computation sends.

use super::*;

fn map(arguments: &[&str]) -> Value {
    let folder = folder(&[]);
    let all = [&["map", "--json"], arguments].concat();
    let (code, stdout, stderr) = run(folder.path(), &all);
    assert_eq!((code, stderr.as_str()), (0, ""), "{all:?}");
    serde_json::from_str(&stdout).unwrap()
}

fn names(report: &Value) -> Vec<&str> {
    report["placements"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}

#[test]
fn auto_follows_the_cost_model() {
    // Worms, whatever the head costs; stored messages that shrink; stored messages that do not.
    for (options, best) in [
        (&["--flit", "64"][..], "centred-halving"),
        (&["--startup", "0"], "centred-halving"),
        (&["--switching", "store-and-forward"], "growing"),
        (&["--switching", "store-and-forward", "--alpha", "1"], "centred-halving"),
    ] {
        let arguments = [&["binomial:8", "--on", "mesh:16x16", "--placement", "auto"], options].concat();
        let report = map(&arguments);
        let choice = &report["choice"];
        assert_eq!(choice["placement"], best, "{options:?}");
        let reason = choice["reason"].as_str().unwrap();
        assert!(reason.contains("meets the lower bound"), "{options:?}: {reason}");
        let advice = choice["advice"].as_str().unwrap();
        assert!(advice.starts_with("Least traffic: reflecting sends over 291 hops"), "{advice}");
        assert!(names(&report).contains(&"reflecting") && names(&report).len() <= 4, "{:?}", names(&report));
    }
}

/// The front runners are the cheapest by prediction among all, and nobody left out is faster in the referee.
#[test]
fn auto_leaves_out_nobody_who_wins() {
    for (tasks, machine) in
        [("binomial:6", "mesh:8x8"), ("binomial:5", "torus:6x6"), ("binomial:6", "mesh:4x4x4")]
    {
        for switching in ["wormhole", "store-and-forward"] {
            let base = [tasks, "--on", machine, "--switching", switching];
            let all = map(&base);
            let auto = map(&[&base[..], &["--placement", "auto"]].concat());
            let fastest = |report: &Value| {
                let rows = report["placements"].as_array().unwrap();
                rows.iter().filter_map(|row| row["simulated_cycles"][switching].as_u64()).min().unwrap()
            };
            assert!(fastest(&auto) <= fastest(&all), "{base:?}");
            let skipped = auto["skipped"].as_array().unwrap();
            assert!(skipped.iter().all(|skipped| skipped["method"] != auto["choice"]["placement"]));
        }
    }
}

#[test]
fn auto_works_in_a_scenario() {
    let text = SMALL.replace("tasks =", "placement = \"auto\"\npreset = \"merge-sort\"\ntasks =");
    let folder = folder(&[("s.toml", &text)]);
    let (code, stdout, _) = run(folder.path(), &["plan", "s.toml", "--json"]);
    let plan: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(code, 0);
    assert_eq!(plan["jobs"][0]["results"][0]["phases"].as_array().unwrap().len(), 8);
}

#[test]
fn presets_are_their_shares() {
    for (preset, options, weights) in [
        ("broadcast", &["--alpha", "1"][..], &[1.0, 1.0][..]),
        ("leader-election", &["--alpha", "1", "--combine-alpha", "1"], &[1.0; 4]),
        ("merge-sort", &["--combine-alpha", "1/2"], &[0.5, 0.25, 0.25, 0.5]),
        ("data-distribution", &[], &[0.5, 0.25]),
        ("matrix-chain", &["--combine-alpha", "1"], &[0.5, 0.25, 1.0, 1.0]),
        ("graph-halving", &["--alpha", "1/4"], &[0.25, 0.0625]),
    ] {
        let base = ["binomial:2", "--on", "mesh:2x2"];
        let by_name = map(&[&base[..], &["--preset", preset]].concat());
        assert_eq!(by_name, map(&[&base[..], options].concat()), "{preset}");
        let phases = by_name["placements"][0]["phases"].as_array().unwrap();
        let ours: Vec<f64> = phases.iter().map(|phase| phase["weight"].as_f64().unwrap()).collect();
        assert_eq!(ours, weights, "{preset}");
    }
}

/// A reduction is a broadcast backwards: the same time, and no share on the way down.
#[test]
fn a_reduction_takes_as_long_as_a_broadcast() {
    let of = |preset| map(&["binomial:5", "--on", "mesh:4x8", "--preset", preset]);
    let (down, up) = (of("broadcast"), of("reduce"));
    assert!(up["alpha"].is_null() && up["combine_alpha"] == 1.0);
    for (down, up) in down["placements"].as_array().unwrap().iter().zip(up["placements"].as_array().unwrap())
    {
        if down["name"] != "random" {
            assert_eq!(down["simulated_cycles"], up["simulated_cycles"], "{}", down["name"]);
        }
        assert_eq!(down["bound"], up["bound"]);
    }
}

#[test]
fn presets_that_cannot_be_are_refused() {
    let folder = folder(&[
        ("both.toml", &SMALL.replace("tasks =", "preset = \"reduce\"\nalpha = 0.5\ntasks =")),
        ("none.toml", &SMALL.replace("tasks =", "preset = \"merge-sorting\"\ntasks =")),
    ]);
    for (arguments, say) in [
        (&["plan", "both.toml"][..], "both.toml:5:10"),
        (&["plan", "none.toml"], "did you mean `merge-sort`?"),
        (
            &["map", "binomial:2", "--on", "mesh:2x2", "--preset", "sort"],
            "expected one of `broadcast`, `reduce`",
        ),
        (
            &["map", "binomial:2", "--on", "mesh:2x2", "--preset", "reduce", "--alpha", "1"],
            "cannot be used with",
        ),
    ] {
        let (code, stdout, stderr) = run(folder.path(), arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(stderr.contains(say), "{arguments:?}: {stderr}");
    }
    assert_eq!(entries(folder.path()), ["both.toml", "none.toml"]);
}

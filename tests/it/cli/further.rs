//! `split` beyond the division: machines that do less at a time, the next source, queues; the same in `[[load]]`.

use super::contract::{Contract, hold};
use super::*;

const VARIANT: &Contract = &[
    ("", &["format", "machine", "sigma", "sources", "methods", "variant", "next_sources", "next_proved"]),
    ("variant", &["ports", "front_end", "results", "duplex", "makespan", "speedup", "attained", "theorem"]),
];

const NEXT: &Contract = &[
    ("", &["format", "methods", "variant", "next_sources", "next_share", "next_proved"]),
    ("next_sources/*", &["node", "at", "makespan", "gain"]),
];

const QUEUES: &Contract = &[
    ("", &["format", "machine", "sigma", "sources", "queues"]),
    ("sources/*", &["node", "at", "rate"]),
    ("queues", &["stable", "factor", "tightest"]),
    ("queues/tightest", &["nodes", "capacity", "demand"]),
];

fn split(contract: &Contract, words: &str) -> Value {
    let words: Vec<&str> = words.split_whitespace().collect();
    hold(contract, folder(&[]).path(), &[&["split"][..], &words, &["--json"]].concat())
}

fn float(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is a number"))
}

#[test]
fn machines_that_do_less_have_a_programme() {
    let known = [
        ("mesh:3x3 --from 0,0 --sigma 0.5 --ports one", 3.0, true),
        ("mesh:3x3 --from 1,1 --sigma 0.1 --ports one", 9.0, true),
        ("hypercube:3 --from 5 --sigma 1/4 --ports one", 5.0, true),
        // 1 + 4 / (sigma (1 + rho)).
        ("mesh:3x3 --from 1,1 --sigma 1 --duplex half --results 1", 3.0, true),
        ("mesh:3x3 --from 1,1 --sigma 1 --duplex half", 5.0, true),
        ("mesh:3x3 --from 1,1 --sigma 1 --results 0.75", 5.0, true),
        // p = T for the source, x sigma + p = T, x sigma + x = T for the other: x = (1 - T), T = (1 + sigma) / 2.
        ("mesh:1x2 --from 0,0 --sigma 0.5 --no-front-end", 4.0 / 3.0, false),
        // (1 - p) sigma rho <= T.
        ("mesh:1x2 --from 0,0 --sigma 0.5 --results 4", 1.5, false),
    ];
    for (words, speedup, is_known) in known {
        let answer = split(VARIANT, &format!("{words} --method optimum --chunks 40"));
        let variant = &answer["variant"];
        assert!((float(&variant["speedup"]) - speedup).abs() < 1e-7 * speedup, "{words}: {variant}");
        assert_eq!(
            (&variant["attained"], variant["theorem"].is_string()),
            (&true.into(), is_known),
            "{words}"
        );
        let methods = answer["methods"].as_array().unwrap();
        let names: Vec<&Value> = methods.iter().map(|method| &method["name"]).collect();
        assert_eq!(names, ["programme"], "{words}: the optimum is that of another machine");
        assert_eq!(answer["bound"]["speedup"], variant["speedup"], "{words}");
        assert!((float(&methods[0]["ratio_to_bound"]) - 1.0).abs() < 1e-6, "{words}");
    }
    let odd = split(VARIANT, "torus:3x3 --from 0,0 --sigma 1 --no-front-end --method optimum --chunks 40");
    assert_eq!(odd["variant"]["attained"], false, "a ring of three");
    assert!(odd["methods"][0]["warning"].is_string());
    let all = split(VARIANT, "mesh:3x3 --from 0,0 --sigma 1 --ports all --method optimum --chunks 40");
    assert!(all["variant"].is_null() && all["methods"].as_array().unwrap().len() == 1, "that is the optimum");
}

#[test]
fn shares_of_a_programme_hold_before_the_check() {
    let folder = folder(&[]);
    for words in [
        "mesh:4x5 --from 1,1 --from 3,2=2 --sigma 0.3 --ports one",
        "mesh:3x3 --from 1,1 --sigma 0.7 --no-front-end",
    ] {
        let answer = split(VARIANT, &format!("{words} --method optimum --chunks 40"));
        std::fs::write(folder.path().join("split.json"), answer.to_string()).unwrap();
        assert_eq!(run(folder.path(), &["check", "split.json"]).0, 0, "{words}");
    }
}

#[test]
fn a_programme_that_is_too_large_leaves_the_bound_of_the_optimum_or_of_a_theorem() {
    let folder = folder(&[]);
    let run = |words: &str| run(folder.path(), &words.split(' ').collect::<Vec<_>>());
    let (code, stdout, _) =
        run("split mesh:80x80 --from 2,2 --sigma 4 --no-front-end --method optimum --chunks 40");
    assert_eq!(code, 0);
    assert!(stdout.contains("needs 31681 variables; the limit is 30000"), "{stdout}");
    // A source that sends on four links cannot work meanwhile: max(1, 4 / sigma).
    assert!(
        stdout
            .contains("speedup at most 1 (a theorem: at most what a machine with one of these limits alone"),
        "{stdout}"
    );
    let (code, stdout, _) =
        run("split mesh:80x80 --from 2,2 --sigma 4 --ports one --method optimum --chunks 40");
    assert_eq!(code, 0);
    assert!(stdout.contains("speedup 1.25 (a theorem: min(N, 1 + 1/sigma)), 1.6 times as long"), "{stdout}");
    assert!(stdout.contains("programme is left out"), "{stdout}");
}

#[test]
fn the_next_source_has_a_place_and_a_gain() {
    let answer = split(NEXT, "mesh:7x7 --from 2,2 --sigma 1 --method optimum --chunks 40 --next --places 3");
    let places = answer["next_sources"].as_array().unwrap();
    assert_eq!((places.len(), &answer["next_share"], &answer["next_proved"]), (3, &0.5.into(), &true.into()));
    assert_eq!(places[0]["at"], serde_json::json!([5, 5]), "the node inside that is farthest");
    // What is told of a place is what the optimum is with a source there.
    for place in places {
        let (row, column) = (&place["at"][0], &place["at"][1]);
        let words =
            format!("mesh:7x7 --from 2,2 --from {row},{column} --sigma 1 --method optimum --chunks 40");
        let with = split(&[("bound", &["makespan"])], &words);
        assert!((float(&with["bound"]["makespan"]) - float(&place["makespan"])).abs() < 1e-12);
        assert!((float(&place["gain"]) - 0.2 / float(&place["makespan"])).abs() < 1e-9);
    }
    let fifth = split(NEXT, "mesh:7x7 --from 2,2 --sigma 1 --method optimum --chunks 40 --next 1/5");
    // The first source keeps 4/5 and its five shares of speed.
    assert!((float(&fifth["next_sources"][0]["gain"]) - 1.25).abs() < 1e-9);
    assert_eq!(fifth["next_sources"].as_array().map(Vec::len), Some(5));
    let (_, text, _) = run(
        folder(&[]).path(),
        &[
            "split", "mesh:7x7", "--from", "2,2", "--sigma", "1", "--method", "optimum", "--chunks", "40",
            "--next",
        ],
    );
    assert!(text.contains("with 0.5 of the load is best at (5,5): done by 0.1, 2 times as fast."), "{text}");
}

#[test]
fn queues_are_stable_or_exit_with_1() {
    let folder = folder(&[]);
    let answer = split(QUEUES, "mesh:5x5 --from 2,2=6 --sigma 0.5 --queues");
    assert_eq!(answer["queues"]["stable"], true);
    assert!((float(&answer["queues"]["factor"]) - 1.5).abs() < 1e-9, "1 + 4 / sigma per unit of time");
    assert_eq!(answer["sources"][0]["rate"], 6.0, "rates are not scaled");
    let run = |words: &str| run(folder.path(), &words.split(' ').collect::<Vec<_>>());
    let (code, stdout, stderr) = run("split mesh:5x5 --from 2,2=10 --from 0,0=1 --sigma 0.5 --queues --json");
    assert_eq!((code, stderr.as_str()), (1, ""));
    let queues = &serde_json::from_str::<Value>(&stdout).unwrap()["queues"];
    assert_eq!((&queues["stable"], &queues["tightest"]["nodes"]), (&false.into(), &serde_json::json!([12])));
    assert!((float(&queues["factor"]) - 0.9).abs() < 1e-9);
    let (code, stdout, _) = run("split mesh:5x5 --from 2,2=10 --sigma 0.5 --queues");
    assert_eq!(code, 1);
    assert!(stdout.contains("Not stable: all rates must fall below 0.9 times"), "{stdout}");
    assert!(stdout.contains("node (2,2) receives 10 loads per unit of time and can work off or send out 9."));
    // Everything together: 25 processors, sigma 0.
    assert_eq!(run("split mesh:5x5 --from 2,2=24 --sigma 0 --queues").0, 0);
    assert_eq!(run("split mesh:5x5 --from 2,2=26 --sigma 0 --queues").0, 1);
}

#[test]
fn wishes_that_make_no_sense_are_refused() {
    let folder = folder(&[]);
    for (words, phrase) in [
        ("--sigma 1 --ports two", "expected `all`, `one`, or a number from 1 to 1000"),
        ("--sigma 1 --duplex simplex", "expected `full` or `half`"),
        ("--sigma 1 --results -1", "expected a number from 0 to 1000000"),
        ("--sigma 1 --results 1e7", "expected a number from 0 to 1000000"),
        ("--sigma 1 --results nan", "expected a number from 0 to 1000000"),
        ("--sigma 1 --next 1", "a share between 0 and 1"),
        ("--sigma 1 --next 0", "a share between 0 and 1"),
        ("--sigma 1 --next nan", "a share between 0 and 1"),
        ("--sigma 1 --places 3", "--next"),
        ("--sigma 1 --next --places 0", "1..=1000"),
        ("--sigma 1 --queues --next", "cannot be used with"),
        ("--sigma 1 --queues --ports one", "cannot be used with"),
        ("--sigma 1 --queues --from 1,1=1@2", "loads that keep coming have no release"),
    ] {
        let line = format!("split mesh:3x3 --from 0,0 {words}");
        let (code, stdout, stderr) = run(folder.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!((code, stdout.as_str()), (2, ""), "{line}: {stderr}");
        assert!(stderr.contains(phrase), "{line}: {stderr}");
    }
}

const SCENARIO: &str = "[machine]\ntopology = \"mesh:4x4\"\nPORTS\n[[load]]\nsources = [{ at = [1, 1] }]\nsigma = 0.5\nbytes = 100000\nmethods = [\"installments\"]\n";

#[test]
fn a_scenario_asks_the_same() {
    let plan = |ports: &str, keys: &str| {
        let text = SCENARIO.replace("PORTS", &format!("startup = 0\n{ports}")) + keys;
        let folder = folder(&[("s.toml", &text)]);
        let (code, stdout, stderr) = run(folder.path(), &["plan", "s.toml", "--json"]);
        assert_eq!((code, stderr.as_str()), (0, ""), "{text}");
        let json = serde_json::from_str::<Value>(&stdout).unwrap()["jobs"][0].clone();
        let (_, stdout, _) = run(folder.path(), &["plan", "s.toml"]);
        let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
        (json, stdout, page)
    };
    let (json, text, page) = plan("", "results = 1\nduplex = \"half\"\nnext = \"equal\"\nplaces = 2\n");
    assert!((float(&json["variant"]["speedup"]) - 5.0).abs() < 1e-9, "1 + 4 / (0.5 * 2)");
    assert_eq!(json["next_sources"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["results"][0]["method"], "installments");
    let simulated = float(&json["results"][0]["simulated_speedup"]);
    assert!((4.75..=5.0 + 1e-9).contains(&simulated), "messages of at least a flit: {simulated}");
    for sentence in
        ["With results 1 times the load, half duplex: speedup 5 (a theorem", "A further source with 0.5"]
    {
        assert!(text.contains(sentence) && page.contains(sentence), "{sentence}: {text}");
    }
    // A machine of one port asks by itself, and no simulated schedule beats its programme.
    let (json, ..) = plan("ports = \"one\"", "");
    assert_eq!((&json["variant"]["ports"], float(&json["variant"]["speedup"])), (&"one".into(), 3.0));
    let simulated = float(&json["results"][0]["simulated_speedup"]);
    assert!(simulated <= 3.0 * (1.0 + 1e-9), "{simulated}");
    let (json, ..) = plan("", "front_end = false\n");
    assert!((float(&json["variant"]["speedup"])) < 3.0 + 1e-9, "no faster than with one port");
    // 100000 bytes at sigma 0.5 are 200000 cycles of work; nine times as fast, they take 22222.2 cycles.
    let (json, text, page) = plan("", "every = 20000\n");
    let queues = &json["queues"];
    assert_eq!((&queues["stable"], &queues["tightest"]["nodes"]), (&false.into(), &serde_json::json!([5])));
    assert!((float(&queues["factor"]) - 0.9).abs() < 1e-9, "{queues}");
    let sentence = "Coming again and again: Not stable: all rates must fall below 0.9 times";
    assert!(text.contains(sentence) && page.contains(sentence), "{text}");
    assert_eq!(plan("", "every = 23000\n").0["queues"]["stable"], true);
    let (json, ..) = plan("", "");
    assert!(json["variant"].is_null() && json["next_sources"].is_null());
}

#[test]
fn keys_that_are_wrong_are_told_at_their_place() {
    for (key, phrase) in [
        ("results = -1", "s.toml:9:11"),
        ("duplex = \"simplex\"", "`full` or `half`"),
        ("every = 0", "a time above 0"),
        ("front_end = 1", "true or false"),
        ("next = 2", "s.toml:9:8"),
        ("places = 3", "`places` is given without `next`"),
        ("next = \"equal\"\nplaces = 0", "a whole number from 1 to 1000"),
    ] {
        let folder = folder(&[("s.toml", &(SCENARIO.replace("PORTS", "") + key + "\n"))]);
        let (code, _, stderr) = run(folder.path(), &["plan", "s.toml"]);
        assert!(code == 2 && stderr.contains(phrase), "{key}: {stderr}");
        assert_eq!(entries(folder.path()), ["s.toml"]);
    }
}

/// The flow matrix of one's own machine, checked by a product of one's own: A a = (1, 0, ..., 0), row after row.
#[test]
fn the_flow_matrix_is_shown() {
    let place = folder(&[]);
    let line = "split --on mesh:4x5 --source 1,2 --dead 3,4 --sigma 0.2,0.6 --show matrix --csv m.csv --json";
    let (code, text, problems) = run(place.path(), &line.split(' ').collect::<Vec<_>>());
    assert_eq!(code, 0, "{problems}");
    let answer: Value = serde_json::from_str(&text).unwrap();
    let layers: Vec<f64> = answer["layers"].as_array().unwrap().iter().map(|n| n.as_f64().unwrap()).collect();
    assert_eq!(layers, [1.0, 4.0, 7.0, 6.0, 1.0]);
    let entry = |text: &str, sigma: f64| match text {
        "-(1+s)" => -1.0 - sigma,
        "-(1+2s)" => -1.0 - 2.0 * sigma,
        "s-1" => sigma - 1.0,
        "s" | "-s" | "-2s" => {
            text.replace('s', "").replace("-2", "-2.0").parse().unwrap_or(if text == "s" {
                1.0
            } else {
                -1.0
            }) * sigma
        }
        number => number.parse().unwrap(),
    };
    assert_eq!(answer["matrices"].as_array().unwrap().len(), 3, "one for each way");
    for matrix in answer["matrices"].as_array().unwrap() {
        let rows: Vec<Vec<&str>> = matrix["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row.as_array().unwrap().iter().map(|entry| entry.as_str().unwrap()).collect())
            .collect();
        for point in matrix["points"].as_array().unwrap() {
            let number = |key: &str| point[key].as_f64().unwrap();
            let shares: Vec<f64> =
                point["shares"].as_array().unwrap().iter().map(|share| share.as_f64().unwrap()).collect();
            for (row, right) in rows.iter().zip([1.0, 0.0, 0.0, 0.0, 0.0]) {
                let product: f64 =
                    row.iter().zip(&shares).map(|(text, share)| entry(text, number("sigma")) * share).sum();
                assert!((product - right).abs() < 1e-12, "{} {product}", matrix["switching"]);
            }
            // Row 0 is the layers, so the load is shared out; the source ends with everybody.
            assert!((number("speedup") * shares[0] - 1.0).abs() < 1e-12);
            assert_eq!(number("equivalent_inverse_speed"), shares[0]);
            // Section 3.1.4: det A is the speed-up times the diagonal.
            let diagonal: f64 = (1..5).map(|k| entry(rows[k][k], number("sigma"))).product();
            assert!((number("determinant").abs() - (number("speedup") * diagonal).abs()).abs() < 1e-9);
        }
    }
    let csv = std::fs::read_to_string(place.path().join("m.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 3 * 2 * 25);
    for (wrong, why) in [
        ("--source 0,0", "2 sources"),
        ("--method optimum", "no such option beside --show matrix"),
        ("--places 3 --next", "no such option beside --show matrix"),
        ("--source 0,0 --out o", "cannot be used"),
    ] {
        let line = format!("split --on mesh:4x5 --source 1,2 --sigma 0.2 --show matrix {wrong}");
        let (code, _, problems) = run(place.path(), &line.split(' ').collect::<Vec<_>>());
        assert!(code == 2 && problems.contains(why), "{problems}");
    }
}

/// The page has the ports that were asked for, and the place for the next source is that of such nodes.
#[test]
fn the_next_source_of_one_port_nodes() {
    let folder = folder(&[]);
    let words =
        "split --on mesh:4x4 --source 0,0 --sigma 1 --ports one --next --method optimum --out o --json";
    let (code, stdout, stderr) = run(folder.path(), &words.split(' ').collect::<Vec<_>>());
    assert_eq!((code, stderr.as_str()), (0, ""));
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert!((float(&json["next_sources"][0]["makespan"]) - 0.25).abs() < 1e-6, "2 + 2 / sigma");
    let page = std::fs::read_to_string(folder.path().join("o/report.html")).unwrap();
    assert!(page.contains("one-port") && !page.contains("all-port"), "what was asked for");
}

/// What a machine file says is asked for, too.
#[test]
fn answers_of_other_machines_are_refused() {
    let folder = folder(&[("m.toml", "[machine]\ntopology = \"mesh:3x3\"\nports = \"one\"\n")]);
    for words in ["--source 0,0 --place 2", "--source 0,0=2 --queues", "--random-sources 2"] {
        let words = format!("split --on m.toml --sigma 1 {words}");
        let (code, _, stderr) = run(folder.path(), &words.split(' ').collect::<Vec<_>>());
        assert!(code == 2 && stderr.contains("nodes have one port"), "{words}: {code}, {stderr}");
    }
}

/// Steal-nearest asks for ever where those that stopped keep what they have; the others have their rows.
#[test]
fn a_policy_that_runs_away_is_given_up_alone() {
    let words = "--on mesh:4x4 --source 0,0 --sigma 0.05 --dynamic guided,steal-nearest --drift die:15";
    let answer = split(&[("policies/*", &["name", "makespan", "messages", "unfinished", "given_up"])], words);
    let row = |index: usize| &answer["policies"][index];
    let given_up = |index: usize| (row(index)["unfinished"].clone(), row(index)["given_up"].clone());
    assert_eq!((row(0)["name"].as_str(), given_up(0)), (Some("guided"), (0.into(), 0.into())));
    assert_eq!((row(1)["name"].as_str(), given_up(1)), (Some("steal-nearest"), (1.into(), 1.into())));
    assert!(row(1)["messages"].is_null() && answer["winner"] == "guided", "{answer}");
}

/// What the solver's rounding leaves of results does not send them round in circles, and the winner is no slower than one message each.
#[test]
fn results_on_larger_machines_are_sent() {
    for (words, least) in [
        ("mesh:24x24 --source 5,7 --sigma 0.03 --result-size 0.5 --results-at 3", 70.0),
        ("mesh:26x26 --source 5,7 --sigma 0.05 --ports 2 --result-size 0.1", 35.0),
    ] {
        let answer = split(&[("methods", &[])], &format!("{words} --method installments,serial"));
        let speedup = |row: usize| float(&answer["methods"][row]["simulated_speedup"]);
        assert!(speedup(0) > least && speedup(0) > speedup(1), "{words}: {} {}", speedup(0), speedup(1));
    }
}

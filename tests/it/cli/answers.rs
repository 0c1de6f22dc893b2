//! How answers are given: several values at once, tables, CSV, one line, units.

use std::path::Path;

use serde_json::Value;

use super::{command, entries, folder, rows::csv, run};

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

const QUICK: [&str; 6] = ["--points", "2", "--measure", "200", "--to", "0.2"];

/// Whoever points at the head of a column of a page is told what it means.
fn heads_are_explained(page: &Path) {
    let page = std::fs::read_to_string(page).unwrap();
    let heads: Vec<&str> = page.split("<th ").skip(1).map(|head| head.split('>').next().unwrap()).collect();
    let unexplained: Vec<&&str> =
        heads.iter().filter(|head| head.contains("\"col\"") && !head.contains("title=\"")).collect();
    assert!(heads.len() > 9 && unexplained.is_empty(), "{unexplained:?}");
}

/// U5: several routings are compared in one table and one picture; a key twice is an error.
#[test]
fn a_sweep_compares_values() {
    let place = folder(&[]);
    let ask = |more: &[&str]| {
        run(
            place.path(),
            &[&["sweep", "--on", "mesh:4x4", "--traffic", "transpose"][..], &QUICK, more].concat(),
        )
    };
    let (code, text, _) = ask(&["--set", "routing=dimension-order,odd-even", "--out", "c", "--csv", "c.csv"]);
    assert_eq!(code, 0, "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with(" odd-even ")).count(), 2, "{text}");
    assert_eq!(
        entries(&place.path().join("c")),
        ["curve.svg", "meshwright.json", "report.html", "sweep.json"]
    );
    let picture = std::fs::read_to_string(place.path().join("c/curve.svg")).unwrap();
    assert!(
        picture.contains("stroke-dasharray=\"9 5\"") && picture.contains(">odd-even</text>"),
        "{picture}"
    );
    heads_are_explained(&place.path().join("c/report.html"));
    let (code, ..) = ask(&["--out", "one"]);
    assert_eq!(code, 0);
    heads_are_explained(&place.path().join("one/report.html"));
    let answer = json(&std::fs::read_to_string(place.path().join("c/sweep.json")).unwrap());
    assert_eq!(answer["varies"][0], "routing");
    assert_eq!(answer["series"][1]["varies"]["routing"], "odd-even");
    assert_eq!(answer["series"][1]["points"].as_array().unwrap().len(), 2);
    // Each curve is the one that is measured alone.
    let (_, alone, _) = ask(&["--set", "routing=odd-even", "--json"]);
    assert_eq!(json(&alone)["points"], answer["series"][1]["points"]);
    let rows = csv(&std::fs::read_to_string(place.path().join("c.csv")).unwrap());
    assert_eq!((rows.len(), &*rows[3][1]), (5, "odd-even"));
    // Products; options of other kinds.
    let (code, text, _) = ask(&["--set", "routing=yx,odd-even", "--set", "virtual_channels=1,2", "--json"]);
    assert_eq!((code, json(&text)["series"].as_array().unwrap().len()), (0, 4));
    let (code, _, error) = ask(&["--set", "routing=yx", "--set", "routing=odd-even"]);
    assert!(code == 2 && error.contains("`routing` twice"), "{error}");
    let (code, _, error) = ask(&["--set", "routing=yx,yx"]);
    assert!(code == 2 && error.contains("a value twice"), "{error}");
}

/// Each of several curves keeps its points in a file of its own, as if it were measured alone.
#[test]
fn several_curves_go_on_with_their_files() {
    let place = folder(&[]);
    let ask = |routings: &str, results: &str| {
        let set = format!("routing={routings}");
        let head = ["sweep", "--on", "mesh:4x4", "--traffic", "transpose", "--json"];
        run(place.path(), &[&head[..], &["--set", &set, "--results", results], &QUICK].concat())
    };
    let read = |name: &str| std::fs::read_to_string(place.path().join(name)).unwrap();
    let (code, whole, error) = ask("yx,odd-even", "r.jsonl");
    assert_eq!(code, 0, "{error}");
    assert!(!place.path().join("r.jsonl").exists());
    let (code, ..) = ask("odd-even", "alone.jsonl");
    assert_eq!((code, read("alone.jsonl")), (0, read("r.odd-even.jsonl")));

    // Ended after a point and a half of the second curve; a forged point shows that nobody measures it again.
    let kept = read("r.yx.jsonl");
    let (half, forged) =
        (&kept[..kept.len() - 20], |text: &str| text.replace("\"packets\":", "\"packets\":7"));
    std::fs::write(place.path().join("r.yx.jsonl"), half).unwrap();
    std::fs::write(place.path().join("r.odd-even.jsonl"), forged(&read("r.odd-even.jsonl"))).unwrap();
    let (code, again, error) = ask("yx,odd-even", "r.jsonl");
    assert_eq!((code, read("r.yx.jsonl")), (0, kept), "{error}");
    let (whole, again) = (json(&whole), json(&again));
    assert_eq!(whole["series"][0], again["series"][0]);
    let packets = |answer: &serde_json::Value| answer["series"][1]["points"][0]["packets"].to_string();
    assert_eq!(packets(&again), "7".to_string() + &packets(&whole));

    // What is of another sweep is refused before anything is measured.
    std::fs::copy(place.path().join("r.yx.jsonl"), place.path().join("r.odd-even.jsonl")).unwrap();
    let (code, _, error) = ask("xy,odd-even", "r.jsonl");
    assert!(code == 2 && error.contains("r.odd-even.jsonl") && error.contains("another sweep"), "{error}");
    assert!(!place.path().join("r.xy.jsonl").exists());
}

#[test]
fn a_sweep_compares_patterns() {
    let place = folder(&[]);
    let head = ["sweep", "--on", "mesh:4x4", "--traffic", "transpose,uniform", "--json"];
    let (code, text, _) = run(place.path(), &[&head[..], &QUICK].concat());
    let answer = json(&text);
    assert_eq!((code, &answer["varies"][0]), (0, &"traffic".into()));
    let loads = |at: usize| {
        let points = answer["series"][at]["points"].as_array().unwrap();
        points.iter().map(|point| point["load"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(loads(0), loads(1), "the same loads in all curves");
}

#[test]
fn a_division_is_compared_over_sigma() {
    let place = folder(&[]);
    let ask = |more: &[&str]| {
        run(
            place.path(),
            &[&["split", "mesh:3x3", "--source", "1,1", "--switching", "cut-through"][..], more].concat(),
        )
    };
    let (code, text, error) = ask(&["--sigma", "0.1..0.3/3", "--out", "l", "--csv", "l.csv"]);
    assert_eq!(code, 0, "{text}{error}");
    assert_eq!(text.lines().filter(|line| line.contains("* ")).count(), 4, "{text}");
    let picture = std::fs::read_to_string(place.path().join("l/speedup.svg")).unwrap();
    assert!(picture.contains(">bound</text>") && picture.contains("stroke-dasharray"), "{picture}");
    let answer = json(&std::fs::read_to_string(place.path().join("l/split.json")).unwrap());
    assert_eq!(answer["series"][1]["varies"]["sigma"], 0.2);
    let (_, alone, _) = ask(&["--sigma", "0.2", "--json"]);
    assert_eq!(json(&alone)["methods"], answer["series"][1]["methods"]);
    let rows = csv(&std::fs::read_to_string(place.path().join("l.csv")).unwrap());
    assert_eq!(rows[0][..7], ["machine", "nodes", "degree", "method", "switching", "winner", "sigma"]);
    let (code, text, _) = ask(&["--sigma", "0.1,1/5", "--message-startup", "0,1e-4", "--json"]);
    assert_eq!((code, json(&text)["series"].as_array().unwrap().len()), (0, 4));
    for (more, why) in
        [(&["--sigma", "0.1..0.2"][..], "FIRST..LAST/POINTS"), (&["--sigma", "0.1,0.1"], "each value once")]
    {
        let (code, _, error) = ask(more);
        assert!(code == 2 && error.contains(why), "{more:?}: {error}");
    }
    for (more, why) in [
        (&["--sigma", "0.1,0.2"][..], "one value with --queues"),
        (&["--sigma", "0.1", "--csv", "x.csv"], "no --csv beside --queues"),
    ] {
        let queues = ["split", "mesh:4x4", "--source", "1,1", "--queues"];
        let (code, _, error) = run(place.path(), &[&queues[..], more].concat());
        assert!(code == 2 && error.contains(why), "{more:?}: {error}");
    }
    assert_eq!(entries(place.path()), ["l", "l.csv"]);
}

#[test]
fn placements_are_compared_over_start_ups() {
    let place = folder(&[]);
    let head =
        ["map", "binomial:3", "--on", "mesh:4x4", "--placement", "growing,random", "--startup", "10,100"];
    let (code, text, _) = run(place.path(), &[&head[..], &["--out", "m", "--csv", "m.csv"]].concat());
    assert_eq!(code, 0);
    assert!(text.lines().any(|line| line.starts_with(" 10        * growing")), "{text}");
    let answer = json(&std::fs::read_to_string(place.path().join("m/map.json")).unwrap());
    assert_eq!(answer["series"][1]["startup"], 100);
    let rows = csv(&std::fs::read_to_string(place.path().join("m.csv")).unwrap());
    let winners: Vec<&str> = rows[1..].iter().map(|row| &*row[2]).collect();
    assert_eq!(winners, ["true", "false", "true", "false"]);
    // A file that is another's stays.
    std::fs::write(place.path().join("m.csv"), "mine").unwrap();
    let (code, _, error) = run(place.path(), &[&head[..], &["--csv", "m.csv"]].concat());
    assert!(code == 2 && error.contains("--force"), "{error}");
    let (code, _, error) = run(place.path(), &[&head[..], &["--explain"]].concat());
    assert!(code == 2 && error.contains("one value of --startup"), "{error}");
    let sweep = ["sweep", "--on", "mesh:4x4", "--traffic", "uniform", "--startup", "1,2"];
    let (code, _, error) = run(place.path(), &sweep);
    assert!(code == 2 && error.contains("compared by map"), "{error}");
}

/// Tables fit; what does not is named.
#[test]
fn tables_fit_the_columns_there_are() {
    let place = folder(&[]);
    let arguments = ["map", "binomial:4", "--on", "mesh:4x4"];
    for columns in [20, 40, 60, 80, 120] {
        let output = command(place.path(), &arguments).env("COLUMNS", columns.to_string()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let long = text.lines().filter(|line| line.starts_with('─')).map(|line| line.chars().count()).max();
        assert!(long.unwrap() <= columns.max(30), "{columns}: {text}");
        assert!(columns > 80 || text.contains(&format!("not shown in {columns} columns: ")), "{text}");
    }
    let (_, text, _) = run(place.path(), &arguments);
    assert!(text.contains("slowdown   hops") && !text.contains("not shown"), "{text}");
}

/// U15: heads are bold, winners green, alarms red, where colours are wanted.
#[test]
fn tables_have_colours_where_they_are_wanted() {
    let place = folder(&[]);
    let arguments = ["map", "binomial:3", "--on", "mesh:4x4", "--placement", "growing,random"];
    let (_, plain, _) = run(place.path(), &arguments);
    assert!(!plain.contains('\u{1b}') && !plain.contains('\u{fdd0}'), "a pipe has none: {plain}");
    let (_, colours, _) = run(place.path(), &[&arguments[..], &["--color", "always"]].concat());
    assert!(colours.contains("\u{1b}[1m placement"), "{colours}");
    assert!(colours.contains("\u{1b}[1;32m * growing"), "{colours}");
    let bare: String = colours
        .split('\u{1b}')
        .map(|part| part.split_once('m').filter(|_| part.starts_with('[')).map_or(part, |(_, rest)| rest))
        .collect();
    assert_eq!(bare, plain, "colours change nothing else");
    let (_, never, _) = run(place.path(), &[&arguments[..], &["--color", "never"]].concat());
    assert_eq!(never, plain);
    let stuck = [
        "sweep",
        "--on",
        "torus:4x4",
        "--traffic",
        "uniform",
        "--set",
        "routing=dimension-order-one-class",
        "--loads",
        "0.1",
        "--color",
        "always",
    ];
    let (code, red, _) = run(place.path(), &stuck);
    assert!(code == 1 && red.contains("\u{1b}[1;31mnot simulated\u{1b}[0m"), "{red}");
}

/// One line with the answer, nothing on stderr; or all that was tried.
#[test]
fn quiet_is_one_line_and_verbose_says_what_is_done() {
    let place = folder(&[
        ("b.goal", "num_ranks 2\nrank 0 { send 64b to 1 }\nrank 1 { recv 64b from 0 }\n"),
        ("s.toml", "[machine]\ntopology = \"mesh:4x4\"\n[[divide]]\ntasks = \"binomial:4\"\n"),
    ]);
    for arguments in [
        &["map", "binomial:3", "--on", "mesh:4x4", "--out", "m"][..],
        &["plan", "s.toml"],
        &["split", "mesh:4x4", "--source", "0,0", "--sigma", "0.1"],
        &["split", "mesh:4x4", "--source", "0,0=1", "--sigma", "0.1", "--queues"],
        &["groups", "mesh:4x4", "--levels", "1", "--repeat", "2"],
        &["groups", "mesh:4x4", "--collective", "broadcast"],
        &["simulate", "b.goal", "--on", "mesh:1x2"],
        &["simulate", "--on", "mesh:4x4", "--traffic", "uniform", "--load", "0.1", "--measure", "100"],
        &["sweep", "--on", "mesh:4x4", "--traffic", "uniform", "--loads", "0.1", "--measure", "100"],
        &["run", "b.goal"],
        &["machines"],
        &["init", "new.toml"],
    ] {
        let (code, text, error) = run(place.path(), &[arguments, &["-q"]].concat());
        assert!(code == 0 && error.is_empty(), "{arguments:?}: {error}");
        assert!(text.lines().count() == 1 && text.trim().len() > 4, "{arguments:?}: {text}");
    }
    let (_, _, error) = run(place.path(), &["plan", "s.toml", "--verbose", "--json"]);
    assert!(error.contains("reads s.toml\n"), "{error}");
    let (_, text, error) =
        run(place.path(), &["map", "binomial:3", "--on", "mesh:4x4", "--placement", "auto", "-v", "--json"]);
    assert!(json(&text)["format"] == 1 && error.contains("row-major is left out: "), "{error}");
    let (code, ..) = run(place.path(), &["machines", "-q", "-v"]);
    assert_eq!(code, 2);
}

/// U10: with a clock there are seconds.
#[test]
fn a_clock_gives_seconds() {
    let scenario = "[machine]\ntopology = \"mesh:4x4\"\nclock = \"1 GHz\"\nstartup = \"1 us\"\nbyte_time = \"25 GB/s\"\n\n[[divide]]\ntasks = \"binomial:4\"\nvolume = \"1 MiB\"\n";
    let place = folder(&[("s.toml", scenario), ("m.toml", scenario.split("\n\n").next().unwrap())]);
    let plan = |more: &[&str]| run(place.path(), &[&["plan", "s.toml", "--force"][..], more].concat());
    let (_, text, _) = plan(&[]);
    let answer = json(&plan(&["--json"]).1);
    let cycles = answer["jobs"][0]["results"][0]["simulated_cycles"].as_f64().unwrap();
    assert_eq!(answer["cycle_seconds"], 1e-9);
    assert_eq!(answer["jobs"][0]["simulated_seconds"].as_f64(), Some(cycles / 1e9));
    let both = format!("{cycles} ({} µs)", (cycles / 10.0).round() / 100.0);
    assert!(text.contains(&both), "{both}: {text}");
    assert!(!plan(&["--units", "cycles"]).1.contains("µs"));
    let (_, seconds, _) = plan(&["--units", "time"]);
    assert!(seconds.contains("times in seconds") && !seconds.contains(&cycles.to_string()), "{seconds}");
    let page = std::fs::read_to_string(place.path().join("report.html")).unwrap();
    assert!(page.contains("1 ns"), "the page says how long a cycle is");
    let (_, map, _) = run(place.path(), &["map", "binomial:4", "--on", "m.toml", "--json"]);
    let map = json(&map);
    assert_eq!(map["bound_seconds"].as_f64(), map["bound_cycles"].as_f64().map(|cycles| cycles / 1e9));
    // Traffic and groups, too: every time of the table has its unit.
    for line in [
        "sweep --on m.toml --traffic uniform --loads 0.1 --measure 300",
        "groups --on m.toml --levels 1 --repeat 1",
    ] {
        let shown = |more: &str| {
            let arguments: Vec<&str> = line.split(' ').chain(more.split_whitespace()).collect();
            let (code, text, error) = run(place.path(), &arguments);
            assert_eq!(code, 0, "{line}: {error}");
            text
        };
        let (both, cycles, seconds) = (shown(""), shown("--units cycles"), shown("--units time"));
        assert!(both.contains(" cycles (") && both.contains("s)"), "{both}");
        assert!(!cycles.contains("µs") && cycles.contains("cycles"), "{cycles}");
        let table: Vec<&str> =
            seconds.lines().filter(|line| line.contains("µs") || line.contains("ns")).collect();
        assert!(table.len() > 1 && !seconds.contains("cycles"), "{seconds}");
    }
    // A time on the command line is counted by the clock of the machine, as in its file.
    for (startup, byte_time) in [("2us", "25 GB/s"), ("2000", "1/25"), ("2 us", "0.04")] {
        let arguments =
            ["map", "binomial:4", "--on", "m.toml", "--json", "--placement", "growing", "--startup", startup];
        let (code, text, error) = run(place.path(), &[&arguments[..], &["--byte-time", byte_time]].concat());
        assert_eq!(code, 0, "{error}");
        assert_eq!(json(&text)["startup"], 2000, "{startup}: {text}");
    }
    for (arguments, why) in [
        (&["map", "binomial:4", "--on", "mesh:4x4", "--units", "time"][..], "no clock"),
        (&["machines", "--units", "time"], "only with plan, explain, map, race, simulate, sweep and groups"),
    ] {
        let (code, _, error) = run(place.path(), arguments);
        assert!(code == 2 && error.contains(why), "{error}");
    }
}

/// U10: so have the sentences of an explanation.
#[test]
fn a_clock_gives_seconds_to_explanations() {
    let machine = "[machine]\ntopology = \"mesh:4x4\"\nclock = \"1 GHz\"\nstartup = \"1 us\"\nbyte_time = \"25 GB/s\"\n";
    let place = folder(&[("m.toml", machine)]);
    let (code, ..) = run(place.path(), &["map", "binomial:4", "--on", "m.toml", "--out", "o"]);
    assert_eq!(code, 0);
    let explained = |line: &str| {
        let (code, text, error) = run(place.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!(code, 0, "{line}: {error}");
        text
    };
    let shown = explained("explain o/plan.json");
    assert!(shown.contains(" cycles (") && !shown.contains("µs"), "{shown}");
    for line in [
        "explain o/plan.json --units time",
        "map binomial:4 --on m.toml --explain --units time --placement row-major",
    ] {
        let shown = explained(line);
        let told = shown.split("row-major, cut-through: ").last().unwrap();
        assert!(shown.contains("is busy for ") && told.contains(" µs"), "{shown}");
        assert!(!told.contains(" cycle"), "{shown}");
    }
}

/// Every column of every table has a name of its own, with letters that a program takes as a name, and a meaning.
#[test]
fn columns_are_documented() {
    for (verb, columns) in meshwright_cli::csv::reference() {
        let mut names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        assert!(
            names.iter().all(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')),
            "{verb}"
        );
        assert!(columns.iter().all(|(_, means)| means.len() > 3), "{verb}");
        let many = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), many, "{verb}");
    }
}

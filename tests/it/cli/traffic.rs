//! Open-loop traffic and sweeps, as a user meets them.

use meshwright_network::routing::ROUTINGS;
use meshwright_sim::flit::{ROUTERS, SETTINGS};
use meshwright_sim::traffic::PATTERNS;

use super::*;

/// Runs short enough for every day.
const SHORT: [&str; 6] = ["--warm-up", "200", "--measure", "2000", "--drain", "2000"];

fn with<'a>(words: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [words, more].concat()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let (code, stdout, stderr) = run(folder, &with(arguments, &["--json"]));
    assert_eq!((code, stderr.as_str(), stdout.lines().count()), (0, "", 1), "{arguments:?}");
    serde_json::from_str(&stdout).unwrap()
}

fn simulate<'a>(traffic: &'a str, load: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let words = ["simulate", "--on", "mesh:8x8", "--traffic", traffic, "--load", load, "--packet", "4"];
    with(&with(&words, &SHORT), more)
}

fn sweep<'a>(more: &[&'a str]) -> Vec<&'a str> {
    with(&with(&["sweep", "--on", "mesh:8x8", "--traffic", "uniform", "--packet", "4"], &SHORT), more)
}

const BOTH: &[&str] = &[
    "format",
    "machine",
    "engine",
    "switching",
    "router",
    "traffic",
    "packet",
    "warm_up",
    "measure",
    "drain",
    "seed",
    "zero_load_cycles",
    "mean_hops",
    "bound",
];
const POINT: &[&str] = &[
    "load",
    "offered",
    "accepted",
    "saturated",
    "latency",
    "hops_mean",
    "cycles",
    "flit_hops",
    "undelivered",
    "deadlock",
];

fn has(value: &Value, keys: &[&str]) {
    for key in keys {
        assert!(value.get(key).is_some(), "{key} is missing in {value}");
    }
}

#[test]
fn the_keys_of_traffic_are_those_of_the_contract() {
    let folder = folder(&[]);
    let report = json(folder.path(), &simulate("transpose", "0.1", &[]));
    has(&report, &with(&with(BOTH, POINT), &["messages", "hottest_link"]));
    has(&report["latency"], &["mean", "ci95", "p50", "p99", "max"]);
    let whole = json(folder.path(), &sweep(&["--loads", "0.1,0.2", "--saturation"]));
    has(&whole, &with(BOTH, &["points", "saturation"]));
    has(&whole["saturation"], &["load", "not_carried", "throughput"]);
    let points = whole["points"].as_array().unwrap();
    assert!(points.len() > 4, "those of the search among them");
    points.iter().for_each(|point| has(point, POINT));
}

/// A point of a sweep is the run that `simulate` makes of that load, and theory stands beside both.
#[test]
fn a_point_of_a_sweep_is_the_run_of_its_load() {
    let folder = folder(&[]);
    let whole = json(folder.path(), &sweep(&["--loads", "0.2,0.05,0.1", "--seed", "9"]));
    let alone = json(folder.path(), &simulate("uniform", "0.1", &["--seed", "9", "--threads", "1"]));
    let point = &whole["points"][1];
    for key in POINT {
        assert_eq!(alone[key], point[key], "{key}");
    }
    // Mean distance 16/3 on 8 x 8 without self; one cycle a hop, four flits; the bound is 4/k (N-1)/N.
    let number = |key: &str| whole[key].as_f64().unwrap();
    assert!((number("mean_hops") - 16.0 / 3.0).abs() < 1e-12);
    assert!((number("zero_load_cycles") - (16.0 / 3.0 + 3.0)).abs() < 1e-9);
    assert!((number("bound") - 0.5 * 63.0 / 64.0).abs() < 1e-12);
    let mean = |index: usize| whole["points"][index]["latency"]["mean"].as_f64().unwrap();
    assert!(number("zero_load_cycles") < mean(0) && mean(0) < mean(1) && mean(1) < mean(2));
}

#[test]
fn the_same_sweep_prints_the_same_bytes_on_any_number_of_threads() {
    let folder = folder(&[]);
    let print = |threads| run(folder.path(), &sweep(&["--points", "4", "--json", "--threads", threads]));
    let once = print("1");
    assert_eq!(once.0, 0);
    assert_eq!(print("2"), once);
    assert_eq!(print("3"), once);
    let seed = run(folder.path(), &sweep(&["--points", "4", "--json", "--seed", "1"]));
    assert_ne!(seed, once);
}

#[test]
fn booksim_counts_uniform_with_self() {
    let folder = folder(&[]);
    let report = json(folder.path(), &simulate("uniform", "0.05", &["--preset", "booksim"]));
    assert_eq!(report["traffic"], "uniform-with-self");
    assert_eq!(report["bound"], 0.5);
    let delays = ["--preset", "booksim", "--set", "routing_delay=0", "--set", "speculative=1"];
    let quick = json(folder.path(), &simulate("uniform", "0.05", &delays));
    // 5 + 3 H + (L - 1) in place of 7 + 5 H + (L - 1), with H = 2 (64 - 1) / 24 = 5.25.
    assert_eq!((&report["zero_load_cycles"], &quick["zero_load_cycles"]), (&36.25.into(), &23.75.into()));
    assert_eq!(json(folder.path(), &simulate("uniform", "0.05", &[]))["traffic"], "uniform");
}

#[test]
fn a_sweep_prints_a_table_and_leaves_a_page() {
    let folder = folder(&[]);
    let words = ["--points", "5", "--to", "0.6", "--saturation", "--out", "a/b"];
    let (code, stdout, stderr) = run(folder.path(), &sweep(&words));
    assert_eq!((code, stderr.as_str()), (0, ""));
    for word in ["T0 8.33 cycles", "bound 0.4922", "latency", "± 95 %", "saturated", "carried up to 0."] {
        assert!(stdout.contains(word), "{word} is missing in\n{stdout}");
    }
    let out = folder.path().join("a/b");
    assert_eq!(entries(&out), ["curve.svg", "meshwright.json", "report.html", "sweep.json"]);
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    let figures = [
        "<svg",
        "class=\"curve\"",
        "class=\"whisker\"",
        "class=\"saturated\"",
        "T0 = 8.333 cycles",
        "bound 0.4922",
    ];
    for word in figures.iter().chain(&["not carried", "virtual_channels"]) {
        assert!(page.contains(word), "{word} is missing in the page");
    }
    let report = json(folder.path(), &sweep(&["--points", "5", "--to", "0.6", "--saturation"]));
    let points = report["points"].as_array().unwrap();
    assert_eq!(page.matches("<td class=\"words\">").count(), points.len());
    let svg = std::fs::read_to_string(out.join("curve.svg")).unwrap();
    assert!(svg.starts_with("<svg xmlns=") && !svg.contains("var("), "a drawing alone has its own colours");
}

#[test]
fn a_routing_that_can_deadlock_is_refused_with_its_ring() {
    let folder = folder(&[]);
    let base = ["--on", "torus:6", "--traffic", "uniform", "--set", "routing=dimension-order-one-class"];
    let words = with(&with(&["simulate", "--load", "0.001", "--json"], &base), &SHORT);
    let (code, stdout, stderr) = run(folder.path(), &words);
    assert_eq!((code, stderr.as_str()), (1, ""));
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let ring = report["deadlock"].as_array().unwrap();
    assert_eq!((ring.len(), &report["saturated"]), (6, &true.into()));
    for (channel, next) in ring.iter().zip(ring.iter().cycle().skip(1)) {
        assert_eq!(channel["to"], next["from"], "each waits for the next: {stdout}");
    }
    let (code, stdout, _) = run(folder.path(), &with(&["sweep", "--saturation", "--out", "d"], &base));
    assert_eq!(code, 1);
    assert!(stdout.contains("not simulated: ") && stdout.contains(":\n(0) → (1)\n"), "{stdout}");
    let page = std::fs::read_to_string(folder.path().join("d/report.html")).unwrap();
    assert!(page.contains("Not simulated: the routing can deadlock"));
}

/// Runs lines of words, each of which must be refused with this phrase and leave nothing behind.
fn refuse(cases: &[(&str, &str)]) {
    let folder = folder(&[("a.goal", GOAL), ("p.txt", "0 1\n1 x\n")]);
    let before = entries(folder.path());
    for (line, wanted) in cases {
        let (code, stdout, stderr) = run(folder.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!((code, stdout.as_str()), (2, ""), "{line}: {stderr}");
        assert!(stderr.contains(wanted), "{line}: {stderr}");
        assert_eq!(entries(folder.path()), before, "nothing is written");
    }
}

#[test]
fn traffic_that_does_not_fit_is_refused() {
    refuse(&[
        (
            "simulate --on mesh:3x4 --traffic transpose --load 0.1",
            "error: transpose is not possible here: the first half of the sides must equal the second, and they are 3x4\n",
        ),
        (
            "simulate --on mesh:1x2 --traffic unifrom --load 0.1",
            "error: traffic is `unifrom`; expected one of uniform, ",
        ),
        (
            "simulate --on mesh:1x2 --traffic uniform --load 1.5",
            "error: load is 1.5; expected flits per node and cycle, above 0 and at most 1\n",
        ),
        ("simulate --on mesh:1x2 --traffic uniform --load NaN", "error: load is NaN; expected"),
        ("simulate --on mesh:1x2 --traffic uniform --load -1", "error: load is -1; expected"),
        (
            "simulate --on mesh:1x2 --traffic permutation:p.txt --load 0.1",
            "error: target is `x`\n --> p.txt:2:3\n",
        ),
        (
            "simulate --on mesh:1x2 --traffic uniform --load 0.1 --packet 0",
            "error: packet is 0; expected 1 to 65536 flits\n",
        ),
        (
            "simulate --on mesh:1x2 --traffic uniform --load 0.1 --measure 0",
            "error: measure is 0; expected 1 to",
        ),
    ]);
}

#[test]
fn routers_that_cannot_be_are_refused() {
    refuse(&[
        (
            "simulate --on mesh:1x2 --traffic uniform --load 0.1 --preset noxim",
            "error: router is `noxim`; expected ideal, booksim, caminos, cnsim\n",
        ),
        (
            "simulate --on mesh:1x2 --traffic uniform --load 0.1 --set buffer=1",
            "error: setting is `buffer`; expected virtual_channels, ",
        ),
        ("simulate --on mesh:1x2 --traffic uniform --load 0.1 --set buffers", "expected KEY=VALUE"),
        (
            "simulate --on torus:4x4 --traffic uniform --load 0.1 --set virtual_channels=1",
            "error: virtual_channels is 1; expected at least 2",
        ),
        (
            "sweep --on torus:4x4 --traffic uniform --set virtual_channels=1 --results new.jsonl --out new",
            "error: virtual_channels is 1; expected at least 2",
        ),
        (
            "simulate --on mesh:1x2 --traffic uniform --load 0.1 --engine message",
            "error: engine is message; expected flit: packets at random need routers\n",
        ),
        (
            "simulate a.goal --on mesh:1x2 --engine message --preset booksim",
            "error: router is booksim; expected --engine flit beside it",
        ),
        ("simulate a.goal --on mesh:1x2 --packet 2", "--packet"),
        ("simulate a.goal --on mesh:1x2 --traffic uniform --load 0.1", "cannot be used with"),
        ("simulate --on mesh:1x2", "SCHEDULE.goal"),
        ("simulate --on mesh:1x2 --traffic uniform", "--load"),
    ]);
}

#[test]
fn sweeps_that_make_no_sense_are_refused() {
    refuse(&[
        (
            "sweep --on mesh:1x2 --traffic uniform --loads 0.1,2",
            "error: load is 2; expected flits per node and cycle, from 0.000001 to 1\n",
        ),
        (
            "sweep --on mesh:1x2 --traffic uniform --points 0",
            "error: number of points is 0; expected 1 to 10000\n",
        ),
        (
            "sweep --on mesh:1x2 --traffic uniform --from 0.5 --to 0.1",
            "error: first load is 0.5; expected at most the last one, 0.1\n",
        ),
        ("sweep --on mesh:1x2 --traffic uniform --loads 0.1 --points 3", "cannot be used with"),
        ("sweep --on mesh:1x2 --traffic uniform --threads 0", "1..=1024"),
        (
            "sweep --on mesh:1x2 --traffic uniform --results a.goal",
            "error: this is not the results file of a sweep\n --> a.goal:1:1\n",
        ),
        ("sweep --on mesh:1x2 --traffic uniform --results .", "error: .: "),
    ]);
}

#[cfg(unix)]
#[test]
fn a_results_file_that_never_ends_is_refused() {
    let folder = folder(&[]);
    std::fs::File::create(folder.path().join("sparse")).unwrap().set_len(2 << 30).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("zero")).unwrap();
    for name in ["sparse", "zero"] {
        let words = ["sweep", "--on", "mesh:2x2", "--traffic", "uniform", "--results", name];
        let (code, stdout, stderr) = run(folder.path(), &words);
        assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
        let expected =
            if name == "sparse" { "expected a file of at most" } else { "expected a file, not a device" };
        assert!(stderr.contains(expected) && stderr.len() < 500, "{stderr}");
    }
}

#[test]
fn help_names_every_pattern_and_preset() {
    let folder = folder(&[]);
    for verb in ["simulate", "sweep"] {
        let help = run(folder.path(), &[verb, "-h"]).1;
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        PATTERNS.iter().for_each(|entry| assert!(words.contains(entry.usage), "{}: {help}", entry.name));
        ROUTERS.iter().for_each(|preset| assert!(words.contains(preset.name), "{}: {help}", preset.name));
        ROUTINGS.iter().for_each(|routing| assert!(words.contains(routing.name), "{}: {help}", routing.name));
        SETTINGS.iter().for_each(|setting| {
            assert!(words.contains(setting.name), "{}: {help}", setting.name);
        });
    }
}

/// Six nodes of a ring send to the node opposite. With date-lines the flit engine brings all there; without, each
/// worm holds what the next one wants.
#[test]
fn a_schedule_on_routers_deadlocks_without_date_lines() {
    let rank = |r: u32| {
        let opposite = (r + 3) % 6;
        format!("rank {r} {{\nl0: send 1000b to {opposite} tag 1\nl1: recv 1000b from {opposite} tag 1\n}}\n")
    };
    let goal = "num_ranks 6\n".to_string() + &(0..6).map(rank).collect::<String>();
    let folder = folder(&[("ring.goal", &goal)]);
    let words =
        ["simulate", "ring.goal", "--on", "torus:6", "--engine", "flit", "--set", "virtual_channels=2"];
    let report = json(folder.path(), &words);
    assert_eq!((&report["deadlock"], &report["messages"]), (&Value::Null, &6.into()));
    // Every message is 1 + 500 flits over three links.
    assert_eq!(report["flit_hops"], 6 * 501 * 3);
    assert!(report["hottest_link"]["messages"] == 3, "{report}");
    let single =
        ["simulate", "ring.goal", "--on", "torus:6", "--engine", "flit", "--set", "virtual_channels=1"];
    let words = with(&single, &["--set", "routing=dimension-order-one-class", "--json"]);
    let (code, stdout, stderr) = run(folder.path(), &words);
    assert_eq!((code, stderr.as_str()), (1, ""));
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let ring = report["deadlock"].as_array().unwrap();
    assert!(ring.len() > 1);
    for (channel, next) in ring.iter().zip(ring.iter().cycle().skip(1)) {
        assert_eq!(channel["to"], next["from"], "each waits for the next: {stdout}");
    }
    let (code, stdout, _) = run(folder.path(), &words[..words.len() - 1]);
    assert!(code == 1 && stdout.contains("deadlock, each waits for the next"), "{stdout}");
}

#[test]
fn routings_that_choose_count_flit_hops_where_ways_are_shortest() {
    let folder = folder(&[]);
    let goal = folder.path().join("a.goal");
    std::fs::write(&goal, "num_ranks 16\nrank 0 { send 20b to 15 }\nrank 15 { recv 20b from 0 }\n").unwrap();
    let hops = |routing: &str| {
        let (virtual_channels, routing) = ("virtual_channels=4", format!("routing={routing}"));
        let words = ["simulate", "a.goal", "--on", "mesh:4x4", "--engine", "flit"];
        let report = json(folder.path(), &with(&words, &["--set", virtual_channels, "--set", &routing]));
        (report["flit_hops"].as_u64(), report["hottest_link"].is_object())
    };
    // A head and ten flits of two bytes, over six links.
    for routing in ["auto", "yx"] {
        assert_eq!(hops(routing), (Some(66), true), "{routing}");
    }
    for routing in ["min-adaptive", "west-first", "o1turn"] {
        assert_eq!(hops(routing), (Some(66), false), "{routing}");
    }
    assert_eq!(hops("valiant"), (None, false), "detours are drawn");
}

/// U5: a key given twice, or two routings, is an error that says what would be accepted; the routing stands in tables
/// and pages.
#[test]
fn a_setting_is_given_once_and_the_routing_is_named() {
    let folder = folder(&[]);
    let sweep = ["sweep", "--on", "mesh:4x4", "--traffic", "uniform", "--loads", "0.1", "--measure", "50"];
    let with_sets = |sets: &[&str]| {
        let mut words = sweep.to_vec();
        sets.iter().for_each(|set| words.extend(["--set", set]));
        run(folder.path(), &words)
    };
    let (code, stdout, stderr) = with_sets(&["routing=odd-even", "routing=dimension-order"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("`routing` twice; expected each key once"), "{stderr}");
    let one = ["simulate", "--on", "mesh:4x4", "--traffic", "uniform", "--load", "0.1", "--set"];
    let (code, _, stderr) = run(folder.path(), &with(&one, &["routing=odd-even,yx"]));
    assert!(code == 2 && stderr.contains("one value of each key"), "{stderr}");
    let (code, stdout, _) = with_sets(&["routing=odd-even"]);
    assert!(code == 0 && stdout.contains(" · odd-even · ") && stdout.contains("(any routing)"), "{stdout}");
    let (_, stdout, _) = with_sets(&[]);
    assert!(stdout.contains(" · dimension-order · ") && stdout.contains("(dimension-order)"), "{stdout}");
    assert_eq!(run(folder.path(), &with(&sweep, &["--set", "routing=yx", "--out", "o"])).0, 0);
    let page = std::fs::read_to_string(folder.path().join("o/report.html")).unwrap();
    assert!(page.contains("uniform traffic on mesh:4x4, yx") && page.contains("bound of yx"));
}

/// What a machine file says of messages plays no part in packets of flits, and that is said.
#[test]
fn costs_of_messages_that_play_no_part_are_named() {
    let file = |costs: &str| format!("[machine]\ntopology = \"mesh:3x3\"\n{costs}\n");
    let (slow, plain) = (file("byte_time = 4"), file("byte_time = \"1/2\"\nstartup = 0\nflit = 2"));
    let folder = folder(&[("slow.toml", &slow), ("plain.toml", &plain)]);
    for (on, is_said) in [("slow.toml", true), ("plain.toml", false), ("mesh:3x3", false)] {
        for verb in ["sweep --loads 0.1", "simulate --load 0.1"] {
            let words = format!("{verb} --on {on} --traffic uniform -q");
            let (code, _, stderr) = run(folder.path(), &words.split(' ').collect::<Vec<_>>());
            assert_eq!((code, stderr.contains("play no part here")), (0, is_said), "{words}: {stderr}");
        }
    }
}

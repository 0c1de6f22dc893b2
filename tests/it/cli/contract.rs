//! The keys scripts rely on: they are added, never renamed; and the same command prints the same bytes.

use super::*;

/// Paths of objects in what a verb prints (`*`: every element of a list) with the keys each must have.
pub(super) type Contract = [(&'static str, &'static [&'static str])];

const PLAN: &Contract = &[
    ("", &["format", "machine", "seed", "jobs"]),
    (
        "machine",
        &[
            "topology",
            "switching",
            "startup",
            "byte_time",
            "flit",
            "buffers",
            "virtual_channels",
            "ports",
            "dead",
            "dead_links",
        ],
    ),
    ("jobs/*", &["kind", "name", "winner", "reason", "advice", "results", "skipped"]),
    (
        "jobs/*/results/*",
        &["method", "bound_cycles", "predicted_cycles", "simulated_cycles", "gap", "hottest_link"],
    ),
    ("jobs/*/results/*/hottest_link", &["from", "to", "messages"]),
];

const TIMES: &[&str] = &["small", "large", "exact"];
const SWITCHINGS: &[&str] = &["wormhole", "store-and-forward"];
const MAP: &Contract = &[
    ("", &["format", "tasks", "machine", "alpha", "seed", "choice", "placements"]),
    (
        "placements/*",
        &[
            "name",
            "positions",
            "phases",
            "time",
            "slowdown",
            "bound",
            "simulated_cycles",
            "levels",
            "hops_total",
        ],
    ),
    ("placements/*/levels", SWITCHINGS),
    ("placements/*/levels/wormhole", &["alone", "link", "path", "simulated"]),
    (
        "placements/*/phases/*",
        &[
            "phase",
            "messages",
            "weight",
            "dilation",
            "weighted_dilation",
            "contention",
            "weighted_contention",
            "link_load",
        ],
    ),
    ("placements/*/time", SWITCHINGS),
    ("placements/*/slowdown", SWITCHINGS),
    ("placements/*/bound", SWITCHINGS),
    ("placements/*/simulated_cycles", SWITCHINGS),
    ("placements/*/time/wormhole", TIMES),
    ("placements/*/time/store-and-forward", TIMES),
    ("placements/*/slowdown/wormhole", TIMES),
    ("placements/*/slowdown/store-and-forward", TIMES),
    ("placements/*/bound/wormhole", TIMES),
    ("placements/*/bound/store-and-forward", TIMES),
];

const SIMULATE: &Contract = &[
    (
        "",
        &[
            "format",
            "machine",
            "engine",
            "cycles",
            "messages",
            "flit_hops",
            "hottest_link",
            "latency",
            "deadlock",
        ],
    ),
    ("hottest_link", &["from", "to", "messages"]),
    ("busiest_link", &["from", "to", "messages", "bytes", "busy_cycles"]),
    ("latency", &["mean", "p50", "p99", "max"]),
];

/// Everything at a path.
fn at<'v>(value: &'v Value, path: &str) -> Vec<&'v Value> {
    let mut found = vec![value];
    for step in path.split('/').filter(|step| !step.is_empty()) {
        found = match step {
            "*" => found.into_iter().flat_map(|value| value.as_array().expect("a list")).collect(),
            key => found.into_iter().map(|value| &value[key]).collect(),
        };
    }
    found
}

pub(super) fn hold(contract: &Contract, folder: &Path, arguments: &[&str]) -> Value {
    let (code, stdout, stderr) = run(folder, arguments);
    assert_eq!((code, stderr.as_str(), stdout.lines().count()), (0, "", 1), "{arguments:?}");
    let value: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(value["format"], 1);
    for (path, keys) in contract {
        let objects = at(&value, path);
        assert!(!objects.is_empty(), "{arguments:?}: nothing at {path}");
        for object in objects.into_iter().filter(|object| !object.is_null()) {
            for key in *keys {
                assert!(object.get(key).is_some(), "{arguments:?}: {path} has no {key}: {object}");
            }
        }
    }
    value
}

#[test]
fn the_keys_are_those_of_the_contract() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let plan = hold(PLAN, repository, &["plan", "examples/quickstart.toml", "--json"]);
    assert_eq!(plan["jobs"].as_array().map(Vec::len), Some(2));
    let map =
        hold(MAP, repository, &["map", "binomial:3", "--on", "mesh:2x4", "--placement", "all", "--json"]);
    assert_eq!(
        map["placements"][0]["positions"][7].as_array().map(Vec::len),
        Some(2),
        "positions are [row, column]"
    );
    hold(MAP, repository, &["map", "examples/lammps-lj-16.phases.csv", "--on", "hypercube:4", "--json"]);
    let folder = folder(&[("a.goal", GOAL)]);
    let simulate = hold(SIMULATE, folder.path(), &["simulate", "a.goal", "--on", "mesh:1x2", "--json"]);
    assert!(simulate["deadlock"].is_null() && simulate["cycles"].is_u64(), "{simulate}");
    let routers =
        ["simulate", "a.goal", "--on", "mesh:1x2", "--json", "--engine", "flit", "--preset", "booksim"];
    hold(SIMULATE, folder.path(), &routers);
}

#[test]
fn the_seed_changes_only_what_is_random() {
    let folder = folder(&[("s.toml", SMALL)]);
    let plan = |seed: &str, out: &str| {
        let (code, stdout, _) =
            run(folder.path(), &["plan", "s.toml", "--json", "--seed", seed, "--out", out]);
        assert_eq!(code, 0);
        serde_json::from_str::<Value>(&stdout).unwrap()
    };
    let (zero, again, nine) = (plan("0", "a"), plan("0", "b"), plan("9", "c"));
    assert_eq!(zero, again);
    for file in ["plan.json", "report.html"] {
        let read = |out: &str| std::fs::read(folder.path().join(out).join(file)).unwrap();
        assert!(read("a") == read("b"), "{file}: same input, same bytes");
    }
    let results = |plan: &Value| plan["jobs"][0]["results"].as_array().unwrap().clone();
    let pairs = results(&zero).into_iter().zip(results(&nine));
    let changed: Vec<Value> = pairs.filter(|(a, b)| a != b).map(|(a, _)| a["method"].clone()).collect();
    // The two methods that draw lots.
    assert_eq!(changed, ["recursive-bisection", "random"]);
    assert_eq!((&zero["seed"], &nine["seed"]), (&0.into(), &9.into()));
}

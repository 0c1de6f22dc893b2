//! The reference values of `tests/golden/mapping.json`, as the program prints them.

use std::collections::BTreeSet;

use dashu_ratio::RBig;
use serde_json::Value;

use super::{folder, run};

/// Larger trees take a test too long; the library is held to all of them.
const N_MAX: u64 = 9;

/// A key of the reference, and where the program prints the same.
const TOTALS: [(&str, &str); 12] = [
    ("wh_small", "/time/wormhole/small"),
    ("wh_large_link", "/time/wormhole/large"),
    ("wh_large", "/time/wormhole/large_contention_free"),
    ("wh_large_path", "/time/wormhole/large_path_level"),
    ("sf_small", "/time/store-and-forward/small"),
    ("sf_large", "/time/store-and-forward/large"),
    ("perfect_small", "/bound/wormhole/small"),
    ("perfect_large", "/bound/wormhole/large"),
    ("S_wh_large_link", "/slowdown/wormhole/large"),
    ("S_sf_small", "/slowdown/store-and-forward/small"),
    ("S_sf_large", "/slowdown/store-and-forward/large"),
    ("S_sf_large_float", "/slowdown/store-and-forward/large"),
];

/// What `map` prints for every placement of a binomial tree.
fn map(n: u64, sides: &[u64], alpha: &str) -> Value {
    let (tasks, mesh) = (format!("binomial:{n}"), format!("mesh:{}x{}", sides[0], sides[1]));
    let arguments = ["map", &tasks, "--on", &mesh, "--placement", "all", "--alpha", alpha, "--json"];
    let (code, stdout, stderr) = run(folder(&[]).path(), &arguments);
    assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
    serde_json::from_str(&stdout).unwrap()
}

fn fraction(value: &Value) -> f64 {
    match value {
        Value::String(text) => text.parse::<RBig>().unwrap().to_f64().value(),
        other => other.as_f64().unwrap(),
    }
}

/// Compares one placement with its reference; returns how many totals were compared.
fn compare(case: &Value, row: &Value, alpha: &str, what: &str) -> usize {
    assert_eq!(row["positions"], case["positions"], "{what}: positions");
    for (ours, theirs) in
        [("dilation", "dilation"), ("contention", "wh_interference"), ("link_load", "wh_linkload")]
    {
        let phases = row["phases"].as_array().unwrap();
        let column: Vec<Value> = phases.iter().map(|phase| phase[ours].clone()).collect();
        assert_eq!(Value::from(column), case[theirs], "{what}: {ours}");
    }
    let totals = &case["totals"][alpha];
    let mut compared = 0;
    for (key, path) in TOTALS {
        let Some(exact) = totals.get(key).map(fraction) else { continue };
        let ours = row.pointer(path).and_then(Value::as_f64).unwrap_or(f64::NAN);
        assert!(
            (ours - exact).abs() <= 1e-12 * exact.abs().max(1.0),
            "{what}: {path} is {ours}, not {exact}"
        );
        compared += 1;
    }
    compared
}

#[test]
fn map_prints_the_reference() {
    let golden: Value = serde_json::from_str(include_str!("../../golden/mapping.json")).unwrap();
    let cases: Vec<&Value> = golden["cases"].as_array().unwrap().iter().collect();
    let alphas: BTreeSet<&String> =
        cases.iter().flat_map(|case| case["totals"].as_object().unwrap().keys()).collect();
    let mut compared = 0;
    let mut done: Vec<(u64, &Value)> = vec![];
    for first in cases.iter().filter(|case| case["n"].as_u64().unwrap() <= N_MAX) {
        let (n, shape) = (first["n"].as_u64().unwrap(), &first["shape"]);
        if done.contains(&(n, shape)) {
            continue;
        }
        done.push((n, shape));
        let sides: Vec<u64> = shape.as_array().unwrap().iter().map(|side| side.as_u64().unwrap()).collect();
        for &alpha in &alphas {
            let printed = map(n, &sides, alpha);
            for case in cases.iter().filter(|case| case["n"] == n && case["shape"] == *shape) {
                let name = case["mapping"].as_str().unwrap().replace("halving", "centred-halving");
                let rows = printed["placements"].as_array().unwrap();
                let row =
                    rows.iter().find(|row| row["name"] == name.as_str()).expect("every placement applies");
                compared += compare(case, row, alpha, &format!("{name} B({n}) alpha {alpha}"));
            }
        }
    }
    assert!(done.len() >= 9 && compared > 500, "{} trees, {compared} totals", done.len());
}

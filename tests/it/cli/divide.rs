//! `meshwright divide`.

use super::contract::{Contract, hold};
use super::*;

const DIVIDE: &Contract = &[
    ("", &["format", "seed", "repeat", "threads", "ranks", "applications"]),
    ("applications/*", &["application", "size", "unit", "bytes", "machine", "placement", "executors"]),
    ("applications/*/executors/*", &["name", "workers", "runs", "seconds", "speedup", "checked"]),
];

#[test]
fn all_applications_in_one_command() {
    let folder = folder(&[]);
    let arguments =
        ["divide", "all", "--size", "40", "--repeat", "1", "--ranks", "6", "--seed", "3", "--json"];
    let found = hold(DIVIDE, folder.path(), &arguments);
    assert_eq!((&found["ranks"], &found["seed"]), (&6.into(), &3.into()));
    let names: Vec<&str> = found["applications"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["application"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["merge-sort", "matrix-chain", "components", "broadcast", "reduce"]);
    for one in found["applications"].as_array().unwrap() {
        assert_eq!(one["machine"], "mesh:2x3");
        assert!(one["executors"].as_array().unwrap().iter().all(|executor| executor["checked"] == true));
    }
    assert!(entries(folder.path()).is_empty());
}

#[test]
fn the_table_names_every_executor() {
    let folder = folder(&[]);
    let arguments =
        ["divide", "components", "--size", "100", "--on", "torus:2x3", "--placement", "bisection"];
    let (code, stdout, stderr) = run(folder.path(), &arguments);
    assert_eq!((code, stderr.as_str()), (0, ""));
    for word in
        ["ranks on torus:2x3 by bisection", "sequential", "threads", "rayon: join by hand", "speed-up"]
    {
        assert!(stdout.contains(word), "{word} is missing in\n{stdout}");
    }
    assert!(!stdout.contains("WRONG"), "{stdout}");
    let help = run(folder.path(), &["divide", "--help"]).1;
    for application in meshwright_demos::speedup::APPLICATIONS {
        assert!(help.contains(&format!("[default: {}]", application.size)), "{}: {help}", application.name);
    }
}

#[test]
fn what_cannot_be_run_is_refused() {
    let folder = folder(&[]);
    for (arguments, expected) in [
        (vec!["divide", "quick-sort"], "merge-sort, matrix-chain, components, broadcast, reduce or all"),
        (vec!["divide", "matrix-chain", "--size", "0"], "1 to 50000 matrices"),
        (vec!["divide", "components", "--size", "4294967295"], "0 to 100000 vertices"),
        (vec!["divide", "reduce", "--on", "mesh:2x2", "--ranks", "5"], "as many living nodes as ranks, 5"),
        (vec!["divide", "reduce", "--placement", "nowhere"], "centred-halving"),
        (vec!["divide", "reduce", "--on", "mesh:0x2"], "sides of at least 1"),
        (vec!["divide", "reduce", "--on", "mesh:100x100"], "10000 ranks; the limit is 1024"),
        (vec!["sort", "no.bin", "--out", "o", "--on", "mesh:100x100"], "10000 ranks; the limit is 1024"),
        (vec!["scatter", "words", "no.txt", "--on", "mesh:100x100"], "10000 ranks; the limit is 1024"),
        (vec!["divide", "reduce", "--ranks", "0"], "1..=1024"),
        (vec!["divide", "reduce", "--threads", "0"], "1..=1024"),
        (vec!["divide", "reduce", "--repeat", "0"], "1..=10000"),
    ] {
        let (code, stdout, stderr) = run(folder.path(), &arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
}

//! How to begin: a scenario to begin with, the tour.

use super::{entries, folder, run};

/// Machines and jobs whose searches take long.
const SEARCHED: [(&str, &str); 6] = [
    ("mesh:3x4", "load"),
    ("mesh:3x4", "collective"),
    ("torus:2x3x2", "load"),
    ("torus:2x3x2", "collective"),
    ("ccc:3", "load"),
    ("ccc:3", "collective"),
];

#[test]
#[ignore = "takes a minute: searches"]
fn a_scenario_to_begin_with_runs_where_searches_take_long() {
    let place = folder(&[]);
    for (on, job) in SEARCHED {
        for arguments in [
            &["init", "--on", on, "--job", job, "s.toml", "--force"][..],
            &["plan", "s.toml", "-q", "--force"],
        ] {
            let (code, _, error) = run(place.path(), arguments);
            assert_eq!(code, 0, "{on} {job}: {error}");
        }
    }
}

/// What `init` writes runs, on every family and for every job.
#[test]
fn a_scenario_to_begin_with_runs() {
    let matrix = "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 4\n2 1\n3 2\n4 3\n4 1\n";
    let place = folder(&[("ring.mtx", matrix)]);
    for on in [
        "mesh:3x4",
        "mesh:6",
        "torus:2x3x2",
        "hypercube:3",
        "gaussian:2+3i",
        "ccc:3",
        "graph:ring.mtx",
        "noc",
        "paragon",
    ] {
        for job in ["map", "load", "groups", "collective"] {
            let (code, text, error) =
                run(place.path(), &["init", "--on", on, "--job", job, "s.toml", "--force"]);
            if on == "noc" && job != "map" {
                assert!(code == 2 && error.contains("not possible"), "{on} {job}: {error}");
                continue;
            }
            assert!(code == 0 && text.contains("meshwright plan s.toml"), "{on} {job}: {error}");
            // Searches take many seconds where nothing is optimised: those of these machines are in the next test.
            if SEARCHED.contains(&(on, job)) || (on, job) == ("paragon", "collective") {
                continue;
            }
            let (code, _, error) = run(place.path(), &["plan", "s.toml", "-q", "--force"]);
            assert_eq!(code, 0, "{on} {job}: {error}");
        }
    }
    let (code, ..) = run(place.path(), &["init", "--job", "map,load,groups,collective", "all.toml"]);
    assert_eq!(code, 0);
    let (code, _, error) = run(place.path(), &["init", "--on", "torus:4x4", "all.toml"]);
    assert!(code == 2 && error.contains("--force"), "{error}");
    for bad in [
        &["init", "--job", "map,map", "x.toml"][..],
        &["init", "--on", "all.toml", "x.toml"],
        &["init", "--on", "mesh:0", "x.toml"],
    ] {
        assert_eq!(run(place.path(), bad).0, 2, "{bad:?}");
    }
    assert!(!entries(place.path()).contains(&"x.toml".to_string()));
}

#[test]
fn the_tour_shows_every_planner() {
    let place = folder(&[]);
    let (code, text, error) = run(place.path(), &["tour"]);
    assert_eq!((code, &*error), (0, ""));
    for words in [
        "$ meshwright map ",
        "$ meshwright split ",
        "$ meshwright groups ",
        "$ meshwright sweep ",
        "$ meshwright race ",
        " * growing",
        "odd-even",
        "meshwright init",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(entries(place.path()).is_empty(), "it writes nothing");
    assert_eq!(run(place.path(), &["tour"]).1, text);
}

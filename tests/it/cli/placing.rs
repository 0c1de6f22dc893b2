//! What `map` says of placements, of bounds, and of machines without room.

use super::*;

fn mapped(folder: &Path, arguments: &[&str]) -> Value {
    let (code, stdout, stderr) = run(folder, &[&["map"], arguments, &["--json"]].concat());
    assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
    serde_json::from_str(&stdout).unwrap()
}

/// U1: a bound that is met names those it is the bound of.
#[test]
fn a_bound_names_its_class() {
    let folder = folder(&[("pair.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 8\n")]);
    for (tasks, machine, class) in [
        ("binomial:4", "mesh:4x4", "binomial trees that send whole messages"),
        ("divide:7", "mesh:7", "halving trees that send whole messages"),
        ("pair.mtx", "mesh:2x2", "these messages, sent whole"),
    ] {
        let report = mapped(folder.path(), &[tasks, "--on", machine, "--placement", "auto"]);
        let reason = report["choice"]["reason"].as_str().unwrap();
        let expected = format!(
            "meets the lower bound of {class}, so no other placement is faster (a schedule in pieces can be)"
        );
        assert!(reason.contains(&expected), "{reason}");
    }
}

/// U1: a collective in pieces is no preset, and no preset is like it.
#[test]
fn all_reduce_is_not_a_reduction() {
    let folder = folder(&[]);
    for name in ["all-reduce", "allreduce", "All_Gather", "reduce-scatter"] {
        let arguments = ["map", "binomial:4", "--on", "mesh:4x4", "--preset", name];
        let (code, stdout, stderr) = run(folder.path(), &arguments);
        assert_eq!((code, stdout.as_str()), (2, ""));
        assert!(stderr.contains("collectives in pieces are not planned yet"), "{stderr}");
        assert!(stderr.contains("groups --on MACHINE --collective all-reduce"), "{stderr}");
        assert!(!stderr.contains("did you mean"), "{stderr}");
    }
    let (_, _, stderr) =
        run(folder.path(), &["map", "binomial:4", "--on", "mesh:4x4", "--preset", "reduced"]);
    assert!(stderr.contains("did you mean `reduce`?"), "{stderr}");
}

/// M5: merge sort of 900 bytes on three tasks sends 600 and then 300; whoever asks for halves gets halves.
#[test]
fn parts_of_data_are_in_proportion() {
    let folder = folder(&[]);
    let sent = |more: &[&str]| {
        let line = ["divide:3", "--on", "mesh:3", "--placement", "centred-halving", "--volume", "900"];
        let report = mapped(folder.path(), &[&line[..], more].concat());
        let weight = |phase: &Value| (phase["weight"].as_f64().unwrap() * 900.0).round();
        let phases = report["placements"][0]["phases"].as_array().unwrap();
        (report["in_proportion"].as_bool().unwrap(), phases.iter().map(weight).collect::<Vec<_>>())
    };
    assert_eq!(sent(&["--preset", "merge-sort"]), (true, vec![600.0, 300.0, 300.0, 600.0]));
    assert_eq!(sent(&["--preset", "broadcast"]), (true, vec![900.0, 900.0]));
    assert_eq!(sent(&["--preset", "graph-halving"]), (true, vec![400.0, 100.0]), "squares of the parts");
    assert_eq!(sent(&["--alpha", "1/2"]), (false, vec![450.0, 225.0]), "the recurrence");
}

const ROWS: &str = "[machine]\ntopology = \"mesh:12x10\"\ndead = [[3, \"*\"], [8, \"*\"]]\n";

/// U8: one reason, with the sizes of the parts and where they are; whole rows by a star.
#[test]
fn a_machine_in_parts_is_one_reason() {
    let ring: String = (1..=100).map(|task| format!("{task} {} 8\n", task % 100 + 1)).collect();
    let matrix = format!("%%MatrixMarket matrix coordinate integer general\n100 100 100\n{ring}");
    let folder = folder(&[("ring.mtx", &matrix), ("rows.toml", ROWS)]);
    for placement in ["all", "auto", "row-major"] {
        let arguments = ["map", "ring.mtx", "--on", "rows.toml", "--placement", placement];
        let (code, stdout, stderr) = run(folder.path(), &arguments);
        assert_eq!((code, stdout.as_str()), (2, ""));
        assert_eq!(
            stderr,
            "error: placing the tasks is not possible here: dead nodes cut mesh:12x10 into 3 parts, 30 nodes from (0,0), 40 nodes \
             from (4,0), 30 nodes from (9,0); 100 tasks that talk to each other need one part\n"
        );
    }
}

/// U8: a star stands for every place along its axis, and what is wrong is told at its place.
#[test]
fn a_star_is_a_row_or_a_column() {
    let pair = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 8\n";
    let scenario = |dead: &str| format!("[machine]\ntopology = \"mesh:3x4\"\ndead = {dead}\n");
    let on = |dead: &str| {
        let folder = folder(&[("pair.mtx", pair), ("m.toml", &scenario(dead))]);
        run(folder.path(), &["map", "pair.mtx", "--on", "m.toml", "--placement", "row-major", "--json"])
    };
    for (star, listed) in [
        ("[[0, \"*\"]]", "[[0, 0], [0, 1], [0, 2], [0, 3]]"),
        ("[[\"*\", 1], [0, 0]]", "[[0, 0], [0, 1], [1, 1], [2, 1]]"),
    ] {
        assert_eq!(on(star), on(listed), "{star}");
        assert_eq!(on(star).0, 0, "{star}");
    }
    for (dead, expected) in [
        ("[[0, \"all\"]]", "a whole number from 0 to 3, or \"*\" for all"),
        ("[[3, \"*\"]]", "a whole number from 0 to 2, or \"*\" for all"),
        ("[[\"*\"]]", "a node as [0..2, 0..3], \"*\" for all along an axis"),
        ("[[\"*\", \"*\"]]", "at least one living node"),
    ] {
        let (code, stdout, stderr) = on(dead);
        assert_eq!((code, stdout.as_str()), (2, ""), "{dead}");
        assert!(stderr.contains("m.toml:3:") && stderr.contains(expected), "{stderr}");
    }
}

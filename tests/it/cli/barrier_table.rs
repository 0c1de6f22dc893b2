//! `groups --collective barrier --emit barrier-table:FILE`, and `check` of that file.

use super::*;

const ASKED: &[&str] = &["groups", "--on", "mesh:4x4", "--dead", "5", "--collective", "barrier"];

fn asked(more: &[&'static str]) -> Vec<&'static str> {
    [ASKED, more].concat()
}

#[test]
fn a_table_is_written_for_any_tree_and_holds() {
    let folder = folder(&[]);
    let emit = ["--emit", "barrier-table:barrier.json"];
    for tree in ["auto", "rank-halving", "monotone-nearest", "ecrb2", "ecrb4"] {
        let structure = ["--structure", tree, "--force"];
        let (code, stdout, stderr) = run(folder.path(), &asked(&[&emit[..], &structure].concat()));
        assert_eq!((code, stderr.as_str()), (0, ""), "{tree}: {stdout}");
        assert!(stdout.contains("Emitted:\n  barrier.json"), "{stdout}");
        let (code, stdout, stderr) = run(folder.path(), &["check", "barrier.json", "--json"]);
        assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
        let checked: Value = serde_json::from_str(&stdout).expect("one object");
        assert_eq!((&checked["holds"], &checked["members"]), (&true.into(), &15.into()), "{checked}");
        assert!(tree == "auto" || checked["tree"] == tree, "{checked}");
    }
    let (code, stdout, _) = run(folder.path(), &["check", "barrier.json"]);
    assert!(code == 0 && stdout.contains("barrier of 15 members on mesh:4x4"), "{stdout}");
}

#[test]
fn a_table_that_was_changed_is_refuted_and_what_has_no_table_is_refused() {
    let folder = folder(&[]);
    let emit = ["--emit", "barrier-table:barrier.json"];
    assert_eq!(run(folder.path(), &asked(&emit)).0, 0);
    let path = folder.path().join("barrier.json");
    let text = std::fs::read_to_string(&path).expect("it was written");
    let mut table: Value = serde_json::from_str(&text).expect("one object");
    table["nodes"][3]["count"] = 9.into();
    std::fs::write(&path, table.to_string()).expect("there is room");
    let (code, stdout, _) = run(folder.path(), &["check", "barrier.json"]);
    assert!(code == 1 && stdout.contains("waits for 9 arrivals"), "{stdout}");
    table["registers"] = 1.into();
    std::fs::write(&path, table.to_string()).expect("there is room");
    assert_eq!(run(folder.path(), &["check", "barrier.json"]).0, 2);
    std::fs::remove_file(&path).expect("it is there");
    let hubs = asked(&[&emit[..], &["--structure", "hubs:4"]].concat());
    let reduce =
        ["groups", "--on", "mesh:4x4", "--collective", "reduce", "--emit", "barrier-table:barrier.json"];
    let format = asked(&["--emit", "goal:barrier.json"]);
    for (words, expected) in [
        (&hubs[..], "a structure that is a tree"),
        (&reduce, "--collective barrier"),
        (&format, "FORMAT:FILE with one of perfetto, barrier-table"),
    ] {
        let (code, _, stderr) = run(folder.path(), words);
        assert!(code == 2 && stderr.contains(expected), "{words:?}: {stderr}");
        assert!(!path.exists(), "nothing is written");
    }
}

//! `groups --collective`: the contract, tables, and one error for each bad word.

use super::contract::{Contract, hold};
use super::*;

const ROWS: &[&str] = &[
    "name",
    "height_links",
    "edges",
    "fan_out",
    "bound_cycles",
    "predicted_cycles",
    "simulated_cycles",
    "gap",
];

const ONE: &Contract = &[
    (
        "",
        &[
            "format",
            "machine",
            "operation",
            "size",
            "diameter",
            "link_delay",
            "overhead",
            "chosen",
            "why",
            "structures",
            "skipped",
        ],
    ),
    ("structures/*", ROWS),
];

const ALL: &Contract = &[
    ("", &["format", "machine", "collectives"]),
    ("collectives/*", &["operation", "chosen", "structures"]),
    ("collectives/*/structures/*", ROWS),
];

fn words(words: &str) -> Vec<&str> {
    std::iter::once("groups").chain(words.split_whitespace()).collect()
}

#[test]
fn one_operation_and_all() {
    let folder = folder(&[("m.csv", "row,column,label\n0,0,0\n2,3,0\n3,0,0\n")]);
    let one =
        hold(ONE, folder.path(), &words("mesh:4x4 --collective barrier --members m.csv --overhead 2 --json"));
    assert_eq!((&one["size"], &one["diameter"], &one["overhead"]), (&3.into(), &5.into(), &2.into()));
    assert_eq!(one["structures"][0]["bound_cycles"], 5 + 2 * 2);
    // Twice the delay and twice the overhead take twice as long.
    let words_of = |rest: &str| format!("mesh:4x4 --collective scan --members m.csv {rest} --json");
    let slow = hold(ONE, folder.path(), &words(&words_of("--overhead 6 --link-delay 2")));
    let fast = hold(ONE, folder.path(), &words(&words_of("--overhead 3")));
    assert_eq!((&slow["link_delay"], &fast["link_delay"]), (&2.into(), &1.into()));
    for (slow, fast) in
        slow["structures"].as_array().unwrap().iter().zip(fast["structures"].as_array().unwrap())
    {
        for key in ["bound_cycles", "predicted_cycles", "simulated_cycles"] {
            assert_eq!(slow[key].as_u64().unwrap(), 2 * fast[key].as_u64().unwrap(), "{key}");
        }
    }
    let all = hold(ALL, folder.path(), &words("mesh:4x4 --collective all --json"));
    let operations: Vec<_> =
        all["collectives"].as_array().unwrap().iter().map(|each| &each["operation"]).collect();
    assert_eq!(operations, ["barrier", "broadcast", "reduce", "all-reduce", "scan", "gather"]);
    assert_eq!(all["collectives"][0]["chosen"], "sweeps");
    assert_eq!(entries(folder.path()), ["m.csv"], "nothing is written");
}

#[test]
fn tables_star_what_is_used_and_seeds_draw_members() {
    let folder = folder(&[]);
    let table = |seed: &str, rest: &str| {
        let line = format!("torus:6x6 --collective reduce --random-members 9 --seed {seed} {rest}");
        let (code, stdout, stderr) = run(folder.path(), &words(&line));
        assert_eq!((code, stderr.as_str()), (0, ""));
        stdout
    };
    assert_eq!(table("1", ""), table("1", "--threads 1"));
    assert_ne!(table("1", ""), table("2", ""));
    let named = table("1", "--tree tac");
    assert!(named.contains("9 members") && named.contains("reduce on tac: it was asked for"), "{named}");
    assert!(named.contains(" * tac ") && named.contains("Not for this group: gibbons-paterson"), "{named}");
}

#[test]
fn bad_words_are_one_error() {
    let folder = folder(&[("bad.csv", "9,9,0\n")]);
    for (line, part) in [
        ("--collective oak", "all-reduce"),
        ("--collective scan --random-members 0", "1 to 16"),
        ("--collective scan --random-members 17", "1 to 16"),
        ("--collective scan --random-members 3 --tree sweeps", "fill no box"),
        ("--collective scan --tree oak", "hubs:16"),
        ("--collective scan --members none.csv", "none.csv"),
        ("--collective scan --members bad.csv", "bad.csv:1:1"),
        ("--collective scan --members bad.csv --random-members 3", "cannot be used with"),
        ("--collective scan --overhead 4294967297", "at most 4294967296"),
        ("--collective scan --overhead -1", "invalid digit"),
        ("--collective scan --random 2", "cannot be used with"),
        ("--collective scan --link-delay 0", "is not in 1..=65536"),
        ("--overhead 2", "--collective"),
        ("--random-members 2", "--collective"),
    ] {
        let (code, stdout, stderr) = run(folder.path(), &words(&format!("mesh:4x4 {line}")));
        assert_eq!((code, stdout.as_str()), (2, ""), "{line}: {stderr}");
        assert!(stderr.matches("error:").count() == 1 && stderr.contains(part), "{line}: {stderr}");
    }
}

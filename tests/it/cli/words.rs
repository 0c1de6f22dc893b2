//! Words that a newcomer types: the nearest known one is named, an option without effect is refused, heads are those of the field.

use super::*;

/// U13: families, patterns, launchers, units, tables of a scenario.
#[test]
fn the_nearest_known_word_is_named() {
    let folder = folder(&[("s.toml", "[machine]\ntopology = \"mesh:4x4\"\n[[sweep]]\nname = \"x\"\n")]);
    for (arguments, hint) in [
        ("map binomial:2 --on mseh:4x4", "(did you mean `mesh:4x4`?)"),
        ("split hypercub:3 --from 0 --sigma 1", "(did you mean `hypercube:3`?)"),
        ("map binomial:2 --on hwlock:a.xml", "(did you mean `hwloc:a.xml`?)"),
        ("sweep --on mesh:4x4 --traffic unifrm", "(did you mean `uniform`?)"),
        ("map binomial:2 --on mesh:2x2 --emit rankfil:x", "(did you mean `rankfile`?)"),
        ("map binomial:2 --on mesh:2x2 --volume 64kb", "(did you mean `64 kB`?)"),
        ("plan s.toml", "expected `about`, `seed`, `machine`, `divide`, `load`, `groups`"),
    ] {
        let (code, stdout, stderr) = run(folder.path(), &arguments.split(' ').collect::<Vec<_>>());
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments}");
        assert!(stderr.contains(hint), "{arguments}: {stderr}");
    }
}

/// U13: the machine is `--on` in every verb; by position it means the same.
#[test]
fn split_and_groups_take_the_machine_as_the_others_do() {
    let folder = folder(&[]);
    for rest in [["--from", "0,0", "--sigma", "0.1", "--json"], ["--random", "1", "--repeat", "2", "--json"]]
    {
        let verb = if rest[0] == "--from" { "split" } else { "groups" };
        let answer = |machine: &[&str]| run(folder.path(), &[&[verb], machine, &rest].concat());
        assert_eq!(answer(&["--on", "mesh:3x3"]), answer(&["mesh:3x3"]));
        assert_eq!(answer(&["--on", "mesh:3x3"]).0, 0);
        assert_eq!(answer(&["--on", "mesh:3x3", "mesh:3x3"]).0, 2, "{verb}: both");
        assert_eq!(answer(&[]).0, 2, "{verb}: none");
        let help = run(folder.path(), &[verb, "--help"]).1;
        assert!(help.contains("gaussian:A+Bi") && help.contains("hwloc:FILE.xml"), "{help}");
    }
}

/// U12: the header of a file of speeds may be left out.
#[test]
fn speeds_need_no_header() {
    let folder = folder(&[("a.csv", "0,,2\n"), ("b.csv", "node,to,time\n0,,2\n"), ("c.csv", "zero,,2\n")]);
    let split = |file: &str| {
        run(
            folder.path(),
            &["split", "mesh:2x2", "--from", "0,0", "--sigma", "0.1", "--speeds", file, "--json"],
        )
    };
    assert_eq!(split("a.csv"), split("b.csv"));
    assert_eq!(split("a.csv").0, 0);
    assert!(split("c.csv").2.contains("expected the header `node,to,time`, or a line such as `7,,2`"));
}

/// U15: an option of a search without a search would change nothing.
#[test]
fn options_of_a_search_need_one() {
    let folder = folder(&[]);
    let map = ["map", "binomial:4", "--on", "mesh:4x4"];
    for option in
        [["--time", "5"], ["--steps", "5"], ["--answers", "2"], ["--start", "random"], ["--pin", "0=0,0"]]
    {
        let (code, stdout, stderr) = run(folder.path(), &[&map[..], &option].concat());
        assert_eq!((code, stdout.as_str()), (2, ""), "{option:?}");
        assert!(stderr.contains(option[0]) && stderr.contains("--placement search"), "{stderr}");
    }
}

/// U14: percentiles and hops by their names.
#[test]
fn heads_are_words_of_the_field() {
    let folder = folder(&[("a.goal", GOAL)]);
    let sweep = [
        "sweep",
        "--on",
        "mesh:4x4",
        "--traffic",
        "uniform",
        "--points",
        "1",
        "--measure",
        "200",
        "--out",
        "o",
    ];
    let (code, stdout, _) = run(folder.path(), &sweep);
    assert_eq!(code, 0);
    for head in ["x zero-load", "p50", "p99", "mean hops"] {
        assert!(stdout.contains(head), "{head}: {stdout}");
    }
    let page = std::fs::read_to_string(folder.path().join("o/report.html")).unwrap();
    for head in [">p50<", ">p99<", ">Max<", ">Mean hops<"] {
        assert!(page.contains(head), "{head}");
    }
    let simulate = run(folder.path(), &["simulate", "a.goal", "--on", "mesh:1x2"]).1;
    assert!(simulate.contains("latency, p50") && simulate.contains("latency, p99"), "{simulate}");
}

/// U17: each source stands once in the list.
#[test]
fn no_source_is_listed_twice() {
    let text = crate::text(Path::new("docs/sources.md"));
    let titles = text.split("\n- `").skip(1).map(|entry| entry.split('*').nth(1).unwrap_or(entry));
    let mut titles: Vec<String> =
        titles.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    titles.sort();
    let all = titles.len();
    titles.dedup();
    assert!(all > 30 && titles.len() == all, "{all} entries, {} titles", titles.len());
}

//! `meshwright claims`.

use meshwright_papers::{PAPERS, Verdict};

use super::*;

#[test]
fn a_table_and_under_it_what_is_wrong() {
    let (code, stdout, stderr) = run(folder(&[]).path(), &["claims", "lo1990", "--n-max", "8"]);
    assert_eq!((code, stderr.as_str()), (0, ""), "a corrected claim is no failure");
    let counts = "79 claims: 63 hold, 7 corrected, 0 refuted, 6 remarks, 3 not checkable, 0 not built";
    assert!(stdout.contains(&format!("{counts}; trees up to B(8)")), "{stdout}");
    for number in [1, 2, 3, 4, 5, 8] {
        assert!(stdout.contains(&format!("corrected E{number} ")), "E{number} stands in the table");
        assert!(stdout.contains(&format!("\nE{number} · ")), "E{number} is explained");
    }
    assert!(stdout.contains("  smallest   B(5), phase 1, alpha = 1: printed 1, in fact 3\n"));
    assert!(
        stdout.contains("\nTheorem 1 · theorem-1-discriminates\n  ours       S(M) = 1 by rows"),
        "a remark is ours"
    );
}

#[test]
fn the_answer_for_scripts_and_the_files() {
    let folder = folder(&[]);
    let arguments = ["claims", "--only", "E1,theorem-4-stored", "--n-max", "8", "--json", "--out"];
    let audit = |out: &'static str| {
        let (code, stdout, stderr) = run(folder.path(), &[&arguments[..], &[out]].concat());
        assert_eq!((code, stderr.as_str()), (0, ""));
        stdout
    };
    let (first, second) = (audit("a"), audit("b"));
    assert_eq!(first, second);
    let value: Value = serde_json::from_str(&first).unwrap();
    assert_eq!((&value["format"], &value["papers"]), (&1.into(), &serde_json::json!(["lo1990"])));
    let claims = value["claims"].as_array().unwrap();
    let ids: Vec<&str> = claims.iter().filter_map(|claim| claim["id"].as_str()).collect();
    assert_eq!(ids, ["lemma-3", "eq-11", "theorem-4-stored"]);
    let counts = r#"{"holds":1,"corrected":2,"refuted":0,"remark":0,"not-checkable":0,"not-built":0}"#;
    assert_eq!(value["counts"], serde_json::from_str::<Value>(counts).unwrap());
    for claim in claims {
        for key in [
            "id",
            "source",
            "statement",
            "verdict",
            "evidence",
            "printed",
            "fails_if",
            "correct",
            "counterexample",
            "checked",
            "errata",
        ] {
            assert!(claim.get(key).is_some(), "{key}: {claim}");
        }
    }
    assert_eq!((&claims[0]["verdict"], &claims[0]["errata"]), (&"corrected".into(), &"E1".into()));
    let names = [
        "claims.json",
        "figure-1.svg",
        "figure-2.svg",
        "figure-3.svg",
        "figure-4.svg",
        "meshwright.json",
        "report.html",
    ];
    assert_eq!(entries(&folder.path().join("a")), names);
    let read = |out: &str, name: &str| std::fs::read_to_string(folder.path().join(out).join(name)).unwrap();
    for name in names {
        assert!(read("a", name) == read("b", name), "{name}: same input, same bytes");
    }
    assert_eq!(read("a", "claims.json"), first);
    let page = read("a", "report.html");
    assert_eq!(page.matches("<svg").count(), 4);
    assert!(
        page.contains("id=\"lemma-3\" open")
            && page.contains("B(5), phase 1, alpha = 1: printed 1, in fact 3")
    );
    // Definition, formula and the simulated figure stand in one table.
    assert!(page.contains("<th scope=\"col\">simulated steps</th>"));
    every_task_is_drawn(&|name| read("a", name));
}

/// B(0) to B(4) have 31 tasks, B(0) to B(6) 127.
fn every_task_is_drawn(read: &dyn Fn(&str) -> String) {
    assert_eq!(read("figure-1.svg").matches("task ").count(), 31);
    for name in ["figure-2.svg", "figure-3.svg"] {
        assert_eq!(read(name).matches("<title>task ").count() + 7, 127, "{name}");
        assert_eq!(read(name).matches("<title>phase ").count(), 120, "{name}");
    }
}

/// U15: the help of `claims` names every paper and says what each verdict means.
#[test]
fn the_help_names_the_papers_and_explains_the_verdicts() {
    let (_, help, _) = run(folder(&[]).path(), &["claims", "--help"]);
    for paper in PAPERS {
        assert!(help.contains(&format!("\n  {} ", paper.name)), "{}", paper.name);
    }
    for verdict in Verdict::ALL {
        let line = format!("\n  {:<13}  {}\n", verdict.name(), verdict.meaning());
        assert!(help.contains(&line), "{line}");
    }
}

#[test]
fn unknown_papers_and_claims_are_errors() {
    let folder = folder(&[]);
    for (arguments, words) in [
        (vec!["claims", "lo1991"], "lo1990, zhang2018"),
        (vec!["claims", "--only", "E10"], "`E10`"),
        (vec!["claims", "--n-max", "3"], "8 to 16"),
    ] {
        let (code, stdout, stderr) = run(folder.path(), &arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(stderr.contains(words), "{stderr}");
    }
}

#[test]
fn a_complete_binary_tree_is_a_job_like_others() {
    let folder = folder(&[]);
    let map = ["map", "complete-binary:4", "--on", "mesh:4x4", "--preset", "reduce", "--json"];
    let (code, stdout, stderr) = run(folder.path(), &map);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let value: Value = serde_json::from_str(&stdout).unwrap();
    let phases = value["placements"][0]["phases"].as_array().unwrap();
    let messages: Vec<u64> = phases.iter().filter_map(|phase| phase["messages"].as_u64()).collect();
    assert_eq!(messages, [4, 4, 2, 2, 1, 1], "from the leaves up");
    for tree in ["complete-binary:0", "complete-binary:5", "complete-binary:+3", "complete-binary:"] {
        assert_eq!(run(folder.path(), &["map", tree, "--on", "mesh:4x4"]).0, 2, "{tree}");
    }
}

#[test]
fn claims_asked_for_by_name_are_told_in_full() {
    let folder = folder(&[]);
    let (code, stdout, _) = run(folder.path(), &["claims", "--only", "lemma-8c,lemma-4", "--n-max", "8"]);
    assert_eq!(code, 0);
    // Lemma 4 holds: its numbers are shown all the same. 1.125 - 3/2^5 = 33/32 at k = 3.
    for part in ["definition", "fails if   the closed form differs from the weighted sum", "33/32", "lemma-4"]
    {
        assert!(stdout.contains(part), "{part} is not in\n{stdout}");
    }
    let (_, all, _) = run(folder.path(), &["claims", "--n-max", "8"]);
    assert!(!all.contains("33/32"), "the list of all claims is kept short");
}

//! `groups` and `[[groups]]`: the contract, the golden values of the paper's split, edges, and errors with their places.

use super::contract::{Contract, hold};
use super::*;

const GROUPS: &Contract = &[
    (
        "",
        &[
            "format",
            "machine",
            "order",
            "tree",
            "split",
            "runs",
            "by_size",
            "vertices",
            "trees",
            "messages",
            "split_steps",
            "seed",
            "deadlock",
        ],
    ),
    (
        "by_size/*",
        &["size", "split_steps_mean", "split_steps_max", "barrier_steps_mean", "barrier_steps_max", "count"],
    ),
    (
        "vertices/*",
        &[
            "node",
            "rank",
            "label",
            "f_left",
            "f_right",
            "before",
            "total",
            "max_left",
            "max_right",
            "new_rank",
            "new_parent",
            "new_left",
            "new_right",
            "adjacent_root",
        ],
    ),
    ("trees/*", &["label", "members", "root", "parent", "height_links", "diameter"]),
];

const PLAN: &Contract = &[
    ("jobs/*", &["kind", "name", "winner", "reason", "advice", "results", "skipped", "runs", "order"]),
    (
        "jobs/*/results/*",
        &["method", "bound_cycles", "predicted_cycles", "simulated_cycles", "gap", "hottest_link"],
    ),
];

/// What `groups` prints, which must keep to the contract.
fn groups(files: &[(&str, &str)], words: &str) -> Value {
    let words: Vec<&str> = words.split_whitespace().collect();
    hold(GROUPS, folder(files).path(), &[&["groups"][..], &words, &["--json"]].concat())
}

/// The exit code, and what stands on stderr.
fn refused(files: &[(&str, &str)], words: &str) -> String {
    let folder = folder(files);
    let words: Vec<&str> = words.split_whitespace().collect();
    let (code, stdout, stderr) = run(folder.path(), &[&["groups"][..], &words].concat());
    assert_eq!((code, stdout.as_str()), (2, ""), "{words:?}: {stderr}");
    assert_eq!(entries(folder.path()).len(), files.len(), "nothing is written");
    stderr
}

/// The node at [column, row] of the reference.
fn node(at: &Value, columns: u64) -> Value {
    match at.as_array() {
        Some(at) => (at[1].as_u64().unwrap() * columns + at[0].as_u64().unwrap()).into(),
        None => Value::Null,
    }
}

/// What `groups` answers to a case of the reference; the file lists the members in another order than that of the ranks.
fn answer_to(case: &Value) -> Value {
    let order = case["index"].as_str().unwrap().replace("gilbert", "hilbert");
    let labels = case["labels"].as_array().unwrap();
    let line = |(at, label): (&Value, &Value)| format!("{},{},{label}\n", at[1], at[0]);
    let lines = case["order"].as_array().unwrap().iter().zip(labels).rev().map(line).collect::<String>();
    let file = format!("row,column,label\n{lines}");
    let (columns, rows) = (&case["mesh"][0], &case["mesh"][1]);
    groups(&[("l.csv", &file)], &format!("mesh:{rows}x{columns} --order {order} --labels l.csv"))
}

/// Every value at one vertex.
fn has_values(case: &Value, rank: usize, vertex: &Value) {
    let (what, columns) = (&case["name"], case["mesh"][0].as_u64().unwrap());
    // The largest case of the reference has only its new trees.
    let is_known = |key: &str| {
        assert!(!case[key].is_null() || what == "zigzag counter-example n=64 s=170", "{what}");
        !case[key].is_null()
    };
    assert_eq!(vertex["node"], node(&case["order"][rank], columns), "{what}");
    assert_eq!((&vertex["rank"], &vertex["label"]), (&rank.into(), &case["labels"][rank]), "{what}");
    assert_eq!(vertex["total"], case["t"], "{what}");
    for (key, golden) in [
        ("f_left", "fL"),
        ("f_right", "fR"),
        ("before", "b"),
        ("max_left", "mL"),
        ("max_right", "mR"),
        ("new_rank", "new_rank"),
    ] {
        if is_known(golden) {
            assert_eq!(vertex[key], case[golden][rank], "{what}: {golden} of rank {rank}");
        }
    }
    for (key, golden) in [
        ("new_parent", "new_parent"),
        ("new_left", "new_left"),
        ("new_right", "new_right"),
        ("adjacent_root", "new_adjacent"),
    ] {
        if is_known(golden) {
            assert_eq!(vertex[key], node(&case[golden][rank], columns), "{what}: {golden} of rank {rank}");
        }
    }
}

#[test]
fn the_paper_s_split_has_the_values_of_the_reference() {
    let golden: Value = serde_json::from_str(include_str!("../../golden/groups.json")).unwrap();
    for case in golden["cases"].as_array().unwrap() {
        let (what, answer) = (&case["name"], answer_to(case));
        assert_eq!((&answer["split"], &answer["tree"]), (&"paper".into(), &"rank-halving".into()));
        let vertices = answer["vertices"].as_array().unwrap();
        assert_eq!(vertices.len() as u64, case["size"].as_u64().unwrap(), "{what}");
        vertices.iter().enumerate().for_each(|(rank, vertex)| has_values(case, rank, vertex));
        let mut heights = [Value::Null, Value::Null];
        for tree in answer["trees"].as_array().unwrap() {
            heights[tree["label"].as_u64().unwrap() as usize] = tree["height_links"].clone();
        }
        assert_eq!(Value::from(heights.to_vec()), case["sub_height_links"], "{what}");
        for (ours, theirs) in [
            ("forward", "F"),
            ("backward", "B"),
            ("partial", "P"),
            ("routing", "R"),
            ("gather", "S"),
            ("release", "T"),
        ] {
            let count = case["messages"][theirs].as_u64().unwrap_or(0);
            assert_eq!(answer["messages"][ours], count, "{what}: {ours} messages");
        }
    }
}

#[test]
fn random_labels_give_means_by_size_whatever_the_threads() {
    let words = "mesh:8x8 --order hilbert --random 3 --repeat 6 --seed 5";
    let answer = groups(&[], words);
    assert_eq!((&answer["runs"], &answer["levels"], &answer["seed"]), (&6.into(), &3.into(), &5.into()));
    let rows = answer["by_size"].as_array().unwrap();
    let whole = rows.last().unwrap();
    // Where all members got one label, the whole group is there once more.
    assert!(whole["size"] == 64 && whole["split_count"].as_u64() >= Some(6));
    let sum = |key: &str| rows.iter().map(|row| row[key].as_u64().unwrap()).sum::<u64>();
    // Every group but the first is made by a split of its parent, and has one barrier.
    assert!(sum("barrier_count") > sum("split_count") && sum("split_count") == sum("join_count"));
    let one = answer["by_size"][0].clone();
    assert_eq!(
        (&one["size"], &one["split_steps_max"], &one["barrier_steps_max"]),
        (&1.into(), &0.into(), &0.into())
    );
    assert!(answer["bound_cycles"].as_u64() <= answer["simulated_cycles"].as_u64());
    for threads in ["1", "3"] {
        assert_eq!(groups(&[], &format!("{words} --threads {threads}")), answer);
    }
    assert_ne!(groups(&[], &words.replace("--seed 5", "--seed 6"))["by_size"], answer["by_size"]);
    let free = groups(&[], &format!("{words} --asynchronous"));
    assert!(
        free["simulated_cycles"].as_u64() < answer["simulated_cycles"].as_u64(),
        "nobody waits for others"
    );
}

#[test]
fn splits_and_trees_go_together_or_one_sentence_says_what_would() {
    for split in ["paper", "paper-fast", "mask", "tac", "auto"] {
        let answer = groups(&[], &format!("mesh:4x4 --random 2 --repeat 2 --split {split}"));
        assert!(split == "auto" || answer["split"] == split);
        assert_eq!(answer["why"].is_string(), matches!(split, "auto" | "mask"), "{answer}");
        let sizes: u64 = answer["trees"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| t["members"].as_array().unwrap().len() as u64)
            .sum();
        assert_eq!(sizes, 16);
    }
    for tree in ["rank-halving", "monotone-nearest", "ecrb2", "ecrb4", "tac", "auto"] {
        let answer = groups(&[], &format!("mesh:4x4 --random 2 --repeat 2 --tree {tree}"));
        assert!(tree == "auto" || answer["tree"] == tree);
    }
    let error = refused(&[], "mesh:4x4 --split paper --tree monotone-nearest");
    for word in ["`paper` works on rank-halving", "`monotone-nearest` trees mask works"] {
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn colours_and_keys_are_split_as_mpi_does() {
    let file = "row,column,label,key\n0,0,70000,3\n0,1,5,0\n0,2,70000,1\n1,0,5,0\n1,2,70000,2\n";
    let answer = groups(&[("l.csv", file)], "mesh:2x3 --order row --labels l.csv --split mask");
    let members: Vec<&Value> =
        answer["trees"].as_array().unwrap().iter().map(|tree| &tree["members"]).collect();
    assert_eq!(members, [&serde_json::json!([1, 3]), &serde_json::json!([2, 5, 0])]);
    assert_eq!(answer["vertices"][0]["f_left"], Value::Null, "the functions are the paper's");
    let unnamed = groups(&[("l.csv", file)], "mesh:2x3 --labels l.csv");
    assert_eq!(unnamed["split"], "mask", "the paper's knows no keys");
    let unnamed = groups(&[], "mesh:4x4 --random 1 --colours 4 --repeat 2");
    assert_ne!(unnamed["split"], "paper", "the paper's knows two labels");
    let error = refused(&[("l.csv", file)], "mesh:2x3 --labels l.csv --split paper");
    assert!(error.contains("0 and 1") && error.contains("as mask or sort splits them"), "{error}");
    let error = refused(&[], "mesh:4x4 --random 1 --colours 4 --split paper");
    assert!(error.contains("as mask or tac or sort splits them"), "{error}");
    let error = refused(&[("l.csv", file)], "mesh:2x3 --labels l.csv --split tac");
    assert!(error.contains("without keys"), "{error}");
}

#[test]
fn edges_are_answered() {
    let one = groups(&[("l.csv", "0,0,1\n")], "mesh:1x1 --labels l.csv");
    assert_eq!((&one["split_steps"], &one["trees"][0]["parent"]), (&0.into(), &serde_json::json!([null])));
    let whole = groups(&[], "mesh:1x1 --random 3 --repeat 2");
    assert_eq!(whole["simulated_cycles"], 0);
    let equal = groups(&[("l.csv", "node,label\n1,1\n6,1\n3,1\n")], "hypercube:3 --labels l.csv --order row");
    assert_eq!(equal["trees"].as_array().unwrap().len(), 1);
    assert_eq!(equal["vertices"][0]["adjacent_root"], Value::Null, "the other side is empty");
    for machine in ["torus:4x4", "mesh:3x5", "mesh:2x3x2", "torus:3x3x3"] {
        for split in ["paper", "mask", "tac"] {
            let answer = groups(&[], &format!("{machine} --random 2 --repeat 2 --split {split}"));
            assert_eq!(answer["deadlock"], Value::Null);
        }
    }
    let dead = "[machine]\ntopology = \"mesh:4x4\"\ndead = [[1, 1]]\n";
    let answer = groups(&[("m.toml", dead)], "m.toml --random 2 --repeat 2");
    assert_eq!(answer["vertices"].as_array().unwrap().len(), 15);
    for engine in ["message", "flit"] {
        let answer = groups(&[], &format!("mesh:4x4 --random 2 --repeat 2 --engine {engine}"));
        assert_eq!(answer["engine"], engine);
    }
}

#[test]
fn bad_input_is_refused_with_its_place() {
    let at = |text: &str| refused(&[("l.csv", text)], "mesh:2x2 --labels l.csv");
    for (text, place, words) in [
        ("0,0,1\n0,2,1\n", "l.csv:2:3", "an integer from 0 to 1"),
        ("0,0,1\n0,0,0\n", "l.csv:2:1", "each node once"),
        ("row,label\n", "l.csv:1:5", "row,column,label"),
        ("", "l.csv:1:1", "the file is empty"),
    ] {
        let error = at(text);
        assert!(error.contains(place) && error.contains(words), "{error}");
    }
    for (words, expected) in [
        ("mesh:4x4 --order zigzag", "row, column, snake, hilbert"),
        ("mesh:4x4 --split papyrus", "auto, paper"),
        ("mesh:4x4 --tree oak", "auto, rank-halving"),
        ("mesh:4x4 --engine pocket", "did you mean `packet`?"),
        ("mesh:4x4 --labels no.csv", "no.csv"),
        ("mesh:4x4 --random 0", "1..=32"),
        ("mesh:4x4 --random 2 --labels l.csv", "cannot be used with"),
        ("mesh:4x4 --repeat 0", "1..="),
        ("ccc:3 --split tac", "needs coordinates"),
        ("mesh:4y4", "sides"),
    ] {
        let error = refused(&[], words);
        assert!(error.contains(expected), "{words}: {error}");
    }
}

const SCENARIO: &str =
    "seed = 3\n[machine]\ntopology = \"mesh:4x4\"\n[[groups]]\nname = \"halves\"\nrandom = 2\nrepeat = 3\n";

#[test]
fn a_scenario_compares_every_split_on_every_tree() {
    let folder = folder(&[("s.toml", SCENARIO)]);
    let plan = hold(PLAN, folder.path(), &["plan", "s.toml", "--json"]);
    let job = &plan["jobs"][0];
    assert_eq!((&job["kind"], &job["name"], &job["seed"]), (&"groups".into(), &"halves".into(), &3.into()));
    let results = job["results"].as_array().unwrap();
    let names: Vec<&str> = results.iter().map(|result| result["method"].as_str().unwrap()).collect();
    let all: Vec<&str> = meshwright_verdict::groups::METHODS.iter().map(|method| method.name).collect();
    assert_eq!(names, all);
    let cycles = |result: &Value| result["simulated_cycles"].as_u64().unwrap();
    let winner = results.iter().find(|result| result["method"] == job["winner"]).unwrap();
    assert!(results.iter().all(|result| cycles(result) >= cycles(winner)));
    assert!(results.iter().all(|result| result["bound_cycles"].as_u64().unwrap() <= cycles(result)));
    let other = hold(PLAN, folder.path(), &["plan", "s.toml", "--json", "--seed", "4"]);
    assert_ne!(other["jobs"][0]["results"], job["results"]);
    let out = run(folder.path(), &["plan", "s.toml", "--out", "out"]);
    assert_eq!(out.0, 0, "{}", out.2);
    let page = std::fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    for word in ["Program of groups", "Barriers", "Groups over time", "monotone-nearest"] {
        assert!(page.contains(word), "{word}");
    }
}

#[test]
fn bad_tables_are_refused_with_their_place() {
    for (line, place, expected) in [
        ("repaet = 3", "s.toml:8:1", "`repeat`"),
        ("order = \"hillbert\"", "s.toml:8:9", "did you mean `hilbert`?"),
        ("split = \"papr\"", "s.toml:8:9", "did you mean `paper`?"),
        ("split = \"paper\"\ntree = \"ecrb2\"", "s.toml:8:9", "go together"),
        ("colours = 5\nsplit = \"paper\"", "s.toml:9:9", "`mask/monotone-nearest`"),
        ("labels = \"l.csv\"", "s.toml:6:10", "or random ones"),
        ("engine = 4", "s.toml:8:10", "the name of an engine"),
        ("lockstep = \"yes\"", "s.toml:8:12", "true or false"),
    ] {
        let folder = folder(&[("s.toml", &format!("{SCENARIO}{line}\n"))]);
        let (code, _, stderr) = run(folder.path(), &["plan", "s.toml"]);
        assert!(code == 2 && stderr.contains(place) && stderr.contains(expected), "{line}: {stderr}");
    }
}

/// G6, U12: labels are words or left out, keys negative.
#[test]
fn labels_may_be_words_or_missing_and_keys_below_zero() {
    let words = "row,column,label\n0,0,red\n0,1,red\n0,2,blue\n0,3,blue\n";
    let answer = groups(&[("l.csv", words)], "mesh:1x4 --labels l.csv");
    assert_eq!(
        (&answer["trees"][0]["label_name"], &answer["trees"][0]["label"]),
        (&"blue".into(), &0.into())
    );
    assert_eq!(answer["vertices"][0]["label_name"], "red");
    let keys = "row,column,label,key\n0,0,0,-5\n0,1,0,2\n";
    let answer = groups(&[("l.csv", keys)], "mesh:1x4 --labels l.csv");
    assert_eq!(
        (&answer["vertices"][0]["key"], &answer["vertices"][0]["new_rank"]),
        (&(-5).into(), &0.into())
    );
    for lines in ["0,0,0\n0,1,\n0,2,0\n", "0,0,0\n0,1,-\n0,2,0\n", "0,0,0\n0,1,undefined\n0,2,0\n"] {
        for pace in ["", "--asynchronous"] {
            for split in ["paper", "mask", "tac"] {
                let command = format!("mesh:1x4 --labels l.csv --split {split} {pace}");
                let answer = groups(&[("l.csv", lines)], &command);
                let trees = answer["trees"].as_array().unwrap();
                assert_eq!((trees.len(), &trees[0]["members"]), (1, &serde_json::json!([0, 2])), "{command}");
                let outside = &answer["vertices"][1];
                assert_eq!(
                    (&outside["label"], &outside["new_rank"]),
                    (&Value::Null, &Value::Null),
                    "{command}"
                );
                assert_eq!(outside["new_children"], serde_json::json!([]), "{command}");
            }
        }
    }
}

/// G5: a start-up in the machine file counts, and `groups` chooses what `plan` finds fastest.
#[test]
fn groups_and_plan_choose_alike_where_messages_have_a_start_up() {
    let machine = "[machine]\ntopology = \"mesh:16x16\"\nswitching = \"store-and-forward\"\nstartup = 16\n\
                   byte_time = 0.125\nflit = 8\nbuffers = 4\n";
    let plan = format!("{machine}[[groups]]\nname = \"x\"\norder = \"hilbert\"\nrandom = 4\nrepeat = 2\n");
    let answer = groups(&[("m.toml", machine)], "m.toml --random 4 --repeat 2 --split auto");
    let folder = folder(&[("p.toml", &plan)]);
    let (code, stdout, stderr) = run(folder.path(), &["plan", "p.toml", "--json"]);
    assert_eq!(code, 0, "{stderr}");
    let plan: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(plan["jobs"][0]["winner"], "mask/monotone-nearest");
    assert_eq!(
        (&answer["split"], &answer["tree"], &answer["unit"], &answer["engine"]),
        (&"mask".into(), &"monotone-nearest".into(), &"cycles".into(), &"message".into())
    );
    let mut refused = std::process::Command::new(env!("CARGO_BIN_EXE_meshwright"));
    refused.current_dir(folder.path()).args(["plan", "q.toml"]);
    std::fs::write(
        folder.path().join("q.toml"),
        format!("{machine}[[groups]]\nrandom = 4\nengine = \"packet\"\n"),
    )
    .unwrap();
    let stderr = String::from_utf8(refused.output().unwrap().stderr).unwrap();
    assert!(stderr.contains("packets pay a start-up once"), "{stderr}");
}

/// U13: an option of another verb says where it belongs.
#[test]
fn options_of_other_verbs_say_where_they_stand() {
    assert!(refused(&[], "mesh:4x4 --volume 1MB").contains("members send packets of a few words"));
}

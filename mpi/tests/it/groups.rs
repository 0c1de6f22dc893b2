//! `meshwright-mpi groups`, and `examples/nested.rs`: a program of a user.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::mpirun::{ended, printed, run, started};

/// What a run found, in JSON.
fn found(ranks: u32, arguments: &[&str]) -> Value {
    let arguments: Vec<&str> = ["groups", "--json"].iter().chain(arguments).copied().collect();
    serde_json::from_str(&printed(&run(ranks, &arguments))).expect("one JSON object")
}

fn count(of: &Value, name: &str) -> u64 {
    of[name].as_u64().unwrap_or_else(|| panic!("{name} is a number in {of}"))
}

/// All groups are those of MPI; messages are counted by the formula, those of splits of the world by hand here.
fn check(ranks: u32, splits: u32, arguments: &[&str]) {
    let number = splits.to_string();
    let arguments: Vec<&str> = ["--repeat", &number].iter().chain(arguments).copied().collect();
    let found = found(ranks, &arguments);
    assert_eq!(count(&found, "differences"), 0, "{found}");
    assert_eq!((count(&found, "ranks"), count(&found, "splits")), (ranks.into(), splits.into()));
    assert!(count(&found, "groups") >= splits.into());
    let depth = count(&found, "depth");
    for name in ["split_messages", "barrier_messages", "join_messages", "reduce_messages"] {
        assert_eq!(count(&found[name], "sent"), count(&found[name], "expected"), "{name} of {found}");
    }
    if depth == 1 {
        let by_hand = u64::from(splits) * 2 * (u64::from(ranks) - 1);
        assert_eq!(count(&found["split_messages"], "sent"), by_hand);
        assert_eq!(count(&found["join_messages"], "sent"), by_hand);
    }
    for name in ["split", "barrier", "reduce", "communicator"] {
        assert!(found[name]["ours_microseconds"].as_f64() > Some(0.0), "{name} of {found}");
        assert!(found[name]["other_microseconds"].as_f64() > Some(0.0), "{name} of {found}");
    }
}

#[test]
fn two_thousand_random_splits_are_those_of_mpi() {
    check(4, 2000, &["--barriers", "1"]);
}

#[test]
fn groups_of_groups_are_those_of_mpi() {
    check(
        6,
        60,
        &["torus:2x3", "--depth", "3", "--colours", "2", "--seed", "5", "--tree", "monotone-nearest"],
    );
}

#[test]
fn flat_groups_are_those_of_mpi() {
    check(9, 30, &["--tree", "flat", "--colours", "2", "--depth", "2"]);
}

#[test]
fn sixteen_ranks_split_as_mpi_splits_them() {
    check(16, 60, &["hypercube:4", "--colours", "3", "--barriers", "1"]);
}

#[test]
fn sixty_four_ranks_split_as_mpi_splits_them() {
    check(64, 5, &["--colours", "1000000000", "--barriers", "1"]);
}

#[test]
#[ignore = "two thousand splits of 16 ranks on two cores take minutes"]
fn two_thousand_random_splits_of_sixteen_ranks_are_those_of_mpi() {
    check(16, 2000, &["--barriers", "1"]);
}

#[test]
fn the_table_says_what_was_found() {
    let text = printed(&run(4, &["groups", "mesh:1x4", "--splits", "50", "--tree", "rank-halving"]));
    assert!(
        text.contains("ranks: 4 on mesh:1x4, tree rank-halving; splits: 50, colours: 4, seed 0"),
        "{text}"
    );
    let split = text.lines().find(|line| line.trim_start().starts_with("split")).expect("a row");
    let cells: Vec<&str> = split.split_whitespace().collect();
    assert_eq!(cells[1..4], ["50", "6", "6"], "{text}");
    assert!(text.contains("ranks, sizes and members are those of MPI_Comm_split."), "{text}");
}

#[test]
fn what_does_not_fit_is_refused_once() {
    for (machine, expected) in
        [("mesh:3x3", "one for each working node of mesh:3x3"), ("mesh:2x", "machine size is `2x`")]
    {
        let output = run(4, &["groups", machine]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{error}");
        assert_eq!(error.matches(expected).count(), 1, "{error}");
    }
    let output = run(4, &["groups", "--tree", "gibbons-paterson"]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_program_of_a_user_runs_on_groups() {
    let program = Path::new(env!("CARGO_BIN_EXE_meshwright-mpi")).with_file_name("examples/nested");
    for (ranks, messages) in [(1, 0), (6, 54), (16, 168)] {
        let mut command = started(&[], ranks, &program);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let text = printed(&ended(command.spawn().expect("mpirun is there"), Duration::from_secs(100)));
        assert!(text.starts_with(&format!("{ranks} keys sorted;")), "{text}");
        assert!(text.ends_with(&format!("in {messages} messages\n")), "{text}");
    }
}

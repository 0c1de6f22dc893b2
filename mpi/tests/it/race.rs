//! `meshwright-mpi race`.

use meshwright_collectives::{OPERATIONS, Operation, Task, algorithm};
use meshwright_network::topology::Machine;
use serde_json::Value;

use crate::mpirun::{printed, run};

/// The report of a race that went well.
fn report(ranks: u32, arguments: &[&str]) -> Value {
    let text = printed(&run(ranks, &[&["race"], arguments, &["--json"]].concat()));
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("one object: {text}"))
}

/// Every algorithm that suits has moved all bytes, and no other was skipped; so has MPI's own operation.
fn check(report: &Value, task: &Task<'_>, runs: u64) {
    use Operation as O;
    let (name, members) = (task.operation.name(), u64::from(task.members()));
    assert_eq!((&report["right"], &report["operation"]), (&true.into(), &name.into()), "{report}");
    let owed = match task.operation {
        O::Barrier => 8 * members,
        O::Reduce | O::Scatter | O::Gather | O::ReduceScatter => task.bytes,
        O::Broadcast | O::AllReduce | O::AllGather | O::AllToAll | O::Scan => task.bytes * members,
    };
    let rows = report["results"].as_array().unwrap();
    let mut measured: Vec<&str> = rows.iter().map(|row| row["algorithm"].as_str().unwrap()).collect();
    let mut suits: Vec<&str> =
        algorithm::all().filter(|one| one.of(task).is_ok()).map(|algorithm| algorithm.name).collect();
    measured.sort_unstable();
    suits.sort_unstable();
    assert_eq!(measured, suits, "{name}");
    for row in rows {
        assert_eq!((&row["right"], &row["wrong_count"]), (&true.into(), &0.into()), "{name}: {row}");
        let verified = row["verified_bytes"].as_u64().unwrap();
        // A barrier along several trees has a word for each of them.
        let fits = match task.operation {
            O::Barrier => verified > 0 && verified.is_multiple_of((1 + runs) * owed),
            _ => verified == (1 + runs) * owed,
        };
        assert!(fits, "{name}: {row}");
        for key in ["measured_nanoseconds", "ratio", "predicted_nanoseconds", "simulated_cycles"] {
            assert!(row[key].as_f64() > Some(0.0), "{name}, {key}: {row}");
        }
    }
    let library = &report["library"];
    assert!(library["name"].as_str().unwrap().starts_with("MPI_") && library["right"] == true, "{library}");
    assert!(library["measured_nanoseconds"].as_f64() > Some(0.0), "{library}");
    let whole_words = task.bytes.next_multiple_of(8 * members);
    let verified = library["verified_bytes"].as_u64().unwrap();
    let most = (1 + runs) * whole_words * members;
    assert!(
        verified == 0 && task.bytes == 0 || verified >= (1 + runs) * owed && verified <= most,
        "{library}"
    );
}

#[test]
fn every_algorithm_moves_every_byte_on_16_ranks() {
    let machine = Machine::new("torus:4x4").unwrap();
    for &(name, operation) in OPERATIONS {
        let root = if operation.is_rooted() { 5 } else { 0 };
        let bytes = if operation == Operation::Barrier { 0 } else { 10_001 };
        let task = Task::new(&machine, operation, bytes, root).unwrap();
        let mut arguments = vec![name, "--on", "torus:4x4", "--repeat", "1"];
        if bytes > 0 {
            arguments.extend(["--bytes", "10001"]);
        }
        if operation.is_rooted() {
            arguments.extend(["--root", "5"]);
        }
        check(&report(16, &arguments), &task, 1);
    }
}

#[test]
fn long_messages_in_chunks_on_a_machine_with_holes() {
    let report = report(
        5,
        &[
            "all-reduce",
            "--bytes",
            "3MB",
            "--on",
            "mesh:2x3",
            "--dead",
            "4",
            "--chunks",
            "4",
            "--repeat",
            "2",
        ],
    );
    assert_eq!((&report["ranks"], &report["chunks"]), (&5.into(), &4.into()));
    assert!(report["right"] == true && !report["results"].as_array().unwrap().is_empty(), "{report}");
    for row in report["results"].as_array().unwrap() {
        assert_eq!(row["verified_bytes"], 3 * 5 * 3_000_000, "{row}");
    }
}

#[test]
fn the_table_says_what_was_found() {
    let text = printed(&run(4, &["race", "broadcast", "--bytes", "64KB", "--root", "3", "--repeat", "2"]));
    assert!(text.contains("bytes, root 3 · 4 ranks, algorithms for mesh:2x2"), "{text}");
    for word in ["MPI_Bcast", "chain", "binomial", "predicted, us", "/ MPI", "verified: all "] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(!text.contains("cycles"), "no machine is named: {text}");
}

#[test]
fn what_does_not_fit_is_refused_once() {
    for (arguments, expected) in [
        (&["all-reduce", "--bytes", "8", "--on", "mesh:3x3"][..], "mpirun -n 9"),
        (&["all-reduce"], "--bytes SIZE with all-reduce"),
        (&["all-reducer", "--bytes", "8"], "did you mean `all-reduce`?"),
        (&["all-reduce", "--bytes", "8", "--algorithm", "rnig"], "did you mean `ring`?"),
        (&["all-reduce", "--bytes", "8", "--root", "1"], "no --root"),
        (&["broadcast", "--bytes", "8", "--root", "4"], "a member from 0 to 3"),
        (&["barrier", "--bytes", "8"], "a barrier moves no data"),
    ] {
        let output = run(4, &[&["race"], arguments].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{error}");
        assert_eq!(error.matches(expected).count(), 1, "{expected}: {error}");
    }
}

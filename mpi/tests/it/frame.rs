//! What users read when something is wrong: once, from rank 0, and with the right exit code.

use crate::mpirun::{command, command_with, ended, printed, run};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn usage_errors_are_printed_once() {
    for ranks in [1, 4, 16] {
        let output = run(ranks, &["ranks", "--nonsense"]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(said(&output).matches("unexpected argument '--nonsense'").count(), 1, "{}", said(&output));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn help_and_version_are_printed_once() {
    assert_eq!(printed(&run(4, &["--version"])), concat!("meshwright-mpi ", env!("CARGO_PKG_VERSION"), "\n"));
    assert_eq!(printed(&run(4, &["ranks", "--help"])).matches("Usage:").count(), 1);
}

/// The program without `mpirun`.
fn alone(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright-mpi"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    ended(command.spawn().expect("it was built"), Duration::from_secs(60))
}

#[test]
fn without_mpirun_there_is_one_rank() {
    let text = printed(&alone(&["ranks", "--json"]));
    assert_eq!(text.matches("\"rank\":").count(), 1, "{text}");
    assert_eq!(printed(&alone(&["--help"])).matches("Usage:").count(), 1);
    assert_eq!(alone(&["ranks", "--nonsense"]).status.code(), Some(2));
}

/// A launcher of another MPI starts processes that know nothing of each other.
#[test]
fn a_launcher_of_another_mpi_is_refused() {
    for (rank, times) in [("0", 1), ("3", 0)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright-mpi"));
        command.arg("ranks").env("PMI_SIZE", "4").env("PMI_RANK", rank);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = ended(command.spawn().expect("it was built"), Duration::from_secs(60));
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        assert_eq!(
            said(&output).matches("4 processes were started, but each of them is alone").count(),
            times
        );
    }
}

#[test]
fn a_panic_names_its_rank_and_ends_the_run() {
    let mut command = command(16, &["ranks", "--panic", "7", "--watch", "60"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("mpirun is there");
    let output = ended(child, Duration::from_secs(50));
    assert_eq!(output.status.code(), Some(101), "{}", said(&output));
    assert_eq!(said(&output).matches("a bug: rank 7 (process ").count(), 1, "{}", said(&output));
}

#[test]
fn unacceptable_input_is_refused_once() {
    // On all ranks, where rank 0 speaks, and on one of the others, while all others wait for it.
    for (refuse, named) in [("0", 0), ("2", 2)] {
        let output = run(4, &["ranks", "--refuse", refuse, "--watch", "60"]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert_eq!(said(&output).matches("was asked to refuse").count(), 1, "{}", said(&output));
        assert!(
            said(&output)
                .contains(&format!("the trial is not possible here: rank {named} was asked to refuse"))
        );
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_quiet_mpirun_leaves_one_line_of_an_error() {
    let cases: [&[&str]; 4] = [
        &["run", "none.goal"],
        &["sort", "none.bin", "--out", "sorted.bin"],
        &["scatter", "words", "none.txt"],
        &["divide", "none"],
    ];
    for arguments in cases {
        let mut command = command_with(&["-q"], 4, arguments);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("mpirun is there");
        let output = ended(child, Duration::from_secs(60));
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(output.stdout.is_empty());
        assert!(said(&output).starts_with("error: ") && said(&output).contains("none"), "{}", said(&output));
        assert_eq!(said(&output).lines().count(), 1, "{}", said(&output));
    }
}

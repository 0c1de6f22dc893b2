//! Ranks that die or hang: the run ends in time, and says which rank it was.

use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use crate::mpirun::{command, command_with, ended, started};

/// Ranks are lost after so many seconds.
const PATIENCE: u64 = 3;

/// The run ends so long after the patience is over.
const END: Duration = Duration::from_secs(PATIENCE + 2);

/// Time for a busy machine on top of what is stated.
const SLACK: Duration = Duration::from_secs(8);

const RANKS: u32 = 16;

/// A run in which all ranks are busy for long: they wait, or they compute.
fn busy(options: &[&str], is_computing: bool) -> Run {
    busy_with(options, &[if is_computing { "--compute" } else { "--watch" }, "60"])
}

fn busy_with(options: &[&str], arguments: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let patience = PATIENCE.to_string();
    let ready = folder.path().to_str().expect("its name is text");
    let arguments = [&["ranks", "--patience", &patience, "--ready", ready], arguments].concat();
    let mut command = command_with(options, RANKS, &arguments);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("mpirun is there");
    let begin = Instant::now();
    // MPI itself waits for all of them at the start.
    while !are_ready(folder.path()) {
        assert!(begin.elapsed() < Duration::from_secs(60), "the ranks do not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    Run { processes: processes(&child), child, _folder: folder }
}

/// Whether each rank has made the file of its number, and has nothing under way beside them any more.
fn are_ready(folder: &Path) -> bool {
    let entries = folder.read_dir().expect("it is ours");
    let names: Vec<_> = entries.map(|entry| entry.expect("it is ours").file_name()).collect();
    let is_rank = |name: &std::ffi::OsString| name.to_str().is_some_and(|name| name.parse::<u32>().is_ok());
    names.len() == RANKS as usize && names.iter().all(is_rank)
}

struct Run {
    child: Child,
    /// Stands as long as ranks may write into it.
    _folder: tempfile::TempDir,
    /// By rank.
    processes: Vec<u32>,
}

/// The processes of all ranks, found among the children of `mpirun`.
fn processes(mpirun: &Child) -> Vec<u32> {
    let mut found: Vec<(u32, u32)> =
        children(mpirun.id()).into_iter().filter_map(|process| Some((rank_of(process)?, process))).collect();
    assert_eq!(found.len(), RANKS as usize);
    found.sort_unstable();
    found.into_iter().map(|(_, process)| process).collect()
}

fn children(of: u32) -> Vec<u32> {
    let text = std::fs::read_to_string(format!("/proc/{of}/task/{of}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

fn rank_of(process: u32) -> Option<u32> {
    let is_ours = std::fs::read_link(format!("/proc/{process}/exe")).ok()?.ends_with("meshwright-mpi");
    let environment = std::fs::read(format!("/proc/{process}/environ")).ok()?;
    let mut variables = environment.split(|&byte| byte == 0);
    let rank = variables.find_map(|one| one.strip_prefix(b"OMPI_COMM_WORLD_RANK="))?;
    std::str::from_utf8(rank).ok()?.parse().ok().filter(|_| is_ours)
}

impl Run {
    fn signal(&self, signal: &str, rank: u32) {
        let process = self.processes[rank as usize].to_string();
        let status = std::process::Command::new("kill").args([signal, &process]).status();
        assert!(status.expect("kill is there").success());
    }

    /// What it said on stderr, how it ended, and how long that took.
    fn end(self) -> (String, Output, Duration) {
        let begin = Instant::now();
        let output = ended(self.child, Duration::from_secs(50));
        let took = begin.elapsed();
        // A process that was killed may take a moment to be gone.
        let is_left = |process: &&u32| rank_of(**process).is_some();
        while let Some(process) = self.processes.iter().find(is_left) {
            assert!(begin.elapsed() < took + SLACK, "process {process} is left behind");
            std::thread::sleep(Duration::from_millis(20));
        }
        (String::from_utf8_lossy(&output.stderr).into_owned(), output, took)
    }
}

/// The one message, which names the rank, its process, its host and what it was doing.
fn assert_names(said: &str, rank: u32, process: u32, doing: &str) {
    let messages: Vec<&str> = said.lines().filter(|line| line.contains(" is lost: ")).collect();
    let [message] = messages[..] else { panic!("one message is expected:\n{said}") };
    let named = format!("rank {rank} (process {process} on ");
    assert!(
        message.contains(&named) && message.contains("no sign of life for ") && message.contains(doing),
        "{said}"
    );
}

#[test]
fn a_rank_that_is_stopped_is_named_in_time() {
    for (rank, is_computing, doing) in
        [(3, false, "sending back what comes"), (0, false, "measuring round trips"), (15, true, "computing")]
    {
        let run = busy(&[], is_computing);
        let process = run.processes[rank as usize];
        run.signal("-STOP", rank);
        let (said, output, took) = run.end();
        assert_names(&said, rank, process, doing);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(took < END + SLACK, "{took:?}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_rank_that_is_killed_ends_the_run() {
    for (rank, is_computing) in [(5, false), (0, true)] {
        let run = busy(&[], is_computing);
        let process = run.processes[rank as usize];
        run.signal("-KILL", rank);
        let (said, output, took) = run.end();
        // Whoever is quicker says it.
        let of_mpirun = said.contains(&format!("mpirun noticed that process rank {rank} "));
        let ours = said.contains(&format!("rank {rank} (process {process} on "));
        assert!(of_mpirun || ours, "{said}");
        assert!(!output.status.success());
        assert!(took < END + SLACK, "{took:?}");
        assert!(output.stdout.is_empty());
    }
}

/// In operations of MPI that block a second thread beats and watches.
#[test]
fn ranks_inside_of_mpi_are_watched_and_watch() {
    let healthy = busy_with(&[], &["--block", "5"]);
    let (said, output, _) = healthy.end();
    assert!(output.status.success(), "longer than the patience, and nobody is lost: {said}");
    let run = busy_with(&[], &["--block", "60"]);
    let process = run.processes[7];
    std::thread::sleep(Duration::from_secs(1)); // all have come into MPI, and have said so
    run.signal("-STOP", 7);
    let (said, output, took) = run.end();
    assert_names(&said, 7, process, "waiting inside of MPI");
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(took < END + SLACK, "{took:?}");
    assert!(output.stdout.is_empty());
}

#[test]
fn where_mpirun_lets_the_others_go_on_they_end_by_themselves() {
    let run = busy(&["--enable-recovery"], true);
    let process = run.processes[9];
    run.signal("-KILL", 9);
    let (said, output, took) = run.end();
    assert_names(&said, 9, process, "computing");
    // Open MPI ends with 0 then, whatever its processes say.
    assert!(took < END + SLACK, "{took:?}");
    assert!(output.stdout.is_empty());
}

#[test]
fn where_losses_are_forgiven_the_others_come_to_their_end() {
    // One that is killed, where mpirun lets the others go on; and one that only stops.
    for (options, signal, rank) in [(&["--enable-recovery"][..], "-KILL", 9), (&[], "-STOP", 1)] {
        let run = busy_with(options, &["--forgive", "--compute", "5"]);
        run.signal(signal, rank);
        let (said, output, took) = run.end();
        assert!(output.status.success(), "{said}");
        assert!(!said.contains(" is lost: "), "{said}");
        assert!(took < Duration::from_secs(5) + END + SLACK, "{took:?}");
        let table = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(table.lines().count() > RANKS as usize, "{table}");
    }
}

#[test]
fn without_patience_nobody_is_lost() {
    let mut command = command(4, &["ranks", "--patience", "0", "--compute", "1"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("mpirun is there");
    assert!(ended(child, Duration::from_secs(60)).status.success());
}

#[test]
fn a_team_of_16_loses_a_rank_that_is_killed_and_ends_on_15() {
    let program = Path::new(env!("CARGO_BIN_EXE_meshwright-mpi")).with_file_name("examples/survivors");
    for (rank, round) in [(5, 3), (0, 1)] {
        let mut command = started(&["--enable-recovery"], RANKS, &program);
        command.args([rank.to_string(), round.to_string()]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = ended(command.spawn().expect("mpirun is there"), Duration::from_secs(100));
        let (said, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let expected =
            format!("15 of 16 ranks came to the end, from round {round} on; rank {rank} is lost: ");
        assert_eq!(said.matches(&expected).count(), 1, "{said}{errors}");
        assert!(!errors.contains("panicked"), "{errors}");
    }
    let mut command = started(&[], 4, &program);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = ended(command.spawn().expect("mpirun is there"), Duration::from_secs(100));
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said.trim(), "4 of 4 ranks came to the end, from round 0 on;", "{said}");
}

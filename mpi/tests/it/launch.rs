//! The files of `map --emit` given to the real `mpirun`: every rank is where its placement wanted it.
//!
//! Hosts are played: the agent that `mpirun` starts in place of ssh gives each of its daemons a host name of its own.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use meshwright_core::units::{Bytes, NodeId};
use meshwright_hosts::coordinates;
use meshwright_hosts::launcher::{self, Hosts, Launch, Ranks};
use meshwright_mapping::{Divide, Placement, Request, Shape, TaskGraph, divide, place};
use meshwright_network::topology::Machine;
use serde_json::Value;

use crate::mpirun::{ended, printed};

/// Plays ssh: `agent HOST COMMAND...`.
const AGENT: &str = "host=$1; shift\n\
                     exec unshare --uts sh -c \"hostname $host; exec sh -c \\\"\\$*\\\"\" _ \"$@\"\n";

/// Sixteen daemons on two cores take their time.
const PATIENCE: Duration = Duration::from_secs(180);

/// Whether this system lets a process have a host name of its own; says so when not.
fn can_play_hosts() -> bool {
    let played = Command::new("unshare").args(["--uts", "hostname", "played"]).output();
    let can = played.is_ok_and(|output| output.status.success());
    if !can {
        eprintln!(
            "\n*** NOT TESTED: unshare --uts is not permitted here, so that no hosts can be played ***\n"
        );
    }
    can
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Starts so many ranks of the program with these words for `mpirun`, on played hosts.
fn launch(folder: &Path, ranks: u32, mpirun: &[&str], program: &[&str]) -> Output {
    // One after the other: daemons of several runs would be the same hosts.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let agent = format!("sh {}", write(folder, "agent", AGENT));
    let mut command = Command::new("mpirun");
    command
        .envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")])
        .args(["--mca", "plm", "rsh", "--mca", "plm_rsh_agent", &agent])
        .args(["--mca", "orte_tmpdir_base", &folder.display().to_string()])
        // Each played host believes that it has all cores for itself.
        .args(["--mca", "mpi_yield_when_idle", "1"])
        .args(mpirun)
        .args(["-n", &ranks.to_string()])
        .arg(env!("CARGO_BIN_EXE_meshwright-mpi"))
        .args(program)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    ended(command.spawn().expect("mpirun is there"), PATIENCE)
}

/// The host of each rank, as `ranks --json` tells it.
fn hosts(output: &Output) -> Vec<String> {
    let report: Value = serde_json::from_str(&printed(output)).unwrap();
    let ranks = report["ranks"].as_array().unwrap();
    assert!(ranks.iter().enumerate().all(|(rank, row)| row["rank"] == rank));
    ranks.iter().map(|row| row["host"].as_str().unwrap().to_string()).collect()
}

/// The job of these tests: a broadcast over sixteen hosts, placed by halving.
struct Job {
    machine: Machine,
    tasks: TaskGraph,
    placement: Placement,
    /// The hosts in the launcher's order, which is not that of the nodes.
    slots: Vec<String>,
}

fn job() -> Job {
    let slots: Vec<String> = (0..16).map(|host| format!("h{:02}", host * 5 % 16)).collect();
    let row = |host: &String| {
        let number: u32 = host[1..].parse().unwrap();
        format!("{host},{},{}\n", number / 4, number % 4)
    };
    let table = "# mesh 4x4\nhost,x,y\n".to_string() + &slots.iter().map(row).collect::<String>();
    let machine = coordinates::parse("coordinates:hosts.csv", table.as_bytes(), "hosts.csv").unwrap();
    let tree =
        Divide { shape: Shape::Binomial(4), alpha: Some(0.5), combine_alpha: None, volume: Bytes(4096) };
    let tasks = divide::task_graph(&tree).unwrap();
    let placement = place("reflecting", &Request::of(&tasks, &machine, 0)).unwrap();
    Job { machine, tasks, placement, slots }
}

impl Job {
    fn file(&self, format: &str) -> String {
        let (ranks, hosts) = (Ranks::Tree, Hosts::of(&self.machine));
        let (tasks, placement, machine) = (&self.tasks, &self.placement, &self.machine);
        let launch = Launch { tasks, placement, machine, ranks, hosts: &hosts };
        (launcher::format(format).unwrap().write)(&launch)
    }

    /// Where each rank belongs, from the placement alone: the hosts are called after their nodes.
    fn wanted(&self) -> Vec<String> {
        let node = |rank: u32| self.placement.nodes[Ranks::Tree.task(rank, 16) as usize];
        (0..16).map(|rank| format!("h{:02}", node(rank).0)).collect()
    }
}

#[test]
fn a_rankfile_brings_every_rank_to_its_host() {
    if !can_play_hosts() {
        return;
    }
    let (folder, job) = (tempfile::tempdir().unwrap(), job());
    assert_eq!(job.wanted()[0], "h10", "the root in the middle");
    write(
        folder.path(),
        "hosts",
        &job.slots.iter().map(|host| format!("{host} slots=1\n")).collect::<String>(),
    );
    write(folder.path(), "ranks", &job.file("rankfile"));
    let mpirun = ["--hostfile", "hosts", "-rf", "ranks"];
    let output = launch(folder.path(), 16, &mpirun, &["ranks", "--expect", "rankfile:ranks", "--json"]);
    assert_eq!(hosts(&output), job.wanted());
}

#[test]
fn a_host_file_of_slurm_brings_every_rank_to_its_host() {
    if !can_play_hosts() {
        return;
    }
    let (folder, job) = (tempfile::tempdir().unwrap(), job());
    write(folder.path(), "hosts", &job.file("slurm-hostfile"));
    let mpirun = ["--hostfile", "hosts", "--map-by", "seq"];
    let output = launch(folder.path(), 16, &mpirun, &["ranks", "--expect", "slurm-hostfile:hosts", "--json"]);
    assert_eq!(hosts(&output), job.wanted());
}

#[test]
fn a_rank_order_brings_every_rank_to_its_host() {
    if !can_play_hosts() {
        return;
    }
    let (folder, job) = (tempfile::tempdir().unwrap(), job());
    write(folder.path(), "slots", &(job.slots.join("\n") + "\n"));
    write(folder.path(), "order", &job.file("mpich-rank-order"));
    let mpirun = ["--hostfile", "slots", "--map-by", "seq"];
    let expect = ["ranks", "--expect", "mpich-rank-order:order", "--slots", "slots", "--json"];
    let output = launch(folder.path(), 16, &mpirun, &[&["--rank-order", "order"], &expect[..]].concat());
    assert_eq!(hosts(&output), job.wanted());
}

/// Two hosts of two cores: a wrong file is noticed, and what was given is written and read again.
#[test]
fn ranks_elsewhere_are_named_and_cores_are_their_own() {
    if !can_play_hosts() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, "slots", "b\na\nb\na\n");
    write(path, "other", "a\nb\nb\na\n");
    let seq = ["--hostfile", "slots", "--map-by", "seq"];
    let output = launch(
        path,
        4,
        &seq,
        &["ranks", "--expect", "slurm-hostfile:other", "--hosts", "h", "--coordinates", "c.csv"],
    );
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("2 of 4 ranks are not where other wants them") && text.contains("Written: c.csv"),
        "{text}"
    );
    let read = |file: &str| std::fs::read_to_string(path.join(file)).unwrap();
    assert_eq!(
        (read("h"), read("c.csv")),
        ("b\na\nb\na\n".into(), "host,slot,x,y\nb,0,0,0\na,0,1,0\nb,1,0,1\na,1,1,1\n".into())
    );

    // The table is a machine again; a rankfile for it gives each rank a core of its own, if there are two cores.
    let machine =
        meshwright_hosts::machine(&format!("coordinates:{}", path.join("c.csv").display())).unwrap();
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        eprintln!("\n*** NOT TESTED: one core, so that no two ranks can have cores of their own ***\n");
        return;
    }
    let tasks = divide::task_graph(&Divide {
        shape: Shape::Binomial(2),
        alpha: Some(0.5),
        combine_alpha: None,
        volume: Bytes(8),
    });
    let tasks = tasks.unwrap();
    let placement = Placement { name: "by hand".into(), nodes: [3, 0, 1, 2].map(NodeId).to_vec() };
    let hosts_of = Hosts::of(&machine);
    let job = Launch {
        tasks: &tasks,
        placement: &placement,
        machine: &machine,
        ranks: Ranks::Task,
        hosts: &hosts_of,
    };
    write(path, "ranks", &(launcher::format("rankfile").unwrap().write)(&job));
    assert_eq!(read("ranks"), "rank 0=a slot=1\nrank 1=b slot=0\nrank 2=b slot=1\nrank 3=a slot=0\n");
    write(path, "hosts", "a slots=2\nb slots=2\n");
    let mpirun = ["--hostfile", "hosts", "-rf", "ranks"];
    let output = launch(path, 4, &mpirun, &["ranks", "--expect", "rankfile:ranks", "--json"]);
    assert_eq!(hosts(&output), ["a", "b", "b", "a"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let cores: Vec<&str> =
        report["ranks"].as_array().unwrap().iter().map(|row| row["processors"].as_str().unwrap()).collect();
    assert_eq!((cores[0] != cores[3], cores[1] != cores[2]), (true, true), "{cores:?}");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, "two", "a\nb\n");
    write(path, "order", "0,1\n");
    write(path, "bad", "rank 0=a slot=0\nrank 0=b slot=0\n");
    for (arguments, error) in [
        (
            ["ranks", "--expect", "slurm-hostfile:two"].as_slice(),
            "number of ranks is 4; expected 2, as two has",
        ),
        (&["--rank-order", "order", "ranks"], "number of ranks is 4; expected 2, as order has"),
        (&["--rank-order", "none", "ranks"], "none"),
        (&["ranks", "--expect", "mpich-rank-order:order"], "slots is missing; expected --slots FILE"),
        (&["ranks", "--expect", "rankfile:bad", "--hosts", "out"], "rank 0 stands here twice"),
        (&["ranks", "--expect", "goal:bad"], "expected FORMAT:FILE"),
        (&["ranks", "--hosts", "no/such/out"], "no/such"),
    ] {
        let output = crate::mpirun::run_in(path, 4, arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert_eq!(said.matches(error).count(), 1, "{arguments:?}: {said}");
        assert!(!path.join("out").exists());
    }
}

//! `meshwright-mpi run`.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use meshwright_core::units::Ratio;
use meshwright_network::topology::{Machine, Switching};
use meshwright_schedule::goal;
use serde_json::Value;

use crate::mpirun::{command, ended, printed, run_in};

/// Every rank sends to the next, the third next and itself, in phases one after the other, and computes between them; in each
/// phase it sends before it has received.
fn rounds(ranks: u32, bytes: u64, cycles: u64) -> String {
    let mut text = format!("num_ranks {ranks}\n");
    for rank in 0..ranks {
        writeln!(text, "rank {rank} {{").unwrap();
        for (phase, step) in [1, 3, ranks].into_iter().enumerate() {
            let (to, from) = ((rank + step) % ranks, (rank + ranks - step % ranks) % ranks);
            writeln!(text, "s{phase}: send {bytes}b to {to} tag {phase}").unwrap();
            writeln!(text, "r{phase}: recv {bytes}b from {from} tag {phase}").unwrap();
            writeln!(text, "c{phase}: calc {cycles}\nc{phase} requires r{phase}").unwrap();
            if phase > 0 {
                writeln!(text, "s{phase} requires c{}\nr{phase} irequires s{phase}", phase - 1).unwrap();
            }
        }
        text += "}\n";
    }
    text
}

/// The report of a run that went well.
fn report(folder: &Path, ranks: u32, arguments: &[&str]) -> Value {
    let text = printed(&run_in(folder, ranks, &[&["run"], arguments, &["--json"]].concat()));
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("one object: {text}"))
}

#[test]
fn every_byte_arrives_on_4_16_and_64_ranks() {
    let folder = tempfile::tempdir().unwrap();
    for (ranks, bytes) in [(1, 1000), (4, 3_000_001), (16, 100_000), (64, 4321)] {
        std::fs::write(folder.path().join("a.goal"), rounds(ranks, bytes, 1000)).unwrap();
        let report = report(folder.path(), ranks, &["a.goal", "--repeat", "2", "--out", "o"]);
        let messages = 3 * u64::from(ranks);
        assert_eq!((&report["right"], &report["ranks"]), (&true.into(), &ranks.into()));
        assert_eq!((&report["messages"], &report["bytes"]), (&messages.into(), &(messages * bytes).into()));
        assert_eq!(report["verified_bytes"], 2 * messages * bytes);
        let phases = report["phases"].as_array().unwrap();
        assert_eq!(phases.len(), 3);
        for phase in phases {
            assert_eq!(
                (&phase["messages"], &phase["bytes"]),
                (&ranks.into(), &(u64::from(ranks) * bytes).into())
            );
            assert!(phase["measured_nanoseconds"].is_u64() && phase["predicted_nanoseconds"].is_f64());
        }
        assert!(report["measured_nanoseconds"].as_u64().unwrap() >= 3 * 1000, "three computations in a row");
        let written = std::fs::read_to_string(folder.path().join("o/run.json")).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), report);
    }
}

#[test]
fn a_plan_runs_with_its_machine() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.goal"), rounds(16, 100, 0)).unwrap();
    let machine = "{\"topology\":\"mesh:4x4\",\"switching\":\"cut-through\",\"startup\":100,\"byte_time\":0.5,\
                   \"flit\":2,\"ports\":\"all\",\"dead\":[],\"dead_links\":[]}";
    let jobs = "[{\"kind\":\"divide\",\"name\":\"x\",\"schedule\":\"x.goal\"},{\"kind\":\"groups\",\"name\":\"teams\"}]";
    std::fs::write(folder.path().join("plan.json"), format!("{{\"machine\":{machine},\"jobs\":{jobs}}}"))
        .unwrap();
    let report = report(folder.path(), 16, &["plan.json", "--job", "x", "--repeat", "1"]);
    assert_eq!((&report["right"], &report["machine"]), (&true.into(), &"mesh:4x4".into()));
    let mut mesh = Machine::new("mesh:4x4").unwrap().with_switching(Switching::CutThrough);
    mesh = mesh.with_byte_time(Ratio::new(1, 2).unwrap()).unwrap();
    let schedule = goal::parse(rounds(16, 100, 0).as_bytes(), "x.goal").unwrap();
    let trace = meshwright_sim::simulate(&mesh, &schedule, &meshwright_sim::Engine::Message).unwrap();
    assert_eq!(report["planned_cycles"], trace.ticks as f64 / 2.0, "the machine and its costs came back");
    let refused = |ranks: u32, arguments: &[&str], expected: &str| {
        let output = run_in(folder.path(), ranks, &[&["run"], arguments, &["--out", "none"]].concat());
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]), "{stderr}");
        assert_eq!(stderr.matches("error: ").count(), 1, "one rank speaks: {stderr}");
        assert!(stderr.contains(expected), "{expected}: {stderr}");
    };
    refused(4, &["plan.json", "--job", "x"], "number of ranks is 4; expected 16");
    refused(4, &["x.goal"], "start it with `mpirun -n 16`");
    refused(16, &["plan.json", "--job", "teams"], "`meshwright-mpi groups` runs it");
    refused(16, &["plan.json", "--job", "y"], "expected one of `x`, `teams`");
    refused(4, &["none.goal"], "none.goal: ");
    std::fs::write(folder.path().join("bad.goal"), "num_ranks 4\nrank 0 { send 8b to 1 }\n").unwrap();
    refused(4, &["bad.goal"], "bad.goal:2:10");
    assert!(!folder.path().join("none").exists());
}

/// The process of a rank of the run with this folder.
fn process(folder: &Path, rank: u32) -> Option<u32> {
    let wanted = format!("OMPI_COMM_WORLD_RANK={rank}");
    let processes = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let mut processes = processes.filter(|id: &u32| {
        let of = |what: &str| std::fs::read(format!("/proc/{id}/{what}")).unwrap_or_default();
        let is_here = String::from_utf8_lossy(&of("cmdline")).contains(folder.to_str().expect("it is UTF-8"));
        is_here && of("environ").split(|&byte| byte == 0).any(|variable| variable == wanted.as_bytes())
    });
    processes.next()
}

fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([name, &process.to_string()]).status().expect("kill is there");
    assert!(sent.success());
}

/// Sends a signal to rank 7 of 16 in the middle of a schedule that takes minutes; what the run said, and how long it took
/// from then on.
fn interrupted(name: &str) -> (Output, Duration) {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("long.goal");
    std::fs::write(&plan, rounds(16, 1000, 100_000_000_000)).unwrap();
    let arguments = ["--patience", "3", "run", plan.to_str().unwrap(), "--out", "o"];
    let mut run = command(16, &arguments);
    run.current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = run.spawn().expect("mpirun is there");
    let begin = Instant::now();
    let victim = loop {
        if let Some(process) = process(folder.path(), 7) {
            break process;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "the ranks are started");
        std::thread::sleep(Duration::from_millis(20));
    };
    // Long enough to come to the schedule itself.
    std::thread::sleep(Duration::from_secs(2));
    let begin = Instant::now();
    signal(name, victim);
    let output = ended(run, Duration::from_secs(60));
    let took = begin.elapsed();
    if name == "-STOP" && process(folder.path(), 7) == Some(victim) {
        signal("-KILL", victim);
    }
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["long.goal"], "nothing is written, whole or half");
    (output, took)
}

#[test]
fn a_rank_that_is_killed_ends_the_run_with_its_name() {
    let (output, took) = interrupted("-KILL");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && output.stdout.is_empty(), "{stderr}");
    assert!(stderr.contains("rank 7"), "{stderr}");
    assert!(took < Duration::from_secs(15), "{took:?}: {stderr}");
}

#[test]
fn a_rank_that_hangs_ends_the_run_with_its_name() {
    let (output, took) = interrupted("-STOP");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && output.stdout.is_empty(), "{stderr}");
    assert!(stderr.contains("rank 7") && stderr.contains("is lost"), "{stderr}");
    assert!(took < Duration::from_secs(15), "{took:?}: {stderr}");
}

//! A sweep that is killed at any moment goes on where it was.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use meshwright_core::rng::stream;
use rand::RngExt;

/// Some twenty points that take a few tenths of a second in all.
fn sweep(folder: &Path, file: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    command.args(["sweep", "--on", "mesh:4x4", "--traffic", "uniform", "--points", "16", "--saturation"]);
    command.args([
        "--warm-up",
        "100",
        "--measure",
        "1000",
        "--drain",
        "1000",
        "--seed",
        "3",
        "--results",
        file,
    ]);
    command
}

fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().map(str::to_string).collect()
}

/// Lets the sweep run until the file has so many lines and a moment longer, and kills it (SIGKILL); whether it had
/// come to its end.
fn killed(child: &mut Child, path: &Path, wanted: usize, moment: Duration) -> bool {
    while lines(path).len() < wanted && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_micros(200));
    }
    std::thread::sleep(moment);
    let ended = child.try_wait().unwrap().is_some();
    child.kill().unwrap();
    child.wait().unwrap();
    ended
}

#[test]
fn a_killed_sweep_loses_no_finished_point_and_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    assert!(sweep(folder.path(), "whole.jsonl").status().unwrap().success());
    let whole = std::fs::read(folder.path().join("whole.jsonl")).unwrap();
    assert!(whole.iter().filter(|&&byte| byte == b'\n').count() > 20);

    let mut rng = stream(11, "kills");
    let mut interrupted = 0;
    // On a busy machine a sweep may end before it is killed: then there is another round.
    for round in 0..40 {
        let name = format!("killed-{round}.jsonl");
        let path = folder.path().join(&name);
        loop {
            let before = lines(&path);
            // However many threads work, the bytes are the same.
            let threads = if round == 0 { "2" } else { "1" };
            let mut child = sweep(folder.path(), &name).args(["--threads", threads]).spawn().unwrap();
            let wanted = before.len() + rng.random_range(0..8);
            let moment = Duration::from_micros(rng.random_range(0..8_000));
            let ended = killed(&mut child, &path, wanted, moment);
            let after = lines(&path);
            assert!(before.iter().all(|line| after.contains(line)), "a finished point is lost");
            if ended {
                break;
            }
            interrupted += usize::from(after.len() > before.len());
        }
        assert_eq!(std::fs::read(&path).unwrap(), whole, "round {round}");
        if round >= 2 && interrupted >= 5 {
            return;
        }
    }
    panic!("only {interrupted} kills came between two points");
}

#[test]
fn a_torn_line_is_measured_again_and_another_sweep_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(sweep(folder.path(), "r.jsonl").status().unwrap().success());
    let path = folder.path().join("r.jsonl");
    let whole = std::fs::read(&path).unwrap();
    for cut in [whole.len() - 1, whole.len() - 40, whole.len() / 2, 30, 0] {
        std::fs::write(&path, &whole[..cut]).unwrap();
        assert!(sweep(folder.path(), "r.jsonl").status().unwrap().success());
        assert_eq!(std::fs::read(&path).unwrap(), whole, "cut at {cut}");
    }
    for other in [["--seed", "4"], ["--packet", "2"], ["--set", "buffers=5"], ["--on", "torus:8x8"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
        let all =
            ["sweep", "--on", "mesh:4x4", "--traffic", "uniform", "--points", "3", "--results", "r.jsonl"];
        let rest = ["--warm-up", "100", "--measure", "1000", "--drain", "1000", "--seed", "3"];
        let kept = |arguments: &[&'static str]| {
            let pairs = arguments.chunks(2).filter(|pair| pair[0] != other[0]);
            pairs.flatten().copied().collect::<Vec<_>>()
        };
        command.current_dir(folder.path()).arg("sweep").args(kept(&all[1..])).args(kept(&rest)).args(other);
        command.args(if other[0] == "--set" { ["--set", "virtual_channels=2"] } else { ["--threads", "1"] });
        let output = command.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{other:?}: {stderr}");
        assert!(
            stderr.contains("these results are of another sweep") && stderr.contains("r.jsonl:1:"),
            "{stderr}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), whole, "{other:?} left the file alone");
    }
}

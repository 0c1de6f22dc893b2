//! What a signal leaves: nothing.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

const LINE: &str = "sort big.bin --out o.bin --ranks 2";

/// R6: SIGTERM, SIGINT and SIGHUP while a file is written leave nothing; SIGKILL leaves what the next run removes.
#[cfg(all(unix, debug_assertions))]
#[test]
fn a_signal_leaves_nothing() {
    use std::os::unix::process::ExitStatusExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let numbers: Vec<u8> = (0..40_000u32).rev().flat_map(u32::to_le_bytes).collect();
    std::fs::write(path.join("big.bin"), &numbers).unwrap();
    let clean = super::seen(path);
    let write = number_of_write(path);
    std::fs::remove_file(path.join("o.bin")).unwrap();
    for (signal, number) in [("TERM", 15), ("INT", 2), ("HUP", 1), ("KILL", 9)] {
        // As under nohup, or behind an `&`: an ignored signal stays ignored.
        if ignored() >> (number - 1) & 1 == 1 {
            continue;
        }
        let mut child = super::command(path, LINE)
            .env("MESHWRIGHT_FAULT", format!("wait:{write}"))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().starts_with("waits: write")), "SIG{signal}");
        assert_eq!(super::seen(path).1, 1, "the stage is there");
        let kill = std::process::Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        assert_eq!(child.wait().unwrap().signal(), Some(number));
        if signal == "KILL" {
            assert_eq!(super::seen(path).1, 1, "a dead process cannot clean up");
            super::done(path, "map binomial:1 --on mesh:1x2 --emit rankfile:r");
            std::fs::remove_file(path.join("r")).unwrap();
        }
        assert_eq!(super::seen(path), clean, "SIG{signal}");
    }
}

/// A search of a large job ends at the first SIGINT, while it still makes the placements it starts from: with an answer.
#[cfg(unix)]
#[test]
fn a_search_answers_a_signal_from_the_beginning() {
    if ignored() >> 1 & 1 == 1 {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let side = 120u32;
    let mut text = String::from("phase,source,target,bytes\n");
    for task in 0..side * side {
        // A stencil whose tasks are numbered anew: 7919 has no divisor in common with their number.
        let number = |task: u32| u64::from(task) * 7919 % u64::from(side * side);
        for to in [task + 1, task + side].into_iter().filter(|to| *to < side * side) {
            text += &format!("1,{},{},100\n", number(task), number(to));
        }
    }
    std::fs::write(folder.path().join("stencil.phases.csv"), text).unwrap();
    let line = "map stencil.phases.csv --on mesh:120x120 --placement search --time 600 --formulas";
    // The program must have begun to search: if the signal ends it before, a later one is sent.
    let answered = [100, 200, 400, 800, 1600, 3200].into_iter().any(|milliseconds| {
        let mut command = super::command(folder.path(), line);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        let kill = std::process::Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.code().is_none() || told.contains("search: interrupted"), "{told}");
        output.status.code() == Some(0)
    });
    assert!(answered);
}

/// The signals that this process was told to ignore, one bit each, as Linux tells them.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).expect("hexadecimal"))
}

/// The operation that writes the sorted file, from 1.
fn number_of_write(folder: &std::path::Path) -> usize {
    let output = super::command(folder, LINE).env("MESHWRIGHT_FAULT", "list").output().unwrap();
    let (code, text) = super::told(&output);
    assert_eq!(code, Some(0), "{text}");
    let operations: Vec<&str> = text.lines().filter(|line| line.starts_with("operation ")).collect();
    let is_write = |line: &&str| line.contains(": write ") && line.ends_with("new/o.bin");
    operations.iter().position(is_write).expect("it writes") + 1
}

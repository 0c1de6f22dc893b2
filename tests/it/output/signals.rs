//! What a signal leaves: nothing.

/// R6: SIGTERM, SIGINT and SIGHUP while a large file is written leave nothing; SIGKILL leaves what the next run removes.
#[cfg(unix)]
#[test]
fn a_signal_leaves_nothing() {
    use std::os::unix::process::ExitStatusExt;
    use std::time::Duration;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let numbers: Vec<u8> = (0..4_000_000u32).rev().flat_map(u32::to_le_bytes).collect();
    std::fs::write(path.join("big.bin"), &numbers).unwrap();
    let clean = super::seen(path);
    for (signal, number) in [("TERM", 15), ("INT", 2), ("HUP", 1), ("KILL", 9)] {
        // Until the signal comes while the stage is there, and not its empty forerunner.
        let mut struck = false;
        for _ in 0..20 {
            let mut child = super::command(path, "sort big.bin --out o.bin --ranks 2")
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap();
            let is_writing = || {
                let stages = std::fs::read_dir(path).unwrap().flatten().map(|entry| entry.path());
                stages.into_iter().any(|stage| stage.join("new/o.bin").exists())
            };
            while !is_writing() && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_micros(100));
            }
            let kill =
                std::process::Command::new("kill").args(["-s", signal, &child.id().to_string()]).output();
            _ = kill.unwrap();
            let status = child.wait().unwrap();
            struck = status.signal() == Some(number);
            if struck {
                break;
            }
            _ = std::fs::remove_file(path.join("o.bin"));
        }
        assert!(struck, "SIG{signal} never came in time");
        if signal == "KILL" {
            assert_eq!(super::seen(path).1, 1, "a dead process cannot clean up");
            super::done(path, "map binomial:1 --on mesh:1x2 --emit rankfile:r");
            std::fs::remove_file(path.join("r")).unwrap();
        }
        assert_eq!(super::seen(path), clean, "SIG{signal}");
    }
}

//! `meshwright-mpi sort`, against `sort -n`.

use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::mpirun::{command, ended, printed, run_in};

/// Numbers without a pattern, from a linear congruence.
fn numbers(count: usize) -> Vec<u32> {
    let next = |state: &u64| {
        Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
    };
    std::iter::successors(Some(7), next).skip(1).take(count).map(|state| (state >> 32) as u32).collect()
}

fn write(path: &Path, numbers: &[u32]) {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    std::fs::write(path, bytes).unwrap();
}

fn read(path: &Path) -> Vec<u32> {
    let bytes = std::fs::read(path).unwrap();
    bytes.chunks(4).map(|number| u32::from_le_bytes(number.try_into().expect("whole numbers"))).collect()
}

/// One number on a line.
fn text(numbers: impl IntoIterator<Item = impl Display>) -> String {
    numbers.into_iter().map(|number| format!("{number}\n")).collect()
}

/// What the program `sort -n` makes of it.
fn sort_n(text: String) -> String {
    let mut sort = Command::new("sort");
    sort.arg("-n").env("LC_ALL", "C").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = sort.spawn().expect("sort is there");
    let mut stdin = child.stdin.take().expect("it is piped");
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_is_sorted_as_sort_n_sorts_it() {
    let folder = tempfile::tempdir().unwrap();
    let list = numbers(200_000);
    write(&folder.path().join("numbers.bin"), &list);
    let expected = sort_n(text(&list));
    for ranks in [4, 16, 64] {
        let output = run_in(folder.path(), ranks, &["sort", "numbers.bin", "--out", "sorted.bin"]);
        let table = printed(&output);
        assert!(table.contains("checked") && table.contains(&format!("{ranks} ranks on mesh:")), "{table}");
        let sorted = text(read(&folder.path().join("sorted.bin")));
        assert!(sorted == expected, "{ranks} ranks: {table}");
        assert_eq!(entries(folder.path()), ["numbers.bin", "sorted.bin"], "{ranks} ranks leave nothing else");
        std::fs::remove_file(folder.path().join("sorted.bin")).unwrap();
    }
}

#[test]
fn signs_count_where_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("numbers.bin");
    let signed: Vec<i32> =
        numbers(1001).into_iter().map(u32::cast_signed).chain([i32::MIN, i32::MAX, -1, 0]).collect();
    write(&path, &signed.iter().map(|number| number.cast_unsigned()).collect::<Vec<_>>());
    // In place, on a number of ranks that is no power of two.
    let arguments = ["sort", "numbers.bin", "--out", "numbers.bin", "--signed", "--force"];
    printed(&run_in(folder.path(), 6, &arguments));
    assert_eq!(text(read(&path).into_iter().map(u32::cast_signed)), sort_n(text(signed)));
}

#[test]
fn the_json_counts_messages_and_bytes() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("numbers.bin"), &numbers(1 << 16));
    for (placement, root) in [("growing", 10), ("launched", 15)] {
        let arguments =
            ["sort", "numbers.bin", "--out", "s.bin", "--on", "mesh:4x4", "--placement", placement, "--json"];
        let answer: Value = serde_json::from_str(&printed(&run_in(folder.path(), 16, &arguments))).unwrap();
        assert_eq!(
            (answer["root"].as_u64(), answer["messages"].as_u64()),
            (Some(root), Some(2 * 15 + 2)),
            "{answer}"
        );
        let phases = answer["phases"].as_array().unwrap();
        assert_eq!(phases.len(), 2 * 4 + 3);
        for phase in phases {
            let [messages, bytes, planned] =
                ["messages", "bytes", "planned_bytes"].map(|key| phase[key].as_u64().unwrap());
            // At most 9 bytes say that there is a list, and how long it is.
            assert!(bytes - planned <= 9 * messages, "{phase}");
            assert!(planned == 0 || planned == 1 << 17 || messages == 1 && planned == 1 << 18, "{phase}");
        }
    }
}

#[test]
fn small_files_need_no_ranks() {
    let folder = tempfile::tempdir().unwrap();
    for count in [0, 1, 5] {
        write(&folder.path().join("numbers.bin"), &numbers(count));
        printed(&run_in(folder.path(), 8, &["sort", "numbers.bin", "--out", "sorted.bin", "--force"]));
        let mut expected = numbers(count);
        expected.sort_unstable();
        assert_eq!(read(&folder.path().join("sorted.bin")), expected);
    }
}

#[test]
fn what_is_no_file_of_numbers_is_refused_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("odd.bin"), [1; 7]).unwrap();
    write(&folder.path().join("numbers.bin"), &numbers(9));
    let bytes = || ["odd.bin", "numbers.bin"].map(|name| std::fs::read(folder.path().join(name)).unwrap());
    let before = bytes();
    let cases: [(&[&str], &str); 8] = [
        (&["odd.bin", "--out", "s.bin"], "multiple of 4 bytes"),
        (&["none.bin", "--out", "s.bin"], "none.bin: No such file"),
        (&[".", "--out", "s.bin"], "a file of 32-bit integers"),
        (&["numbers.bin", "--out", "no/s.bin"], "in a folder that is there"),
        (&["numbers.bin", "--out", "s.bin", "--on", "mesh:8x8"], "as many living nodes as ranks, 4"),
        (&["numbers.bin", "--out", "s.bin", "--placement", "best"], "placement is `best`"),
        (&["numbers.bin", "--out", "numbers.bin"], "holds the numbers that are read"),
        (
            &["numbers.bin", "--out", "odd.bin"],
            "`odd.bin` holds something else; name another file, or --force",
        ),
    ];
    for (arguments, why) in cases {
        let output = run_in(folder.path(), 4, &[&["sort"], arguments].concat());
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{errors}");
        assert_eq!((errors.matches("error:").count(), errors.matches(why).count()), (1, 1), "{errors}");
        assert_eq!(entries(folder.path()), ["numbers.bin", "odd.bin"]);
        assert!(bytes() == before, "{arguments:?}");
    }
}

/// The processes that a process has started.
fn children(process: u32) -> Vec<u32> {
    let list =
        std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

#[test]
fn a_killed_rank_leaves_no_half_sorted_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("numbers.bin"), vec![7; 16_000_000]).unwrap();
    for victim in [0, 9] {
        let mut command = command(16, &["sort", "numbers.bin", "--out", "sorted.bin"]);
        command.current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("mpirun is there");
        let begin = Instant::now();
        while children(child.id()).len() < 16 {
            assert!(begin.elapsed() < Duration::from_secs(60), "16 ranks start");
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(300));
        assert!(child.try_wait().unwrap().is_none(), "16 ranks need longer for 4 million numbers");
        let process = children(child.id())[victim].to_string();
        assert!(Command::new("kill").args(["-KILL", &process]).status().unwrap().success());
        let output = ended(child, Duration::from_secs(20));
        assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
        assert!(!folder.path().join("sorted.bin").exists());
    }
}

/// 400 MB; of a debug build it takes minutes.
#[test]
#[ignore = "sorts 10^8 integers"]
fn a_hundred_million_integers_are_sorted() {
    let folder = tempfile::tempdir().unwrap();
    let mut list = numbers(100_000_000);
    write(&folder.path().join("numbers.bin"), &list);
    printed(&run_in(folder.path(), 16, &["sort", "numbers.bin", "--out", "sorted.bin"]));
    list.sort_unstable();
    assert!(read(&folder.path().join("sorted.bin")) == list);
}

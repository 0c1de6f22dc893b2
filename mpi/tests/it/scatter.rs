//! `meshwright-mpi scatter`: real ranks find what one finds, and the tables are there.

use std::path::Path;

use serde_json::Value;

use crate::mpirun::{printed, run_in};

/// A text with known numbers: word k of 50 occurs k times in every line.
fn book(folder: &Path, lines: usize) {
    let line: String = (1..=50).flat_map(|k| (0..k).map(move |_| format!("word{k} "))).collect();
    std::fs::write(folder.join("book.txt"), format!("{line}\n").repeat(lines)).expect("a file");
}

#[test]
fn words_are_counted_by_4_16_and_64_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    book(folder.path(), 30);
    for (ranks, machine) in [(4, "mesh:2x2"), (16, "hypercube:4"), (64, "torus:8x8")] {
        let arguments = ["scatter", "words", "book.txt", "--calibrate", "0.05", "--on", machine, "--json"];
        let text = printed(&run_in(folder.path(), ranks, &arguments));
        let answer: Value = serde_json::from_str(&text).expect("one JSON object");
        assert_eq!(answer["result"]["total"], 30 * 50 * 51 / 2);
        assert_eq!(answer["result"]["distinct"], 50);
        assert_eq!(answer["result"]["frequent"][0], serde_json::json!(["word50", 1500]));
        assert_eq!(answer["calibration"]["ranks"].as_array().map(Vec::len), Some(ranks as usize));
        let outcomes = answer["outcomes"].as_array().expect("a list");
        assert_eq!(outcomes.len(), 3);
        for outcome in outcomes {
            let shares = outcome["share_bytes"].as_array().expect("a list");
            assert_eq!(
                shares.iter().filter_map(Value::as_u64).sum::<u64>(),
                answer["bytes"].as_u64().expect("a number")
            );
        }
    }
}

#[test]
fn tables_and_drawings_are_there() {
    let folder = tempfile::tempdir().expect("a folder");
    book(folder.path(), 30);
    let arguments =
        ["scatter", "words", "book.txt", "--calibrate", "0.05", "--slow", "1=2", "--verify", "--out", "out"];
    let text = printed(&run_in(folder.path(), 4, &arguments));
    for word in [
        "split ours",
        "split equal",
        "split thesis",
        "predicted",
        "measured",
        "rank 0 alone: the same result",
    ] {
        assert!(text.contains(word), "{text}");
    }
    for name in ["gantt-ours.svg", "gantt-equal.svg", "gantt-thesis.svg", "gantt.txt", "scatter.json"] {
        assert!(folder.path().join("out").join(name).is_file(), "{name}");
    }
}

/// A run that corrects itself finds what one rank finds, and accounts for its time: it is no slower than rank 0 alone but for
/// what it has measured to have cost.
#[test]
fn a_run_that_corrects_itself_accounts_for_its_time() {
    let folder = tempfile::tempdir().expect("a folder");
    book(folder.path(), 300);
    let arguments = ["scatter", "words", "book.txt", "--calibrate", "0.05", "--slow", "2=3", "--slow", "3=6"];
    let more = ["--adaptive", "--verify", "--json"];
    let text = printed(&run_in(folder.path(), 4, &[&arguments[..], &more].concat()));
    let answer: Value = serde_json::from_str(&text).expect("one JSON object");
    assert_eq!(answer["verified"]["equal"], true);
    let outcomes = answer["outcomes"].as_array().expect("a list");
    let adaptive = outcomes.iter().find(|outcome| outcome["split"] == "adaptive").expect("it ran");
    let overhead = adaptive["corrections"]["overhead"].as_object().expect("an account");
    let most: f64 = overhead.values().filter_map(Value::as_f64).sum();
    let took = adaptive["measured"]["makespan"].as_f64().expect("a number");
    assert!(took <= most + 1e-6, "{took} of at most {most}: {overhead:?}");
}

/// A grey image whose rows are each of one value: binomial weights leave the middle of equal rows as it is.
#[test]
fn an_image_is_filtered_by_4_and_16_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    let (width, height) = (40, 45);
    let value = |row: usize| (row / 9 * 50) as u8;
    let pixels: Vec<u8> = (0..height).flat_map(|row| vec![value(row); width]).collect();
    let image = [format!("P5\n{width} {height}\n255\n").as_bytes(), &pixels].concat();
    std::fs::write(folder.path().join("photo.pgm"), &image).expect("a file");
    for ranks in [4, 16] {
        let arguments = ["scatter", "image", "photo.pgm", "--out-image", "new.pgm", "--calibrate", "0.05"];
        let run = |more: &[&str]| run_in(folder.path(), ranks, &[&arguments[..], more].concat());
        printed(&run(&["--filter", "median", "--force"]));
        // Steps between rows of one value are what a median keeps.
        assert_eq!(std::fs::read(folder.path().join("new.pgm")).expect("it was written"), image);
        let refused = run(&[]);
        let error = String::from_utf8_lossy(&refused.stderr);
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{error}");
        assert_eq!(error.matches("`new.pgm` holds something else").count(), 1, "{error}");
        assert_eq!(std::fs::read(folder.path().join("new.pgm")).expect("it stands"), image);
        printed(&run(&["--verify", "--force"]));
        let smooth = std::fs::read(folder.path().join("new.pgm")).expect("it was written");
        let row = |row: usize| smooth[smooth.len() - (height - row) * width];
        // Across a step by 50 the weights beyond it are 0, 1, 5, 11, 15, 16 of 16; halves are rounded up.
        let seen: Vec<u8> = (6..12).map(row).collect();
        assert_eq!(seen, [0, 3, 16, 34, 47, 50]);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2, "no file is left over");
    }
}

#[test]
fn unacceptable_input_ends_all_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = run_in(folder.path(), 4, &["scatter", "words", "missing.txt"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert_eq!(error.matches("missing.txt").count(), 1, "one rank says it: {error}");
    assert!(output.stdout.is_empty());
}

//! A load on ranks that really run, here as threads: the results are those of one rank, whatever the load and the ranks.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use meshwright_core::rng;
use meshwright_core::text::printable;
use meshwright_demos::scatter;
use meshwright_demos::scatter::filter::{self, FILTERS, Filter};
use meshwright_demos::scatter::pixels::Image;
use meshwright_demos::scatter::words::{self, CountWords, FREQUENT, Text, WordCount};
use meshwright_demos::scatter::{Load, PieceWork, ScatterReport, ScatterSettings, split};
use meshwright_network::topology::Machine;
use meshwright_runtime::transport::{Mailbox, threads};
use rand::RngExt;
use serde_json::Value;

/// Runs all splits on threads; what rank 0 found.
fn run(ranks: u32, load: &dyn Load, work: &dyn PieceWork, machine: Option<&str>) -> ScatterReport {
    let machine = machine.map(|name| Machine::new(name).expect("a machine"));
    let settings = ScatterSettings {
        machine,
        calibration: std::time::Duration::from_micros(200),
        ..ScatterSettings::default()
    };
    let reports = threads::run(ranks, |endpoint| {
        let mut mail = Mailbox::new(endpoint);
        match mail.rank() {
            0 => scatter::conduct(&mut mail, load, work, &settings).map(Some),
            _ => scatter::serve(&mut mail, work, "thread", 1).map(|()| None),
        }
    });
    let report = reports.expect("nobody is lost").swap_remove(0).expect("rank 0 has it");
    assert_eq!(
        report.outcomes.iter().map(|outcome| outcome.split).collect::<Vec<_>>(),
        ["ours", "equal", "thesis"]
    );
    for outcome in &report.outcomes {
        assert_eq!(outcome.share_bytes.iter().sum::<u64>(), load.bytes());
        // Who got nothing was not sent to; the parts lie side by side.
        assert!(outcome.order.iter().all(|&rank| outcome.share_bytes[rank] > 0));
        let ends = outcome.parts.iter().map(|part| part.part.end);
        let begins = outcome.parts.iter().map(|part| part.part.start);
        assert!(begins.skip(1).eq(ends.take(outcome.parts.len().saturating_sub(1))));
    }
    report
}

/// Words counted another way.
fn counted(text: &str) -> WordCount {
    let mut words: Vec<&str> = text.split_ascii_whitespace().collect();
    let total = words.len() as u64;
    words.sort_unstable();
    let runs: BTreeMap<&str, u64> =
        words.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect();
    let mut frequent: Vec<(String, u64)> =
        runs.iter().map(|(&word, &count)| (word.to_string(), count)).collect();
    frequent.sort_by_key(|(word, count)| (std::cmp::Reverse(*count), word.clone()));
    frequent.truncate(FREQUENT);
    frequent.iter_mut().for_each(|(word, _)| *word = printable(word.as_bytes()));
    WordCount { total, distinct: runs.len() as u64, frequent }
}

fn random_text(bytes: usize) -> String {
    let mut random = rng::stream(3, "words");
    let mut text = String::new();
    while text.len() < bytes {
        text += ["to", "be", "or", "not", "that", "is", "the", "question"][random.random_range(0..8)];
        text += [" ", "\n", "  ", "\t", "\r\n"][random.random_range(0..5)];
    }
    text
}

#[test]
fn words_are_counted_right_on_any_ranks() {
    let long = "x".repeat(3000);
    let random = random_text(20_000);
    for text in ["", " ", "one", " \n one\t", "two words", &long, &format!("{long} {long}\n"), &random] {
        let expected = counted(text);
        assert_eq!(words::count(text.as_bytes()), expected);
        for ranks in 1..=9 {
            for outcome in run(ranks, &Text(text.into()), &CountWords, None).outcomes {
                assert_eq!(words::join(&outcome.parts), expected, "{ranks} ranks, {}", outcome.split);
            }
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_words_too() {
    let bytes: Vec<u8> = (0..=255).cycle().take(2000).collect();
    for outcome in run(3, &Text(bytes.clone()), &CountWords, None).outcomes {
        assert_eq!(words::join(&outcome.parts), words::count(&bytes));
    }
}

/// No cut goes through a word, whatever is wanted.
#[test]
fn cuts_lie_between_words() {
    let text = Text(random_text(300).into_bytes());
    let wanted: Vec<u64> = (0..=text.bytes()).collect();
    for (position, cut) in wanted.iter().zip(text.cuts(&wanted)) {
        assert!(cut >= *position && cut <= text.bytes());
        let (before, after) = text.0.split_at(cut as usize);
        let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| !byte.is_ascii_whitespace());
        assert!(!is_word(before.last()) || !is_word(after.first()), "cut at {cut}");
    }
}

fn random_image(width: u32, height: u32, channels: u8) -> Image {
    let mut random = rng::stream(4, "image");
    let pixels = (0..width * height * u32::from(channels)).map(|_| random.random_range(0..=255)).collect();
    Image { width, height, channels, white: 255, pixels }
}

/// A filter pixel by pixel with coordinates, as in a textbook.
fn filtered(image: &Image, filter: Filter) -> Image {
    let (width, height, channels) =
        (i64::from(image.width), i64::from(image.height), i64::from(image.channels));
    let mut pixels = vec![];
    for y in 0..height {
        for x in 0..width {
            for channel in 0..channels {
                let (mut values, mut sum) = (vec![], 0u32);
                for (dy, a) in (-2..=2).zip([1, 4, 6, 4, 1]) {
                    for (dx, b) in (-2..=2).zip([1, 4, 6, 4, 1]) {
                        let (column, row) = ((x + dx).clamp(0, width - 1), (y + dy).clamp(0, height - 1));
                        let value = image.pixels[((row * width + column) * channels + channel) as usize];
                        values.push(value);
                        sum += a * b * u32::from(value);
                    }
                }
                values.sort_unstable();
                pixels.push(match filter {
                    Filter::Gaussian => ((f64::from(sum) / 256.0) + 0.5).floor() as u8,
                    Filter::Median => values[12],
                });
            }
        }
    }
    Image { pixels, ..*image }
}

#[test]
fn images_are_filtered_right_on_any_ranks() {
    for (width, height, channels) in [(1, 1, 1), (7, 1, 3), (1, 9, 1), (13, 3, 3), (9, 23, 1)] {
        let image = random_image(width, height, channels);
        for &(name, filter) in FILTERS {
            let expected = filtered(&image, filter);
            assert_eq!(filter.apply(&image), expected, "{name}");
            for ranks in [1, 2, 3, 5, 9] {
                for outcome in run(ranks, &image, &filter, None).outcomes {
                    assert_eq!(filter::join(&image, &outcome.parts), expected, "{name}, {ranks} ranks");
                }
            }
        }
    }
}

#[test]
fn images_are_read_or_refused_with_the_place() {
    let image = random_image(3, 2, 3);
    assert_eq!(Image::parse(&image.bytes_of_file(), "a.ppm").expect("it was written so"), image);
    let refused = |bytes: &[u8]| Image::parse(bytes, "a.pgm").expect_err("no image").to_string();
    for (bytes, place) in [
        (&b""[..], "a.pgm:1:1: the file is empty"),
        (b"P2\n1 1\n255\n7", "a.pgm:1:1: the file begins with `P2`"),
        (b"P5\n0 1\n255\n", "a.pgm:2:1: the width is `0`"),
        (b"P5 # comment\n3 -1 255\n", "a.pgm:2:3: the height is `-1`"),
        (b"P5 1 1", "a.pgm:1:7: the file ends before the value of white"),
        (b"P5 1 1 65535\n..", "a.pgm:1:8: the value of white is `65535`"),
        (b"P5 1 1 255", "a.pgm:1:11: the header does not end"),
        (b"P5 2 2 255\n123", "a.pgm:2:1: 3 bytes of pixels; expected 2 x 2 x 1 = 4"),
        (b"P6 1 1 255\n1234", "a.pgm:2:1: 4 bytes of pixels; expected 1 x 1 x 3 = 3"),
        (b"P6 1000000000 4294967295 255\n1", "a.pgm:2:1: 1 bytes of pixels"),
        (b"P5 99999999999 1 255\n1", "a.pgm:1:4: the width is `99999999999`"),
    ] {
        assert!(refused(bytes).starts_with(place), "{}", refused(bytes));
    }
}

/// The thesis's shares follow the layers of the machine it is told; without one, all ranks but 0 are alike.
#[test]
fn the_thesis_knows_layers_only() {
    let text = Text(random_text(40_000).into_bytes());
    let near = |a: u64, b: u64| a.abs_diff(b) < 64;
    let thesis = run(4, &text, &CountWords, Some("mesh:2x2")).outcomes.swap_remove(2);
    let shares = &thesis.share_bytes;
    assert!(
        near(shares[1], shares[2]) && shares[0] + 64 > shares[1] && shares[1] + 64 > shares[3],
        "{shares:?}"
    );
    let flat = run(4, &text, &CountWords, None).outcomes.swap_remove(2).share_bytes;
    assert!(near(flat[1], flat[2]) && near(flat[2], flat[3]), "{flat:?}");
    assert!(thesis.claimed_seconds.is_some_and(|seconds| seconds > 0.0));
    let equal = run(5, &text, &CountWords, None).outcomes.swap_remove(1);
    assert!(equal.share_bytes.iter().all(|&share| near(share, text.bytes() / 5)), "{:?}", equal.share_bytes);
    let line = Machine::new("mesh:1x3").expect("a machine");
    let error = split::check(&line, 4).expect_err("a node is missing").to_string();
    assert_eq!(error, "number of nodes is 3; expected 4, one for each rank");
}

fn program(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    command.current_dir(folder).arg("scatter").args(arguments).output().expect("the program starts")
}

#[test]
fn the_verb_counts_and_filters() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = random_text(30_000);
    std::fs::write(folder.path().join("book.txt"), &text).expect("a file");
    let arguments = ["--ranks", "3", "words", "book.txt", "--calibrate", "0.01", "--slow", "2=3", "--verify"];
    let output = program(folder.path(), &[&arguments[..], &["--json", "--out", "out"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(answer["result"]["total"], counted(&text).total);
    assert_eq!(answer["verified"]["equal"], true);
    assert_eq!(answer["outcomes"].as_array().map(Vec::len), Some(3));
    assert_eq!(answer["calibration"]["ranks"].as_array().map(Vec::len), Some(3));
    let names = |name: &str| folder.path().join("out").join(name).is_file();
    assert!(
        ["gantt-ours.svg", "gantt-equal.svg", "gantt-thesis.svg", "gantt.txt", "scatter.json"]
            .into_iter()
            .all(names)
    );

    let image = random_image(20, 30, 3);
    std::fs::write(folder.path().join("photo.ppm"), image.bytes_of_file()).expect("a file");
    let arguments =
        ["image", "photo.ppm", "--out-image", "new.ppm", "--filter", "median", "--calibrate", "0.01"];
    let output = program(folder.path(), &[&arguments[..], &["--split", "ours"]].concat());
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("split ours") && !printed.contains("split equal"), "{printed}");
    let new = Image::read(&folder.path().join("new.ppm")).expect("an image");
    assert_eq!(new, filtered(&image, Filter::Median));
}

#[test]
fn the_verb_refuses_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("cut.pgm"), "P5 9 9 255\n123").expect("a file");
    for (arguments, message) in [
        (&["words", "missing.txt"][..], "missing.txt"),
        (&["image", "cut.pgm", "--out-image", "new.pgm"], "3 bytes of pixels"),
        (&["image", "/dev/null", "--out-image", "new.pgm"], "the file is empty"),
        (&["image", "cut.pgm", "--out-image", "."], "--out-image is ."),
        (&["image", "cut.pgm", "--out-image", "no/new.pgm"], "in a folder that is there"),
        (&["words", "cut.pgm", "--out", "cut.pgm/x"], "expected a folder, which cut.pgm is not"),
        (&["words", "cut.pgm", "--slow", "4=2"], "a rank from 0 to 3"),
        (&["words", "cut.pgm", "--slow", "1=0"], "1 to 1000"),
        (&["words", "cut.pgm", "--split", "best"], "expected ours, equal or thesis, or all"),
        (&["--ranks", "4", "words", "cut.pgm", "--on", "mesh:3x3"], "one for each rank"),
        (&["words", "cut.pgm", "--calibrate", "0"], "above 0"),
        (&["--ranks", "0", "words", "cut.pgm"], "1..=1024"),
    ] {
        let output = program(folder.path(), arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(message), "{error}");
        assert!(output.stdout.is_empty());
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing was written");
}

//! `meshwright sort`: ranks are threads.

use super::contract::{Contract, hold};
use super::*;

const SORT: &Contract = &[
    (
        "",
        &[
            "format",
            "input",
            "output",
            "numbers",
            "signed",
            "ranks",
            "machine",
            "placement",
            "root",
            "phases",
            "messages",
            "bytes",
            "seconds",
            "checked",
            "executors",
        ],
    ),
    ("phases/*", &["name", "messages", "bytes", "planned_bytes", "work_seconds", "ended_seconds"]),
    ("executors/*", &["name", "seconds"]),
];

/// A folder with `numbers.bin`: 20,000 numbers without a pattern.
fn numbers() -> (tempfile::TempDir, Vec<u32>) {
    let folder = folder(&[]);
    let list: Vec<u32> = (0..20_000u32).map(|i| i.wrapping_mul(2_654_435_761) ^ 5).collect();
    let bytes: Vec<u8> = list.iter().flat_map(|number| number.to_le_bytes()).collect();
    std::fs::write(folder.path().join("numbers.bin"), bytes).unwrap();
    (folder, list)
}

fn read(folder: &Path, name: &str) -> Vec<u32> {
    let bytes = std::fs::read(folder.join(name)).unwrap();
    bytes.chunks(4).map(|number| u32::from_le_bytes(number.try_into().unwrap())).collect()
}

#[test]
fn the_keys_of_the_answer() {
    let (folder, mut list) = numbers();
    let arguments = ["sort", "numbers.bin", "--out", "sorted.bin", "--ranks", "4", "--compare", "--json"];
    let answer = hold(SORT, folder.path(), &arguments);
    assert_eq!((&answer["numbers"], &answer["messages"]), (&20_000.into(), &8.into()), "{answer}");
    assert_eq!(answer["machine"], "mesh:2x2");
    list.sort_unstable();
    assert_eq!(read(folder.path(), "sorted.bin"), list);
}

#[test]
fn every_number_of_ranks_sorts_in_place() {
    let (folder, mut list) = numbers();
    list.sort_unstable_by_key(|number| number.cast_signed());
    let arguments =
        ["sort", "numbers.bin", "--out", "numbers.bin", "--signed", "--on", "mesh:2x3", "--force"];
    let (code, table, errors) = run(folder.path(), &arguments);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(table.contains("\n6 ranks on mesh:2x3"), "the machine says how many: {table}");
    for (ranks, options) in [("1", "--signed"), ("5", "--signed"), ("7", "--signed")] {
        let arguments = ["sort", "numbers.bin", "--out", "numbers.bin", "--ranks", ranks, options, "--force"];
        let (code, table, errors) = run(folder.path(), &arguments);
        assert_eq!((code, errors.as_str()), (0, ""));
        assert!(
            table.contains("signed 32-bit integers of numbers.bin") && table.contains("checked:"),
            "{table}"
        );
        assert_eq!(read(folder.path(), "numbers.bin"), list, "{ranks} ranks");
    }
    assert_eq!(entries(folder.path()), ["numbers.bin"]);
}

#[test]
fn what_cannot_be_sorted_is_refused_once() {
    let (folder, _) = numbers();
    std::fs::write(folder.path().join("odd.bin"), [0; 9]).unwrap();
    let cases: [(&[&str], &str); 9] = [
        (&["odd.bin", "--out", "s.bin"], "IN is odd.bin of 9 bytes; expected whole 32-bit integers"),
        (&["none.bin", "--out", "s.bin"], "none.bin"),
        (&["/dev/null", "--out", "s.bin"], "a file of 32-bit integers"),
        (&["numbers.bin", "--out", "."], "OUT is ."),
        (&["numbers.bin", "--out", "s.bin", "--placement", "grow"], "expected auto, launched, reflecting"),
        (&["numbers.bin", "--out", "s.bin", "--seed", "-1"], "expected a whole number from 0 to"),
        (&["numbers.bin", "--out", "no/s.bin"], "in a folder that is there"),
        (&["numbers.bin", "--out", "s.bin", "--on", "mesh:3x3"], "mesh:3x3 with 9 living nodes"),
        (&["numbers.bin", "--out", "s.bin", "--placement", "growing"], "growing"),
    ];
    for (arguments, why) in cases {
        let (code, printed, errors) = run(folder.path(), &[&["sort", "--ranks", "6"], arguments].concat());
        assert_eq!((code, printed.as_str()), (2, ""), "{errors}");
        assert!(errors.contains(why) && errors.matches("error:").count() == 1, "{errors}");
        assert_eq!(entries(folder.path()), ["numbers.bin", "odd.bin"], "nothing is written");
    }
}

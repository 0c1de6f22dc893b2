//! What is read about loads, with words and bytes changed: no panic, an error has its place, and what is accepted can
//! be answered.

use meshwright_core::units::NodeId;
use meshwright_core::{Error, Result};
use meshwright_formats::scenario::{self, claim};
use meshwright_load::speed_file;
use meshwright_network::topology::Machine;
use meshwright_verdict::load::check;
use proptest::prelude::*;

const CLAIM: &str = r#"{ "machine": "mesh:3x3", "sigma": "1/2", "dead": [[0, 2]], "speeds": null, "sources": [[1, 1],
 { "at": 0, "load": 2, "release": 0.1 }], "switching": "cut-through", "speedup": 4, "makespan": 0.25,
 "fractions": [0.2, 0.1, 0.1] }"#;
const SCENARIO: &str = "[machine]\ntopology = \"mesh:3x3\"\nclock = \"1 GHz\"\nbyte_time = \"1 GB/s\"\n[[load]]\nname = \"a\"\n\
 sources = [{ at = [0, 1], load = 0.4 }, { at = [2, 1], load = 1, release = \"1 ms\" }]\nwork = \"50 MB/s\"\n\
 bytes = \"48 MB\"\nmethods = [\"voronoi\", \"optimum\"]\n";
const SPEEDS: &str = "node,to,time\n5,,2\n0,1,0.5 # slow\n\n3,,inf\n4,1,0\n";

/// Words that stand where a number, a node or a name is expected.
const WORDS: &[&str] = &[
    "",
    " ",
    "\n",
    ",",
    "0",
    "-1",
    "-0",
    "1e400",
    "1e308",
    "1e-300",
    "1e6",
    "nan",
    "inf",
    "null",
    "true",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\"1/0\"",
    "\"inf\"",
    "[[]]",
    "[9, 9]",
    "4294967296",
    "18446744073709551616",
    "#",
    "=",
    "\u{feff}",
    "€",
    "\0",
];

/// The text with some words put in place of as many bytes.
fn edited(text: &str, edits: &[(usize, usize, &str)]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for &(at, length, word) in edits {
        let from = at % (bytes.len() + 1);
        let until = bytes.len().min(from + length);
        bytes.splice(from..until, word.bytes());
    }
    bytes
}

/// The error of a refused text points into it.
fn accepted<T>(result: Result<T>, bytes: &[u8]) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Error::Parse(error)) => {
            let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
            assert!((1..=lines).contains(&error.line) && error.column >= 1, "{error}");
            assert!(error.excerpt.get(error.start..error.start + error.length).is_some(), "{error}");
            assert!(!error.expected.is_empty(), "{error}");
            None
        }
        Err(other) => panic!("no place: {other}"),
    }
}

/// Reads a claim and, where it is one, decides it.
fn read_claim(bytes: &[u8]) -> bool {
    let Some(file) = accepted(claim::read_bytes("a.json".as_ref(), bytes.to_vec()), bytes) else {
        return false;
    };
    let problem = file.problem().expect("the reader has tried it");
    match check(&problem, &file.terms, &file.claims, &mut |_| {}) {
        Ok(answer) => assert_eq!(answer.claims.len(), file.claims.len()),
        Err(error) => assert!(matches!(error, Error::NotApplicable { .. }), "{error}"),
    }
    true
}

fn read_speeds(bytes: &[u8]) -> bool {
    let mesh = Machine::new("mesh:3x3").expect("a mesh");
    accepted(speed_file::parse(bytes, "a.csv", &mesh, 0.5), bytes).is_some()
}

fn read_scenario(bytes: &[u8]) -> bool {
    accepted(scenario::read_bytes("a.toml".as_ref(), bytes.to_vec()), bytes).is_some()
}

#[test]
fn what_is_changed_is_accepted_at_first() {
    assert!(read_claim(CLAIM.as_bytes()));
    assert!(read_speeds(SPEEDS.as_bytes()));
    assert!(read_scenario(SCENARIO.as_bytes()));
}

#[test]
fn a_claim_says_everything_once() {
    let refused = |from: &str, to: &str, message: &str| {
        let text = CLAIM.replace(from, to);
        assert_ne!(text, CLAIM);
        let error = claim::read_bytes("a.json".as_ref(), text.into_bytes()).expect_err(message).to_string();
        assert!(error.contains(message), "{error}");
    };
    refused("0.25", "0.3", "`speedup` is 4");
    refused("0.1, 0.1]", "0.1, 0.1, 0, 0]", "`fractions` is a list of 5 entries");
    refused("0.1 }", "1e300 }", "release is 1e300");
}

#[test]
fn what_is_released_after_the_end_refutes_a_claim() {
    for release in ["0.25", "0.4"] {
        let text = CLAIM.replace("0.1 }", &format!("{release} }}"));
        let file = claim::read_bytes("a.json".as_ref(), text.into_bytes()).expect("a claim");
        let problem = file.problem().expect("a problem");
        let answer = check(&problem, &file.terms, &file.claims, &mut |_| {}).expect("an answer");
        let cut = answer.claims[0].violated_cut.as_ref().expect("a set that refutes it");
        assert!(!answer.feasible && cut.nodes == [NodeId(0)] && cut.capacity == 0.0);
        assert!((cut.demand - 2.0 / 3.0).abs() < 1e-15);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn words_in_other_places(
        edits in prop::collection::vec((any::<usize>(), 0..8usize, prop::sample::select(WORDS)), 1..4)
    ) {
        read_claim(&edited(CLAIM, &edits));
        read_speeds(&edited(SPEEDS, &edits));
        read_scenario(&edited(SCENARIO, &edits));
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read_claim(&bytes);
        read_speeds(&bytes);
        read_scenario(&bytes);
    }
}

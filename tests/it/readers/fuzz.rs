//! Any bytes, and valid files with a few bytes changed: no panic, and what is accepted keeps its promises.

use meshwright_core::{Error, Result};
use meshwright_formats::task_files;
use meshwright_network::topology::costs::BYTES_MAX;
use meshwright_network::topology::{Graph, NODES_MAX, graph_file};
use meshwright_schedule::{Fault, goal};
use proptest::prelude::*;

const VALID: &[(&str, &str)] = &[
    ("a.csv", "phase,source,target,bytes\n1,0,1,5\n2,3,1,70\n\n2,1,1,0\n"),
    ("b.csv", "0,5,1e3\n2.5,0,0\n\n0,70,0\n"),
    (
        "a.graphml",
        "<graphml xmlns='a'><key id='w' attr.name='weight'/><graph edgedefault='undirected'>\n<node id='a'/><node id='1'/>\n\
         <edge source='a' target='1' directed='true'><data key='w'>2.5</data></edge></graph></graphml>",
    ),
    (
        "a.json",
        "{\"directed\": true,\n\"links\": [{\"source\": 1, \"target\": \"b\", \"bytes\": 2.5, \"phase\": 3}],\n\
         \"nodes\": [{\"id\": 1}, {\"id\": \"b\", \"x\": [null]}]}",
    ),
    ("a.mtx", "%%MatrixMarket matrix coordinate real general\n% c\n3 3 3\n1 2 4.5\n2 1 1e3\n3 3 0\n"),
    ("b.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 4\n3 3 9\n"),
    ("c.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n2 1\n3 3\n"),
    ("a.graph", "4 2 011 2\n1 1 2 5\n% c\n1 1 1 5 3 6\n1 1 2 6\n1 1\n"),
    ("b.graph", "3 2\n2\n1 3\n2\n"),
    ("a.grf", "0\n3 4\n0 011\n7 1 5 1\n7 2 5 0 6 2\n7 1 6 1\n"),
    ("b.grf", "0\n2 2\n1 100\n30 1 10\n10 1 30\n"),
    (
        "a.goal",
        "num_ranks 2\nrank 0 { // c\nl0: send 5b to 1 tag 3 cpu 1\nl1: calc 7\nl1 requires l0\n}\n\
         rank 1 {\nrecv 5b from 0 tag 3 nic 2\n/* c */\na: calc 0\nb irequires a\nb: calc 1 }\n",
    ),
];

/// Words that have broken parsers before.
const WORDS: &[&str] = &[
    "",
    " ",
    "\n",
    "\r\n",
    "\t",
    ",",
    ",,",
    "%",
    "//",
    "/*",
    "*/",
    "{",
    "}",
    ":",
    "0",
    "1",
    "2",
    "-1",
    "+",
    "+1",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "1e400",
    "1e-400",
    ".",
    "4294967296",
    "18446744073709551616",
    "1099511627777",
    "\u{feff}",
    "\u{202e}",
    "\0",
    "€",
    "requires",
    "irequires",
    "rank",
    "send",
    "l0",
    "tag",
];

#[derive(Clone, Debug)]
enum Edit {
    Insert(usize, &'static str),
    Delete(usize, usize),
    Byte(usize, u8),
    Copy(usize, usize, usize),
    Cut(usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (any::<usize>(), prop::sample::select(WORDS)).prop_map(|(at, word)| Edit::Insert(at, word)),
        (any::<usize>(), 1..12usize).prop_map(|(at, length)| Edit::Delete(at, length)),
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Edit::Byte(at, byte)),
        (any::<usize>(), 1..12usize, any::<usize>())
            .prop_map(|(from, length, to)| Edit::Copy(from, length, to)),
        any::<usize>().prop_map(Edit::Cut),
    ]
}

fn edited(text: &str, edits: &[Edit]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for edit in edits {
        let place = |at: usize| at % (bytes.len() + 1);
        let piece = |at: usize, length: usize| place(at)..bytes.len().min(place(at) + length);
        match *edit {
            Edit::Insert(at, word) => {
                let at = place(at);
                bytes.splice(at..at, word.bytes());
            }
            Edit::Delete(at, length) => {
                let piece = piece(at, length);
                bytes.drain(piece);
            }
            Edit::Byte(at, byte) => {
                let at = place(at);
                if let Some(slot) = bytes.get_mut(at) {
                    *slot = byte;
                }
            }
            Edit::Copy(from, length, to) => {
                let (copy, to) = (bytes[piece(from, length)].to_vec(), place(to));
                bytes.splice(to..to, copy);
            }
            Edit::Cut(at) => bytes.truncate(place(at)),
        }
    }
    bytes
}

/// The error of a refused file must point into its text; everything else is a failure.
fn refused<T>(result: Result<T>, bytes: &[u8]) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Error::Parse(error)) => {
            let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
            assert!((1..=lines).contains(&error.line), "{error}");
            assert!(error.column >= 1 && error.excerpt.len() <= 160, "{error}");
            let marked = error.excerpt.get(error.start..error.start + error.length);
            assert!(marked.is_some(), "{error}: {:?}", error.excerpt);
            let shown = format!("{error}{}", error.excerpt);
            assert!(!shown.chars().any(char::is_control), "{shown:?}");
            assert!(!error.expected.is_empty());
            None
        }
        Err(other) => panic!("{other}"),
    }
}

fn check(file: &str, bytes: &[u8]) {
    if let Some(graph) = refused(task_files::parse(bytes, file), bytes) {
        assert!(graph.tasks >= 1 && graph.tasks <= NODES_MAX);
        assert!((1..graph.phases()).all(|i| graph.number(i - 1) < graph.number(i)));
        for edge in graph.edges() {
            assert!(edge.source < graph.tasks && edge.target < graph.tasks && edge.source != edge.target);
            assert!(edge.bytes.0 <= BYTES_MAX);
        }
    }
    if graph_file::format_of(file).is_some()
        && let Some(list) = refused(graph_file::parse(bytes, file), bytes)
    {
        for arc in &list.arcs {
            assert!(arc.from < list.vertices && arc.to < list.vertices && arc.weight <= BYTES_MAX);
        }
        if !file.ends_with("mtx") {
            let sorted = |turn: bool| {
                let key = |arc: &graph_file::Arc| if turn { (arc.to, arc.from) } else { (arc.from, arc.to) };
                let mut keys: Vec<_> = list.arcs.iter().map(|arc| (key(arc), arc.weight)).collect();
                keys.sort_unstable();
                keys
            };
            assert_eq!(sorted(false), sorted(true), "every edge stands at both its ends");
        }
        assert!(list.vertices > 10_000 || Graph::from_arcs(&list).is_ok());
    }
    if file.ends_with("goal")
        && let Some(schedule) = refused(goal::parse(bytes, file), bytes)
    {
        assert!(matches!(schedule.verify(), Ok(()) | Err(Fault::Cycle { .. })));
        if schedule.ranks.len() < 10_000 {
            let mut text = vec![];
            goal::write(&schedule, &mut text).unwrap();
            assert_eq!(goal::parse(&text[..], file).unwrap(), schedule);
        }
    }
}

#[test]
fn the_valid_files_are_valid() {
    for (file, text) in VALID {
        task_files::parse(text.as_bytes(), file).unwrap();
    }
}

#[test]
fn every_truncation_is_refused_or_keeps_its_promises() {
    for (file, text) in VALID {
        (0..text.len()).for_each(|length| check(file, &text.as_bytes()[..length]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        VALID.iter().for_each(|(file, _)| check(file, &bytes));
    }

    #[test]
    fn any_words(words in prop::collection::vec((prop::sample::select(WORDS), prop::sample::select(&[" ", "\n", ","][..])), 0..60)) {
        let text: String = words.iter().flat_map(|(word, gap)| [*word, *gap]).collect();
        for (file, valid) in VALID {
            check(file, text.as_bytes());
            let header = valid.lines().next().unwrap_or_default();
            check(file, format!("{header}\n{text}").as_bytes());
        }
    }

    #[test]
    fn valid_files_with_edits(edits in prop::collection::vec(edit(), 1..5)) {
        VALID.iter().for_each(|(file, text)| check(file, &edited(text, &edits)));
    }
}

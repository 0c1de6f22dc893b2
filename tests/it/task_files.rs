//! Tasks from files of other programs: what NumPy and NetworkX wrote, and what nobody should have written.

use std::path::{Path, PathBuf};

use meshwright_core::Error;
use meshwright_formats::task_files::{self, FORMATS};
use meshwright_mapping::TaskGraph;

fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats").join(file)
}

/// Source, target and bytes of each message.
fn edges(graph: &TaskGraph) -> Vec<(u32, u32, u64)> {
    let mut edges: Vec<_> =
        graph.edges().iter().map(|edge| (edge.source, edge.target, edge.bytes.0)).collect();
    edges.sort_unstable();
    edges
}

/// The message of an error with a place.
fn fault(file: &str, bytes: &[u8]) -> String {
    match task_files::parse(bytes, file) {
        Err(error @ Error::Parse(_)) => error.to_string(),
        other => panic!("{file}: {other:?}"),
    }
}

/// The matrix that `tests/data/formats/make.py` gives to NumPy and NetworkX.
const MATRIX: [(u32, u32, u64); 7] =
    [(0, 1, 64), (0, 3, 1), (1, 0, 2), (1, 2, 4096), (2, 3, 7), (3, 0, 1000), (3, 2, 5)];

#[test]
fn one_matrix_in_every_format_is_one_task_graph() {
    for file in [
        "matrix.csv",
        "matrix-f8.npy",
        "matrix-i4-big.npy",
        "matrix-u2-columns.npy",
        "matrix-v2.npy",
        "matrix-v3.npy",
        "graph.graphml",
        "graph-links.json",
        "graph-edges.json",
    ] {
        let graph = task_files::read(&data(file)).unwrap();
        assert_eq!((graph.name.as_str(), graph.tasks, graph.phases()), (file, 4, 1), "{file}");
        assert_eq!(edges(&graph), MATRIX, "{file}");
    }
}

#[test]
fn undirected_edges_send_both_ways_and_weights_are_rounded() {
    let graphs = ["grid-undirected.graphml", "grid-undirected.json"]
        .map(|file| task_files::read(&data(file)).unwrap());
    assert_eq!(edges(&graphs[0]), edges(&graphs[1]));
    assert_eq!((graphs[0].tasks, graphs[0].edges().len()), (6, 14));
    // Node 0 and node 3 are wired with weight 2.5.
    assert!(edges(&graphs[0]).contains(&(0, 3, 3)) && edges(&graphs[0]).contains(&(3, 0, 3)));
}

#[test]
fn ids_that_are_numbers_are_the_tasks_and_phases_are_kept() {
    let text = r#"{"directed": true, "nodes": [{"id": 2}, {"id": 0}, {"id": "1"}],
        "links": [{"source": 2, "target": "0", "bytes": 8, "weight": 9, "phase": 4}, {"source": 0, "target": 0}]}"#;
    let graph = task_files::parse(text.as_bytes(), "a.json").unwrap();
    assert_eq!((edges(&graph), graph.number(0)), (vec![(2, 0, 8)], 4));
}

#[test]
fn every_ending_is_a_name_and_unknown_ones_list_them() {
    for format in FORMATS {
        assert_eq!(
            task_files::format_of(Path::new(&format!("a.{}", format.name))).unwrap().name,
            format.name
        );
    }
    let error = task_files::read(Path::new("a.grahpml")).unwrap_err().to_string();
    assert!(error.contains(".npy, .graphml, .json (did you mean `graphml`?), or --format"), "{error}");
}

#[test]
fn bad_matrices_of_lines_say_what_would_be_read() {
    for (text, wanted) in [
        ("0,1\n2\n", "a.csv:2:2: this row has 1 numbers; expected 2, as the first row has"),
        ("0,1\n2,3,4\n", "a.csv:2:4: this row has more numbers; expected 2 numbers in a row"),
        (
            "0,1\n",
            "a.csv:2:1: 1 of 2 rows are there; expected as many rows as columns, or the header `phase,",
        ),
        ("0,nan\n1,0\n", "a.csv:1:3: the number of bytes is `nan`"),
        ("0,1\n-1,0\n", "a.csv:2:1: the number of bytes is `-1`"),
        ("0;1\n1;0\n", "a.csv:1:1: the number of bytes is `0;1`"),
        ("0,1\n1,0\n0,1\n", "a.csv:3:1: "),
    ] {
        let error = fault("a.csv", text.as_bytes());
        assert!(error.starts_with(wanted), "{error}");
    }
}

/// A file of NumPy with this dictionary.
fn npy(dictionary: &str, numbers: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((dictionary.len() as u16).to_le_bytes());
    [bytes, dictionary.as_bytes().to_vec(), numbers.to_vec()].concat()
}

#[test]
fn bad_files_of_numpy_are_refused_within_bounds() {
    let header = |descr: &str, shape: &str| {
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n")
    };
    let nan = f64::NAN.to_le_bytes().repeat(4);
    for (bytes, wanted) in [
        (b"\x93NUMP".to_vec(), "the file has no header"),
        (b"PK\x03\x04aaaa".to_vec(), "this is no .npy file"),
        (b"\x93NUMPY\x09\x00aa".to_vec(), "this is version 9"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(), "the header has 4294967295 bytes"),
        (npy(&header("<f8", "(4, 4)"), &[0; 100]), "the file ends in row 3 of 4"),
        (npy(&header("<f8", "(2, 2)"), &[0; 33]), "there is more after the last row"),
        (npy(&header("<f8", "(2, 2)"), &nan), "row 0, column 0 is NaN; expected bytes"),
        (npy(&header("<i1", "(1, 1)"), &[255]), "row 0, column 0 is -1"),
        (npy(&header("<f8", "(1000000000, 1000000000)"), &[]), "the shape is (1000000000, 1000000000)"),
        (npy(&header("<f8", "(16777216, 16777216)"), &[]), "the file ends in row 0"),
        (npy(&header("<f8", "(2, 3)"), &[]), "the shape is (2, 3)"),
        (npy(&header("<f8", "(4,)"), &[]), "the shape is (4,)"),
        (npy(&header("<c16", "(2, 2)"), &[]), "the numbers are '<c16'"),
        (npy(&header("|O", "(2, 2)"), &[]), "the numbers are '|O'"),
        (npy("{'shape': (2, 2)}", &[]), "the header has no `descr`"),
    ] {
        let error = fault("a.npy", &bytes);
        assert!(error.starts_with(&format!("a.npy:1:1: {wanted}")), "{error}");
    }
}

#[test]
fn bad_graphs_point_at_the_element() {
    let graph = |inner: &str| {
        format!("<graphml><key id='w' for='edge' attr.name='weight'/>\n<graph>\n{inner}</graph></graphml>")
    };
    let pair = "<node id='a'/><node id='b'/>\n";
    for (inner, wanted) in [
        (String::new(), "a.graphml:2:1: the graph has no node"),
        ("<node/>".to_string(), "a.graphml:3:1: a node has no id"),
        ("<node id='a'/><node id='a'/>".to_string(), "a.graphml:3:15: this node stands here twice"),
        (
            format!("{pair}<edge source='a' target='c'/>"),
            "a.graphml:4:1: the target `c` of this edge is no node",
        ),
        (format!("{pair}<edge source='a' target='b' directed='yes'/>"), "a.graphml:4:1: `directed` is `yes`"),
        (
            format!("{pair}<edge source='a' target='b'><data key='w'>NaN</data></edge>"),
            "a.graphml:4:29: the value is `NaN`; expected bytes",
        ),
        ("<node id='a'><graph/></node>".to_string(), "a.graphml:3:14: a graph lies in a node"),
    ] {
        let error = fault("a.graphml", graph(&inner).as_bytes());
        assert!(error.starts_with(wanted), "{error}");
    }
    assert!(fault("a.graphml", b"<graphml><graph>").contains("this is no XML"));
    assert!(fault("a.graphml", b"<gexf/>").contains("the outermost element is `gexf`"));
    let entities = b"<!DOCTYPE a [<!ENTITY b 'c'>]><graphml/>";
    assert!(fault("a.graphml", entities).contains("declares entities"));
}

#[test]
fn bad_json_points_at_the_place() {
    for (text, line, wanted) in [
        ("[]", 1, "invalid type: sequence, expected an object with `nodes` and `links`"),
        ("{\"nodes\": [], \"links\": []}", 1, "there is no node"),
        ("{\"nodes\": [{\"id\": 1}]}", 1, "there is no list `links` or `edges`"),
        ("{\"nodes\": [{\"id\": 1}],\n\"links\": [{\"source\": 1, \"target\": 2}]}", 2, "`2` is no node"),
        ("{\"nodes\": [{\"id\": 1}, {\"id\": 1}],\n\"links\": []}", 1, "this node stands here twice"),
        ("{\"nodes\": [{\"id\": [0, 1]}], \"links\": []}", 1, "invalid type: sequence, expected the id"),
        (
            "{\"nodes\": [{\"id\": 1}, {\"id\": 2}],\n\"links\": [{\"source\": 1, \"target\": 2, \"weight\": -1}]}",
            2,
            "the value is -1",
        ),
        (
            "{\"nodes\": [{\"id\": 1}, {\"id\": 2}],\n\"links\": [{\"source\": 1, \"target\": 2, \"weight\": NaN}]}",
            2,
            "",
        ),
        ("{\"nodes\": [{\"id\": 1}", 1, "EOF"),
    ] {
        let error = fault("a.json", text.as_bytes());
        assert!(error.starts_with(&format!("a.json:{line}:")) && error.contains(wanted), "{error}");
    }
    let deep = "[".repeat(100_000);
    assert!(fault("a.json", format!("{{\"nodes\": {deep}").as_bytes()).starts_with("a.json:1:"));
}

#[test]
fn changed_files_of_numpy_are_refused_or_keep_their_promises() {
    for file in ["matrix-f8.npy", "matrix-i4-big.npy", "matrix-v2.npy"] {
        let whole = std::fs::read(data(file)).unwrap();
        (0..whole.len()).for_each(|length| _ = fault("a.npy", &whole[..length]));
        for at in 0..whole.len() {
            for byte in [0, b'0', b'9', b'\'', b'(', 0x7F, 0xFF] {
                let mut changed = whole.clone();
                changed[at] = byte;
                match task_files::parse(&changed[..], "a.npy") {
                    Ok(graph) => assert!(graph.edges().iter().all(|edge| edge.source < 4 && edge.target < 4)),
                    Err(Error::Parse(error)) => assert!(error.excerpt.len() <= 160, "{error}"),
                    Err(other) => panic!("{other}"),
                }
            }
        }
    }
}

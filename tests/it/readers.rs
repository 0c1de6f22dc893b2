//! The readers of files: good files, bad files, any bytes at all, and files without end.

mod bad;
mod endless;
mod fuzz;
mod schedule_laws;
mod schedules;

use std::path::Path;

use meshwright_core::Error;
use meshwright_core::error::ParseError;
use meshwright_mapping::{TaskGraph, task_file};
use meshwright_network::topology::graph_file::{self, ArcList};

/// The parse error of a file that must have one. Task files cover every format.
fn fault(file: &str, text: &[u8]) -> ParseError {
    match task_file::parse(text, file) {
        Err(Error::Parse(error)) => *error,
        other => panic!("{file}: {other:?}"),
    }
}

fn arcs(list: &ArcList) -> Vec<(u32, u32, u64)> {
    list.arcs.iter().map(|arc| (arc.from, arc.to, arc.weight)).collect()
}

fn graph(text: &str, file: &str) -> (u32, Vec<(u32, u32, u64)>) {
    let list = graph_file::parse(text.as_bytes(), file).unwrap();
    (list.vertices, arcs(&list))
}

fn edges(graph: &TaskGraph) -> Vec<(u32, u32, u32, u64)> {
    let phases = (0..graph.phases()).map(|i| (graph.number(i), graph.phase(i)));
    phases.flat_map(|(n, edges)| edges.iter().map(move |e| (n, e.source, e.target, e.bytes.0))).collect()
}

#[test]
fn matrix_market_counts_from_one_and_rounds() {
    // Entry (1, 2) of value 4096 is an arc from vertex 0 to vertex 1; 2.5 rounds to 3, 1e3 is 1000.
    let text =
        "%%MatrixMarket matrix coordinate real general\n% comment\n\n3 3 3\n1 2 4096\n3 1 2.5\n2 2 1e3\n";
    assert_eq!(graph(text, "a.mtx"), (3, vec![(0, 1, 4096), (2, 0, 3), (1, 1, 1000)]));
    // Of a symmetric matrix the lower half stands in the file; the diagonal is not doubled.
    let text = "%%matrixmarket MATRIX coordinate integer symmetric\r\n2 2 2\r\n2 1 7\r\n1 1 5\r\n";
    assert_eq!(graph(text, "A.MTX"), (2, vec![(1, 0, 7), (0, 1, 7), (0, 0, 5)]));
    let text = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1";
    assert_eq!(graph(text, "a.mtx"), (2, vec![(1, 0, 1)]));
    let text = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 -0.0\n";
    assert_eq!(graph(text, "a.mtx"), (1, vec![(0, 0, 0)]));
}

#[test]
fn metis_reads_every_combination_of_weights() {
    // A path 1-2-3 and the lonely vertex 4, whose line is empty; a comment line is no vertex.
    let text = "4 2\n2\n% the middle\n1 3\n2\n\n";
    let path = vec![(0, 1, 1), (1, 0, 1), (1, 2, 1), (2, 1, 1)];
    assert_eq!(graph(text, "a.graph"), (4, path));
    // fmt 001: each neighbour is followed by the weight of its edge.
    assert_eq!(graph("2 1 1\n2 9\n1 9\n", "a.graph"), (2, vec![(0, 1, 9), (1, 0, 9)]));
    // fmt 011 with two weights per vertex: 5 6, then neighbour 2 by an edge of weight 9.
    assert_eq!(graph("2 1 011 2\n5 6 2 9\n7 8 1 9", "a.graph"), (2, vec![(0, 1, 9), (1, 0, 9)]));
    // fmt 100: each line starts with the size of the vertex.
    assert_eq!(graph("2 1 100\n5 2\n7 1\n", "a.graph"), (2, vec![(0, 1, 1), (1, 0, 1)]));
}

#[test]
fn scotch_reads_loads_before_neighbours_and_names_by_label() {
    // Path 0-1-2; flags 010: edge loads, here 5 for 0-1 and 6 for 1-2.
    let text = "0\n3 4\n0 010\n1 5 1\n2 5 0 6 2\n1 6 1\n";
    assert_eq!(graph(text, "a.grf"), (3, vec![(0, 1, 5), (1, 0, 5), (1, 2, 6), (2, 1, 6)]));
    // Flags 101: label, vertex load, degree, neighbours by label; 30 is vertex 0, 10 is vertex 1.
    let text = "0 2 2 1 101 30 8 1 10 10 9 1 30";
    assert_eq!(graph(text, "a.grf"), (2, vec![(0, 1, 1), (1, 0, 1)]));
    // Numbers from 1.
    assert_eq!(graph("0\n2 2\n1 000\n1 2\n1 1\n", "a.grf"), (2, vec![(0, 1, 1), (1, 0, 1)]));
}

#[test]
fn a_trace_in_csv_has_phases_in_order() {
    let text = "\u{feff}phase,source,target,bytes\r\n2,0,1,10\r\n1, 3 ,0,20\r\n\r\n2,1,1,99\r\n2,2,0,0";
    let graph = task_file::parse(text.as_bytes(), "dir/a.phases.csv").unwrap();
    assert_eq!((graph.name.as_str(), graph.tasks), ("a.phases.csv", 4));
    // Phase 1 comes first; the message of task 1 to itself is left out.
    assert_eq!(edges(&graph), vec![(1, 3, 0, 20), (2, 0, 1, 10), (2, 2, 0, 0)]);
}

#[test]
fn the_example_trace_is_read() {
    // 3649 lines, one of them the header; the trace of 16 tasks has no message of a task to itself.
    let graph = task_file::read(Path::new("examples/lammps-lj-16.phases.csv")).unwrap();
    assert_eq!((graph.tasks, graph.edges().len()), (16, 3648));
    assert_eq!(graph.name, "lammps-lj-16.phases.csv");
}

#[test]
fn graphs_and_schedules_are_task_graphs() {
    let text = "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 5\n3 3 6\n";
    let graph = task_file::parse(text.as_bytes(), "a.mtx").unwrap();
    assert_eq!((graph.tasks, edges(&graph)), (3, vec![(1, 0, 1, 5)]));
    let text = "num_ranks 3\nrank 0 {\nsend 5b to 1 tag 7\nsend 4b to 1 tag 3\n}\n\
                rank 1 {\nrecv 4b from 0 tag 3\nrecv 5b from 0 tag 7\n}\n";
    let graph = task_file::parse(text.as_bytes(), "a.goal").unwrap();
    assert_eq!((graph.tasks, edges(&graph)), (3, vec![(3, 0, 1, 4), (7, 0, 1, 5)]));
}

#[test]
fn unknown_endings_list_the_known_ones() {
    for (error, endings) in [
        (graph_file::read(Path::new("a.txt")).unwrap_err(), vec![".mtx", ".graph", ".grf"]),
        (
            task_file::read(Path::new("graph")).unwrap_err(),
            vec![".phases.csv", ".mtx", ".graph", ".grf", ".goal"],
        ),
    ] {
        assert!(matches!(error, Error::Value { .. }), "{error}");
        for ending in endings {
            assert!(error.to_string().contains(ending), "{error}");
        }
    }
}

#[test]
fn missing_files_and_directories_are_refused_by_the_system() {
    let directory = tempfile::tempdir().unwrap();
    for ending in ["csv", "mtx", "graph", "grf", "goal"] {
        let path = directory.path().join(format!("a.{ending}"));
        assert!(matches!(task_file::read(&path), Err(Error::Io { .. })), "{ending}: missing");
        std::fs::create_dir(&path).unwrap();
        assert!(matches!(task_file::read(&path), Err(Error::Io { .. })), "{ending}: directory");
    }
}

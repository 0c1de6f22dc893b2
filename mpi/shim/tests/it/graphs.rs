//! Graph topologies: the process of a rank has the neighbours that the program gave to this rank.

use crate::started::{Program, Start, installed};

const WEIGHT: &str = "weight between hosts ";

#[test]
fn graphs_are_placed_and_their_neighbours_are_those_of_the_ranks() {
    for mpi in installed("mpicc") {
        let program = Program::new(mpi, "mpicc", "graphs.c", &["-w"]);
        for (how, name, before, after) in [
            ("adjacent", "MPI_Dist_graph_create_adjacent", 836, 36),
            ("unweighted", "MPI_Dist_graph_create_adjacent", 16, 8),
            ("empty", "MPI_Dist_graph_create_adjacent", 24, 21),
            ("general", "MPI_Dist_graph_create", 836, 36),
            ("graph", "MPI_Graph_create", 24, 16),
        ] {
            let words = [how];
            let start = |with| Start { ranks: 8, hosts: 4, words: &words, variables: &[], with };
            let [plain, placed] = [false, true].map(|with| program.run(&start(with)));
            assert_eq!(plain.lines.len(), 9, "{plain:?}");
            assert_eq!(plain.without(WEIGHT), placed.without(WEIGHT), "{mpi:?} {how}");
            assert_eq!((plain.number(WEIGHT), placed.number(WEIGHT)), (before, after), "{mpi:?} {how}");
            let [line] = placed.log.as_slice() else { panic!("one line: {placed:?}") };
            assert!(line.starts_with(&format!("{name}: graph of 8 processes on 4 hosts")), "{line}");
            assert!(line.contains(&format!("hosts {before} -> {after},")), "{line}");
        }
    }
}

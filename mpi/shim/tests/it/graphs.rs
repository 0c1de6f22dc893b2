//! Graph topologies: the process of a rank has the neighbours that the program gave to this rank.

use crate::started::{Program, Start, installed};

const WEIGHT: &str = "weight between hosts ";

/// A way to ask for a graph, the function that it calls, and the weight between hosts before and after.
type Way = (&'static str, &'static str, u64, u64);

const ADJACENT: Way = ("adjacent", "MPI_Dist_graph_create_adjacent", 836, 36);
const UNWEIGHTED: Way = ("unweighted", "MPI_Dist_graph_create_adjacent", 16, 8);
const EMPTY: Way = ("empty", "MPI_Dist_graph_create_adjacent", 24, 21);
const GENERAL: Way = ("general", "MPI_Dist_graph_create", 836, 36);
const GRAPH: Way = ("graph", "MPI_Graph_create", 24, 16);

/// Eight ranks on four hosts print the same but for the weight between hosts.
fn check(program: &Program, ways: &[Way]) {
    for &(how, name, before, after) in ways {
        let words = [how];
        let start = |with| Start { ranks: 8, hosts: 4, words: &words, variables: &[], with };
        let [plain, placed] = [false, true].map(|with| program.run(&start(with)));
        assert_eq!(plain.lines.len(), 9, "{plain:?}");
        assert_eq!(plain.without(WEIGHT), placed.without(WEIGHT), "{how}");
        assert_eq!((plain.number(WEIGHT), placed.number(WEIGHT)), (before, after), "{how}: {placed:?}");
        let [line] = placed.log.as_slice() else { panic!("one line: {placed:?}") };
        assert!(line.starts_with(&format!("{name}: graph of 8 processes on 4 hosts")), "{line}");
        assert!(line.contains(&format!("hosts {before} -> {after},")), "{line}");
    }
}

#[test]
fn graphs_are_placed_and_their_neighbours_are_those_of_the_ranks() {
    for mpi in installed("mpicc") {
        check(
            &Program::new(mpi, "mpicc", "graphs.c", &["-w"]),
            &[ADJACENT, UNWEIGHTED, EMPTY, GENERAL, GRAPH],
        );
    }
}

#[test]
fn graphs_of_programs_in_fortran_are_placed_by_each_binding() {
    for mpi in installed("mpifort") {
        for (binding, way) in [("-DF08", ADJACENT), ("-DMODULE", GENERAL), ("-DMPIF", GRAPH)] {
            // Without -w MPICH's bindings warn of MPI_UNWEIGHTED, which is a scalar there.
            let program = Program::new(mpi, "mpifort", "graphs.F90", &["-cpp", "-w", binding]);
            check(&program, &[way, UNWEIGHTED]);
        }
    }
}

//! Ranks that stay, and coordinates that are dealt anew.

use crate::started::{Mpi, Program, Start, installed};

const BYTES: &str = "bytes between hosts ";

/// The stencil again, whose neighbours are others now; rows and columns of the grid are grids themselves.
#[test]
fn ranks_stay_and_coordinates_move() {
    for mpi in installed("mpicc") {
        let stencil = Program::new(mpi, "mpicc", "stencil.c", &[]);
        let variables = [("MESHWRIGHT_KEEP_RANKS", "1")];
        let ranks = if mpi == Mpi::OpenMpi { 16 } else { 8 };
        let start = |with| Start { ranks, hosts: 2, words: &["torus"], variables: &variables, with };
        let [plain, placed] = [false, true].map(|with| stencil.run(&start(with)));
        assert_eq!(plain.without(BYTES), placed.without(BYTES), "{mpi:?}");
        assert!(placed.number(BYTES) < plain.number(BYTES), "{placed:?}");
        assert!(placed.said.is_empty(), "{placed:?}");

        let rows = Program::new(mpi, "mpicc", "rows.c", &[]);
        let start = |with| Start { words: &[], ..start(with) };
        let [plain, placed] = [false, true].map(|with| rows.run(&start(with)));
        assert_eq!(plain.without(BYTES), placed.without(BYTES), "{mpi:?}");
        assert!(placed.number(BYTES) < plain.number(BYTES), "{placed:?}");
        assert!(placed.said.is_empty(), "{placed:?}");

        let graphs = Program::new(mpi, "mpicc", "graphs.c", &["-w"]);
        let start = |with| Start { ranks: 8, hosts: 4, words: &["adjacent"], ..start(with) };
        let [plain, placed] = [false, true].map(|with| graphs.run(&start(with)));
        assert_eq!(plain.lines, placed.lines);
        assert!(placed.said[0].contains("only a grid has coordinates"), "{placed:?}");
    }
}

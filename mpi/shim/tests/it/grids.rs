//! The stencil on grids of processes.

use crate::started::{Mpi, Program, Start, installed};

const BYTES: &str = "bytes between hosts ";

/// More ranks than cores wait busily under MPICH.
fn ranks(mpi: Mpi) -> u32 {
    if mpi == Mpi::OpenMpi { 16 } else { 8 }
}

/// The same field to the bit, fewer bytes between hosts, as the log says: two of three on 4 x 4, three of five on 4 x 2.
fn check(program: &Program, mpi: Mpi) {
    let start = |with| Start { ranks: ranks(mpi), hosts: 4, words: &[], variables: &[], with };
    let [plain, placed] = [false, true].map(|with| program.run(&start(with)));
    assert_eq!(plain.without(BYTES), placed.without(BYTES));
    let (before, after) = (plain.number(BYTES), placed.number(BYTES));
    let expected = if mpi == Mpi::OpenMpi { (92_160, 61_440) } else { (76_800, 46_080) };
    assert_eq!((before, after), expected, "{placed:?}");
    assert!(plain.log.is_empty() && placed.said.is_empty(), "{placed:?}");
    let [line] = placed.log.as_slice() else { panic!("one line: {placed:?}") };
    // 24 doubles a face, 20 steps.
    let weight = |bytes: u64| bytes / (24 * 8 * 20);
    let words = format!("weight between hosts {} -> {}", weight(before), weight(after));
    assert!(line.starts_with("MPI_Cart_create: grid 4x") && line.contains(&words), "{line}");
}

#[test]
fn a_stencil_in_c_sends_less_between_hosts_and_computes_the_same() {
    for mpi in installed("mpicc") {
        check(&Program::new(mpi, "mpicc", "stencil.c", &[]), mpi);
    }
}

#[test]
fn a_stencil_in_fortran_does_so_by_each_binding() {
    for mpi in installed("mpifort") {
        for binding in ["-DF08", "-DMODULE", "-DMPIF"] {
            check(&Program::new(mpi, "mpifort", "stencil.F90", &["-cpp", binding]), mpi);
        }
    }
}

/// `mpirun` of Open MPI on four hosts with daemons of their own, ranks dealt round or host by host.
#[test]
fn open_mpi_on_four_hosts_with_sixteen_ranks() {
    if !installed("mpicc").contains(&Mpi::OpenMpi) {
        return;
    }
    let program = Program::new(Mpi::OpenMpi, "mpicc", "stencil.c", &[]);
    for (map, before) in [("node", 92_160), ("slot", 92_160)] {
        let words = ["--map-by", map];
        let start = |with| Start { ranks: 16, hosts: 4, words: &words, variables: &[], with };
        let [plain, placed] = [false, true].map(|with| program.run_on_daemons(4, &start(with)));
        assert_eq!(plain.without(BYTES), placed.without(BYTES));
        assert_eq!((plain.number(BYTES), placed.number(BYTES)), (before, 61_440), "{map}: {placed:?}");
    }
}

/// A smaller grid, none, oneself, half of the ranks, wrong arguments, two groups: as without the library.
#[test]
fn corners_are_left_as_they_are() {
    for mpi in installed("mpicc") {
        let program = Program::new(mpi, "mpicc", "corners.c", &["-w"]);
        let start = |with| Start { ranks: 6, hosts: 3, words: &[], variables: &[], with };
        let [plain, placed] = [false, true].map(|with| program.run(&start(with)));
        assert_eq!(plain.lines, placed.lines, "{mpi:?}");
        assert!(
            plain.lines.iter().all(|line| !line.contains("MOVED") && !line.contains("WRONG")),
            "{plain:?}"
        );
        assert!(placed.said.is_empty(), "{placed:?}");
        let is_moved =
            |line: &&String| line.contains("grid 2x2 of 4 processes on 3 hosts: bisection, 2 ranks moved");
        assert_eq!(placed.log.iter().filter(is_moved).count(), 1, "{placed:?}");
    }
}

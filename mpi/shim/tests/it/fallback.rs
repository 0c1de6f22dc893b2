//! What cannot be done is said in one line, and the program runs as without the library.

use crate::started::{Program, Start, installed};

fn start<'a>(variables: &'a [(&'a str, &'a str)], with: bool) -> Start<'a> {
    Start { ranks: 8, hosts: 4, words: &[], variables, with }
}

#[test]
fn what_is_wrong_is_said_once_and_nothing_moves() {
    for (index, mpi) in installed("mpicc").into_iter().enumerate() {
        // What is wrong does not depend on the MPI; what happens then may.
        let few = if index == 0 { 8 } else { 2 };
        let program = Program::new(mpi, "mpicc", "stencil.c", &[]);
        std::fs::write(program.folder.path().join("few.csv"), "host,x\nh0,0\nh1,1\n").unwrap();
        let plain = program.run(&start(&[], false));
        for (name, value, error) in [
            ("MESHWRIGHT_ON", "torus:5x5", "a node for each of 8 ranks or of 4 hosts"),
            ("MESHWRIGHT_ON", "trous:4", "machine is `trous:4`"),
            ("MESHWRIGHT_ON", "coordinates:none.csv", "none.csv: No such file"),
            (
                "MESHWRIGHT_ON",
                "coordinates:few.csv",
                "host is `h2`; expected one of the hosts of coordinates:few.csv",
            ),
            ("MESHWRIGHT_ON", "slurm", "SLURM_JOB_NODELIST"),
            ("MESHWRIGHT_METHOD", "best", "identity, blocks, bisection, exchange"),
            ("MESHWRIGHT_TIME", "soon", "seconds such as 0.5"),
            ("MESHWRIGHT_OFF", "please", "1 or 0"),
        ]
        .into_iter()
        .take(few)
        {
            let variables = [(name, value)];
            let ended = program.run(&start(&variables, true));
            let [line] = ended.said.as_slice() else { panic!("one line for {value}: {ended:?}") };
            assert!(line.starts_with("meshwright: MPI_Cart_create keeps its ranks: "), "{line}");
            assert!(line.contains(error), "{line}");
            assert_eq!((ended.lines, ended.log.len()), (plain.lines.clone(), 1), "{mpi:?} {value}");
        }
    }
}

//! Machines that are declared by a variable, and the other variables.

use crate::started::{Ended, Mpi, Program, Start, installed};

fn run(program: &Program, hosts: u32, variables: &[(&str, &str)]) -> Ended {
    program.run(&Start { ranks: 8, hosts, words: &[], variables, with: true })
}

fn one(ended: &Ended) -> &str {
    let [line] = ended.log.as_slice() else { panic!("one line: {ended:?}") };
    line
}

/// Ranks on nodes of a torus, on hosts of a torus, and on hosts in a table.
#[test]
fn a_declared_machine_counts_hops() {
    for mpi in installed("mpicc") {
        let program = Program::new(mpi, "mpicc", "stencil.c", &[]);
        // A grid of 4 x 2 on a torus of 2 x 4, all on one host: what counts is hops, and one each is best.
        let row = run(&program, 1, &[("MESHWRIGHT_ON", "torus:2x4")]);
        assert!(one(&row).contains("weight between hosts 0 -> 0, weight times hops 36 -> 20"), "{row:?}");
        // Four hosts in a ring, two ranks on each.
        let hosts = run(&program, 4, &[("MESHWRIGHT_ON", "torus:4")]);
        assert!(
            one(&hosts).contains("weight between hosts 20 -> 12, weight times hops 32 -> 12"),
            "{hosts:?}"
        );
        let table = "host,x,y\nh0,0,0\nh1,1,1\nh2,0,1\nh3,1,0\n";
        std::fs::write(program.folder.path().join("hosts.csv"), table).unwrap();
        let table = run(&program, 4, &[("MESHWRIGHT_ON", "coordinates:hosts.csv")]);
        assert!(one(&table).contains("weight between hosts 20 -> 12, weight times hops "), "{table:?}");
        assert!([&row, &hosts, &table].iter().all(|ended| ended.said.is_empty()));
    }
}

#[test]
fn variables_choose_the_method_and_switch_it_off() {
    for mpi in installed("mpicc").into_iter().take(1) {
        let program = Program::new(mpi, "mpicc", "stencil.c", &[]);
        for method in ["blocks", "bisection", "exchange"] {
            let ended = run(&program, 4, &[("MESHWRIGHT_METHOD", method)]);
            assert!(one(&ended).contains(&format!("hosts: {method}, ")), "{ended:?}");
        }
        let stays = run(&program, 4, &[("MESHWRIGHT_METHOD", "identity")]);
        assert!(one(&stays).contains("ranks stay"), "{stays:?}");
        let late = run(&program, 4, &[("MESHWRIGHT_TIME", "0")]);
        assert!(one(&late).contains("MESHWRIGHT_TIME was up"), "{late:?}");
        let off = run(&program, 4, &[("MESHWRIGHT_OFF", "1")]);
        assert!(off.log.is_empty() && off.said.is_empty(), "{off:?}");
        assert_eq!(off.lines, stays.lines);
        assert_eq!(mpi == Mpi::OpenMpi, one(&stays).contains("4x2"));
    }
}

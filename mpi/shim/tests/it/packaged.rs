//! Programs that Debian packages: LAMMPS, and Python with mpi4py.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::started::{Ended, Mpi, Program, Start, installed};

/// What a started process says if it can be started.
fn is_there(program: &str, words: &[&str]) -> bool {
    let is_there = Command::new(program).args(words).output().is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!("\n*** NOT TESTED: no {program} {} here ***\n", words.join(" "));
    }
    is_there
}

/// Atoms of a melt; its velocities are a formula, so that no sum over ranks comes into them.
const MELT: &str = "\
processors * * * map cart/reorder
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
variable vx atom sin(7*x+3*y+z)
variable vy atom sin(5*x+7*y+3*z)
variable vz atom sin(x+5*y+7*z)
velocity all set v_vx v_vy v_vz
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
thermo 10
thermo_modify format float %.17g
run 50
write_dump all custom atoms x y z vx vy vz modify format float %.17g
";

/// The bytes that went between hosts, by the monitoring of Open MPI, if ranks are dealt round to two of them.
fn bytes_between(folder: &Path) -> u64 {
    let bytes = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [kind, from, to, bytes, ..] = words.as_slice() else { return None };
        let [from, to]: [u64; 2] = [from.parse().ok()?, to.parse().ok()?];
        (*kind == "E" && from % 2 != to % 2).then(|| bytes.parse::<u64>().ok()).flatten()
    };
    let of_rank =
        |rank| std::fs::read_to_string(folder.join(format!("profile.{rank}.prof"))).expect("a profile");
    (0..16).map(|rank| of_rank(rank).lines().filter_map(bytes).sum::<u64>()).sum()
}

/// The steps that LAMMPS tells: number, then temperature, energies and pressure.
fn steps(ended: &Ended) -> Vec<Vec<f64>> {
    let numbers =
        |line: &String| line.split_whitespace().map(|word| word.parse().ok()).collect::<Option<Vec<f64>>>();
    let mut steps: Vec<Vec<f64>> =
        ended.lines.iter().filter_map(numbers).filter(|row| row.len() == 6).collect();
    steps.sort_by(|a, b| a[0].total_cmp(&b[0]));
    steps
}

/// LAMMPS takes the ranks of neighbours from the grid and uses them in the communicator that this was made from: so its ranks must
/// stay. Every atom moves the same to the bit; sums over all ranks differ in the last digits, as their order does.
#[test]
#[ignore = "needs LAMMPS: apt-get install lammps"]
fn lammps_sends_half_as_much_between_hosts_and_moves_every_atom_the_same() {
    if !installed("mpicc").contains(&Mpi::OpenMpi) || !is_there("lmp", &["-h"]) {
        return;
    }
    let program = Program::installed(Mpi::OpenMpi, "lmp");
    let path = program.folder.path();
    std::fs::write(path.join("melt"), MELT).unwrap();
    let variables = [
        ("MESHWRIGHT_KEEP_RANKS", "1"),
        ("OMP_NUM_THREADS", "1"),
        ("OMPI_MCA_pml_monitoring_enable", "2"),
        ("OMPI_MCA_pml_monitoring_enable_output", "3"),
        ("OMPI_MCA_pml_monitoring_filename", "profile"),
    ];
    let run = |with| {
        let words = ["-in", "melt"];
        let ended = program.run(&Start { ranks: 16, hosts: 2, words: &words, variables: &variables, with });
        let atoms = std::fs::read_to_string(path.join("atoms")).unwrap();
        let atoms: BTreeSet<String> = atoms.lines().skip(9).map(str::to_string).collect();
        (steps(&ended), atoms, bytes_between(path), ended.log)
    };
    let (plain_steps, plain_atoms, before, _) = run(false);
    let (steps, atoms, after, log) = run(true);
    eprintln!("bytes between hosts: {before} -> {after}; {log:?}");
    assert_eq!((plain_atoms.len(), plain_steps.len()), (2048, 6));
    assert!(plain_atoms == atoms, "every atom to the bit");
    for (plain, placed) in plain_steps.iter().flatten().zip(steps.iter().flatten()) {
        assert!((plain - placed).abs() <= 4.0 * f64::EPSILON * plain.abs(), "{plain} {placed}");
    }
    assert!(log[0].contains("weight between hosts 32 -> 16"), "{log:?}");
    assert!(after * 100 < before * 52, "{before} -> {after}");
}

/// Python loads MPI for itself alone.
#[test]
fn python_gets_a_placed_grid() {
    // That of the system, which packages bring mpi4py to.
    let python = "/usr/bin/python3";
    if !installed("mpicc").contains(&Mpi::OpenMpi) || !is_there(python, &["-c", "import mpi4py"]) {
        return;
    }
    let program = Program::installed(Mpi::OpenMpi, python);
    let code = "from mpi4py import MPI\n\
                old = MPI.COMM_WORLD\n\
                grid = old.Create_cart((4, 4), reorder=True)\n\
                names = grid.allgather((tuple(grid.coords), MPI.Get_processor_name()))\n\
                host = dict(names)\n\
                near = [(x, y, x + 1, y) for x in range(3) for y in range(4)]\n\
                near += [(y, x, y, x + 1) for x in range(3) for y in range(4)]\n\
                if grid.rank == 0:\n    \
                    print('cut', sum(host[a, b] != host[c, d] for a, b, c, d in near), grid.size)\n";
    std::fs::write(program.folder.path().join("grid.py"), code).unwrap();
    let start = |with| Start { ranks: 16, hosts: 4, words: &["grid.py"], variables: &[], with };
    let [plain, placed] = [false, true].map(|with| program.run(&start(with)));
    assert_eq!((plain.number("cut "), placed.number("cut ")), (12, 8), "{placed:?}");
}

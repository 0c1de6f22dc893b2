//! Broadcasts, reductions and all-reduces by plans: every byte as without them, and what is wrong with a plan is said in one line.

use meshwright_collectives::{Operation, Task, algorithm, msccl};
use meshwright_network::topology::Machine;

use crate::started::{Ended, Mpi, Program, Start, installed};

/// A plan as the race writes it.
fn plan(machine: &str, operation: Operation, root: u32, name: &str) -> String {
    let machine = Machine::new(machine).unwrap();
    let task = Task::new(&machine, operation, 64 * 105, root).unwrap();
    let algorithm = algorithm::all().find(|one| one.name == name).unwrap();
    let flow = algorithm.of(&task).unwrap();
    let flow = if algorithm.streams { flow.chunked(8).unwrap() } else { flow };
    let note = "<!-- 123 cycles, says the race -->\n";
    note.to_string() + &msccl::xml(&task, &flow, name).unwrap()
}

/// More ranks than cores wait busily under MPICH.
fn ranks(mpi: Mpi) -> u32 {
    if mpi == Mpi::OpenMpi { 8 } else { 4 }
}

/// Plans for a broadcast and a reduction from and to the first and the last rank, an all-reduce, and one for half of the ranks.
fn write_plans(program: &Program, ranks: u32) -> String {
    let (machine, half) = (format!("torus:2x{}", ranks / 2), format!("mesh:{}", ranks / 2));
    let last = ranks - 1;
    let mut named = Vec::new();
    for (file, machine, operation, root, name) in [
        ("b-first", &machine, Operation::Broadcast, 0, "chain"),
        ("b-last", &machine, Operation::Broadcast, last, "scatter-doubling"),
        ("r-first", &machine, Operation::Reduce, 0, "binomial"),
        ("r-last", &machine, Operation::Reduce, last, "chain"),
        ("all", &machine, Operation::AllReduce, 0, "ring"),
        ("half", &half, Operation::AllReduce, 0, "recursive-doubling"),
    ] {
        std::fs::write(program.folder.path().join(file), plan(machine, operation, root, name)).unwrap();
        named.push(file);
    }
    named.join(",")
}

fn run(program: &Program, mpi: Mpi, variables: &[(&str, &str)], words: &[&str]) -> Ended {
    let with = !variables.is_empty();
    program.run(&Start { ranks: ranks(mpi), hosts: 2, words, variables, with })
}

const ROUNDED: &str = "rounded ";

#[test]
fn a_program_in_c_gets_the_same_bytes_by_plans() {
    for mpi in installed("mpicc") {
        let program = Program::new(mpi, "mpicc", "plans.c", &[]);
        let plans = write_plans(&program, ranks(mpi));
        let plain = run(&program, mpi, &[], &[]);
        assert!(plain.lines.len() > 500, "{plain:?}");
        let planned = run(&program, mpi, &[("MESHWRIGHT_PLAN", &plans)], &[]);
        assert_eq!(plain.lines, planned.lines, "{mpi:?}");
        assert!(planned.said.is_empty(), "{planned:?}");
        for (call, file, many) in [
            ("MPI_Bcast", "b-first", 1),
            ("MPI_Bcast", "b-last", 1),
            ("MPI_Reduce", "r-first", 1),
            ("MPI_Reduce", "r-last", 1),
            ("MPI_Allreduce", "all", 1),
            // Each half has a first rank.
            ("MPI_Allreduce", "half", 2),
        ] {
            let begin = format!("{call} by {file}: ");
            let lines: Vec<&String> = planned.log.iter().filter(|line| line.starts_with(&begin)).collect();
            assert_eq!(lines.len(), many, "{begin}: {planned:?}");
            assert!(lines[0].ends_with("; 123 cycles, says the race"), "{}", lines[0]);
        }
        let is_left = |line: &&String| line.contains("of floating-point numbers is left to MPI");
        assert!(planned.log.iter().any(|line| is_left(&line)), "{planned:?}");
        // Sums in another order: their last bits alone, and the same at all ranks.
        let variables = [("MESHWRIGHT_PLAN", plans.as_str()), ("MESHWRIGHT_FLOATS", "1")];
        let floats = run(&program, mpi, &variables, &["thread"]);
        assert_eq!(plain.without(ROUNDED), floats.without(ROUNDED), "{mpi:?}");
        assert!(floats.lines.contains(&"ranks differ: 0".to_string()), "{floats:?}");
        assert!(!floats.log.iter().any(|line| is_left(&line)), "{floats:?}");
        let again = run(&program, mpi, &variables, &[]);
        assert_eq!(floats.lines, again.lines, "the order is always the same");
    }
}

#[test]
fn a_program_in_fortran_gets_the_same_bytes_by_plans() {
    for mpi in installed("mpifort") {
        for binding in ["-DF08", "-DMODULE", "-DMPIF"] {
            let flags = ["-cpp", binding, "-w", "-fallow-argument-mismatch"];
            let program = Program::new(mpi, "mpifort", "plans.F90", &flags);
            let plans = write_plans(&program, ranks(mpi));
            let plain = run(&program, mpi, &[], &[]);
            let variables = [("MESHWRIGHT_PLAN", plans.as_str()), ("MESHWRIGHT_FLOATS", "1")];
            let planned = run(&program, mpi, &variables, &[]);
            assert_eq!((plain.lines.len(), &plain.lines), (7, &planned.lines), "{mpi:?} {binding}");
            for call in ["MPI_Bcast by b-first", "MPI_Reduce by r-first", "MPI_Allreduce by all"] {
                assert!(planned.log.iter().any(|line| line.starts_with(call)), "{call}: {planned:?}");
            }
        }
    }
}

/// Buffers of a program that has loaded the driver of a device are copied by MPI, which knows its memory.
#[test]
fn buffers_may_be_of_a_device() {
    for mpi in installed("mpicc").into_iter().take(1) {
        let program = Program::new(mpi, "mpicc", "plans.c", &[]);
        let plans = write_plans(&program, ranks(mpi));
        let path = program.folder.path();
        std::fs::write(path.join("driver.c"), "int nothing;\n").unwrap();
        let made = std::process::Command::new("cc")
            .args(["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", "libcuda.so.1", "driver.c"])
            .current_dir(path)
            .status();
        assert!(made.is_ok_and(|status| status.success()));
        let driver = path.join("libcuda.so.1").display().to_string();
        let place = format!("-Wl,--no-as-needed,-rpath,{}", path.display());
        let with_driver = Program::new(mpi, "mpicc", "plans.c", &[&place, &driver]);
        write_plans(&with_driver, ranks(mpi));
        let plain = run(&program, mpi, &[], &[]);
        let planned = run(&with_driver, mpi, &[("MESHWRIGHT_PLAN", &plans)], &[]);
        assert_eq!(plain.lines, planned.lines);
        assert!(planned.log.iter().any(|line| line.starts_with("MPI_Allreduce by all")), "{planned:?}");
    }
}

#[test]
fn what_is_wrong_with_a_plan_is_said_once_and_the_program_goes_on() {
    for (index, mpi) in installed("mpicc").into_iter().enumerate() {
        // What is wrong does not depend on the MPI.
        let few = if index == 0 { 7 } else { 2 };
        let program = Program::new(mpi, "mpicc", "plans.c", &[]);
        let path = program.folder.path();
        let good = plan("torus:2x2", Operation::AllReduce, 0, "ring");
        std::fs::write(path.join("broken"), good.replace("type=\"rrc\"", "type=\"r\"")).unwrap();
        std::fs::write(path.join("large"), plan("torus:4x4", Operation::AllReduce, 0, "ring")).unwrap();
        std::fs::write(path.join("gather"), plan("mesh:4", Operation::Gather, 0, "binomial")).unwrap();
        std::fs::write(path.join("text"), "num_ranks 4\n").unwrap();
        let plain = run(&program, mpi, &[], &[]);
        for (plan, error) in [
            ("broken", "somebody lacks a contribution"),
            ("large", "16 ranks"),
            ("gather", "no broadcast, no reduction and no all-reduce"),
            ("text", "text:1:"),
            ("none", "none: No such file"),
            ("large@4..2", "FILE@64KB..4MB"),
            ("large@soon", "FILE@64KB..4MB"),
        ]
        .into_iter()
        .take(few)
        {
            let ended = run(&program, mpi, &[("MESHWRIGHT_PLAN", plan)], &[]);
            let [line] = ended.said.as_slice() else { panic!("one line for {plan}: {ended:?}") };
            assert!(line.starts_with("meshwright: MESHWRIGHT_PLAN: not used: "), "{line}");
            assert!(line.contains(error), "{line}");
            assert_eq!((&ended.lines, ended.log.len()), (&plain.lines, 1), "{mpi:?} {plan}");
        }
        if index > 0 {
            break;
        }
        // A plan that is right beside one that is not; and none of them.
        let plans = write_plans(&program, ranks(mpi));
        let both = run(&program, mpi, &[("MESHWRIGHT_PLAN", &format!("none,{plans}"))], &[]);
        assert!(both.said.len() == 1 && both.log.iter().any(|line| line.contains(" by all: ")), "{both:?}");
        let off = run(&program, mpi, &[("MESHWRIGHT_PLAN", &plans), ("MESHWRIGHT_OFF", "1")], &[]);
        assert!(off.log.is_empty() && off.said.is_empty(), "{off:?}");
        // Only calls of so many bytes.
        let some = run(&program, mpi, &[("MESHWRIGHT_PLAN", "all@100MB..")], &[]);
        assert_eq!((&some.lines, some.log.len()), (&plain.lines, 1), "{some:?}");
    }
}

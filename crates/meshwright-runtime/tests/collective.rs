//! Every algorithm moves real bytes between threads, and what is broken is found.

use meshwright_collectives::check::Defect as Symbolic;
use meshwright_collectives::flow::{Flow, Mode};
use meshwright_collectives::{Algorithm, OPERATIONS, Operation, Task, algorithm};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Machine;
use meshwright_runtime::collective::{Defect, Library, Measured, RaceInput, measure, measure_library, race};
use meshwright_runtime::transport::{Mailbox, threads};

/// 2 to 16 members: lines, rings, boxes of even and odd sides, a cube, holes.
fn machines() -> Vec<Machine> {
    let names = [
        "mesh:2",
        "torus:3",
        "mesh:5",
        "torus:8",
        "hypercube:3",
        "mesh:3x3",
        "torus:3x4",
        "mesh:4x4",
        "torus:4x4",
        "mesh:2x2x3",
    ];
    let mut machines: Vec<Machine> = names.iter().map(|name| Machine::new(name).unwrap()).collect();
    machines.push(Machine::new("mesh:3x4").unwrap().with_dead(vec![NodeId(5), NodeId(6)]).unwrap());
    machines
}

/// A flow and what it does.
struct Job {
    what: String,
    operation: Operation,
    root: u32,
    bytes: u64,
    flow: Flow,
}

/// What all members together are owed, from the definition of the operation.
fn owed_bytes(job: &Job) -> u64 {
    use Operation as O;
    let (bytes, members) = (job.bytes, u64::from(job.flow.members()));
    match job.operation {
        // A word for each block: along several trees there are several.
        O::Barrier => 8 * members * job.flow.blocks().len() as u64,
        O::Reduce | O::Scatter | O::Gather | O::ReduceScatter => bytes,
        O::Broadcast | O::AllReduce | O::AllGather | O::AllToAll | O::Scan => bytes * members,
    }
}

/// Every algorithm for every operation on a machine: roots at both ends and between; in chunks where that is of use.
fn jobs(machine: &Machine) -> Vec<Job> {
    let mut jobs = Vec::new();
    for &(name, operation) in OPERATIONS {
        let last = machine.living_count() - 1;
        let roots = if operation.is_rooted() { vec![0, last / 2, last] } else { vec![0] };
        let sizes: &[u64] = if operation == Operation::Barrier { &[0] } else { &[3, 1009] };
        for (root, bytes) in roots.iter().flat_map(|&root| sizes.iter().map(move |&bytes| (root, bytes))) {
            let task = Task::new(machine, operation, bytes, root).unwrap();
            for algorithm in algorithm::all() {
                let Ok(flow) = algorithm.of(&task) else { continue };
                let what = format!("{name} by {} on {}, {bytes} bytes", algorithm.name, machine.name());
                if algorithm.streams {
                    let (what, flow) = (format!("{what}, in chunks"), flow.chunked(3).unwrap());
                    jobs.push(Job { what, operation, root, bytes, flow });
                }
                jobs.push(Job { what, operation, root, bytes, flow });
            }
        }
    }
    jobs
}

/// Every job once, one after the other on the same threads.
fn measured(ranks: u32, jobs: &[Job]) -> Vec<Measured> {
    let all = threads::run(ranks, |endpoint| {
        let mut mail = Mailbox::new(endpoint);
        let each = |job: &Job| measure(&job.flow, job.operation, 0, &mut mail);
        jobs.iter().map(each).collect::<Result<Vec<_>, _>>()
    });
    all.unwrap().swap_remove(0).into_iter().map(|measured| measured.expect("rank 0 knows")).collect()
}

#[test]
fn every_byte_of_every_algorithm_is_right() {
    for machine in machines() {
        let jobs = jobs(&machine);
        assert!(jobs.len() > 20, "{}", machine.name());
        for (job, measured) in jobs.iter().zip(measured(machine.living_count(), &jobs)) {
            assert_eq!(measured.wrong, [], "{}", job.what);
            assert_eq!(measured.verified_bytes, owed_bytes(job), "{}", job.what);
            assert_eq!(measured.messages, job.flow.transfers().len() as u64, "{}", job.what);
            if job.bytes > 0 {
                assert_eq!(measured.bytes, job.flow.bytes_total(), "{}", job.what);
            }
        }
    }
}

/// The flow with one transfer left out, or done twice.
fn changed(flow: &Flow, at: usize, times: usize) -> Flow {
    let mut other = Flow::new(flow.members(), flow.blocks().to_vec());
    for (index, &transfer) in flow.transfers().iter().enumerate() {
        for _ in 0..if index == at { times } else { 1 } {
            other.send(transfer, flow.carried(index));
        }
    }
    if flow.is_added_up() { other.added_up() } else { other }
}

/// The symbolic check and real bytes agree on every flow with one transfer removed or doubled.
#[test]
fn what_is_broken_is_found_wrong() {
    for machine in [Machine::new("mesh:2x3").unwrap(), Machine::new("torus:8").unwrap()] {
        let mut broken = Vec::new();
        for job in jobs(&machine).iter().filter(|job| job.bytes != 3 && job.root == 0) {
            let transfers = job.flow.transfers();
            for at in [0, transfers.len() / 2, transfers.len() - 1] {
                for times in [0, 2] {
                    let flow = changed(&job.flow, at, times);
                    let what = format!("{}, transfer {at} {times} times", job.what);
                    broken.push((transfers[at].mode, times, Job { what, flow, ..*job }));
                }
            }
        }
        let (kinds, jobs): (Vec<(Mode, usize)>, Vec<Job>) =
            broken.into_iter().map(|(mode, times, job)| ((mode, times), job)).unzip();
        let mut found = 0;
        let measured = measured(machine.living_count(), &jobs);
        for ((job, (mode, times)), measured) in jobs.iter().zip(kinds).zip(measured) {
            found += usize::from(!measured.is_right());
            match job.flow.check(job.operation, job.root, job.bytes) {
                // A message that brings what is there already may be missing, or come twice.
                Ok(()) => assert_eq!(measured.wrong_count, 0, "{}", job.what),
                // Whichever comes last is taken: the bytes are the same.
                Err(Symbolic::Clash(_)) => assert_eq!((mode, times), (Mode::Copy, 2), "{}", job.what),
                Err(defect) => assert!(!measured.is_right(), "{}: {defect:?}", job.what),
            }
        }
        assert!(found > jobs.len() / 2, "{found} of {}", jobs.len());
    }
}

#[test]
fn the_place_of_a_defect_is_told() {
    let line = Machine::new("mesh:3").unwrap();
    let task = Task::new(&line, Operation::Broadcast, 100, 0).unwrap();
    let mut flow = task.flow();
    flow.copy(0, 0, 1, [0]);
    flow.copy(0, 1, 2, [0]); // too early
    let job = Job { what: String::new(), operation: task.operation, root: 0, bytes: 100, flow };
    let measured = &measured(3, &[job])[0];
    let found: Vec<(u32, Defect)> = measured.wrong.iter().map(|wrong| (wrong.member, wrong.defect)).collect();
    let [empty, result] = [Defect::Empty { step: 0, block: 0 }, Defect::Result { block: 0, at: 0 }];
    assert_eq!(found, [(1, empty), (2, result)]);
    assert_eq!((measured.wrong_count, measured.messages, measured.verified_bytes), (2, 2, 300));
}

/// A library that does nothing, which is right for barriers only.
struct Idle;

impl Library for Idle {
    fn name(&self, _: Operation) -> &'static str {
        "idle"
    }

    fn perform(&mut self, _: Operation, _: u32, _: &[u64], _: &mut [u64]) {}
}

#[test]
fn a_library_that_does_nothing_is_found_wrong() {
    for &(name, operation) in OPERATIONS {
        let all = threads::run(4, |endpoint| {
            measure_library(&mut Idle, (operation, 1001, 2), 2, &mut Mailbox::new(endpoint))
        });
        let measured = all.unwrap().swap_remove(0).expect("rank 0 knows");
        assert_eq!(measured.is_right(), operation == Operation::Barrier, "{name}");
        assert_eq!(measured.runs_nanoseconds.len(), 2);
        // Whole words, and parts of 32 words for each of 4 members.
        let (words, whole) = (126, 128);
        let owed = match operation {
            Operation::Barrier => 0,
            Operation::Reduce => words,
            Operation::Broadcast | Operation::AllReduce | Operation::Scan => 4 * words,
            Operation::Scatter | Operation::Gather | Operation::ReduceScatter => whole,
            Operation::AllGather | Operation::AllToAll => 4 * whole,
        };
        assert_eq!(measured.verified_bytes, 3 * 8 * owed, "{name}");
    }
}

#[test]
fn a_race_tells_measured_beside_predicted() {
    let mesh = Machine::new("mesh:2x3").unwrap();
    let task = Task::new(&mesh, Operation::AllReduce, 5000, 0).unwrap();
    for is_placed in [true, false] {
        let input = RaceInput::new(&task, &[], is_placed, 2, 3).unwrap();
        let reports = threads::run(6, |endpoint| {
            let mut names = Vec::new();
            let done = |name: &str| names.push(name.to_string());
            let report = race(&input, Some(&mut Idle), &mut Mailbox::new(endpoint), done)?;
            Ok((report, names))
        });
        let mut reports = reports.unwrap();
        let (report, names) = reports.remove(0);
        assert!(reports.iter().all(|(report, others)| report.is_none() && *others == names));
        let report = report.expect("rank 0 knows");
        assert_eq!((names.len(), report.results.len()), (input.entrants() + 1, input.entrants()));
        let does = |algorithm: &&Algorithm| algorithm.operations.contains(&task.operation);
        assert_eq!(report.results.len() + report.skipped.len(), algorithm::all().filter(does).count());
        assert!(!report.right && report.library.as_ref().is_some_and(|library| !library.right));
        let mut before = 0.0;
        for row in &report.results {
            assert!(row.right && row.verified_bytes == 4 * 6 * 5000, "{row:?}");
            assert!(row.predicted_nanoseconds > Some(0.0), "{row:?}");
            assert_eq!(row.simulated_cycles.is_some(), is_placed, "{row:?}");
            assert!(row.min_nanoseconds as f64 <= row.measured_nanoseconds && row.ratio > Some(0.0));
            assert!(before <= row.measured_nanoseconds, "the fastest first");
            before = row.measured_nanoseconds;
        }
    }
}

//! What ends of messages cost: overhead and gap, one port, adding up. Closed forms against simulation, as GOAL, in both engines where both know it.

use meshwright_collectives::{Operation, Task, algorithm};
use meshwright_core::units::{Bytes, Cycles, Ratio};
use meshwright_network::topology::{Endpoints, Machine, PortModel, Switching, Topology};
use meshwright_schedule::{Schedule, goal};
use meshwright_sim::flit::Router;
use meshwright_sim::{Engine, simulate};

use Operation as O;

/// c = 40, 32 bytes a cycle, h = 1.
const C: u64 = 40;
const H: u64 = 1;

fn machine(name: &str) -> Machine {
    let machine = Machine::new(name).unwrap().with_switching(Switching::CutThrough);
    let machine = machine.with_startup(Cycles(C)).unwrap();
    machine.with_byte_time(Ratio::new(1, 32).unwrap()).unwrap().with_flit(Bytes(32)).unwrap()
}

/// The schedule of an algorithm from member 0, written as GOAL and read again.
fn schedule(machine: &Machine, name: &str, operation: O, bytes: u64, chunks: u32, combine: u64) -> Schedule {
    let mut task = Task::new(machine, operation, bytes, 0).unwrap();
    task.combine = (combine > 0).then(|| Ratio::whole(combine));
    let algorithm = algorithm::all().find(|one| one.name == name).unwrap();
    let flow = algorithm.of(&task).unwrap().chunked(chunks).unwrap();
    let schedule = flow.schedule(task.nodes(), machine.nodes(), task.combine);
    let mut text = Vec::new();
    goal::write(&schedule, &mut text).unwrap();
    let read = goal::parse(&text[..], "a.goal").unwrap();
    assert_eq!(read, schedule, "{name}");
    schedule
}

fn cycles(machine: &Machine, schedule: &Schedule, engine: &Engine) -> u64 {
    let trace = simulate(machine, schedule, engine).unwrap();
    assert_eq!(trace.deadlock, None);
    trace.cycles.0
}

fn flits(machine: &Machine) -> Engine {
    Engine::Flit(Router::ideal(machine).into())
}

/// Overhead o twice a message; a gap g holds up those that send several, and chunks.
///
/// ```text
/// chain     L (c + h + b V / k + 2 o) + (k - 1) max(o, g, h + b V / k)
/// ring      (n - 1) (c + h + b V / n + 2 o)
/// bucket    sum over axes of (n_d - 1) (c + h + b V_d + 2 o)
/// binomial  of a hypercube, m = c + h + b V + 2 o: m + (log2 p - 1) max(m, o, g)
/// ```
#[test]
fn overhead_and_gap_are_those_of_the_closed_forms() {
    for (o, g) in [(0, 0), (7, 0), (3, 20), (0, 5000), (300, 100), (1000, 2500)] {
        let with = |name: &str| {
            let ends = Endpoints { overhead: Cycles(o), gap: Cycles(g) };
            machine(name).with_endpoints(ends).unwrap()
        };
        let time = |name: &str, way: &str, operation, bytes, chunks| {
            let machine = with(name);
            cycles(&machine, &schedule(&machine, way, operation, bytes, chunks, 0), &Engine::Message)
        };
        let v = 1 << 16;
        let message = |bytes: u64| C + H + bytes / 32 + 2 * o;
        for k in [1, 8, 64] {
            let chunk = v / k / 32;
            let expected = 7 * message(v / k) + (k - 1) * (H + chunk).max(o).max(g);
            assert_eq!(time("mesh:8", "chain", O::Broadcast, v, k as u32), expected, "o {o} g {g} k {k}");
        }
        let pace = |bytes: u64| message(bytes).max(g);
        let expected = 6 * pace(v / 8) + message(v / 8);
        assert_eq!(time("torus:8", "ring", O::AllGather, v, 1), expected, "o {o} g {g}");
        let expected = 3 * pace(v / 16) + 2 * pace(v / 4) + message(v / 4);
        assert_eq!(time("torus:4x4", "bucket", O::AllGather, v, 1), expected, "o {o} g {g}");
        let expected = message(v) + 4 * pace(v);
        assert_eq!(time("hypercube:5", "binomial", O::Broadcast, v, 1), expected, "o {o} g {g}");
    }
}

/// On one port messages of a node go one after the other; both engines say the same but for a cycle each time a port is handed on.
#[test]
fn one_port_takes_what_the_closed_forms_say_in_both_engines() {
    let v = 3 << 12;
    let message = |bytes: u64| C + H + bytes / 32;
    for (name, way, operation, all, one) in [
        ("hypercube:4", "binomial", O::Broadcast, 4 * message(v), 4 * message(v)),
        ("torus:8", "ring", O::AllGather, 7 * message(v / 8), 7 * message(v / 8)),
        ("torus:8", "two-way-ring", O::AllGather, 7 * message(v / 16), 14 * message(v / 16)),
        ("torus:3", "star", O::Scatter, message(v / 3), 2 * message(v / 3)),
        // Who sends is another each time: only the bytes come in one after the other.
        ("torus:3", "star", O::Gather, message(v / 3), message(v / 3) + v / 3 / 32),
        (
            "torus:4x4",
            "bucket",
            O::AllGather,
            3 * (message(v / 16) + message(v / 4)),
            3 * (message(v / 16) + message(v / 4)),
        ),
    ] {
        for (ports, expected) in [(PortModel::All, all), (PortModel::One, one)] {
            let machine = machine(name).with_port_model(ports);
            let schedule = schedule(&machine, way, operation, v, 1, 0);
            let [whole, routed] =
                [Engine::Message, flits(&machine)].map(|engine| cycles(&machine, &schedule, &engine));
            assert_eq!(whole, expected, "{way} on {name}, {ports:?}");
            // A port that is handed on costs flits a cycle, which whole messages do not know.
            let handed = if ports == PortModel::One { 14 } else { 0 };
            assert!((expected..=expected + handed).contains(&routed), "{way} on {name}, {ports:?}: {routed}");
        }
    }
}

/// Adding up takes its cycles of a byte behind each message that is added, in both engines.
#[test]
fn adding_up_is_that_of_the_closed_forms_in_both_engines() {
    let v = 1 << 13;
    for gamma in [1, 3] {
        let message = |bytes: u64| C + H + bytes / 32 + gamma * bytes;
        for (name, way, operation, expected) in [
            ("mesh:6", "chain", O::Reduce, 5 * message(v)),
            ("torus:8", "ring", O::ReduceScatter, 7 * message(v / 8)),
            ("hypercube:4", "recursive-doubling", O::AllReduce, 4 * message(v)),
            ("hypercube:4", "recursive-halving", O::ReduceScatter, (1..=4).map(|k| message(v >> k)).sum()),
        ] {
            let machine = machine(name);
            let schedule = schedule(&machine, way, operation, v, 1, gamma);
            for engine in [Engine::Message, flits(&machine)] {
                assert_eq!(cycles(&machine, &schedule, &engine), expected, "{way} on {name}, {gamma} a byte");
            }
        }
    }
}

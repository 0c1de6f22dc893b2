//! Multicasts: what routers that copy take, and what no algorithm beats with them.

use meshwright_collectives::algorithms::multicast::{ALGORITHMS, OPERATIONS};
use meshwright_collectives::bound::{self, certificate};
use meshwright_collectives::{Algorithm, Operation, Task, predict};
use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, Cycles, Hops, NodeId, Ratio};
use meshwright_network::topology::{Costs, Machine, Switching, Topology};
use meshwright_schedule::{Schedule, goal};
use meshwright_sim::flit::Router;
use meshwright_sim::{Engine, simulate};

fn machine(name: &str, (startup, flit): (u64, u64)) -> Machine {
    let costs = Costs { startup: Cycles(startup), byte_time: Ratio::new(1, 32).unwrap(), flit: Bytes(flit) };
    Machine::new(name).unwrap().with_switching(Switching::CutThrough).with_costs(costs).unwrap()
}

fn task(machine: &Machine, operation: Operation, bytes: u64, root: u32) -> Task<'_> {
    let mut task = Task::new(machine, operation, bytes, root).unwrap();
    task.multicast = true;
    task
}

fn named(name: &str) -> &'static Algorithm {
    ALGORITHMS.iter().find(|one| one.name == name).unwrap()
}

fn schedule(task: &Task<'_>, algorithm: &Algorithm) -> Schedule {
    algorithm.of(task).unwrap().schedule(task.nodes(), task.machine().nodes(), None)
}

fn cycles(machine: &Machine, schedule: &Schedule) -> u64 {
    simulate(machine, schedule, &Engine::Message).unwrap().cycles.0
}

/// A tree of copies takes what one message to the farthest member takes: closed form, prediction and simulation to the cycle, whatever the
/// shape; of trees without a common link the slowest counts.
#[test]
fn a_multicast_takes_what_its_longest_way_takes() {
    for name in ["mesh:5x4", "torus:6x3", "hypercube:4", "mesh:7", "ccc:3"] {
        for costs in [(40, 32), (0, 1), (500, 4096)] {
            let machine = machine(name, costs);
            for bytes in [1, 32, 1000, 1 << 20] {
                for root in [0, machine.nodes() / 2, machine.nodes() - 1] {
                    let task = task(&machine, Operation::Broadcast, bytes, root);
                    let flow = named("multicast").of(&task).unwrap();
                    let far = (0..task.members()).filter_map(|to| task.distance(root, to)).max().unwrap();
                    let form = machine.costs().alone_ticks(machine.switching(), Bytes(bytes), far);
                    let form = machine.costs().cycles(form);
                    assert_eq!(
                        predict::predicted(&task, &flow).unwrap(),
                        form,
                        "{name}, {bytes} bytes from {root}"
                    );
                    assert_eq!(cycles(&machine, &schedule(&task, named("multicast"))), form.0, "{name}");
                    let Ok(trees) = named("multicast-trees").of(&task) else { continue };
                    let share = flow_share(&trees);
                    let longest =
                        machine.costs().alone_ticks(machine.switching(), share, Hops(trees.steps()));
                    let trees = cycles(&machine, &schedule(&task, named("multicast-trees")));
                    assert!(trees <= machine.costs().cycles(longest).0, "{name}");
                }
            }
        }
    }
}

/// The largest block.
fn flow_share(flow: &meshwright_collectives::flow::Flow) -> Bytes {
    Bytes(flow.blocks().iter().map(|block| block.bytes).max().unwrap())
}

/// Every contribution reaches every result once, no time is below the bound, and every bound is proved again; on boxes, other networks
/// and around dead nodes.
#[test]
fn flows_are_right_and_bounds_hold() {
    let dead = machine("mesh:4x5", (40, 32)).with_dead(vec![NodeId(7), NodeId(12)]).unwrap();
    let others =
        ["mesh:4x4", "torus:5x4", "hypercube:3", "ccc:3", "mesh:3x2x3"].map(|name| machine(name, (40, 32)));
    for machine in others.iter().chain([&dead]) {
        for &operation in OPERATIONS {
            for bytes in [1, 100, 1 << 14] {
                let task = task(machine, operation, bytes, 1);
                let bounds = bound::bounds(&task).unwrap();
                for bound in &bounds {
                    assert_eq!(
                        certificate::check(&task, &bound.certificate),
                        Ok(bound.cycles),
                        "{}",
                        bound.why
                    );
                }
                let best = bounds.iter().map(|bound| bound.cycles.0).max().unwrap();
                for algorithm in meshwright_collectives::algorithm::all() {
                    let Ok(flow) = algorithm.of(&task) else { continue };
                    assert_eq!(flow.check(operation, 1, bytes), Ok(()), "{}", algorithm.name);
                    let took = cycles(machine, &schedule(&task, algorithm));
                    assert!(took >= best, "{} takes {took} of at least {best}", algorithm.name);
                }
            }
        }
    }
}

/// With copies less is proved: never more than without, and what counts rounds is no proof.
#[test]
fn bounds_know_that_routers_copy() {
    let machine = machine("torus:8x8", (500, 32));
    let without = Task::new(&machine, Operation::Broadcast, 64, 0).unwrap();
    let (with, rounds) = (task(&machine, Operation::Broadcast, 64, 0), "rounds");
    let bounds = |task: &Task<'_>| bound::bounds(task).unwrap();
    let own = bounds(&without).into_iter().find(|bound| bound.kind == rounds).unwrap();
    assert!(bounds(&with).iter().all(|bound| bound.kind != rounds));
    assert!(certificate::check(&without, &own.certificate).is_ok());
    assert!(certificate::check(&with, &own.certificate).is_err());
    let took = cycles(&machine, &schedule(&with, named("multicast")));
    let [with, without] = [bound::bound(&with), bound::bound(&without)].map(|bound| bound.unwrap().cycles.0);
    assert!(with <= without && with <= took);
    assert!(took < without, "the rounds of messages hold up no routers: {took} of {without}");
    assert!(took - with <= 2, "one tree of copies is the best there is for few bytes: {took} of {with}");
}

/// GOAL has a word for copies, and the same schedule is read again; engines and machines that copy nothing say so.
#[test]
fn copies_are_written_and_read() -> Result<()> {
    let mesh = machine("mesh:4x4", (40, 32));
    let task = task(&mesh, Operation::AllReduce, 4096, 0);
    let planned = schedule(&task, named("multicast"));
    assert!(planned.has_relays() && planned.verify().is_ok());
    let mut text = Vec::new();
    goal::write(&planned, &mut text).expect("memory takes every write");
    assert!(String::from_utf8_lossy(&text).contains(" relays "));
    let read = goal::parse(text.as_slice(), "copies.goal")?;
    assert_eq!(read, planned);
    for engine in [Engine::Packet, Engine::Flit(Router::ideal(&mesh).into())] {
        let error = simulate(&mesh, &read, &engine).unwrap_err().to_string();
        assert!(error.contains("routers that copy"), "{error}");
    }
    let error = simulate(&Machine::new("mesh:4x4")?, &read, &Engine::Message).unwrap_err().to_string();
    assert!(error.contains("cut-through"), "{error}");
    Ok(())
}

/// What relays must be a send of as many bytes as the receive; the line is named.
#[test]
fn wrong_relays_are_refused() {
    let text = |relay: &str| {
        format!(
            "num_ranks 3\nrank 0 {{ send 8b to 1 }}\nrank 1 {{\nl0: recv 8b from 0\nl1: {relay}\nl1 relays l0\n}}\n\
             rank 2 {{\nrecv 8b from 1\n}}\n"
        )
    };
    assert!(goal::parse(text("send 8b to 2").as_bytes(), "right.goal").is_ok());
    // One send relays one receive, wherever the second is named.
    let twice = "num_ranks 3\nrank 0 { send 8b to 1\nsend 8b to 1 tag 1 }\nrank 1 {\nl0: recv 8b from 0\nl3: recv 8b from 0 tag 1\n\
                 l1: send 8b to 2\nl2: send 8b to 2 tag 1\nl1 relays l0\nl2 relays l3\nl1 relays l3\n}\n\
                 rank 2 {\nrecv 8b from 1\nrecv 8b from 1 tag 1\n}\n";
    let error = goal::parse(twice.as_bytes(), "twice.goal").unwrap_err().to_string();
    assert!(error.contains("twice.goal:7") && error.contains("relays"), "{error}");
    for wrong in ["send 9b to 2", "calc 5"] {
        let error = goal::parse(text(wrong).as_bytes(), "wrong.goal").unwrap_err().to_string();
        assert!(error.contains("wrong.goal:5") && error.contains("relays"), "{error}");
    }
}

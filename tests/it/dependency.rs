//! Dependency-driven runs: small programs whose times are derived by hand.

use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_mapping::{Divide, Request, Shape, place};
use meshwright_network::topology::{Endpoints, Machine, PortModel, Switching};
use meshwright_schedule::{Message, Phases, Schedule, goal};
use meshwright_sim::flit::Router;
use meshwright_sim::report;
use meshwright_sim::{Engine, simulate};
use meshwright_verdict::Job;

/// Cycles of a program on a line of four nodes with c = 100, b = 1, h = 2.
fn cycles(switching: Switching, text: &str) -> u64 {
    let line = Machine::new("mesh:1x4").unwrap().with_switching(switching);
    simulate(&line, &goal::parse(text.as_bytes(), "test.goal").unwrap(), &Engine::Message).unwrap().cycles.0
}

#[test]
fn a_relay_waits_for_its_message() {
    let relay = "num_ranks 3\nrank 0 {\na: send 64b to 1\n}\nrank 1 {\na: recv 64b from 0\nb: send 8b to 2\nb requires a\n}\nrank 2 {\na: recv 8b from 1\n}\n";
    assert_eq!(cycles(Switching::Wormhole, relay), (100 + 64 + 2) + (100 + 8 + 2));
    assert_eq!(cycles(Switching::StoreAndForward, relay), (100 + 64) + (100 + 8));
    // Without the dependency both go at once.
    let apart = relay.replace("b requires a\n", "");
    assert_eq!(cycles(Switching::Wormhole, &apart), 100 + 64 + 2);
}

/// Links serve who comes first: a message of phase 2 that starts early holds up one of phase 1 that others wait for (Graham's
/// anomaly). Both engines say so.
#[test]
fn a_job_may_take_longer_without_barriers() {
    let message = |phase, source, target, bytes| Message {
        source: NodeId(source),
        target: NodeId(target),
        bytes: Bytes(bytes),
        phase,
    };
    let line = Machine::new("mesh:1x4").unwrap();
    let phases = Phases::new(4, vec![message(1, 0, 2, 10), message(2, 1, 2, 1000), message(2, 2, 3, 1000)]);
    let free = Schedule::from_phases(&phases);
    let cycles = |engine: &Engine| simulate(&line, &free, engine).unwrap().cycles.0;
    let large = 100 + 1000 + 2;
    assert_eq!(simulate(&line, &phases, &Engine::Message).unwrap().cycles.0, (100 + 10 + 2 * 2) + large);
    // The small message gets the link 1 -> 2 after 1000 bytes and a head, and crosses it in 10 bytes and a head.
    assert_eq!(cycles(&Engine::Message), large + (10 + 2) + large);
    assert_eq!(cycles(&Engine::Flit(Router::ideal(&line).into())), large + (10 + 2) + large);
}

#[test]
fn a_send_ends_when_its_last_byte_has_left_the_node() {
    // Two sends over three links, the second after the first: it starts when the tail has crossed one link.
    let two = "num_ranks 4\nrank 0 {\na: send 64b to 3\nb: send 64b to 3 tag 1\nb requires a\n}\nrank 3 {\na: recv 64b from 0\nb: recv 64b from 0 tag 1\n}\n";
    assert_eq!(cycles(Switching::Wormhole, two), (100 + 2 + 64) + (100 + 64 + 3 * 2));
    assert_eq!(cycles(Switching::StoreAndForward, two), (100 + 64) + 3 * (100 + 64));
}

#[test]
fn processors_of_a_rank_compute_beside_each_other() {
    let two = |cpu| format!("num_ranks 1\nrank 0 {{\ncalc 100\ncalc 100 cpu {cpu}\ncalc 30 cpu {cpu}\n}}\n");
    assert_eq!(cycles(Switching::Wormhole, &two(0)), 230);
    assert_eq!(cycles(Switching::Wormhole, &two(3)), 130);
    let mut written = Vec::new();
    goal::write(&goal::parse(two(3).as_bytes(), "two.goal").unwrap(), &mut written).unwrap();
    assert_eq!(String::from_utf8(written).unwrap().matches(" cpu 3").count(), 2, "processors are kept");
}

#[test]
fn a_processor_of_its_own_releases_a_message() {
    // Processor 1 does nothing but wait for the release at 500; processor 0 computes meanwhile.
    let text = "num_ranks 2\nrank 0 {\nr: calc 500 cpu 1\nw: calc 900\ns: send 8b to 1\ns requires r\n}\nrank 1 {\nrecv 8b from 0\n}\n";
    assert_eq!(cycles(Switching::Wormhole, text), 900);
    assert_eq!(cycles(Switching::Wormhole, &text.replace("calc 900", "calc 9")), 500 + 100 + 8 + 2);
}

#[test]
fn overhead_and_gap_are_paid_at_both_ends() {
    let machine = |overhead, gap| {
        let endpoints = Endpoints { overhead: Cycles(overhead), gap: Cycles(gap) };
        Machine::new("mesh:1x4").unwrap().with_endpoints(endpoints).unwrap()
    };
    let send = |source, target| Message {
        source: NodeId(source),
        target: NodeId(target),
        bytes: Bytes(8),
        phase: 1,
    };
    let run = |machine: &Machine, messages: &[Message]| {
        simulate(machine, &Phases::new(4, messages.to_vec()), &Engine::Message).unwrap().cycles.0
    };
    // Alone: o + (c + b W + b h) + o.
    let alone = 100 + 8 + 2;
    assert_eq!(run(&machine(30, 0), &[send(0, 1)]), 30 + alone + 30);
    // One source, to both sides: the second enters max(o, g) later. One target, from both sides: likewise.
    for (o, g) in [(30, 0), (30, 50), (0, 50)] {
        let between = o.max(g);
        assert_eq!(run(&machine(o, g), &[send(1, 0), send(1, 2)]), between + o + alone + o);
        assert_eq!(run(&machine(o, g), &[send(0, 1), send(2, 1)]), o + alone + between + o);
    }
    // A copy inside a node costs neither.
    assert_eq!(run(&machine(30, 50), &[send(1, 1)]), run(&machine(0, 0), &[send(1, 1)]));
    let flits = Engine::Flit(Router::ideal(&machine(30, 0)).into());
    let phases = Phases::new(4, vec![send(0, 1)]);
    assert!(simulate(&machine(30, 0), &phases, &flits).is_err(), "routers do not know them");
}

#[test]
fn computations_of_a_rank_take_turns_and_overlap_messages() {
    let work = "num_ranks 2\nrank 0 {\na: calc 30\nb: calc 40\nc: send 8b to 1\nc requires a\n}\nrank 1 {\na: recv 8b from 0\nb: calc 500\n}\n";
    // Rank 0 computes 30 + 40 one after the other, the message leaves after 30; rank 1 computes meanwhile.
    assert_eq!(cycles(Switching::Wormhole, work), 500);
    let short = work.replace("calc 500", "calc 5");
    assert_eq!(cycles(Switching::Wormhole, &short), 30 + 100 + 8 + 2);
    // `irequires` waits for the start only.
    let started = short.replace("c requires a", "c irequires b");
    assert_eq!(cycles(Switching::Wormhole, &started), 100 + 8 + 2);
    let finished = short.replace("c requires a", "c requires b");
    assert_eq!(cycles(Switching::Wormhole, &finished), 70 + 100 + 8 + 2);
}

#[test]
fn without_barriers_a_tree_is_at_least_as_fast_when_nothing_contends() {
    for n in 1..=10u32 {
        for method in ["reflecting", "centred-halving"] {
            let mesh = Machine::mesh([1 << (n / 2), 1 << n.div_ceil(2)]).unwrap();
            let job = Job::divide(&Divide {
                shape: Shape::Binomial(n),
                alpha: Some(0.5),
                combine_alpha: Some(1.0),
                volume: Bytes(4096),
            })
            .unwrap();
            let placement = place(method, &Request::count(1 << n, &mesh, 0)).unwrap();
            let phases = placement.phases(&job.tasks, &mesh);
            let free = simulate(&mesh, &Schedule::from_phases(&phases), &Engine::Message).unwrap();
            let barrier = simulate(&mesh, &phases, &Engine::Message).unwrap();
            assert_eq!(free.deadlock, None);
            assert!(free.ticks <= barrier.ticks, "{method} B({n}): {} > {}", free.ticks, barrier.ticks);
        }
    }
}

#[test]
fn a_deadlock_is_an_answer_with_its_ring() {
    let mut text = String::from("num_ranks 5\n");
    for rank in 0..5 {
        text += &format!(
            "rank {rank} {{\na: send 4096b to {}\nb: recv 4096b from {}\n}}\n",
            (rank + 2) % 5,
            (rank + 3) % 5
        );
    }
    let schedule = goal::parse(text.as_bytes(), "ring.goal").unwrap();
    // With a hole the torus has no date-line.
    let broken = Machine::new("torus:2x5").unwrap().with_dead(vec![NodeId(9)]).unwrap();
    let report = report::report(&schedule, &broken).unwrap();
    let ring = report.deadlock.expect("every worm holds one link of the ring and wants the next");
    assert_eq!(ring.len(), 5);
    assert!(ring.iter().zip(ring.iter().cycle().skip(1)).all(|(a, b)| a.to == b.from));
    for whole in ["mesh:5", "torus:5"] {
        let whole = report::report(&schedule, &Machine::new(whole).unwrap()).unwrap();
        assert_eq!((whole.deadlock, whole.messages), (None, 5));
    }
}

/// Node 1 sends to both sides through its one port: the second message waits for the port, never for a link.
#[test]
fn waiting_for_a_port_blames_no_link() {
    let text = "num_ranks 3\nrank 0 {\nrecv 64b from 1\n}\nrank 1 {\nsend 64b to 0\nsend 64b to 2\n}\nrank 2 {\nrecv 64b from 1\n}\n";
    let schedule = goal::parse(text.as_bytes(), "two.goal").unwrap();
    let mut line = Machine::new("mesh:3").unwrap();
    line = line.with_port_model(PortModel::One);
    let trace = simulate(&line, &schedule, &Engine::Message).unwrap();
    assert_eq!((trace.ticks, trace.longest_wait), (2 * (100 + 64 + 2), None));
}

#[test]
fn a_report_counts_flits_and_orders_latencies() {
    let text = "num_ranks 4\nrank 0 {\nsend 64b to 1\nsend 7b to 3\n}\nrank 1 {\nrecv 64b from 0\n}\nrank 3 {\nrecv 7b from 0\n}\n";
    let schedule = goal::parse(text.as_bytes(), "two.goal").unwrap();
    let report = report::report(&schedule, &Machine::new("mesh:1x4").unwrap()).unwrap();
    // Flits of 2 bytes and a head each: 33 over one link, 5 over three.
    assert_eq!(report.flit_hops, Some(33 + 5 * 3));
    let hottest = report.hottest_link.unwrap();
    assert_eq!(
        (hottest.from, hottest.to, hottest.messages, hottest.bytes, hottest.busy_cycles),
        (0, 1, 2, 71, 71)
    );
    // The worm of 64 bytes goes first and takes 166 cycles; the other follows when its tail has left.
    assert_eq!((report.latency.p50, report.latency.max), (Some(166), Some(166 + 2 + 2 + 2 + 7)));
    assert_eq!(report.cycles, Some(179));
}

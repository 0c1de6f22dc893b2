//! The referee against formulas: alone, without contention, and between the bounds with it.

use meshwright_core::units::{Bytes, Cycles, Hops, NodeId, Ratio};
use meshwright_mapping as mapping;
use meshwright_mapping::{Divide, PLACEMENTS, Request, Shape, growing, place};
use meshwright_network::routing::{Pair, routes};
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Machine, PortModel, Switching, Topology};
use meshwright_schedule::cost::{self, LinkLoads};
use meshwright_schedule::{Message, Phases};
use meshwright_sim::{Engine, simulate};
use meshwright_verdict::Job;
use proptest::prelude::*;

fn send(source: u32, target: u32, bytes: u64) -> Message {
    Message { source: NodeId(source), target: NodeId(target), bytes: Bytes(bytes), phase: 1 }
}

fn machine(name: &str, switching: Switching) -> Machine {
    Machine::new(name).unwrap().with_switching(switching)
}

#[test]
fn a_message_alone_takes_the_papers_time() {
    for name in ["mesh:3x5", "torus:3x5", "hypercube:4", "mesh:2x3x2"] {
        for &(_, switching) in SWITCHINGS {
            for (c, b, h) in [
                (100, Ratio::whole(1), 2),
                (0, Ratio::whole(3), 1),
                (7, Ratio::new(2, 3).unwrap(), 5),
                (1, Ratio::whole(1), 0),
            ] {
                let costs =
                    meshwright_network::topology::Costs { startup: Cycles(c), byte_time: b, flit: Bytes(h) };
                let machine = machine(name, switching).with_costs(costs).unwrap();
                for target in 0..machine.nodes() {
                    for bytes in [0, 1, 2, 3, 64, 1000] {
                        let d = u64::from(machine.distance(NodeId(0), NodeId(target)).unwrap().0);
                        let trace = simulate(
                            &machine,
                            &Phases::new(16, vec![send(0, target, bytes)]),
                            &Engine::Message,
                        )
                        .unwrap();
                        // The paper's formulas, spelt out once more, rounded up to whole cycles.
                        let ticks = match switching {
                            Switching::StoreAndForward => d * (c * b.denominator() + b.numerator() * bytes),
                            _ => c * b.denominator() + b.numerator() * (bytes + d * h),
                        };
                        assert_eq!(
                            trace.cycles.0,
                            ticks.div_ceil(b.denominator()),
                            "{name} {switching:?} {bytes} B over {d}"
                        );
                    }
                }
            }
        }
    }
}

fn binomial(n: u32, alpha: f64) -> Job {
    Job::divide(&Divide {
        shape: Shape::Binomial(n),
        alpha: Some(alpha),
        combine_alpha: None,
        volume: Bytes(1 << 16),
    })
    .unwrap()
}

fn paper_mesh(n: u32, switching: Switching) -> Machine {
    machine(&format!("mesh:{}x{}", 1 << (n / 2), 1 << n.div_ceil(2)), switching)
}

fn phased(job: &Job, method: &str, machine: &Machine) -> Phases {
    let placement = place(method, &Request::count(job.tasks.tasks, machine, 1)).unwrap();
    placement.phases(&job.tasks, machine)
}

#[test]
fn phases_without_contention_take_the_exact_formula() {
    for n in 1..=12 {
        for alpha in [1.0, 0.5, 0.7] {
            let (job, mesh) = (binomial(n, alpha), paper_mesh(n, Switching::Wormhole));
            for (name, dilation) in [
                ("reflecting", mapping::reflecting::dilation as fn(u32, u32) -> Hops),
                ("centred-halving", mapping::centred_halving::dilation),
            ] {
                let trace = simulate(&mesh, &phased(&job, name, &mesh), &Engine::Message).unwrap();
                for i in 1..=n {
                    let bytes = mapping::divide::bytes(alpha, i, Bytes(1 << 16)).0;
                    let formula = 100 + bytes + 2 * u64::from(dilation(n, i).0);
                    assert_eq!(
                        trace.phase_ticks[i as usize - 1],
                        formula,
                        "{name} B({n}) alpha {alpha} phase {i}"
                    );
                }
                assert_eq!(trace.longest_wait, None, "{name} B({n}): no message ever waits");
            }
        }
    }
}

#[test]
fn growing_moves_in_lock_step_under_store_and_forward() {
    check_lock_step(1..=12);
}

#[test]
#[ignore = "long: 65,536 tasks, millions of hops"]
fn growing_moves_in_lock_step_under_store_and_forward_on_large_meshes() {
    check_lock_step(13..=16);
}

fn check_lock_step(sizes: std::ops::RangeInclusive<u32>) {
    for n in sizes {
        let (job, mesh) = (binomial(n, 0.5), paper_mesh(n, Switching::StoreAndForward));
        let trace = simulate(&mesh, &phased(&job, "growing", &mesh), &Engine::Message).unwrap();
        for i in 1..=n {
            let step = 100 + mapping::divide::bytes(0.5, i, Bytes(1 << 16)).0;
            let steps = if i < 3 { 1 } else { 1 << (i.div_ceil(2) - 2) };
            assert_eq!(steps, u64::from(growing::dilation(i).0));
            assert_eq!(trace.phase_ticks[i as usize - 1], steps * step, "B({n}) phase {i}");
        }
        assert_eq!(trace.longest_wait, None, "B({n}): lock-step needs no waiting");
    }
}

/// Farthest-first gives max(dilation, link load) steps in every phase of a tree.
#[test]
fn store_and_forward_takes_the_larger_of_dilation_and_load() {
    for n in [6, 8, 10] {
        let (job, mesh) = (binomial(n, 1.0), paper_mesh(n, Switching::StoreAndForward));
        for method in PLACEMENTS.iter().filter(|method| method.name != "axes") {
            let phases = phased(&job, method.name, &mesh);
            let trace = simulate(&mesh, &phases, &Engine::Message).unwrap();
            for index in 0..phases.len() {
                let messages = phases.phase(index);
                let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
                let routes = routes(&mesh, &pairs).unwrap();
                let mut loads = LinkLoads::new(mesh.links());
                loads.fill(messages, &routes);
                let predicted = cost::link_level(messages, &routes, &loads, mesh.switching(), mesh.costs());
                assert_eq!(trace.phase_ticks[index], predicted, "{} B({n}) phase {}", method.name, index + 1);
            }
        }
    }
}

/// The prediction is no bound from above: messages with the same way follow each other step by step.
#[test]
fn stored_messages_on_the_same_links_need_a_pipeline() {
    let line = machine("mesh:4", Switching::StoreAndForward);
    let messages = vec![send(0, 3, 20); 3];
    let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
    let routes = routes(&line, &pairs).unwrap();
    let mut loads = LinkLoads::new(line.links());
    loads.fill(&messages, &routes);
    let predicted = cost::link_level(&messages, &routes, &loads, line.switching(), line.costs());
    assert_eq!(predicted, 3 * (100 + 20));
    assert_eq!(simulate(&line, &Phases::new(4, messages), &Engine::Message).unwrap().ticks, 5 * (100 + 20));
}

/// Messages m_i over the links i and i + 1: each meets two others, yet the worms finish one after the other.
#[test]
fn a_chain_of_worms_finishes_one_by_one() {
    let (k, bytes) = (16, 10_000);
    let mut line = machine("mesh:18", Switching::Wormhole);
    line = line.with_startup(Cycles(0)).unwrap();
    // Highest first: each later message finds its second link taken.
    let messages: Vec<_> = (0..k).rev().map(|i| send(i, i + 2, bytes)).collect();
    let one = simulate(&line, &Phases::new(18, messages[..1].to_vec()), &Engine::Message).unwrap().cycles.0;
    let all = simulate(&line, &Phases::new(18, messages.clone()), &Engine::Message).unwrap();
    let units = all.cycles.0 as f64 / one as f64;
    assert!((units - f64::from(k)).abs() < 0.01 * f64::from(k), "{units} units for {k} messages");
    let cut_through =
        simulate(&line.with_switching(Switching::CutThrough), &Phases::new(18, messages), &Engine::Message)
            .unwrap();
    assert!(cut_through.cycles.0 < 3 * one, "buffers let go of the links: {} cycles", cut_through.cycles.0);
}

#[test]
fn worms_that_chase_each_other_around_a_ring_deadlock_with_a_certificate() {
    // With a hole the torus has no date-line.
    let broken = machine("torus:2x5", Switching::Wormhole).with_dead(vec![NodeId(9)]).unwrap();
    let messages: Vec<_> = (0..5).map(|i| send(i, (i + 2) % 5, 1000)).collect();
    let trace = simulate(&broken, &Phases::new(10, messages.clone()), &Engine::Message).unwrap();
    let channels = trace.deadlock.expect("all five hold one link and wait for the next");
    assert_eq!(channels.len(), 5);
    for (i, link) in channels.iter().enumerate() {
        assert_eq!(
            broken.target(*link),
            Some(broken.source(channels[(i + 1) % 5])),
            "the channels form a ring"
        );
    }
    let whole = machine("torus:2x5", Switching::Wormhole);
    let trace = simulate(&whole, &Phases::new(10, messages.clone()), &Engine::Message).unwrap();
    assert_eq!(trace.deadlock, None, "with date-line classes nothing waits in a ring");
    for switching in [Switching::CutThrough, Switching::StoreAndForward] {
        let trace = simulate(
            &broken.clone().with_switching(switching),
            &Phases::new(10, messages.clone()),
            &Engine::Message,
        )
        .unwrap();
        assert_eq!(trace.deadlock, None, "with room in the nodes nothing waits in a ring");
    }
}

/// Node 1 of a line of three sends to both sides; then both sides send to it.
#[test]
fn one_port_nodes_send_and_receive_one_by_one() {
    for (switching, startups) in
        [(Switching::Wormhole, 1), (Switching::CutThrough, 1), (Switching::StoreAndForward, 2)]
    {
        let mut line = machine("mesh:3", switching);
        let head = if switching == Switching::StoreAndForward { 0 } else { 2 };
        let (out, into) = (vec![send(1, 0, 64), send(1, 2, 64)], vec![send(0, 1, 64), send(2, 1, 64)]);
        let one = 100 + 64 + head;
        for messages in [&out, &into] {
            assert_eq!(
                simulate(&line, &Phases::new(3, messages.clone()), &Engine::Message).unwrap().ticks,
                one
            );
        }
        line = line.with_port_model(PortModel::One);
        // Sending pays both start-ups in turn; receiving under wormhole overlaps the second with the first.
        assert_eq!(simulate(&line, &Phases::new(3, out), &Engine::Message).unwrap().ticks, 2 * one);
        let received = simulate(&line, &Phases::new(3, into), &Engine::Message).unwrap().ticks;
        assert_eq!(received, startups * 100 + 2 * 64 + head, "{switching:?}");
        // A message to oneself passes no port.
        let own = simulate(&line, &Phases::new(3, vec![send(1, 1, 500), send(1, 2, 64)]), &Engine::Message)
            .unwrap();
        let alone = if head == 0 { one } else { 100 + 500 };
        assert_eq!(own.ticks, alone);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever is sent: link bound <= simulation <= serial sum, and the same again the second time.
    #[test]
    fn contention_stays_between_the_bounds(
        which in 0usize..4,
        switching in 0usize..3,
        one_port in any::<bool>(),
        (startup, flit) in (0u64..120, 0u64..40),
        ends in prop::collection::vec((0u32..24, 0u32..24, 0u64..300), 1..40),
    ) {
        let name = ["mesh:4x6", "mesh:2x3x4", "mesh:24", "torus:4x6"][which];
        let mut machine = machine(name, SWITCHINGS[switching].1);
        machine = machine.with_port_model(if one_port { PortModel::One } else { PortModel::All });
        machine = machine.with_startup(Cycles(startup)).unwrap().with_flit(Bytes(flit)).unwrap();
        let messages: Vec<_> = ends.iter().map(|&(from, to, bytes)| send(from, to, bytes)).collect();
        let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
        let routes = routes(&machine, &pairs).unwrap();
        let mut loads = LinkLoads::new(machine.links());
        loads.fill(&messages, &routes);
        let phases = Phases::new(24, messages.clone());
        let trace = simulate(&machine, &phases, &Engine::Message).unwrap();
        prop_assert_eq!(&trace, &simulate(&machine, &phases, &Engine::Message).unwrap());
        prop_assert_eq!(&trace.deadlock, &None);
        let mut low = cost::link_bound(&messages, &routes, &loads, machine.switching(), machine.costs());
        if one_port {
            low = low.max(cost::ports(&messages, machine.switching(), machine.costs()));
        }
        let high = cost::serial_sum(0, &messages, &routes, machine.switching(), machine.costs()).unwrap();
        prop_assert!(low <= trace.ticks && trace.ticks <= high, "{low} <= {} <= {high}", trace.ticks);
    }
}

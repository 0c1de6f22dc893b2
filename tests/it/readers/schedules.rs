//! GOAL text there and back, what verifies and what does not, and schedules made from phases.

use std::collections::BTreeSet;

use meshwright::schedule::{Dependency, Fault, MatchedMessage, Message, Op, Phases, Rank, Schedule, goal};
use meshwright::units::{Bytes, Cycles, NodeId};
use petgraph::graph::DiGraph;
use proptest::prelude::*;

fn send(peer: u32, bytes: u64, tag: u32) -> Op {
    Op::Send { peer: NodeId(peer), bytes: Bytes(bytes), tag }
}

fn recv(peer: u32, bytes: u64, tag: u32) -> Op {
    Op::Recv { peer: NodeId(peer), bytes: Bytes(bytes), tag }
}

fn after(step: u32, on: u32) -> Dependency {
    Dependency { step, on, start_only: false }
}

fn beside(step: u32, on: u32) -> Dependency {
    Dependency { step, on, start_only: true }
}

fn schedule(ranks: &[(&[Op], &[Dependency])]) -> Schedule {
    let rank = |&(ops, dependencies): &(&[Op], &[Dependency])| Rank {
        ops: ops.to_vec(),
        dependencies: dependencies.to_vec(),
    };
    Schedule { ranks: ranks.iter().map(rank).collect() }
}

fn text(schedule: &Schedule) -> String {
    let mut out = vec![];
    goal::write(schedule, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn goal_is_read_in_all_its_forms() {
    // Made up for this test, with every liberty the format allows: comments, attributes,
    // a label used before its step, a step without label, a rank left out, braces on one line.
    let source = "/* two\n lines */ num_ranks 4\n\nrank 0 {\n l2 requires now // a label from below\n\
                  now: calc 100 cpu 2\nl2: send 32b to 2 tag 5 nic 1 cpu 0\n send 8b to 1\nl2 irequires now}\n\
                  rank 2 { first.step: recv 32b from 0 cpu 1 tag 5 }\nrank 1\n{\nrecv 8b from 0\n}\n";
    let calc = Op::Calc { cycles: Cycles(100) };
    let expected = schedule(&[
        (&[calc, send(2, 32, 5), send(1, 8, 0)], &[after(1, 0), beside(1, 0)]),
        (&[recv(0, 8, 0)], &[]),
        (&[recv(0, 32, 5)], &[]),
        (&[], &[]),
    ]);
    let read = goal::parse(source.as_bytes(), "a.goal").unwrap();
    assert_eq!(read, expected);
    assert_eq!(read.verify(), Ok(()));
    let canonical = "num_ranks 4\nrank 0 {\nl0: calc 100\nl1: send 32b to 2 tag 5\nl2: send 8b to 1 tag 0\n\
                     l1 requires l0\nl1 irequires l0\n}\nrank 1 {\nl0: recv 8b from 0 tag 0\n}\n\
                     rank 2 {\nl0: recv 32b from 0 tag 5\n}\nrank 3 {\n}\n";
    assert_eq!(text(&read), canonical);
}

#[test]
fn words_may_be_labels() {
    let source = "num_ranks 1\nrank 0 {\nsend: calc 1\ncpu: calc 2\ntag requires cpu\ntag: calc 3\n}\n";
    let calc = |cycles| Op::Calc { cycles: Cycles(cycles) };
    let expected = schedule(&[(&[calc(1), calc(2), calc(3)], &[after(2, 1)])]);
    assert_eq!(goal::parse(source.as_bytes(), "a.goal").unwrap(), expected);
}

#[test]
fn the_kth_send_meets_the_kth_receive() {
    // Rank 0 sends sizes 3, 2, 1 with tags 7, 8, 7: the two of tag 7 meet the receives of tag 7 in order.
    let s = schedule(&[
        (&[send(1, 3, 7), send(1, 2, 8), send(1, 1, 7)], &[]),
        (&[recv(0, 3, 7), recv(0, 1, 7), recv(0, 2, 8)], &[]),
    ]);
    let message = |source_step, target_step, bytes, tag| MatchedMessage {
        source: NodeId(0),
        source_step,
        target: NodeId(1),
        target_step,
        bytes: Bytes(bytes),
        tag,
    };
    assert_eq!(s.messages(), vec![message(0, 0, 3, 7), message(1, 2, 2, 8), message(2, 1, 1, 7)]);
    assert_eq!(s.verify(), Ok(()));
}

#[test]
fn every_fault_has_its_certificate_and_a_sentence() {
    let too_long = Op::Calc { cycles: Cycles(u64::MAX) };
    let rank = NodeId(0);
    for (s, fault, phrase) in [
        (
            schedule(&[(&[send(1, 1, 0)], &[])]),
            Fault::PeerOutside { rank, step: 0, peer: NodeId(1) },
            "not exist",
        ),
        (schedule(&[(&[too_long], &[])]), Fault::TooLarge { rank, step: 0 }, "too large"),
        (schedule(&[(&[], &[after(0, 1)])]), Fault::StepOutside { rank, step: 0 }, "names step 0"),
        (schedule(&[(&[send(0, 1, 0)], &[])]), Fault::UnmatchedSend { rank, step: 0 }, "nobody receives"),
        (schedule(&[(&[recv(0, 1, 0)], &[])]), Fault::UnmatchedRecv { rank, step: 0 }, "nobody sends"),
        (
            schedule(&[(&[recv(0, 1, 0)], &[after(0, 0)])]),
            Fault::UnmatchedRecv { rank, step: 0 },
            "nobody sends",
        ),
    ] {
        assert_eq!(s.verify(), Err(fault.clone()));
        assert!(fault.to_string().contains(phrase), "{fault}");
    }
    // The sizes are the same, but the order of the receives is not that of the sends.
    let s = schedule(&[(&[send(1, 1, 0), send(1, 2, 0)], &[]), (&[recv(0, 2, 0), recv(0, 1, 0)], &[])]);
    assert!(matches!(s.verify(), Err(Fault::BytesDiffer { received: Bytes(2), .. })));
    let s = schedule(&[(&[send(0, 1, 0), recv(0, 2, 0)], &[])]);
    let fault = s.verify().unwrap_err();
    assert!(matches!(fault, Fault::BytesDiffer { received: Bytes(2), .. }));
    assert!(fault.to_string().contains("sends 1 bytes, but step 1 of rank 0 receives 2"), "{fault}");
}

#[test]
fn circles_are_found_across_ranks() {
    // Each of two ranks sends only after it has received: a deadlock.
    let both = |dependency: fn(u32, u32) -> Dependency| {
        schedule(&[
            (&[recv(1, 1, 0), send(1, 1, 0)], &[dependency(1, 0)]),
            (&[recv(0, 1, 0), send(0, 1, 0)], &[dependency(1, 0)]),
        ])
    };
    let Err(Fault::Cycle { steps }) = both(after).verify() else { panic!("a deadlock") };
    assert_eq!(BTreeSet::from_iter(steps.clone()).len(), 4, "{steps:?}");
    assert!(Fault::Cycle { steps }.to_string().starts_with("these steps wait for each other in a circle"));
    // If the sends only wait for the receives to be posted, nothing is in the way.
    assert_eq!(both(beside).verify(), Ok(()));
    // A step that waits for itself.
    let s = schedule(&[(&[Op::Calc { cycles: Cycles(1) }], &[beside(0, 0)])]);
    assert_eq!(s.verify(), Err(Fault::Cycle { steps: vec![(NodeId(0), 0)] }));
}

#[test]
fn a_chain_of_a_million_steps_needs_no_stack() {
    let steps = 1_000_000;
    let ops = vec![Op::Calc { cycles: Cycles(1) }; steps as usize];
    let mut dependencies: Vec<_> = (1..steps).map(|step| after(step - 1, step)).collect();
    let mut s = Schedule { ranks: vec![Rank { ops, dependencies: dependencies.clone() }] };
    assert_eq!(s.verify(), Ok(()));
    dependencies.push(after(steps - 1, 0));
    s.ranks[0].dependencies = dependencies;
    let Err(Fault::Cycle { steps: circle }) = s.verify() else { panic!("a circle") };
    assert_eq!(circle.len(), steps as usize);
}

fn message(phase: u32, source: u32, target: u32) -> Message {
    Message { source: NodeId(source), target: NodeId(target), bytes: Bytes(1), phase }
}

#[test]
fn phases_become_waits() {
    // Phase 1: 0 to 1. Phase 2: 1 to 2. Phase 5: 0 to 2. Rank 0 skips phase 2, so its last step waits for its first.
    let phases = Phases::new(3, vec![message(5, 0, 2), message(1, 0, 1), message(2, 1, 2)]);
    let expected = schedule(&[
        (&[send(1, 1, 1), send(2, 1, 5)], &[after(1, 0)]),
        (&[recv(0, 1, 1), send(2, 1, 2)], &[after(1, 0)]),
        (&[recv(1, 1, 2), recv(0, 1, 5)], &[after(1, 0)]),
    ]);
    assert_eq!(Schedule::from_phases(&phases), expected);
}

#[test]
fn a_million_messages_there_and_back() {
    // 1000 ranks, 10 phases, each rank sends 100 messages in each: without meeting points, 4 * 10^8 dependencies.
    let messages =
        (0..1_000_000u32).map(|i| message(i / 100_000, i % 1000, (i % 1000 + 1 + i / 1000 % 100) % 1000));
    let phases = Phases::new(1000, messages.collect());
    let s = Schedule::from_phases(&phases);
    assert!(s.ranks.iter().map(|rank| rank.dependencies.len()).sum::<usize>() < 4_000_000);
    assert_eq!(s.messages().len(), 1_000_000);
    assert_eq!(s.verify(), Ok(()));
    assert!(goal::parse(text(&s).as_bytes(), "a.goal").unwrap() == s);
}

/// Steps added to random ranks; a send and its receive are both added, in an order of their own.
fn any_schedule(circles: bool) -> impl Strategy<Value = Schedule> {
    let step = (0..5u32, 0..5u32, 0..=1u64 << 40, 0..3u32, 0..3u8);
    let dependency = (0..5usize, any::<u32>(), any::<u32>(), any::<bool>());
    (prop::collection::vec(step, 0..24), prop::collection::vec(dependency, 0..24)).prop_map(
        move |(steps, dependencies)| {
            let mut ranks = vec![Rank::default(); 5];
            for (source, target, bytes, tag, kind) in steps {
                let sent = (source, send(target, bytes, tag));
                let received = (target, recv(source, bytes, tag));
                let pair = match kind {
                    0 => vec![(source, Op::Calc { cycles: Cycles(bytes) })],
                    1 if circles => vec![received, sent],
                    _ => vec![sent, received],
                };
                pair.into_iter().for_each(|(rank, op)| ranks[rank as usize].ops.push(op));
            }
            for (rank, step, on, start_only) in dependencies {
                let steps = ranks[rank].ops.len() as u32;
                if steps > 0 && step % steps != on % steps && (circles || step % steps > on % steps) {
                    let (step, on) = (step % steps, on % steps);
                    ranks[rank].dependencies.push(Dependency { step, on, start_only });
                    if circles && (step + on) % 3 == 0 {
                        // Sends and receives need not stand in the same order.
                        ranks[rank].ops.swap(step as usize, on as usize);
                    }
                }
            }
            Schedule { ranks }
        },
    )
}

/// Rank, step, and whether it is the end of the step.
type Event = (NodeId, u32, bool);

/// Which event waits directly for which other, by definition.
fn events(s: &Schedule) -> Vec<(Event, Event)> {
    let mut waits = vec![];
    for (rank, program) in (0..).map(NodeId).zip(&s.ranks) {
        for step in 0..program.ops.len() as u32 {
            waits.push(((rank, step, true), (rank, step, false)));
        }
        for d in &program.dependencies {
            waits.push(((rank, d.step, false), (rank, d.on, !d.start_only)));
        }
    }
    for m in s.messages() {
        waits.push(((m.target, m.target_step, true), (m.source, m.source_step, false)));
    }
    waits
}

/// A second opinion: whether petgraph finds a circle in the events.
fn is_cyclic(s: &Schedule) -> bool {
    let waits = events(s);
    let names: Vec<_> =
        waits.iter().flat_map(|&(a, b)| [a, b]).collect::<BTreeSet<_>>().into_iter().collect();
    let id = |name| names.binary_search(name).unwrap() as u32;
    let graph = DiGraph::<(), ()>::from_edges(waits.iter().map(|(a, b)| (id(a), id(b))));
    petgraph::algo::is_cyclic_directed(&graph)
}

/// Whether a certificate is a circle: from some event of its first step along direct waits back to it.
fn is_circle(s: &Schedule, steps: &[(NodeId, u32)]) -> bool {
    let waits: BTreeSet<_> = events(s).into_iter().collect();
    [false, true].into_iter().any(|start| {
        let mut reached = BTreeSet::from([start]);
        for (i, &(rank, step)) in steps.iter().enumerate() {
            let (next_rank, next_step) = steps[(i + 1) % steps.len()];
            // Within a step, the end waits for the start.
            if reached.contains(&true) {
                reached.insert(false);
            }
            reached = [false, true]
                .into_iter()
                .filter(|&to| {
                    reached
                        .iter()
                        .any(|&from| waits.contains(&((rank, step, from), (next_rank, next_step, to))))
                })
                .collect();
        }
        reached.contains(&start)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_there_and_back(s in any_schedule(true)) {
        // The k-th send meets the k-th receive, whose size may differ: such a schedule is refused as text, too.
        let written = text(&s);
        match s.verify() {
            Ok(()) | Err(Fault::Cycle { .. }) => {
                let read = goal::parse(written.as_bytes(), "a.goal").unwrap();
                prop_assert_eq!(&read, &s);
                prop_assert_eq!(text(&read), written);
            }
            Err(Fault::BytesDiffer { .. }) => prop_assert!(goal::parse(written.as_bytes(), "a.goal").is_err()),
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn pairs_are_those_a_search_by_hand_finds(s in any_schedule(true)) {
        // The first receive of the right kind that is not yet taken, for each send in turn.
        let mut taken = BTreeSet::new();
        let mut pairs = vec![];
        for (source, program) in (0..5u32).zip(&s.ranks) {
            for (step, op) in (0u32..).zip(&program.ops) {
                let Op::Send { peer, tag, .. } = *op else { continue };
                let fits = |&at: &usize| match s.ranks[peer.index()].ops[at] {
                    Op::Recv { peer: from, tag: with, .. } => {
                        (from.0, with) == (source, tag) && !taken.contains(&(peer, at))
                    }
                    _ => false,
                };
                let at = (0..s.ranks[peer.index()].ops.len()).find(fits).unwrap();
                taken.insert((peer, at));
                pairs.push((source, step, peer, at as u32));
            }
        }
        let found: Vec<_> =
            s.messages().iter().map(|m| (m.source.0, m.source_step, m.target, m.target_step)).collect();
        prop_assert_eq!(found, pairs);
    }

    #[test]
    fn circles_are_those_petgraph_finds(s in any_schedule(true)) {
        match s.verify() {
            Ok(()) => prop_assert!(!is_cyclic(&s)),
            Err(Fault::Cycle { steps }) => {
                prop_assert!(is_cyclic(&s));
                prop_assert!(is_circle(&s, &steps), "{:?}", steps);
            }
            Err(_) => {}
        }
    }

    #[test]
    fn waiting_for_earlier_steps_only_verifies(s in any_schedule(false)) {
        prop_assert_eq!(s.verify(), Ok(()));
    }

    #[test]
    fn phases_are_kept(all in prop::collection::vec((0..4u32, 0..6u32, 0..6u32), 0..40)) {
        let phases = Phases::new(6, all.into_iter().map(|(p, s, t)| message(p, s, t)).collect());
        let s = Schedule::from_phases(&phases);
        prop_assert_eq!(s.verify(), Ok(()));
        let key = |source: NodeId, target: NodeId, tag: u32| (tag, source, target);
        let mut made: Vec<_> = s.messages().iter().map(|m| key(m.source, m.target, m.tag)).collect();
        let mut given: Vec<_> = phases.messages().iter().map(|m| key(m.source, m.target, m.phase)).collect();
        made.sort_unstable();
        given.sort_unstable();
        prop_assert_eq!(made, given);
        for rank in &s.ranks {
            check_waits(rank);
        }
    }
}

/// Every step waits, directly or through one empty computation, for exactly the steps of the phase before.
fn check_waits(rank: &Rank) {
    let tag = |step: u32| match rank.ops[step as usize] {
        Op::Send { tag, .. } | Op::Recv { tag, .. } => Some(tag),
        Op::Calc { .. } => None,
    };
    let steps = || 0..rank.ops.len() as u32;
    let direct = |step: u32| rank.dependencies.iter().filter(move |d| d.step == step).map(|d| d.on);
    for step in steps().filter(|&step| tag(step).is_some()) {
        let mut waits: Vec<u32> = direct(step)
            .flat_map(|on| if tag(on).is_some() { vec![on] } else { direct(on).collect() })
            .collect();
        waits.sort_unstable();
        let before = steps().filter_map(tag).filter(|&t| Some(t) < tag(step)).max();
        let expected: Vec<u32> = steps().filter(|&on| before.is_some() && tag(on) == before).collect();
        assert_eq!(waits, expected, "step {step}");
    }
}

//! GOAL text, what verifies and what does not, schedules made from phases: cases made by hand.

use std::collections::BTreeSet;

use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_schedule::{
    Awaits, Dependency, Fault, MatchedMessage, Message, Op, Phases, Rank, Schedule, goal,
};

pub(super) fn send(peer: u32, bytes: u64, tag: u32) -> Op {
    Op::Send { peer: NodeId(peer), bytes: Bytes(bytes), tag }
}

pub(super) fn recv(peer: u32, bytes: u64, tag: u32) -> Op {
    Op::Recv { peer: NodeId(peer), bytes: Bytes(bytes), tag }
}

fn after(step: u32, on: u32) -> Dependency {
    Dependency { step, on, awaits: Awaits::End }
}

fn beside(step: u32, on: u32) -> Dependency {
    Dependency { step, on, awaits: Awaits::Start }
}

fn schedule(ranks: &[(&[Op], &[Dependency])]) -> Schedule {
    let rank = |&(ops, dependencies): &(&[Op], &[Dependency])| Rank {
        ops: ops.to_vec(),
        dependencies: dependencies.to_vec(),
        ..Rank::default()
    };
    Schedule { ranks: ranks.iter().map(rank).collect() }
}

pub(super) fn text(schedule: &Schedule) -> String {
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
    let mut expected = schedule(&[
        (&[calc, send(2, 32, 5), send(1, 8, 0)], &[after(1, 0), beside(1, 0)]),
        (&[recv(0, 8, 0)], &[]),
        (&[recv(0, 32, 5)], &[]),
        (&[], &[]),
    ]);
    expected.ranks[0].processors = vec![2, 0, 0];
    let read = goal::parse(source.as_bytes(), "a.goal").unwrap();
    assert_eq!(read, expected);
    assert_eq!(read.verify(), Ok(()));
    let canonical = "num_ranks 4\nrank 0 {\nl0: calc 100 cpu 2\nl1: send 32b to 2 tag 5\nl2: send 8b to 1 tag 0\n\
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
    let mut s = Schedule { ranks: vec![Rank { ops, dependencies: dependencies.clone(), ..Rank::default() }] };
    assert_eq!(s.verify(), Ok(()));
    dependencies.push(after(steps - 1, 0));
    s.ranks[0].dependencies = dependencies;
    let Err(Fault::Cycle { steps: circle }) = s.verify() else { panic!("a circle") };
    assert_eq!(circle.len(), steps as usize);
}

pub(super) fn message(phase: u32, source: u32, target: u32) -> Message {
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

//! Laws of arbitrary schedules: text there and back, pairs, circles, phases.

use std::collections::BTreeSet;

use meshwright_core::units::{Cycles, NodeId};
use meshwright_schedule::{Awaits, Dependency, Fault, Op, Phases, Rank, Schedule, goal};
use petgraph::graph::DiGraph;
use proptest::prelude::*;

use super::schedules::{message, recv, send, text};

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
                    let awaits = if start_only { Awaits::Start } else { Awaits::End };
                    ranks[rank].dependencies.push(Dependency { step, on, awaits });
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
            waits.push(((rank, d.step, false), (rank, d.on, !d.awaits.is_start())));
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
    #![proptest_config(ProptestConfig::with_cases(1024))]

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

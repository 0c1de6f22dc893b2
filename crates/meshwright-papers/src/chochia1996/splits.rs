//! Splitting: labels, the packets of step 4, lemma 5.

use fixedbitset::FixedBitSet;
use rand::{Rng, RngExt};

use super::{CORRECTED, REMARK, Study};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_core::rng;
use meshwright_groups::{Tree, rank_halving};

pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "lemma-5-queue",
        source: "Section 4, proof of lemma 5",
        statement: "Queues of step 4 on a tree are short",
        definition: "the longest queue of a link, problem by problem, under the priorities of the proof",
        printed: "3 ceil(log2 s_u) packets for each link of a vertex with s_u vertices below",
        fails_if: "no queue is longer than 3 ceil(log2 s_u), or one is longer than 3 or than 3 log2 s_u + 3",
        correct: Some("3 log2 s_u + 3, and never more than 3 in any problem tried"),
        errata: Some("G11"),
        derive: lemma_5_queue,
        ..CORRECTED
    },
    Claim {
        id: "lemma-5-steps",
        source: "Section 4, lemma 5",
        statement: "Each of the six routing problems of step 4 is soon over",
        definition: "its steps on a physical tree, one packet for each link and direction, under the priorities of the proof",
        printed: "8 ceil(log2 s) steps",
        fails_if: "a routing problem takes more than 8 ceil(log2 s) steps",
        derive: lemma_5_steps,
        ..super::HOLDS
    },
    Claim {
        id: "packet-roles",
        source: "Section 3.2",
        statement: "The packets of step 4 tell a vertex who is who",
        definition: "what a vertex can conclude from its own rank, the sizes, and the coordinates that come",
        printed: "a packet (q, r, c) is enough",
        fails_if: "the packets that come to a root leave no two readings, or those of another vertex do",
        correct: Some(
            "for all but the roots: a root also hears of the adjacent root, and needs to be told which packet that is",
        ),
        errata: Some("G12"),
        derive: roles,
        ..CORRECTED
    },
    Claim {
        id: "uniform-sizes",
        source: "Section 5",
        statement: "The random labels give sub-groups of every size equally often",
        definition: "the probability of each size of sub-group 1, zeta drawn once for the group and xi by every member",
        printed: "1 / (s + 1) for zeta and xi drawn from the real numbers of [0, s), as our experiments do; not so for \
                  whole numbers (Chochia 1996 does not say which)",
        fails_if: "a size has another probability with real numbers, or all have this one with whole numbers",
        derive: uniform_sizes,
        ..REMARK
    },
];

/// The pairs (parent, child) of the new tree of these old ranks, as old ranks.
pub(super) fn pairs(members: &[u32]) -> Vec<(u32, u32)> {
    let size = members.len() as u32;
    let of = |rank: u32| {
        rank_halving::place(rank, size).parent.map(|up| (members[up as usize], members[rank as usize]))
    };
    (0..size).filter_map(of).collect()
}

/// The members with this label.
pub(super) fn members(labels: &FixedBitSet, size: u32, state: bool) -> Vec<u32> {
    (0..size).filter(|&rank| labels.contains(rank as usize) == state).collect()
}

/// Labels of which a random share is set.
pub(super) fn random_labels(generator: &mut impl Rng, size: u32) -> FixedBitSet {
    let share: f64 = generator.random();
    (0..size as usize).filter(|_| generator.random::<f64>() < share).collect()
}

/// A packet on a tree.
#[derive(Clone, Copy)]
struct SplitPacket {
    source: u32,
    target: u32,
    at: u32,
}

impl SplitPacket {
    /// The next vertex on the way.
    fn next(&self, tree: &Tree, spans: &[(u32, u32)]) -> u32 {
        let down = tree.children(self.at).iter().find(|&&child| {
            let (first, last) = spans[child as usize];
            (first..=last).contains(&self.target)
        });
        down.copied().or(tree.parent(self.at)).expect("the target is in the tree")
    }

    /// Who goes first over a link: rules (c), (a) and (b) of the proof.
    fn priority(&self) -> (bool, i64) {
        let rises = self.source < self.target;
        (rises, if rises { i64::from(self.target) } else { -i64::from(self.target) })
    }
}

/// Steps of a routing problem, and whether every queue is within a limit; the longest queue.
fn route(
    tree: &Tree,
    spans: &[(u32, u32)],
    mut packets: Vec<SplitPacket>,
    mut queued: impl FnMut(u32, usize),
) -> u32 {
    let mut steps = 0;
    packets.retain(|packet| packet.at != packet.target);
    while !packets.is_empty() {
        packets.sort_by_key(|packet| {
            (packet.at, packet.next(tree, spans), std::cmp::Reverse(packet.priority()))
        });
        let mut from = 0;
        while from < packets.len() {
            let (at, next) = (packets[from].at, packets[from].next(tree, spans));
            let same =
                packets[from..].iter().take_while(|p| p.at == at && p.next(tree, spans) == next).count();
            queued(at, same);
            packets[from].at = next;
            from += same;
        }
        packets.retain(|packet| packet.at != packet.target);
        steps += 1;
    }
    steps
}

/// Random groups, and each of their six problems: find the parent, the left and the right child, of both states.
fn problems(mut each: impl FnMut(&Tree, &[(u32, u32)], Vec<SplitPacket>)) {
    let mut generator = rng::stream(0, "lemma 5");
    for round in 0..300u32 {
        let size = if round < 40 { round + 1 } else { generator.random_range(41..=255) };
        let tree = rank_halving::tree(size);
        let spans = tree.spans();
        let labels = random_labels(&mut generator, size);
        for state in [false, true] {
            let pairs = pairs(&members(&labels, size, state));
            let packet = |source, target| SplitPacket { source, target, at: source };
            each(&tree, &spans, pairs.iter().map(|&(up, down)| packet(down, up)).collect());
            let side = |left: bool| pairs.iter().filter(move |&&(up, down)| (down < up) == left);
            for left in [true, false] {
                each(&tree, &spans, side(left).map(|&(up, down)| packet(up, down)).collect());
            }
        }
    }
}

fn lemma_5_steps(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut largest = 0f64;
    problems(|tree, spans, packets| {
        let log = tree.size().next_power_of_two().ilog2();
        let steps = route(tree, spans, packets, |_, _| ());
        check.case(steps <= 8 * log, || format!("s = {}: {steps} steps", tree.size()));
        if log > 0 {
            largest = largest.max(f64::from(steps) / f64::from(log));
        }
    });
    let note = format!("The most is {largest:.2} ceil(log2 s): the constant 8 has much room.");
    Ok(Derivation::of("six problems of 300 groups, s <= 255", check).note(note))
}

fn lemma_5_queue(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    problems(|tree, spans, packets| {
        route(tree, spans, packets, |at, queue| {
            let (first, last) = spans[at as usize];
            let below = last - first + 1;
            let words = || format!("s = {}, s_u = {below}: {queue} packets wait for a link", tree.size());
            printed.case(queue as u32 <= 3 * below.next_power_of_two().ilog2(), words);
            corrected.case(queue as f64 <= 3.0 * libm::log2(f64::from(below)) + 3.0 && queue <= 3, words);
        });
    });
    let note = "A leaf has no vertices below and yet its own packet to send.";
    Ok(Derivation::of("six problems of 300 groups, s <= 255", printed).corrected(corrected).note(note))
}

fn roles(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut roots = 0u64;
    for size in 1..=64u32 {
        for rank in 0..size {
            // The indices that come are in the order of the ranks, and the vertex knows those.
            let here = rank_halving::place(rank, size);
            let ranks: Vec<u32> = [here.left, here.parent, here.right].into_iter().flatten().collect();
            let mut sorted = ranks.clone();
            sorted.sort_unstable();
            sorted.dedup();
            corrected
                .case(sorted.len() == ranks.len(), || format!("s = {size}, rank {rank}: two are the same"));
        }
    }
    for size in 2..=10u32 {
        for set in 1..(1u32 << size) - 1 {
            let labels: FixedBitSet = (0..size as usize).filter(|bit| set >> bit & 1 == 1).collect();
            for state in [false, true] {
                let (own, other) = (members(&labels, size, state), members(&labels, size, !state));
                let root = rank_halving::root(own.len() as u32).expect("it has members");
                let here = rank_halving::place(root, own.len() as u32);
                let adjacent =
                    other[rank_halving::root(other.len() as u32).expect("it has members") as usize];
                // On its side there may be a child as well: two indices, and no way to tell them apart.
                let side = if adjacent < own[root as usize] { here.left } else { here.right };
                printed.case(side.is_none(), || {
                    format!(
                        "s = {size}, members {own:?}: rank {adjacent} may be the adjacent root or a child"
                    )
                });
                roots += 1;
            }
        }
    }
    let note = format!(
        "{} of {roots} roots of all splits of groups of 2 to 10 cannot tell. The state q in a packet must also be that of \
         the destination: the two roots write across.",
        printed.failures()
    );
    Ok(Derivation::of("roots of all splits of 2 to 10 members", printed).corrected(corrected).note(note))
}

/// s over k.
fn binomial(s: u32, k: u32) -> Exact {
    (0..k).fold(Exact::whole(1), |product, i| {
        product * Exact::whole(i64::from(s - i)) / Exact::whole(i64::from(i + 1))
    })
}

fn uniform_sizes(_: &Study) -> Result<Derivation> {
    let (mut whole_numbers, mut check) = (Check::default(), Check::default());
    let mut numbers = Numbers::new(&["s", "size 0", "size s", "1/(s + 1)"]);
    for s in 1..=16u32 {
        let whole = |n: u32| Exact::whole(i64::from(n));
        let uniform = Exact::whole(1) / whole(s + 1);
        let mut ends = Vec::new();
        for k in 0..=s {
            // p = j / s for j = 0 to s - 1, each with chance 1 / s.
            let chance = (0..s).map(|j| {
                let p = whole(j) / whole(s);
                binomial(s, k) * p.power(k) * (Exact::whole(1) - p).power(s - k)
            });
            let drawn = chance.fold(Exact::zero(), |sum, term| sum + term) / whole(s);
            whole_numbers.case(drawn == uniform, || {
                format!("s = {s}: size {k} has probability {drawn}, not {uniform}")
            });
            if k == 0 || k == s {
                ends.push(drawn);
            }
            // The integral of p^k (1 - p)^(s - k), term by term.
            let integral = (0..=s - k).map(|i| {
                let term = binomial(s - k, i) / whole(k + i + 1);
                if i % 2 == 0 { term } else { Exact::zero() - term }
            });
            let real = binomial(s, k) * integral.fold(Exact::zero(), |sum, term| sum + term);
            check.case(real == uniform, || format!("s = {s}: size {k} has probability {real}"));
        }
        let shown: Vec<String> =
            ends.iter().chain([&uniform]).map(|p| format!("{:.4}", p.to_f64())).collect();
        numbers.row(&[&s, &shown[0], &shown[1], &shown[2]]);
    }
    check.case(whole_numbers.failures() > 0, || "whole numbers give all sizes alike".into());
    let note = "The table is for whole numbers.";
    Ok(Derivation::of("s = 1 to 16, exact fractions", check).numbers(numbers).note(note))
}

//! Lemma 4: how many packets of step 4 pass a vertex.

use fixedbitset::FixedBitSet;
use rand::RngExt;

use super::most_packets::{MostPackets, most_packets};
use super::splits::{members, pairs, random_labels};
use super::{CORRECTED, HOLDS, Study};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::rng;
use meshwright_groups::{Tree, rank_halving};

pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "lemma-4",
        source: "Section 4, lemma 4",
        statement: "Few packets of step 4 pass through a vertex with s vertices below",
        definition: "the pairs of parent and child in one new tree whose way on the old tree meets the vertex: of given groups, and \
                     the most over all groups, vertices and labels, by dynamic programming over the blocks round the vertex",
        printed: "at most 3 log2 s",
        fails_if: "no vertex with s vertices below is passed by more than 3 log2 s packets, or one is by more than \
            3 log2 s + 3, or the blocks that are found do not have the packets that are told",
        correct: Some(
            "at most 3 log2 s + 3 for every s looked at, over all groups; at most 3 log2 s + 9 for every s (proof in docs/groups.md)",
        ),
        errata: Some("G10"),
        derive: lemma_4,
        ..CORRECTED
    },
    Claim {
        id: "lemma-4-inequalities",
        source: "Section 4, proof of lemma 4, (2) and (3)",
        statement: "Vertices of a sub-tree with a neighbour of a higher rank than all of it come in halving distances",
        definition: "w and w' next to each other among them, (w', v') connected, v' above r_max; every stretch of ranks of \
                     every new tree",
        printed: "w' - w >= (r_max - w) / 2, and w' - w >= v' - w' > r_max - w'",
        fails_if: "a stretch of ranks of a tree of up to 64 vertices has two such vertices too near each other",
        derive: inequalities,
        ..HOLDS
    },
];

/// How many ways of labels that stand in five blocks meet a vertex: so many below its sub-tree, in its left one, the vertex
/// itself (0 or 1), in its right one, above.
///
/// Only the order of ranks matters, so every labelling of every old tree is one of these.
fn crossing(blocks: [u32; 5]) -> u32 {
    let mut ends = [0; 5];
    let mut size = 0;
    for (end, block) in ends.iter_mut().zip(blocks) {
        size += block;
        *end = size;
    }
    let block = |rank: u32| ends.iter().position(|&end| rank < end).expect("the rank is in a block");
    let meets = |rank: &u32| {
        rank_halving::place(*rank, size).parent.is_some_and(|up| {
            let (own, other) = (block(*rank), block(up));
            // Two ways outside the sub-tree do not meet it, nor does one inside one of the two below the vertex.
            own != other && (1..=3).any(|inside| own == inside || other == inside)
        })
    };
    (0..size).filter(meets).count() as u32
}

/// How many of the ways between these pairs on a tree meet each vertex.
fn passing(tree: &Tree, spans: &[(u32, u32)], pairs: &[(u32, u32)]) -> Vec<u32> {
    let below = |rank: u32, vertex: u32| {
        let (first, last) = spans[vertex as usize];
        (first..=last).contains(&rank)
    };
    let meets = |vertex: u32, &&(a, b): &&(u32, u32)| {
        let (a_below, b_below) = (below(a, vertex), below(b, vertex));
        a_below != b_below
            || a_below && !tree.children(vertex).iter().any(|&child| below(a, child) && below(b, child))
    };
    (0..tree.size()).map(|vertex| pairs.iter().filter(|pair| meets(vertex, pair)).count() as u32).collect()
}

fn lemma_4(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut count = |below: u32, packets: u32, words: &dyn Fn() -> String| {
        let log = libm::log2(f64::from(below));
        printed.case(f64::from(packets) <= 3.0 * log, words);
        corrected.case(f64::from(packets) <= 3.0 * log + 3.0, words);
    };
    let mut look = |size: u32, labels: &FixedBitSet| {
        let tree = rank_halving::tree(size);
        let spans = tree.spans();
        let passing = passing(&tree, &spans, &pairs(&members(labels, size, true)));
        for (&(first, last), packets) in spans.iter().zip(passing) {
            let below = last - first + 1;
            count(below, packets, &|| format!("a group of {size}, s = {below}: {packets} packets"));
        }
    };
    for size in 1..=11u32 {
        for set in 0..1u32 << size {
            let labels = (0..size as usize).filter(|bit| set >> bit & 1 == 1).collect();
            look(size, &labels);
        }
    }
    let mut generator = rng::stream(0, "lemma 4");
    for _ in 0..100 {
        let size = generator.random_range(12..=420u32);
        look(size, &random_labels(&mut generator, size));
    }
    let mut attained = Check::default();
    let mut numbers = Numbers::new(&["s", "most packets of all", "3 log2 s", "blocks"]);
    for s in (1..=64).chain([85, 128, 200, 256, 400, 1024, 4096]) {
        let MostPackets { packets, blocks } = most_packets(s);
        let words = || format!("s = {s}: {packets} packets, blocks {blocks:?}");
        attained.case(crossing(blocks) == packets && fit(blocks, s), words);
        count(s, packets, &words);
        if s.is_power_of_two() || [3, 7, 21, 85, 200, 400].contains(&s) {
            let limit = 3.0 * libm::log2(f64::from(s));
            numbers.row(&[&s, &packets, &format!("{limit:.2}"), &format!("{blocks:?}")]);
        }
    }
    corrected.add(attained);
    let note = "It is false for large s too. Where s is 2^k the most is 3 k + 1 from k = 6 to 12: both ends of the labels below the vertex and the \
                vertex itself have a way in the new tree on which every pair crosses. V_R has at most floor(log2 s) + 2 vertices, and \
                each may have two pairs that cross.";
    Ok(Derivation::of(
        "all labels of groups up to 11, 100 random groups up to 420; over all groups s = 1 to 64 and seven more up to 4096",
        printed,
    )
    .corrected(corrected)
    .numbers(numbers)
    .note(note))
}

/// Whether these blocks have room round a vertex with s below, in a group that is large enough.
fn fit(blocks: [u32; 5], s: u32) -> bool {
    blocks[1] <= s / 2 && blocks[2] <= 1 && blocks[3] <= s - 1 - s / 2
}

fn inequalities(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut most = 0;
    for size in 1..=64u32 {
        let neighbours: Vec<Vec<u32>> = (0..size)
            .map(|rank| {
                let here = rank_halving::place(rank, size);
                [here.parent, here.left, here.right].into_iter().flatten().collect()
            })
            .collect();
        for low in 0..size {
            for high in low..size {
                let above =
                    |rank: u32| neighbours[rank as usize].iter().copied().filter(move |&other| other > high);
                let chain: Vec<u32> = (low..=high).filter(|&rank| above(rank).next().is_some()).collect();
                for pair in chain.windows(2) {
                    let (w, next) = (pair[0], pair[1]);
                    let words = || format!("{size} vertices, ranks {low} to {high}: w = {w}, w' = {next}");
                    check.case(2 * (next - w) >= high - w, words);
                    check.case(above(next).all(|other| next - w >= other - next), words);
                }
                most = most.max(chain.len() as u32 - (high - low + 1).ilog2().min(chain.len() as u32));
            }
        }
    }
    let note = format!(
        "So |V_R| <= floor(log2 s) + {most}, not log2 s as the proof goes on: that is where lemma 4 is lost."
    );
    Ok(Derivation::of("every stretch of ranks of every tree up to 64", check).note(note))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All blocks of all groups that are not too large, one by one.
    #[test]
    fn the_most_packets_are_those_of_all_blocks() {
        for s in 1..=7u32 {
            let mut most = 0;
            let outside = 0..6 * s + 4;
            for (below, above) in
                outside.clone().flat_map(|below| outside.clone().map(move |above| (below, above)))
            {
                for left in 0..=s / 2 {
                    for right in 0..=s - 1 - s / 2 {
                        for vertex in 0..=1 {
                            most = most.max(crossing([below, left, vertex, right, above]));
                        }
                    }
                }
            }
            let found = most_packets(s);
            assert_eq!((found.packets, crossing(found.blocks)), (most, most), "s = {s}: {:?}", found.blocks);
        }
    }
}

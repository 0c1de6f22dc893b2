//! Rank-halving trees: shape, assertions 1 and 2, lemma 1.

use super::{CORRECTED, HOLDS, Study};
use crate::Claim;
use crate::check::{Check, Derivation};
use meshwright_core::error::Result;
use meshwright_groups::rank_halving::{place, tree};

pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "mapping",
        source: "Section 2, the mapping of U' to T",
        statement: "The root is the vertex of middle rank; its sub-trees are built the same way",
        definition: "the sub-trees of the ranks below and above the root must have their roots in them",
        printed: "the root of a subset has rank ceil(max rank / 2), ranks of the whole group; left children come from the \
                  ranks above",
        fails_if: "in every size the words as printed give a sub-tree a root among its own ranks, or ranks counted \
            anew give another tree than ours",
        correct: Some("ranks are counted anew in each subset, and left children come from the ranks below"),
        errata: Some("G3"),
        derive: mapping,
        ..CORRECTED
    },
    Claim {
        id: "almost-balanced",
        source: "Section 2",
        statement: "The trees are almost balanced",
        definition: "the shape of the tree of every size",
        printed: "every inner vertex has two children, but for some parents of leaves; the depth is floor(log2 s)",
        fails_if: "a tree is deeper than floor(log2 s), an only child has children or is a right one, or sub-trees \
            differ by more than one vertex",
        derive: almost_balanced,
        ..HOLDS
    },
    Claim {
        id: "assertion-1",
        source: "Section 2, assertion 1",
        statement: "A vertex finds its parent and children alone, from its rank and the size of the group",
        definition: "the tree built of all ranks by the mapping",
        printed: "at most floor(log2 s) + 1 halvings",
        fails_if: "a rank's parent, children or depth, found from rank and size alone, differ from those of the \
            tree that was built",
        derive: assertion_1,
        ..HOLDS
    },
    Claim {
        id: "assertion-2",
        source: "Section 2, assertion 2",
        statement: "Ranks below are on the left, ranks above on the right, and the next ones are there",
        definition: "the ranks in the sub-trees of every vertex",
        printed: "every vertex u of a left sub-tree has a vertex of rank(u) - 1, every one of a right sub-tree one of rank(u) + 1",
        fails_if: "every vertex of a sub-tree has the printed neighbour, or one with a sub-tree on that side lacks \
            the neighbour there",
        correct: Some(
            "if the left (right) sub-tree of u is not empty, it has the vertex of rank(u) - 1 (rank(u) + 1)",
        ),
        errata: Some("G4"),
        derive: assertion_2,
        ..CORRECTED
    },
    Claim {
        id: "lemma-1",
        source: "Section 2, lemma 1",
        statement: "Ranks of parent and child come nearer with every level",
        definition: "the rank distance of every edge, k edges below the root",
        printed: "|rank(u) - rank(v)| <= ceil(s / 2^(k + 2))",
        fails_if: "an edge joins ranks further apart than ceil(s / 2^(k + 2))",
        derive: lemma_1,
        ..HOLDS
    },
    Claim {
        id: "lemma-1-children",
        source: "Section 2, proof of lemma 1",
        statement: "Ranks of the root and its children",
        definition: "the tree of every size",
        printed: "a = ceil((s - 1)/2), a_L = ceil((a - 1)/2), a_R = a + ceil((s - a)/2)",
        fails_if: "the root or a child of it has another rank than its formula, in a tree of up to the largest size",
        derive: children_of_the_root,
        ..HOLDS
    },
];

/// The largest size looked at, where all edges of all sizes are.
const SIZE_MAX: u32 = 600;

fn mapping(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    for s in 1..=64u32 {
        let root = (s - 1).div_ceil(2);
        corrected.equal(&root, &tree(s).root(), || format!("s = {s}: the root"));
        if root + 1 < s {
            let literal = (s - 1).div_ceil(2);
            printed.case(literal > root, || {
                format!("s = {s}: of the ranks {} to {} the root would have rank {literal}", root + 1, s - 1)
            });
            let anew = root + 1 + (s - root - 2).div_ceil(2);
            let right = tree(s).children(root).iter().copied().find(|&child| child > root);
            corrected.case(right == Some(anew), || format!("s = {s}: the right child is not {anew}"));
        }
    }
    let note = "The two subsets are also interchanged in print: U'_< stands for the larger ranks.";
    Ok(Derivation::of("s = 1 to 64", printed).corrected(corrected).note(note))
}

fn almost_balanced(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for s in 1..=SIZE_MAX {
        let tree = tree(s);
        let span = tree.spans();
        let size = |rank: u32| span[rank as usize].1 - span[rank as usize].0 + 1;
        let only_children = (0..s).filter(|&rank| tree.children(rank).len() == 1);
        let leaves = only_children.clone().all(|rank| size(tree.children(rank)[0]) == 1);
        check.case(leaves, || format!("s = {s}: an only child has children"));
        let left = only_children.clone().all(|rank| tree.children(rank)[0] < rank);
        check.case(left, || format!("s = {s}: an only child is a right one"));
        let even = (0..s).all(|rank| match *tree.children(rank) {
            [left, right] => size(left) - size(right) <= 1,
            _ => true,
        });
        check.case(even, || format!("s = {s}: sub-trees differ by more than one"));
        let depth = (0..s).map(|rank| place(rank, s).depth).max();
        check.case(depth == Some(s.ilog2()), || format!("s = {s}: the depth is {depth:?}"));
    }
    let note = "An only child is always a left one, and the left sub-tree has as many vertices as the right one, or one more.";
    Ok(Derivation::of(format!("s = 1 to {SIZE_MAX}"), check).note(note))
}

fn assertion_1(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for s in 1..=SIZE_MAX / 2 {
        let tree = tree(s);
        for rank in 0..s {
            let here = place(rank, s);
            let children: Vec<u32> = [here.left, here.right].into_iter().flatten().collect();
            let same = here.parent == tree.parent(rank) && children == tree.children(rank);
            check.case(same && here.depth <= s.ilog2(), || format!("s = {s}, rank {rank}: {here:?}"));
        }
    }
    Ok(Derivation::of(format!("every rank, s = 1 to {}", SIZE_MAX / 2), check))
}

fn assertion_2(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    for s in 1..=SIZE_MAX / 2 {
        let tree = tree(s);
        let span = tree.spans();
        for rank in 0..s {
            let parent = tree.parent(rank);
            let next =
                if parent.is_some_and(|parent| rank < parent) { rank.checked_sub(1) } else { Some(rank + 1) };
            if parent.is_some() {
                printed.case(next.is_some_and(|next| next < s), || {
                    format!("s = {s}: the vertex of rank {rank} has no such neighbour")
                });
            }
            for &child in tree.children(rank) {
                let (low, high) = span[child as usize];
                let (inside, sides) = if child < rank {
                    (high + 1 == rank, high < rank)
                } else {
                    (low == rank + 1, low > rank)
                };
                corrected
                    .case(inside && sides, || format!("s = {s}, rank {rank}: ranks {low} to {high} below"));
            }
        }
    }
    Ok(Derivation::of(format!("s = 1 to {}", SIZE_MAX / 2), printed).corrected(corrected))
}

fn lemma_1(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut tight = 0u64;
    for s in 2..=SIZE_MAX {
        for rank in 0..s {
            let here = place(rank, s);
            for child in [here.left, here.right].into_iter().flatten() {
                let (gap, limit) = (rank.abs_diff(child), s.div_ceil(1 << (here.depth + 2)));
                tight += u64::from(gap == limit);
                check.case(gap <= limit, || format!("s = {s}, k = {}: {gap} > {limit}", here.depth));
            }
        }
    }
    let note = format!("Equal in {:.0} % of the edges.", 100.0 * tight as f64 / check.cases() as f64);
    Ok(Derivation::of(format!("every edge, s = 2 to {SIZE_MAX}"), check).note(note))
}

fn children_of_the_root(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for s in 1..=SIZE_MAX {
        let a = (s - 1).div_ceil(2);
        let here = place(a, s);
        check.case(here.parent.is_none(), || format!("s = {s}: rank {a} is not the root"));
        if let Some(left) = here.left {
            check.equal(&(a - 1).div_ceil(2), &left, || format!("s = {s}, left child"));
        }
        if let Some(right) = here.right {
            check.equal(&(a + (s - a).div_ceil(2)), &right, || format!("s = {s}, right child"));
        }
    }
    Ok(Derivation::of(format!("s = 1 to {SIZE_MAX}"), check))
}

//! Section 3: the complete binary tree, the binomial tree, and keep half, send half.

use std::collections::BTreeMap;

use super::literal::{self, Arc};
use super::study::Study;
use super::{HOLDS, NOT_CHECKABLE, work};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::units::Bytes;
use meshwright_mapping::{binomial, complete_binary};

/// Trees up to here are compared node by node as shapes.
const N_SHAPES_MAX: u32 = 12;

/// From the complete binary tree to Lemma 1.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "cbt-size",
        source: "Section 3",
        statement: "CBT(n) has 2^n - 1 nodes, 2^(n-1) of them leaves",
        definition: "tasks of CBT(n), and tasks that send nothing in the divide stage",
        printed: "2^n - 1 nodes, 2^(n-1) leaves",
        fails_if: "some CBT(n) has another number of tasks, or of tasks that send nothing",
        derive: cbt_size,
        ..HOLDS
    },
    Claim {
        id: "cbt-levels",
        source: "Section 3",
        statement: "in CBT(n) only the nodes of one level are active at a time",
        definition: "depth of every task that sends in a phase, found by following parents",
        printed: "in phases 2j - 1 and 2j the 2^(j-1) nodes of depth j - 1 send, and nobody else",
        fails_if: "in some phase a task of another level sends, or one of the level does not",
        derive: cbt_levels,
        ..HOLDS
    },
    Claim {
        id: "keep-half",
        source: "Section 3",
        statement: "keep half, send half does the same work in less time than CBT",
        definition: "simulated time of the divide stage on the same mesh, divided by the leaves that then work, every \
            leaf with the same work; CBT(n) placed by rows, along the Hilbert curve and by recursive bisection, B(n) by M_R and M_G, the best of each",
        printed: "T(B(n)) / 2^n < T(CBT(n)) / 2^(n-1)",
        fails_if: "for some n, switching and alpha the binomial tree takes as long for each leaf as the complete \
            binary tree, placed or at distance 1",
        derive: work::keep_half,
        ..HOLDS
    },
    Claim {
        id: "definition-1",
        source: "Definition 1",
        statement: "B(n): two copies of B(n - 1), their roots joined",
        definition: "parent and phase of every task, copy by copy",
        printed: "2^n tasks in postorder: parent(x) = x | (x + 1), phase(x) = n - t(x), t(x) the trailing ones of x",
        fails_if: "a task built copy by copy has another parent or phase than parent(x) and phase(x) say",
        derive: definition_1,
        ..HOLDS
    },
    Claim {
        id: "figure-1",
        source: "Figure 1",
        statement: "the tree, its labels in postorder, larger children first",
        definition: "our labels beside a walk over the tree of definition 1, children by phase, each task numbered after its \
            children",
        printed: "the drawing of B(4) is lost in our copy; what the text says of it: postorder labels (from 0 is our choice)",
        fails_if: "a drawing of B(4) turns up; until then, a task is left in another place than its label",
        derive: postorder,
        ..NOT_CHECKABLE
    },
    Claim {
        id: "subtrees",
        source: "Section 3, after Definition 1",
        statement: "the subtree of every node is a binomial tree",
        definition: "the arcs among x - 2^t + 1 .. x against those of B(t), t the number of children of x",
        printed: "the subtree of x is B(t)",
        fails_if: "the arcs below some task are not those of B(t)",
        derive: subtrees,
        ..HOLDS
    },
    Claim {
        id: "children",
        source: "Section 3, after Definition 1",
        statement: "the i-th child of the root is the root of B(n - i)",
        definition: "tasks below each child of the root, children in decreasing size",
        printed: "n children, the i-th with 2^(n-i) tasks",
        fails_if: "the root has another number of children than n, or the i-th has another number of tasks than \
            2^(n-i)",
        derive: children,
        ..HOLDS
    },
    Claim {
        id: "lemma-1",
        source: "Lemma 1",
        statement: "the graph of keep half, send half in n phases is B(n)",
        definition: "C(n), in which every node creates a node beside it in each phase, and B(n), both written in a \
            normal form that keeps only who created whom and when",
        printed: "C(n) = B(n), phase by phase",
        fails_if: "C(n) and B(n) have different normal forms for some n",
        derive: lemma_1,
        ..HOLDS
    },
];

fn cbt(n: u32) -> Result<meshwright_mapping::TaskGraph> {
    complete_binary::task_graph(n, Some(0.5), None, Bytes(1 << 20))
}

fn cbt_size(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let columns = [
        "n",
        "nodes of CBT(n)",
        "that solve a part",
        "messages",
        "phases",
        "nodes of B(n)",
        "that solve a part",
        "messages",
        "phases",
    ];
    let mut numbers = Numbers::new(&columns);
    for n in 1..=study.n_max {
        let tree = cbt(n)?;
        let mut divides = vec![false; tree.tasks as usize];
        tree.edges().iter().for_each(|edge| divides[edge.source as usize] = true);
        let leaves = divides.iter().filter(|divides| !**divides).count();
        check.equal(&((1 << n) - 1), &tree.tasks, || format!("nodes of CBT({n})"));
        check.equal(&(1 << (n - 1)), &leaves, || format!("leaves of CBT({n})"));
        let all = study.tree(n).len();
        numbers.row(&[
            &n,
            &tree.tasks,
            &leaves,
            &tree.edges().len(),
            &tree.phases(),
            &all,
            &all,
            &(all - 1),
            &n,
        ]);
    }
    Ok(Derivation::of(format!("n = 1 to {}", study.n_max), check).numbers(numbers))
}

fn cbt_levels(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for n in 2..=study.n_max {
        let tree = cbt(n)?;
        let mut depth = vec![0; tree.tasks as usize];
        for index in 0..tree.phases() {
            let level = tree.number(index).div_ceil(2);
            let senders = tree.phase(index).iter().map(|edge| edge.source as usize);
            let alike = senders.clone().all(|task| depth[task] == level - 1);
            check.case(alike && senders.count() == 1 << (level - 1), || {
                format!("CBT({n}), phase {}", index + 1)
            });
            tree.phase(index)
                .iter()
                .for_each(|edge| depth[edge.target as usize] = depth[edge.source as usize] + 1);
        }
    }
    Ok(Derivation::of(format!("every phase of CBT(2) to CBT({})", study.n_max), check))
}

fn definition_1(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let words = |arc: &Option<Arc>| {
        arc.map_or("no parent".into(), |arc| format!("parent {} in phase {}", arc.parent, arc.phase))
    };
    for n in 0..=study.n_max {
        check.equal(&(1 << n), &study.tree(n).len(), || format!("tasks of B({n})"));
        for (label, arc) in (0u32..).zip(study.tree(n)) {
            let closed = (label + 1 < 1 << n)
                .then(|| Arc { parent: binomial::parent(label), phase: binomial::phase(n, label) });
            check.case(closed == *arc, || {
                format!("B({n}), task {label}: {} and {}", words(&closed), words(arc))
            });
        }
    }
    Ok(Derivation::of(format!("every task of B(0) to B({})", study.n_max), check))
}

/// The children of each task in the order of their phases.
fn families(tree: &[Option<Arc>]) -> Vec<Vec<u32>> {
    let mut families = vec![Vec::new(); tree.len()];
    for (label, arc) in (0u32..).zip(tree) {
        if let Some(arc) = arc {
            families[arc.parent as usize].push((arc.phase, label));
        }
    }
    let by_phase = |mut family: Vec<(u32, u32)>| {
        family.sort_unstable();
        family.into_iter().map(|(_, label)| label).collect()
    };
    families.into_iter().map(by_phase).collect()
}

fn postorder(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for n in 0..=study.n_max {
        let families = families(study.tree(n));
        let mut left = 0u32;
        // Each entry: a task, and how many of its children have been visited.
        let mut way = vec![(families.len() as u32 - 1, 0)];
        while let Some((task, visited)) = way.last_mut() {
            if let Some(&child) = families[*task as usize].get(*visited) {
                *visited += 1;
                way.push((child, 0));
                continue;
            }
            check.equal(task, &left, || format!("B({n}): label of the task left as number {left}"));
            left += 1;
            way.pop();
        }
    }
    Ok(Derivation::of(format!("every task of B(0) to B({})", study.n_max), check))
}

fn subtrees(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let n_max = study.n_max.min(N_SHAPES_MAX);
    for n in 0..=n_max {
        let families = families(study.tree(n));
        for (label, family) in families.iter().enumerate() {
            let t = family.len() as u32;
            let first = (label + 1).checked_sub(1 << t);
            let moved =
                |arc: &Arc, first: usize| Arc { parent: arc.parent + first as u32, phase: arc.phase + n - t };
            let same = first.is_some_and(|first| {
                let inside = &study.tree(n)[first..label];
                inside
                    .iter()
                    .zip(study.tree(t))
                    .all(|(arc, whole)| *arc == whole.map(|whole| moved(&whole, first)))
            });
            check.case(same, || format!("B({n}), task {label}: its subtree is no B({t})"));
        }
    }
    Ok(Derivation::of(format!("every task of B(0) to B({n_max})"), check))
}

fn children(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for n in 0..=study.n_max {
        let tree = study.tree(n);
        let mut below = vec![1u32; tree.len()];
        for (label, arc) in tree.iter().enumerate() {
            if let Some(arc) = arc {
                below[arc.parent as usize] += below[label];
            }
        }
        let family = &families(tree)[tree.len() - 1];
        check.equal(&n, &(family.len() as u32), || format!("children of the root of B({n})"));
        for (i, &child) in (1u32..).zip(family) {
            check.equal(&(1 << (n - i)), &below[child as usize], || {
                format!("tasks below child {i} of B({n})")
            });
        }
    }
    Ok(Derivation::of(format!("every child of the root of B(0) to B({})", study.n_max), check))
}

/// A tree in normal form: a number for each different list of (phase, normal form of the child).
///
/// `order` lists the nodes children before parents; the last one is the root.
fn normal_form(
    tree: &[Option<Arc>],
    order: impl Iterator<Item = usize>,
    names: &mut BTreeMap<Vec<(u32, usize)>, usize>,
) -> usize {
    let mut families: Vec<Vec<(u32, usize)>> = vec![Vec::new(); tree.len()];
    let mut last = 0;
    for node in order {
        let mut family = std::mem::take(&mut families[node]);
        family.sort_unstable();
        let next = names.len();
        last = *names.entry(family).or_insert(next);
        if let Some(arc) = tree[node] {
            families[arc.parent as usize].push((arc.phase, last));
        }
    }
    last
}

fn lemma_1(study: &Study) -> Result<Derivation> {
    let n_max = study.n_max.min(N_SHAPES_MAX);
    let (mut check, mut names) = (Check::default(), BTreeMap::new());
    for n in 0..=n_max {
        let (copies, created) = (study.tree(n), literal::activations(n));
        let b = normal_form(copies, 0..copies.len(), &mut names);
        let c = normal_form(&created, (0..created.len()).rev(), &mut names);
        check.case(b == c, || format!("C({n}) differs from B({n})"));
    }
    Ok(Derivation::of(format!("n = 0 to {n_max}"), check))
}

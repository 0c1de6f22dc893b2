//! Section 4: the reflecting and the growing mapping, and the figures that show them.

use super::literal::MeshPlace;
use super::study::{BOTH, Mapping, Mapping::Growing, Mapping::Reflecting, Study};
use super::{HOLDS, NOT_CHECKABLE};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_network::routing;

/// Definitions 2 and 3 with figures 2 and 3.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "mesh-size",
        source: "Section 4",
        statement: "the mesh of B(n) has 2^n nodes, and is square or twice as wide as high",
        definition: "2^floor(n/2) times 2^ceil(n/2), and their ratio",
        printed: "2^n nodes, ratio 1 for even n, 2 for odd n",
        fails_if: "the sides give another number of nodes than 2^n, or another ratio",
        derive: mesh_size,
        ..HOLDS
    },
    Claim {
        id: "one-to-one",
        source: "Section 4",
        statement: "both mappings give every task a node of its own",
        definition: "nodes that definitions 2 and 3, built word by word, use",
        printed: "every node of the mesh, once",
        fails_if: "two tasks have one node, or a node has none",
        derive: one_to_one,
        ..HOLDS
    },
    Claim {
        id: "definition-2",
        source: "Definition 2",
        statement: "M_R: two copies side by side, the second reflected, their roots joined",
        definition: "the mapping built copy by copy; the place of both roots each time",
        printed: "the roots lie on one row (odd n) or one column (even n); column = GrayDecode(bits 0, 2, 4, ... of the \
            label), row = GrayDecode(bits 1, 3, 5, ...), as the placement `reflecting` has it",
        fails_if: "the two roots are not on one line, or a task is elsewhere than our placement `reflecting` puts it",
        derive: definition_2,
        ..HOLDS
    },
    Claim {
        id: "figure-2",
        source: "Figure 2",
        statement: "where the root of M_R(B(n)) is",
        definition: "the place of the last task, built copy by copy",
        printed: "the drawing is lost in our copy; by our own formula the root is at (r, r) for n = 2k and (r, 2^(k+1) - 1 - r) for n = 2k + 1, with r = floor(2^(k+1) / 3)",
        fails_if: "a drawing turns up; until then, the root built copy by copy is not where our formula has it",
        derive: figure_2,
        ..NOT_CHECKABLE
    },
    Claim {
        id: "definition-3",
        source: "Definition 3",
        statement: "M_G: every task of B(n - 1) grows a leaf outwards",
        definition: "the mapping built leaf by leaf",
        printed: "leaves at distance 2^(ceil(n/2) - 2) from their parents, in rows for odd n and in columns for even n; as \
            the placement `growing` has it",
        fails_if: "a new leaf is not outwards of its parent at that distance, or elsewhere than our placement \
            `growing` puts it",
        derive: definition_3,
        ..HOLDS
    },
    Claim {
        id: "figure-3",
        source: "Figure 3",
        statement: "where the root of M_G(B(n)) is",
        definition: "the place of the last task, built leaf by leaf",
        printed: "the drawing is lost in our copy; by our own formula the root is at (R/2, C/2) on R rows and C columns for \
            n >= 2",
        fails_if: "a drawing turns up; until then, the root built leaf by leaf is not where our formula has it",
        derive: figure_3,
        ..NOT_CHECKABLE
    },
    Claim {
        id: "same-line",
        source: "Section 4",
        statement: "tasks joined by an edge are in one row or one column",
        definition: "places of both ends of every edge",
        printed: "equal rows or equal columns",
        fails_if: "the ends of an edge differ in row and in column",
        derive: same_line,
        ..HOLDS
    },
    Claim {
        id: "shortest-path",
        source: "Section 4",
        statement: "the nodes fix the paths: each edge takes the one shortest way",
        definition: "links of the route of each edge, followed node by node, rows first and columns first",
        printed: "as many links as rows and columns between the ends, the same in both orders",
        fails_if: "rows first and columns first visit different nodes, or a route has more links than the ends are \
            apart",
        derive: shortest_path,
        ..HOLDS
    },
];

fn mesh_size(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for n in 0..=study.n_max {
        let (rows, columns) = Study::sides(n);
        let words = || format!("n = {n}: {rows} x {columns}");
        check.case(rows * columns == 1 << n && columns == rows << (n % 2), words);
    }
    Ok(Derivation::of(format!("n = 0 to {}", study.n_max), check))
}

fn one_to_one(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for (mapping, n) in each(study) {
        let (rows, columns) = Study::sides(n);
        let mut places = study.places(mapping, n).to_vec();
        places.sort_unstable();
        let mesh = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        check.case(places.into_iter().eq(mesh), || format!("{} of B({n})", mapping.name()));
    }
    Ok(Derivation::of(format!("B(0) to B({}), both mappings", study.n_max), check))
}

/// Both mappings, in increasing n.
fn each(study: &Study) -> impl Iterator<Item = (Mapping, u32)> {
    (0..=study.n_max).flat_map(|n| BOTH.map(|mapping| (mapping, n)))
}

/// Compares a mapping built word by word with the placement of the program, task by task.
fn like_the_planner(
    check: &mut Check,
    study: &Study,
    mapping: Mapping,
    name: &'static str,
    n: u32,
) -> Result<()> {
    let mesh = Study::mesh(n)?;
    let (literal, planned) = (study.nodes(mapping, n, &mesh)?, study.nodes(Mapping::Named(name), n, &mesh)?);
    for (task, (literal, planned)) in literal.iter().zip(&planned).enumerate() {
        check.equal(planned, literal, || format!("node of task {task} of B({n})"));
    }
    Ok(())
}

fn definition_2(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for n in 0..=study.n_max {
        if n > 0 {
            let places = study.places(Reflecting, n);
            let (first, second) = (places[places.len() / 2 - 1], places[places.len() - 1]);
            let aligned = if n % 2 == 1 { first.0 == second.0 } else { first.1 == second.1 };
            check.case(aligned, || format!("B({n}): roots at {first:?} and {second:?}"));
        }
        like_the_planner(&mut check, study, Reflecting, "reflecting", n)?;
    }
    Ok(Derivation::of(format!("both roots and every task of B(0) to B({})", study.n_max), check))
}

/// A place with the punctuation of the tables.
fn written((row, column): MeshPlace) -> String {
    format!("({row}, {column})")
}

/// Compares the place of the root with its formula.
fn roots(study: &Study, mapping: Mapping, from: u32, formula: impl Fn(u32) -> MeshPlace) -> Derivation {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["n", "rows", "columns", "root by the formula", "built"]);
    for n in from..=study.n_max {
        let (rows, columns) = Study::sides(n);
        let built = *study.places(mapping, n).last().expect("a tree has a root");
        check.equal(&written(formula(n)), &written(built), || format!("root of B({n})"));
        numbers.row(&[&n, &rows, &columns, &written(formula(n)), &written(built)]);
    }
    Derivation::of(format!("n = {from} to {}", study.n_max), check).numbers(numbers)
}

fn figure_2(study: &Study) -> Result<Derivation> {
    Ok(roots(study, Reflecting, 0, |n| {
        let side = 2 << (n / 2);
        let r = side / 3;
        if n % 2 == 0 { (r, r) } else { (r, side - 1 - r) }
    }))
}

fn figure_3(study: &Study) -> Result<Derivation> {
    Ok(roots(study, Growing, 2, |n| {
        let (rows, columns) = Study::sides(n);
        (rows / 2, columns / 2)
    }))
}

fn definition_3(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for n in 0..=study.n_max {
        like_the_planner(&mut check, study, Growing, "growing", n)?;
        let step = if n < 3 { continue } else { 1 << (n.div_ceil(2) - 2) };
        let (rows, columns) = Study::sides(n);
        for pair in study.places(Growing, n).chunks_exact(2) {
            let ((row, column), (from_row, from_column)) = (pair[0], pair[1]);
            // Outwards: away from the middle of the mesh.
            let outwards = |leaf: u32, from: u32, side: u32| {
                if from >= side / 2 { leaf == from + step } else { leaf + step == from }
            };
            let grown = match n % 2 {
                1 => row == from_row && outwards(column, from_column, columns),
                _ => column == from_column && outwards(row, from_row, rows),
            };
            check.case(grown, || format!("B({n}): leaf at {} of {}", written(pair[0]), written(pair[1])));
        }
    }
    Ok(Derivation::of(format!("every task and every new leaf of B(0) to B({})", study.n_max), check))
}

fn same_line(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for (mapping, n) in each(study) {
        let places = study.places(mapping, n);
        for (label, arc) in study.tree(n).iter().enumerate() {
            let Some(arc) = arc else { continue };
            let (from, to) = (places[arc.parent as usize], places[label]);
            check.case(from.0 == to.0 || from.1 == to.1, || {
                format!("{} of B({n}): {} to {}", mapping.name(), written(from), written(to))
            });
        }
    }
    Ok(Derivation::of(format!("every edge of B(0) to B({}), both mappings", study.n_max), check))
}

/// The nodes of a route that goes along the row first, or along the column first.
pub(super) fn way(from: MeshPlace, to: MeshPlace, row_first: bool) -> Vec<MeshPlace> {
    let mut way = vec![from];
    let mut at = from;
    for step in 0..2 {
        let along_row = (step == 0) == row_first;
        while if along_row { at.1 != to.1 } else { at.0 != to.0 } {
            let (here, there) = if along_row { (&mut at.1, to.1) } else { (&mut at.0, to.0) };
            *here = if *here < there { *here + 1 } else { *here - 1 };
            way.push(at);
        }
    }
    way
}

fn shortest_path(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let n_max = study.n_max.min(10);
    for (mapping, n) in each(study).filter(|(_, n)| *n <= n_max) {
        let (mesh, places) = (Study::mesh(n)?, study.places(mapping, n));
        let nodes = study.nodes(mapping, n, &mesh)?;
        for (label, arc) in study.tree(n).iter().enumerate() {
            let Some(arc) = arc else { continue };
            let (from, to) = (places[arc.parent as usize], places[label]);
            let walked = way(from, to, true);
            let apart = from.0.abs_diff(to.0) + from.1.abs_diff(to.1);
            let pair = (nodes[arc.parent as usize], nodes[label]);
            let routed = routing::routes(&mesh, &[pair])?.hops(0, pair).0;
            let same = walked == way(from, to, false) && walked.len() as u32 == apart + 1 && routed == apart;
            check
                .case(same, || format!("{} of B({n}): {} to {}", mapping.name(), written(from), written(to)));
        }
    }
    Ok(Derivation::of(format!("every edge of B(0) to B({n_max}), both mappings"), check))
}

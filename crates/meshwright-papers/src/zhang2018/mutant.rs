//! Definitions that are wrong on purpose: a check that does not notice is none.

use std::cell::Cell;

use super::{Claim, SECTIONS, Study};
use meshwright_core::exact::Exact;

thread_local! {
    static BROKEN: Cell<Option<Mutant>> = const { Cell::new(None) };
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mutant {
    Layers,
    Loads,
    Matrix,
    Schedulers,
}

/// One node more a hop away.
pub(super) fn layers(layers: &mut [u64]) {
    if let (Some(Mutant::Layers), Some(first)) = (BROKEN.get(), layers.get_mut(1)) {
        *first += 1;
    }
}

/// The last layer of a timing diagram takes twice what it should.
pub(super) fn loads(loads: &mut [Exact]) {
    if let (Some(Mutant::Loads), [_, .., last]) = (BROKEN.get(), loads) {
        *last = &*last + &*last;
    }
}

/// One more in the last row of a flow matrix.
pub(super) fn matrix(rows: &mut [Vec<Exact>]) {
    if let (Some(Mutant::Matrix), Some(entry)) =
        (BROKEN.get(), rows.last_mut().and_then(|row| row.get_mut(1)))
    {
        *entry = &*entry + Exact::whole(1);
    }
}

/// Another scheduler.
pub(super) fn method(name: &str) -> &str {
    match (BROKEN.get(), name) {
        (Some(Mutant::Schedulers), "reduced" | "accelerated") => "voronoi",
        (Some(Mutant::Schedulers), "voronoi") => "reduced",
        _ => name,
    }
}

/// Claims that none of the four reaches, and why: they look at something else, or say what is so in any case.
const UNTOUCHED: &[(&str, &str)] = &[
    ("balance", "a balance that any cells have"),
    ("best-position", "an order that survives"),
    ("chapter-7", "printed numbers"),
    ("community-row", "rings of an endless mesh"),
    ("community-size", "printed numbers"),
    ("eq-3.47", "a minor without the first row"),
    ("eq-5.1", "hops between two nodes"),
    ("figure-3.20", "places of numbers"),
    ("figure-3.21", "a lower bound with room"),
    ("figure-3.24-slow", "rows of its own, at sigma = 1 without a last layer"),
    ("figure-5.11", "cells"),
    ("figure-5.18", "a gain that no scheduler makes"),
    ("future-front-end", "a bound that schedules of messages keep"),
    ("future-gaussian", "cuts"),
    ("future-positions", "an order of its own"),
    ("future-queues", "a border of its own"),
    ("future-unlike", "refusals"),
    ("lower-band", "a row of its own"),
    ("near-optimal", "an optimum that no cells come near"),
    ("nonsingular", "determinants, which hardly any change makes 0"),
    ("np-hard", "nothing"),
    ("parametric-cut", "cuts"),
    ("ratios", "printed numbers"),
    ("ratios-rounded", "printed numbers"),
    ("sigma-above-1", "a lower bound of any row"),
    ("star-shaped", "cells"),
    ("table-3.4", "printed numbers"),
    ("torus-positions", "alike, right or wrong"),
];

/// Every check is of something: with layers, loads, matrices or schedulers wrong, it fails.
#[test]
fn a_broken_definition_is_seen_by_every_claim_that_looks_at_it() {
    let mutants = [Mutant::Layers, Mutant::Loads, Mutant::Matrix, Mutant::Schedulers];
    let stands = |claim: &Claim<Study>, mutant| {
        BROKEN.set(Some(mutant));
        let stands = claim.stands(&Study);
        BROKEN.set(None);
        stands
    };
    let all = SECTIONS.iter().copied().flatten();
    let mut unmoved: Vec<&str> = all
        .filter(|claim| mutants.iter().all(|&mutant| stands(claim, mutant)))
        .map(|claim| claim.id)
        .collect();
    unmoved.sort_unstable();
    let untouched: Vec<&str> = UNTOUCHED.iter().map(|(id, _)| *id).collect();
    assert_eq!(unmoved, untouched);
}

//! V. Lo, S. Rajopadhye, J. A. Telle, X. Zhong, *Parallel Divide and Conquer on Meshes*.
//!
//! | file | what |
//! |---|---|
//! | [`literal`] | definitions 1 to 3 built word by word |
//! | `study` | their metrics, and the referee |
//! | `trees`, `work` | section 3: the trees; what nodes do, and what keeping half gains |
//! | `mappings` | section 4 |
//! | `definitions`, `equations` | section 5: definitions 4 to 10; equations (1) to (10) |
//! | `wormhole` | section 6.1 |
//! | [`reflecting`], `totals` | section 6.2: dilations; times and slowdown |
//! | `growing`, `lemma8` | section 6.3 |
//! | `comparison` | section 6.4, abstract and conclusion |
//! | `beyond` | the footnote and the ongoing work |
//!
//! Labels are 0-based postorder numbers, children in decreasing size. Phase 1 joins the two largest halves. Row 0 is
//! in the north, column 0 in the west.
//!
//! # Source
//!
//! `lo1990`, all of it.

mod beyond;
mod comparison;
mod definitions;
mod equations;
mod growing;
mod lemma8;
pub mod literal;
mod mappings;
pub mod reflecting;
mod study;
mod totals;
mod trees;
mod work;
mod wormhole;

use super::{Claim, Finding, Paper, Wanted, find_wanted};
use meshwright_core::error::Result;
use study::Study;

/// The paper and its claims.
pub const PAPER: Paper = Paper {
    name: "lo1990",
    title: "V. Lo, S. Rajopadhye, J. A. Telle, X. Zhong: Parallel Divide and Conquer on Meshes",
    derive,
};

/// The claims in the order of the paper.
const SECTIONS: &[&[Claim<Study>]] = &[
    trees::CLAIMS,
    work::CLAIMS,
    mappings::CLAIMS,
    definitions::CLAIMS,
    equations::CLAIMS,
    wormhole::CLAIMS,
    reflecting::CLAIMS,
    totals::CLAIMS,
    growing::DILATIONS,
    lemma8::CLAIMS,
    growing::SLOWDOWNS,
    comparison::CLAIMS,
    beyond::CLAIMS,
];

const HOLDS: Claim<Study> = Claim::HOLDS;
const CORRECTED: Claim<Study> = Claim::CORRECTED;
const REMARK: Claim<Study> = Claim::REMARK;
const NOT_CHECKABLE: Claim<Study> = Claim::NOT_CHECKABLE;

const _: () = assert!(Claim::each_can_fail(SECTIONS), "a claim does not say how it would fail");

fn derive(n_max: u32, wanted: &Wanted<'_>, progress: &mut dyn FnMut(&str)) -> Result<Vec<Finding>> {
    // The study is worth its time only if something of it is wanted.
    if !SECTIONS.iter().copied().flatten().any(|claim| wanted(claim.id, claim.errata)) {
        return Ok(Vec::new());
    }
    let study = Study::new(n_max, progress)?;
    find_wanted(SECTIONS, &study, wanted, progress)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Claims that neither change reaches, and why: they look at something else, or say what is so of any mapping.
    const UNTOUCHED: &[(&str, &str)] = &[
        ("alpha-examples", "shares of data"),
        ("cbt-levels", "complete binary trees"),
        ("cbt-size", "complete binary trees"),
        ("definition-4", "two measures of any mapping"),
        ("definition-5", "two measures of any mapping"),
        ("definition-6", "two measures of any mapping"),
        ("definition-7", "two measures of any mapping"),
        ("eq-1", "one message on a line"),
        ("eq-10", "formula and simulator on any mapping"),
        ("eq-2", "one message on a line"),
        ("eq-3", "one message on a line"),
        ("eq-6", "one message on a line"),
        ("eq-7", "formula and simulator on any mapping"),
        ("eq-8", "formula and simulator on any mapping"),
        ("figure-4", "places built anew"),
        ("footnote-1", "placements of the program"),
        ("keep-half", "an inequality with room"),
        ("lemma-3-diagonals", "diagonals, on which growing has its roots too"),
        ("lemma-4", "a geometric series"),
        ("mesh-size", "sides of meshes"),
        ("one-to-one", "any mapping that is one"),
        ("ongoing-arbitrary", "random graphs"),
        ("ongoing-completion-time", "placements of the program"),
        ("theorem-2-large", "closed forms of large k"),
        ("theorem-2-small", "a lower bound that growing attains"),
        ("theorem-2-uniform", "a lower bound that growing attains"),
    ];

    /// Every check is of something: with the mappings exchanged, or with one leaf hung on the root, it fails.
    #[test]
    fn a_broken_definition_is_seen_by_every_claim_that_looks_at_it() {
        let broken = [true, false].map(|exchange| Study::broken(8, exchange).unwrap());
        let mut unmoved = Vec::new();
        for claim in SECTIONS.iter().copied().flatten() {
            if broken.iter().all(|study| claim.stands(study)) {
                unmoved.push(claim.id);
            }
        }
        unmoved.sort_unstable();
        let untouched: Vec<&str> = UNTOUCHED.iter().map(|(id, _)| *id).collect();
        assert_eq!(unmoved, untouched);
    }
}

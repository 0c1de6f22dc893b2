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
use crate::error::Result;
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
const NOT_BUILT: Claim<Study> = Claim::NOT_BUILT;

const _: () = assert!(Claim::each_can_fail(SECTIONS), "a claim does not say how it would fail");

fn derive(n_max: u32, wanted: &Wanted<'_>, progress: &mut dyn FnMut(&str)) -> Result<Vec<Finding>> {
    // The study is worth its time only if something of it is wanted.
    if !SECTIONS.iter().copied().flatten().any(|claim| wanted(claim.id, claim.errata)) {
        return Ok(Vec::new());
    }
    let study = Study::new(n_max, progress)?;
    find_wanted(SECTIONS, &study, wanted, progress)
}

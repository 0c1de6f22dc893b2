//! V. Lo, S. Rajopadhye, J. A. Telle, X. Zhong, *Parallel Divide and Conquer on Meshes*.
//!
//! | file | what |
//! |---|---|
//! | `literal` | definitions 1 to 3 built word by word |
//! | `study` | their metrics, and the referee |
//! | `reflecting` | section 6.2 |
//!
//! Labels are 0-based postorder numbers, children in decreasing size. Phase 1 joins the two largest halves. Row 0 is
//! in the north, column 0 in the west.
//!
//! # Source
//!
//! `lo1990`, all of it.

pub mod literal;
mod reflecting;
mod study;

use super::{Claim, Finding, Paper};
use crate::error::Result;
use study::Study;

/// The paper and its claims.
pub const PAPER: Paper = Paper {
    name: "lo1990",
    title: "V. Lo, S. Rajopadhye, J. A. Telle, X. Zhong: Parallel Divide and Conquer on Meshes",
    derive,
};

/// The claims in the order of the paper.
const SECTIONS: &[&[Claim<Study>]] = &[reflecting::CLAIMS];

fn derive(
    n_max: u32,
    wanted: &dyn Fn(&str, Option<&str>) -> bool,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Finding>> {
    let claims: Vec<&Claim<Study>> =
        SECTIONS.iter().copied().flatten().filter(|claim| wanted(claim.id, claim.errata)).collect();
    if claims.is_empty() {
        return Ok(Vec::new());
    }
    let study = Study::new(n_max, progress)?;
    let find = |claim: &Claim<Study>| {
        progress(claim.source);
        claim.find(&study)
    };
    claims.into_iter().map(find).collect()
}

//! J. Zhang, *Data Distribution Equivalence for Data Intensive Interconnection Networks*.
//!
//! | file | what |
//! |---|---|
//! | `literal`, `private` | the thesis word by word: layers, timing diagrams, matrices; each processor by itself |
//! | `single` | one source at a corner, at the border, inside: first rows and explicit solutions |
//! | `matrix` | the flow matrix, its determinants and what they say |
//! | `solving` | what solving it takes |
//! | `sensitivity` | what is read off the curves |
//! | `optimality` | what is said of the best: all stop together, private paths, NP-hardness |
//! | `serial` | single path communication |
//! | `connected` | sources that are connected and taken as one |
//! | `cells` | Voronoi cells of sources that are not |
//! | `rounds` | averages over random sources |
//! | `headlines` | section 5.4.1, sentences of abstract and conclusion |
//! | `future` | section 7.2 |
//! | `printed` | numbers that follow from other printed numbers |
//! | `networks` | tori and hypercubes |
//! | [`formulas`] | formulas of the thesis that only its claims and their tests ask for |
//!
//! Errata are numbered Z1, Z2 and so on.
//!
//! # Source
//!
//! `zhang2018`, all of it.

mod cells;
mod connected;
pub mod formulas;
mod future;
mod headlines;
mod literal;
mod matrix;
#[cfg(test)]
mod mutant;
mod networks;
mod optimality;
mod printed;
mod private;
mod rounds;
mod sensitivity;
mod serial;
mod single;
mod solving;

use super::{Claim, Finding, Paper, Wanted, find_wanted};
use meshwright_core::error::Result;

/// The paper and its claims.
pub const PAPER: Paper = Paper {
    name: "zhang2018",
    title: "J. Zhang: Data Distribution Equivalence for Data Intensive Interconnection Networks",
    derive,
};

/// The claims in the order of the thesis.
const SECTIONS: &[&[Claim<Study>]] = &[
    single::CLAIMS,
    matrix::CLAIMS,
    solving::CLAIMS,
    sensitivity::CLAIMS,
    optimality::CLAIMS,
    serial::CLAIMS,
    connected::CLAIMS,
    cells::CLAIMS,
    rounds::CLAIMS,
    networks::CLAIMS,
    printed::CLAIMS,
    headlines::CLAIMS,
    future::CLAIMS,
];

/// What the claims share.
struct Study;

const HOLDS: Claim<Study> = Claim::HOLDS;
const CORRECTED: Claim<Study> = Claim::CORRECTED;
const REFUTED: Claim<Study> = Claim::REFUTED;
const REMARK: Claim<Study> = Claim::REMARK;
const NOT_CHECKABLE: Claim<Study> = Claim::NOT_CHECKABLE;
const NOT_BUILT: Claim<Study> = Claim::NOT_BUILT;

const _: () = assert!(Claim::each_can_fail(SECTIONS), "a claim does not say how it would fail");

fn derive(_: u32, wanted: &Wanted<'_>, progress: &mut dyn FnMut(&str)) -> Result<Vec<Finding>> {
    find_wanted(SECTIONS, &Study, wanted, progress)
}

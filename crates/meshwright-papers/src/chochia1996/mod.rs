//! G. Chochia, M. Cole, T. Heywood, *Synchronizing Arbitrary Processor Groups in Dynamically Partitioned 2-D Meshes*.
//!
//! | file | what |
//! |---|---|
//! | [`adversary`] | groups on which rank-halving trees are worst |
//! | [`definition`] | the functions of lemma 2 from their definitions and by the recursions |
//! | `orders` | the Hilbert curve and its distances |
//! | `trees` | rank-halving trees: shape, assertions 1 and 2, lemma 1 |
//! | `paths` | how far packets travel on them: theorems 1 to 3 |
//! | `splits` | labels, the packets of step 4, lemma 5 |
//! | `lemma_4`, [`most_packets`] | how many packets of step 4 pass a vertex; the most that can |
//! | `protocol` | the split as messages: lemmas 2 and 3, steps 2 and 5, space |
//! | `theorem_4`, `permutations` | theorem 4, what it rests on, and the remark after it |
//! | [`dynamic`] | theorem 4 measured: all groups at once, queues counted |
//! | `experiments` | section 5 |
//! | `rivals`, [`semaphore`] | what groups are beside: lock-step, partition into sub-meshes, a counter |
//! | `together` | groups side by side |
//! | `worst_path` | the longest path over all groups of a size, and a group that has it |
//!
//! Errata are numbered G1, G3 and so on; G2, G13, G14, G16 and G18 were statements of ours and are remarks, without a
//! number, and so is what was G15: the paper needs its step 2 on the channels that it has.
//!
//! # Source
//!
//! `chochia1996`, all of it.

pub mod adversary;
pub mod definition;
pub mod dynamic;
mod experiments;
mod lemma_4;
pub mod most_packets;
mod orders;
mod paths;
mod permutations;
mod protocol;
mod rivals;
pub mod semaphore;
mod splits;
mod theorem_4;
mod together;
mod trees;
pub mod worst_path;

use std::cell::OnceCell;

use super::{Claim, Finding, Paper, Wanted, find_wanted};
use meshwright_core::error::Result;
use meshwright_verdict::groups::experiment::Experiment;

/// The paper and its claims.
pub const PAPER: Paper = Paper {
    name: "chochia1996",
    title: "G. Chochia, M. Cole, T. Heywood: Synchronizing Arbitrary Processor Groups in Dynamically Partitioned 2-D Meshes",
    derive,
};

/// The claims in the order of the paper.
const SECTIONS: &[&[Claim<Study>]] = &[
    orders::CLAIMS,
    trees::CLAIMS,
    paths::CLAIMS,
    protocol::CLAIMS,
    lemma_4::CLAIMS,
    splits::CLAIMS,
    theorem_4::CLAIMS,
    experiments::CLAIMS,
    rivals::CLAIMS,
];

/// What the claims share: experiments that several of them look at, run when the first does.
#[derive(Default)]
struct Study {
    scattered: OnceCell<Experiment>,
    consecutive: [OnceCell<Experiment>; 2],
    /// Theorem 4 by three phases, side by side of the mesh.
    three_phase: OnceCell<Vec<Vec<dynamic::Observation>>>,
}

const HOLDS: Claim<Study> = Claim::HOLDS;
const CORRECTED: Claim<Study> = Claim::CORRECTED;
const REFUTED: Claim<Study> = Claim::REFUTED;
const REMARK: Claim<Study> = Claim::REMARK;
const NOT_CHECKABLE: Claim<Study> = Claim::NOT_CHECKABLE;

const _: () = assert!(Claim::each_can_fail(SECTIONS), "a claim does not say how it would fail");

fn derive(_: u32, wanted: &Wanted<'_>, progress: &mut dyn FnMut(&str)) -> Result<Vec<Finding>> {
    find_wanted(SECTIONS, &Study::default(), wanted, progress)
}

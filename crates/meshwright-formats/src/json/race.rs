//! The form of a verdict on a collective operation.

use serde::Serialize;

use meshwright_collectives::bound::Certificate;
use meshwright_core::units::{NodeId, Ratio};
use meshwright_verdict::race::{RaceFacts, RaceOutcome, RaceVerdict};
use meshwright_verdict::{Facts, LinkUse, LinkWait, Skipped};

/// Every algorithm that suits, and the winner.
#[derive(Debug, Serialize)]
pub struct RaceForm<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    operation: &'static str,
    bytes: u64,
    members: u32,
    /// Cycles of adding up a byte; left out where that costs nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    combine_time: Option<f64>,
    /// Whether routers copy; left out where they do not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    multicast: bool,
    /// The roots that were compared; left out where there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    roots: Vec<NodeId>,
    bound_cycles: u64,
    bound: BoundForm<'a>,
    winner: Option<&'a str>,
    reason: &'a str,
    advice: Option<&'a str>,
    results: Vec<AlgorithmForm<'a>>,
    skipped: Vec<SkippedForm<'a>>,
}

/// What proves the bound.
#[derive(Debug, Serialize)]
struct BoundForm<'a> {
    cycles: u64,
    kind: &'static str,
    why: &'a str,
    certificate: &'a Certificate,
}

/// One algorithm.
#[derive(Debug, Serialize)]
struct AlgorithmForm<'a> {
    algorithm: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<NodeId>,
    bound_cycles: u64,
    predicted_cycles: u64,
    simulated_cycles: Option<u64>,
    gap: Option<f64>,
    steps: u32,
    chunks: u32,
    messages: u64,
    bytes_hops: u64,
    busiest_link: Option<LinkUse>,
    waited_link: Option<LinkWait>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_simulated: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recipe: Option<String>,
}

/// An algorithm that does not suit.
#[derive(Debug, Serialize)]
struct SkippedForm<'a> {
    algorithm: &'a str,
    why: &'a str,
    deadlock: bool,
}

impl<'a> From<&'a RaceVerdict> for RaceForm<'a> {
    fn from(verdict: &'a RaceVerdict) -> Self {
        let facts = &verdict.facts;
        let bound = &facts.bound;
        Self {
            kind: RaceFacts::KIND,
            name: &verdict.name,
            operation: facts.operation.name(),
            bytes: facts.bytes,
            members: facts.members,
            combine_time: facts.combine.map(Ratio::to_f64),
            multicast: facts.multicast,
            roots: facts.roots.clone(),
            bound_cycles: bound.cycles.0,
            bound: BoundForm {
                cycles: bound.cycles.0,
                kind: bound.kind,
                why: &bound.why,
                certificate: &bound.certificate,
            },
            winner: verdict.winner_name(),
            reason: &verdict.reason,
            advice: verdict.advice.as_deref(),
            results: verdict.results.iter().map(AlgorithmForm::from).collect(),
            skipped: verdict.skipped.iter().map(SkippedForm::from).collect(),
        }
    }
}

impl<'a> From<&'a RaceOutcome> for AlgorithmForm<'a> {
    fn from(outcome: &'a RaceOutcome) -> Self {
        let detail = &outcome.detail;
        Self {
            algorithm: &outcome.method,
            root: detail.root,
            bound_cycles: outcome.bound_cycles,
            predicted_cycles: outcome.predicted_cycles,
            simulated_cycles: outcome.simulated_cycles,
            gap: outcome.gap(),
            steps: detail.steps,
            chunks: detail.chunks,
            messages: detail.messages,
            bytes_hops: detail.bytes_hops,
            busiest_link: outcome.busiest_link,
            waited_link: outcome.waited_link,
            not_simulated: detail.not_simulated.as_deref(),
            recipe: detail.recipe.as_ref().map(ToString::to_string),
        }
    }
}

impl<'a> From<&'a Skipped> for SkippedForm<'a> {
    fn from(skipped: &'a Skipped) -> Self {
        Self { algorithm: &skipped.method, why: &skipped.why, deadlock: skipped.deadlock }
    }
}

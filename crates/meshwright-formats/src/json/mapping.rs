//! The form of a verdict on a phased job.

use serde::Serialize;

use meshwright_mapping::logical::AXES;
use meshwright_sim::fitting::Routers;
use meshwright_verdict::explain::Culprit;
use meshwright_verdict::mapping::Searched;
use meshwright_verdict::{
    Facts, LinkUse, LinkWait, MappingFacts, MappingOutcome, MappingVerdict, PhaseRow, Skipped,
};

/// Every placement that applies, and the winner.
#[derive(Debug, Serialize)]
pub(super) struct MappingForm<'a> {
    kind: &'static str,
    name: &'a str,
    winner: Option<&'a str>,
    reason: &'a str,
    advice: Option<&'a str>,
    results: Vec<PlacementForm<'a>>,
    skipped: &'a [Skipped],
    searched: Option<&'a Searched>,
    culprit: Option<&'a Culprit>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    interrupted: bool,
}

/// One placement; the bound is that of placements that send these messages whole.
#[derive(Debug, Serialize)]
struct PlacementForm<'a> {
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    axes: Option<&'a str>,
    bound_cycles: u64,
    predicted_cycles: u64,
    simulated_cycles: Option<u64>,
    dependency_cycles: Option<u64>,
    engine: &'static str,
    routers: Option<&'a Routers>,
    deadlock_free: bool,
    gap: Option<f64>,
    hops_total: u64,
    #[serde(flatten, serialize_with = "meshwright_sim::link_use::busiest_under_both")]
    busiest_link: Option<LinkUse>,
    #[serde(flatten, serialize_with = "meshwright_sim::link_use::waited_under_both")]
    waited_link: Option<LinkWait>,
    phases: &'a [PhaseRow],
}

impl<'a> From<&'a MappingVerdict> for MappingForm<'a> {
    fn from(verdict: &'a MappingVerdict) -> Self {
        Self {
            kind: MappingFacts::KIND,
            name: &verdict.name,
            winner: verdict.winner_name(),
            reason: &verdict.reason,
            advice: verdict.advice.as_deref(),
            results: verdict.results.iter().map(|outcome| PlacementForm::of(outcome, verdict)).collect(),
            skipped: &verdict.skipped,
            searched: verdict.facts.searched.as_ref(),
            culprit: verdict.facts.culprit.as_ref(),
            interrupted: verdict.facts.interrupted,
        }
    }
}

impl<'a> PlacementForm<'a> {
    fn of(outcome: &'a MappingOutcome, verdict: &'a MappingVerdict) -> Self {
        let detail = &outcome.detail;
        Self {
            method: &outcome.method,
            axes: verdict.facts.axes.as_deref().filter(|_| outcome.method == AXES.name),
            bound_cycles: outcome.bound_cycles,
            predicted_cycles: outcome.predicted_cycles,
            simulated_cycles: outcome.simulated_cycles,
            dependency_cycles: detail.dependency_cycles,
            engine: detail.engine,
            routers: detail.routers.as_ref(),
            deadlock_free: detail.deadlock_free,
            gap: outcome.gap(),
            hops_total: detail.hops_total,
            busiest_link: outcome.busiest_link,
            waited_link: outcome.waited_link,
            phases: &detail.phases,
        }
    }
}

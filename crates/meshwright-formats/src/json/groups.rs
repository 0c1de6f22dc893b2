//! The form of a verdict on a program of groups.

use serde::Serialize;

use meshwright_verdict::{Facts, GroupsFacts, GroupsOutcome, GroupsVerdict, LinkUse, Skipped};

/// Every method that applies, and the winner.
#[derive(Debug, Serialize)]
pub(super) struct GroupsForm<'a> {
    kind: &'static str,
    name: &'a str,
    winner: Option<&'a str>,
    reason: &'a str,
    advice: Option<&'a str>,
    results: Vec<MethodForm<'a>>,
    skipped: &'a [Skipped],
    order: &'a str,
    members: u32,
    levels: u32,
    runs: u32,
    engine: &'static str,
    lockstep: bool,
    seed: u64,
}

/// One method.
#[derive(Debug, Serialize)]
struct MethodForm<'a> {
    method: &'a str,
    split: &'static str,
    tree: &'static str,
    bound_cycles: u64,
    predicted_cycles: u64,
    simulated_cycles: Option<u64>,
    gap: Option<f64>,
    #[serde(flatten, serialize_with = "meshwright_sim::link_use::busiest_under_both")]
    busiest_link: Option<LinkUse>,
    messages: u64,
    split_cycles_mean: Option<f64>,
    barrier_cycles_mean: Option<f64>,
    join_cycles_mean: Option<f64>,
    bytes_kept_max: usize,
}

impl<'a> From<&'a GroupsVerdict> for GroupsForm<'a> {
    fn from(verdict: &'a GroupsVerdict) -> Self {
        let facts = &verdict.facts;
        Self {
            kind: GroupsFacts::KIND,
            name: &verdict.name,
            winner: verdict.winner_name(),
            reason: &verdict.reason,
            advice: verdict.advice.as_deref(),
            results: verdict.results.iter().map(MethodForm::from).collect(),
            skipped: &verdict.skipped,
            order: &facts.order,
            members: facts.members,
            levels: facts.levels,
            runs: facts.runs,
            engine: facts.engine,
            lockstep: facts.lockstep,
            seed: facts.seed,
        }
    }
}

impl<'a> From<&'a GroupsOutcome> for MethodForm<'a> {
    fn from(outcome: &'a GroupsOutcome) -> Self {
        let detail = &outcome.detail;
        Self {
            method: &outcome.method,
            split: detail.split,
            tree: detail.tree,
            bound_cycles: outcome.bound_cycles,
            predicted_cycles: outcome.predicted_cycles,
            simulated_cycles: outcome.simulated_cycles,
            gap: outcome.gap(),
            busiest_link: outcome.busiest_link,
            messages: detail.messages,
            split_cycles_mean: detail.split_cycles_mean,
            barrier_cycles_mean: detail.barrier_cycles_mean,
            join_cycles_mean: detail.join_cycles_mean,
            bytes_kept_max: detail.bytes_kept_max,
        }
    }
}

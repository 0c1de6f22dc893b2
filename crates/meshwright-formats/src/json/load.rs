//! The form of a verdict on a divisible load.

use serde::Serialize;

use meshwright_core::units::NodeId;
use meshwright_load::check::Reading;
use meshwright_load::shares::earth_mover::Rebalance;
use meshwright_load::{Cut, Forwarding};
use meshwright_verdict::installments::FrontRow;
use meshwright_verdict::load::{Deadline, Further, LoadBound, SourceRow};
use meshwright_verdict::{Facts, LinkUse, LoadFacts, LoadOutcome, LoadVerdict, Skipped};

/// Every method that applies, and the winner; times without `cycles` in their name are in units of w Tcp.
#[derive(Debug, Serialize)]
pub(super) struct LoadForm<'a> {
    kind: &'static str,
    name: &'a str,
    winner: Option<&'a str>,
    winner_switching: Option<Forwarding>,
    reason: &'a str,
    advice: Option<&'a str>,
    results: Vec<MethodForm<'a>>,
    skipped: &'a [Skipped],
    sigma: f64,
    sources: &'a [SourceRow],
    bytes: u64,
    unit_cycles: f64,
    startup: f64,
    bound: &'a LoadBound,
    front: &'a [FrontRow],
    deadline: Option<&'a Deadline>,
    #[serde(flatten)]
    further: &'a Further,
}

/// One method under one forwarding.
#[derive(Debug, Serialize)]
pub(super) struct MethodForm<'a> {
    method: &'a str,
    switching: Forwarding,
    bound_cycles: u64,
    predicted_cycles: u64,
    simulated_cycles: Option<u64>,
    gap: Option<f64>,
    #[serde(flatten, serialize_with = "meshwright_sim::link_use::busiest_under_both")]
    busiest_link: Option<LinkUse>,
    messages: Option<u64>,
    makespan: f64,
    speedup: f64,
    layers: &'a [u64],
    fractions: &'a [f64],
    nodes_used: usize,
    feasible: bool,
    reading: Reading,
    violated_cut: Option<&'a Cut>,
    moment: Option<f64>,
    overloaded: Option<NodeId>,
    least_makespan: Option<f64>,
    bound_speedup: f64,
    ratio_to_bound: f64,
    simulated_speedup: Option<f64>,
    buffered_cycles: Option<u64>,
    buffered_speedup: Option<f64>,
    waiting_max: Option<u64>,
    buffers: Option<&'a str>,
    #[serde(rename = "cells")]
    labels: Option<&'a [Vec<i64>]>,
    cell_speedups: Option<&'a [f64]>,
    rebalances: Option<&'a [Rebalance]>,
    saved: Option<u64>,
    beta: Option<f64>,
    warning: Option<&'a str>,
}

impl<'a> From<&'a LoadVerdict> for LoadForm<'a> {
    fn from(verdict: &'a LoadVerdict) -> Self {
        let facts = &verdict.facts;
        Self {
            kind: LoadFacts::KIND,
            name: &verdict.name,
            winner: verdict.winner_name(),
            winner_switching: facts.winner_switching,
            reason: &verdict.reason,
            advice: verdict.advice.as_deref(),
            results: verdict.results.iter().map(MethodForm::from).collect(),
            skipped: &verdict.skipped,
            sigma: facts.sigma,
            sources: &facts.sources,
            bytes: facts.bytes,
            unit_cycles: facts.unit_cycles,
            startup: facts.startup,
            bound: &facts.bound,
            front: &facts.front,
            deadline: facts.deadline.as_ref(),
            further: &facts.further,
        }
    }
}

impl<'a> From<&'a LoadOutcome> for MethodForm<'a> {
    fn from(outcome: &'a LoadOutcome) -> Self {
        let detail = &outcome.detail;
        Self {
            method: &outcome.method,
            switching: detail.switching,
            bound_cycles: outcome.bound_cycles,
            predicted_cycles: outcome.predicted_cycles,
            simulated_cycles: outcome.simulated_cycles,
            gap: outcome.gap(),
            busiest_link: outcome.busiest_link,
            messages: detail.messages,
            makespan: detail.makespan,
            speedup: detail.speedup,
            layers: &detail.layers,
            fractions: &detail.fractions,
            nodes_used: detail.nodes_used,
            feasible: detail.feasible,
            reading: detail.reading,
            violated_cut: detail.violated_cut.as_ref(),
            moment: detail.moment,
            overloaded: detail.overloaded,
            least_makespan: detail.least_makespan,
            bound_speedup: detail.bound_speedup,
            ratio_to_bound: detail.ratio_to_bound,
            simulated_speedup: detail.simulated_speedup,
            buffered_cycles: detail.buffered_cycles,
            buffered_speedup: detail.buffered_speedup,
            waiting_max: detail.waiting_max,
            buffers: detail.buffers.as_deref(),
            labels: detail.labels.as_deref(),
            cell_speedups: detail.cell_speedups.as_deref(),
            rebalances: detail.rebalances.as_deref(),
            saved: detail.saved,
            beta: detail.beta,
            warning: detail.warning.as_deref(),
        }
    }
}

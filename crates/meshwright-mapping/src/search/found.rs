//! The best placements met so far, by what is predicted or by what a judge says.
//!
//! A judge takes his time, so he is asked seldom: for every placement of the start, and then for the cheapest
//! prediction that waits for him, whenever the search has done as much work as he does.

use crate::search::Judge;
use meshwright_core::units::NodeId;

/// A judge is asked after so many links looked at for each message that he looks at; and after one for so many flits times links.
const LOOKS_A_MESSAGE: u64 = 40;
const FLIT_HOPS_A_LOOK: u64 = 8;

/// A placement that was met.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FoundPlacement {
    /// What the judge says; without one, what is predicted.
    pub(super) judged: u64,
    /// What is predicted.
    pub(super) predicted: u64,
    /// The node of each task.
    pub(super) nodes: Vec<u32>,
}

/// The best of them.
pub(super) struct Found<'j> {
    wanted: usize,
    judge: Option<Judge<'j>>,
    /// The best first; all different.
    pub(super) best: Vec<FoundPlacement>,
    /// Who is judged next, with the prediction.
    waiting: Option<(u64, Vec<u32>)>,
    /// Who was judged last.
    last: Vec<u32>,
    looks: u64,
    /// What the judge takes for messages, and what he took for flits at last.
    prices: [u64; 2],
}

impl<'j> Found<'j> {
    /// Nothing yet; so many are wanted, of placements with so many messages.
    pub(super) fn new(wanted: usize, messages: usize, judge: Option<Judge<'j>>) -> Self {
        let prices = [LOOKS_A_MESSAGE * messages as u64, 0];
        Self { wanted, judge, best: Vec::new(), waiting: None, last: Vec::new(), looks: 0, prices }
    }

    /// Whether there is room for one more.
    pub(super) fn wants_more(&self) -> bool {
        self.best.len() < self.wanted
    }

    /// The time that is to be beaten.
    fn limit(&self) -> u64 {
        if self.wants_more() { u64::MAX } else { self.best.last().map_or(u64::MAX, |worst| worst.judged) }
    }

    /// Remembers a placement if it is among the best; the same one counts once.
    pub(super) fn offer(&mut self, predicted: u64, node_of: &[u32]) {
        if predicted >= self.limit() {
            return;
        }
        if self.judge.is_none() {
            return self.insert(FoundPlacement { judged: predicted, predicted, nodes: node_of.to_vec() });
        }
        let known = self.last == node_of || self.best.iter().any(|entry| entry.nodes == node_of);
        if !known && self.waiting.as_ref().is_none_or(|(other, _)| predicted < *other) {
            self.waiting = Some((predicted, node_of.to_vec()));
        }
    }

    /// As [`Self::offer`], and judged at once, however it is predicted.
    pub(super) fn offer_now(&mut self, predicted: u64, node_of: &[u32]) {
        self.looks = 0;
        let limit = self.limit();
        let judged = if self.has_judge() { self.ask(node_of, limit) } else { predicted };
        // What is no less than the limit was perhaps not looked at to its end.
        if self.judge.is_some() && judged >= limit && !self.wants_more() {
            return;
        }
        self.keep(judged, predicted, node_of);
    }

    /// Whether there is a judge.
    pub(super) fn has_judge(&self) -> bool {
        self.judge.is_some()
    }

    /// As many links looked at cost as much as a word of the judge.
    pub(super) fn price(&self) -> u64 {
        self.prices.iter().sum::<u64>().max(1)
    }

    /// Whether the search has done as much work as the judge takes, since he was asked last.
    pub(super) fn is_due(&self) -> bool {
        self.looks >= self.price()
    }

    /// What the judge says; without one, the most there is.
    pub(super) fn ask(&mut self, node_of: &[u32], limit: u64) -> u64 {
        let nodes: Vec<NodeId> = node_of.iter().copied().map(NodeId).collect();
        let Some(judge) = &mut self.judge else { return u64::MAX };
        let judged = judge(&nodes, limit);
        self.prices[1] = self.prices[1].max(judged.flit_hops / FLIT_HOPS_A_LOOK);
        judged.ticks
    }

    /// Whether a placement judged so is among the best.
    pub(super) fn would_keep(&self, judged: u64) -> bool {
        judged < self.limit()
    }

    /// Remembers a placement that was judged.
    pub(super) fn keep(&mut self, judged: u64, predicted: u64, node_of: &[u32]) {
        self.insert(FoundPlacement { judged, predicted, nodes: node_of.to_vec() });
    }

    /// Counts links looked at; the judge is asked when it is his turn.
    pub(super) fn look(&mut self, looks: u64) {
        self.looks += looks;
        if self.is_due() && self.waiting.is_some() {
            self.looks = 0;
            self.judge_waiting();
        }
    }

    /// Has the one who waits judged.
    pub(super) fn judge_waiting(&mut self) {
        let Some((predicted, nodes)) = self.waiting.take() else { return };
        self.offer_now(predicted, &nodes);
        self.last = nodes;
    }

    fn insert(&mut self, entry: FoundPlacement) {
        if let Err(place) = self.best.binary_search(&entry) {
            self.best.insert(place, entry);
            self.best.truncate(self.wanted);
        }
    }
}

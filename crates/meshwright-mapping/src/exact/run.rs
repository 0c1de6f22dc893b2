//! Tree after tree, each with a higher limit, until the bound reaches the best.

use std::ops::ControlFlow;

use super::pattern::Problem;
use super::tree::{Closed, Leaves, Tree};
use super::{ExactProgress, Judge};
use crate::bound::GraphBound;
use crate::certificate::{Certificate, TreeProof};
use meshwright_core::error::Error;
use meshwright_core::interrupt::Grace;
use meshwright_core::units::NodeId;

/// Nodes of the tree between two calls of a watch.
const WATCH_EVERY: u64 = 64;

/// The first limit is the bound and one in so many parts of what is missing to the best; then twice as much is added each time.
const FIRST_STEP: u64 = 16;

/// Limits are one in so many parts of the best apart, or more.
const NEAR: u64 = 200;

/// The certificate of a tree that was walked.
fn proof(tree: &Tree<'_>, tables: &Problem, ticks: u64) -> Option<Certificate> {
    let text = tree.record.text()?;
    let mut proof = TreeProof {
        ticks,
        phases: tables.phases.clone(),
        node_symmetries: tables.symmetries.nodes.clone(),
        task_symmetries: tables.symmetries.tasks.clone(),
        twins: tables.symmetries.twins.clone(),
        zones: tree.zones(),
        tree: text,
        checksum: 0,
    };
    proof.checksum = proof.sum();
    Some(Certificate::BranchAndBound(proof))
}

/// What is known while trees are walked.
pub(super) struct Run<'r> {
    pub(super) best: Vec<u16>,
    pub(super) best_ticks: u64,
    pub(super) bound_ticks: u64,
    pub(super) nodes: u64,
    pub(super) nodes_max: u64,
    pub(super) judged: u64,
    /// The least bound of a placement that has too many images to look at.
    pub(super) open_ticks: u64,
    pub(super) grace: Grace,
    pub(super) stopped: bool,
    pub(super) interrupted: bool,
    pub(super) error: Option<Error>,
    pub(super) judge: Judge<'r>,
    pub(super) watch: &'r mut dyn FnMut(&ExactProgress) -> ControlFlow<()>,
    pub(super) tables: Option<&'r Problem>,
    /// The bound with what proves it.
    pub(super) bound: GraphBound,
}

impl Run<'_> {
    /// Walks tree after tree, each with a higher limit, until the bound reaches the best.
    pub(super) fn raise(&mut self, tables: &Problem) {
        let mut tree = Tree::new(tables);
        let mut step = ((self.best_ticks - self.bound_ticks) / FIRST_STEP).max(self.best_ticks / NEAR).max(1);
        while self.bound_ticks < self.best_ticks && !self.stopped {
            let is_last = self.best_ticks - self.bound_ticks <= 2 * step;
            let limit = if is_last { self.best_ticks } else { self.bound_ticks + step };
            step *= 2;
            let (closed, reached) = tree.run(limit, self);
            if closed == Closed::Stopped {
                break;
            }
            if self.open_ticks < reached {
                // Some placements with the same bounds are too many to ask for.
                let proved = self.open_ticks;
                if proved > self.bound_ticks {
                    self.prove(&mut tree, tables, u64::MAX, proved);
                }
                break;
            }
            // With no better placement on the way every limit up to the least that was cut has the same tree.
            let proved = if reached == limit { tree.least_cut().max(limit) } else { reached };
            let recorded = if reached == limit { proved } else { limit };
            self.prove(&mut tree, tables, recorded.min(self.best_ticks), proved.min(self.best_ticks));
        }
    }

    /// Every placement takes so many ticks. The record says so if it is that of this limit; else the tree is walked again.
    fn prove(&mut self, tree: &mut Tree<'_>, tables: &Problem, limit: u64, ticks: u64) {
        self.bound_ticks = ticks;
        let is_recorded = ticks == limit || tree.run(ticks, self).0 == Closed::All;
        if let Some(certificate) = proof(tree, tables, ticks).filter(|_| is_recorded) {
            self.bound.ticks = ticks;
            self.bound.certificate = certificate;
        }
    }
}

impl Leaves for Run<'_> {
    fn leaf(&mut self, node_of: &[u16], ticks: u64, mut limit: u64) -> u64 {
        let images = self.tables.and_then(|tables| tables.symmetries.images(node_of));
        let Some(images) = images else {
            self.open_ticks = self.open_ticks.min(ticks);
            return limit;
        };
        for image in images {
            let nodes: Vec<NodeId> = image.iter().map(|&node| NodeId(node.into())).collect();
            self.judged += 1;
            match (self.judge)(&nodes, self.best_ticks) {
                Ok(judged) if judged < self.best_ticks => (self.best, self.best_ticks) = (image, judged),
                Ok(_) => {}
                Err(error) => {
                    self.error = Some(error);
                    self.stopped = true;
                }
            }
            limit = limit.min(self.best_ticks);
        }
        limit
    }

    fn stops(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes % WATCH_EVERY == 1 && !self.stopped {
            let progress = ExactProgress {
                nodes: self.nodes,
                best_ticks: self.best_ticks,
                bound_ticks: self.bound_ticks,
            };
            self.interrupted = self.grace.is_over();
            self.stopped = (self.watch)(&progress).is_break() || self.interrupted;
        }
        self.stopped |= self.nodes > self.nodes_max;
        self.stopped
    }
}

//! Shares that nobody planned: equal ones, and all the load where it enters.

use super::answer::{Answer, Case};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_load::{Forwarding, Plan, installments};
use meshwright_network::topology::Topology;

impl Case<'_, '_> {
    /// The same share for every processor: what is done where nobody plans.
    pub(super) fn equal(&self) -> Result<Answer> {
        let nodes = 0..self.machine.nodes();
        let works = |node| if self.problem.work(NodeId(node)).is_finite() { 1.0 } else { 0.0 };
        let mut shares: Vec<f64> = nodes.map(works).collect();
        let many: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= many);
        self.shared("equal", shares)
    }

    /// All the load stays where it enters; results may have to go elsewhere.
    pub(super) fn local(&self) -> Result<Answer> {
        let sources = self.problem.sources();
        let variant = &self.terms.variant;
        let leaves = |home: NodeId| variant.results > 0.0 && sources.iter().any(|source| source.node != home);
        let stays = installments::stay(&self.scale)?;
        if !variant.home.is_some_and(leaves) {
            // Nothing is sent: nobody waits until a share is whole.
            return self.single_messages("local", Forwarding::CutThrough, &stays);
        }
        let mut shares = vec![0.0; self.machine.nodes() as usize];
        sources.iter().for_each(|source| shares[source.node.index()] += source.load);
        self.shared("local", shares)
    }

    /// These shares, each sent as one message from every source that serves it.
    fn shared(&self, method: &'static str, shares: Vec<f64>) -> Result<Answer> {
        let forwarding = Forwarding::StoreAndForward;
        let run = self.delivered(&Plan { makespan: 1.0, shares: shares.clone(), cells: None }, forwarding)?;
        let Some((run, schedule)) = run else {
            let why = "its messages are too many, come to a standstill, or do not keep to what the machine can do at a time";
            return Err(Error::not_applicable(method, why));
        };
        let plan = Plan { makespan: self.scale.units_of_ticks(run.ticks), shares, cells: None };
        // Who is served by several sources works on one part of its share while another one comes.
        let is_whole = self.problem.sources().len() == 1;
        let reading = if is_whole { forwarding } else { Forwarding::CutThrough };
        let schedule = self.kept(|| Some(schedule));
        Ok(Answer { run: Some(run), schedule, is_possible: true, ..Answer::of(plan, reading) })
    }
}

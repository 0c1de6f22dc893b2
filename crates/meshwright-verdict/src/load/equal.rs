//! Equal shares: what is done where nobody plans.

use super::answer::{Answer, Case};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_load::{Forwarding, Plan};
use meshwright_network::topology::Topology;

impl Case<'_, '_> {
    /// The same share for every processor: what is done where nobody plans.
    pub(super) fn equal(&self) -> Result<Answer> {
        let nodes = 0..self.machine.nodes();
        let works = |node| if self.problem.work(NodeId(node)).is_finite() { 1.0 } else { 0.0 };
        let mut shares: Vec<f64> = nodes.map(works).collect();
        let many: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= many);
        let forwarding = Forwarding::StoreAndForward;
        let run = self.delivered(&Plan { makespan: 1.0, shares: shares.clone(), cells: None }, forwarding)?;
        let Some(run) = run else {
            return Err(Error::not_applicable(
                "equal",
                "it takes too many messages, or comes to a standstill",
            ));
        };
        if let Some(why) = &run.misfit {
            return Err(self.of_another_machine("equal", why));
        }
        let plan = Plan { makespan: self.scale.units_of_ticks(run.ticks), shares, cells: None };
        // Who is served by several sources works on one part of its share while another one comes.
        let is_whole = self.problem.sources().len() == 1;
        let reading = if is_whole { forwarding } else { Forwarding::CutThrough };
        Ok(Answer { run: Some(run), is_possible: true, ..Answer::of(plan, reading) })
    }
}

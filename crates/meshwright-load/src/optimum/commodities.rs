//! Sources that are kept apart on links they share: a small linear programme.

use microlp::{ComparisonOp, OptimizationDirection, Variable};

use crate::claim::{Claim, TOLERANCE};
use crate::witness::Stretch;
use crate::{Cells, Problem};
use meshwright_core::units::LinkId;
use meshwright_network::topology::Topology;

/// The most flows of one source over one link that the programme may have.
const FLOWS_MAX: usize = 2_000;

/// The flow by which every source serves its own nodes while all others do, or none where it cannot; `None` in all
/// when the programme would be too large, or the claim names moments or has loads that come later.
pub(crate) fn fit_side_by_side(
    problem: &Problem,
    claim: &Claim,
    cells: &Cells,
) -> Option<Option<Vec<Stretch>>> {
    let machine = problem.machine();
    let flows = problem.sources().len() * machine.links() as usize;
    if flows > FLOWS_MAX || claim.timed.is_some() || !problem.starts_at_once() {
        return None;
    }
    let mut programme = microlp::Problem::new(OptimizationDirection::Maximize);
    let mut flow: Vec<Vec<Option<Variable>>> = Vec::new();
    for _ in problem.sources() {
        let wired = (0..machine.links()).map(|link| machine.target(LinkId(link)).is_some());
        flow.push(wired.map(|wired| wired.then(|| programme.add_var(0.0, (0.0, 1.0)))).collect());
    }
    for link in 0..machine.links() as usize {
        let most = claim.makespan * (1.0 + TOLERANCE) / problem.link_time(LinkId(link as u32));
        let sum: Vec<_> = flow.iter().filter_map(|flow| Some((flow[link]?, 1.0))).collect();
        if !sum.is_empty() && most < 1.0 {
            programme.add_constraint(&sum, ComparisonOp::Le, most);
        }
    }
    let whole: f64 = claim.shares.iter().sum();
    for (index, source) in problem.sources().iter().enumerate() {
        for node in machine.living() {
            // What enters and comes in goes out or is worked off.
            let mut sum = Vec::new();
            for (out, next) in machine.neighbours(node) {
                let back = machine.wire(next, node).expect("links come in pairs");
                sum.extend(flow[index][out.index()].map(|flow| (flow, 1.0)));
                sum.extend(flow[index][back.index()].map(|flow| (flow, -1.0)));
            }
            if cells.label[node.index()] == index as u32 {
                let most = claim.shares[node.index()] / whole * (1.0 + TOLERANCE);
                sum.push((programme.add_var(1.0, (0.0, most)), 1.0));
            }
            let enters = if node == source.node { source.load } else { 0.0 };
            // What is worked off is maximised: at most what enters keeps the programme solvable.
            sum.push((programme.add_var(0.0, (0.0, enters)), 1.0));
            programme.add_constraint(&sum, ComparisonOp::Eq, enters);
        }
    }
    let solution = programme.solve().ok()?.into_solution().ok()?;
    if solution.objective() < 1.0 - 1e-7 {
        return Some(None);
    }
    let mut stretches = Vec::new();
    for (source, flow) in flow.iter().enumerate() {
        let amount = |variable: &Option<Variable>| variable.map_or(0.0, |v| solution.var_value(v));
        let amounts: Vec<f64> = flow.iter().map(amount).collect();
        stretches.extend(Stretch::of_links(machine, &amounts, (0.0, claim.makespan), Some(source)));
    }
    Some(Some(stretches))
}

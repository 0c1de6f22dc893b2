//! The linear programme of messages in rounds that begin everywhere together.

use microlp::{ComparisonOp, OptimizationDirection, Variable};

use super::order::LEAST;
use crate::Problem;
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Topology;

/// The whole load, for the solver: its tolerances are absolute.
pub(super) const UNIT: f64 = 1000.0;

/// A link, from and to which node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wire {
    pub(super) link: LinkId,
    pub(super) from: NodeId,
    pub(super) to: NodeId,
}

/// The links that can carry something.
pub(super) fn wires(problem: &Problem<'_>) -> Vec<Wire> {
    let machine = problem.machine();
    let mut wires = Vec::new();
    for from in machine.living() {
        for (link, to) in machine.neighbours(from) {
            if problem.link_time(link).is_finite() {
                wires.push(Wire { link, from, to });
            }
        }
    }
    wires
}

/// What may be sent in which round.
pub(super) struct Programme<'p, 'm> {
    problem: &'p Problem<'m>,
    startup: f64,
    /// Over which links, in each round.
    wires: &'p [Wire],
    rounds: usize,
}

/// The variables.
struct Columns {
    sent: Vec<Vec<Variable>>,
    worked: Vec<Vec<Variable>>,
    /// When each round begins, and when all is done.
    times: Vec<Variable>,
}

impl<'p, 'm> Programme<'p, 'm> {
    /// These links in every round.
    pub(super) fn new(problem: &'p Problem<'m>, startup: f64, rounds: u32, wires: &'p [Wire]) -> Self {
        Self { problem, startup, wires, rounds: rounds as usize }
    }

    /// How many variables there are, but for a few.
    pub(super) fn variables(&self) -> usize {
        self.rounds * self.wires.len() + (self.rounds + 1) * self.problem.machine().nodes() as usize
    }

    /// By round the messages with their sizes, as shares of the whole load, with the least time; none where the solver finds none.
    pub(super) fn solve(&self) -> Option<Vec<Vec<(Wire, f64)>>> {
        let mut programme = microlp::Problem::new(OptimizationDirection::Minimize);
        let columns = self.columns(&mut programme);
        self.add_stocks(&mut programme, &columns);
        self.add_times(&mut programme, &columns);
        let solution = programme.solve().ok()?.into_solution().ok()?;
        let of_round = |sent: &Vec<Variable>| {
            let all = self.wires.iter().zip(sent);
            let all = all.map(|(&wire, &variable)| (wire, solution.var_value(variable) / UNIT));
            all.filter(|(_, size)| *size > LEAST).collect()
        };
        Some(columns.sent.iter().map(of_round).collect())
    }

    fn columns(&self, programme: &mut microlp::Problem) -> Columns {
        let free = (0.0, f64::INFINITY);
        let nodes = self.problem.machine().nodes();
        let sent = (0..self.rounds)
            .map(|_| self.wires.iter().map(|_| programme.add_var(0.0, free)).collect())
            .collect();
        let most = |node| if self.problem.work(NodeId(node)).is_finite() { f64::INFINITY } else { 0.0 };
        let worked = (0..=self.rounds)
            .map(|_| (0..nodes).map(|node| programme.add_var(0.0, (0.0, most(node)))).collect())
            .collect();
        // The first begins at 0; after the last one is the end.
        let times = (0..self.rounds + 2)
            .map(|round| match round {
                0 => programme.add_var(0.0, (0.0, 0.0)),
                round => programme.add_var(if round > self.rounds { 1.0 } else { 0.0 }, free),
            })
            .collect();
        Columns { sent, worked, times }
    }

    /// What a node sends and works off it has; what comes in a round is there in the next.
    fn add_stocks(&self, programme: &mut microlp::Problem, columns: &Columns) {
        let whole: f64 = self.problem.sources().iter().map(|source| source.load).sum();
        for node in self.problem.machine().living() {
            let here = self.problem.sources().iter().filter(|source| source.node == node);
            let load = here.map(|source| source.load).sum::<f64>() / whole * UNIT;
            // Of all that was there: used up to this round, less come before it.
            let mut used: Vec<(Variable, f64)> = Vec::new();
            for (worked, sent) in columns.worked.iter().zip(&columns.sent) {
                let own = |is: &dyn Fn(&Wire) -> bool, sign: f64| -> Vec<(Variable, f64)> {
                    let pairs = self.wires.iter().zip(sent).filter(|(wire, _)| is(wire));
                    pairs.map(|(_, &variable)| (variable, sign)).collect()
                };
                used.push((worked[node.index()], 1.0));
                used.extend(own(&|wire| wire.from == node, 1.0));
                programme.add_constraint(used.clone(), ComparisonOp::Le, load);
                used.extend(own(&|wire| wire.to == node, -1.0));
            }
            used.push((columns.worked[self.rounds][node.index()], 1.0));
            programme.add_constraint(used, ComparisonOp::Eq, load);
        }
    }

    /// A round is over when its work is done and its messages have crossed.
    fn add_times(&self, programme: &mut microlp::Problem, columns: &Columns) {
        for (round, pair) in columns.times.windows(2).enumerate() {
            let mut last = |takes: Option<(Variable, f64)>, startup: f64| {
                let terms: Vec<_> = [(pair[0], 1.0), (pair[1], -1.0)].into_iter().chain(takes).collect();
                programme.add_constraint(terms, ComparisonOp::Le, -startup * UNIT);
            };
            for node in self.problem.machine().living() {
                let work = self.problem.work(node);
                last(work.is_finite().then_some((columns.worked[round][node.index()], work)), 0.0);
            }
            for (wire, &sent) in self.wires.iter().zip(columns.sent.get(round).into_iter().flatten()) {
                last(Some((sent, self.problem.link_time(wire.link))), self.startup);
            }
        }
    }
}

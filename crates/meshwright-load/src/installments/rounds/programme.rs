//! The linear programme of messages in rounds.

use microlp::{ComparisonOp, OptimizationDirection, Variable};

use crate::Problem;
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Topology;

/// The whole load, for the solver: its tolerances are absolute.
const UNIT: f64 = 1000.0;

/// What is less than this share of the load is not sent.
const LEAST: f64 = 1e-7;

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

/// Messages and work by round, as shares of the whole load.
#[derive(Clone, Debug)]
pub(super) struct Amounts {
    /// By round the messages.
    pub(super) sent: Vec<Vec<(Wire, f64)>>,
    /// By round, one more than of messages, the work of each node.
    pub(super) worked: Vec<Vec<f64>>,
}

impl Amounts {
    /// How many messages there are.
    pub(super) fn messages(&self) -> usize {
        self.sent.iter().map(Vec::len).sum()
    }
}

/// What may be sent in which round.
pub(super) struct Programme<'p, 'm> {
    problem: &'p Problem<'m>,
    startup: f64,
    /// By round.
    wires: Vec<Vec<Wire>>,
    /// Whether the rounds of all nodes begin at the same time.
    is_common: bool,
}

/// The variables.
struct Columns {
    sent: Vec<Vec<Variable>>,
    worked: Vec<Vec<Variable>>,
    /// When the rounds of each node begin, and when all is done.
    times: Vec<Vec<Variable>>,
    end: Variable,
}

impl<'p, 'm> Programme<'p, 'm> {
    /// These links in every round, whose nodes begin it together.
    pub(super) fn with_links(problem: &'p Problem<'m>, startup: f64, rounds: u32, wires: &[Wire]) -> Self {
        Self { problem, startup, wires: vec![wires.to_vec(); rounds as usize], is_common: true }
    }

    /// The links that carry something, each node with times of its own.
    pub(super) fn with_links_of(problem: &'p Problem<'m>, startup: f64, amounts: &Amounts) -> Self {
        let wires = amounts.sent.iter().map(|round| round.iter().map(|(wire, _)| *wire).collect()).collect();
        Self { problem, startup, wires, is_common: false }
    }

    /// How many variables there are, but for a few.
    pub(super) fn variables(&self) -> usize {
        let sent: usize = self.wires.iter().map(Vec::len).sum();
        sent + (self.wires.len() + 1) * self.problem.machine().nodes() as usize
    }

    /// The amounts with the least time; none where the solver finds none.
    pub(super) fn solve(&self) -> Option<Amounts> {
        let mut programme = microlp::Problem::new(OptimizationDirection::Minimize);
        let columns = self.columns(&mut programme);
        self.add_stocks(&mut programme, &columns);
        self.add_times(&mut programme, &columns);
        let solution = programme.solve().ok()?.into_solution().ok()?;
        let share = |variable: Variable| solution.var_value(variable) / UNIT;
        let of_round = |(wires, sent): (&Vec<Wire>, &Vec<Variable>)| {
            let all = wires.iter().zip(sent).map(|(&wire, &variable)| (wire, share(variable)));
            all.filter(|(_, amount)| *amount > LEAST).collect()
        };
        Some(Amounts {
            sent: self.wires.iter().zip(&columns.sent).map(of_round).collect(),
            worked: columns
                .worked
                .iter()
                .map(|round| round.iter().map(|&one| share(one).max(0.0)).collect())
                .collect(),
        })
    }

    fn columns(&self, programme: &mut microlp::Problem) -> Columns {
        let free = (0.0, f64::INFINITY);
        let nodes = self.problem.machine().nodes();
        let works = |node: u32| self.problem.work(NodeId(node)).is_finite();
        let rounds = self.wires.len();
        let sent = self
            .wires
            .iter()
            .map(|wires| wires.iter().map(|_| programme.add_var(0.0, free)).collect())
            .collect();
        let mut worked = Vec::new();
        for _ in 0..=rounds {
            let most = |node| if works(node) { f64::INFINITY } else { 0.0 };
            worked.push((0..nodes).map(|node| programme.add_var(0.0, (0.0, most(node)))).collect());
        }
        let clocks = if self.is_common { 1 } else { nodes };
        let mut times = Vec::new();
        for round in 0..=rounds {
            // All begin at 0.
            let latest = if round == 0 { 0.0 } else { f64::INFINITY };
            times.push((0..clocks).map(|_| programme.add_var(0.0, (0.0, latest))).collect());
        }
        Columns { sent, worked, times, end: programme.add_var(1.0, free) }
    }

    /// What a node sends and works off it has; what comes in a round is there in the next.
    fn add_stocks(&self, programme: &mut microlp::Problem, columns: &Columns) {
        for node in self.problem.machine().living() {
            let here = self.problem.sources().iter().filter(|source| source.node == node);
            let load: f64 = here.map(|source| source.load).sum::<f64>() / self.whole();
            // Of all that was there: used up to this round, less come before it.
            let mut used: Vec<(Variable, f64)> = Vec::new();
            for (round, wires) in self.wires.iter().enumerate() {
                let own = |is: &dyn Fn(&Wire) -> bool, sign: f64| -> Vec<(Variable, f64)> {
                    let pairs = wires.iter().zip(&columns.sent[round]).filter(|(wire, _)| is(wire));
                    pairs.map(|(_, &variable)| (variable, sign)).collect()
                };
                used.push((columns.worked[round][node.index()], 1.0));
                used.extend(own(&|wire| wire.from == node, 1.0));
                programme.add_constraint(used.clone(), ComparisonOp::Le, load * UNIT);
                used.extend(own(&|wire| wire.to == node, -1.0));
            }
            used.push((columns.worked[self.wires.len()][node.index()], 1.0));
            programme.add_constraint(used, ComparisonOp::Eq, load * UNIT);
        }
    }

    /// Loads are shares of this.
    fn whole(&self) -> f64 {
        self.problem.sources().iter().map(|source| source.load).sum()
    }

    fn clock(&self, columns: &Columns, round: usize, node: NodeId) -> Variable {
        columns.times[round][if self.is_common { 0 } else { node.index() }]
    }

    /// A round is over when its work is done and its messages have crossed.
    fn add_times(&self, programme: &mut microlp::Problem, columns: &Columns) {
        let rounds = self.wires.len();
        for node in self.problem.machine().living() {
            let work = self.problem.work(node);
            for round in 0..=rounds {
                let next = if round == rounds { columns.end } else { self.clock(columns, round + 1, node) };
                let mut terms = vec![(self.clock(columns, round, node), 1.0), (next, -1.0)];
                if work.is_finite() {
                    terms.push((columns.worked[round][node.index()], work));
                }
                programme.add_constraint(terms, ComparisonOp::Le, 0.0);
            }
        }
        let links = self.problem.machine().links() as usize;
        let mut ends: Vec<Option<Vec<(Variable, f64)>>> = vec![None; links];
        for (round, wires) in self.wires.iter().enumerate() {
            for (wire, &sent) in wires.iter().zip(&columns.sent[round]) {
                let clock = self.clock(columns, round, wire.from);
                // Without a common clock a message begins when its link is free, however long those of its round take.
                let begin = match self.is_common {
                    true => clock,
                    false => programme.add_var(0.0, (0.0, f64::INFINITY)),
                };
                let end = vec![(begin, 1.0), (sent, self.problem.link_time(wire.link))];
                let mut after = |mut terms: Vec<(Variable, f64)>, next: Variable, startup: f64| {
                    terms.push((next, -1.0));
                    programme.add_constraint(terms, ComparisonOp::Le, -startup * UNIT);
                };
                after(end.clone(), self.clock(columns, round + 1, wire.to), self.startup);
                if !self.is_common {
                    after(vec![(clock, 1.0)], begin, 0.0);
                    if let Some(before) = ends[wire.link.index()].replace(end) {
                        after(before, begin, self.startup);
                    }
                }
            }
        }
    }
}

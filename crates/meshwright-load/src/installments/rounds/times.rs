//! The linear programme of messages in a known order: when they begin, and how large they are.

use microlp::{ComparisonOp, OptimizationDirection, Variable};

use super::order::{Message, Order};
use super::programme::UNIT;
use crate::Problem;

/// Times, in units of w Tcp, and sizes, as shares of the whole load.
#[derive(Clone, Debug)]
pub(super) struct Times {
    pub(super) end: f64,
    /// By message.
    pub(super) begin: Vec<f64>,
    pub(super) come: Vec<f64>,
    pub(super) size: Vec<f64>,
    /// By node, what it works off after so many messages have come.
    pub(super) work: Vec<Vec<f64>>,
}

/// A moment as a sum of variables and a number.
type Moment = (Vec<(Variable, f64)>, f64);

/// An order of which the times are sought.
pub(super) struct Timing<'a, 'm> {
    pub(super) problem: &'a Problem<'m>,
    pub(super) startup: f64,
    pub(super) order: &'a Order,
}

struct Columns {
    begin: Vec<Variable>,
    size: Vec<Variable>,
    work: Vec<Vec<Variable>>,
    end: Variable,
}

impl Timing<'_, '_> {
    /// The times and sizes with the least end; none where the solver finds none.
    pub(super) fn solve(&self) -> Option<Times> {
        let mut programme = microlp::Problem::new(OptimizationDirection::Minimize);
        let free = (0.0, f64::INFINITY);
        let mut of_messages = || -> Vec<Variable> {
            self.order.messages.iter().map(|_| programme.add_var(0.0, free)).collect()
        };
        let (begin, size) = (of_messages(), of_messages());
        let mut work = vec![Vec::new(); self.order.coming.len()];
        for node in self.problem.machine().living() {
            let most = if self.problem.work(node).is_finite() { f64::INFINITY } else { 0.0 };
            let arrivals = self.order.coming[node.index()].len();
            work[node.index()] = (0..=arrivals).map(|_| programme.add_var(0.0, (0.0, most))).collect();
        }
        let columns = Columns { begin, size, work, end: programme.add_var(1.0, free) };
        self.add_links(&mut programme, &columns);
        self.add_nodes(&mut programme, &columns);
        let solution = programme.solve().ok()?.into_solution().ok()?;
        let values = |variables: &Vec<Variable>| -> Vec<f64> {
            variables.iter().map(|&variable| (solution.var_value(variable) / UNIT).max(0.0)).collect()
        };
        let (begin, size) = (values(&columns.begin), values(&columns.size));
        let crossed = |(message, &Message { wire, .. }): (usize, &Message)| {
            begin[message] + self.startup + self.problem.link_time(wire.link) * size[message]
        };
        Some(Times {
            end: solution.var_value(columns.end) / UNIT,
            come: self.order.messages.iter().enumerate().map(crossed).collect(),
            work: columns.work.iter().map(values).collect(),
            begin,
            size,
        })
    }

    /// When a message has come.
    fn come(&self, columns: &Columns, message: usize) -> Moment {
        let slow = self.problem.link_time(self.order.messages[message].wire.link);
        (vec![(columns.begin[message], 1.0), (columns.size[message], slow)], self.startup * UNIT)
    }

    /// One message after the other.
    fn add_links(&self, programme: &mut microlp::Problem, columns: &Columns) {
        for crossing in &self.order.crossing {
            for pair in crossing.windows(2) {
                let begin = (vec![(columns.begin[pair[1]], 1.0)], 0.0);
                follow(programme, &self.come(columns, pair[0]), &begin, None);
            }
        }
    }

    /// What a node sends and works off has come before.
    fn add_nodes(&self, programme: &mut microlp::Problem, columns: &Columns) {
        let problem = self.problem;
        let whole: f64 = problem.sources().iter().map(|source| source.load).sum();
        let mut leaving: Vec<Vec<Vec<usize>>> =
            self.order.coming.iter().map(|coming| vec![Vec::new(); coming.len() + 1]).collect();
        for (index, &Message { wire, after }) in self.order.messages.iter().enumerate() {
            leaving[wire.from.index()][after].push(index);
        }
        for node in problem.machine().living() {
            let here = problem.sources().iter().filter(|source| source.node == node);
            let load = here.map(|source| source.load).sum::<f64>() / whole * UNIT;
            let coming = &self.order.coming[node.index()];
            let mut now: Moment = (Vec::new(), 0.0);
            // Of all that was there: used so far, less come before it.
            let mut used: Vec<(Variable, f64)> = Vec::new();
            for (count, &work) in columns.work[node.index()].iter().enumerate() {
                let next = match coming.get(count) {
                    Some(&message) => self.come(columns, message),
                    None => (vec![(columns.end, 1.0)], 0.0),
                };
                let time = problem.work(node);
                let time = if time.is_finite() { time } else { 0.0 };
                follow(programme, &now, &next, Some((work, time)));
                used.push((work, 1.0));
                for &message in &leaving[node.index()][count] {
                    used.push((columns.size[message], 1.0));
                    if count > 0 {
                        follow(programme, &now, &(vec![(columns.begin[message], 1.0)], 0.0), None);
                    }
                }
                match coming.get(count) {
                    Some(&message) => {
                        programme.add_constraint(used.clone(), ComparisonOp::Le, load);
                        used.push((columns.size[message], -1.0));
                    }
                    None => programme.add_constraint(std::mem::take(&mut used), ComparisonOp::Eq, load),
                }
                now = next;
            }
        }
    }
}

/// One moment is no later than another, with what takes some time between them.
fn follow(
    programme: &mut microlp::Problem,
    before: &Moment,
    next: &Moment,
    between: Option<(Variable, f64)>,
) {
    let back = next.0.iter().map(|&(variable, weight)| (variable, -weight));
    let terms: Vec<_> = before.0.iter().copied().chain(back).chain(between).collect();
    programme.add_constraint(terms, ComparisonOp::Le, next.1 - before.1);
}

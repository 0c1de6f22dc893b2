//! Load by the link over which it came: nobody uses it before the first of it is there.

use microlp::{ComparisonOp, Problem, Variable};

use super::few::hull;
use super::left::Left;
use super::model::{Model, UNIT};
use meshwright_core::units::NodeId;

/// Which link brings the first load to each node is left open where there are more links than these.
const CHOICES_MAX: usize = 24;

/// Lines above a curve, as pairs (at, rise).
type Lines = Vec<(f64, f64)>;

/// The rows that part what is worked off and sent on by where it came from.
///
/// ```text
/// f_e = p_e + sum of f_(e,o)       p_v = sum of p_e         f_o = sum of f_(e,o)
/// w_v p_e <= x_e                   p_e <= W_e(n_e)          f_(e,o) <= G_o(x_e)
/// w_v p_v <= a_v                   f_o <= G_o(a_v)          l n_o + z_o f_o <= a_v
/// a_v <= max over e of x_e         x_e <= a_u - l - z_e y   y >= f_e - G_e(x_e),  y >= f_e - G_e(n_e - 1)
/// ```
///
/// over the links e into v and o out of it, but not back. a_v is what is left when the first load of all has come to v, x_e when the
/// first over e has, and y the size of that message; at a source a_v is all the time there is. G and W are what [`Left`] tells: curves
/// are replaced by lines above them. On small machines the greatest x_e is chosen by variables that are 0 or 1.
///
/// That no load goes straight back is no loss: what would go back need not have come, and all messages are the shorter for it. Where
/// memory is limited it may have to.
pub(super) struct Through<'a> {
    pub(super) model: &'a Model<'a>,
    pub(super) left: &'a Left,
    pub(super) end: f64,
    pub(super) startup: f64,
    /// By node, from when on load can be there.
    pub(super) early: &'a [f64],
    pub(super) all: Aggregate<'a>,
}

/// The variables of all commodities together.
#[derive(Clone, Copy)]
pub(super) struct Aggregate<'a> {
    /// By wire, load.
    pub(super) flows: &'a [Vec<Variable>],
    /// By wire, messages.
    pub(super) counts: &'a [Variable],
    /// By node, load worked off.
    pub(super) works: &'a [Vec<Variable>],
}

/// What becomes of the load that came over one wire, or was there at the beginning.
struct Part {
    work: Option<Variable>,
    /// By wire out of the node.
    on: Vec<(usize, Variable)>,
}

impl Through<'_> {
    pub(super) fn add(&self, programme: &mut Problem) {
        let model = self.model;
        let into = |node: usize| if self.is_source(node) { 0 } else { model.entering[node].len() };
        let chooses = (0..model.nodes()).map(into).sum::<usize>() <= CHOICES_MAX;
        let free = (0.0, f64::INFINITY);
        // By wire x, by node a.
        let times: Vec<Variable> = model.wires.iter().map(|_| programme.add_var(0.0, free)).collect();
        let first: Vec<Option<Variable>> = (0..model.nodes())
            .map(|node| (!self.is_source(node)).then(|| programme.add_var(0.0, free)))
            .collect();
        for node in (0..model.nodes()).filter(|&node| self.end > self.early[node]) {
            self.add_parts(programme, node, &times);
            if let Some(first) = first[node] {
                self.add_first(programme, (node, first), &times, chooses);
            }
        }
        for wire in (0..model.wires.len()).filter(|&wire| self.is_used(wire)) {
            self.add_wire(programme, wire, times[wire], first[model.wires[wire].from.index()]);
        }
    }

    /// Whether anything that is sent over a wire comes in time.
    fn is_used(&self, wire: usize) -> bool {
        self.longest(wire) > 0.0
    }

    fn used<'b>(&'b self, wires: &'b [usize]) -> impl Iterator<Item = usize> + 'b {
        wires.iter().copied().filter(|&wire| self.is_used(wire))
    }

    fn is_source(&self, node: usize) -> bool {
        self.model.problem.sources().iter().any(|source| source.node.index() == node)
    }

    /// What can be left at the most when a message has come over a wire.
    fn longest(&self, wire: usize) -> f64 {
        (self.end - self.early[self.model.wires[wire].from.index()] - self.startup).max(0.0)
    }

    fn work_time(&self, node: usize) -> f64 {
        self.model.problem.work(NodeId(node as u32))
    }

    /// The load of each wire into a node is worked off, or sent on, after it has come.
    fn add_parts(&self, programme: &mut Problem, node: usize, times: &[Variable]) {
        let model = self.model;
        let own = self.is_source(node).then_some(None);
        let mut parts = Vec::new();
        for way in self.used(&model.entering[node]).map(Some).chain(own) {
            let part = self.part(programme, node, way);
            if let Some(wire) = way {
                let all = part.work.into_iter().chain(part.on.iter().map(|on| on.1)).map(|part| (part, 1.0));
                let terms = all.chain(of_all(&self.all.flows[wire], -1.0)).collect::<Vec<_>>();
                programme.add_constraint(terms, ComparisonOp::Eq, 0.0);
                self.limit(programme, &part, wire, times[wire]);
            }
            parts.push(part);
        }
        let mut sum = |of: &dyn Fn(&Part) -> Option<Variable>, whole: &[Variable]| {
            let each = parts.iter().filter_map(of).map(|part| (part, 1.0));
            let terms = each.chain(of_all(whole, -1.0)).collect::<Vec<_>>();
            if !terms.is_empty() {
                programme.add_constraint(terms, ComparisonOp::Eq, 0.0);
            }
        };
        sum(&|part| part.work, &self.all.works[node]);
        for wire in self.used(&model.leaving[node]) {
            sum(&|part| part.on.iter().find(|on| on.0 == wire).map(|on| on.1), &self.all.flows[wire]);
        }
    }

    fn part(&self, programme: &mut Problem, node: usize, way: Option<usize>) -> Part {
        let model = self.model;
        let from = way.map(|wire| model.wires[wire].from);
        let returns = model.variant.memory.is_some();
        let mut add = || programme.add_var(0.0, (0.0, f64::INFINITY));
        let work = (!self.all.works[node].is_empty()).then(&mut add);
        let on = self.used(&model.leaving[node]);
        let on = on.filter(|&wire| returns || from != Some(model.wires[wire].to));
        Part { work, on: on.map(|wire| (wire, add())).collect() }
    }

    /// What came over a wire is used after the first of it has come.
    fn limit(&self, programme: &mut Problem, part: &Part, wire: usize, time: Variable) {
        if let Some(work) = part.work {
            let slow = self.work_time(self.model.wires[wire].to.index());
            programme.add_constraint([(work, slow), (time, -1.0)], ComparisonOp::Le, 0.0);
            let worked = self.left.worked(wire, self.longest(wire) + self.startup);
            below(programme, &[(work, 1.0)], &by_count(worked, 0), self.all.counts[wire]);
        }
        for &(on, part) in &part.on {
            below(programme, &[(part, 1.0)], &self.left.sent_by_time(on, self.longest(wire)), time);
        }
    }

    /// Nothing is used before the first load of all has come.
    fn add_first(
        &self,
        programme: &mut Problem,
        (node, first): (usize, Variable),
        times: &[Variable],
        chooses: bool,
    ) {
        let model = self.model;
        let entering: Vec<usize> = self.used(&model.entering[node]).collect();
        let longest = entering.iter().map(|&wire| self.longest(wire)).fold(0.0, f64::max);
        programme.add_constraint([(first, 1.0)], ComparisonOp::Le, longest * UNIT);
        let mut choices = Vec::new();
        for &wire in &entering {
            let others = entering.iter().filter(|&&other| other != wire);
            let other = others.map(|&other| self.longest(other)).fold(0.0, f64::max);
            let own = self.longest(wire);
            // The greater of x and what another wire allows lies below this line.
            if own > other {
                let terms = [(first, 1.0), (times[wire], -(own - other) / own)];
                programme.add_constraint(terms, ComparisonOp::Le, other * UNIT);
            }
            if chooses {
                let choice = programme.add_integer_var(0.0, (0, 1));
                let terms = [(first, 1.0), (times[wire], -1.0), (choice, longest * UNIT)];
                programme.add_constraint(terms, ComparisonOp::Le, longest * UNIT);
                choices.push((choice, 1.0));
            }
        }
        if !choices.is_empty() {
            programme.add_constraint(choices, ComparisonOp::Eq, 1.0);
        }
        let mut terms: Vec<_> = of_all(&self.all.works[node], self.work_time(node)).collect();
        if !terms.is_empty() {
            terms.push((first, -1.0));
            programme.add_constraint(terms, ComparisonOp::Le, 0.0);
        }
        for wire in self.used(&model.leaving[node]) {
            let flow: Vec<_> = of_all(&self.all.flows[wire], 1.0).collect();
            below(programme, &flow, &self.left.sent_by_time(wire, longest), first);
        }
    }

    /// The first message over a wire begins after the first load has come to where it leaves, and all others after it.
    fn add_wire(&self, programme: &mut Problem, wire: usize, time: Variable, first: Option<Variable>) {
        let (slow, longest) = (self.model.wires[wire].time, self.longest(wire));
        let load: Vec<_> = of_all(&self.all.flows[wire], 1.0).collect();
        let sent = self.left.sent(wire, longest + self.startup);
        below(programme, &load, &by_count(sent, 0), self.all.counts[wire]);
        let flow: Vec<_> = of_all(&self.all.flows[wire], slow).collect();
        if let Some(first) = first {
            let mut terms = flow.clone();
            terms.extend([(self.all.counts[wire], self.startup), (first, -1.0)]);
            programme.add_constraint(terms, ComparisonOp::Le, 0.0);
        }
        programme.add_constraint([(time, 1.0)], ComparisonOp::Le, longest * UNIT);
        for (at, rise) in self.left.sent_by_time(wire, longest) {
            let mut terms = flow.clone();
            terms.push((time, 1.0 - slow * rise));
            let begun = match first {
                // Where nothing is sent a_u may be less than l: the greater of a_u - l and 0 lies below this line.
                Some(first) => {
                    terms.push((first, -longest / (longest + self.startup)));
                    0.0
                }
                None => longest,
            };
            programme.add_constraint(terms, ComparisonOp::Le, (begun + slow * at) * UNIT);
        }
        for (at, rise) in by_count(self.left.sent(wire, longest), 1) {
            let mut terms = flow.clone();
            terms.extend([(time, 1.0), (self.all.counts[wire], -slow * rise)]);
            programme.add_constraint(terms, ComparisonOp::Le, (longest + slow * at) * UNIT);
        }
    }
}

/// Lines above what so many messages can bring; the first value is that of so many.
fn by_count(values: Vec<f64>, from: usize) -> Lines {
    let points = values.into_iter().enumerate().map(|(at, value)| ((from + at) as f64, value));
    hull(&points.collect::<Vec<_>>())
}

fn of_all(variables: &[Variable], weight: f64) -> impl Iterator<Item = (Variable, f64)> {
    variables.iter().map(move |&variable| (variable, weight))
}

/// A sum below lines over a variable.
fn below(programme: &mut Problem, sum: &[(Variable, f64)], lines: &Lines, of: Variable) {
    for &(at, rise) in lines {
        let mut terms = sum.to_vec();
        terms.push((of, -rise));
        programme.add_constraint(terms, ComparisonOp::Le, at * UNIT);
    }
}

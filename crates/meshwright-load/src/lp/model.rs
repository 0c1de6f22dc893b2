//! The rows of the linear programme.

use microlp::{ComparisonOp, OptimizationDirection, Solution, Variable};

use super::variant::{Commodity, Distribution, Duplex, Kept, Part, Ports, Variant, commodities};
use crate::claim::TOLERANCE;
use crate::{Cells, Problem, Source};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Topology;

/// A link that carries something.
pub(super) struct Wire {
    pub(super) link: LinkId,
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    /// z_e.
    pub(super) time: f64,
}

/// What is to be put into rows.
pub(super) struct Model<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) variant: &'a Variant,
    pub(super) wires: Vec<Wire>,
    /// By node, the wires that leave it and those that enter it.
    pub(super) leaving: Vec<Vec<usize>>,
    pub(super) entering: Vec<Vec<usize>>,
    /// When every phase begins; the first at the first load.
    pub(super) starts: Vec<f64>,
    pub(super) commodities: Vec<Commodity>,
    /// The shares, where they are given.
    kept: Option<Kept<'a>>,
    /// A lower bound on the makespan: the length of a single phase, so that the solver sees numbers of like size.
    scale: f64,
}

/// The rows count loads and times in this part of their units: the solver's tolerance of 1e-7 is then 1e-10.
pub(super) const UNIT: f64 = 1000.0;

/// Less of the load than this, of [`UNIT`] hoped for, is lost in the solver's tolerance.
const DONE_MIN: f64 = 0.1;

/// A weighted sum of variables.
type Terms = Vec<(Variable, f64)>;

/// The variables of one commodity in one phase; none where nothing can flow.
struct CommodityPhase {
    /// By wire, load.
    flow: Vec<Option<Variable>>,
    /// By wire, results.
    returned: Vec<Option<Variable>>,
    /// By node, load worked off.
    work: Vec<Option<Variable>>,
    /// By node, load and results that wait for the next phase; empty in the last.
    waiting: Vec<Variable>,
    finished: Vec<Variable>,
}

/// How long the phases are and what is looked for.
#[derive(Clone, Copy)]
enum Goal {
    /// One phase of a given length: the most load (variable) done in it, which makes capacities plain bounds.
    Most(Variable),
    /// Several phases, of which the last has the least length (variable).
    Length(Variable),
}

impl<'a> Model<'a> {
    /// Collects the wires, the phases and the commodities.
    pub(super) fn new(problem: &'a Problem<'a>, variant: &'a Variant, kept: Option<Kept<'a>>) -> Self {
        let machine = problem.machine();
        let nodes = machine.nodes() as usize;
        let (mut wires, mut leaving, mut entering) =
            (Vec::<Wire>::new(), vec![vec![]; nodes], vec![vec![]; nodes]);
        for from in machine.living() {
            for (link, to) in machine.neighbours(from) {
                let time = problem.link_time(link);
                if time.is_finite() {
                    leaving[from.index()].push(wires.len());
                    entering[to.index()].push(wires.len());
                    wires.push(Wire { link, from, to, time });
                }
            }
        }
        let starts = problem.releases();
        let commodities =
            commodities(problem, variant, &starts, kept.is_some_and(|kept| kept.cells.is_some()));
        let out = |node: NodeId| {
            leaving[node.index()].iter().map(|&wire: &usize| 1.0 / wires[wire].time).sum::<f64>()
        };
        let alone = |source: &Source| source.load / (1.0 / problem.work(source.node) + out(source.node));
        let whole: f64 = machine.living().map(|node| 1.0 / problem.work(node)).sum();
        // Links that take no time leave the second bound at 0, never the first.
        let scale = problem.sources().iter().map(alone).fold(1.0 / whole, f64::max);
        Self { problem, variant, wires, leaving, entering, starts, commodities, kept, scale }
    }

    /// Whether every load has a way to a processor, and its results one back.
    fn is_possible(&self) -> bool {
        let works = |node: usize| self.problem.work(NodeId(node as u32)).is_finite();
        self.problem.sources().iter().all(|source| {
            let there = self.reached(source.node, &self.leaving, |wire| wire.to);
            let back = self.returns().then(|| self.reached(source.node, &self.entering, |wire| wire.from));
            let is_back = |node: usize| back.as_ref().is_none_or(|back| back[node]);
            (0..self.nodes()).any(|node| there[node] && works(node) && is_back(node))
        })
    }

    /// The nodes at the ends of chains of wires that begin at a node.
    fn reached(&self, from: NodeId, wires: &[Vec<usize>], end: fn(&Wire) -> NodeId) -> Vec<bool> {
        let mut reached = vec![false; self.nodes()];
        reached[from.index()] = true;
        let mut waiting = vec![from];
        while let Some(node) = waiting.pop() {
            for next in wires[node.index()].iter().map(|&wire| end(&self.wires[wire])) {
                if !reached[next.index()] {
                    reached[next.index()] = true;
                    waiting.push(next);
                }
            }
        }
        reached
    }

    pub(super) fn nodes(&self) -> usize {
        self.leaving.len()
    }

    fn returns(&self) -> bool {
        self.variant.results > 0.0
    }

    /// How many variables there will be, at most.
    pub(super) fn size(&self) -> usize {
        let kinds = 1 + usize::from(self.returns());
        let (last, before) = (self.wires.len() * kinds + self.nodes(), self.nodes() * kinds);
        let phases = self.starts.len();
        self.commodities.len() * (phases * last + (phases - 1) * before) + 1
    }

    /// Builds the programme and solves it.
    pub(super) fn solve(&self) -> Result<Distribution> {
        if !self.is_possible() {
            let why = "some load can reach no processor, or its results find no way back";
            return Err(Error::not_applicable("dividing this load", why));
        }
        let (mut programme, goal) = if self.starts.len() == 1 {
            let mut programme = microlp::Problem::new(OptimizationDirection::Maximize);
            let done = programme.add_var(1.0, (0.0, f64::INFINITY));
            (programme, Goal::Most(done))
        } else {
            let mut programme = microlp::Problem::new(OptimizationDirection::Minimize);
            let length = programme.add_var(1.0, (0.0, f64::INFINITY));
            (programme, Goal::Length(length))
        };
        let mut parts: Vec<Vec<CommodityPhase>> = Vec::new();
        for phase in 0..self.starts.len() {
            let added: Vec<CommodityPhase> =
                self.commodities.iter().map(|c| self.add_part(&mut programme, c, phase, goal)).collect();
            for (index, commodity) in self.commodities.iter().enumerate() {
                let before = parts.last().map(|parts| &parts[index]);
                self.add_balance(&mut programme, commodity, phase, goal, before, &added[index]);
            }
            self.add_capacities(&mut programme, phase, goal, &added);
            parts.push(added);
        }
        self.add_shares(&mut programme, goal, &parts);
        match programme.solve() {
            Ok(outcome) => {
                let solution = outcome.into_solution().expect("no limit of time was set");
                self.read(&solution, goal, &parts).ok_or_else(|| lost("times of too different sizes"))
            }
            Err(why) => Err(lost(&why.to_string())),
        }
    }

    /// How long a phase is; none if that is what is looked for.
    fn length(&self, phase: usize, goal: Goal) -> Option<f64> {
        match goal {
            Goal::Most(_) => Some(self.scale * UNIT),
            Goal::Length(_) => self.starts.get(phase + 1).map(|end| (end - self.starts[phase]) * UNIT),
        }
    }

    /// The variables of a commodity in a phase.
    fn add_part(
        &self,
        programme: &mut microlp::Problem,
        commodity: &Commodity,
        phase: usize,
        goal: Goal,
    ) -> CommodityPhase {
        let length = self.length(phase, goal).unwrap_or(f64::INFINITY);
        // Within a length, at most length / time goes through something that takes this time for the whole load.
        let upper = |time: f64| if time == 0.0 { f64::INFINITY } else { length / time };
        let mut add = |time: f64| time.is_finite().then(|| programme.add_var(0.0, (0.0, upper(time))));
        let flow = self.wires.iter().map(|wire| add(wire.time)).collect();
        let returned = self.wires.iter().map(|wire| {
            let leads_home = self.returns() && commodity.home != Some(wire.from);
            if leads_home { add(wire.time) } else { None }
        });
        let returned = returned.collect();
        let work = (0..self.nodes()).map(|node| match self.may_work(commodity, node) {
            true => add(self.problem.work(NodeId(node as u32))),
            false => None,
        });
        let work = work.collect();
        let is_last = phase + 1 == self.starts.len();
        let mut keep = |kept: bool| -> Vec<Variable> {
            let nodes = if kept && !is_last { self.nodes() } else { 0 };
            (0..nodes).map(|_| programme.add_var(0.0, (0.0, f64::INFINITY))).collect()
        };
        CommodityPhase { flow, returned, work, waiting: keep(true), finished: keep(self.returns()) }
    }

    /// Whether a node may work for a commodity.
    fn may_work(&self, commodity: &Commodity, node: usize) -> bool {
        self.kept.is_none_or(|Kept { shares, cells }| {
            let is_own = |cells: &Cells| commodity.sources.contains(&(cells.label[node] as usize));
            shares[node] > 0.0 && cells.is_none_or(is_own)
        })
    }

    /// Nobody works off more than its share, where shares are given; all the load together makes it exactly that.
    fn add_shares(&self, programme: &mut microlp::Problem, goal: Goal, parts: &[Vec<CommodityPhase>]) {
        let Some(Kept { shares, .. }) = self.kept else { return };
        let whole: f64 = shares.iter().sum();
        for (node, share) in shares.iter().enumerate() {
            let most = share / whole * (1.0 + TOLERANCE);
            let work = parts.iter().flatten().filter_map(|part| Some((part.work[node]?, 1.0)));
            let mut terms: Terms = work.collect();
            if terms.is_empty() {
                continue;
            }
            match goal {
                Goal::Most(done) => {
                    terms.push((done, -most));
                    programme.add_constraint(terms, ComparisonOp::Le, 0.0);
                }
                Goal::Length(_) => programme.add_constraint(terms, ComparisonOp::Le, most * UNIT),
            }
        }
    }

    /// What comes into every node goes out, is worked off or waits; and so for the results.
    fn add_balance(
        &self,
        programme: &mut microlp::Problem,
        commodity: &Commodity,
        phase: usize,
        goal: Goal,
        before: Option<&CommodityPhase>,
        part: &CommodityPhase,
    ) {
        for node in 0..self.nodes() {
            let here =
                commodity.supplies.iter().filter(|supply| (supply.0.index(), supply.1) == (node, phase));
            let supply: f64 = here.map(|supply| supply.2).sum();
            let mut terms = self.net(node, &part.flow);
            terms.extend(part.work[node].map(|work| (work, -1.0)));
            terms.extend(before.map(|before| (before.waiting[node], 1.0)));
            terms.extend(part.waiting.get(node).map(|&kept| (kept, -1.0)));
            let constant = match goal {
                Goal::Most(done) => {
                    if supply > 0.0 {
                        terms.push((done, supply));
                    }
                    0.0
                }
                Goal::Length(_) => -supply * UNIT,
            };
            if !terms.is_empty() || constant != 0.0 {
                programme.add_constraint(terms, ComparisonOp::Eq, constant);
            }
            if !self.returns() || commodity.home == Some(NodeId(node as u32)) {
                continue;
            }
            let mut terms = self.net(node, &part.returned);
            terms.extend(part.work[node].map(|work| (work, self.variant.results)));
            terms.extend(before.map(|before| (before.finished[node], 1.0)));
            terms.extend(part.finished.get(node).map(|&kept| (kept, -1.0)));
            if !terms.is_empty() {
                programme.add_constraint(terms, ComparisonOp::Eq, 0.0);
            }
        }
    }

    /// What enters a node less what leaves it.
    fn net(&self, node: usize, flow: &[Option<Variable>]) -> Terms {
        let entering = self.entering[node].iter().filter_map(|&wire| Some((flow[wire]?, 1.0)));
        let leaving = self.leaving[node].iter().filter_map(|&wire| Some((flow[wire]?, -1.0)));
        entering.chain(leaving).collect()
    }

    /// Nobody is busy for longer than the phase.
    fn add_capacities(
        &self,
        programme: &mut microlp::Problem,
        phase: usize,
        goal: Goal,
        parts: &[CommodityPhase],
    ) {
        let length = self.length(phase, goal);
        let mut limit = |mut terms: Terms| match (length, goal) {
            (Some(_), _) if terms.len() < 2 => {}
            (Some(length), _) => programme.add_constraint(terms, ComparisonOp::Le, length),
            (None, Goal::Length(_)) if terms.is_empty() => {}
            (None, Goal::Length(last)) => {
                terms.push((last, -1.0));
                programme.add_constraint(terms, ComparisonOp::Le, 0.0);
            }
            (None, Goal::Most(_)) => unreachable!("a single phase has a given length"),
        };
        for node in 0..self.nodes() {
            let time = self.problem.work(NodeId(node as u32));
            let mut work: Terms = parts.iter().filter_map(|part| Some((part.work[node]?, time))).collect();
            let out = self.times(&self.leaving[node], parts);
            let into = self.times(&self.entering[node], parts);
            if !self.variant.front_end {
                work.extend(out.into_iter().chain(into));
            } else if let Ports::Few(ports) = self.variant.ports {
                // So many ports are busy for no longer than so many phases.
                let each = |terms: Terms| -> Terms {
                    terms.into_iter().map(|(variable, time)| (variable, time / f64::from(ports))).collect()
                };
                if self.variant.is_one_at_a_time() {
                    limit(each(out.into_iter().chain(into).collect()));
                } else {
                    limit(each(out));
                    limit(each(into));
                }
            }
            limit(work);
        }
        if !self.variant.front_end || self.variant.ports == Ports::ONE {
            return; // The rows of its ends hold a link as well.
        }
        for (index, wire) in self.wires.iter().enumerate() {
            let back = self.leaving[wire.to.index()].iter().find(|&&back| self.wires[back].to == wire.from);
            match (self.variant.duplex, back) {
                (Duplex::Half, Some(&back)) if back > index => limit(self.times(&[index, back], parts)),
                (Duplex::Half, Some(_)) => {}
                _ => limit(self.times(&[index], parts)),
            }
        }
    }

    /// How long these wires are busy.
    fn times(&self, wires: &[usize], parts: &[CommodityPhase]) -> Terms {
        let kinds = parts.iter().flat_map(|part| [&part.flow, &part.returned]);
        let terms = kinds.flat_map(|kind| wires.iter().map(|&wire| (kind[wire], self.wires[wire].time)));
        terms.filter(|&(_, time)| time > 0.0).filter_map(|(variable, time)| Some((variable?, time))).collect()
    }

    /// The values of the variables, added up over phases and commodities; none when the solver's tolerance hides it.
    fn read(&self, solution: &Solution, goal: Goal, parts: &[Vec<CommodityPhase>]) -> Option<Distribution> {
        let (scale, length) = match goal {
            Goal::Most(done) if solution.var_value(done) < DONE_MIN => return None,
            Goal::Most(done) => {
                (1.0 / solution.var_value(done), self.scale * UNIT / solution.var_value(done))
            }
            Goal::Length(length) => (1.0 / UNIT, solution.var_value(length) / UNIT),
        };
        let links = self.problem.machine().links() as usize;
        let value =
            |variable: Option<Variable>| variable.map_or(0.0, |v| solution.var_value(v).max(0.0) * scale);
        let mut totals = Vec::with_capacity(self.commodities.len());
        for (index, commodity) in self.commodities.iter().enumerate() {
            let (mut flow, mut returned) = (vec![0.0; links], vec![0.0; links]);
            let mut work = vec![0.0; self.nodes()];
            for part in parts.iter().map(|phase| &phase[index]) {
                for (node, &variable) in part.work.iter().enumerate() {
                    work[node] += value(variable);
                }
                for (index, wire) in self.wires.iter().enumerate() {
                    flow[wire.link.index()] += value(part.flow[index]);
                    returned[wire.link.index()] += value(part.returned[index]);
                }
            }
            let Commodity { sources, home, .. } = commodity;
            totals.push(Part { sources: sources.clone(), home: *home, work, flow, returned });
        }
        Some(Distribution::of_parts(self.starts[self.starts.len() - 1] + length, totals))
    }
}

/// The solver failed.
pub(super) fn lost(why: &str) -> Error {
    Error::not_applicable("the linear programme", format!("its solver says: {why}"))
}

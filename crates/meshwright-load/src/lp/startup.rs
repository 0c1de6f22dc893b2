//! The programme with start-ups: a lower bound that knows ports, wires, results, room and the start-up of every message.

use microlp::{ComparisonOp, OptimizationDirection, Variable};

use super::few::{self, Incoming, whole};
use super::model::{Model, UNIT, lost};
use super::slots::Slots;
use super::through::{Aggregate, Through};
use super::variant::{Distribution, Duplex, Part, Ports, Variant};
use super::windows::Windows;
use crate::Problem;
use crate::optimum::Paid;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;

/// Larger programmes are not solved a dozen times.
const VARIABLES_MAX: usize = 2_500;

/// No more lines than this for all nodes together, but one for each.
const LINES_MAX: usize = 150;

/// The bound is found up to this part of it.
const NEAR: f64 = 1e-4;

/// So far beside the time that is guessed the next one is tried, as a part of [`NEAR`].
const BESIDE: f64 = 0.3;

/// After so many guesses that leave more than half of what was left, no more are made.
const MISSES: u32 = 2;

/// No more of the load than this is asked for.
const MOST: f64 = 2.0;

/// What the solver's tolerance may hide.
const SOLVER: f64 = 1e-6;

/// A bound on the makespan of a machine of this variant where every message costs `startup`, and a distribution that the
/// programme allows shortly after it; `least` is a bound that is known.
///
/// ```text
/// for a time T:  most d with  d L_v + in_v = out_v + p_v,                      w_v p_v <= T - e_v - b_v
///   z_e (f_e + g_e) + l (n_e + m_e) <= T - e_u - b_v   on a link u -> v        n_e >= f_e / F_e,  m_e >= g_e / G_e
///   p_v <= s_k + r_k sum of n_e into v                 where no load enters    n_e + m_e <= floor((T - e_u - b_v) / l)
///   sum of m_e out of v >= w_v p_v / (T - e_v - b_v)
/// ```
///
/// e_v is the earliest moment at which load can be at v: the release and a start-up for every link. b_v is what results need
/// at the least from v to where they go. n and m count messages: at least one where anything goes, and F and G are the most that
/// can cross a link in its time, F no more than fits into the room at its end, and can be worked off and sent on after that. Ports and processors add up their links as in
/// [`super::solve`].
/// The bound is the least T at which d reaches 1. What a schedule does in time T satisfies every row, with whole numbers of
/// messages, which the programme does not ask for. The lines s_k, r_k lie above what so many messages can bring: a node waits
/// until the first is whole, and works off the last when that is there.
///
/// Load is told apart by the link over which it came, and used after the first of it has come, with what can still be done in the
/// time that is left (`through`, `left`). Where that is not too large for it, time is cut into slots, and messages are told apart by
/// those in which they begin and end (`slots`; a time-indexed programme).
///
/// Where a start-up is paid once a message takes no further start-up on its way: then only e and b of whole ways count.
///
/// # Errors
///
/// [`Error::TooLarge`] for more than some thousand variables; as for [`solve`](super::solve) when the solver loses its way.
///
/// # Complexity
///
/// Some thirty linear programmes; on the smallest machines each of some dozen, for which link brings the first load to each node.
///
/// # Source
///
/// `dyer1990` for programmes over slots of time.
///
/// # Examples
///
/// ```
/// use meshwright_load::lp::{Ports, Variant, with_startups};
/// use meshwright_load::optimum::Paid;
/// use meshwright_load::{Problem, Source};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let line = Machine::new("mesh:1x2")?;
/// let problem = Problem::new(&line, vec![Source::at(NodeId(0), 1.0)], 0.5)?;
/// let (bound, _) = with_startups(&problem, &Variant::default(), 0.1, Paid::EveryHop, 0.5)?;
/// assert!(0.55 < bound && bound <= 0.6, "two messages of 0.2 take 0.6: {bound}");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn with_startups(
    problem: &Problem,
    variant: &Variant,
    startup: f64,
    paid: Paid,
    least: f64,
) -> Result<(f64, Distribution)> {
    let model = Model::new(problem, variant, None);
    let variables = 2 * model.size();
    if variables > VARIABLES_MAX {
        return Err(Error::TooLarge {
            what: "a linear programme with start-ups",
            needed: format!("{variables} variables"),
            limit: format!("{VARIABLES_MAX} variables"),
        });
    }
    let windows = Windows::new(&model, startup, paid, least);
    let (coarse, found) = search(least, &|end| windows.most(end, None))?;
    let Some(slots) = windows.slots(coarse) else { return Ok((coarse, found)) };
    // Where the solver loses its way among slots, what was found without them still holds.
    search(coarse, &|end| windows.most(end, Some(slots))).or(Ok((coarse, found)))
}

/// The least time in which all can be done, and how.
///
/// Regula falsi on what can be done until a time, and bisection where that jumps: whole messages fit, or do not.
fn search(
    least: f64,
    solve: &dyn Fn(f64) -> Result<(f64, Option<Distribution>)>,
) -> Result<(f64, Distribution)> {
    let (mut done, mut found) = solve(least)?;
    if let Some(found) = found {
        return Ok((least, found));
    }
    let (mut low, mut high) = ((least, done), (least, done));
    while found.is_none() {
        if high.0 > least * 1e6 {
            return Err(lost("no time is enough"));
        }
        low = high;
        // What is left takes at most as long as what could be done, but for a jump.
        high.0 *= (1.0 + 2.0 * (1.0 - done)).clamp(1.0 + 4.0 * NEAR, 1.5);
        (done, found) = solve(high.0)?;
        high.1 = done;
    }
    let (mut is_above, mut misses) = (true, 0);
    while high.0 - low.0 > NEAR * low.0 {
        let width = high.0 - low.0;
        let guess = low.0 + width * (1.0 - low.1) / (high.1 - low.1);
        // A little beside it, so that what is left lies between two that are near each other.
        let beside = NEAR * low.0 * if is_above { -BESIDE } else { BESIDE };
        let middle = if misses < MISSES { guess + beside } else { f64::midpoint(low.0, high.0) };
        let middle = middle.clamp(low.0 + width / 64.0, high.0 - width / 64.0);
        let (done, next) = solve(middle)?;
        is_above = next.is_some();
        match next {
            Some(next) => (high, found) = ((middle, done), Some(next)),
            None => low = (middle, done),
        }
        misses += u32::from(high.0 - low.0 > 0.6 * width);
    }
    Ok((low.0, found.expect("a time was enough")))
}

/// The variables of one commodity.
struct Columns {
    flow: Vec<Variable>,
    returned: Vec<Option<Variable>>,
    work: Vec<Option<Variable>>,
}

impl Windows<'_> {
    /// The most that can be done until then, as a part of the load, and how.
    fn most(&self, end: f64, slots: Option<Slots>) -> Result<(f64, Option<Distribution>)> {
        let model = self.model;
        let mut programme = microlp::Problem::new(OptimizationDirection::Maximize);
        let done = programme.add_var(1.0, (0.0, MOST * UNIT));
        let free = (0.0, f64::INFINITY);
        let mut columns = Vec::new();
        for commodity in &model.commodities {
            let mut add = |is_there: bool| is_there.then(|| programme.add_var(0.0, free));
            let flow = model.wires.iter().map(|_| add(true).expect("it was asked for")).collect();
            let leads = |from| model.variant.results > 0.0 && commodity.home != Some(from);
            let returned = model.wires.iter().map(|wire| add(leads(wire.from))).collect();
            let works = |node: usize| model.problem.work(NodeId(node as u32)).is_finite();
            let work = (0..model.nodes()).map(|node| add(works(node))).collect();
            columns.push(Columns { flow, returned, work });
        }
        let mut counts =
            || -> Vec<Variable> { model.wires.iter().map(|_| programme.add_var(0.0, free)).collect() };
        let charges = [counts(), counts()];
        self.add_balances(&mut programme, done, &columns);
        self.add_counts(&mut programme, end, &columns, &charges);
        self.add_rows(&mut programme, end, &columns, &charges);
        self.add_order(&mut programme, (end, done), &columns, &charges[0], slots);
        let outcome = programme.solve().map_err(|why| lost(&why.to_string()))?;
        let solution = outcome.into_solution().expect("no limit of time was set");
        let share = solution.var_value(done) / UNIT;
        if share < 1.0 - SOLVER {
            return Ok((share, None));
        }
        let value = |variable: Option<Variable>| {
            variable.map_or(0.0, |variable| solution.var_value(variable).max(0.0) / UNIT / share)
        };
        let links = model.problem.machine().links() as usize;
        let mut parts = Vec::new();
        for (commodity, columns) in model.commodities.iter().zip(&columns) {
            let (mut flow, mut returned) = (vec![0.0; links], vec![0.0; links]);
            for (index, wire) in model.wires.iter().enumerate() {
                flow[wire.link.index()] = value(Some(columns.flow[index]));
                returned[wire.link.index()] = value(columns.returned[index]);
            }
            let work = columns.work.iter().map(|&work| value(work)).collect();
            parts.push(Part {
                sources: commodity.sources.clone(),
                home: commodity.home,
                work,
                flow,
                returned,
            });
        }
        Ok((share, Some(Distribution::of_parts(end, parts))))
    }

    fn add_balances(&self, programme: &mut microlp::Problem, done: Variable, columns: &[Columns]) {
        let model = self.model;
        for (commodity, own) in model.commodities.iter().zip(columns) {
            for node in 0..model.nodes() {
                let here = commodity.supplies.iter().filter(|supply| supply.0.index() == node);
                let supply: f64 = here.map(|supply| supply.2).sum();
                let into = || model.entering[node].iter();
                let out = || model.leaving[node].iter();
                let mut terms: Vec<(Variable, f64)> = into().map(|&wire| (own.flow[wire], 1.0)).collect();
                terms.extend(out().map(|&wire| (own.flow[wire], -1.0)));
                terms.extend(own.work[node].map(|work| (work, -1.0)));
                terms.extend((supply > 0.0).then_some((done, supply)));
                if !terms.is_empty() {
                    programme.add_constraint(terms, ComparisonOp::Eq, 0.0);
                }
                if model.variant.results == 0.0 || commodity.home == Some(NodeId(node as u32)) {
                    continue;
                }
                let mut terms: Vec<(Variable, f64)> =
                    into().filter_map(|&wire| Some((own.returned[wire]?, 1.0))).collect();
                terms.extend(out().filter_map(|&wire| Some((own.returned[wire]?, -1.0))));
                terms.extend(own.work[node].map(|work| (work, model.variant.results)));
                if !terms.is_empty() {
                    programme.add_constraint(terms, ComparisonOp::Eq, 0.0);
                }
            }
        }
    }

    /// What so many messages can bring to a node, as lines.
    fn incoming(&self, node: usize, end: f64) -> Vec<(f64, f64)> {
        let (model, end) = (self.model, end - self.late[node]);
        let wires = || model.entering[node].iter().map(|&wire| &model.wires[wire]);
        let begins: Vec<f64> = wires().map(|wire| self.early[wire.from.index()]).collect();
        let link = wires().map(|wire| wire.time).fold(f64::INFINITY, f64::min);
        let work = model.problem.work(NodeId(node as u32));
        Incoming { begins: &begins, link, work, startup: self.startup, end }.lines()
    }

    /// The most load that one message can bring over a link: what of it is not worked off at its end after it has come must be sent on
    /// after that.
    pub(super) fn largest(&self, wire: usize, end: f64) -> f64 {
        let model = self.model;
        let wire = &model.wires[wire];
        let outgoing =
            model.leaving[wire.to.index()].iter().map(|&wire| model.wires[wire].time).collect::<Vec<_>>();
        let left = end - self.early[wire.from.index()] - self.startup;
        few::largest(left, wire.time, model.problem.work(wire.to), (self.startup, &outgoing))
    }

    /// Messages are counted where each pays its start-up on every link.
    fn add_counts(
        &self,
        programme: &mut microlp::Problem,
        end: f64,
        columns: &[Columns],
        [there, back]: &[Vec<Variable>; 2],
    ) {
        if !self.is_each {
            return;
        }
        let model = self.model;
        let room = model.variant.memory.unwrap_or(1.0).min(1.0);
        for (index, wire) in model.wires.iter().enumerate() {
            let time = (self.of_wire(index, end) - self.startup).max(0.0);
            let fits = if wire.time > 0.0 { time / wire.time } else { f64::INFINITY };
            // Results are not worked off where they come to.
            let loads = fits.min(self.largest(index, end));
            let results = fits.min(model.variant.results.max(f64::MIN_POSITIVE));
            let flows = columns.iter().map(|own| Some(own.flow[index])).collect();
            let returns = columns.iter().map(|own| own.returned[index]).collect();
            let sides: [(Vec<Option<Variable>>, _, f64); 2] =
                [(flows, there, loads.min(room)), (returns, back, results)];
            for (flows, counts, most) in sides {
                let most = most.max(1e-9);
                let mut terms: Vec<(Variable, f64)> =
                    flows.into_iter().filter_map(|flow| Some((flow?, 1.0))).collect();
                terms.push((counts[index], -most));
                programme.add_constraint(terms, ComparisonOp::Le, 0.0);
            }
            if self.startup > 0.0 {
                let messages =
                    whole(self.early[wire.from.index()], end - self.late[wire.to.index()], self.startup);
                let terms = [(there[index], 1.0), (back[index], 1.0)];
                programme.add_constraint(terms, ComparisonOp::Le, messages * UNIT);
            }
        }
        let lines = (LINES_MAX / model.nodes()).max(1);
        for node in 0..model.nodes() {
            let most = self.of_node(node, end) / model.problem.work(NodeId(node as u32));
            if most <= 0.0 || !most.is_finite() {
                continue;
            }
            let works = |is: &dyn Fn(Option<NodeId>) -> bool| -> Vec<(Variable, f64)> {
                let own = model.commodities.iter().zip(columns).filter(|(one, _)| is(one.home));
                own.filter_map(|(_, own)| Some((own.work[node]?, 1.0))).collect()
            };
            let count = |mut terms: Vec<(Variable, f64)>, wires: &[usize], counts: &[Variable], rise: f64| {
                terms.extend(wires.iter().map(|&wire| (counts[wire], -rise)));
                terms
            };
            let id = NodeId(node as u32);
            if model.problem.sources().iter().all(|source| source.node != id) {
                for (at, rise) in self.incoming(node, end).into_iter().take(lines) {
                    let terms = count(works(&|_| true), &model.entering[node], there, rise);
                    programme.add_constraint(terms, ComparisonOp::Le, at * UNIT);
                }
            }
            if model.variant.results > 0.0 {
                let terms = count(works(&|home| home != Some(id)), &model.leaving[node], back, most);
                programme.add_constraint(terms, ComparisonOp::Le, 0.0);
            }
        }
    }

    /// What comes before what: load is used after it has come.
    fn add_order(
        &self,
        programme: &mut microlp::Problem,
        (end, done): (f64, Variable),
        columns: &[Columns],
        counts: &[Variable],
        slots: Option<Slots>,
    ) {
        if !self.is_each || self.startup == 0.0 {
            return;
        }
        let model = self.model;
        let wires = 0..model.wires.len();
        let flows: Vec<Vec<Variable>> =
            wires.map(|wire| columns.iter().map(|own| own.flow[wire]).collect()).collect();
        let works: Vec<Vec<Variable>> = (0..model.nodes())
            .map(|node| columns.iter().filter_map(|own| own.work[node]).collect())
            .collect();
        let all = Aggregate { flows: &flows, counts, works: &works };
        if let Some(left) = self.left.as_ref().filter(|left| left.reaches(end)) {
            let (startup, early) = (self.startup, self.early.as_slice());
            Through { model, left, end, startup, early, all }.add(programme);
        }
        if let Some(slots) = slots {
            slots.add(model, programme, (end, done), &|wire| self.window(wire, end), all);
        }
    }

    /// Nobody is busy for longer than it can be in use.
    fn add_rows(
        &self,
        programme: &mut microlp::Problem,
        end: f64,
        columns: &[Columns],
        charges: &[Vec<Variable>; 2],
    ) {
        let model = self.model;
        let busy = |wires: &[usize]| -> Vec<(Variable, f64)> {
            let mut terms = Vec::new();
            for &wire in wires {
                let time = model.wires[wire].time;
                terms.extend(columns.iter().map(|own| (own.flow[wire], time)));
                terms.extend(columns.iter().filter_map(|own| Some((own.returned[wire]?, time))));
                let startup = if self.is_each { self.startup } else { 0.0 };
                terms.extend(charges.iter().map(|counts| (counts[wire], startup)));
            }
            terms.retain(|term| term.1 > 0.0);
            terms
        };
        let longest = |wires: &[usize]| wires.iter().map(|&wire| self.of_wire(wire, end)).fold(0.0, f64::max);
        let mut limit = |terms: Vec<(Variable, f64)>, length: f64| {
            if !terms.is_empty() {
                programme.add_constraint(terms, ComparisonOp::Le, length * UNIT);
            }
        };
        let Variant { ports, front_end, duplex, .. } = *model.variant;
        for node in 0..model.nodes() {
            let time = model.problem.work(NodeId(node as u32));
            let work: Vec<(Variable, f64)> =
                columns.iter().filter_map(|own| Some((own.work[node]?, time))).collect();
            let (out, into) = (&model.leaving[node], &model.entering[node]);
            let both = [out.as_slice(), into].concat();
            let of_node = self.of_node(node, end);
            limit(work.clone(), of_node);
            if !front_end {
                let whole = longest(&both).max(of_node);
                // A node may send first and work last, and the other way round.
                let whole = whole.max(end - self.early[node].min(self.first_of(&both)));
                limit(work.into_iter().chain(busy(&both)).collect(), whole);
            } else if let Ports::Few(ports) = ports {
                let ports = f64::from(ports);
                match duplex {
                    Duplex::Half => limit(busy(&both), ports * (end - self.first_of(&both)).max(0.0)),
                    Duplex::Full => {
                        limit(busy(out), ports * longest(out));
                        limit(busy(into), ports * (end - self.first_of(into)).max(0.0));
                    }
                }
            }
        }
        for (index, wire) in model.wires.iter().enumerate() {
            let back = model.leaving[wire.to.index()].iter().find(|&&back| model.wires[back].to == wire.from);
            match (duplex, back) {
                (Duplex::Half, Some(&back)) if back > index => {
                    let pair = [index, back];
                    limit(busy(&pair), (end - self.first_of(&pair)).max(0.0));
                    limit(busy(&[index]), self.of_wire(index, end));
                    limit(busy(&[back]), self.of_wire(back, end));
                }
                (Duplex::Half, Some(_)) => {}
                _ => limit(busy(&[index]), self.of_wire(index, end)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Source, Speeds};
    use meshwright_network::topology::Machine;

    /// Two neighbours of a slow corner send back half of what they get, one message each way: no bound is above that.
    #[test]
    fn results_need_not_be_worked_off_at_home() {
        let (startup, link, results, slow) = (0.5, 0.02, 0.5, 3.5);
        let mesh = Machine::new("mesh:5x3").unwrap();
        let mut work = vec![1.0; 15];
        work[2] = slow;
        let speeds = Speeds { work, link: vec![link; mesh.links() as usize] };
        let problem = Problem::new(&mesh, vec![Source::at(NodeId(2), 1.0)], link).unwrap();
        let problem = problem.with_speeds(speeds).unwrap();
        // T = 2 l + (1 + z + rho z) y for each of two neighbours, and T = w (1 - 2 y).
        let share = (slow - 2.0 * startup) / (1.0 + link * (1.0 + results) + 2.0 * slow);
        let done = slow * (1.0 - 2.0 * share);
        let variant = Variant { results, ..Variant::default() };
        let (bound, _) = with_startups(&problem, &variant, startup, Paid::EveryHop, 1.0).unwrap();
        assert!(bound <= done && done < 1.01 * bound, "{bound} and {done}");
    }
}

//! Whether an answer is possible, and what no answer can beat.

use super::answer::{Answer, Case};
use super::run::Run;
use super::terms::Terms;
use super::ways::late;
use super::{Deadline, Fewest, LoadBound, LoadOutcome};
use crate::contradiction::not_below;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_load::check::{self, Claim, Feasibility, Reading};
use meshwright_load::installments::Installments;
use meshwright_load::lp::{self, Variant};
use meshwright_load::optimum::{self, StartupBound};
use meshwright_load::witness::{Stretch, Witness, WitnessKind};
use meshwright_load::{Cells, Cut, Forwarding, Problem, layers};

/// The largest network a flow is sought in: nodes times moments.
const COPIED_NODES_MAX: usize = 500_000;

/// On larger machines the fewest processors are not looked for.
const COUNTED_NODES_MAX: usize = 100_000;

/// A schedule in messages is held to its time up to this part: it consists of whole bytes and cycles.
pub(super) const WHOLE_CYCLES: f64 = 1e-6;

/// The solver of linear programmes is good for this part of a makespan.
pub(super) const SOLVER: f64 = 1e-6;

/// What is to be decided.
pub(super) struct Asked<'a> {
    pub(super) terms: Terms,
    /// What start-ups say, where that is more than the fluid optimum.
    pub(super) startup: Option<&'a StartupBound>,
    /// What start-ups say beyond that.
    pub(super) started: Option<f64>,
    pub(super) shares: &'a [f64],
    pub(super) makespan: f64,
    pub(super) switching: Forwarding,
    pub(super) cells: Option<&'a Cells>,
}

/// Shares that were sent as messages on the machine that was asked for.
pub(super) struct Sent {
    /// When all was done, in units of w Tcp.
    pub(super) makespan: f64,
    pub(super) messages: u64,
    pub(super) goal: Option<String>,
}

/// Decides whether these shares can be brought to their nodes and worked off in time, on the terms asked for.
///
/// What machines refute that do more is refuted. Where the terms leave a flow free to be sent in messages as short as
/// one likes, a flow or a linear programme decides. Elsewhere (pure store-and-forward, start-ups, shares that must be
/// whole on such a machine) only a schedule in messages can say yes: `send` makes one.
pub(super) fn decide(
    problem: &Problem<'_>,
    asked: &Asked<'_>,
    send: &mut dyn FnMut() -> Result<Option<Sent>>,
) -> Result<Feasibility> {
    let Asked { terms, startup, started, shares, makespan, switching, cells } = *asked;
    let found = by_flow(problem, shares, makespan, switching, cells)?;
    let is_fluid = switching != Forwarding::StoreAndForward && terms.startup == 0.0;
    if !found.feasible && found.reading != Reading::Undecided {
        // What is refuted by no more than whole bytes and cycles explain, a schedule may show all the same.
        let shown = if !is_fluid && found.cut.as_ref().is_some_and(is_near) {
            by_schedule(makespan, send)?
        } else {
            None
        };
        return Ok(shown.unwrap_or(found));
    }
    if is_fluid && terms.is_plain() && found.feasible {
        return Ok(found);
    }
    if let Some((node, moment)) = late(problem, asked) {
        let no = Feasibility::of(false, Reading::Necessary);
        return Ok(Feasibility { overloaded: Some(node), moment, ..no });
    }
    if let Some(cut) = startup.and_then(|startup| beaten(startup, makespan)) {
        if !is_near(&cut) {
            return Ok(Feasibility { cut: Some(cut), ..Feasibility::of(false, Reading::Necessary) });
        }
        let undecided = Feasibility::of(false, Reading::Undecided);
        return Ok(by_schedule(makespan, send)?.unwrap_or(undecided));
    }
    if let Some(least) = started.filter(|&least| least > makespan * (1.0 + SOLVER)) {
        let no = Feasibility::of(false, Reading::Programme);
        return Ok(Feasibility { least: Some(least), ..no });
    }
    let mut least = None;
    if terms.variant != Variant::default() {
        let programme = by_programme(problem, asked)?;
        least = programme.least;
        if !programme.feasible && programme.reading != Reading::Undecided {
            return Ok(programme);
        }
        if programme.feasible && is_fluid && switching == Forwarding::CutThrough {
            return Ok(programme);
        }
    }
    Ok(match by_schedule(makespan, send)? {
        Some(shown) => Feasibility { least, ..shown },
        None => Feasibility { least, ..Feasibility::of(false, Reading::Undecided) },
    })
}

/// A schedule in messages that is done in time, if there is one.
fn by_schedule(makespan: f64, send: &mut dyn FnMut() -> Result<Option<Sent>>) -> Result<Option<Feasibility>> {
    let sent = send()?.filter(|sent| sent.makespan <= makespan * (1.0 + WHOLE_CYCLES));
    Ok(sent.map(|Sent { makespan, messages, goal }| {
        let witness = Witness {
            kind: WitnessKind::Schedule,
            messages: Some(messages),
            goal,
            ..Witness::of_flow(makespan, Vec::new(), Vec::new())
        };
        Feasibility { witness: Some(witness), ..Feasibility::of(true, Reading::Schedule) }
    }))
}

/// Whether whole bytes and cycles explain what is missing.
fn is_near(cut: &Cut) -> bool {
    cut.capacity >= cut.demand * (1.0 - WHOLE_CYCLES)
}

/// The set of the bound refutes whatever promises to be faster.
fn beaten(startup: &StartupBound, makespan: f64) -> Option<Cut> {
    let capacity = startup.capacity(makespan);
    let is_beaten = makespan * (1.0 + check::TOLERANCE) < startup.makespan;
    is_beaten.then(|| Cut { capacity, ..startup.cut.clone() })
}

/// Decides by a flow, on a machine with all ports, front ends, no results and no start-up.
///
/// Where a node begins when its whole share is there, the flow is followed from moment to moment. When that would
/// take too large a network the moments are left out: what is then refuted is refuted, the rest stays undecided.
pub(super) fn by_flow(
    problem: &Problem<'_>,
    shares: &[f64],
    makespan: f64,
    switching: Forwarding,
    cells: Option<&Cells>,
) -> Result<Feasibility> {
    let moments = (switching != Forwarding::CutThrough).then(|| moments(problem, shares, makespan));
    let is_small = |moments: &&Vec<f64>| copies(moments) * shares.len() <= COPIED_NODES_MAX;
    let timed = moments.as_ref().filter(is_small).map(Vec::as_slice);
    let found = check::check(problem, &Claim { makespan, shares, timed, cells })?;
    if moments.is_some() && timed.is_none() && found.feasible {
        return Ok(Feasibility::of(false, Reading::Undecided));
    }
    Ok(found)
}

/// Decides by the linear programme of the machine that was asked for, with nodes that work on what arrives.
fn by_programme(problem: &Problem<'_>, asked: &Asked<'_>) -> Result<Feasibility> {
    let Asked { terms, shares, makespan, cells, .. } = *asked;
    let known = lp::theorem(problem, &terms.variant)?.map(|theorem| theorem.makespan);
    let beyond = |least: f64| least > makespan * (1.0 + SOLVER);
    if let Some(least) = known.filter(|&least| beyond(least)) {
        return Ok(Feasibility { least: Some(least), ..Feasibility::of(false, Reading::Programme) });
    }
    let answer = match lp::keep(problem, &terms.variant, shares, cells) {
        Ok(answer) => answer,
        Err(Error::TooLarge { .. } | Error::NotApplicable { .. }) => {
            let floor = lp::floor(problem, &terms.variant, Some(shares))?;
            let least = known.map_or(floor, |known| known.max(floor));
            let reading = if beyond(least) { Reading::Programme } else { Reading::Undecided };
            let least = (least > 0.0).then_some(least);
            return Ok(Feasibility { least, ..Feasibility::of(false, reading) });
        }
        Err(error) => return Err(error),
    };
    let least = Some(answer.makespan);
    if beyond(answer.makespan) {
        return Ok(Feasibility { least, ..Feasibility::of(false, Reading::Programme) });
    }
    if !answer.attained {
        return Ok(Feasibility { least, ..Feasibility::of(false, Reading::Undecided) });
    }
    let time = (problem.releases()[0], answer.makespan);
    let [flow, returned] =
        [&answer.flow, &answer.returned].map(|flow| Stretch::of_links(problem.machine(), flow, time, None));
    let witness = Some(Witness::of_flow(answer.makespan, flow, returned));
    Ok(Feasibility { least, witness, ..Feasibility::of(true, Reading::Programme) })
}

/// By node the moment by which its whole share must be there.
fn moments(problem: &Problem<'_>, shares: &[f64], makespan: f64) -> Vec<f64> {
    let moment = |(node, &share): (usize, &f64)| match share > 0.0 {
        true => (makespan - share * problem.work(NodeId(node as u32))).max(0.0),
        false => makespan,
    };
    shares.iter().enumerate().map(moment).collect()
}

/// How many different moments there are.
fn copies(moments: &[f64]) -> usize {
    let mut moments: Vec<u64> = moments.iter().map(|moment| moment.to_bits()).collect();
    moments.sort_unstable();
    moments.dedup();
    moments.len()
}

impl Case<'_, '_> {
    /// Whether whole shares are there in time, or a source works on a part of its share while the rest comes.
    pub(super) fn reading_of(&self, single: &Installments) -> Result<Forwarding> {
        let (makespan, shares) = (single.makespan * (1.0 + WHOLE_CYCLES), &single.shares);
        let (terms, switching) = (self.terms, Forwarding::StoreAndForward);
        let found = by_flow(self.problem, shares, makespan, switching, None)?;
        let asked = Asked { terms, startup: None, started: None, shares, makespan, switching, cells: None };
        let is_refuted = !found.feasible && found.reading != Reading::Undecided;
        let is_refuted = is_refuted || late(self.problem, &asked).is_some();
        Ok(if is_refuted { Forwarding::CutThrough } else { Forwarding::StoreAndForward })
    }

    /// Decides on an answer.
    pub(super) fn feasible(&self, answer: &Answer) -> Result<Feasibility> {
        let plan = &answer.plan;
        let by_startup = self.startup.as_ref().and_then(|startup| beaten(startup, plan.makespan));
        if let Some(cut) = by_startup.filter(|cut| !(answer.is_possible && is_near(cut))) {
            return Ok(Feasibility { cut: Some(cut), ..Feasibility::of(false, Reading::Necessary) });
        }
        if answer.is_possible {
            return Ok(Feasibility::of(true, Reading::Mixed));
        }
        if let Some(cut) = self.beaten(plan.makespan) {
            return Ok(Feasibility { cut: Some(cut), ..Feasibility::of(false, Reading::Mixed) });
        }
        // Sources that are taken as one serve their cell together.
        let cells = plan.cells.as_ref().filter(|_| !answer.is_joined);
        let (shares, makespan, switching) = (plan.shares.as_slice(), plan.makespan, answer.switching);
        let (terms, startup) = (self.terms, self.startup.as_ref());
        let started = self.started.as_ref().map(|started| started.makespan);
        let asked = Asked { terms, startup, started, shares, makespan, switching, cells };
        let sent = |run: &Run| Sent {
            makespan: self.scale.units_of_ticks(run.ticks),
            messages: run.messages,
            goal: None,
        };
        decide(self.problem, &asked, &mut || Ok(answer.run.as_ref().map(sent)))
    }

    /// The certificate of the fluid optimum refutes whatever promises to be faster, in that much less time.
    fn beaten(&self, makespan: f64) -> Option<Cut> {
        let least = self.optimum.makespan;
        let is_beaten = self.problem.starts_at_once() && makespan * (1.0 + check::TOLERANCE) < least;
        is_beaten.then(|| {
            let Cut { nodes, demand, .. } = &self.optimum.cut;
            Cut { nodes: nodes.clone(), demand: *demand, capacity: demand * makespan / least }
        })
    }

    /// The bound with its certificate.
    pub(super) fn certified(&self) -> Result<LoadBound> {
        let optimum = (self.optimum.makespan, self.optimum.cut.clone());
        let variant = self.limited.as_ref().map(|limited| &limited.answer);
        let startups = (self.startup.as_ref(), self.started.as_ref());
        let bound = LoadBound::greatest(optimum, startups, variant, self.machine);
        // Nobody knows whether that of start-ups is attained, let alone by how many.
        let is_counted = self.startup.is_none() && self.started.is_none() && self.limited.is_none();
        let processors = if is_counted { self.fewest(bound.makespan)? } else { None };
        Ok(LoadBound { processors, ..bound })
    }

    /// How few processors are done by then; none for a machine too large to count them.
    fn fewest(&self, deadline: f64) -> Result<Option<Fewest>> {
        if self.depth.len() > COUNTED_NODES_MAX {
            return Ok(None);
        }
        let fewest = optimum::fewest(self.problem, deadline)?;
        Ok(Some(Fewest { at_least: fewest.at_least as u64, at_most: fewest.processors as u64 }))
    }

    /// How few processors meet the deadline.
    pub(super) fn deadline(&self, results: &[LoadOutcome]) -> Result<Option<Deadline>> {
        let Some(makespan) = self.job.deadline else { return Ok(None) };
        let possible = makespan >= self.least();
        let is_met = |outcome: &LoadOutcome| {
            outcome.detail.simulated_speedup.is_some_and(|speedup| 1.0 / speedup <= makespan)
        };
        let is_neared = self.limited.as_ref().is_none_or(|limited| limited.answer.attained);
        let known = possible && ((is_neared && !self.has_startup()) || results.iter().any(is_met));
        // How few are enough is a question of flows, on a machine that does everything at a time without start-ups.
        let is_counted = possible && self.limited.is_none() && !self.has_startup();
        let processors = if is_counted { self.fewest(makespan)? } else { None };
        Ok(Some(Deadline { makespan, possible, known, processors }))
    }

    /// How many nodes stand how many hops from the nearest source, the mean of their shares, and whether
    /// all of a layer have the same.
    pub(super) fn by_layer(&self, shares: &[f64]) -> (Vec<u64>, Vec<f64>, bool) {
        let counts = layers::counts_of_depths(&self.depth);
        let mut sums = vec![0.0; counts.len()];
        // Where all nodes of a layer have the same share it stays that to the last bit.
        let mut first = vec![None; counts.len()];
        let mut alike = vec![true; counts.len()];
        for (&depth, &share) in self.depth.iter().zip(shares).filter(|(depth, _)| **depth != u32::MAX) {
            let depth = depth as usize;
            sums[depth] += share;
            alike[depth] &= *first[depth].get_or_insert(share) == share;
        }
        let mean = |layer: usize| match (alike[layer], first[layer]) {
            (true, Some(share)) => share,
            _ => sums[layer] / counts[layer] as f64,
        };
        let fractions = (0..counts.len()).map(mean).collect();
        (counts, fractions, alike.iter().all(|&alike| alike))
    }

    /// No run ends before the bound.
    ///
    /// A source sends whole bytes, at most one less than its share: with all loads that much smaller in proportion, the
    /// bound shrinks at most in the same proportion.
    pub(super) fn check_bound(&self, name: &str, simulated: f64) -> Result<()> {
        let least = self.problem.sources().iter().map(|source| source.load).fold(1.0, f64::min);
        let whole_bytes = 1.0 - 1.0 / (least * self.job.bytes as f64);
        let rounding = if self.limited.is_some() { SOLVER } else { check::TOLERANCE };
        let bound = self.least() * whole_bytes * (1.0 - rounding);
        not_below(bound, simulated, "units", name, None)
    }
}

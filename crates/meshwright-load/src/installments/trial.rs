//! Which flow is best: some of each shape are sent in installments, and what is near the best of them.

use std::collections::BTreeMap;

use super::following::{Following, Found, write};
use super::forest::forest;
use super::potential::by_potential;
use super::shallow::shallow_flow;
use super::sizes::SizePlaces;
use super::{InstallmentSettings, Installments, Scale, tries};
use crate::flow::FlowPhase;
use crate::optimum::Optimum;
use meshwright_network::topology::Topology;

/// What share of the time the processors beside the sources are idle, in the flows that are tried.
pub(super) const SLACKS: &[f64] = &[0.0, 0.03, 0.06, 0.1, 0.15, 0.22, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.87];

/// How much longer than the least makespan the flows take that are tried.
pub(super) const STRETCHES: &[f64] = &[1.0, 1.02, 1.05, 1.1, 1.2, 1.35, 1.6, 2.0, 2.6, 3.5, 5.0, 8.0, 13.0];

/// As [`STRETCHES`], for flows that need some room.
const WIDER: &[f64] = &[
    1.0003, 1.001, 1.002, 1.005, 1.01, 1.02, 1.035, 1.05, 1.1, 1.2, 1.35, 1.6, 2.0, 2.6, 3.5, 5.0, 8.0, 13.0,
];

/// Over what of the potential nodes go from idle to busy, in the flows that are tried.
const LATES: &[f64] =
    &[0.0, 0.1, 0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0];

/// The most nodes for which potentials are looked for.
const FIELD_NODES_MAX: u32 = 1 << 13;

/// How load gets to the processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// The nearest first.
    Shallow,
    /// Over one link each.
    Trees,
    /// By potential.
    Fields,
    /// By potential, over fewer links, and over as few as there can be.
    Half,
    Lean,
}

impl Shape {
    /// How much longer than the least makespan, and what else distinguishes flows of this shape.
    fn tables(self) -> (&'static [f64], &'static [f64]) {
        match self {
            Self::Shallow => (STRETCHES, SLACKS),
            Self::Trees => (WIDER, SLACKS),
            Self::Fields | Self::Half | Self::Lean => (WIDER, LATES),
        }
    }
}

/// Which flow: its shape, and its places in the tables of that.
pub(super) type FlowChoice = (Shape, usize, usize);

/// A flow to be tried, and the places of sizes that were good for one like it.
pub(super) type Start = (FlowChoice, Option<SizePlaces>);

/// What is so many times as far from the bound as the best, and three thousandths, may be the best with more messages.
const COMES_NEAR: f64 = 1.5;

/// With more messages good sizes are not sought anew.
const ANEW_MAX: u64 = 100_000;

/// How many messages are timed for a flow like one of which good sizes are known, and for all flows with so many messages.
const AGAIN: u64 = 1_500_000;
const EFFORT: u64 = 30_000_000;

/// The flows that are tried first.
pub(super) const STARTS: &[Start] = &[
    ((Shape::Shallow, 0, 0), None),
    ((Shape::Shallow, 0, 6), None),
    ((Shape::Shallow, 3, 6), None),
    ((Shape::Shallow, 6, 3), None),
    ((Shape::Trees, 3, 0), None),
    ((Shape::Trees, 3, 3), None),
    ((Shape::Fields, 0, 6), None),
    ((Shape::Half, 0, 5), None),
    ((Shape::Lean, 1, 2), None),
    ((Shape::Lean, 2, 6), None),
];

/// A flow in installments of the best sizes found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tried {
    choice: FlowChoice,
    pub(super) ticks: u64,
    pub(super) messages: u64,
    places: SizePlaces,
}

/// What was tried for a load.
pub(super) struct Trial<'a, 'p, 'm> {
    scale: &'a Scale<'p, 'm>,
    least: f64,
    flows: BTreeMap<FlowChoice, Option<Vec<FlowPhase>>>,
}

impl<'a, 'p, 'm> Trial<'a, 'p, 'm> {
    pub(super) fn new(scale: &'a Scale<'p, 'm>, optimum: &Optimum) -> Self {
        Self { scale, least: optimum.makespan, flows: BTreeMap::new() }
    }

    /// How much longer than the least makespan this takes.
    pub(super) fn gap(&self, tried: &Tried) -> f64 {
        self.scale.units_of_ticks(tried.ticks) / self.least - 1.0
    }

    /// The best flow found with so many messages at the most, and the best of each shape that comes near it; if all are
    /// further from the bound than `far`, only the starts are tried.
    pub(super) fn best(
        &mut self,
        settings: &InstallmentSettings,
        starts: &[Start],
        far: f64,
    ) -> Option<(Tried, Vec<Start>)> {
        let mut round = Round { trial: self, settings, known: BTreeMap::new(), flows: 0 };
        let mut shapes: BTreeMap<Shape, Tried> = BTreeMap::new();
        for &(choice, guess) in starts {
            if let Some(tried) = round.time(choice, guess) {
                shapes.entry(choice.0).and_modify(|best| *best = tried.min(*best)).or_insert(tried);
            }
        }
        let mut best = shapes.into_values().collect::<Vec<Tried>>();
        best.sort_unstable_by_key(Tried::order);
        let comes_near = |tried: &Tried, least: f64| round.trial.gap(tried) <= COMES_NEAR * least + 0.003;
        let least = round.trial.gap(best.first()?);
        best.retain(|tried| comes_near(tried, least));
        if least <= far {
            best.iter_mut().for_each(|tried| *tried = round.climb(*tried));
            best.sort_unstable_by_key(Tried::order);
        }
        let starts = best.iter().map(|tried| (tried.choice, Some(tried.places)));
        Some((best[0], starts.collect()))
    }

    /// The schedule of a flow that was tried, in installments of still better sizes.
    pub(super) fn written(&mut self, tried: Tried, settings: &InstallmentSettings) -> Option<Installments> {
        let phases = self.flow(tried.choice)?;
        let following = Following::new(self.scale, &phases, settings).ok()?;
        let again =
            (settings.chunks <= ANEW_MAX).then(|| following.search(None, tries(200, settings))).flatten();
        let further = following.search(Some(tried.places), tries(200, settings));
        let found = again.into_iter().chain(further).min_by_key(|found| (found.ticks, found.messages))?;
        Some(write(self.scale, &[(following.streams, found.sizes)]))
    }

    fn flow(&mut self, choice: FlowChoice) -> Option<Vec<FlowPhase>> {
        let (problem, (shape, stretch, other)) = (self.scale.problem(), choice);
        let (stretches, others) = shape.tables();
        let (end, other) = (self.least * stretches[stretch], others[other]);
        let is_small = problem.machine().nodes() <= FIELD_NODES_MAX;
        let made = || match shape {
            Shape::Shallow => shallow_flow(problem, end, other),
            Shape::Trees => forest(problem, end, other).map(|phase| vec![phase]),
            Shape::Fields | Shape::Half | Shape::Lean if !is_small => None,
            Shape::Fields => by_potential(problem, end, other, 0.0).map(|phase| vec![phase]),
            Shape::Half => by_potential(problem, end, other, 0.25).map(|phase| vec![phase]),
            Shape::Lean => by_potential(problem, end, other, 1.0).map(|phase| vec![phase]),
        };
        self.flows.entry(choice).or_insert_with(made).clone()
    }
}

/// Where the next flow may lie.
const WAYS: &[(isize, isize)] = &[(-1, 0), (0, 1), (1, 0), (0, -1), (-1, -1), (1, 1), (-1, 1)];

/// The flow that lies there, if there is one.
fn neighbour((shape, stretch, other): FlowChoice, way: (isize, isize)) -> Option<FlowChoice> {
    let (stretches, others) = shape.tables();
    let (stretch, other) = (stretch.checked_add_signed(way.0)?, other.checked_add_signed(way.1)?);
    (stretch < stretches.len() && other < others.len()).then_some((shape, stretch, other))
}

impl Tried {
    fn order(&self) -> (u64, FlowChoice) {
        (self.ticks, self.choice)
    }

    fn min(self, other: Self) -> Self {
        if self.order() < other.order() { self } else { other }
    }
}

/// What was tried with so many messages.
struct Round<'t, 'a, 'p, 'm> {
    trial: &'t mut Trial<'a, 'p, 'm>,
    settings: &'t InstallmentSettings,
    known: BTreeMap<FlowChoice, Option<Tried>>,
    /// How many flows were sent.
    flows: u64,
}

impl Round<'_, '_, '_, '_> {
    /// How many sizes are tried for a flow like one of which good ones are known.
    fn tries(&self) -> usize {
        (AGAIN / self.settings.chunks.max(1)).clamp(4, 30) as usize
    }

    /// Whether one more flow may be tried.
    fn has_time(&self) -> bool {
        self.flows * self.tries() as u64 * self.settings.chunks < EFFORT
    }

    /// The best flow that is met from one on, step by step.
    fn climb(&mut self, mut best: Tried) -> Tried {
        let (mut way, mut vain) = (0, 0);
        while vain < WAYS.len() && self.has_time() {
            // The way that helped is gone on.
            let next = neighbour(best.choice, WAYS[way]);
            match next.and_then(|choice| self.time(choice, Some(best.places))) {
                Some(better) if better.ticks < best.ticks => (best, vain) = (better, 0),
                _ => (way, vain) = ((way + 1) % WAYS.len(), vain + 1),
            }
        }
        best
    }

    fn time(&mut self, choice: FlowChoice, guess: Option<SizePlaces>) -> Option<Tried> {
        if let Some(known) = self.known.get(&choice) {
            return *known;
        }
        let found = self.trial.flow(choice).and_then(|phases| {
            let following = Following::new(self.trial.scale, &phases, self.settings).ok()?;
            self.flows += 1;
            let tries = if guess.is_some() { self.tries() } else { tries(60, self.settings) };
            following.search(guess, tries)
        });
        let tried =
            found.map(|Found { ticks, messages, places, .. }| Tried { choice, ticks, messages, places });
        self.known.insert(choice, tried);
        tried
    }
}

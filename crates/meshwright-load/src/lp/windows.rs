//! From when on, and until how long before the end, links and processors can be in use.

use super::left::Left;
use super::model::{Model, Wire};
use super::slots::Slots;
use crate::layers;
use crate::optimum::Paid;
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;

/// Finer slots are not looked at.
const SLOT_VARIABLES_MAX: usize = 600;

/// No more slots than these in a start-up.
const SLOTS_MAX: usize = 12;

/// From when on, and until how long before the end, everything can be in use.
pub(super) struct Windows<'a> {
    pub(super) model: &'a Model<'a>,
    pub(super) startup: f64,
    pub(super) is_each: bool,
    /// By node, e and b.
    pub(super) early: Vec<f64>,
    pub(super) late: Vec<f64>,
    /// What can be done in the time that is left, where each message pays on every link.
    pub(super) left: Option<Left>,
}

impl<'a> Windows<'a> {
    pub(super) fn new(model: &'a Model<'a>, startup: f64, paid: Paid, least: f64) -> Self {
        let (problem, machine) = (model.problem, model.problem.machine());
        let is_each = paid == Paid::EveryHop;
        let costs = |hops: u32| match (hops, is_each) {
            (u32::MAX, _) => f64::INFINITY,
            (hops, true) => startup * f64::from(hops),
            (hops, false) => startup * f64::from(hops.min(1)),
        };
        let nodes = machine.nodes() as usize;
        let mut early = vec![f64::INFINITY; nodes];
        for source in problem.sources() {
            let depths = layers::depths(machine, &[source.node]);
            for (early, &hops) in early.iter_mut().zip(&depths) {
                *early = early.min(source.release + costs(hops));
            }
        }
        let homes: Vec<NodeId> = model.commodities.iter().filter_map(|one| one.home).collect();
        let late = match homes.is_empty() {
            true => vec![0.0; nodes],
            false => layers::depths(machine, &homes).into_iter().map(costs).collect(),
        };
        let left = (is_each && startup > 0.0).then(|| Left::new(model, startup, &late, least)).flatten();
        Self { model, startup, is_each, early, late, left }
    }

    /// From when on something can be sent over a wire, until when it must be there, and the most that one message can bring.
    pub(super) fn window(&self, wire: usize, end: f64) -> (f64, f64, f64) {
        let Wire { from, to, .. } = self.model.wires[wire];
        (self.early[from.index()], end - self.late[to.index()], self.largest(wire, end).min(1.0))
    }

    /// The narrowest slots of which there are not too many about until `end`.
    pub(super) fn slots(&self, end: f64) -> Option<Slots> {
        let is_few = |slots: &Slots| {
            let window = |wire: usize| self.window(wire, end);
            slots.until(end) <= SLOT_VARIABLES_MAX
                && slots.variables(self.model, &window) <= SLOT_VARIABLES_MAX
        };
        let most = if self.is_each { SLOTS_MAX } else { 0 };
        (1..=most).map(|per_startup| Slots::new(self.startup, per_startup)).take_while(is_few).last()
    }

    /// How long a link can be in use.
    pub(super) fn of_wire(&self, wire: usize, end: f64) -> f64 {
        let wire = &self.model.wires[wire];
        let (from, to) = (wire.from.index(), wire.to.index());
        match self.is_each {
            true => (end - self.early[from] - self.late[to]).max(0.0),
            // No bit leaves a source before its start-up has passed.
            false => (end - self.early[from].max(self.first() + self.startup)).max(0.0),
        }
    }

    pub(super) fn first(&self) -> f64 {
        self.model.starts[0]
    }

    /// How long a processor can work.
    pub(super) fn of_node(&self, node: usize, end: f64) -> f64 {
        (end - self.early[node] - self.late[node]).max(0.0)
    }

    /// When the first of these links can be in use.
    pub(super) fn first_of(&self, wires: &[usize]) -> f64 {
        let early = wires.iter().map(|&wire| self.early[self.model.wires[wire].from.index()]);
        early.fold(f64::INFINITY, f64::min)
    }
}

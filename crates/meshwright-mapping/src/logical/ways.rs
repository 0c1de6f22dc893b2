//! The ways to share the dimensions of a machine among the axes of a logical mesh, the cheapest ones.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use super::curve::{Curve, curves, permutations};
use super::factors::{self, Table};
use super::price::{Places, Price, Pricing};
use super::{LineMessage, LinePhase, Logical};
use crate::bound;
use crate::task_graph::Edge;
use meshwright_core::units::Bytes;
use meshwright_network::topology::{Grid, Machine, Topology};

/// So many ways are looked at; of larger families the first ones, the most compact boxes before others.
const WAYS_MAX: usize = 1 << 17;

/// So many walks of an axis over its places are kept.
const WALKS_KEPT: usize = 4;

/// The places of one axis, dimension by dimension.
pub(super) type AxisPlaces = Vec<Places>;

/// A walk of an axis over its places, and what the phases along it cost.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    pub(super) price: Price,
    pub(super) curve: Rc<Curve>,
}

/// The places of every axis, and what they cost together on the best walks.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) price: Price,
    pub(super) axes: Vec<AxisPlaces>,
    /// By axis the best walks, the cheapest first.
    pub(super) walks: Vec<Rc<Vec<Walk>>>,
    /// The sides of the box that is used.
    pub(super) used: Vec<u32>,
}

/// What is known of a family so far.
#[derive(Debug)]
pub(super) struct Ways<'a> {
    logical: &'a Logical,
    grid: &'a Grid,
    pricing: Pricing<'a>,
    /// What each phase takes wherever its tasks are, in one repetition.
    least: Vec<u64>,
    curves: BTreeMap<Vec<u32>, Rc<Vec<Rc<Curve>>>>,
    known: BTreeMap<(usize, AxisPlaces), Rc<Vec<Walk>>>,
    best: Vec<Way>,
    most: usize,
    looked_at: usize,
}

/// The cheapest ways within these boxes, at most so many, of those with one price the first.
pub(super) fn cheapest(
    logical: &Logical,
    (machine, grid): (&Machine, &Grid),
    boxes: &[Vec<u32>],
    most: usize,
) -> Vec<Way> {
    let least = |phase: &LinePhase| {
        let edge = |one: &LineMessage| Edge { source: one.from, target: one.to, bytes: Bytes(one.bytes) };
        let line: Vec<Edge> = phase.step.messages.iter().map(edge).collect();
        bound::ports(&line, machine, machine.switching())
    };
    let mut ways = Ways {
        logical,
        grid,
        pricing: Pricing::new(machine.costs(), machine.switching()),
        least: logical.phases.iter().map(least).collect(),
        curves: BTreeMap::new(),
        known: BTreeMap::new(),
        best: Vec::new(),
        most,
        looked_at: 0,
    };
    let sizes = logical.mesh.sizes();
    for used in boxes {
        if factors::tables(&sizes, used, &mut |table| ways.look(table, used)).is_break() {
            break;
        }
    }
    ways.best
}

impl Ways<'_> {
    /// Looks at every nesting of a table.
    fn look(&mut self, table: &Table, used: &[u32]) -> ControlFlow<()> {
        let dims = used.len();
        // By dimension every order of the axes that share it, the outer one first.
        let sharing = |dim: usize| (0..table.len()).filter(move |&axis| table[axis][dim] > 1);
        let orders: Vec<Vec<Vec<usize>>> =
            (0..dims).map(|dim| permutations(&sharing(dim).collect::<Vec<_>>())).collect();
        let mut chosen = vec![0; dims];
        loop {
            self.looked_at += 1;
            if self.looked_at > WAYS_MAX {
                return ControlFlow::Break(());
            }
            let axes =
                self.places(table, chosen.iter().zip(&orders).map(|(&chosen, orders)| &orders[chosen]));
            self.keep(axes, used);
            // The next nesting, as an odometer counts.
            let Some(dim) = (0..dims).find(|&dim| chosen[dim] + 1 < orders[dim].len()) else {
                return ControlFlow::Continue(());
            };
            chosen[..dim].fill(0);
            chosen[dim] += 1;
        }
    }

    /// The places of every axis.
    fn places<'n>(&self, table: &Table, nesting: impl Iterator<Item = &'n Vec<usize>>) -> Vec<AxisPlaces> {
        let alone = Places { count: 1, apart: 1, wraps: false };
        let mut axes = vec![vec![alone; self.grid.dimensions()]; table.len()];
        for (dim, order) in nesting.enumerate() {
            let mut apart = 1;
            for &axis in order.iter().rev() {
                let count = table[axis][dim];
                let wraps = self.grid.wraps() && apart * count == self.grid.sides()[dim];
                axes[axis][dim] = Places { count, apart, wraps };
                apart *= count;
            }
        }
        axes
    }

    /// Keeps a way if it is among the best so far.
    fn keep(&mut self, axes: Vec<AxisPlaces>, used: &[u32]) {
        let full = self.best.len() == self.most;
        let limit = self.best.last().filter(|_| full).map_or(u64::MAX, |way| way.price.ticks);
        let mut ticks: u64 = 0;
        for (axis, places) in axes.iter().enumerate() {
            ticks = ticks.saturating_add(self.at_least(axis, places));
        }
        let mut price = Price::default();
        let mut walks = Vec::with_capacity(axes.len());
        for (axis, places) in axes.iter().enumerate() {
            if ticks > limit {
                return;
            }
            ticks -= self.at_least(axis, places).min(ticks);
            let own = self.walks(axis, places);
            let Price { ticks: more, hops } = own[0].price;
            ticks = ticks.saturating_add(more);
            price.ticks = price.ticks.saturating_add(more);
            price.hops = price.hops.saturating_add(hops);
            walks.push(own);
        }
        let place = self.best.partition_point(|way| way.price < price);
        if place < self.most && self.best.get(place).is_none_or(|way| way.price != price) {
            self.best.insert(place, Way { price, axes, walks, used: used.to_vec() });
            self.best.truncate(self.most);
        }
    }

    /// What the phases along an axis take at least: every message crosses a link, and of lines side by side as many cross
    /// it as the places are apart.
    fn at_least(&self, axis: usize, places: &[Places]) -> u64 {
        if let Some(known) = self.known.get(&(axis, places.to_vec())) {
            return known[0].price.ticks;
        }
        let apart = places.iter().filter(|one| one.count > 1).map(|one| one.apart).min().unwrap_or(0);
        let of_phase = |(phase, &least): (&LinePhase, &u64)| {
            let largest = phase.step.messages.iter().map(|message| message.bytes).max().unwrap_or(0);
            self.pricing.least(largest, apart).max(least).saturating_mul(phase.step.times.into())
        };
        let own = self.logical.phases.iter().zip(&self.least).filter(|(phase, _)| phase.axis == axis);
        own.map(of_phase).fold(0, u64::saturating_add)
    }

    /// The best walks of an axis over its places, the cheapest first.
    fn walks(&mut self, axis: usize, places: &[Places]) -> Rc<Vec<Walk>> {
        let key = (axis, places.to_vec());
        if let Some(known) = self.known.get(&key) {
            return Rc::clone(known);
        }
        let shape: Vec<u32> = places.iter().map(|one| one.count).collect();
        let all = self
            .curves
            .entry(shape)
            .or_insert_with_key(|shape| Rc::new(curves(shape).into_iter().map(Rc::new).collect()));
        let all = Rc::clone(all);
        let mut walks: Vec<Walk> = (all.iter())
            .map(|curve| Walk { price: self.price(axis, curve, places), curve: Rc::clone(curve) })
            .collect();
        walks.sort_by_key(|walk| walk.price);
        walks.truncate(WALKS_KEPT);
        let walks = Rc::new(walks);
        self.known.insert(key, Rc::clone(&walks));
        walks
    }

    /// All phases along an axis, its members along this walk.
    fn price(&mut self, axis: usize, curve: &Curve, places: &[Places]) -> Price {
        let mut sum = Price::default();
        let lines = u64::from(self.logical.mesh.tasks() / self.logical.mesh.axes[axis].size);
        let own = self.logical.phases.iter().zip(&self.least).filter(|(phase, _)| phase.axis == axis);
        for (phase, &least) in own {
            let once = self.pricing.once(&phase.step, &curve.cells, places, least);
            let times = u64::from(phase.step.times);
            sum.ticks = sum.ticks.saturating_add(once.ticks.saturating_mul(times));
            sum.hops = sum.hops.saturating_add(once.hops.saturating_mul(times).saturating_mul(lines));
        }
        sum
    }
}

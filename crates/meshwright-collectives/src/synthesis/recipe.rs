//! All products of a box, by what they would take if nobody waited.

use std::collections::BTreeMap;

use meshwright_core::units::{Bytes, Cycles};
use meshwright_network::topology::{Costs, Grid, Topology};

use super::product::{Kind, Product, Stage};
use crate::{Operation, Task};

/// How many products are looked at.
const PRODUCTS_MAX: usize = 1 << 14;

/// A product with its estimated times.
#[derive(Clone, Debug)]
pub struct Priced {
    /// The product.
    pub product: Product,
    /// All latencies and all loads one after the other: what it takes in one piece.
    pub serial: Cycles,
    /// The greater of all latencies and all loads: what chunks may come near to.
    pub streamed: Cycles,
}

/// Latency and load of an exchange, in ticks.
#[derive(Clone, Copy, Default)]
struct Price {
    latency: u64,
    load: u64,
}

/// All products for a task, the cheapest first; none for operations that are no product.
///
/// # Complexity
///
/// O(products stages side²), a few thousand products.
pub fn recipes(task: &Task<'_>, grid: &Grid) -> Vec<Priced> {
    let mut prices = Prices { grid, costs: task.machine().costs(), crossed: BTreeMap::new() };
    let mut all = Vec::new();
    for stages in sequences(grid) {
        let wholes = match task.operation {
            // Of nothing there are no pieces.
            Operation::Barrier => 0..=0,
            Operation::AllReduce => 0..=stages.len(),
            Operation::AllGather | Operation::ReduceScatter => stages.len()..=stages.len(),
            _ => return all,
        };
        for whole in wholes {
            if stages[whole..].iter().any(|stage| stage.kind == Kind::TwoWay) {
                continue;
            }
            let mut colours = vec![1];
            let dimensions = grid.dimensions() as u32;
            if grid.sides().windows(2).all(|two| two[0] == two[1]) {
                if dimensions > 1 {
                    colours.push(dimensions);
                }
                let has_pairs = stages.iter().any(|stage| stage.radix == 2);
                if grid.wraps() && has_pairs && task.operation == Operation::AllReduce {
                    colours.push(2 * dimensions);
                }
            }
            for colours in colours {
                let product = Product { stages: stages.clone(), whole, colours, in_step: false };
                all.push(prices.priced(task, product));
            }
        }
    }
    all.sort_by_key(|recipe| (recipe.serial, recipe.streamed));
    all
}

/// Sequences of exchanges that reach everybody: each side as a product of radices, dimension after dimension or in turns.
fn sequences(grid: &Grid) -> Vec<Vec<Stage>> {
    let mut by_axis: Vec<Vec<Vec<Stage>>> = Vec::new();
    for (axis, &side) in grid.sides().iter().enumerate() {
        by_axis.push(ways(axis, side, grid.wraps()));
    }
    let mut combinations: Vec<Vec<Vec<Stage>>> = vec![Vec::new()];
    for ways in &by_axis {
        let longer = |before: &Vec<Vec<Stage>>| {
            let before = before.clone();
            ways.iter().map(move |way| [before.as_slice(), std::slice::from_ref(way)].concat())
        };
        combinations = combinations.iter().flat_map(longer).take(PRODUCTS_MAX).collect();
    }
    let mut all = Vec::new();
    for axes in combinations {
        let after: Vec<Stage> = axes.iter().rev().flatten().copied().collect();
        let deepest = axes.iter().map(Vec::len).max().unwrap_or(0);
        let turn = |k: usize| axes.iter().rev().filter_map(move |way| way.get(k).copied());
        let turns: Vec<Stage> = (0..deepest).flat_map(turn).collect();
        if turns != after {
            all.push(turns);
        }
        all.push(after);
    }
    all.truncate(PRODUCTS_MAX);
    all
}

/// The ways to cut a side into radices, the nearest first; each exchanged directly, or the whole side two-way.
fn ways(axis: usize, side: u32, wraps: bool) -> Vec<Vec<Stage>> {
    let mut all = Vec::new();
    if wraps && side.is_power_of_two() && side > 4 {
        let pair = |turn: u32| Stage { axis, stride: 1u32 << turn, radix: 2, kind: Kind::Swing };
        all.push((0..side.ilog2()).map(pair).collect());
    }
    let mut open = vec![(1u32, Vec::<Stage>::new())];
    while let Some((stride, way)) = open.pop() {
        if stride == side {
            all.push(way);
            continue;
        }
        for radix in 2..=side / stride {
            if !(side / stride).is_multiple_of(radix) || radix > 64 {
                continue;
            }
            let kinds: &[Kind] =
                if radix > 3 && stride == 1 { &[Kind::Direct, Kind::TwoWay] } else { &[Kind::Direct] };
            for &kind in kinds {
                let mut longer = way.clone();
                longer.push(Stage { axis, stride, radix, kind });
                open.push((stride * radix, longer));
            }
        }
    }
    all
}

/// Prices of exchanges.
struct Prices<'t> {
    grid: &'t Grid,
    costs: &'t Costs,
    /// By exchange, and whether there is a copy moved by one: links of the longest way, messages over the busiest link.
    crossed: BTreeMap<(Stage, bool), (u64, u64)>,
}

impl Prices<'_> {
    /// What a product takes by its latencies and loads.
    fn priced(&mut self, task: &Task<'_>, product: Product) -> Priced {
        let (scattering, whole) = product.stages.split_at(product.whole);
        let pieces: u64 = scattering.iter().map(|stage| u64::from(stage.radix)).product();
        let piece = task.bytes.div_ceil(u64::from(product.colours) * pieces);
        let is_moved = product.colours as usize > self.grid.dimensions();
        let (mut latency, mut load) = (0, 0);
        let mut held = piece;
        let times = if task.operation.is_parted() { 1 } else { 2 };
        for stage in scattering.iter().rev() {
            let price = self.price(*stage, held, is_moved);
            latency += times * price.latency;
            load += times * price.load;
            held *= u64::from(stage.radix);
        }
        for stage in whole {
            let price = self.price(*stage, piece, is_moved);
            latency += price.latency;
            load += price.load;
        }
        let serial = self.costs.cycles(latency + load);
        let streamed = self.costs.cycles((latency + load / 8).max(load));
        Priced { product, serial, streamed }
    }

    /// Latency and busiest link of one exchange of pieces of so many bytes, with that of a copy that is moved by one where there is one.
    fn price(&mut self, stage: Stage, bytes: u64, is_moved: bool) -> Price {
        let (startup, head) = (self.costs.startup_ticks(), self.costs.head_ticks());
        let one = self.costs.transfer_ticks(Bytes(bytes)) + head;
        if stage.kind == Kind::TwoWay {
            let is_ring = self.grid.wraps() && stage.stride * stage.radix == self.grid.sides()[stage.axis];
            let steps = u64::from(if is_ring { stage.radix / 2 } else { stage.radix - 1 });
            let latency = steps * (startup + u64::from(stage.stride - 1) * head);
            let sent = if is_ring { u64::from(stage.radix - 1) * one / 2 } else { steps * one };
            return Price { latency, load: sent * u64::from(stage.stride) * (1 + u64::from(is_moved)) };
        }
        let grid = self.grid;
        let (hops, busiest) =
            *self.crossed.entry((stage, is_moved)).or_insert_with(|| crossed(stage, grid, is_moved));
        Price { latency: startup + hops.saturating_sub(1) * head, load: busiest * one }
    }
}

/// Of an exchange at once the links of the longest way, and the messages over the busiest link.
fn crossed(stage: Stage, grid: &Grid, is_moved: bool) -> (u64, u64) {
    let side = grid.sides()[stage.axis];
    let reach = stage.stride * stage.radix;
    // By link up from each coordinate, and down to it, how many messages cross it.
    let (mut up, mut down, mut hops) = (vec![0u64; side as usize], vec![0u64; side as usize], 0);
    for from in 0..side {
        let first = from / reach * reach + from % stage.stride;
        let group = (0..stage.radix).map(|k| match stage.kind {
            // Of a pair only the other.
            Kind::Swing if k == 0 => from,
            Kind::Swing => stage.peer(from, side),
            _ => first + k * stage.stride,
        });
        for to in group.filter(|&to| to != from) {
            let above = if to > from { to - from } else { to + side - from };
            let goes_up = if grid.wraps() { 2 * above <= side } else { to > from };
            let steps = match (goes_up, grid.wraps()) {
                (true, _) => above,
                (false, true) => side - above,
                (false, false) => from - to,
            };
            hops = hops.max(steps);
            for k in 0..steps {
                let at = if goes_up { from + k } else { from + side - k - 1 };
                let line = if goes_up { &mut up } else { &mut down };
                line[(at % side) as usize] += 1;
            }
        }
    }
    let with_moved = |line: &[u64]| {
        let before = |at: usize| if is_moved { line[(at + line.len() - 1) % line.len()] } else { 0 };
        (0..line.len()).map(|at| line[at] + before(at)).max().unwrap_or(0)
    };
    let busiest = with_moved(&up).max(with_moved(&down));
    (u64::from(hops), busiest)
}

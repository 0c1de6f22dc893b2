//! Which overlay trees: in how many pieces, from how many members each, and how far pieces go at first.
//!
//! Trees of many shapes begin as [gossip](super::gossip); those that end first by the [clock](super::overlay_clock) are
//! [changed](super::overlay_moves), the best of them for longer.

use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, Cycles};
use meshwright_network::topology::Switching;
use rayon::prelude::*;

use super::climb::applies;
use super::clock::Times;
use super::gossip::{Gossip, Manner, Sent, Ticks};
use super::overlay::{Letter, NOBODY, Overlay};
use super::overlay_clock::OverlayClock;
use super::overlay_moves::changed;
use super::overlay_shapes::{Begins, Shape, directions, hubs, is_personalised, shapes};
use super::packing::chunks;
use super::sort_by;
use super::ways::{Exits, Ways};
use crate::Task;

/// Of how many shapes others are tried: until when pieces go far, in hundredths of the time that the trees take, and how much further than need be.
const VARIED: usize = 4;
const UNTIL: [u64; 6] = [0, 50, 65, 80, 100, 1000];
const SLACKS: [i32; 3] = [0, 1, 2];

/// How many are changed, and how many of them longer.
const CHANGED: usize = 6;
const LONGER: usize = 2;

/// For how many links messages ask while one is changed, and longer.
const ASKS: [usize; 2] = [1 << 21, 1 << 25];

/// By so much, a part of so many, trees that are changed may get better.
const HOPE: u64 = 3;

/// What stays the same for all trees of a task.
struct Space<'t> {
    task: &'t Task<'t>,
    ways: Ways,
    /// How pieces leave members, where they go down.
    down: Option<Exits>,
    /// The same for what comes up, with time turned round.
    up: Option<(Ways, Exits)>,
}

impl<'t> Space<'t> {
    /// Those of a task.
    ///
    /// # Errors
    ///
    /// Those of [`Ways::of`].
    fn of(task: &'t Task<'t>) -> Result<Self> {
        let (is_up, is_down) = directions(task.operation).expect("an operation that trees do");
        let ways = Ways::of(task)?;
        let turned = || {
            let ways = ways.reversed();
            let exits = Exits::of(&ways);
            (ways, exits)
        };
        let up = is_up.then(turned);
        let down = is_down.then(|| Exits::of(&ways));
        Ok(Self { task, ways, down, up })
    }

    /// Whether sums come up and go down again.
    fn is_both(&self) -> bool {
        self.up.is_some() && self.down.is_some()
    }

    /// The trees that begin so.
    fn begun(&self, shape: Shape) -> Overlay {
        let blocks = chunks(self.task, shape.pieces);
        // Pieces of a part have one tree together.
        let hubs: Vec<Vec<u32>> = match directions(self.task.operation) {
            Some((true, true)) => hubs(&self.ways, blocks.len(), shape.hubs),
            _ if is_personalised(self.task.operation) => vec![vec![self.task.root]; shape.pieces as usize],
            Some((false, _)) => blocks.iter().map(|block| vec![block.from]).collect(),
            _ => blocks.iter().map(|block| vec![block.to]).collect(),
        };
        match shape.begins {
            Begins::Gossip(manner) => self.gossiped(shape.pieces, hubs, manner),
            Begins::Relays(relays) => self.relayed(shape.pieces, hubs, relays),
        }
    }

    /// Trees by which pieces spread as gossip, and come together with time turned round.
    fn gossiped(&self, pieces: u32, hubs: Vec<Vec<u32>>, manner: Manner) -> Overlay {
        let members = self.task.members();
        let bytes = chunks(self.task, pieces).iter().map(|block| block.bytes).max().unwrap_or(0);
        let ticks = Ticks::of(self.task.machine().costs(), bytes);
        let spread = |ways, exits| Gossip::spread((ways, exits), ticks, manner, &hubs);
        let up = self.up.as_ref().map(|(ways, exits)| spread(ways, exits));
        let down = self.down.as_ref().map(|exits| spread(&self.ways, exits));
        let at = |sent: &Sent| (sent.piece * members + sent.to) as usize;
        let tree = |all: &Option<Vec<Sent>>| {
            let Some(all) = all else { return Vec::new() };
            let mut over = vec![NOBODY; hubs.len() * members as usize];
            all.iter().for_each(|sent| over[at(sent)] = sent.from);
            over
        };
        let (up_tree, down_tree) = (tree(&up), tree(&down));
        let mut overlay = Overlay {
            members,
            pieces,
            up: up_tree,
            down: down_tree,
            hubs: hubs.clone(),
            turn: Vec::new(),
            is_personalised: false,
        };
        let mut order: Vec<(u64, usize)> = (0..overlay.messages()).map(|index| (u64::MAX, index)).collect();
        for sent in up.iter().flatten() {
            order[overlay.index(Letter::Up(at(sent)))].0 = u64::MAX / 2 - sent.arrived;
        }
        for sent in down.iter().flatten() {
            order[overlay.index(Letter::Down(at(sent)))].0 = sent.begun;
        }
        overlay.turn_by(order);
        overlay
    }

    /// Trees in which a few members spread over the machine hand pieces on to those that are nearest to them, far ones first.
    fn relayed(&self, pieces: u32, roots: Vec<Vec<u32>>, many: u32) -> Overlay {
        let members = self.task.members();
        let ways = self.up.as_ref().map_or(&self.ways, |(turned, _)| turned);
        let apart = |from: u32, to: u32| ways.hops_to(to as usize)[from as usize];
        let mut over = Vec::new();
        for (relays, root) in hubs(&self.ways, roots.len(), many).iter().zip(&roots) {
            let root = root[0];
            let near = |member: u32| {
                let all = relays.iter().copied().chain([root]);
                all.min_by_key(|&relay| (apart(relay, member), apart(root, relay))).expect("the root")
            };
            over.extend((0..members).map(|member| match member {
                _ if member == root => NOBODY,
                _ if relays.contains(&member) => root,
                _ => near(member),
            }));
        }
        let of = |at: usize| {
            let (tree, member) = (at / members as usize, at as u32 % members);
            let far = if over[at] == NOBODY { 0 } else { apart(over[at], member) };
            ((tree, over[at] != roots[tree][0], u16::MAX - far), at)
        };
        let order: Vec<_> = (0..over.len()).map(of).collect();
        let (up, down) = if self.up.is_some() { (over, Vec::new()) } else { (Vec::new(), over) };
        let is_personalised = is_personalised(self.task.operation);
        let mut overlay =
            Overlay { members, pieces, hubs: roots, up, down, turn: Vec::new(), is_personalised };
        overlay.turn_by(order);
        overlay
    }

    /// A clock for trees, and how long its unit is.
    fn clock(&self, overlay: &Overlay) -> (OverlayClock<'_>, u64) {
        let machine = self.task.machine();
        let blocks = chunks(self.task, overlay.pieces);
        let times = Times::exact(machine.costs(), blocks.iter().map(|block| block.bytes));
        let body = |bytes: u64| times.units(machine.costs().transfer_ticks(Bytes(bytes)));
        let bodies = blocks.iter().map(|block| body(block.bytes)).collect();
        let worms = machine.switching() == Switching::Wormhole;
        (OverlayClock::new(&self.ways, times, worms, bodies), times.unit)
    }

    /// Trees of shapes and when they end by the clock, in ticks, the first to end first.
    fn timed(&self, shapes: &[Shape]) -> Vec<(u64, Shape, Overlay)> {
        let of = |&shape: &Shape| {
            let overlay = self.begun(shape);
            let (mut clock, unit) = self.clock(&overlay);
            (u64::from(clock.run(&overlay).last) * unit, shape, overlay)
        };
        let mut all: Vec<_> = shapes.par_iter().map(of).collect();
        sort_by(&mut all, |(ticks, ..)| *ticks);
        all
    }

    /// Of these shapes, the trees that end first, in all manners, and may become better than `most` ticks.
    fn settled(&self, shapes: &[Shape], most: u64) -> Vec<Overlay> {
        let mut all = self.timed(shapes);
        let halves = 1 + u64::from(self.is_both());
        let mut varied = Vec::new();
        let gossips = all.iter().filter(|(_, shape, _)| matches!(shape.begins, Begins::Gossip(_)));
        for &(ticks, shape, _) in gossips.take(VARIED) {
            for (until, slack) in UNTIL.iter().flat_map(|until| SLACKS.map(|slack| (until, slack))) {
                let manner = Manner { until: (ticks / halves / 100).saturating_mul(*until), slack };
                varied.push(Shape { begins: Begins::Gossip(manner), ..shape });
            }
        }
        all.extend(self.timed(&varied));
        sort_by(&mut all, |(ticks, ..)| *ticks);
        all.retain(|(ticks, ..)| ticks - ticks / HOPE < most);
        let mut all: Vec<Overlay> = all.into_iter().map(|(_, _, overlay)| overlay).collect();
        // Manners that let pieces go as far for long enough make the same trees.
        all.dedup();
        all.truncate(CHANGED);
        all
    }

    /// Trees changed for so long, and when they end, in ticks; the first to end first, and none that never end.
    fn changed(&self, all: Vec<Overlay>, asks: usize) -> Vec<(Overlay, u64)> {
        let change = |overlay: Overlay| {
            let (mut clock, unit) = self.clock(&overlay);
            let (overlay, end) = changed(&self.ways, &mut clock, overlay, asks)?;
            Some((overlay, u64::from(end) * unit))
        };
        let mut all: Vec<_> = all.into_par_iter().filter_map(change).collect();
        all.sort_by_key(|(_, ticks)| *ticks);
        all
    }
}

/// Overlay trees for a task with when they end by the clock, the first to end first, of those that are expected to be better than what is known; none for
/// other operations, or where links are described one by one.
///
/// # Errors
///
/// Those of [`Ways::of`], but for what does not apply.
///
/// # Complexity
///
/// O(2^26) looks at links, and O(2^30) at pairs of members for each shape.
pub(super) fn overlays(task: &Task<'_>, known: Option<Cycles>) -> Result<Vec<(Overlay, Cycles)>> {
    let shapes = shapes(task);
    if shapes.is_empty() {
        return Ok(Vec::new());
    }
    let Some(space) = applies(Space::of(task))? else { return Ok(Vec::new()) };
    let costs = task.machine().costs();
    let most = known.map_or(u64::MAX, |known| known.0.saturating_mul(costs.ticks_per_cycle()));
    let mut short = space.changed(space.settled(&shapes, most), ASKS[0]);
    short.truncate(LONGER);
    let all = space.changed(short.into_iter().map(|(overlay, _)| overlay).collect(), ASKS[1]);
    Ok(all.into_iter().map(|(overlay, ticks)| (overlay, costs.cycles(ticks))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation;
    use meshwright_core::units::NodeId;
    use meshwright_network::topology::{Machine, Topology};
    use meshwright_sim::{Engine, simulate};

    const OPERATIONS: [Operation; 8] = [
        Operation::Broadcast,
        Operation::Reduce,
        Operation::AllGather,
        Operation::ReduceScatter,
        Operation::AllReduce,
        Operation::Barrier,
        Operation::Scatter,
        Operation::Gather,
    ];

    /// Trees are right, and end when the clock says: to the tick under cut-through, and under wormhole where a link is one channel.
    #[test]
    fn trees_are_right_and_end_when_the_clock_says() {
        let broken = Machine::new("mesh:5x4").unwrap().with_dead(vec![NodeId(7), NodeId(12)]).unwrap();
        let whole =
            ["mesh:4x5", "mesh:3x2x3", "mesh:2", "hypercube:4", "torus:4x5", "ccc:3", "gaussian:2+1i"];
        let whole = whole.map(|name| Machine::new(name).unwrap());
        for machine in whole.iter().chain([&broken]) {
            for switching in [Switching::CutThrough, Switching::Wormhole] {
                let machine = machine.clone().with_switching(switching);
                let is_channel = switching == Switching::CutThrough
                    || machine.whole_grid().is_some_and(|grid| !grid.wraps());
                for operation in OPERATIONS {
                    let bytes = if operation == Operation::Barrier { 0 } else { 107 };
                    let task = Task::new(&machine, operation, bytes, 1).unwrap();
                    let space = Space::of(&task).unwrap();
                    for shape in shapes(&task).into_iter().step_by(3) {
                        let begins = match shape.begins {
                            Begins::Gossip(_) => Begins::Gossip(Manner { until: 250, slack: 0 }),
                            relays => relays,
                        };
                        let begun = space.begun(Shape { begins, ..shape });
                        let before = {
                            let (mut clock, unit) = space.clock(&begun);
                            u64::from(clock.run(&begun).last) * unit
                        };
                        let mut changed = space.changed(vec![begun], 1 << 12);
                        assert!(!is_channel || !changed.is_empty(), "worms stand in no ring of a mesh");
                        let Some((overlay, ticks)) = changed.pop() else { continue };
                        let name = format!("{} on {} members, {overlay}", operation.name(), task.members());
                        let flow = overlay.flow(&task);
                        assert_eq!(flow.check(operation, 1, bytes), Ok(()), "{name}");
                        let schedule = flow.schedule(task.nodes(), machine.nodes(), None);
                        let trace = simulate(&machine, &schedule, &Engine::Message).unwrap();
                        if is_channel {
                            assert_eq!(machine.costs().cycles(ticks), trace.cycles, "{name}");
                        }
                        assert!(ticks <= before, "{name}");
                    }
                }
            }
        }
    }

    /// Few bytes around a hole: better than any published schedule by a third, scatter and gather by a tenth, and never below the bound.
    #[test]
    fn few_bytes_go_fast_around_a_hole() {
        let broken = Machine::new("mesh:6x6").unwrap().with_switching(Switching::CutThrough);
        let broken = broken.with_dead(vec![NodeId(14)]).unwrap();
        use Operation as O;
        for (operation, bytes, (more, less)) in [
            (O::Broadcast, 100, (3, 2)),
            (O::Reduce, 100, (3, 2)),
            (O::AllReduce, 100, (3, 2)),
            (O::Scatter, 1000, (10, 9)),
            (O::Gather, 1000, (10, 9)),
        ] {
            let task = Task::new(&broken, operation, bytes, 0).unwrap();
            let run = |flow: &crate::flow::Flow| {
                let schedule = flow.schedule(task.nodes(), broken.nodes(), None);
                simulate(&broken, &schedule, &Engine::Message).unwrap().cycles.0
            };
            let flows = crate::algorithm::all()
                .filter_map(|algorithm| (algorithm.name != "synthesis").then(|| algorithm.of(&task).ok())?);
            let published = flows.map(|flow| run(&flow)).min().unwrap();
            let (overlay, _) = overlays(&task, None).unwrap().remove(0);
            let found = run(&overlay.flow(&task));
            assert!(found >= crate::bound::bound(&task).unwrap().cycles.0);
            assert!(more * found <= less * published, "{} {found} {published}", operation.name());
        }
    }
}

//! Routes: each block of a scatter, a gather or an all-to-all goes from member to member along a route of its own, so that all links
//! carry alike.
//!
//! Routes are shortest paths, one after the other, over links whose lengths grow with what they carry of the others; all are
//! found again a few times. Which message a link takes next says list scheduling: the one with the longest way to go first.
//!
//! # Source
//!
//! `fratta1973`: flow deviation, shortest paths under lengths that say what one more unit costs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::{self, Display, Formatter};

use meshwright_core::csr::Csr;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Cycles};

use super::climb::{Timed, applies};
use super::list::Messages;
use super::packing::{Wires, chunks};
use crate::flow::{Block, Flow};
use crate::{Operation, Task};

/// What it is called where it does not apply.
const NAME: &str = "a schedule of routes";

/// How often routes are found again.
const PASSES: u32 = 4;

/// How many searches for shortest paths there are in a pass, about.
const SEARCHES: usize = 1 << 11;

/// The most messages of a plan.
const MESSAGES_MAX: u64 = 1 << 20;

/// Pieces of a block at most.
const PIECES_MAX: u32 = 64;

/// How often the plan is turned round.
const TURNS: u32 = 2;

/// A link is as long as the power of what it carries, against what it would if all carried alike, grows; and a little longer, so that
/// routes over idle links are short.
const POWER: i32 = 6;
const HOP: f64 = 1e-3;

/// Routes of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Routes {
    /// In how many pieces each block goes, along routes of their own.
    pub pieces: u32,
}

impl Display for Routes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.pieces {
            1 => f.write_str("a route for each block"),
            pieces => write!(f, "a route for each of {pieces} pieces of a block"),
        }
    }
}

/// Finds routes over the wires between members.
struct Router<'w> {
    wires: &'w Wires,
    /// By wire what it carries, in what it would if all carried alike.
    load: Vec<f64>,
    /// By member its distance from the source of the last search, and the wire and member before it.
    distance: Vec<f64>,
    before: Vec<(u32, u32)>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

impl<'w> Router<'w> {
    fn new(wires: &'w Wires) -> Self {
        let members = wires.around.len();
        Self {
            wires,
            load: vec![0.0; wires.count() as usize],
            distance: vec![f64::INFINITY; members],
            before: vec![(0, 0); members],
            heap: BinaryHeap::new(),
        }
    }

    /// The shortest paths from a member for a piece that takes a link for so long.
    fn search(&mut self, from: u32, piece: f64) {
        self.distance.fill(f64::INFINITY);
        self.distance[from as usize] = 0.0;
        self.heap.push(Reverse((0, from)));
        while let Some(Reverse((bits, at))) = self.heap.pop() {
            // Distances are not negative: their bits are in the same order.
            let here = f64::from_bits(bits);
            if here > self.distance[at as usize] {
                continue;
            }
            for &(to, wire) in &self.wires.around[at as usize] {
                let load = self.load[wire as usize];
                let next = here + HOP * piece + (load + piece).powi(POWER) - load.powi(POWER);
                if next < self.distance[to as usize] {
                    self.distance[to as usize] = next;
                    self.before[to as usize] = (wire, at);
                    self.heap.push(Reverse((next.to_bits(), to)));
                }
            }
        }
    }

    /// The way of the last search to a member: wires and the members they lead to, backwards.
    fn way(&self, from: u32, to: u32) -> Vec<(u32, u32)> {
        let mut at = to;
        let mut way = Vec::new();
        while at != from {
            let (wire, before) = self.before[at as usize];
            way.push((wire, at));
            at = before;
        }
        way
    }

    /// The wires of a way carry more.
    fn carry(&mut self, way: &[(u32, u32)], more: f64) {
        for &(wire, _) in way {
            // What is taken away leaves nothing below nothing.
            let load = &mut self.load[wire as usize];
            *load = (*load + more).max(0.0);
        }
    }
}

/// What is sent: by block whence, whither and for how long it takes a link, in what a link would carry if all carried alike.
struct Travels {
    ends: Vec<(u32, u32)>,
    pieces: Vec<f64>,
    /// By member the blocks that begin there and go elsewhere.
    of: Csr<u32>,
}

impl Travels {
    /// Those of these blocks.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] for too many messages, [`Error::NotApplicable`] when a member cannot be reached.
    fn new(task: &Task<'_>, wires: &Wires, blocks: &[Block]) -> Result<Self> {
        let members = task.members() as usize;
        let ends: Vec<(u32, u32)> = blocks.iter().map(|block| (block.from, block.to)).collect();
        let travels = (0..).zip(&ends).filter(|(_, (from, to))| from != to);
        let of = Csr::from_pairs(
            members,
            travels.map(|(block, &(from, _))| (from as usize, block)).collect::<Vec<_>>(),
        );
        let (mut hops, mut taken) = (0, 0);
        let costs = task.machine().costs();
        let ticks =
            |block: u32| costs.transfer_ticks(Bytes(blocks[block as usize].bytes)) + costs.head_ticks();
        for own in of.rows() {
            let Some(&first) = own.first() else { continue };
            let far = wires.hops(ends[first as usize].0);
            for &block in own {
                let away = u64::from(far[ends[block as usize].1 as usize]);
                if away == u64::from(u32::MAX) {
                    return Err(Error::not_applicable(NAME, "the members are not all connected"));
                }
                hops += away;
                taken += away * ticks(block);
            }
        }
        if hops > MESSAGES_MAX {
            return Err(Error::TooLarge {
                what: NAME,
                needed: format!("{hops} messages"),
                limit: format!("{MESSAGES_MAX}"),
            });
        }
        let even = taken as f64 / f64::from(wires.count().max(1));
        let pieces = (0..blocks.len() as u32).map(|block| ticks(block) as f64 / even.max(1.0)).collect();
        Ok(Self { ends, pieces, of })
    }

    /// By block the members on its way, found one after the other, again and again.
    fn routes(&self, wires: &Wires) -> Vec<Vec<u32>> {
        let mut router = Router::new(wires);
        let mut ways: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.ends.len()];
        let sources = self.of.rows().filter(|own| !own.is_empty()).count().max(1);
        let turns = (SEARCHES / sources).max(1);
        for _ in 0..PASSES {
            for own in self.of.rows() {
                for turn in own.chunks(own.len().div_ceil(turns).max(1)) {
                    for &block in turn {
                        let old = std::mem::take(&mut ways[block as usize]);
                        router.carry(&old, -self.pieces[block as usize]);
                    }
                    let from = self.ends[turn[0] as usize].0;
                    router.search(from, self.pieces[turn[0] as usize]);
                    for &block in turn {
                        let way = router.way(from, self.ends[block as usize].1);
                        router.carry(&way, self.pieces[block as usize]);
                        ways[block as usize] = way;
                    }
                }
            }
        }
        let members = |(&(from, _), way): (&(u32, u32), &Vec<(u32, u32)>)| {
            std::iter::once(from).chain(way.iter().rev().map(|&(_, to)| to)).collect()
        };
        self.ends.iter().zip(&ways).map(members).collect()
    }
}

impl Routes {
    /// Its flow, in the order of its plan.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] for other operations, machines whose links are described one by one, and members that are not
    /// connected; [`Error::TooLarge`] for more than 2^20 messages.
    ///
    /// # Complexity
    ///
    /// O(2^14 links log links + messages log messages).
    pub fn planned(&self, task: &Task<'_>) -> Result<Timed> {
        if !applies_to(task.operation) {
            return Err(Error::not_applicable(
                NAME,
                format!("they are no way to do {}", task.operation.name()),
            ));
        }
        let wires = Wires::of(task)?;
        let blocks = chunks(task, self.pieces);
        let routes = Travels::new(task, &wires, &blocks)?.routes(&wires);
        let mut flow = Flow::new(task.members(), blocks);
        // All end in the last step, so that what has far to go is urgent.
        let longest = routes.iter().map(Vec::len).max().unwrap_or(0);
        for (block, route) in (0..).zip(&routes) {
            for (step, pair) in (longest as u32 - route.len() as u32..).zip(route.windows(2)) {
                flow.copy(step, pair[0], pair[1], [block]);
            }
        }
        let costs = task.machine().costs();
        let messages = Messages::of(&flow, costs, None);
        let urgency: Vec<u64> = flow.transfers().iter().map(|transfer| transfer.step.into()).collect();
        let plan = messages.improved(messages.plan(&urgency), TURNS);
        Ok(Timed { flow: plan.ordered(&flow), cycles: plan.cycles(costs) })
    }
}

pub(super) fn applies_to(operation: Operation) -> bool {
    matches!(operation, Operation::Scatter | Operation::Gather | Operation::AllToAll)
}

/// The best routes by their plans, in more and more pieces as long as that pays and they take longer than `enough`; none where there are none.
///
/// # Errors
///
/// Those of [`Routes::planned`], but for tasks that they are no way to do.
pub(super) fn search(task: &Task<'_>, enough: Cycles) -> Result<Option<(Routes, Timed)>> {
    let mut best: Option<(Routes, Timed)> = None;
    let mut pieces = 1;
    while pieces <= PIECES_MAX && best.as_ref().is_none_or(|(_, timed)| timed.cycles > enough) {
        let routes = Routes { pieces };
        let Some(timed) = applies(routes.planned(task))? else { break };
        if best.as_ref().is_some_and(|(_, known)| known.cycles <= timed.cycles) {
            break;
        }
        best = Some((routes, timed));
        pieces *= 2;
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::units::NodeId;
    use meshwright_network::topology::{Machine, Topology};
    use meshwright_sim::{Engine, simulate};

    /// Every block comes to where it belongs, the planner's own clock and the referee's agree to the tick, and more pieces do not carry more.
    #[test]
    fn routes_are_right_and_end_when_planned() {
        let whole = ["mesh:4x5", "torus:3x4", "hypercube:4", "ccc:3", "gaussian:2+1i", "mesh:2", "mesh:1"];
        let machines = whole.map(|name| Machine::new(name).unwrap());
        let broken = Machine::new("mesh:5x5").unwrap().with_dead(vec![NodeId(7), NodeId(12)]).unwrap();
        for machine in machines.iter().chain([&broken]) {
            for operation in [Operation::Scatter, Operation::Gather, Operation::AllToAll] {
                for (bytes, pieces) in [(0, 1), (7, 3), (5000, 1), (5000, 4)] {
                    let task = Task::new(machine, operation, bytes, 1.min(machine.nodes() - 1)).unwrap();
                    let timed = Routes { pieces }.planned(&task).unwrap();
                    let name = format!("{} of {bytes} on {}", operation.name(), machine.nodes());
                    assert_eq!(timed.flow.check(operation, task.root, bytes), Ok(()), "{name}");
                    let schedule = timed.flow.schedule(task.nodes(), machine.nodes(), None);
                    let trace = simulate(machine, &schedule, &Engine::Message).unwrap();
                    assert_eq!(trace.cycles, timed.cycles, "{name}");
                }
            }
        }
    }

    /// Around a hole as good as none: a link of a mesh whose middle is missing carries no more than a tenth above the bound.
    #[test]
    fn links_carry_alike_around_a_hole() {
        let broken = Machine::new("mesh:5x5").unwrap().with_dead(vec![NodeId(12)]).unwrap();
        for operation in [Operation::Scatter, Operation::Gather, Operation::AllToAll] {
            let task = Task::new(&broken, operation, 1 << 20, 0).unwrap();
            let bound = crate::bound::bound(&task).unwrap().cycles;
            let (_, timed) = search(&task, bound).unwrap().unwrap();
            assert!(
                timed.cycles >= bound && timed.cycles.0 * 10 <= bound.0 * 11,
                "{} of {}",
                timed.cycles.0,
                bound.0
            );
        }
    }
}

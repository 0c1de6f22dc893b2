//! Relays: each block of an all-to-all goes over another member, who shares coordinates with both ends, and what goes from one member to the
//! same next one is one message.
//!
//! A block from s to t goes over the member that has some coordinates of t and the others of s, or the other way round, in turn, so that all
//! dimensions work all the time. Around holes it goes over as few members as lead there along lines without a hole.
//!
//! # Source
//!
//! `suh2001`: one dimension after the other, here block by block in either order.

use std::collections::VecDeque;
use std::fmt::{self, Display, Formatter};

use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Network, Topology};

use crate::flow::Flow;
use crate::{Operation, Task};

/// What it is called where it does not apply.
const NAME: &str = "a schedule of relays";

/// The most members: all pairs of them have a block.
const MEMBERS_MAX: u32 = 1 << 10;

/// No member.
const NOBODY: u32 = u32::MAX;

/// In which order a member sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The nearest first.
    Near,
    /// By number, from its own on.
    Round,
    /// By the bits in which numbers differ.
    Bits,
}

/// Over whom blocks go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relays {
    /// The dimensions along which every other block goes first, by bits; the others go along the rest first.
    pub first: u32,
    /// In which order a member sends.
    pub order: Order,
}

impl Display for Relays {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let axes = (0..u32::BITS).filter(|axis| self.first >> axis & 1 == 1);
        let axes: Vec<String> = axes.map(|axis| axis.to_string()).collect();
        let order = match self.order {
            Order::Near => "the nearest first",
            Order::Round => "from the own number on",
            Order::Bits => "by the bits of numbers",
        };
        write!(f, "relays, every other block first along {}, {order}", axes.join(" "))
    }
}

/// The members of a box, holes left out.
struct Places<'t> {
    task: &'t Task<'t>,
    grid: &'t Grid,
    /// By node its member.
    member: Vec<u32>,
}

impl<'t> Places<'t> {
    fn of(task: &'t Task<'t>) -> Result<Self> {
        let Network::Grid(grid) = task.machine().network() else {
            return Err(Error::not_applicable(NAME, "it needs a mesh, torus or hypercube"));
        };
        let mut member = vec![NOBODY; task.machine().nodes() as usize];
        for (number, node) in (0..).zip(task.nodes()) {
            member[node.index()] = number;
        }
        Ok(Self { task, grid, member })
    }

    fn node(&self, member: u32) -> NodeId {
        self.task.nodes()[member as usize]
    }

    /// The member with the coordinates of one along these axes, and of another along the rest; none in a hole.
    fn between(&self, (own, other): (u32, u32), axes: u32) -> Option<u32> {
        let at = |axis: usize| {
            let who = if axes >> axis & 1 == 1 { other } else { own };
            self.grid.coordinate(self.node(who), axis) * self.grid.stride(axis)
        };
        let node: u32 = (0..self.grid.dimensions()).map(at).sum();
        Some(self.member[node as usize]).filter(|&member| member != NOBODY)
    }

    /// Whether no hole is on the way from one member to another, one dimension after the other.
    fn is_clear(&self, from: u32, to: u32) -> bool {
        let machine = self.task.machine();
        let (mut at, to) = (self.node(from), self.node(to));
        for axis in 0..self.grid.dimensions() {
            let (steps, up) = self.grid.offset(at, to, axis);
            for _ in 0..steps {
                let next = self.grid.step(at, axis, up).expect("on the way to a node");
                if self.member[next.index()] == NOBODY || machine.wire(at, next).is_none() {
                    return false;
                }
                at = next;
            }
        }
        true
    }

    /// By source those who are clear of holes from it and differ from it along these axes only, or along the others only.
    fn beside(&self, axes: u32) -> Vec<Vec<u32>> {
        let members = self.task.members();
        let is_beside = |from: u32, to: u32| {
            [axes, !axes].iter().any(|&axes| self.between((from, to), axes) == Some(to))
                && from != to
                && self.is_clear(from, to)
        };
        let of = |from: u32| (0..members).filter(|&to| is_beside(from, to)).collect();
        (0..members).map(of).collect()
    }
}

/// By target the member before it on a way from one member over as few as can be, [`NOBODY`] where there is none.
fn before(from: u32, beside: &[Vec<u32>]) -> Vec<u32> {
    let mut before = vec![NOBODY; beside.len()];
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        for &to in &beside[at as usize] {
            if to != from && before[to as usize] == NOBODY {
                before[to as usize] = at;
                queue.push_back(to);
            }
        }
    }
    before
}

impl Relays {
    /// Those that are tried on a machine: none where no two dimensions are longer than one.
    pub(super) fn all(task: &Task<'_>) -> Vec<Self> {
        let Network::Grid(grid) = task.machine().network() else { return Vec::new() };
        if task.operation != Operation::AllToAll || task.members() > MEMBERS_MAX {
            return Vec::new();
        }
        let axes: Vec<usize> = (0..grid.dimensions()).filter(|&axis| grid.sides()[axis] > 1).collect();
        let (mut first, mut reached, whole) = (0, 1, u64::from(grid.nodes()));
        for &axis in axes.iter().take(axes.len().saturating_sub(1)) {
            if first > 0 && (reached * u64::from(grid.sides()[axis])).pow(2) > whole {
                break;
            }
            first |= 1 << axis;
            reached *= u64::from(grid.sides()[axis]);
        }
        let orders = [Order::Near, Order::Round, Order::Bits];
        orders.map(|order| Self { first, order }).into_iter().filter(|_| first > 0).collect()
    }

    /// Its flow.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] for other operations, other machines than boxes, more than 1,024 members, and members that are not connected.
    ///
    /// # Complexity
    ///
    /// O(members^2 log members), with holes members^2 times those in a line.
    pub fn flow(&self, task: &Task<'_>) -> Result<Flow> {
        if task.operation != Operation::AllToAll || task.members() > MEMBERS_MAX {
            return Err(Error::not_applicable(NAME, "it is for an all-to-all of up to 1024 members"));
        }
        let places = Places::of(task)?;
        let members = task.members();
        let is_whole = task.machine().whole_grid().is_some();
        let beside = if is_whole { Vec::new() } else { places.beside(self.first) };
        let mut carried: Vec<Vec<(u32, u32, u32)>> = Vec::new();
        for from in 0..members {
            let around = if is_whole { Vec::new() } else { before(from, &beside) };
            for to in (0..members).filter(|&to| to != from) {
                let way = self.way(&places, (from, to), &around)?;
                carried.resize(carried.len().max(way.len() - 1), Vec::new());
                let hops = carried.iter_mut().zip(way.windows(2));
                hops.for_each(|(step, pair)| step.push((pair[0], pair[1], from * members + to)));
            }
        }
        let mut flow = task.flow();
        for (step, mut all) in (0..).zip(carried) {
            all.sort_by_cached_key(|&(from, to, block)| (from, self.turn(&places, from, to), to, block));
            for message in all.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
                flow.copy(step, message[0].0, message[0].1, message.iter().map(|&(.., block)| block));
            }
        }
        Ok(flow)
    }

    /// The members on the way of a block; `around` says by target who is before it where there are holes.
    fn way(&self, places: &Places<'_>, (from, to): (u32, u32), around: &[u32]) -> Result<Vec<u32>> {
        let parity = |member: u32| {
            let along = |axis: usize| places.grid.coordinate(places.node(member), axis);
            (0..places.grid.dimensions()).map(along).sum::<u32>()
        };
        let first = if (parity(from) + parity(to)).is_multiple_of(2) { self.first } else { !self.first };
        for axes in [first, !first] {
            let Some(relay) = places.between((from, to), axes) else { continue };
            if around.is_empty() || places.is_clear(from, relay) && places.is_clear(relay, to) {
                let mut way = vec![from, relay, to];
                way.dedup();
                return Ok(way);
            }
        }
        let mut way = vec![to];
        while way.last() != Some(&from) {
            let at = way[way.len() - 1];
            match around[at as usize] {
                NOBODY => return Err(Error::not_applicable(NAME, "a hole cuts members off from others")),
                before => way.push(before),
            }
        }
        way.reverse();
        Ok(way)
    }

    /// When a member sends to another, against its other messages.
    fn turn(&self, places: &Places<'_>, from: u32, to: u32) -> (u32, u32) {
        let members = places.task.members();
        let round = (to + members - from) % members;
        match self.order {
            Order::Near => {
                (places.grid.distance(places.node(from), places.node(to)).map_or(0, |hops| hops.0), round)
            }
            Order::Round => (round, 0),
            Order::Bits => (from ^ to, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_network::topology::Machine;
    use meshwright_sim::{Engine, simulate};

    fn run(task: &Task<'_>, flow: &Flow) -> Option<u64> {
        let schedule = flow.schedule(task.nodes(), task.machine().nodes(), None);
        let trace = simulate(task.machine(), &schedule, &Engine::Message).unwrap();
        trace.deadlock.is_none().then_some(trace.cycles.0)
    }

    /// Every block comes to where it belongs, around holes too, and messages are no more than two rounds along lines need.
    #[test]
    fn blocks_come_to_where_they_belong() {
        let holes = |name: &str, dead: &[u32]| {
            let dead = dead.iter().map(|&node| NodeId(node)).collect();
            Machine::new(name).unwrap().with_dead(dead).unwrap()
        };
        let whole = ["mesh:4x5", "torus:5x3", "hypercube:5", "mesh:3x2x4", "mesh:1x6x2"];
        let whole = whole.map(|name| Machine::new(name).unwrap());
        let broken = [holes("mesh:5x5", &[12]), holes("mesh:5x6", &[7, 14, 21]), holes("torus:4x4", &[5, 6])];
        for machine in whole.iter().chain(&broken) {
            for bytes in [0, 7, 5000] {
                let task = Task::new(machine, Operation::AllToAll, bytes, 0).unwrap();
                for relays in Relays::all(&task) {
                    let flow = relays.flow(&task).unwrap();
                    assert_eq!(flow.check(Operation::AllToAll, 0, bytes), Ok(()), "{relays}");
                    let beside = Places::of(&task).unwrap().beside(relays.first);
                    let beside: usize = beside.iter().map(Vec::len).sum();
                    if machine.is_whole() {
                        assert!(flow.steps() == 2 && flow.transfers().len() <= 2 * beside, "{relays}");
                    }
                }
            }
        }
        for name in ["ccc:3", "mesh:7"] {
            let machine = Machine::new(name).unwrap();
            assert!(
                Relays::all(&Task::new(&machine, Operation::AllToAll, 100, 0).unwrap()).is_empty(),
                "{name}"
            );
        }
    }

    /// Few bytes: a tenth faster than what is published at least, and around a hole twice as fast.
    #[test]
    fn few_bytes_go_fast() {
        let broken = Machine::new("mesh:8x8").unwrap().with_dead(vec![NodeId(27)]).unwrap();
        for (machine, (more, less)) in [("mesh:8x8", (10, 9)), ("hypercube:6", (10, 9)), ("", (2, 1))] {
            let machine = if machine.is_empty() { broken.clone() } else { Machine::new(machine).unwrap() };
            let task = Task::new(&machine, Operation::AllToAll, 100, 0).unwrap();
            let flows = crate::algorithm::all()
                .filter_map(|algorithm| (algorithm.name != "synthesis").then(|| algorithm.of(&task).ok())?);
            let published = flows.filter_map(|flow| run(&task, &flow)).min().unwrap();
            let found =
                Relays::all(&task).iter().filter_map(|relays| run(&task, &relays.flow(&task).unwrap())).min();
            let found = found.unwrap();
            assert!(found >= crate::bound::bound(&task).unwrap().cycles.0);
            assert!(more * found <= less * published, "{found} {published}");
        }
    }
}

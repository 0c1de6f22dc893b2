//! What proves a bound, and a check that proves it again from definitions.
//!
//! Nothing is used of what finds bounds: bytes are counted block by block as [`Task::blocks`] has them, distances are those of
//! the machine, costs those of messages alone on it.

mod few;
mod meeting;
mod ring;
mod traffic;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use meshwright_core::units::{Bytes, Cycles, Hops, NodeId};
use meshwright_network::topology::{PortModel, Switching, Topology, distances_from};
use serde::{Deserialize, Serialize};

use crate::flow::{ALL, Block};
use crate::{Operation, Task};

/// What one must know to prove a bound again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Certificate {
    /// No time is too short.
    Nothing,
    /// One member must hear of another.
    Distance {
        /// Who gives.
        from: u32,
        /// Who gets.
        to: u32,
    },
    /// Nobody hears before somebody who has heard has sent to it.
    Rounds {
        /// Whether one member hears of all; else all hear of one.
        inward: bool,
        /// What keeps a member from sending all at once: 0 its links, else its port or the time of a node for a message, where
        /// there are such.
        limit: u32,
    },
    /// A member sends, or receives, over its one port.
    Port {
        /// The member.
        member: u32,
        /// Whether it receives.
        inward: bool,
    },
    /// What leaves a set of members.
    Cut {
        /// Every byte that leaves carries something of this member.
        from: Option<u32>,
        /// Every byte that leaves must get to this member.
        to: Option<u32>,
        /// The set: from one number to another, both inclusive.
        members: Vec<[u32; 2]>,
    },
    /// What all links, or all ports, carry together.
    Traffic {
        /// Whether ports are meant.
        ports: bool,
        /// So many ticks at least.
        ticks: u64,
    },
    /// Partners far apart, and few messages from each to the other.
    FewMessages {
        /// How far the partner of a member is away along each axis, round the sides.
        shift: Vec<u32>,
        /// Whether a message between the first and the last is shared.
        meets: bool,
        /// What a tick of a pair's spare time costs, in links by 2^-32.
        price: u64,
        /// What every pair pays at least, in links by 2^-20.
        share: u64,
    },
    /// All pairs of a member of a set and one of the others must be joined over the links between.
    Meeting {
        /// The set: from one number to another, both inclusive.
        members: Vec<[u32; 2]>,
    },
    /// What members need of those before them in a scan, along the last axis.
    Ring,
    /// What all members add up together.
    Adding,
}

impl Certificate {
    /// The name of the argument.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Distance { .. } => "distance",
            Self::Rounds { .. } => "rounds",
            Self::Port { .. } => "port",
            Self::Cut { .. } => "cut",
            Self::Traffic { .. } => "traffic",
            Self::FewMessages { .. } => "few messages",
            Self::Meeting { .. } => "meeting",
            Self::Ring => "ring",
            Self::Adding => "adding up",
        }
    }
}

/// Proves a bound again: so many cycles at least takes this task.
///
/// # Errors
///
/// What is wrong, in a sentence.
///
/// # Complexity
///
/// O(blocks members log T) at most, and O(nodes + links) for each member whose distances are asked for.
pub fn check(task: &Task<'_>, certificate: &Certificate) -> Result<Cycles, String> {
    let judge = Judge::new(task);
    let ticks = match certificate {
        Certificate::Nothing => 0,
        &Certificate::Distance { from, to } => judge.distance(from, to)?,
        Certificate::Rounds { .. } | Certificate::FewMessages { .. } | Certificate::Meeting { .. }
            if task.multicast =>
        {
            return Err("where routers copy, messages one after the other count for nothing".to_string());
        }
        &Certificate::Rounds { inward, limit } => judge.rounds(inward, limit)?,
        &Certificate::Port { member, inward } => judge.port(member, inward)?,
        Certificate::Cut { from, to, members } => judge.cut(*from, *to, members)?,
        &Certificate::Traffic { ports, ticks } => judge.traffic(ports, ticks)?,
        &Certificate::FewMessages { ref shift, meets, price, share } => {
            judge.few(&few::Claim { shift, meets, price, share })?
        }
        Certificate::Meeting { members } => judge.meeting(members)?,
        Certificate::Ring => judge.ring()?,
        Certificate::Adding => judge.adding()?,
    };
    Ok(task.machine().costs().cycles(ticks))
}

/// The task and the machine as definitions have them.
struct Judge<'a> {
    task: &'a Task<'a>,
    blocks: Vec<Block>,
    /// By node its member.
    members: Vec<u32>,
}

impl<'a> Judge<'a> {
    fn new(task: &'a Task<'a>) -> Self {
        let mut blocks = task.blocks();
        // Blocks without bytes may get lost, unless there are no others.
        if task.operation == Operation::Barrier {
            blocks.iter_mut().for_each(|block| block.bytes = 0);
        } else if task.operation.is_parted() {
            blocks.retain(|block| block.bytes > 0);
        }
        let mut members = vec![u32::MAX; task.machine().nodes() as usize];
        (0..).zip(task.nodes()).for_each(|(member, node)| members[node.index()] = member);
        Self { task, blocks, members }
    }

    /// A message alone over so many links, in ticks, nodes at both ends included.
    fn alone(&self, bytes: u64, hops: u64) -> u64 {
        let machine = self.task.machine();
        let costs = machine.costs();
        2 * self.overhead() + costs.alone_ticks(machine.switching(), Bytes(bytes), Hops(hops as u32))
    }

    fn overhead(&self) -> u64 {
        let machine = self.task.machine();
        machine.endpoints().overhead.0 * machine.costs().ticks_per_cycle()
    }

    /// The least message.
    fn least(&self) -> u64 {
        u64::from(self.blocks.iter().any(|block| block.bytes > 0))
    }

    fn is_stored(&self) -> bool {
        self.task.machine().switching() == Switching::StoreAndForward
    }

    /// A link is taken for so many ticks beside its bytes.
    fn head(&self) -> u64 {
        let costs = self.task.machine().costs();
        if self.is_stored() { costs.startup_ticks() } else { costs.head_ticks() }
    }

    fn byte(&self) -> u64 {
        self.task.machine().costs().byte_time.numerator()
    }

    /// Links from a member to every node.
    fn distances(&self, member: u32) -> Vec<u32> {
        distances_from(self.task.machine(), self.task.nodes()[member as usize])
    }

    fn hops(&self, row: &[u32], to: u32) -> u64 {
        row[self.task.nodes()[to as usize].index()].into()
    }

    /// Whether something of `from` must get to `to`.
    fn hears(&self, block: &Block, from: u32, to: u32) -> bool {
        let is = |who: u32, member: u32| who == ALL || who == member;
        let in_order = self.task.operation != Operation::Scan || from <= to;
        is(block.from, from) && is(block.to, to) && in_order
    }

    fn known(&self, member: u32) -> Result<(), String> {
        if member < self.task.members() { Ok(()) } else { Err(format!("there is no member {member}")) }
    }

    fn distance(&self, from: u32, to: u32) -> Result<u64, String> {
        self.known(from.max(to))?;
        if from == to || !self.blocks.iter().any(|block| self.hears(block, from, to)) {
            return Err(format!("nothing of member {from} must get to member {to}"));
        }
        Ok(self.alone(self.least(), self.hops(&self.distances(from), to)))
    }

    fn rounds(&self, inward: bool, limit: u32) -> Result<u64, String> {
        let members = self.task.members();
        let others = |one: u32| {
            let hears = |other: u32| {
                let (from, to) = if inward { (other, one) } else { (one, other) };
                other != one && self.blocks.iter().any(|block| self.hears(block, from, to))
            };
            (0..members).filter(|&other| hears(other)).count()
        };
        // The root, or the ends of a scan; elsewhere all are alike but for parts without bytes.
        let ones = [self.task.root, 0, members - 1];
        let crowd = ones.map(others).into_iter().max().unwrap_or(0) + 1;
        let &(ways, every) =
            self.round_limits(inward).get(limit as usize).ok_or("there is no such limit on this machine")?;
        let latency = self.alone(self.least(), 1);
        // One after the other: whose next message arrives first.
        let mut next = BinaryHeap::from(vec![Reverse(latency); ways]);
        let mut at = 0;
        for _ in 1..crowd {
            let Some(Reverse(time)) = next.pop() else { break };
            at = time;
            next.push(Reverse(at + every));
            next.extend(std::iter::repeat_n(Reverse(at + latency), ways));
        }
        Ok(at)
    }

    /// Over how many ways a member begins messages, and how often over each, by each limit of the machine.
    fn round_limits(&self, inward: bool) -> Vec<(usize, u64)> {
        let machine = self.task.machine();
        let ports = |&node: &NodeId| machine.neighbours(node).count();
        let links = self.task.nodes().iter().map(ports).max().unwrap_or(0);
        let mut limits = vec![(links, self.head() + self.byte() * self.least())];
        if machine.port_model() == PortModel::One {
            let body = self.byte() * self.least();
            let startup = machine.costs().startup_ticks();
            let every = match (inward, self.is_stored()) {
                (_, true) => startup + body,
                (true, false) => body,
                (false, false) => startup + self.head() + body,
            };
            limits.push((1, every));
        }
        if !machine.endpoints().is_free() {
            let cycles = machine.endpoints().overhead.0.max(machine.endpoints().gap.0);
            limits.push((1, cycles * machine.costs().ticks_per_cycle()));
        }
        limits
    }

    /// The bytes that must leave a set; in a scan from one member to another, or all.
    fn leaving(&self, is_in: &[bool], is_between: bool) -> u128 {
        let bytes = |block: &Block| u128::from(block.bytes);
        let leaving = self.blocks.iter().filter(|block| self.leaves(block, is_in)).map(bytes).sum::<u128>();
        if self.task.operation != Operation::Scan || is_between {
            return leaving;
        }
        // Those outside need the sums of the first so many inside.
        let mut inside = 0u32;
        let mut needed: Vec<u32> = is_in
            .iter()
            .filter_map(|&is_in| {
                inside += u32::from(is_in);
                (!is_in && inside > 0).then_some(inside)
            })
            .collect();
        needed.dedup();
        leaving * needed.len() as u128
    }

    fn leaves(&self, block: &Block, is_in: &[bool]) -> bool {
        if self.task.operation == Operation::Scan {
            let lowest = is_in.iter().position(|&is_in| is_in);
            let highest = is_in.iter().rposition(|&is_in| !is_in);
            return lowest.is_some() && lowest < highest;
        }
        let gives = if block.from == ALL { is_in.contains(&true) } else { is_in[block.from as usize] };
        let gets = if block.to == ALL { is_in.contains(&false) } else { !is_in[block.to as usize] };
        gives && gets
    }

    fn port(&self, member: u32, inward: bool) -> Result<u64, String> {
        self.known(member)?;
        if self.task.machine().port_model() != PortModel::One {
            return Err("nodes have as many ports as links".to_string());
        }
        let is_in: Vec<bool> = (0..self.task.members()).map(|other| (other == member) != inward).collect();
        Ok(self.alone(0, 1) + self.leaving(&is_in, false) as u64 * self.byte())
    }

    fn cut(&self, from: Option<u32>, to: Option<u32>, members: &[[u32; 2]]) -> Result<u64, String> {
        let all = self.task.members();
        from.iter().chain(&to).chain(members.iter().flatten()).try_for_each(|&member| self.known(member))?;
        let is_in: Vec<bool> = (0..all)
            .map(|member| members.iter().any(|&[low, high]| (low..=high).contains(&member)))
            .collect();
        if from.is_some_and(|from| !is_in[from as usize]) || to.is_some_and(|to| is_in[to as usize]) {
            return Err("who gives is in the set, who gets is not".to_string());
        }
        for block in self.blocks.iter().filter(|block| self.leaves(block, &is_in)) {
            let gives = from.is_none_or(|from| block.from == ALL || block.from == from);
            let gets = to.is_none_or(|to| block.to == ALL || block.to == to);
            let hears = from.zip(to).is_none_or(|(from, to)| self.hears(block, from, to));
            let halves = self.task.operation == Operation::Scan && from.is_some() != to.is_some();
            if !gives || !gets || !hears || halves {
                return Err("bytes leave that are not of this member, or not for that".to_string());
            }
        }
        let needed = self.leaving(&is_in, from.is_some()) * u128::from(self.byte());
        let (before, behind) = (from.map(|from| self.distances(from)), to.map(|to| self.distances(to)));
        let hops = |row: &Option<Vec<u32>>, at: u32| row.as_ref().map_or(0, |row| self.hops(row, at));
        let mut shut: Vec<u64> = Vec::new();
        for (member, &node) in (0..all).zip(self.task.nodes()).filter(|&(member, _)| is_in[member as usize]) {
            for (_, next) in self.task.machine().neighbours(node) {
                let other = self.members[next.index()];
                if !is_in[other as usize] {
                    // The way of a message over all links before, this one and all behind, without the byte on this one.
                    let links = hops(&before, member) + hops(&behind, other);
                    let stored = if self.is_stored() { links * self.byte() * self.least() } else { 0 };
                    shut.push(self.alone(0, links + 1) + stored);
                }
            }
        }
        let carried =
            |time: u64| shut.iter().map(|&shut| u128::from(time.saturating_sub(shut))).sum::<u128>();
        Ok(first(|time| carried(time) >= needed))
    }

    fn adding(&self) -> Result<u64, String> {
        let combine = self.task.combine.filter(|_| self.task.operation.reduces());
        let combine = combine.ok_or("adding up costs nothing")?;
        let members = u128::from(self.task.members());
        let bytes: u128 = self.blocks.iter().map(|block| u128::from(block.bytes)).sum();
        let cycles = bytes * (members - 1) * u128::from(combine.numerator());
        let ticks = cycles * u128::from(self.task.machine().costs().ticks_per_cycle());
        let each = ticks.div_ceil(u128::from(combine.denominator()) * members);
        Ok(self.alone(self.least(), 1).saturating_add(each as u64))
    }
}

/// The least time at which this holds; what holds once holds later.
fn first(holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0u64, 1u64 << 62);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

//! A barrier by a counter at one node: every member adds to it, and is told when it is full.
//!
//! Without combining every member sends to the node of the counter and is answered from there. With combining the
//! packets go from neighbour to neighbour along the dimension-order ways to the counter; what comes to a router while a
//! sum waits for its link is added to that sum, and the answer goes back along the links that were used. Members know
//! neither their number nor each other; the counter is told the number. That they poll it is left out.

use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_groups::Group;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::Process;
use meshwright_schedule::process::Context;
use meshwright_verdict::groups::Engine;

/// What is sent.
#[derive(Clone, Copy, Debug)]
pub enum CounterPacket {
    /// So many more have come.
    Add(u32),
    /// All have come.
    Release,
}

/// A node of a counter barrier: member, router, counter.
#[derive(Clone, Debug)]
struct CounterNode {
    /// When the member comes; no member, if `None`.
    comes: Option<Cycles>,
    /// The next node on the way to the counter; the counter itself without combining.
    next: NodeId,
    is_counter: bool,
    /// At the counter: how many have not come, and whom to tell then.
    missing: u32,
    waiting: Vec<NodeId>,
    combines: bool,
    /// What waits to be sent on.
    held: u32,
    is_sending: bool,
    left: Option<Cycles>,
}

/// What a counter barrier took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterRun {
    /// From the first to the last packet, in steps.
    pub steps: u64,
    /// From the last member's coming to the last one's leaving.
    pub overhead: u64,
    /// Whether nobody left before the last had come, and all left.
    pub is_barrier: bool,
    /// The most packets before one link at once, where queues have no bound.
    pub queue: Option<u64>,
}

const PACKET: Bytes = Bytes(8);

/// Alarms: the member comes; what is held is sent on.
const COME: u32 = 0;
const SEND: u32 = 1;

impl CounterNode {
    /// So many have come here.
    fn add(&mut self, count: u32, context: &mut Context<'_, CounterPacket>) {
        if !self.is_counter {
            self.held += count;
            // What comes in the same step is added first.
            return context.alarm(Cycles(0), SEND);
        }
        self.missing -= count;
        if self.missing == 0 {
            self.release(context);
        }
    }

    fn send_on(&mut self, context: &mut Context<'_, CounterPacket>) {
        if self.held > 0 && !self.is_sending {
            context.send(self.next, PACKET, CounterPacket::Add(std::mem::take(&mut self.held)));
            self.is_sending = self.combines;
        }
    }

    fn release(&mut self, context: &mut Context<'_, CounterPacket>) {
        for &node in &self.waiting {
            context.send(node, PACKET, CounterPacket::Release);
        }
        if self.comes.is_some() {
            self.left = Some(context.now());
        }
    }
}

impl Process for CounterNode {
    type Payload = CounterPacket;

    fn on_start(&mut self, context: &mut Context<'_, CounterPacket>) {
        match self.comes {
            Some(Cycles(0)) => self.add(1, context),
            Some(later) => context.alarm(later, COME),
            None => {}
        }
    }

    fn on_alarm(&mut self, token: u32, context: &mut Context<'_, CounterPacket>) {
        match token {
            SEND => self.send_on(context),
            _ => self.add(1, context),
        }
    }

    fn on_sent(&mut self, _: u32, context: &mut Context<'_, CounterPacket>) {
        self.is_sending = false;
        self.send_on(context);
    }

    fn on_message(&mut self, from: NodeId, packet: CounterPacket, context: &mut Context<'_, CounterPacket>) {
        match packet {
            CounterPacket::Add(count) => {
                if !self.waiting.contains(&from) {
                    self.waiting.push(from);
                }
                self.add(count, context);
            }
            CounterPacket::Release => self.release(context),
        }
    }
}

/// The next node of the dimension-order way on a mesh: along the row, then along the column.
fn next_on_the_way(machine: &Machine, at: NodeId, to: NodeId) -> NodeId {
    let columns = machine.sides()[1];
    let (column, wanted) = (at.0 % columns, to.0 % columns);
    NodeId(match column.cmp(&wanted) {
        std::cmp::Ordering::Less => at.0 + 1,
        std::cmp::Ordering::Greater => at.0 - 1,
        std::cmp::Ordering::Equal if at.0 < to.0 => at.0 + columns,
        std::cmp::Ordering::Equal => at.0 - columns,
    })
}

/// Runs one barrier of a group of a 2-D mesh through a counter at this node; `comes` tells when the member of a rank comes.
///
/// ```text
/// without combining, all at once:   steps >= 2 ceil((s - 1) / 4), for four links lead to a node
/// ```
///
/// # Errors
///
/// As for [`meshwright_sim::run`].
///
/// # Source
///
/// `chochia1996`, section 6: the semaphore of the SB-PRAM.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::{Cycles, NodeId};
/// use meshwright_groups::Group;
/// use meshwright_network::topology::Machine;
/// use meshwright_papers::chochia1996::semaphore::counter_barrier;
/// use meshwright_verdict::groups::Engine;
/// let mesh = Machine::new("mesh:8x8")?.in_packets();
/// let all = Group::whole(&mesh, "row")?;
/// let run = |combines| counter_barrier(&mesh, &all, NodeId(36), combines, Engine::Packet, |_| Cycles(0));
/// assert!(run(false)?.steps >= 2 * 16 && run(false)?.is_barrier);
/// assert_eq!(run(true)?.steps, 2 * 8, "to the farthest corner and back");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn counter_barrier(
    machine: &Machine,
    group: &Group,
    counter: NodeId,
    combines: bool,
    engine: Engine,
    comes: impl Fn(u32) -> Cycles,
) -> Result<CounterRun> {
    let node = |node| CounterNode {
        comes: None,
        next: if combines && node != counter { next_on_the_way(machine, node, counter) } else { counter },
        is_counter: node == counter,
        missing: group.size(),
        waiting: Vec::new(),
        combines,
        held: 0,
        is_sending: false,
        left: None,
    };
    let mut all: Vec<CounterNode> = (0..machine.nodes()).map(|number| node(NodeId(number))).collect();
    for (rank, member) in (0..).zip(group.members()) {
        all[member.index()].comes = Some(comes(rank));
    }
    let trace = engine.run(machine, &mut all)?;
    let members = || group.members().iter().map(|member| &all[member.index()]);
    let last = members().filter_map(|member| member.comes).max().unwrap_or_default();
    let is_barrier = members().all(|member| member.left.is_some_and(|left| left >= last));
    let end = members().filter_map(|member| member.left).max().unwrap_or_default();
    Ok(CounterRun {
        steps: trace.cycles.0,
        overhead: end.0.saturating_sub(last.0),
        is_barrier,
        queue: trace.longest_queue.map(|(_, packets)| packets),
    })
}

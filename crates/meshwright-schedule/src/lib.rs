//! The waist: what planners make and the referee, the report and the exporters consume.
//!
//! | file | what |
//! |---|---|
//! | this one | [`Schedule`]: per rank, sends, receives and computations with their dependencies |
//! | `verify`, `matching`, `cycle` | which send meets which receive; [`Fault`]: why a schedule cannot run to its end |
//! | [`phases`] | [`Phases`]: messages grouped by phase, the loosely synchronous model of `lo1990` |
//! | `planner` | [`Planner`]: a bound and plans for one job on one machine |
//! | [`process`] | [`Process`]: a state machine per node, for what is decided at run time |
//! | [`overhead`] | [`WithOverhead`](overhead::WithOverhead): a process whose messages cost its node time |
//! | [`watched`] | [`Watched`](watched::Watched): a process whose messages and computations are noted |
//! | [`transactions`] | reads, writes and barriers of the processors of a machine |
//! | [`rank_tree`] | [`RankTree`]: which rank hands work to which, for any number of ranks |
//! | [`goal`] | GOAL text, read and written |
//! | [`cost`] | analytic times: a message alone, a link's load, the serial sum |

#![forbid(unsafe_code)]

pub mod cost;
pub mod goal;
pub mod overhead;
pub mod phases;
pub mod process;
pub mod rank_tree;
pub mod transactions;
pub mod watched;

mod cycle;
mod matching;
mod planner;
mod verify;

pub use phases::Phases;
pub use planner::{Plan, Planner, Proposal};
pub use process::Process;
pub use rank_tree::RankTree;
pub use verify::{Fault, MatchedMessage};

use std::ops::Range;

use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_network::routing::Pair;
use meshwright_network::topology::{Machine, Topology};

/// The longest computation accepted, in cycles: a million of them in a row still fit into 64 bits.
pub const CALC_MAX: Cycles = Cycles(1 << 44);

/// A message from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The node that sends.
    pub source: NodeId,
    /// The node that receives.
    pub target: NodeId,
    /// How much is sent.
    pub bytes: Bytes,
    /// The phase it belongs to; the tag in GOAL text.
    pub phase: u32,
}

impl Message {
    /// Source and target, as routings want them.
    pub fn pair(&self) -> Pair {
        (self.source, self.target)
    }
}

/// What a rank does, one step of its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Sends to `peer`; done when the last byte has left the node.
    Send {
        /// The rank that receives.
        peer: NodeId,
        /// How much.
        bytes: Bytes,
        /// Pairs the send with its receive.
        tag: u32,
    },
    /// Receives from `peer`; done when the last byte is here.
    Recv {
        /// The rank that sends.
        peer: NodeId,
        /// How much.
        bytes: Bytes,
        /// Pairs the receive with its send.
        tag: u32,
    },
    /// Computes for a while.
    Calc {
        /// How long.
        cycles: Cycles,
    },
}

/// What of a step another waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Awaits {
    /// Its end (GOAL's `requires`).
    End,
    /// Its start (GOAL's `irequires`).
    Start,
    /// The head of the message that it receives: the router sends on a copy as the message comes in, without a start-up
    /// (`relays`, a word of ours). The edges of a multicast tree are such sends. What knows no routers waits for the end.
    Head,
}

impl Awaits {
    /// Whether a rank that knows no routers waits for the start only, not for the end.
    pub fn is_start(self) -> bool {
        self == Self::Start
    }
}

/// One step waits for another of the same rank. Steps are numbered from 0 within their rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dependency {
    /// The step that waits.
    pub step: u32,
    /// The step it waits for.
    pub on: u32,
    /// Whether it waits for the end, for the start, or for the head of a message.
    pub awaits: Awaits,
}

/// The program of one rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rank {
    /// The steps; order alone means nothing, only dependencies do.
    pub ops: Vec<Op>,
    /// Which step waits for which.
    pub dependencies: Vec<Dependency>,
    /// The processor of each step, for computations; of no length if all run on processor 0.
    pub processors: Vec<u8>,
}

/// A graph of messages and computations between nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The programs, by rank; rank r runs on node r.
    pub ranks: Vec<Rank>,
}

impl Schedule {
    /// The first rank that has work and whose node is dead or not there.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::units::NodeId;
    /// use meshwright_network::topology::Machine;
    /// use meshwright_schedule::goal;
    /// let pair = goal::parse("num_ranks 2\nrank 0 { send 8b to 1 }\nrank 1 { recv 8b from 0 }\n".as_bytes(), "pair.goal")?;
    /// let mesh = Machine::new("mesh:2x2")?;
    /// assert_eq!(pair.dead_rank(&mesh.clone().with_dead(vec![NodeId(1)])?), Some(NodeId(1)));
    /// assert_eq!(pair.dead_rank(&mesh.with_dead(vec![NodeId(3)])?), None);
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn dead_rank(&self, machine: &Machine) -> Option<NodeId> {
        let busy = (0u32..).map(NodeId).zip(&self.ranks).filter(|(_, rank)| !rank.ops.is_empty());
        busy.map(|(node, _)| node).find(|&node| node.0 >= machine.nodes() || !machine.is_alive(node))
    }

    /// The schedule in which each node goes on to its next phase when its own messages are through.
    ///
    /// Per message a send and a receive, in the order given, with the phase as tag. All steps of a node wait
    /// for the ends of all its steps of the phase before, the last one it took part in. Where that
    /// would take more dependencies than going through one point, an empty computation is that point. A phase that runs
    /// several times is written out, each time with the next number as tag.
    ///
    /// # Panics
    ///
    /// When a message names a node that is not below `phases.ranks`.
    ///
    /// # Complexity
    ///
    /// O(messages log messages + ranks) in time, O(messages) in steps and dependencies made, every repetition counted.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_schedule::{Message, Phases, Schedule};
    /// use meshwright_core::units::{Bytes, NodeId};
    /// let send = |phase, source, target| Message { source: NodeId(source), target: NodeId(target), bytes: Bytes(8), phase };
    /// let relay = Schedule::from_phases(&Phases::new(3, vec![send(1, 0, 1), send(2, 1, 2)]));
    /// let middle = &relay.ranks[1];
    /// assert_eq!((middle.ops.len(), middle.dependencies.len()), (2, 1), "it receives before it sends");
    /// assert_eq!(relay.verify(), Ok(()));
    /// ```
    pub fn from_phases(phases: &Phases) -> Self {
        let mut ranks = vec![Rank::default(); phases.ranks as usize];
        // Per rank, its steps of the last phase it took part in.
        let mut done = vec![0..0u32; ranks.len()];
        let mut taking_part = vec![];
        let all =
            (0..phases.len()).flat_map(|index| (0..phases.repeats(index)).map(move |time| (index, time)));
        for (index, time) in all {
            taking_part.clear();
            for message in phases.phase(index) {
                let Message { source, target, bytes, phase } = *message;
                let tag = phase + time;
                for (node, op) in [
                    (source, Op::Send { peer: target, bytes, tag }),
                    (target, Op::Recv { peer: source, bytes, tag }),
                ] {
                    assert!(node.0 < phases.ranks, "a message of a phase names a rank that takes part");
                    taking_part.push((node, ranks[node.index()].ops.len() as u32));
                    ranks[node.index()].ops.push(op);
                }
            }
            // By node, its first step of this phase first.
            taking_part.sort_unstable();
            taking_part.dedup_by_key(|(node, _)| *node);
            for &(node, first) in &taking_part {
                let rank = &mut ranks[node.index()];
                let steps = first..rank.ops.len() as u32;
                rank.wait_for_all(steps.clone(), done[node.index()].clone());
                done[node.index()] = steps;
            }
        }
        Self { ranks }
    }
}

impl Rank {
    /// The processor on which a step runs.
    pub fn processor(&self, step: usize) -> u8 {
        self.processors.get(step).copied().unwrap_or(0)
    }

    /// Lets all `steps` wait for the ends of all steps `on`.
    fn wait_for_all(&mut self, steps: Range<u32>, on: Range<u32>) {
        let (many, before) = (u64::from(steps.end - steps.start), u64::from(on.end - on.start));
        let mut all = |steps: Range<u32>, on: Range<u32>| {
            for step in steps {
                self.dependencies.extend(on.clone().map(|on| Dependency { step, on, awaits: Awaits::End }));
            }
        };
        if many * before <= many + before + 1 {
            all(steps, on);
            return;
        }
        let point = steps.end;
        all(point..point + 1, on);
        all(steps, point..point + 1);
        self.ops.push(Op::Calc { cycles: Cycles(0) });
    }
}

//! The operations that a group does together: what each member brings, what it must be left with, and what no structure beats.

use crate::groups::engine::{Engine, apart_ticks};
use meshwright_collectives::bound::{bound, spread};
use meshwright_collectives::{self as collectives, Task};
use meshwright_core::units::{Bytes, Cycles, Hops};
use meshwright_groups::protocol::{Operation, Operator, Outcome};
use meshwright_groups::{Extent, Group};
use meshwright_network::topology::{Machine, PortModel, Topology};

/// Pairs across cuts are looked at up to so many members.
const MEETING_SIZE_MAX: u32 = 1024;

/// No message of an operation has fewer bytes.
pub const MESSAGE: Bytes = Bytes(8);

/// An operation that all members of a group do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collective {
    /// Nobody goes on before all have come.
    Barrier,
    /// Everybody learns the value of the root.
    Broadcast,
    /// The root learns the sum.
    Reduce,
    /// Everybody learns the sum.
    AllReduce,
    /// Everybody learns the sum over the ranks up to its own.
    Scan,
    /// The root learns all values.
    Gather,
}

/// Every operation with its name on the command line.
pub const COLLECTIVES: &[(&str, Collective)] = &[
    ("barrier", Collective::Barrier),
    ("broadcast", Collective::Broadcast),
    ("reduce", Collective::Reduce),
    ("all-reduce", Collective::AllReduce),
    ("scan", Collective::Scan),
    ("gather", Collective::Gather),
];

impl Collective {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        COLLECTIVES.iter().find(|(_, collective)| *collective == self).expect("the table is complete").0
    }

    /// The operation of one rank.
    pub(super) fn operation(self, rank: u32, root: u32) -> Operation {
        let value = value(rank);
        match self {
            Self::Barrier => Operation::Barrier,
            Self::Broadcast => Operation::Broadcast { from: root, value },
            Self::Reduce => Operation::Reduce(Operator::Sum, value),
            Self::AllReduce => Operation::AllReduce(Operator::Sum, value),
            Self::Scan => Operation::Scan(Operator::Sum, value),
            Self::Gather => Operation::Gather(value),
        }
    }

    /// What each rank must be left with, by folding the values one after the other.
    pub(super) fn expected(self, size: u32, root: u32) -> Vec<Outcome> {
        let fold = |to: u32| (0..to).fold(0u64, |sum, rank| sum.wrapping_add(value(rank)));
        let total = fold(size);
        let mut before = 0u64;
        let of_rank = |rank: u32| {
            before = before.wrapping_add(value(rank));
            match self {
                Self::Broadcast => Outcome::Value(value(root)),
                Self::AllReduce => Outcome::Value(total),
                Self::Scan => Outcome::Value(before),
                Self::Reduce if rank == root => Outcome::Value(total),
                Self::Gather if rank == root => Outcome::Values((0..size).map(value).collect()),
                Self::Barrier | Self::Reduce | Self::Gather => Outcome::Done,
            }
        };
        (0..size).map(of_rank).collect()
    }

    /// What no structure can beat, its root wherever it likes.
    ///
    /// ```text
    /// barrier, all-reduce:        max(T(D), S, H, M) of two members, one at least must hear of the other
    /// scan:                       max(T(D), S)
    /// broadcast:                  max(T(R), S)      R the least distance from a member to its farthest
    /// reduce:                     max(T(R), H)
    /// gather:                     max(T(R), H, T'(1) + (ceil(P / ports) - 1) link)     P packets hold all values, T' of one packet
    /// ```
    ///
    /// all 0 for one member; T(d) is the time of the least message over d links, alone, with alpha at both its ends. S is
    /// when all [can have heard](spread) of one member, H when one can have heard of all, M the [bound] of a barrier of all nodes: messages of one node begin a
    /// port's turn apart where it has one port, and alpha, or overhead or gap of the machine, apart at both their ends. In a scan, the one of higher rank must
    /// hear of the other, and all of the first.
    pub(super) fn bound_ticks(
        self,
        (machine, engine): (&Machine, Engine),
        group: &Group,
        extent: &Extent,
        overhead: u64,
    ) -> u64 {
        let size = group.size();
        let apart = overhead.max(apart_ticks(machine));
        let is_single = machine.port_model() == PortModel::One;
        let received = apart.max(if is_single { machine.costs().head_ticks() } else { 0 });
        if size == 1 {
            return 0;
        }
        let alone = |links: u32| match links {
            0 => 0,
            _ => engine.alone_ticks(machine, MESSAGE, Hops(links)) + 2 * overhead,
        };
        let heard = |every: u64| match every {
            0 => 0,
            _ => spread(size.into(), 1, every, alone(1)).last().map_or(0, |&(ticks, _)| ticks),
        };
        let sent = heard(engine.turn_ticks(machine, MESSAGE).max(apart));
        match self {
            Self::Scan => alone(extent.barrier_bound_links()).max(sent),
            Self::Barrier | Self::AllReduce => {
                let heard = sent.max(heard(received)).max(meeting(machine, group));
                alone(extent.barrier_bound_links()).max(heard)
            }
            Self::Broadcast => alone(extent.radius_bound).max(sent),
            Self::Reduce => alone(extent.radius_bound).max(heard(received)),
            Self::Gather => {
                let links = group.members().iter().map(|&node| machine.ports(node)).max().unwrap_or(1);
                let ports = u64::from(if is_single { 1 } else { links.max(1) });
                // A packet may have room for several values, and a value may take several packets.
                let values = u64::from(size - 1) * MESSAGE.0;
                let packets = values.div_ceil(machine.costs().flit.0.max(1)).div_ceil(ports);
                let first = engine.alone_ticks(machine, Bytes(0), Hops(1)) + 2 * overhead;
                let brought = first + (packets - 1) * machine.costs().head_ticks();
                alone(extent.radius_bound).max(heard(received)).max(brought)
            }
        }
    }
}

/// What no barrier of all nodes beats, whatever its messages carry; 0 for other groups, and where nothing is proved.
fn meeting(machine: &Machine, group: &Group) -> u64 {
    if group.size() != machine.living_count() || group.size() > MEETING_SIZE_MAX {
        return 0;
    }
    let task = Task::new(machine, collectives::Operation::Barrier, 0, 0);
    let proved = task.and_then(|task| bound(&task)).map_or(Cycles(0), |bound| bound.cycles);
    proved.0 * machine.costs().ticks_per_cycle()
}

/// The value of a rank: no two alike, and no short sum of them.
fn value(rank: u32) -> u64 {
    (u64::from(rank) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

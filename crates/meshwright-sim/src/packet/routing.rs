//! Ways in straight legs on a 2-D mesh: dimension order, and three legs by way of a random row.

use rand::RngExt;
use rand_xoshiro::SplitMix64;

use meshwright_core::error::{Error, Result};
use meshwright_core::rng;
use meshwright_core::units::NodeId;
use meshwright_network::routing::rajasekaran_tsantilas::slice_height;
use meshwright_network::topology::{Machine, Network, PortModel, Topology};

/// How packets go where queues have no bound.
///
/// ```text
/// h = ceil(n / ceil(log2 n)) for n rows; d links between source and target; links of a way:
/// DimensionOrder   d
/// ThreePhase       <= d + 2 (h - 1)
/// LocalThreePhase  <= d + 2 min(d, h) <= 3 d
/// ```
///
/// # Source
///
/// `rajasekaran1992`, the algorithm with queues of O(log n), without its own treatment of packets that start near the
/// corners. That packets can keep their locality is said there; the window of rows is ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PacketRouting {
    /// Along the row, then along the column.
    #[default]
    DimensionOrder,
    /// Along the column to a random row of the source's slice of h rows, along that row, along the column of the target.
    ThreePhase {
        /// Where the random rows begin.
        seed: u64,
    },
    /// The same by way of a random row among those at most min(d, h) from the source's.
    LocalThreePhase {
        /// Where the random rows begin.
        seed: u64,
    },
}

impl PacketRouting {
    /// The same with random rows that begin here.
    #[must_use]
    pub fn seeded(self, seed: u64) -> Self {
        match self {
            Self::DimensionOrder => Self::DimensionOrder,
            Self::ThreePhase { .. } => Self::ThreePhase { seed },
            Self::LocalThreePhase { .. } => Self::LocalThreePhase { seed },
        }
    }
}

/// The ports of a plane: along a row up and down, along a column up and down.
const EAST: u8 = 0;
const WEST: u8 = 1;
const SOUTH: u8 = 2;
const NORTH: u8 = 3;

/// How many ports a node of a plane has.
pub(super) const PORTS: u32 = 4;

/// Which leg a packet is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leg {
    /// Along the column of the source to a row.
    ToRow(u32),
    /// Along a row.
    AlongRow,
    /// Along the column of the target.
    Home,
}

/// A plane and the legs on it.
#[derive(Debug)]
pub(super) struct Plane {
    rows: u32,
    columns: u32,
    height: u32,
    routing: PacketRouting,
    generator: SplitMix64,
}

/// Where straight legs lead.
const FLAT: &str = "it needs a 2-D mesh; the engines packet, message and flit run on any machine";

impl Plane {
    /// Reads the machine: a 2-D mesh all of which works, with all ports.
    pub(super) fn new(machine: &Machine, routing: PacketRouting) -> Result<Self> {
        let refused = |why: &str| {
            Err(Error::not_applicable("an engine with queues without bound (unbounded, three-phase)", why))
        };
        let Network::Grid(grid) = machine.network() else { return refused(FLAT) };
        let &[rows, columns] = grid.sides() else { return refused(FLAT) };
        if grid.wraps() {
            return refused(FLAT);
        }
        if !machine.is_whole() {
            return refused("straight legs know no way round what is dead");
        }
        if machine.port_model() == PortModel::One {
            return refused("all ports of a node send at once");
        }
        let seed = match routing {
            PacketRouting::DimensionOrder => 0,
            PacketRouting::ThreePhase { seed } | PacketRouting::LocalThreePhase { seed } => seed,
        };
        let generator = rng::streams(seed, "random rows", 0..1).remove(0);
        Ok(Self { rows, columns, height: slice_height(rows), routing, generator })
    }

    /// Row and column.
    #[inline(always)]
    fn place(&self, node: u32) -> (u32, u32) {
        (node / self.columns, node % self.columns)
    }

    /// The first leg of a new packet.
    #[inline]
    pub(super) fn first_leg(&mut self, source: u32, target: u32) -> Leg {
        let row = self.place(source).0;
        let rows = match self.routing {
            PacketRouting::DimensionOrder => return Leg::AlongRow,
            PacketRouting::ThreePhase { .. } => {
                let first = row - row % self.height;
                first..self.rows.min(first + self.height)
            }
            PacketRouting::LocalThreePhase { .. } => {
                let window = self.distance(source, target).min(self.height);
                row.saturating_sub(window)..self.rows.min(row + window + 1)
            }
        };
        Leg::ToRow(self.generator.random_range(rows))
    }

    /// The port and the links of the first leg from here that has any, and which one it is; none at the target.
    #[inline]
    pub(super) fn go_on(&self, at: u32, target: u32, mut leg: Leg) -> Option<(u8, u32, Leg)> {
        let ((row, column), (to_row, to_column)) = (self.place(at), self.place(target));
        loop {
            let (from, to, ports, next) = match leg {
                Leg::ToRow(random) => (row, random, [SOUTH, NORTH], Leg::AlongRow),
                Leg::AlongRow => (column, to_column, [EAST, WEST], Leg::Home),
                Leg::Home if row == to_row => return None,
                Leg::Home => (row, to_row, [SOUTH, NORTH], Leg::Home),
            };
            if from != to {
                return Some((ports[usize::from(to < from)], from.abs_diff(to), leg));
            }
            leg = next;
        }
    }

    /// The node behind a port.
    #[inline(always)]
    pub(super) fn behind(&self, node: u32, port: u8) -> u32 {
        match port {
            EAST => node + 1,
            WEST => node - 1,
            SOUTH => node + self.columns,
            _ => node - self.columns,
        }
    }

    /// d.
    #[inline]
    fn distance(&self, source: u32, target: u32) -> u32 {
        let (from, to) = (self.place(source), self.place(target));
        from.0.abs_diff(to.0) + from.1.abs_diff(to.1)
    }

    /// The most links of a way.
    pub(super) fn hops(&self, source: u32, target: u32) -> u32 {
        let links = self.distance(source, target);
        match self.routing {
            PacketRouting::DimensionOrder => links,
            PacketRouting::ThreePhase { .. } => links + 2 * (self.height - 1),
            PacketRouting::LocalThreePhase { .. } => links + 2 * links.min(self.height),
        }
    }
}

/// The link at a port of a node.
pub(super) fn link(machine: &Machine, place: usize) -> meshwright_core::units::LinkId {
    let (node, port) = (place as u32 / PORTS, place as u32 % PORTS);
    machine.link(NodeId(node), meshwright_core::units::Port(port))
}

//! The two chips: fabrics of the library, where their cores and banks are, who takes part in a row.

use meshwright_core::Result;
use meshwright_core::units::{Cycles, NodeId, Ratio};
use meshwright_network::Grid;
use meshwright_network::fabric::{Branch, Fabric, Leg, Plane};

use super::table::{Mechanism, Pattern, Row};

/// A chip: rows and columns of physical places, two networks of one-way rings.
pub(crate) struct Chip {
    /// 0 for Wormhole, 1 for Blackhole.
    pub(crate) index: usize,
    pub(crate) fabric: Fabric,
    /// Bytes of a flit, and at most of a packet without its header.
    flit: usize,
    pub(crate) packet: usize,
    /// Physical columns and rows of the cores.
    columns: Vec<u32>,
    rows: Vec<u32>,
    /// Physical (column, row) of the banks' ports, in the order of the banks.
    banks: &'static [(u32, u32)],
}

/// Cycles of a head over a link (the vendor's documentation).
const HOP: u64 = 9;

/// Ports of the banks that worker cores use, from the vendor's descriptors of the chips.
const BANKS: [&[(u32, u32)]; 2] = [
    &[(0, 11), (0, 1), (0, 5), (0, 7), (5, 1), (5, 11), (5, 2), (5, 9), (5, 8), (5, 3), (5, 5), (5, 7)],
    &[(0, 11), (0, 3), (0, 8), (0, 6), (9, 11), (9, 3), (9, 8), (9, 6)],
];

/// A network that writes take (east, then south) and one that reads take (north, then west).
fn fabric(sides: [u32; 2], flit: u64) -> Result<Fabric> {
    let rate = Ratio::whole(flit);
    let planes = vec![
        Plane::new("NOC_0", vec![Leg::up(1), Leg::up(0)], rate),
        Plane::new("NOC_1", vec![Leg::down(0), Leg::down(1)], rate),
    ];
    let nodes: Vec<NodeId> = (0..sides[0] * sides[1]).map(NodeId).collect();
    let fabric = Fabric::new(Grid::torus(&sides)?, planes)?.with_hop(Cycles(HOP));
    fabric.with_ports(&[0, 1], &nodes, (Some(rate), Some(rate)))
}

/// Both chips.
///
/// Wormhole: two of the ten rows of cores are switched off; which ones is inferred from the collective rows (steps of 16
/// cycles in the times of multicasts): 1 and 5.
pub(crate) fn chips() -> Result<[Chip; 2]> {
    Ok([
        Chip {
            index: 0,
            fabric: fabric([12, 10], 32)?,
            flit: 32,
            packet: 8192,
            columns: vec![1, 2, 3, 4, 6, 7, 8, 9],
            rows: vec![2, 3, 4, 7, 8, 9, 10, 11],
            banks: BANKS[0],
        },
        Chip {
            index: 1,
            fabric: fabric([12, 17], 64)?,
            flit: 64,
            packet: 16384,
            columns: (1..8).chain(10..16).collect(),
            rows: (2..12).collect(),
            banks: BANKS[1],
        },
    ])
}

/// Who takes part in a row.
pub(crate) struct Parties {
    pub(crate) masters: Vec<NodeId>,
    pub(crate) peers: Vec<NodeId>,
}

impl Chip {
    /// Flits of a packet with so many bytes: a header, then the bytes.
    pub(crate) fn flits(&self, bytes: usize) -> u32 {
        1 + bytes.min(self.packet).div_ceil(self.flit) as u32
    }

    pub(crate) fn hop(&self) -> f64 {
        self.fabric.hop().0 as f64
    }

    /// Links of a way there and back with one axis shared (a column), and with none.
    pub(crate) fn rings(&self) -> [f64; 2] {
        let [near, far] = [self.core(0, 1), self.core(1, 1)].map(|to| self.ring(self.core(0, 0), to));
        [near.into(), far.into()]
    }

    /// The core of a logical column and row.
    pub(crate) fn core(&self, column: usize, row: usize) -> NodeId {
        self.place(self.columns[column], self.rows[row])
    }

    fn place(&self, column: u32, row: u32) -> NodeId {
        self.fabric.grid().node_at(&[row, column])
    }

    pub(crate) fn banks(&self) -> Vec<NodeId> {
        self.banks.iter().map(|&(column, row)| self.place(column, row)).collect()
    }

    /// Links there and back on a network: whole rings.
    pub(crate) fn ring(&self, from: NodeId, to: NodeId) -> u32 {
        self.fabric.hops(0, from, to) + self.fabric.hops(0, to, from)
    }

    /// The sides of the rectangle of a row: columns and rows.
    fn rectangle(&self, row: &Row) -> [usize; 2] {
        // A core outside the rectangle, or itself one of all.
        let peers = row.peers;
        let all = [self.columns.len(), self.rows.len()];
        match row.pattern {
            Pattern::OneToRow | Pattern::RowToRow => [all[0], 1],
            Pattern::OneToColumn | Pattern::ColumnToColumn => [1, all[1]],
            _ if peers + 1 >= all[0] * all[1] => all,
            _ => [peers.isqrt(); 2],
        }
    }

    /// Masters and peers of a row, as the measuring program chooses them, column by column.
    pub(crate) fn parties(&self, row: &Row) -> Parties {
        let [columns, rows] = self.rectangle(row);
        let cores = |column: usize, row: usize| {
            let all = (column..column + columns).flat_map(move |x| (row..row + rows).map(move |y| (x, y)));
            all.map(|(x, y)| self.core(x, y)).collect::<Vec<_>>()
        };
        if row.dram {
            let count = self.columns.len().min(self.rows.len()).min(self.banks.len());
            let masters = if row.pattern.has_many_masters() { count } else { 1 };
            let masters = (0..masters).map(|index| self.core(index, index)).collect();
            return Parties { masters, peers: self.banks() };
        }
        let inside = cores(0, 0);
        let unicast = row.mechanism == Mechanism::Unicast;
        let full = columns * rows == self.columns.len() * self.rows.len();
        let outside = match row.pattern {
            Pattern::OneToRow | Pattern::RowToRow => (0, 1),
            Pattern::OneToColumn | Pattern::ColumnToColumn => (1, 0),
            _ => (columns.min(self.columns.len() - 1), 0),
        };
        let (column, line) = if row.loopback { (0, 0) } else { outside };
        let masters = match row.pattern {
            _ if unicast && row.pattern.has_many_masters() => inside.clone(),
            Pattern::RowToRow | Pattern::ColumnToColumn => cores(column, line),
            Pattern::OneToRow | Pattern::OneToColumn if unicast => vec![self.core(0, 0)],
            _ if full => vec![self.core(0, 0)],
            _ => vec![self.core(column, line)],
        };
        let leaves_out_itself = unicast && masters.len() == 1;
        let is_peer = |node: &NodeId| !leaves_out_itself || *node != masters[0];
        let peers = inside.into_iter().filter(is_peer).collect();
        Parties { masters, peers }
    }

    /// Of a multicast from a core: the most links to a receiver, and of a way there and back.
    pub(crate) fn reach(&self, from: NodeId, receivers: &[NodeId]) -> (u32, u32) {
        let hops = receivers.iter().map(|&to| self.fabric.hops(0, from, to)).max();
        let ring = receivers.iter().map(|&to| self.ring(from, to)).max();
        (hops.unwrap_or(0), ring.unwrap_or(0))
    }

    /// A time below which the median core cannot be done: its own port, or the busiest link once the cores that use it
    /// least are done, half of all; one flit a cycle.
    pub(crate) fn bound(&self, row: &Row, bytes: usize) -> f64 {
        let Parties { masters, peers } = self.parties(row);
        let flits = self.flits(bytes) as f64 * bytes.div_ceil(self.packet) as f64;
        let plane = usize::from(row.pattern.reads());
        let (mut tree, mut loads) = (Vec::<Branch>::new(), Vec::new());
        for &master in &masters {
            if row.mechanism == Mechanism::Unicast {
                let own = |index: usize| {
                    let (least, rest) = (row.transactions / peers.len(), row.transactions % peers.len());
                    least + usize::from(index < rest)
                };
                for (index, &peer) in peers.iter().enumerate() {
                    let (from, to) = if plane == 1 { (peer, master) } else { (master, peer) };
                    let count = own(index) as f64;
                    self.fabric.route(plane, from, to, |resource| loads.push((resource, count, master)));
                }
            } else {
                self.fabric.tree(plane, master, peers.iter().copied(), &mut tree);
                let count = row.transactions as f64;
                loads.extend(tree.iter().map(|branch| (branch.resource, count, master)));
            }
        }
        self.busiest(loads, masters.len()).max(row.transactions as f64) * flits
    }

    /// The most messages that must have crossed a resource when the median core is done: then half of all cores are, at
    /// best those that use it least.
    fn busiest(&self, mut loads: Vec<(u32, f64, NodeId)>, masters: usize) -> f64 {
        loads.sort_by_key(|&(resource, _, master)| (resource, master));
        let same = |a: &(u32, f64, NodeId), b: &(u32, f64, NodeId)| a.0 == b.0 && a.2 == b.2;
        let sum = |one: &[(u32, f64, NodeId)]| (one[0].0, one.iter().map(|load| load.1).sum::<f64>());
        let mut by_master: Vec<(u32, f64)> = loads.chunk_by(same).map(sum).collect();
        by_master.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let crossed = |own: &[(u32, f64)]| -> f64 {
            let absent = masters - own.len();
            own.iter().take(masters.div_ceil(2).saturating_sub(absent)).map(|load| load.1).sum()
        };
        by_master.chunk_by(|a, b| a.0 == b.0).map(crossed).fold(0.0, f64::max)
    }
}

//! Rows that need no network: one core to or from several, multicasts, many multicasts that exclude each other.

use super::chip::{Chip, Parties};
use super::numbers::Numbers;
use super::points::{Kind, Points};
use super::table::{Mechanism, Pattern, Row, SIZES};

/// What all formulae of a row need.
struct Case<'r> {
    row: &'r Row,
    chip: &'r Chip,
    points: &'r Points,
    numbers: &'r Numbers,
}

/// The times of a row by size; `None` if it needs the network.
pub(crate) fn times(row: &Row, chip: &Chip, points: &Points, numbers: &Numbers) -> Option<Vec<f64>> {
    let case = Case { row, chip, points, numbers };
    let sizes = 0..row.cycles.len();
    let many = row.pattern.has_many_masters();
    Some(match (row.mechanism, many) {
        (Mechanism::Unicast, true) => return None,
        (Mechanism::Unicast, false) if row.dram => sizes.map(|size| case.banks(size)).collect(),
        (Mechanism::Unicast, false) => sizes.map(|size| case.unicast(size)).collect(),
        (_, false) => {
            let tree = case.tree();
            sizes.map(|size| case.multicast(&tree, (row.mechanism, row.transactions), size)).collect()
        }
        (_, true) => {
            let tree = case.tree();
            sizes.map(|size| case.many_multicasts(&tree, size)).collect()
        }
    })
}

/// The tree of a multicast.
struct Tree {
    /// Links of a way there and back.
    ring: f64,
    receivers: f64,
    /// Cycles to reserve its path.
    reserve: f64,
    /// Whether acknowledgements pass the port or a link that the data leave through.
    shares: bool,
}

impl Case<'_> {
    /// One core and several others: its port or its processor is the limit.
    fn unicast(&self, size: usize) -> f64 {
        let (row, points) = (self.row, self.points);
        let Parties { masters, peers } = self.chip.parties(row);
        let ring = self.chip.reach(masters[0], &peers).1;
        let kind = Kind::of(row);
        let (count, own) = (row.transactions as f64, points.gap(kind, size));
        // A reader's own port takes what a writer's gives; the gap of reads is that of one source.
        let port = match kind.read {
            true => own.min(points.gap(Kind::write(row.chip), size).max(points.gap(kind, 0))),
            false => own,
        };
        let set_up = if kind.stateful { points.set_up(row.chip) } else { 0.0 };
        let time = points.time(self.chip, kind, count, size, ring.into()) - count * (own - port);
        let issue = count * points.issue(kind) + (self.numbers.new_peer + set_up) * row.peers as f64;
        time + (issue - count * port).max(0.0)
    }

    /// One core and all banks in turn: every message goes to a new one.
    fn banks(&self, size: usize) -> f64 {
        let (row, kind) = (self.row, Kind::of(self.row));
        let more = if row.transactions > 1 { self.numbers.next_bank[row.chip] } else { 0.0 };
        let port = self.points.gap(Kind::write(row.chip), size);
        let gap = (self.points.issue(kind) + more).max(port);
        self.points.time(self.chip, kind, 1.0, size, 0.0) + (row.transactions as f64 - 1.0) * gap
    }

    fn tree(&self) -> Tree {
        let Parties { masters, peers } = self.chip.parties(self.row);
        let (hops, ring) = self.chip.reach(masters[0], &peers);
        let [once, per_link] = self.numbers.reserve;
        Tree {
            ring: ring.into(),
            receivers: peers.len() as f64,
            reserve: once + per_link * f64::from(hops),
            shares: self.row.loopback || matches!(self.row.pattern, Pattern::OneToRow | Pattern::RowToRow),
        }
    }

    /// Some multicasts of one core.
    fn multicast(&self, tree: &Tree, (mechanism, count): (Mechanism, usize), size: usize) -> f64 {
        let (chip, points) = (self.chip, self.points);
        let kind = Kind::write(chip.index);
        let packets = SIZES[size].div_ceil(chip.packet);
        let bytes = SIZES[size].min(chip.packet);
        let of_packet = SIZES.iter().position(|&size| size == bytes).expect("a size of the table");
        let flits = points.per_flit(chip) * f64::from(chip.flits(bytes));
        let gap = points.gap(kind, 0);
        let first = points.time(chip, kind, 1.0, of_packet, tree.ring) + tree.reserve;
        let single = (tree.reserve + flits).max(gap);
        if mechanism == Mechanism::Multicast {
            return first + ((count * packets) as f64 - 1.0) * single;
        }
        let chained = if tree.shares { flits + tree.receivers } else { flits.max(tree.receivers) };
        // The last message is not linked: its first packet still has the path, its others reserve their own.
        first + ((count - 1) * packets) as f64 * chained.max(gap) + (packets as f64 - 1.0) * single
    }

    /// Many cores multicast to the same receivers: reserved paths exclude each other.
    fn many_multicasts(&self, tree: &Tree, size: usize) -> f64 {
        let (count, masters) = (self.row.transactions, self.row.peers as f64);
        let linked = self.row.mechanism == Mechanism::Linked;
        let first = self.multicast(tree, (Mechanism::Multicast, 1), size);
        let first = if linked { self.multicast(tree, (Mechanism::Linked, 1), size) } else { first };
        if linked || count == 1 {
            // A batch keeps its path, the cores come one after the other, and the median is the middle one.
            let chain = if count == 1 { Mechanism::Multicast } else { Mechanism::Linked };
            let batch = (self.multicast(tree, (chain, 1 + count), size) - first).max(0.0);
            let tries = self.numbers.retries + if linked && count > 1 { 1.0 } else { 0.0 };
            let others = (batch + tries * tree.reserve) * (masters - 1.0) / 2.0;
            return first + others + batch * (count as f64 - 1.0) / count as f64;
        }
        let batch = self.multicast(tree, (Mechanism::Multicast, 1 + count), size) - first;
        first + self.numbers.median_part * masters * batch - batch / count as f64
    }
}

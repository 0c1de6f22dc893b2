//! Predictions of rows: by formula, or by runs of the network, each of which is done once.

use std::collections::BTreeMap;

use rayon::prelude::*;

use meshwright_core::units::NodeId;

use super::chip::{Chip, Parties};
use super::closed;
use super::network::{self, DEPTH, Sender, Setting};
use super::numbers::Numbers;
use super::points::{Kind, Points};
use super::table::{Mechanism, Row, SIZES};

/// Flits that a pair of cores exchanges in a run at most, times the square of the cores: longer rows are scaled.
const FLITS_OF_ALL: usize = 60 * 4096;
/// Packets of a pair at most.
const PACKETS_MAX: usize = 16;
/// Requests a core's port holds, and the port of a bank.
const HOLD: [usize; 2] = [4, 64];

/// A run of the network; ordered so that each is done once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Job {
    chip: usize,
    read: bool,
    dram: bool,
    flits: u32,
    masters: Vec<NodeId>,
    peers: Vec<NodeId>,
    packets: usize,
    /// Thousandths of cycles.
    gap: u64,
    new_peer: u64,
}

/// Everything that is the same for all rows.
pub(crate) struct Model {
    pub(crate) chips: [Chip; 2],
    pub(crate) points: Points,
    runs: BTreeMap<Job, f64>,
}

fn thousandths(cycles: f64) -> u64 {
    (cycles * 1000.0).round() as u64
}

/// The median of some numbers; the mean of both middle ones.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => sorted[count / 2],
        count => (sorted[count / 2 - 1] + sorted[count / 2]) / 2.0,
    }
}

impl Model {
    /// A model of both chips.
    pub(crate) fn new(chips: [Chip; 2], points: Points) -> Self {
        Self { chips, points, runs: BTreeMap::new() }
    }

    /// The times of a row by size.
    ///
    /// # Panics
    ///
    /// When it needs a run that [`Model::run_network`] has not done.
    pub(crate) fn times(&self, row: &Row, numbers: &Numbers) -> Vec<f64> {
        let chip = &self.chips[row.chip];
        closed::times(row, chip, &self.points, numbers)
            .unwrap_or_else(|| (0..row.cycles.len()).map(|size| self.many(row, size, numbers)).collect())
    }

    /// Does the runs that these rows need.
    pub(crate) fn run_network<'r>(&mut self, rows: impl Iterator<Item = (&'r Row, Numbers)>) {
        let mut jobs: Vec<Job> = Vec::new();
        for (row, numbers) in rows {
            let needs = row.mechanism == Mechanism::Unicast && row.pattern.has_many_masters();
            for size in (0..row.cycles.len()).filter(|_| needs) {
                jobs.extend(self.jobs(row, size, &numbers));
            }
        }
        jobs.sort();
        jobs.dedup();
        jobs.retain(|job| !self.runs.contains_key(job));
        // The longest first, so that no core is left with it at the end.
        let work = |job: &Job| job.masters.len() * job.peers.len() * job.packets * job.flits as usize;
        jobs.sort_by_key(|job| std::cmp::Reverse(work(job)));
        let times: Vec<f64> = jobs.par_iter().with_max_len(1).map(|job| self.run(job)).collect();
        self.runs.extend(jobs.into_iter().zip(times));
    }

    /// The run of a row at a size, and that of one packet alone.
    fn jobs(&self, row: &Row, size: usize, numbers: &Numbers) -> [Job; 2] {
        let (chip, kind) = (&self.chips[row.chip], Kind::of(row));
        let Parties { masters, mut peers } = chip.parties(row);
        let flits = chip.flits(SIZES[size]);
        let far = if row.dram { chip.banks()[0] } else { chip.core(1, 1) };
        let (mut packets, mut new_peer) = (1, numbers.next_bank[row.chip]);
        if row.dram {
            peers = peers.iter().copied().cycle().take(row.transactions).collect();
        } else {
            let all = row.transactions / row.peers * SIZES[size].div_ceil(chip.packet);
            let budget = FLITS_OF_ALL / masters.len().pow(2) / (flits as usize + 22);
            (packets, new_peer) = (all.min(budget.max(1)).min(PACKETS_MAX), numbers.new_peer);
        }
        let gap = thousandths(self.points.issue(kind));
        let new_peer = thousandths(new_peer);
        let (chip_index, read, dram) = (row.chip, kind.read, row.dram);
        let master = if dram { masters[0] } else { chip.core(0, 0) };
        let alone = Job {
            chip: chip_index,
            read,
            dram,
            flits,
            masters: vec![master],
            peers: vec![far],
            packets: 1,
            gap,
            new_peer: 0,
        };
        [Job { masters, peers, packets, new_peer, ..alone.clone() }, alone]
    }

    /// Many cores and several peers each: the network's time, scaled to all packets, and what it leaves out of one alone.
    fn many(&self, row: &Row, size: usize, numbers: &Numbers) -> f64 {
        let chip = &self.chips[row.chip];
        let [all, alone] = self.jobs(row, size, numbers);
        let packets_of = SIZES[size].div_ceil(chip.packet);
        let (scale, ring) = match row.dram {
            true => (1.0, 0.0),
            false => {
                let count = row.transactions / row.peers * packets_of;
                (count as f64 / all.packets as f64, chip.rings()[1])
            }
        };
        let bytes = SIZES[size].min(chip.packet);
        let of_packet = SIZES.iter().position(|&size| size == bytes).expect("a size of the table");
        let kind = Kind { stateful: false, ..Kind::of(row) };
        let measured = self.points.time(chip, kind, 1.0, of_packet, ring);
        self.runs[&all] * scale + measured - self.runs[&alone]
    }

    /// The median over the cores of a run.
    fn run(&self, job: &Job) -> f64 {
        let chip = &self.chips[job.chip];
        let extra = self.points.per_flit(chip) - 1.0;
        let kind = Kind { read: job.read, dram: job.dram, ..Kind::write(job.chip) };
        let banks = if job.dram { chip.banks() } else { Vec::new() };
        let of_bank = |node| (node, self.points.per_flit_of_bank(kind, chip) - 1.0);
        let setting = Setting {
            fabric: &chip.fabric,
            plane: usize::from(job.read),
            depth: DEPTH,
            answers: if job.read && job.dram { 2 } else { 1 },
            hold: HOLD[usize::from(job.dram)],
            read: job.read,
            flits: job.flits,
            extra,
            slow: banks.into_iter().map(of_bank).collect(),
        };
        let sender = |&node: &NodeId| Sender {
            node,
            peers: job.peers.clone(),
            packets: job.packets,
            gap: job.gap as f64 / 1000.0,
            new_peer: job.new_peer as f64 / 1000.0,
        };
        median(&network::run(&setting, &job.masters.iter().map(sender).collect::<Vec<_>>()))
    }
}

//! A divide-and-conquer computation as a schedule: messages and computations, no barriers.

use super::Folded;
use crate::Placement;
use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_network::topology::Machine;
use meshwright_schedule::{Awaits, Dependency, Op, Rank, Schedule};

impl Folded {
    /// The schedule of the tree with its tasks on these nodes. Core c of a node computes on processor c of its rank; the host's
    /// messages take a processor of their own at the root. Tags of messages are the phases down, then those back up.
    ///
    /// # Panics
    ///
    /// When the placement has another number of tasks than the tree has nodes.
    ///
    /// # Complexity
    ///
    /// O(nodes of the machine + nodes times cores).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::units::Bytes;
    /// use meshwright_mapping::completion::{Completion, Folded, Work};
    /// use meshwright_mapping::{Divide, Request, Shape, place};
    /// use meshwright_network::topology::Machine;
    /// let divide = Divide { shape: Shape::Binomial(2), alpha: Some(0.5), combine_alpha: Some(0.5), volume: Bytes(64) };
    /// let work = Work::parse("leaf=10n,combine=n", None)?;
    /// let job = Completion { divide, result: Bytes(64), size: 64, work, per_node: 1, cores: 1, host: false };
    /// let mesh = Machine::new("mesh:2x2")?;
    /// let schedule = Folded::new(&job)?.schedule(&place("row-major", &Request::count(4, &mesh, 0))?, &mesh);
    /// assert_eq!((schedule.verify(), schedule.messages().len()), (Ok(()), 6));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn schedule(&self, placement: &Placement, machine: &Machine) -> Schedule {
        assert_eq!(placement.nodes.len(), self.nodes as usize, "a node for each task of the tree");
        let ranks = placement.nodes.iter().map(|node| node.0 + 1).max().unwrap_or(0);
        let cores = (self.nodes * self.cores) as usize;
        let mut writer = Writer {
            ranks: vec![Rank::default(); ranks as usize],
            nodes: &placement.nodes,
            cores: self.cores,
            last: vec![None; cores],
        };
        let [host_in, host_out] = self.host_cycles(machine);
        let root = cores as u32 - 1;
        if self.divides {
            writer.host(root, host_in);
            for handover in &self.handovers {
                writer.compute(handover.parent, handover.work_divide);
                if self.is_local(handover) {
                    writer.last[handover.child as usize] = writer.last[handover.parent as usize];
                } else {
                    writer.send([handover.parent, handover.child], handover.down, handover.phase);
                }
            }
        }
        (0..=root).for_each(|core| writer.compute(core, self.leaf));
        if self.combines {
            let last = 2 * self.handovers.last().map_or(0, |handover| handover.phase) + 1;
            for handover in self.handovers.iter().rev() {
                let [parent, child] = [handover.parent, handover.child];
                let result = match self.is_local(handover) {
                    true => writer.last[child as usize],
                    false => writer.give_back([child, parent], handover.up, last - handover.phase),
                };
                writer.combine(parent, result, handover.work_combine);
            }
            writer.host(root, host_out);
        }
        Schedule { ranks: writer.ranks }
    }
}

/// A schedule that is being written, step by step of each core.
struct Writer<'a> {
    ranks: Vec<Rank>,
    nodes: &'a [NodeId],
    cores: u32,
    /// By core, its last step, by the number within its rank.
    last: Vec<Option<u32>>,
}

impl Writer<'_> {
    fn node(&self, core: u32) -> NodeId {
        self.nodes[(core / self.cores) as usize]
    }

    /// Appends a step to the rank of a core, which waits for these.
    fn step(&mut self, core: u32, op: Op, processor: u8, waits_for: [Option<u32>; 2]) -> u32 {
        let rank = &mut self.ranks[self.nodes[(core / self.cores) as usize].index()];
        let step = rank.ops.len() as u32;
        rank.ops.push(op);
        if processor > 0 {
            rank.processors.resize(step as usize, 0);
            rank.processors.push(processor);
        } else if !rank.processors.is_empty() {
            rank.processors.push(0);
        }
        let needed = waits_for.into_iter().flatten();
        rank.dependencies.extend(needed.map(|on| Dependency { step, on, awaits: Awaits::End }));
        step
    }

    /// The core computes, if there is anything to compute.
    fn compute(&mut self, core: u32, cycles: u64) {
        if cycles > 0 {
            let (op, processor) = (Op::Calc { cycles: Cycles(cycles) }, (core % self.cores) as u8);
            self.last[core as usize] = Some(self.step(core, op, processor, [self.last[core as usize], None]));
        }
    }

    /// The same on the channel to the host.
    fn host(&mut self, core: u32, cycles: Cycles) {
        if cycles.0 > 0 {
            let waits_for = [self.last[core as usize], None];
            self.last[core as usize] =
                Some(self.step(core, Op::Calc { cycles }, self.cores as u8, waits_for));
        }
    }

    /// A message to another node, which the receiver begins with; returns the step of its receipt.
    fn message(&mut self, [from, to]: [u32; 2], bytes: Bytes, tag: u32) -> u32 {
        let [source, target] = [from, to].map(|core| self.node(core));
        let send = Op::Send { peer: target, bytes, tag };
        self.last[from as usize] = Some(self.step(from, send, 0, [self.last[from as usize], None]));
        self.step(to, Op::Recv { peer: source, bytes, tag }, 0, [None, None])
    }

    fn send(&mut self, [from, to]: [u32; 2], bytes: Bytes, tag: u32) {
        let received = self.message([from, to], bytes, tag);
        self.last[to as usize] = Some(received);
    }

    fn give_back(&mut self, ends: [u32; 2], bytes: Bytes, tag: u32) -> Option<u32> {
        Some(self.message(ends, bytes, tag))
    }

    /// The core goes on with both results, its own and another; without work there is only the meeting of both.
    fn combine(&mut self, core: u32, result: Option<u32>, cycles: u64) {
        let (op, processor) = (Op::Calc { cycles: Cycles(cycles) }, (core % self.cores) as u8);
        let own = self.last[core as usize];
        if own.is_some() || result.is_some() {
            self.last[core as usize] = Some(self.step(core, op, processor, [own, result]));
        } else if cycles > 0 {
            self.compute(core, cycles);
        }
    }
}

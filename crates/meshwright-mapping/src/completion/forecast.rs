//! When the result is there, as if no message waited for a link.

use super::Folded;
use meshwright_core::units::{Bytes, Hops};
use meshwright_network::topology::{Machine, Switching};

/// What messages of a machine cost those at their ends, in ticks.
pub(super) struct MessageTimes<'m> {
    machine: &'m Machine,
    overhead: u64,
    per_cycle: u64,
}

impl<'m> MessageTimes<'m> {
    pub(super) fn of(machine: &'m Machine) -> Self {
        let per_cycle = machine.costs().ticks_per_cycle();
        Self { machine, per_cycle, overhead: machine.endpoints().overhead.0 * per_cycle }
    }

    /// So many cycles.
    pub(super) fn cycles(&self, cycles: u64) -> u64 {
        cycles * self.per_cycle
    }

    /// From the begin of a message until its last byte has left the node.
    pub(super) fn leaving(&self, bytes: Bytes) -> u64 {
        self.overhead + self.machine.costs().alone_ticks(self.machine.switching(), bytes, Hops(1))
    }

    /// From its begin until it is received.
    pub(super) fn arriving(&self, bytes: Bytes, hops: Hops) -> u64 {
        let alone = self.machine.costs().alone_ticks(self.machine.switching(), bytes, hops);
        alone + 2 * self.overhead
    }

    /// What each further link adds.
    pub(super) fn per_hop(&self, bytes: Bytes) -> u64 {
        let costs = self.machine.costs();
        match self.machine.switching() {
            Switching::Wormhole | Switching::CutThrough => costs.head_ticks(),
            Switching::StoreAndForward => costs.startup_ticks() + costs.transfer_ticks(bytes),
        }
    }
}

impl Folded {
    /// The time of completion in ticks, if messages cross so many links from one task of the tree over nodes to another and
    /// never wait for one.
    ///
    /// ```text
    /// a node that divides at t:      its message leaves at t + divide until t + divide + c + b (W + h)
    /// its child begins:              at t + divide + c + b (W + d h), store-and-forward d (c + b W)
    /// a result that is ready at t:   is combined from max(t + c + b (U + d h), own result ready) on
    /// ```
    ///
    /// No message is faster and no step begins earlier, so with the hops of a placement it is a lower bound of its simulation,
    /// and equal to it where nobody waits.
    ///
    /// # Complexity
    ///
    /// O(nodes times cores).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::units::{Bytes, Hops};
    /// use meshwright_mapping::completion::{Completion, Folded, Work};
    /// use meshwright_mapping::{Divide, Shape};
    /// use meshwright_network::topology::Machine;
    /// let divide = Divide { shape: Shape::Binomial(1), alpha: Some(0.5), combine_alpha: Some(0.5), volume: Bytes(64) };
    /// let work = Work::parse("leaf=10n,combine=n", None)?;
    /// let job = Completion { divide, result: Bytes(64), size: 64, work, per_node: 1, cores: 1, host: false };
    /// // c = 100, b = 1, h = 2: half goes over, is solved, comes back and is combined with the other.
    /// let message = 100 + 32 + 2;
    /// let ticks = Folded::new(&job)?.forecast_ticks(&Machine::new("mesh:1x2")?, |_, _| Hops(1));
    /// assert_eq!(ticks, message + 320 + message + 64);
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn forecast_ticks(&self, machine: &Machine, hops: impl Fn(u32, u32) -> Hops) -> u64 {
        let times = MessageTimes::of(machine);
        let [first, last] = self.host_cycles(machine).map(|cycles| times.cycles(cycles.0));
        let ready = self.ready_ticks(&times, first, &hops);
        ready.last().copied().unwrap_or(0) + last
    }

    /// By core, when all that was divided from what it got is done: its result, or without combining the last one of its part.
    pub(super) fn ready_ticks(
        &self,
        times: &MessageTimes<'_>,
        begin: u64,
        hops: &impl Fn(u32, u32) -> Hops,
    ) -> Vec<u64> {
        let mut at = self.solved_ticks(times, begin, hops);
        for handover in self.handovers.iter().rev() {
            let [parent, child] = [handover.parent, handover.child].map(|core| core as usize);
            let way = match self.combines && !self.is_local(handover) {
                true => {
                    let hops = hops(handover.child / self.cores, handover.parent / self.cores);
                    times.arriving(handover.up, hops)
                }
                false => 0,
            };
            at[parent] = at[parent].max(at[child] + way) + times.cycles(handover.work_combine);
        }
        at
    }

    /// By core, when its own tasks are solved.
    fn solved_ticks(
        &self,
        times: &MessageTimes<'_>,
        begin: u64,
        hops: &impl Fn(u32, u32) -> Hops,
    ) -> Vec<u64> {
        let mut at = vec![0; (self.nodes * self.cores) as usize];
        if self.divides {
            *at.last_mut().expect("a tree has a root") = begin;
            for handover in &self.handovers {
                let [parent, child] = [handover.parent, handover.child].map(|core| core as usize);
                at[parent] += times.cycles(handover.work_divide);
                at[child] = at[parent];
                if !self.is_local(handover) {
                    let hops = hops(handover.parent / self.cores, handover.child / self.cores);
                    at[child] += times.arriving(handover.down, hops);
                    at[parent] += times.leaving(handover.down);
                }
            }
        }
        at.iter_mut().for_each(|at| *at += times.cycles(self.leaf));
        at
    }
}

//! What no placement of a tree over nodes can beat.
//!
//! Two lower bounds; the greater is the answer. `docs/completion-time.md` has the proofs.
//!
//! **Neighbours.** Messages between different nodes cross one link at least. With one link for each, the forecast is
//! earlier than any simulation.
//!
//! **Radius.** Of the m tasks that have their part after some phase, one is R links or more from the root, R the least radius of a
//! ball of m nodes. The way to it has k messages; the R - k links beyond take the time of the head, or under store-and-forward
//! that of the smallest message on the way, and the same back up. All that it does, and all below it, is that much later. Nobody
//! knows which task it is, so the least over the m tasks counts; and of all phases the greatest of these.

use super::Folded;
use super::forecast::MessageTimes;
use crate::bound;
use meshwright_core::units::Hops;
use meshwright_network::topology::Machine;

impl Folded {
    /// No placement of this tree on the machine, its tasks on different nodes, completes earlier: in ticks.
    ///
    /// # Complexity
    ///
    /// O(nodes times cores) beside the time for the radius.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::units::{Bytes, Hops};
    /// use meshwright_mapping::completion::{Completion, Folded, Work};
    /// use meshwright_mapping::{Divide, Shape};
    /// use meshwright_network::topology::Machine;
    /// let divide = Divide { shape: Shape::Binomial(4), alpha: Some(1.0), combine_alpha: None, volume: Bytes(64) };
    /// let job = Completion { divide, result: Bytes(64), size: 64, work: Work::default(), per_node: 1, cores: 1, host: false };
    /// // Four phases; on a line of 16 the farthest node is 8 links away: four heads of b h = 2 more.
    /// let tree = Folded::new(&job)?;
    /// assert_eq!(tree.bound_ticks(&Machine::new("mesh:1x16")?), 4 * (100 + 64 + 2) + 4 * 2);
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn bound_ticks(&self, machine: &Machine) -> u64 {
        let neighbours = self.forecast_ticks(machine, |_, _| Hops(1));
        neighbours.max(self.radius_ticks(machine))
    }

    /// The second of the two.
    fn radius_ticks(&self, machine: &Machine) -> u64 {
        let times = MessageTimes::of(machine);
        let host = self.host_cycles(machine).map(|cycles| times.cycles(cycles.0));
        let ready = self.ready_ticks(&times, host[0], &|_, _| Hops(1));
        let ways = self.ways(&times, host[1]);
        let balls = bound::largest_balls(machine);
        let (mut bound, mut reached) = (0, Vec::new());
        // Phases within nodes come last.
        let remote = self.handovers.iter().take_while(|handover| !self.is_local(handover)).count();
        for phase in self.handovers[..remote].chunk_by(|a, b| a.phase == b.phase) {
            reached.extend(phase.iter().map(|handover| handover.child as usize));
            let radius = bound::radius_from(machine, &balls, reached.len() as u32 + 1).0;
            let through = |&core: &usize| {
                let Way { messages, per_hop, tail } = ways[core];
                ready[core] + tail + u64::from(radius.saturating_sub(messages)) * per_hop
            };
            bound = bound.max(reached.iter().map(through).min().unwrap_or(0));
        }
        bound
    }

    /// By core its way in the tree, messages over one link each.
    fn ways(&self, times: &MessageTimes<'_>, end: u64) -> Vec<Way> {
        let cores = (self.nodes * self.cores) as usize;
        let mut ways = vec![Way { messages: 0, per_hop: u64::MAX, tail: end }; cores];
        // Ticks of combining so far: the parent still combines with the children of earlier phases.
        let mut combined = vec![0u64; cores];
        for handover in &self.handovers {
            let [parent, child] = [handover.parent, handover.child].map(|core| core as usize);
            combined[parent] += times.cycles(handover.work_combine);
            let mut way = ways[parent];
            way.tail += combined[parent];
            if !self.is_local(handover) {
                let down = if self.divides { times.per_hop(handover.down) } else { 0 };
                let up = if self.combines { times.per_hop(handover.up) } else { 0 };
                way.messages += 1;
                way.per_hop = way.per_hop.min(down + up);
                way.tail += if self.combines { times.arriving(handover.up, Hops(1)) } else { 0 };
            }
            ways[child] = way;
        }
        ways
    }
}

/// The way of a problem from the root to a core, and of its result back.
#[derive(Clone, Copy)]
struct Way {
    /// Messages on the way down.
    messages: u32,
    /// The least that a further link takes, down and up.
    per_hop: u64,
    /// From its result to the end.
    tail: u64,
}

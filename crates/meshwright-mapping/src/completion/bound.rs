//! What no placement of a tree over nodes can beat.
//!
//! Two lower bounds; the greater is the answer. `docs/completion-time.md` has the proofs.
//!
//! **Neighbours.** Messages between different nodes cross one link at least. With one link for each, the forecast is
//! earlier than any simulation.
//!
//! **Radius.** Of q nodes one is R links or more from the root, R the least radius of a ball of q nodes. The way to its task
//! has k messages; the R - k links beyond take the time of the head, or under store-and-forward that of the smallest message
//! on the way, and the same back up. Nobody knows which task it is, so the least over all tasks counts.

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
        let radius = bound::radius(machine, self.nodes).0;
        let times = MessageTimes::of(machine);
        let host = self.host_cycles(machine).map(|cycles| times.cycles(cycles.0));
        let solved = self.solved_ticks(&times, host[0], &|_, _| Hops(1));
        let cores = (self.nodes * self.cores) as usize;
        // By core: messages on the way from the root, least time of a further link there and back, cycles of combining
        // so far, time from its result to the end.
        let (mut depth, mut per_hop) = (vec![0u32; cores], vec![u64::MAX; cores]);
        let (mut combined, mut tail) = (vec![0u64; cores], vec![0u64; cores]);
        tail[cores - 1] = host[1];
        for handover in &self.handovers {
            let [parent, child] = [handover.parent, handover.child].map(|core| core as usize);
            (depth[child], per_hop[child]) = (depth[parent], per_hop[parent]);
            let mut way = 0;
            if !self.is_local(handover) {
                depth[child] += 1;
                let down = if self.divides { times.per_hop(handover.down) } else { 0 };
                let up = if self.combines { times.per_hop(handover.up) } else { 0 };
                per_hop[child] = per_hop[parent].min(down + up);
                way = if self.combines { times.arriving(handover.up, Hops(1)) } else { 0 };
            }
            combined[parent] += times.cycles(handover.work_combine);
            // The parent still combines with the children of earlier phases.
            tail[child] = way + combined[parent] + tail[parent];
        }
        let through = |core: usize| {
            let further = u64::from(radius.saturating_sub(depth[core]));
            let further = if further == 0 { 0 } else { further * per_hop[core] };
            solved[core] + combined[core] + tail[core] + further
        };
        // A core of each node: the one that gets the node's part. The root is at no distance from itself.
        let last = self.cores as usize - 1;
        let others = (0..self.nodes as usize - 1).map(|task| through(task * self.cores as usize + last));
        others.min().unwrap_or(0)
    }
}

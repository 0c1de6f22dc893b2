//! What no way of splitting, waiting and joining can beat.

use super::engine::Engine;
use super::job::{Job, Pace, Round};
use meshwright_core::units::{Bytes, Hops, NodeId};
use meshwright_groups::Group;
use meshwright_network::topology::{Machine, Topology, distances_from};

/// A message is a packet at least, whatever it says.
const LEAST: Bytes = Bytes(0);

/// Groups beyond this size on machines that are no whole mesh are bounded by their last member's entry alone.
const PAIRS_SIZE_MAX: usize = 4096;

/// How long news takes from one member to another.
pub(super) struct News<'m> {
    machine: &'m Machine,
    /// Ticks of `first + each d` over d > 0 links.
    first: u64,
    each: u64,
}

impl<'m> News<'m> {
    /// On this machine.
    pub(super) fn new(machine: &'m Machine, engine: Engine) -> Self {
        let alone = |hops| engine.alone_ticks(machine, LEAST, Hops(hops));
        let each = alone(2) - alone(1);
        Self { machine, first: alone(1) - each, each }
    }

    /// Links, where news is to cost 1 for each.
    pub(super) fn in_links(machine: &'m Machine) -> Self {
        Self { machine, first: 0, each: 1 }
    }

    /// When each member can know of the entries of all.
    ///
    /// ```text
    /// exit(v) = max over u of entry(u) + T(u, v),    T(v, v) = 0
    /// ```
    ///
    /// Nobody may leave a barrier or a join before all have come, and after a split everybody knows the size of its
    /// new group, which depends on every label. So no exit can be earlier.
    ///
    /// # Complexity
    ///
    /// O(s 2^k) on a whole mesh of k dimensions, O(s^2) on other machines with formulas for distances.
    pub(super) fn exits(&self, nodes: &[NodeId], entries: &[u64]) -> Vec<u64> {
        if nodes.len() < 2 {
            return entries.to_vec();
        }
        match self.machine.whole_grid() {
            Some(grid) if !grid.wraps() => {
                let places: Vec<Vec<u32>> = nodes.iter().map(|&node| grid.coordinates(node)).collect();
                self.by_corners(&places, entries)
            }
            _ if nodes.len() <= PAIRS_SIZE_MAX => self.by_pairs(nodes, entries),
            _ => {
                let last = entries.iter().copied().max().unwrap_or(0);
                vec![last; nodes.len()]
            }
        }
    }

    /// The definition.
    fn by_pairs(&self, nodes: &[NodeId], entries: &[u64]) -> Vec<u64> {
        let whole = self.machine.is_whole();
        let mut exits = entries.to_vec();
        for (&from, &entry) in nodes.iter().zip(entries) {
            let row = if whole { Vec::new() } else { distances_from(self.machine, from) };
            for (&to, exit) in nodes.iter().zip(&mut exits).filter(|(to, _)| **to != from) {
                let links = if whole {
                    self.machine.distance(from, to).map_or(u32::MAX, |hops| hops.0)
                } else {
                    row[to.index()]
                };
                // Members that do not reach each other stop the run elsewhere.
                if links != u32::MAX {
                    *exit = (*exit).max(entry + self.first + self.each * u64::from(links));
                }
            }
        }
        exits
    }

    /// On a mesh a distance is the greatest, over all choices of signs, of the signed sum of differences: for each
    /// choice two members suffice, the greatest and, for that one itself, the next.
    fn by_corners(&self, places: &[Vec<u32>], entries: &[u64]) -> Vec<u64> {
        let mut exits = entries.to_vec();
        for signs in 0..1u32 << places[0].len() {
            let signed = |place: &[u32]| -> i64 {
                let axes = place.iter().enumerate();
                axes.map(|(axis, &x)| if signs >> axis & 1 == 1 { -i64::from(x) } else { i64::from(x) }).sum()
            };
            let each = self.each as i64;
            let mut top = [(i64::MIN, usize::MAX); 2];
            for (member, (place, &entry)) in places.iter().zip(entries).enumerate() {
                let value = (entry as i64 + each * signed(place), member);
                if value.0 > top[0].0 {
                    top = [value, top[0]];
                } else if value.0 > top[1].0 {
                    top[1] = value;
                }
            }
            for (member, (place, exit)) in places.iter().zip(&mut exits).enumerate() {
                let other = if top[0].1 == member { top[1] } else { top[0] };
                let arrival = other.0 - each * signed(place) + self.first as i64;
                *exit = (*exit).max(arrival.max(0) as u64);
            }
        }
        exits
    }
}

/// No way of doing one repetition takes less, in cycles.
///
/// # Complexity
///
/// O(levels times s 2^k) on a whole mesh of k dimensions.
pub fn least_cycles(job: &Job, machine: &Machine, group: &Group, round: &Round) -> u64 {
    let news = News::new(machine, job.engine);
    let levels = round.labels.len();
    let down = (0..levels).flat_map(|level| [level, level + 1]);
    let mut moments = vec![0; group.members().len()];
    let mut cycles = 0;
    for level in down.chain((0..levels).rev()) {
        for ranks in &round.groups[level] {
            let nodes: Vec<NodeId> = ranks.iter().map(|&rank| group.node(rank)).collect();
            let entries: Vec<u64> = ranks.iter().map(|&rank| moments[rank as usize]).collect();
            for (&rank, exit) in ranks.iter().zip(news.exits(&nodes, &entries)) {
                moments[rank as usize] = exit;
            }
        }
        if job.pace == Pace::Lockstep {
            let last = moments.iter().copied().max().unwrap_or(0);
            cycles += machine.costs().cycles(last).0;
            moments.fill(0);
        }
    }
    let last = moments.into_iter().max().unwrap_or(0);
    cycles + machine.costs().cycles(last).0
}

/// D: the greatest distance between two members, in links.
///
/// # Complexity
///
/// O(s 2^k) on a whole mesh of k dimensions, O(s^2) on other machines with formulas for distances.
pub fn diameter(machine: &Machine, members: &[NodeId]) -> u64 {
    let exits = News::in_links(machine).exits(members, &vec![0; members.len()]);
    exits.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::News;
    use meshwright_core::rng::stream;
    use meshwright_core::units::NodeId;
    use meshwright_network::topology::Machine;
    use rand::RngExt;

    #[test]
    fn corners_say_what_pairs_say() {
        let mut draws = stream(1, "news");
        for name in ["mesh:1x1", "mesh:7", "mesh:5x6", "mesh:3x4x3", "mesh:2x2x2x2"] {
            let machine = Machine::new(name).unwrap();
            for first in [0, 9] {
                let news = News { machine: &machine, first, each: 3 };
                for _ in 0..20 {
                    let nodes: Vec<NodeId> = machine.living().filter(|_| draws.random::<bool>()).collect();
                    let entries: Vec<u64> = nodes.iter().map(|_| draws.random_range(0..30)).collect();
                    assert_eq!(news.exits(&nodes, &entries), news.by_pairs(&nodes, &entries), "{name}");
                }
            }
        }
    }
}

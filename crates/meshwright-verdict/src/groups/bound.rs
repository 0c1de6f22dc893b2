//! What no way of splitting, waiting and joining can beat.

use super::engine::{Engine, apart_ticks};
use super::job::{Job, Pace, Round};
use meshwright_collectives::bound::spread;
use meshwright_core::units::{Bytes, Hops, NodeId};
use meshwright_groups::Group;
use meshwright_network::topology::{Machine, PortModel, Topology, distances_from};

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
    /// Ticks of a packet on a link, and how many links bring packets to a node at once.
    gap: u64,
    ports: u64,
    /// Ticks for which a message keeps its sender from the next, and by which two that come to a node are apart at least.
    turn: u64,
    apart: u64,
}

impl<'m> News<'m> {
    /// On this machine.
    pub(super) fn new(machine: &'m Machine, engine: Engine) -> Self {
        let alone = |hops| engine.alone_ticks(machine, LEAST, Hops(hops));
        let each = alone(2) - alone(1);
        let is_single = machine.port_model() == PortModel::One;
        let most = (0..machine.nodes()).map(|node| machine.ports(NodeId(node))).max().unwrap_or(1);
        let ports = if is_single { 1 } else { most.max(1).into() };
        let (gap, turn) = (machine.costs().head_ticks(), engine.turn_ticks(machine, LEAST));
        Self { machine, first: alone(1) - each, each, gap, ports, turn, apart: apart_ticks(machine) }
    }

    /// Links, where news is to cost 1 for each.
    pub(super) fn in_links(machine: &'m Machine) -> Self {
        Self { machine, first: 0, each: 1, gap: 0, ports: 1, turn: 0, apart: 0 }
    }

    /// When each member can know of the entries of all.
    ///
    /// ```text
    /// exit(v) = max over u of entry(u) + T(u, v),    T(v, v) = 0
    /// exit(v) >= max over j of e_j + B(j),           e_j the j-th latest entry
    /// ```
    ///
    /// Nobody may leave a barrier or a join before all have come, and after a split everybody knows the size of its
    /// new group, which depends on every label. So no exit can be earlier. B(j) is how soon anybody can have
    /// [heard from j members](spread): the j latest enter at e_j or later. *Proof.* Go back from the moment when a member
    /// leaves. Whatever it knows of others came in messages to it: a link brings one packet in b ticks, so there are at most
    /// k of them in the last T, k more b earlier and so on, each from a member that sent it T earlier or more. What these
    /// knew then came to them in the same way. Start-ups may overlap, as many as there are messages; none is shorter than T
    /// with its way. Where nodes have an overhead or a gap, messages come to them that far apart: the same with k = 1 and the greater of both for b.
    ///
    /// # Complexity
    ///
    /// O(s 2^k + s log s) on a whole mesh of k dimensions, O(s^2) on other machines with formulas for distances.
    pub(super) fn exits(&self, nodes: &[NodeId], entries: &[u64]) -> Vec<u64> {
        if nodes.len() < 2 {
            return entries.to_vec();
        }
        let mut latest = entries.to_vec();
        latest.sort_unstable_by(|a, b| b.cmp(a));
        // Before that many ticks nobody has heard from more than so many.
        let floor = |(ports, every): (u64, u64)| {
            let steps = spread(entries.len() as u64, ports, every, self.first + self.each);
            let before = steps.iter().zip(&steps[1..]);
            before.map(|(&(_, heard), &(ticks, _))| latest[heard as usize] + ticks).max().unwrap_or(0)
        };
        let by_node = (self.apart > 0).then_some((1, self.apart));
        let floor = [(self.ports, self.gap)].into_iter().chain(by_node).map(floor).max().unwrap_or(0);
        let mut exits = self.by_distance(nodes, entries);
        exits.iter_mut().for_each(|exit| *exit = (*exit).max(floor));
        exits
    }

    /// When the last of a group can know of the last entry: with one port each member [tells](spread) one other at a time.
    fn last_told(&self, entries: &[u64]) -> u64 {
        let told = spread(entries.len() as u64, 1, self.turn, self.first + self.each)
            .last()
            .map_or(0, |&(ticks, _)| ticks);
        entries.iter().max().map_or(0, |last| last + if self.turn > 0 { told } else { 0 })
    }

    /// By distances alone.
    fn by_distance(&self, nodes: &[NodeId], entries: &[u64]) -> Vec<u64> {
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
    let (mut cycles, mut told) = (0, 0);
    for level in down.chain((0..levels).rev()) {
        for ranks in &round.groups[level] {
            let nodes: Vec<NodeId> = ranks.iter().map(|&rank| group.node(rank)).collect();
            let entries: Vec<u64> = ranks.iter().map(|&rank| moments[rank as usize]).collect();
            told = told.max(news.last_told(&entries));
            for (&rank, exit) in ranks.iter().zip(news.exits(&nodes, &entries)) {
                moments[rank as usize] = exit;
            }
        }
        if job.pace == Pace::Lockstep {
            let last = moments.iter().copied().max().unwrap_or(0).max(std::mem::take(&mut told));
            cycles += machine.costs().cycles(last).0;
            moments.fill(0);
        }
    }
    let last = moments.into_iter().max().unwrap_or(0).max(told);
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
                let news = News { machine: &machine, first, each: 3, gap: 0, ports: 1, turn: 0, apart: 0 };
                for _ in 0..20 {
                    let nodes: Vec<NodeId> = machine.living().filter(|_| draws.random::<bool>()).collect();
                    let entries: Vec<u64> = nodes.iter().map(|_| draws.random_range(0..30)).collect();
                    if nodes.len() > 1 {
                        let found = news.by_distance(&nodes, &entries);
                        assert_eq!(found, news.by_pairs(&nodes, &entries), "{name}");
                    }
                }
            }
        }
    }
}

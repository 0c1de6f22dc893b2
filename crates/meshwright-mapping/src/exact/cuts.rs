//! Cuts: which tasks can be together on a set of nodes.
//!
//! The tasks on a set X of nodes send what they send to others over the links out of X, and hear them over those into it. So of
//! a set S of tasks on X, and no other task there, each phase takes at least
//!
//! ```text
//! start + max(ceil(sent / links out), ceil(heard / links in))
//! ```
//!
//! with the sums of the bodies. Where the sum over phases reaches the limit S is not on X. Of those that are left some fit to
//! where tasks may be: every task that is in all of them is on X, and none that is in no one.

use super::level::Level;
use super::loads::NOWHERE;
use super::node_set::NodeSet;
use super::pattern::{Extent, Pattern};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Machine, Network, Topology};

/// All subsets of so many tasks are looked at.
const TASKS_MAX: usize = 16;

/// So many sets of nodes at most.
const ZONES_MAX: usize = 512;

/// Sets of nodes, and what sets of tasks on them take.
#[derive(Clone, Debug, Default)]
pub(super) struct Cuts {
    /// Each with the place of its list.
    zones: Vec<(NodeSet, usize)>,
    /// Sets of tasks as bits, with their ticks.
    lists: Vec<Vec<(u32, u64)>>,
}

/// Of a set of nodes: how many tasks it holds, least and most, and its links out and in.
type Shape = ([u32; 2], [u64; 2]);

impl Cuts {
    /// The boxes of a machine; none where there are too many, or too many tasks.
    pub(super) fn new(machine: &Machine, tasks: usize, patterns: &[Pattern]) -> Self {
        let Network::Grid(grid) = machine.network() else { return Self::default() };
        if tasks > TASKS_MAX {
            return Self::default();
        }
        let (mut cuts, mut shapes): (Self, Vec<Shape>) = Default::default();
        for zone in boxes(grid).unwrap_or_default() {
            let shape = shape(machine, &zone, tasks as u32);
            let known = shapes.iter().position(|known| *known == shape);
            cuts.zones.push((zone, known.unwrap_or(shapes.len())));
            if known.is_none() {
                shapes.push(shape);
            }
        }
        cuts.lists = vec![Vec::new(); shapes.len()];
        let mut crossing = vec![[0; 2]; patterns.len()];
        for subset in 0..1u32 << tasks {
            patterns.iter().zip(&mut crossing).for_each(|(pattern, sums)| *sums = sums_over(pattern, subset));
            for (shape, list) in shapes.iter().zip(&mut cuts.lists) {
                if (shape.0[0]..=shape.0[1]).contains(&subset.count_ones()) {
                    list.push((subset, ticks(patterns, &crossing, shape.1)));
                }
            }
        }
        cuts
    }
}

/// What a set of tasks sends to others and hears from them.
fn sums_over(pattern: &Pattern, subset: u32) -> [u64; 2] {
    let mut sums = [0; 2];
    for message in &pattern.messages {
        let (from, to) = (subset >> message.source & 1, subset >> message.target & 1);
        if from != to {
            sums[to as usize] += message.body;
        }
    }
    sums
}

/// The ticks of all patterns with so much over so many links.
fn ticks(patterns: &[Pattern], crossing: &[[u64; 2]], links: [u64; 2]) -> u64 {
    let one = |(pattern, sums): (&Pattern, &[u64; 2])| {
        let busiest = |side: usize| match (sums[side], links[side]) {
            (0, _) => Some(0),
            (_, 0) => None,
            (sum, links) => Some(sum.div_ceil(links)),
        };
        let busiest = busiest(0)?.max(busiest(1)?);
        Some(pattern.ticks(Extent { busiest, around: 0, far: busiest.min(1) }))
    };
    patterns.iter().zip(crossing).map(one).sum::<Option<u64>>().unwrap_or(u64::MAX)
}

fn shape(machine: &Machine, zone: &NodeSet, tasks: u32) -> Shape {
    let (mut links, mut living) = ([0; 2], 0);
    for node in machine.living() {
        let is_inside = zone.contains(node.0 as u16);
        living += u32::from(is_inside);
        for (_, next) in machine.neighbours(node) {
            match (is_inside, zone.contains(next.0 as u16)) {
                (true, false) => links[0] += 1,
                (false, true) => links[1] += 1,
                _ => {}
            }
        }
    }
    let spare = machine.living_count() - tasks;
    ([living.saturating_sub(spare), living.min(tasks)], links)
}

/// All boxes but the whole, over borders too where there are rings; nothing if there are too many.
fn boxes(grid: &Grid) -> Option<Vec<NodeSet>> {
    let nodes: u32 = grid.sides().iter().product();
    let mut all: Vec<Vec<u32>> = vec![(0..nodes).collect()];
    for (axis, &side) in grid.sides().iter().enumerate() {
        let starts = |length: u32| if grid.wraps() { side } else { side - length + 1 };
        let parts = (1..side).flat_map(|length| (0..starts(length)).map(move |from| (from, length)));
        let parts: Vec<(u32, u32)> = parts.chain([(0, side)]).collect();
        if all.len() * parts.len() > ZONES_MAX {
            return None;
        }
        let within = |set: &Vec<u32>, (from, length): (u32, u32)| {
            let is_within =
                |&&node: &&u32| (grid.coordinate(NodeId(node), axis) + side - from) % side < length;
            set.iter().filter(is_within).copied().collect::<Vec<_>>()
        };
        all = all.iter().flat_map(|set| parts.iter().map(|&part| within(set, part))).collect();
    }
    let mut sets: Vec<NodeSet> = Vec::new();
    for nodes in all.iter().filter(|set| set.len() < nodes as usize) {
        let mut set = NodeSet::default();
        nodes.iter().for_each(|&node| set.insert(node as u16));
        if !sets.contains(&set) {
            sets.push(set);
        }
    }
    Some(sets)
}

/// The sets of tasks that are left below a limit, zone by zone; those that are left at a level of the tree come first.
#[derive(Clone, Debug, Default)]
pub(super) struct Together {
    zones: Vec<(NodeSet, Vec<u32>)>,
    /// The least ticks of what was left out.
    pub(super) least_cut: u64,
}

impl Together {
    /// Only zones on which something cannot be.
    pub(super) fn new(cuts: &Cuts, limit: u64) -> Self {
        let (mut zones, mut least_cut) = (Vec::new(), u64::MAX);
        for &(zone, list) in &cuts.zones {
            let all = &cuts.lists[list];
            let over = all.iter().map(|one| one.1).filter(|&ticks| ticks >= limit);
            least_cut = over.fold(least_cut, u64::min);
            let left: Vec<u32> = all.iter().filter(|one| one.1 < limit).map(|one| one.0).collect();
            if left.len() < all.len() {
                zones.push((zone, left));
            }
        }
        Self { zones, least_cut }
    }

    /// How many are left in each zone before anything is placed.
    pub(super) fn lengths(&self) -> impl Iterator<Item = u32> + '_ {
        self.zones.iter().map(|(_, left)| left.len() as u32)
    }

    /// The zones as ranges of nodes.
    pub(super) fn ranges(&self) -> Vec<Vec<[u32; 2]>> {
        self.zones.iter().map(|(zone, _)| zone.ranges()).collect()
    }

    /// Takes away sets of tasks and nodes of tasks; whether a task lost one, or nothing if nothing is left.
    pub(super) fn narrow(&mut self, level: &mut Level, node_of: &[u16]) -> Option<bool> {
        let mut has_less = false;
        for ((zone, subsets), left) in self.zones.iter_mut().zip(&mut level.together) {
            let (mut inside, mut outside) = (0u32, 0u32);
            for (task, (domain, &node)) in level.domains.iter().zip(node_of).enumerate() {
                let (can_be_in, can_be_out) = match node {
                    NOWHERE => (domain.meets(zone), !domain.without(zone).is_empty()),
                    node => (zone.contains(node), !zone.contains(node)),
                };
                inside |= u32::from(!can_be_out) << task;
                outside |= u32::from(!can_be_in) << task;
            }
            let (mut all, mut any, mut kept) = (u32::MAX, 0, 0);
            for at in 0..*left as usize {
                let subset = subsets[at];
                if subset & inside == inside && subset & outside == 0 {
                    (all, any) = (all & subset, any | subset);
                    subsets.swap(at, kept);
                    kept += 1;
                }
            }
            *left = kept as u32;
            if kept == 0 {
                return None;
            }
            for (task, domain) in level.domains.iter_mut().enumerate() {
                if node_of[task] != NOWHERE {
                    continue;
                }
                if all & !inside & 1 << task != 0 {
                    (*domain, has_less) = (domain.within(zone), true);
                } else if !any & !outside & 1 << task != 0 {
                    (*domain, has_less) = (domain.without(zone), true);
                }
            }
        }
        Some(has_less)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TaskGraph;
    use crate::exact::pattern::Problem;
    use crate::task_graph::Edge;
    use meshwright_core::units::Bytes;
    use meshwright_network::topology::Switching;

    #[test]
    fn boxes_of_a_mesh_and_of_a_torus() {
        let count = |name: &str| {
            let machine = Machine::new(name).unwrap();
            let Network::Grid(grid) = machine.network() else { panic!("a grid") };
            boxes(grid).map(|sets| sets.len())
        };
        // Intervals: 3 2 + 1 of 4 nodes and so on: s (s + 1) / 2 on a line, s (s - 1) + 1 on a ring; without the whole.
        assert_eq!(count("mesh:4x4"), Some(10 * 10 - 1));
        assert_eq!(count("torus:4x4"), Some(13 * 13 - 1));
        assert_eq!(count("mesh:2x2x4"), Some(3 * 3 * 10 - 1));
        assert_eq!(count("hypercube:4"), Some(81 - 1));
        assert_eq!(count("mesh:16x16"), None);
    }

    /// On every zone of every placement the fullest link out of it, or into it, carries what the list says, or more.
    #[test]
    fn no_placement_takes_less_than_its_sets() {
        let send = |phase, source, target, bytes| (phase, Edge { source, target, bytes: Bytes(bytes) });
        let edges =
            [(1, 0, 1, 90), (1, 1, 2, 90), (1, 2, 0, 90), (1, 3, 0, 90), (2, 0, 3, 40), (2, 2, 3, 70)];
        let edges = edges.iter().map(|&(phase, from, to, bytes)| send(phase, from, to, bytes)).collect();
        let graph = TaskGraph::new("four", 4, edges).unwrap();
        for name in ["mesh:5", "torus:2x3", "mesh:2x2"] {
            for switching in [Switching::Wormhole, Switching::StoreAndForward] {
                let machine = Machine::new(name).unwrap().with_switching(switching);
                let problem = Problem::new(&graph, &machine).unwrap();
                let nodes = problem.nodes as u16;
                let mut tight = 0;
                for code in 0..nodes.pow(4) {
                    let node_of: Vec<u16> = (0..4).map(|task| code / nodes.pow(task) % nodes).collect();
                    if (0..4).any(|task| node_of[..task].contains(&node_of[task])) {
                        continue;
                    }
                    let on_links = |pattern: &Pattern| {
                        let mut on = vec![0; problem.links];
                        for message in &pattern.messages {
                            let [from, to] =
                                [message.source, message.target].map(|task| node_of[usize::from(task)]);
                            problem
                                .routes
                                .route(from, to)
                                .iter()
                                .for_each(|&link| on[link as usize] += message.body);
                        }
                        pattern.ticks(Extent {
                            busiest: on.into_iter().max().unwrap_or(0),
                            around: 0,
                            far: 1,
                        })
                    };
                    let taken: u64 = problem.patterns.iter().map(on_links).sum();
                    for (zone, list) in &problem.cuts.zones {
                        let subset = (0..4)
                            .filter(|&task| zone.contains(node_of[task]))
                            .fold(0, |set, task| set | 1 << task);
                        let listed = problem.cuts.lists[*list].iter().find(|one| one.0 == subset);
                        let &(_, ticks) =
                            listed.expect("every set of tasks that can be there is in the list");
                        assert!(
                            ticks <= taken,
                            "{name}: {node_of:?} takes {taken}, {subset:b} alone {ticks}"
                        );
                        tight += u32::from(ticks == taken);
                    }
                }
                assert!(tight > 0, "{name}");
            }
        }
    }
}

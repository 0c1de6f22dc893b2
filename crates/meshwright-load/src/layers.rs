//! Layers: how many nodes are how many hops from the nearest source.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use meshwright_core::units::{NodeId, Port};
use meshwright_network::topology::{Grid, Machine, Topology};

use crate::Problem;

/// By node id the hops to the nearest of the sources; `u32::MAX` for a node that none of them reaches.
///
/// A dead source reaches nobody, itself included.
///
/// # Panics
///
/// When a source lies outside the machine.
///
/// # Complexity
///
/// O(nodes + links), one breadth-first search for all sources.
///
/// # Examples
///
/// ```
/// use meshwright_load::layers;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let line = Machine::new("mesh:1x7")?;
/// assert_eq!(layers::depths(&line, &[NodeId(1), NodeId(5)]), [1, 0, 1, 2, 1, 0, 1]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn depths(machine: &Machine, sources: &[NodeId]) -> Vec<u32> {
    let mut depth = vec![u32::MAX; machine.nodes() as usize];
    let mut queue = VecDeque::with_capacity(sources.len());
    for &source in sources {
        if machine.is_alive(source) && depth[source.index()] == u32::MAX {
            depth[source.index()] = 0;
            queue.push_back(source);
        }
    }
    while let Some(node) = queue.pop_front() {
        let next_depth = depth[node.index()] + 1;
        for (_, next) in machine.neighbours(node) {
            if depth[next.index()] == u32::MAX {
                depth[next.index()] = next_depth;
                queue.push_back(next);
            }
        }
    }
    depth
}

/// By node id the least sum of link times on a way from one of the sources, in units of w Tcp for the whole load; infinite for a
/// node that none of them reaches.
///
/// # Panics
///
/// When a source lies outside the machine.
///
/// # Complexity
///
/// O((nodes + links) log nodes), one search for all sources.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::NodeId;
/// use meshwright_load::{Problem, Source, layers};
/// use meshwright_network::topology::Machine;
/// let line = Machine::new("mesh:1x4")?;
/// let problem = Problem::new(&line, vec![Source::at(NodeId(0), 1.0)], 0.25)?;
/// assert_eq!(layers::link_times(&problem, &[NodeId(0)]), [0.0, 0.25, 0.5, 0.75]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn link_times(problem: &Problem<'_>, sources: &[NodeId]) -> Vec<f64> {
    let machine = problem.machine();
    let mut least = vec![f64::INFINITY; machine.nodes() as usize];
    sources.iter().for_each(|source| least[source.index()] = 0.0);
    // The bits of times that are not below 0 are in their order.
    let mut agenda: BinaryHeap<_> = sources.iter().map(|&source| Reverse((0u64, source))).collect();
    while let Some(Reverse((bits, node))) = agenda.pop() {
        let time = f64::from_bits(bits);
        if time > least[node.index()] {
            continue;
        }
        for port in (0..machine.ports(node)).map(Port) {
            let Some(next) = machine.neighbour(node, port) else { continue };
            let through = time + problem.link_time(machine.link(node, port));
            if through < least[next.index()] {
                least[next.index()] = through;
                agenda.push(Reverse((through.to_bits(), next)));
            }
        }
    }
    least
}

/// How many nodes are 0, 1, 2... hops from the nearest of the sources; nodes that none reaches are not counted.
///
/// One node of a grid on which everything works is counted by formula, everything else by [`depths`].
///
/// # Panics
///
/// When a source lies outside the machine.
///
/// # Complexity
///
/// O(dimensions * sum of sides) for one node of a whole grid, else O(nodes + links).
///
/// # Source
///
/// `zhang2018`, section 2.2 (the numbers D_i) and table 5.1.
///
/// # Examples
///
/// ```
/// use meshwright_load::layers;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:5x5")?;
/// assert_eq!(layers::counts(&mesh, &[NodeId(0)]), [1, 2, 3, 4, 5, 4, 3, 2, 1], "a corner");
/// assert_eq!(layers::counts(&mesh, &[NodeId(12)]), [1, 4, 8, 8, 4], "the centre");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn counts(machine: &Machine, sources: &[NodeId]) -> Vec<u64> {
    match (machine.whole_grid(), sources) {
        (Some(grid), &[source]) => grid_counts(grid, source),
        _ => counts_of_depths(&depths(machine, sources)),
    }
}

/// How often each depth occurs; `u32::MAX` is none.
pub fn counts_of_depths(depths: &[u32]) -> Vec<u64> {
    let mut counts = Vec::new();
    for &depth in depths.iter().filter(|&&depth| depth != u32::MAX) {
        let depth = depth as usize;
        if depth >= counts.len() {
            counts.resize(depth + 1, 0);
        }
        counts[depth] += 1;
    }
    counts
}

/// Theorem: on a grid hops add up over the axes, so the counts are the convolution of the counts along each axis.
///
/// Along one axis there is one node at 0 hops, and one at each of 1..=up and 1..=down hops: a convolution with runs
/// of ones is a difference of prefix sums. On a hypercube these are the binomial coefficients.
fn grid_counts(grid: &Grid, source: NodeId) -> Vec<u64> {
    let mut counts = vec![1];
    for (axis, &side) in grid.sides().iter().enumerate() {
        let c = grid.coordinate(source, axis);
        let (up, down) = if grid.wraps() { (side / 2, (side - 1) / 2) } else { (side - 1 - c, c) };
        counts = with_axis(&counts, up as usize, down as usize);
    }
    counts
}

/// The counts of one axis more, along which so many nodes lie on either side.
fn with_axis(counts: &[u64], up: usize, down: usize) -> Vec<u64> {
    let mut below = Vec::with_capacity(counts.len() + 1);
    below.push(0);
    below.extend(counts.iter().scan(0, |sum, &count| {
        *sum += count;
        Some(*sum)
    }));
    // How many nodes stand from `low` up to, not including, `high` hops away so far.
    let last = counts.len();
    let among = |low: usize, high: usize| below[high.min(last)] - below[low.min(last)];
    let along = |hops: usize, reach: usize| among(hops.saturating_sub(reach), hops);
    (0..last + up.max(down)).map(|hops| among(hops, hops + 1) + along(hops, up) + along(hops, down)).collect()
}

#[cfg(test)]
mod tests {
    use super::{counts, counts_of_depths, depths};
    use meshwright_core::units::NodeId;
    use meshwright_network::topology::{FAMILIES, Machine, Topology};

    fn machine(specification: &str) -> Machine {
        Machine::new(specification).expect("a machine")
    }

    /// The theorem is the definition, for every node of every family and for odd sides.
    #[test]
    fn formula_and_search_count_alike() {
        let odd = [
            "mesh:1x1",
            "mesh:1x7",
            "mesh:7",
            "mesh:3x1x5",
            "torus:5x3",
            "torus:2x5",
            "torus:1x2x7",
            "torus:6x4",
            "mesh:9x2",
        ];
        let of_families = FAMILIES.iter().map(|family| family.example).filter(|example| !example.is_empty());
        for specification in of_families.chain(odd) {
            let machine = machine(specification);
            for source in machine.living() {
                let searched = counts_of_depths(&depths(&machine, &[source]));
                assert_eq!(counts(&machine, &[source]), searched, "{specification} from {source}");
                assert_eq!(searched.iter().sum::<u64>(), u64::from(machine.nodes()), "{specification}");
            }
        }
    }

    #[test]
    fn layers_of_a_hypercube_are_binomial_coefficients() {
        let counts = counts(&machine("hypercube:20"), &[NodeId(0b1011)]);
        let mut binomial = 1;
        for (k, &count) in counts.iter().enumerate() {
            assert_eq!(count, binomial);
            binomial = binomial * (20 - k as u64) / (k as u64 + 1);
        }
        assert_eq!(counts.len(), 21);
    }

    #[test]
    fn the_dead_and_the_cut_off_are_not_counted() {
        let mesh = machine("mesh:3x3").with_dead(vec![NodeId(1), NodeId(3)]).expect("some live");
        assert_eq!(counts(&mesh, &[NodeId(0)]), [1], "a corner alone");
        assert_eq!(counts(&mesh, &[NodeId(8)]), [1, 2, 3]);
        assert_eq!(counts(&mesh, &[NodeId(8), NodeId(0), NodeId(8)]), [2, 2, 3]);
        assert_eq!(counts(&mesh, &[NodeId(1)]), [0; 0], "a dead source reaches nobody");
        assert_eq!(counts(&mesh, &[]), [0; 0]);
    }

    #[test]
    fn layers_of_several_sources_are_minima_over_the_sources() {
        let torus = machine("torus:5x6");
        let sources = [NodeId(3), NodeId(17), NodeId(28)];
        let minimum = |node: u32| {
            let hops =
                sources.iter().map(|&source| torus.distance(source, NodeId(node)).expect("connected").0);
            hops.min().expect("three sources")
        };
        assert_eq!(depths(&torus, &sources), (0..30).map(minimum).collect::<Vec<_>>());
    }
}

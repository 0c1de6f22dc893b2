//! Places for the next source of a load, and the gain of each.

use crate::{Problem, Source, layers, optimum};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;

/// A place for the next source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourcePlace {
    /// The node.
    pub node: NodeId,
    /// The least makespan with the source there, in units of w Tcp.
    pub makespan: f64,
    /// The least makespan without it over that with it.
    pub gain: f64,
    /// Hops to the nearest of the given sources; `u32::MAX` where there is no way to one.
    pub hops: u32,
}

/// The places for the next source, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The best places: by makespan, then the farther from other sources, then by node id.
    pub places: Vec<SourcePlace>,
    /// Whether it is proved that no other place has a smaller makespan than the first.
    pub proved: bool,
    /// How many makespans were computed.
    pub trials: usize,
}

/// The best places for one more source, which takes `share` of the whole load from all others alike.
///
/// Every living node gets a bound: the greatest ratio of load to capacity over all nodes together, each given source,
/// the new one, and the new one with the sources and clusters of sources next to it. Makespans are then computed in
/// the order of the bounds, until no bound left is below the `wanted`th makespan or `trials` are used up. An equal
/// share of k + 1 sources is 1 / (k + 1).
///
/// # Errors
///
/// [`Error::Value`] for a share that is not between 0 and 1, for no places wanted and for no trials; what
/// [`optimum::makespan`] refuses.
///
/// # Complexity
///
/// O(nodes log nodes + links), and `trials` times that of [`optimum::makespan`].
///
/// # Source
///
/// `zhang2018`, chapter 7.2, asks for good positions.
///
/// # Examples
///
/// Link-limited, every node inside that is not next to the first source doubles what comes out.
///
/// ```
/// use meshwright_load::{Problem, Source, ports};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:7x7")?;
/// let problem = Problem::new(&mesh, vec![Source::at(NodeId(16), 1.0)], 1.0)?;
/// let ranking = ports::next(&problem, 0.5, 3, 10)?;
/// let best = ranking.places[0];
/// assert!(ranking.proved && (best.makespan - 0.5 / 5.0).abs() < 1e-9 && (best.gain - 2.0).abs() < 1e-9);
/// assert_eq!(best.node, NodeId(40), "(5, 5), the node inside the border that is farthest from (2, 2)");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn next(problem: &Problem, share: f64, wanted: usize, trials: usize) -> Result<Ranking> {
    next_by(problem, share, wanted, trials, &|problem| Ok(optimum::makespan(problem)?.0))
}

/// The same on a machine that may do less at a time, by its least makespan.
///
/// # Errors
///
/// As for [`next`], and what `least` refuses.
///
/// # Complexity
///
/// That of [`next`], with `least` in place of [`optimum::makespan`].
///
/// # Examples
///
/// A node with one port sends no faster in the middle than in a corner.
///
/// ```
/// use meshwright_load::lp::{Ports, Variant, solve};
/// use meshwright_load::{Problem, Source, ports};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:3x4")?;
/// let problem = Problem::new(&mesh, vec![Source::at(NodeId(0), 1.0)], 1.0)?;
/// let one = Variant { ports: Ports::ONE, ..Variant::default() };
/// let ranking = ports::next_by(&problem, 0.5, 1, 20, &|problem| Ok(solve(problem, &one)?.makespan))?;
/// assert!((ranking.places[0].gain - 2.0).abs() < 1e-6, "1 + 1 / sigma of each of two");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn next_by(
    problem: &Problem,
    share: f64,
    wanted: usize,
    trials: usize,
    least: &dyn Fn(&Problem) -> Result<f64>,
) -> Result<Ranking> {
    if !(share > 0.0 && share < 1.0) {
        return Err(Error::value("share of the next source", share, "a number between 0 and 1"));
    }
    if wanted == 0 || trials == 0 {
        return Err(Error::value("number of places", 0, "at least 1 place and 1 trial"));
    }
    let without = least(problem)?;
    let given: Vec<NodeId> = problem.sources().iter().map(|source| source.node).collect();
    let hops = layers::depths(problem.machine(), &given);
    let bounds = Bounds::new(problem, share);
    let mut candidates: Vec<(f64, NodeId)> =
        problem.machine().living().map(|node| (bounds.with(node), node)).collect();
    let farther = |a: NodeId, b: NodeId| hops[b.index()].cmp(&hops[a.index()]).then(a.cmp(&b));
    candidates.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then_with(|| farther(a.1, b.1)));
    let mut places: Vec<SourcePlace> = Vec::new();
    let mut tried = 0;
    let mut proved = true;
    for &(bound, node) in &candidates {
        if places.get(wanted - 1).is_some_and(|worst| worst.makespan <= bound * (1.0 + ROUNDING)) {
            break;
        }
        if tried == trials {
            proved = places.first().is_some_and(|best| best.makespan <= bound * (1.0 + ROUNDING));
            break;
        }
        tried += 1;
        // A node without a way to a processor is no place for a source.
        let makespan = match least(&extended(problem, share, node)?) {
            Err(Error::NotApplicable { .. }) => continue,
            found => found?,
        };
        let place = SourcePlace { node, makespan, gain: without / makespan, hops: hops[node.index()] };
        places.push(place);
        let rounded = |place: &SourcePlace| (place.makespan / (without * ROUNDING)).round();
        places
            .sort_unstable_by(|a, b| rounded(a).total_cmp(&rounded(b)).then_with(|| farther(a.node, b.node)));
    }
    places.truncate(wanted);
    Ok(Ranking { places, proved, trials: tried })
}

/// Makespans that differ by less are the same, computed in another order.
const ROUNDING: f64 = 1e-9;

/// The problem with one more source.
fn extended<'m>(problem: &Problem<'m>, share: f64, node: NodeId) -> Result<Problem<'m>> {
    let scaled = |source: &Source| Source { load: source.load * (1.0 - share), ..*source };
    let mut sources: Vec<Source> = problem.sources().iter().map(scaled).collect();
    sources.push(Source::at(node, share));
    let extended = Problem::new(problem.machine(), sources, problem.sigma())?;
    match problem.speeds() {
        Some(speeds) => extended.with_speeds(speeds.clone()),
        None => Ok(extended),
    }
}

/// Load and capacity of a set of nodes.
#[derive(Clone, Copy, Default)]
struct Set {
    /// What enters, as a share of the whole load.
    load: f64,
    /// What its processors work off in a unit of time.
    work: f64,
    /// What its links carry out in a unit of time.
    out: f64,
}

impl Set {
    /// Both together, which have links of this capacity between them.
    fn joined(self, other: Self, inner: f64) -> Self {
        let out = self.out + other.out - inner;
        // Links that take no time: too much capacity makes a bound weaker, never wrong.
        let out = if out.is_nan() { f64::INFINITY } else { out.max(0.0) };
        Self { load: self.load + other.load, work: self.work + other.work, out }
    }

    /// The least time for what enters.
    fn time(self) -> f64 {
        if self.load > 0.0 { self.load / (self.work + self.out) } else { 0.0 }
    }
}

/// What is the same for every place of the next source.
struct Bounds<'a> {
    problem: &'a Problem<'a>,
    share: f64,
    /// By node, its load in the extended problem, without the new source.
    load: Vec<f64>,
    /// By node, the cluster of connected sources it is in.
    cluster: Vec<u32>,
    clusters: Vec<Set>,
    /// The greatest time of the sets that the new source does not touch.
    floor: f64,
}

/// No cluster.
const NONE: u32 = u32::MAX;

impl<'a> Bounds<'a> {
    fn new(problem: &'a Problem<'a>, share: f64) -> Self {
        let nodes = problem.machine().nodes() as usize;
        let mut load = vec![0.0; nodes];
        for source in problem.sources() {
            load[source.node.index()] += source.load * (1.0 - share);
        }
        let (cluster, clusters) = (vec![NONE; nodes], Vec::new());
        let mut bounds = Self { problem, share, load, cluster, clusters, floor: 0.0 };
        bounds.find_clusters();
        let whole: f64 = problem.machine().living().map(|node| 1.0 / problem.work(node)).sum();
        let sources = problem.sources().iter().map(|source| bounds.alone(source.node).time());
        let clusters = bounds.clusters.iter().map(|set| set.time());
        bounds.floor = sources.chain(clusters).fold(1.0 / whole, f64::max);
        bounds
    }

    /// The neighbours of a node with the capacity of the links to them.
    fn neighbours(&self, node: NodeId) -> impl Iterator<Item = (NodeId, f64)> + '_ {
        let machine = self.problem.machine();
        machine.neighbours(node).map(move |(link, next)| (next, 1.0 / self.problem.link_time(link)))
    }

    /// What links from one node carry to another in a unit of time.
    fn between(&self, from: NodeId, to: NodeId) -> f64 {
        let machine = self.problem.machine();
        machine.wire(from, to).map_or(0.0, |link| 1.0 / self.problem.link_time(link))
    }

    /// A node by itself.
    fn alone(&self, node: NodeId) -> Set {
        let out = self.neighbours(node).map(|(_, capacity)| capacity).sum();
        Set { load: self.load[node.index()], work: 1.0 / self.problem.work(node), out }
    }

    /// Gathers the sources that are wired together.
    fn find_clusters(&mut self) {
        for source in self.problem.sources() {
            if self.cluster[source.node.index()] != NONE {
                continue;
            }
            let index = self.clusters.len() as u32;
            self.cluster[source.node.index()] = index;
            let (mut members, mut at) = (vec![source.node], 0);
            while let Some(&node) = members.get(at) {
                at += 1;
                let next: Vec<NodeId> = self.neighbours(node).map(|(next, _)| next).collect();
                for next in next {
                    if self.load[next.index()] > 0.0 && self.cluster[next.index()] == NONE {
                        self.cluster[next.index()] = index;
                        members.push(next);
                    }
                }
            }
            let mut set = Set::default();
            for &node in &members {
                let alone = self.alone(node);
                set.load += alone.load;
                set.work += alone.work;
                let leaving = self.neighbours(node).filter(|(next, _)| self.cluster[next.index()] != index);
                set.out += leaving.map(|(_, capacity)| capacity).sum::<f64>();
            }
            self.clusters.push(set);
        }
    }

    /// A lower bound on the makespan with the new source at this node.
    ///
    /// # Complexity
    ///
    /// O(ports^2).
    fn with(&self, node: NodeId) -> f64 {
        let own = self.cluster[node.index()];
        let mut alone = self.alone(node);
        alone.load += self.share;
        let mut greatest = self.floor.max(alone.time());
        if own != NONE {
            let set = self.clusters[own as usize];
            greatest = greatest.max(Set { load: set.load + self.share, ..set }.time());
        }
        let mut all = alone;
        for (next, capacity) in self.neighbours(node).filter(|(next, _)| self.load[next.index()] > 0.0) {
            let inner = capacity + self.between(next, node);
            greatest = greatest.max(alone.joined(self.alone(next), inner).time());
            let cluster = self.cluster[next.index()];
            let of_cluster = |other: &NodeId| self.cluster[other.index()] == cluster;
            let mut before = self.neighbours(node).map(|(other, _)| other).take_while(|&other| other != next);
            if cluster == own || before.any(|other| of_cluster(&other)) {
                continue;
            }
            let wires = self.neighbours(node).filter(|(other, _)| of_cluster(other));
            let inner = wires.map(|(other, capacity)| capacity + self.between(other, node)).sum();
            greatest = greatest.max(alone.joined(self.clusters[cluster as usize], inner).time());
            all = all.joined(self.clusters[cluster as usize], inner);
            greatest = greatest.max(all.time());
        }
        greatest
    }
}

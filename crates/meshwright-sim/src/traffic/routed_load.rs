//! The load that a network can carry in full: under one routing, and under any.

use super::Pattern;
use super::pattern::{HOT_SHARE, Rule};
use meshwright_core::units::{NodeId, Port};
use meshwright_network::routing::{Choices, Relation};
use meshwright_network::topology::{Grid, Machine, PortModel, Topology};

/// Walks that take more steps than this are not made: a fraction of a second.
const STEPS_MAX: u64 = 1 << 25;

impl Pattern {
    /// The greatest load that a routing which draws or decides at the source can carry in full: at it the busiest
    /// channel (link, injection or ejection) passes one flit every cycle, in the mean of what is drawn.
    ///
    /// A load above it leaves a queue that grows before that channel. Those who do not cross it may still arrive, so
    /// what is accepted of too great a load can lie above.
    ///
    /// `None` for an adaptive routing, and when adding up would take more than 2^25 steps.
    ///
    /// # Complexity
    ///
    /// O(sum of hops over all pairs that talk and all that can be drawn for them).
    ///
    /// # Source
    ///
    /// `dally2004`, section 3.3.1 (channel load).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::routing;
    /// use meshwright_sim::traffic::Pattern;
    /// use meshwright_network::topology::{Machine, PortModel};
    /// let mesh = Machine::new("mesh:4x4")?;
    /// let transpose = Pattern::new("transpose", &mesh)?;
    /// let carried = |name| -> meshwright_core::Result<_> { Ok(transpose.carried(&mesh, &routing::relation(name, &mesh)?, PortModel::All)) };
    /// assert_eq!(carried("dimension-order")?, transpose.capacity(&mesh));
    /// assert!(carried("o1turn")? > carried("dimension-order")?, "both orders share the corners");
    /// assert_eq!(carried("odd-even")?, None, "its packets decide on the way");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn carried(&self, machine: &Machine, relation: &Relation<'_>, ports: PortModel) -> Option<f64> {
        self.walked(machine, relation, ports).map(|(carried, _)| carried)
    }

    /// The load that is carried, as [`Pattern::carried`] has it, and the mean links of a packet, those to oneself counted.
    pub(crate) fn walked(
        &self,
        machine: &Machine,
        relation: &Relation<'_>,
        ports: PortModel,
    ) -> Option<(f64, f64)> {
        if relation.adaptive() {
            return None;
        }
        let (mut loads, mut steps) = (vec![0.0; machine.links() as usize], 0u64);
        let mut into = vec![0.0; machine.nodes() as usize];
        let (mut choices, mut fits) = (Choices::new(), true);
        self.flows(machine, |source, target, rate| {
            if !fits {
                return false;
            }
            if ports == PortModel::One {
                into[target.index()] += rate;
            }
            let headers = relation.headers(source, target);
            let each = rate / headers.len() as f64;
            for mut header in headers {
                let (mut at, mut arrived) = (source, None);
                loop {
                    steps += 1;
                    relation.choose(at, arrived, &mut header, &mut choices);
                    let Some(choice) = choices.as_slice().first() else { break };
                    let link = machine.link(at, choice.port);
                    loads[link.index()] += each;
                    at = machine.target(link).expect("a choice is a wired port");
                    arrived = Some(link);
                }
            }
            fits = steps <= STEPS_MAX;
            fits
        });
        // Every node injects one flit a cycle.
        let hops = loads.iter().sum::<f64>() / f64::from(machine.living_count());
        fits.then(|| (1.0 / loads.into_iter().chain(into).fold(1.0, f64::max), hops))
    }

    /// A load that no routing can exceed and still carry it in full, minimal or not: at it some set of nodes sends out
    /// as many flits as it has links to the others, or a node of one port receives one flit
    /// every cycle.
    ///
    /// The sets are single nodes and, on a box without dead nodes, the slabs between two planes across an axis. It is
    /// a bound and no promise: no routing need reach it.
    ///
    /// `None` when adding up would take more than 2^25 steps.
    ///
    /// # Complexity
    ///
    /// O(pairs that talk + squares of the sides).
    ///
    /// # Source
    ///
    /// `dally2004`, section 3.3.1 (bisection bound), for any cut.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_sim::traffic::Pattern;
    /// use meshwright_network::topology::{Machine, PortModel};
    /// let mesh = Machine::new("mesh:8x8")?;
    /// let transpose = Pattern::new("transpose", &mesh)?;
    /// assert_eq!(transpose.carried_by_any(&mesh, PortModel::All), Some(0.5), "16 nodes of a half write over 8 links");
    /// assert!(transpose.capacity(&mesh) < Some(0.15), "dimension order carries far less");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn carried_by_any(&self, machine: &Machine, ports: PortModel) -> Option<f64> {
        let (mut steps, mut busiest) = (0u64, 1.0f64);
        let grid = machine.whole_grid();
        let mut along: Vec<Vec<f64>> = grid.map_or(Vec::new(), |grid| {
            grid.sides().iter().map(|&side| vec![0.0; (side * side) as usize]).collect()
        });
        let nodes = machine.nodes() as usize;
        let (mut out, mut into, mut received) = (vec![0.0; nodes], vec![0.0; nodes], vec![0.0; nodes]);
        self.flows(machine, |source, target, rate| {
            steps += 1;
            if ports == PortModel::One {
                received[target.index()] += rate;
            }
            if source != target {
                out[source.index()] += rate;
                into[target.index()] += rate;
            }
            for (axis, flows) in along.iter_mut().enumerate() {
                let grid = grid.expect("axes are those of a box");
                let side = grid.sides()[axis] as usize;
                let at = |node| grid.coordinate(node, axis) as usize;
                flows[at(source) * side + at(target)] += rate;
            }
            steps <= STEPS_MAX
        });
        if steps > STEPS_MAX {
            return None;
        }
        for node in machine.living() {
            let wired =
                (0..machine.ports(node)).filter(|&port| machine.neighbour(node, Port(port)).is_some());
            let links = wired.count() as f64;
            busiest = busiest.max(received[node.index()]);
            if links > 0.0 {
                busiest = busiest.max(out[node.index()] / links).max(into[node.index()] / links);
            }
        }
        for (axis, flows) in along.iter().enumerate() {
            busiest = busiest.max(slabs(grid.expect("axes are those of a box"), axis, flows));
        }
        Some(1.0 / busiest)
    }

    /// Tells who sends how much to whom when every living node creates one flit a cycle, in the mean; until `told` says
    /// that it is enough.
    fn flows(&self, machine: &Machine, mut told: impl FnMut(NodeId, NodeId, f64) -> bool) {
        let living: Vec<NodeId> = machine.living().collect();
        let others = living.len() as f64 - 1.0;
        for &source in &living {
            let goes_on = match &self.rule {
                Rule::Fixed(targets) => told(source, targets[source.index()], 1.0),
                Rule::Uniform { with_self, .. } => {
                    let each = 1.0 / (others + f64::from(u8::from(*with_self)));
                    let mut targets = living.iter().filter(|&&target| *with_self || target != source);
                    targets.all(|&target| told(source, target, each))
                }
                Rule::HotSpot { hot, .. } => {
                    // A hot node that draws itself draws again among the others.
                    let each = HOT_SHARE / hot.len() as f64;
                    let again = if hot.contains(&source) { each / others } else { 0.0 };
                    let uniform = (1.0 - HOT_SHARE) / others;
                    living.iter().filter(|&&target| target != source).all(|&target| {
                        let drawn = if hot.contains(&target) { each } else { 0.0 };
                        told(source, target, uniform + again + drawn)
                    })
                }
            };
            if !goes_on {
                return;
            }
        }
    }
}

/// The greatest ratio of flow to links out of or into a slab across an axis; flows are between coordinates.
fn slabs(grid: &Grid, axis: usize, flows: &[f64]) -> f64 {
    let side = grid.sides()[axis] as usize;
    let across = f64::from(grid.nodes() / grid.sides()[axis]);
    let wraps = grid.wraps() && side > 2;
    // sums[i][j]: the flow from coordinates below i to those below j.
    let mut sums = vec![0.0; (side + 1) * (side + 1)];
    let at = |i: usize, j: usize| i * (side + 1) + j;
    for i in 0..side {
        for j in 0..side {
            sums[at(i + 1, j + 1)] =
                flows[i * side + j] + sums[at(i, j + 1)] + sums[at(i + 1, j)] - sums[at(i, j)];
        }
    }
    let mut greatest = 0.0f64;
    for begin in 0..side {
        for end in begin + 1..=side {
            let planes = match (begin == 0, end == side) {
                (true, true) => continue,
                _ if wraps => 2.0,
                (true, _) | (_, true) => 1.0,
                _ => 2.0,
            };
            let rows = sums[at(end, side)] - sums[at(begin, side)];
            let columns = sums[at(side, end)] - sums[at(side, begin)];
            let inside =
                sums[at(end, end)] - sums[at(begin, end)] - sums[at(end, begin)] + sums[at(begin, begin)];
            greatest = greatest.max((rows.max(columns) - inside) / (planes * across));
        }
    }
    greatest
}

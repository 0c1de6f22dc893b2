//! One message for each processor, or none at all.
//!
//! Every source keeps what it can work off in a given time and sends the rest, the nearest processors first: each gets
//! one message, as large as it can still work off in that time. The least time in which all is gone is sought by halving.

mod round;

use self::round::Round;
use super::consign::nearest;
use super::paths::BalancedTree;
use super::record::{Installments, Nothing};
use super::scale::Scale;
use super::streams::supplies;
use crate::UNUSED;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Topology;

/// Of the ways from one source to its processors no more links are looked at.
const LINKS_MAX: u64 = 200_000;

/// Nor more nodes for all sources together.
const SEARCHED_NODES_MAX: u64 = 20_000_000;

/// How far the messages may go, in links, each tried alone.
const REACHES: &[u32] = &[1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, u32::MAX];

/// All the load stays where it enters.
///
/// # Errors
///
/// [`Error::NotApplicable`] when a source cannot work.
///
/// # Complexity
///
/// O(nodes + sources log sources).
pub fn stay(scale: &Scale) -> Result<Installments> {
    let homes = homes(scale);
    let end = homes.iter().map(|home| home.alone(scale)).max().unwrap_or(0);
    if end == u64::MAX {
        return Err(Error::not_applicable("keeping the load where it enters", "a source cannot work"));
    }
    Ok(Round { scale, homes: &homes, reach: 0, end }.write())
}

/// One message for each processor that is worth one, over as many links as its way has.
///
/// # Errors
///
/// [`Error::NotApplicable`] when not all of the load can be sent like this, [`Error::TooLarge`] when the sources
/// are so many, on so many nodes, that the ways from all of them are not looked for.
///
/// # Complexity
///
/// O(sources (nodes log nodes + links)), and some 700 times the links of all ways.
///
/// # Source
///
/// `zhang2018`, chapter 2: every processor gets one message.
///
/// # Examples
///
/// ```
/// use meshwright_load::installments::{Scale, one_each};
/// use meshwright_load::{Problem, Source};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mut torus = Machine::new("torus:4x4")?;
/// let (costs, bytes) = Scale::costs_of(0.3, 0.5)?;
/// torus = torus.with_costs(costs)?;
/// let problem = Problem::new(&torus, vec![Source::at(NodeId(0), 1.0)], 0.3)?;
/// let found = one_each(&Scale::new(&problem, bytes)?)?;
/// assert_eq!((found.messages, found.processors), (4, 5), "one for each neighbour");
/// let formula = (1.3 + 4.0 * 0.5) / (1.3 + 4.0); // T + 4 (T - 0.5) / 1.3 = 1
/// assert!((found.makespan - formula).abs() < 1e-6);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn one_each(scale: &Scale) -> Result<Installments> {
    let problem = scale.problem();
    let searched = u64::from(problem.machine().nodes()) * problem.sources().len() as u64;
    if searched > SEARCHED_NODES_MAX {
        return Err(Error::TooLarge {
            what: "one message for each processor",
            needed: format!("{searched} nodes, of all sources together"),
            limit: format!("{SEARCHED_NODES_MAX} nodes"),
        });
    }
    let mut homes = homes(scale);
    let label = nearest(problem);
    let mut has_load = vec![false; label.len()];
    homes.iter().for_each(|home| has_load[home.node.index()] = true);
    let mut tree = BalancedTree::new(problem.machine());
    homes.iter_mut().for_each(|home| home.look_around(scale, &mut tree, &label, &has_load));
    let farthest =
        homes.iter().flat_map(|home| &home.ways).map(|way| way.links.len() as u32).max().unwrap_or(0);
    let mut best: Option<(u64, u32)> = None;
    for &reach in REACHES {
        if let Some(end) = least(scale, &homes, reach, best.map(|best| best.0)) {
            best = Some((end, reach));
        }
        if reach >= farthest {
            break;
        }
    }
    let Some((end, reach)) = best else {
        let why = "not all of the load can be sent with one message for each processor";
        return Err(Error::not_applicable("one message for each processor", why));
    };
    Ok(Round { scale, homes: &homes, reach, end }.write())
}

/// The least time in ticks in which all can be sent so far, if it is below `known`.
fn least(scale: &Scale, homes: &[Home], reach: u32, known: Option<u64>) -> Option<u64> {
    let fits = |end: u64| Round { scale, homes, reach, end }.run(&mut Nothing).is_some();
    let alone = homes.iter().map(|home| home.alone(scale)).max()?;
    let mut high = match known {
        Some(known) => known - 1,
        None if alone < u64::MAX => alone,
        None => {
            // Somebody cannot work: something that is long enough.
            let ticks = |power: i32| scale.cycles(2f64.powi(power)).0 * scale.costs().ticks_per_cycle();
            (-20..20).map(ticks).find(|&end| fits(end))?
        }
    };
    if !fits(high) {
        return None;
    }
    let mut low = 0;
    // To the last byte of a large load is more than anybody asks.
    while high - low > 1 + high / 100_000_000 {
        let middle = low + (high - low) / 2;
        if fits(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// A node with load, and whom it can send some.
struct Home {
    node: NodeId,
    /// By release in ticks, in bytes.
    loads: Vec<(u64, u64)>,
    ways: Vec<MessagePath>,
}

/// The way to one processor.
struct MessagePath {
    node: NodeId,
    links: Vec<LinkId>,
    /// Whether it is one of its cell.
    is_own: bool,
}

/// The nodes with load, in the order of their first sources.
fn homes(scale: &Scale) -> Vec<Home> {
    let mut homes: Vec<Home> = Vec::new();
    let mut place = vec![usize::MAX; scale.problem().machine().nodes() as usize];
    for supply in supplies(scale.problem(), scale.bytes()) {
        let load = (scale.cycles(supply.release).0 * scale.costs().ticks_per_cycle(), supply.bytes);
        let place = &mut place[supply.node.index()];
        if *place == usize::MAX {
            *place = homes.len();
            homes.push(Home { node: supply.node, loads: Vec::new(), ways: Vec::new() });
        }
        homes[*place].loads.push(load);
    }
    homes.iter_mut().for_each(|home| home.loads.sort_unstable());
    homes
}

impl Home {
    /// When it is done with all of its load by itself, in ticks.
    fn alone(&self, scale: &Scale) -> u64 {
        if !scale.problem().work(self.node).is_finite() {
            return u64::MAX;
        }
        self.loads.iter().fold(0, |free, &(release, bytes)| free.max(release) + work(scale, self.node, bytes))
    }

    /// Finds the ways to all that work and have no load: those of its cell first, then the nearest first.
    fn look_around(&mut self, scale: &Scale, tree: &mut BalancedTree, label: &[u32], has_load: &[bool]) {
        let problem = scale.problem();
        let machine = problem.machine();
        let own = problem
            .sources()
            .iter()
            .position(|source| source.node == self.node)
            .map_or(UNUSED, |at| at as u32);
        let is_own = |node: NodeId| label[node.index()] == own;
        let is_free = |&node: &NodeId| !has_load[node.index()] && problem.work(node).is_finite();
        let mut nodes: Vec<NodeId> = (0..machine.nodes()).map(NodeId).filter(is_free).collect();
        tree.grow(self.node, nodes.iter().map(|&node| (node, u64::from(is_own(node)))));
        nodes.retain(|&node| tree.hops(node) != u32::MAX);
        nodes.sort_by_key(|&node| (!is_own(node), tree.hops(node)));
        let mut links_of_all = 0;
        for node in nodes {
            links_of_all += u64::from(tree.hops(node));
            if links_of_all > LINKS_MAX {
                break;
            }
            let links = tree.links_to(node);
            if links.iter().all(|&link| problem.link_time(link).is_finite()) {
                self.ways.push(MessagePath { node, links, is_own: is_own(node) });
            }
        }
    }
}

/// How long bytes take a node, in ticks.
fn work(scale: &Scale, node: NodeId, bytes: u64) -> u64 {
    scale.work(node, bytes).0 * scale.costs().ticks_per_cycle()
}

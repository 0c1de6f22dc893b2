//! Evening out the loads of neighbouring sources: the earth mover's distance and how long the moving takes.
//!
//! Loads move over the links between the sources of the group and over no others. Both answers are exact for loads
//! that are multiples of 2^-50 of the whole: amounts are whole numbers, and so are costs.

use serde::Serialize;

use crate::flow::cheapest::CheapestFlow;
use crate::{Problem, UNUSED};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology};

/// Units of the whole load.
const UNITS: f64 = (1u64 << 50) as f64;

/// The most sources evened out together; the time grows with the third power.
const SOURCES_MAX: usize = 4096;

/// What it takes until every source of a connected group has the same load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Rebalance {
    /// The earth mover's distance: shares of the whole load times the hops they move inside the group, at least.
    pub distance: f64,
    /// The least possible load of the busiest link, as a share of the whole load.
    pub busiest_link: f64,
    /// How long the moving takes, sigma times the load of the busiest link, in units of w Tcp.
    pub time: f64,
}

/// Evens out the loads of connected nodes over the links between them.
///
/// ```text
/// distance      = min  sum_e f_e            f moves L_i to mean(L)
/// busiest_link  = max  (L(S) - |S| mean(L)) / links out of S     over sets S of the group
/// time          = sigma * busiest_link
/// ```
///
/// The flow of the least distance and the flow that is over first may be different ones.
///
/// # Errors
///
/// [`Error::TooLarge`] for more than 4096 nodes whose loads differ.
///
/// # Panics
///
/// When there is not one load per node, or the nodes are not connected.
///
/// # Complexity
///
/// O(nodes^2 links) at worst.
///
/// # Source
///
/// `zhang2018`, section 3.1.6; `rubner2000` for the distance.
///
/// # Examples
///
/// ```
/// use meshwright_load::shares::earth_mover::rebalance;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:2x2")?;
/// let all = [0, 1, 2, 3].map(NodeId);
/// let moved = rebalance(&mesh, &all, &[0.7, 0.1, 0.1, 0.1], 0.5)?;
/// assert!((moved.distance - 0.6).abs() < 1e-12, "two neighbours get 0.15 each, the far corner 0.15 over two links");
/// assert!((moved.time - 0.5 * 0.45 / 2.0).abs() < 1e-12, "0.45 leave by two links");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn rebalance(machine: &Machine, nodes: &[NodeId], loads: &[f64], sigma: f64) -> Result<Rebalance> {
    assert_eq!(nodes.len(), loads.len(), "one load per node");
    if loads.iter().all(|load| *load == loads[0]) {
        return Ok(Rebalance::default());
    }
    if nodes.len() > SOURCES_MAX {
        return Err(Error::TooLarge {
            what: "evening out the loads of connected sources",
            needed: format!("{} sources", nodes.len()),
            limit: format!("{SOURCES_MAX} sources"),
        });
    }
    let arcs = arcs_between(machine, nodes);
    // In units of 1 / (UNITS * number of nodes), so that the mean is whole as well.
    let units: Vec<i128> = loads.iter().map(|load| (load * UNITS).round() as i128).collect();
    let (count, whole) = (nodes.len() as i128, units.iter().sum::<i128>());
    let surplus: Vec<i128> = units.iter().map(|load| load * count - whole).collect();
    let scale = UNITS * nodes.len() as f64;
    let distance = transport(&arcs, &surplus) as f64 / scale;
    let (excess, links) = densest(&arcs, &surplus);
    let busiest_link = excess as f64 / links as f64 / scale;
    Ok(Rebalance { distance, busiest_link, time: sigma * busiest_link })
}

/// What moves when the load of a problem goes to these places, an equal part to each, over all links of the machine.
///
/// # Errors
///
/// [`Error::TooLarge`] for more than 4096 nodes; [`Error::NotApplicable`] where there is no way.
///
/// # Panics
///
/// When there are no places, or one is not a node.
///
/// # Complexity
///
/// O(nodes^2 links) at worst.
///
/// # Source
///
/// `rubner2000`.
///
/// # Examples
///
/// ```
/// use meshwright_load::{Problem, Source};
/// use meshwright_load::shares::earth_mover::move_to;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let line = Machine::new("mesh:1x4")?;
/// let problem = Problem::new(&line, vec![Source::at(NodeId(0), 1.0)], 0.5)?;
/// let moved = move_to(&problem, &[NodeId(1), NodeId(3)])?;
/// assert_eq!((moved.distance, moved.busiest_link, moved.time), (2.0, 1.0, 0.5), "half by one hop, half by three");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn move_to(problem: &Problem, places: &[NodeId]) -> Result<Rebalance> {
    let (arcs, surplus, scale) = moved(problem, places)?;
    if surplus.iter().all(|&amount| amount == 0) {
        return Ok(Rebalance::default());
    }
    let distance = transport(&arcs, &surplus) as f64 / scale;
    let (excess, links) = densest(&arcs, &surplus);
    let busiest_link = excess as f64 / links as f64 / scale;
    Ok(Rebalance { distance, busiest_link, time: problem.sigma() * busiest_link })
}

/// The earth mover's distance of [`move_to`] alone.
///
/// # Errors
///
/// As for [`move_to`].
///
/// # Panics
///
/// As for [`move_to`].
///
/// # Complexity
///
/// O((sources + places) links) in most cases.
pub fn distance(problem: &Problem, places: &[NodeId]) -> Result<f64> {
    let (arcs, surplus, scale) = moved(problem, places)?;
    Ok(transport(&arcs, &surplus) as f64 / scale)
}

/// Arcs between nodes, and what each has too much: in units of one over the last.
type Moved = (Vec<(usize, usize)>, Vec<i128>, f64);

fn moved(problem: &Problem, places: &[NodeId]) -> Result<Moved> {
    let machine = problem.machine();
    let depth = crate::layers::depths(machine, &places[..1]);
    let nodes: Vec<NodeId> = machine.living().filter(|node| depth[node.index()] != u32::MAX).collect();
    let ends = problem.sources().iter().map(|source| &source.node).chain(places);
    if let Some(&away) = ends.into_iter().find(|node| depth[node.index()] == u32::MAX) {
        let [place, away] = [places[0], away].map(|node| machine.node_name(node));
        return Err(Error::not_applicable("moving the load", format!("{away} is cut off from {place}")));
    }
    if nodes.len() > SOURCES_MAX {
        return Err(Error::TooLarge {
            what: "the earth mover's distance",
            needed: format!("{} nodes", nodes.len()),
            limit: format!("{SOURCES_MAX} nodes"),
        });
    }
    let arcs = arcs_between(machine, &nodes);
    let mut index = vec![usize::MAX; machine.nodes() as usize];
    nodes.iter().enumerate().for_each(|(at, node)| index[node.index()] = at);
    let mut surplus = vec![0i128; nodes.len()];
    let (count, mut whole) = (places.len() as i128, 0);
    for source in problem.sources() {
        let units = (source.load * UNITS).round() as i128;
        surplus[index[source.node.index()]] += units * count;
        whole += units;
    }
    for place in places {
        surplus[index[place.index()]] -= whole;
    }
    Ok((arcs, surplus, UNITS * places.len() as f64))
}

/// The links between nodes of the group, by indices into it.
fn arcs_between(machine: &Machine, nodes: &[NodeId]) -> Vec<(usize, usize)> {
    let mut place = vec![UNUSED; machine.nodes() as usize];
    for (index, node) in nodes.iter().enumerate() {
        place[node.index()] = index as u32;
    }
    let mut arcs = Vec::new();
    for (index, &node) in nodes.iter().enumerate() {
        for (_, next) in machine.neighbours(node) {
            if place[next.index()] != UNUSED {
                arcs.push((index, place[next.index()] as usize));
            }
        }
    }
    arcs
}

/// The least sum of amounts times hops that evens out the surplus: successive cheapest ways.
fn transport(arcs: &[(usize, usize)], surplus: &[i128]) -> i128 {
    let enough = surplus.iter().filter(|&&amount| amount > 0).sum();
    let (cost, has_room) = CheapestFlow::new(arcs, enough, 1, surplus).fill();
    assert!(!has_room[..surplus.len()].contains(&true), "the group is connected, so everything arrives");
    cost
}

/// The largest surplus of a set per link out of it, as a fraction: Newton's method on the sets.
///
/// Each step lets links carry what the last set asks for; the set that is still too small to let everything out is
/// the next one.
fn densest(arcs: &[(usize, usize)], surplus: &[i128]) -> (i128, i128) {
    let worth = |set: &dyn Fn(usize) -> bool| {
        let excess = (0..surplus.len()).filter(|&node| set(node)).map(|node| surplus[node]).sum::<i128>();
        (excess, arcs.iter().filter(|&&(from, to)| set(from) && !set(to)).count() as i128)
    };
    let mut best = worth(&|node| surplus[node] > 0);
    loop {
        let (excess, links) = best;
        let scaled: Vec<i128> = surplus.iter().map(|amount| amount * links).collect();
        let (_, has_room) = CheapestFlow::new(arcs, excess, 0, &scaled).fill();
        let next = worth(&|node| has_room[node]);
        if next.0 * links <= excess * next.1 {
            return best;
        }
        best = next;
    }
}

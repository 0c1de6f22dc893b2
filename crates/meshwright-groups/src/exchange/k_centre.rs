//! Placement of hubs: a k-centre problem, solved by farthest members and improved by centring.

use crate::{Extent, Group};
use meshwright_core::error::{Error, Result};
use meshwright_network::topology::{Machine, Topology, distances_from};

/// How often the hubs are centred in their clusters.
const ROUNDS: usize = 4;

/// Hubs and who is nearest to which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Centres {
    /// The ranks of the hubs.
    pub hubs: Vec<u32>,
    /// Per rank, the place of its hub among the hubs: the nearest, of equals the first.
    pub nearest: Vec<u32>,
    /// Per rank, the links to its hub.
    pub links: Vec<u32>,
}

impl Centres {
    /// Per hub the ranks of its cluster, in increasing order.
    pub fn clusters(&self) -> Vec<Vec<u32>> {
        let mut clusters = vec![Vec::new(); self.hubs.len()];
        for (rank, &hub) in (0u32..).zip(&self.nearest) {
            clusters[hub as usize].push(rank);
        }
        clusters
    }

    /// max over hubs a, b of `r(a) + d(a, b) + r(b)`, for r the distance of the farthest member of a hub's cluster.
    ///
    /// # Panics
    ///
    /// When hubs do not reach each other.
    ///
    /// # Complexity
    ///
    /// O(s + hubs^2) where distances are formulas.
    pub fn barrier_links(&self, machine: &Machine, group: &Group) -> u32 {
        let mut radius = vec![0; self.hubs.len()];
        for (&hub, &links) in self.nearest.iter().zip(&self.links) {
            radius[hub as usize] = links.max(radius[hub as usize]);
        }
        farthest_pair(machine, group, &self.hubs, &radius)
    }
}

/// max over hubs a, b of `h(a) + d(a, b) + h(b)`, a hub with itself among them.
pub(super) fn farthest_pair(machine: &Machine, group: &Group, hubs: &[u32], height: &[u32]) -> u32 {
    let mut most = 0;
    for (a, &hub_a) in hubs.iter().enumerate() {
        for (b, &hub_b) in hubs.iter().enumerate().skip(a) {
            let between = machine.distance(group.node(hub_a), group.node(hub_b));
            most = most.max(height[a] + between.expect("members reach each other").0 + height[b]);
        }
    }
    most
}

/// Places so many hubs, or as many as there are members.
///
/// The next hub is the member farthest from all before, which keeps the greatest distance to a hub within twice the
/// least possible. Of several first hubs the best is taken, by [`Centres::barrier_links`]. Then every cluster moves its
/// hub to its most central member, some times over, which makes no greatest distance greater; the best is taken again.
///
/// # Errors
///
/// [`Error::Value`] for no hubs, and for a group without members; [`Error::NotApplicable`] when two members do
/// not reach each other.
///
/// # Complexity
///
/// O(hubs s) where distances are formulas, and [`Extent::of`] every cluster.
///
/// # Source
///
/// `gonzalez1985`, the farthest-member rule and its factor of two.
///
/// # Examples
///
/// ```
/// use meshwright_groups::Group;
/// use meshwright_groups::exchange::k_centre::centres;
/// use meshwright_network::topology::Machine;
/// let ring = Machine::new("torus:12")?;
/// let group = Group::whole(&ring, "row")?;
/// let four = centres(&ring, &group, 4)?;
/// assert!(four.links.iter().all(|&links| links <= 2));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn centres(machine: &Machine, group: &Group, count: u32) -> Result<Centres> {
    if count == 0 {
        return Err(Error::value("number of hubs", count, "at least 1"));
    }
    if group.size() == 0 {
        return Err(Error::value("size of a group", 0, "at least one member"));
    }
    let size = group.size();
    if count >= size {
        check_reach(machine, group)?;
        let all: Vec<u32> = (0..size).collect();
        return Ok(Centres { hubs: all.clone(), nearest: all, links: vec![0; size as usize] });
    }
    let mut firsts = vec![0, size / 4, size / 2, size - size / 4 - 1];
    firsts.dedup();
    let mut best: Option<(u32, Centres)> = None;
    for first in firsts {
        let found = farthest_first(machine, group, first, count)?;
        keep_shorter(machine, group, &mut best, found);
    }
    let mut found = best.as_ref().expect("there is a first hub").1.clone();
    for _ in 0..ROUNDS {
        let hubs = centred(machine, group, &found)?;
        if hubs == found.hubs {
            break;
        }
        found = assign(machine, group, hubs);
        keep_shorter(machine, group, &mut best, found.clone());
    }
    Ok(best.expect("there is a first hub").1)
}

fn keep_shorter(machine: &Machine, group: &Group, best: &mut Option<(u32, Centres)>, found: Centres) {
    let links = found.barrier_links(machine, group);
    if best.as_ref().is_none_or(|&(least, _)| links < least) {
        *best = Some((links, found));
    }
}

/// The links from one member to all, by rank.
fn links_from(machine: &Machine, group: &Group, rank: u32) -> Vec<u32> {
    let from = group.node(rank);
    if let Some(grid) = machine.whole_grid() {
        let links = |&to: &_| grid.distance(from, to).expect("a whole box is connected").0;
        return group.members().iter().map(links).collect();
    }
    let all = distances_from(machine, from);
    group.members().iter().map(|node| all[node.index()]).collect()
}

fn check_reach(machine: &Machine, group: &Group) -> Result<()> {
    if links_from(machine, group, 0).contains(&u32::MAX) {
        let why = format!("not every member can be reached from node {}", group.node(0));
        return Err(Error::not_applicable("hubs", why));
    }
    Ok(())
}

fn farthest_first(machine: &Machine, group: &Group, first: u32, count: u32) -> Result<Centres> {
    check_reach(machine, group)?;
    let size = group.members().len();
    let mut found = Centres { hubs: Vec::new(), nearest: vec![0; size], links: vec![u32::MAX; size] };
    let mut next = first;
    for _ in 0..count {
        add(machine, group, &mut found, next);
        let farthest = (0..).zip(&found.links).max_by_key(|&(rank, &links)| (links, std::cmp::Reverse(rank)));
        next = farthest.expect("a group has members").0;
    }
    Ok(found)
}

/// Every member's nearest of these hubs.
fn assign(machine: &Machine, group: &Group, hubs: Vec<u32>) -> Centres {
    let size = group.members().len();
    let mut found = Centres { hubs: Vec::new(), nearest: vec![0; size], links: vec![u32::MAX; size] };
    for hub in hubs {
        add(machine, group, &mut found, hub);
    }
    found
}

fn add(machine: &Machine, group: &Group, found: &mut Centres, hub: u32) {
    let place = found.hubs.len() as u32;
    found.hubs.push(hub);
    let own = found.links.iter_mut().zip(&mut found.nearest);
    for ((least, nearest), links) in own.zip(links_from(machine, group, hub)) {
        if links < *least {
            (*least, *nearest) = (links, place);
        }
    }
}

/// In each cluster the present hub, or the member whose farthest fellow is nearest, if that is nearer.
fn centred(machine: &Machine, group: &Group, found: &Centres) -> Result<Vec<u32>> {
    let mut hubs = found.hubs.clone();
    for (hub, cluster) in hubs.iter_mut().zip(found.clusters()) {
        let radius = cluster.iter().map(|&rank| found.links[rank as usize]).max().unwrap_or(0);
        let extent = Extent::of(machine, &Group::in_order(cluster.iter().map(|&r| group.node(r)).collect()))?;
        if extent.radius < radius {
            *hub = cluster[extent.centre as usize];
        }
    }
    Ok(hubs)
}

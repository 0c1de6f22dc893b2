//! Where hubs stand: a k-centre problem, solved by farthest members and improved by centring.

use crate::error::{Error, Result};
use crate::groups::Group;
use crate::topology::{Machine, Topology, distances_from};

/// Larger clusters keep the hub that the farthest-member rule gave them.
const CENTRED_MAX: usize = 1024;

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
        let mut most = 0;
        for (a, &hub_a) in self.hubs.iter().enumerate() {
            for (b, &hub_b) in self.hubs.iter().enumerate().skip(a) {
                let between = machine.distance(group.node(hub_a), group.node(hub_b));
                most = most.max(radius[a] + between.expect("members reach each other").0 + radius[b]);
            }
        }
        most
    }
}

/// Places so many hubs, or as many as there are members.
///
/// The next hub is the member farthest from all before, which keeps the greatest distance to a hub within twice the
/// least possible. Clusters of at most 1024 members then move their hub to the member with the least greatest
/// distance, some times over. The best of several first hubs, by [`Centres::barrier_links`], is taken.
///
/// # Errors
///
/// [`Error::Value`] for no hubs; [`Error::NotApplicable`] when two members do not reach each other.
///
/// # Panics
///
/// When the group is empty.
///
/// # Complexity
///
/// O(hubs s + s^2 / hubs) for even clusters, where distances are formulas.
///
/// # Source
///
/// `gonzalez1985`, the farthest-member rule and its factor of two.
///
/// # Examples
///
/// ```
/// use meshwright::groups::{Group, exchange::k_centre::centres};
/// use meshwright::topology::Machine;
/// let ring = Machine::new("torus:12")?;
/// let group = Group::whole(&ring, "row")?;
/// let four = centres(&ring, &group, 4)?;
/// assert!(four.links.iter().all(|&links| links <= 2));
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn centres(machine: &Machine, group: &Group, count: u32) -> Result<Centres> {
    if count == 0 {
        return Err(Error::value("number of hubs", count, "at least 1"));
    }
    assert!(group.size() > 0, "a group has members");
    let size = group.size();
    if count >= size {
        check_reach(machine, group)?;
        let all: Vec<u32> = (0..size).collect();
        return Ok(Centres { hubs: all.clone(), nearest: all, links: vec![0; size as usize] });
    }
    let mut best: Option<(u32, Centres)> = None;
    let mut firsts = vec![0, size / 4, size / 2, size - size / 4 - 1];
    firsts.dedup();
    for first in firsts {
        let mut found = farthest_first(machine, group, first, count)?;
        for _ in 0..=ROUNDS {
            let links = found.barrier_links(machine, group);
            let hubs = centred(machine, group, &found);
            let moved = hubs != found.hubs;
            let next = if moved { assign(machine, group, hubs)? } else { found.clone() };
            if best.as_ref().is_none_or(|&(least, _)| links < least) {
                best = Some((links, found));
            }
            found = next;
            if !moved {
                break;
            }
        }
    }
    Ok(best.expect("there is a first hub").1)
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
fn assign(machine: &Machine, group: &Group, hubs: Vec<u32>) -> Result<Centres> {
    let size = group.members().len();
    let mut found = Centres { hubs: Vec::new(), nearest: vec![0; size], links: vec![u32::MAX; size] };
    for hub in hubs {
        add(machine, group, &mut found, hub);
    }
    Ok(found)
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

/// In each cluster the member whose farthest fellow is nearest; of equals the present hub, or else the first.
fn centred(machine: &Machine, group: &Group, found: &Centres) -> Vec<u32> {
    let mut clusters = vec![Vec::new(); found.hubs.len()];
    for (rank, &hub) in (0u32..).zip(&found.nearest) {
        clusters[hub as usize].push(rank);
    }
    let Some(grid) = machine.whole_grid() else { return found.hubs.clone() };
    let farthest = |rank: u32, cluster: &[u32]| {
        let links =
            |&fellow: &u32| grid.distance(group.node(rank), group.node(fellow)).map_or(0, |hops| hops.0);
        cluster.iter().map(links).max().unwrap_or(0)
    };
    let centre = |(cluster, &hub): (&Vec<u32>, &u32)| {
        if cluster.len() > CENTRED_MAX {
            return hub;
        }
        let key = |&rank: &u32| (farthest(rank, cluster), rank != hub, rank);
        cluster.iter().copied().min_by_key(key).expect("a hub is in its own cluster")
    };
    clusters.iter().zip(&found.hubs).map(centre).collect()
}

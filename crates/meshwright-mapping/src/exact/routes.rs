//! The links from any node to any other.

use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_network::routing::{self, Pair};
use meshwright_network::topology::{Machine, Topology};

/// The links of all routes, one route after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct RouteTable {
    nodes: usize,
    first: Vec<u32>,
    links: Vec<u32>,
}

impl RouteTable {
    pub(super) fn new(machine: &Machine) -> Result<Self> {
        let living: Vec<NodeId> = machine.living().collect();
        let nodes = machine.nodes() as usize;
        let pairs: Vec<Pair> = living.iter().flat_map(|&a| living.iter().map(move |&b| (a, b))).collect();
        let (parts, _) = crate::parts_of(machine);
        let joined = |&(a, b): &Pair| parts[a.index()] == parts[b.index()];
        let pairs: Vec<Pair> = pairs.into_iter().filter(joined).collect();
        let routes = routing::routes(machine, &pairs)?;
        let (mut first, mut links, mut next) = (vec![0], Vec::new(), 0);
        for from in 0..machine.nodes() {
            for to in 0..machine.nodes() {
                if pairs.get(next) == Some(&(NodeId(from), NodeId(to))) {
                    routes.for_each_link(next, pairs[next], |link| links.push(link.0));
                    next += 1;
                }
                first.push(links.len() as u32);
            }
        }
        Ok(Self { nodes, first, links })
    }

    #[inline]
    pub(super) fn route(&self, from: u16, to: u16) -> &[u32] {
        let pair = usize::from(from) * self.nodes + usize::from(to);
        &self.links[self.first[pair] as usize..self.first[pair + 1] as usize]
    }
}

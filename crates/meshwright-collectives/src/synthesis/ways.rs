//! Ways of messages between all members, as the machine routes, and the links at which they begin.

use meshwright_core::csr::Csr;
use meshwright_core::error::{Error, Result};
use meshwright_network::routing;

use crate::Task;

/// The most pairs of members, and links of all ways together.
const PAIRS_MAX: usize = 1 << 21;
const LINKS_MAX: usize = 1 << 26;

/// By pair of members the links between them.
pub(super) struct Ways {
    members: usize,
    /// By pair, sender first.
    ways: Csr<u32>,
    /// By pair, receiver first, how many they are.
    hops: Vec<u16>,
    /// How many links there are.
    links: usize,
}

impl Ways {
    /// Those between the members of a task.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when links are described one by one or members are not connected, [`Error::TooLarge`] for more than 2^21 pairs or 2^26 links.
    pub(super) fn of(task: &Task<'_>) -> Result<Self> {
        let machine = task.machine();
        if machine.fabric().is_some() {
            let why = "it takes all links to be alike, and here each is described";
            return Err(Error::not_applicable("a tree of messages", why));
        }
        let nodes = task.nodes();
        let too_many = |needed: usize, what: &str, most: usize| Error::TooLarge {
            what: "the ways between all members",
            needed: format!("{needed} {what}"),
            limit: format!("{most} {what}"),
        };
        let pairs = nodes.len() * nodes.len();
        if pairs > PAIRS_MAX {
            return Err(too_many(pairs, "pairs", PAIRS_MAX));
        }
        let pairs: Vec<_> = nodes.iter().flat_map(|&from| nodes.iter().map(move |&to| (from, to))).collect();
        let routes = routing::routes(machine, &pairs)?;
        let mut ways: Csr<u32> = Csr::default();
        let mut links = 0;
        for (message, &pair) in pairs.iter().enumerate() {
            if pair.0 != pair.1 {
                routes.for_each_link(message, pair, |link| {
                    links = links.max(link.index() + 1);
                    ways.push(link.0);
                });
            }
            ways.end_row();
            if ways.entries().len() > LINKS_MAX {
                return Err(too_many(ways.entries().len(), "links", LINKS_MAX));
            }
        }
        Ok(Self::between(nodes.len(), ways, links))
    }

    /// Those of pairs, sender first, over so many links.
    fn between(members: usize, ways: Csr<u32>, links: usize) -> Self {
        let hops = |pair: usize| ways.row(pair % members * members + pair / members).len() as u16;
        let hops = (0..members * members).map(hops).collect();
        Self { members, ways, hops, links }
    }

    /// How many members there are.
    pub(super) fn members(&self) -> usize {
        self.members
    }

    /// How many links there are.
    pub(super) fn links(&self) -> usize {
        self.links
    }

    /// The links from one member to another.
    pub(super) fn way(&self, from: usize, to: usize) -> &[u32] {
        self.ways.row(from * self.members + to)
    }

    /// By member how many links away one is from it.
    pub(super) fn hops_to(&self, to: usize) -> &[u16] {
        &self.hops[to * self.members..][..self.members]
    }

    /// The same with time turned round: from one member to another the links back, the last first.
    pub(super) fn reversed(&self) -> Self {
        let mut ways: Csr<u32> = Csr::default();
        for from in 0..self.members {
            for to in 0..self.members {
                ways.push_row(self.way(to, from).iter().rev().copied());
            }
        }
        Self::between(self.members, ways, self.links)
    }
}

/// The links over which messages leave each member, and who is reached over which.
pub(super) struct Exits {
    /// By member first and end of its exits.
    pub(super) of: Vec<(u32, u32)>,
    /// By exit its link and who is reached over it, the nearest first.
    pub(super) links: Vec<u32>,
    pub(super) reached: Vec<Vec<u32>>,
    /// By link its exit; none where nobody's way begins.
    pub(super) exit: Vec<Option<u32>>,
    /// By exit whose it is.
    pub(super) owner: Vec<u32>,
}

impl Exits {
    /// Those of these ways.
    pub(super) fn of(ways: &Ways) -> Self {
        let mut exits = Self {
            of: Vec::new(),
            links: Vec::new(),
            reached: Vec::new(),
            exit: vec![None; ways.links()],
            owner: Vec::new(),
        };
        for from in 0..ways.members() {
            let first = exits.links.len();
            for to in (0..ways.members()).filter(|&to| to != from) {
                let link = ways.way(from, to)[0];
                let at = *exits.exit[link as usize].get_or_insert_with(|| {
                    exits.links.push(link);
                    exits.reached.push(Vec::new());
                    exits.owner.push(from as u32);
                    exits.links.len() as u32 - 1
                });
                exits.reached[at as usize].push(to as u32);
            }
            for reached in &mut exits.reached[first..] {
                reached.sort_by_key(|&to| ways.way(from, to as usize).len());
            }
            exits.of.push((first as u32, exits.links.len() as u32));
        }
        exits
    }
}

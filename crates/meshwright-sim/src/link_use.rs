//! Links of a run: the busiest one, the one waited for the longest, and how long each is occupied.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::Trace;
use super::fitting::Routers;
use meshwright_core::error::Result;
use meshwright_core::rng;
use meshwright_core::units::LinkId;
use meshwright_network::fabric::Fabric;
use meshwright_network::routing::{self, Pair, Relation, Routes};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::cost::{LinkLoad, LinkLoads};

/// The busiest link: the one whose messages take the longest on it, over the whole job.
///
/// It stands in JSON as `busiest_link`, and under its older name `hottest_link`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LinkUse {
    /// The node it leaves.
    pub from: u32,
    /// The node it enters.
    pub to: u32,
    /// How many messages pass.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How long its messages take on it, in cycles.
    pub busy_cycles: u64,
}

/// Where messages waited the longest: the link to blame for the distance from the prediction alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LinkWait {
    /// The node the link leaves.
    pub from: u32,
    /// The node it enters.
    pub to: u32,
    /// The phase in which they waited.
    pub phase: u32,
    /// How long messages waited for it, added up, in cycles.
    pub waited_cycles: u64,
}

/// One value under two keys: a name that scripts know stays beside the right one.
fn under_both<T: Serialize, S: Serializer>(
    keys: [&'static str; 2],
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(keys.len()))?;
    for key in keys {
        map.serialize_entry(key, value)?;
    }
    map.end()
}

/// The busiest link as `hottest_link` and `busiest_link`.
pub fn busiest_under_both<S: Serializer>(link: &Option<LinkUse>, serializer: S) -> Result<S::Ok, S::Error> {
    under_both(["hottest_link", "busiest_link"], link, serializer)
}

/// The longest wait as `blame` and `waited_link`.
pub fn waited_under_both<S: Serializer>(link: &Option<LinkWait>, serializer: S) -> Result<S::Ok, S::Error> {
    under_both(["blame", "waited_link"], link, serializer)
}

/// The routes of a run: the usual ones, or those of the routers it ran on.
pub struct Way<'m> {
    machine: &'m Machine,
    relation: Option<Relation<'m>>,
}

impl<'m> Way<'m> {
    /// The routes of whole messages, and of routers on a box that works: they go the same ways there.
    pub fn usual(machine: &'m Machine) -> Self {
        Self { machine, relation: None }
    }

    /// The routes of a run on these routers, or of whole messages.
    pub fn of(machine: &'m Machine, routers: Option<&Routers>) -> Result<Self> {
        let other = routers.filter(|_| machine.whole_grid().is_none());
        let relation = other.map(|routers| routing::relation(routers.routing, machine)).transpose()?;
        Ok(Self { machine, relation })
    }

    /// Whether they are not the usual ones.
    pub fn is_other(&self) -> bool {
        self.relation.is_some()
    }

    /// The routes of some messages.
    pub fn routes(&self, pairs: &[Pair]) -> Result<Routes<'m>> {
        match &self.relation {
            None => routing::routes(self.machine, pairs),
            // It draws nothing: the stream is never asked.
            Some(relation) => routing::stored(self.machine, relation, pairs, &mut rng::stream(0, "routing")),
        }
    }
}

/// For how long what crosses a link occupies it: on a described machine at the rate of that link.
pub struct LinkTimes<'m> {
    machine: &'m Machine,
    /// By link, bytes per cycle; empty where all are alike.
    rates: Vec<f64>,
}

impl<'m> LinkTimes<'m> {
    /// Of a machine.
    pub fn of(machine: &'m Machine) -> Self {
        Self { machine, rates: machine.fabric().map_or(Vec::new(), Fabric::link_rates) }
    }

    /// Ticks for which a load occupies a link.
    pub fn ticks(&self, link: LinkId, load: LinkLoad) -> u64 {
        let costs = self.machine.costs();
        match self.rates.get(link.index()) {
            None => load.occupied_ticks(self.machine.switching(), costs),
            Some(rate) => (load.bytes as f64 / rate * costs.ticks_per_cycle() as f64).ceil() as u64,
        }
    }

    /// The same in cycles.
    pub fn cycles(&self, link: LinkId, load: LinkLoad) -> u64 {
        self.machine.costs().cycles(self.ticks(link, load)).0
    }
}

/// The busiest link: the one that is occupied the longest over all phases; of equal ones the lowest id. It is the link that
/// every table, sentence, picture and JSON names.
pub fn busiest_link(loads: &LinkLoads, machine: &Machine) -> Option<LinkUse> {
    let times = LinkTimes::of(machine);
    let busiest = |&(link, load): &(LinkId, LinkLoad)| (times.ticks(link, load), std::cmp::Reverse(link));
    let (link, load) = loads.used().max_by_key(busiest)?;
    Some(LinkUse {
        from: machine.source(link).0,
        to: machine.target(link).unwrap_or_default().0,
        messages: u64::from(load.messages),
        bytes: load.bytes,
        busy_cycles: times.cycles(link, load),
    })
}

/// How long each link is occupied, by its id, in cycles.
pub fn busy_cycles(loads: &LinkLoads, machine: &Machine) -> Vec<u64> {
    let mut busy = vec![0; machine.links() as usize];
    let times = LinkTimes::of(machine);
    for (link, load) in loads.used() {
        busy[link.index()] = times.cycles(link, load);
    }
    busy
}

/// The link to blame, by its end nodes.
pub fn blame(trace: &Trace, machine: &Machine) -> Option<LinkWait> {
    trace.longest_wait.map(|wait| LinkWait {
        from: machine.source(wait.link).0,
        to: machine.target(wait.link).unwrap_or_default().0,
        phase: wait.phase,
        waited_cycles: wait.waited.0,
    })
}

//! From a machine and a router to the tables the engine runs on.

use super::region::{Region, Setup};
use super::router::Router;
use super::wiring::Wiring;
use crate::error::{Error, Result};
use crate::routing;
use crate::topology::{Machine, Topology};

/// The most memory the engine asks for.
const MEMORY_MAX: u64 = 16 << 30;

impl<'m> Setup<'m> {
    /// Checks that machine and router go together.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for settings that do not go together or too few virtual channels for the routing,
    /// [`Error::TooLarge`] when the routers would not fit into memory (nothing is allocated then), and as for the
    /// routing.
    pub(super) fn new(machine: &'m Machine, router: &Router) -> Result<Self> {
        router.check()?;
        let name = match (router.routing.as_str(), machine.whole_grid()) {
            ("auto", Some(_)) => "dimension-order",
            ("auto", None) => "up-down",
            (name, _) => name,
        };
        let relation = routing::relation(name, machine)?;
        let (classes, vcs) = (relation.classes(), router.virtual_channels);
        if vcs < classes {
            let expected = format!("at least {classes}: {name} on {} needs that many classes", machine.name);
            return Err(Error::value("virtual_channels", vcs, expected));
        }
        check_memory(machine, router)?;
        let wiring = Wiring::new(machine, router.ports, vcs)?;
        let share = |class: u32| (class * vcs / classes, (class + 1) * vcs / classes);
        let classes = (0..classes).map(share).map(|(from, to)| (1u64 << to) - (1u64 << from)).collect();
        Ok(Self {
            wiring,
            relation,
            router: router.clone(),
            switching: machine.switching,
            classes,
            tell_sent: false,
            reverse: false,
            general: false,
        })
    }
}

/// Refuses machines whose buffers would not fit, before anything is allocated.
fn check_memory(machine: &Machine, router: &Router) -> Result<()> {
    let needed = memory(machine, router);
    if needed > MEMORY_MAX {
        return Err(Error::TooLarge {
            what: "the buffers of the flit engine",
            needed: format!("{} MiB", needed >> 20),
            limit: format!("{} MiB", MEMORY_MAX >> 20),
        });
    }
    Ok(())
}

/// The bytes of all routers at rest; packets under way come on top.
///
/// ```text
/// (links + nodes) V (lane + 4 slots) + (links + 2 nodes) V channel + 5 (links + 2 nodes) + 4 links + 64 nodes
/// ```
pub(super) fn memory(machine: &Machine, router: &Router) -> u64 {
    let (degree, locals) = super::wiring::widths(machine, router.ports);
    let nodes = u64::from(machine.nodes());
    let (links, locals) = (nodes * u64::from(degree), nodes * u64::from(locals));
    let (vcs, slots) = (u64::from(router.virtual_channels), u64::from(router.buffers));
    let (lane, channel) =
        (size_of::<super::region::Lane>() as u64, size_of::<super::region::Channel>() as u64);
    (links + locals) * vcs * (lane + 4 * slots)
        + (links + 2 * locals) * (vcs * channel + 5)
        + 4 * links
        + 64 * nodes
}

/// The regions of so many threads: equal shares of the nodes.
pub(super) fn regions<'s>(setup: &'s Setup<'s>, count: u32) -> Vec<Region<'s>> {
    let nodes = u64::from(setup.wiring.nodes);
    let count = u64::from(count).clamp(1, nodes);
    let border = |index: u64| (nodes * index / count) as u32;
    (0..count).map(|index| Region::new(setup, border(index), border(index + 1))).collect()
}

/// How many cycles regions run before they meet: nothing that crosses a border is due sooner.
pub(super) fn stride(router: &Router) -> u64 {
    u64::from(router.hop().min(router.credit()))
}

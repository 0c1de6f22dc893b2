//! From a machine and a router to the tables the engine runs on.

use super::region::Setup;
use super::router::Router;
use super::wiring::Wiring;
use meshwright_core::budget;
use meshwright_core::error::{Error, Result};
use meshwright_network::routing;
use meshwright_network::topology::{Machine, Topology};

impl<'m> Setup<'m> {
    /// Checks that machine and router go together.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for settings that do not go together or too few virtual channels for the routing,
    /// [`Error::TooLarge`] when the routers would not fit into memory (nothing is allocated then), and as for the
    /// routing.
    pub(super) fn new(machine: &'m Machine, router: &Router) -> Result<Self> {
        router.fits(machine)?;
        let name = router.routing_on(machine);
        let relation = routing::relation(name, machine)?;
        let (classes, vcs) = (relation.classes(), router.virtual_channels);
        if vcs < classes {
            let expected =
                format!("at least {classes}: {name} on {} needs that many classes", machine.name());
            return Err(Error::value("virtual_channels", vcs, expected));
        }
        let wiring = Wiring::new(machine, router.ports, vcs)?;
        let share = |class: u32| (class * vcs / classes, (class + 1) * vcs / classes);
        let classes = (0..classes).map(share).map(|(from, to)| (1u64 << to) - (1u64 << from)).collect();
        Ok(Self {
            wiring,
            relation,
            router: router.clone(),
            switching: machine.switching(),
            startup: 0,
            classes,
            reverse: false,
            general: false,
            rounds: None,
            records: false,
        })
    }
}

impl Router {
    /// Refuses settings that do not go together, and machines whose buffers would not fit, before anything is
    /// allocated.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when a staged allocation takes no cycle, [`Error::TooLarge`] with the memory needed.
    ///
    /// # Complexity
    ///
    /// O(nodes).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::Machine;
    /// use meshwright_sim::flit::Router;
    /// let large = Machine::new("mesh:4096x4096")?;
    /// let mut router = Router::named("booksim", &large)?;
    /// router.set("buffers", "255")?;
    /// assert!(router.fits(&large).is_err(), "more than 300 GiB");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn fits(&self, machine: &Machine) -> Result<()> {
        self.check()?;
        budget::check("the state of all routers of the flit engine", memory(machine, self))
    }
}

/// The bytes of all routers at rest, the more of flit by flit and as worms; packets under way come on top.
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
        (size_of::<super::region::Lane>() as u64, size_of::<super::region::OutputChannel>() as u64);
    let flits = (links + locals) * vcs * (lane + 4 * slots) + (links + 2 * locals) * (vcs * channel + 5);
    let worms = if vcs == 1 { nodes * super::worm::bytes((links + 2 * locals) / nodes) } else { 0 };
    flits.max(worms) + 4 * links + 64 * nodes
}

//! Open-loop traffic on one machine: what stays the same at every load, and how a load is measured.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::flit::{self, Router};
use crate::point::Point;
use crate::traffic::{Measured, OpenLoop, Pattern};
use meshwright_core::error::{Error, Result};
use meshwright_core::rng;
use meshwright_core::text;
use meshwright_core::units::{LinkId, NodeId, Port};
use meshwright_network::routing::{self, Relation, certify, dimension_order};
use meshwright_network::topology::{Machine, PortModel, Topology};

/// Up to so many packet states the deadlock check looks at the machine itself: well under a second.
const STATES_QUICK: u64 = 1 << 22;

/// The word for a bound that holds whatever the routing.
pub const ANY_ROUTING: &str = "any routing";

/// What theory says of a pattern on a machine, whatever the load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Reference {
    /// T0: the mean latency of packets that never wait, on the ways of the routing that runs, in cycles; on shortest paths where
    /// packets choose on their way.
    pub zero_load_cycles: Option<f64>,
    /// The expected distance, in links.
    pub mean_hops: Option<f64>,
    /// The load above which not everything can be carried, in flits per node and cycle: where the busiest channel is
    /// full under the routing that runs, or a cut under any.
    pub bound: Option<f64>,
    /// What it is a bound of: the routing that runs, or [`ANY_ROUTING`].
    pub bound_of: &'static str,
    /// The routing that runs; `auto` is resolved.
    pub routing: &'static str,
}

impl Reference {
    /// What theory says of this traffic through these routers.
    fn new(machine: &Machine, router: &Router, runs: &OpenLoop) -> Result<Self> {
        let pattern = &runs.pattern;
        let alone = |hops| router.zero_load(machine, hops, runs.packet.into()) as f64;
        // From one link on the latency of a packet that never waits is linear in its distance.
        let (each, own) = (alone(2) - alone(1), pattern.self_share(machine));
        let (sent, at_home) = if router.self_traffic { (1.0, own) } else { (1.0 - own, 0.0) };
        let mean_hops = pattern.mean_hops(machine).filter(|_| sent > 0.0).map(|hops| hops / sent);
        let routing = routing::named(router.routing_on(machine))?;
        let relation = routing::relation(routing, machine)?;
        let (carried, routed) = match relation {
            // The formula counts one port to receive by, and shortest paths.
            Relation::DimensionOrder(_)
                if !dimension_order::YX.is(routing)
                    && (router.ports == PortModel::One || pattern.name() != "hot-spot") =>
            {
                (pattern.capacity(machine), None)
            }
            _ => pattern.walked(machine, &relation, router.ports).unzip(),
        };
        // Some routings go round.
        let routed = routed.filter(|_| sent > 0.0).map(|hops| hops / sent);
        let goes_round = |routed: &f64| mean_hops.is_none_or(|hops| *routed > hops * (1.0 + 1e-9));
        let hops = routed.filter(goes_round).or(mean_hops);
        let zero_load_cycles =
            hops.map(|hops| at_home * alone(0) + (1.0 - at_home) * (alone(1) - each) + each * hops);
        let (bound, bound_of) = match carried {
            Some(_) => (carried, routing),
            None => (pattern.carried_by_any(machine, router.ports), ANY_ROUTING),
        };
        Ok(Self { zero_load_cycles, mean_hops, bound, bound_of, routing })
    }
}

/// The pattern that a preset understands by a name: BookSim counts `uniform` with self.
///
/// # Errors
///
/// As for [`Pattern::new`].
///
/// # Examples
///
/// ```
/// use meshwright_network::topology::Machine;
/// use meshwright_sim::experiment::pattern;
/// let mesh = Machine::new("mesh:4x4")?;
/// assert_eq!(pattern("uniform", Some("booksim"), &mesh)?.name(), "uniform-with-self");
/// assert_eq!(pattern("uniform", None, &mesh)?.name(), "uniform");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn pattern(name: &str, preset: Option<&str>, machine: &Machine) -> Result<Pattern> {
    match (name, preset) {
        ("uniform", Some("booksim")) => Pattern::new("uniform-with-self", machine),
        _ => Pattern::new(name, machine),
    }
}

/// Runs of one traffic on one machine at any load.
#[derive(Debug)]
pub struct Experiment<'m> {
    machine: &'m Machine,
    router: Router,
    runs: OpenLoop,
    /// The ring of channels in which the routing can deadlock: then nothing is simulated.
    ring: Option<Vec<LinkId>>,
    /// What is measured, but for the load.
    pub conditions: Conditions,
    /// What theory says.
    pub reference: Reference,
}

impl<'m> Experiment<'m> {
    /// Checks what can be checked before the first run; the load of `runs` does not matter.
    ///
    /// # Errors
    ///
    /// As for [`OpenLoop::check`], for the routing and for its [deadlock check](certify::certify);
    /// [`Error::NotApplicable`] on a single living node.
    pub fn new(machine: &'m Machine, router: Router, runs: OpenLoop) -> Result<Self> {
        if machine.living_count() < 2 {
            return Err(Error::not_applicable(
                "sending at random",
                "one node has nobody to send to".to_string(),
            ));
        }
        let runs = OpenLoop { load: 1.0, ..runs };
        runs.check()?;
        machine.equal_links("sending at random")?;
        router.fits(machine)?;
        let (conditions, reference) =
            (Conditions::new(machine, &router, &runs), Reference::new(machine, &router, &runs)?);
        let ring = ring(machine, &router)?;
        Ok(Self { machine, router, runs, ring, conditions, reference })
    }

    /// What is run for one load with this seed: the routers and the sources.
    pub fn run(&self, load: f64, seed: u64) -> (&Router, OpenLoop) {
        (&self.router, OpenLoop { load, seed, ..self.runs.clone() })
    }

    /// Measures one load with this seed on so many threads.
    ///
    /// Under a routing that can deadlock nothing is simulated; the point carries the ring.
    ///
    /// # Errors
    ///
    /// As for [`flit::run_traffic`].
    pub fn measure(&self, load: f64, seed: u64, threads: usize) -> Result<Point> {
        let (router, run) = self.run(load, seed);
        let measured = match &self.ring {
            Some(ring) => Measured::refused(ring.clone()),
            None => flit::run_traffic(self.machine, router, &run, threads)?,
        };
        Ok(Point::new(load, &measured, self.machine, &self.reference))
    }
}

/// A ring of channels in which this routing can deadlock on this machine, or `None`.
///
/// A large box is checked by a small one of its family, and itself only if that one has a ring. A large graph is
/// not checked; whether packets come to a standstill is then seen when they do.
fn ring(machine: &Machine, router: &Router) -> Result<Option<Vec<LinkId>>> {
    let name = router.routing_on(machine);
    let relation = routing::relation(name, machine)?;
    let states = certify::states(machine, &relation);
    if states > STATES_QUICK {
        match certify::reduced(machine) {
            Some(small) if certify::certify(&small, &routing::relation(name, &small)?)?.is_free() => {
                return Ok(None);
            }
            None if states > certify::STATES_MAX => return Ok(None),
            _ => {}
        }
    }
    let certificate = certify::certify(machine, &relation)?;
    Ok(certificate.ring().map(|ring| ring.iter().map(|&(link, _)| link).collect()))
}

/// Everything that decides what a point is, except its load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Conditions {
    /// The version of this form: 1.
    pub format: u32,
    /// Where it ran.
    pub machine: String,
    /// The nodes that do not work.
    pub dead: Vec<u32>,
    /// The two ends of each dead link.
    pub dead_links: Vec<[u32; 2]>,
    /// A digest of the wiring and of fixed targets: files may change while their names stay.
    pub digest: String,
    /// Which engine: `flit`.
    pub engine: &'static str,
    /// How packets move.
    pub switching: &'static str,
    /// Every setting of the router with its value.
    pub router: Map<String, Value>,
    /// The traffic pattern.
    pub traffic: String,
    /// The length of a packet in flits.
    pub packet: u32,
    /// Cycles before the measurement.
    pub warm_up: u64,
    /// Cycles in which packets are measured.
    pub measure: u64,
    /// Cycles after the measurement, at most.
    pub drain: u64,
    /// The seed of every draw.
    pub seed: u64,
}

impl Conditions {
    /// The conditions of these runs.
    fn new(machine: &Machine, router: &Router, runs: &OpenLoop) -> Self {
        let Ok(Value::Object(router)) = serde_json::to_value(router) else {
            unreachable!("a router is a table of settings")
        };
        Self {
            format: 1,
            machine: machine.name().to_string(),
            dead: machine.dead().iter().map(|node| node.0).collect(),
            dead_links: machine.dead_links().iter().map(|&(a, b)| [a.0, b.0]).collect(),
            digest: format!("{:016x}", digest(machine, &runs.pattern)),
            engine: "flit",
            switching: machine.switching().name(),
            router,
            traffic: runs.pattern.name().to_string(),
            packet: runs.packet,
            warm_up: runs.warm_up,
            measure: runs.measure,
            drain: runs.drain,
            seed: runs.seed,
        }
    }

    /// One line of JSON, the same for the same conditions.
    pub fn line(&self) -> String {
        text::json(self)
    }
}

/// A digest of the ends of all links and the fixed targets.
fn digest(machine: &Machine, pattern: &Pattern) -> u64 {
    let targets = pattern.fixed_targets().iter().map(|node| node.0);
    let ends = (0..machine.nodes()).map(NodeId).flat_map(|node| {
        let end = move |port| machine.neighbour(node, Port(port)).map_or(u32::MAX, |next| next.0);
        (0..machine.ports(node)).map(end)
    });
    rng::digest(ends.chain(targets).flat_map(u32::to_le_bytes))
}

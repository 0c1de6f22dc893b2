//! One placement of one job, measured phase by phase: metrics, prediction, simulation.

use meshwright_core::error::Result;
use meshwright_mapping::metrics::{self, PhaseMetrics};
use meshwright_mapping::{Placement, TaskGraph};
use meshwright_network::routing::{self, Pair, Routes};
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_schedule::cost::{self, LinkLoads};
use meshwright_schedule::{Message, Phases};
use meshwright_sim::Routed;
use meshwright_sim::fitting::Fitted;
use meshwright_sim::link_use::Way;

/// What is known of a phase under one switching before it is simulated, all its repetitions together, in ticks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// As if no two messages met.
    pub(crate) alone: u64,
    /// No schedule on these routes takes less: the busiest link.
    pub(crate) link: u64,
    /// The prediction.
    pub(crate) predicted: u64,
    /// Each message waits for all it meets.
    pub(crate) path: u64,
}

/// Metrics and predictions of a placement.
pub(crate) struct Measured<'m> {
    /// The placed job.
    pub(crate) schedule: Phases,
    /// The routes of all its messages.
    pub(crate) routes: Routes<'m>,
    /// Phase by phase.
    pub(crate) metrics: Vec<PhaseMetrics>,
    /// For each switching asked for, phase by phase.
    pub(crate) known: Vec<Vec<Known>>,
}

/// Places the job on the machine's links and takes every number that needs no simulation.
pub(crate) fn measure<'m>(
    tasks: &TaskGraph,
    placement: &Placement,
    machine: &'m Machine,
    switchings: &[Switching],
) -> Result<Measured<'m>> {
    along(placement.phases(tasks, machine), machine, switchings, &Way::usual(machine))
}

/// The numbers of a placed job on these routes.
pub(crate) fn along<'m>(
    schedule: Phases,
    machine: &Machine,
    switchings: &[Switching],
    way: &Way<'m>,
) -> Result<Measured<'m>> {
    let mut loads = LinkLoads::new(machine.links());
    let routes = routes_of(&schedule, way)?;
    let (metrics, known) = (Vec::new(), vec![Vec::new(); switchings.len()]);
    let mut measured = Measured { schedule, routes, metrics, known };
    let mut serial = vec![0; switchings.len()];
    for index in 0..measured.schedule.len() {
        let messages = measured.schedule.phase(index);
        let routes = measured.routes.part(measured.schedule.range(index));
        let times = u64::from(measured.schedule.repeats(index));
        // First of all: what passes this check can be counted.
        for (switching, serial) in switchings.iter().zip(&mut serial) {
            let counted = (messages, times);
            *serial = cost::serial_sum_of(*serial, counted, &routes, *switching, machine.costs())?;
        }
        loads.fill(messages, &routes);
        let met = metrics::meetings(messages, &routes, &loads);
        let metrics = metrics::phase(messages, &routes, &loads, &met);
        measured.metrics.push(metrics.repeated(measured.schedule.repeats(index)));
        let (ends, costs) = (cost::ends(messages, machine), machine.costs());
        for (&switching, known) in switchings.iter().zip(&mut measured.known) {
            let path = cost::path_level(messages, &routes, &met, switching, costs);
            known.push(Known {
                alone: times * (ends + cost::alone(messages, &routes, switching, costs)),
                link: times * (ends + cost::link_bound(messages, &routes, &loads, switching, costs)),
                predicted: times * cost::predicted(messages, &routes, &loads, switching, machine),
                path: times.saturating_mul(path.saturating_add(ends)),
            });
        }
    }
    Ok(measured)
}

/// Which messages wait for which, in words, and why routers did not help; none if the run came to its end.
pub(crate) fn deadlock_sentence(machine: &Machine, fitted: &Fitted) -> Option<String> {
    let ring = fitted.trace.deadlock.as_ref()?;
    let nodes: Vec<String> = ring.iter().map(|link| machine.node_name(machine.source(*link))).collect();
    let refused = fitted.refused.as_ref().map_or(String::new(), |why| format!("; not on routers: {why}"));
    Some(format!(
        "it deadlocks under {}: the links leaving nodes {} are each held by a message that waits for the next \
         (cut-through or store-and-forward would let go of them){refused}",
        machine.switching().name(),
        nodes.join(", ")
    ))
}

impl Measured<'_> {
    /// One figure summed over the phases, under the switching with this index.
    pub(crate) fn total(&self, switching: usize, figure: impl Fn(&Known) -> u64) -> u64 {
        self.known[switching].iter().map(figure).sum()
    }

    /// What a simulation runs.
    pub(crate) fn routed(&self) -> Routed<'_> {
        Routed { phases: &self.schedule, routes: &self.routes }
    }

    /// Messages and bytes over each link, of all phases together, every repetition counted.
    pub(crate) fn loads(&self, machine: &Machine) -> LinkLoads {
        let mut loads = LinkLoads::new(machine.links());
        loads.fill_phases(&self.schedule, &self.routes);
        loads
    }

    /// All hops that a simulation runs: those of a phase once.
    pub(crate) fn hops_run(&self) -> u64 {
        self.metrics.iter().map(|phase| phase.hops_total / u64::from(phase.repeats.max(1))).sum()
    }

    /// All hops of all messages.
    pub(crate) fn hops_total(&self) -> u64 {
        self.metrics.iter().map(|phase| phase.hops_total).sum()
    }
}

/// Messages and bytes over each link.
pub(crate) fn loads(messages: &[Message], machine: &Machine, way: &Way<'_>) -> Result<LinkLoads> {
    let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
    let mut loads = LinkLoads::new(machine.links());
    loads.fill(messages, &way.routes(&pairs)?);
    Ok(loads)
}

/// The routes of all messages, phase by phase.
pub(crate) fn routes_of<'m>(phases: &Phases, way: &Way<'m>) -> Result<Routes<'m>> {
    let pairs: Vec<Pair> = phases.messages().iter().map(Message::pair).collect();
    way.routes(&pairs)
}

/// The messages of all phases together.
pub(crate) struct Traffic {
    /// Messages and bytes over each link.
    pub(crate) loads: LinkLoads,
    /// Whether no ring of channels can form among the routes, whatever the timing.
    pub(crate) deadlock_free: bool,
}

impl Traffic {
    /// Looks at all messages on their routes.
    pub(crate) fn of(measured: &Measured<'_>, machine: &Machine) -> Self {
        let pairs: Vec<Pair> = measured.schedule.messages().iter().map(Message::pair).collect();
        let ring = routing::deadlock::cycle(machine.links(), &measured.routes, &pairs);
        Self { loads: measured.loads(machine), deadlock_free: ring.is_none() }
    }
}

//! The form of a verdict on a divisible load.

use serde::Serialize;

use super::limited::Started;
use super::{Further, VariantAnswer, words};
use crate::Facts;
use crate::installments::FrontRow;
use meshwright_core::units::NodeId;
use meshwright_core::words::short;
use meshwright_load::check::Reading;
use meshwright_load::optimum::StartupBound;
use meshwright_load::shares::earth_mover::Rebalance;
use meshwright_load::{Cut, Forwarding, Plan};
use meshwright_network::topology::Machine;

/// What a verdict says of a divisible load.
#[derive(Clone, Debug)]
pub struct LoadFacts {
    /// How the winner forwards.
    pub winner_switching: Option<Forwarding>,
    /// The time of a load on a link over its time on a processor.
    pub sigma: f64,
    /// Where the load enters.
    pub sources: Vec<SourceRow>,
    /// The whole load in the simulations, in bytes.
    pub bytes: u64,
    /// How long one processor takes for the whole load, in cycles: the unit w Tcp of all makespans.
    pub unit_cycles: f64,
    /// The start-up of a message, in units of w Tcp.
    pub startup: f64,
    /// What no schedule can beat, and why.
    pub bound: LoadBound,
    /// Installments none of which is beaten in processors, messages and time at once, if they were asked for.
    pub front: Vec<FrontRow>,
    /// How few processors meet the deadline, if one was given.
    pub deadline: Option<Deadline>,
    /// What was asked beyond the division.
    pub further: Further,
}

impl Facts for LoadFacts {
    const KIND: &'static str = "load";
    type Detail = LoadDetail;
}

/// A source as it was planned for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourceRow {
    /// The node.
    pub node: NodeId,
    /// Its coordinates.
    pub at: Vec<u32>,
    /// Its share of the whole load.
    pub load: f64,
    /// From when on it is there, in units of w Tcp.
    pub release: f64,
}

/// The lower bound with its certificate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadBound {
    /// No schedule ends earlier, in units of w Tcp.
    pub makespan: f64,
    /// No schedule is faster: 1 / makespan.
    pub speedup: f64,
    /// The same if messages cost no start-up.
    pub fluid_makespan: f64,
    /// The nodes that cannot be done earlier, whatever the schedule; none where `kind` is no cut.
    pub cut: Cut,
    /// What proves it.
    pub kind: BoundKind,
    /// The proof in a sentence.
    pub certificate: String,
    /// The fewest processors that attain it, if they were counted.
    pub processors: Option<Fewest>,
}

/// What proves a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoundKind {
    /// A set of nodes that has more to do than it can work off and send out.
    Cut,
    /// The optimum of a linear programme.
    Programme,
    /// A formula with a proof.
    Theorem,
}

/// What is said of another time beside one, with the time in place of `{}`; nothing where both read alike.
fn beside(time: f64, other: f64, words: &str) -> String {
    if short(time) == short(other) { String::new() } else { words.replace("{}", &short(other)) }
}

impl LoadBound {
    /// The bound of a cut, the fewest processors not counted.
    fn of_cut(makespan: f64, cut: Cut, machine: &Machine) -> Self {
        let certificate = words::certificate(&cut, makespan, machine);
        Self {
            makespan,
            speedup: 1.0 / makespan,
            fluid_makespan: makespan,
            cut,
            kind: BoundKind::Cut,
            certificate,
            processors: None,
        }
    }

    /// The greatest of what the fluid optimum says with its cut, start-ups, and a machine that does less.
    pub(super) fn greatest(
        (makespan, cut): (f64, Cut),
        (startup, started): (Option<&StartupBound>, Option<&Started>),
        variant: Option<&VariantAnswer>,
        machine: &Machine,
    ) -> Self {
        let fluid = match variant {
            Some(variant) if variant.makespan > makespan => Self::of_variant(variant),
            _ => Self::of_cut(makespan, cut, machine),
        };
        let fluid_makespan = fluid.makespan;
        let cut = startup.map_or(0.0, |startup| startup.makespan).max(fluid_makespan);
        if let Some(&Started { makespan, proof: (kind, proof), .. }) =
            started.filter(|started| started.makespan > cut)
        {
            let certificate = format!(
                "No schedule is faster with start-ups: each takes at least {}, {proof}{}.",
                short(makespan),
                beside(makespan, fluid_makespan, " (without start-ups {})")
            );
            let speedup = 1.0 / makespan;
            let none = Cut { nodes: Vec::new(), capacity: 0.0, demand: 0.0 };
            return Self { makespan, speedup, fluid_makespan, cut: none, kind, certificate, ..fluid };
        }
        let Some(startup) = startup.filter(|startup| startup.makespan > fluid_makespan) else { return fluid };
        let bound = Self::of_cut(startup.makespan, startup.cut.clone(), machine);
        let certificate = format!(
            "{} (a start-up comes before each message{}).",
            bound.certificate.trim_end_matches('.'),
            beside(startup.makespan, fluid_makespan, "; without them {}")
        );
        Self { fluid_makespan, certificate, ..bound }
    }

    /// The bound of a machine that does less.
    fn of_variant(variant: &VariantAnswer) -> Self {
        let (makespan, limits) = (variant.makespan, variant.limits());
        let (kind, proof) = match variant.theorem {
            Some(formula) => (BoundKind::Theorem, format!("the speedup is {formula}")),
            None => (BoundKind::Programme, "the least of a linear programme".to_string()),
        };
        let least = short(makespan);
        Self {
            makespan,
            speedup: 1.0 / makespan,
            fluid_makespan: makespan,
            cut: Cut { nodes: Vec::new(), capacity: 0.0, demand: 0.0 },
            kind,
            certificate: format!(
                "No schedule is faster with {limits}: each takes at least {least}, {proof}."
            ),
            processors: None,
        }
    }
}

/// How few processors suffice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Fewest {
    /// Fewer are never enough.
    pub at_least: u64,
    /// So many are enough.
    pub at_most: u64,
}

/// A time by which all is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Deadline {
    /// The time, in units of w Tcp.
    pub makespan: f64,
    /// Whether no bound rules it out.
    pub possible: bool,
    /// Whether a schedule is known that meets it; without start-ups every possible one is met as nearly as one likes.
    pub known: bool,
    /// The fewest processors that meet it, if they were counted.
    pub processors: Option<Fewest>,
}

/// What is known of a method beside its times.
#[derive(Clone, Debug)]
pub struct LoadDetail {
    /// How shares pass the nodes on their way.
    pub switching: Forwarding,
    /// How many messages the simulation sent over links.
    pub messages: Option<u64>,
    /// When the method says that all is done, in units of w Tcp.
    pub makespan: f64,
    /// What the method promises: 1 / makespan.
    pub speedup: f64,
    /// By hops from the nearest source, how many nodes there are.
    pub layers: Vec<u64>,
    /// By hops from the nearest source, the share of one such node: their mean where they are not all alike.
    pub fractions: Vec<f64>,
    /// Whether all nodes of a layer have the same share.
    pub by_layer: bool,
    /// How many nodes have a share.
    pub nodes_used: usize,
    /// Whether some schedule can bring these shares to their nodes and have them worked off in the makespan.
    pub feasible: bool,
    /// Which question was decided.
    pub reading: Reading,
    /// The nodes that refute it.
    pub violated_cut: Option<Cut>,
    /// The moment until which they cannot send out enough, where shares must be there in time.
    pub moment: Option<f64>,
    /// The node that cannot work off its own share in time.
    pub overloaded: Option<NodeId>,
    /// What no way to send these shares can beat on a machine that does less at a time, if that was computed.
    pub least_makespan: Option<f64>,
    /// No schedule is faster than this.
    pub bound_speedup: f64,
    /// speedup / bound speedup: above 1 is more than there is.
    pub ratio_to_bound: f64,
    /// What the referee measures.
    pub simulated_speedup: Option<f64>,
    /// The simulated time on routers with the machine's buffers, in cycles; of the installments only.
    pub buffered_cycles: Option<u64>,
    /// The simulated speedup on them.
    pub buffered_speedup: Option<f64>,
    /// The most messages that wait at one node at a time; of the installments only.
    pub waiting_max: Option<u64>,
    /// What the machine's buffers cost, or why that is not known, in a sentence; of the installments only.
    pub buffers: Option<String>,
    /// Row by row the index of each node's source, -1 for a node without; null where sources are not kept apart.
    pub labels: Option<Vec<Vec<i64>>>,
    /// The speedup of each cell.
    pub cell_speedups: Option<Vec<f64>>,
    /// By cell, what it takes to even out the loads of its sources beforehand: of the methods that do.
    pub rebalances: Option<Vec<Rebalance>>,
    /// How many nodes the method leaves idle of those it could use.
    pub saved: Option<u64>,
    /// The thesis's beta, where all sources have equal loads: the speedup of the slowest cell over that of the ideal
    /// community of one source.
    pub beta: Option<f64>,
    /// What is doubtful about the method, as a sentence.
    pub warning: Option<String>,
    /// The shares and cells by node; for drawings.
    pub plan: Plan,
    /// By link id, the share of the whole load that crosses it, where the method says so; for drawings.
    pub flow: Option<Vec<f64>>,
    /// Who receives and works when; for drawings.
    pub timing: Vec<TimingRow>,
}

/// The schedule of the winner is kept on machines of at most so many nodes.
pub const SCHEDULE_NODES_MAX: u32 = 1 << 14;

/// One row of a timing diagram: communication above the axis, computing below it. Times are in units of w Tcp.
#[derive(Clone, Debug, PartialEq)]
pub struct TimingRow {
    /// What the row shows: a node, a layer of nodes or a link.
    pub label: String,
    /// When something arrives (or, of a link, passes), as start and end.
    pub communication: Vec<(f64, f64)>,
    /// When it works, as start and end.
    pub computing: Vec<(f64, f64)>,
    /// From when on its own load is there, if it is a source.
    pub release: Option<f64>,
    /// Whether it is a port of a source, which computes nothing.
    pub port: bool,
}

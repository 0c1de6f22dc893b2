//! What the script of the page reads: the machine, the messages of each job, and where each method puts the tasks.
//!
//! Loads and routes are not written where the script can work them out from the placement: on a whole box, by
//! dimension order. Elsewhere the routes stand there link by link, or, if they are too long, the busy times alone.
//!
//! | file | what |
//! |---|---|
//! | `arrivals` | when each message arrives |
//! | `vlq` | lists of numbers as short text |

mod arrivals;
mod vlq;

use serde::Serialize;

use super::PlanReport;
use meshwright_core::text::harmless;
use meshwright_core::units::{NodeId, Port};
use meshwright_mapping::TaskGraph;
use meshwright_network::routing::Pair;
use meshwright_network::topology::{Machine, Network, Topology};
use meshwright_sim::link_use::Way;
use meshwright_verdict::{JobVerdict, MappingOutcome, MappingVerdict};

/// More messages than this are not written down.
const MESSAGES_MAX: usize = 1 << 19;

/// Links of stored routes, of all methods of a page.
const ROUTED_LINKS_MAX: usize = 1 << 18;

/// Text for all lists of busy times, in bytes; methods that do not fit are left out.
const BUSY_TEXT_MAX: usize = 1 << 21;

/// Links of a machine that are listed one by one.
const LINKS_LISTED_MAX: u32 = 1 << 20;

/// All data of a page.
#[derive(Serialize)]
struct Island {
    machine: MachineData,
    jobs: Vec<JobData>,
}

#[derive(Serialize)]
struct MachineData {
    name: String,
    nodes: u32,
    /// Empty where the nodes stand on a circle.
    sides: Vec<u32>,
    wraps: bool,
    /// Whether messages take dimension-order routes over links that are numbered as on a box.
    whole: bool,
    /// Otherwise per node how many links leave it.
    ports: String,
    /// And where they lead, as what the target lies above the source; the source itself where a port has no link.
    targets: String,
    dead: Vec<u32>,
    /// How a node is written: `tuple`, `digits` or `id`.
    names: &'static str,
    startup: u64,
    byte_time: f64,
    flit: u64,
    store_and_forward: bool,
}

#[derive(Serialize)]
struct JobData {
    /// Which section of the page it is, from 1.
    section: usize,
    name: String,
    tasks: u32,
    /// Number, messages and repetitions of each phase.
    phases: Vec<[u64; 3]>,
    /// Per message of each phase: step of the source, target above source, step of the bytes.
    messages: Option<String>,
    methods: Vec<MethodData>,
    /// How many methods are not here.
    left_out: usize,
}

#[derive(Serialize)]
struct MethodData {
    name: String,
    best: bool,
    cycles: Option<u64>,
    bound: u64,
    gap: Option<f64>,
    hops: u64,
    /// Source and target of the busiest link.
    busiest: Option<[u32; 2]>,
    /// The node of each task, as steps.
    nodes: String,
    /// The links of each message: how many, then their ids as steps.
    routes: Option<String>,
    /// The busy time of each link, where there are no routes.
    busy: Option<String>,
    /// The length of each phase, all its repetitions together.
    phase_cycles: Vec<u64>,
    /// When each message arrives, from the beginning of its phase, as steps.
    arrivals: Option<String>,
}

/// What is still free of the limits of a page.
struct Room {
    routed_links: usize,
    busy_text: usize,
}

/// The data of a page as JSON that can stand in a script element; none where there is nothing to show.
pub(super) fn json(report: &PlanReport<'_>) -> Option<String> {
    let mut room = Room { routed_links: ROUTED_LINKS_MAX, busy_text: BUSY_TEXT_MAX };
    let jobs = (1..).zip(report.jobs).filter_map(|(section, job)| match job {
        JobVerdict::Mapping(job) => job_data(report.machine, job, section, &mut room),
        JobVerdict::Load(_) | JobVerdict::Groups(_) | JobVerdict::Race(_) => None,
    });
    let jobs: Vec<JobData> = jobs.collect();
    if jobs.is_empty() {
        return None;
    }
    let island = Island { machine: machine_data(report.machine)?, jobs };
    let text = serde_json::to_string(&island).expect("names and numbers are always written");
    // An end of the element inside a name would end it.
    Some(text.replace('<', "\\u003c"))
}

/// Whether the script knows the links of a machine by their numbers, and the routes by a rule.
fn is_whole(machine: &Machine) -> bool {
    machine.whole_grid().is_some() && machine.fabric().is_none()
}

fn machine_data(machine: &Machine) -> Option<MachineData> {
    if machine.links() > LINKS_LISTED_MAX {
        return None;
    }
    let (whole, costs) = (is_whole(machine), machine.costs());
    let (mut ports, mut targets) = (vlq::Vlq::default(), vlq::Vlq::default());
    if !whole {
        for node in (0..machine.nodes()).map(NodeId) {
            ports.push(machine.ports(node).into());
            for port in (0..machine.ports(node)).map(Port) {
                let to = machine.neighbour(node, port).unwrap_or(node);
                targets.push(i64::from(to.0) - i64::from(node.0));
            }
        }
    }
    let (sides, wraps, names) = match machine.network() {
        Network::Graph(_) => (Vec::new(), false, "id"),
        Network::Grid(grid) => {
            let sides = Topology::sides(grid).to_vec();
            let names = match sides.len() {
                0 | 1 => "id",
                dimensions if dimensions > 3 && sides.iter().all(|&side| side <= 10) => "digits",
                _ => "tuple",
            };
            (sides, grid.wraps(), names)
        }
    };
    Some(MachineData {
        name: harmless(machine.name()).into_owned(),
        nodes: machine.nodes(),
        sides,
        wraps,
        whole,
        ports: ports.finish(),
        targets: targets.finish(),
        dead: machine.dead().iter().map(|node| node.0).collect(),
        names,
        startup: costs.startup.0,
        byte_time: costs.byte_time.to_f64(),
        flit: costs.flit.0,
        store_and_forward: machine.switching() == meshwright_network::topology::Switching::StoreAndForward,
    })
}

fn job_data(machine: &Machine, job: &MappingVerdict, section: usize, room: &mut Room) -> Option<JobData> {
    let tasks = &job.facts.tasks;
    let written = tasks.edges().len() <= MESSAGES_MAX;
    // The winner first, so that it is here whatever else there is room for.
    let (winners, others): (Vec<_>, Vec<_>) = job.results.iter().partition(|outcome| job.is_won_by(outcome));
    let methods: Vec<MethodData> = winners
        .into_iter()
        .chain(others)
        .filter_map(|outcome| method_data(machine, job, outcome, written, room))
        .collect();
    let phase = |index: usize| {
        let messages = tasks.phase(index).len() as u64;
        [u64::from(tasks.number(index)), messages, u64::from(tasks.repeats(index))]
    };
    (!methods.is_empty()).then(|| JobData {
        section,
        name: harmless(&job.name).into_owned(),
        tasks: tasks.tasks,
        phases: (0..tasks.phases()).map(phase).collect(),
        messages: written.then(|| messages(tasks)),
        left_out: job.results.len() - methods.len(),
        methods,
    })
}

fn messages(tasks: &TaskGraph) -> String {
    let mut list = vlq::Vlq::default();
    let (mut source, mut bytes) = (0, 0);
    for edge in tasks.edges() {
        let now = edge.bytes.0.min(1 << 52) as i64;
        list.push(i64::from(edge.source) - source);
        list.push(i64::from(edge.target) - i64::from(edge.source));
        list.push(now - bytes);
        (source, bytes) = (edge.source.into(), now);
    }
    list.finish()
}

fn method_data(
    machine: &Machine,
    job: &MappingVerdict,
    outcome: &MappingOutcome,
    written: bool,
    room: &mut Room,
) -> Option<MethodData> {
    let (tasks, detail) = (&job.facts.tasks, &outcome.detail);
    let nodes = &detail.placement.nodes;
    // A plan that puts no task on a node of its own, or is of another job, cannot be drawn.
    let is_placed = nodes.len() == tasks.tasks as usize && nodes.iter().all(|node| node.0 < machine.nodes());
    if !is_placed || detail.phases.len() != tasks.phases() {
        return None;
    }
    let routes = if written && !is_whole(machine) { routes(machine, tasks, outcome, room) } else { None };
    let busy = match (is_whole(machine) && written) || routes.is_some() {
        true => None,
        false => Some(busy(outcome, room)?),
    };
    let is_routed = busy.is_none();
    Some(MethodData {
        name: harmless(&outcome.method).into_owned(),
        best: job.is_won_by(outcome),
        cycles: outcome.simulated_cycles,
        bound: outcome.bound_cycles,
        gap: outcome.gap().filter(|gap| gap.is_finite()),
        hops: detail.hops_total,
        busiest: outcome.busiest_link.map(|link| [link.from, link.to]),
        nodes: vlq::steps(nodes.iter().map(|node| node.0.into())),
        routes,
        busy,
        phase_cycles: detail.phases.iter().map(|phase| phase.simulated_cycles).collect(),
        arrivals: is_routed.then(|| arrivals::of(machine, tasks, outcome)).flatten().map(vlq::steps),
    })
}

/// The routes of all messages link by link, if there is room.
fn routes(machine: &Machine, tasks: &TaskGraph, outcome: &MappingOutcome, room: &mut Room) -> Option<String> {
    if machine.fabric().is_some() {
        return None;
    }
    let nodes = &outcome.detail.placement.nodes;
    let pairs: Vec<Pair> =
        tasks.edges().iter().map(|edge| (nodes[edge.source as usize], nodes[edge.target as usize])).collect();
    let found = Way::of(machine, outcome.detail.routers.as_ref()).ok()?.routes(&pairs).ok()?;
    let hops = |(index, &pair): (usize, &Pair)| found.hops(index, pair).0 as usize;
    let total: usize = pairs.iter().enumerate().map(hops).sum();
    room.routed_links = room.routed_links.checked_sub(total)?;
    let mut list = vlq::Vlq::default();
    let mut last = 0;
    for (index, &pair) in pairs.iter().enumerate() {
        list.push(found.hops(index, pair).0.into());
        found.for_each_link(index, pair, |link| {
            list.push(i64::from(link.0) - last);
            last = link.0.into();
        });
    }
    Some(list.finish())
}

/// The busy times, if there is room.
fn busy(outcome: &MappingOutcome, room: &mut Room) -> Option<String> {
    let text = vlq::runs(&outcome.detail.link_busy);
    room.busy_text = room.busy_text.checked_sub(text.len())?;
    Some(text)
}

//! A search, and a proof, whose judge is the simulation.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_mapping::exact::{self, ExactOutcome, ExactProblem, ExactProgress};
use meshwright_mapping::search::{self, Judged, SearchOutcome, SearchProblem, SearchProgress, Start};
use meshwright_mapping::task_graph::Edge;
use meshwright_mapping::{Mapping, Placement, TaskGraph};
use meshwright_network::topology::{Machine, Switching};
use meshwright_schedule::Phases;
use meshwright_schedule::cost::forecast;
use meshwright_sim::fitting::{self, Fitted};

/// Flits times links of one judgement where whole messages wait in a ring: a tenth of a second. Up to there the judge and
/// the table say the same.
const FLIT_HOPS_MAX: u64 = 1 << 21;

/// Searches as [`search::search_by`] does; how good a placement is says its simulated time under the machine's switching.
///
/// So no answer is slower than a placement that the program makes without a search, unless the start is random, or the
/// judge runs on longer flits than the table does.
///
/// # Errors
///
/// As for [`search::search`].
pub fn search(
    problem: &SearchProblem<'_>,
    watch: &mut dyn FnMut(&SearchProgress) -> ControlFlow<()>,
) -> Result<SearchOutcome> {
    let mut judge = |nodes: &[_], limit| {
        let placement = Placement { name: search::NAME.to_string(), nodes: nodes.to_vec() };
        let judged = judged_below(limit, problem.graph, problem.machine, &placement);
        judged.unwrap_or(Judged { ticks: u64::MAX, flit_hops: 0 })
    };
    search::search_by(problem, &mut judge, watch)
}

/// The steps of the search that a proof starts from.
const START_STEPS: u64 = 50_000;

/// The placement with the least simulated time under the machine's switching, with a proof, or the best so far, as
/// [`exact::exact`]; it starts from all placements the program knows and a short search.
///
/// # Errors
///
/// As for [`exact::exact`] and [`search::search`].
///
/// # Examples
///
/// ```
/// use std::ops::ControlFlow;
/// use meshwright_core::units::Bytes;
/// use meshwright_mapping::{Divide, Shape, divide};
/// use meshwright_network::topology::Machine;
/// use meshwright_verdict::look;
/// let tree = Divide { shape: Shape::Binomial(3), alpha: Some(0.5), combine_alpha: None, volume: Bytes(800) };
/// let (graph, machine) = (divide::task_graph(&tree)?, Machine::new("mesh:2x4")?);
/// let outcome = look::exact(&graph, &machine, 0, u64::MAX, &mut |_| ControlFlow::Continue(()))?;
/// // Three phases over one link each: c = 100, b = 1, h = 2.
/// assert!(outcome.is_optimal());
/// assert_eq!(outcome.ticks, (100 + 400 + 2) + (100 + 200 + 2) + (100 + 100 + 2));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn exact(
    graph: &TaskGraph,
    machine: &Machine,
    seed: u64,
    nodes: u64,
    watch: &mut dyn FnMut(&ExactProgress) -> ControlFlow<()>,
) -> Result<ExactOutcome> {
    let mapping = Mapping::new(graph, machine);
    let bound_ticks = mapping.own_bound().ticks;
    let start =
        SearchProblem { graph, machine, pins: &[], start: Start::Best, seed, steps: START_STEPS, answers: 1 };
    let found = search(&start, &mut |step| {
        let best_ticks = step.best_ticks;
        match best_ticks <= bound_ticks {
            true => ControlFlow::Break(()),
            false => watch(&ExactProgress { nodes: 0, best_ticks, bound_ticks }),
        }
    })?;
    let best = &found.answers[0];
    let problem =
        ExactProblem { graph, machine, start: &best.placement.nodes, start_ticks: best.judged_ticks, nodes };
    let referee = PhaseReferee::new(graph, machine)?;
    exact::exact(&problem, &mut |nodes, limit| referee.ticks_below(nodes, limit), watch)
}

/// Source, target and bytes of the messages of a phase, in their order.
type PhaseEdges = Vec<(u32, u32, u64)>;

/// The simulation of a job, each of its different phases once.
pub(crate) struct PhaseReferee<'a> {
    machine: &'a Machine,
    /// The different phases and how often there are such, or the whole job where a ring of messages that wait in one phase
    /// has all phases run on other routers.
    parts: Vec<(TaskGraph, u64)>,
}

impl<'a> PhaseReferee<'a> {
    pub(crate) fn new(graph: &TaskGraph, machine: &'a Machine) -> Result<Self> {
        if machine.whole_grid().is_none() && machine.switching() == Switching::Wormhole {
            return Ok(Self { machine, parts: vec![(graph.clone(), 1)] });
        }
        let mut times: BTreeMap<PhaseEdges, (usize, u64)> = BTreeMap::new();
        for index in 0..graph.phases() {
            let edges = graph.phase(index).iter().map(|edge| (edge.source, edge.target, edge.bytes.0));
            times.entry(edges.collect()).or_insert((index, 0)).1 += u64::from(graph.repeats(index));
        }
        let part = |&(index, times): &(usize, u64)| {
            let edges: Vec<(u32, Edge)> = graph.phase(index).iter().map(|&edge| (0, edge)).collect();
            Ok((TaskGraph::new(graph.name.clone(), graph.tasks, edges)?, times))
        };
        Ok(Self { machine, parts: times.values().map(part).collect::<Result<_>>()? })
    }

    /// The simulated ticks of a placement if they are below a limit; else some number that is not. The most there is when it
    /// never comes to an end.
    pub(crate) fn ticks_below(&self, nodes: &[NodeId], limit: u64) -> Result<u64> {
        let placement = Placement { name: exact::NAME.to_string(), nodes: nodes.to_vec() };
        let mut ticks = 0u64;
        for (part, times) in &self.parts {
            let trace =
                fitting::simulate(self.machine, &placement.phases(part, self.machine), FLIT_HOPS_MAX)?.trace;
            if trace.deadlock.is_some() {
                return Ok(u64::MAX);
            }
            ticks += trace.ticks * times;
            if ticks >= limit {
                break;
            }
        }
        Ok(ticks)
    }
}

/// The simulated ticks of a placement; if they are no less than `limit`, some number that is no less. The most there is
/// when it never comes to an end.
fn judged_below(limit: u64, graph: &TaskGraph, machine: &Machine, placement: &Placement) -> Result<Judged> {
    let schedule = placement.phases(graph, machine);
    let least = forecast(&schedule, machine)?.least_ticks;
    if least >= limit {
        return Ok(Judged { ticks: least, flit_hops: 0 });
    }
    judged(&schedule, machine)
}

/// The simulated ticks of these phases; the most there is when they never come to an end.
pub(crate) fn simulated(schedule: &Phases, machine: &Machine) -> Result<u64> {
    Ok(judged(schedule, machine)?.ticks)
}

fn judged(schedule: &Phases, machine: &Machine) -> Result<Judged> {
    let Fitted { trace, flit_hops, .. } = fitting::simulate(machine, schedule, FLIT_HOPS_MAX)?;
    Ok(Judged { ticks: if trace.deadlock.is_some() { u64::MAX } else { trace.ticks }, flit_hops })
}

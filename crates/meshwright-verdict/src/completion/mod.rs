//! Completion time of divide and conquer over numbers of nodes: how deep to divide, how many nodes to use, where.
//!
//! | file | what |
//! |---|---|
//! | this one | [`curve`]: every number of nodes and tasks that was asked for, placed, bounded, predicted, simulated |
//! | `answer` | [`CompletionReport`] |
//! | `words` | which row is the best, and why |

mod answer;
mod words;

pub use answer::{CompletionBest, CompletionPoint, CompletionReport, CompletionRow, WorkForms};

use super::contradiction::not_below;
use super::{Skipped, gap, nothing_applies};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Hops};
use meshwright_mapping::completion::{Completion, Folded, Work, shape_on};
use meshwright_mapping::{Divide, Placement, Request, bisection, centred_halving, divide, growing, place};
use meshwright_network::routing::Pair;
use meshwright_network::topology::Machine;
use meshwright_schedule::Schedule;
use meshwright_sim::fitting::{self, FLIT_HOPS_MAX, Fitted};
use meshwright_sim::link_use::{self, Way};

/// Other placements are tried beside centred halving up to so many nodes.
const OTHERS_NODES_MAX: u32 = 1 << 12;

/// What is to be computed, and the numbers of nodes and tasks that come into question.
#[derive(Clone, Debug)]
pub struct Question {
    /// What it is called.
    pub name: String,
    /// The name of the computation, if it is a well-known one.
    pub computation: Option<&'static str>,
    /// The share of its problem a node sends on, as in [`Divide::alpha`].
    pub alpha: Option<f64>,
    /// The same for results.
    pub combine_alpha: Option<f64>,
    /// The bytes of the problem.
    pub volume: Bytes,
    /// The bytes of the result.
    pub result: Bytes,
    /// The elements of the problem.
    pub size: u64,
    /// The work on them.
    pub work: Work,
    /// How many nodes.
    pub nodes: Vec<u32>,
    /// How many tasks for each of them.
    pub per_node: Vec<u32>,
    /// No tree of more tasks comes into question.
    pub tasks_max: u32,
    /// How many cores each node has.
    pub cores: u32,
    /// Whether the data come from a host, and the result goes back there.
    pub host: bool,
    /// The placements to try; none for those that suit.
    pub placements: Vec<String>,
    /// For placements that draw lots.
    pub seed: u64,
}

impl Question {
    /// The job on so many nodes.
    fn job(&self, machine: &Machine, nodes: u32, per_node: u32) -> Result<Completion> {
        let shape = shape_on(machine, nodes)?;
        let Self { alpha, combine_alpha, volume, .. } = *self;
        Ok(Completion {
            divide: Divide { shape, alpha, combine_alpha, volume },
            result: self.result,
            size: self.size,
            work: self.work.clone(),
            per_node,
            cores: self.cores,
            host: self.host,
        })
    }

    /// The placements to try for a tree over so many nodes, until one meets the bound: those of a formula, and bisection, which takes
    /// its time, where there is none or halves are uneven.
    fn methods(&self, machine: &Machine, nodes: u32) -> Vec<&str> {
        if !self.placements.is_empty() {
            return self.placements.iter().map(String::as_str).collect();
        }
        let (centred, growing) = (centred_halving::CENTRED_HALVING.name, growing::GROWING.name);
        let bisection = bisection::BISECTION.name;
        match (machine.whole_grid().is_some(), nodes.is_power_of_two()) {
            (true, true) => vec![centred, growing, bisection],
            (true, false) => vec![centred, bisection],
            (false, _) => vec![bisection],
        }
    }

    /// Whether a placement is worth its time beside the fastest one known.
    fn is_worth(&self, method: &str, nodes: u32, fastest: Option<&Simulated>, bound: u64) -> bool {
        let Some(fastest) = fastest.filter(|_| self.placements.is_empty()) else { return true };
        let is_large = nodes > OTHERS_NODES_MAX;
        let is_slow = is_large || (method == bisection::BISECTION.name && nodes.is_power_of_two());
        fastest.ticks > bound && !is_slow
    }
}

/// The times of completion for every number of nodes and of tasks at a node that was asked for, each with the fastest of its
/// placements, and which of them is the best.
///
/// # Errors
///
/// [`Error::Value`] as for [`Completion::check`]; [`Error::NotApplicable`] when no number of nodes is possible, and on a machine whose
/// networks are described; [`Error::Contradiction`] when a simulated time falls below its bound.
///
/// # Complexity
///
/// Per row and placement O(E log E) for E = sum of hops, as [`meshwright_sim::simulate`].
///
/// # Examples
///
/// ```
/// use meshwright_core::units::Bytes;
/// use meshwright_mapping::completion::Work;
/// use meshwright_network::topology::Machine;
/// use meshwright_verdict::completion::{Question, curve};
/// let question = Question {
///     name: "sort".to_string(), computation: None, alpha: Some(0.5), combine_alpha: Some(0.5),
///     volume: Bytes(4096), result: Bytes(4096), size: 1024, work: Work::parse("leaf=8nlogn,combine=8n", None)?,
///     nodes: vec![1, 2, 4, 8, 16], per_node: vec![1], tasks_max: 16, cores: 1, host: false, placements: vec![], seed: 0,
/// };
/// let report = curve(&question, &Machine::new("mesh:4x4")?, &mut |_| {})?;
/// assert_eq!(report.completion[0].simulated_cycles, 8 * 1024 * 10, "one node: n log2 n operations");
/// assert!(report.completion.iter().all(|row| row.bound_cycles <= row.simulated_cycles));
/// assert_eq!(report.best.nodes, 16, "a message of 4096 bytes takes less than sorting them");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn curve(
    question: &Question,
    machine: &Machine,
    progress: &mut dyn FnMut(&str),
) -> Result<CompletionReport> {
    if machine.fabric().is_some() {
        let why = "the time of a message alone is known for machines with equal links only, such as mesh:8x8";
        return Err(Error::not_applicable("the time of completion", why));
    }
    let mut rows: Vec<(CompletionRow, u64)> = Vec::new();
    let (mut skipped, mut best): (_, Option<(usize, Schedule)>) = (Vec::new(), None);
    for &nodes in &question.nodes {
        for &per_node in &question.per_node {
            if u64::from(nodes) * u64::from(per_node) > u64::from(question.tasks_max) {
                let why = format!("{} has {} tasks at most", question.name, question.tasks_max);
                let method = format!("{nodes} nodes with {per_node} tasks each");
                skipped.push(Skipped { method, why, deadlock: false });
                continue;
            }
            let job = question.job(machine, nodes, per_node)?;
            let mut tell = |what: &str| progress(&format!("{nodes} nodes, {what}"));
            let Some((row, run)) = row(question, &job, machine, &mut skipped, &mut tell)? else { continue };
            // Of equal rows the one with the fewest nodes, then with the fewest tasks.
            if best.as_ref().is_none_or(|(index, _)| run.ticks < rows[*index].1) {
                best = Some((rows.len(), run.schedule));
            }
            rows.push((row, run.ticks));
        }
    }
    let Some((best, schedule)) = best else {
        return Err(nothing_applies("the time of completion", &skipped));
    };
    let rows = rows.into_iter().map(|(row, _)| row).collect();
    CompletionReport::new(question, machine, (rows, best, schedule), skipped)
}

/// A placement that was simulated.
struct Simulated {
    ticks: u64,
    predicted: u64,
    placement: Placement,
    schedule: Schedule,
    fitted: Fitted,
}

/// The fastest of the placements of a tree; none when no placement comes to an end.
fn fastest(
    question: &Question,
    (job, folded, bound): (&Completion, &Folded, u64),
    machine: &Machine,
    skipped: &mut Vec<Skipped>,
    tell: &mut dyn FnMut(&str),
) -> Result<Option<Simulated>> {
    let graph = divide::in_proportion(&job.divide)?;
    let mut fastest: Option<Simulated> = None;
    for method in question.methods(machine, folded.nodes) {
        if !question.is_worth(method, folded.nodes, fastest.as_ref(), bound) {
            continue;
        }
        tell(method);
        let name = || format!("{method} on {} nodes", folded.nodes);
        let placement = match place(method, &Request::of(&graph, machine, question.seed)) {
            Ok(placement) => placement,
            // Those that nobody asked for are not missed.
            Err(Error::NotApplicable { .. })
                if question.placements.is_empty() && method != bisection::BISECTION.name =>
            {
                continue;
            }
            Err(Error::NotApplicable { why, .. }) => {
                skipped.push(Skipped { method: name(), why, deadlock: false });
                continue;
            }
            Err(error) => return Err(error),
        };
        let schedule = folded.schedule(&placement, machine);
        let fitted = fitting::simulate(machine, &schedule, FLIT_HOPS_MAX)?;
        if let Some(why) = super::measure::deadlock_sentence(machine, &fitted) {
            skipped.push(Skipped { method: name(), why, deadlock: true });
            continue;
        }
        let ticks = fitted.trace.ticks;
        not_below(bound, ticks, "ticks", &name(), Some(question.seed))?;
        if fastest.as_ref().is_none_or(|fastest| ticks < fastest.ticks) {
            let predicted = predicted(folded, &placement, machine, &fitted)?;
            fastest = Some(Simulated { ticks, predicted, placement, schedule, fitted });
        }
    }
    Ok(fastest)
}

/// One number of nodes, under the fastest of its placements.
fn row(
    question: &Question,
    job: &Completion,
    machine: &Machine,
    skipped: &mut Vec<Skipped>,
    tell: &mut dyn FnMut(&str),
) -> Result<Option<(CompletionRow, Simulated)>> {
    let folded = Folded::new(job)?;
    let bound = folded.bound_ticks(machine);
    let run = fastest(question, (job, &folded, bound), machine, skipped, tell)?;
    let Some(run) = run else { return Ok(None) };
    let cycles = |ticks: u64| machine.costs().cycles(ticks).0;
    let (bound_cycles, simulated_cycles) = (cycles(bound), cycles(run.ticks));
    let speedup = words::speedup(job.sequential_cycles()?, &folded.host_cycles(machine), simulated_cycles);
    let row = CompletionRow {
        nodes: folded.nodes,
        per_node: job.per_node,
        tasks: folded.nodes * job.per_node,
        depth: job.depth(),
        placement: run.placement.name.clone(),
        bound_cycles,
        predicted_cycles: cycles(run.predicted),
        simulated_cycles,
        gap: gap(bound_cycles, simulated_cycles),
        speedup,
        efficiency: speedup / (f64::from(folded.nodes) * f64::from(folded.cores)),
        waited_link: link_use::blame(&run.fitted.trace, machine),
    };
    Ok(Some((row, run)))
}

/// The forecast on the routes of a placement, in ticks.
fn predicted(folded: &Folded, placement: &Placement, machine: &Machine, fitted: &Fitted) -> Result<u64> {
    let node = |core: u32| placement.nodes[(core / folded.cores) as usize];
    let remote = || folded.handovers.iter().filter(|handover| !folded.is_local(handover));
    let way = Way::of(machine, fitted.routers.as_ref())?;
    // By task of the child: links from its parent, and back.
    let mut hops = vec![[Hops(0); 2]; placement.nodes.len()];
    for (direction, is_down) in [(0, true), (1, false)] {
        let pair = |parent, child| if is_down { (parent, child) } else { (child, parent) };
        let pairs: Vec<Pair> = remote().map(|one| pair(node(one.parent), node(one.child))).collect();
        let routes = way.routes(&pairs)?;
        for (index, handover) in remote().enumerate() {
            hops[(handover.child / folded.cores) as usize][direction] = routes.hops(index, pairs[index]);
        }
    }
    // Labels are in postorder: a parent has the higher one.
    let between = |from: u32, to: u32| if from > to { hops[to as usize][0] } else { hops[from as usize][1] };
    Ok(folded.forecast_ticks(machine, between))
}

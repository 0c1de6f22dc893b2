//! The form of the answer.

use serde::Serialize;

use super::{Question, words};
use crate::{LinkWait, Skipped};
use meshwright_core::error::Result;
use meshwright_mapping::completion::Folded;
use meshwright_network::topology::Machine;
use meshwright_schedule::Schedule;

/// Times of completion over numbers of nodes.
#[derive(Debug, Serialize)]
pub struct CompletionReport {
    /// The version of this form: 1.
    pub format: u32,
    /// What is computed.
    pub tasks: String,
    /// On what.
    pub machine: String,
    /// How many of its nodes work.
    pub machine_nodes: u32,
    /// The name of the computation, if it is a well-known one.
    pub computation: Option<&'static str>,
    /// The share sent on.
    pub alpha: Option<f64>,
    /// The same for results.
    pub combine_alpha: Option<f64>,
    /// Bytes of the problem.
    pub volume: u64,
    /// Bytes of the result.
    pub result: u64,
    /// Elements of the problem.
    pub size: u64,
    /// Cycles of each step on n elements.
    pub work: WorkForms,
    /// Cores of each node.
    pub cores: u32,
    /// Whether the data come from a host.
    pub host: bool,
    /// c, in cycles.
    pub startup: u64,
    /// b, in cycles per byte.
    pub byte_time: f64,
    /// h, in bytes.
    pub flit: u64,
    /// How messages move.
    pub switching: &'static str,
    /// The seed of whatever is random.
    pub seed: u64,
    /// What one core takes that solves the whole without dividing it, the host's messages included.
    pub sequential_cycles: u64,
    /// By number of nodes, then by tasks of each.
    pub completion: Vec<CompletionRow>,
    /// The fastest of them.
    pub best: CompletionBest,
    /// The fewest nodes, then tasks, that take at most 5 % longer.
    pub frugal: CompletionPoint,
    /// Why, in sentences.
    pub reason: String,
    /// What was left out.
    pub skipped: Vec<Skipped>,
    /// The best one as messages and computations.
    #[serde(skip)]
    pub schedule: Schedule,
}

/// The work of each step as a sum of terms, in words.
#[derive(Clone, Debug, Serialize)]
pub struct WorkForms {
    /// Dividing.
    pub divide: String,
    /// Solving.
    pub leaf: String,
    /// Combining.
    pub combine: String,
}

/// One number of nodes.
#[derive(Clone, Debug, Serialize)]
pub struct CompletionRow {
    /// How many nodes.
    pub nodes: u32,
    /// How many tasks on each.
    pub per_node: u32,
    /// How many in all.
    pub tasks: u32,
    /// How often the problem is divided on the way to a task.
    pub depth: u32,
    /// The fastest placement.
    pub placement: String,
    /// No placement of this tree takes less.
    pub bound_cycles: u64,
    /// The forecast of this placement, as if nobody waited for a link.
    pub predicted_cycles: u64,
    /// The simulated time.
    pub simulated_cycles: u64,
    /// simulated / bound - 1.
    pub gap: f64,
    /// The time of one core over this one.
    pub speedup: f64,
    /// The same for each core that works.
    pub efficiency: f64,
    /// Where messages waited the longest.
    pub waited_link: Option<LinkWait>,
}

/// The fastest row.
#[derive(Clone, Debug, Serialize)]
pub struct CompletionBest {
    /// How many nodes.
    pub nodes: u32,
    /// How many tasks on each.
    pub per_node: u32,
    /// How often the problem is divided on the way to a task.
    pub depth: u32,
    /// Where.
    pub placement: String,
    /// Its bound.
    pub bound_cycles: u64,
    /// Its time.
    pub simulated_cycles: u64,
    /// Whether the bounds of all other rows are no less: then no placement makes another row faster.
    pub is_proved: bool,
}

impl CompletionBest {
    /// The best of these rows.
    fn of(rows: &[CompletionRow], best: usize) -> Self {
        let row = &rows[best];
        let mut others = rows.iter().enumerate().filter(|(index, _)| *index != best);
        Self {
            nodes: row.nodes,
            per_node: row.per_node,
            depth: row.depth,
            placement: row.placement.clone(),
            bound_cycles: row.bound_cycles,
            simulated_cycles: row.simulated_cycles,
            is_proved: others.all(|(_, other)| other.bound_cycles >= row.simulated_cycles),
        }
    }
}

/// A number of nodes, and its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompletionPoint {
    /// How many nodes.
    pub nodes: u32,
    /// How many tasks on each.
    pub per_node: u32,
    /// How often the problem is divided on the way to a task.
    pub depth: u32,
    /// The simulated time.
    pub simulated_cycles: u64,
}

impl CompletionPoint {
    /// What a row says.
    fn of(row: &CompletionRow) -> Self {
        let CompletionRow { nodes, per_node, depth, simulated_cycles, .. } = *row;
        Self { nodes, per_node, depth, simulated_cycles }
    }
}

impl CompletionReport {
    /// The answer to a question: its rows, which of them is the best, and the schedule of that one.
    pub(super) fn new(
        question: &Question,
        machine: &Machine,
        (completion, best, schedule): (Vec<CompletionRow>, usize, Schedule),
        skipped: Vec<Skipped>,
    ) -> Result<Self> {
        let whole = question.job(machine, 1, 1)?;
        let host = Folded::new(&whole)?.host_cycles(machine);
        let found = CompletionBest::of(&completion, best);
        let frugal = words::frugal(&completion, best);
        let sequential_cycles = words::sequential(whole.sequential_cycles()?, &host);
        let reason = words::reason(&completion, (best, frugal), sequential_cycles, machine.living_count());
        let frugal = CompletionPoint::of(&completion[frugal]);
        let work = &question.work;
        let costs = machine.costs();
        Ok(Self {
            format: 1,
            tasks: question.name.clone(),
            machine: machine.name().to_string(),
            machine_nodes: machine.living_count(),
            computation: question.computation,
            alpha: question.alpha,
            combine_alpha: question.combine_alpha,
            volume: question.volume.0,
            result: question.result.0,
            size: question.size,
            work: WorkForms {
                divide: work.divide.to_string(),
                leaf: work.leaf.to_string(),
                combine: work.combine.to_string(),
            },
            cores: question.cores,
            host: question.host,
            startup: costs.startup.0,
            byte_time: costs.byte_time.to_f64(),
            flit: costs.flit.0,
            switching: machine.switching().name(),
            seed: question.seed,
            sequential_cycles,
            completion,
            best: found,
            frugal,
            reason,
            skipped,
            schedule,
        })
    }
}

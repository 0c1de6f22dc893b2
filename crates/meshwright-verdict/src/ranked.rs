//! A placed tree becomes a tree over ranks: the waist between planners and the executors that really run.

use super::auto::AUTO;
use super::{Job, mapping};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::Bytes;
use meshwright_mapping::divide::Preset;
use meshwright_mapping::{Divide, Placement, Shape, TaskGraph};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::RankTree;

/// The word for ranks that the launcher has placed already: rank r runs task r, as `map --emit` writes it.
pub const LAUNCHED: &str = "launched";

/// A divide-and-conquer job whose tasks are ranks.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The machine's name.
    pub machine: String,
    /// The placement's name.
    pub placement: String,
    /// The job: who sends how much to whom, as the planner sees it.
    pub tasks: TaskGraph,
    /// The rank of each task.
    pub ranks: Vec<u32>,
    /// The same tree over ranks.
    pub tree: RankTree,
}

impl Ranked {
    /// Places a job on as many ranks as the machine has living nodes; rank r is the r-th of them.
    ///
    /// The machine is the mesh that is nearest to a square when none is given. The tree is binomial for 2^n ranks, else
    /// the halving tree of the box, or of a line. The placement is centred-halving where the machine is a box, else
    /// bisection, when none is named; `auto` takes the winner, [`LAUNCHED`] leaves rank r to task r.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when there is no rank or the machine has another number of living nodes than there are ranks;
    /// as for [`Divide::check`] and [`mapping::place`](meshwright_mapping::place).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_mapping::divide::PRESETS;
    /// use meshwright_core::units::Bytes;
    /// use meshwright_verdict::Ranked;
    /// let sort = PRESETS.iter().find(|preset| preset.name == "merge-sort").unwrap();
    /// let ranked = Ranked::new(sort, Bytes(1 << 20), None, None, (16, 0))?;
    /// assert_eq!((ranked.machine.as_str(), ranked.placement.as_str()), ("mesh:4x4", "centred-halving"));
    /// // The root is in the middle of the mesh, at (2,2).
    /// assert_eq!((ranked.tree.root(), ranked.tree.phases()), (10, 4));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn new(
        preset: &Preset,
        volume: Bytes,
        machine: Option<Machine>,
        placement: Option<&str>,
        (ranks, seed): (u32, u64),
    ) -> Result<Self> {
        if ranks == 0 {
            return Err(Error::value("number of ranks", ranks, "at least 1"));
        }
        let machine = machine.map_or_else(|| Machine::new(&nearest_to_a_square(ranks)), Ok)?;
        if machine.living_count() != ranks {
            let nodes = format!("{} with {} living nodes", machine.name(), machine.living_count());
            return Err(Error::value("machine", nodes, format!("as many living nodes as ranks, {ranks}")));
        }
        let shape = match machine.whole_grid() {
            _ if ranks.is_power_of_two() => Shape::Binomial(ranks.trailing_zeros()),
            Some(grid) => Shape::Halving(grid.sides().to_vec()),
            None => Shape::Halving(vec![ranks]),
        };
        let Preset { alpha, combine_alpha, .. } = *preset;
        let job = Job::data(&Divide { shape, alpha, combine_alpha, volume })?;
        let closed = if machine.whole_grid().is_some() { "centred-halving" } else { "bisection" };
        let name = placement.unwrap_or(closed);
        let (placement, ranks) = placed(&job, &machine, name, seed)?;
        let tree = tree(&job.tasks, &ranks)?;
        Ok(Self { machine: machine.name().to_string(), placement, tasks: job.tasks, ranks, tree })
    }

    /// Messages and bytes of the phases 1 to n of the divide stage and n + 1 to 2n of the combine stage, as the planner
    /// sees them; a stage the job does not have sends nothing.
    pub fn planned(&self) -> Vec<(u64, Bytes)> {
        let n = self.tree.phases() as usize;
        let is_reduction = self.tasks.divide.as_ref().is_some_and(|divide| divide.alpha.is_none());
        let mut planned = vec![(0, Bytes(0)); 2 * n];
        for index in 0..self.tasks.phases() {
            let number = self.tasks.number(index) as usize + if is_reduction { n } else { 0 };
            for edge in self.tasks.phase(index) {
                planned[number - 1].0 += 1;
                planned[number - 1].1.0 += edge.bytes.0;
            }
        }
        planned
    }
}

/// The name of a placement, and the rank of each task.
fn placed(job: &Job, machine: &Machine, name: &str, seed: u64) -> Result<(String, Vec<u32>)> {
    if name == LAUNCHED {
        return Ok((name.to_string(), (0..job.tasks.tasks).collect()));
    }
    let placement = if name == AUTO {
        winner(job, machine, seed)?
    } else {
        job.on(machine).place(name, seed).map_err(of_ranks)?
    };
    let mut rank = vec![None; machine.nodes() as usize];
    (0..).zip(machine.living()).for_each(|(number, node)| rank[node.index()] = Some(number));
    let of =
        |node: &meshwright_core::units::NodeId| rank[node.index()].expect("tasks are placed on living nodes");
    Ok((placement.name, placement.nodes.iter().map(of).collect()))
}

/// An unknown placement, with the names that are known here.
fn of_ranks(error: Error) -> Error {
    match error {
        Error::Value { what: "placement", value, expected } => {
            let expected = format!("{AUTO}, {LAUNCHED}, {}", expected.trim_end_matches(" or all"));
            Error::Value { what: "placement", value, expected }
        }
        other => other,
    }
}

/// The placement that wins.
fn winner(job: &Job, machine: &Machine, seed: u64) -> Result<Placement> {
    let verdict = mapping::judge(AUTO, job, machine, &[AUTO], seed, &mut |_| {})?;
    let won = verdict.winner().map(|winner| winner.outcome);
    let stuck = || Error::not_applicable(AUTO, "no placement comes to an end under this switching");
    won.map(|outcome| outcome.detail.placement.clone()).ok_or_else(stuck)
}

/// The tree of a job over the ranks of its tasks.
fn tree(tasks: &TaskGraph, ranks: &[u32]) -> Result<RankTree> {
    let shape = &tasks.divide.as_ref().expect("the job is divide and conquer").shape;
    let mut edges = Vec::with_capacity(ranks.len());
    shape.for_each_edge(|phase, parent, child| {
        edges.push((phase, ranks[parent as usize], ranks[child as usize]));
    });
    let root = ranks.last().expect("a tree has a root");
    RankTree::new(ranks.len() as u32, *root, &edges)
}

/// The mesh of so many nodes whose sides differ least.
///
/// # Examples
///
/// ```
/// use meshwright_verdict::nearest_to_a_square;
/// assert_eq!([16, 12, 7].map(nearest_to_a_square), ["mesh:4x4", "mesh:3x4", "mesh:1x7"]);
/// ```
pub fn nearest_to_a_square(nodes: u32) -> String {
    let rows = (1..=nodes.isqrt()).rev().find(|rows| nodes.is_multiple_of(*rows)).unwrap_or(1);
    format!("mesh:{rows}x{}", nodes / rows)
}

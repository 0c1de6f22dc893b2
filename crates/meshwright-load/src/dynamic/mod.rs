//! Loads that arrive over time, on processors whose speed changes: policies that share them out while they run.
//!
//! The load is cut into grains; a processor works off one after the other, and what waits can still go elsewhere. Messages
//! are stored and forwarded whole. A policy is a [`Policy`]: a part of a [`Process`](meshwright_schedule::Process) on each
//! node, so what one node knows of another has crossed links.
//!
//! | file | what |
//! |---|---|
//! | this one | [`Case`]: machine, loads, speeds; [`Ledger`]: what came of it |
//! | `weather` | [`Weather`]: how fast every processor is at every moment |
//! | `spec` | [`weather()`](spec::weather), [`poisson`](spec::poisson): what is drawn at random |
//! | `trace` | arrivals and speeds from files |
//! | `body` | [`Worker`]: a node, whatever its policy |
//! | `fixed` | [`Fixed`]: the static optimum, once |
//! | `central` | [`Central`]: chunks from the source: guided, factoring, trapezoid |
//! | `stealing` | [`Stealing`]: who has nothing asks others |
//! | `diffusion` | [`Diffusion`]: neighbours even out |
//! | `resolved` | [`Resolved`]: the optimum again and again, by what was measured |
//! | `nearest` | flows that take short ways |
//! | `bound` | [`clairvoyant`]: no policy is faster |

mod body;
mod bound;
mod central;
mod diffusion;
mod fixed;
mod nearest;
mod resolved;
pub mod spec;
mod stealing;
pub mod trace;
mod weather;

pub use body::{Body, Content, Hands, Policy, Worker};
pub use bound::clairvoyant;
pub use central::{Central, CentralNote, Rule, Sequence};
pub use diffusion::{Diffusion, Level};
pub use fixed::Fixed;
pub use resolved::{Resolved, ResolvedNote};
pub use stealing::{Stealing, StealingNote, Victims};
pub use weather::{FULL, Weather};

use super::installments::Scale;
use super::optimum::{self, Flow};
use super::{Problem, Source};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{self, Machine, Topology};

/// Load that enters the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Where.
    pub node: NodeId,
    /// When, in cycles.
    pub at: u64,
    /// How much.
    pub bytes: u64,
}

/// A part of one of the loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The index of the load in [`Case::arrivals`].
    pub job: u32,
    /// How much of it.
    pub bytes: u64,
}

/// The largest machine, in nodes: distances between all of them are kept.
pub const NODES_MAX: u32 = 4096;

/// What is to be done: loads that arrive on a machine whose processors change.
#[derive(Debug)]
pub struct Case<'c> {
    /// Problem and units; its sources say where loads enter and how much of the whole enters there.
    pub scale: &'c Scale<'c, 'c>,
    /// What arrives, and when.
    pub arrivals: Vec<Arrival>,
    /// The speeds.
    pub weather: Weather,
    /// How many bytes a processor takes up at a time.
    pub grain: u64,
    /// The bytes of the shortest note: 1/64 of a grain, at least one.
    pub note: u64,
    /// The static optimum of all loads at once, at the planned speeds: its flow in shares of the whole.
    pub plan: Flow,
    /// The time of that plan, in cycles.
    pub planned_cycles: f64,
    /// Where loads enter.
    pub entries: Vec<NodeId>,
    /// Hops between any two nodes.
    distances: Vec<u16>,
}

impl<'c> Case<'c> {
    /// The loads `arrivals` under `weather`, with so many grains for each processor that works.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] for more than [`NODES_MAX`] nodes, [`Error::NotApplicable`] where links are not alike or
    /// nodes are cut off, and what [`optimum::solve`] refuses.
    ///
    /// # Complexity
    ///
    /// O(nodes^2), and that of the optimum.
    pub fn new(
        scale: &'c Scale<'c, 'c>,
        arrivals: Vec<Arrival>,
        weather: Weather,
        grains: u64,
    ) -> Result<Self> {
        let problem = scale.problem();
        let machine = problem.machine();
        check(problem)?;
        let nodes = machine.nodes();
        let mut distances = Vec::with_capacity(nodes as usize * nodes as usize);
        for node in (0..nodes).map(NodeId) {
            let row = topology::distances_from(machine, node);
            distances.extend(row.into_iter().map(|hops| u16::try_from(hops).unwrap_or(u16::MAX)));
        }
        let mut entries: Vec<NodeId> = arrivals.iter().map(|arrival| arrival.node).collect();
        entries.sort_unstable();
        entries.dedup();
        let workers = machine.living().filter(|&node| problem.work(node).is_finite()).count() as u64;
        let whole: u64 = arrivals.iter().map(|arrival| arrival.bytes).sum();
        let grain = (whole / (workers.max(1) * grains)).max(1);
        let at = |node: &NodeId| {
            let here = arrivals.iter().filter(|arrival| arrival.node == *node).map(|arrival| arrival.bytes);
            (*node, here.sum())
        };
        let stocks: Vec<(NodeId, u64)> = entries.iter().map(at).collect();
        let (planned_cycles, plan) = solve(scale, &stocks, None)?;
        let note = (grain / 64).max(1);
        Ok(Self { scale, arrivals, weather, grain, note, plan, planned_cycles, entries, distances })
    }

    /// The machine.
    pub fn machine(&self) -> &'c Machine {
        self.scale.problem().machine()
    }

    /// Links between two nodes.
    pub fn hops(&self, from: NodeId, to: NodeId) -> u16 {
        self.distances[from.index() * self.machine().nodes() as usize + to.index()]
    }

    /// Whether a node has a processor that is planned to work.
    pub fn can_work(&self, node: NodeId) -> bool {
        self.scale.problem().work(node).is_finite()
    }

    /// The nodes that may work.
    pub fn workers(&self) -> Vec<NodeId> {
        self.machine().living().filter(|&node| self.can_work(node)).collect()
    }

    /// The cycles of a grain on a processor of work time 1.
    pub fn grain_cycles(&self) -> u64 {
        (self.grain as f64 * self.scale.unit_cycles() / self.scale.bytes() as f64).ceil() as u64
    }

    /// An equal share of all loads: the most that is handed over at once.
    pub fn share_most(&self) -> u64 {
        let whole: u64 = self.arrivals.iter().map(|arrival| arrival.bytes).sum();
        (whole / self.workers().len().max(1) as u64).max(1)
    }

    /// The most bytes of one message of load.
    pub fn message_most(&self) -> u64 {
        4 * self.grain
    }
}

/// Refuses what no policy knows.
fn check(problem: &Problem<'_>) -> Result<()> {
    let machine = problem.machine();
    if machine.nodes() > NODES_MAX {
        return Err(Error::TooLarge {
            what: "a load that changes",
            needed: format!("{} nodes", machine.nodes()),
            limit: format!("{NODES_MAX} nodes"),
        });
    }
    let why = |why: &str| Err(Error::not_applicable("a load that changes", why));
    if !problem.starts_at_once() {
        return why("sources have releases: say with arrivals when loads come");
    }
    if problem.speeds().is_some_and(|speeds| speeds.link.windows(2).any(|pair| pair[0] != pair[1])) {
        return why("links are not alike: messages over several of them are not known then");
    }
    let first = machine.living().next().unwrap_or_default();
    let reached = topology::distances_from(machine, first);
    if machine.living().any(|node| reached[node.index()] == u32::MAX) {
        return why("living nodes are cut off from each other");
    }
    Ok(())
}

/// The optimum for so many bytes on these nodes with processors at these speeds: its time in cycles, and its flow in
/// bytes if speeds are given, else in shares of the whole.
fn solve(scale: &Scale<'_, '_>, stocks: &[(NodeId, u64)], speeds: Option<&[f64]>) -> Result<(f64, Flow)> {
    let planned = scale.problem();
    let machine = planned.machine();
    let sources = stocks.iter().filter(|(_, bytes)| *bytes > 0);
    let sources: Vec<Source> = sources.map(|&(node, bytes)| Source::at(node, bytes as f64)).collect();
    let whole: u64 = stocks.iter().map(|(_, bytes)| bytes).sum();
    let mut problem = Problem::new(machine, sources, planned.sigma())?;
    if let Some(known) = planned.speeds() {
        problem = problem.with_speeds(known.clone())?;
    }
    if let Some(speeds) = speeds {
        let link = (0..machine.links()).map(|link| planned.link_time(meshwright_core::units::LinkId(link)));
        let work = (0u32..).map(NodeId).zip(speeds);
        // A processor that has stopped only relays.
        let work = work.map(|(node, &speed)| planned.work(node) / speed.max(0.0));
        let work = work.map(|time| if time.is_nan() { f64::INFINITY } else { time }).collect();
        problem = problem.with_speeds(super::Speeds { work, link: link.collect() })?;
    }
    let (makespan, _) = optimum::makespan(&problem)?;
    let mut flow = nearest::within(&problem, makespan);
    if speeds.is_some() {
        flow.link.iter_mut().chain(&mut flow.node).for_each(|part| *part *= whole as f64);
    }
    Ok((makespan * whole as f64 * scale.unit_cycles() / scale.bytes() as f64, flow))
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    /// Bytes that are not worked off, of all loads.
    pub left: u64,
    /// The same by load.
    pub left_of: Vec<u64>,
    /// By load, when the last of it was worked off, in cycles.
    pub ended: Vec<Option<u64>>,
    /// Cycles in which processors worked, added up.
    pub busy: u64,
    /// Bytes times the links they crossed.
    pub bytes_hops: u128,
    /// Messages sent.
    pub messages: u64,
    /// Processors that have not stopped.
    alive: usize,
}

impl Ledger {
    /// Nothing has been done.
    pub fn new(case: &Case<'_>) -> Self {
        let left_of: Vec<u64> = case.arrivals.iter().map(|arrival| arrival.bytes).collect();
        let ended = left_of.iter().map(|&bytes| (bytes == 0).then_some(0)).collect();
        let alive = case.workers().len();
        Self { left: left_of.iter().sum(), left_of, ended, busy: 0, bytes_hops: 0, messages: 0, alive }
    }

    fn send(&mut self, bytes: u64, hops: u16) {
        self.bytes_hops += u128::from(bytes) * u128::from(hops);
        self.messages += 1;
    }

    fn done(&mut self, piece: Piece, now: u64, busy: u64) {
        let left = &mut self.left_of[piece.job as usize];
        *left -= piece.bytes;
        self.left -= piece.bytes;
        self.busy += busy;
        if *left == 0 {
            self.ended[piece.job as usize] = Some(now);
        }
    }

    /// When all was done, in cycles; none if something never is.
    pub fn makespan(&self) -> Option<u64> {
        self.ended.iter().try_fold(0, |last, ended| Some(last.max((*ended)?)))
    }

    /// By load the cycles from its arrival to its end; none if some load never ends.
    pub fn responses(&self, case: &Case<'_>) -> Option<Vec<u64>> {
        let pairs = self.ended.iter().zip(&case.arrivals);
        pairs.map(|(ended, arrival)| Some(ended.as_ref()? - arrival.at)).collect()
    }

    /// The part of the time until the end in which processors that were alive did nothing.
    pub fn idle(&self, case: &Case<'_>) -> Option<f64> {
        let end = self.makespan()?;
        let alive = |node| case.weather.death(node).map_or(end, |death| death.min(end));
        let time: u64 = case.workers().into_iter().map(alive).sum();
        Some(if time > 0 { 1.0 - self.busy as f64 / time as f64 } else { 0.0 })
    }
}

#[cfg(test)]
mod tests;

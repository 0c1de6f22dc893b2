//! The form of the answer to `map`.

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use crate::explain::{Culprit, Explanation};
use crate::mapping::{Proved, Searched};
use crate::{LinkUse, LinkWait, MappingVerdict, Skipped};
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_mapping::Mapping;
use meshwright_mapping::certificate::Certificate;
use meshwright_mapping::times::Times;
use meshwright_network::topology::{Network, Switching};
use meshwright_schedule::Planner as _;
use meshwright_sim::fitting::Routers;

/// The switchings the paper compares.
pub const SWITCHINGS: [Switching; 2] = [Switching::Wormhole, Switching::StoreAndForward];

/// One value for each switching of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BySwitching<T> {
    /// Wormhole routing.
    pub wormhole: T,
    /// Store-and-forward routing.
    #[serde(rename = "store-and-forward")]
    pub store_and_forward: T,
    /// Virtual cut-through, where the machine has it.
    #[serde(rename = "cut-through", skip_serializing_if = "Option::is_none")]
    pub cut_through: Option<T>,
}

impl<T> BySwitching<T> {
    /// The value for a switching; where there is none for cut-through, it counts as the pipeline it is, like wormhole
    /// routing.
    pub fn of(&self, switching: Switching) -> &T {
        match switching {
            Switching::Wormhole => &self.wormhole,
            Switching::CutThrough => self.cut_through.as_ref().unwrap_or(&self.wormhole),
            Switching::StoreAndForward => &self.store_and_forward,
        }
    }

    /// A value for each of [`SWITCHINGS`], and for cut-through if that is among these.
    pub(super) fn each(switchings: &[Switching], mut value: impl FnMut(Switching) -> T) -> Self {
        let cut_through = switchings.contains(&Switching::CutThrough);
        Self {
            wormhole: value(Switching::Wormhole),
            store_and_forward: value(Switching::StoreAndForward),
            cut_through: cut_through.then(|| value(Switching::CutThrough)),
        }
    }

    /// As [`Self::each`], unless one of them fails.
    pub(super) fn try_each(
        switchings: &[Switching],
        mut value: impl FnMut(Switching) -> Result<T>,
    ) -> Result<Self> {
        let cut_through = switchings.contains(&Switching::CutThrough);
        Ok(Self {
            wormhole: value(Switching::Wormhole)?,
            store_and_forward: value(Switching::StoreAndForward)?,
            cut_through: cut_through.then(|| value(Switching::CutThrough)).transpose()?,
        })
    }

    /// Another value for each.
    pub(super) fn map<U>(&self, mut other: impl FnMut(&T) -> U) -> BySwitching<U> {
        BySwitching {
            wormhole: other(&self.wormhole),
            store_and_forward: other(&self.store_and_forward),
            cut_through: self.cut_through.as_ref().map(&mut other),
        }
    }
}

/// What no placement can beat, and why.
#[derive(Clone, Debug, Serialize)]
pub struct BoundForm {
    /// The time.
    pub cycles: u64,
    /// The argument that proves the most of it.
    pub kind: &'static str,
    /// What proves it, see [`meshwright_mapping::certificate`]; left out under other switchings than the machine's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certificate>,
}

/// A job under every placement asked for.
#[derive(Debug, Serialize)]
pub struct MapReport {
    /// The version of this form: 1.
    pub format: u32,
    /// What was mapped.
    pub tasks: String,
    /// Onto what.
    pub machine: String,
    /// The share sent on, for divide and conquer.
    pub alpha: Option<f64>,
    /// The same for the combine stage.
    pub combine_alpha: Option<f64>,
    /// Whether messages are parts of data, in proportion to the tasks that work on them, see
    /// [`in_proportion`](meshwright_mapping::divide::in_proportion); else each is alpha^i of the volume, as on a binomial tree
    /// in any case.
    pub in_proportion: bool,
    /// Bytes at the root, for divide and conquer.
    pub volume: Option<u64>,
    /// c, in cycles.
    pub startup: u64,
    /// b, in cycles per byte.
    pub byte_time: f64,
    /// h, in bytes.
    pub flit: u64,
    /// The seed of whatever is random.
    pub seed: u64,
    /// Times by the clock of the machine.
    #[serde(flatten)]
    pub seconds: Seconds,
    /// What no placement can beat under the machine's own switching, in whole cycles.
    pub bound_cycles: u64,
    /// The same with what proves it.
    pub bound: BoundForm,
    /// The same for every switching.
    pub bounds: BySwitching<BoundForm>,
    /// The switchings that were simulated; under others `simulated_cycles` is null.
    pub switchings: Vec<Switching>,
    /// What `auto` chooses; null when it was not asked for, or everything deadlocks.
    pub choice: Option<Choice>,
    /// The search that made some of the placements, if there was one.
    pub searched: Option<Searched>,
    /// Whether a signal has ended a search before its time: left out if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// The busiest link of the placement that takes the least time under the machine's own switching; null where that was
    /// not simulated, or no message crosses a link.
    pub culprit: Option<OfPlacement>,
    /// Why the winner takes as long as it does, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explanation>,
    /// Placement by placement.
    pub placements: Vec<MapRow>,
    /// Placements that do not apply.
    pub skipped: Vec<Skipped>,
    /// The verdict of a plan under the machine's own switching, if it was reached; for pages and drawings.
    #[serde(skip)]
    pub verdict: Option<MappingVerdict>,
}

/// Times under the machine's own switching in seconds; all left out where the machine has no clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Seconds {
    /// One cycle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle_seconds: Option<f64>,
    /// What no placement can beat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound_seconds: Option<f64>,
    /// The least simulated time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated_seconds: Option<f64>,
}

impl Seconds {
    /// Those of these placements.
    pub(super) fn of(mapping: &Mapping<'_>, placements: &[MapRow]) -> Self {
        let machine = mapping.machine();
        let bound = machine.costs().cycles(mapping.own_bound().ticks).0;
        let least = placements.iter().filter_map(|row| *row.simulated_cycles.of(machine.switching())).min();
        Self {
            cycle_seconds: machine.seconds(1.0),
            bound_seconds: machine.seconds(bound as f64),
            simulated_seconds: least.and_then(|cycles| machine.seconds(cycles as f64)),
        }
    }
}

/// The culprit of one placement.
#[derive(Debug, Serialize)]
pub struct OfPlacement {
    /// The placement.
    pub placement: String,
    /// Under which switching.
    pub switching: Switching,
    /// What the referee measures.
    pub simulated_cycles: u64,
    /// The busiest link, with the messages on it.
    #[serde(flatten)]
    pub culprit: Culprit,
}

/// The placement that `auto` chooses.
#[derive(Debug, Serialize)]
pub struct Choice {
    /// Its name.
    pub placement: String,
    /// For which switching: the machine's own.
    pub switching: Switching,
    /// Why, in one sentence.
    pub reason: String,
    /// Which placement moves the least, when it is another, in one sentence.
    pub advice: Option<String>,
}

/// A job under one placement.
#[derive(Debug, Serialize)]
pub struct MapRow {
    /// The method's name.
    pub name: String,
    /// Which member of its family the placement `axes` is; of others left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axes: Option<String>,
    /// The coordinates of each task's node.
    pub positions: Positions,
    /// Phase by phase.
    pub phases: Vec<MapPhase>,
    /// Communication times.
    pub time: BySwitching<Times>,
    /// Times over those of the perfect mapping.
    pub slowdown: BySwitching<Times>,
    /// What no placement that sends these messages whole can beat.
    pub bound: BySwitching<Times>,
    /// What the referee measures, with a barrier after each phase; null where the routes deadlock.
    pub simulated_cycles: BySwitching<Option<u64>>,
    /// Who measured it: `message`, or `flit` where whole messages would wait for each other in a ring.
    pub engine: BySwitching<&'static str>,
    /// The routers of the flit engine, if it did.
    pub routers: BySwitching<Option<Routers>>,
    /// The busiest link of the whole job, by time; null when nothing is sent over a link.
    pub busiest_link: BySwitching<Option<LinkUse>>,
    /// The link that messages waited for the longest; null when none ever waited.
    pub waited_link: BySwitching<Option<LinkWait>>,
    /// What the time is made of, or why there is none, in a clause; null where nothing was simulated.
    pub reason: BySwitching<Option<String>>,
    /// The same time by four models, from the simplest on.
    pub levels: BySwitching<Levels>,
    /// simulated / bound - 1, of whole cycles as `plan` has it; null where the routes deadlock.
    pub gap: BySwitching<Option<f64>>,
    /// All hops of all messages.
    pub hops_total: u64,
    /// What is proved of it: left out for all but `exact`.
    #[serde(flatten)]
    pub proved: Option<Box<Proved>>,
}

/// The time of one placement by four models, in cycles, a barrier after each phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Levels {
    /// As if no two messages met: the paper's formula.
    pub alone: f64,
    /// The busiest link of each phase: no schedule on these routes takes less.
    pub link: f64,
    /// Each message waits for all it meets: pessimistic, but no bound.
    pub path: f64,
    /// What the referee measures; null where the routes deadlock.
    pub simulated: Option<u64>,
}

/// The phase table of one placement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MapPhase {
    /// The phase number, of the first of its repetitions.
    pub phase: u32,
    /// How often it runs: left out if once.
    #[serde(skip_serializing_if = "crate::is_one")]
    pub repeats: u32,
    /// How many messages, every repetition counted.
    pub messages: u64,
    /// W(E_i): volumes of the root, or bytes for a trace.
    pub weight: f64,
    /// D(E_i), in links.
    pub dilation: u32,
    /// D_w(E_i), weight times links.
    pub weighted_dilation: f64,
    /// The most other messages one message meets.
    pub contention: u32,
    /// C_w(E_i), weight.
    pub weighted_contention: f64,
    /// The most messages on one link.
    pub link_load: u32,
}

/// Node coordinates, written one by one: a million of them take no memory of their own.
#[derive(Debug)]
pub struct Positions {
    pub(super) nodes: Vec<NodeId>,
    pub(super) network: Network,
}

impl Serialize for Positions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.nodes.len()))?;
        for node in &self.nodes {
            match &self.network {
                Network::Grid(grid) => list.serialize_element(&grid.coordinates(*node))?,
                Network::Graph(_) => list.serialize_element(&[node.0])?,
            }
        }
        list.end()
    }
}

impl MapRow {
    /// The node of each task.
    pub fn nodes(&self) -> &[NodeId] {
        &self.positions.nodes
    }
}

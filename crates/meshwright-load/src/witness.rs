//! Witnesses that a claim can be kept: the load that crosses every link.

use serde::Serialize;

use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::{Machine, Topology};

/// Load on a link during an interval of time, within which its rate is constant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stretch {
    /// The node it leaves.
    pub from: NodeId,
    /// The node it enters.
    pub to: NodeId,
    /// How much crosses, as a share of the whole load.
    pub amount: f64,
    /// From when on, in units of w Tcp.
    pub begin: f64,
    /// Until when.
    pub end: f64,
    /// The index of its source, where sources are kept apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<usize>,
}

impl Stretch {
    /// What crosses the links between two moments: by link id an amount, and an entry where it is above 0.
    pub fn of_links(
        machine: &Machine,
        amounts: &[f64],
        (begin, end): (f64, f64),
        source: Option<usize>,
    ) -> Vec<Self> {
        let mut stretches = Vec::new();
        for (link, &amount) in (0..).map(LinkId).zip(amounts) {
            if let Some(to) = machine.target(link).filter(|_| amount > 0.0) {
                stretches.push(Self { from: machine.source(link), to, amount, begin, end, source });
            }
        }
        stretches
    }
}

/// What keeps a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WitnessKind {
    /// A flow: rates at which links carry load, with messages as short as one likes.
    Flow,
    /// Messages that were simulated on the machine that was asked for.
    Schedule,
}

/// The proof that a claim can be kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Witness {
    /// What it is.
    pub kind: WitnessKind,
    /// When it is done, in units of w Tcp: not after the makespan that is claimed, up to rounding.
    pub makespan: f64,
    /// What crosses the links; of a schedule nothing, its messages say it.
    pub flow: Vec<Stretch>,
    /// The results that go back, as a share of the whole load.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub returned: Vec<Stretch>,
    /// How many messages the schedule sends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// The schedule as GOAL text, if it is short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
}

impl Witness {
    /// A flow.
    pub fn of_flow(makespan: f64, flow: Vec<Stretch>, returned: Vec<Stretch>) -> Self {
        Self { kind: WitnessKind::Flow, makespan, flow, returned, messages: None, goal: None }
    }
}

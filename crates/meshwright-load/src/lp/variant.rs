//! Machines whose nodes and links do less at a time, and what such a machine is asked to do.

use serde::Serialize;

use crate::{Cells, Problem};
use meshwright_core::units::NodeId;
use meshwright_network::topology::PortModel;

/// Whether the two directions of a wire can be used at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Duplex {
    /// Each direction is a link of its own.
    #[default]
    Full,
    /// The directions share the time of one link.
    Half,
}

/// How many messages a node sends, and how many it receives, at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ports {
    /// One on every link.
    #[default]
    All,
    /// So many out and so many in; with [`Duplex::Half`] so many of both together.
    Few(u32),
}

impl Ports {
    /// One message out and one in.
    pub const ONE: Self = Self::Few(1);

    /// The port model of a machine that is at least as strong and that simulators know.
    pub fn model(self) -> PortModel {
        if self == Self::ONE { PortModel::One } else { PortModel::All }
    }
}

impl From<PortModel> for Ports {
    fn from(model: PortModel) -> Self {
        match model {
            PortModel::All => Self::All,
            PortModel::One => Self::ONE,
        }
    }
}

impl Serialize for Ports {
    /// `all`, `one`, or a number.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::All => serializer.serialize_str("all"),
            Self::ONE => serializer.serialize_str("one"),
            Self::Few(ports) => serializer.serialize_u32(ports),
        }
    }
}

/// What nodes and links can do at a time, and what comes back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variant {
    /// How many messages a node takes part in at a time.
    pub ports: Ports,
    /// Whether a node computes while it communicates; without, the processor moves every message itself, one at a
    /// time, whatever `ports` says.
    pub front_end: bool,
    /// The size of the results of a load over that of the load (rho).
    pub results: f64,
    /// Where the results go; none for the source of their load.
    pub home: Option<NodeId>,
    /// How much load that is not its own a node has room for, as a share of the whole; none for any amount.
    pub memory: Option<f64>,
    /// Whether wires carry both directions at a time.
    pub duplex: Duplex,
}

impl Default for Variant {
    /// The machine of the fluid optimum: all ports, front ends, no results, full duplex.
    fn default() -> Self {
        Self {
            ports: Ports::All,
            front_end: true,
            results: 0.0,
            home: None,
            memory: None,
            duplex: Duplex::Full,
        }
    }
}

impl Variant {
    /// Whether a node can take part in one message at a time only, out or in.
    pub(super) fn is_one_at_a_time(&self) -> bool {
        !self.front_end || (self.ports != Ports::All && self.duplex == Duplex::Half)
    }

    /// The same without what a fluid needs no heed of: load that flows takes no room.
    pub fn fluid(self) -> Self {
        Self { memory: None, ..self }
    }
}

/// The optimum of a [`Variant`] and a distribution that has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// When all is worked off and every result is back, in units of w Tcp.
    pub makespan: f64,
    /// By node id, the share of the whole load it works off.
    pub work: Vec<f64>,
    /// By link id, the load it carries, as a share of the whole load.
    pub flow: Vec<f64>,
    /// By link id, the results it carries, in the same unit.
    pub returned: Vec<f64>,
    /// Whether schedules come as near to the makespan as one likes; else it is a lower bound.
    pub attained: bool,
    /// What is told apart, in one list each.
    pub parts: Vec<Part>,
}

impl Distribution {
    /// The sum of these parts.
    pub(super) fn of_parts(makespan: f64, parts: Vec<Part>) -> Self {
        let sum = |list: fn(&Part) -> &Vec<f64>| {
            let mut sum = vec![0.0; parts.first().map_or(0, |part| list(part).len())];
            for part in &parts {
                sum.iter_mut().zip(list(part)).for_each(|(sum, more)| *sum += more);
            }
            sum
        };
        let (work, flow, returned) =
            (sum(|part| &part.work), sum(|part| &part.flow), sum(|part| &part.returned));
        Self { makespan, work, flow, returned, attained: true, parts }
    }
}

/// The part of a distribution that belongs to the same results.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The indices of its sources.
    pub sources: Vec<usize>,
    /// Where its results go.
    pub home: Option<NodeId>,
    /// By node id, the load it works off.
    pub work: Vec<f64>,
    /// By link id, the load it carries.
    pub flow: Vec<f64>,
    /// By link id, the results it carries.
    pub returned: Vec<f64>,
}

/// Shares that are given.
#[derive(Clone, Copy)]
pub(super) struct Kept<'a> {
    pub(super) shares: &'a [f64],
    pub(super) cells: Option<&'a Cells>,
}

/// The loads of one source, which must not be mixed with others, or all of them where nothing comes back.
pub(super) struct Commodity {
    /// The indices of its sources.
    pub(super) sources: Vec<usize>,
    /// Where its results go.
    pub(super) home: Option<NodeId>,
    /// Node, phase and share of every load.
    pub(super) supplies: Vec<(NodeId, usize, f64)>,
}

/// What must be told apart: results that go to different places, and every source where it has its own nodes.
pub(super) fn commodities(
    problem: &Problem,
    variant: &Variant,
    starts: &[f64],
    apart: bool,
) -> Vec<Commodity> {
    let mut commodities: Vec<Commodity> = Vec::new();
    for (index, source) in problem.sources().iter().enumerate() {
        let home = (variant.results > 0.0).then_some(variant.home.unwrap_or(source.node));
        let phase = starts.partition_point(|&start| start < source.release);
        let supply = (source.node, phase, source.load);
        match commodities.iter_mut().find(|commodity| !apart && commodity.home == home) {
            Some(commodity) => {
                commodity.supplies.push(supply);
                commodity.sources.push(index);
            }
            None => commodities.push(Commodity { sources: vec![index], home, supplies: vec![supply] }),
        }
    }
    commodities
}

//! Which argument proves how much, and the certificate that says it to others.

use super::graph::Terrain;
use crate::certificate::leaving::Leaving;
use crate::certificate::{Certificate, Side};

/// One argument, with as little as its certificate can be made from.
#[derive(Clone, Debug)]
pub(super) enum Argument {
    Message { source: u32, target: u32, bytes: u64 },
    Partner { task: u32, partners: u32, hops: u32 },
    Ports { task: u32, side: Side },
    Ends { task: u32, side: Side },
    Degrees { nodes: u32, side: Side },
    Cut { nodes: usize, leaving: Leaving },
    Growth { ticks: u64, share: u32 },
    Squares { columns: u32 },
    Distances,
    GilmoreLawler { tasks: Vec<i64>, nodes: Vec<i64> },
}

/// What an argument proves, in ticks.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) ticks: u128,
    pub(super) argument: Argument,
}

impl Found {
    /// No ticks.
    pub(super) fn nothing() -> Self {
        Self { ticks: 0, argument: Argument::Distances }
    }

    /// The one that proves more; of equal ones this.
    pub(super) fn or(self, other: Self) -> Self {
        if other.ticks > self.ticks { other } else { self }
    }

    /// So often.
    pub(super) fn times(self, times: u128) -> Self {
        Self { ticks: self.ticks * times, ..self }
    }

    /// With what comes before or after the links.
    pub(super) fn plus(self, ticks: u128) -> Self {
        Self { ticks: self.ticks + ticks, ..self }
    }
}

impl Argument {
    /// What others need to know.
    pub(super) fn certificate(self, terrain: &Terrain) -> Certificate {
        match self {
            Self::Message { source, target, bytes } => Certificate::Message { source, target, bytes },
            Self::Partner { task, partners, hops } => Certificate::Partner { task, partners, hops },
            Self::Ports { task, side } => Certificate::Ports { task, side },
            Self::Ends { task, side } => Certificate::Ends { task, side },
            Self::Degrees { nodes, side } => Certificate::Degrees { nodes, side },
            Self::Cut { nodes, leaving } => Certificate::Cut { nodes: terrain.cut_nodes(nodes), leaving },
            Self::Growth { ticks, share } => Certificate::Growth { ticks, share },
            Self::Squares { columns } => Certificate::Squares { columns },
            Self::Distances => Certificate::Distances,
            Self::GilmoreLawler { tasks, nodes } => Certificate::GilmoreLawler { tasks, nodes },
        }
    }
}

//! Algorithms as measured: from their names to their times. Forms from the source of the library that was measured
//! (`HLC-Lab/bine_trees_fugaku` at a61e2dc); Fujitsu's own from their names.

use super::constants::Constants;
use super::peers::Family;
use super::steps::{Step, Steps, busiest};

/// What carries messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    /// Puts into the peer's memory.
    Utofu,
    /// MPI messages.
    Mpi,
}

/// An algorithm with one port; pieces in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Law {
    /// allreduce L: the whole vector in every step.
    Whole(Family),
    /// allreduce B_CONT: halving, then doubling; the halves in pieces.
    Halves(Family, f64),
    /// allgather, blocks permuted at the end.
    GatherPermuted(Family, Layer),
    /// allgather, blocks sent to their place first.
    GatherSent(Family, Layer),
    /// allgather, block by block.
    GatherBlocks(Family),
    /// reduce-scatter, blocks permuted first.
    ScatterPermuted(Family, Layer),
    /// broadcast over a tree in pieces, through a buffer of its own or not.
    Tree(Family, f64, bool),
    /// broadcast as a scatter and an allgather.
    ScatterGather(Family),
    /// Fujitsu's recursive doubling of an allreduce.
    MpiWhole,
    /// Fujitsu's recursive doubling of an allgather.
    MpiGather,
    /// Fujitsu's Bruck allgather.
    MpiBruck,
    /// Fujitsu's recursive halving of a reduce-scatter.
    MpiScatter,
    /// Fujitsu's ring, with reductions or without.
    MpiRing(bool),
}

/// The largest put in bytes.
const PUT_MAX: f64 = 16_777_212.0;

/// The bytes up to which L sends without asking whether the peer is ready.
const EAGER: f64 = 1024.0;

impl Law {
    /// The algorithm of this name, `FAMILY-VARIANT-LAYER-SEGMENT-PORTS` or `default-NAME`; `None` if it is none of these:
    /// several ports, algorithms of Fujitsu's that use several links.
    pub(crate) fn of(collective: &str, algorithm: &str) -> Option<Self> {
        if let Some(name) = algorithm.strip_prefix("default-") {
            return match (collective, name) {
                ("allreduce", "recursive_doubling") => Some(Self::MpiWhole),
                ("allgather", "recursive-doubling") => Some(Self::MpiGather),
                ("allgather", "bruck") => Some(Self::MpiBruck),
                ("reduce-scatter", "recursive-halving") => Some(Self::MpiScatter),
                ("reduce-scatter", "ring") => Some(Self::MpiRing(true)),
                ("allgather", "ring") => Some(Self::MpiRing(false)),
                _ => None,
            };
        }
        let parts: Vec<&str> = algorithm.split('-').collect();
        let &[family, variant, layer, segment, "1"] = parts.as_slice() else { return None };
        let family = match family {
            "BINE" => Family::Bine,
            "RECDOUB" => Family::Doubling,
            _ => return None,
        };
        let layer = match layer {
            "UTOFU" => Layer::Utofu,
            "MPI" => Layer::Mpi,
            _ => return None,
        };
        let segment: f64 = segment.parse().ok().filter(|&segment| segment >= 0.0)?;
        let piece = if segment > 0.0 { segment } else { PUT_MAX };
        Some(match (collective, variant, layer) {
            ("allreduce", "L", Layer::Utofu) => Self::Whole(family),
            ("allreduce", "B_CONT", Layer::Utofu) => Self::Halves(family, piece),
            ("allgather", "VEC_DOUBLING_CONT_PERMUTE", _) => Self::GatherPermuted(family, layer),
            ("allgather", "VEC_DOUBLING_CONT_SEND", _) => Self::GatherSent(family, layer),
            ("allgather", "VEC_DOUBLING_BLOCKS", Layer::Utofu) => Self::GatherBlocks(family),
            ("reduce-scatter", "VEC_HALVING_CONT_PERMUTE", _) => Self::ScatterPermuted(family, layer),
            ("broadcast", "BINOMIAL_TREE", Layer::Utofu) => Self::Tree(family, piece, false),
            ("broadcast", "BINOMIAL_TREE_TMPBUF", Layer::Utofu) => Self::Tree(family, piece, true),
            ("broadcast", "SCATTER_ALLGATHER", Layer::Utofu) => Self::ScatterGather(family),
            _ => return None,
        })
    }

    /// Microseconds for a vector of so many bytes.
    pub(crate) fn time(self, bytes: f64, steps: &Steps, constants: &Constants) -> f64 {
        let at = At { bytes, steps, constants };
        let (ranks, rounds) = (steps.ranks, steps.bits.len());
        match self {
            Self::Whole(family) => at.whole(family),
            Self::Halves(family, piece) => at.halves(family, piece),
            Self::GatherPermuted(family, layer) => {
                constants.permutation(ranks, bytes) + at.doubling(family, layer, 0.0)
            }
            Self::GatherSent(family, layer) => {
                let addresses = if layer == Layer::Utofu { constants.addresses(rounds) } else { 0.0 };
                let moved = at.message(layer, bytes / ranks, steps.renumbered(family));
                constants.list(ranks) + addresses + moved + at.doubling(family, layer, 0.0)
            }
            Self::GatherBlocks(family) => at.blocks(family),
            Self::ScatterPermuted(family, layer) => {
                let reduced = |step: usize| at.reduction(layer, at.half(step));
                let reductions: f64 = (0..rounds).map(reduced).sum();
                constants.permutation(ranks, bytes) + at.doubling(family, layer, 0.0) + reductions
            }
            Self::Tree(family, piece, buffered) => at.tree(family, piece, buffered),
            Self::ScatterGather(family) => {
                let scatter = ranks * constants.put().max(bytes / ranks / steps.rate);
                let seen = rounds as f64 * constants.message();
                let addresses = constants.addresses(rounds) + constants.broadcast_list(ranks);
                addresses + scatter + seen + at.doubling(family, Layer::Utofu, 0.0)
            }
            Self::MpiWhole => {
                let step = |step| at.message(Layer::Mpi, bytes, step) + constants.mpi_reduction(bytes);
                steps.bits.iter().map(step).sum()
            }
            Self::MpiGather => at.mpi_halves(&steps.bits),
            Self::MpiBruck => at.mpi_halves(&steps.shifts),
            Self::MpiScatter => {
                let reduced: f64 = (0..rounds).map(|step| constants.mpi_reduction(at.half(step))).sum();
                at.mpi_halves(&steps.bits) + reduced
            }
            Self::MpiRing(reduces) => {
                let block = bytes / ranks;
                let reduced = if reduces { constants.mpi_reduction(block) } else { 0.0 };
                (ranks - 1.0) * (at.message(Layer::Mpi, block, &steps.next) + reduced)
            }
        }
    }

    /// A time that no run of these messages beats: the bytes of the busiest link or port over the whole run, for a vector
    /// of one byte, in microseconds.
    pub(crate) fn bound(self, steps: &Steps) -> f64 {
        let ranks = steps.ranks;
        let same = |all: &'_ [Step], size: f64| -> Vec<(usize, f64)> {
            (0..all.len()).map(|step| (step, size)).collect()
        };
        let halves = |all: &'_ [Step], times: f64| -> Vec<(usize, f64)> {
            (0..all.len()).map(|step| (step, times * 0.5f64.powi(step as i32 + 1))).collect()
        };
        let backwards = |all: &'_ [Step]| -> Vec<(usize, f64)> {
            (0..all.len()).map(|step| (all.len() - 1 - step, 0.5f64.powi(step as i32 + 1))).collect()
        };
        let (all, sizes) = match self {
            Self::Whole(family) => (steps.exchanges(family), same(steps.exchanges(family), 1.0)),
            Self::Halves(family, _) => (steps.exchanges(family), halves(steps.exchanges(family), 2.0)),
            Self::GatherPermuted(family, _)
            | Self::GatherSent(family, _)
            | Self::GatherBlocks(family)
            | Self::ScatterPermuted(family, _)
            | Self::ScatterGather(family) => (steps.exchanges(family), halves(steps.exchanges(family), 1.0)),
            Self::Tree(family, ..) => (steps.tree(family), same(steps.tree(family), 1.0)),
            Self::MpiWhole => (&steps.bits[..], same(&steps.bits, 1.0)),
            Self::MpiGather | Self::MpiScatter => (&steps.bits[..], backwards(&steps.bits)),
            Self::MpiBruck => (&steps.shifts[..], backwards(&steps.shifts)),
            Self::MpiRing(_) => (std::slice::from_ref(&steps.next), vec![(0, (ranks - 1.0) / ranks)]),
        };
        let mut sent: Vec<(&Step, f64)> = sizes.into_iter().map(|(step, size)| (&all[step], size)).collect();
        match self {
            Self::GatherSent(family, _) => sent.push((steps.renumbered(family), 1.0 / ranks)),
            Self::ScatterGather(_) => sent.push((&steps.scatter, 1.0 / ranks)),
            _ => {}
        }
        busiest(&sent) / steps.rate
    }
}

/// A vector of so many bytes on a machine.
struct At<'a> {
    bytes: f64,
    steps: &'a Steps,
    constants: &'a Constants,
}

impl At<'_> {
    /// The bytes of a step when the nearest peer has half the vector, the next a quarter.
    fn half(&self, step: usize) -> f64 {
        self.bytes * 0.5f64.powi(step as i32 + 1)
    }

    /// What a message costs before its bytes.
    fn latency(&self, layer: Layer, step: &Step) -> f64 {
        let message = match layer {
            Layer::Utofu => self.constants.message(),
            Layer::Mpi => self.constants.mpi_message(),
        };
        message + self.steps.hop * step.hops
    }

    /// Bytes on the busiest link.
    fn wire(&self, layer: Layer, bytes: f64, step: &Step) -> f64 {
        let shared = bytes * step.messages / self.steps.rate;
        match layer {
            Layer::Utofu => shared,
            Layer::Mpi => shared.max(bytes / self.constants.mpi_rate()),
        }
    }

    fn message(&self, layer: Layer, bytes: f64, step: &Step) -> f64 {
        self.latency(layer, step) + self.wire(layer, bytes, step)
    }

    fn reduction(&self, layer: Layer, bytes: f64) -> f64 {
        match layer {
            Layer::Utofu => self.constants.reduction(bytes),
            Layer::Mpi => self.constants.mpi_reduction(bytes),
        }
    }

    fn whole(&self, family: Family) -> f64 {
        let step = |step| {
            let ready = if self.bytes > EAGER { self.latency(Layer::Utofu, step) } else { 0.0 };
            ready + self.message(Layer::Utofu, self.bytes, step) + self.constants.reduction(self.bytes)
        };
        self.constants.list(self.steps.ranks) + self.steps.exchanges(family).iter().map(step).sum::<f64>()
    }

    /// Blocks of half, a quarter, … of the vector to ever farther peers, or back.
    fn doubling(&self, family: Family, layer: Layer, more: f64) -> f64 {
        let steps = self.steps.exchanges(family).iter().enumerate();
        steps.map(|(index, step)| self.message(layer, self.half(index), step) + more).sum()
    }

    fn halves(&self, family: Family, piece: f64) -> f64 {
        let constants = self.constants;
        let halving = |(index, step): (usize, &Step)| {
            let bytes = self.half(index);
            let pieces = (bytes / piece).ceil().max(1.0);
            let wire = self.wire(Layer::Utofu, bytes, step) / pieces;
            let more = if pieces > 1.0 { constants.block() } else { 0.0 };
            let reduced = constants.reduction(bytes / pieces) + more;
            let hidden = constants.overlap() * (pieces - 1.0) * wire.min(reduced);
            self.latency(Layer::Utofu, step) + constants.contiguous() + pieces * (wire + reduced) - hidden
        };
        let exchanges = self.steps.exchanges(family);
        constants.list(self.steps.ranks)
            + constants.addresses(exchanges.len())
            + exchanges.iter().enumerate().map(halving).sum::<f64>()
            + self.doubling(family, Layer::Utofu, constants.contiguous())
    }

    fn blocks(&self, family: Family) -> f64 {
        let (constants, ranks) = (self.constants, self.steps.ranks);
        let step = |(index, step): (usize, &Step)| {
            let blocks = ranks * 0.5f64.powi(index as i32 + 1);
            let wire = self.wire(Layer::Utofu, self.bytes / ranks, step);
            self.latency(Layer::Utofu, step) + blocks * constants.block().max(wire)
        };
        let exchanges = self.steps.exchanges(family);
        let steps: f64 = exchanges.iter().enumerate().map(step).sum();
        constants.list(ranks) + constants.addresses(exchanges.len()) + steps
    }

    /// The first piece down the tree, then the others one behind the other at the root.
    fn tree(&self, family: Family, piece: f64, buffered: bool) -> f64 {
        let (constants, tree) = (self.constants, self.steps.tree(family));
        let pieces = (self.bytes / piece).ceil().max(1.0);
        let bytes = self.bytes / pieces;
        let first: f64 = tree.iter().map(|step| self.message(Layer::Utofu, bytes, step)).sum();
        let at_root: f64 =
            tree.iter().map(|step| constants.put().max(self.wire(Layer::Utofu, bytes, step))).sum();
        let before = if buffered {
            constants.copy(self.bytes)
        } else {
            constants.addresses(tree.len()) + constants.broadcast_list(self.steps.ranks)
        };
        before + first + (pieces - 1.0) * (at_root + constants.message())
    }

    /// MPI messages of half the vector over the last of these steps, a quarter over the one before.
    fn mpi_halves(&self, steps: &[Step]) -> f64 {
        let messages = steps.iter().rev().enumerate();
        messages.map(|(index, step)| self.message(Layer::Mpi, self.half(index), step)).sum()
    }
}

//! A flow made ready for installments: nodes from the sources outwards, whole bytes, no circles.

use super::scale::Scale;
use crate::Problem;
use crate::flow::FlowPhase;
use crate::flow::acyclic::{NOISE, carrying, order};
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Topology;

/// A link that carries something.
#[derive(Clone, Copy, Debug)]
pub(super) struct CarryingLink {
    pub(super) link: LinkId,
    /// The node it leaves.
    pub(super) from: NodeId,
    /// The node it enters.
    pub(super) to: NodeId,
}

/// What a node sends over one link in one epoch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    /// The index of its [`CarryingLink`].
    pub(super) channel: u32,
    /// In bytes, not yet whole.
    pub(super) load: f64,
}

/// What a node does in one epoch.
#[derive(Clone, Debug)]
pub(super) struct Junction {
    pub(super) node: NodeId,
    /// Its streams in [`Epoch::streams`], the largest last.
    pub(super) streams: std::ops::Range<u32>,
    /// What it works off, in bytes, not yet whole.
    pub(super) work: f64,
    /// Whether all that is left here must go before the epoch is over.
    pub(super) flush: bool,
}

/// A time of constant rates.
#[derive(Clone, Debug)]
pub(super) struct Epoch {
    /// When it begins and ends, in units of w Tcp.
    pub(super) from: f64,
    pub(super) until: f64,
    /// The nodes that take part, each after all those that send to it.
    pub(super) junctions: Vec<Junction>,
    pub(super) streams: Vec<Stream>,
}

/// A load that enters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Supply {
    pub(super) node: NodeId,
    pub(super) bytes: u64,
    /// In units of w Tcp.
    pub(super) release: f64,
}

/// The whole flow.
#[derive(Clone, Debug)]
pub(super) struct Streams {
    pub(super) epochs: Vec<Epoch>,
    pub(super) channels: Vec<CarryingLink>,
    /// In the order of the sources; their bytes sum to those of the load.
    pub(super) supplies: Vec<Supply>,
}

impl Streams {
    /// The flow of these phases, one after the other.
    pub(super) fn new(scale: &Scale, phases: &[FlowPhase]) -> Self {
        let problem = scale.problem();
        let mut builder = Builder {
            scale,
            channel_of: vec![u32::MAX; problem.machine().links() as usize],
            channels: Vec::new(),
        };
        let mut epochs: Vec<Epoch> = phases.iter().map(|phase| builder.epoch(phase)).collect();
        // What a node has left it may keep as long as it takes part later.
        let mut is_over = vec![true; problem.machine().nodes() as usize];
        for epoch in epochs.iter_mut().rev() {
            for junction in &mut epoch.junctions {
                junction.flush = std::mem::replace(&mut is_over[junction.node.index()], false);
            }
        }
        Self { epochs, channels: builder.channels, supplies: supplies(problem, scale.bytes()) }
    }

    /// The end of the last epoch, in units of w Tcp.
    pub(super) fn end(&self) -> f64 {
        self.epochs.last().map_or(0.0, |epoch| epoch.until)
    }
}

/// Shares in whole bytes, and what is left of all bytes by rounding.
pub(super) fn rounded(shares: impl Iterator<Item = f64>, bytes: u64) -> (Vec<u64>, u64) {
    let (mut sum, mut given) = (0.0, 0);
    let whole = shares.map(|share| {
        sum += share;
        let before = given;
        given = ((sum * bytes as f64).round() as u64).clamp(before, bytes);
        given - before
    });
    (whole.collect(), bytes - given)
}

/// The loads of the sources in whole bytes that sum to all.
pub(super) fn supplies(problem: &Problem, bytes: u64) -> Vec<Supply> {
    let (whole, left) = rounded(problem.sources().iter().map(|source| source.load), bytes);
    let supply =
        |(source, bytes): (&crate::Source, u64)| Supply { node: source.node, bytes, release: source.release };
    let mut supplies: Vec<Supply> = problem.sources().iter().zip(whole).map(supply).collect();
    if let Some(last) = supplies.last_mut() {
        last.bytes += left;
    }
    supplies
}

struct Builder<'a, 'p, 'm> {
    scale: &'a Scale<'p, 'm>,
    /// By link id.
    channel_of: Vec<u32>,
    channels: Vec<CarryingLink>,
}

impl Builder<'_, '_, '_> {
    fn epoch(&mut self, phase: &FlowPhase) -> Epoch {
        let machine = self.scale.problem().machine();
        let mut link = phase.flow.link.clone();
        link.iter_mut().filter(|load| **load <= NOISE).for_each(|load| *load = 0.0);
        let order = order(self.scale.problem(), &mut link, &phase.flow.node);
        let bytes = self.scale.bytes() as f64;
        let (mut junctions, mut streams) = (Vec::with_capacity(order.len()), Vec::new());
        for node in order {
            let first = streams.len();
            for (id, to) in carrying(machine, &link, node) {
                streams.push(Stream { channel: self.channel(id, node, to), load: link[id.index()] * bytes });
            }
            streams[first..].sort_by(|a, b| a.load.total_cmp(&b.load).then(a.channel.cmp(&b.channel)));
            let work = phase.flow.node[node.index()];
            let work = if work > NOISE { work * bytes } else { 0.0 };
            let streams = first as u32..streams.len() as u32;
            junctions.push(Junction { node, streams, work, flush: true });
        }
        Epoch { from: phase.from, until: phase.until, junctions, streams }
    }

    fn channel(&mut self, link: LinkId, from: NodeId, to: NodeId) -> u32 {
        let place = &mut self.channel_of[link.index()];
        if *place == u32::MAX {
            *place = self.channels.len() as u32;
            self.channels.push(CarryingLink { link, from, to });
        }
        *place
    }
}

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

/// A link that carries something, and the places of its ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channel {
    pub(super) carrying: CarryingLink,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// What a node sends over one link in one epoch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    /// The index of its [`Channel`].
    pub(super) channel: u32,
    /// In bytes, not yet whole.
    pub(super) load: f64,
}

/// What a node does in one epoch.
#[derive(Clone, Debug)]
pub(super) struct Junction {
    pub(super) place: u32,
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

/// A flow, or a part of it that no link joins to the rest.
#[derive(Clone, Debug)]
pub(super) struct Streams {
    pub(super) epochs: Vec<Epoch>,
    pub(super) channels: Vec<Channel>,
    /// The nodes that take part: everything else names them by their places in this list.
    pub(super) places: Vec<NodeId>,
    /// By release, each with its place; the bytes of the whole flow sum to those of the load.
    pub(super) supplies: Vec<(u32, Supply)>,
}

impl Streams {
    /// The flow of these phases, one after the other.
    pub(super) fn new(scale: &Scale, phases: &[FlowPhase]) -> Self {
        let machine = scale.problem().machine();
        let mut builder = Builder {
            scale,
            channel_of: vec![u32::MAX; machine.links() as usize],
            place_of: vec![u32::MAX; machine.nodes() as usize],
            channels: Vec::new(),
            places: Vec::new(),
        };
        let mut epochs: Vec<Epoch> = phases.iter().map(|phase| builder.epoch(phase)).collect();
        // What a node has left it may keep as long as it takes part later.
        let mut is_over = vec![true; builder.places.len()];
        for epoch in epochs.iter_mut().rev() {
            for junction in &mut epoch.junctions {
                junction.flush = std::mem::replace(&mut is_over[junction.place as usize], false);
            }
        }
        let entering = supplies(scale.problem(), scale.bytes()).into_iter();
        let mut supplies: Vec<_> = entering.map(|supply| (builder.place(supply.node), supply)).collect();
        supplies.sort_by(|a, b| a.1.release.total_cmp(&b.1.release));
        Self { epochs, channels: builder.channels, places: builder.places, supplies }
    }

    /// When the first epoch begins, in units of w Tcp.
    pub(super) fn from(&self) -> f64 {
        self.epochs.first().map_or(0.0, |epoch| epoch.from)
    }

    /// The ends of the epochs, in units of w Tcp.
    pub(super) fn ends(&self) -> Vec<f64> {
        self.epochs.iter().map(|epoch| epoch.until).collect()
    }

    /// The end of the last epoch, in units of w Tcp.
    pub(super) fn end(&self) -> f64 {
        self.epochs.last().map_or(0.0, |epoch| epoch.until)
    }

    /// The parts that no link joins, in the order of their first places.
    ///
    /// # Complexity
    ///
    /// O(places + streams), of all epochs.
    pub(super) fn parts(self) -> Vec<Self> {
        let roots = self.roots();
        let (mut number, mut parts) = (vec![u32::MAX; self.places.len()], Vec::<Self>::new());
        let (mut part_of, mut place_of) = (Vec::new(), Vec::new());
        for (place, &node) in self.places.iter().enumerate() {
            let number = &mut number[roots[place] as usize];
            if *number == u32::MAX {
                *number = parts.len() as u32;
                let epochs = self.epochs.iter().map(|epoch| Epoch {
                    from: epoch.from,
                    until: epoch.until,
                    junctions: Vec::new(),
                    streams: Vec::new(),
                });
                let epochs = epochs.collect();
                parts.push(Self { epochs, channels: Vec::new(), places: Vec::new(), supplies: Vec::new() });
            }
            let part = &mut parts[*number as usize];
            part_of.push(*number as usize);
            place_of.push(part.places.len() as u32);
            part.places.push(node);
        }
        let mut channel_of = Vec::with_capacity(self.channels.len());
        for channel in self.channels {
            let part = &mut parts[part_of[channel.from as usize]];
            channel_of.push(part.channels.len() as u32);
            let (from, to) = (place_of[channel.from as usize], place_of[channel.to as usize]);
            part.channels.push(Channel { from, to, ..channel });
        }
        for (number, epoch) in self.epochs.into_iter().enumerate() {
            for junction in epoch.junctions {
                let part = &mut parts[part_of[junction.place as usize]].epochs[number];
                let first = part.streams.len() as u32;
                let streams = &epoch.streams[junction.streams.start as usize..junction.streams.end as usize];
                let own =
                    |stream: &Stream| Stream { channel: channel_of[stream.channel as usize], ..*stream };
                part.streams.extend(streams.iter().map(own));
                let (place, streams) = (place_of[junction.place as usize], first..part.streams.len() as u32);
                part.junctions.push(Junction { place, streams, ..junction });
            }
        }
        for (place, supply) in self.supplies {
            parts[part_of[place as usize]].supplies.push((place_of[place as usize], supply));
        }
        parts
    }

    /// By place, a place that is the same for all that hang together.
    fn roots(&self) -> Vec<u32> {
        let mut above: Vec<u32> = (0..self.places.len() as u32).collect();
        let find = |above: &mut Vec<u32>, mut at: u32| {
            while above[at as usize] != at {
                above[at as usize] = above[above[at as usize] as usize];
                at = above[at as usize];
            }
            at
        };
        for channel in &self.channels {
            let (a, b) = (find(&mut above, channel.from), find(&mut above, channel.to));
            above[a.max(b) as usize] = a.min(b);
        }
        (0..above.len() as u32).map(|place| find(&mut above, place)).collect()
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
    /// By node id.
    place_of: Vec<u32>,
    channels: Vec<Channel>,
    places: Vec<NodeId>,
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
            junctions.push(Junction { place: self.place(node), streams, work, flush: true });
        }
        Epoch { from: phase.from, until: phase.until, junctions, streams }
    }

    fn place(&mut self, node: NodeId) -> u32 {
        let place = &mut self.place_of[node.index()];
        if *place == u32::MAX {
            *place = self.places.len() as u32;
            self.places.push(node);
        }
        *place
    }

    fn channel(&mut self, link: LinkId, from: NodeId, to: NodeId) -> u32 {
        if self.channel_of[link.index()] == u32::MAX {
            self.channel_of[link.index()] = self.channels.len() as u32;
            let carrying = CarryingLink { link, from, to };
            let (from, to) = (self.place(from), self.place(to));
            self.channels.push(Channel { carrying, from, to });
        }
        self.channel_of[link.index()]
    }
}

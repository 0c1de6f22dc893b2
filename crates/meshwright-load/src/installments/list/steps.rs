//! Steps: what happens on links and processors, in installments, and what waits for what.

use std::collections::BTreeSet;

use super::ways::Way;
use crate::installments::scale::Scale;
use crate::installments::streams::supplies;
use crate::lp::Variant;
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Topology;

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Load crosses a link.
    Load,
    /// A node works.
    Work,
    /// Results cross a link.
    Back,
}

/// A message over one link, or a piece of work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) kind: Kind,
    /// The node that sends or works, and the node that receives.
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) link: LinkId,
    /// The index of its source.
    pub(super) source: usize,
    /// Of load or of results.
    pub(super) bytes: u64,
    pub(super) ticks: u64,
    /// Which installment.
    pub(super) round: u32,
    /// How many links its load still has to cross, at most.
    pub(super) tail: u32,
    /// Of what leaves a node at a time, how many links are faster, or as fast and named before.
    pub(super) rank: u32,
}

/// All steps; each stands behind those it waits for.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    pub(super) all: Vec<Step>,
    /// What step i waits for: `waits[first[i]..first[i + 1]]`.
    pub(super) first: Vec<u32>,
    pub(super) waits: Vec<u32>,
}

impl Steps {
    /// What a step waits for.
    pub(super) fn waits_of(&self, step: usize) -> &[u32] {
        &self.waits[self.first[step] as usize..self.first[step + 1] as usize]
    }

    /// The steps without some: who waited for one of those waits for what it waited for.
    pub(super) fn without(&self, is_gone: &dyn Fn(usize) -> bool) -> Self {
        let mut next = Self::default();
        // By step, what stands for it.
        let mut heirs: Vec<Vec<u32>> = Vec::with_capacity(self.all.len());
        for (number, step) in self.all.iter().enumerate() {
            let waits = self.waits_of(number).iter().flat_map(|&on| heirs[on as usize].iter().copied());
            let waits: BTreeSet<u32> = waits.collect();
            heirs.push(match is_gone(number) {
                true => waits.into_iter().collect(),
                false => vec![next.push(*step, waits)],
            });
        }
        next
    }

    fn push(&mut self, step: Step, waits: impl IntoIterator<Item = u32>) -> u32 {
        if self.first.is_empty() {
            self.first.push(0);
        }
        self.waits.extend(waits);
        self.first.push(self.waits.len() as u32);
        self.all.push(step);
        self.all.len() as u32 - 1
    }
}

/// A link that carries load or results of one source.
struct Hop {
    link: LinkId,
    to: usize,
    /// In bytes, not yet whole.
    amount: f64,
    sent: u64,
    tail: u32,
    rank: u32,
    last: Option<u32>,
}

/// What a node does for one source.
#[derive(Default)]
struct Place {
    node: NodeId,
    work: f64,
    held: u64,
    worked: u64,
    /// Results that are here, and all that were made here.
    results: u64,
    made: u64,
    out: Vec<Hop>,
    back: Vec<Hop>,
    /// Steps that brought something, the last over each link: load, results.
    came: Vec<u32>,
    returned: Vec<u32>,
    last_work: Option<u32>,
}

/// The load of one source.
struct Share {
    places: Vec<Place>,
    /// Places, each after all that send load to it; and so for results.
    order: Vec<usize>,
    back_order: Vec<usize>,
    start: usize,
    source: usize,
}

/// The steps of these ways in installments that end at these parts of the whole; none if the ways go round in circles.
///
/// In each installment every link carries what its part of the load is by then, as one message, and every node works off
/// its part, as one piece. A node sends on what has come in whole.
pub(super) fn of_ways(scale: &Scale, variant: &Variant, ways: &[Way], ends: &[f64]) -> Option<Steps> {
    let mut steps = Steps::default();
    let mut shares = Vec::new();
    for (source, supply) in supplies(scale.problem(), scale.bytes()).iter().enumerate() {
        let own: Vec<&Way> = ways.iter().filter(|way| way.source == source).collect();
        let mut share = Share::new(scale, source, supply.node, supply.bytes, &own)?;
        share.places[share.start].held = supply.bytes;
        shares.push(share);
    }
    for (round, &end) in ends.iter().enumerate() {
        let is_last = round + 1 == ends.len();
        for share in &mut shares {
            share.advance(scale, round as u32, end, is_last, &mut steps);
            if variant.results > 0.0 {
                share.give_back(scale, variant.results, round as u32, &mut steps);
            }
        }
    }
    Some(steps)
}

impl Share {
    fn new(scale: &Scale, source: usize, node: NodeId, bytes: u64, ways: &[&Way]) -> Option<Self> {
        let machine = scale.problem().machine();
        let mut share = Self { places: Vec::new(), order: vec![], back_order: vec![], start: 0, source };
        share.start = share.place(node);
        let whole: f64 = ways.iter().map(|way| way.amount).sum();
        for way in ways {
            let amount = way.amount / whole * bytes as f64;
            let end = share.place(way.node);
            share.places[end].work += amount;
            for (links, is_back) in [(&way.links, false), (&way.back, true)] {
                for (index, &link) in links.iter().enumerate() {
                    let (from, to) = (machine.source(link), machine.target(link)?);
                    let (from, to) = (share.place(from), share.place(to));
                    let place = &mut share.places[from];
                    let hops = if is_back { &mut place.back } else { &mut place.out };
                    let tail = (links.len() - index) as u32;
                    match hops.iter_mut().find(|hop| hop.link == link) {
                        Some(hop) => (hop.amount, hop.tail) = (hop.amount + amount, hop.tail.max(tail)),
                        None => hops.push(Hop { link, to, amount, sent: 0, tail, rank: 0, last: None }),
                    }
                }
            }
        }
        // What is left goes last over the link that carries most. Who has a port first does not depend on amounts: whoever is
        // first may be given more, and stays first.
        for place in &mut share.places {
            for hops in [&mut place.out, &mut place.back] {
                let time = |hop: &Hop| scale.problem().link_time(hop.link);
                hops.sort_by(|a, b| time(a).total_cmp(&time(b)).then(a.link.cmp(&b.link)));
                (0..).zip(&mut *hops).for_each(|(rank, hop)| hop.rank = rank);
                hops.sort_by(|a, b| a.amount.total_cmp(&b.amount).then(a.link.cmp(&b.link)));
            }
        }
        share.order = share.topological(|place| &place.out)?;
        share.back_order = share.topological(|place| &place.back)?;
        Some(share)
    }

    /// The index of a node.
    fn place(&mut self, node: NodeId) -> usize {
        match self.places.iter().position(|place| place.node == node) {
            Some(place) => place,
            None => {
                self.places.push(Place { node, ..Place::default() });
                self.places.len() - 1
            }
        }
    }

    /// The places, each after all that have a hop to it; none if there is a circle.
    fn topological(&self, hops: impl Fn(&Place) -> &Vec<Hop>) -> Option<Vec<usize>> {
        let mut incoming = vec![0u32; self.places.len()];
        self.places.iter().flat_map(&hops).for_each(|hop| incoming[hop.to] += 1);
        let mut order: Vec<usize> = (0..self.places.len()).filter(|&place| incoming[place] == 0).collect();
        let mut next = 0;
        while let Some(&place) = order.get(next) {
            for hop in hops(&self.places[place]) {
                incoming[hop.to] -= 1;
                if incoming[hop.to] == 0 {
                    order.push(hop.to);
                }
            }
            next += 1;
        }
        (order.len() == self.places.len()).then_some(order)
    }

    /// One installment of load: sent on and worked off.
    fn advance(&mut self, scale: &Scale, round: u32, end: f64, is_last: bool, steps: &mut Steps) {
        for at in 0..self.order.len() {
            let here = self.order[at];
            let count = self.places[here].out.len();
            for index in 0..count {
                let place = &self.places[here];
                let hop = &place.out[index];
                let takes_rest = is_last && place.work == 0.0 && index + 1 == count;
                let bytes =
                    if takes_rest { place.held } else { part(scale, hop.amount, end, hop.sent, place.held) };
                if bytes > 0 {
                    self.send(scale, here, index, bytes, round, steps);
                }
            }
            let place = &self.places[here];
            let takes_rest = is_last && (place.work > 0.0 || count == 0);
            let bytes =
                if takes_rest { place.held } else { part(scale, place.work, end, place.worked, place.held) };
            if bytes > 0 {
                self.work(scale, here, bytes, round, steps);
            }
        }
    }

    fn send(&mut self, scale: &Scale, here: usize, index: usize, bytes: u64, round: u32, steps: &mut Steps) {
        let place = &mut self.places[here];
        place.held -= bytes;
        let (from, waits) = (place.node, place.came.clone());
        let hop = &mut place.out[index];
        hop.sent += bytes;
        let (link, to, tail, rank, before) = (hop.link, hop.to, hop.tail, hop.rank, hop.last);
        let ticks = scale.message_ticks(scale.message(link, bytes));
        let target = self.places[to].node;
        let source = self.source;
        let step = Step { kind: Kind::Load, from, to: target, link, source, bytes, ticks, round, tail, rank };
        let number = steps.push(step, waits.into_iter().chain(before));
        self.places[here].out[index].last = Some(number);
        let target = &mut self.places[to];
        target.held += bytes;
        target.came.retain(|&came| steps.all[came as usize].link != link);
        target.came.push(number);
    }

    fn work(&mut self, scale: &Scale, here: usize, bytes: u64, round: u32, steps: &mut Steps) {
        let place = &mut self.places[here];
        place.held -= bytes;
        place.worked += bytes;
        let ticks = scale.work(place.node, bytes).0 * scale.costs().ticks_per_cycle();
        let (node, source) = (place.node, self.source);
        let step = Step {
            kind: Kind::Work,
            from: node,
            to: node,
            link: LinkId(0),
            source,
            bytes,
            ticks,
            round,
            tail: 0,
            rank: 0,
        };
        let number = steps.push(step, place.came.iter().copied().chain(place.last_work));
        place.last_work = Some(number);
    }

    /// The results of an installment set out, all that are there.
    fn give_back(&mut self, scale: &Scale, results: f64, round: u32, steps: &mut Steps) {
        for at in 0..self.back_order.len() {
            let here = self.back_order[at];
            let place = &mut self.places[here];
            let made = (place.worked as f64 * results).ceil() as u64;
            place.results += made - place.made;
            place.made = made;
            let (count, all) = (place.back.len(), place.results);
            let whole: f64 = place.back.iter().map(|hop| hop.amount).sum();
            for index in 0..count {
                let place = &self.places[here];
                let hop = &place.back[index];
                let bytes = match index + 1 == count {
                    true => place.results,
                    false => ((all as f64 * hop.amount / whole) as u64).min(place.results),
                };
                if bytes > 0 {
                    self.send_back(scale, here, index, bytes, round, steps);
                }
            }
        }
    }

    fn send_back(
        &mut self,
        scale: &Scale,
        here: usize,
        index: usize,
        bytes: u64,
        round: u32,
        steps: &mut Steps,
    ) {
        let place = &mut self.places[here];
        place.results -= bytes;
        let from = place.node;
        let waits: Vec<u32> = place.returned.iter().copied().chain(place.last_work).collect();
        let hop = &mut place.back[index];
        let (link, to, tail, rank, before) = (hop.link, hop.to, hop.tail, hop.rank, hop.last);
        let ticks = scale.message_ticks(scale.message(link, bytes));
        let (target, source) = (self.places[to].node, self.source);
        let step = Step { kind: Kind::Back, from, to: target, link, source, bytes, ticks, round, tail, rank };
        let number = steps.push(step, waits.into_iter().chain(before));
        self.places[here].back[index].last = Some(number);
        let target = &mut self.places[to];
        target.results += bytes;
        target.returned.retain(|&came| steps.all[came as usize].link != link);
        target.returned.push(number);
    }
}

/// What of an amount is due by a part of the whole and has not gone, as far as it is there: in bytes that take whole
/// cycles on a link where the load is large enough.
fn part(scale: &Scale, amount: f64, end: f64, gone: u64, held: u64) -> u64 {
    let grain = scale.costs().ticks_per_cycle();
    let due = (amount * end).round() as u64;
    let due = if scale.bytes() / grain > 1 << 24 { due - due % grain } else { due };
    due.saturating_sub(gone).min(held)
}

//! The list schedule: whoever is due first and finds all it needs free begins.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::steps::{Kind, Step, Steps};
use crate::installments::scale::Scale;
use crate::lp::{Duplex, Ports, Variant};
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Topology;

/// Who is due first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Order {
    /// How much later than its load a result is due, as a part of the whole.
    pub(super) lag: f64,
    /// How much later than messages of the same installment work is due, where both take the processor.
    pub(super) work: f64,
    /// When all may be done, in units of w Tcp: loads that come later are due later.
    pub(super) horizon: f64,
}

impl Order {
    /// Who has less is due first; of those that are due together the one with the farthest to go, then the one over the fastest link.
    fn key(&self, scale: &Scale, step: &Step, ends: &[f64]) -> u64 {
        let release = (scale.problem().sources()[step.source].release / self.horizon).min(1.0);
        let due = release + ends[step.round as usize] * (1.0 - release);
        let due = match step.kind {
            Kind::Load => due,
            Kind::Work => due + self.work,
            Kind::Back => due + self.lag,
        };
        ((due * (1u64 << 40) as f64) as u64 * 256 + u64::from(255 - step.tail.min(255))) * 256
            + u64::from(step.rank.min(255))
    }
}

/// When every step begins and ends, in ticks.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    pub(super) begin: Vec<u64>,
    pub(super) end: Vec<u64>,
    /// When the last one ends.
    pub(super) last: u64,
}

/// What a machine has, and how much of it is in use.
struct Resources<'a, 'p, 'm> {
    scale: &'a Scale<'p, 'm>,
    variant: &'a Variant,
    /// By resource, how many more steps may use it: wires, then outgoing ports, incoming ports and processors by node.
    free: Vec<u32>,
    links: usize,
    nodes: usize,
    /// By node, the bytes of load for which there is room.
    room: Vec<u64>,
    /// By link, the number of its wire.
    wire: Vec<u32>,
}

impl<'a, 'p, 'm> Resources<'a, 'p, 'm> {
    fn new(scale: &'a Scale<'p, 'm>, variant: &'a Variant) -> Self {
        let problem = scale.problem();
        let machine = problem.machine();
        let (links, nodes) = (machine.links() as usize, machine.nodes() as usize);
        let ports = match variant.ports {
            Ports::All => u32::MAX,
            Ports::Few(ports) => ports,
        };
        let mut free = vec![1; links];
        free.resize(links + 2 * nodes, ports);
        free.resize(links + 3 * nodes, 1);
        let room = variant.memory.map_or(u64::MAX, |memory| (memory * scale.bytes() as f64) as u64);
        let of_link = |link: u32| {
            let link = LinkId(link);
            let back = machine.target(link).and_then(|to| machine.wire(to, machine.source(link)));
            match (variant.duplex, back) {
                (Duplex::Half, Some(back)) => link.0.min(back.0),
                _ => link.0,
            }
        };
        Self {
            scale,
            variant,
            free,
            links,
            nodes,
            room: vec![room; nodes],
            wire: (0..links as u32).map(of_link).collect(),
        }
    }

    /// What a step needs; unused places name the first thing again.
    fn needs(&self, step: &Step) -> ([usize; 3], usize) {
        let (from, to) = (step.from.index(), step.to.index());
        let (out, into, processor) = (self.links, self.links + self.nodes, self.links + 2 * self.nodes);
        if step.kind == Kind::Work {
            return ([processor + from, 0, 0], 1);
        }
        let wire = self.wire[step.link.index()] as usize;
        if !self.variant.front_end {
            return ([wire, processor + from, processor + to], 3);
        }
        match (self.variant.ports, self.variant.duplex) {
            (Ports::All, _) => ([wire, 0, 0], 1),
            // A port is one for both directions where wires are.
            (Ports::Few(_), Duplex::Half) => ([wire, out + from, out + to], 3),
            (Ports::Few(_), Duplex::Full) => ([wire, out + from, into + to], 3),
        }
    }

    /// Takes what a step needs, if all of it is free.
    fn take(&mut self, step: &Step) -> bool {
        let (needs, count) = self.needs(step);
        if needs[..count].iter().any(|&need| self.free[need] == 0) {
            return false;
        }
        if step.kind == Kind::Load && takes_room(self.scale, self.variant, step, step.to) {
            let room = &mut self.room[step.to.index()];
            let Some(left) = room.checked_sub(step.bytes) else { return false };
            *room = left;
        }
        needs[..count].iter().for_each(|&need| self.free[need] -= 1);
        true
    }

    /// Gives it back.
    fn give_back(&mut self, step: &Step) {
        let (needs, count) = self.needs(step);
        needs[..count].iter().for_each(|&need| self.free[need] += 1);
        if step.kind != Kind::Back && takes_room(self.scale, self.variant, step, step.from) {
            self.room[step.from.index()] += step.bytes;
        }
    }
}

/// Runs the steps; none if they come to a standstill, for want of room.
///
/// Time goes from whole cycle to whole cycle: a node's clock knows no others.
///
/// # Complexity
///
/// O(steps (log steps + steps that are ready at a time)).
pub(super) fn run(
    scale: &Scale,
    variant: &Variant,
    steps: &Steps,
    ends: &[f64],
    order: Order,
) -> Option<Times> {
    let keys: Vec<u64> = steps.all.iter().map(|step| order.key(scale, step, ends)).collect();
    in_order(scale, variant, steps, &keys)
}

/// Pairs of steps, of which the second uses what the first has used of a link, its ports or a processor, if they begin in this order.
pub(super) fn successions(
    scale: &Scale,
    variant: &Variant,
    steps: &Steps,
    begin: impl Fn(usize) -> u64,
) -> Vec<(usize, usize)> {
    let resources = Resources::new(scale, variant);
    let of_step = |step: usize| {
        let (needs, count) = resources.needs(&steps.all[step]);
        let begin = begin(step);
        needs.into_iter().take(count).map(move |need| (need, begin, step))
    };
    let mut uses: Vec<(usize, u64, usize)> = (0..steps.all.len()).flat_map(of_step).collect();
    uses.sort_unstable();
    let of_one = |uses: &[(usize, u64, usize)]| {
        let later = uses.iter().skip(resources.free[uses[0].0] as usize);
        uses.iter().zip(later).map(|(before, next)| (before.2, next.2)).collect::<Vec<_>>()
    };
    uses.chunk_by(|a, b| a.0 == b.0).flat_map(of_one).collect()
}

/// Whether load that a step has brought to a node, or takes from it, needs room there: all but a source's own does.
pub(super) fn takes_room(scale: &Scale, variant: &Variant, step: &Step, at: NodeId) -> bool {
    variant.memory.is_some() && at != scale.problem().sources()[step.source].node
}

/// Runs the steps, those with the lower keys first, by step.
pub(super) fn in_order(scale: &Scale, variant: &Variant, steps: &Steps, keys: &[u64]) -> Option<Times> {
    let per_cycle = scale.costs().ticks_per_cycle();
    let count = steps.all.len();
    let mut resources = Resources::new(scale, variant);
    let mut missing: Vec<u32> = (0..count).map(|step| steps.waits_of(step).len() as u32).collect();
    let followers = Followers::of(steps);
    let mut times = Times { begin: vec![0; count], end: vec![0; count], last: 0 };
    let mut ready: BTreeSet<(u64, u32)> = BTreeSet::new();
    let mut agenda: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
    // Loads that are released later: their first steps wait.
    let release = |step: &Step| {
        let source = &scale.problem().sources()[step.source];
        scale.cycles(source.release).0 * per_cycle
    };
    let first = (0..count as u32).filter(|&step| missing[step as usize] == 0);
    agenda.extend(first.map(|step| Reverse((release(&steps.all[step as usize]), step | FRESH))));
    let (mut done, mut tried) = (0, Vec::new());
    while let Some(&Reverse((now, _))) = agenda.peek() {
        // What ends within a cycle is looked at when the cycle is over.
        let now = now.div_ceil(per_cycle) * per_cycle;
        while let Some(Reverse((_, step))) = agenda.peek().copied().filter(|Reverse((time, _))| *time <= now)
        {
            agenda.pop();
            if step & FRESH > 0 {
                let step = step & !FRESH;
                ready.insert((keys[step as usize], step));
                continue;
            }
            resources.give_back(&steps.all[step as usize]);
            done += 1;
            for &next in followers.of_step(step) {
                missing[next as usize] -= 1;
                if missing[next as usize] == 0 {
                    let later = release(&steps.all[next as usize]);
                    if later > now {
                        agenda.push(Reverse((later, next | FRESH)));
                    } else {
                        ready.insert((keys[next as usize], next));
                    }
                }
            }
        }
        tried.clear();
        for &(due, number) in &ready {
            let step = &steps.all[number as usize];
            if resources.take(step) {
                tried.push((due, number));
                let end = now + step.ticks;
                (times.begin[number as usize], times.end[number as usize]) = (now, end);
                times.last = times.last.max(end);
                agenda.push(Reverse((end, number)));
            }
        }
        for begun in &tried {
            ready.remove(begun);
        }
    }
    (done == count).then_some(times)
}

/// Marks a step that becomes ready with a release.
const FRESH: u32 = 1 << 31;

/// Who waits for whom, the other way round.
struct Followers {
    first: Vec<u32>,
    all: Vec<u32>,
}

impl Followers {
    fn of(steps: &Steps) -> Self {
        let count = steps.all.len();
        let mut first = vec![0u32; count + 2];
        steps.waits.iter().for_each(|&on| first[on as usize + 2] += 1);
        for index in 2..first.len() {
            first[index] += first[index - 1];
        }
        let mut all = vec![0; steps.waits.len()];
        for step in 0..count {
            for &on in steps.waits_of(step) {
                let place = &mut first[on as usize + 1];
                all[*place as usize] = step as u32;
                *place += 1;
            }
        }
        Self { first, all }
    }

    fn of_step(&self, step: u32) -> &[u32] {
        &self.all[self.first[step as usize] as usize..self.first[step as usize + 1] as usize]
    }
}

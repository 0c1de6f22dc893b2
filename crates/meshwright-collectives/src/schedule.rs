//! From data flow to a schedule: which send waits for which receives, and what adding up costs.

use std::collections::BTreeMap;
use std::ops::Range;

use meshwright_core::csr::Csr;
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_schedule::{Awaits, Dependency, Op, Rank, Schedule};

use crate::flow::{Flow, Mode, Transfer};

/// No entry.
const NONE: u32 = u32::MAX;

/// What waits for more than so many others waits for one step without work that waits for them: p sends of a sum of p
/// contributions need 2 p dependencies then, not p p.
const WAITS_MAX: usize = 8;

/// Members times blocks of a flow whose longest chain is looked for.
const CHAIN_MAX: usize = 1 << 25;

/// A range of indices.
fn usizes(range: Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// What a send of a block waits for: steps of the rank that brought something of it, in a list from the last back.
#[derive(Default)]
struct Brought {
    /// How many blocks there are.
    blocks: usize,
    /// By block the last entry, behind these that of what is aside.
    last: Vec<u32>,
    /// Step of the rank, and the entry before.
    entries: Vec<(u32, u32)>,
    /// By step of the rank, the send that waits for it already.
    seen: Vec<u32>,
    /// Blocks that have an entry.
    touched: Vec<u32>,
    /// What the send waits for.
    awaited: Vec<u32>,
}

impl Brought {
    fn new(flow: &Flow) -> Self {
        let blocks = flow.blocks().len();
        Self { blocks, last: vec![NONE; blocks * flow.values()], ..Self::default() }
    }

    /// What a message carries, here.
    fn carried<'f>(&self, flow: &'f Flow, index: usize) -> impl Iterator<Item = u32> + use<'f> {
        let from = if flow.transfers()[index].aside.sent { self.blocks as u32 } else { 0 };
        flow.carried(index).map(move |block| from + block)
    }

    /// Notes what came with a message in a step of the rank, and was added up in another.
    fn bring(&mut self, flow: &Flow, index: usize, [came, added]: [u32; 2]) {
        for (mode, from) in flow.transfers()[index].modes().into_iter().zip([0, self.blocks as u32]) {
            let step = if mode == Mode::Combine { added } else { came };
            if mode != Mode::Leave {
                flow.carried(index).for_each(|block| self.enter(from + block, step, mode));
            }
        }
    }

    fn enter(&mut self, block: u32, step: u32, mode: Mode) {
        let last = &mut self.last[block as usize];
        if *last == NONE {
            self.touched.push(block);
        }
        let before = if mode == Mode::Combine { *last } else { NONE };
        *last = self.entries.len() as u32;
        self.entries.push((step, before));
    }

    /// Notes what the send that is step `send` waits for, each once; whether all blocks wait for the same.
    fn wait(&mut self, blocks: impl Iterator<Item = u32>, send: u32) -> bool {
        self.awaited.clear();
        let (mut same, mut shortest) = (NONE, usize::MAX);
        for block in blocks {
            let mut at = self.last[block as usize];
            if at == same && at != NONE {
                continue;
            }
            same = at;
            let mut length = 0;
            while at != NONE {
                let (step, before) = self.entries[at as usize];
                if self.seen[step as usize] != send {
                    self.seen[step as usize] = send;
                    self.awaited.push(step);
                }
                length += 1;
                at = before;
            }
            shortest = shortest.min(length);
        }
        self.awaited.len() == shortest
    }

    /// From now on these blocks wait for one step instead of what they waited for.
    fn join(&mut self, blocks: impl Iterator<Item = u32>, step: u32) {
        blocks.for_each(|block| self.last[block as usize] = self.entries.len() as u32);
        self.entries.push((step, NONE));
    }

    /// Forgets all, for the next member.
    fn clear(&mut self) {
        self.touched.drain(..).for_each(|block| self.last[block as usize] = NONE);
        self.entries.clear();
    }
}

impl Flow {
    /// The schedule of this flow, member m on node `nodes[m]` of a machine of so many nodes.
    ///
    /// A send waits for all that came to its node in steps before its own and touches one of its blocks (all that came there if
    /// the flow is stepwise); in a paced flow also for what is planned before it; nothing else waits.
    /// Adding up costs `combine` cycles for each byte, rounded up, one message after the other. The tag of a
    /// message is its step.
    ///
    /// # Panics
    ///
    /// When a member has no node.
    ///
    /// # Complexity
    ///
    /// O(blocks of all messages + dependencies).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_collectives::flow::{ALL, Block, Flow};
    /// use meshwright_core::units::NodeId;
    /// let mut chain = Flow::new(3, vec![Block { bytes: 64, from: 0, to: ALL }]);
    /// chain.copy(0, 0, 1, [0]);
    /// chain.copy(1, 1, 2, [0]);
    /// let schedule = chain.chunked(4)?.schedule(&[0, 1, 2].map(NodeId), 3, None);
    /// assert_eq!((schedule.ranks[1].ops.len(), schedule.ranks[1].dependencies.len()), (8, 4), "chunk by chunk");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn schedule(&self, nodes: &[NodeId], machine_nodes: u32, combine: Option<Ratio>) -> Schedule {
        let events = self.events();
        let mut ranks = vec![Rank::default(); machine_nodes as usize];
        let mut brought = Brought::new(self);
        let relays = self.relays();
        for (events, node) in events.rows().zip(nodes) {
            ranks[node.index()] = self.rank(events, nodes, combine, (&mut brought, &relays));
            brought.clear();
        }
        Schedule { ranks }
    }

    /// By member its sends (twice the number of the message) and receives (one more), in the order of their steps; in a step what is sent
    /// was there before what comes.
    fn events(&self) -> Csr<u32> {
        let transfers = self.transfers();
        let by_step = self.by_step();
        let events = by_step.rows().flat_map(|step| {
            let sends = step.iter().map(|&index| (transfers[index as usize].source as usize, 2 * index));
            let comes = step.iter().map(|&index| (transfers[index as usize].target as usize, 2 * index + 1));
            sends.chain(comes)
        });
        Csr::from_pairs(self.members() as usize, events)
    }

    /// By step its messages.
    fn by_step(&self) -> Csr<u32> {
        let steps = self.transfers().iter().zip(0..).map(|(transfer, index)| (transfer.step as usize, index));
        Csr::from_pairs(self.steps() as usize, steps)
    }

    /// By message the one whose copy it is, sent on by the router behind its head; none where it is no copy.
    ///
    /// In a [copied](Flow::copied) flow these are the messages that wait for one other only, which carries the same blocks and takes the place
    /// of what was there.
    ///
    /// # Complexity
    ///
    /// O(blocks of all messages), O(messages) where nothing is copied.
    pub fn relays(&self) -> Vec<Option<u32>> {
        let transfers = self.transfers();
        let mut relays = vec![None; transfers.len()];
        if !self.is_copied() || self.is_stepwise() {
            return relays;
        }
        let mut awaited: Vec<u32> = vec![0; transfers.len()];
        for (on, waiting) in self.waits() {
            awaited[waiting as usize] += 1;
            let is_copy = |index: u32| transfers[index as usize].mode == Mode::Copy;
            let is_same = self.row(on as usize) == self.row(waiting as usize);
            let is_only = awaited[waiting as usize] == 1;
            relays[waiting as usize] = (is_only && is_same && is_copy(on) && is_copy(waiting)).then_some(on);
        }
        relays
    }

    /// When the last message arrives if each takes so long and waits for nothing but what it carries; none where members times blocks are
    /// too many to look at.
    ///
    /// # Complexity
    ///
    /// O(members blocks + blocks of all messages).
    pub fn longest_chain(&self, alone: impl Fn(usize) -> u64) -> Option<u64> {
        // Members that stay in step have one time for all blocks.
        let blocks = if self.is_stepwise() { 1 } else { self.blocks().len() };
        let wide = if self.is_stepwise() { 1 } else { blocks * self.values() };
        let many = self.members() as usize * wide;
        if many > CHAIN_MAX {
            return None;
        }
        let mut there = vec![0u64; many];
        let mut arrives: Vec<u64> = Vec::new();
        let mut last = 0;
        for step in self.by_step().rows() {
            arrives.clear();
            arrives.extend(step.iter().map(|&index| {
                let Transfer { source, aside, .. } = self.transfers()[index as usize];
                let from = if aside.sent { wide - blocks } else { 0 };
                let here = &there[source as usize * wide + from..][..blocks];
                let most = |range: &[u64]| range.iter().copied().max().unwrap_or(0);
                let begins = match self.is_stepwise() {
                    true => here[0],
                    false => {
                        self.ranges(index as usize).map(|range| most(&here[usizes(range)])).max().unwrap_or(0)
                    }
                };
                begins + alone(index as usize)
            }));
            for (&index, &at) in step.iter().zip(&arrives) {
                last = last.max(at);
                let transfer = self.transfers()[index as usize];
                let here = &mut there[transfer.target as usize * wide..][..wide];
                if self.is_stepwise() {
                    here[0] = here[0].max(at);
                    continue;
                }
                for (mode, from) in transfer.modes().into_iter().zip([0, wide - blocks]) {
                    let set = |time: &mut u64| match mode {
                        Mode::Copy => *time = at,
                        Mode::Combine => *time = at.max(*time),
                        Mode::Leave => {}
                    };
                    for range in self.ranges(index as usize) {
                        here[from..][usizes(range)].iter_mut().for_each(set);
                    }
                }
            }
        }
        Some(last)
    }

    /// Which message waits for which other to arrive: pairs of the one awaited and the one that waits.
    pub fn waits(&self) -> Vec<(u32, u32)> {
        let transfers = self.transfers();
        let mut brought = Brought::new(self);
        brought.seen.resize(transfers.len(), NONE);
        let mut waits = Vec::new();
        for events in self.events().rows() {
            for &event in events {
                let index = event / 2;
                if event % 2 == 0 {
                    brought.wait(brought.carried(self, index as usize), index);
                    waits.extend(brought.awaited.iter().map(|&on| (on, index)));
                } else {
                    brought.bring(self, index as usize, [index; 2]);
                }
            }
            brought.clear();
        }
        waits
    }

    /// The program of one member: its sends and receives in the order of their steps.
    fn rank(
        &self,
        events: &[u32],
        nodes: &[NodeId],
        combine: Option<Ratio>,
        (brought, relays): (&mut Brought, &[Option<u32>]),
    ) -> Rank {
        let mut rank = Rank::default();
        // By target the last send to it.
        let mut sent: BTreeMap<u32, u32> = BTreeMap::new();
        brought.seen.clear();
        brought.seen.resize(2 * events.len(), NONE);
        rank.ops.reserve(events.len());
        // What a stepwise send waits for: all that has come.
        let mut come: Vec<u32> = Vec::new();
        let waits = |step, on| Dependency { step, on, awaits: Awaits::End };
        // By event its step, where the flow is paced.
        let mut places: Vec<u32> = Vec::new();
        for &event in events {
            let index = event as usize / 2;
            let (transfer, bytes) = (self.transfers()[index], Bytes(self.bytes(index)));
            let mut step = rank.ops.len() as u32;
            if event % 2 == 0 {
                let alike = self.is_stepwise() || brought.wait(brought.carried(self, index), step);
                let awaited = if self.is_stepwise() { &mut come } else { &mut brought.awaited };
                let awaits = if relays[index].is_some() { Awaits::Head } else { Awaits::End };
                rank.dependencies.extend(awaited.iter().map(|&on| Dependency { step, on, awaits }));
                let most = if self.is_stepwise() { 1 } else { WAITS_MAX };
                if alike && awaited.len() > most {
                    rank.ops.push(Op::Calc { cycles: Cycles(0) });
                    awaited.clear();
                    awaited.push(step);
                    rank.dependencies.push(waits(step + 1, step));
                    if !self.is_stepwise() {
                        brought.join(brought.carried(self, index), step);
                    }
                }
                rank.ops.push(Op::Send { peer: nodes[transfer.target as usize], bytes, tag: transfer.step });
                let send = rank.ops.len() as u32 - 1;
                places.push(send);
                if self.is_ordered()
                    && let Some(on) = sent.insert(transfer.target, send)
                {
                    rank.dependencies.push(Dependency { step: send, on, awaits: Awaits::Start });
                }
                continue;
            }
            rank.ops.push(Op::Recv { peer: nodes[transfer.source as usize], bytes, tag: transfer.step });
            let came = step;
            if let Some(combine) = combine.filter(|_| transfer.sums() > 0) {
                rank.dependencies.push(waits(step + 1, step));
                step += 1;
                let ticks = bytes.0 * transfer.sums() * combine.numerator();
                rank.ops.push(Op::Calc { cycles: Cycles(ticks.div_ceil(combine.denominator())) });
            }
            places.push(step);
            if self.is_stepwise() {
                come.push(step);
            } else {
                brought.bring(self, index, [came, step]);
            }
        }
        if let Some(combine) = combine.filter(|_| self.is_added_up()) {
            self.add_up(&mut rank, combine);
        }
        if !self.moments().is_empty() {
            self.pace(&mut rank, events, &places);
        }
        rank
    }

    /// In the end a member adds up the vectors of all others.
    fn add_up(&self, rank: &mut Rank, combine: Ratio) {
        let step = rank.ops.len() as u32;
        let comes = |(at, op): (usize, &Op)| matches!(op, Op::Recv { .. }).then_some(at as u32);
        let comes: Vec<u32> = rank.ops.iter().enumerate().filter_map(comes).collect();
        rank.dependencies.extend(comes.into_iter().map(|on| Dependency { step, on, awaits: Awaits::End }));
        let all: u64 = self.blocks().iter().map(|block| block.bytes).sum();
        let ticks = (all - all / u64::from(self.members())) * combine.numerator();
        rank.ops.push(Op::Calc { cycles: Cycles(ticks.div_ceil(combine.denominator())) });
    }

    /// Keeps one member to the plan of a paced flow: its events, and the steps that they are.
    fn pace(&self, rank: &mut Rank, events: &[u32], places: &[u32]) {
        let mut begins: Vec<(u32, u32)> = Vec::new();
        let mut ends: Vec<(u32, u32)> = Vec::with_capacity(events.len());
        for (&event, &place) in events.iter().zip(places) {
            let at = self.moments()[event as usize / 2];
            if event.is_multiple_of(2) {
                begins.push((at.begun, place));
                ends.push((at.left, place));
            } else {
                ends.push((at.arrived, place));
            }
        }
        begins.sort_unstable();
        ends.sort_unstable();
        let mut ends = ends.into_iter().peekable();
        let mut last = None;
        for (begun, step) in begins {
            if let Some(on) = last.replace(step) {
                rank.dependencies.push(Dependency { step, on, awaits: Awaits::Start });
            }
            while let Some((_, on)) = ends.next_if(|&(end, _)| end <= begun) {
                rank.dependencies.push(Dependency { step, on, awaits: Awaits::End });
            }
        }
        rank.dependencies.sort_unstable();
        rank.dependencies.dedup();
    }
}

//! The event-driven engine against a referee that looks at every tick: no events, no queues, no formulas, just
//! messages that move a tick at a time if the link under their head is theirs.

use meshwright::routing::{Pair, Routes, routes};
use meshwright::schedule::{Message, Op, Rank, Schedule};
use meshwright::sim::run_schedule;
use meshwright::topology::{Costs, Machine, Switching, machine::SWITCHINGS};
use meshwright::units::{Bytes, Cycles, LinkId, NodeId, Ratio};
use proptest::prelude::*;

/// One message: its links, its length in ticks, and how far it has come.
struct Walker {
    links: Vec<LinkId>,
    body: u64,
    /// Links it was given.
    entered: usize,
    /// Ticks its head has moved since it left (wormhole), or the tick it may go on (others).
    progress: u64,
    asked: Option<u64>,
    /// Links held, with the tick of release where it is known (not for worms).
    held: Vec<(LinkId, u64)>,
    done: Option<u64>,
}

struct Stepped<'m> {
    switching: Switching,
    costs: &'m Costs,
    walkers: Vec<Walker>,
}

impl<'m> Stepped<'m> {
    fn new(messages: &[Message], routes: &Routes<'_>, switching: Switching, costs: &'m Costs) -> Self {
        let progress = if switching == Switching::CutThrough { costs.startup.0 } else { 0 };
        let walker = |(index, message): (usize, &Message)| {
            let mut links = Vec::new();
            routes.for_each_link(index, message.pair(), |link| links.push(link));
            let body = costs.transfer_ticks(message.bytes);
            Walker { links, body, entered: 0, progress, asked: None, held: Vec::new(), done: None }
        };
        Self { switching, costs, walkers: messages.iter().enumerate().map(walker).collect() }
    }

    /// When each message arrives, or `None` if nothing moves any more.
    fn run(mut self) -> Option<Vec<u64>> {
        let start = if self.switching == Switching::StoreAndForward { 0 } else { self.costs.startup.0 };
        for now in start..100_000 {
            // Without a head time a message may cross several links within a tick.
            loop {
                self.let_go(now);
                self.ask(now);
                if !self.grant(now) {
                    break;
                }
            }
            if self.walkers.iter().all(|walker| walker.done.is_some()) {
                break;
            }
            if self.switching == Switching::Wormhole && !self.crawl() {
                return None;
            }
        }
        Some(self.walkers.into_iter().map(|walker| walker.done.expect("all have arrived")).collect())
    }

    /// What ends at this tick lets go of its links.
    fn let_go(&mut self, now: u64) {
        let (worm, h) = (self.switching == Switching::Wormhole, self.costs.head_ticks());
        for walker in &mut self.walkers {
            let (progress, body) = (walker.progress, walker.body);
            let mut index = (walker.entered - walker.held.len()) as u64;
            walker.held.retain(|&(_, release)| {
                index += 1;
                if worm { progress < index * h + body } else { now < release }
            });
            let over = match self.switching {
                Switching::Wormhole => progress == walker.links.len() as u64 * h + body,
                Switching::CutThrough => now == progress + body,
                Switching::StoreAndForward => now == progress,
            };
            if over && walker.entered == walker.links.len() {
                walker.done.get_or_insert(now);
            }
        }
    }

    /// Who stands before a link asks for it.
    fn ask(&mut self, now: u64) {
        let (worm, h) = (self.switching == Switching::Wormhole, self.costs.head_ticks());
        let idle = |walker: &&mut Walker| walker.entered < walker.links.len() && walker.asked.is_none();
        for walker in self.walkers.iter_mut().filter(idle) {
            let stands =
                if worm { walker.progress == walker.entered as u64 * h } else { now == walker.progress };
            walker.asked = stands.then_some(now);
        }
    }

    /// A free link takes the first in its line; whether any did.
    fn grant(&mut self, now: u64) -> bool {
        let walkers = &self.walkers;
        let taken: Vec<LinkId> = walkers.iter().flat_map(|w| w.held.iter().map(|(link, _)| *link)).collect();
        let key = |walker: &Walker| match self.switching {
            Switching::StoreAndForward => u64::MAX - (walker.links.len() - walker.entered) as u64,
            _ => walker.asked.unwrap_or(u64::MAX),
        };
        let wanted = |walker: &Walker| walker.asked.map(|_| walker.links[walker.entered]);
        let is_first = |&i: &usize| {
            let rivals = (0..walkers.len()).filter(|&j| wanted(&walkers[j]) == wanted(&walkers[i]));
            wanted(&walkers[i]).is_some_and(|link| !taken.contains(&link))
                && rivals.min_by_key(|&j| (key(&walkers[j]), j)) == Some(i)
        };
        let firsts: Vec<usize> = (0..walkers.len()).filter(is_first).collect();
        for &i in &firsts {
            let walker = &mut self.walkers[i];
            let (head, startup) = (self.costs.head_ticks(), self.costs.startup.0);
            let stored = self.switching == Switching::StoreAndForward;
            let occupied = if stored { startup } else { head } + walker.body;
            walker.held.push((walker.links[walker.entered], now + occupied));
            walker.entered += 1;
            walker.asked = None;
            if self.switching != Switching::Wormhole {
                walker.progress = now + if stored { occupied } else { head };
            }
        }
        !firsts.is_empty()
    }

    /// Worms that need not wait move on; whether any did.
    fn crawl(&mut self) -> bool {
        let free = |walker: &&mut Walker| walker.done.is_none() && walker.asked.is_none();
        self.walkers.iter_mut().filter(free).map(|walker| walker.progress += 1).count() > 0
    }
}

/// What is sent: source, offset of the target, bytes.
type Ends = Vec<(u32, u32, u64)>;

fn jobs() -> impl Strategy<Value = (usize, usize, u64, u64, Ends)> {
    let ends = prop::collection::vec((0u32..12, 1u32..12, 0u64..20), 1..25);
    (0usize..5, 0usize..3, 0u64..9, 0u64..4, ends)
}

fn check((which, switching, c, h, mut ends): (usize, usize, u64, u64, Ends)) -> Result<(), TestCaseError> {
    let name = ["mesh:3x4", "torus:3x4", "mesh:12", "torus:12", "mesh:2x3x2"][which];
    let mut machine = Machine::new(name).unwrap();
    machine.switching = SWITCHINGS[switching].1;
    machine.costs = Costs { startup: Cycles(c), byte_time: Ratio::whole(1), flit: Bytes(h) };
    let mut schedule = Schedule { ranks: vec![Rank::default(); 12] };
    ends.sort_by_key(|&(source, _, _)| source);
    let mut messages = Vec::new();
    for (tag, &(source, offset, bytes)) in (0..).zip(&ends) {
        // Never to oneself.
        let (target, bytes) = ((source + offset) % 12, Bytes(bytes));
        schedule.ranks[source as usize].ops.push(Op::Send { peer: NodeId(target), bytes, tag });
        schedule.ranks[target as usize].ops.push(Op::Recv { peer: NodeId(source), bytes, tag });
        messages.push(Message { source: NodeId(source), target: NodeId(target), bytes, phase: tag });
    }
    // The schedule numbers messages by the step of their send.
    let messages: Vec<Message> = schedule.messages().iter().map(|m| messages[m.tag as usize]).collect();
    let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
    let routes = routes(&machine, &pairs).unwrap();
    let stepped = Stepped::new(&messages, &routes, machine.switching, &machine.costs).run();
    let trace = run_schedule(&machine, &schedule).unwrap();
    prop_assert_eq!(trace.deadlock.is_some(), stepped.is_none());
    if let Some(stepped) = stepped {
        prop_assert_eq!(trace.latency_ticks, stepped);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_message_arrives_at_the_same_tick(job in jobs()) {
        check(job)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100_000))]

    #[test]
    #[ignore = "long: a hundred thousand random schedules"]
    fn every_message_arrives_at_the_same_tick_very_often(job in jobs()) {
        check(job)?;
    }
}

//! The event-driven engine against a referee that looks at every tick: no events, no queues, no formulas, just
//! messages that move a tick at a time if the link under their head is theirs. Worms on rings, which have date-line
//! classes, are looked at in the same way in `date_line/naive.rs`.

use meshwright_core::units::{Bytes, Cycles, LinkId, NodeId, Ratio};
use meshwright_network::routing::{Pair, Routes, routes};
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Costs, Machine, PortModel, Switching};
use meshwright_schedule::{Message, Op, Rank, Schedule};
use meshwright_sim::fitting::Routers;
use meshwright_sim::{Engine, simulate};
use proptest::prelude::*;

/// What a message needs on its way, one at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Channel {
    Injection(NodeId),
    Link(LinkId),
    Ejection(NodeId),
}

/// One message: what it needs in turn, its length in ticks, and how far it has come.
struct Walker {
    way: Vec<Channel>,
    links: u64,
    body: u64,
    /// Channels it was given, and links among them.
    given: usize,
    entered: u64,
    /// Ticks its head has moved since it left (wormhole), or the tick it may go on (others).
    progress: u64,
    /// The tick its start-up is over.
    ready: u64,
    asked: Option<u64>,
    /// Links held, with the tick of release where it is known (not for worms).
    held: Vec<(LinkId, u64)>,
    /// Ports held.
    ports: Vec<Channel>,
    done: Option<u64>,
}

struct Stepped<'m> {
    machine: &'m Machine,
    walkers: Vec<Walker>,
}

impl<'m> Stepped<'m> {
    fn new(messages: &[Message], routes: &Routes<'_>, machine: &'m Machine) -> Self {
        let one_port = machine.port_model() == PortModel::One;
        let walker = |(index, message): (usize, &Message)| {
            let mut way = Vec::new();
            routes.for_each_link(index, message.pair(), |link| way.push(Channel::Link(link)));
            let links = way.len() as u64;
            if one_port {
                // A stored message crosses its last link straight into the port.
                let last =
                    if machine.switching() == Switching::StoreAndForward { way.len() - 1 } else { way.len() };
                way.insert(last, Channel::Ejection(message.target));
                way.insert(0, Channel::Injection(message.source));
            }
            let body = machine.costs().transfer_ticks(message.bytes);
            let (held, ports) = (Vec::new(), Vec::new());
            Walker {
                way,
                links,
                body,
                given: 0,
                entered: 0,
                progress: 0,
                ready: 0,
                asked: None,
                held,
                ports,
                done: None,
            }
        };
        let mut stepped = Self { machine, walkers: messages.iter().enumerate().map(walker).collect() };
        if !one_port {
            (0..messages.len()).for_each(|i| stepped.start_up(i, 0));
        }
        stepped
    }

    fn start_up(&mut self, i: usize, now: u64) {
        let startup = self.machine.costs().startup.0;
        self.walkers[i].ready = match self.machine.switching() {
            Switching::StoreAndForward => now,
            _ => now + startup,
        };
        if self.machine.switching() != Switching::Wormhole {
            self.walkers[i].progress = self.walkers[i].ready;
        }
    }

    /// When each message arrives, or `None` if nothing moves any more.
    fn run(mut self) -> Option<Vec<u64>> {
        for now in 0..100_000 {
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
            if self.machine.switching() == Switching::Wormhole && !self.crawl(now) {
                return None;
            }
        }
        Some(self.walkers.into_iter().map(|walker| walker.done.expect("all have arrived")).collect())
    }

    /// What ends at this tick lets go of its channels.
    fn let_go(&mut self, now: u64) {
        let (switching, h) = (self.machine.switching(), self.machine.costs().head_ticks());
        for walker in &mut self.walkers {
            let (progress, body) = (walker.progress, walker.body);
            let mut index = walker.entered - walker.held.len() as u64;
            walker.held.retain(|&(_, release)| {
                index += 1;
                if switching == Switching::Wormhole { progress < index * h + body } else { now < release }
            });
            if walker.entered > walker.held.len() as u64 {
                walker.ports.retain(|port| matches!(port, Channel::Ejection(_)));
            }
            let over = match switching {
                Switching::Wormhole => progress == walker.links * h + body,
                Switching::CutThrough => now == progress + body,
                Switching::StoreAndForward => now == progress,
            };
            if over && walker.given == walker.way.len() {
                walker.done.get_or_insert(now);
                walker.ports.clear();
            }
        }
    }

    /// Who stands before a channel asks for it.
    fn ask(&mut self, now: u64) {
        let (worm, h) = (self.machine.switching() == Switching::Wormhole, self.machine.costs().head_ticks());
        let idle = |walker: &&mut Walker| walker.given < walker.way.len() && walker.asked.is_none();
        for walker in self.walkers.iter_mut().filter(idle) {
            let stands = match walker.way[walker.given] {
                Channel::Injection(_) => true,
                _ if worm => now >= walker.ready && walker.progress == walker.entered * h,
                _ => now == walker.progress,
            };
            walker.asked = stands.then_some(now);
        }
    }

    /// A free channel takes the first in its line; whether any did.
    fn grant(&mut self, now: u64) -> bool {
        let walkers = &self.walkers;
        let held =
            |walker: &Walker| walker.held.iter().map(|(link, _)| Channel::Link(*link)).collect::<Vec<_>>();
        let taken: Vec<Channel> = walkers.iter().flat_map(|w| [held(w), w.ports.clone()].concat()).collect();
        let key = |walker: &Walker| match (self.machine.switching(), walker.way[walker.given]) {
            (Switching::StoreAndForward, Channel::Link(_)) => u64::MAX - (walker.links - walker.entered),
            _ => walker.asked.unwrap_or(u64::MAX),
        };
        let wanted = |walker: &Walker| walker.asked.map(|_| walker.way[walker.given]);
        let is_first = |&i: &usize| {
            let rivals = (0..walkers.len()).filter(|&j| wanted(&walkers[j]) == wanted(&walkers[i]));
            wanted(&walkers[i]).is_some_and(|channel| !taken.contains(&channel))
                && rivals.min_by_key(|&j| (key(&walkers[j]), j)) == Some(i)
        };
        let firsts: Vec<usize> = (0..walkers.len()).filter(is_first).collect();
        for &i in &firsts {
            self.give(i, now);
        }
        !firsts.is_empty()
    }

    fn give(&mut self, i: usize, now: u64) {
        let (switching, costs) = (self.machine.switching(), self.machine.costs());
        let walker = &mut self.walkers[i];
        let channel = walker.way[walker.given];
        walker.given += 1;
        walker.asked = None;
        match channel {
            Channel::Link(link) => {
                let stored = switching == Switching::StoreAndForward;
                let head = if stored { costs.startup.0 } else { costs.head_ticks() };
                walker.held.push((link, now + head + walker.body));
                walker.entered += 1;
                if switching != Switching::Wormhole {
                    walker.progress = now + head + if stored { walker.body } else { 0 };
                }
            }
            Channel::Injection(_) => {
                walker.ports.push(channel);
                self.start_up(i, now);
            }
            Channel::Ejection(_) => {
                walker.ports.push(channel);
                if switching != Switching::Wormhole {
                    walker.progress = now;
                }
            }
        }
    }

    /// Worms that need not wait move on; whether any did, or is still starting.
    fn crawl(&mut self, now: u64) -> bool {
        let mut free: Vec<&mut Walker> = self
            .walkers
            .iter_mut()
            .filter(|walker| walker.done.is_none() && walker.asked.is_none())
            .collect();
        free.iter_mut().for_each(|walker| walker.progress += u64::from(now >= walker.ready));
        !free.is_empty()
    }
}

/// What is sent: source, offset of the target, bytes.
type Ends = Vec<(u32, u32, u64)>;

/// Machine, switching, one port, start-up, head time, messages.
type Job = (usize, usize, bool, u64, u64, Ends);

fn jobs() -> impl Strategy<Value = Job> {
    let ends = prop::collection::vec((0u32..12, 1u32..12, 0u64..20), 1..25);
    (0usize..5, 0usize..3, any::<bool>(), 0u64..9, 0u64..4, ends)
}

fn check((which, switching, one_port, c, mut h, mut ends): Job) -> Result<(), TestCaseError> {
    if one_port && c == 0 {
        // Else whole journeys happen in no time, and who reaches a port first within it is a convention.
        h = h.max(1);
        ends.iter_mut().for_each(|(_, _, bytes)| *bytes = (*bytes).max(1));
    }
    let name = ["mesh:3x4", "torus:3x4", "mesh:12", "torus:12", "mesh:2x3x2"][which];
    let mut machine = Machine::new(name).unwrap();
    machine = machine.with_switching(SWITCHINGS[switching].1);
    if Routers::date_line(&machine).is_some() {
        return Ok(());
    }
    machine = machine.with_port_model(if one_port { PortModel::One } else { PortModel::All });
    machine =
        machine.with_costs(Costs { startup: Cycles(c), byte_time: Ratio::whole(1), flit: Bytes(h) }).unwrap();
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
    let stepped = Stepped::new(&messages, &routes, &machine).run();
    let trace = simulate(&machine, &schedule, &Engine::Message).unwrap();
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

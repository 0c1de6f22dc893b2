//! Reactive processes: protocols whose times are derived by hand, and schedules run as processes.

mod on_routers;

use std::collections::VecDeque;

use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_mapping::{Divide, Request, Shape, place};
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_schedule::process::{Context, Process};
use meshwright_schedule::{Message, Op, Phases, Rank, Schedule};
use meshwright_sim as sim;
use meshwright_sim::{Engine, Trace, run, simulate};
use meshwright_verdict::Job;
use proptest::prelude::*;

/// A member of a group of neighbours: its place in the group, the first node, the size, and what it knows.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Member {
    protocol: Protocol,
    first: u32,
    size: u32,
    value: u64,
    heard: u32,
    result: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    /// A token goes round twice: it adds up all values, then tells everybody.
    Ring,
    /// Partial sums go up a binomial tree, after a computation at each node.
    Tree,
    /// Takes no part.
    Absent,
}

impl Member {
    fn place(&self, context: &Context<'_, u64>) -> u32 {
        context.node().0 - self.first
    }

    /// Children of a place in the binomial tree: p + 1, p + 2, p + 4, … below its lowest bit.
    fn children(&self, place: u32) -> u32 {
        let reach = if place == 0 { self.size } else { 1 << place.trailing_zeros() };
        (0..31).filter(|bit| 1 << bit < reach && place + (1 << bit) < self.size).count() as u32
    }

    /// Once all children have reported, compute and then report.
    fn reduce_when_complete(&mut self, context: &mut Context<'_, u64>) {
        if self.heard == self.children(self.place(context)) {
            context.compute(Cycles(5 + u64::from(self.place(context))), 7);
        }
    }
}

impl Process for Member {
    type Payload = u64;

    fn on_start(&mut self, context: &mut Context<'_, u64>) {
        match self.protocol {
            Protocol::Absent => context.finish(),
            Protocol::Tree => self.reduce_when_complete(context),
            Protocol::Ring if self.place(context) == 0 => {
                context.send(NodeId(self.first + 1), Bytes(self.value), self.value);
            }
            Protocol::Ring => {}
        }
    }

    fn on_message(&mut self, _: NodeId, sum: u64, context: &mut Context<'_, u64>) {
        self.heard += 1;
        if self.protocol == Protocol::Tree {
            self.value += sum;
            self.reduce_when_complete(context);
            return;
        }
        let place = self.place(context);
        let sum = if self.heard == 1 && place > 0 { sum + self.value } else { sum };
        if self.heard == 2 || place == 0 {
            self.result = Some(sum);
            context.finish();
        }
        if self.heard == 1 || (self.heard == 2 && place + 1 < self.size && place > 0) {
            context.send(NodeId(self.first + (place + 1) % self.size), Bytes(self.value), sum);
        }
    }

    fn on_computed(&mut self, token: u32, context: &mut Context<'_, u64>) {
        assert_eq!(token, 7, "the token comes back");
        let place = self.place(context);
        self.result = Some(self.value);
        context.finish();
        if place > 0 {
            let parent = place & (place - 1);
            context.send(NodeId(self.first + parent), Bytes(8), self.value);
        }
    }
}

fn member(protocol: Protocol, first: u32, size: u32, value: u64) -> Member {
    Member { protocol, first, size, value, heard: 0, result: None }
}

fn group(protocol: Protocol, first: u32, size: u32) -> Vec<Member> {
    (0..size).map(|i| member(protocol, first, size, 10 + u64::from(first + i) % 90)).collect()
}

#[test]
fn a_token_goes_round_twice() {
    let mut ring = group(Protocol::Ring, 0, 8);
    let trace = run(&Machine::new("torus:8").unwrap(), &mut ring, &Engine::Message).unwrap();
    let (sum, bytes) = ((10..18).sum::<u64>(), |i: u64| 10 + i);
    assert!(ring.iter().all(|member| member.result == Some(sum)));
    // 8 hops, then 7 more: the last node keeps the token. Each costs c + bytes + h.
    let round: u64 = (0..8).map(|i| 100 + bytes(i) + 2).sum();
    let second: u64 = (0..7).map(|i| 100 + bytes(i) + 2).sum();
    assert_eq!((trace.ticks, trace.messages), (round + second, 15));
    assert_eq!(trace.finished_ticks[0], Some(round));
    assert_eq!((trace.unfinished, trace.deadlock), (vec![], None));
}

#[test]
fn a_tree_adds_up() {
    let mut tree = group(Protocol::Tree, 0, 8);
    let trace = run(&Machine::new("mesh:8").unwrap(), &mut tree, &Engine::Message).unwrap();
    assert_eq!(tree[0].result, Some((10..18).sum()));
    // The longest chain: 7 -> 6 -> 4 -> 0 over 1, 2 and 4 links.
    let send = |hops: u64| 100 + 8 + 2 * hops;
    assert_eq!(trace.ticks, (5 + 7) + send(1) + (5 + 6) + send(2) + (5 + 4) + send(4) + 5);
    assert_eq!(trace.messages, 7);
}

/// Groups of two on even rows of a 64 x 64 mesh, of four on odd ones, rings and trees by turns: 1,536 in all.
#[test]
fn groups_at_once_fare_as_alone() {
    let mesh = Machine::new("mesh:64x64").unwrap();
    let mut groups: Vec<Vec<Member>> = Vec::new();
    for row in 0..64u32 {
        let size = if row % 2 == 0 { 2 } else { 4 };
        groups.extend((0..64 / size).map(|g| {
            let protocol = if (row / 2 + g) % 2 == 0 { Protocol::Ring } else { Protocol::Tree };
            group(protocol, 64 * row + size * g, size)
        }));
    }
    assert_eq!(groups.len(), 1536);
    let mut all = groups.concat();
    let together = run(&mesh, &mut all, &Engine::Message).unwrap();
    assert_eq!((together.unfinished.len(), together.longest_wait), (0, None));
    let mut again = groups.concat();
    let second = run(&mesh, &mut again, &Engine::Message).unwrap();
    assert_eq!(format!("{together:?}{all:?}"), format!("{second:?}{again:?}"), "the same bytes");
    // Every seventh group alone.
    for own in groups.iter().step_by(7) {
        let nodes = own[0].first as usize..own[0].first as usize + own.len();
        let mut alone = vec![member(Protocol::Absent, 0, 1, 0); nodes.end];
        alone[nodes.clone()].clone_from_slice(own);
        let trace = run(&mesh, &mut alone, &Engine::Message).unwrap();
        assert_eq!(alone[nodes.clone()], all[nodes.clone()]);
        assert_eq!(trace.finished_ticks[nodes.clone()], together.finished_ticks[nodes]);
    }
}

#[test]
fn silence_without_a_result_is_an_answer() {
    // The token is sent by the first of the group, who is not there.
    let mut ring = group(Protocol::Ring, 0, 4);
    ring[0].protocol = Protocol::Absent;
    let trace = run(&Machine::new("mesh:4").unwrap(), &mut ring, &Engine::Message).unwrap();
    assert_eq!(trace.unfinished, [1, 2, 3].map(NodeId));
    assert_eq!((trace.ticks, trace.messages, trace.deadlock), (0, 0, None));
    assert_eq!(trace.finished_ticks, [Some(0), None, None, None]);
}

/// What one process asks for when it starts: one message.
struct Once {
    to: u32,
    bytes: u64,
}

impl Process for Once {
    type Payload = ();

    fn on_start(&mut self, context: &mut Context<'_, ()>) {
        context.send(NodeId(self.to), Bytes(self.bytes), ());
    }

    fn on_message(&mut self, _: NodeId, (): (), context: &mut Context<'_, ()>) {
        context.finish();
    }
}

#[test]
fn worms_that_block_each_other_are_reported_with_their_ring() {
    let sends = |bytes| (0..5).map(|i| Once { to: (i + 2) % 5, bytes }).collect::<Vec<_>>();
    // With a hole the torus has no date-line: its routes are those of a search.
    let broken = Machine::new("torus:2x5").unwrap().with_dead(vec![NodeId(9)]).unwrap();
    let trace = run(&broken, &mut sends(4096), &Engine::Message).unwrap();
    assert_eq!(trace.deadlock.expect("every worm holds one link and wants the next").len(), 5);
    assert_eq!((trace.messages, trace.unfinished.len()), (0, 5));
    let ring = Machine::new("torus:5").unwrap();
    let passing = run(&ring, &mut sends(4096), &Engine::Message).unwrap();
    assert_eq!((passing.deadlock, passing.messages), (None, 5), "with date-line classes");
    // Three of the five pass those that cross the border; two links of a way each, one behind the other.
    assert!(passing.passes > 0 && passing.ticks >= 100 + 2 * 4096);
    let stored =
        run(&ring.with_switching(Switching::StoreAndForward), &mut sends(4096), &Engine::Message).unwrap();
    assert_eq!((stored.deadlock, stored.messages, stored.ticks), (None, 5, 2 * (100 + 4096)));
}

#[test]
fn unacceptable_actions_are_errors() {
    let run = |machine: &Machine, to: u32, bytes: u64| {
        let mut processes: Vec<Once> = (0..4).map(|_| Once { to, bytes }).collect();
        run(machine, &mut processes, &Engine::Message)
            .map(|trace| trace.messages)
            .map_err(|error| error.to_string())
    };
    let line = Machine::new("mesh:4").unwrap();
    assert_eq!(run(&line, 4, 1).unwrap_err(), "target of a message is 4; expected a node from 0 to 3");
    let most = 1u64 << 40;
    assert!(run(&line, 1, most + 1).unwrap_err().contains("expected at most 1099511627776 bytes"));
    assert_eq!(run(&line, 1, most), Ok(4));
    let cut = Machine::new("mesh:4").unwrap().with_dead(vec![NodeId(2)]).unwrap();
    let apart = run(&cut, 0, 1).unwrap_err();
    assert!(apart.contains("there is no path from node (3) to node (0)"), "{apart}");
    let many =
        sim::run(&line, &mut (0..5).map(|_| Once { to: 0, bytes: 1 }).collect::<Vec<_>>(), &Engine::Message);
    assert!(many.unwrap_err().to_string().contains("number of processes is 5"));
}

/// One rank of a schedule as a process: it decided everything beforehand.
struct Decided<'s> {
    rank: &'s Rank,
    /// The receive that meets each send.
    partner: Vec<u32>,
    missing: Vec<usize>,
    reached: Vec<bool>,
    arrived: Vec<bool>,
    ready: VecDeque<u32>,
    left: usize,
    /// When each receive ended.
    came: Vec<u64>,
}

impl Decided<'_> {
    fn all(schedule: &Schedule) -> Vec<Decided<'_>> {
        let mut all: Vec<Decided<'_>> = schedule.ranks.iter().map(Decided::new).collect();
        for pair in schedule.messages() {
            all[pair.source.index()].partner[pair.source_step as usize] = pair.target_step;
        }
        all
    }

    fn new(rank: &Rank) -> Decided<'_> {
        let steps = rank.ops.len();
        let waits = |step: u32| rank.dependencies.iter().filter(|d| d.step == step).count();
        let missing: Vec<usize> = (0..steps as u32).map(waits).collect();
        Decided {
            rank,
            partner: vec![0; steps],
            ready: (0..steps as u32).filter(|&step| missing[step as usize] == 0).collect(),
            missing,
            reached: vec![false; steps],
            arrived: vec![false; steps],
            left: steps,
            came: vec![0; steps],
        }
    }

    fn met(&mut self, on: u32, start_only: bool) {
        for d in self.rank.dependencies.iter().filter(|d| d.on == on && d.awaits.is_start() == start_only) {
            self.missing[d.step as usize] -= 1;
            if self.missing[d.step as usize] == 0 {
                self.ready.push_back(d.step);
            }
        }
    }

    fn end(&mut self, step: u32) {
        self.left -= 1;
        self.met(step, false);
    }

    fn go_on(&mut self, context: &mut Context<'_, u32>) {
        while let Some(step) = self.ready.pop_front() {
            match self.rank.ops[step as usize] {
                Op::Send { peer, bytes, .. } => {
                    context.send_with(peer, bytes, self.partner[step as usize], step);
                }
                Op::Recv { .. } => {
                    self.reached[step as usize] = true;
                    if self.arrived[step as usize] {
                        self.end(step);
                    }
                }
                Op::Calc { cycles: Cycles(0) } => self.end(step),
                Op::Calc { cycles } => context.compute(cycles, step),
            }
            self.met(step, true);
        }
        if self.left == 0 {
            context.finish();
        }
    }
}

impl Process for Decided<'_> {
    type Payload = u32;

    fn on_start(&mut self, context: &mut Context<'_, u32>) {
        self.go_on(context);
    }

    fn on_message(&mut self, _: NodeId, step: u32, context: &mut Context<'_, u32>) {
        self.arrived[step as usize] = true;
        self.came[step as usize] = context.now().0;
        if self.reached[step as usize] {
            self.end(step);
        }
        self.go_on(context);
    }

    fn on_sent(&mut self, step: u32, context: &mut Context<'_, u32>) {
        self.end(step);
        self.go_on(context);
    }

    fn on_computed(&mut self, step: u32, context: &mut Context<'_, u32>) {
        self.end(step);
        self.go_on(context);
    }
}

/// The schedule run both ways; the times of the processes come first.
fn both(machine: &Machine, schedule: &Schedule) -> (Trace, Vec<u64>, u64, Vec<u64>) {
    let mut processes = Decided::all(schedule);
    let trace = run(machine, &mut processes, &Engine::Message).unwrap();
    let came = schedule
        .messages()
        .iter()
        .map(|m| processes[m.target.index()].came[m.target_step as usize])
        .collect();
    let direct = simulate(machine, schedule, &Engine::Message).unwrap();
    assert_eq!(trace.deadlock.is_some(), direct.deadlock.is_some());
    (trace, came, direct.ticks, direct.latency_ticks)
}

#[test]
fn a_tree_with_results_takes_the_same_time_both_ways() {
    for n in 1..=8u32 {
        for &(name, switching) in SWITCHINGS {
            let sides = format!("mesh:{}x{}", 1 << (n / 2), 1 << n.div_ceil(2));
            let mesh = Machine::new(&sides).unwrap().with_switching(switching);
            let job = Divide {
                shape: Shape::Binomial(n),
                alpha: Some(0.5),
                combine_alpha: Some(1.0),
                volume: Bytes(4096),
            };
            let job = Job::divide(&job).unwrap();
            let request = Request::count(1 << n, &mesh, 0);
            let placement = place("centred-halving", &request).unwrap();
            let schedule = Schedule::from_phases(&placement.phases(&job.tasks, &mesh));
            let (trace, _, ticks, _) = both(&mesh, &schedule);
            assert_eq!((trace.ticks, trace.unfinished.len()), (ticks, 0), "{name} B({n})");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Everything sent at the start: whole and broken boxes, all switchings, with contention.
    #[test]
    fn messages_sent_at_once_take_the_same_time_both_ways(
        (which, switching) in (0usize..4, 0usize..3),
        ends in prop::collection::vec((0u32..12, 0u32..12, 0u64..300), 1..30),
    ) {
        let mut machine = Machine::new(["mesh:3x4", "torus:12", "mesh:2x3x2", "mesh:3x5"][which]).unwrap();
        if which == 3 {
            machine = machine.with_dead(vec![NodeId(7)]).unwrap();
        }
        let machine = machine.with_switching(SWITCHINGS[switching].1);
        let send = |&(source, target, bytes): &(u32, u32, u64)| Message {
            source: NodeId(source),
            target: NodeId(target),
            bytes: Bytes(bytes),
            phase: 1,
        };
        let living = |m: &Message| machine.is_alive(m.source) && machine.is_alive(m.target);
        let messages: Vec<Message> = ends.iter().map(send).filter(living).collect();
        let schedule = Schedule::from_phases(&Phases::new(machine.nodes(), messages));
        let (trace, came, ticks, latencies) = both(&machine, &schedule);
        if trace.deadlock.is_none() {
            prop_assert_eq!(came, latencies);
            prop_assert_eq!((trace.ticks, trace.unfinished), (ticks, vec![]));
        }
    }
}

/// Computes for ever.
struct Endless;

impl Process for Endless {
    type Payload = ();

    fn on_start(&mut self, context: &mut Context<'_, ()>) {
        context.compute(Cycles(0), 0);
    }

    fn on_message(&mut self, _: NodeId, (): (), _: &mut Context<'_, ()>) {}

    fn on_computed(&mut self, _: u32, context: &mut Context<'_, ()>) {
        context.compute(Cycles(0), 0);
    }
}

#[test]
#[ignore = "long: 2^25 computations"]
fn processes_that_never_stop_end_in_an_error() {
    let error = run(&Machine::new("mesh:1").unwrap(), &mut [Endless], &Engine::Message).unwrap_err();
    assert!(error.to_string().contains("more than 33554432 messages and computations"), "{error}");
}

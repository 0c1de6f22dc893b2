//! Groups in steps of packets: mesh steps per second on the packet engine, on the flit engine and on the message engine.
//!
//! `cargo bench --bench groups`; with `-- 16x16` only the paper's protocol on that mesh, on the packet engine, ten rounds, and
//! barriers there.
//!
//! Times are processor times of the thread, since the machine may be shared; without `/proc` they are times on the wall.
//! Memory is the peak of the heap above what the members take.

#![allow(clippy::disallowed_methods, reason = "a bench measures time")]

use std::time::Instant;

use comfy_table::{CellAlignment, Table, TableStyle};
use meshwright_core::units::{Bytes, NodeId};
use meshwright_core::{Result, rng};
use meshwright_groups::Group;
use meshwright_groups::protocol::{Label, Member, Operation, Script, members, renew};
use meshwright_groups::rank_split::RankSplit;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::process::{Context, Process};
use meshwright_sim as sim;
use meshwright_sim::Trace;
use meshwright_sim::any_order::{self, Adversary, Order};
use meshwright_sim::flit::{Replay, Router};
use peak_alloc::PeakAlloc;
use rand::RngExt;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

fn main() {
    if std::env::args().any(|argument| argument == "16x16") {
        sixteen();
        return again();
    }
    protocol();
    again();
    walkers();
    adversaries();
    a_million_members();
}

/// The processor time of this thread so far.
fn seconds() -> f64 {
    let busy = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
    };
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    busy().unwrap_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64())
}

/// What one run cost.
struct Cost {
    trace: Trace,
    seconds: f64,
    megabytes: f64,
}

fn measure(run: impl FnOnce() -> Result<Trace>) -> Cost {
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let start = seconds();
    let trace = run().expect("it runs");
    let seconds = seconds() - start;
    assert_eq!(trace.deadlock, None);
    Cost { trace, seconds, megabytes: HEAP.peak_usage().saturating_sub(before) as f64 / 1e6 }
}

/// A table with these columns, numbers from the third on.
fn table(title: &str, header: &[&str]) -> Table {
    println!("\n{title}");
    let mut table = Table::new();
    *table.style_mut() = TableStyle::new();
    table.set_header(header);
    for column in 2..header.len() {
        table.column_mut(column).expect("it is there").set_cell_alignment(CellAlignment::Right);
    }
    table
}

const COLUMNS: [&str; 8] =
    ["mesh", "engine", "steps", "messages", "seconds", "steps/s", "messages/s", "memory"];

fn row(table: &mut Table, size: &str, name: &str, cost: &Cost) {
    let Cost { trace, seconds, megabytes } = cost;
    table.add_row([
        size.to_string(),
        name.to_string(),
        trace.cycles.0.to_string(),
        trace.messages.to_string(),
        format!("{seconds:.3}"),
        format!("{:.0}", trace.cycles.0 as f64 / seconds),
        format!("{:.0}", trace.messages as f64 / seconds),
        format!("{megabytes:.1} MB"),
    ]);
}

/// Runs processes on each engine, the best of some rounds by turns.
fn compare<P: Process>(table: &mut Table, machine: &Machine, rounds: usize, make: impl Fn() -> Vec<P>) {
    let mut router = Router::ideal(machine);
    router.buffers = machine.buffers();
    let flits = sim::Engine::Flit(Replay { router, packet: Some(1), seed: 0 });
    let mut best: [Option<Cost>; 3] = [None, None, None];
    for _ in 0..rounds {
        let (mut a, mut b, mut c) = (make(), make(), make());
        let costs = [
            measure(|| sim::run(machine, &mut a, &sim::Engine::Packet)),
            measure(|| sim::run(machine, &mut b, &flits)),
            measure(|| sim::run(machine, &mut c, &sim::Engine::Message)),
        ];
        for (best, cost) in best.iter_mut().zip(costs) {
            if best.as_ref().is_none_or(|best| cost.seconds < best.seconds) {
                *best = Some(cost);
            }
        }
    }
    for (name, cost) in ["packets", "flits", "messages"].into_iter().zip(best) {
        row(table, machine.name(), name, &cost.expect("a round"));
    }
}

static PAPER: RankSplit =
    RankSplit { partial: true, full: true, joining: meshwright_groups::rank_split::Joining::SubTrees };

/// The paper's experiment: four splits by coins, a barrier after each, four joins; again and again.
fn experiment(machine: &Machine, depth: usize, times: usize) -> Vec<Member<'static, RankSplit, Script>> {
    let mut rng = rng::stream(0, "labels");
    let group = Group::whole(machine, "hilbert").expect("an order");
    let mut script = || {
        let mut operations = Vec::new();
        for _ in 0..times {
            for _ in 0..depth {
                let label = Label { colour: rng.random_range(0..2), key: 0 };
                operations.extend([Operation::Split(label), Operation::Barrier]);
            }
            operations.extend(vec![Operation::Join; depth]);
        }
        Script::new(operations)
    };
    let scripts = (0..group.size()).map(|_| script()).collect();
    members(&PAPER, machine, &group, scripts).expect("trees")
}

fn square(side: u32) -> Machine {
    Machine::mesh([side, side]).expect("a mesh").in_packets()
}

fn protocol() {
    let mut table = table("The paper's protocol: four splits, barriers and joins", &COLUMNS);
    for (side, times, rounds) in [(16, 20, 3), (64, 1, 3), (256, 1, 1)] {
        let machine = square(side);
        compare(&mut table, &machine, rounds, || experiment(&machine, 4, times));
    }
    println!("{table}");
}

fn sixteen() {
    let machine = square(16);
    let mut table = table("The paper's protocol: four splits, barriers and joins", &COLUMNS);
    for _ in 0..10 {
        let mut all = experiment(&machine, 4, 100);
        let cost = measure(|| sim::run(&machine, &mut all, &sim::Engine::Packet));
        row(&mut table, machine.name(), "packets", &cost);
    }
    println!("{table}");
}

/// One barrier of all nodes, a thousand times: on members and routers that are used again, and on new ones each time.
fn again() {
    let mut table = table("A barrier, a thousand times", &COLUMNS);
    let machine = square(16);
    let group = Group::whole(&machine, "hilbert").expect("an order");
    let script = || vec![Script::new(vec![Operation::Barrier]); group.size() as usize];
    let sum = |run: &mut dyn FnMut() -> Result<Trace>| {
        let mut sum = Trace::default();
        for _ in 0..1000 {
            let trace = run()?;
            sum.cycles.0 += trace.cycles.0;
            sum.messages += trace.messages;
        }
        Ok(sum)
    };
    for _ in 0..3 {
        let (mut runner, mut all) = (sim::Runner::new(&machine, sim::Engine::Packet), Vec::new());
        let cost = measure(|| {
            sum(&mut || {
                renew(&mut all, &PAPER, &machine, &group, script())?;
                runner.run(&mut all)
            })
        });
        row(&mut table, machine.name(), "kept", &cost);
        let cost = measure(|| {
            sum(&mut || {
                let mut all = members(&PAPER, &machine, &group, script())?;
                sim::run(&machine, &mut all, &sim::Engine::Packet)
            })
        });
        row(&mut table, machine.name(), "new each time", &cost);
    }
    println!("{table}");
}

/// Hands every message on to a random node.
struct Walker {
    begins: bool,
    left: u32,
    nodes: u32,
    rng: u64,
}

impl Walker {
    fn send(&mut self, context: &mut Context<'_, ()>) {
        self.rng = self.rng.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        if self.left > 0 {
            self.left -= 1;
            context.send(NodeId((self.rng >> 33) as u32 % self.nodes), Bytes(8), ());
        }
    }
}

impl Process for Walker {
    type Payload = ();

    fn on_start(&mut self, context: &mut Context<'_, ()>) {
        if self.begins {
            self.send(context);
        }
        context.finish();
    }

    fn on_message(&mut self, _: NodeId, (): (), context: &mut Context<'_, ()>) {
        self.send(context);
    }
}

/// Every `nth` node begins.
fn crowd(machine: &Machine, nth: u32, left: u32) -> Vec<Walker> {
    let nodes = machine.nodes();
    (0..nodes).map(|i| Walker { begins: i % nth == 0, left, nodes, rng: u64::from(i) << 20 }).collect()
}

fn walkers() {
    let mut table =
        table("Packets that go from random node to random node, one for each four nodes", &COLUMNS);
    for (side, left, rounds) in [(16, 1000, 3), (64, 50, 3), (256, 2, 1)] {
        let machine = square(side);
        compare(&mut table, &machine, rounds, || crowd(&machine, 4, left));
    }
    println!("{table}");
}

fn adversaries() {
    let mut table = table("Without a network, 256 nodes", &["order", "channels", "messages", "messages/s"]);
    let machine = square(16);
    for (name, order) in [
        ("oldest first", Order::OldestFirst),
        ("newest first", Order::NewestFirst),
        ("random", Order::Random),
        ("a node starves", Order::StarveNode(NodeId(17))),
    ] {
        for in_channels in [false, true] {
            let mut all = crowd(&machine, 1, 20_000);
            let adversary = Adversary { order, in_channels, seed: 0 };
            let Cost { trace, seconds, .. } = measure(|| any_order::run_processes(&mut all, adversary));
            let rate = format!("{:.0}", trace.messages as f64 / seconds);
            table.add_row([name, &in_channels.to_string(), &trace.messages.to_string(), &rate]);
        }
    }
    println!("{table}");
}

fn a_million_members() {
    let mut table = table("One split, barrier and join of all nodes", &COLUMNS);
    for side in [256, 1024] {
        let machine = square(side);
        let mut all = experiment(&machine, 1, 1);
        let cost = measure(|| sim::run(&machine, &mut all, &sim::Engine::Packet));
        row(&mut table, machine.name(), "packets", &cost);
    }
    println!("{table}");
}

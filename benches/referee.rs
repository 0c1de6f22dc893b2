//! The message engine at three sizes, against formulas of the same messages; worms on rings against cut-through.
//!
//! With barriers the formula is the prediction, phase by phase. Without barriers it is a sweep in the manner of LogGP: every
//! message takes the time it would take alone, every node goes on when its own messages are through. That is the
//! least any simulation has to compute, and a lower bound on what it finds.
//!
//! `cargo bench --bench referee`

mod table;

use meshwright_core::units::{Bytes, Hops, NodeId, Port};
use meshwright_mapping::{Divide, Request, Shape, place};
use meshwright_network::routing::{Pair, routes};
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_schedule::{Awaits, Dependency, Message, Op, Phases, Rank, Schedule, cost};
use meshwright_sim::{Engine, simulate};
use meshwright_verdict::Job;
use table::{Comparison, way};

fn main() {
    trees();
    permutations();
    exchanges();
    rings();
    scatters();
    shifts();
}

fn formula(machine: &Machine, phases: &Phases) -> u64 {
    let mut loads = cost::LinkLoads::new(machine.links());
    let mut phase = |index: usize| {
        let messages = phases.phase(index);
        let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
        let routes = routes(machine, &pairs).expect("connected");
        loads.fill(messages, &routes);
        cost::link_level(messages, &routes, &loads, machine.switching(), machine.costs())
    };
    (0..phases.len()).map(&mut phase).sum()
}

fn compare(table: &mut Comparison, size: &str, machine: &Machine, phases: &Phases, rounds: usize) {
    let messages = phases.messages().len() as u64;
    let mut ways = vec![way("formula", || formula(machine, phases))];
    for (name, switching) in SWITCHINGS {
        let machine = machine.clone().with_switching(*switching);
        ways.push(way(name, move || simulate(&machine, phases, &Engine::Message).expect("connected").ticks));
    }
    table.size(size, messages, rounds, ways);
}

/// The binomial tree on a square mesh, placed by centred halving.
fn tree(n: u32) -> (Machine, Phases) {
    let mesh = Machine::mesh([1u32 << (n / 2), 1u32 << (n / 2)]).expect("a mesh");
    let job = Job::divide(&Divide {
        shape: Shape::Binomial(n),
        alpha: Some(0.5),
        combine_alpha: None,
        volume: Bytes(1 << 20),
    });
    let placement = place("centred-halving", &Request::count(1 << n, &mesh, 0));
    let phases = placement.expect("fits").phases(&job.expect("valid").tasks, &mesh);
    (mesh, phases)
}

fn trees() {
    let mut table = Comparison::new("Binomial scatter, centred halving, phase by phase", "message");
    for n in [12, 16, 20] {
        let (mesh, phases) = tree(n);
        compare(&mut table, &format!("B({n})"), &mesh, &phases, 3);
    }
    table.print();
}

fn permutations() {
    let mut table = Comparison::new("A random permutation, every node sends 64 bytes", "message");
    for side in [16u32, 32, 64] {
        let mesh = Machine::mesh([side, side]).expect("a mesh");
        let tasks = side * side;
        let placement = place("random", &Request::count(tasks, &mesh, 0)).expect("fits");
        let message = |i: u32| Message {
            source: NodeId(i),
            target: placement.nodes[i as usize],
            bytes: Bytes(64),
            phase: 1,
        };
        let phases = Phases::new(tasks, (0..tasks).map(message).collect());
        compare(&mut table, &format!("{side}x{side}"), &mesh, &phases, 5);
    }
    table.print();
}

/// The ticks of a run without barriers if no two messages met.
fn sweep(machine: &Machine, phases: &Phases) -> u64 {
    let (costs, switching) = (machine.costs(), machine.switching());
    // Per node, when its messages of the phases before are through, and of this one.
    let mut before = vec![0u64; machine.nodes() as usize];
    let mut now = before.clone();
    for index in 0..phases.len() {
        for message in phases.phase(index) {
            let Message { source, target, bytes, .. } = *message;
            let hops = machine.distance(source, target).expect("connected");
            let start = before[source.index()];
            let sent = start + costs.alone_ticks(switching, bytes, Hops(1));
            let come = start + costs.alone_ticks(switching, bytes, hops);
            now[source.index()] = now[source.index()].max(sent);
            now[target.index()] = now[target.index()].max(come);
        }
        before.copy_from_slice(&now);
    }
    now.into_iter().max().unwrap_or(0)
}

/// The sweep and the engine on a schedule without barriers; `met` is whether messages meet on links.
fn free<'w>(
    machine: &'w Machine,
    phases: &'w Phases,
    schedule: &'w Schedule,
    met: bool,
) -> [table::Way<'w>; 2] {
    let least = sweep(machine, phases);
    let simulated = simulate(machine, schedule, &Engine::Message).expect("connected").ticks;
    assert!(if met { least <= simulated } else { least == simulated }, "{least} <= {simulated}");
    let run = move || simulate(machine, schedule, &Engine::Message).expect("connected").ticks;
    [way("sweep", move || sweep(machine, phases)), way("without barriers", run)]
}

/// Recursive-doubling exchange: every node with its partner across each bit, 1 KiB, no barriers.
fn exchanges() {
    let mut table = Comparison::new("Recursive doubling on a torus, 1 KiB a message, cut-through", "message");
    for side in [16u32, 32, 64] {
        let torus = Machine::torus([side, side]).expect("a torus");
        let torus = torus.with_switching(Switching::CutThrough);
        let nodes = torus.nodes();
        let step = |bit: u32| {
            (0..nodes).map(move |i| Message {
                source: NodeId(i),
                target: NodeId(i ^ 1 << bit),
                bytes: Bytes(1024),
                phase: bit + 1,
            })
        };
        let phases = Phases::new(nodes, (0..nodes.ilog2()).flat_map(step).collect());
        let schedule = Schedule::from_phases(&phases);
        let mut ways = Vec::from(free(&torus, &phases, &schedule, true));
        ways.push(way("formula", || formula(&torus, &phases)));
        ways.push(way("with barriers", || {
            simulate(&torus, &phases, &Engine::Message).expect("connected").ticks
        }));
        table.size(&format!("{side}x{side}"), phases.messages().len() as u64, 9, ways);
    }
    table.print();
}

/// The allreduce of `examples/allreduce.rs`: a rank starts a step when it has received the message of the step before.
fn allreduce(ranks: u32, bytes: u64) -> Schedule {
    let rank = |rank: u32| {
        let mut ops = Vec::new();
        let mut dependencies = Vec::new();
        for step in 0..ranks.ilog2() {
            let (peer, tag) = (NodeId(rank ^ 1 << step), step);
            ops.push(Op::Send { peer, bytes: Bytes(bytes), tag });
            ops.push(Op::Recv { peer, bytes: Bytes(bytes), tag });
            if step > 0 {
                dependencies.push(Dependency { step: 2 * step, on: 2 * step - 1, awaits: Awaits::End });
            }
        }
        Rank { ops, dependencies, ..Rank::default() }
    };
    Schedule { ranks: (0..ranks).map(rank).collect() }
}

/// Worms on rings, in date-line classes, beside messages that wait in the nodes: at most 4 times as long.
fn rings() {
    let mut table = Comparison::new("Allreduce by recursive doubling on a torus, no barriers", "message");
    for (side, bytes) in [(16u32, 1024u64), (32, 1024), (64, 1024), (64, 1 << 20)] {
        let torus = Machine::torus([side, side]).expect("a torus");
        let schedule = allreduce(torus.nodes(), bytes);
        let messages = u64::from(torus.nodes() * torus.nodes().ilog2());
        let run = |switching| {
            let (machine, schedule) = (torus.clone().with_switching(switching), &schedule);
            move || {
                let trace = simulate(&machine, schedule, &Engine::Message).expect("connected");
                assert!(trace.deadlock.is_none());
                trace.ticks
            }
        };
        let ways =
            vec![way("cut-through", run(Switching::CutThrough)), way("wormhole", run(Switching::Wormhole))];
        table.size(&format!("{side}x{side}, {} KiB", bytes / 1024), messages, 9, ways);
    }
    table.print();
}

/// The trees of [`trees`] as dependencies: a node sends on when it has received.
fn scatters() {
    let mut table = Comparison::new("Binomial scatter, centred halving, no barriers", "message");
    for (n, rounds) in [(12, 9), (16, 9), (20, 3)] {
        let (mesh, phases) = tree(n);
        let schedule = Schedule::from_phases(&phases);
        let ways = free(&mesh, &phases, &schedule, false).into();
        table.size(&format!("B({n})"), phases.messages().len() as u64, rounds, ways);
    }
    table.print();
}

/// Every node sends 16 bytes to each of its four neighbours, at once; and again when all it has to do with is through.
fn shifts() {
    let mut table =
        Comparison::new("Neighbour shifts on a torus, 16 bytes a message, no barriers", "message");
    for (side, times, rounds) in [(64u32, 1, 9), (128, 1, 9), (256, 1, 9), (256, 4, 3)] {
        let torus = Machine::torus([side, side]).expect("a torus");
        let shift = |(phase, node, port)| Message {
            source: NodeId(node),
            target: torus.neighbour(NodeId(node), Port(port)).expect("a torus has no border"),
            bytes: Bytes(16),
            phase,
        };
        let nodes = torus.nodes();
        let ends = (1..=times).flat_map(|phase| (0..4 * nodes).map(move |i| (phase, i / 4, i % 4)));
        let phases = Phases::new(torus.nodes(), ends.map(shift).collect());
        let schedule = Schedule::from_phases(&phases);
        let mut ways = Vec::from(free(&torus, &phases, &schedule, false));
        ways.push(way("with barriers", || {
            simulate(&torus, &phases, &Engine::Message).expect("connected").ticks
        }));
        table.size(&format!("{times} x {side}x{side}"), phases.messages().len() as u64, rounds, ways);
    }
    table.print();
}

//! The message engine at three sizes, against the analytic formula of the same phases.
//!
//! `cargo bench --bench referee`

mod table;

use meshwright::mapping::{self, Binomial, Request, place};
use meshwright::routing::{Pair, routes};
use meshwright::schedule::{Message, Phases, Schedule, cost};
use meshwright::sim::{run_phased, run_schedule};
use meshwright::topology::{Machine, Switching, Topology, machine::SWITCHINGS};
use meshwright::units::{Bytes, NodeId};
use meshwright::verdict::Job;
use table::{Comparison, way};

fn main() {
    trees();
    permutations();
    exchanges();
}

fn formula(machine: &Machine, phases: &Phases) -> u64 {
    let mut loads = cost::LinkLoads::new(machine.links());
    let mut phase = |index: usize| {
        let messages = phases.phase(index);
        let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
        let routes = routes(machine, &pairs).expect("connected");
        loads.fill(messages, &routes);
        cost::link_level(messages, &routes, &loads, machine.switching, &machine.costs)
    };
    (0..phases.len()).map(&mut phase).sum()
}

fn compare(table: &mut Comparison, size: &str, machine: &Machine, phases: &Phases, rounds: usize) {
    let messages = phases.messages().len() as u64;
    let mut ways = vec![way("formula", || formula(machine, phases))];
    for (name, switching) in SWITCHINGS {
        let machine = machine.clone().with_switching(*switching);
        ways.push(way(name, move || run_phased(&machine, phases).expect("connected").ticks));
    }
    table.size(size, messages, rounds, ways);
}

fn trees() {
    let mut table = Comparison::new("Binomial scatter, centred halving, phase by phase", "message");
    for n in [12, 16, 20] {
        let mesh = Machine::new(&format!("mesh:{0}x{0}", 1u32 << (n / 2))).expect("a mesh");
        let job = Job::divide(Binomial { n, alpha: 0.5, combine_alpha: None, volume: Bytes(1 << 20) })
            .expect("valid");
        let placement =
            place("centred-halving", &Request { tasks: 1 << n, machine: &mesh, seed: 0 }).expect("fits");
        let phases = mapping::schedule(&job.tasks, &placement, &mesh);
        compare(&mut table, &format!("B({n})"), &mesh, &phases, 3);
    }
    table.print();
}

fn permutations() {
    let mut table = Comparison::new("A random permutation, every node sends 64 bytes", "message");
    for side in [16u32, 32, 64] {
        let mesh = Machine::new(&format!("mesh:{side}x{side}")).expect("a mesh");
        let tasks = side * side;
        let placement = place("random", &Request { tasks, machine: &mesh, seed: 0 }).expect("fits");
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

/// Recursive-doubling exchange: every node with its partner across each bit, 1 KiB, no barriers.
fn exchanges() {
    let mut table = Comparison::new("Recursive doubling on a torus, 1 KiB a message", "message");
    for side in [16u32, 32, 64] {
        let torus = Machine::new(&format!("torus:{side}x{side}")).expect("a torus");
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
        let torus = torus.with_switching(Switching::CutThrough);
        let ways = vec![
            way("formula", || formula(&torus, &phases)),
            way("with barriers", || run_phased(&torus, &phases).expect("connected").ticks),
            way("without barriers", || run_schedule(&torus, &schedule).expect("connected").ticks),
        ];
        table.size(&format!("{side}x{side}"), phases.messages().len() as u64, 3, ways);
    }
    table.print();
}

//! Groups in steps of packets: what one step of the mesh costs on the packet engine and on the flit engine.
//!
//! `cargo bench --bench groups`

#[path = "../tests/it/packet/halving.rs"]
mod halving;
mod table;

use halving::Halving;
use meshwright::groups::Group;
use meshwright::groups::protocol::{Member, Operation, Script, members};
use meshwright::rng;
use meshwright::sim::flit::{Replay, Router};
use meshwright::sim::{self, ProcessTrace};
use meshwright::topology::Machine;
use meshwright::units::NodeId;
use rand::RngExt;
use table::{Comparison, way};

fn main() {
    barriers();
}

type Members = Vec<Member<'static, Halving, Script>>;

/// The groups after so many splits by coins, each with so many barriers.
fn nested(machine: &Machine, splits: u32, times: usize) -> Members {
    let mut rng = rng::stream(0, "labels");
    let mut groups = vec![Group::whole(machine, "hilbert").expect("an order")];
    for _ in 0..splits {
        let split = |group: &Group| {
            let colours: Vec<u32> = (0..group.size()).map(|_| rng.random_range(0..2)).collect();
            group.split(&colours)
        };
        groups = groups.iter().flat_map(split).map(|(_, group)| group).collect();
    }
    let mut all = members(&Halving, machine, &Group::in_order(vec![]), vec![]).expect("no trees");
    for group in groups {
        let script = Script::new(vec![Operation::Barrier; times]);
        let some = members(&Halving, machine, &group, vec![script; group.size() as usize]);
        let mut some = some.expect("trees");
        for &NodeId(node) in group.members() {
            std::mem::swap(&mut all[node as usize], &mut some[node as usize]);
        }
    }
    all
}

fn in_flits(machine: &Machine, members: &mut Members) -> ProcessTrace {
    let mut router = Router::ideal(machine);
    router.buffers = 4;
    Replay { router, packet: Some(1), seed: 0 }.run_processes(machine, members).expect("it runs")
}

fn barriers() {
    let mut table = Comparison::new("Barriers of sixteen groups on their trees", "step");
    for (side, times, rounds) in [(16, 1000, 5), (64, 50, 3), (256, 3, 3)] {
        let machine = Machine::new(&format!("mesh:{side}x{side}")).expect("a mesh").in_packets();
        let make = || nested(&machine, 4, times);
        let trace = sim::packet::run_processes(&machine, &mut make()).expect("it runs");
        println!(
            "{side}: {} steps, {} messages, busiest {:?}",
            trace.cycles.0, trace.messages, trace.busiest
        );
        let ways = vec![
            way("packets", || sim::packet::run_processes(&machine, &mut make()).expect("it runs").ticks),
            way("flits", || in_flits(&machine, &mut make()).ticks),
            way("messages", || sim::run_processes(&machine, &mut make()).expect("it runs").ticks),
        ];
        table.size(&format!("{side}x{side}"), trace.cycles.0, rounds, ways);
    }
    table.print();
}

//! The search at three sizes: exchanges of tasks kept up to date, against counting everything anew each time.
//!
//! `cargo bench --bench search`

mod table;

use std::ops::ControlFlow;

use meshwright::mapping::search::{Problem, Start, search};
use meshwright::mapping::{Divide, Placement, Request, Shape, divide, place, schedule};
use meshwright::routing::{self, Pair};
use meshwright::schedule::{Message, cost};
use meshwright::topology::{Machine, Switching, Topology};
use meshwright::units::Bytes;
use table::{Comparison, way};

/// Exchanges made by one run.
const STEPS: u64 = 20_000;

fn main() {
    let mut table = Comparison::new("Placing B(n) under store-and-forward, alpha = 1", "step");
    for n in [8, 10, 12] {
        let machine = Machine::new(&format!("mesh:{0}x{0}", 1u32 << (n / 2))).expect("a mesh");
        let machine = machine.with_switching(Switching::StoreAndForward);
        let job =
            Divide { shape: Shape::Binomial(n), alpha: Some(1.0), combine_alpha: None, volume: Bytes(64) };
        let graph = divide::task_graph(&job).expect("a valid job");
        let placement = place("growing", &Request::of(&graph, &machine, 0)).expect("it fits");
        // A machine of one dead node has no blocks to turn: all steps are exchanges.
        let broken = machine.clone().with_dead(vec![meshwright::units::NodeId(0)]).expect("a node lives");
        let smaller = Divide { shape: Shape::Binomial(n - 1), ..job.clone() };
        let smaller = divide::task_graph(&smaller).expect("a valid job");
        let run = |graph, machine| {
            let problem = Problem {
                graph,
                machine,
                pins: &[],
                start: Start::Random,
                seed: 1,
                steps: STEPS,
                answers: 1,
            };
            search(&problem, &mut |_| ControlFlow::Continue(())).expect("it fits").steps
        };
        let anew = || (0..STEPS / 100).map(|_| predicted(&graph, &placement, &machine)).sum::<u64>();
        table.size(
            &format!("B({n})"),
            STEPS,
            3,
            vec![
                way("anew, a hundredth of the steps", anew),
                way("turns of blocks and exchanges", || run(&graph, &machine)),
                way("exchanges, half the tasks, a dead node", || run(&smaller, &broken)),
            ],
        );
    }
    table.print();
}

/// The prediction of the program for one placement.
fn predicted(graph: &meshwright::TaskGraph, placement: &Placement, machine: &Machine) -> u64 {
    let phases = schedule(graph, placement, machine);
    let mut loads = cost::LinkLoads::new(machine.links());
    (0..phases.len())
        .map(|index| {
            let messages = phases.phase(index);
            let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
            let routes = routing::routes(machine, &pairs).expect("a mesh is connected");
            loads.fill(messages, &routes);
            cost::predicted(messages, &routes, &loads, machine.switching, machine)
        })
        .sum()
}

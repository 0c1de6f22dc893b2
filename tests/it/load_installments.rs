//! Schedules one can run: flows in installments and shares as messages, simulated.

use meshwright::load::installments::{Installments, Scale, Settings, plan};
use meshwright::load::{Problem, Source, optimum};
use meshwright::sim;
use meshwright::topology::Machine;
use meshwright::units::NodeId;

fn machine(name: &str, sigma: f64, startup: f64) -> (Machine, u64) {
    let mut machine = Machine::new(name).expect("a machine");
    let (costs, bytes) = Scale::costs_of(sigma, startup).expect("costs");
    machine.costs = costs;
    (machine, bytes)
}

#[test]
fn figures() {
    for (name, node, startup) in [
        ("torus:16x16", 0, 0.0),
        ("torus:16x16", 0, 1e-6),
        ("torus:16x16", 0, 1e-5),
        ("torus:16x16", 0, 1e-4),
        ("torus:16x16", 0, 1e-3),
        ("mesh:50x50", 25 * 50 + 25, 0.0),
    ] {
        let (machine, bytes) = machine(name, 0.1, startup);
        let problem = Problem::new(&machine, vec![Source::at(NodeId(node), 1.0)], 0.1).expect("a problem");
        let scale = Scale::new(&problem, bytes).expect("a scale");
        let optimum = optimum::solve(&problem).expect("an optimum");
        for chunks in [300, 1000, 3000, 10000] {
            let begin = std::time::Instant::now();
            let Ok(found) = plan(&scale, &optimum, &Settings { chunks }) else { continue };
            let took = begin.elapsed();
            let trace = sim::run_schedule(&machine, &found.schedule).expect("a run");
            println!(
                "{name} {startup} chunks {chunks}: messages {} processors {} installments {} speedup {:.3} simulated {:.3} {:?}",
                found.messages,
                found.processors,
                found.installments.len(),
                1.0 / found.makespan,
                1.0 / scale.units(trace.cycles),
                took
            );
        }
    }
}

//! How long large problems take, with every flow proved.

use meshwright_core::units::NodeId;
use meshwright_load::{Problem, Source, Speeds, optimum, poisson};
use meshwright_network::topology::{Machine, Topology};
use rand::RngExt;

use crate::load_optimum::certify;

/// The clock of a large problem, in seconds; run alone and in release.
#[test]
#[ignore = "a minute in debug"]
fn large_problems() {
    let run = |name: &str, specification: &str, sources: u32, sigma: f64, is_uniform: bool| {
        let machine = Machine::new(specification).expect("a box");
        let mut rng = meshwright_core::rng::stream(1, "large");
        let places: Vec<Source> =
            (0..sources).map(|_| Source::at(NodeId(rng.random_range(0..machine.nodes())), 1.0)).collect();
        let mut problem = Problem::new(&machine, places, sigma).expect("a problem");
        if !is_uniform {
            let work = (0..machine.nodes()).map(|_| rng.random_range(0.5..3.0)).collect();
            let link = (0..machine.links()).map(|_| sigma * rng.random_range(0.5..3.0)).collect();
            problem = problem.with_speeds(Speeds { work, link }).expect("speeds");
        }
        let begin = std::time::Instant::now();
        let found = optimum::solve(&problem).expect("a whole box");
        let solved = begin.elapsed().as_secs_f64();
        let used = found.flow.node.iter().filter(|&&share| share > 0.0).count();
        println!("{name} sigma {sigma}: {:.1} of {used}, {solved:.3} s", 1.0 / found.makespan);
        // The flow of Poisson's equation keeps to its limits within 1e-6, every other one within 1e-9.
        let is_poisson = is_uniform && machine.nodes() >= 1 << 14;
        let time = if is_poisson { found.makespan * (1.0 + poisson::TOLERANCE) } else { found.makespan };
        certify(&problem, &found.flow, time);
    };
    for sigma in [0.1, 0.01, 0.001] {
        run("50x50, 10 sources", "mesh:50x50", 10, sigma, true);
        run("500x500 heterogeneous, 100 sources", "mesh:500x500", 100, sigma, false);
        run("512x512, 1000 sources", "mesh:512x512", 1000, sigma, true);
        run("1000x1000, 100 sources", "mesh:1000x1000", 100, sigma, true);
    }
}

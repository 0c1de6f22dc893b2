//! Rounds of messages: optimal where that is known by hand, and as long as the referee says.

use super::*;
use crate::{Problem, Source, Speeds};
use meshwright_core::rng;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Switching};
use meshwright_sim as sim;
use rand::{Rng, RngExt};

fn machine(name: &str, sigma: f64, startup: f64) -> (Machine, u64) {
    let (costs, bytes) = Scale::costs_of(sigma, startup).unwrap();
    let machine = Machine::new(name).unwrap().with_costs(costs).unwrap();
    (machine.with_switching(Switching::StoreAndForward), bytes)
}

/// From the centre of a square one message of x to each neighbour: T = 1 - 4 x = s + z x + x. Nothing gets farther in time.
#[test]
fn neighbours_of_a_source_get_one_message_each() {
    let (mesh, bytes) = machine("mesh:3x3", 0.1, 0.3);
    let problem = Problem::new(&mesh, vec![Source::at(NodeId(4), 1.0)], 0.1).unwrap();
    let found = in_rounds(&Scale::new(&problem, bytes).unwrap(), 0.3).unwrap();
    let expected = 1.0 - 4.0 * 0.7 / 5.1;
    assert!((found.makespan / expected - 1.0).abs() < 1e-6, "{} {expected}", found.makespan);
    assert_eq!((found.messages, found.processors), (4, 5));
}

/// A node that cannot work sends all, in several messages: the other one begins to work before the last is there.
#[test]
fn who_cannot_work_sends_all() {
    let (line, bytes) = machine("mesh:1x2", 0.5, 0.0625);
    let speeds = Speeds { work: vec![f64::INFINITY, 1.0], link: vec![0.5; line.links() as usize] };
    let problem = Problem::new(&line, vec![Source::at(NodeId(0), 1.0)], 0.5).unwrap();
    let problem = problem.with_speeds(speeds).unwrap();
    let found = in_rounds(&Scale::new(&problem, bytes).unwrap(), 0.0625).unwrap();
    // No less than a start-up and all the work; one message of all takes 0.0625 + 0.5 + 1.
    assert!(found.makespan > 1.0625 && found.makespan < 1.25, "{}", found.makespan);
    assert!(found.messages > 1 && found.processors == 1);
}

fn random_problem<'m>(random: &mut impl Rng, machine: &'m Machine, sigma: f64) -> Problem<'m> {
    let living: Vec<NodeId> = machine.living().collect();
    let source = |random: &mut _| {
        let node = living[RngExt::random_range(random, 0..living.len())];
        Source::at(node, f64::from(RngExt::random_range(random, 1..=4)))
    };
    let sources = (0..random.random_range(1..=4)).map(|_| source(random)).collect();
    let problem = Problem::new(machine, sources, sigma).unwrap();
    if random.random_bool(0.6) {
        return problem;
    }
    let work = (0..machine.nodes()).map(|_| random.random_range(0.5..3.0)).collect();
    let link = (0..machine.links()).map(|_| sigma * random.random_range(1.0..3.0)).collect();
    problem.with_speeds(Speeds { work, link }).unwrap()
}

/// Of random machines, sources and speeds the referee measures what was predicted, all of the load is worked off, and messages are what is
/// said of them.
#[test]
fn rounds_take_as_long_as_they_are_predicted_to_take() {
    for seed in 0..60 {
        let mut random = rng::stream(seed, "rounds");
        let names = ["mesh:3x3", "torus:3x3", "mesh:1x5", "hypercube:3", "mesh:2x4", "torus:5"];
        let name = names[random.random_range(0..names.len())];
        let sigma = 10f64.powf(random.random_range(-2.0..0.0));
        let startup = 10f64.powf(random.random_range(-3.0..-0.3));
        let (machine, bytes) = machine(name, sigma, startup);
        let machine = if name == "mesh:3x3" { machine.with_dead(vec![NodeId(4)]).unwrap() } else { machine };
        let problem = random_problem(&mut random, &machine, sigma);
        let scale = Scale::new(&problem, bytes).unwrap();
        let found = in_rounds(&scale, startup).unwrap();
        let trace = sim::simulate(&machine, &found.schedule, &sim::Engine::Message).unwrap();
        assert_eq!(trace.cycles.0, found.predicted_cycles, "{name}, seed {seed}");
        assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{name}, seed {seed}");
        assert_eq!(trace.messages, found.messages, "{name}, seed {seed}");
        let bound = crate::optimum::solve(&problem).unwrap().makespan;
        assert!(found.makespan >= bound * (1.0 - 1e-9), "{name}, seed {seed}: {} {bound}", found.makespan);
    }
}

/// Empty messages may be put into all gaps, so no order is the worse for them; on links that carry little they let more messages
/// come sooner.
#[test]
fn more_messages_do_no_harm() {
    let mut gains = 0;
    for seed in 0..30 {
        let mut random = rng::stream(seed, "gaps");
        let names = ["mesh:3x3", "torus:3x5", "hypercube:3", "mesh:2x4"];
        let sigma = 10f64.powf(random.random_range(-2.0..-0.3));
        let startup = 10f64.powf(random.random_range(-2.5..-1.0));
        let (machine, _) = machine(names[random.random_range(0..names.len())], sigma, startup);
        let problem = random_problem(&mut random, &machine, sigma);
        let wires = programme::wires(&problem);
        let (order, times) = over_rounds(&problem, startup, &wires).unwrap();
        let (kept, kept_times) = order.pruned(&times);
        assert_eq!(kept.messages.len(), kept_times.size.len());
        let again = Timing { problem: &problem, startup, order: &kept }.solve().unwrap();
        assert!(again.end <= times.end * (1.0 + 1e-5), "seed {seed}: what is empty is not missed");
        let more = Timing { problem: &problem, startup, order: &kept }.gaps(&kept_times, &wires, usize::MAX);
        let next = kept.with(&more);
        let better = Timing { problem: &problem, startup, order: &next }.solve().unwrap();
        assert!(better.end <= times.end * (1.0 + 1e-5), "seed {seed}: {} {}", better.end, times.end);
        gains += u32::from(better.end < times.end * 0.999);
    }
    assert!(gains >= 10, "{gains} of 30 gain");
}

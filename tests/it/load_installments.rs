//! Schedules one can run: flows in installments and shares as messages, simulated.

use meshwright_core::rng;
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_load::installments::{
    InstallmentSettings, Installments, Scale, deliver, front, plan, plan_apart,
};
use meshwright_load::optimum::{self, Optimum};
use meshwright_load::shares::closed_form;
use meshwright_load::{Forwarding, Plan, Problem, Source, Speeds, layers};
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_schedule::{Op, Schedule, goal};
use meshwright_sim as sim;
use meshwright_sim::flit::Router;
use meshwright_verdict::buffers::delay;
use meshwright_verdict::installments::{FrontRow, unbeaten};
use rand::{Rng, RngExt};

/// A machine with fine costs for these numbers, and the bytes of the load.
fn machine(name: &str, sigma: f64, startup: f64) -> (Machine, u64) {
    let mut machine = Machine::new(name).expect("a machine");
    let (costs, bytes) = Scale::costs_of(sigma, startup).expect("costs");
    machine = machine.with_costs(costs).unwrap();
    (machine, bytes)
}

/// Simulates a schedule: its time in cycles.
fn run(scale: &Scale, schedule: &Schedule) -> Cycles {
    assert_eq!(schedule.verify(), Ok(()));
    let trace = sim::simulate(scale.problem().machine(), schedule, &sim::Engine::Message).expect("it runs");
    assert_eq!(trace.deadlock, None);
    trace.cycles
}

/// Simulates a schedule: its time in units of w Tcp.
fn simulated(scale: &Scale, schedule: &Schedule) -> f64 {
    scale.units(run(scale, schedule))
}

/// Plans, simulates and holds together what is said in two ways.
fn planned(scale: &Scale, optimum: &Optimum, chunks: u64) -> (Installments, f64) {
    let found = plan(scale, optimum, &InstallmentSettings { chunks }).expect("a plan");
    let cycles = run(scale, &found.schedule);
    assert_eq!(cycles.0, found.predicted_cycles, "the timetable is kept");
    assert_eq!(found.schedule.messages().len() as u64, found.messages);
    assert!(found.messages <= chunks);
    let sum: f64 = found.shares.iter().sum();
    assert!((sum - 1.0).abs() < 1e-9, "all is worked off: {sum}");
    let sizes: f64 = found.installments.iter().sum();
    assert!((sizes - 1.0).abs() < 1e-9);
    (found, scale.units(cycles))
}

/// One source on a uniform machine: how far the simulated time is from the bound.
fn gap(name: &str, node: u32, startup: f64, chunks: u64, switching: Switching) -> f64 {
    let (machine, bytes) = machine(name, 0.1, startup);
    let machine = machine.with_switching(switching);
    let problem = Problem::new(&machine, vec![Source::at(NodeId(node), 1.0)], 0.1).expect("a problem");
    let scale = Scale::new(&problem, bytes).expect("a scale");
    let optimum = optimum::solve(&problem).expect("an optimum");
    planned(&scale, &optimum, chunks).1 / optimum.makespan - 1.0
}

#[test]
fn three_thousand_messages_come_within_two_percent_of_the_bound() {
    for switching in [Switching::Wormhole, Switching::CutThrough, Switching::StoreAndForward] {
        let gap = gap("torus:16x16", 17, 0.0, 3000, switching);
        assert!((0.0..0.01).contains(&gap), "{switching:?}: {gap}");
    }
}

#[test]
fn with_a_start_up_they_come_within_two_and_a_half() {
    let gap = gap("torus:16x16", 17, 1e-5, 3000, Switching::Wormhole);
    assert!((0.0..0.025).contains(&gap), "{gap}");
}

#[test]
fn the_middle_of_a_large_mesh_makes_forty() {
    let gap = gap("mesh:50x50", 25 * 50 + 25, 0.0, 3000, Switching::Wormhole);
    assert!((0.0..41.0 / 40.0 - 1.0).contains(&gap), "{gap}");
}

/// A random small problem; small machines have small sums of what their nodes can do.
fn random_machine(random: &mut impl Rng, sigma: f64, startup: f64) -> (Machine, u64) {
    let names = ["mesh:3x4", "torus:4x4", "hypercube:4", "mesh:1x6", "torus:3x5", "mesh:2x2x3", "mesh:1x1"];
    let (mut machine, bytes) = machine(names[random.random_range(0..names.len())], sigma, startup);
    if machine.nodes() > 11 && random.random_range(0..3) == 0 {
        machine = machine.with_dead(vec![NodeId(1), NodeId(7)]).expect("two of many");
    }
    let switching = [Switching::Wormhole, Switching::StoreAndForward][random.random_range(0..2)];
    (machine.with_switching(switching), bytes)
}

#[test]
fn no_schedule_beats_the_bound() {
    let mut random = rng::stream(5, "installments");
    for case in 0..60 {
        let sigma = [0.0, 0.03, 0.2, 0.7, 1.5, 4.0][random.random_range(0..6)];
        let startup = [0.0, 1e-6, 1e-4, 1e-2][random.random_range(0..4)];
        let (machine, bytes) = random_machine(&mut random, sigma, startup);
        let living: Vec<NodeId> = machine.living().collect();
        let sources = (0..random.random_range(1..4)).map(|_| Source {
            node: living[random.random_range(0..living.len())],
            load: 1.0 + random.random_range(0..3) as f64,
            release: if random.random_range(0..3) == 0 {
                0.02 * random.random_range(0..9) as f64
            } else {
                0.0
            },
        });
        let mut problem = Problem::new(&machine, sources.collect(), sigma).expect("a problem");
        if random.random_range(0..3) == 0 && sigma > 0.0 {
            let work =
                (0..machine.nodes()).map(|_| [0.5, 1.0, 2.0, 3.0][random.random_range(0..4)]).collect();
            let link =
                (0..machine.links()).map(|_| sigma * [1.0, 1.5, 3.0][random.random_range(0..3)]).collect();
            problem = problem.with_speeds(Speeds { work, link }).expect("speeds");
        }
        let scale = Scale::new(&problem, bytes).expect("a scale");
        let optimum = optimum::solve(&problem).expect("an optimum");
        let (_, time) = planned(&scale, &optimum, 400);
        let bound = optimum.makespan * (1.0 - 1e-9);
        assert!(time >= bound, "case {case} on {}: {time} beats {bound}", machine.name());
        let shares = Plan { makespan: optimum.makespan, shares: optimum.flow.node.clone(), cells: None };
        for (forwarding, pieces) in [
            (Forwarding::CutThrough, 3),
            (Forwarding::ModifiedStoreAndForward, 3),
            (Forwarding::StoreAndForward, 3),
        ] {
            let schedule = deliver(&scale, &shares, forwarding, pieces).expect("it can be sent");
            let time = simulated(&scale, &schedule);
            assert!(time >= bound, "case {case} on {}, {forwarding:?}: {time} beats {bound}", machine.name());
        }
    }
}

#[test]
fn loads_that_come_later_are_waited_for_and_cost_little() {
    let (machine, bytes) = machine("mesh:12x12", 0.1, 0.0);
    let late = |node, load, release| Source { node: NodeId(node), load, release };
    let sources = vec![late(5, 3.0, 0.0), late(77, 1.0, 0.01), late(138, 2.0, 0.02), late(60, 1.0, 0.0)];
    let problem = Problem::new(&machine, sources, 0.1).expect("a problem");
    let scale = Scale::new(&problem, bytes).expect("a scale");
    let optimum = optimum::solve(&problem).expect("an optimum");
    let (found, time) = planned(&scale, &optimum, 6000);
    let gap = time / optimum.makespan - 1.0;
    assert!((-1e-9..0.04).contains(&gap), "{gap}");
    let first = &found.schedule.ranks[77].ops[0];
    assert_eq!(*first, Op::Calc { cycles: scale.cycles(0.01) }, "its node counts the time first");
}

#[test]
fn processors_and_links_that_are_not_alike() {
    let (machine, bytes) = machine("torus:8x8", 0.1, 0.0);
    let work = (0..64).map(|node| if node % 3 == 0 { 2.0 } else { 1.0 }).collect();
    let link = (0..machine.links()).map(|link| if link % 5 == 0 { 0.4 } else { 0.2 }).collect();
    let problem = Problem::new(&machine, vec![Source::at(NodeId(9), 1.0), Source::at(NodeId(54), 2.0)], 0.1);
    let problem = problem.and_then(|problem| problem.with_speeds(Speeds { work, link })).expect("a problem");
    let scale = Scale::new(&problem, bytes).expect("a scale");
    let optimum = optimum::solve(&problem).expect("an optimum");
    let gap = planned(&scale, &optimum, 5000).1 / optimum.makespan - 1.0;
    assert!((-1e-9..0.04).contains(&gap), "{gap}");
}

#[test]
fn the_front_trades_processors_and_messages_for_time() {
    let (machine, bytes) = machine("torus:8x8", 0.2, 1e-5);
    let problem = Problem::new(&machine, vec![Source::at(NodeId(0), 1.0)], 0.2).expect("a problem");
    let scale = Scale::new(&problem, bytes).expect("a scale");
    let optimum = optimum::solve(&problem).expect("an optimum");
    let schedules = front(&scale, &optimum, &InstallmentSettings { chunks: 600 });
    let row = |one: &Installments| FrontRow::of_installments(&scale, optimum.makespan, one);
    let rows = unbeaten(schedules.iter().map(row).collect::<meshwright_core::Result<_>>().expect("they run"));
    assert!(rows.len() > 10, "{} rows", rows.len());
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(row.predicted_cycles, row.simulated_cycles);
        assert!(row.gap >= 0.0 && row.messages <= 600);
        let beats = |other: &FrontRow| {
            other.processors <= row.processors
                && other.messages <= row.messages
                && other.simulated_cycles <= row.simulated_cycles
        };
        assert!(
            rows.iter().enumerate().all(|(other, its)| other == index || !beats(its)),
            "{row:?} is beaten"
        );
    }
    let best = rows.iter().map(|row| row.gap).fold(f64::INFINITY, f64::min);
    let fewest = rows.iter().map(|row| row.messages).min().expect("some rows");
    let planned = planned(&scale, &optimum, 600).1 / optimum.makespan - 1.0;
    assert!(best < 1.2 * planned, "{best} against {planned}");
    assert!(fewest < 10, "{fewest}");
}

#[test]
fn finite_buffers_change_the_time_by_little() {
    for switching in [Switching::Wormhole, Switching::StoreAndForward] {
        let mut machine = Machine::new("torus:6x6").expect("a torus").with_switching(switching);
        machine = machine.with_startup(Cycles(8)).unwrap();
        machine = machine.with_flit(Bytes(16)).unwrap();
        machine = machine.with_byte_time(Ratio::new(1, 16).expect("a fraction")).unwrap();
        let problem = Problem::new(&machine, vec![Source::at(NodeId(7), 1.0)], 0.25).expect("a problem");
        let scale = Scale::new(&problem, 1 << 19).expect("a scale");
        let optimum = optimum::solve(&problem).expect("an optimum");
        let (found, time) = planned(&scale, &optimum, 500);
        assert!(found.waiting_max >= 1 && found.waiting_max < 40, "{} messages wait", found.waiting_max);
        // With the machine's own flits.
        let routers = sim::Engine::Flit(Router::ideal(&machine).into());
        let buffered = sim::simulate(&machine, &found.schedule, &routers).expect("it runs").cycles;
        let change = scale.units(buffered) / time - 1.0;
        assert!(change.abs() < 0.03, "{switching:?}: {change}");
        assert!(scale.units(buffered) >= optimum.makespan * (1.0 - 1e-6));
        let delay = delay(&machine, switching, &found.schedule).expect("it runs").expect("it ends");
        assert!((delay - 1.0 - change).abs() < 0.01, "{switching:?}: {delay} and {change}");
    }
}

#[test]
fn a_flit_waits_for_the_slot_of_the_one_before() {
    // sigma 0.1, no start-up: the links of the source are busy all the time. A slot is free again three cycles after
    // its flit was sent: one on the link, one in the slot, one for the credit; so q slots pass q flits in three cycles.
    let (mut machine, bytes) = machine("torus:16x16", 0.1, 0.0);
    let problem = Problem::new(&machine, vec![Source::at(NodeId(136), 1.0)], 0.1).expect("a problem");
    let scale = Scale::new(&problem, bytes).expect("a scale");
    let optimum = optimum::solve(&problem).expect("an optimum");
    let (found, _) = planned(&scale, &optimum, 3000);
    for (buffers, slower) in [(1, 3.0), (2, 1.5), (3, 1.0), (4, 1.0)] {
        machine = machine.with_buffers(buffers);
        let found = delay(&machine, Switching::Wormhole, &found.schedule).expect("it runs").expect("it ends");
        assert!((found / slower - 1.0).abs() < 0.02, "{buffers} slots: {found}");
    }
}

#[test]
fn what_the_flit_engine_cannot_do_is_an_error() {
    let (machine, bytes) = machine("mesh:4x4", 0.0, 0.0);
    let problem = Problem::new(&machine, vec![Source::at(NodeId(5), 1.0)], 0.0).expect("a problem");
    let scale = Scale::new(&problem, bytes).expect("a scale");
    let optimum = optimum::solve(&problem).expect("an optimum");
    let (found, _) = planned(&scale, &optimum, 100);
    let mut instant = machine.clone();
    instant = instant.with_byte_time(Ratio::new(0, 1).expect("a fraction")).unwrap();
    let error = delay(&instant, Switching::Wormhole, &found.schedule).expect_err("flits take no time");
    assert!(error.to_string().contains("a byte takes none"), "{error}");
    let large = Machine::new("mesh:400x400").expect("a mesh");
    let error = delay(&large, Switching::Wormhole, &found.schedule).expect_err("too many nodes");
    assert!(error.to_string().contains("160000 nodes"), "{error}");
}

#[test]
fn it_is_goal() {
    let (machine, bytes) = machine("mesh:4x4", 0.3, 1e-4);
    let problem = Problem::new(&machine, vec![Source::at(NodeId(5), 1.0)], 0.3).expect("a problem");
    let scale = Scale::new(&problem, bytes).expect("a scale");
    let (found, time) = planned(&scale, &optimum::solve(&problem).expect("an optimum"), 100);
    let mut text = Vec::new();
    goal::write(&found.schedule, &mut text).expect("memory takes every write");
    let again = goal::parse(&text[..], "installments.goal").expect("it is GOAL");
    assert_eq!(again, found.schedule);
    assert_eq!(simulated(&scale, &again), time);
}

/// The plan of the thesis for one source: every node of a layer gets the same.
fn thesis(problem: &Problem, forwarding: Forwarding) -> Plan {
    let machine = problem.machine();
    let source = [problem.sources()[0].node];
    let counts = layers::counts(machine, &source);
    let fractions: Vec<f64> = closed_form::fractions(&counts, &problem.sigma(), forwarding);
    let depths = layers::depths(machine, &source);
    let shares: Vec<f64> = depths.iter().map(|&depth| fractions[depth as usize]).collect();
    Plan { makespan: fractions[0], shares, cells: None }
}

#[test]
fn where_the_thesis_is_possible_its_shares_take_its_time() {
    // Layers of at most as many nodes as the source has links: every node has a path of its own.
    for (name, node) in
        [("mesh:2x2", 0), ("mesh:2x6", 0), ("mesh:3x3", 4), ("hypercube:3", 0), ("torus:3x3", 0)]
    {
        let (machine, bytes) = machine(name, 0.25, 0.0);
        let problem = Problem::new(&machine, vec![Source::at(NodeId(node), 1.0)], 0.25).expect("a problem");
        let scale = Scale::new(&problem, bytes).expect("a scale");
        for forwarding in [Forwarding::CutThrough, Forwarding::ModifiedStoreAndForward] {
            let plan = thesis(&problem, forwarding);
            let schedule = deliver(&scale, &plan, forwarding, 300).expect("it can be sent");
            let gap = simulated(&scale, &schedule) / plan.makespan - 1.0;
            assert!((-1e-9..0.02).contains(&gap), "{name} {forwarding:?}: {gap}");
        }
    }
}

#[test]
fn where_it_is_not_the_referee_takes_longer() {
    let (machine, bytes) = machine("mesh:21x21", 0.1, 0.0);
    let problem = Problem::new(&machine, vec![Source::at(NodeId(220), 1.0)], 0.1).expect("a problem");
    let scale = Scale::new(&problem, bytes).expect("a scale");
    let plan = thesis(&problem, Forwarding::CutThrough);
    let schedule = deliver(&scale, &plan, Forwarding::CutThrough, 4).expect("it can be sent");
    let time = simulated(&scale, &schedule);
    // The four links of the source carry all but its own share, as evenly as whole shares allow.
    let least = 0.1 * (1.0 - plan.shares[220]) / 4.0;
    assert!((least..1.1 * least).contains(&time), "{time} against {least}, claimed {}", plan.makespan);
    assert!(time > 3.0 * plan.makespan);
}

#[test]
fn what_cannot_be_sent_is_one_clear_error() {
    let (machine, bytes) = machine("mesh:4x4", 0.1, 0.0);
    let problem = Problem::new(&machine, vec![Source::at(NodeId(5), 1.0)], 0.1).expect("a problem");
    assert!(Scale::new(&problem, 0).is_err());
    let scale = Scale::new(&problem, bytes).expect("a scale");
    let optimum = optimum::solve(&problem).expect("an optimum");
    let error =
        plan(&scale, &optimum, &InstallmentSettings { chunks: 3 }).map(|_| ()).expect_err("too few messages");
    assert!(error.to_string().contains("only 3 messages are allowed"), "{error}");
    let shares = Plan { makespan: 1.0, shares: vec![1.0 / 16.0; 16], cells: None };
    assert!(deliver(&scale, &shares, Forwarding::CutThrough, 0).is_err());
    let mut timeless = machine.clone();
    timeless = timeless.with_byte_time(Ratio::whole(0)).unwrap();
    let problem = Problem::new(&timeless, vec![Source::at(NodeId(5), 1.0)], 0.1).expect("a problem");
    assert!(Scale::new(&problem, bytes).is_err(), "links without time cannot have a sigma above 0");
    assert!(Scale::costs_of(f64::NAN, 0.0).is_err());
}

/// A machine with several sources, each part of the flow with sizes of its own: the timetable is kept, all is worked off
/// once, and no more messages are sent than allowed.
#[test]
fn parts_of_a_flow_have_sizes_of_their_own() {
    for (name, sources, sigma, unlike) in [
        ("mesh:24x24", vec![30, 31, 200, 410, 560], 0.2, false),
        ("torus:20x20", vec![0, 210], 0.05, false),
        ("mesh:12x12", vec![5, 70, 71, 80], 0.1, true),
        ("torus:4x4x4", vec![9], 0.3, false),
    ] {
        let (machine, bytes) = machine(name, sigma, 0.0);
        let sources = sources.into_iter().map(|node| Source::at(NodeId(node), 1.0)).collect();
        let mut problem = Problem::new(&machine, sources, sigma).expect("a problem");
        if unlike {
            let work = (0..machine.nodes()).map(|node| 1.0 + f64::from(node % 3)).collect();
            let link = (0..machine.links()).map(|link| sigma * (1.0 + f64::from(link % 2))).collect();
            problem = problem.with_speeds(Speeds { work, link }).expect("speeds");
        }
        let scale = Scale::new(&problem, bytes).expect("a scale");
        let optimum = optimum::solve(&problem).expect("an optimum");
        let (few, many) = (plan_apart(&scale, &optimum, 20_000), plan_apart(&scale, &optimum, 150_000));
        let [few, many] = [(few, 20_000), (many, 150_000)].map(|(found, most)| {
            let found = found.expect("a plan");
            assert_eq!(
                run(&scale, &found.schedule).0,
                found.predicted_cycles,
                "{name}: the timetable is kept"
            );
            assert_eq!(found.schedule.messages().len() as u64, found.messages);
            assert!(found.messages <= most, "{name}: {} of {most} messages", found.messages);
            assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{name}: all is worked off");
            assert!(found.makespan >= optimum.makespan * (1.0 - 1e-9), "{name}: the bound is beaten");
            found.makespan / optimum.makespan
        });
        assert!(many <= few && many < 1.1, "{name}: {few} {many}");
    }
}

/// Sources that share the nodes around them, two of them on a diagonal: the timetable is kept, and all is worked off once.
#[test]
fn sources_that_close_each_other_in_are_served() {
    let (machine, bytes) = machine("mesh:60x60", 0.1, 0.0);
    let node = |row: u32, column: u32| Source::at(NodeId(row * 60 + column), 1.0);
    let mut sources: Vec<Source> =
        (0..36).map(|at: u32| node(5 + 10 * (at / 6) + at % 3, 5 + 10 * (at % 6) - at % 4)).collect();
    sources.extend([node(30, 31), node(31, 32)]);
    let problem = Problem::new(&machine, sources, 0.1).expect("a problem");
    let scale = Scale::new(&problem, bytes).expect("a scale");
    let optimum = optimum::solve(&problem).expect("an optimum");
    let found = plan_apart(&scale, &optimum, 24_000).expect("a plan");
    assert_eq!(run(&scale, &found.schedule).0, found.predicted_cycles, "the timetable is kept");
    assert!(found.messages <= 24_000);
    assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "all is worked off");
    assert!(found.makespan >= optimum.makespan * (1.0 - 1e-9), "the bound is beaten");
}

/// A hundred sources on ten thousand nodes are served within 5 % of the bound. Trees that do not branch early (`branching`) take 6.2 %,
/// sources that stay closed in (`enclosed`) 12.2 %, and shares that do not depend on the delay (`levelling`) 5.9 %.
#[test]
fn a_hundred_sources_are_near_the_bound() {
    let (machine, bytes) = machine("mesh:100x100", 0.05, 0.0);
    let mut random = rng::stream(100, "probe");
    let sources =
        (0..100).map(|_| Source::at(NodeId(random.random_range(0..machine.nodes())), 1.0)).collect();
    let problem = Problem::new(&machine, sources, 0.05).expect("a problem");
    let scale = Scale::new(&problem, bytes).expect("a scale");
    let optimum = optimum::solve(&problem).expect("an optimum");
    let found = plan_apart(&scale, &optimum, 60_000).expect("a plan");
    assert_eq!(run(&scale, &found.schedule).0, found.predicted_cycles, "the timetable is kept");
    let gap = found.makespan / optimum.makespan - 1.0;
    assert!((0.0..0.05).contains(&gap), "{gap}");
}

//! List schedules on machines of every kind: as long as the referee says, and what they claim to keep to is kept.

use super::*;
use crate::lp::{Duplex, Ports, solve};
use crate::{Problem, Source, Speeds};
use meshwright_core::rng;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_sim as sim;
use rand::{Rng, RngExt};

/// One of a few.
fn one_of<T: Copy>(random: &mut impl Rng, all: &[T]) -> T {
    all[random.random_range(0..all.len())]
}

/// A machine of a few nodes, some dead, and its bytes.
fn machine(random: &mut impl Rng, sigma: f64, ports: Ports) -> (Machine, u64) {
    let name = one_of(random, &["mesh:3x3", "torus:3x3", "mesh:1x5", "hypercube:3", "mesh:2x4", "torus:5"]);
    let (costs, bytes) = Scale::costs_of(sigma, one_of(random, &[0.0, 0.0, 1e-3, 0.05, 0.4])).unwrap();
    let machine = Machine::new(name).unwrap().with_costs(costs).unwrap().with_port_model(ports.model());
    let machine = if name == "mesh:3x3" && random.random_bool(0.3) {
        machine.with_dead(vec![NodeId(4)]).unwrap()
    } else {
        machine
    };
    let switching = one_of(random, &[Switching::StoreAndForward, Switching::CutThrough]);
    (machine.with_switching(switching), bytes)
}

fn variant(random: &mut impl Rng, living: &[NodeId]) -> Variant {
    let results = one_of(random, &[0.0, 0.3, 1.5]);
    Variant {
        ports: one_of(random, &[Ports::All, Ports::ONE, Ports::Few(2)]),
        front_end: random.random_bool(0.7),
        results,
        home: (results > 0.0 && random.random_bool(0.3)).then(|| one_of(random, living)),
        memory: random.random_bool(0.3).then(|| one_of(random, &[0.3, 0.05])),
        duplex: one_of(random, &[Duplex::Full, Duplex::Half]),
    }
}

fn problem<'m>(random: &mut impl Rng, machine: &'m Machine, sigma: f64, living: &[NodeId]) -> Problem<'m> {
    let sources = (0..random.random_range(1..4)).map(|_| Source {
        node: one_of(random, living),
        load: one_of(random, &[1.0, 2.0]),
        release: one_of(random, &[0.0, 0.0, 0.1]),
    });
    let problem = Problem::new(machine, sources.collect(), sigma).unwrap();
    if random.random_bool(0.7) {
        return problem;
    }
    let work = (0..machine.nodes()).map(|_| one_of(random, &[0.5, 1.0, 3.0])).collect();
    let link = (0..machine.links()).map(|_| sigma * one_of(random, &[1.0, 1.5, 3.0])).collect();
    problem.with_speeds(Speeds { work, link }).unwrap()
}

/// The most spans at a time.
fn most(spans: &[(u64, u64)]) -> usize {
    let at = |moment: u64| spans.iter().filter(|span| span.0 <= moment && moment < span.1).count();
    spans.iter().map(|span| at(span.0)).max().unwrap_or(0)
}

/// Wires, ports and processors are used as the variant says: looked at in what the referee measured.
fn hold(scale: &Scale, variant: &Variant, found: &Installments, timeline: &sim::Timeline) {
    let messages = found.schedule.messages();
    let span = |index: usize| {
        let end = timeline.arrivals[index];
        (end - scale.message_ticks(messages[index].bytes), end)
    };
    for node in 0..scale.problem().machine().nodes() {
        let of = |is: &dyn Fn(usize) -> bool| -> Vec<(u64, u64)> {
            (0..messages.len()).filter(|&index| is(index)).map(span).collect()
        };
        let out = of(&|index| messages[index].source.0 == node);
        let into = of(&|index| messages[index].target.0 == node);
        let both = [out.clone(), into.clone()].concat();
        let work = timeline.computations.iter().filter(|one| one.rank == node && one.processor == 0);
        let work: Vec<(u64, u64)> = work.map(|one| (one.begin, one.end)).collect();
        assert!(most(&work) <= 1);
        if !variant.front_end {
            assert!(most(&[both.clone(), work].concat()) <= 1, "node {node} does two things at a time");
        }
        if let Ports::Few(ports) = variant.ports {
            assert!(most(&out).max(most(&into)) <= ports as usize, "ports of node {node}");
            assert!(variant.duplex == Duplex::Full || most(&both) <= ports as usize, "ports of node {node}");
        }
        for other in 0..node {
            let there = of(&|index| (messages[index].source.0, messages[index].target.0) == (node, other));
            let back = of(&|index| (messages[index].target.0, messages[index].source.0) == (node, other));
            assert!(most(&there).max(most(&back)) <= 1);
            assert!(variant.duplex == Duplex::Full || most(&[there, back].concat()) <= 1, "a wire of {node}");
        }
    }
}

/// Nobody holds more of others' loads than it has room for; all is worked off, and all results come home.
fn count(task: &Task, (steps, times): &resize::Timed) {
    let (scale, variant) = (task.scale, task.variant);
    let sources = scale.problem().sources();
    let (mut worked, mut home) = (0, 0);
    let mut changes: Vec<(u32, u64, i64)> = Vec::new();
    for (index, step) in steps.all.iter().enumerate() {
        let is_own = |node: NodeId| sources[step.source].node == node;
        if step.kind == steps::Kind::Load && !is_own(step.to) {
            changes.push((step.to.0, times.begin[index], step.bytes as i64));
        }
        if step.kind != steps::Kind::Back && !is_own(step.from) {
            changes.push((step.from.0, times.end[index], -(step.bytes as i64)));
        }
        let goal = variant.home.unwrap_or(sources[step.source].node);
        match step.kind {
            steps::Kind::Work if step.from == goal => home += (step.bytes as f64 * variant.results) as u64,
            steps::Kind::Back if step.to == goal => home += step.bytes,
            steps::Kind::Back if step.from == goal => home -= step.bytes,
            _ => {}
        }
        worked += if step.kind == steps::Kind::Work { step.bytes } else { 0 };
    }
    assert_eq!(worked, scale.bytes());
    let results = (scale.bytes() as f64 * variant.results) as u64;
    assert!(home + steps.all.len() as u64 >= results, "{home} of {results} come home");
    if let Some(memory) = variant.memory {
        changes.sort_unstable();
        let (mut held, mut at) = (0, u32::MAX);
        for (node, _, change) in changes {
            held = if node == at { held + change } else { change };
            at = node;
            assert!(held as f64 <= memory * scale.bytes() as f64);
        }
    }
}

#[test]
fn what_is_predicted_is_measured_and_nothing_is_used_twice() {
    let mut random = rng::stream(21, "list schedules");
    let (mut listed, mut resized) = (0, [0; 3]);
    for case in 0..60 {
        let sigma = one_of(&mut random, &[0.05, 0.3, 1.2]);
        let ports = one_of(&mut random, &[Ports::All, Ports::ONE, Ports::Few(2)]);
        let (machine, bytes) = machine(&mut random, sigma, ports);
        let living: Vec<NodeId> = machine.living().collect();
        let variant = Variant { ports, ..variant(&mut random, &living) };
        let problem = problem(&mut random, &machine, sigma, &living);
        let scale = Scale::new(&problem, bytes).unwrap();
        let programme = solve(&problem, &variant).unwrap();
        let settings = ListSettings { chunks: Some(120), moves: true, whole: false };
        // Too few messages for so little room.
        let Ok(all) = limited(&scale, &variant, &[&programme], programme.makespan, &settings) else {
            continue;
        };
        for found in &all {
            let (trace, timeline) = sim::watch_schedule(&machine, &found.schedule).unwrap();
            assert_eq!(trace.deadlock, None, "case {case}");
            assert_eq!(trace.cycles.0, found.predicted_cycles, "case {case}: {variant:?}");
            assert!(found.makespan >= programme.makespan * (1.0 - 1e-6), "case {case}: {variant:?}");
            assert!(found.messages <= 120);
            hold(&scale, &variant, found, &timeline);
        }
        let ways = ways::of_distribution(&problem, &variant, &programme);
        let task = Task { scale: &scale, variant: &variant, settings, horizon: programme.makespan };
        if let Some(found) = task.search(&ways, TRIES) {
            count(&task, &task.run(&found.ways, &found.sizes, found.order).unwrap());
            listed += 1;
            for timed in task.resizings(&found) {
                count(&task, &timed);
                resized[0] += u32::from(variant.results > 0.0);
                resized[1] += u32::from(variant.memory.is_some());
                resized[2] += u32::from(variant.ports == Ports::Few(2));
            }
        }
    }
    assert!(listed > 20 && resized.iter().all(|&count| count > 20), "{listed}, {resized:?}");
}

#[test]
#[ignore = "prints what is measured"]
fn without_start_ups_programmes_are_neared() {
    let mut random = rng::stream(22, "list schedules");
    let mut ratios = Vec::new();
    for case in 0..60 {
        let sigma = one_of(&mut random, &[0.05, 0.3, 1.2]);
        let (mut machine, _) = machine(&mut random, sigma, Ports::All);
        let (costs, bytes) = Scale::costs_of(sigma, 0.0).unwrap();
        machine = machine.with_costs(costs).unwrap();
        let living: Vec<NodeId> = machine.living().collect();
        let variant = variant(&mut random, &living);
        machine = machine.with_port_model(variant.ports.model());
        let problem = problem(&mut random, &machine, sigma, &living);
        let scale = Scale::new(&problem, bytes).unwrap();
        let programme = solve(&problem, &variant).unwrap();
        let settings = ListSettings { chunks: None, moves: true, whole: false };
        let all = limited(&scale, &variant, &[&programme], programme.makespan, &settings).unwrap();
        let ratio = all[0].makespan / programme.makespan;
        eprintln!(
            "{case}: {} {sigma} {variant:?} {} sources, releases {:?}: {ratio:.4} {}",
            machine.name(),
            problem.sources().len(),
            problem.releases(),
            programme.attained
        );
        ratios.push(ratio);
    }
    ratios.sort_by(f64::total_cmp);
    eprintln!("{ratios:.3?}");
}

#[test]
#[ignore = "prints what is measured"]
fn with_start_ups_bounds_are_neared() {
    let plain = Variant::default();
    for variant in [
        plain,
        Variant { ports: Ports::ONE, ..plain },
        Variant { ports: Ports::ONE, results: 0.5, ..plain },
        Variant { front_end: false, ..plain },
    ] {
        for (name, sigma, startup) in [
            ("torus:4x4", 0.3, 0.5),
            ("torus:4x4", 0.1, 0.005),
            ("mesh:4x4", 0.3, 0.05),
            ("mesh:1x2", 0.3, 0.05),
            ("mesh:1x3", 0.3, 0.05),
            ("torus:3x3", 0.3, 0.02),
            ("torus:8x8", 0.02, 0.6),
        ] {
            let (costs, bytes) = Scale::costs_of(sigma, startup).unwrap();
            let machine = Machine::new(name).unwrap().with_costs(costs).unwrap();
            let machine =
                machine.with_port_model(variant.ports.model()).with_switching(Switching::StoreAndForward);
            let problem = Problem::new(&machine, vec![Source::at(NodeId(0), 1.0)], sigma).unwrap();
            let scale = Scale::new(&problem, bytes).unwrap();
            let least = solve(&problem, &variant).unwrap();
            let cut =
                crate::optimum::with_startup(&problem, startup, crate::optimum::Paid::EveryHop).makespan;
            let (bound, found) = match crate::lp::with_startups(
                &problem,
                &variant,
                startup,
                crate::optimum::Paid::EveryHop,
                least.makespan.max(cut),
            ) {
                Ok(found) => found,
                Err(error) => {
                    eprintln!("{name}: {error}");
                    continue;
                }
            };
            let settings = ListSettings { chunks: None, moves: true, whole: false };
            let all = limited(&scale, &variant, &[&least, &found], bound, &settings).unwrap();
            let speedups = [least.makespan, cut, bound, all[0].makespan].map(|makespan| 1.0 / makespan);
            let messages = all[0].messages;
            eprintln!(
                "{name} {sigma} {startup} {variant:?}: fluid, cut, programme, found {speedups:.4?}; {messages} messages"
            );
        }
    }
}

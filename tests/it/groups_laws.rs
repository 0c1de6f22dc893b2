//! Laws of programs of groups, over random machines, labels, methods and engines.

use meshwright_core::rng;
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_core::{Error, Result};
use meshwright_groups::label_file::Given;
use meshwright_groups::protocol::Label;
use meshwright_network::topology::order::ORDERS;
use meshwright_network::topology::{Costs, Machine, Topology};
use meshwright_verdict::groups::{self, Drawn, ENGINES, Engine, Job, Labels, METHODS, Pace};
use rand::{Rng, RngExt, seq::IndexedRandom};

/// A machine, perhaps with dead nodes and costs of its own.
fn machine(draws: &mut impl Rng) -> Machine {
    let names = [
        "mesh:1x4",
        "mesh:1x9",
        "mesh:3x3",
        "mesh:4x4",
        "mesh:3x5",
        "mesh:2x3x2",
        "torus:4x4",
        "torus:3x5",
        "torus:5",
        "hypercube:3",
        "hypercube:4",
        "ccc:3",
        "gaussian:2+1i",
    ];
    let mut machine = Machine::new(names.choose(draws).unwrap()).unwrap().in_packets();
    if draws.random_range(0..4) == 0 {
        let node = NodeId(draws.random_range(0..machine.nodes()));
        machine = machine.clone().with_dead(vec![node]).unwrap_or(machine);
    }
    machine = machine.with_buffers(*[1, 2, 4, 8].choose(draws).unwrap());
    if draws.random_range(0..3) == 0 {
        machine = machine
            .with_costs(Costs {
                startup: Cycles(draws.random_range(0..40)),
                byte_time: Ratio::new(1, *[1, 2, 8].choose(draws).unwrap()).unwrap(),
                flit: Bytes(*[1, 2, 8, 16].choose(draws).unwrap()),
            })
            .unwrap();
    }
    machine
}

fn labels(machine: &Machine, draws: &mut impl Rng) -> Labels {
    let kind = match draws.random_range(0..5) {
        0 => Drawn::Scattered,
        1 => Drawn::Contiguous,
        2 => Drawn::Colours(draws.random_range(1..5)),
        _ => {
            let (colours, keys) = (draws.random_range(1..4), draws.random_range(1..4));
            let mut members: Vec<(NodeId, Label)> = machine
                .living()
                .map(|node| {
                    (node, Label { colour: draws.random_range(0..colours), key: draws.random_range(0..keys) })
                })
                .collect();
            members.retain(|_| draws.random_range(0..5) > 0);
            let none = (draws.random_range(0..3) == 0).then(|| colours - 1);
            return Labels::Given(Given { members, none, ..Given::default() });
        }
    };
    Labels::Drawn { levels: draws.random_range(1..4), kind }
}

fn job(machine: &Machine, draws: &mut impl Rng) -> Job {
    let labels = labels(machine, draws);
    let mut job = Job::new(ORDERS.choose(draws).unwrap().name, labels);
    job.repeat = draws.random_range(1..3);
    job.seed = draws.random();
    job.engine = ENGINES.choose(draws).unwrap().1;
    job.pace = *[Pace::Free, Pace::Lockstep].choose(draws).unwrap();
    job
}

/// The trees of the first split are over exactly the members with their label.
fn trees_have_their_members(job: &Job, machine: &Machine, found: &groups::Found, what: &str) {
    let Some(shown) = &found.shown else { return };
    let group = job.group(machine).unwrap();
    let round = job.round(&group, 0);
    let expected: Vec<Vec<NodeId>> =
        round.groups[1].iter().map(|ranks| ranks.iter().map(|&rank| group.node(rank)).collect()).collect();
    let trees: Vec<Vec<NodeId>> = shown.trees.iter().map(|tree| tree.members.clone()).collect();
    assert_eq!(trees, expected, "{what}");
    for tree in &shown.trees {
        assert_eq!(tree.parent.iter().filter(|parent| parent.is_none()).count(), 1, "{what}: one root");
        assert!(tree.parent.iter().flatten().all(|parent| tree.members.contains(parent)), "{what}");
    }
}

/// One random command, by every method: what contradicts a bound is an error of `find`.
fn one(seed: u64) -> Result<()> {
    let draws = &mut rng::stream(seed, "laws of groups");
    let machine = machine(draws);
    let job = job(&machine, draws);
    let what = format!(
        "seed {seed}: {} {:?} {} {:?}",
        machine.name(),
        machine.costs(),
        job.engine.name(),
        job.labels
    );
    let mut runs = Vec::new();
    for method in METHODS {
        match groups::find(&job, &machine, method, None, &|| ()) {
            Ok(found) => {
                trees_have_their_members(&job, &machine, &found, &what);
                if found.experiment.deadlock().is_none() {
                    runs.push((method.name, found.experiment.cycles()));
                }
            }
            Err(Error::Contradiction(found)) => panic!("{what}: {found}"),
            Err(_) => {}
        }
    }
    match groups::choose(&job, &machine, "auto", "auto") {
        // All repetitions were tried, so nothing of its own table is faster.
        Ok((method, _)) if !runs.is_empty() => {
            let own = runs.iter().find(|(name, _)| *name == method.name).expect("it is one of them").1;
            assert!(runs.iter().all(|&(_, cycles)| own <= cycles), "{what}: {} of {runs:?}", method.name);
        }
        _ => {}
    }
    if !runs.is_empty() {
        let verdict = groups::judge("laws", &job, &machine, &mut |_| ()).expect(&what);
        let chosen = groups::choose(&job, &machine, "auto", "auto")?.0.name;
        assert_eq!(verdict.winner_name(), Some(chosen), "{what}: `plan` and `groups` choose alike");
    }
    Ok(())
}

/// G1, G5, R1: no time is below its bound on any engine, trees are over exactly their members, `auto` is no slower than
/// any row, and `plan` and `groups` choose alike.
#[test]
fn random_programs_obey_the_laws() {
    (0..60).for_each(|seed| one(seed).unwrap());
}

#[test]
#[ignore = "minutes: 10 000 random programs, every method of each"]
fn many_random_programs_obey_the_laws() {
    (60..10_060).for_each(|seed| one(seed).unwrap());
}

/// The mean of the splits at each level.
fn means(machine: &Machine, job: &Job, engine: Engine) -> Vec<f64> {
    let job = Job { engine, ..job.clone() };
    let method = groups::methods(Some("mask"), Some("monotone-nearest")).unwrap()[0];
    let found = groups::find(&job, machine, method, None, &|| ()).unwrap();
    let answer = groups::GroupsAnswer::new(&job, machine, found);
    answer.by_level.iter().filter_map(|level| level.split_steps_mean).collect()
}

/// G1: a packet is not divided on any engine, so they agree within a step at each level.
#[test]
fn mask_takes_as_many_steps_on_the_message_engine_as_in_packets() {
    for (name, repeat) in [("mesh:8x8", 100), ("mesh:16x16", 20)] {
        let machine = Machine::new(name).unwrap().in_packets();
        let mut job = Job::new("hilbert", Labels::Drawn { levels: 4, kind: Drawn::Scattered });
        (job.repeat, job.pace) = (repeat, Pace::Lockstep);
        let packet = means(&machine, &job, Engine::Packet);
        assert_eq!(packet.len(), 4);
        for engine in [Engine::Message, Engine::Flit] {
            for (ours, theirs) in means(&machine, &job, engine).iter().zip(&packet) {
                assert!((ours - theirs).abs() <= 1.0, "{name}, {}: {ours} and {theirs}", engine.name());
            }
        }
    }
}

/// G1: labels 0, 1, 1, 0 in a row: news takes three steps from one end to the other, on every engine.
#[test]
fn the_ends_of_a_row_hear_of_each_other_after_three_steps_at_least() {
    let machine = Machine::new("mesh:1x4").unwrap().in_packets();
    for colours in [[0, 1, 1, 0], [0, 0, 0, 1]] {
        let label = |(node, colour)| (NodeId(node), Label { colour, key: 0 });
        let members: Vec<_> = (0..).zip(colours).map(label).collect();
        for &(name, engine) in ENGINES {
            let job = Job { engine, ..Job::new("hilbert", Labels::Given(members.clone().into())) };
            for method in METHODS {
                let found = groups::find(&job, &machine, method, None, &|| ()).unwrap();
                let steps = found.shown.unwrap().split_steps;
                assert!(steps >= 3, "{} on the {name} engine: {steps}", method.name);
            }
        }
    }
}

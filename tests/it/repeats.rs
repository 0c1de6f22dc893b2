//! A phase that repeats is the same phases written out, in every number.

use meshwright_core::units::{Bytes, Cycles, Ratio};
use meshwright_mapping::TaskGraph;
use meshwright_mapping::bound::{Terrain, graph_ticks};
use meshwright_mapping::task_graph::Edge;
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Endpoints, Machine, PortModel, Switching};
use meshwright_schedule::{Schedule, cost};
use meshwright_sim::{Engine, simulate};
use meshwright_verdict::{Job, map, mapping};
use proptest::prelude::*;
use serde_json::Value;

/// How often a phase runs, and its messages: source, target, bytes.
type RandomPhase = (u32, Vec<(u32, u32, u64)>);

/// A graph with repetitions, and the same with every phase written out.
fn twins(tasks: u32, phases: &[RandomPhase]) -> (TaskGraph, TaskGraph) {
    let edge = |&(source, target, bytes): &(u32, u32, u64)| Edge {
        source: source % tasks,
        target: target % tasks,
        bytes: Bytes(bytes),
    };
    let (mut once, mut all, mut number) = (vec![], vec![], 1);
    for (times, edges) in phases {
        once.extend(edges.iter().map(|one| (number, edge(one))));
        for time in 0..*times {
            all.extend(edges.iter().map(|one| (number + time, edge(one))));
        }
        number += times;
    }
    let times = phases.iter().map(|(times, _)| *times).collect();
    let repeated = TaskGraph::new("twins", tasks, once).unwrap().with_repeats(times).unwrap();
    (repeated, TaskGraph::new("twins", tasks, all).unwrap())
}

/// The rows of a phase that repeats add up to its one row; all else is equal.
fn same(repeated: &Value, written: &Value, place: &str) {
    match (repeated, written) {
        (Value::Array(few), Value::Array(all)) if place.ends_with("phases") => {
            let mut rest = all.iter();
            for row in few {
                let times = row["repeats"].as_u64().unwrap_or(1);
                let own: Vec<&Value> = rest.by_ref().take(times as usize).collect();
                assert_eq!(own.len() as u64, times, "{place}");
                assert_eq!(row["phase"], own[0]["phase"]);
                for (key, value) in row.as_object().unwrap() {
                    match key.as_str() {
                        "repeats" | "phase" => {}
                        "messages" => add_up(value, &own, key, 0),
                        // Each row is rounded up to cycles by itself.
                        cycles if cycles.ends_with("_cycles") => add_up(value, &own, key, times),
                        _ => own.iter().for_each(|one| same(value, &one[key], key)),
                    }
                }
            }
            assert_eq!(rest.next(), None, "{place}");
        }
        (Value::Array(few), Value::Array(all)) => {
            assert_eq!(few.len(), all.len(), "{place}");
            few.iter().zip(all).for_each(|(a, b)| same(a, b, place));
        }
        (Value::Object(few), Value::Object(all)) => {
            assert!(few.keys().eq(all.keys()), "{place}");
            // A certificate speaks of the phases that there are; over a second wire equal messages may change places.
            let others =
                few.iter().filter(|(key, _)| !["certificate", "relieved_cycles"].contains(&key.as_str()));
            others.for_each(|(key, value)| same(value, &all[key], &format!("{place}.{key}")));
        }
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{place}: {a} and {b}");
        }
        _ => assert_eq!(repeated, written, "{place}"),
    }
}

fn add_up(value: &Value, own: &[&Value], key: &str, slack: u64) {
    let sum: u64 = own.iter().map(|one| one[key].as_u64().unwrap()).sum();
    let value = value.as_u64().unwrap();
    assert!(value <= sum && sum <= value + slack, "{key}: {value} against {sum}");
}

fn phases() -> impl Strategy<Value = Vec<RandomPhase>> {
    let edges = prop::collection::vec((0u32..12, 0u32..12, 1u64..200), 1..7);
    prop::collection::vec((1u32..5, edges), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Every number of `map --json`, under both switchings.
    #[test]
    fn map_says_the_same(
        phases in phases(),
        which in 0usize..4,
        placement in 0usize..3,
        byte_time in 1u64..4,
    ) {
        let machine = Machine::new(["mesh:3x4", "torus:3x4", "mesh:12", "torus:4x5"][which]).unwrap();
        let time = Ratio::new(byte_time, 3).unwrap();
        let machine = machine.with_byte_time(time).unwrap();
        let (repeated, written) = twins(12, &phases);
        let method = ["row-major", "hilbert", "random"][placement];
        let json = |tasks: TaskGraph| {
            let report = map::report(&Job::trace(tasks), &machine, &[method], 3, &mut |_| {}).unwrap();
            serde_json::to_value(report).unwrap()
        };
        same(&json(repeated), &json(written), "map");
    }

    /// The bound, the forecast and the simulated time, with ports, overheads and gaps that outlast a barrier.
    #[test]
    fn bound_forecast_and_time_are_the_same(
        phases in phases(),
        which in 0usize..6,
        switching in 0usize..3,
        ports in 0usize..2,
        ends in (0u64..3, 0u64..4),
        startup in 0u64..5,
    ) {
        let names = ["mesh:3x4", "torus:3x4", "hypercube:4", "gaussian:3+2i", "mesh:12", "torus:12"];
        let mut machine = Machine::new(names[which]).unwrap().with_switching(SWITCHINGS[switching].1);
        machine = machine.with_startup(Cycles(startup)).unwrap();
        machine = machine.with_port_model([PortModel::All, PortModel::One][ports]);
        let endpoints = Endpoints { overhead: Cycles(3 * ends.0), gap: Cycles(400 * ends.1) };
        machine = machine.with_endpoints(endpoints).unwrap();
        let (repeated, written) = twins(12, &phases);
        let bound = |graph: &TaskGraph| {
            graph_ticks(graph, &Terrain::new(&machine), &machine, machine.switching()).ticks
        };
        prop_assert_eq!(bound(&repeated), bound(&written));
        let place = meshwright_mapping::place(
            "random",
            &meshwright_mapping::Request::of(&repeated, &machine, 1),
        ).unwrap();
        let [few, all] = [&repeated, &written].map(|graph| place.phases(graph, &machine));
        prop_assert_eq!(cost::forecast(&few, &machine).unwrap(), cost::forecast(&all, &machine).unwrap());
        prop_assert_eq!(Schedule::from_phases(&few), Schedule::from_phases(&all));
        let [few, all] = [few, all].map(|phases| simulate(&machine, &phases, &Engine::Message).unwrap());
        let mut numbers = few.phase_ticks.clone();
        let mut rest = all.phase_ticks.iter();
        for (sum, (times, _)) in numbers.iter_mut().zip(&phases) {
            *sum -= rest.by_ref().take(*times as usize).sum::<u64>();
        }
        prop_assert!(numbers.iter().all(|&left| left == 0), "{:?} {:?}", few.phase_ticks, all.phase_ticks);
        prop_assert_eq!(
            (few.ticks, few.messages, few.longest_wait, few.passes, few.deadlock),
            (all.ticks, all.messages, all.longest_wait, all.passes, all.deadlock)
        );
    }
}

/// What `plan` says of every placement, under each switching.
#[test]
fn plan_says_the_same() {
    let ring: Vec<_> = (0..12).map(|task| (task, (task + 1) % 12, 77)).collect();
    let across: Vec<_> = (0..12).map(|task| (task, (task * 5 + 3) % 12, 31)).filter(|e| e.0 != e.1).collect();
    let (repeated, written) = twins(12, &[(7, ring), (1, across.clone()), (3, across)]);
    for switching in [Switching::Wormhole, Switching::CutThrough, Switching::StoreAndForward] {
        let machine = Machine::new("mesh:3x4").unwrap().with_switching(switching);
        let verdict = |tasks: &TaskGraph| {
            let job = Job::trace(tasks.clone());
            mapping::judge("twins", &job, &machine, &["row-major", "snake", "random"], 1, &mut |_| {})
                .unwrap()
        };
        let (few, all) = (verdict(&repeated), verdict(&written));
        assert_eq!((few.bound(), few.winner_name()), (all.bound(), all.winner_name()));
        assert_eq!(few.winner().unwrap().schedule(), all.winner().unwrap().schedule());
        for (few, all) in few.results.iter().zip(&all.results) {
            assert_eq!(few.detail.dependency_cycles, all.detail.dependency_cycles, "{}", few.method);
            assert_eq!(
                (few.predicted_cycles, few.simulated_cycles, few.busiest_link, few.waited_link),
                (all.predicted_cycles, all.simulated_cycles, all.busiest_link, all.waited_link)
            );
            assert_eq!(
                (few.detail.hops_total, &few.detail.link_busy, &few.detail.link_messages),
                (all.detail.hops_total, &all.detail.link_busy, &all.detail.link_messages)
            );
            assert_eq!((few.detail.phases.len(), all.detail.phases.len()), (3, 11));
            assert_eq!(few.detail.phases[0].messages, 7 * 12);
        }
    }
}

/// Routers remember whom they served last; a phase is then run each time.
#[test]
fn flit_by_flit_it_is_the_same() {
    let shift: Vec<_> = (0..13).map(|task| (task, (task + 3) % 13, 64)).collect();
    let (repeated, written) = twins(13, &[(3, shift.clone()), (2, shift)]);
    let machine = Machine::new("gaussian:3+2i").unwrap();
    let verdict = |tasks: TaskGraph| {
        mapping::judge("twins", &Job::trace(tasks), &machine, &["row-major"], 1, &mut |_| {}).unwrap()
    };
    let (few, all) = (verdict(repeated), verdict(written));
    assert_eq!(few.results[0].detail.engine, "flit");
    assert_eq!(few.results[0].simulated_cycles, all.results[0].simulated_cycles);
}

/// Counts that cannot be counted, and numbers that would meet.
#[test]
fn repetitions_are_checked() {
    let edge = Edge { source: 0, target: 1, bytes: Bytes(1 << 40) };
    let graph =
        |phases: &[u32]| TaskGraph::new("a", 2, phases.iter().map(|&phase| (phase, edge)).collect()).unwrap();
    let error = graph(&[1]).with_repeats(vec![1 << 23]).unwrap_err().to_string();
    assert!(error.contains("the volume of all messages"), "{error}");
    let error = graph(&[u32::MAX - 1]).with_repeats(vec![3]).unwrap_err().to_string();
    assert!(error.contains("the number of the last phase"), "{error}");
    let later = graph(&[1, 3, 90]).with_repeats(vec![4, 2, 1]).unwrap();
    assert_eq!([0, 1, 2].map(|index| later.number(index)), [1, 5, 90], "numbers move as far as they must");
}

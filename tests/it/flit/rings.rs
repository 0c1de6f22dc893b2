//! Worms on tori: whole messages in date-line classes beside routers with two virtual channels.

use meshwright_core::rng;
use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::{Message, Phases, Schedule, goal};
use meshwright_sim::flit::Router;
use meshwright_sim::{Engine, Trace, Workload, simulate};
use rand::RngExt;
use rand::seq::SliceRandom;

use super::random_phases;
use crate::agreement::program::engines::{RINGS, RingBand};

/// A workload by name; `seed` draws what is at random.
fn workload(name: &str, machine: &Machine, bytes: u64, seed: u64) -> Phases {
    let nodes = machine.nodes();
    let mut rng = rng::stream(seed, "workloads on rings");
    let send = |source, target, phase| Message {
        source: NodeId(source),
        target: NodeId(target),
        bytes: Bytes(bytes),
        phase,
    };
    let messages = match name {
        "random messages" => return random_phases(machine, seed),
        "permutations" => {
            let mut all = Vec::new();
            for phase in 1..3 {
                let mut targets: Vec<u32> = (0..nodes).collect();
                targets.shuffle(&mut rng);
                all.extend((0..nodes).zip(targets).map(|(source, target)| send(source, target, phase)));
            }
            all
        }
        "shifts" => {
            let by = rng.random_range(1..nodes);
            (0..nodes).map(|source| send(source, (source + by) % nodes, 1)).collect()
        }
        "recursive doubling" => return doubling(nodes.ilog2(), bytes),
        "all to all" => {
            let from = |source| (1..nodes).map(move |by| send(source, (source + by) % nodes, 1));
            (0..nodes).flat_map(from).collect()
        }
        _ => unreachable!("{name}"),
    };
    Phases::new(nodes, messages)
}

/// Every one of 2^steps nodes exchanges with its partner across each bit.
fn doubling(steps: u32, bytes: u64) -> Phases {
    let nodes = 1 << steps;
    let step = |bit: u32| {
        let target = move |node: u32| node ^ 1 << bit;
        (0..nodes).map(move |node| Message {
            source: NodeId(node),
            target: NodeId(target(node)),
            bytes: Bytes(bytes),
            phase: bit + 1,
        })
    };
    Phases::new(nodes, (0..steps).flat_map(step).collect())
}

/// The ratio of the flit engine's time to that of whole messages; nothing where nothing takes time.
fn ratio(machine: &Machine, workload: &impl Workload) -> Option<f64> {
    let run = |engine: &Engine| -> Trace {
        let trace = simulate(machine, workload, engine).unwrap();
        assert_eq!(trace.deadlock, None, "{}", machine.name());
        trace
    };
    let whole = run(&Engine::Message);
    let flit = run(&Engine::Flit(Router::ideal(machine).into()));
    (whole.ticks > 0).then(|| flit.ticks as f64 / whole.ticks as f64)
}

const TORI: [&str; 9] = [
    "torus:5",
    "torus:8",
    "torus:16",
    "torus:4x4",
    "torus:5x4",
    "torus:8x8",
    "torus:2x5x6",
    "torus:3x4x5",
    "torus:4x4x4",
];

/// With barriers and without, messages of 16 and 256 bytes.
fn check(names: &[&str], seeds: u64) {
    for &RingBand { workload: name, least, greatest, mean } in RINGS {
        let (mut all, mut means) = (Vec::new(), Vec::new());
        for torus in names {
            let machine = Machine::new(torus).unwrap().with_startup(Cycles(10)).unwrap();
            let is_drawn = !["recursive doubling", "all to all"].contains(&name);
            let mut ratios = Vec::new();
            for seed in 0..if is_drawn { seeds } else { 1 } {
                for bytes in [16, 256] {
                    let phases = workload(name, &machine, bytes, seed);
                    ratios.extend(ratio(&machine, &phases));
                    ratios.extend(ratio(&machine, &Schedule::from_phases(&phases)));
                }
            }
            means.push(ratios.iter().sum::<f64>() / ratios.len() as f64);
            all.extend(ratios);
        }
        let bounds = |ratios: &[f64]| {
            (ratios.iter().copied().fold(f64::MAX, f64::min), ratios.iter().copied().fold(0.0, f64::max))
        };
        let ((low, high), (from, to)) = (bounds(&all), bounds(&means));
        let found = format!("{name}, {} runs: {low:.3} to {high:.3}, means {from:.3} to {to:.3}", all.len());
        println!("{found}");
        assert!(least < low && high < greatest, "{found}");
        assert!(1.0 - mean < from && to < 1.0 + mean, "{found}");
    }
}

#[test]
fn worms_on_rings_stay_within_the_band() {
    check(&TORI, 12);
}

#[test]
#[ignore = "long: ten thousand schedules"]
fn worms_on_rings_stay_within_the_band_long() {
    check(&TORI, 300);
}

/// The allreduce of `examples/allreduce.rs` for 4096 ranks and 1 KiB.
fn allreduce() -> (Machine, Schedule) {
    let mut text = "num_ranks 4096\n".to_string();
    for rank in 0..4096 {
        text += &format!("rank {rank} {{\n");
        for step in 0..12 {
            let partner = rank ^ 1 << step;
            text += &format!("s{step}: send 1024b to {partner} tag {step}\n");
            text += &format!("r{step}: recv 1024b from {partner} tag {step}\n");
            if step > 0 {
                text += &format!("s{step} requires r{}\n", step - 1);
            }
        }
        text += "}\n";
    }
    (Machine::new("torus:64x64").unwrap(), goal::parse(text.as_bytes(), "allreduce.goal").unwrap())
}

#[test]
fn the_allreduce_of_4096_ranks_takes_what_the_page_says() {
    let (torus, schedule) = allreduce();
    let trace = simulate(&torus, &schedule, &Engine::Message).unwrap();
    assert_eq!((trace.cycles, trace.deadlock, trace.messages), (Cycles(224_272), None, 49_152));
    // Half-way round rings of 64, first along rows, then along columns: 32 messages over each link.
    assert!(trace.cycles.0 >= 2 * 32 * 1024);
}

#[test]
#[ignore = "long: 265 million flits times links"]
fn the_allreduce_of_4096_ranks_takes_as_long_on_routers() {
    let (torus, schedule) = allreduce();
    let flit = simulate(&torus, &schedule, &Engine::Flit(Router::ideal(&torus).into())).unwrap();
    assert_eq!((flit.cycles, flit.deadlock), (Cycles(224_488), None));
}

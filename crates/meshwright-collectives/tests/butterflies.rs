//! Butterflies: any number of members, the links that copies use, and the published congestion of Swing.

use meshwright_collectives::flow::Flow;
use meshwright_collectives::turns::jacobsthal;
use meshwright_collectives::{Operation, Task, algorithm};
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_network::routing;
use meshwright_network::topology::{Costs, Machine, Switching, Topology};
use meshwright_schedule::cost::LinkLoads;
use meshwright_schedule::{Message, Op, Rank};
use meshwright_sim::{Engine, simulate};

/// The flow of an algorithm by name; none where it is refused.
fn flow(name: &str, task: &Task<'_>) -> Option<Flow> {
    algorithm::all().find(|algorithm| algorithm.name == name).expect(name).of(task).ok()
}

/// Bytes over each link, by step, of the messages of which `counts` is true.
fn loads(machine: &Machine, flow: &Flow, counts: impl Fn(usize) -> bool) -> Vec<Vec<u64>> {
    let of_step = |step| {
        let message = |index: usize| {
            let transfer = flow.transfers()[index];
            let (source, target) = (NodeId(transfer.source), NodeId(transfer.target));
            Message { source, target, bytes: Bytes(flow.bytes(index)), phase: step }
        };
        let mine = |&index: &usize| flow.transfers()[index].step == step && counts(index);
        let messages: Vec<Message> = (0..flow.transfers().len()).filter(mine).map(message).collect();
        let pairs: Vec<_> = messages.iter().map(Message::pair).collect();
        let mut loads = LinkLoads::new(machine.links());
        loads.fill(&messages, &routing::routes(machine, &pairs).unwrap());
        let mut bytes = vec![0; machine.links() as usize];
        loads.used().for_each(|(link, load)| bytes[link.index()] = load.bytes);
        bytes
    };
    (0..flow.steps()).map(of_step).collect()
}

/// The bytes of the busiest link of each step together, over those that the links of a node need at least.
fn congestion(name: &str, machine: &Machine, bytes: u64) -> f64 {
    let task = Task::new(machine, Operation::AllReduce, bytes, 0).unwrap();
    let flow = flow(name, &task).unwrap();
    let busiest: u64 = loads(machine, &flow, |_| true).iter().map(|step| step.iter().max().unwrap()).sum();
    let (p, ports) = (f64::from(task.members()), f64::from(machine.ports(NodeId(0))));
    busiest as f64 / (2.0 * bytes as f64 * (p - 1.0) / p / ports)
}

#[test]
fn any_number_of_members_folds_into_a_power_of_two() {
    use Operation as O;
    for members in 2u32..=40 {
        let line = Machine::new(&format!("mesh:{members}")).unwrap();
        for operation in [O::AllReduce, O::ReduceScatter, O::AllGather, O::Barrier] {
            let bytes = if operation == O::Barrier { 0 } else { 999 };
            let task = Task::new(&line, operation, bytes, 0).unwrap();
            let names = match operation {
                O::AllReduce => {
                    vec!["recursive-doubling", "rabenseifner", "swing-l", "swing-b", "trivance-b"]
                }
                O::ReduceScatter => vec!["recursive-halving", "rabenseifner", "swing-b", "trivance-b"],
                O::AllGather => vec!["recursive-doubling", "rabenseifner", "swing-b", "trivance-b"],
                _ => vec!["recursive-doubling", "swing-l"],
            };
            for name in names {
                let flow = flow(name, &task).unwrap_or_else(|| panic!("{name} on {members}"));
                assert_eq!(flow.check(operation, 0, bytes), Ok(()), "{name} on {members}");
                let logarithm = members.ilog2() + u32::from(!members.is_power_of_two());
                let folded = 2 * u32::from(!members.is_power_of_two());
                let most =
                    if operation == O::AllReduce && !name.ends_with("-l") && name != "recursive-doubling" {
                        2 * logarithm + folded
                    } else {
                        logarithm + folded
                    };
                assert!(flow.steps() <= most, "{name} on {members}: {} steps", flow.steps());
            }
        }
    }
}

/// Whatever the sides, nobody sends or gets a part more than it must in a reduce-scatter and an all-gather.
#[test]
fn halves_of_halves_are_optimal_in_bytes() {
    for sides in ["torus:6", "torus:9", "torus:7", "torus:8x8", "torus:6x10", "torus:4x6x2", "torus:9x3"] {
        let machine = Machine::new(sides).unwrap();
        let members = machine.nodes();
        let bytes = u64::from(members) * 24;
        let task = Task::new(&machine, Operation::AllReduce, bytes, 0).unwrap();
        for name in ["swing-b", "swing-b-multiport", "trivance-b"] {
            let Some(flow) = flow(name, &task) else { continue };
            let mut got = vec![0; members as usize];
            let transfers = flow.transfers().iter().enumerate();
            transfers.for_each(|(index, transfer)| got[transfer.target as usize] += flow.bytes(index));
            let least = 2 * (bytes - bytes / u64::from(members));
            assert!(got.iter().all(|&got| got == least), "{name} on {sides}: {got:?}, not {least}");
        }
    }
}

/// Plain and mirrored copy together load each link of the dimension whose turn it is alike, with the distance of the peers; where
/// that is 1 they share none. Exclusive or knows no mirror: its copies load the same links.
#[test]
fn mirrored_copies_use_the_other_links() {
    let torus = Machine::new("torus:8x8").unwrap();
    let task = Task::new(&torus, Operation::ReduceScatter, 4 * 64 * 64, 0).unwrap();
    let swing = flow("swing-b-multiport", &task).unwrap();
    let xor = flow("rabenseifner-multiport", &task).unwrap();
    let of_copy = |flow: &Flow, copy: u32| loads(&torus, flow, |index| flow.row(index)[0].0 / 64 == copy);
    for first in 0..2 {
        let (plain, mirrored) = (of_copy(&swing, 2 * first), of_copy(&swing, 2 * first + 1));
        for step in 0..6u32 {
            let far = jacobsthal(step / 2).unsigned_abs();
            let bytes = (4096 >> step) / 2;
            let both = plain[step as usize].iter().zip(&mirrored[step as usize]);
            let together: Vec<u64> = both.clone().map(|(a, b)| a + b).filter(|&bytes| bytes > 0).collect();
            assert_eq!(together, vec![far * bytes; 128], "step {step}: half the links of the torus, alike");
            assert_eq!(far == 1, both.clone().all(|(&a, &b)| a == 0 || b == 0), "step {step}");
        }
        assert_eq!(of_copy(&xor, 2 * first), of_copy(&xor, 2 * first + 1));
    }
}

/// Swing's congestion: 23/21 = 1.0952 on 8x8 by link loads, by the sum of distances, and its limit in closed form.
#[test]
fn swing_has_its_published_congestion() {
    let by_sum = |dimensions: i32, turns: u32| {
        let of_turn = |k: u32| {
            let parts: f64 = (1..=dimensions).map(|j| 0.5f64.powi(dimensions * k as i32 + j)).sum();
            jacobsthal(k).unsigned_abs() as f64 * parts
        };
        let members = 2f64.powi(dimensions * turns as i32);
        (0..turns).map(of_turn).sum::<f64>() / (1.0 - 1.0 / members)
    };
    for (name, dimensions, turns) in [("torus:8x8", 2, 3), ("torus:16x16", 2, 4), ("torus:4x4x4", 3, 2)] {
        let machine = Machine::new(name).unwrap();
        let measured = congestion("swing-b-multiport", &machine, u64::from(machine.nodes()) * 96);
        assert!((measured - by_sum(dimensions, turns)).abs() < 1e-12, "{name}: {measured}");
    }
    assert!((by_sum(2, 3) - 23.0 / 21.0).abs() < 1e-12);
    for (dimensions, published) in [(2, 1.2), (3, 1.037), (4, 1.008)] {
        let share = 0.5f64.powi(dimensions);
        let limit = (1.0 - share) / 3.0 * (2.0 / (1.0 - 2.0 * share) + 1.0 / (1.0 + share));
        assert!((by_sum(dimensions, 50) - limit).abs() < 1e-9 && (limit - published).abs() < 5e-4, "{limit}");
    }
}

/// In step k of Trivance on a ring of 3^m, each link carries the vectors of the 3^k members before it.
#[test]
fn trivance_loads_all_links_alike() {
    let ring = Machine::new("torus:27").unwrap();
    let task = Task::new(&ring, Operation::AllReduce, 100, 0).unwrap();
    let whole = loads(&ring, &flow("trivance-l", &task).unwrap(), |_| true);
    assert_eq!(whole, [vec![100; 54], vec![300; 54], vec![900; 54]]);
    // Thirds: 9, 3, 1 of 27 parts, 1, 3, 9 links far.
    let task = Task::new(&ring, Operation::ReduceScatter, 27, 0).unwrap();
    let thirds = loads(&ring, &flow("trivance-b", &task).unwrap(), |_| true);
    assert_eq!(thirds, vec![vec![9; 54]; 3]);
    let other = Machine::new("torus:26").unwrap();
    let task = Task::new(&other, Operation::AllReduce, 100, 0).unwrap();
    assert!(flow("trivance-l", &task).is_none() && flow("trivance-b", &task).is_some());
}

/// Forgets all that a rank's sends wait for but the receives of the step before.
fn wait_for_the_last_step(rank: &mut Rank) {
    let tag = |step: u32| match rank.ops[step as usize] {
        Op::Send { tag, .. } | Op::Recv { tag, .. } => tag,
        Op::Calc { .. } => unreachable!("adding up costs nothing here"),
    };
    rank.dependencies.retain(|dependency| tag(dependency.on) + 1 == tag(dependency.step));
}

/// Simulated time over 2 V (p - 1) / p b / degree, 16 MiB on costs like those of a chip.
///
/// With `last_only` a send waits for the receives of the step before its own and for no others.
fn race(machine: &str, name: &str, last_only: bool) -> f64 {
    let costs = Costs { startup: Cycles(40), byte_time: Ratio::new(1, 32).unwrap(), flit: Bytes(32) };
    let machine =
        Machine::new(machine).unwrap().with_costs(costs).unwrap().with_switching(Switching::CutThrough);
    let task = Task::new(&machine, Operation::AllReduce, 1 << 24, 0).unwrap();
    let mut schedule = flow(name, &task).unwrap().schedule(task.nodes(), machine.nodes(), None);
    if last_only {
        schedule.ranks.iter_mut().for_each(wait_for_the_last_step);
    }
    let trace = simulate(&machine, &schedule, &Engine::Message).unwrap();
    assert!(trace.deadlock.is_none());
    let (p, degree) = (f64::from(machine.nodes()), machine.neighbours(NodeId(0)).count() as f64);
    trace.cycles.0 as f64 / (2.0 * (1 << 24) as f64 * (p - 1.0) / p / 32.0 / degree)
}

/// The figures of a race run before, with other code, in which a send waited for the receives of the step before only, though its
/// blocks were added up in earlier ones as well: all twelve come out again. Where a send waits for all that it carries, five differ.
#[test]
fn the_race_is_run_again() {
    let table = [
        ("recursive-doubling", "torus:8x8", "24.4", 24.3820),
        ("recursive-doubling", "mesh:8x8", "12.2", 12.1910),
        ("swing-l", "torus:8x8", "16.3", 16.2549),
        ("swing-l", "mesh:8x8", "10.2", 10.1592),
        ("rabenseifner", "torus:8x8", "6.16", 6.3507),
        ("rabenseifner", "mesh:8x8", "3.18", 3.0484),
        ("swing-b", "torus:8x8", "4.19", 4.1924),
        ("swing-b", "mesh:8x8", "2.40", 2.3820),
        ("rabenseifner-multiport", "torus:8x8", "2.73", 2.7310),
        ("rabenseifner-multiport", "mesh:8x8", "1.45", 1.3737),
        ("swing-b-multiport", "torus:8x8", "1.0972", 1.0972),
        ("swing-b-multiport", "mesh:8x8", "1.53", 1.5996),
    ];
    for (name, machine, before, now) in table {
        let digits = before.len() - 1 - before.find('.').unwrap();
        assert_eq!(format!("{:.digits$}", race(machine, name, true)), before, "{name} on {machine}");
        let simulated = race(machine, name, false);
        assert!((simulated - now).abs() < 5.1e-5, "{name} on {machine}: {simulated}, not {now}");
    }
}

/// Prints how long flows and schedules take to build.
#[test]
#[ignore = "a measurement"]
#[allow(clippy::disallowed_methods, reason = "it measures")]
fn building_times() {
    for sides in ["torus:16x16", "torus:32x32", "torus:64x64"] {
        let machine = Machine::new(sides).unwrap();
        let task = Task::new(&machine, Operation::AllReduce, 1 << 24, 0).unwrap();
        for name in
            ["rabenseifner", "rabenseifner-multiport", "swing-b-multiport", "trivance-b", "bine-butterfly"]
        {
            let begin = std::time::Instant::now();
            let flow = flow(name, &task).unwrap();
            let built = begin.elapsed();
            let ranges: usize = (0..flow.transfers().len()).map(|index| flow.row(index).len()).sum();
            let begin = std::time::Instant::now();
            let schedule = flow.schedule(task.nodes(), machine.nodes(), None);
            let scheduled = begin.elapsed();
            let (messages, ops) = (flow.transfers().len(), schedule.ranks[0].ops.len());
            println!(
                "{name} on {sides}: {messages} messages, {ranges} ranges, {ops} ops, {built:?}, {scheduled:?}"
            );
        }
    }
}

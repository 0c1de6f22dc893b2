//! What must hold of every policy, and what single ones must agree with.

use std::cell::RefCell;

use rand::RngExt;

use super::diffusion::moved;
use super::*;
use meshwright_core::rng;
use meshwright_network::topology::Switching;
use meshwright_schedule::process::{Action, Context, Process};
use meshwright_schedule::{Awaits, Dependency, Op, Schedule};
use meshwright_sim::{Engine, run, simulate};

/// A machine for this sigma, and the bytes of the load.
fn machine(name: &str, sigma: f64, startup: f64) -> (Machine, u64) {
    let (costs, bytes) = Scale::costs_of(sigma, startup).expect("a sigma");
    let machine = Machine::new(name).expect("a machine").with_costs(costs).expect("costs");
    (machine.with_switching(Switching::StoreAndForward), bytes)
}

fn run_as<P: Policy>(case: &Case<'_>, mut make: impl FnMut(NodeId) -> P) -> Ledger {
    let ledger = RefCell::new(Ledger::new(case));
    let nodes = (0..case.machine().nodes()).map(NodeId);
    let mut workers: Vec<Worker<'_, P>> =
        nodes.map(|node| Worker::new(case, &ledger, node, make(node))).collect();
    run(case.machine(), &mut workers, &Engine::Message).expect("it runs");
    drop(workers);
    ledger.into_inner()
}

const NAMES: [&str; 9] = [
    "fixed",
    "guided",
    "factoring",
    "trapezoid",
    "steal-random",
    "steal-nearest",
    "steal-level",
    "diffusion",
    "resolved",
];

fn ledger_of(case: &Case<'_>, name: &str, seed: u64) -> Ledger {
    let central = |rule| run_as(case, |_| Central::new(case, rule));
    let steal = |victims| run_as(case, |node| Stealing::new(case, node, victims, seed));
    match name {
        "fixed" => run_as(case, |node| Fixed::new(case, node)),
        "guided" => central(Rule::Guided),
        "factoring" => central(Rule::Factoring),
        "trapezoid" => central(Rule::Trapezoid),
        "steal-random" => steal(Victims::Random),
        "steal-nearest" => steal(Victims::Nearest),
        "steal-level" => steal(Victims::Level),
        "diffusion" => run_as(case, |node| Diffusion::new(case, node)),
        _ => {
            let mut all = Resolved::all(case).into_iter();
            run_as(case, |_| all.next().expect("one each"))
        }
    }
}

/// Random loads on random machines that change: nothing is faster than the bound, everything is worked off, the same seed
/// gives the same run.
#[test]
fn nothing_is_faster_than_the_bound_and_nothing_is_lost() {
    let machines = ["mesh:4x4", "torus:3x5", "hypercube:3", "mesh:1x6", "mesh:1x1", "ccc:3"];
    for seed in 0..24u64 {
        let mut random = rng::stream(seed, "dynamic laws");
        let name = machines[seed as usize % machines.len()];
        let sigma = [0.0, 0.01, 0.1, 0.7][random.random_range(0..4)];
        let startup = [0.0, 0.0, 1e-4][random.random_range(0..3)];
        let (machine, bytes) = machine(name, sigma, startup);
        let nodes = machine.nodes();
        let mut sources: Vec<(NodeId, f64)> = (0..random.random_range(1..=nodes.min(3)))
            .map(|_| (NodeId(random.random_range(0..nodes)), random.random_range(0.1..1.0)))
            .collect();
        sources.dedup_by_key(|(node, _)| *node);
        let at = sources.iter().map(|&(node, load)| Source::at(node, load)).collect();
        let problem = Problem::new(&machine, at, sigma).expect("a problem");
        let scale = Scale::new(&problem, bytes).expect("a scale");
        let planned = optimum::makespan(&problem).expect("a bound").0 * scale.unit_cycles();
        let arrivals = match random.random_range(0..2) {
            0 => spec::poisson(&sources, 1, 0.0, bytes, seed),
            _ => spec::poisson(&sources, 6, planned / 5.0, bytes, seed),
        };
        let one = |kind, amount| spec::Drift { kind, amount };
        let drifts = [
            vec![],
            vec![one(spec::DriftKind::Halve, 1.0)],
            vec![one(spec::DriftKind::Walk, 6.0), one(spec::DriftKind::Collapse, 0.3)],
            vec![one(spec::DriftKind::Die, f64::from((nodes - 1).min(2)))],
        ];
        let weather = spec::weather(&machine, &drifts[seed as usize / 6], (2.0 * planned) as u64, seed);
        let case = Case::new(&scale, arrivals, weather, 16).expect("a case");
        let bound = clairvoyant(&case).expect("a bound").expect("somebody lives");
        for name in NAMES {
            let ledger = ledger_of(&case, name, seed);
            let Some(makespan) = ledger.makespan() else {
                assert!(name == "fixed" && seed / 6 == 3, "{name} never ends under seed {seed}");
                continue;
            };
            assert!(makespan >= bound, "{name} under seed {seed}: {makespan} < {bound}");
            assert_eq!(ledger.left, 0);
            let idle = ledger.idle(&case).expect("it ends");
            assert!((-1e-9..1.0).contains(&idle), "{name} under seed {seed}: idle {idle}");
            assert_eq!(ledger, ledger_of(&case, name, seed), "{name} under seed {seed}");
        }
    }
}

/// A load that is all there, on processors that do not change: the bound is the optimum, and the plan and what is made of it
/// when it is solved again come near.
#[test]
fn without_changes_the_bound_is_the_optimum_and_plans_come_near() {
    for (name, node, sigma) in [("mesh:8x8", 27, 0.01), ("torus:4x4", 0, 0.3), ("mesh:1x1", 0, 0.1)] {
        let (machine, bytes) = machine(name, sigma, 0.0);
        let problem = Problem::new(&machine, vec![Source::at(NodeId(node), 1.0)], sigma).expect("a problem");
        let scale = Scale::new(&problem, bytes).expect("a scale");
        let least = optimum::makespan(&problem).expect("a bound").0 * scale.unit_cycles();
        let arrivals = vec![Arrival { node: NodeId(node), at: 0, bytes }];
        let case = Case::new(&scale, arrivals, Weather::steady(machine.nodes()), 64).expect("a case");
        let bound = clairvoyant(&case).expect("a bound").expect("it is possible") as f64;
        assert!((bound / least - 1.0).abs() < 1e-8, "{name}: {bound} {least}");
        for policy in ["fixed", "resolved"] {
            let makespan = ledger_of(&case, policy, 0).makespan().expect("it ends") as f64;
            assert!(makespan < 1.06 * bound, "{name} {policy}: {}", makespan / bound);
        }
    }
}

/// A node that has stopped, and the last byte of it that could go several ways.
#[test]
fn the_last_byte_leaves_a_node_that_has_stopped() {
    for seed in 0..40 {
        let machine = Machine::new("mesh:4x4").expect("a machine").with_switching(Switching::StoreAndForward);
        let problem = Problem::new(&machine, vec![Source::at(NodeId(5), 1.0)], 0.05).expect("a problem");
        let bytes = 997 + seed;
        let scale = Scale::new(&problem, bytes).expect("a scale");
        let arrivals = vec![Arrival { node: NodeId(5), at: 0, bytes }];
        let die = spec::Drift { kind: spec::DriftKind::Die, amount: 12.0 };
        let weather = spec::weather(&machine, &[die], 40 * bytes, seed);
        let case = Case::new(&scale, arrivals, weather, 16).expect("a case");
        assert_eq!(ledger_of(&case, "resolved", 0).left, 0, "seed {seed}");
    }
}

/// Writes down what a process does as a schedule: every step waits for what the process reacted to.
struct Recorded<'c, 'r> {
    worker: Worker<'c, Fixed>,
    schedule: &'r RefCell<Schedule>,
    /// By node the steps of receipts, of messages under way by token, and of the computation.
    sends: Vec<(u32, u32)>,
    computes: Option<u32>,
    heard: Vec<(NodeId, u32)>,
    told: Vec<(NodeId, u32)>,
}

impl Recorded<'_, '_> {
    fn react(
        &mut self,
        trigger: Option<u32>,
        context: &mut Context<'_, Content<()>>,
        tell: impl FnOnce(&mut Worker<'_, Fixed>, &mut Context<'_, Content<()>>),
    ) {
        let mut actions = Vec::new();
        tell(&mut self.worker, &mut Context::new(context.node(), context.now(), &mut actions));
        for action in actions {
            let mut schedule = self.schedule.borrow_mut();
            let rank = &mut schedule.ranks[context.node().index()];
            let step = rank.ops.len() as u32;
            rank.dependencies.extend(trigger.map(|on| Dependency { step, on, awaits: Awaits::End }));
            match action {
                Action::Send { to, bytes, payload, token } => {
                    rank.ops.push(Op::Send { peer: to, bytes, tag: count(&mut self.told, to) });
                    self.sends.retain(|(known, _)| *known != token);
                    self.sends.push((token, step));
                    context.send_with(to, bytes, payload, token);
                }
                Action::Compute { cycles, token } => {
                    rank.ops.push(Op::Calc { cycles });
                    self.computes = Some(step);
                    context.compute(cycles, token);
                }
                Action::Alarm { .. } | Action::Finish => unreachable!("nothing changes"),
            }
        }
    }
}

/// How often a node was met before.
fn count(known: &mut Vec<(NodeId, u32)>, node: NodeId) -> u32 {
    match known.iter_mut().find(|(other, _)| *other == node) {
        Some((_, times)) => {
            *times += 1;
            *times - 1
        }
        None => {
            known.push((node, 1));
            0
        }
    }
}

impl Process for Recorded<'_, '_> {
    type Payload = Content<()>;

    fn on_start(&mut self, context: &mut Context<'_, Content<()>>) {
        self.react(None, context, |worker, context| worker.on_start(context));
    }

    fn on_message(&mut self, from: NodeId, content: Content<()>, context: &mut Context<'_, Content<()>>) {
        let Content::Load { piece, .. } = content else { unreachable!("it says nothing") };
        let step = {
            let mut schedule = self.schedule.borrow_mut();
            let ops = &mut schedule.ranks[context.node().index()].ops;
            let bytes = meshwright_core::units::Bytes(piece.bytes);
            ops.push(Op::Recv { peer: from, bytes, tag: count(&mut self.heard, from) });
            ops.len() as u32 - 1
        };
        self.react(Some(step), context, |worker, context| worker.on_message(from, content, context));
    }

    fn on_sent(&mut self, token: u32, context: &mut Context<'_, Content<()>>) {
        let step = self.sends.iter().find(|(known, _)| *known == token).map(|&(_, step)| step);
        self.react(step, context, |worker, context| worker.on_sent(token, context));
    }

    fn on_computed(&mut self, token: u32, context: &mut Context<'_, Content<()>>) {
        let step = self.computes;
        self.react(step, context, |worker, context| worker.on_computed(token, context));
    }
}

/// The fixed policy decides nothing: written down as a schedule, it takes the same time to the cycle.
#[test]
fn fixed_is_the_static_schedule_to_the_cycle() {
    for (name, sigma, startup) in
        [("mesh:4x4", 0.05, 0.0), ("torus:3x3", 0.3, 1e-4), ("hypercube:3", 0.01, 0.0)]
    {
        let (machine, bytes) = machine(name, sigma, startup);
        let problem = Problem::new(&machine, vec![Source::at(NodeId(1), 1.0)], sigma).expect("a problem");
        let scale = Scale::new(&problem, bytes).expect("a scale");
        let arrivals = vec![Arrival { node: NodeId(1), at: 0, bytes }];
        let case = Case::new(&scale, arrivals, Weather::steady(machine.nodes()), 16).expect("a case");
        let ledger = RefCell::new(Ledger::new(&case));
        let ranks = vec![meshwright_schedule::Rank::default(); machine.nodes() as usize];
        let schedule = RefCell::new(Schedule { ranks });
        let recorded = |node| Recorded {
            worker: Worker::new(&case, &ledger, node, Fixed::new(&case, node)),
            schedule: &schedule,
            sends: Vec::new(),
            computes: None,
            heard: Vec::new(),
            told: Vec::new(),
        };
        let mut workers: Vec<_> = (0..machine.nodes()).map(NodeId).map(recorded).collect();
        let trace = run(&machine, &mut workers, &Engine::Message).expect("it runs");
        drop(workers);
        let schedule = schedule.into_inner();
        let again = simulate(&machine, &schedule, &Engine::Message).expect("it runs");
        assert_eq!(again.cycles, trace.cycles, "{name}");
        assert_eq!(again.messages, trace.messages, "{name}");
        assert_eq!(ledger.into_inner().makespan(), Some(trace.cycles.0), "{name}");
    }
}

/// The chunks of 1000 iterations for 4 processors, worked out from the rules by hand.
#[test]
fn chunks_are_those_of_the_rules() {
    let sizes = |rule| {
        let (mut left, mut sequence) = (1000, Sequence::new(rule, 4, 1000));
        let next = || {
            let size = sequence.next(left);
            left -= size;
            (size > 0).then_some(size)
        };
        std::iter::from_fn(next).collect::<Vec<u64>>()
    };
    let guided = [250, 188, 141, 106, 79, 59, 45, 33, 25, 19, 14, 11, 8, 6, 4, 3, 3, 2, 1, 1, 1, 1];
    assert_eq!(sizes(Rule::Guided), guided);
    assert_eq!(sizes(Rule::Trapezoid), [125, 117, 109, 101, 93, 85, 77, 69, 61, 53, 45, 37, 28]);
    let factoring = sizes(Rule::Factoring);
    assert_eq!(factoring[..12], [125, 125, 125, 125, 63, 63, 63, 63, 31, 31, 31, 31]);
    assert_eq!(factoring.iter().sum::<u64>(), 1000);
}

/// Every step of diffusion on a ring takes the distance from the mean times at most 1 - lambda / (d + 1), lambda the least
/// eigenvalue of the Laplacian above 0, 2 - 2 cos(2 pi / n); on its eigenvector just that.
#[test]
fn diffusion_converges_as_its_matrix() {
    for n in [3usize, 8, 17] {
        let turn = 2.0 * std::f64::consts::PI / n as f64;
        let factor = 1.0 - (2.0 - 2.0 * libm::cos(turn)) / 3.0;
        let mut levels: Vec<f64> = (0..n).map(|node| 10.0 + libm::cos(turn * node as f64)).collect();
        for step in 1..=5 {
            let mut next = levels.clone();
            for node in 0..n {
                for other in [(node + 1) % n, (node + n - 1) % n] {
                    let amount = moved((levels[node], 1.0), (levels[other], 1.0), 2.0);
                    next[node] -= amount;
                    next[other] += amount;
                }
            }
            levels = next;
            for (node, level) in levels.iter().enumerate() {
                let expected = 10.0 + libm::pow(factor, f64::from(step)) * libm::cos(turn * node as f64);
                assert!((level - expected).abs() < 1e-12, "{n} nodes, step {step}");
            }
        }
    }
}

/// When work ends and how much is done by then agree, whatever the changes.
#[test]
fn work_ends_when_as_much_is_done() {
    let mut random = rng::stream(9, "weather");
    for _ in 0..500 {
        let changes = (0..random.random_range(0..6))
            .map(|_| (NodeId(0), random.random_range(0..1000), random.random_range(0..4) * FULL / 2));
        let weather = Weather::new(1, changes.collect());
        let (start, work) = (random.random_range(0..1200), random.random_range(0..500u64));
        match weather.end(NodeId(0), start, work) {
            None => assert!(weather.done(NodeId(0), start, 1 << 40) < work as f64),
            Some(end) => {
                assert!(weather.done(NodeId(0), start, end) >= work as f64);
                let before = weather.done(NodeId(0), start, end.saturating_sub(2).max(start));
                assert!(before <= work as f64, "it ended too late");
            }
        }
    }
}

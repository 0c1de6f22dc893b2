//! The footnote of section 4, and what section 7 calls ongoing work: what of it is here, and what is not.

use rand::RngExt;

use super::study::{BOTH, Mapping::Growing, Mapping::Reflecting, Study, costs};
use super::{HOLDS, REMARK};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_core::rng;
use meshwright_core::units::Bytes;
use meshwright_mapping::completion::Work;
use meshwright_mapping::task_graph::Edge;
use meshwright_mapping::{Divide, Shape, TaskGraph};
use meshwright_network::topology::Machine;
use meshwright_network::topology::Switching::{StoreAndForward, Wormhole};
use meshwright_sim as sim;
use meshwright_verdict::completion::{self, CompletionReport, Question};
use meshwright_verdict::{Job, map};

/// Footnote 1, and the ongoing work item by item.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "footnote-1",
        source: "Section 4, footnote 1",
        statement: "a tree as large as the mesh is enough, for leaves may do more work",
        definition: "simulated time of completion of merge sort: B(n) on a mesh of 2^k nodes, 2^(n-k) of its tasks on each, one \
            after the other",
        printed: "the time of B(k) on that mesh, whose leaves sort 2^(n-k) times as much",
        fails_if: "a larger tree, folded onto its mesh, takes another time than B(k) with more work at its leaves",
        derive: footnote_1,
        ..HOLDS
    },
    Claim {
        id: "ongoing-simulation",
        source: "Section 7, ongoing work",
        statement: "validation of the analysis through simulation",
        definition: "simulated times of both mappings, c = 100, b = 3, h = 2, alpha = 1/2, all terms",
        printed: "equal to the formulas where a mapping is free of contention: M_R under both switchings, M_G under store-and-forward; \
            M_G under wormhole routing takes longer from n = 5 on",
        fails_if: "a simulated time differs from its formula, or M_G under wormhole routing does not exceed its own for some n > 4",
        derive: simulation,
        ..REMARK
    },
    Claim {
        id: "ongoing-medium",
        source: "Section 7, ongoing work",
        statement: "messages of medium size, for which neither term outweighs the other",
        definition: "simulated times with c = b W(E_1) times 1/16 to 16, store-and-forward, alpha = 1/2",
        printed: "c sum D + b sum D_w for every size; M_G is the faster from n = 5 on",
        fails_if: "a simulated time is not the sum of both terms, or M_R is as fast as M_G for some n > 4",
        derive: medium,
        ..REMARK
    },
    Claim {
        id: "ongoing-two-alphas",
        source: "Section 7, ongoing work",
        statement: "another alpha on the way up than on the way down",
        definition: "`map` with alpha = 1/2 down and 1 up, c = 0, store-and-forward, simulated",
        printed: "the times of both stages add up: 2^n (sum 2^-i D(E_i) + sum D(E_i)) b",
        fails_if: "what `map` simulates for both stages differs from the sum for some n and mapping",
        derive: two_alphas,
        ..REMARK
    },
    Claim {
        id: "ongoing-completion-time",
        source: "Section 7, ongoing work",
        statement: "a metric of completion time",
        definition: "merge sort on B(0) to B(n), work at the nodes, no barriers: simulated on both mappings, both switchings",
        printed: "at least the bound of every placement; the recurrence of the tree where nobody waits; over n one minimum",
        fails_if: "a time is below its bound, differs from the recurrence though no message waits, or falls after it has risen",
        derive: completion_time,
        ..REMARK
    },
    Claim {
        id: "ongoing-arbitrary",
        source: "Section 7, ongoing work",
        statement: "arbitrary mappings of a wider range of computations",
        definition: "40 random phased graphs on 4x4 and 4x5 meshes, three placements, both switchings: simulated over bound",
        printed: "a slowdown of at least 1 against a bound of every mapping; for graphs other than trees the bound is weak",
        fails_if: "a graph is simulated in less than its bound",
        derive: arbitrary,
        ..REMARK
    },
];

/// Merge sort of this many elements of 4 bytes, 6 cycles for a comparison, on 2^k nodes with so many tasks each.
fn sort(
    machine: &Machine,
    size: u64,
    nodes: Vec<u32>,
    per_node: u32,
    placement: &str,
) -> Result<CompletionReport> {
    let work = Work::parse("leaf=6nlogn,combine=6n", None)?;
    let volume = Bytes(4 * size);
    let question = Question {
        name: "merge sort".to_string(),
        computation: None,
        alpha: Some(0.5),
        combine_alpha: Some(0.5),
        volume,
        result: volume,
        size,
        work,
        nodes,
        per_node: vec![per_node],
        tasks_max: u32::MAX,
        cores: 1,
        host: true,
        placements: vec![placement.to_string()],
        seed: 0,
    };
    completion::curve(&question, machine, &mut |_| {})
}

fn footnote_1(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["n", "nodes", "tasks on each", "cycles"]);
    for k in 0..=study.n_max.min(6) {
        let mesh = Study::mesh(k)?.with_costs(costs(100, 1, 2))?;
        for placement in ["reflecting", "growing"] {
            let time = |per_node| -> Result<u64> {
                let report = sort(&mesh, 1 << 12, vec![1 << k], per_node, placement)?;
                Ok(report.best.simulated_cycles)
            };
            let more_work = time(1)?;
            for n in k + 1..=k + 4 {
                let folded = time(1 << (n - k))?;
                check.equal(&more_work, &folded, || format!("B({n}) on {} nodes, {placement}", 1 << k));
                if n == k + 4 && placement == "reflecting" {
                    numbers.row(&[&n, &(1 << k), &(1 << (n - k)), &folded]);
                }
            }
        }
    }
    let range =
        "B(k) with more work and B(k + 1) to B(k + 4) folded, k = 0 to 6, both mappings, 4096 elements";
    Ok(Derivation::of(range, check).numbers(numbers).note(
        "Sorting a part and merging it are as many comparisons together as sorting it at once: so the time is the same.",
    ))
}

fn completion_time(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers =
        Numbers::new(&["switching", "mapping", "nodes", "bound", "recurrence", "simulated", "best"]);
    let n = study.n_max.min(10);
    let nodes: Vec<u32> = (0..=n).map(|k| 1 << k).collect();
    for (placement, switching) in
        ["reflecting", "growing"].into_iter().flat_map(|name| [(name, Wormhole), (name, StoreAndForward)])
    {
        let mesh = Study::mesh(n)?.with_switching(switching).with_costs(costs(100, 1, 2))?;
        let report = sort(&mesh, 1 << 14, nodes.clone(), 1, placement)?;
        let mut rises = false;
        let mut before = u64::MAX;
        for row in &report.completion {
            let cycles = row.simulated_cycles;
            let on = || format!("{placement} on {} nodes, {}", row.nodes, switching.name());
            check.case(row.bound_cycles <= cycles, || format!("{}: {cycles} < {}", on(), row.bound_cycles));
            let waits = row.waited_link.is_some();
            check.case(row.predicted_cycles == cycles || (waits && row.predicted_cycles < cycles), || {
                format!("{}: recurrence {}, simulated {cycles}", on(), row.predicted_cycles)
            });
            rises |= cycles > before;
            check.case(!rises || cycles >= before, || format!("{}: falls after it has risen", on()));
            before = cycles;
            if row.nodes == report.best.nodes || row.nodes == 1 << n {
                let best = if row.nodes == report.best.nodes { "yes" } else { "" };
                let bound = row.bound_cycles;
                numbers.row(&[
                    &switching.name(),
                    &placement,
                    &row.nodes,
                    &bound,
                    &row.predicted_cycles,
                    &cycles,
                    &best,
                ]);
            }
        }
    }
    Ok(Derivation::of(format!("16384 elements on 1 to {} nodes, with the messages of the host", 1 << n), check)
        .numbers(numbers)
        .note("What Lo 1990 left open is `map … --work W --nodes 1..N` here; docs/completion-time.md has the model."))
}

fn simulation(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["n", "mapping", "switching", "formula", "simulated"]);
    let (c, b, h) = (100, 3, 2);
    for n in 1..=study.n_simulated() {
        for (mapping, switching) in BOTH.into_iter().flat_map(|m| [(m, Wormhole), (m, StoreAndForward)]) {
            let bytes = |i: u32| 1u64 << (n - i);
            let alone = |(i, d): (u32, u64)| match switching {
                StoreAndForward => d * (c + b * bytes(i)),
                _ => c + b * (bytes(i) + d * h),
            };
            let phases = (1u32..).zip(&study.survey(mapping, n).phases);
            let formula: u64 = phases.map(|(i, phase)| alone((i, phase.dilation.into()))).sum();
            let simulated = study.simulate(mapping, n, switching, costs(c, b, h), bytes)?.ticks;
            let waits = mapping == Growing && switching == Wormhole && n > 4;
            check.case(if waits { formula < simulated } else { formula == simulated }, || {
                format!("{} of B({n}), {}: {formula} and {simulated}", mapping.name(), switching.name())
            });
            if n % 4 == 0 {
                numbers.row(&[&n, &mapping.name(), &switching.name(), &formula, &simulated]);
            }
        }
    }
    Ok(Derivation::of(format!("B(1) to B({})", study.n_simulated()), check).numbers(numbers))
}

fn medium(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["n", "c / (b W(E_1))", "M_R", "M_G"]);
    for n in 1..=study.n_simulated() {
        let bytes = |i: u32| 16u64 << (n - i);
        for (p, q) in [(1, 16), (1, 4), (1, 1), (4, 1), (16, 1)] {
            let c = bytes(1) * p / q;
            let mut times = Vec::new();
            for mapping in [Reflecting, Growing] {
                let phases = (1u32..).zip(&study.survey(mapping, n).phases);
                let formula: u64 = phases.map(|(i, phase)| u64::from(phase.dilation) * (c + bytes(i))).sum();
                let simulated = study.simulate(mapping, n, StoreAndForward, costs(c, 1, 0), bytes)?.ticks;
                check.equal(&formula, &simulated, || format!("{} of B({n}), c = {c}", mapping.name()));
                times.push(simulated);
            }
            check.case(n < 5 || times[1] < times[0], || format!("B({n}), c = {c}: {times:?}"));
            if n == study.n_simulated() {
                numbers.row(&[&n, &Exact::fraction(p as i64, q as i64), &times[0], &times[1]]);
            }
        }
    }
    Ok(Derivation::of(format!("B(1) to B({}), five start-ups", study.n_simulated()), check).numbers(numbers))
}

fn two_alphas(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["n", "mapping", "down", "up", "`map`"]);
    for n in 1..=study.n_simulated().min(10) {
        let (alpha, combine_alpha) = (Some(0.5), Some(1.0));
        let divide = Divide { shape: Shape::Binomial(n), alpha, combine_alpha, volume: Bytes(1 << n) };
        let mut mesh = Study::mesh(n)?.with_switching(StoreAndForward);
        mesh = mesh.with_costs(costs(0, 1, 0))?;
        let report = map::report(&Job::divide(&divide)?, &mesh, &["reflecting", "growing"], 0, &mut |_| {})?;
        for (mapping, row) in BOTH.into_iter().zip(&report.placements) {
            let phases = (1u32..).zip(&study.survey(mapping, n).phases);
            let down: u64 = phases.map(|(i, phase)| u64::from(phase.dilation) << (n - i)).sum();
            let up = study.survey(mapping, n).dilations() << n;
            let simulated = row.simulated_cycles.store_and_forward.unwrap_or_default();
            check.equal(&(down + up), &simulated, || format!("{} of B({n})", mapping.name()));
            if n % 2 == 0 {
                numbers.row(&[&n, &mapping.name(), &down, &up, &simulated]);
            }
        }
    }
    Ok(Derivation::of("B(1) to B(10), both mappings", check).numbers(numbers))
}

fn arbitrary(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let (mut least, mut most) = (f64::MAX, 0f64);
    for round in 0..40u64 {
        let mut mesh = Machine::new(if round % 2 == 0 { "mesh:4x4" } else { "mesh:4x5" })?;
        mesh = mesh.with_costs(costs(50, 1, 2))?;
        let mut generator = rng::stream(round, "claims lo1990 ongoing-arbitrary");
        let mut draw = |below: u32| generator.random_range(0..below);
        let edge = |draw: &mut dyn FnMut(u32) -> u32| {
            let source = draw(16);
            let target = (source + 1 + draw(15)) % 16;
            (1 + draw(4), Edge { source, target, bytes: Bytes(1 + u64::from(draw(500))) })
        };
        let edges = (0..40).map(|_| edge(&mut draw)).collect();
        let job = Job::trace(TaskGraph::new(format!("random {round}"), 16, edges)?);
        for (name, switching) in ["row-major", "hilbert", "recursive-bisection"]
            .into_iter()
            .flat_map(|name| [(name, Wormhole), (name, StoreAndForward)])
        {
            let mesh = mesh.clone().with_switching(switching);
            let placement = job.on(&mesh).place(name, round)?;
            let simulated =
                sim::simulate(&mesh, &placement.phases(&job.tasks, &mesh), &sim::Engine::Message)?.ticks;
            let bound = job.bound_ticks(&mesh);
            check.case(bound <= simulated, || {
                format!(
                    "graph {round} on {}, {name}, {}: {simulated} < {bound}",
                    mesh.name(),
                    switching.name()
                )
            });
            let slowdown = simulated as f64 / bound as f64;
            (least, most) = (least.min(slowdown), most.max(slowdown));
        }
    }
    let note = format!("Slowdowns from {least:.2} to {most:.2}: most of that is the bound.");
    Ok(Derivation::of("40 graphs of 16 tasks, 40 messages in 4 phases, seeds 0 to 39", check).note(note))
}

//! Loads on the machine that was asked for: ports, results, front ends, wires, start-ups, releases, whole messages. What
//! `split` says is true of that machine, `check` agrees, and every yes has a witness.

use meshwright_core::rng;
use meshwright_core::units::NodeId;
use meshwright_load::check::{Claim, Reading, check};
use meshwright_load::installments::Scale;
use meshwright_load::lp::{Duplex, Ports, Variant, keep};
use meshwright_load::shares::accelerated::accelerated;
use meshwright_load::shares::reduced::{reduced, voronoi};
use meshwright_load::shares::schedulers::SchedulerSettings;
use meshwright_load::witness::{Stretch, Witness, WitnessKind};
use meshwright_load::{Cells, FORWARDINGS, Forwarding, Problem, Source, Speeds};
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_verdict::load::{self, BoundKind, Claimed, Job, Terms, judge};
use meshwright_verdict::{LoadOutcome, LoadVerdict};
use rand::{Rng, RngExt};

const EXACT: f64 = 1e-9;

fn claim(shares: &[f64], makespan: f64, switching: Forwarding) -> Claimed {
    Claimed { name: "claim".to_string(), switching, makespan, shares: shares.to_vec(), cells: None }
}

fn checked(problem: &Problem, terms: &Terms, claim: Claimed) -> load::Checked {
    load::check(problem, terms, &[claim], &mut |_| {}).unwrap().claims.remove(0)
}

/// A job as `split` makes it: costs from sigma and the start-up.
fn split(
    specification: &str,
    sources: Vec<Source>,
    sigma: f64,
    terms: &Terms,
    change: impl Fn(&mut Job),
) -> LoadVerdict {
    let mut machine = Machine::new(specification).unwrap();
    let mut job = Job::new(&machine, sources, sigma, 1);
    job.forwardings = FORWARDINGS.iter().map(|(_, forwarding)| *forwarding).collect();
    job.further.variant = Some(terms.variant);
    job.chunks = Some(400);
    change(&mut job);
    let (costs, bytes) = Scale::costs_for(&job.problem(&machine).unwrap(), terms.startup).unwrap();
    machine = machine.with_costs(costs).unwrap().with_switching(Switching::StoreAndForward);
    job.bytes = bytes;
    judge("split", &job, &machine, &mut |_| {}).unwrap()
}

fn one(node: u32) -> Vec<Source> {
    vec![Source::at(NodeId(node), 1.0)]
}

fn terms(ports: Ports, front_end: bool, results: f64, duplex: Duplex) -> Terms {
    Terms { variant: Variant { ports, front_end, results, duplex, ..Variant::default() }, startup: 0.0 }
}

/// L2: with one port and results nothing of the plain machine is left: bound, winner and rows are of that machine.
#[test]
fn one_port_with_results_has_rows_of_its_own_machine() {
    let asked = terms(Ports::ONE, true, 0.5, Duplex::Full);
    let verdict = split("mesh:4x4", one(5), 0.3, &asked, |job| {
        (job.methods, job.named) = (vec!["optimum".to_string()], true);
    });
    assert!((verdict.facts.bound.speedup - 13.0 / 3.0).abs() < 1e-6, "{:?}", verdict.facts.bound);
    assert_eq!((verdict.facts.bound.kind, verdict.facts.bound.processors), (BoundKind::Programme, None));
    assert_eq!(verdict.winner_name(), Some("programme"));
    assert!(verdict.skipped.iter().any(|skip| skip.method == "optimum" && skip.why.contains("one port")));
    let row = &verdict.results[0];
    let simulated = row.detail.simulated_speedup.expect("one port and results are known to the referee");
    assert!(
        row.detail.feasible && simulated > 0.9 * 13.0 / 3.0 && simulated < 13.0 / 3.0 * (1.0 + 1e-6),
        "{simulated}"
    );
}

/// L2: without a front end, with one port and results: the bound is the programme's, and the list schedule attains it.
#[test]
fn without_a_front_end_the_bound_is_right_and_attained() {
    let asked = terms(Ports::ONE, false, 0.5, Duplex::Full);
    let verdict = split("mesh:4x4", one(5), 0.3, &asked, |_| {});
    assert!((verdict.facts.bound.makespan - 0.45).abs() < 1e-6, "{:?}", verdict.facts.bound);
    assert_eq!(verdict.winner_name(), Some("installments"));
    let simulated = verdict.winner().unwrap().outcome.detail.simulated_speedup.unwrap();
    // In at most 400 installments.
    assert!((0.99 / 0.45..=(1.0 + 1e-6) / 0.45).contains(&simulated), "{simulated}");
    let local = verdict.results.iter().find(|row| row.method == "local").unwrap();
    assert!((local.detail.simulated_speedup.unwrap() - 1.0).abs() < 1e-6, "it takes as long as one node");
    assert!(verdict.skipped.iter().any(|skip| skip.method == "optimum"), "that of another machine");
}

/// L2: half duplex takes schedules that use each wire in one direction, and no others.
#[test]
fn half_duplex_takes_what_uses_a_wire_one_way() {
    let half = terms(Ports::All, true, 0.0, Duplex::Half);
    let verdict = split("mesh:3x3", one(0), 0.5, &half, |_| {});
    assert!(verdict.results.iter().any(|row| row.method == "programme" && row.simulated_cycles.is_some()));
    assert_eq!(verdict.facts.bound.kind, BoundKind::Cut, "a theorem: nothing is lost");
    let back = terms(Ports::All, true, 1.0, Duplex::Half);
    let verdict = split("mesh:3x3", one(0), 0.5, &back, |_| {});
    assert!((verdict.facts.bound.speedup - 3.0).abs() < 1e-9, "1 + 2 / (0.5 * 2)");
    let simulated = verdict.winner().unwrap().outcome.detail.simulated_speedup.unwrap();
    assert!((2.99..=3.0 + 1e-6).contains(&simulated), "results and load take turns on a wire: {simulated}");
}

/// L2, L7: a start-up leaves no time for what needs all of it, and nothing is feasible that was not shown to be.
#[test]
fn start_ups_are_not_forgotten() {
    let mesh = Machine::new("mesh:3x3").unwrap();
    let problem = Problem::new(&mesh, one(4), 0.5).unwrap();
    let ninth = [1.0 / 9.0; 9];
    let plain = checked(&problem, &Terms::default(), claim(&ninth, 1.0 / 9.0, Forwarding::CutThrough));
    assert!(plain.feasible);
    let late = Terms { startup: 0.01, ..Terms::default() };
    let refuted = checked(&problem, &late, claim(&ninth, 1.0 / 9.0, Forwarding::CutThrough));
    assert_eq!((refuted.feasible, refuted.overloaded), (false, Some(NodeId(0))));
    let mut alone = [0.0; 9];
    alone[4] = 1.0;
    let kept = checked(&problem, &late, claim(&alone, 1.0, Forwarding::CutThrough));
    assert_eq!((kept.feasible, kept.reading), (true, Reading::Schedule), "nothing is sent");
    let slack = checked(&problem, &late, claim(&ninth, 0.5, Forwarding::CutThrough));
    assert_eq!(slack.witness.map(|witness| witness.kind), Some(WitnessKind::Schedule));
}

/// L8: under store-and-forward a share is one whole message: two links before the work are 2.0, not 1.5.
#[test]
fn store_and_forward_is_of_whole_messages() {
    let line = Machine::new("mesh:1x3").unwrap();
    let problem = Problem::new(&line, one(0), 0.5).unwrap();
    let far = |makespan, switching| {
        checked(&problem, &Terms::default(), claim(&[0.0, 0.0, 1.0], makespan, switching))
    };
    let no = far(1.5, Forwarding::StoreAndForward);
    assert_eq!((no.feasible, no.reading, no.overloaded), (false, Reading::Necessary, Some(NodeId(2))));
    assert!((no.moment.unwrap() - 1.0).abs() < EXACT);
    assert!(far(1.5, Forwarding::ModifiedStoreAndForward).feasible, "pieces pass the relay without delay");
    let yes = far(2.0, Forwarding::StoreAndForward);
    let witness = yes.witness.expect("a schedule");
    assert_eq!(
        (yes.reading, witness.kind, witness.messages),
        (Reading::Schedule, WitnessKind::Schedule, Some(2))
    );
    assert!(witness.goal.unwrap().contains("send"));
}

/// L9: with releases a reduction keeps the makespan of the unreduced cells, and an acceleration never makes it longer.
#[test]
fn reductions_with_releases_keep_the_makespan() {
    let late = vec![Source { node: NodeId(0), load: 1.0, release: 0.2 }, Source::at(NodeId(8), 1.0)];
    let verdict = split("mesh:3x3", late, 0.5, &Terms::default(), |_| {});
    let makespan = |method: &str| {
        verdict
            .results
            .iter()
            .find(|row| row.method == method && row.detail.switching == Forwarding::CutThrough)
            .unwrap()
            .detail
            .makespan
    };
    assert!((1.0 / makespan("voronoi") - 3.214_285_714).abs() < 1e-6);
    assert_eq!(makespan("reduced"), makespan("voronoi"));
    let mut random = rng::stream(9, "releases");
    for _ in 0..60 {
        let sources: Vec<Source> = [2, 17, 23, 30]
            .map(|node| Source {
                node: NodeId(node),
                load: random.random_range(0.1..2.0),
                release: random.random_range(0.0..0.3),
            })
            .to_vec();
        let mesh = Machine::new("mesh:6x6").unwrap();
        let problem = Problem::new(&mesh, sources, 0.1).unwrap();
        let settings = SchedulerSettings::default();
        let cells = voronoi(&problem, Forwarding::CutThrough, &settings).unwrap();
        let fewer = reduced(&problem, Forwarding::CutThrough, &settings).unwrap();
        assert!(fewer.makespan_kept && fewer.plan.makespan <= cells.plan.makespan * (1.0 + EXACT));
        let faster = accelerated(&problem, Forwarding::CutThrough, &settings).unwrap();
        assert!(faster.plan.makespan <= fewer.plan.makespan * (1.0 + EXACT));
    }
}

/// What of a list of stretches goes into a node less what goes out, up to a moment.
fn into(flow: &[Stretch], node: NodeId, until: f64) -> f64 {
    let there = flow.iter().filter(|stretch| stretch.end <= until + EXACT);
    there
        .map(|one| one.amount * (f64::from(u8::from(one.to == node)) - f64::from(u8::from(one.from == node))))
        .sum()
}

/// A flow is what it says: links carry it in time, nodes have what they send on and work off, and the work is done.
fn holds(
    problem: &Problem,
    shares: &[f64],
    makespan: f64,
    switching: Forwarding,
    witness: &Witness,
    what: &str,
) {
    let machine = problem.machine();
    let mut ends: Vec<f64> = witness.flow.iter().map(|one| one.end).chain([makespan]).collect();
    let releases = problem.sources().iter().map(|source| source.release);
    ends.extend(releases.clone());
    ends.sort_by(f64::total_cmp);
    ends.dedup();
    for stretch in &witness.flow {
        let link = machine.wire(stretch.from, stretch.to).expect("a link");
        let together: f64 = witness
            .flow
            .iter()
            .filter(|one| (one.from, one.to, one.begin) == (stretch.from, stretch.to, stretch.begin))
            .map(|one| one.amount)
            .sum();
        let time = together * problem.link_time(link);
        assert!(
            time <= (stretch.end - stretch.begin) * (1.0 + 1e-6) + 1e-9,
            "{what}: {stretch:?} takes {time}"
        );
        assert!(stretch.end <= makespan * (1.0 + 1e-6));
    }
    for node in machine.living() {
        let share = shares[node.index()] / shares.iter().sum::<f64>();
        let own = |until: f64| -> f64 {
            let there =
                problem.sources().iter().filter(|source| source.node == node && source.release <= until);
            there.map(|source| source.load).sum()
        };
        let held = |until: f64| own(until) + into(&witness.flow, node, until);
        assert!(
            (held(makespan) - share).abs() < 1e-6,
            "{what}: node {node} keeps {} of {share}",
            held(makespan)
        );
        let (mut worked, mut before) = (0.0f64, 0.0);
        for &end in &ends {
            // What leaves in an interval may have come in the same one: rates are constant within it.
            assert!(held(end) >= -1e-6, "{what}: node {node} sends what it has not");
            if switching == Forwarding::CutThrough {
                // A load that is released at the end of an interval cannot be worked off in it.
                let there = held(end)
                    - problem
                        .sources()
                        .iter()
                        .filter(|s| s.node == node && s.release == end)
                        .map(|s| s.load)
                        .sum::<f64>();
                worked = worked.max((worked + (end - before) / problem.work(node)).min(there));
            }
            before = end;
        }
        if switching == Forwarding::CutThrough {
            assert!(worked >= share - 1e-6, "{what}: node {node} can work off {worked} of {share}");
        } else if share > 0.0 {
            let begin = makespan - share * problem.work(node);
            // It may hold what it sends on later, but never again less than its share.
            for at in ends.iter().copied().filter(|&end| end > begin).chain([begin]) {
                let there = held(at + 1e-9);
                assert!(there >= share - 1e-6, "{what}: node {node} has {there} of {share} at {at}");
            }
        }
    }
}

/// L6: the flow of the list's example is printed, and holds.
#[test]
fn a_flow_keeps_what_voronoi_promises() {
    let sources: Vec<Source> = [(16, 0.7), (17, 0.1), (23, 0.1), (24, 0.1)]
        .map(|(node, load)| Source::at(NodeId(node), load))
        .to_vec();
    let mesh = Machine::new("mesh:6x7").unwrap();
    let problem = Problem::new(&mesh, sources.clone(), 0.5).unwrap();
    let settings = SchedulerSettings::default();
    let plan = voronoi(&problem, Forwarding::CutThrough, &settings).unwrap().plan;
    let claim =
        Claim { makespan: plan.makespan, shares: &plan.shares, timed: None, cells: plan.cells.as_ref() };
    let found = check(&problem, &claim).unwrap();
    let witness = found.witness.expect("a yes has a witness");
    assert!(found.feasible && witness.flow.iter().all(|stretch| stretch.source.is_some()));
    holds(&problem, &plan.shares, plan.makespan, Forwarding::CutThrough, &witness, "L6");
}

/// A random command: a machine, sources with releases, speeds, ratios and terms.
struct Command {
    machine: &'static str,
    sources: Vec<Source>,
    sigma: f64,
    speeds: Option<Speeds>,
    terms: Terms,
}

const MACHINES: &[&str] =
    &["mesh:1x3", "mesh:2x2", "mesh:3x3", "mesh:2x4", "torus:3x3", "torus:2x4", "hypercube:3", "mesh:4x3"];

fn command(random: &mut impl Rng) -> Command {
    let machine = MACHINES[random.random_range(0..MACHINES.len())];
    let built = Machine::new(machine).unwrap();
    let is_late = random.random_bool(0.25);
    let mut sources = Vec::new();
    for _ in 0..random.random_range(1..4) {
        let node = NodeId(random.random_range(0..built.nodes()));
        let release = if is_late { random.random_range(0.0..0.3) } else { 0.0 };
        sources.push(Source { node, load: random.random_range(0.5..2.0), release });
    }
    let sigma = [0.05, 0.3, 0.5, 1.0, 2.0][random.random_range(0..5)];
    let speeds = random.random_bool(0.2).then(|| Speeds {
        work: (0..built.nodes()).map(|_| random.random_range(0.5..2.0)).collect(),
        link: (0..built.links()).map(|_| sigma * random.random_range(0.5..2.0)).collect(),
    });
    let variant = Variant {
        ports: if random.random_bool(0.4) { Ports::ONE } else { Ports::All },
        front_end: random.random_bool(0.8),
        results: if random.random_bool(0.3) { 0.5 } else { 0.0 },
        duplex: if random.random_bool(0.2) { Duplex::Half } else { Duplex::Full },
        ..Variant::default()
    };
    let startup = if random.random_bool(0.25) { 0.01 } else { 0.0 };
    Command { machine, sources, sigma, speeds, terms: Terms { variant, startup } }
}

/// One command: rows, winner and bound are of the machine that was asked for, and `check` agrees.
fn obeys(seed: u64) {
    let mut random = rng::stream(seed, "load asked");
    let Command { machine, sources, sigma, speeds, terms } = command(&mut random);
    let words =
        format!("{seed}: {machine}, {sources:?}, sigma {sigma}, speeds {}, {terms:?}", speeds.is_some());
    let verdict = split(machine, sources.clone(), sigma, &terms, |job| job.speeds.clone_from(&speeds));
    assert!(
        (verdict.facts.startup - terms.startup).abs() < 1e-7,
        "{words}: start-up {}",
        verdict.facts.startup
    );
    let built = Machine::new(machine).unwrap();
    let problem = Problem::new(&built, sources, sigma).unwrap();
    let problem = match speeds {
        Some(speeds) => problem.with_speeds(speeds).unwrap(),
        None => problem,
    };
    // All rows are checked together, as `check` does with a list.
    let claims: Vec<Claimed> = verdict.results.iter().map(|row| claimed(row, &problem)).collect();
    let again = load::check(&problem, &terms, &claims, &mut |_| {}).unwrap().claims;
    assert_eq!(again.len(), verdict.results.len());
    let winner = verdict.winner().map(|winner| winner.time.0);
    for (row, again) in verdict.results.iter().zip(again) {
        let words = format!("{words}: {} under {}", row.method, row.detail.switching.name());
        row_obeys((&problem, &terms), row, (verdict.facts.bound.speedup, winner), &again, &words);
    }
}

/// What a row says, as a claim.
fn claimed(row: &LoadOutcome, problem: &Problem) -> Claimed {
    let detail = &row.detail;
    let is_whole =
        |cells: &Cells| (0..problem.sources().len() as u32).all(|source| cells.label.contains(&source));
    Claimed {
        name: row.method.clone(),
        switching: detail.switching,
        makespan: detail.makespan,
        shares: detail.plan.shares.clone(),
        cells: detail.plan.cells.clone().filter(is_whole),
    }
}

/// One row: it has the bound of its machine and keeps it, and `check` agrees.
fn row_obeys(
    (problem, terms): (&Problem, &Terms),
    row: &LoadOutcome,
    (bound, winner): (f64, Option<u64>),
    again: &load::Checked,
    words: &str,
) {
    let detail = &row.detail;
    assert_eq!(detail.bound_speedup, bound, "{words}: every row has the bound of its machine");
    if let Some(simulated) = detail.simulated_speedup {
        assert!(simulated <= bound * (1.0 + 2e-6), "{words}: beats the bound");
        assert!(winner <= row.simulated_cycles, "{words}: is faster than the winner");
    }
    assert!(!detail.feasible || detail.ratio_to_bound <= 1.0 + 2e-6, "{words}: feasible beyond the bound");
    let is_refuted = !again.feasible && again.reading != Reading::Undecided;
    assert!(!(detail.feasible && is_refuted), "{words}: `check` refuses it: {again:?}");
    let is_no = !detail.feasible && detail.reading != Reading::Undecided;
    assert!(!(is_no && again.feasible), "{words}: `check` accepts it: {again:?}");
    let Some(witness) = &again.witness else {
        assert!(!again.feasible, "{words}: a yes without a witness");
        return;
    };
    assert!(witness.makespan <= detail.makespan * (1.0 + 2e-6), "{words}: a witness in time");
    if witness.kind == WitnessKind::Flow && again.reading != Reading::Programme {
        holds(problem, &detail.plan.shares, detail.makespan, detail.switching, witness, words);
    }
    if again.reading == Reading::Programme {
        let least = keep(problem, &terms.variant, &detail.plan.shares, None).unwrap().makespan;
        assert!(least <= detail.makespan * (1.0 + 2e-6), "{words}: the programme keeps it");
    }
}

/// L2, L6, L8, L9 as one law over random machines, sources, releases, speeds, ratios, terms and switchings.
#[test]
fn rows_are_of_the_machine_that_was_asked_for() {
    (0..60).for_each(obeys);
}

/// The same for longer: `cargo test --test it -- --ignored rows_of_many --nocapture`; `MESHWRIGHT_SEEDS` says how many.
#[test]
#[ignore = "seven minutes: 1,000 commands"]
fn rows_of_many_commands() {
    let count = std::env::var("MESHWRIGHT_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000);
    (1_000..1_000 + count).for_each(obeys);
}

//! Linear programmes, places for sources and queues: against golden values, closed forms and each other.

use meshwright_core::Error;
use meshwright_core::rng;
use meshwright_core::units::{NodeId, Port};
use meshwright_load::lp::{Distribution, Duplex, Ports, Variant, solve};
use meshwright_load::{Problem, Source, Speeds, optimum, ports, queues};
use meshwright_network::topology::{Machine, Topology};
use rand::RngExt;
use serde_json::Value;

/// What the reference's solver is good for.
const SOLVER: f64 = 1e-7;

fn golden() -> Value {
    serde_json::from_str(&crate::text(std::path::Path::new("tests/golden/load.json"))).unwrap()
}

fn machine(topology: &Value) -> Machine {
    let of = |key: &str| topology[key].as_u64().unwrap();
    let name = match topology["kind"].as_str().unwrap() {
        "hypercube" => format!("hypercube:{}", of("d")),
        "gaussian" => format!("gaussian:{}+{}i", of("a"), of("b")),
        kind => format!("{kind}:{}x{}", of("m"), of("n")),
    };
    Machine::new(&name).unwrap()
}

fn sources(entry: &Value) -> Vec<Source> {
    let source =
        |(node, load): (&String, &Value)| Source::at(NodeId(node.parse().unwrap()), load.as_f64().unwrap());
    entry["loads"].as_object().unwrap().iter().map(source).collect()
}

fn at(nodes: &[u32]) -> Vec<Source> {
    nodes.iter().map(|&node| Source::at(NodeId(node), 1.0)).collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= SOLVER * b.abs().max(a.abs())
}

fn one_port() -> Variant {
    Variant { ports: Ports::ONE, ..Variant::default() }
}

/// Every node gives what it gets, and nobody is busy for longer than the makespan: without the programme's rows.
fn hold(problem: &Problem, variant: &Variant, answer: &Distribution) {
    let machine = problem.machine();
    let busy = |link: usize| answer.flow[link] + answer.returned[link];
    assert!((answer.work.iter().sum::<f64>() - 1.0).abs() < 1e-6, "all of the load is worked off");
    for node in machine.living() {
        let (mut net, mut results, mut out, mut into) = (0.0, 0.0, 0.0f64, 0.0f64);
        for port in (0..machine.ports(node)).map(Port) {
            let Some(next) = machine.neighbour(node, port) else { continue };
            let (there, back) = (machine.link(node, port), machine.wire(next, node).unwrap());
            net += answer.flow[back.index()] - answer.flow[there.index()];
            results += answer.returned[back.index()] - answer.returned[there.index()];
            let times = [there, back].map(|link| busy(link.index()) * problem.link_time(link));
            let wire = if variant.duplex == Duplex::Half { times[0] + times[1] } else { times[0] };
            assert!(wire <= answer.makespan * (1.0 + 1e-6), "{node} to {next}");
            out += times[0];
            into += times[1];
        }
        let own = problem.sources().iter().filter(|source| source.node == node);
        let own: f64 = own.map(|source| source.load).sum();
        assert!((own + net - answer.work[node.index()]).abs() < 1e-6, "balance of {node}");
        let expected = variant.results * (own - answer.work[node.index()]);
        assert!((results - expected).abs() < 1e-6 * (1.0 + variant.results), "results at {node}");
        let work = answer.work[node.index()] * problem.work(node);
        let busiest = match (variant.front_end, variant.ports, variant.duplex) {
            (false, ..) => work + out + into,
            (true, Ports::Few(ports), Duplex::Half) => work.max((out + into) / f64::from(ports)),
            (true, Ports::Few(ports), Duplex::Full) => work.max(out.max(into) / f64::from(ports)),
            (true, Ports::All, _) => work,
        };
        assert!(busiest <= answer.makespan * (1.0 + 1e-6), "{node} is busy for {busiest}");
    }
}

#[test]
fn every_golden_variant_and_every_small_optimum() {
    let (mut variants, mut plain) = (0, 0);
    for entry in golden()["fluid"].as_array().unwrap() {
        let machine = machine(&entry["topology"]);
        let flag = |key: &str| entry[key].as_bool();
        let variant = Variant {
            ports: if flag("one_port") == Some(true) { Ports::ONE } else { Ports::All },
            front_end: flag("front_end") != Some(false),
            results: entry["ret"].as_f64().unwrap_or(0.0),
            duplex: if flag("half_duplex") == Some(true) { Duplex::Half } else { Duplex::Full },
            ..Variant::default()
        };
        let problem = Problem::new(&machine, sources(entry), entry["sigma"].as_f64().unwrap()).unwrap();
        let expected = entry["T"].as_f64().unwrap();
        if variant == Variant::default() {
            if machine.nodes() > 64 {
                continue;
            }
            plain += 1;
            assert!(close(optimum::makespan(&problem).unwrap().0, expected), "{entry}");
        } else {
            variants += 1;
        }
        let answer = solve(&problem, &variant).unwrap();
        assert!(close(answer.makespan, expected), "{} for {entry}", answer.makespan);
        assert!(answer.attained, "there are no odd rings in these networks: {entry}");
        hold(&problem, &variant, &answer);
    }
    assert_eq!((variants, plain), (43, 129));
}

#[test]
fn every_golden_machine_of_different_nodes() {
    for entry in golden()["fluid_heterogeneous"].as_array().unwrap() {
        let machine = machine(&entry["topology"]);
        let work: Vec<f64> = entry["w"].as_array().unwrap().iter().map(|w| w.as_f64().unwrap()).collect();
        let mut link = vec![f64::INFINITY; machine.links() as usize];
        for z in entry["z"].as_array().unwrap() {
            let node = |end: usize| NodeId(z[end].as_u64().unwrap() as u32);
            link[machine.wire(node(0), node(1)).unwrap().index()] = z[2].as_f64().unwrap();
        }
        let problem = Problem::new(&machine, sources(entry), 1.0).unwrap();
        let problem = problem.with_speeds(Speeds { work, link }).unwrap();
        let answer = solve(&problem, &Variant::default()).unwrap();
        let expected = entry["T"].as_f64().unwrap();
        assert!(close(answer.makespan, expected), "{} for {expected}", answer.makespan);
        assert!(close(optimum::makespan(&problem).unwrap().0, expected));
        hold(&problem, &Variant::default(), &answer);
    }
}

#[test]
fn one_port_machines_are_stars_of_one_link() {
    for name in ["mesh:1x5", "mesh:3x4", "torus:3x3", "torus:4x4", "hypercube:4", "gaussian:2+3i", "ccc:3"] {
        let machine = Machine::new(name).unwrap();
        for (node, sigma) in [0, 1, machine.nodes() / 2].into_iter().zip([0.07, 0.4, 1.5]) {
            let problem = Problem::new(&machine, at(&[node]), sigma).unwrap();
            let answer = solve(&problem, &one_port()).unwrap();
            let expected = f64::from(machine.nodes()).min(1.0 + 1.0 / sigma);
            assert!(close(1.0 / answer.makespan, expected), "{name}, {node}, {sigma}: {}", answer.makespan);
            hold(&problem, &one_port(), &answer);
        }
    }
}

#[test]
fn results_smaller_than_loads_cost_nothing_on_full_duplex_wires() {
    for (name, nodes) in [("mesh:3x4", &[5][..]), ("torus:3x4", &[0, 1, 7]), ("ccc:3", &[3, 20])] {
        let machine = Machine::new(name).unwrap();
        for sigma in [0.3, 1.2] {
            let problem = Problem::new(&machine, at(nodes), sigma).unwrap();
            let (makespan, _) = optimum::makespan(&problem).unwrap();
            for results in [0.2, 1.0] {
                let variant = Variant { results, ..Variant::default() };
                let answer = solve(&problem, &variant).unwrap();
                assert!(close(answer.makespan, makespan), "{name}, {results}");
                hold(&problem, &variant, &answer);
                let variant = Variant { duplex: Duplex::Half, ..variant };
                let slower = Problem::new(&machine, at(nodes), sigma * (1.0 + results)).unwrap();
                let answer = solve(&problem, &variant).unwrap();
                assert!(close(answer.makespan, optimum::makespan(&slower).unwrap().0), "{name}, {results}");
                hold(&problem, &variant, &answer);
            }
        }
    }
}

#[test]
fn small_machines_have_formulas() {
    let two = Machine::new("mesh:1x2").unwrap();
    for sigma in [0.2f64, 0.9, 3.0] {
        let problem = Problem::new(&two, at(&[0]), sigma).unwrap();
        let variant = Variant { front_end: false, ..Variant::default() };
        // Half of the load moves, and both are busy with it; above sigma 1 it is better to keep all.
        let expected = (1.0 + sigma.min(1.0)) / 2.0;
        assert!(close(solve(&problem, &variant).unwrap().makespan, expected), "{sigma}");
        for results in [0.0, 0.5, 4.0] {
            // 1 - p = share of the other: (1 - p) sigma max(1, rho) <= T, p = T.
            let variant = Variant { results, ..Variant::default() };
            let wire = sigma * results.max(1.0);
            assert!(close(solve(&problem, &variant).unwrap().makespan, (wire / (1.0 + wire)).max(0.5)));
        }
    }
    // Sources at both ends of three nodes, sigma 2, results twice the load: each end sends x to the middle and gets 2x.
    let three = Machine::new("mesh:1x3").unwrap();
    let problem = Problem::new(&three, at(&[0, 2]), 2.0).unwrap();
    let variant = Variant { results: 2.0, ..Variant::default() };
    assert!(close(solve(&problem, &variant).unwrap().makespan, 2.0 / 5.0));
}

#[test]
fn releases_make_phases() {
    let mut random = rng::stream(5, "load variants");
    for (name, count) in [("mesh:3x3", 2), ("torus:4x3", 3), ("hypercube:3", 4), ("gaussian:2+1i", 2)] {
        let machine = Machine::new(name).unwrap();
        for _ in 0..4 {
            let sources = (0..count).map(|_| Source {
                node: NodeId(random.random_range(0..machine.nodes())),
                load: random.random_range(0.1..1.0),
                release: f64::from(random.random_range(0..3u32)) * 0.04,
            });
            let problem = Problem::new(&machine, sources.collect(), random.random_range(0.1..1.0)).unwrap();
            let (expected, _) = optimum::makespan(&problem).unwrap();
            let answer = solve(&problem, &Variant::default()).unwrap();
            assert!(close(answer.makespan, expected), "{name}: {} for {expected}", answer.makespan);
            assert!((answer.work.iter().sum::<f64>() - 1.0).abs() < 1e-6);
        }
    }
    let late = Source { release: 3.0, ..Source::at(NodeId(0), 1.0) };
    let machine = Machine::new("mesh:1x2").unwrap();
    let problem = Problem::new(&machine, vec![late], 1.0).unwrap();
    assert!(
        close(solve(&problem, &Variant::default()).unwrap().makespan, 3.5),
        "two processors, after the release"
    );
}

#[test]
fn rings_of_odd_length_leave_a_bound() {
    let refused = |name: &str, variant: &Variant| {
        let machine = Machine::new(name).unwrap();
        solve(&Problem::new(&machine, at(&[0]), 0.5).unwrap(), variant).unwrap().attained
    };
    let alone = Variant { front_end: false, ..Variant::default() };
    let half = Variant { duplex: Duplex::Half, ..one_port() };
    assert!(!refused("torus:3", &alone) && !refused("torus:3x4", &half));
    assert!(refused("torus:4", &alone) && refused("mesh:3x3", &half) && refused("torus:3x4", &one_port()));
}

#[test]
fn programmes_refuse_what_they_cannot_do() {
    let small = Machine::new("mesh:2x2").unwrap();
    let problem = Problem::new(&small, at(&[0]), 1.0).unwrap();
    for results in [-1.0, f64::NAN, f64::INFINITY] {
        let error = solve(&problem, &Variant { results, ..Variant::default() }).unwrap_err().to_string();
        assert!(error.contains("size of the results"), "{error}");
    }
    let large = Machine::new("mesh:100x100").unwrap();
    let error = solve(&Problem::new(&large, at(&[0]), 1.0).unwrap(), &Variant::default()).unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    let speeds = Speeds { work: vec![f64::INFINITY; 4], link: vec![1.0; small.links() as usize] };
    let idle = problem.with_speeds(speeds).unwrap();
    let error = solve(&idle, &Variant::default()).unwrap_err().to_string();
    assert!(error.contains("can reach no processor"), "{error}");
    // A part of the machine with no processor in it, and another with one.
    let walled = Machine::new("mesh:1x3").unwrap().with_dead(vec![NodeId(1)]).unwrap();
    let speeds = Speeds { work: vec![1.0, 1.0, f64::INFINITY], link: vec![1.0; walled.links() as usize] };
    let idle = Problem::new(&walled, at(&[0, 2]), 1.0).unwrap().with_speeds(speeds).unwrap();
    assert!(solve(&idle, &Variant::default()).is_err());
}

/// A square of 32 by 32 nodes with ten sources, the largest that was promised:
/// `cargo test --release --test it -- --ignored largest --nocapture`.
#[test]
#[ignore = "seconds"]
fn the_largest_programmes() {
    let machine = Machine::new("mesh:32x32").unwrap();
    let mut random = rng::stream(3, "largest");
    let nodes: Vec<u32> = (0..10).map(|_| random.random_range(0..machine.nodes())).collect();
    let variants = [
        Variant::default(),
        one_port(),
        Variant { duplex: Duplex::Half, ..Variant::default() },
        Variant { front_end: false, ..Variant::default() },
    ];
    for (variant, sigma) in
        variants.iter().flat_map(|variant| [0.01, 0.05, 0.3].map(|sigma| (variant, sigma)))
    {
        let problem = Problem::new(&machine, at(&nodes), sigma).unwrap();
        let start = std::time::Instant::now();
        let answer = solve(&problem, variant).unwrap();
        println!("{variant:?}, sigma {sigma}: {} in {:.2} s", answer.makespan, start.elapsed().as_secs_f64());
        let (least, _) = optimum::makespan(&problem).unwrap();
        assert!(answer.makespan >= least * (1.0 - SOLVER));
        assert!(*variant != Variant::default() || close(answer.makespan, least));
        hold(&problem, variant, &answer);
    }
}

#[test]
fn places_are_ranked_as_by_trying_all() {
    let mut random = rng::stream(7, "places");
    for (name, sigma) in
        [("mesh:5x6", 0.5), ("mesh:4x4", 0.1), ("torus:4x5", 1.0), ("gaussian:2+3i", 0.8), ("ccc:3", 0.6)]
    {
        let machine = Machine::new(name).unwrap();
        for count in [1, 3] {
            let given: Vec<u32> = (0..count).map(|_| random.random_range(0..machine.nodes())).collect();
            let problem = Problem::new(&machine, at(&given), sigma).unwrap();
            let share = 1.0 / f64::from(count + 1);
            let ranking = ports::next(&problem, share, 4, usize::MAX).unwrap();
            assert!(ranking.proved);
            let whole = |node: u32| {
                let mut sources = at(&given);
                sources.push(Source::at(NodeId(node), 1.0));
                optimum::makespan(&Problem::new(&machine, sources, sigma).unwrap()).unwrap().0
            };
            let mut all: Vec<f64> = (0..machine.nodes()).map(whole).collect();
            let before = optimum::makespan(&problem).unwrap().0;
            for place in &ranking.places {
                assert!(close(place.makespan, all[place.node.index()]), "{name}");
                assert!(close(place.gain, before / place.makespan), "{name}");
            }
            all.sort_by(f64::total_cmp);
            let found: Vec<f64> = ranking.places.iter().map(|place| place.makespan).collect();
            assert!(
                found.iter().zip(&all).all(|(a, b)| close(*a, *b)),
                "{name} {given:?}: {found:?} of {all:?}"
            );
        }
    }
}

#[test]
fn a_good_place_is_inside_and_not_next_to_another() {
    let machine = Machine::new("mesh:12x12").unwrap();
    let mut given: Vec<u32> = vec![5 * 12 + 5];
    for count in 2..=6 {
        let problem = Problem::new(&machine, at(&given), 1.0).unwrap();
        let share = 1.0 / f64::from(count);
        let ranking = ports::next(&problem, share, 1, 5).unwrap();
        let best = ranking.places[0];
        // Link-limited: every source is worth its processor and its four links.
        assert!(ranking.proved && ranking.trials <= 5 && close(best.makespan, share / 5.0), "{ranking:?}");
        assert!(best.hops > 1 && machine.ports(best.node) == 4, "{ranking:?}");
        given.push(best.node.0);
    }
    let beside = Problem::new(&machine, at(&[65, 66]), 1.0).unwrap();
    assert!(
        optimum::makespan(&beside).unwrap().0 > 0.5 / 5.0 * 1.2,
        "two neighbours have six links together"
    );
    for (share, wanted, trials) in [(0.0, 1, 1), (1.0, 1, 1), (f64::NAN, 1, 1), (0.5, 0, 1), (0.5, 1, 0)] {
        assert!(ports::next(&beside, share, wanted, trials).is_err());
    }
}

/// What lies in all queues together, in loads, after every step of back-pressure: each step a node takes what has
/// arrived, works off what it can, and sends as much as a link carries to each neighbour whose queue is shorter, the
/// shortest first. The rule knows no rates and no routes, and keeps the queues bounded inside the region
/// (`tassiulas1992`).
fn back_pressure(problem: &Problem, rate: f64, step: f64, steps: usize) -> Vec<f64> {
    let machine = problem.machine();
    let mut queue = vec![0.0f64; machine.nodes() as usize];
    let mut change = queue.clone();
    let mut shorter: Vec<(f64, NodeId, f64)> = Vec::new();
    let mut totals = Vec::with_capacity(steps);
    for _ in 0..steps {
        for source in problem.sources() {
            queue[source.node.index()] += rate * step * source.load;
        }
        change.fill(0.0);
        for node in machine.living() {
            let length = queue[node.index()];
            let mut left = (length - step / problem.work(node)).max(0.0);
            shorter.clear();
            for port in (0..machine.ports(node)).map(Port) {
                let Some(next) = machine.neighbour(node, port) else { continue };
                if queue[next.index()] < length {
                    let carried = step / problem.link_time(machine.link(node, port));
                    shorter.push((queue[next.index()], next, carried));
                }
            }
            shorter.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for &(_, next, carried) in &shorter {
                let sent = carried.min(left);
                left -= sent;
                change[next.index()] += sent;
            }
            // What is sent away counts at once in `change` only, so that all nodes see the queues of the same moment.
            change[node.index()] += left - length;
        }
        queue.iter_mut().zip(&change).for_each(|(length, change)| *length = (*length + change).max(0.0));
        totals.push(queue.iter().sum());
    }
    totals
}

#[test]
fn the_stability_region_has_the_border_of_the_optimum() {
    for (name, nodes) in
        [("mesh:5x5", &[12][..]), ("mesh:4x4", &[5, 6]), ("hypercube:3", &[0, 7]), ("ccc:3", &[1])]
    {
        let machine = Machine::new(name).unwrap();
        let problem = Problem::new(&machine, at(nodes), 0.7).unwrap();
        let border = 1.0 / solve(&problem, &Variant::default()).unwrap().makespan;
        for part in [0.8, 0.99, 1.01, 1.3] {
            let stability = queues::stability(&problem, part * border).unwrap();
            assert_eq!(stability.stable, part < 1.0, "{name}, {part}");
            assert!(close(stability.factor, 1.0 / part), "{name}: {stability:?}");
            let cut = &stability.tightest;
            assert!(close(cut.capacity / cut.demand, stability.factor), "the set is tight: {stability:?}");
        }
        // Above the border the queues grow by what the tightest set cannot do; below, they stop growing.
        let over = queues::stability(&problem, 1.1 * border).unwrap().tightest;
        let (step, steps) = (0.05, 4000);
        let above = back_pressure(&problem, 1.1 * border, step, steps);
        let time = step * steps as f64;
        assert!(above[steps - 1] >= (over.demand - over.capacity) * time * (1.0 - 1e-9), "{name}");
        let below = back_pressure(&problem, 0.95 * border, step, steps);
        let most = |part: &[f64]| part.iter().copied().fold(0.0, f64::max);
        let (early, late) = (most(&below[..steps / 2]), most(&below[steps / 2..]));
        assert!(late <= early * 1.02 && late < 0.1 * above[steps - 1], "{name}: {early}, then {late}");
    }
}

#[test]
fn queues_refuse_what_is_no_rate() {
    let machine = Machine::new("mesh:2x2").unwrap();
    let problem = Problem::new(&machine, at(&[0]), 1.0).unwrap();
    assert!([0.0, -1.0, f64::NAN].iter().all(|&rate| queues::stability(&problem, rate).is_err()));
    let late = Source { release: 1.0, ..Source::at(NodeId(0), 1.0) };
    let problem = Problem::new(&machine, vec![late], 1.0).unwrap();
    assert!(queues::stability(&problem, 1.0).unwrap_err().to_string().contains("no release"));
}

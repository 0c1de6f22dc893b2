//! Patterns against their definitions on digits and coordinates; bounds against sums over all pairs.

use meshwright_core::Error;
use meshwright_core::rng::stream;
use meshwright_core::units::NodeId;
use meshwright_network::routing::routes;
use meshwright_network::topology::{Machine, Topology};
use meshwright_sim::traffic::pattern::HOT_SHARE;
use meshwright_sim::traffic::{PATTERNS, Pattern};

const MACHINES: &[&str] = &[
    "mesh:4x4",
    "mesh:8x8",
    "mesh:3x5",
    "mesh:2x8",
    "mesh:7",
    "mesh:1x1",
    "mesh:3x3x3x3",
    "torus:4x4",
    "torus:5x5",
    "torus:2x6",
    "torus:4x4x4",
    "torus:3x8",
    "hypercube:4",
    "hypercube:5",
    "hypercube:0",
];

/// The patterns that need no file.
fn names() -> impl Iterator<Item = &'static str> {
    PATTERNS.iter().filter(|entry| entry.usage == entry.name).map(|entry| entry.name)
}

fn machine(name: &str) -> Machine {
    Machine::new(name).unwrap()
}

/// The bits of a node id as text, most significant first.
fn digits(machine: &Machine, node: u32) -> String {
    let bits = (0..machine.nodes().ilog2()).rev();
    bits.map(|bit| if node >> bit & 1 == 1 { '1' } else { '0' }).collect()
}

fn number(digits: &str) -> u32 {
    if digits.is_empty() { 0 } else { u32::from_str_radix(digits, 2).unwrap() }
}

/// The one target of a source by the definition in words, or `None` if the machine does not suit.
fn defined(name: &str, machine: &Machine, source: u32) -> Option<u32> {
    let sides = machine.sides().to_vec();
    let mut c = machine.coordinates(NodeId(source));
    let binary = machine.nodes().is_power_of_two();
    let id = |c: &[u32]| c.iter().zip(&sides).fold(0, |id, (c, side)| id * side + c);
    match name {
        "transpose" => {
            let half = c.len() / 2;
            (c.len().is_multiple_of(2) && sides[..half] == sides[half..]).then(|| {
                c.rotate_left(half);
                id(&c)
            })
        }
        "bit-complement" => Some(id(&c.iter().zip(&sides).map(|(c, side)| side - 1 - c).collect::<Vec<_>>())),
        "bit-reverse" => binary.then(|| number(&digits(machine, source).chars().rev().collect::<String>())),
        "shuffle" => binary.then(|| {
            let mut digits: Vec<char> = digits(machine, source).chars().collect();
            let turn = digits.len().min(1);
            digits.rotate_left(turn);
            number(&digits.iter().collect::<String>())
        }),
        "tornado" => Some(id(&c.iter().zip(&sides).map(|(c, k)| (c + (k - 1) / 2) % k).collect::<Vec<_>>())),
        "neighbour" => Some(id(&c.iter().zip(&sides).map(|(c, k)| (c + 1) % k).collect::<Vec<_>>())),
        other => panic!("{other} has no fixed target"),
    }
}

#[test]
fn fixed_targets_are_what_the_definitions_say() {
    let (mut tried, mut silent) = (0, 0);
    for name in names().filter(|name| !name.starts_with("uniform") && *name != "hot-spot") {
        for machine in MACHINES.iter().map(|name| machine(name)) {
            let found = Pattern::new(name, &machine);
            let wanted: Option<Vec<u32>> = (0..machine.nodes()).map(|s| defined(name, &machine, s)).collect();
            match (found, wanted) {
                (Ok(pattern), Some(wanted)) => {
                    let mut rng = stream(1, "targets");
                    let targets: Vec<u32> =
                        (0..machine.nodes()).map(|s| pattern.target(NodeId(s), &mut rng).0).collect();
                    assert_eq!(targets, wanted, "{name} on {}", machine.name());
                    let mut sorted = wanted;
                    sorted.sort_unstable();
                    assert!(sorted.into_iter().eq(0..machine.nodes()), "{name} is a permutation");
                    tried += 1;
                }
                (Err(Error::NotApplicable { .. }), None) => {}
                // Nobody would send anything.
                (Err(Error::NotApplicable { .. }), Some(wanted)) => {
                    assert!(
                        wanted.len() > 1 && wanted.iter().copied().eq(0..machine.nodes()),
                        "{name}: {wanted:?}"
                    );
                    silent += 1;
                }
                (found, wanted) => panic!("{name} on {}: {found:?}, wanted {wanted:?}", machine.name()),
            }
        }
    }
    assert!(tried > 60 && silent > 0, "{tried}, {silent}");
}

/// The probability that a packet of `source` goes to `target`, by the definition of each pattern.
fn probability(name: &str, machine: &Machine, source: NodeId, target: NodeId) -> f64 {
    let living = f64::from(machine.living_count());
    let alive = f64::from(u8::from(machine.is_alive(target)));
    let others = if source == target { 0.0 } else { alive / (living - 1.0) };
    match name {
        "uniform" => others,
        "uniform-with-self" => alive / living,
        "hot-spot" => {
            let central = |node: NodeId| {
                let middle = |(c, side): (&u32, &u32)| (2 * c + 1).abs_diff(*side) <= 1;
                machine.is_alive(node) && machine.coordinates(node).iter().zip(machine.sides()).all(middle)
            };
            let hot = machine.living().filter(|&node| central(node)).count() as f64;
            let straight = if central(target) && source != target { HOT_SHARE / hot } else { 0.0 };
            let again = if central(source) { HOT_SHARE / hot } else { 0.0 };
            straight + (1.0 - HOT_SHARE + again) * others
        }
        fixed => f64::from(u8::from(defined(fixed, machine, source.0) == Some(target.0))),
    }
}

#[test]
fn draws_have_the_probabilities_of_the_definition() {
    let holes = machine("mesh:4x4").with_dead(vec![NodeId(0), NodeId(5), NodeId(15)]).unwrap();
    let last_dead = machine("torus:3x8").with_dead(vec![NodeId(23)]).unwrap();
    for machine in [machine("mesh:4x4"), machine("mesh:7"), holes, last_dead] {
        for name in ["uniform", "uniform-with-self", "hot-spot"] {
            let pattern = Pattern::new(name, &machine).unwrap();
            let mut rng = stream(3, name);
            for source in machine.living() {
                let draws = 20_000u32;
                let mut counts = vec![0u32; machine.nodes() as usize];
                (0..draws).for_each(|_| counts[pattern.target(source, &mut rng).index()] += 1);
                for (target, count) in (0..).map(NodeId).zip(counts) {
                    let wanted = probability(name, &machine, source, target);
                    let (mean, deviation) =
                        (wanted * f64::from(draws), (wanted * (1.0 - wanted) * f64::from(draws)).sqrt());
                    // Six standard deviations: a false alarm in a billion.
                    let away = (f64::from(count) - mean).abs();
                    assert!(away <= 6.0 * deviation, "{name}: {source} to {target}: {count} of {draws}");
                }
            }
        }
    }
}

/// Distances and channel loads added up over all pairs, with routes of the router's table.
#[test]
fn mean_distance_and_bound_are_sums_over_all_pairs() {
    let mut tried = 0;
    for machine in MACHINES.iter().map(|name| machine(name)) {
        let nodes = || (0..machine.nodes()).map(NodeId);
        let pairs: Vec<_> = nodes().flat_map(|from| nodes().map(move |to| (from, to))).collect();
        let routes = routes(&machine, &pairs).unwrap();
        for name in names() {
            let Ok(pattern) = Pattern::new(name, &machine) else { continue };
            let mut links = vec![0.0; machine.links() as usize];
            let (mut received, mut hops) = (vec![0.0; machine.nodes() as usize], 0.0);
            for (index, &(from, to)) in pairs.iter().enumerate() {
                let flow = probability(name, &machine, from, to);
                received[to.index()] += flow;
                hops += flow * f64::from(routes.hops(index, (from, to)).0) / f64::from(machine.nodes());
                routes.for_each_link(index, (from, to), |link| links[link.index()] += flow);
            }
            let busiest = links.into_iter().chain(received).fold(1.0, f64::max);
            let (mean, bound) = (pattern.mean_hops(&machine).unwrap(), pattern.capacity(&machine).unwrap());
            assert!(
                (mean - hops).abs() < 1e-9 * hops.max(1.0),
                "{name} on {}: {mean} {hops}",
                machine.name()
            );
            assert!((bound * busiest - 1.0).abs() < 1e-9, "{name} on {}: {bound} {busiest}", machine.name());
            tried += 1;
        }
    }
    assert!(tried > 90, "{tried}");
}

#[test]
fn distances_go_around_dead_nodes_and_bounds_do_not() {
    let holes = machine("mesh:3x3").with_dead(vec![NodeId(4)]).unwrap();
    for name in ["uniform", "uniform-with-self"] {
        let pattern = Pattern::new(name, &holes).unwrap();
        let pairs = holes.living().flat_map(|from| holes.living().map(move |to| (from, to)));
        let hops = |(from, to)| {
            probability(name, &holes, from, to) * f64::from(holes.distance(from, to).unwrap().0) / 8.0
        };
        let mean: f64 = pairs.map(hops).sum();
        assert!((pattern.mean_hops(&holes).unwrap() - mean).abs() < 1e-12);
        assert_eq!(pattern.capacity(&holes), None, "dimension order does not route here");
    }
    let split = machine("mesh:1x3").with_dead(vec![NodeId(1)]).unwrap();
    let uniform = Pattern::new("uniform", &split).unwrap();
    assert_eq!(uniform.mean_hops(&split), None, "the two are not connected");
}

#[test]
fn what_does_not_fit_says_why() {
    let dead = machine("mesh:4x4").with_dead(vec![NodeId(2)]).unwrap();
    let cases = [
        (
            "transpose",
            machine("mesh:3x4"),
            "transpose is not possible here: the first half of the sides must equal the second, and they are 3x4",
        ),
        (
            "transpose",
            machine("mesh:4x4x4"),
            "transpose is not possible here: the first half of the sides must equal the second, and they are 4x4x4",
        ),
        ("transpose", dead.clone(), "transpose is not possible here: (2,0) sends to (0,2), which is dead"),
        (
            "shuffle",
            machine("mesh:3x4"),
            "shuffle is not possible here: it needs a power of two of nodes, not 12",
        ),
        (
            "uniform",
            machine("mesh:1x1"),
            "uniform is not possible here: a single living node has no other to send to",
        ),
        (
            "rush-hour",
            dead,
            "traffic is `rush-hour`; expected one of uniform, uniform-with-self, transpose, bit-complement, bit-reverse, shuffle, tornado, neighbour, hot-spot, permutation:FILE",
        ),
    ];
    for (name, machine, wanted) in cases {
        assert_eq!(Pattern::new(name, &machine).unwrap_err().to_string(), wanted);
    }
    for name in ["permutation", "uniform:3", ""] {
        assert!(matches!(Pattern::new(name, &machine("mesh:4x4")), Err(Error::Value { .. })), "{name}");
    }
}

#[test]
fn a_permutation_is_read_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.txt");
    let name = format!("permutation:{}", path.display());
    let read = |text: &str, machine: &Machine| {
        std::fs::write(&path, text).unwrap();
        let found = Pattern::new(&name, machine);
        found.map(|pattern| pattern.fixed_targets().to_vec()).map_err(|error| error.to_string())
    };
    let (whole, hole) = (machine("mesh:2x2"), machine("mesh:2x2").with_dead(vec![NodeId(2)]).unwrap());
    let good = "# around\n0 1\n1 3\n\n3 2 # back\n2 0\n";
    assert_eq!(read(good, &whole).unwrap(), [1, 3, 0, 2].map(NodeId));
    assert_eq!(read("0 1\n1 3\n3 0\n", &hole).unwrap(), [1, 3, 2, 0].map(NodeId));
    let cases = [
        ("0 4\n", &whole, "p.txt:1:3: target is `4`; expected an integer from 0 to 3"),
        (
            "0 1\n0 2\n",
            &whole,
            "p.txt:2:1: node 0 is a source for the second time; expected one line for each node",
        ),
        (
            "0 1\n2 1\n",
            &whole,
            "p.txt:2:3: node 1 is a target for the second time; expected a permutation: each node is target once",
        ),
        (
            "0 1 5\n",
            &whole,
            "p.txt:1:5: `5` is too much on this line; expected two node ids, `source target`",
        ),
        ("0\n", &whole, "p.txt:1:2: target is missing; expected an integer from 0 to 3"),
        ("0 1\n1 3\n3 2\n", &whole, "p.txt:4:1: node 2 has no line; expected one line for each living node"),
        ("0 2\n", &hole, "p.txt:1:3: node 2 is dead; expected a living node"),
        ("", &whole, "p.txt:1:1: node 0 has no line; expected one line for each living node"),
    ];
    for (text, machine, wanted) in cases {
        let error = read(text, machine).unwrap_err();
        assert!(error.ends_with(wanted), "{text:?}: {error}");
    }
    assert!(matches!(Pattern::new("permutation:none.txt", &whole), Err(Error::Io { .. })));
}

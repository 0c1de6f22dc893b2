//! Chapters 2, 3.1.5 and 7: what is said of the best a machine can do.

use super::literal::{layers, row, speedup};
use super::{CORRECTED, NOT_CHECKABLE, REMARK, Study};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_core::units::{NodeId, Port};
use meshwright_load::Forwarding::CutThrough;
use meshwright_load::{Problem, Source, optimum};
use meshwright_network::topology::{Machine, Topology};

/// The claims in the order of the thesis.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "stop-together",
        source: "chapter 2, section 3.1.1",
        statement: "the least makespan is reached when all processors stop together",
        definition: "Zhang 2018's own constraints with <= T for = T: every vertex of the linear programme, in fractions",
        printed: "for every first row, so the flow matrix gives the optimum",
        fails_if: "no layer is ever better left out, or one is where the corrected condition is met, or none is \
            where it is not",
        correct: Some(
            "if and only if m_k >= sigma Y_k for every k >= 1, Y_k = sum of m_j (1-sigma)^(j-k-1) over j > k: \
             otherwise some layer is better left out",
        ),
        errata: Some("Z17"),
        derive: stop_together,
        ..CORRECTED
    },
    Claim {
        id: "link-capacity",
        source: "sections 3.1, 5.2, 6.1",
        statement: "the speedup of the flow matrix is not above what the links can carry",
        definition: "for every set S of nodes with P_0: S works off |S| T and sends out cut(S) T / sigma; all sets up to 12 nodes, then {P_0} and all nodes",
        printed: "Sp <= |S| + cut(S) / sigma for 0 < sigma < 1",
        fails_if: "no set of nodes has links too slow for the flow matrix, or a threshold of the corrected form is \
            not where it says",
        correct: Some(
            "up to sigma = 0.456 (3x3 corner), 0.245 (5x5 centre and torus), 0.146 (3x8 corner), 0.122 (5x5 corner), 0.161 (6x6 torus), \
             0.479, 0.239 and 0.123 (4-, 5- and 6-cube); between these and 1 no schedule reaches it",
        ),
        errata: Some("Z27"),
        derive: link_capacity,
        ..CORRECTED
    },
    Claim {
        id: "np-hard",
        source: "section 3.1.5, lower band",
        statement: "what the practical optimum of an injection takes to find",
        definition: "none: NP-hardness is no statement about instances, and the source it is quoted from sends single messages",
        printed: "optimal_p is NP hard",
        fails_if: "Zhang 2018 turns out to mean loads that flow",
        derive: |_| {
            let range = "no machine can decide it; of single messages nothing is said here";
            let note = "Of loads that flow the optimum is a parametric minimum cut, which is polynomial: parametric-cut.";
            Ok(Derivation::of(range, Check::default()).note(note))
        },
        ..NOT_CHECKABLE
    },
    Claim {
        id: "parametric-cut",
        source: "section 3.1.5, lower band",
        statement: "what the optimum of several sources takes to find when loads flow",
        definition: "the largest L(S) / (|S| + cut(S) / sigma) over all sets S, by trying all, against one parametric minimum cut",
        printed: "a parametric minimum cut, polynomial: T* is the largest L(S) / (|S| + cut(S) / sigma)",
        fails_if: "one parametric cut and the trial of all sets differ for some machine, sources and sigma",
        derive: parametric,
        ..REMARK
    },
    Claim {
        id: "lower-band",
        source: "section 3.1.5, lower band",
        statement: "beta = Sp / optimal_i is a lower bound of Sp / optimal_p, optimal_i the flow matrix of the ideal community",
        definition: "optimal_p by Zhang 2018's own constraints with <= T on the same community: every vertex, in fractions",
        printed: "optimal_i >= optimal_p for 0 < sigma < 1",
        fails_if: "optimal_i is never passed under the same constraints, or the corrected bound is by the optimum \
            of several sources",
        correct: Some(
            "with min(mn / l, 1 + 4 / sigma) for optimal_i: no community of the mesh does more for its source on real links",
        ),
        errata: Some("Z31"),
        derive: lower_band,
        ..CORRECTED
    },
];

/// The greatest speedup under the thesis's constraints with <= T: at a vertex of the programme each layer behind the
/// source either stops at T or gets nothing.
fn best_vertex(layers: &[u64], sigma: &Exact) -> Exact {
    let behind = layers.len() - 1;
    let vertex = |used: u32| {
        let (mut sent, mut whole) = (Exact::zero(), Exact::from(layers[0]));
        for layer in (0..behind).filter(|layer| used >> layer & 1 == 1) {
            let load = Exact::whole(1) - sigma * &sent;
            whole = whole + Exact::from(layers[layer + 1]) * &load;
            sent = sent + load;
        }
        whole
    };
    (0..1u32 << behind).map(vertex).max().expect("the empty set is one")
}

/// Whether m_k >= sigma Y_k for every k >= 1.
fn is_flat(layers: &[u64], sigma: &Exact) -> bool {
    let mut beyond = Exact::zero();
    for (k, &many) in layers.iter().enumerate().skip(1).rev() {
        let many = Exact::from(many);
        if k + 1 < layers.len() && many < sigma * &beyond {
            return false;
        }
        // Y_(k-1) = m_k + (1 - sigma) Y_k
        beyond = many + (Exact::whole(1) - sigma) * &beyond;
    }
    true
}

fn stop_together(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut numbers = Numbers::new(&["machine", "source", "sigma", "flow matrix", "optimum"]);
    for &(machine, source) in SOURCES {
        let layers = layers(machine, &[source])?;
        for (p, q) in [(1, 10), (1, 4), (1, 2), (3, 4), (9, 10)] {
            let sigma = Exact::fraction(p, q);
            let (claimed, best) = (speedup(&layers, &sigma, CutThrough), best_vertex(&layers, &sigma));
            let words = || {
                let (claimed, best) = (claimed.to_f64(), best.to_f64());
                format!(
                    "{machine}, node {source}, {}, sigma = {sigma}: {claimed:.3}, best {best:.3}",
                    row(&layers)
                )
            };
            printed.case(claimed == best, words);
            corrected.case((claimed == best) == is_flat(&layers, &sigma), words);
            if machine.contains("5x5") && q != 10 {
                let shown = |number: &Exact| format!("{:.3}", number.to_f64());
                numbers.row(&[&machine, &source, &sigma, &shown(&claimed), &shown(&best)]);
            }
        }
    }
    Ok(Derivation::of(format!("{} sources in increasing size, virtual cut-through", SOURCES.len()), printed)
        .corrected(corrected)
        .numbers(numbers))
}

/// Machines and sources in increasing size.
pub(super) const SOURCES: &[(&str, u32)] = &[
    ("mesh:2x2", 0),
    ("mesh:2x3", 0),
    ("mesh:2x3", 1),
    ("mesh:2x4", 0),
    ("mesh:2x4", 1),
    ("hypercube:3", 0),
    ("mesh:3x3", 0),
    ("mesh:3x3", 1),
    ("mesh:3x3", 4),
    ("torus:3x3", 0),
    ("mesh:2x5", 1),
    ("mesh:2x5", 2),
    ("mesh:3x4", 0),
    ("mesh:3x4", 1),
    ("mesh:3x4", 4),
    ("mesh:3x4", 5),
    ("hypercube:4", 0),
    ("mesh:4x4", 0),
    ("mesh:3x8", 0),
    ("mesh:3x8", 8),
    ("mesh:5x5", 0),
    ("mesh:5x5", 12),
    ("torus:5x5", 0),
    ("hypercube:5", 0),
    ("torus:6x6", 0),
];

/// How many links a node has.
pub(super) fn degree(machine: &Machine, node: u32) -> u64 {
    let node = NodeId(node);
    (0..machine.ports(node)).filter(|&port| machine.neighbour(node, Port(port)).is_some()).count() as u64
}

/// The least |S| + cut(S) / sigma over all sets of nodes with the source.
fn least_cut(machine: &Machine, source: u32, sigma: &Exact) -> Exact {
    let sets = (0..1u64 << machine.nodes()).filter(|set| set >> source & 1 == 1);
    let value = |set: u64| Exact::from(u64::from(set.count_ones())) + Exact::from(cut(machine, set)) / sigma;
    sets.map(value).min().expect("there is a set")
}

/// How many links leave a set of nodes.
fn cut(machine: &Machine, set: u64) -> u64 {
    let mut links = 0;
    for node in (0..machine.nodes()).filter(|node| set >> node & 1 == 1).map(NodeId) {
        let leaves =
            |port: &u32| machine.neighbour(node, Port(*port)).is_some_and(|next| set >> next.0 & 1 == 0);
        links += (0..machine.ports(node)).filter(leaves).count() as u64;
    }
    links
}

fn link_capacity(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut numbers = Numbers::new(&["machine", "source", "sigma", "flow matrix", "links carry"]);
    for &(name, source) in SOURCES {
        let (machine, layers) = (Machine::new(name)?, layers(name, &[source])?);
        for (p, q) in [(1, 4), (1, 2), (3, 4)] {
            let sigma = Exact::fraction(p, q);
            let bound = match machine.nodes() {
                0..=12 => least_cut(&machine, source, &sigma),
                nodes => {
                    (Exact::whole(1) + Exact::from(degree(&machine, source)) / &sigma).min(Exact::from(nodes))
                }
            };
            let claimed = speedup(&layers, &sigma, CutThrough);
            let shown = |number: &Exact| format!("{:.3}", number.to_f64());
            let words = || {
                format!(
                    "{name}, node {source}, sigma = {sigma}: {}, links carry {}",
                    shown(&claimed),
                    shown(&bound)
                )
            };
            printed.case(claimed <= bound, words);
            numbers.row(&[&name, &source, &sigma, &shown(&claimed), &shown(&bound)]);
        }
    }
    for (name, source, thousandths) in THRESHOLDS {
        let (machine, layers) = (Machine::new(name)?, layers(name, &[source])?);
        let above = |twice: i64| {
            let sigma = Exact::fraction(twice, 2000);
            let bound = Exact::whole(1) + Exact::from(degree(&machine, source)) / &sigma;
            speedup(&layers, &sigma, CutThrough) > bound
        };
        let turns = !above(2 * thousandths - 1) && above(2 * thousandths + 1);
        corrected.case(turns, || format!("{name}, node {source}, threshold {thousandths}/1000"));
    }
    let range = format!("{} sources in increasing size, virtual cut-through", SOURCES.len());
    Ok(Derivation::of(range, printed).corrected(corrected).numbers(numbers))
}

/// From which thousandths of sigma on the flow matrix asks too much of the links of its source.
const THRESHOLDS: [(&str, u32, i64); 9] = [
    ("mesh:3x3", 0, 456),
    ("hypercube:4", 0, 479),
    ("mesh:5x5", 12, 245),
    ("torus:5x5", 0, 245),
    ("hypercube:5", 0, 239),
    ("torus:6x6", 0, 161),
    ("mesh:3x8", 0, 146),
    ("hypercube:6", 0, 123),
    ("mesh:5x5", 0, 122),
];

/// Sources with loads, for machines that are small enough to try every set.
const SEVERAL: [(&str, &[(u32, f64)]); 6] = [
    ("mesh:2x3", &[(0, 1.0), (1, 2.0)]),
    ("mesh:3x3", &[(0, 1.0), (4, 1.0), (8, 3.0)]),
    ("torus:3x3", &[(0, 5.0), (1, 1.0)]),
    ("hypercube:3", &[(0, 1.0), (1, 1.0), (2, 1.0)]),
    ("mesh:2x6", &[(0, 1.0), (1, 1.0), (6, 1.0), (7, 1.0)]),
    ("mesh:3x4", &[(0, 2.0), (1, 2.0), (11, 1.0)]),
];

fn parametric(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for (name, sources) in SEVERAL {
        let machine = Machine::new(name)?;
        for sigma in [0.02, 0.1, 0.3, 0.5, 0.9, 1.5] {
            let placed = sources.iter().map(|&(node, load)| Source::at(NodeId(node), load)).collect();
            let problem = Problem::new(&machine, placed, sigma)?;
            let worst = |set: u64| {
                let inside = |source: &&Source| set >> source.node.0 & 1 == 1;
                let load: f64 = problem.sources().iter().filter(inside).map(|source| source.load).sum();
                load / (f64::from(set.count_ones()) + cut(&machine, set) as f64 / sigma)
            };
            let tried = (1..1u64 << machine.nodes()).map(worst).fold(0.0, f64::max);
            let (found, _) = optimum::makespan(&problem)?;
            let agrees = (found - tried).abs() <= 1e-9 * tried;
            let words = || {
                format!(
                    "{name}, {} sources, sigma = {sigma}: one cut gives {found:.6}, all sets {tried:.6}",
                    sources.len()
                )
            };
            check.case(agrees, words);
        }
    }
    Ok(Derivation::of("six machines with 2 to 4 sources, sigma from 0.02 to 1.5", check))
}

/// The first row of the ideal community of 250 processors.
const COMMUNITY: [u64; 12] = [1, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 29];

fn lower_band(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut numbers = Numbers::new(&["sigma", "optimal_i", "same constraints, best"]);
    for (p, q) in [(1, 100), (1, 20), (1, 10), (1, 4), (1, 2)] {
        let sigma = Exact::fraction(p, q);
        let (ideal, best) = (speedup(&COMMUNITY, &sigma, CutThrough), best_vertex(&COMMUNITY, &sigma));
        let shown = |number: &Exact| format!("{:.2}", number.to_f64());
        printed.case(ideal >= best, || {
            format!("250 processors, sigma = {sigma}: optimal_i {}, reached {}", shown(&ideal), shown(&best))
        });
        numbers.row(&[&sigma, &shown(&ideal), &shown(&best)]);
    }
    let machine = Machine::new("mesh:10x10")?;
    for nodes in [&[22, 77][..], &[22, 27, 72, 77], &[0, 55], &[44, 45]] {
        for sigma in [0.02, 0.1, 0.3] {
            let sources = nodes.iter().map(|&node| Source::at(NodeId(node), 1.0)).collect();
            let (makespan, _) = optimum::makespan(&Problem::new(&machine, sources, sigma)?)?;
            let (each, many) = (1.0 / makespan / nodes.len() as f64, nodes.len() as f64);
            let ideal = (100.0 / many).min(1.0 + 4.0 / sigma);
            corrected.case(each <= ideal * (1.0 + 1e-12), || {
                format!("10x10, sources {nodes:?}, sigma = {sigma}: {each}")
            });
        }
    }
    let range = "the community of section 3.1.5, sigma from 1/100 to 1/2";
    Ok(Derivation::of(range, printed).corrected(corrected).numbers(numbers))
}

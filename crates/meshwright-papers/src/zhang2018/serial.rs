//! Section 2.2: single path communication, one message for each processor, against the flow matrix.

use rand::RngExt;

use super::literal::{layers, row, speedup};
use super::optimality::{SOURCES, degree};
use super::{CORRECTED, Study};
use crate::Claim;
use crate::check::{Check, Derivation};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_core::rng;
use meshwright_core::units::{NodeId, Port};
use meshwright_load::Forwarding;
use meshwright_load::Forwarding::{CutThrough, ModifiedStoreAndForward};
use meshwright_network::topology::graph_file::{Arc, ArcList};
use meshwright_network::topology::{Graph, Machine, Topology, distances_from};

/// The one claim.
pub(super) const CLAIMS: &[Claim<Study>] = &[Claim {
    id: "single-path",
    source: "section 2.2, single path communication",
    statement: "serial messages on the links of P_0 reach the speedup of the flow matrix",
    definition: "one message for each processor, d links of P_0 with processors as evenly as can be, in fractions",
    printed: "single path communication and the loads of the flow matrix, on every machine",
    fails_if: "serial messages reach the flow matrix everywhere, or fall short of it where the first k layers \
            hold at most k d processors",
    correct: Some(
        "where the first k layers behind P_0 hold at most k d processors for every k, d the links of P_0",
    ),
    errata: Some("Z27"),
    derive: single_path,
    ..CORRECTED
}];

/// The speedup of serial messages on the links of P_0, processors spread over them as evenly as can be.
fn serial(degree: u64, others: u64, sigma: &Exact, forwarding: Forwarding) -> Exact {
    let one = Exact::whole(1);
    let factor = match forwarding {
        CutThrough => &one - sigma,
        _ => &one / (&one + sigma),
    };
    // One link with n processors behind it: each takes `factor` times what the one before takes.
    let link = |n: u64| (&one - factor.power(n as u32)) / sigma;
    let behind = (0..degree).map(|link| others / degree + u64::from(link < others % degree));
    &one + behind.map(link).sum::<Exact>()
}

/// Whether the first k layers behind P_0 hold at most k d processors, for every k.
fn fits(layers: &[u64], degree: u64) -> bool {
    let mut held = 0;
    layers[1..].iter().zip(1..).all(|(&many, k)| {
        held += many;
        held <= k * degree
    })
}

/// Layers (1,2,1,3) and two links: the layer of 3 is larger than d, and no cumulative count is.
const FORKED: [(u32, u32); 7] = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (3, 5), (3, 6)];

/// The layers around node 0 of a network of these wires, and how many links that node has.
fn around(nodes: u32, wires: &[(u32, u32)]) -> Result<(Vec<u64>, u64)> {
    let arc = |&(from, to): &(u32, u32)| Arc { from, to, weight: 1 };
    let graph = Graph::from_arcs(&ArcList { vertices: nodes, arcs: wires.iter().map(arc).collect() })?;
    let mut layers = Vec::new();
    for depth in distances_from(&graph, NodeId(0)) {
        layers.resize(layers.len().max(depth as usize + 1), 0);
        layers[depth as usize] += 1;
    }
    let degree = (0..graph.ports(NodeId(0))).filter(|&port| graph.neighbour(NodeId(0), Port(port)).is_some());
    Ok((layers, degree.count() as u64))
}

/// A connected network of 4 to 16 nodes: each node hangs on an earlier one, and a few wires close rings.
fn random_wires(round: u64) -> (u32, Vec<(u32, u32)>) {
    let mut generator = rng::stream(round, "claims zhang2018 single-path");
    let nodes = generator.random_range(4..=16);
    let mut wires: Vec<(u32, u32)> = (1..nodes).map(|node| (generator.random_range(0..node), node)).collect();
    for _ in 0..generator.random_range(0..=4) {
        wires.push((generator.random_range(0..nodes), generator.random_range(0..nodes)));
    }
    (nodes, wires)
}

/// How many random networks the corrected form is tried on.
const NETWORKS: u64 = 300;

fn single_path(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let (mut fitting, mut wider) = (0, 0);
    let mut cases: Vec<(String, Vec<u64>, u64)> = Vec::new();
    for &(name, source) in SOURCES {
        let degree = degree(&Machine::new(name)?, source);
        cases.push((format!("{name}, node {source}"), layers(name, &[source])?, degree));
    }
    let (layers, degree) = around(7, &FORKED)?;
    cases.push(("a fork behind a ring of four".to_string(), layers, degree));
    for round in 0..NETWORKS {
        let (nodes, wires) = random_wires(round);
        let (layers, degree) = around(nodes, &wires)?;
        cases.push((format!("random network {round}"), layers, degree));
    }
    for (index, (name, layers, degree)) in cases.iter().enumerate() {
        let fits = fits(layers, *degree);
        fitting += u64::from(fits);
        wider += u64::from(fits && layers[1..].iter().any(|many| many > degree));
        for forwarding in [CutThrough, ModifiedStoreAndForward] {
            for (p, q) in [(1, 10), (1, 2), (9, 10)] {
                let sigma = Exact::fraction(p, q);
                let serial = serial(*degree, layers.iter().sum::<u64>() - 1, &sigma, forwarding);
                let claimed = speedup(layers, &sigma, forwarding);
                let words = || {
                    let (serial, claimed) = (serial.to_f64(), claimed.to_f64());
                    format!(
                        "{name}, {}, sigma = {sigma}: {claimed:.3}, serial messages reach {serial:.3}",
                        row(layers)
                    )
                };
                if index < SOURCES.len() {
                    printed.case(claimed <= serial, words);
                }
                if fits {
                    corrected.case(claimed <= serial, words);
                }
            }
        }
    }
    let range =
        format!("{} sources in increasing size, both forwardings; {NETWORKS} random networks", SOURCES.len());
    let note = format!(
        "Sufficient, not necessary. {fitting} of all {} fit, {wider} of them with a layer of more than d processors: (1,2,1,3) from \
         two links has 4.25 at sigma = 1/2 under virtual cut-through, and serial messages reach 4.5.",
        cases.len()
    );
    Ok(Derivation::of(range, printed).corrected(corrected).note(note))
}

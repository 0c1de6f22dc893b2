//! Section 5: definitions 4 to 10, computed from link sets and compared with what the program measures.

use std::collections::{BTreeMap, BTreeSet};

use super::HOLDS;
use super::literal::MeshPlace;
use super::mappings::way;
use super::study::{BOTH, Mapping, Mapping::Growing, Mapping::Reflecting, Study, alphas, costs, weights};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_core::units::Bytes;
use meshwright_mapping::{Divide, Shape, metrics};
use meshwright_network::routing::{self, Pair};
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_schedule::Message;
use meshwright_verdict::{Job, map};

/// Trees up to here are compared link by link.
const N: u32 = 7;

/// From dilation to slowdown.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "definition-4",
        source: "Definition 4",
        statement: "dilation of an edge and of a mapping",
        definition: "D(e) = |path of e|, links stepped over one by one; D(E_C) = max of D(e)",
        printed: "what the program measures: hops of each route, and their maximum",
        fails_if: "a link-by-link walk has another length than what the program measures",
        derive: definition_4,
        ..HOLDS
    },
    Claim {
        id: "definition-5",
        source: "Definition 5",
        statement: "contention of a link and of a mapping, phases not told apart",
        definition: "C(l) = number of edges of all phases whose path holds l; the maximum over links",
        printed: "what the program measures: the most messages over one directed link",
        fails_if: "links counted one by one have another greatest use than what the program measures",
        derive: definition_5,
        ..HOLDS
    },
    Claim {
        id: "definition-6",
        source: "Definition 6",
        statement: "interference set of an edge within its phase",
        definition: "I(e) = the other edges of E_i whose paths hold a link of e, as sets of links",
        printed: "what the program measures: |I(e)| from the loads of links",
        fails_if: "sets of links that are not disjoint give another least or greatest |I(e)| than what the program \
            measures",
        derive: definition_6,
        ..HOLDS
    },
    Claim {
        id: "definition-7",
        source: "Definition 7",
        statement: "weighted dilation and weighted contention of a phase",
        definition: "D_w(E_i) = max of W(e) D(e), C_w(E_i) = max of the sum of W over I(e), with W = alpha^i",
        printed: "what the program measures in bytes, 2^n at the root and alpha = 1/2",
        fails_if: "D_w or C_w from sets of links differs from what the program measures in some phase",
        derive: definition_7,
        ..HOLDS
    },
    Claim {
        id: "definition-8",
        source: "Definition 8",
        statement: "time of a phase and of the whole",
        definition: "T(E_i) = max of T(e) over E_i, T(E_C) = sum of T(E_i), T(e) by eq. (1) and section 5.1.2",
        printed: "what the simulator measures without contention: M_R, both switchings",
        fails_if: "a simulated phase of M_R takes another time than T(e) of its longest edge",
        derive: definition_8,
        ..HOLDS
    },
    Claim {
        id: "definition-9",
        source: "Definition 9",
        statement: "the perfect mapping, of least dilation and contention",
        definition: "dilation and contention of M_R(B(n)) where the mesh has an edge for each of the tree, n <= 4; T_P against \
            the times of both mappings for every n",
        printed: "if G_C is a subgraph of G_A both are least, dilation 1 and contention 0, and T_P bounds the time of every mapping \
            from below",
        fails_if: "M_R(B(n)) is of dilation 1 without contention where the root has too many children, or not \
            where it has few; a mapping takes less than T_P",
        derive: definition_9,
        ..HOLDS
    },
    Claim {
        id: "definition-10",
        source: "Definition 10",
        statement: "communication slowdown",
        definition: "S(M) = T_M(E_C) / T_P(E_C), T_M simulated with c = h = 0, T_P = alpha + ... + alpha^n, as fractions",
        printed: "what `map` prints as slowdown for large volumes, alpha = 1/2",
        fails_if: "`map` prints another slowdown than the simulated one",
        derive: definition_10,
        ..HOLDS
    },
];

/// One edge of a mapped tree: its phase, its ends, the links it steps over.
struct Walked {
    phase: u32,
    links: BTreeSet<(MeshPlace, MeshPlace)>,
}

/// Every edge of a mapped tree, links stepped over one by one, in the order of phases and labels.
fn walk(study: &Study, mapping: Mapping, n: u32) -> Vec<Walked> {
    let places = study.places(mapping, n);
    let arcs = study.tree(n).iter().enumerate().filter_map(|(label, arc)| Some((label, (*arc)?)));
    let mut edges: Vec<Walked> = arcs
        .map(|(label, arc)| {
            let nodes = way(places[arc.parent as usize], places[label], true);
            Walked { phase: arc.phase, links: nodes.windows(2).map(|step| (step[0], step[1])).collect() }
        })
        .collect();
    edges.sort_by_key(|edge| edge.phase);
    edges
}

/// Both mappings of B(1) to B(7), in increasing n.
fn each(study: &Study) -> impl Iterator<Item = (Mapping, u32)> {
    (1..=N.min(study.n_max)).flat_map(|n| BOTH.map(|mapping| (mapping, n)))
}

/// The messages of a mapped tree as the program sees them, in the order of phases and labels.
fn messages(study: &Study, mapping: Mapping, n: u32) -> Result<(Machine, Vec<Message>)> {
    let mesh = Study::mesh(n)?;
    let phases = study.messages(mapping, n, &mesh, |i| 1 << (n - i))?;
    Ok((mesh, phases.messages().to_vec()))
}

fn definition_4(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for (mapping, n) in each(study) {
        let (mesh, messages) = messages(study, mapping, n)?;
        let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
        let routes = routing::routes(&mesh, &pairs)?;
        let walked = walk(study, mapping, n);
        for (index, edge) in walked.iter().enumerate() {
            let words = || format!("{} of B({n}), edge {index}", mapping.name());
            check.equal(&routes.hops(index, pairs[index]).0, &(edge.links.len() as u32), words);
        }
        let longest = walked.iter().map(|edge| edge.links.len() as u32).max().unwrap_or(0);
        let measured = metrics::classic(&messages, &routes, mesh.links()).dilation.0;
        check.equal(&measured, &longest, || format!("{} of B({n})", mapping.name()));
    }
    Ok(Derivation::of(format!("every edge of B(1) to B({N}), both mappings"), check))
}

fn definition_5(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers =
        Numbers::new(&["n", "mapping", "links used", "most edges on a link", "most in one phase"]);
    for (mapping, n) in each(study) {
        let mut users: BTreeMap<(MeshPlace, MeshPlace), u32> = BTreeMap::new();
        walk(study, mapping, n)
            .iter()
            .flat_map(|edge| &edge.links)
            .for_each(|link| *users.entry(*link).or_default() += 1);
        let most = users.values().copied().max().unwrap_or(0);
        let (mesh, messages) = messages(study, mapping, n)?;
        let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
        let measured = metrics::classic(&messages, &routing::routes(&mesh, &pairs)?, mesh.links()).contention;
        check.equal(&measured, &most, || format!("{} of B({n})", mapping.name()));
        let in_phase = study.survey(mapping, n).phases.iter().map(|phase| phase.link_load).max().unwrap_or(0);
        numbers.row(&[&n, &mapping.name(), &users.len(), &most, &in_phase]);
    }
    Ok(Derivation::of(format!("B(1) to B({N}), both mappings"), check)
        .numbers(numbers)
        .note("Phases matter: a link that many edges use is used by one in each phase of M_R."))
}

/// For each edge of a phase the weight of its interference set; every edge of phase i weighs `weight(i)`.
fn interference(edges: &[Walked], weight: impl Fn(u32) -> u64) -> Vec<u64> {
    let met = |edge: &Walked| -> u64 {
        let others =
            edges.iter().filter(|other| !std::ptr::eq(*other, edge) && !other.links.is_disjoint(&edge.links));
        others.map(|other| weight(other.phase)).sum()
    };
    edges.iter().map(met).collect()
}

fn definition_6(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["phase of B(6)", "edges", "greatest |I(e)| in M_R", "in M_G"]);
    for (mapping, n) in each(study) {
        for phase in walk(study, mapping, n).chunk_by(|a, b| a.phase == b.phase) {
            let met = interference(phase, |_| 1);
            let measured = study.survey(mapping, n).phases[phase[0].phase as usize - 1];
            let words = || format!("{} of B({n}), phase {}", mapping.name(), phase[0].phase);
            let (least, most) = (met.iter().min().copied(), met.iter().max().copied());
            let same =
                (least, most) == (Some(measured.contention_least.into()), Some(measured.contention.into()));
            check.case(same, words);
        }
    }
    for i in 1..=6u32 {
        let figure = |mapping| study.survey(mapping, 6).phases[i as usize - 1];
        let (r, g) = (figure(Reflecting), figure(Growing));
        numbers.row(&[&i, &r.messages, &r.contention, &g.contention]);
    }
    let range = format!("least and greatest set of every phase of B(1) to B({N}), both mappings");
    Ok(Derivation::of(range, check).numbers(numbers))
}

fn definition_7(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["phase of B(6)", "W", "D_w in M_G", "C_w in M_G"]);
    for (mapping, n) in each(study) {
        let mesh = Study::mesh(n)?;
        let phases = study.messages(mapping, n, &mesh, |i| 1 << (n - i))?;
        let mut loads = meshwright_schedule::cost::LinkLoads::new(mesh.links());
        for (index, phase) in walk(study, mapping, n).chunk_by(|a, b| a.phase == b.phase).enumerate() {
            let (i, messages) = (phase[0].phase, phases.phase(index));
            let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
            let routes = routing::routes(&mesh, &pairs)?;
            loads.fill(messages, &routes);
            let met = metrics::meetings(messages, &routes, &loads);
            let measured = metrics::phase(messages, &routes, &loads, &met);
            let weight = |i: u32| 1u64 << (n - i);
            let dilation = phase.iter().map(|edge| edge.links.len() as u64 * weight(i)).max().unwrap_or(0);
            let contention = interference(phase, weight).into_iter().max().unwrap_or(0);
            let words = |what: &str| format!("{what} of {} of B({n}), phase {i}", mapping.name());
            check.equal(&measured.weighted_dilation, &dilation, || words("D_w"));
            check.equal(&measured.weighted_contention, &contention, || words("C_w"));
            if (mapping, n) == (Growing, 6) {
                let share = |bytes: u64| Exact::from(bytes) / Exact::two_to(n);
                numbers.row(&[&i, &share(weight(i)), &share(dilation), &share(contention)]);
            }
        }
    }
    Ok(Derivation::of(format!("every phase of B(1) to B({N}), both mappings"), check).numbers(numbers))
}

fn definition_8(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&[
        "phase of B(6)",
        "bytes",
        "links",
        "wormhole T(E_i)",
        "simulated",
        "store-and-forward T(E_i)",
        "simulated",
    ]);
    let (c, b, h) = (100u64, 3u64, 2u64);
    for n in 1..=study.n_simulated() {
        let bytes = |i: u32| 5u64 << (n - i);
        let simulate = |switching| study.simulate(Reflecting, n, switching, costs(c, b, h), bytes);
        let (worm, stored) = (simulate(Switching::Wormhole)?, simulate(Switching::StoreAndForward)?);
        let (mut worms, mut stores) = (0, 0);
        for (index, phase) in study.survey(Reflecting, n).phases.iter().enumerate() {
            let (i, d) = (index as u32 + 1, u64::from(phase.dilation));
            let (by_worm, by_store) = (c + b * (bytes(i) + d * h), d * (c + b * bytes(i)));
            check.equal(&worm.phase_ticks[index], &by_worm, || format!("wormhole, B({n}), phase {i}"));
            check.equal(&stored.phase_ticks[index], &by_store, || {
                format!("store-and-forward, B({n}), phase {i}")
            });
            (worms, stores) = (worms + by_worm, stores + by_store);
            if n == 6 {
                numbers.row(&[
                    &i,
                    &bytes(i),
                    &d,
                    &by_worm,
                    &worm.phase_ticks[index],
                    &by_store,
                    &stored.phase_ticks[index],
                ]);
            }
        }
        check.equal(&worm.ticks, &worms, || format!("wormhole, B({n})"));
        check.equal(&stored.ticks, &stores, || format!("store-and-forward, B({n})"));
    }
    let range = format!("every phase of B(1) to B({}), c = {c}, b = {b}, h = {h}", study.n_simulated());
    Ok(Derivation::of(range, check).numbers(numbers))
}

fn definition_9(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&[
        "n",
        "children of the root",
        "links of a node",
        "longest edge of M_R",
        "greatest |I(e)|",
    ]);
    for n in 0..=study.n_max {
        let root = (1u32 << n) - 1;
        let children = study.tree(n).iter().flatten().filter(|arc| arc.parent == root).count() as u32;
        let phases = &study.survey(Reflecting, n).phases;
        let longest = phases.iter().map(|phase| phase.dilation).max().unwrap_or(0);
        let met = phases.iter().map(|phase| phase.contention).max().unwrap_or(0);
        // Children at distance 1 stand on different neighbours of the root.
        let links = {
            let mesh = Study::mesh(n)?;
            (0..mesh.nodes()).map(|node| mesh.ports(meshwright_core::units::NodeId(node))).max().unwrap_or(0)
        };
        check.case((longest <= 1 && met == 0) == (children <= links), || {
            format!("B({n}): {children} children, {links} links, longest edge {longest}, |I(e)| {met}")
        });
        for (mapping, alpha) in
            BOTH.into_iter().flat_map(|mapping| alphas().map(move |alpha| (mapping, alpha)))
        {
            let (least, found) = (weights(&alpha, n), study.survey(mapping, n).weighted(&alpha));
            check.case(least <= found, || {
                format!("{} of B({n}), alpha = {alpha}: {found} < T_P = {least}", mapping.name())
            });
        }
        if n <= 8 {
            numbers.row(&[&n, &children, &links, &longest, &met]);
        }
    }
    let note = "The premise is met for n <= 4 alone: from n = 5 on the root has n > 4 children and a node of the mesh 4 links, so that \
                T_P is a bound that no mapping attains under store-and-forward routing.";
    Ok(Derivation::of(format!("n = 0 to {}, eight shares alpha", study.n_max), check)
        .numbers(numbers)
        .note(note))
}

fn definition_10(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["n", "mapping", "T_M / b", "T_P / b", "S", "simulated S"]);
    let half = Exact::fraction(1, 2);
    for n in 1..=study.n_simulated() {
        let divide = Divide {
            shape: Shape::Binomial(n),
            alpha: Some(0.5),
            combine_alpha: None,
            volume: Bytes(1 << n),
        };
        let report = map::report(
            &Job::divide(&divide)?,
            &Study::mesh(n)?,
            &["reflecting", "growing"],
            0,
            &mut |_| {},
        )?;
        for (mapping, row) in BOTH.into_iter().zip(&report.placements) {
            let time = study.survey(mapping, n).weighted(&half);
            let simulated =
                study.simulate_large(mapping, n, Switching::StoreAndForward, true)? / weights(&half, n);
            let printed = row.slowdown.store_and_forward.large;
            let words = || format!("{} of B({n}): map prints {printed}, in fact {simulated}", mapping.name());
            check.case(printed == simulated.to_f64(), words);
            if n % 2 == 0 {
                let slowdown = &time / weights(&half, n);
                numbers.row(&[&n, &mapping.name(), &time, &weights(&half, n), &slowdown, &simulated]);
            }
        }
    }
    let range = format!("B(1) to B({}), both mappings, store-and-forward", study.n_simulated());
    Ok(Derivation::of(range, check).numbers(numbers))
}

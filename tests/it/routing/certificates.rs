//! The deadlock check: what it grants, what it refuses, and a second opinion on both.

use meshwright_core::Error;
use meshwright_core::units::LinkId;
use meshwright_network::routing::certify::{Certificate, Channel, certify, dependencies, reduced, states};
use meshwright_network::routing::{PortChoice, ROUTINGS, Relation, relation};
use meshwright_network::topology::{Machine, Topology};

use super::{Packet, graph, machines, pairs, relations, walk};

/// The relations that promise to be free of deadlock wherever they apply.
fn promises(name: &str) -> bool {
    !["shortest-path", "dimension-order-one-class"].contains(&name)
}

/// The dependencies found by following every packet over every one of its ways.
fn followed(machine: &Machine, relation: &Relation<'_>) -> Vec<(u32, u32)> {
    let mut arcs = Vec::new();
    for (source, target) in pairs(machine) {
        for header in relation.headers(source, target) {
            // Depth first: the channel at each depth of the present way.
            let mut way: Vec<Vec<u32>> = Vec::new();
            let packet = Packet { at: source, arrived: None, header };
            walk(machine, relation, packet, 0, &mut |packet, hops, choices| {
                way.truncate(hops as usize);
                let number = |choice: &PortChoice| {
                    machine.link(packet.at, choice.port).0 * relation.classes() + u32::from(choice.class)
                };
                let asked: Vec<u32> = choices.as_slice().iter().map(number).collect();
                // Which class of the link it came over is not in the packet: all that lead here count.
                let held = way.last().into_iter().flatten();
                let held = held.filter(|&&c| packet.arrived == Some(LinkId(c / relation.classes())));
                arcs.extend(held.flat_map(|&held| asked.iter().map(move |&next| (held, next))));
                way.push(asked);
            });
        }
    }
    arcs.sort_unstable();
    arcs.dedup();
    arcs
}

fn check_ring(machine: &Machine, arcs: &[(u32, u32)], classes: u32, ring: &[Channel]) {
    assert!(!ring.is_empty());
    for (index, &(link, class)) in ring.iter().enumerate() {
        let (next, next_class) = ring[(index + 1) % ring.len()];
        assert_eq!(machine.target(link), Some(machine.source(next)), "a ring of links on {}", machine.name());
        let number = |link: LinkId, class: u8| link.0 * classes + u32::from(class);
        assert!(arcs.binary_search(&(number(link, class), number(next, next_class))).is_ok());
    }
}

#[test]
fn every_relation_keeps_its_promise_and_petgraph_agrees() {
    for machine in machines() {
        for (name, relation) in relations(&machine) {
            let certificate = certify(&machine, &relation).unwrap();
            assert!(
                certificate.is_free() || !promises(name),
                "{name} on {}: {certificate:?}",
                machine.name()
            );
            let arcs = dependencies(&machine, &relation).unwrap();
            assert_eq!(arcs, followed(&machine, &relation), "{name} on {}", machine.name());
            let graph = petgraph::graph::DiGraph::<(), ()>::from_edges(&arcs);
            let acyclic = !petgraph::algo::is_cyclic_directed(&graph);
            assert_eq!(
                matches!(certificate, Certificate::Acyclic { .. }),
                acyclic,
                "{name} on {}",
                machine.name()
            );
            if let Certificate::Acyclic { channels, dependencies } = certificate {
                assert_eq!(dependencies, arcs.len() as u64);
                assert!(channels <= machine.links() * relation.classes());
            }
            if let Some(ring) = certificate.ring() {
                check_ring(&machine, &arcs, relation.classes(), ring);
            }
        }
    }
}

#[test]
fn rings_without_date_lines_are_refused_with_the_ring() {
    for side in 2..9 {
        let ring = Machine::torus([side]).unwrap();
        let certificate = certify(&ring, &relation("dimension-order-one-class", &ring).unwrap()).unwrap();
        // A packet turns the corner of a ring only if it takes two links of it.
        assert_eq!(certificate.ring().map(<[_]>::len), (side > 3).then_some(side as usize), "{side} nodes");
        assert!(certify(&ring, &relation("dimension-order", &ring).unwrap()).unwrap().is_free());
    }
    let pentagon = graph(5, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]);
    let shortest = relation("shortest-path", &pentagon).unwrap();
    assert_eq!(certify(&pentagon, &shortest).unwrap().ring().map(<[_]>::len), Some(5));
    assert!(certify(&pentagon, &relation("up-down", &pentagon).unwrap()).unwrap().is_free());
}

#[test]
fn minimal_adaptive_routing_needs_its_escape() {
    for name in ["mesh:3x3", "torus:4x4", "torus:5x3", "hypercube:3"] {
        let machine = Machine::new(name).unwrap();
        let certificate = certify(&machine, &relation("min-adaptive", &machine).unwrap()).unwrap();
        assert!(matches!(certificate, Certificate::Escape { .. }), "{name}: {certificate:?}");
    }
}

#[test]
fn machines_that_are_too_large_are_refused_at_once() {
    for (name, routing) in
        [("mesh:128x128", "xy"), ("torus:64x64", "min-adaptive"), ("mesh:32x32", "valiant")]
    {
        let machine = Machine::new(name).unwrap();
        let relation = relation(routing, &machine).unwrap();
        let error = certify(&machine, &relation).unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }), "{error}");
        let wanted = states(&machine, &relation).to_string();
        assert!(error.to_string().contains(&wanted), "{error}");
    }
}

/// What holds of the reduced box holds of boxes that are a little larger, for every relation on boxes.
#[test]
fn reduced_boxes_have_the_verdict_of_larger_ones() {
    for name in ["mesh:6x7", "mesh:7x6", "torus:6x7", "torus:8x6", "torus:9", "mesh:2x6x3"] {
        let large = Machine::new(name).unwrap();
        let small = reduced(&large).unwrap();
        assert!(small.sides().iter().all(|&side| side <= 5));
        for (routing, of_large) in relations(&large).into_iter().filter(|(name, _)| *name != "shortest-path")
        {
            let of_small = relation(routing, &small).unwrap();
            let kind = |certificate| match certificate {
                Certificate::Acyclic { .. } => 0,
                Certificate::Escape { .. } => 1,
                Certificate::Ring(_) => 2,
            };
            let (of_large, of_small) = (certify(&large, &of_large), certify(&small, &of_small));
            assert_eq!(kind(of_large.unwrap()), kind(of_small.unwrap()), "{routing} on {name}");
        }
    }
}

#[test]
fn every_box_up_to_6x6_and_4x4x4_is_certified() {
    let mut names = Vec::new();
    for (rows, columns) in (1..=6).flat_map(|rows| (1..=6).map(move |columns| (rows, columns))) {
        names.push(format!("{rows}x{columns}"));
        for depth in (2..=4).filter(|&depth| rows.max(columns).max(depth) <= 4) {
            names.push(format!("{rows}x{columns}x{depth}"));
        }
    }
    for name in names {
        for family in ["mesh", "torus"] {
            let machine = Machine::new(&format!("{family}:{name}")).unwrap();
            for routing in ROUTINGS.iter().filter(|routing| promises(routing.name)) {
                let Ok(relation) = relation(routing.name, &machine) else { continue };
                assert!(
                    certify(&machine, &relation).unwrap().is_free(),
                    "{} on {family}:{name}",
                    routing.name
                );
            }
        }
    }
}

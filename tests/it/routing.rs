//! Routing relations: every packet arrives, turns are those the models allow, and the deadlock check is right.

mod certificates;
mod faults;
mod turns;

use meshwright_core::Error;
use meshwright_core::rng::stream;
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::routing::{Choices, Header, ROUTINGS, Relation, relation, shortest_path, stored};
use meshwright_network::topology::graph_file::{Arc, ArcList};
use meshwright_network::topology::{Graph, Machine, Topology};
use rand::RngExt;

/// Relations whose ways may be longer than the distance.
const DETOURS: &[&str] = &["valiant", "rajasekaran-tsantilas", "up-down"];

/// The small machines on which everything is tried.
fn machines() -> Vec<Machine> {
    let names = [
        "mesh:1",
        "mesh:5",
        "mesh:1x4",
        "mesh:2x2",
        "mesh:3x4",
        "mesh:5x3",
        "mesh:4x4",
        "mesh:3x2x3",
        "torus:2x2",
        "torus:3",
        "torus:4",
        "torus:5",
        "torus:6",
        "torus:3x4",
        "torus:4x4",
        "torus:2x5",
        "torus:3x2x4",
        "hypercube:0",
        "hypercube:1",
        "hypercube:2",
        "hypercube:4",
    ];
    let mut machines: Vec<Machine> = names.iter().map(|name| Machine::new(name).unwrap()).collect();
    let holes = |name: &str, dead: &[u32]| {
        Machine::new(name).unwrap().with_dead(dead.iter().copied().map(NodeId).collect()).unwrap()
    };
    machines.push(holes("mesh:4x4", &[5, 6]));
    machines.push(holes("torus:4x4", &[0, 10]));
    machines.push(cut(holes("mesh:3x4", &[11]), &[(1, 5), (6, 7)]));
    machines.push(cut(Machine::new("torus:5").unwrap(), &[(0, 4)]));
    machines.push(graph(7, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (2, 5), (5, 6), (6, 3)]));
    machines
}

/// The machine without the wires between these nodes.
fn cut(machine: Machine, wires: &[(u32, u32)]) -> Machine {
    machine.with_dead_links(wires.iter().map(|&(a, b)| (NodeId(a), NodeId(b))).collect()).unwrap()
}

/// A machine with these wires.
fn graph(vertices: u32, wires: &[(u32, u32)]) -> Machine {
    let arcs = wires.iter().map(|&(from, to)| Arc { from, to, weight: 1 }).collect();
    let graph = Graph::from_arcs(&ArcList { vertices, arcs }).unwrap();
    Machine::of(&format!("a graph of {vertices} nodes"), &graph).unwrap()
}

/// Every relation that fits a machine, with its name.
fn relations(machine: &Machine) -> Vec<(&'static str, Relation<'_>)> {
    let fitting = |name| match relation(name, machine) {
        Ok(relation) => Some((name, relation)),
        Err(Error::NotApplicable { .. }) => None,
        Err(other) => panic!("{name} on {}: {other}", machine.name()),
    };
    ROUTINGS.iter().filter_map(|routing| fitting(routing.name)).collect()
}

/// A packet where it stands.
#[derive(Clone, Copy)]
struct Packet {
    at: NodeId,
    arrived: Option<LinkId>,
    header: Header,
}

/// Calls `visit` with every packet state along every way from `source` that one header allows, and the packet's
/// hops, depth first; states are visited again for every way that leads to them.
fn walk(
    machine: &Machine,
    relation: &Relation<'_>,
    packet: Packet,
    hops: u32,
    visit: &mut impl FnMut(Packet, u32, &Choices),
) {
    let (mut choices, mut again) = (Choices::new(), Choices::new());
    let mut header = packet.header;
    relation.choose(packet.at, packet.arrived, &mut header, &mut choices);
    let mut same = header;
    relation.choose(packet.at, packet.arrived, &mut same, &mut again);
    assert_eq!((header, choices.as_slice()), (same, again.as_slice()), "asking twice changes nothing");
    let length = 4 * machine.nodes();
    assert!(hops <= length, "a packet for node {} strays to {}", header.target, packet.at);
    visit(Packet { header, ..packet }, hops, &choices);
    for choice in choices.as_slice() {
        assert!(u32::from(choice.class) < relation.classes(), "there is no class {}", choice.class);
        let at = machine.neighbour(packet.at, choice.port).expect("a choice is a wired port");
        let arrived = Some(machine.link(packet.at, choice.port));
        walk(machine, relation, Packet { at, arrived, header }, hops + 1, visit);
    }
}

#[test]
fn every_relation_delivers_every_pair_over_every_way() {
    for machine in machines() {
        for (name, relation) in relations(&machine) {
            for (source, target) in pairs(&machine) {
                for header in relation.headers(source, target) {
                    let mut arrivals = 0;
                    let distance = machine.distance(source, target).unwrap().0;
                    walk(
                        &machine,
                        &relation,
                        Packet { at: source, arrived: None, header },
                        0,
                        &mut |packet, hops, choices| {
                            assert!(
                                choices.as_slice().len() == 1
                                    || choices.as_slice().is_empty()
                                    || relation.adaptive()
                            );
                            if choices.as_slice().is_empty() {
                                arrivals += 1;
                                assert_eq!(packet.at, target, "{name} on {}: from {source}", machine.name());
                                let minimal = !DETOURS.contains(&name);
                                assert!(
                                    hops == distance || (!minimal && hops > distance),
                                    "{name} on {}",
                                    machine.name()
                                );
                            }
                        },
                    );
                    assert!(arrivals > 0, "{name} on {}: {source} to {target}", machine.name());
                }
            }
        }
    }
}

fn pairs(machine: &Machine) -> Vec<(NodeId, NodeId)> {
    machine.living().flat_map(|source| machine.living().map(move |target| (source, target))).collect()
}

#[test]
fn stored_routes_are_the_ways_of_the_relation() {
    for machine in machines() {
        let pairs = pairs(&machine);
        for (name, relation) in relations(&machine) {
            let routes = match stored(&machine, &relation, &pairs, &mut stream(1, "test")) {
                Ok(routes) => routes,
                Err(error) => {
                    assert!(relation.adaptive(), "{name} on {}: {error}", machine.name());
                    continue;
                }
            };
            let minimal = shortest_path::routes(&machine, &pairs).unwrap();
            let agrees = ["dimension-order", "dimension-order-one-class", "shortest-path"].contains(&name);
            for (index, &(from, to)) in pairs.iter().enumerate() {
                let (mut way, mut shortest, mut at) = (Vec::new(), Vec::new(), from);
                routes.for_each_link(index, (from, to), |link| {
                    assert_eq!(machine.source(link), at, "{name} on {}", machine.name());
                    at = machine.target(link).expect("a wired link");
                    way.push(link);
                });
                assert_eq!(at, to, "{name} on {}", machine.name());
                minimal.for_each_link(index, (from, to), |link| shortest.push(link));
                assert!(way == shortest || !agrees, "{name} on {}: {from} to {to}", machine.name());
            }
        }
    }
}

#[test]
fn every_machine_has_its_usual_relation() {
    for machine in machines() {
        let usual = meshwright_network::routing::usual(&machine);
        assert!(relation(usual, &machine).is_ok(), "{usual} on {}", machine.name());
        assert_eq!(usual == "up-down", machine.whole_grid().is_none(), "{}", machine.name());
    }
}

#[test]
fn relations_fit_the_machines_they_are_made_for() {
    let fits = |name: &str, machine: &str| relation(name, &Machine::new(machine).unwrap()).is_ok();
    for plane_only in ["west-first", "odd-even", "rajasekaran-tsantilas"] {
        assert!(
            fits(plane_only, "mesh:3x4") && fits(plane_only, "torus:2x2") && fits(plane_only, "hypercube:2")
        );
        assert!(
            !fits(plane_only, "mesh:4") && !fits(plane_only, "torus:3x4") && !fits(plane_only, "mesh:2x2x2")
        );
    }
    for anywhere in ROUTINGS.iter().filter(|routing| fits(routing.name, "torus:3x4")) {
        assert!(fits(anywhere.name, "mesh:3x3x3"), "{}", anywhere.name);
    }
}

#[test]
fn names_are_known_once_and_unknown_ones_are_told_the_nearest() {
    let names: Vec<_> = ROUTINGS.iter().flat_map(|r| r.aliases.iter().chain([&r.name])).collect();
    for name in &names {
        assert_eq!(names.iter().filter(|other| other == &name).count(), 1, "{name}");
    }
    let mesh = Machine::new("mesh:4x4").unwrap();
    for name in names {
        assert!(relation(name, &mesh).is_ok(), "{name}");
    }
    let error = relation("odd-evn", &mesh).unwrap_err().to_string();
    assert!(error.contains("`odd-evn`") && error.contains("did you mean `odd-even`?"), "{error}");
    let error = relation("", &mesh).unwrap_err().to_string();
    assert!(error.contains("valiant") && !error.contains("did you mean"), "{error}");
}

/// The headers drawn are those listed, and all of them are drawn.
#[test]
fn every_random_header_is_drawn_and_no_other() {
    let mut rng = stream(5, "test");
    for machine in machines().into_iter().filter(|machine| machine.nodes() <= 16) {
        for (name, relation) in relations(&machine).into_iter().filter(|(_, relation)| relation.random()) {
            for _ in 0..4 {
                let mut node = || NodeId(rng.random_range(0..machine.nodes()));
                let (source, target) = (node(), node());
                let listed = relation.headers(source, target);
                let mut seen = vec![0; listed.len()];
                for _ in 0..40 * listed.len() {
                    let drawn = relation.header(source, target, &mut rng);
                    let place = listed.iter().position(|&header| header == drawn).expect("it is listed");
                    seen[place] += 1;
                }
                let fair = seen.iter().all(|&count| (10..=90).contains(&count)) || listed.len() == 1;
                assert!(fair, "{name} on {}: {seen:?}", machine.name());
            }
        }
    }
}

/// The slices of the three-phase routing, by hand: 16 rows make four slices of four.
#[test]
fn three_phases_stay_near_the_distance() {
    let mesh = Machine::new("mesh:16x16").unwrap();
    let relation = relation("rajasekaran-tsantilas", &mesh).unwrap();
    let rows = |source: u32| {
        let headers = relation.headers(NodeId(source), NodeId(255 - source));
        headers.iter().map(|header| (header.via.0 / 16, header.via.0 % 16)).collect::<Vec<_>>()
    };
    assert_eq!(rows(0), [(0, 0), (1, 0), (2, 0), (3, 0)]);
    assert_eq!(rows(6 * 16 + 9), [(4, 9), (5, 9), (6, 9), (7, 9)]);
    for (source, target) in pairs(&mesh).into_iter().step_by(37) {
        for header in relation.headers(source, target) {
            let mut way = 0;
            let packet = Packet { at: source, arrived: None, header };
            walk(&mesh, &relation, packet, 0, &mut |_, hops, _| way = way.max(hops));
            assert!(way <= mesh.distance(source, target).unwrap().0 + 2 * 3);
        }
    }
}

#[test]
fn a_header_is_small() {
    assert!(size_of::<Header>() <= 12, "{} bytes", size_of::<Header>());
}

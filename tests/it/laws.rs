//! What must hold of every entry of every table: theorems against definitions.

use meshwright_core::units::{Bytes, Hops, LinkId, NodeId, Port};
use meshwright_mapping::task_graph::Edge;
use meshwright_mapping::{PLACEMENTS, Request, TaskGraph, bound, place};
use meshwright_network::routing::{deadlock, routes, shortest_path};
use meshwright_network::topology::{FAMILIES, Machine, Topology, distances_from};

/// Every family's example and the shapes where formulas tend to break.
fn machines() -> Vec<Machine> {
    let examples = FAMILIES.iter().map(|family| family.example).filter(|example| !example.is_empty());
    let more = [
        "mesh:1",
        "mesh:7",
        "mesh:1x5",
        "mesh:4x8",
        "mesh:2x3x4",
        "torus:1x2",
        "torus:2x2",
        "torus:5",
        "torus:2x5x4",
        "torus:3x4",
        "hypercube:0",
        "hypercube:1",
    ];
    examples.chain(more).map(|name| Machine::new(name).unwrap()).collect()
}

fn nodes(machine: &Machine) -> impl Iterator<Item = NodeId> + Clone + use<> {
    (0..machine.nodes()).map(NodeId)
}

fn pairs(machine: &Machine) -> Vec<(NodeId, NodeId)> {
    nodes(machine).flat_map(|from| nodes(machine).map(move |to| (from, to))).collect()
}

#[test]
fn every_wire_has_two_ends() {
    for machine in machines() {
        for node in nodes(&machine) {
            for port in (0..machine.ports(node)).map(Port) {
                let Some(next) = machine.neighbour(node, port) else { continue };
                assert_ne!(next, node, "{}: no node is its own neighbour", machine.name());
                let back = (0..machine.ports(next))
                    .filter(|&p| machine.neighbour(next, Port(p)) == Some(node))
                    .count();
                assert_eq!(back, 1, "{}: {node} -> {next} has one way back", machine.name());
                let link = machine.link(node, port);
                assert_eq!(
                    (machine.source(link), machine.target(link)),
                    (node, Some(next)),
                    "{}",
                    machine.name()
                );
            }
        }
    }
}

#[test]
fn distances_and_eccentricities_are_breadth_first() {
    for machine in machines() {
        for from in nodes(&machine) {
            let definition = distances_from(&machine, from);
            for to in nodes(&machine) {
                assert_eq!(
                    machine.distance(from, to),
                    Some(Hops(definition[to.index()])),
                    "{}: {from} to {to}",
                    machine.name()
                );
            }
            assert_eq!(
                machine.eccentricity(from).0,
                *definition.iter().max().unwrap(),
                "{}: {from}",
                machine.name()
            );
        }
    }
}

#[test]
fn routes_arrive_over_shortest_paths_by_formula_and_by_search() {
    for machine in machines() {
        let pairs = pairs(&machine);
        let mut first: Option<Vec<Vec<LinkId>>> = None;
        let found = [routes(&machine, &pairs), shortest_path::routes(&machine, &pairs)];
        for (name, routes) in ["formula", "search"].into_iter().zip(found) {
            let routes = routes.unwrap();
            let walk = |(index, &(from, to)): (usize, &(NodeId, NodeId))| {
                let (mut links, mut at) = (Vec::new(), from);
                routes.for_each_link(index, (from, to), |link| {
                    assert_eq!(machine.source(link), at, "{name} on {}", machine.name());
                    assert_eq!(routes.next(index, links.len() as u32, at, to), Some(link));
                    at = machine.target(link).expect("a route uses wired links");
                    links.push(link);
                });
                assert_eq!(at, to, "{name} on {} arrives", machine.name());
                assert_eq!(routes.next(index, links.len() as u32, at, to), None);
                let hops = Hops(links.len() as u32);
                assert_eq!(Some(hops), machine.distance(from, to), "{name} on {} is minimal", machine.name());
                assert_eq!(hops, routes.hops(index, (from, to)));
                links
            };
            let all: Vec<_> = pairs.iter().enumerate().map(walk).collect();
            assert_eq!(*first.get_or_insert_with(|| all.clone()), all, "{name} on {}", machine.name());
        }
    }
}

#[test]
fn routes_go_around_dead_nodes() {
    // A wall of dead nodes with one gap: the way from (1, 0) to (1, 4) leads through row 3.
    let dead = [2, 7, 12].map(NodeId).to_vec();
    let machine = Machine::new("mesh:4x5").unwrap().with_dead(dead.clone()).unwrap();
    let living: Vec<_> = machine.living().collect();
    let pairs: Vec<_> = living.iter().flat_map(|&from| living.iter().map(move |&to| (from, to))).collect();
    let routes = routes(&machine, &pairs).unwrap();
    for (index, &(from, to)) in pairs.iter().enumerate() {
        assert_eq!(Some(routes.hops(index, (from, to))), machine.distance(from, to));
        routes.for_each_link(index, (from, to), |link| {
            assert!(!dead.contains(&machine.target(link).expect("wired, and not into a dead node")));
        });
    }
    assert_eq!(machine.distance(NodeId(5), NodeId(9)), Some(Hops(8)));
    let walled = Machine::new("mesh:2x3").unwrap().with_dead(vec![NodeId(1), NodeId(4)]).unwrap();
    let error =
        meshwright_network::routing::routes(&walled, &[(NodeId(0), NodeId(2))]).unwrap_err().to_string();
    assert!(error.contains("no path from node (0,0) to node (0,2)"), "{error}");
}

#[test]
fn dimension_order_deadlocks_only_around_rings_of_four_and_more() {
    for machine in machines().into_iter().filter(|machine| machine.whole_grid().is_some()) {
        let pairs = pairs(&machine);
        let cycle = deadlock::cycle(machine.links(), &routes(&machine, &pairs).unwrap(), &pairs);
        // A message turns the corner of a ring only if it takes two links of it.
        let rings = machine
            .whole_grid()
            .is_some_and(|grid| grid.wraps() && grid.sides().iter().any(|&side| side > 3));
        assert_eq!(cycle.is_some(), rings, "{}: {cycle:?}", machine.name());
        for (index, link) in cycle.iter().flatten().enumerate() {
            let cycle = cycle.as_ref().unwrap();
            let next = cycle[(index + 1) % cycle.len()];
            assert_eq!(
                machine.target(*link),
                Some(machine.source(next)),
                "the certificate is a ring of links"
            );
        }
    }
}

#[test]
fn every_placement_is_one_to_one_on_living_nodes_and_repeats() {
    for (name, dead) in [
        ("mesh:4x8", vec![]),
        ("torus:4x4x4", vec![]),
        ("mesh:6x6", vec![NodeId(14), NodeId(0)]),
        ("hypercube:5", vec![]),
    ] {
        let machine = Machine::new(name).unwrap().with_dead(dead).unwrap();
        for method in PLACEMENTS {
            for tasks in [1, 8, 16] {
                let ring =
                    (0..tasks).map(|at| Edge { source: at, target: (at + 1) % tasks, bytes: Bytes(8) });
                let ring = TaskGraph::new("ring", tasks, ring.map(|edge| (1, edge)).collect()).unwrap();
                let request = match method.name {
                    // What it places are the axes of a job.
                    "axes" if tasks == 1 => continue,
                    "axes" => Request::of(&ring, &machine, 3),
                    _ => Request::count(tasks, &machine, 3),
                };
                let placement = place(method.name, &request).unwrap();
                assert_eq!(placement, place(method.name, &request).unwrap(), "{} repeats", method.name);
                let mut seen = placement.nodes.clone();
                seen.sort_unstable();
                seen.dedup();
                assert_eq!(seen.len(), tasks as usize, "{} on {name} is one-to-one", method.name);
                assert!(
                    seen.iter().all(|&node| machine.is_alive(node)),
                    "{} on {name} avoids dead nodes",
                    method.name
                );
            }
        }
    }
}

/// Balls counted by the formula against balls counted node by node, in the middle of a box that holds them.
#[test]
fn balls_have_their_formula() {
    for name in ["mesh:17", "mesh:17x17", "mesh:13x13x13"] {
        let machine = Machine::new(name).unwrap();
        let middle = NodeId(machine.nodes() / 2);
        let distances = distances_from(&machine, middle);
        for hops in 0..=6 {
            let counted = distances.iter().filter(|&&d| d <= hops).count() as u64;
            assert_eq!(bound::ball(machine.network(), hops), counted, "{name}, {hops} hops");
        }
    }
}

#[test]
fn balls_grow_and_never_overflow() {
    for name in ["mesh:1", "mesh:17x17", "hypercube:21"] {
        let machine = Machine::new(name).unwrap();
        let sizes: Vec<u64> =
            (0..32).map(|bits| bound::ball(machine.network(), (1u64 << bits).min(1 << 24) as u32)).collect();
        assert!(sizes.is_sorted() && sizes[0] >= 1, "{name}: {sizes:?}");
    }
}

#[test]
fn the_radius_is_the_least_eccentricity() {
    for machine in machines() {
        let least = nodes(&machine).map(|node| machine.eccentricity(node)).min().unwrap();
        assert_eq!(bound::radius(&machine, machine.nodes()), least, "{}", machine.name());
    }
}

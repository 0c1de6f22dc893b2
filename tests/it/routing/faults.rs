//! Dead links and nodes: what they cut, and that packets go around them.

use meshwright_core::Error;
use meshwright_core::units::{Hops, NodeId, Port};
use meshwright_network::routing::{relation, routes};
use meshwright_network::topology::{Machine, Topology, distances_from};

use super::{Packet, cut, graph, walk};

#[test]
fn a_dead_link_is_dead_both_ways_and_nowhere_else() {
    let whole = Machine::new("torus:4x3").unwrap();
    let broken = cut(whole.clone(), &[(0, 9), (4, 3), (3, 4)]);
    assert_eq!(broken.dead_links(), [(NodeId(0), NodeId(9)), (NodeId(3), NodeId(4))]);
    assert!(!broken.is_whole() && broken.whole_grid().is_none() && whole.is_whole());
    let dead = |a: u32, b: u32| [(0, 9), (9, 0), (3, 4), (4, 3)].contains(&(a, b));
    for node in (0..12).map(NodeId) {
        for port in (0..4).map(Port) {
            let wired = whole.neighbour(node, port).unwrap();
            let expected = (!dead(node.0, wired.0)).then_some(wired);
            assert_eq!(broken.neighbour(node, port), expected);
            assert_eq!(broken.target(broken.link(node, port)), expected);
        }
    }
    assert_eq!(broken.distance(NodeId(0), NodeId(9)), Some(Hops(3)));
    assert_eq!(broken.eccentricity(NodeId(3)).0, *distances_from(&broken, NodeId(3)).iter().max().unwrap());
    assert!(cut(broken, &[]).is_whole(), "a new list replaces the old one");
}

#[test]
fn wires_that_are_not_there_cannot_be_cut() {
    for (name, a, b) in
        [("mesh:3x3", 0, 4), ("mesh:3x3", 2, 3), ("mesh:3x3", 8, 9), ("mesh:3x3", 4, 4), ("torus:5", 0, 2)]
    {
        let error = Machine::new(name).unwrap().with_dead_links(vec![(NodeId(a), NodeId(b))]).unwrap_err();
        assert!(matches!(error, Error::Value { .. }) && error.to_string().contains("wired"), "{error}");
    }
}

#[test]
fn stored_routes_go_around_dead_links() {
    let machine = cut(Machine::new("mesh:4x5").unwrap(), &[(1, 2), (6, 7), (11, 12)]);
    let pairs = super::pairs(&machine);
    let routes = routes(&machine, &pairs).unwrap();
    for (index, &(from, to)) in pairs.iter().enumerate() {
        assert_eq!(Some(routes.hops(index, (from, to))), machine.distance(from, to));
        let mut at = from;
        routes.for_each_link(index, (from, to), |link| {
            assert_eq!(machine.source(link), at);
            at = machine.target(link).expect("no route uses a dead link");
        });
        assert_eq!(at, to);
    }
    assert_eq!(machine.distance(NodeId(0), NodeId(4)), Some(Hops(10)), "through the last row");
}

#[test]
fn nodes_that_are_cut_off_are_named() {
    let corner = cut(Machine::new("mesh:3x3").unwrap(), &[(8, 5), (8, 7)]);
    for routing in ["up-down", "shortest-path"] {
        let error = relation(routing, &corner).unwrap_err();
        assert!(matches!(error, Error::NotApplicable { .. }), "{error}");
        assert!(error.to_string().contains("no path from node (0,0) to node (2,2)"), "{error}");
        let buried = corner.clone().with_dead(vec![NodeId(8)]).unwrap();
        assert!(relation(routing, &buried).is_ok());
    }
    let error = routes(&corner, &[(NodeId(8), NodeId(2))]).unwrap_err().to_string();
    assert!(error.contains("no path from node (2,2) to node (0,2)"), "{error}");
    let error = relation("xy", &corner).unwrap_err().to_string();
    assert!(error.contains("dead nodes or links"), "{error}");
}

/// A node with more than 255 ports needs wider entries.
#[test]
fn a_star_of_many_leaves_has_its_table() {
    let wires: Vec<(u32, u32)> = (1..300).map(|leaf| (0, leaf)).collect();
    let star = graph(300, &wires);
    for routing in ["up-down", "shortest-path"] {
        let relation = relation(routing, &star).unwrap();
        for (source, target) in [(0, 299), (299, 0), (1, 256), (256, 1), (257, 255), (7, 7)] {
            let mut way = Vec::new();
            let header = relation.headers(NodeId(source), NodeId(target))[0];
            let packet = Packet { at: NodeId(source), arrived: None, header };
            walk(&star, &relation, packet, 0, &mut |packet, _, _| way.push(packet.at.0));
            let mut expected = vec![source, 0, target];
            expected.dedup();
            assert_eq!(way, if source == target { vec![source] } else { expected }, "{routing}");
        }
    }
}

#[test]
fn tables_that_do_not_fit_are_refused_with_the_bytes() {
    let machine = Machine::new("mesh:256x256").unwrap();
    for (routing, bytes) in [("shortest-path", 1u64 << 32), ("up-down", 1 << 33)] {
        let error = relation(routing, &machine).unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }), "{error}");
        assert!(error.to_string().contains(&format!("{bytes} bytes")), "{error}");
    }
}

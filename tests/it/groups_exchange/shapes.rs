//! The shapes behind the structures: boxes, binary trees and whose ways they share, hubs and their clusters.

use std::ops::RangeInclusive;

use rand::{RngExt, seq::SliceRandom};

use meshwright_core::rng::stream;
use meshwright_core::units::NodeId;
use meshwright_groups::exchange::k_centre::centres;
use meshwright_groups::exchange::{FullBox, Hubs, gibbons_paterson};
use meshwright_groups::{Group, Tree};
use meshwright_network::topology::{Grid, Machine, Topology, distances_from};

use super::{MACHINES, random_group};

#[test]
fn hubs_that_cannot_be_are_refused() {
    let parted = Machine::new("mesh:3").expect("a line").with_dead(vec![NodeId(1)]).expect("alive");
    let ends = Group::whole(&parted, "row").expect("an order");
    for hubs in [1, 2] {
        assert!(Hubs::new(&parted, &ends, hubs).is_err(), "a member is cut off");
    }
    let line = Machine::new("mesh:3").expect("a line");
    assert!(Hubs::new(&line, &ends, 0).is_err() && Hubs::new(&line, &Group::in_order(vec![]), 1).is_err());
}

#[test]
fn boxes_are_found_and_others_refused() {
    let find = |name: &str, nodes: &[u32]| {
        let machine = Machine::new(name).expect("a machine");
        let nodes: Vec<_> = nodes.iter().copied().map(NodeId).collect();
        FullBox::of(&machine, &Group::in_order(nodes)).map(|full_box| full_box.sides().to_vec())
    };
    assert_eq!(find("mesh:3x3", &[5, 4, 7, 8]).expect("a square"), [2, 2]);
    assert_eq!(find("torus:3x3", &[0, 2, 6, 8]).expect("over both borders"), [2, 2]);
    assert_eq!(find("hypercube:3", &[1, 5]).expect("an edge"), [2, 1, 1]);
    for (name, nodes) in [("mesh:3x3", [0, 2, 6, 8]), ("mesh:3x3", [0, 1, 3, 5]), ("mesh:1x9", [0, 1, 7, 8])]
    {
        assert!(find(name, &nodes).is_err(), "{name} {nodes:?}");
    }
    let broken = Machine::new("mesh:2x2").expect("a mesh").with_dead_links(vec![(NodeId(0), NodeId(1))]);
    let broken = broken.expect("a wire");
    let all = Group::whole(&broken, "row").expect("an order");
    assert!(FullBox::of(&broken, &all).is_err(), "a wire inside is dead");
    assert!(gibbons_paterson::tree(&Machine::new("mesh:2x2x2").expect("a cube"), &all).is_err());
}

/// The directed links of the way along the row first, as (from, to) cells.
fn way(grid: &Grid, from: NodeId, to: NodeId) -> Vec<(NodeId, NodeId)> {
    let (mut at, mut links) = (from, Vec::new());
    for axis in (0..grid.dimensions()).rev() {
        let (steps, up) = grid.offset(at, to, axis);
        for _ in 0..steps {
            let next = grid.step(at, axis, up).expect("inside");
            links.push((at, next));
            at = next;
        }
    }
    links
}

/// The most ways that share a directed link: up, and down.
fn most_shared(grid: &Grid, group: &Group, tree: &Tree) -> [usize; 2] {
    let edges = || (0..tree.size()).filter_map(|rank| Some((rank, tree.parent(rank)?)));
    let node = |rank| group.node(rank);
    let up = edges().flat_map(|(child, parent)| way(grid, node(child), node(parent))).collect();
    let down = edges().flat_map(|(child, parent)| way(grid, node(parent), node(child))).collect();
    [up, down].map(|mut links: Vec<_>| {
        links.sort_unstable();
        links.chunk_by(|a, b| a == b).map(<[_]>::len).max().unwrap_or(0)
    })
}

fn rectangles(sides: RangeInclusive<u32>) -> impl Iterator<Item = (u32, u32)> {
    sides.clone().flat_map(move |rows| sides.clone().map(move |columns| (rows, columns)))
}

fn check_binary_trees(rectangles: impl IntoIterator<Item = (u32, u32)>) {
    for (rows, columns) in rectangles {
        let machine = Machine::mesh([rows, columns]).expect("a mesh");
        let group = Group::whole(&machine, "row").expect("an order");
        let tree = gibbons_paterson::tree(&machine, &group).expect("a box");
        let what = format!("{rows}x{columns}");
        let [up, down] = most_shared(machine.whole_grid().expect("whole"), &group, &tree);
        // What is left of a long rectangle after the last quarters are lines: the least k with 4^k w >= h.
        let long = (0..).find(|&k| (rows.min(columns) << (2 * k)) >= rows.max(columns)).expect("some k");
        let lines = if rows.max(columns) <= 33 { 0 } else { long as usize };
        let (most_up, most_down) = (2 + lines, 4 + lines);
        let is_kept = tree.fan_out() <= 2 && up <= most_up && down <= most_down;
        assert!(is_kept, "{what}: {} {up} {down}", tree.fan_out());
        let levels = rows.max(columns).next_power_of_two().ilog2();
        assert!(tree.hops() <= 2 * levels, "{what}: {} edges", tree.hops());
        let height = tree.height_links(&machine, &group);
        let least = (rows / 2) + (columns / 2);
        assert!(height <= least + 2 * levels + 2, "{what}: {height} links, {least} at least");
    }
}

#[test]
fn binary_trees_are_flat_and_their_ways_hardly_meet() {
    check_binary_trees(rectangles(2..=14));
    for m in 2..=6u32 {
        let n = 1 << m;
        let machine = Machine::mesh([n, n]).expect("a mesh");
        let group = Group::whole(&machine, "hilbert").expect("an order");
        let tree = gibbons_paterson::tree(&machine, &group).expect("a box");
        let height = tree.height_links(&machine, &group);
        assert_eq!(height, n + 2 * m - 3, "side {n}");
        assert_eq!((tree.hops(), tree.fan_out()), (2 * m, 2), "side {n}");
    }
}

#[test]
#[ignore = "all rectangles with sides up to 33: seconds in debug code"]
fn binary_trees_of_all_rectangles() {
    check_binary_trees(rectangles(2..=33));
    check_binary_trees([
        (128, 128),
        (127, 129),
        (200, 130),
        (16, 256),
        (3, 300),
        (255, 255),
        (97, 193),
        (193, 97),
    ]);
}

/// Against all choices of k hubs among few members.
#[test]
fn hubs_are_within_twice_the_least_radius() {
    let mut rng = stream(4, "exchange");
    for trial in 0..60 {
        let machine = Machine::new(["mesh:6x6", "torus:6x6", "mesh:4x3x3"][trial % 3]).expect("a machine");
        let mut nodes: Vec<_> = (0..36).map(NodeId).collect();
        nodes.shuffle(&mut rng);
        nodes.truncate(rng.random_range(2..=11));
        let group = Group::in_order(nodes);
        let distance = |a: u32, b: u32| machine.distance(group.node(a), group.node(b)).expect("connected").0;
        let size = group.size();
        for count in 1..=3.min(size) {
            let radius = |hubs: u32| {
                let nearest = |rank| (0..size).filter(|hub| hubs >> hub & 1 == 1).map(move |hub| (rank, hub));
                let links = |rank| nearest(rank).map(|(a, b)| distance(a, b)).min().expect("a hub");
                (0..size).map(links).max().expect("a member")
            };
            let choices = (0..1u32 << size).filter(|hubs| hubs.count_ones() == count);
            let least = choices.map(radius).min().expect("a choice");
            let found = centres(&machine, &group, count).expect("connected");
            let own: u32 = found.hubs.iter().map(|hub| 1 << hub).sum();
            assert_eq!(own.count_ones(), count);
            let reached = radius(own);
            assert_eq!(found.links.iter().max(), Some(&reached));
            assert!(least <= reached && reached <= 2 * least, "{least} {reached} {:?}", group.members());
        }
    }
}

/// The trees of hubs lead along shortest ways.
#[test]
fn members_reach_their_hubs_on_shortest_ways() {
    let mut rng = stream(5, "exchange");
    for trial in 0..60 {
        let machine = Machine::new(MACHINES[trial % MACHINES.len()]).expect("a machine");
        let group = random_group(&machine, &mut rng);
        let count = rng.random_range(1..=group.size());
        let hubs = Hubs::new(&machine, &group, count).expect("connected");
        assert_eq!(hubs.hubs().len() as u32, count);
        let found = centres(&machine, &group, count).expect("connected");
        assert_eq!(hubs.barrier_links(&machine, &group), found.barrier_links(&machine, &group));
        for rank in 0..group.size() {
            let (mut at, mut links) = (rank, 0);
            while !hubs.is_hub(at) {
                let up = hubs.tree().parent(at).expect("a hub is above");
                links += machine.distance(group.node(at), group.node(up)).expect("connected").0;
                at = up;
            }
            let distances = distances_from(&machine, group.node(rank));
            assert_eq!(at, hubs.hub_of(rank));
            let nearest = hubs.hubs().iter().map(|&hub| distances[group.node(hub).index()]).min();
            assert_eq!(Some(links), nearest, "the nearest hub, on a shortest way");
        }
    }
}

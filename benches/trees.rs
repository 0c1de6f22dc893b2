//! Trees of groups at four sizes against rank halving, and monotone nearest against its definition; the extent of groups
//! against all distances.
//!
//! `cargo bench --bench trees`

mod table;

use meshwright_core::rng;
use meshwright_core::units::NodeId;
use meshwright_groups::{Extent, Group, TREES, Tree, monotone_nearest};
use meshwright_network::topology::{Machine, Topology};
use meshwright_papers::chochia1996::adversary;
use rand::RngExt;
use table::{Comparison, way};

fn main() {
    all_trees();
    nearest();
    extents();
}

/// All nodes of a machine in Hilbert order, or about half of them.
fn group(name: &str, half: bool) -> (Machine, Group) {
    let machine = Machine::new(name).expect("a box");
    let all = Group::whole(&machine, "hilbert").expect("an order");
    let mut random = rng::stream(1, "half");
    let kept = all.members().iter().copied().filter(|_| !half || random.random_range(0..2) == 0).collect();
    (machine, Group::in_order(kept))
}

fn all_trees() {
    let mut table = Comparison::new("A tree of a group", "member");
    let sizes = [
        ("mesh:32x32", false),
        ("mesh:256x256", true),
        ("mesh:1000x1000", false),
        ("mesh:1414x1414", true),
        ("torus:1414x1414", true),
        ("mesh:100x100x200", true),
    ];
    for (name, half) in sizes {
        let (machine, group) = group(name, half);
        let size = format!("{name}{}", if half { ", half" } else { "" });
        row(&mut table, &size, &machine, &group);
    }
    let mesh = Machine::new("mesh:1024x1024").expect("a mesh");
    let corners = adversary::adversarial_corner_group(&mesh, "hilbert").expect("corners");
    row(&mut table, "two corners of 1024x1024", &mesh, &corners);
    let dead = (0..mesh.nodes()).filter(|node| node % 977 == 5).map(NodeId).collect();
    let holes = mesh.with_dead(dead).expect("most are alive");
    let living = Group::whole(&holes, "hilbert").expect("an order");
    row(&mut table, "1024x1024, 1073 dead", &holes, &living);
    table.print();
}

/// Every tree of the table for one group.
fn row(table: &mut Comparison, size: &str, machine: &Machine, group: &Group) {
    let build = |method: fn(&Machine, &Group) -> meshwright_core::Result<Tree>| {
        u64::from(method(machine, group).expect("it fits the group").root())
    };
    let fitting = TREES.iter().filter(|method| (method.build)(machine, group).is_ok());
    let ways = fitting.map(|method| way(method.name, move || build(method.build))).collect();
    table.size(size, u64::from(group.size()), 3, ways);
}

/// The parents of monotone nearest as the definition has it: over all pairs of members.
fn by_pairs(machine: &Machine, group: &Group, root: u32) -> Vec<u32> {
    let place = |rank: u32| {
        let c = machine.coordinates(group.node(rank));
        (i64::from(c[0]), i64::from(c[1]))
    };
    let places: Vec<(i64, i64)> = (0..group.size()).map(place).collect();
    let (y, x) = places[root as usize];
    let parent = |&v: &(i64, i64)| {
        let inside = |u: &(i64, i64)| {
            (v.0.min(y)..=v.0.max(y)).contains(&u.0) && (v.1.min(x)..=v.1.max(x)).contains(&u.1) && *u != v
        };
        let key = |u: &(i64, i64)| {
            let balance = ((u.0 - y).abs() - (u.1 - x).abs()).abs();
            ((u.0 - v.0).abs() + (u.1 - v.1).abs(), balance, *u)
        };
        let near = (0..).zip(&places).filter(|(_, u)| inside(u)).min_by_key(|(_, u)| key(u));
        near.map_or(Tree::NONE, |(rank, _)| rank)
    };
    places.iter().map(parent).collect()
}

fn nearest() {
    let mut table = Comparison::new("Monotone nearest below a given root", "member");
    for side in [16, 32, 64] {
        let (machine, group) = group(&format!("mesh:{side}x{side}"), true);
        let root = Extent::of(&machine, &group).expect("a mesh").centre;
        let tree = || monotone_nearest::rooted_at(&machine, &group, root).expect("a mesh");
        assert_eq!(tree(), Tree::new(root, by_pairs(&machine, &group, root)));
        let ways = vec![
            way("all pairs", || by_pairs(&machine, &group, root).len() as u64),
            way("monotone nearest", || u64::from(tree().size())),
        ];
        table.size(&format!("half of {side}x{side}"), u64::from(group.size()), 5, ways);
    }
    table.print();
}

fn extents() {
    let mut table = Comparison::new("Diameter and centre", "member");
    for name in ["mesh:64x64", "torus:64x64", "torus:1414x1414"] {
        let (machine, group) = group(name, true);
        let farthest = |&v: &NodeId| group.members().iter().map(|&u| machine.distance(v, u)).max().flatten();
        let pairs = || group.members().iter().map(farthest).max().flatten().map_or(0, |links| links.0.into());
        let extent = || u64::from(Extent::of(&machine, &group).expect("a box").diameter);
        let mut ways = vec![way("extent", extent)];
        if group.size() < 10_000 {
            assert_eq!(extent(), pairs());
            ways.insert(0, way("all pairs", pairs));
        }
        table.size(&format!("half of {name}"), u64::from(group.size()), 3, ways);
    }
    table.print();
}

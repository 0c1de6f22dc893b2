//! Steps of splits in the paper's model.

use meshwright::groups::Group;
use meshwright::groups::mask::{Mask, TreeOf};
use meshwright::groups::protocol::{Operation, Script, members};
use meshwright::rng;
use meshwright::sim;
use meshwright::topology::{Machine, Topology};
use meshwright::units::NodeId;
use rand::{RngExt, seq::SliceRandom};

use super::{HALVING, label};

/// Steps from the first entry to the last exit of a split of random members into so many colours.
fn steps(machine: &Machine, tree: TreeOf, size: usize, colours: u32, seed: u64) -> u64 {
    let random = &mut rng::stream(seed, "figures");
    let mut nodes: Vec<NodeId> = machine.living().collect();
    nodes.shuffle(random);
    let group = Group::of(machine, "hilbert", &nodes[..size]).unwrap();
    let mask = Mask::new(machine, tree).knowing(colours, 1);
    let script = |_| Script::new(vec![Operation::Split(label(random.random_range(0..colours), 0))]);
    let programs = (0..size).map(script).collect();
    let mut processes = members(&mask, machine, &group, programs).unwrap();
    sim::packet::run_processes(machine, &mut processes).unwrap().cycles.0
}

#[test]
fn sixteen_ways_are_cheaper_than_one_of_the_papers() {
    let machine = Machine::new("mesh:16x16").unwrap().in_packets();
    println!("{}", steps(&machine, HALVING, 256, 16, 1));
    println!("{}", steps(&machine, HALVING, 256, 2, 1));
    println!("{}", steps(&machine, HALVING, 64, 2, 1));
}

fn mn(machine: &Machine, group: &Group) -> meshwright::error::Result<meshwright::groups::Tree> {
    let xy: Vec<(i64, i64)> = group
        .members()
        .iter()
        .map(|&n| {
            let c = machine.coordinates(n);
            (i64::from(c[1]), i64::from(c[0]))
        })
        .collect();
    let ecc = |&(x, y): &(i64, i64)| xy.iter().map(|&(a, b)| (a - x).abs() + (b - y).abs()).max().unwrap();
    let root = (0..xy.len()).min_by_key(|&i| ecc(&xy[i])).unwrap();
    let r = xy[root];
    let parent = (0..xy.len())
        .map(|v| {
            if v == root {
                return u32::MAX;
            }
            let p = xy[v];
            let inside = |q: (i64, i64)| {
                q.0 >= p.0.min(r.0) && q.0 <= p.0.max(r.0) && q.1 >= p.1.min(r.1) && q.1 <= p.1.max(r.1)
            };
            (0..xy.len())
                .filter(|&u| u != v && inside(xy[u]))
                .min_by_key(|&u| {
                    let q = xy[u];
                    (
                        (p.0 - q.0).abs() + (p.1 - q.1).abs(),
                        ((q.0 - r.0).abs() - (q.1 - r.1).abs()).abs(),
                        q.1,
                        q.0,
                    )
                })
                .unwrap() as u32
        })
        .collect();
    Ok(meshwright::groups::Tree::new(root as u32, parent))
}

#[test]
fn dev_mn() {
    let machine = Machine::new("mesh:16x16").unwrap().in_packets();
    for (s, k) in [(16, 2), (64, 2), (128, 2), (192, 2), (256, 2), (64, 16), (256, 16), (256, 256)] {
        let all: Vec<u64> = (0..20).map(|seed| steps(&machine, mn, s, k, seed)).collect();
        println!(
            "s {s} k {k}: avg {} max {}",
            all.iter().sum::<u64>() as f64 / 20.0,
            all.iter().max().unwrap()
        );
    }
}

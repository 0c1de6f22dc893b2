//! The packet engine: small cases by hand, the flit engine and formulas as second opinions, the paper's averages.

#[path = "packet/halving.rs"]
mod halving;

use halving::Halving;
use meshwright::groups::Group;
use meshwright::groups::protocol::{Operation, Script, members};
use meshwright::sim;
use meshwright::topology::Machine;
use meshwright::units::{Cycles, NodeId};

/// How long a barrier takes in each of some groups that share no node.
fn barriers(machine: &Machine, groups: &[Group]) -> Vec<Cycles> {
    let mut all = members(&Halving, machine, &Group::in_order(vec![]), vec![]).unwrap();
    for group in groups {
        let programs = vec![Script::new(vec![Operation::Barrier]); group.size() as usize];
        let mut some = members(&Halving, machine, group, programs).unwrap();
        for &NodeId(node) in group.members() {
            std::mem::swap(&mut all[node as usize], &mut some[node as usize]);
        }
    }
    let trace = sim::packet::run_processes(machine, &mut all).unwrap();
    assert_eq!((trace.unfinished.len(), &trace.deadlock), (0, &None));
    let end = |group: &Group| group.members().iter().map(|node| all[node.index()].log()[0].end).max().unwrap();
    groups.iter().map(end).collect()
}

#[test]
fn barriers_take_as_long_as_in_the_paper() {
    let mesh = Machine::new("mesh:16x16").unwrap().in_packets();
    let whole = Group::whole(&mesh, "hilbert").unwrap();
    assert_eq!(barriers(&mesh, &[whole.clone()]), [Cycles(63)]);
    use rand::RngExt;
    let mut rng = meshwright::rng::stream(1, "labels");
    let mut sums = vec![(0u64, 0u64); 257];
    for _ in 0..500 {
        let mut groups = vec![whole.clone()];
        for _ in 0..4 {
            groups = groups.iter().flat_map(|g| {
                let colours: Vec<u32> = (0..g.size()).map(|_| rng.random_range(0..2)).collect();
                g.split(&colours).into_iter().map(|(_, g)| g).collect::<Vec<_>>()
            }).collect();
            for (group, time) in groups.iter().zip(barriers(&mesh, &groups)) {
                let sum = &mut sums[group.size() as usize];
                *sum = (sum.0 + 1, sum.1 + time.0);
            }
        }
    }
    for (a, b, e) in [(7, 8, 49.3), (13, 16, 64.5), (25, 32, 75.5), (49, 64, 81.6), (97, 128, 83.1)] {
        let (n, t) = sums[a..=b].iter().fold((0, 0), |s, x| (s.0 + x.0, s.1 + x.1));
        println!("{a}-{b}: {} of {n}, reference {e}", t as f64 / n as f64);
    }
}

//! Steps of splits in the paper's model.

use meshwright::groups::Group;
use meshwright::groups::mask::{Mask, TreeOf};
use meshwright::groups::monotone_nearest;
use meshwright::groups::protocol::{Label, Operation, Scheme, Script, members};
use meshwright::rng;
use meshwright::sim;
use meshwright::topology::Machine;
use meshwright::units::NodeId;
use rand::{RngExt, seq::SliceRandom};

use super::label;

const MONOTONE: TreeOf = monotone_nearest::tree;

/// A random group of this size in the order of the Hilbert curve.
fn random_group(machine: &Machine, size: usize, seed: u64) -> Group {
    let mut nodes: Vec<NodeId> = machine.living().collect();
    nodes.shuffle(&mut rng::stream(seed, "members"));
    Group::of(machine, "hilbert", &nodes[..size]).unwrap()
}

fn random_labels(size: usize, colours: u32, seed: u64) -> Vec<Label> {
    let random = &mut rng::stream(seed, "labels");
    (0..size).map(|_| label(random.random_range(0..colours), 0)).collect()
}

/// Steps from the first entry to the last exit of one split.
pub fn steps<S: Scheme>(scheme: &S, machine: &Machine, group: &Group, labels: &[Label]) -> u64 {
    let script = |&label: &Label| Script::new(vec![Operation::Split(label)]);
    let mut processes = members(scheme, machine, group, labels.iter().map(script).collect()).unwrap();
    let trace = sim::packet::run_processes(machine, &mut processes).unwrap();
    assert!(trace.unfinished.is_empty());
    processes.iter().flat_map(|member| member.log()).map(|entry| entry.end.0).max().unwrap()
}

/// The largest and the mean of some splits with random labels.
fn splits(machine: &Machine, size: usize, colours: u32, times: u64) -> (u64, f64) {
    let mask = Mask::new(machine, MONOTONE).knowing(colours, 1);
    let all: Vec<u64> = (0..times)
        .map(|seed| {
            let group = random_group(machine, size, seed);
            steps(&mask, machine, &group, &random_labels(size, colours, seed))
        })
        .collect();
    (*all.iter().max().unwrap(), all.iter().sum::<u64>() as f64 / times as f64)
}

#[test]
fn a_split_of_a_mesh_takes_hardly_more_than_a_barrier() {
    let machine = Machine::new("mesh:16x16").unwrap().in_packets();
    // Two ways, four blocks: a barrier on this tree takes 32 steps.
    assert!(splits(&machine, 256, 2, 3).0 <= 53);
    for size in [16, 64, 128, 192] {
        let (worst, mean) = splits(&machine, size, 2, 6);
        assert!(worst <= 53 && mean <= 45.0, "{size} members: {worst} at most, {mean} on average");
    }
    // Sixteen ways, sixteen blocks.
    assert!(splits(&machine, 256, 16, 3).0 <= 110);
}

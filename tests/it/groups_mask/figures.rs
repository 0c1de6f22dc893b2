//! Steps of splits in the paper's model.

use std::collections::BTreeMap;

use meshwright_core::rng;
use meshwright_core::units::{Bytes, NodeId};
use meshwright_groups::Group;
use meshwright_groups::mask::{Mask, TreeOf};
use meshwright_groups::protocol::{Label, Operation, Scheme, Script, members};
use meshwright_groups::{monotone_nearest, trees};
use meshwright_network::topology::Machine;
use meshwright_sim as sim;
use rand::{RngExt, seq::SliceRandom};

use super::{HALVING, label, mix};

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
pub(super) fn steps<S: Scheme>(scheme: &S, machine: &Machine, group: &Group, labels: &[Label]) -> u64 {
    let script = |&label: &Label| Script::new(vec![Operation::Split(label)]);
    let mut processes = members(scheme, machine, group, labels.iter().map(script).collect()).unwrap();
    let trace = sim::run(machine, &mut processes, &sim::Engine::Packet).unwrap();
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

/// Four nested splits with a barrier after each and four joins, all groups at the same time: by the size of the group
/// that is split, the sizes from 2^i + 1 to 2^(i + 1) in bin i, the steps from the last entry to the last exit.
fn nested(machine: &Machine, tree: TreeOf, colours: u32, repetitions: u64) -> Vec<Vec<u64>> {
    let mut bins = vec![Vec::new(); 32];
    for seed in 0..repetitions {
        let group = Group::whole(machine, "hilbert").unwrap();
        let random = &mut rng::stream(seed, "nested");
        let script = |_| {
            let split = |_| [Operation::Split(label(random.random_range(0..colours), 0)), Operation::Barrier];
            let splits: Vec<Operation> = (0..4).flat_map(split).collect();
            Script::new([splits, vec![Operation::Join; 4]].concat())
        };
        let programs = (0..group.size()).map(script).collect();
        let mask = Mask::new(machine, tree).knowing(colours, 1);
        let mut processes = members(&mask, machine, &group, programs).unwrap();
        assert!(sim::run(machine, &mut processes, &sim::Engine::Packet).unwrap().unfinished.is_empty());
        let mut splits: BTreeMap<u64, (u32, u64, u64)> = BTreeMap::new();
        for entry in processes.iter().flat_map(|member| member.log()) {
            if matches!(entry.operation, Operation::Split(_)) {
                let (_, begin, end) = splits.entry(entry.group).or_insert((entry.size, 0, 0));
                (*begin, *end) = (entry.begin.0.max(*begin), entry.end.0.max(*end));
            }
        }
        for (size, begin, end) in splits.into_values().filter(|&(size, ..)| size > 1) {
            bins[(size - 1).ilog2() as usize].push(end - begin);
        }
    }
    bins
}

fn mean(steps: &[u64]) -> f64 {
    steps.iter().sum::<u64>() as f64 / steps.len() as f64
}

#[test]
fn a_split_of_a_mesh_takes_hardly_more_than_a_barrier() {
    let machine = Machine::new("mesh:16x16").unwrap().in_packets();
    // Two ways, four blocks: a barrier on this tree takes 32 steps.
    assert!(splits(&machine, 256, 2, 2).0 <= 36);
    for (size, steps) in [(16, 36), (64, 38), (192, 42)] {
        let (worst, mean) = splits(&machine, size, 2, 4);
        assert!(worst <= steps, "{size} members: {worst} at most, {mean} on average");
    }
    // Sixteen ways, sixteen blocks.
    assert!(splits(&machine, 256, 16, 2).0 <= 50);
}

#[test]
fn many_groups_split_at_the_same_time_within_the_figures() {
    let machine = Machine::new("mesh:16x16").unwrap().in_packets();
    for (bin, steps) in
        nested(&machine, MONOTONE, 2, 3).iter().enumerate().filter(|(_, steps)| !steps.is_empty())
    {
        assert!(mean(steps) <= 53.0, "up to {} members: {:.1}", 2 << bin, mean(steps));
    }
}

#[test]
#[ignore = "the figures of the documentation; minutes without optimisation"]
fn figures() {
    for (n, repetitions) in [(16, 300), (32, 20), (64, 3)] {
        let machine = Machine::mesh([n, n]).unwrap().in_packets();
        for tree in ["rank-halving", "monotone-nearest", "ecrb2", "ecrb4"] {
            let build = trees::tree(tree).unwrap().build;
            for (bin, steps) in nested(&machine, build, 2, repetitions).iter().enumerate() {
                if let Some(worst) = steps.iter().max() {
                    println!("{n} {tree} nested, up to {} members: {:.1} / {worst}", 2 << bin, mean(steps));
                }
            }
        }
        for colours in [2, 16, 256] {
            let (worst, mean) = splits(&machine, (n * n) as usize, colours, 3);
            println!("{n} all into {colours}: {mean:.1} / {worst}");
        }
    }
}

/// Splits a square machine into very many colours, in blocks that hold all labels, and compares with the definition.
fn many_colours(side: u32, label: impl Fn(u32) -> Label) {
    let machine = Machine::mesh([side, side]).unwrap();
    let group = Group::whole(&machine, "hilbert").unwrap();
    let labels: Vec<Label> = (0..group.size()).map(label).collect();
    let mask = Mask::new(&machine, HALVING).in_blocks(Bytes(8 * u64::from(group.size())));
    let processes = super::split(&mask, &machine, &group, &labels);
    let (colours, keys): (Vec<u32>, Vec<u32>) = labels.iter().map(|label| (label.colour, label.key)).unzip();
    for (_, part) in group.split_by(&colours, &keys) {
        for (rank, &node) in (0..).zip(part.members()) {
            let place = processes[node.index()].places().last().unwrap();
            assert_eq!(place.rank(), rank);
            assert!(rank > 0 || place.known().group() == &part, "once a group");
        }
    }
}

#[test]
fn very_many_colours_and_keys_are_right() {
    many_colours(40, |i| label(mix(i), 0));
    many_colours(40, |i| label(mix(i) % 900, mix(i + 5)));
}

#[test]
#[ignore = "a million members: minutes without optimisation"]
fn a_million_colours_are_right() {
    many_colours(1000, |i| label(mix(i), 0));
}

#[test]
#[ignore = "a million members: minutes without optimisation"]
fn a_million_keys_are_right() {
    many_colours(1000, |i| label(mix(i) % 1000, mix(i + 5)));
}

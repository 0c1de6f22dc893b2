//! Random programs of nested splits, barriers and joins.

use std::collections::BTreeMap;

use meshwright_core::rng;
use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_groups::Group;
use meshwright_groups::mask::Mask;
use meshwright_groups::protocol::{Here, Label, LogEntry, Member, Operation, Program, Script, members};
use meshwright_network::topology::{Machine, Topology};
use meshwright_sim as sim;
use meshwright_sim::any_order::{Adversary, Order, run_processes as run_in_any_order};
use rand::{RngExt, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

use super::{HALVING, label};

/// A script, and the rank and size of its group whenever an operation has ended.
#[derive(Default)]
struct Noted {
    script: Script,
    places: Vec<(u32, u32)>,
}

impl Program for Noted {
    fn next(&mut self, here: Here) -> Operation {
        self.places.push((here.rank, here.size));
        self.script.next(here)
    }
}

/// What every node shall do, and where it must be after each operation.
struct Plan {
    operations: Vec<Vec<Operation>>,
    places: Vec<Vec<(u32, u32)>>,
}

impl Plan {
    fn new(nodes: u32) -> Self {
        Self { operations: vec![Vec::new(); nodes as usize], places: vec![Vec::new(); nodes as usize] }
    }

    fn say(&mut self, group: &Group, operation: Operation) {
        for &node in group.members() {
            self.operations[node.index()].push(operation);
        }
    }

    fn arrive(&mut self, group: &Group) {
        for (rank, &node) in (0..).zip(group.members()) {
            self.places[node.index()].push((rank, group.size()));
        }
    }

    /// Random splits of a group, down to this depth, each followed by a join.
    fn grow(&mut self, group: &Group, depth: u32, random: &mut ChaCha8Rng) {
        for _ in 0..random.random_range(0..3) {
            self.say(group, Operation::Barrier);
            self.arrive(group);
        }
        if depth == 0 {
            return;
        }
        let (colours, keys) =
            (random.random_range(1..5), random.random_range(1..3) * random.random_range(0..9) + 1);
        let scale = if random.random_bool(0.5) { 1 } else { 700_000_001 };
        let labels: Vec<Label> = (0..group.size())
            .map(|_| label(random.random_range(0..colours) * scale, random.random_range(0..keys)))
            .collect();
        for (&node, &label) in group.members().iter().zip(&labels) {
            let lazy = Operation::Compute(Cycles(random.random_range(0..40)));
            self.operations[node.index()].extend([lazy, Operation::Split(label)]);
        }
        self.arrive(group);
        let (colours, keys): (Vec<u32>, Vec<u32>) =
            labels.iter().map(|label| (label.colour, label.key)).unzip();
        for (_, part) in group.split_by(&colours, &keys) {
            self.arrive(&part);
            self.grow(&part, depth - 1, random);
            self.say(&part, Operation::Join);
        }
        self.arrive(group);
    }
}

/// Nobody left a barrier or a join before all of its group had come to it.
fn assert_barriers_hold<P: Program>(processes: &[Member<'_, Mask<'_>, P>]) {
    let mut meetings: BTreeMap<(u64, u32, usize), Vec<LogEntry>> = BTreeMap::new();
    for member in processes {
        let mut counts: BTreeMap<(u64, u32), usize> = BTreeMap::new();
        for &entry in member.log() {
            if matches!(entry.operation, Operation::Barrier | Operation::Join) {
                let count = counts.entry((entry.group, entry.level)).or_default();
                meetings.entry((entry.group, entry.level, *count)).or_default().push(entry);
                *count += 1;
            }
        }
    }
    for (meeting, entries) in meetings {
        assert_eq!(entries.len(), entries[0].size as usize, "{meeting:?}: all of the group come");
        let last = entries.iter().map(|entry| entry.begin).max();
        let first = entries.iter().map(|entry| entry.end).min();
        assert!(last <= first, "{meeting:?}: somebody left at {first:?}, somebody came at {last:?}");
    }
}

fn check(machine: &Machine, seed: u64, run: impl Fn(&mut [Member<'_, Mask<'_>, Noted>])) {
    let random = &mut rng::stream(seed, "programs");
    let mut nodes: Vec<NodeId> = machine.living().collect();
    nodes.shuffle(random);
    nodes.truncate(random.random_range(1..=nodes.len()));
    let group = Group::in_order(nodes);
    let mut plan = Plan::new(machine.nodes());
    plan.arrive(&group);
    plan.grow(&group, 3, random);
    let block = *[8, 16, 1 << 10].get(seed as usize % 3).unwrap();
    let mask = Mask::new(machine, HALVING).in_blocks(Bytes(block));
    let programs = group.members().iter().map(|node| {
        let script = Script::new(plan.operations[node.index()].clone());
        Noted { script, places: Vec::new() }
    });
    let mut processes = members(&mask, machine, &group, programs.collect()).unwrap();
    run(&mut processes);
    for &node in group.members() {
        let places = &processes[node.index()].program().places;
        assert_eq!(places, &plan.places[node.index()], "{} seed {seed} node {node}", machine.name());
    }
    assert_barriers_hold(&processes);
}

const MACHINES: [&str; 6] = ["mesh:4x4", "mesh:3x5", "torus:4x4", "mesh:2x3x3", "mesh:1x11", "mesh:6x6"];

#[test]
fn nested_programs_run_as_the_definition_says() {
    for (seed, name) in (0..30).zip(MACHINES.iter().cycle()) {
        let machine = Machine::new(name).unwrap();
        check(&machine, seed, |processes| {
            assert!(sim::run(&machine, processes, &sim::Engine::Message).unwrap().unfinished.is_empty());
        });
        let machine = machine.in_packets();
        check(&machine, seed, |processes| {
            assert!(sim::run(&machine, processes, &sim::Engine::Packet).unwrap().unfinished.is_empty());
        });
    }
}

#[test]
fn nested_programs_run_as_the_definition_says_in_every_order_of_arrival() {
    for (seed, name) in (100..150).zip(MACHINES.iter().cycle()) {
        let machine = Machine::new(name).unwrap();
        for order in [
            Order::OldestFirst,
            Order::NewestFirst,
            Order::Random,
            Order::StarveNode(NodeId(seed as u32 % machine.nodes())),
        ] {
            let adversary = Adversary { order, in_channels: seed % 2 == 0, seed };
            check(&machine, seed, |processes| {
                assert!(run_in_any_order(processes, adversary).unwrap().unfinished.is_empty());
            });
        }
    }
}

//! Groups side by side: disjoint groups of one machine that begin at the same moment.

use rand::Rng;
use rand::seq::SliceRandom;

use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_groups::Group;
use meshwright_groups::protocol::{Label, Member, Operation, Script, members};
use meshwright_groups::rank_split::RankSplit;
use meshwright_network::topology::{Machine, Topology};
use meshwright_sim::Trace;
use meshwright_verdict::groups::Engine;

/// A split of a member with this label.
pub(super) fn split(label: bool) -> Operation {
    Operation::Split(Label { colour: u32::from(label), key: 0 })
}

/// Runs a program on every member of disjoint groups, by group and rank; what was measured, and how long each group took.
pub(super) fn run(
    machine: &Machine,
    groups: &[Group],
    engine: Engine,
    mut program: impl FnMut(usize, u32) -> Vec<Operation>,
) -> Result<(Trace, Vec<u64>)> {
    let paper = RankSplit::default();
    let absent = |_| Member::new(&paper, None, Script::default());
    let mut all: Vec<_> = (0..machine.nodes()).map(absent).collect();
    for (number, group) in groups.iter().enumerate() {
        let programs = (0..group.size()).map(|rank| Script::new(program(number, rank))).collect();
        let mut own = members(&paper, machine, group, programs)?;
        for node in group.members() {
            std::mem::swap(&mut all[node.index()], &mut own[node.index()]);
        }
    }
    let trace = engine.run(machine, &mut all)?;
    let ends = groups.iter().map(|group| {
        let last = |node: &NodeId| all[node.index()].log().last().map_or(0, |entry| entry.end.0);
        group.members().iter().map(last).max().unwrap_or(0)
    });
    let ends = ends.collect();
    Ok((trace, ends))
}

/// So many different nodes, in random order.
pub(super) fn drawn(machine: &Machine, count: usize, draws: &mut impl Rng) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = (0..machine.nodes()).map(NodeId).collect();
    nodes.shuffle(draws);
    nodes.truncate(count);
    nodes
}

//! Quicksort as a nested data-parallel program: one key on each of 256 nodes, groups that split as the keys tell.
//!
//! A team chooses one of its members at random, learns its key, counts and splits: smaller keys here, the others there.
//! Each part does the same on its own and waits for no other, until it is a single node or all its keys are equal. The
//! parts then join, in the order in which they were split, and every node knows where its key stands in the sorted
//! order. No list of the members of any group exists anywhere.
//!
//! `cargo run --release --example nested_quicksort [-- --out DIR]` prints the groups level by level; with `--out` it also
//! draws them.

#![allow(clippy::disallowed_methods, reason = "a program reads its arguments, files and the clock")]

use std::path::Path;

use meshwright_core::rng;
use meshwright_core::units::{Cycles, NodeId};
use meshwright_groups::contraction::Contraction;
use meshwright_groups::history::History;
use meshwright_groups::mask::Mask;
use meshwright_groups::nested::{Run, Team};
use meshwright_groups::protocol::{Operator, Scheme, members};
use meshwright_groups::rank_split::RankSplit;
use meshwright_groups::{Group, monotone_nearest};
use meshwright_network::topology::{Machine, Topology};
use meshwright_report::{GroupsOverTime, groups_files, write_all};
use meshwright_sim as sim;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Of the keys, and of the members who name theirs.
const SEED: u64 = 6;

/// How long it takes to compare two keys.
const COMPARISON: Cycles = Cycles(1);

/// Where this member's key stands in the sorted order, if the team's keys begin at place `first`.
///
/// All members of a team have drawn equally often, so they draw the same number.
async fn place(team: &mut Team, key: u64, first: u64, mut draws: ChaCha8Rng) -> u64 {
    if team.size() == 1 {
        return first;
    }
    let chosen = draws.random_range(0..team.size());
    let pivot = team.broadcast(chosen, key).await;
    team.compute(COMPARISON).await;
    // Two counts in one word.
    let counts = u64::from(key < pivot) << 32 | u64::from(key == pivot);
    let counts = team.all_reduce(Operator::Sum, counts).await;
    let (smaller, equal) = (counts >> 32, counts & u64::from(u32::MAX));
    if equal == u64::from(team.size()) {
        return first + u64::from(team.rank());
    }
    // Neither side is empty: the pivot is on one, and a smaller key, or else a larger one, on the other.
    let (is_upper, lower) = if smaller > 0 { (key >= pivot, smaller) } else { (key > pivot, equal) };
    let first = if is_upper { first + lower } else { first };
    team.switch(is_upper.into(), async |part| place(part, key, first, draws).await).await
}

/// What a run gave.
pub(crate) struct Sorted {
    /// By node, the place of its key.
    pub(crate) places: Vec<u64>,
    /// The groups over time.
    pub(crate) history: History,
    /// How long it took.
    pub(crate) cycles: Cycles,
}

/// Sorts one key for each node of a machine.
pub(crate) fn sort<S: Scheme>(
    scheme: &S,
    machine: &Machine,
    keys: &[u64],
    seed: u64,
) -> meshwright_core::Result<Sorted> {
    let group = Group::whole(machine, "hilbert")?;
    let program = |&node: &NodeId| {
        let (key, draws) = (keys[node.index()], rng::stream(seed, "pivots"));
        Run::of(async move |team: &mut Team| place(team, key, 0, draws).await)
    };
    let programs = group.members().iter().map(program).collect();
    let mut members = members(scheme, machine, &group, programs)?;
    let trace = sim::run(machine, &mut members, &sim::Engine::Packet)?;
    assert!(trace.unfinished.is_empty(), "every node comes to its end");
    let history = History::of(&group, |node| members[node.index()].log());
    let places = members.iter().map(|member| *member.program().result().expect("it has finished")).collect();
    Ok(Sorted { places, history, cycles: trace.cycles })
}

/// One key for each node, some of them equal.
pub(crate) fn keys(nodes: u32, seed: u64) -> Vec<u64> {
    let mut random = rng::stream(seed, "keys");
    (0..nodes).map(|_| random.random_range(0..u64::from(nodes))).collect()
}

/// Every node's place is that of its key in the sorted list, and no two nodes have the same place.
fn check(keys: &[u64], places: &[u64]) {
    let mut sorted = vec![None; keys.len()];
    for (&key, &place) in keys.iter().zip(places) {
        assert_eq!(sorted[place as usize].replace(key), None, "a place has one node");
    }
    let mut expected = keys.to_vec();
    expected.sort_unstable();
    assert!(sorted.into_iter().eq(expected.into_iter().map(Some)), "keys stand in their order");
}

fn table(name: &str, sorted: &Sorted) {
    println!(
        "{name}: {} steps\n{:>5} {:>7} {:>8} {:>7} {:>7}",
        sorted.cycles.0, "level", "groups", "largest", "from", "to"
    );
    for (level, row) in sorted.history.levels().iter().enumerate() {
        println!("{level:>5} {:>7} {:>8} {:>7} {:>7}", row.groups, row.largest, row.begin.0, row.end.0);
    }
}

/// Sorts under four splits; the runs by name, the first one the paper's.
pub(crate) fn runs(machine: &Machine, keys: &[u64]) -> meshwright_core::Result<Vec<(&'static str, Sorted)>> {
    let mask = Mask::new(machine, monotone_nearest::tree).knowing(2, 1);
    Ok(vec![
        ("paper", sort(&RankSplit::default(), machine, keys, SEED)?),
        ("paper-fast", sort(&RankSplit::short(), machine, keys, SEED)?),
        ("tac", sort(&Contraction::new(machine)?, machine, keys, SEED)?),
        ("mask", sort(&mask, machine, keys, SEED)?),
    ])
}

pub(crate) fn main() -> meshwright_core::Result<()> {
    let machine = Machine::new("mesh:16x16")?.in_packets();
    let keys = keys(machine.nodes(), SEED);
    let runs = runs(&machine, &keys)?;
    for (name, sorted) in &runs {
        check(&keys, &sorted.places);
        println!("{name}: {} steps", sorted.cycles.0);
    }
    println!();
    let (name, sorted) = &runs[runs.len() - 1];
    table(name, sorted);
    let mut arguments = std::env::args().skip(1);
    if let (Some("--out"), Some(folder)) = (arguments.next().as_deref(), arguments.next()) {
        draw(&machine, &runs, Path::new(&folder))?;
    }
    Ok(())
}

/// Writes the page and its drawings.
fn draw(machine: &Machine, runs: &[(&'static str, Sorted)], folder: &Path) -> meshwright_core::Result<()> {
    let histories: Vec<_> = runs.iter().map(|(name, sorted)| (*name, &sorted.history)).collect();
    let title = "Quicksort on groups that split as the keys tell";
    let page = GroupsOverTime { title, machine, unit: "steps", runs: &histories };
    let files = groups_files(&page);
    let files: Vec<_> = files.iter().map(|file| (folder.join(&file.name), file.text.as_str())).collect();
    write_all(&files)
}

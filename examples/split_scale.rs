//! One split of a whole mesh by random labels and keys, sorted along the Hilbert curve: steps, messages, memory, time.
//!
//! `cargo run --release --example split_scale -- SIDE [COLOURS [KEYS [PASSES]]]` splits SIDE x SIDE nodes into COLOURS
//! groups (1000) by keys below KEYS (10^9), in the packet engine, and compares every member's rank and size with the
//! definition. PASSES by counting are tried at most (1) before colours are sorted by comparing.

#![allow(clippy::disallowed_methods, reason = "a program reads its arguments and the clock")]

use std::time::Instant;

use meshwright_core::Result;
use meshwright_core::rng;
use meshwright_groups::Group;
use meshwright_groups::curve_sort::CurveSort;
use meshwright_groups::protocol::{Label, Member, Operation, Script, members};
use meshwright_network::topology::Machine;
use meshwright_sim as sim;
use peak_alloc::PeakAlloc;
use rand::RngExt;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// How many members have another rank or size than the definition of a split says.
fn differences(group: &Group, labels: &[Label], members: &[Member<'_, CurveSort, Script>]) -> usize {
    let number = |of: fn(&Label) -> u32| labels.iter().map(of).collect::<Vec<_>>();
    let parts = group.split_by(&number(|label| label.colour), &number(|label| label.key));
    let is_wrong = |rank: u32, size: u32, member: &Member<'_, CurveSort, Script>| {
        member.places().last().is_none_or(|place| (place.rank(), place.size()) != (rank, size))
    };
    let wrong = |part: &Group| {
        let ranks = (0..part.size()).zip(part.members());
        ranks.filter(|(rank, node)| is_wrong(*rank, part.size(), &members[node.index()])).count()
    };
    parts.iter().map(|(_, part)| wrong(part)).sum()
}

fn main() -> Result<()> {
    let given: Vec<u32> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let number = |at: usize, usual| given.get(at).copied().unwrap_or(usual);
    let (side, colours, keys) = (number(0, 64), number(1, 1000), number(2, 1_000_000_000));
    let machine = Machine::new(&format!("mesh:{side}x{side}"))?.in_packets();
    let group = Group::whole(&machine, "hilbert")?;
    let mut draws = rng::stream(1, "labels");
    let mut label = || Label { colour: draws.random_range(0..colours), key: draws.random_range(0..keys) };
    let labels: Vec<Label> = group.members().iter().map(|_| label()).collect();
    let sort = CurveSort::new(&machine)?.knowing(colours, keys).with_passes(number(3, 1));
    let scripts = labels.iter().map(|&label| Script::new(vec![Operation::Split(label)])).collect();
    let begin = Instant::now();
    let mut all = members(&sort, &machine, &group, scripts)?;
    let trace = sim::run(&machine, &mut all, &sim::Engine::Packet)?;
    let seconds = begin.elapsed().as_secs_f64();
    let steps = all.iter().flat_map(Member::log).map(|entry| entry.end.0).max().unwrap_or(0);
    let diameter = 2 * (u64::from(side) - 1);
    println!("{} into {colours} colours by keys below {keys}", machine.name());
    println!("steps: {steps}, {:.1} times the diameter of {diameter}", steps as f64 / diameter.max(1) as f64);
    println!("messages for each member: {:.1}", trace.messages as f64 / f64::from(group.size()));
    println!("bytes kept by a member, at most: {}", all.iter().map(Member::bytes_kept).max().unwrap_or(0));
    println!("members that differ from the definition: {}", differences(&group, &labels, &all));
    println!("simulated in {seconds:.1} s, {:.0} MB", MEMORY.peak_usage_as_mb());
    Ok(())
}

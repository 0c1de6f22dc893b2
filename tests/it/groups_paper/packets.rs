//! The split in the paper's model of a step: what its steps 2 and 5 cost.

use meshwright_core::rng::stream;
use meshwright_groups::Group;
use meshwright_groups::protocol::{Label, Operation, Script, members};
use meshwright_groups::rank_split::RankSplit;
use meshwright_network::topology::Machine;
use meshwright_sim as sim;
use rand::RngExt;

/// Steps and messages of one split of 16 x 16 nodes by coins.
fn steps(paper: RankSplit, seed: u64) -> (u64, u64) {
    let machine = Machine::new("mesh:16x16").unwrap().in_packets();
    let group = Group::whole(&machine, "hilbert").unwrap();
    let mut random = stream(seed, "coins");
    let mut script = |_| {
        let colour = random.random_range(0..2);
        Script::new(vec![Operation::Split(Label { colour, key: 0 })])
    };
    let scripts = (0..256).map(&mut script).collect();
    let mut members = members(&paper, &machine, &group, scripts).unwrap();
    let trace = sim::run(&machine, &mut members, &sim::Engine::Packet).unwrap();
    assert!(trace.unfinished.is_empty());
    let end = members.iter().flat_map(|member| member.log()).map(|entry| entry.end.0).max();
    (end.unwrap(), trace.messages)
}

#[test]
fn steps_2_and_5_cost_what_their_passes_cost() {
    for seed in 0..2 {
        let paper = RankSplit::default();
        let (whole, messages) = steps(paper, seed);
        // Of 3,000 splits of 256 members the independent simulation found a mean of 202 steps and at most 225.
        assert!((180..=225).contains(&whole), "{whole} steps");
        let (without_2, fewer) = steps(RankSplit { partial: false, ..paper }, seed);
        assert_eq!(messages - fewer, 255);
        let (fast, fewest) = steps(RankSplit::short(), seed);
        assert_eq!(fewer - fewest, 510);
        // The farthest member is 30 links below the root, and a release has to come down to it when all is done.
        assert!(without_2 < whole && fast + 30 <= without_2, "{whole}, {without_2}, {fast} steps");
    }
}

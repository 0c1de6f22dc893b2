//! Random programs of splits, joins and barriers under adversaries: every tree is that of the direct construction, and
//! nobody leaves before the last has come.

use std::cell::RefCell;

use meshwright_core::error::Result;
use meshwright_core::rng::stream;
use meshwright_core::units::NodeId;
use meshwright_groups::Group;
use meshwright_groups::protocol::{
    Here, Join, Label, Member, Operation, Outbox, Position, Program, Scheme, members,
};
use meshwright_groups::rank_split::packet::RankSplitPacket;
use meshwright_groups::rank_split::{AdjacentRoot, Joining, RankSplit, RankSplitting};
use meshwright_network::topology::{Machine, Topology};
use rand::RngExt;

use super::direct;
use super::protocol::{adversary, check_logs, run, some_nodes};

/// The paper's split, which also writes down every place that is taken, by node.
#[derive(Debug)]
struct Watched {
    paper: RankSplit,
    taken: RefCell<Vec<Vec<Position<AdjacentRoot>>>>,
}

impl Scheme for Watched {
    const STEPS: &'static [&'static str] = RankSplit::STEPS;
    type Known = AdjacentRoot;
    type Packet = RankSplitPacket;
    type Splitting = (NodeId, RankSplitting);

    fn is_ordered(&self) -> bool {
        self.paper.is_ordered()
    }

    fn places(&self, machine: &Machine, group: &Group) -> Result<Vec<Position<AdjacentRoot>>> {
        self.paper.places(machine, group)
    }
    fn join<'p>(&self, parent: &'p Position<AdjacentRoot>, own: &'p Position<AdjacentRoot>) -> Join<'p> {
        self.paper.join(parent, own)
    }
    fn begin(
        &self,
        node: NodeId,
        place: &Position<AdjacentRoot>,
        label: Label,
        out: &mut Outbox<RankSplitPacket>,
    ) -> Self::Splitting {
        (node, self.paper.begin(node, place, label, out))
    }
    fn receive(
        &self,
        node: NodeId,
        place: &Position<AdjacentRoot>,
        splitting: &mut Self::Splitting,
        from: NodeId,
        packet: RankSplitPacket,
        out: &mut Outbox<RankSplitPacket>,
    ) {
        self.paper.receive(node, place, &mut splitting.1, from, packet, out);
    }
    fn take_place(&self, (node, splitting): &mut Self::Splitting) -> Option<Position<AdjacentRoot>> {
        let place = self.paper.take_place(splitting)?;
        self.taken.borrow_mut()[node.index()].push(place.clone());
        Some(place)
    }
    fn step(packet: &RankSplitPacket) -> usize {
        RankSplit::step(packet)
    }
    fn bytes_kept(place: &Position<AdjacentRoot>, splitting: Option<&Self::Splitting>) -> usize {
        RankSplit::bytes_kept(place, splitting.map(|(_, splitting)| splitting))
    }
}

/// The finaliser of SplitMix64: what the members of a group draw together, each alone.
fn mix(words: [u64; 3]) -> u64 {
    words.into_iter().fold(0, |sum: u64, word| {
        let mut z = (sum ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

/// What the group with this key does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Every member draws its label: state 1 with this chance in eighths.
    Split(u64),
    Barrier,
    Leave,
}

fn step(key: u64, number: u64, level: u32) -> Step {
    let draw = mix([key, number, 0]);
    match draw % 8 {
        0..4 if number < 4 && level < 4 => Step::Split(draw >> 8 & 7 | u64::from(draw >> 16 & 15 == 0) << 3),
        0..7 if number < 4 => Step::Barrier,
        _ => Step::Leave,
    }
}

fn colour(key: u64, number: u64, node: NodeId, ones: u64) -> u32 {
    u32::from(mix([key, number, 1 + u64::from(node.0)]) % 8 < ones)
}

/// The program of one member: the keys of the groups it is in, and how many steps each has done.
#[derive(Debug, Default)]
struct Nested {
    groups: Vec<(u64, u64)>,
}

impl Program for Nested {
    fn next(&mut self, here: Here) -> Operation {
        assert_eq!(here.level as usize, self.groups.len() - 1);
        let (key, number) = self.groups.last_mut().unwrap();
        let next = step(*key, *number, here.level);
        *number += 1;
        match next {
            Step::Split(ones) => {
                let colour = colour(*key, *number - 1, here.node, ones);
                let child = mix([*key, *number - 1, 1000 + u64::from(colour)]);
                self.groups.push((child, 0));
                Operation::Split(Label { colour, key: 0 })
            }
            Step::Barrier => Operation::Barrier,
            Step::Leave if here.level == 0 => Operation::Stop,
            Step::Leave => {
                self.groups.pop();
                Operation::Join
            }
        }
    }
}

/// Adds all places the members of a group take one after the other, by node; how many operations there are.
fn expect(group: &Group, key: u64, level: u32, taken: &mut [Vec<Position<AdjacentRoot>>]) -> usize {
    let mut operations = 0;
    for number in 0.. {
        match step(key, number, level) {
            // The split, and the join it ends with.
            Step::Split(ones) => {
                operations += 2;
                let colours: Vec<_> =
                    group.members().iter().map(|&node| colour(key, number, node, ones)).collect();
                let (places, parts) = direct::places(group, &colours);
                for (node, place) in places {
                    taken[node.index()].push(place);
                }
                for (colour, part) in parts {
                    let child = mix([key, number, 1000 + u64::from(colour)]);
                    operations += expect(&part, child, level + 1, taken);
                }
            }
            Step::Barrier => operations += 1,
            Step::Leave => break,
        }
    }
    operations
}

/// What a series of programs did.
#[derive(Debug, Default)]
struct Done {
    programs: usize,
    operations: usize,
    deepest: u32,
    /// By the two ways to join.
    early_most: [usize; 2],
}

impl Done {
    /// Early are at most two messages of the present tree, and of each split around it that of the other root, or those
    /// of two children: this does not grow with the size of a group.
    fn check_early(&self) {
        let deepest = self.deepest as usize;
        let [sub_trees, parent_tree] = self.early_most;
        assert!(sub_trees <= 2 + deepest && parent_tree <= 2 + 2 * deepest, "{self:?}");
    }
}

/// Runs so many programs of random sizes and shapes.
fn programs(seeds: std::ops::Range<u64>, side_most: u32) -> Done {
    let mut done = Done::default();
    for seed in seeds {
        let mut random = stream(seed, "nested programs");
        let kind = ["mesh", "torus"][random.random_range(0..2)];
        let axes = random.random_range(1..=3u32);
        let mut side = |axis: u32| random.random_range(1..=side_most >> axis).to_string();
        let sides: Vec<_> = (0..axes).map(&mut side).collect();
        let machine = Machine::new(&format!("{kind}:{}", sides.join("x"))).unwrap();
        let order = ["row", "column", "snake", "hilbert"][random.random_range(0..4)];
        let group = Group::of(&machine, order, &some_nodes(&machine, &mut random)).unwrap();
        let join = random.random_range(0..2);
        let joining = [Joining::SubTrees, Joining::ParentTree][join];
        let paper = RankSplit { partial: random.random_bool(0.5), full: random.random_bool(0.5), joining };
        let nobody = vec![Vec::new(); machine.nodes() as usize];
        let scheme = Watched { paper, taken: RefCell::new(nobody.clone()) };
        let start = |_: &NodeId| Nested { groups: vec![(seed, 0)] };
        let mut members =
            members(&scheme, &machine, &group, group.members().iter().map(start).collect()).unwrap();
        let adversary = adversary(random.random_bool(0.3), seed, &group);
        run(&mut members, adversary);
        let mut expected = nobody;
        let operations = expect(&group, seed, 0, &mut expected);
        assert_eq!(*scheme.taken.borrow(), expected, "program {seed}: {paper:?}, {adversary:?}");
        assert_eq!(check_logs(&members), operations, "program {seed}: {paper:?}, {adversary:?}");
        done.programs += 1;
        done.operations += operations;
        let levels = members.iter().flat_map(|member| member.log()).map(|entry| entry.level);
        done.deepest = done.deepest.max(levels.max().unwrap_or(0));
        let early = members.iter().map(Member::early_most).max().unwrap();
        done.early_most[join] = done.early_most[join].max(early);
    }
    done
}

#[test]
fn nested_programs() {
    let done = programs(0..250, 6);
    assert_eq!(done.deepest, 4);
    assert!(done.operations > 10 * done.programs, "{done:?}");
    done.check_early();
}

#[test]
#[ignore = "4,000 programs take half a minute"]
fn four_thousand_nested_programs() {
    let done = programs(1000..5000, 12);
    println!("{done:?}");
    assert_eq!((done.programs, done.deepest), (4000, 4));
    done.check_early();
}

//! A program of splits, barriers and joins as it is asked for.

use rand::RngExt;

use super::engine::Engine;
use super::methods::{METHODS, Method};
use super::runs::Runs;
use meshwright_core::error::{Error, Result};
use meshwright_core::rng::streams;
use meshwright_core::units::NodeId;
use meshwright_groups::Group;
use meshwright_groups::label_file::Given;
use meshwright_groups::protocol::Label;
use meshwright_network::topology::Machine;
use meshwright_schedule::process::Process;
use meshwright_sim::Trace;

/// More levels than this are a slip of the pen.
pub const LEVELS_MAX: u32 = 32;

/// More repetitions than this are a slip of the pen.
pub const REPEAT_MAX: u32 = 10_000_000;

/// Who goes where in the splits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Labels {
    /// One split of these members. Those without a label take part in the split and in the join, as a group that does
    /// nothing in between.
    Given(Given),
    /// Splits of all nodes by labels that are drawn.
    Drawn {
        /// How many splits are nested.
        levels: u32,
        /// How labels are drawn.
        kind: Drawn,
    },
}

/// How labels are drawn in a group of s members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drawn {
    /// Two random numbers below s, zeta for the group and xi for each member: label 1 where xi > zeta. The sizes of new
    /// groups are then uniform.
    #[default]
    Scattered,
    /// The same with the member's rank in place of xi: new groups are runs of consecutive ranks.
    Contiguous,
    /// One of so many colours, all alike.
    Colours(u32),
    /// The same, and one of so many keys, all alike.
    Keyed {
        /// How many colours there are.
        colours: u32,
        /// How many keys there are.
        keys: u32,
    },
}

/// Whether groups wait for each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// Every group goes on by itself.
    #[default]
    Free,
    /// All groups begin each operation at the same moment, when the network is empty.
    Lockstep,
}

/// A program of splits, barriers and joins, and how it is to be judged.
///
/// One repetition is: at every level a split, and a barrier in each new group; then as many joins.
#[derive(Clone, Debug)]
pub struct Job {
    /// The order of the members, by name.
    pub order: String,
    /// Who goes where.
    pub labels: Labels,
    /// How often it is done.
    pub repeat: u32,
    /// Where all draws begin.
    pub seed: u64,
    /// What it runs on.
    pub engine: Engine,
    /// Whether nobody is in anybody's way: then every message takes the time it takes alone.
    pub alone: bool,
    /// Whether groups wait for each other.
    pub pace: Pace,
    /// The methods to compare.
    pub methods: Vec<&'static Method>,
    /// Whether a method that does not apply is worth a word: it was asked for by name.
    pub named: bool,
}

/// What happens in one repetition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// By level and rank in the first group, what a member brings to the split.
    pub labels: Vec<Vec<Label>>,
    /// By level the groups there are, as ranks in the first group, in the order of their own ranks; one level more than
    /// there are splits.
    pub groups: Vec<Vec<Vec<u32>>>,
    /// The colour of members that are in no new group.
    pub none: Option<u32>,
}

impl Job {
    /// This program by every method, once.
    pub fn new(order: &str, labels: Labels) -> Self {
        Self {
            order: order.to_string(),
            labels,
            repeat: 1,
            seed: 0,
            engine: Engine::default(),
            alone: false,
            pace: Pace::default(),
            methods: METHODS.iter().collect(),
            named: false,
        }
    }

    /// The group that is split first.
    ///
    /// # Errors
    ///
    /// As for [`Group::of`] and [`Group::whole`]; [`Error::Value`] for no member, no level, no repetition, or too many;
    /// [`Error::NotApplicable`] where networks are described.
    pub fn group(&self, machine: &Machine) -> Result<Group> {
        machine.equal_links("splitting groups")?;
        self.engine.check(machine)?;
        if self.repeat == 0 || self.repeat > REPEAT_MAX {
            return Err(Error::value("number of repetitions", self.repeat, format!("1 to {REPEAT_MAX}")));
        }
        match &self.labels {
            Labels::Given(given) if given.members.is_empty() => {
                Err(Error::value("number of members", 0, "at least one"))
            }
            Labels::Given(given) => {
                let nodes: Vec<NodeId> = given.members.iter().map(|(node, _)| *node).collect();
                Group::of(machine, &self.order, &nodes)
            }
            Labels::Drawn { levels, .. } if *levels == 0 || *levels > LEVELS_MAX => {
                Err(Error::value("number of levels", levels, format!("1 to {LEVELS_MAX}")))
            }
            Labels::Drawn { kind: Drawn::Colours(0) | Drawn::Keyed { colours: 0, .. }, .. } => {
                Err(Error::value("number of colours", 0, "at least one"))
            }
            Labels::Drawn { kind: Drawn::Keyed { keys: 0, .. }, .. } => {
                Err(Error::value("number of keys", 0, "at least one"))
            }
            Labels::Drawn { .. } => Group::whole(machine, &self.order),
        }
    }

    /// The colour that stands for no new group.
    fn none(&self) -> Option<u32> {
        match &self.labels {
            Labels::Given(given) => given.none,
            Labels::Drawn { .. } => None,
        }
    }

    /// How many splits are nested.
    pub fn levels(&self) -> u32 {
        match self.labels {
            Labels::Given(_) => 1,
            Labels::Drawn { levels, .. } => levels,
        }
    }

    /// Runs processes on what the job is to run on.
    ///
    /// # Errors
    ///
    /// As for [`Engine::run`].
    pub fn run<P: Process>(&self, machine: &Machine, processes: &mut [P]) -> Result<Trace> {
        Runs::new(self, machine).run(processes)
    }

    /// What happens in a repetition; each has its own random numbers.
    ///
    /// # Complexity
    ///
    /// O(s log s) for each level.
    pub fn round(&self, group: &Group, number: u32) -> Round {
        let size = group.size();
        let mut stream = streams(self.seed, "groups", number..number + 1).remove(0);
        let mut round =
            Round { labels: Vec::new(), groups: vec![vec![(0..size).collect()]], none: self.none() };
        let mut given = match &self.labels {
            Labels::Given(given) => given.members.clone(),
            Labels::Drawn { .. } => Vec::new(),
        };
        given.sort_unstable_by_key(|(node, _)| *node);
        for level in 0..self.levels() as usize {
            let mut labels = vec![Label::default(); size as usize];
            for members in &round.groups[level] {
                let zeta: f64 = stream.random();
                for (rank, &member) in members.iter().enumerate() {
                    let label = &mut labels[member as usize];
                    match &self.labels {
                        Labels::Given(_) => {
                            let at = given.binary_search_by_key(&group.node(member), |(node, _)| *node);
                            *label = given[at.expect("every member has a label")].1;
                        }
                        Labels::Drawn { kind: Drawn::Scattered, .. } => {
                            label.colour = u32::from(stream.random::<f64>() > zeta);
                        }
                        Labels::Drawn { kind: Drawn::Contiguous, .. } => {
                            label.colour = u32::from(rank as f64 > zeta * members.len() as f64);
                        }
                        Labels::Drawn { kind: Drawn::Colours(colours), .. } => {
                            label.colour = stream.random_range(0..*colours);
                        }
                        &Labels::Drawn { kind: Drawn::Keyed { colours, keys }, .. } => {
                            label.colour = stream.random_range(0..colours);
                            label.key = stream.random_range(0..keys);
                        }
                    }
                }
            }
            let parts =
                round.groups[level].iter().flat_map(|members| parted(members, &labels, round.none)).collect();
            round.groups.push(parts);
            round.labels.push(labels);
        }
        round
    }
}

/// The groups of equal colours but none, by colour, their members by key and old rank.
fn parted(members: &[u32], labels: &[Label], none: Option<u32>) -> Vec<Vec<u32>> {
    let mut sorted: Vec<(Label, usize)> =
        members.iter().enumerate().map(|(rank, &member)| (labels[member as usize], rank)).collect();
    sorted.retain(|(label, _)| Some(label.colour) != none);
    sorted.sort_unstable_by_key(|(label, rank)| (label.colour, label.key, *rank));
    sorted
        .chunk_by(|a, b| a.0.colour == b.0.colour)
        .map(|part| part.iter().map(|&(_, rank)| members[rank]).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(levels: u32, kind: Drawn) -> Job {
        Job { seed: 7, ..Job::new("hilbert", Labels::Drawn { levels, kind }) }
    }

    #[test]
    fn sizes_of_new_groups_are_uniform() {
        let mesh = Machine::new("mesh:4x4").unwrap();
        for kind in [Drawn::Scattered, Drawn::Contiguous] {
            let job = drawn(1, kind);
            let group = job.group(&mesh).unwrap();
            let mut counts = [0u32; 17];
            for number in 0..3400 {
                let round = job.round(&group, number);
                counts[round.labels[0].iter().filter(|label| label.colour == 0).count()] += 1;
            }
            // With ranks in place of draws, label 0 is never empty.
            let (possible, least) = if kind == Drawn::Scattered { (17.0, 0) } else { (16.0, 1) };
            let mean = 3400.0 / possible;
            let chi: f64 = counts[least..].iter().map(|&n| (f64::from(n) - mean).powi(2) / mean).sum();
            // The 0.999 quantile of chi squared with 16 degrees of freedom is 39.3.
            assert!(chi < 39.3 && counts[..least].iter().all(|&n| n == 0), "{kind:?}: {counts:?}");
        }
    }

    #[test]
    fn groups_of_a_round_are_those_of_its_labels() {
        let mesh = Machine::new("mesh:5x3").unwrap();
        for kind in
            [Drawn::Scattered, Drawn::Contiguous, Drawn::Colours(3), Drawn::Keyed { colours: 3, keys: 4 }]
        {
            let job = drawn(3, kind);
            let group = job.group(&mesh).unwrap();
            let round = job.round(&group, 5);
            assert_eq!((round.labels.len(), round.groups.len()), (3, 4));
            for level in 0..3 {
                let mut expected = Vec::new();
                for members in &round.groups[level] {
                    let nodes = members.iter().map(|&rank| group.node(rank)).collect();
                    let number = |of: fn(&Label) -> u32| -> Vec<u32> {
                        members.iter().map(|&rank| of(&round.labels[level][rank as usize])).collect()
                    };
                    let (colours, keys) = (number(|label| label.colour), number(|label| label.key));
                    let parts = Group::in_order(nodes).split_by(&colours, &keys);
                    expected.extend(parts.into_iter().map(|part| part.1));
                }
                let found: Vec<Group> = round.groups[level + 1]
                    .iter()
                    .map(|ranks| Group::in_order(ranks.iter().map(|&rank| group.node(rank)).collect()))
                    .collect();
                assert_eq!(found, expected);
            }
        }
    }
}

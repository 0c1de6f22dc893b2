//! Graphs whose nodes have names and whose edges have weights: tasks by their numbers, messages by their bytes.

use std::collections::BTreeMap;

use meshwright_core::error::Result;
use meshwright_core::units::Bytes;
use meshwright_mapping::TaskGraph;
use meshwright_mapping::task_graph::Edge;
use meshwright_network::topology::NODES_MAX;
use meshwright_network::topology::costs::BYTES_MAX;

/// What a weight of an edge must be.
pub(super) const BYTES_EXPECTED: &str = "bytes: a number from 0 to 1099511627776";

/// What a phase of an edge must be.
pub(super) const PHASE_EXPECTED: &str = "a whole number from 0 to 4294967295";

/// What the number of repeats of a phase must be.
pub(super) const REPEATS_EXPECTED: &str =
    "a whole number from 1 to 4294967295, the same for all edges of a phase";

/// A number of bytes, rounded; none for what is no number of bytes.
pub(super) fn bytes(value: f64) -> Option<Bytes> {
    (value >= 0.0 && value <= BYTES_MAX as f64).then(|| Bytes(value.round() as u64))
}

/// A phase; none for what is no whole number of 32 bits.
pub(super) fn phase(value: f64) -> Option<u32> {
    (value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0).then_some(value as u32)
}

/// Nodes by name in the order of the file, and the messages between them.
#[derive(Debug, Default)]
pub(super) struct NamedGraph {
    numbers: BTreeMap<String, u32>,
    edges: Vec<(u32, Edge)>,
    /// By phase how often it runs, where it is said.
    repeats: BTreeMap<u32, u32>,
}

impl NamedGraph {
    /// Adds a node; what is wrong with it otherwise.
    pub(super) fn add_node(&mut self, name: String) -> Result<(), String> {
        let number = self.numbers.len() as u32;
        if number == NODES_MAX {
            return Err(format!("there are more than {NODES_MAX} nodes"));
        }
        match self.numbers.insert(name, number) {
            None => Ok(()),
            Some(_) => Err("this node stands here twice".to_string()),
        }
    }

    /// How many nodes there are.
    pub(super) fn nodes(&self) -> usize {
        self.numbers.len()
    }

    /// The number of a node.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Adds a message, or one in each direction.
    pub(super) fn add_edge(
        &mut self,
        (source, target): (u32, u32),
        both: bool,
        (phase, bytes): (u32, Bytes),
    ) {
        if source == target {
            return;
        }
        self.edges.push((phase, Edge { source, target, bytes }));
        if both {
            self.edges.push((phase, Edge { source: target, target: source, bytes }));
        }
    }

    /// Says how often a phase runs; whether it can, and nothing else was said before.
    pub(super) fn repeat(&mut self, of: u32, times: f64) -> bool {
        let times = phase(times).filter(|&times| times > 0);
        times.is_some_and(|times| *self.repeats.entry(of).or_insert(times) == times)
    }

    /// The tasks: by their names where these are the numbers from 0 on, else in the order of the file.
    pub(super) fn tasks(self) -> Result<TaskGraph> {
        let Self { numbers, mut edges, repeats } = self;
        let tasks = numbers.len() as u32;
        let named =
            |name: &str| name.parse::<u32>().ok().filter(|&task| task < tasks && task.to_string() == name);
        let mut by_name = vec![0; tasks as usize];
        let is_numbered = numbers.iter().all(|(name, &number)| {
            let task = named(name);
            task.is_some_and(|task| {
                by_name[number as usize] = task;
                true
            })
        });
        if is_numbered {
            for (_, edge) in &mut edges {
                (edge.source, edge.target) = (by_name[edge.source as usize], by_name[edge.target as usize]);
            }
        }
        TaskGraph::new("", tasks, edges)?.with_repeats_of(&repeats)
    }
}

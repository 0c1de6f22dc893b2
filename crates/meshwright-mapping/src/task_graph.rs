//! Phased task graphs: who sends how much to whom, and when.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | G_C = (V_C, E_C, W) | [`TaskGraph`] | |
//! | E_i | [`TaskGraph::phase`] | |
//! | W(e) | [`Edge::bytes`] | bytes |
//! | i | [`TaskGraph::number`] | |

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Divide;
use super::logical::Logical;
use meshwright_core::csr::Csr;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::Bytes;
use meshwright_network::topology::costs::BYTES_MAX;

/// A message between two tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The task that sends.
    pub source: u32,
    /// The task that receives.
    pub target: u32,
    /// How much.
    pub bytes: Bytes,
}

/// A phased computation: tasks that synchronise after each phase.
///
/// # Source
///
/// `lo1990`, section 5: the phased computation graph.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskGraph {
    /// What it is, e.g. `binomial:6` or the name of the trace.
    pub name: String,
    /// How many tasks.
    pub tasks: u32,
    /// The job it is made from, if it is divide and conquer: then stronger bounds hold.
    pub divide: Option<Divide>,
    /// The logical mesh it is made from, if it is one.
    pub logical: Option<Logical>,
    /// Whether its messages are parts of data, in proportion to the tasks that work on them, see
    /// [`in_proportion`](super::divide::in_proportion).
    pub in_proportion: bool,
    /// By phase; copies of a job share them.
    edges: Arc<Csr<Edge>>,
    numbers: Vec<u32>,
    /// How often each phase runs.
    repeats: Vec<u32>,
}

impl TaskGraph {
    /// A graph from edges with their phase numbers, in any order; within a phase the order is kept.
    ///
    /// Edges of a task to itself are kept, but bounds and perfect times in the paper's units count them as if
    /// they used a link; [`super::task_file`] leaves them out.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when an edge names a task outside `0..tasks` or carries more than a tebibyte,
    /// [`Error::TooLarge`] when all edges together carry 2^63 bytes or more.
    ///
    /// # Complexity
    ///
    /// O(edges log edges), O(edges) if they stand in order.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_mapping::TaskGraph;
    /// use meshwright_mapping::task_graph::Edge;
    /// use meshwright_core::units::Bytes;
    /// let edge = |source, target| Edge { source, target, bytes: Bytes(8) };
    /// let graph = TaskGraph::new("a pair", 2, vec![(7, edge(0, 1)), (3, edge(1, 0))])?;
    /// assert_eq!((graph.phases(), graph.number(0), graph.phase(0)), (2, 3, &[edge(1, 0)][..]));
    /// assert!(TaskGraph::new("none", 2, vec![(1, edge(0, 2))]).is_err(), "there is no task 2");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn new(name: impl Into<String>, tasks: u32, edges: Vec<(u32, Edge)>) -> Result<Self> {
        let outside =
            |task: u32| Error::value("task", task, format!("a task from 0 to {}", tasks.max(1) - 1));
        let mut edges = edges;
        for (_, edge) in &edges {
            if let Some(task) = [edge.source, edge.target].into_iter().find(|&task| task >= tasks) {
                return Err(outside(task));
            }
            if edge.bytes.0 > BYTES_MAX {
                return Err(Error::value("message size", edge.bytes.0, format!("at most {BYTES_MAX} bytes")));
            }
        }
        edges.sort_by_key(|(phase, _)| *phase);
        let (mut phases, mut numbers) = (Csr::default(), Vec::new());
        for same in edges.chunk_by(|a, b| a.0 == b.0) {
            numbers.push(same[0].0);
            phases.push_row(same.iter().map(|&(_, edge)| edge));
        }
        let (name, repeats) = (name.into(), vec![1; numbers.len()]);
        Self {
            name,
            tasks,
            divide: None,
            logical: None,
            in_proportion: false,
            edges: phases.into(),
            numbers,
            repeats,
        }
        .checked()
    }

    /// The same tasks, each phase run so often before the next begins; the tasks synchronise after each time.
    ///
    /// A phase with number p that runs r times has the numbers p to p + r - 1; later phases get higher numbers where they need
    /// them.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] when all messages together carry 2^63 bytes or more, every repetition counted, or they or the
    /// phases are 2^32 or more.
    ///
    /// # Panics
    ///
    /// When there are not as many counts as phases, a count is 0, or the job is divide and conquer: its phases are those of
    /// its tree.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_mapping::TaskGraph;
    /// use meshwright_mapping::task_graph::Edge;
    /// use meshwright_core::units::Bytes;
    /// let edge = |source, target| Edge { source, target, bytes: Bytes(8) };
    /// let graph = TaskGraph::new("a pair", 2, vec![(1, edge(0, 1)), (2, edge(1, 0))])?.with_repeats(vec![5, 1])?;
    /// assert_eq!((graph.phases(), graph.phases_total(), graph.number(1)), (2, 6, 6));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn with_repeats(mut self, repeats: Vec<u32>) -> Result<Self> {
        assert_eq!(repeats.len(), self.phases(), "a count for each phase");
        assert!(!repeats.contains(&0), "a phase that is there runs at least once");
        assert!(self.divide.is_none(), "the phases of a tree run once");
        self.repeats = repeats;
        for index in 1..self.phases() {
            let next = self.numbers[index - 1].checked_add(self.repeats[index - 1]);
            let next = next.ok_or_else(|| too_large("the number of the last phase", "phases", 32))?;
            self.numbers[index] = self.numbers[index].max(next);
        }
        self.checked()
    }

    /// The same with how often phases of these numbers run; once where none is named.
    ///
    /// # Errors
    ///
    /// As [`TaskGraph::with_repeats`].
    pub fn with_repeats_of(self, repeats: &BTreeMap<u32, u32>) -> Result<Self> {
        if repeats.values().all(|&times| times == 1) {
            return Ok(self);
        }
        let times = self.numbers.iter().map(|number| repeats.get(number).copied().unwrap_or(1)).collect();
        self.with_repeats(times)
    }

    /// Refuses what could not be counted.
    fn checked(self) -> Result<Self> {
        let (mut volume, mut messages) = (Some(0u64), Some(0u64));
        for (row, &times) in self.edges.rows().zip(&self.repeats) {
            let sum = row.iter().try_fold(0u64, |sum, edge| sum.checked_add(edge.bytes.0));
            let add = |total: u64, once: u64| once.checked_mul(times.into())?.checked_add(total);
            volume = volume.and_then(|volume| add(volume, sum?));
            messages = messages.and_then(|messages| add(messages, row.len() as u64));
        }
        let last = self.numbers.last().zip(self.repeats.last());
        if last.is_some_and(|(number, times)| number.checked_add(times - 1).is_none()) {
            return Err(too_large("the number of the last phase", "phases", 32));
        }
        if volume.is_none_or(|volume| volume >> 63 != 0) {
            return Err(too_large("the volume of all messages", "bytes", 63));
        }
        if messages.is_none_or(|messages| messages >> 32 != 0) {
            return Err(too_large("the number of all messages", "messages", 32));
        }
        Ok(self)
    }

    /// How often the phase with this index runs: once unless said otherwise.
    pub fn repeats(&self, index: usize) -> u32 {
        self.repeats[index]
    }

    /// How often each phase runs.
    pub fn all_repeats(&self) -> &[u32] {
        &self.repeats
    }

    /// How many phases run one after the other, every repetition counted.
    pub fn phases_total(&self) -> u64 {
        self.repeats.iter().map(|&times| u64::from(times)).sum()
    }

    /// How many phases there are.
    pub fn phases(&self) -> usize {
        self.numbers.len()
    }

    /// The number the phase with this index carries in its source (1 to n for the binomial tree).
    pub fn number(&self, index: usize) -> u32 {
        self.numbers[index]
    }

    /// The edges of the phase with this index, from 0.
    pub fn phase(&self, index: usize) -> &[Edge] {
        self.edges.row(index)
    }

    /// All edges, phase by phase, those of a phase that runs several times once.
    pub fn edges(&self) -> &[Edge] {
        self.edges.entries()
    }
}

fn too_large(what: &'static str, unit: &str, bits: u32) -> Error {
    Error::TooLarge { what, needed: format!("more than 2^{bits} {unit}"), limit: format!("2^{bits} {unit}") }
}

//! A divide-and-conquer job: the shape of its tree, how volumes shrink on the way down, and what comes back.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | keep half, send half | [`Shape`] | |
//! | n | [`Shape::phases`] | phases |
//! | alpha | [`Divide::alpha`], share of the volume a node sends on | |
//! | W(E_i) = alpha^i | [`weight`] | volumes of the root |
//!
//! The divide stage runs phases 1 to n; the combine stage runs them backwards, every message turned round, with an
//! alpha of its own. A job has one stage or both.

use super::completion::UnitWork;
use super::task_graph::{Edge, TaskGraph};
use super::{binomial, halving};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::Bytes;
use meshwright_network::topology::costs::BYTES_MAX;

/// The tree of a divide-and-conquer job.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// The binomial tree B(n) of 2^n tasks, see [`binomial`].
    Binomial(u32),
    /// The halving tree of a box with these sides, one task per cell, see [`halving`].
    Halving(Vec<u32>),
}

impl Shape {
    /// Refuses a tree that is none, or too large.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when n exceeds [`binomial::N_MAX`]; for a box when there is no side or more than 24, one is 0,
    /// or there are more than 2^24 cells.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_mapping::Shape;
    /// assert!(Shape::Binomial(24).check().is_ok() && Shape::Binomial(25).check().is_err());
    /// assert!(Shape::Halving(vec![5, 7]).check().is_ok() && Shape::Halving(vec![5, 0]).check().is_err());
    /// ```
    pub fn check(&self) -> Result<()> {
        match self {
            Self::Binomial(n) if *n > binomial::N_MAX => {
                Err(Error::value("n of the binomial tree", n, format!("0 to {}", binomial::N_MAX)))
            }
            Self::Binomial(_) => Ok(()),
            Self::Halving(sides) => halving::check(sides),
        }
    }

    /// How many tasks the tree has.
    ///
    /// ```
    /// use meshwright_mapping::Shape;
    /// assert_eq!((Shape::Binomial(4).tasks(), Shape::Binomial(4).phases()), (16, 4));
    /// assert_eq!((Shape::Halving(vec![5, 7]).tasks(), Shape::Halving(vec![5, 7]).phases()), (35, 6));
    /// ```
    pub fn tasks(&self) -> u32 {
        match self {
            Self::Binomial(n) => 1 << n,
            Self::Halving(sides) => sides.iter().product(),
        }
    }

    /// n: in how many phases the tree is run through once.
    pub fn phases(&self) -> u32 {
        match self {
            Self::Binomial(n) => *n,
            Self::Halving(sides) => halving::phases(sides),
        }
    }

    /// The tree by its name on the command line.
    pub fn name(&self) -> String {
        match self {
            Self::Binomial(n) => format!("binomial:{n}"),
            Self::Halving(sides) => format!("divide:{}", halving::name(sides)),
        }
    }

    /// How many tasks hold work after phase 1, 2, ..., n.
    ///
    /// # Complexity
    ///
    /// O(tasks).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_mapping::Shape;
    /// assert_eq!(Shape::Binomial(3).active(), [2, 4, 8]);
    /// assert_eq!(Shape::Halving(vec![9]).active(), [2, 4, 8, 9]);
    /// ```
    pub fn active(&self) -> Vec<u32> {
        let mut active = vec![0; self.phases() as usize];
        self.for_each_edge(|phase, _, _| active[phase as usize - 1] += 1);
        let mut tasks = 1;
        for count in &mut active {
            tasks += *count;
            *count = tasks;
        }
        active
    }

    /// Calls `edge(phase, parent, child)` for every edge, phase after phase, phases from 1.
    pub fn for_each_edge(&self, mut edge: impl FnMut(u32, u32, u32)) {
        self.for_each_part(|phase, parent, child, _| edge(phase, parent, child));
    }

    /// As [`Self::for_each_edge`], with the size of the child's subtree.
    pub(crate) fn for_each_part(&self, mut part: impl FnMut(u32, u32, u32, u32)) {
        match self {
            Self::Binomial(n) => {
                for i in 1..=*n {
                    let send = |child| part(i, binomial::parent(child), child, 1 << (n - i));
                    binomial::children(*n, i).for_each(send);
                }
            }
            Self::Halving(sides) => {
                halving::for_each_split(sides, |split| {
                    part(split.phase, split.parent, split.child, split.cells);
                });
            }
        }
    }
}

/// A divide-and-conquer job.
#[derive(Clone, Debug, PartialEq)]
pub struct Divide {
    /// Who hands work to whom.
    pub shape: Shape,
    /// The share of its volume a node sends to each child; none when there is no divide stage.
    pub alpha: Option<f64>,
    /// The same for the results on their way up; none when there is no combine stage.
    pub combine_alpha: Option<f64>,
    /// What the root holds, before the divide stage or after the combine stage.
    pub volume: Bytes,
}

/// A well-known computation: its two shares, and its work.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name on the command line.
    pub name: &'static str,
    /// What goes down and what comes up.
    pub summary: &'static str,
    /// See [`Divide::alpha`].
    pub alpha: Option<f64>,
    /// See [`Divide::combine_alpha`].
    pub combine_alpha: Option<f64>,
    /// The operations of its steps, for times of completion.
    pub work: UnitWork,
}

/// The computations that `lo1990` names.
///
/// # Source
///
/// `lo1990`, section 3.
pub const PRESETS: &[Preset] = &[
    preset("broadcast", "the whole value goes to everyone", (Some(1.0), None), UnitWork::PARTS),
    preset("reduce", "partial results of one size come together", (None, Some(1.0)), UnitWork::VALUES),
    preset(
        "leader-election",
        "the call goes out, the least candidate comes back",
        (Some(1.0), Some(1.0)),
        UnitWork::VALUES,
    ),
    preset(
        "merge-sort",
        "half the numbers go down, half of them come back sorted",
        (Some(0.5), Some(0.5)),
        UnitWork::SORT,
    ),
    preset("data-distribution", "everyone gets an equal part (scatter)", (Some(0.5), None), UnitWork::PARTS),
    preset(
        "matrix-chain",
        "half the matrices go down, one product comes back",
        (Some(0.5), Some(1.0)),
        UnitWork::VALUES,
    ),
    preset(
        "graph-halving",
        "half the vertices, a quarter of the adjacency matrix, go down",
        (Some(0.25), None),
        UnitWork::MATRIX,
    ),
];

const fn preset(
    name: &'static str,
    summary: &'static str,
    (alpha, combine_alpha): (Option<f64>, Option<f64>),
    work: UnitWork,
) -> Preset {
    Preset { name, summary, alpha, combine_alpha, work }
}

/// The weight of the messages of phase i: alpha^i, in volumes of the root.
///
/// # Source
///
/// `lo1990`, section 3.
pub fn weight(alpha: f64, phase: u32) -> f64 {
    alpha.powi(phase.cast_signed())
}

/// The bytes of a message of phase i: volume * alpha^i, rounded to the nearest byte, at least one.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::divide::bytes;
/// use meshwright_core::units::Bytes;
/// assert_eq!((1..=4).map(|i| bytes(0.3, i, Bytes(100)).0).collect::<Vec<_>>(), [30, 9, 3, 1]);
/// ```
pub fn bytes(alpha: f64, phase: u32, volume: Bytes) -> Bytes {
    Bytes(((volume.0 as f64 * weight(alpha, phase)).round() as u64).max(1))
}

impl Divide {
    /// Refuses what is not a divide-and-conquer job.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] as for [`Shape::check`], and when an alpha lies outside (0, 1], there is none at all, or the
    /// volume is 0 or more than a tebibyte.
    pub fn check(&self) -> Result<()> {
        self.shape.check()?;
        for (what, alpha) in [("alpha", self.alpha), ("combine_alpha", self.combine_alpha)] {
            if let Some(alpha) = alpha.filter(|alpha| !(*alpha > 0.0 && *alpha <= 1.0)) {
                return Err(Error::value(what, alpha, "a number greater than 0 and at most 1"));
            }
        }
        if self.stages().next().is_none() {
            return Err(Error::value("alpha", "not given", "alpha, combine_alpha or both"));
        }
        if self.volume.0 == 0 || self.volume.0 > BYTES_MAX {
            return Err(Error::value("volume", self.volume.0, format!("1 to {BYTES_MAX} bytes")));
        }
        Ok(())
    }

    /// The alphas of the stages there are.
    pub fn stages(&self) -> impl Iterator<Item = f64> {
        self.alpha.into_iter().chain(self.combine_alpha)
    }

    /// The weight of the phase with this number, in volumes of the root.
    ///
    /// Phases 1 to n are those of the first stage; the combine stage after a divide stage has n + 1 to 2n.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_mapping::{Divide, Shape};
    /// use meshwright_core::units::Bytes;
    /// let chain = Divide { shape: Shape::Binomial(2), alpha: Some(0.5), combine_alpha: Some(1.0), volume: Bytes(64) };
    /// assert_eq!((1..=4).map(|number| chain.weight(number)).collect::<Vec<_>>(), [0.5, 0.25, 1.0, 1.0]);
    /// ```
    pub fn weight(&self, number: u32) -> f64 {
        let down = self.alpha.filter(|_| number <= self.shape.phases());
        let alpha = down.or(self.combine_alpha);
        alpha.map_or(0.0, |alpha| weight(alpha, self.tree_phase(number)))
    }

    /// The phase of the tree, 1 to n, whose edges the phase with this number uses: the combine stage runs backwards.
    pub fn tree_phase(&self, number: u32) -> u32 {
        let n = self.shape.phases();
        match self.alpha {
            Some(_) => number.min(2 * n + 1 - number),
            None => n + 1 - number,
        }
    }
}

/// The phased task graph of a divide-and-conquer job.
///
/// In phase i (1 to n) of the divide stage every active task that has one sends to its child of that phase. The
/// combine stage runs the phases backwards, with every message turned round; after a divide stage its phases are
/// numbered n + 1 to 2n.
///
/// # Errors
///
/// As for [`Divide::check`].
///
/// # Complexity
///
/// O(tasks).
///
/// # Source
///
/// `lo1990`, definition 1 and lemma 1.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::{Divide, Shape};
/// use meshwright_mapping::divide::task_graph;
/// use meshwright_core::units::Bytes;
/// let job = Divide { shape: Shape::Binomial(4), alpha: Some(0.5), combine_alpha: None, volume: Bytes(1024) };
/// let tree = task_graph(&job)?;
/// assert_eq!((tree.tasks, tree.phases()), (16, 4));
/// assert_eq!(tree.phase(0).len(), 1);
/// assert_eq!(tree.phase(3)[0].bytes, Bytes(64));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn task_graph(job: &Divide) -> Result<TaskGraph> {
    graph_with(job, |alpha, phase, _| bytes(alpha, phase, job.volume))
}

/// As [`task_graph`], for shares that stand for data: whoever works with a part p of all tasks gets the part
/// p^log2(1/alpha) of the volume, rounded to the nearest byte, at least one.
///
/// With alpha = 1/2 everyone ends with an equal part; with alpha = 1 everyone gets the whole; with alpha = 1/4, as
/// the matrix of p of all vertices, p^2. Where a tree halves evenly p = 2^-i: the graph of a
/// binomial tree is that of [`task_graph`].
///
/// # Errors
///
/// As for [`Divide::check`].
///
/// # Complexity
///
/// O(tasks).
///
/// # Source
///
/// `lo1990`, section 3, where all halves are equal; the parts are those of
/// `DivideAndConquer` in the crate `meshwright-runtime`.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::{Divide, Shape};
/// use meshwright_mapping::divide::in_proportion;
/// use meshwright_core::units::Bytes;
/// let sort = Divide { shape: Shape::Halving(vec![3]), alpha: Some(0.5), combine_alpha: None, volume: Bytes(900) };
/// let tree = in_proportion(&sort)?;
/// // A child for two of the three tasks, and its own child for one.
/// assert_eq!((tree.phase(0)[0].bytes, tree.phase(1)[0].bytes), (Bytes(600), Bytes(300)));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn in_proportion(job: &Divide) -> Result<TaskGraph> {
    job.check()?;
    if matches!(job.shape, Shape::Binomial(_)) {
        return task_graph(job);
    }
    let whole = f64::from(job.shape.tasks());
    let part_bytes = |alpha: f64, _, part: u32| bytes_of_part(alpha, f64::from(part) / whole, job.volume);
    let mut graph = graph_with(job, part_bytes)?;
    graph.in_proportion = true;
    Ok(graph)
}

/// The bytes of a message for a part p of all tasks: volume * p^log2(1/alpha), rounded to the nearest byte, at least one.
pub(crate) fn bytes_of_part(alpha: f64, part: f64, volume: Bytes) -> Bytes {
    let share = libm::pow(part, -libm::log2(alpha));
    Bytes(((volume.0 as f64 * share).round() as u64).max(1))
}

/// The graph whose messages have the bytes that `size(alpha, phase, size of the subtree)` says.
fn graph_with(job: &Divide, size: impl Fn(f64, u32, u32) -> Bytes) -> Result<TaskGraph> {
    job.check()?;
    let (n, tasks) = (job.shape.phases(), job.shape.tasks());
    let mut edges = Vec::with_capacity(job.stages().count() * (tasks as usize - 1));
    if let Some(alpha) = job.alpha {
        job.shape.for_each_part(|i, source, target, part| {
            edges.push((i, Edge { source, target, bytes: size(alpha, i, part) }));
        });
    }
    if let Some(alpha) = job.combine_alpha {
        let last = if job.alpha.is_some() { 2 * n } else { n };
        job.shape.for_each_part(|i, target, source, part| {
            edges.push((last + 1 - i, Edge { source, target, bytes: size(alpha, i, part) }));
        });
    }
    let mut graph = TaskGraph::new(job.shape.name(), tasks, edges)?;
    graph.divide = Some(job.clone());
    Ok(graph)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binomial::{parent, phase};

    #[test]
    fn a_phase_doubles_the_active_tasks() {
        let job = Divide {
            shape: Shape::Binomial(7),
            alpha: Some(0.5),
            combine_alpha: Some(1.0),
            volume: Bytes(1 << 10),
        };
        let tree = task_graph(&job).unwrap();
        assert_eq!(tree.phases(), 14);
        for i in 0..7 {
            assert_eq!(tree.phase(i).len(), 1 << i);
            assert!(
                tree.phase(i)
                    .iter()
                    .all(|e| phase(7, e.target) == i as u32 + 1 && e.source == parent(e.target))
            );
            let back = tree.phase(13 - i);
            assert!(
                back.iter().zip(tree.phase(i)).all(|(b, d)| (b.source, b.target) == (d.target, d.source))
            );
            assert!(back.iter().all(|e| e.bytes == Bytes(1 << 10)));
        }
    }

    #[test]
    fn a_reduction_is_a_broadcast_backwards() {
        let both = |preset: &str| {
            let preset = PRESETS.iter().find(|entry| entry.name == preset).unwrap();
            let Preset { alpha, combine_alpha, .. } = *preset;
            task_graph(&Divide { shape: Shape::Binomial(5), alpha, combine_alpha, volume: Bytes(64) })
                .unwrap()
        };
        let (down, up) = (both("broadcast"), both("reduce"));
        assert_eq!((down.phases(), up.phases(), up.number(0)), (5, 5, 1));
        for i in 0..5 {
            assert!(
                down.phase(i)
                    .iter()
                    .zip(up.phase(4 - i))
                    .all(|(d, u)| { (d.source, d.target, d.bytes) == (u.target, u.source, u.bytes) })
            );
        }
        assert!(both("leader-election").phases() == 10);
    }
}

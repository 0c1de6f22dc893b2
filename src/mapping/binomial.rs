//! The binomial tree: the task graph of divide and conquer.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | B(n) | [`task_graph`] | |
//! | n | `n`, phases | |
//! | alpha | `alpha`, share of the volume a node sends on | |
//! | W(E_i) = alpha^i | [`weight`] | volumes of the root |
//!
//! Tasks carry 0-based postorder labels, children in decreasing size; the root is 2^n - 1. With t(x) the
//! number of trailing 1-bits of x: `parent(x) = x | (x + 1)`, `phase(x) = n - t(x)`, and the subtree of x
//! is B(t(x)), the labels x - 2^t(x) + 1 ..= x.

use super::task_graph::{Edge, TaskGraph};
use crate::error::{Error, Result};
use crate::topology::machine::BYTES_MAX;
use crate::units::Bytes;

/// The largest n accepted: 16 million tasks.
pub const N_MAX: u32 = 24;

/// A divide-and-conquer job: the tree, its weights and the volume at the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Binomial {
    /// Phases; the tree has 2^n tasks.
    pub n: u32,
    /// The share of its volume a node sends to each child in the divide stage.
    pub alpha: f64,
    /// The same for the results, if a combine stage follows.
    pub combine_alpha: Option<f64>,
    /// What the root holds at first.
    pub volume: Bytes,
}

/// The parent of a task other than the root.
///
/// ```
/// use meshwright::mapping::binomial::{parent, phase};
/// assert_eq!((parent(5), phase(4, 5)), (7, 3)); // B(4): 5 is a child of 7, reached in phase 3
/// ```
pub fn parent(label: u32) -> u32 {
    label | (label + 1)
}

/// The phase in which a task other than the root of B(n) receives its problem, from 1 to n.
pub fn phase(n: u32, label: u32) -> u32 {
    n - label.trailing_ones()
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
/// use meshwright::{mapping::binomial::bytes, units::Bytes};
/// assert_eq!((1..=4).map(|i| bytes(0.3, i, Bytes(100)).0).collect::<Vec<_>>(), [30, 9, 3, 1]);
/// ```
pub fn bytes(alpha: f64, phase: u32, volume: Bytes) -> Bytes {
    Bytes(((volume.0 as f64 * weight(alpha, phase)).round() as u64).max(1))
}

impl Binomial {
    /// Refuses what is not a divide-and-conquer job.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when n exceeds [`N_MAX`], an alpha lies outside (0, 1], or the volume is 0 or more
    /// than a tebibyte.
    pub fn check(&self) -> Result<()> {
        if self.n > N_MAX {
            return Err(Error::value("n of the binomial tree", self.n, format!("0 to {N_MAX}")));
        }
        for (what, alpha) in [("alpha", Some(self.alpha)), ("combine_alpha", self.combine_alpha)] {
            if let Some(alpha) = alpha.filter(|alpha| !(*alpha > 0.0 && *alpha <= 1.0)) {
                return Err(Error::value(what, alpha, "a number greater than 0 and at most 1"));
            }
        }
        if self.volume.0 == 0 || self.volume.0 > BYTES_MAX {
            return Err(Error::value("volume", self.volume.0, format!("1 to {BYTES_MAX} bytes")));
        }
        Ok(())
    }

    /// The weight of a phase, 1 to n in the divide stage and n + 1 to 2n in the combine stage.
    pub fn weight(&self, number: u32) -> f64 {
        match self.combine_alpha {
            Some(alpha) if number > self.n => weight(alpha, 2 * self.n + 1 - number),
            _ => weight(self.alpha, number),
        }
    }
}

/// The phased task graph of a divide-and-conquer job.
///
/// In phase i (1 to n) each of the 2^(i-1) active tasks sends to one child. The combine stage runs the
/// phases backwards, numbered n + 1 to 2n, with every message turned round.
///
/// # Errors
///
/// As for [`Binomial::check`].
///
/// # Complexity
///
/// O(2^n).
///
/// # Source
///
/// `lo1990`, definition 1 and lemma 1.
///
/// # Examples
///
/// ```
/// use meshwright::mapping::binomial::{Binomial, task_graph};
/// use meshwright::units::Bytes;
/// let job = Binomial { n: 4, alpha: 0.5, combine_alpha: None, volume: Bytes(1024) };
/// let tree = task_graph(&job)?;
/// assert_eq!((tree.tasks, tree.phases()), (16, 4));
/// assert_eq!(tree.phase(0).len(), 1);
/// assert_eq!(tree.phase(3)[0].bytes, Bytes(64));
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn task_graph(job: &Binomial) -> Result<TaskGraph> {
    job.check()?;
    let n = job.n;
    let tasks = 1u32 << n;
    let mut edges =
        Vec::with_capacity(if job.combine_alpha.is_some() { 2 } else { 1 } * (tasks as usize - 1));
    let mut stage = |number: u32, i: u32, bytes: Bytes, down: bool| {
        // The tasks reached in phase i end in a 0 and n - i ones.
        let (ones, step) = ((1u32 << (n - i)) - 1, 1usize << (n - i + 1));
        for child in (ones..tasks).step_by(step) {
            let (source, target) = if down { (parent(child), child) } else { (child, parent(child)) };
            edges.push((number, Edge { source, target, bytes }));
        }
    };
    for i in 1..=n {
        stage(i, i, bytes(job.alpha, i, job.volume), true);
    }
    if let Some(alpha) = job.combine_alpha {
        for i in (1..=n).rev() {
            stage(2 * n + 1 - i, i, bytes(alpha, i, job.volume), false);
        }
    }
    TaskGraph::new(format!("binomial:{n}"), tasks, edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Definition 1, literally: two copies of B(n-1), the root of the second is the root of the whole.
    fn definition(n: u32) -> Vec<Option<(u32, u32)>> {
        if n == 0 {
            return vec![None];
        }
        let copy = definition(n - 1);
        let half = copy.len() as u32;
        // The new edge is used in phase 1; every phase of the copies comes one later.
        let later = |shift: u32| move |entry: &Option<(u32, u32)>| entry.map(|(p, i)| (p + shift, i + 1));
        let mut tree: Vec<_> = copy.iter().map(later(0)).chain(copy.iter().map(later(half))).collect();
        tree[half as usize - 1] = Some((2 * half - 1, 1));
        tree
    }

    #[test]
    fn labels_parents_and_phases_follow_definition_1() {
        for n in 0..=12 {
            for (label, entry) in definition(n).into_iter().enumerate() {
                let label = label as u32;
                let formula = (label + 1 < 1 << n).then(|| (parent(label), phase(n, label)));
                assert_eq!(formula, entry, "task {label} of B({n})");
            }
        }
    }

    #[test]
    fn a_phase_doubles_the_active_tasks() {
        let job = Binomial { n: 7, alpha: 0.5, combine_alpha: Some(1.0), volume: Bytes(1 << 10) };
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
}

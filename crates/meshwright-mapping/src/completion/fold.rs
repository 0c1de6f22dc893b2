//! The tree over nodes and their cores: what is handed over, and the work around it.

use super::form::whole_cycles;
use super::{Completion, Work};
use crate::divide::bytes_of_part;
use crate::halving;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Cycles, Hops};
use meshwright_network::topology::{Machine, Switching};

/// One core gives a part of its problem to another, and gets its result back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handover {
    /// The phase, from 1: those over the nodes, then those within them.
    pub phase: u32,
    /// The core that divides, numbered node by node of the tree.
    pub parent: u32,
    /// The core that gets the part.
    pub child: u32,
    /// Cycles of dividing what the parent holds.
    pub work_divide: u64,
    /// Cycles of combining both results.
    pub work_combine: u64,
    /// Bytes of the part.
    pub down: Bytes,
    /// Bytes of its result.
    pub up: Bytes,
}

/// A divide-and-conquer tree over nodes and cores, with all that its steps cost.
///
/// Core c of the node of task t has the number t times cores + c; the last core of the last task is the root. Cores of one
/// node share their memory: between them nothing is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Folded {
    /// How many nodes there are.
    pub nodes: u32,
    /// How many cores of each work.
    pub cores: u32,
    /// Phase after phase.
    pub handovers: Vec<Handover>,
    /// Cycles of each core on the tasks that are its own, one after the other, their dividing and combining included.
    pub leaf: u64,
    /// Whether problems go down.
    pub divides: bool,
    /// Whether results come up.
    pub combines: bool,
    /// Bytes that the host sends to the root, and gets back; none without a host, or where the stage is missing.
    pub host: [Option<Bytes>; 2],
}

impl Folded {
    /// The tree of a job.
    ///
    /// # Errors
    ///
    /// As for [`Completion::check`]; [`Error::TooLarge`] when all work together is 2^62 cycles or more, or one step is too
    /// long.
    ///
    /// # Complexity
    ///
    /// O(nodes times cores + tasks of a core).
    ///
    /// # Examples
    ///
    /// Merge sort of 900 bytes on three nodes, 300 for each:
    ///
    /// ```
    /// use meshwright_core::units::Bytes;
    /// use meshwright_mapping::completion::{Completion, Folded, Work};
    /// use meshwright_mapping::{Divide, Shape};
    /// let divide = Divide { shape: Shape::Halving(vec![3]), alpha: Some(0.5), combine_alpha: Some(0.5), volume: Bytes(900) };
    /// let work = Work::parse("leaf=2n,combine=n", None)?;
    /// let job = Completion { divide, result: Bytes(900), size: 900, work, per_node: 1, cores: 1, host: false };
    /// let tree = Folded::new(&job)?;
    /// assert_eq!(tree.handovers.iter().map(|one| one.down.0).collect::<Vec<_>>(), [600, 300]);
    /// assert_eq!((tree.leaf, tree.handovers[0].work_combine), (600, 900));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn new(job: &Completion) -> Result<Self> {
        job.check()?;
        let (nodes, cores) = (job.divide.shape.tasks(), job.cores_used());
        let (divides, combines) = (job.divide.alpha.is_some(), job.divide.combine_alpha.is_some());
        let mut steps =
            Steps { job, tasks: nodes * cores, held: vec![nodes * cores; (nodes * cores) as usize] };
        let mut handovers = Vec::with_capacity((nodes * cores) as usize);
        let mut fault = None;
        let mut add = |phase: u32, [parent, child]: [u32; 2], cells: u32| match steps.next(
            phase,
            [parent, child],
            cells,
        ) {
            Ok(handover) => handovers.push(handover),
            Err(error) => fault = Some(error),
        };
        let root_of = |task: u32| task * cores + cores - 1;
        job.divide.shape.for_each_part(|phase, parent, child, part| {
            add(phase, [root_of(parent), root_of(child)], part * cores);
        });
        let before = job.divide.shape.phases();
        halving::for_each_split(&[cores], |split| {
            for first in (0..nodes).map(|task| task * cores) {
                add(before + split.phase, [first + split.parent, first + split.child], split.cells);
            }
        });
        if let Some(error) = fault {
            return Err(error);
        }
        let elements = job.size as f64 / f64::from(nodes * cores);
        let leaf = whole_cycles(alone(&steps.stages(), elements, job.per_node / cores))?;
        let host = [(divides, job.divide.volume), (combines, job.result)];
        let host = host.map(|(has_stage, bytes)| (job.host && has_stage).then_some(bytes));
        let folded = Self { nodes, cores, handovers, leaf, divides, combines, host };
        folded.check()?;
        Ok(folded)
    }

    fn check(&self) -> Result<()> {
        if self.work_cycles() >> 62 == 0 {
            return Ok(());
        }
        Err(Error::TooLarge {
            what: "the work of all tasks together",
            needed: "2^62 cycles or more".into(),
            limit: "2^62 cycles".into(),
        })
    }

    /// Cycles of all work together.
    pub fn work_cycles(&self) -> u128 {
        let steps =
            self.handovers.iter().map(|one| u128::from(one.work_divide) + u128::from(one.work_combine));
        steps.sum::<u128>() + u128::from(self.leaf) * u128::from(self.nodes * self.cores)
    }

    /// Whether a problem is handed over within one node.
    pub fn is_local(&self, handover: &Handover) -> bool {
        handover.parent / self.cores == handover.child / self.cores
    }

    /// Whole cycles of the host's message, and of the one to the host: c + b V each, none where there is none.
    pub fn host_cycles(&self, machine: &Machine) -> [Cycles; 2] {
        let costs = machine.costs();
        // No links between: the same under every switching but store-and-forward, where it would be nothing.
        let cycles = |bytes| costs.cycles(costs.alone_ticks(Switching::Wormhole, bytes, Hops(0)));
        self.host.map(|bytes| bytes.map_or(Cycles(0), cycles))
    }
}

/// What tasks hold while the tree is gone through from its root.
struct Steps<'a> {
    job: &'a Completion,
    tasks: u32,
    /// By core, so many parts of `tasks`.
    held: Vec<u32>,
}

impl Steps<'_> {
    /// The work of the stages there are.
    fn stages(&self) -> Work {
        let Work { divide, leaf, combine } = self.job.work.clone();
        let only = |has_stage: bool, form| if has_stage { form } else { Default::default() };
        let (divides, combines) = (self.job.divide.alpha.is_some(), self.job.divide.combine_alpha.is_some());
        Work { divide: only(divides, divide), leaf, combine: only(combines, combine) }
    }

    /// The parent gives so many of its parts away.
    fn next(&mut self, phase: u32, [parent, child]: [u32; 2], cells: u32) -> Result<Handover> {
        let whole = f64::from(self.tasks);
        let held = self.held[parent as usize];
        self.held[parent as usize] = held - cells;
        self.held[child as usize] = cells;
        let divide = &self.job.divide;
        let elements = self.job.size as f64 * (f64::from(held) / whole);
        let bytes = |alpha: Option<f64>, volume| {
            alpha.map_or(Bytes(0), |alpha| bytes_of_part(alpha, f64::from(cells) / whole, volume))
        };
        let work = |alpha: Option<f64>, form: &super::Form| alpha.map_or(Ok(0), |_| form.cycles(elements));
        Ok(Handover {
            phase,
            parent,
            child,
            work_divide: work(divide.alpha, &self.job.work.divide)?,
            work_combine: work(divide.combine_alpha, &self.job.work.combine)?,
            down: bytes(divide.alpha, divide.volume),
            up: bytes(divide.combine_alpha, self.job.result),
        })
    }
}

/// The work of one core on so many tasks, one after the other: it halves their number until there is one.
///
/// # Complexity
///
/// O(log tasks): the halves of a level differ by one task at most.
fn alone(work: &Work, elements: f64, tasks: u32) -> f64 {
    // Of the two sizes of a level: how many problems of that size there are.
    let mut level = [(tasks, 1u64), (tasks + 1, 0)];
    let mut sum = 0.0;
    let of = |tasks_held: u32| elements * (f64::from(tasks_held) / f64::from(tasks));
    while level.iter().any(|(size, count)| *size > 1 && *count > 0) {
        let low = level[0].0 / 2;
        let mut next = [(low, 0), (low + 1, 0)];
        for (size, count) in level {
            if count == 0 {
                continue;
            }
            // A task that is alone waits in the lower level, where sizes are 0 and 1, or 1 and 2.
            let halves = if size > 1 { [size / 2, size.div_ceil(2)] } else { [size, 0] };
            if size > 1 {
                sum += count as f64 * (work.divide.exact(of(size)) + work.combine.exact(of(size)));
            }
            for half in halves.into_iter().filter(|half| *half > 0) {
                next[(half - low) as usize].1 += count;
            }
        }
        level = next;
    }
    let leaves: u64 = level.iter().map(|(_, count)| count).sum();
    sum + leaves as f64 * work.leaf.exact(of(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::completion::{Form, Work};

    /// The recursion of the definition.
    fn recursive(work: &Work, elements: f64, tasks: u32) -> f64 {
        if tasks == 1 {
            return work.leaf.exact(elements);
        }
        let part = |part: u32| recursive(work, elements * f64::from(part) / f64::from(tasks), part);
        work.divide.exact(elements) + work.combine.exact(elements) + part(tasks / 2) + part(tasks.div_ceil(2))
    }

    #[test]
    fn tasks_of_one_core_are_halved_until_there_is_one() {
        let form = |text| Form::parse(text).unwrap();
        let work = Work { divide: form("10+n"), leaf: form("n^2"), combine: form("3n") };
        for tasks in (1..=70).chain([1000, 4095, 4097]) {
            let (fast, slow) = (alone(&work, 5000.0, tasks), recursive(&work, 5000.0, tasks));
            assert!((fast - slow).abs() <= 1e-9 * slow, "{tasks}: {fast} and {slow}");
        }
    }
}

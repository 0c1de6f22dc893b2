//! The box a binomial tree is placed on, and which axis each phase uses.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | 2^floor(n/2) x 2^ceil(n/2) | [`Axes::exponents`] | log2 of nodes |
//! | horizontal, vertical | the last axis, the one before | |

use super::Request;
use meshwright_core::error::{Error, Result};
use meshwright_network::topology::{Grid, Network, Topology};

/// How the messages of one phase move along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxisStep {
    /// The axis, from 0.
    pub axis: usize,
    /// How far, in links.
    pub length: u32,
}

/// A box of sides 2^e inside the machine, at its origin.
#[derive(Clone, Debug)]
pub(crate) struct Axes<'m> {
    grid: &'m Grid,
    /// n: the box has 2^n nodes.
    pub(crate) n: u32,
    /// log2 of each side.
    pub(crate) exponents: Vec<u32>,
}

impl<'m> Axes<'m> {
    /// The box for this request: the whole machine if it has just 2^n nodes in sides that are powers of
    /// two, else the most nearly square box that fits, its longer sides last.
    pub(crate) fn of(method: &'static str, request: &Request<'m>) -> Result<Self> {
        let Network::Grid(grid) = request.machine.network() else {
            return Err(Error::not_applicable(method, "it needs a mesh, torus or hypercube"));
        };
        if !request.tasks.is_power_of_two() {
            return Err(Error::not_applicable(
                method,
                format!("{} tasks are not a power of two", request.tasks),
            ));
        }
        let n = request.tasks.trailing_zeros();
        let most: Vec<u32> = grid.sides().iter().map(|side| side.ilog2()).collect();
        if most.iter().sum::<u32>() < n {
            let why = format!("no box of 2^{n} nodes with sides that are powers of two fits on the machine");
            return Err(Error::not_applicable(method, why));
        }
        let mut exponents = vec![0; most.len()];
        for _ in 0..n {
            // The shortest side grows; of equal ones the last.
            let open = (0..most.len()).rev().filter(|&axis| exponents[axis] < most[axis]);
            let axis = open.min_by_key(|&axis| exponents[axis]).expect("the exponents sum to at least n");
            exponents[axis] += 1;
        }
        Ok(Self { grid, n, exponents })
    }

    /// The box of these sides, which must fit.
    pub(crate) fn with(grid: &'m Grid, exponents: Vec<u32>) -> Self {
        Self { grid, n: exponents.iter().sum(), exponents }
    }

    /// The axes in turn from the last to the first, each as often as `rounds` says.
    fn round_robin(rounds: &[u32]) -> Vec<usize> {
        let mut left = rounds.to_vec();
        let mut turns = Vec::new();
        while left.iter().any(|&rounds| rounds > 0) {
            for axis in (0..left.len()).rev().filter(|&axis| rounds[axis] > 0) {
                if left[axis] > 0 {
                    left[axis] -= 1;
                    turns.push(axis);
                }
            }
        }
        turns
    }

    /// The axis of each doubling of the reflecting mapping: horizontal first, then vertical, in turn.
    pub(crate) fn of_doublings(&self) -> Vec<usize> {
        Self::round_robin(&self.exponents)
    }

    /// Every axis once, from the first: the phases that make the centre (vertical, then horizontal).
    fn centre(&self) -> impl Iterator<Item = AxisStep> {
        let long = (0..self.exponents.len()).filter(|&axis| self.exponents[axis] > 0);
        long.map(|axis| AxisStep { axis, length: 1 })
    }

    /// The steps of the growing mapping: the centre, then the shortest step that is left, of equal ones horizontal
    /// before vertical.
    pub(crate) fn shortest_first(&self) -> Vec<AxisStep> {
        let rest: Vec<u32> = self.exponents.iter().map(|e| e.saturating_sub(1)).collect();
        let mut next = vec![1; rest.len()];
        let step = |axis: usize| {
            next[axis] *= 2;
            AxisStep { axis, length: next[axis] / 2 }
        };
        self.centre().chain(Self::round_robin(&rest).into_iter().map(step)).collect()
    }

    /// The steps of centred halving: the centre, then the longest step that is left, of equal ones horizontal before
    /// vertical.
    pub(crate) fn longest_first(&self) -> Vec<AxisStep> {
        let mut left: Vec<u32> = self.exponents.iter().map(|e| e.saturating_sub(1)).collect();
        let mut steps: Vec<AxisStep> = self.centre().collect();
        while let Some(most) = left.iter().copied().max().filter(|&most| most > 0) {
            let axis = left.iter().rposition(|&rounds| rounds == most).expect("the maximum is there");
            left[axis] -= 1;
            steps.push(AxisStep { axis, length: 1 << left[axis] });
        }
        steps
    }

    /// How far the node id moves with one step along an axis.
    pub(crate) fn stride(&self, axis: usize) -> u32 {
        self.grid.sides()[axis + 1..].iter().product()
    }
}

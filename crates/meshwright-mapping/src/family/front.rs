//! The Pareto front of the family, by a dynamic programme over the steps made so far.
//!
//! What a step costs depends on the phase and on the steps its axis has made before, not on their order. So a partial
//! member is known by the set of steps made on each axis; of all orders that lead to one such state only the
//! Pareto-optimal costs are kept. Axes of one length can change places, so of such states one stands for all.

use super::super::axes::AxisStep;
use super::super::divide;
use super::{load, slowdowns};

/// A placement of the family, with its slowdowns.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The step of each phase.
    pub steps: Vec<AxisStep>,
    /// S_w: the time under wormhole routing over that of the perfect mapping.
    pub wormhole_slowdown: f64,
    /// S_sf: the same under store-and-forward.
    pub store_and_forward_slowdown: f64,
}

/// Up to here every state is searched.
const N_EXACT_MAX: u32 = 16;

/// Up to here many costs are kept for each state, unless one axis is longer than 2^[`EXPONENT_WIDE_MAX`].
const N_WIDE_MAX: u32 = 20;

/// On a long axis the front has thousands of members that hardly differ.
const EXPONENT_WIDE_MAX: u32 = 10;

/// Costs that differ by less, relatively, are one cost in other words.
const ROUNDING: f64 = 1e-12;

/// What is searched.
struct Limits {
    /// In how many runs of neighbouring lengths the steps made on an axis may lie.
    runs: u32,
    /// How many costs are kept for one state.
    costs: usize,
}

impl Limits {
    fn of(exponents: &[u32]) -> Self {
        let n = exponents.iter().sum::<u32>();
        let is_long = exponents.iter().any(|&exponent| exponent > EXPONENT_WIDE_MAX);
        Self {
            runs: if n <= N_EXACT_MAX { u32::MAX } else { 2 },
            costs: if n <= N_WIDE_MAX && !is_long { 2048 } else { 16 },
        }
    }
}

/// The Pareto-optimal members on a box of sides 2^e for a divide stage with this alpha, by increasing S_w.
///
/// Members with equal costs are listed once. Every member of the family is matched or beaten in both slowdowns by one
/// of the list, exactly so up to n = 16 where no axis has more than 2^10 nodes. Beyond n = 16, only members are searched
/// that have made, at every moment and on each axis, at most two runs of neighbouring lengths (1, 2 and 16, 32, say):
/// at n = 20 and alpha = 1/2 that costs less than 0.03 % (measured). Beyond n = 20, or
/// with a longer axis, only 16 costs are kept for each state, evenly spread.
///
/// # Panics
///
/// When the exponents sum to more than 24.
///
/// # Complexity
///
/// O(s n c log(n c)) for s states, at most the product of 2^(e-1) + 1, with c costs each.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::family::front;
/// let members = front(&[6, 6], 0.5);
/// let (first, last) = (&members[0], &members[members.len() - 1]);
/// assert_eq!(first.wormhole_slowdown, 1.0);
/// assert!((last.store_and_forward_slowdown - 1.1136).abs() < 1e-4);
/// ```
pub fn front(exponents: &[u32], alpha: f64) -> Vec<Member> {
    let n = exponents.iter().sum();
    front_of(exponents, &(1..=n).map(|i| divide::weight(alpha, i)).collect::<Vec<_>>())
}

/// The same for any weights of the phases, such as those of a divide and a combine stage together.
///
/// # Panics
///
/// When there is not one weight for each phase, or more than 24 phases.
pub fn front_of(exponents: &[u32], weights: &[f64]) -> Vec<Member> {
    let n: u32 = exponents.iter().sum();
    assert!(n <= 24 && weights.len() == n as usize, "one weight for each of at most 24 phases");
    FrontSearch::new(exponents, weights).run()
}

/// The cost of a partial member, and the one it goes on from.
#[derive(Clone, Copy)]
struct Cost {
    wormhole: f64,
    stored: f64,
    from: u32,
}

struct FrontSearch<'a> {
    weights: &'a [f64],
    limits: Limits,
    /// The axes that have steps, those of one length side by side, and log2 of their nodes.
    axes: Vec<(usize, u32)>,
    /// Where the field of each axis is in a state: 0 before its mirror, then 1 + the sum of its other steps.
    shifts: Vec<u32>,
    costs: Vec<Cost>,
    /// Where the costs of each state start.
    first: Vec<u32>,
}

impl<'a> FrontSearch<'a> {
    fn new(exponents: &[u32], weights: &'a [f64]) -> Self {
        let mut axes: Vec<(usize, u32)> =
            exponents.iter().copied().enumerate().filter(|axis| axis.1 > 0).collect();
        axes.sort_unstable_by_key(|&(axis, exponent)| std::cmp::Reverse((exponent, axis)));
        let shift = |index: usize| axes[index + 1..].iter().map(|axis| axis.1).sum();
        let shifts = (0..axes.len()).map(shift).collect();
        let limits = Limits::of(exponents);
        let start = Cost { wormhole: 0.0, stored: 0.0, from: 0 };
        Self { weights, limits, axes, shifts, costs: vec![start], first: vec![0, 1] }
    }

    /// Visits the states in increasing order: every step leads to a larger one.
    fn run(mut self) -> Vec<Member> {
        let goal: u32 = self.axes.iter().zip(&self.shifts).map(|((_, e), shift)| 1 << (e - 1) << shift).sum();
        let (mut fields, mut scratch) = (vec![0; self.axes.len()], vec![0; self.axes.len()]);
        let mut candidates = Vec::new();
        for state in 1..=goal {
            self.unpack(state, &mut fields);
            if self.is_searched(&fields) {
                candidates.clear();
                self.arrive(&fields, &mut scratch, &mut candidates);
                self.keep(&mut candidates);
            }
            self.first.push(self.costs.len() as u32);
        }
        self.members(goal)
    }

    fn unpack(&self, state: u32, fields: &mut [u32]) {
        for (field, (shift, (_, exponent))) in fields.iter_mut().zip(self.shifts.iter().zip(&self.axes)) {
            *field = state >> shift & ((1 << exponent) - 1);
        }
    }

    /// The state of these fields, those of equal axes in decreasing order.
    fn pack(&self, fields: &mut [u32]) -> u32 {
        let mut start = 0;
        for group in self.axes.chunk_by(|a, b| a.1 == b.1) {
            fields[start..start + group.len()].sort_unstable_by(|a, b| b.cmp(a));
            start += group.len();
        }
        fields.iter().zip(&self.shifts).map(|(field, shift)| field << shift).sum()
    }

    fn is_searched(&self, fields: &[u32]) -> bool {
        let runs = |field: u32| {
            let made = field.saturating_sub(1);
            (made & !(made << 1)).count_ones()
        };
        let one = |(&field, axis): (&u32, &(usize, u32))| {
            field <= 1 << (axis.1 - 1) && runs(field) <= self.limits.runs
        };
        let falls = |i: usize| self.axes[i].1 != self.axes[i - 1].1 || fields[i] <= fields[i - 1];
        fields.iter().zip(&self.axes).all(one) && (1..fields.len()).all(falls)
    }

    /// All costs of this state, by its last step.
    fn arrive(&self, fields: &[u32], scratch: &mut [u32], candidates: &mut Vec<Cost>) {
        let steps = |field: &u32| if *field == 0 { 0 } else { 1 + (field - 1).count_ones() };
        let weight = self.weights[fields.iter().map(steps).sum::<u32>() as usize - 1];
        for index in 0..fields.len() {
            let twin =
                fields.get(index + 1) == Some(&fields[index]) && self.axes[index + 1].1 == self.axes[index].1;
            let made = fields[index].saturating_sub(1);
            // The lengths that may have been the last step; the mirror only if nothing came after it.
            let lengths = if made == 0 { 1 } else { made };
            for bit in (0..u32::BITS).filter(|bit| lengths >> bit & 1 == 1 && fields[index] > 0 && !twin) {
                let length = 1 << bit;
                scratch.copy_from_slice(fields);
                scratch[index] -= length;
                let before = self.pack(scratch) as usize;
                let load = if made == 0 { 1 } else { load(made - length, length) };
                let (head, stored) = (weight * f64::from(load), weight * f64::from(length));
                let range = self.first[before]..self.first[before + 1];
                candidates.extend(range.map(|from| {
                    let cost = self.costs[from as usize];
                    Cost { wormhole: cost.wormhole + head, stored: cost.stored + stored, from }
                }));
            }
        }
    }

    /// Keeps what no other candidate matches or beats in both costs.
    fn keep(&mut self, candidates: &mut Vec<Cost>) {
        candidates.sort_by(|a, b| a.wormhole.total_cmp(&b.wormhole).then(a.stored.total_cmp(&b.stored)));
        let mut least = f64::INFINITY;
        candidates.retain(|cost| {
            let better = cost.stored < least * (1.0 - ROUNDING);
            if better {
                least = cost.stored;
            }
            better
        });
        let (count, kept) = (candidates.len(), candidates.len().min(self.limits.costs));
        self.costs.extend(
            (0..kept).map(|i| candidates[if kept < count { i * (count - 1) / (kept - 1) } else { i }]),
        );
    }

    /// The complete members: what led to the costs of the last state.
    fn members(&self, goal: u32) -> Vec<Member> {
        let range = self.first[goal as usize]..self.first[goal as usize + 1];
        let mut members: Vec<Member> = range.map(|cost| self.member(cost)).collect();
        // Costs added up in another order may differ in their last digits.
        members.sort_by(|a, b| a.wormhole_slowdown.total_cmp(&b.wormhole_slowdown));
        members
    }

    fn member(&self, mut cost: u32) -> Member {
        let mut states = Vec::new();
        while cost > 0 {
            states.push(self.first.partition_point(|&first| first <= cost) as u32 - 1);
            cost = self.costs[cost as usize].from;
        }
        states.reverse();
        let steps = self.steps(&states);
        let (wormhole_slowdown, store_and_forward_slowdown) = slowdowns(&steps, self.weights);
        Member { steps, wormhole_slowdown, store_and_forward_slowdown }
    }

    /// The steps between consecutive states, on the axes themselves.
    fn steps(&self, states: &[u32]) -> Vec<AxisStep> {
        // What each axis has made so far: in a state axes of one length may have changed places.
        let mut fields = vec![0; self.axes.len()];
        let mut scratch = fields.clone();
        let mut step_to = |&state: &u32| {
            let steps = (0..fields.len())
                .flat_map(|index| (0..self.axes[index].1).map(move |bit| (index, 1u32 << bit)));
            let leads_there = |&(index, length): &(usize, u32)| {
                scratch.copy_from_slice(&fields);
                scratch[index] += length;
                let (before, after) = (fields[index], scratch[index]);
                let new = if before == 0 { length == 1 } else { (before - 1) & length == 0 };
                new && after <= 1 << (self.axes[index].1 - 1) && self.pack(&mut scratch) == state
            };
            let (index, length) = { steps }.find(leads_there).expect("states follow each other by one step");
            fields[index] += length;
            AxisStep { axis: self.axes[index].0, length }
        };
        states.iter().map(&mut step_to).collect()
    }
}

//! The subset-sum profile bound: which dilations a tree can have at all, and the cheapest of them.
//!
//! | research | here | unit |
//! |---|---|---|
//! | n, N | [`Profile::of_tree`]: phases, tasks after the last | |
//! | B(r), largest ball | [`largest_balls`] | nodes |
//! | D_j, sum of the least j dilations | [`Profile::prefix`] | links |
//! | min of w_1 d_1 + ... + w_n d_n | [`Profile::least`] | weight times links |
//!
//! **Profile.** The set S of phases on the way from the root leads to one task, so at most one node, at most sum(S)
//! links away, where sum(S) adds the dilations of the phases in S. Different tasks have different sets. Of the 2^n sets
//! 2^n - N lead nowhere (none in B(n)). So for every radius r
//!
//! ```text
//! #{S : sum(S) <= r}  <=  B(r) + 2^n - N     (r < R; from R on nothing is asked)
//! ```
//!
//! with B(r) at most N - 1 below the radius R. Leaving phases out only lowers the left side: the condition holds for
//! any subset of the phases, and the one on all phases implies every other.
//!
//! **Order.** The condition does not know which phase has which dilation. With weights that do not increase, the
//! ascending order of a sequence is its cheapest (exchange two that stand the other way round: the sum changes by
//! (w_i - w_k) (d_k - d_i) <= 0). So only ascending sequences need be looked at.
//!
//! **Late gaps.** Of the sets of the first j phases only 2^j - N_j are missing, N_j the tasks after phase j. A halving
//! tree lacks none until its last phases. That bounds the sums of the first phases, not of any, so it stands beside the
//! search: the greater of the two is the answer.
//!
//! **Search.** An ascending sequence is built from its least element. A prefix of k elements whose next is at least m
//! has D_j >= L_j = max(P_j, L_(j-1) + m) for j > k, P_j the prefix bound, so by Abel summation it costs at least the
//! sum of w_j (L_j - L_(j-1)). The search opens the prefix with the least such bound first. The bound of the best open
//! prefix is proved at any time: when the work runs out, that is the answer; when no open prefix is below the best
//! sequence found, the sequence is the answer.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::radius::{RADIUS_MAX, largest_balls, least_radius, nodes_within, radius_from};
use crate::topology::Machine;

/// The longest sequences searched: their 2^n subset sums are counted in 32 bits.
const PHASES_MAX: usize = 31;

/// The search stops after so many prefixes, or after so many additions, whichever comes first.
const PREFIXES_MAX: u64 = 100_000;
/// See [`PREFIXES_MAX`].
const ADDITIONS_MAX: u64 = 1 << 27;

/// Fractions are counted in parts of this power of two; times the sum of 24 bits of links they fit 128 bits.
const SCALE_BITS: i32 = 96;

/// What the nodes of a machine allow the dilations of a tree to be.
#[derive(Clone, Debug)]
pub struct Profile {
    phases: usize,
    /// The most sets of phases that may stay within r links, for r = 0, 1, ..., R - 1.
    most: Vec<u32>,
    /// Least sums of any 1, 2, ..., n phases.
    prefix: Vec<u64>,
    /// Least sums of the first 1, 2, ..., n phases of the tree: where sets are missing they are missing late.
    first: Vec<u64>,
}

/// The least cost of a placement's dilations, as far as it is proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Least {
    /// No placement costs less.
    pub cost: u128,
    /// The first dilations found that the bound cannot exclude and that cost this much; none when the work ran out.
    pub dilations: Option<Vec<u32>>,
}

impl Profile {
    /// The profile of B(n).
    ///
    /// # Panics
    ///
    /// When n exceeds 31.
    ///
    /// # Complexity
    ///
    /// As for [`Self::of_tree`].
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright::{mapping::bound::Profile, topology::Machine};
    /// let profile = Profile::new(&Machine::new("mesh:32x32")?, 10);
    /// // Growing has 24 where the prefix bound has 23, and is the cheapest all the same.
    /// assert_eq!(profile.prefix(), [1, 2, 3, 4, 6, 8, 12, 16, 23, 32]);
    /// let halves: Vec<u128> = (1..=10).map(|i| 1 << (10 - i)).collect();
    /// assert_eq!(profile.least(&halves).dilations.unwrap(), [1, 1, 1, 1, 2, 2, 4, 4, 8, 8]);
    /// # Ok::<(), meshwright::Error>(())
    /// ```
    pub fn new(machine: &Machine, n: u32) -> Self {
        let active: Vec<u32> = (1..=n).map(|j| 1 << j).collect();
        Self::of_tree(machine, &active)
    }

    /// The profile of a tree with so many tasks after phase 1, 2, ..., n, each task with a set of phases of its own.
    ///
    /// # Panics
    ///
    /// When there are more tasks than sets of phases.
    ///
    /// # Complexity
    ///
    /// O(phases + radius) beside the time for the balls and the radius.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright::{mapping::bound::Profile, topology::Machine};
    /// // A line of nine: halves of 5 and 4, then 3 2 2 2, then 2 1 1 1 1 1 1 1, then all nine. Centred halving takes
    /// // 1 + 2 + 1 + 1 links, and nothing takes fewer.
    /// let profile = Profile::of_tree(&Machine::new("mesh:9")?, &[2, 4, 8, 9]);
    /// assert_eq!(profile.distance(), 5);
    /// # Ok::<(), meshwright::Error>(())
    /// ```
    pub fn of_tree(machine: &Machine, active: &[u32]) -> Self {
        let phases = active.len() as u32;
        let tasks = active.last().copied().unwrap_or(1);
        let all = sets(phases);
        assert!(u64::from(tasks) <= all, "{tasks} tasks need as many sets of phases, there are {all}");
        let missing = all - u64::from(tasks);
        let balls = largest_balls(machine);
        let radius = radius_from(machine, &balls, tasks).0;
        // B(r), and no limit from R on.
        let room = |hops: u32| match hops < radius {
            true => nodes_within(&machine.network, &balls, hops).min(u64::from(tasks) - 1),
            false => u64::MAX,
        };
        // Of j phases with so many sets missing.
        let least_sum = |j: u32, missing: u64| {
            let half = sets(j - 1).saturating_sub(missing);
            let middle = least_radius(&machine.network, &balls, half).min(radius);
            let both = room(middle).saturating_add(middle.checked_sub(1).map_or(0, room));
            let odd = both < sets(j).saturating_sub(missing.saturating_mul(2));
            (2 * u64::from(middle) + u64::from(odd)).max(u64::from(j))
        };
        let with_radius = |mut sums: Vec<u64>| {
            if let Some(last) = sums.last_mut() {
                *last = (*last).max(u64::from(radius));
            }
            sums
        };
        let prefix = with_radius((1..=phases).map(|j| least_sum(j, missing)).collect());
        let first = (1..).zip(active).map(|(j, &active)| least_sum(j, sets(j) - u64::from(active)));
        let first = with_radius(first.collect());
        let within = |hops: u32| u32::try_from(room(hops).saturating_add(missing)).unwrap_or(u32::MAX);
        let counted = if radius <= RADIUS_MAX { radius } else { 0 };
        Self { phases: active.len(), most: (0..counted).map(within).collect(), prefix, first }
    }

    /// The least sum of any j dilations, j = 1, ..., n, by two balls, see [`super::prefix`].
    pub fn prefix(&self) -> &[u64] {
        &self.prefix
    }

    /// Whether a placement with these dilations is not excluded.
    ///
    /// # Complexity
    ///
    /// O(n R).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright::{mapping::bound::Profile, topology::Machine};
    /// let profile = Profile::new(&Machine::new("mesh:4x4")?, 4);
    /// assert!(profile.allows(&[1, 1, 1, 1]) && profile.allows(&[2, 1, 1, 1]));
    /// let line = Profile::new(&Machine::new("mesh:16")?, 4);
    /// assert!(!line.allows(&[1, 1, 2, 3]) && line.allows(&[1, 1, 2, 4]));
    /// # Ok::<(), meshwright::Error>(())
    /// ```
    pub fn allows(&self, dilations: &[u32]) -> bool {
        if dilations.contains(&0) || dilations.len() > PHASES_MAX {
            return !dilations.contains(&0);
        }
        let mut sums = SubsetSums::default();
        sums.count(dilations, self.most.len());
        let total = total(dilations);
        sums.within.iter().zip(&self.most).all(|(sums, most)| sums <= most)
            && self.most.get(total as usize).is_none_or(|&most| 1 << dilations.len() <= most)
    }

    /// The least sum of all dilations: how far the farthest task must be through the tree.
    pub fn distance(&self) -> u64 {
        let least = self.least(&vec![1; self.phases]).cost;
        u64::try_from(least).unwrap_or(u64::MAX)
    }

    /// A proved lower bound of w_1 d_1 + ... + w_n d_n.
    ///
    /// A weight greater than one before it counts as that one: then the weights do not increase.
    ///
    /// # Panics
    ///
    /// When there are not as many weights as phases.
    ///
    /// # Complexity
    ///
    /// At most 100 000 prefixes and 2^27 additions, each a fraction of a nanosecond.
    pub fn least(&self, weights: &[u128]) -> Least {
        assert_eq!(weights.len(), self.phases, "one weight per phase");
        let mut weights = weights.to_vec();
        for i in 1..weights.len() {
            weights[i] = weights[i].min(weights[i - 1]);
        }
        let mut search = Search { profile: self, weights, sums: SubsetSums::default(), additions: 0 };
        let in_order = in_order(&search.weights, &self.first);
        let root = Prefix { bound: 0, settled: 0, dilations: [1; PHASES_MAX] };
        if self.phases > PHASES_MAX || (self.most.is_empty() && self.phases > 0) {
            return Least { cost: search.bound(&[], 1).max(in_order), dilations: None };
        }
        let least = search.run(root);
        if least.cost < in_order { Least { cost: in_order, dilations: None } } else { least }
    }

    /// As [`Self::least`], of weights that are fractions, in their unit.
    ///
    /// Each weight is a whole number of 2^-96 parts of the power of two at or below the first; what lies beyond is cut
    /// off. The search is exact, only the result is rounded.
    ///
    /// # Panics
    ///
    /// When there are not as many weights as phases.
    pub fn least_of_fractions(&self, weights: &[f64]) -> f64 {
        let (_, exponent) = libm::frexp(weights.first().copied().unwrap_or(0.0));
        let scale = SCALE_BITS - exponent;
        let whole: Vec<u128> = weights.iter().map(|&weight| libm::ldexp(weight, scale) as u128).collect();
        let least = self.least(&whole);
        match least.dilations {
            // Added up as the time of a placement is.
            Some(dilations) => {
                let mut lightest = f64::INFINITY;
                dilations.iter().zip(weights).fold(0.0, |sum, (&d, &weight)| {
                    lightest = weight.min(lightest);
                    sum + f64::from(d) * lightest
                })
            }
            None => libm::ldexp(least.cost as f64, -scale),
        }
    }
}

/// The least sum of weights times dilations when the first j dilations sum to `first[j - 1]` or more.
fn in_order(weights: &[u128], first: &[u64]) -> u128 {
    let mut reached = 0;
    let step = |(&weight, &sum): (&u128, &u64)| {
        let least = sum.max(reached + 1);
        let cost = weight * u128::from(least - reached);
        reached = least;
        cost
    };
    weights.iter().zip(first).map(step).sum()
}

/// 2^j, or as many as can be counted.
fn sets(j: u32) -> u64 {
    1u64.checked_shl(j).unwrap_or(u64::MAX)
}

fn total(dilations: &[u32]) -> u64 {
    dilations.iter().map(|&d| u64::from(d)).sum()
}

/// How many subsets of a sequence sum to at most r, for r = 0, 1, ... up to the sum of all.
#[derive(Default)]
struct SubsetSums {
    within: Vec<u32>,
    /// The row of one element fewer, kept for its memory.
    before: Vec<u32>,
}

impl SubsetSums {
    /// Counts for r < `limit`; the number of additions.
    ///
    /// With one element d more, C'(r) = C(r) + C(r - d).
    fn count(&mut self, dilations: &[u32], limit: usize) -> u64 {
        let length = (total(dilations) as usize + 1).min(limit);
        self.within.clear();
        self.within.resize(length, 1);
        for &d in dilations {
            let d = d as usize;
            if d >= length {
                continue;
            }
            self.before.clone_from(&self.within);
            let shifted = &self.before[..length - d];
            self.within[d..].iter_mut().zip(shifted).for_each(|(sums, shifted)| *sums += shifted);
        }
        (length * dilations.len()) as u64
    }
}

/// An open part of the search: all ascending sequences that begin with `dilations[..settled]` and go on with
/// `dilations[settled]` or more.
#[derive(Clone)]
struct Prefix {
    bound: u128,
    settled: usize,
    dilations: [u32; PHASES_MAX],
}

impl Ord for Prefix {
    /// The least bound is the greatest, of equal ones the longest prefix, of these the first in dictionary order.
    fn cmp(&self, other: &Self) -> Ordering {
        let bound = other.bound.cmp(&self.bound);
        bound.then(self.settled.cmp(&other.settled)).then_with(|| other.dilations.cmp(&self.dilations))
    }
}

impl PartialOrd for Prefix {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Prefix {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Prefix {}

struct Search<'a> {
    profile: &'a Profile,
    /// They do not increase.
    weights: Vec<u128>,
    sums: SubsetSums,
    additions: u64,
}

impl Search<'_> {
    /// The least cost of an ascending sequence that begins so and goes on with `next` or more.
    fn bound(&self, dilations: &[u32], next: u32) -> u128 {
        let settled = dilations.iter().zip(&self.weights);
        let mut cost: u128 = settled.map(|(&d, &weight)| weight * u128::from(d)).sum();
        let mut reached = total(dilations);
        let rest = self.weights.iter().zip(&self.profile.prefix).skip(dilations.len());
        for (&weight, &prefix) in rest {
            let least = prefix.max(reached + u64::from(next));
            cost += weight * u128::from(least - reached);
            reached = least;
        }
        cost
    }

    /// The least element, from `next` on, that may follow.
    ///
    /// A greater element leaves fewer sums within every radius, so what may follow has no upper end.
    fn least_next(&mut self, dilations: &[u32], next: u32) -> u32 {
        let most = &self.profile.most;
        self.additions += self.sums.count(dilations, most.len());
        let within = &self.sums.within;
        let (total, all) = (total(dilations) as usize, 1u32 << dilations.len());
        let least = self.profile.prefix[dilations.len()].saturating_sub(total as u64);
        let mut next = (next as usize).max(least as usize);
        let count = |r: usize| within.get(r).copied().unwrap_or(all);
        let mut r = next;
        while r < most.len().min(total + next + 1) {
            let room = most[r] - count(r);
            while next <= r && count(r - next) > room {
                next += 1;
            }
            r += 1;
        }
        self.additions += (r - next.min(r)) as u64;
        next as u32
    }

    /// The sequence that always goes on with the least element.
    fn greedy(&mut self) -> [u32; PHASES_MAX] {
        let mut dilations = [1; PHASES_MAX];
        let mut next = 1;
        for k in 0..self.profile.phases {
            next = self.least_next(&dilations[..k], next);
            dilations[k] = next;
        }
        dilations
    }

    fn run(&mut self, mut root: Prefix) -> Least {
        let phases = self.profile.phases;
        let mut best = self.greedy();
        let mut least = self.bound(&best[..phases], 1);
        let mut open = BinaryHeap::new();
        root.bound = self.bound(&[], 1);
        if root.bound < least {
            open.push(root);
        }
        let mut prefixes = 0;
        while let Some(prefix) = open.pop() {
            if prefix.bound >= least {
                break;
            }
            if prefixes == PREFIXES_MAX || self.additions > ADDITIONS_MAX {
                return Least { cost: prefix.bound, dilations: None };
            }
            prefixes += 1;
            for part in self.split(prefix).into_iter().flatten() {
                if part.bound >= least {
                    continue;
                }
                if part.settled == phases {
                    (least, best) = (part.bound, part.dilations);
                } else {
                    open.push(part);
                }
            }
        }
        Least { cost: least, dilations: Some(best[..phases].to_vec()) }
    }

    /// The sequences of a prefix in two parts: the least next element, and all greater ones.
    fn split(&mut self, mut prefix: Prefix) -> [Option<Prefix>; 2] {
        let k = prefix.settled;
        let next = self.least_next(&prefix.dilations[..k], prefix.dilations[k]);
        if next > prefix.dilations[k] {
            prefix.dilations[k] = next;
            let bound = self.bound(&prefix.dilations[..k], next);
            if bound > prefix.bound {
                return [Some(Prefix { bound, ..prefix }), None];
            }
        }
        let mut longer = prefix.clone();
        longer.settled += 1;
        if longer.settled < self.profile.phases {
            longer.dilations[longer.settled] = next;
        }
        longer.bound = self.bound(&longer.dilations[..=k], next);
        prefix.dilations[k] = next + 1;
        prefix.bound = self.bound(&prefix.dilations[..k], next + 1);
        [Some(longer), Some(prefix)]
    }
}

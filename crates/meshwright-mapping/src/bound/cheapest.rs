//! The cheapest dilations that a profile does not exclude.
//!
//! An ascending sequence is built from its least element. A prefix of k elements whose next is at least m
//! has D_j >= L_j = max(P_j, L_(j-1) + m) for j > k, P_j the prefix bound, so by Abel summation it costs at least the
//! sum of w_j (L_j - L_(j-1)). The search opens the prefix with the least such bound first. The bound of the best open
//! prefix is proved at any time: when the work runs out, that is the answer; when no open prefix is below the best
//! sequence found, the sequence is the answer.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::profile::{Least, Profile};

/// The longest sequences searched: their 2^n subset sums are counted in 32 bits.
pub(super) const PHASES_MAX: usize = 31;

/// The search stops after so many prefixes, or after so many additions, whichever comes first.
const PREFIXES_MAX: u64 = 100_000;
/// See [`PREFIXES_MAX`].
const ADDITIONS_MAX: u64 = 1 << 27;

/// The least cost of ascending dilations that the profile allows, for weights that do not increase; what is proved of it,
/// when the work runs out.
pub(super) fn cheapest(profile: &Profile, weights: Vec<u128>) -> Least {
    let mut search = CheapestSearch { profile, weights, sums: SubsetSums::default(), additions: 0 };
    if profile.phases > PHASES_MAX || (profile.most.is_empty() && profile.phases > 0) {
        return Least { cost: search.bound(&[], 1), dilations: None };
    }
    search.run(Prefix { bound: 0, settled: 0, dilations: [1; PHASES_MAX] })
}

/// The sum of the dilations.
pub(super) fn total(dilations: &[u32]) -> u64 {
    dilations.iter().map(|&d| u64::from(d)).sum()
}

/// How many subsets of a sequence sum to at most r, for r = 0, 1, ... up to the sum of all.
#[derive(Default)]
pub(super) struct SubsetSums {
    pub(super) within: Vec<u32>,
    /// The row of one element fewer, kept for its memory.
    before: Vec<u32>,
}

impl SubsetSums {
    /// Counts for r < `limit`; the number of additions.
    ///
    /// With one element d more, C'(r) = C(r) + C(r - d).
    pub(super) fn count(&mut self, dilations: &[u32], limit: usize) -> u64 {
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

struct CheapestSearch<'a> {
    profile: &'a Profile,
    /// They do not increase.
    weights: Vec<u128>,
    sums: SubsetSums,
    additions: u64,
}

impl CheapestSearch<'_> {
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

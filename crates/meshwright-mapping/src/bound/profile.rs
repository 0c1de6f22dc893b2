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

use super::cheapest::{PHASES_MAX, SubsetSums, cheapest, total};
use super::radius::{RADIUS_MAX, largest_balls, least_radius, nodes_within, radius_from};
use meshwright_network::topology::Machine;

/// Fractions are counted in parts of this power of two; times the sum of 24 bits of links they fit 128 bits.
const SCALE_BITS: i32 = 96;

/// What the nodes of a machine allow the dilations of a tree to be.
#[derive(Clone, Debug)]
pub struct Profile {
    pub(super) phases: usize,
    /// The most sets of phases that may stay within r links, for r = 0, 1, ..., R - 1.
    pub(super) most: Vec<u32>,
    /// Least sums of any 1, 2, ..., n phases.
    pub(super) prefix: Vec<u64>,
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
    /// use meshwright_mapping::bound::Profile;
    /// use meshwright_network::topology::Machine;
    /// let profile = Profile::new(&Machine::new("mesh:32x32")?, 10);
    /// // Growing has 24 where the prefix bound has 23, and is the cheapest all the same.
    /// assert_eq!(profile.prefix(), [1, 2, 3, 4, 6, 8, 12, 16, 23, 32]);
    /// let halves: Vec<u128> = (1..=10).map(|i| 1 << (10 - i)).collect();
    /// assert_eq!(profile.least(&halves).dilations.unwrap(), [1, 1, 1, 1, 2, 2, 4, 4, 8, 8]);
    /// # Ok::<(), meshwright_core::Error>(())
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
    /// use meshwright_mapping::bound::Profile;
    /// use meshwright_network::topology::Machine;
    /// // A line of nine: halves of 5 and 4, then 3 2 2 2, then 2 1 1 1 1 1 1 1, then all nine. Centred halving takes
    /// // 1 + 2 + 1 + 1 links, and nothing takes fewer.
    /// let profile = Profile::of_tree(&Machine::new("mesh:9")?, &[2, 4, 8, 9]);
    /// assert_eq!(profile.distance(), 5);
    /// # Ok::<(), meshwright_core::Error>(())
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
            true => nodes_within(machine.network(), &balls, hops).min(u64::from(tasks) - 1),
            false => u64::MAX,
        };
        // Of j phases with so many sets missing.
        let least_sum = |j: u32, missing: u64| {
            let half = sets(j - 1).saturating_sub(missing);
            let middle = least_radius(machine.network(), &balls, half).min(radius);
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
    /// use meshwright_mapping::bound::Profile;
    /// use meshwright_network::topology::Machine;
    /// let profile = Profile::new(&Machine::new("mesh:4x4")?, 4);
    /// assert!(profile.allows(&[1, 1, 1, 1]) && profile.allows(&[2, 1, 1, 1]));
    /// let line = Profile::new(&Machine::new("mesh:16")?, 4);
    /// assert!(!line.allows(&[1, 1, 2, 3]) && line.allows(&[1, 1, 2, 4]));
    /// # Ok::<(), meshwright_core::Error>(())
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
        let in_order = in_order(&weights, &self.first);
        let least = cheapest(self, weights);
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

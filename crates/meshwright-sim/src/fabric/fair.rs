//! Max-min fair rates by progressive filling.
//!
//! All rates grow together. A flow stops growing at its own cap, or when a resource on its way is full; what it leaves
//! to others is theirs. So no resource idles while a flow that could use it is slowed by nothing else.
//!
//! # Source
//!
//! `bertsekas1992`, section 6.5.2.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Progressive filling over resources of fixed capacity, with the memory of the round before.
#[derive(Debug)]
pub(super) struct Fair {
    /// By resource, bytes per cycle.
    capacity: Vec<f64>,
    /// By resource, what is left of it, and how many flows without a rate still want it.
    left: Vec<f64>,
    wanted: Vec<u32>,
    /// The resources somebody wants.
    touched: Vec<u32>,
    /// By resource where its flows begin and end in `flows`; of meaning for touched ones only.
    lists: Vec<(u32, u32)>,
    flows: Vec<u32>,
    /// Shares of resources, the least first; one that is out of date is looked up again.
    shares: BinaryHeap<Reverse<(u64, u32)>>,
    /// Flows by their own caps, the least first.
    capped: Vec<(u64, u32)>,
}

/// A flow that wants a rate.
pub(super) trait Wants {
    /// The resources it holds all at once, each at most once.
    fn route(&self, flow: u32) -> &[u32];

    /// Its own cap in bytes per cycle; infinite if it has none.
    fn cap(&self, flow: u32) -> f64;
}

/// What a flow gets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rate {
    /// Bytes per cycle.
    pub(super) rate: f64,
    /// The resource that is full and allows no more, if it is not its own cap.
    pub(super) limit: Option<u32>,
}

/// The rate of a flow that does not have one yet.
const NONE: f64 = -1.0;

impl Fair {
    pub(super) fn new(capacity: Vec<f64>) -> Self {
        let resources = capacity.len();
        Self {
            capacity,
            left: vec![0.0; resources],
            wanted: vec![0; resources],
            touched: Vec::new(),
            lists: vec![(0, 0); resources],
            flows: Vec::new(),
            shares: BinaryHeap::new(),
            capped: Vec::new(),
        }
    }

    /// The rates of these flows, written to `rates` by the number of the flow.
    ///
    /// # Complexity
    ///
    /// O(R log R) for R = sum of the lengths of routes.
    pub(super) fn fill(&mut self, active: &[u32], wants: &impl Wants, rates: &mut [Rate]) {
        self.gather(active, wants, rates);
        let limited = |&&flow: &&u32| wants.cap(flow) < f64::INFINITY || !wants.route(flow).is_empty();
        let (mut caps, mut rest) = (0, active.iter().filter(limited).count());
        while rest > 0 {
            let cap = loop {
                match self.capped.get(caps) {
                    Some(&(_, flow)) if rates[flow as usize].rate != NONE => caps += 1,
                    other => break other.map_or(f64::INFINITY, |&(cap, _)| f64::from_bits(cap)),
                }
            };
            match self.least_share() {
                Some((share, resource)) if share < cap => {
                    let (first, end) = self.lists[resource as usize];
                    for index in first..end {
                        let flow = self.flows[index as usize];
                        if rates[flow as usize].rate == NONE {
                            self.fix(flow, Rate { rate: share, limit: Some(resource) }, wants, rates);
                            rest -= 1;
                        }
                    }
                }
                Some(_) | None => {
                    assert!(caps < self.capped.len(), "a flow without a cap holds a resource");
                    self.fix(self.capped[caps].1, Rate { rate: cap, limit: None }, wants, rates);
                    rest -= 1;
                }
            }
        }
        self.forget();
    }

    /// Notes who wants what.
    fn gather(&mut self, active: &[u32], wants: &impl Wants, rates: &mut [Rate]) {
        for &flow in active {
            let cap = wants.cap(flow);
            // What nothing limits is there at once.
            let is_free = cap == f64::INFINITY && wants.route(flow).is_empty();
            rates[flow as usize] = Rate { rate: if is_free { f64::INFINITY } else { NONE }, limit: None };
            if cap < f64::INFINITY {
                self.capped.push((cap.to_bits(), flow));
            }
            for &resource in wants.route(flow) {
                if self.wanted[resource as usize] == 0 {
                    self.touched.push(resource);
                }
                self.wanted[resource as usize] += 1;
            }
        }
        self.capped.sort_unstable();
        let mut end = 0;
        for &resource in &self.touched {
            let at = resource as usize;
            // The flows are put in from the end.
            end += self.wanted[at];
            self.lists[at] = (end, end);
            self.left[at] = self.capacity[at];
            let share = self.capacity[at] / f64::from(self.wanted[at]);
            self.shares.push(Reverse((share.to_bits(), resource)));
        }
        self.flows.resize(end as usize, 0);
        for &flow in active.iter().rev() {
            for &resource in wants.route(flow) {
                let (first, _) = &mut self.lists[resource as usize];
                *first -= 1;
                self.flows[*first as usize] = flow;
            }
        }
    }

    /// The resource with the least share, and the share.
    fn least_share(&mut self) -> Option<(f64, u32)> {
        while let Some(&Reverse((bits, resource))) = self.shares.peek() {
            let wanted = self.wanted[resource as usize];
            let share = self.left[resource as usize].max(0.0) / f64::from(wanted.max(1));
            // Shares only grow: an entry that is still right is the least of all.
            if wanted > 0 && share <= f64::from_bits(bits) {
                return Some((share, resource));
            }
            self.shares.pop();
            if wanted > 0 {
                self.shares.push(Reverse((share.to_bits(), resource)));
            }
        }
        None
    }

    /// Gives a flow its rate for good.
    fn fix(&mut self, flow: u32, rate: Rate, wants: &impl Wants, rates: &mut [Rate]) {
        rates[flow as usize] = rate;
        for &resource in wants.route(flow) {
            self.left[resource as usize] -= rate.rate;
            self.wanted[resource as usize] -= 1;
        }
    }

    fn forget(&mut self) {
        for &resource in &self.touched {
            self.wanted[resource as usize] = 0;
        }
        self.touched.clear();
        self.flows.clear();
        self.shares.clear();
        self.capped.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct Routes(Vec<(Vec<u32>, f64)>);

    impl Wants for Routes {
        fn route(&self, flow: u32) -> &[u32] {
            &self.0[flow as usize].0
        }

        fn cap(&self, flow: u32) -> f64 {
            self.0[flow as usize].1
        }
    }

    fn filled(capacity: &[f64], flows: &Routes) -> Vec<f64> {
        let active: Vec<u32> = (0..flows.0.len() as u32).collect();
        let mut rates = vec![Rate::default(); active.len()];
        Fair::new(capacity.to_vec()).fill(&active, flows, &mut rates);
        rates.iter().map(|given| given.rate).collect()
    }

    #[test]
    fn what_one_flow_cannot_use_is_given_to_others() {
        let flows = Routes(vec![(vec![0, 1], f64::INFINITY), (vec![1], f64::INFINITY), (vec![1], 1.0)]);
        assert_eq!(filled(&[2.0, 9.0], &flows), [2.0, 6.0, 1.0]);
    }

    proptest! {
        /// The definition: no resource is overfull, and each flow is at its cap or crosses a full resource on which
        /// nobody is faster.
        #[test]
        fn rates_are_max_min_fair(
            capacity in prop::collection::vec(1u32..50, 6),
            ways in prop::collection::vec((prop::collection::btree_set(0u32..6, 1..4), 1u32..60), 1..12),
        ) {
            let capacity: Vec<f64> = capacity.into_iter().map(f64::from).collect();
            let flow = |(way, cap): (std::collections::BTreeSet<u32>, u32)| {
                (way.into_iter().collect(), if cap < 30 { f64::from(cap) } else { f64::INFINITY })
            };
            let flows = Routes(ways.into_iter().map(flow).collect());
            let rates = filled(&capacity, &flows);
            let over = |r: u32| flows.0.iter().zip(&rates).filter(move |((way, _), _)| way.contains(&r));
            for (r, &capacity) in (0u32..).zip(&capacity) {
                prop_assert!(over(r).map(|(_, rate)| rate).sum::<f64>() <= capacity + 1e-9);
            }
            for ((way, cap), &rate) in flows.0.iter().zip(&rates) {
                let stopped = way.iter().any(|&r| {
                    let full = over(r).map(|(_, rate)| rate).sum::<f64>() >= capacity[r as usize] - 1e-9;
                    full && over(r).all(|(_, &other)| other <= rate + 1e-9)
                });
                prop_assert!(rate >= cap - 1e-9 || stopped, "{rates:?}");
            }
        }
    }
}

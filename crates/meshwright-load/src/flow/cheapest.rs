//! Cheapest flow in whole units, by successive cheapest paths.
//!
//! Amounts may be the load in units of 2^-50, times the nodes, times the links of a cut: more than the words of
//! [`max_flow`](super::max_flow) hold.
//!
//! # Source
//!
//! `ford1956`: augmenting paths; the cheapest are found by correcting labels.

use std::collections::VecDeque;

/// A network with whole capacities and costs; arc 2i and arc 2i + 1 are each other's reverse.
pub(crate) struct CheapestFlow {
    first: Vec<Vec<usize>>,
    target: Vec<usize>,
    rest: Vec<i128>,
    cost: Vec<i64>,
}

impl CheapestFlow {
    /// Arcs of one capacity and one cost between nodes with a surplus or, below 0, a lack; two more nodes than these: where
    /// surplus comes from, and where it goes.
    pub(crate) fn new(arcs: &[(usize, usize)], capacity: i128, cost: i64, surplus: &[i128]) -> Self {
        let nodes = surplus.len();
        let mut network = Self {
            first: vec![Vec::new(); nodes + 2],
            target: Vec::new(),
            rest: Vec::new(),
            cost: Vec::new(),
        };
        for &(from, to) in arcs {
            network.add(from, to, capacity, cost);
        }
        for (node, &amount) in surplus.iter().enumerate() {
            match amount {
                1.. => network.add(nodes, node, amount, 0),
                0 => {}
                _ => network.add(node, nodes + 1, -amount, 0),
            }
        }
        network
    }

    fn add(&mut self, from: usize, to: usize, capacity: i128, cost: i64) {
        self.first[from].push(self.target.len());
        self.first[to].push(self.target.len() + 1);
        self.target.extend([to, from]);
        self.rest.extend([capacity, 0]);
        self.cost.extend([cost, -cost]);
    }

    /// The cheapest ways from `from` with room, by label correction; by node the arc it is reached by.
    fn cheapest(&self, from: usize) -> (Vec<i64>, Vec<usize>) {
        let nodes = self.first.len();
        let (mut cost, mut by) = (vec![i64::MAX; nodes], vec![usize::MAX; nodes]);
        let mut is_queued = vec![false; nodes];
        let mut queue = VecDeque::from([from]);
        cost[from] = 0;
        while let Some(node) = queue.pop_front() {
            is_queued[node] = false;
            for &arc in &self.first[node] {
                let (to, there) = (self.target[arc], cost[node] + self.cost[arc]);
                if self.rest[arc] > 0 && there < cost[to] {
                    (cost[to], by[to]) = (there, arc);
                    if !std::mem::replace(&mut is_queued[to], true) {
                        queue.push_back(to);
                    }
                }
            }
        }
        (cost, by)
    }

    /// Fills the network along cheapest ways; the cost, and by node whether there is still room to it.
    pub(crate) fn fill(mut self) -> (i128, Vec<bool>) {
        let (from, to) = (self.first.len() - 2, self.first.len() - 1);
        let mut whole = 0;
        loop {
            let (cost, by) = self.cheapest(from);
            if cost[to] == i64::MAX {
                return (whole, cost.iter().map(|&cost| cost != i64::MAX).collect());
            }
            let way: Vec<usize> = std::iter::successors(Some(by[to]), |&arc| {
                let before = by[self.target[arc ^ 1]];
                (before != usize::MAX).then_some(before)
            })
            .collect();
            let amount = way.iter().map(|&arc| self.rest[arc]).min().expect("a way has an arc");
            for arc in way {
                self.rest[arc] -= amount;
                self.rest[arc ^ 1] += amount;
            }
            whole += amount * i128::from(cost[to]);
        }
    }
}

//! Halves of a weighted graph that talk little to each other, and to what lies beyond: coarsen, cut, refine.
//!
//! Coarsening joins each vertex with the neighbour it talks to most, vertices of few neighbours first: a leaf has only
//! its parent to join, and a parent that joins elsewhere leaves it alone. The coarsest graph is cut from
//! several places; on the way back every level is refined by moving one vertex after the other, the one that gains
//! most, also at a loss, and keeping the best state passed. What a vertex talks to outside the graph pulls it to one
//! side: its pull is what it costs more on the second side than on the first.

use std::collections::BinaryHeap;

use rand::{Rng, RngExt};

use super::weighted::Weighted;

/// Coarser than this is not needed.
const COARSEST: usize = 24;
/// From how many places the coarsest graph is cut.
const PLACES: usize = 6;
/// Passes of refinement at most; each must gain.
const PASSES: usize = 8;
/// Larger graphs are refined by fewer passes: their coarser ones were refined before.
const MANY: usize = 1 << 12;
const PASSES_OF_MANY: usize = 2;

/// A graph to be cut in two.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    /// Who talks how much to whom.
    pub(super) graph: Weighted,
    /// What each vertex costs more on the second side than on the first.
    pub(super) pull: Vec<i64>,
    /// How large the first side shall be.
    pub(super) first_size: u64,
}

impl Cut {
    /// The weight between the two sides, less the pulls of the first: what is made small.
    pub(super) fn cost(&self, side: &[bool]) -> i64 {
        let of = |vertex: usize| {
            let later = self.graph.neighbours(vertex).iter().filter(|(to, _)| *to as usize > vertex);
            let across = later.filter(|(to, _)| side[*to as usize] != side[vertex]);
            across.map(|(_, weight)| *weight as i64).sum::<i64>()
                - if side[vertex] { self.pull[vertex] } else { 0 }
        };
        (0..self.graph.len()).map(of).sum()
    }

    /// How far the first side is from its size, and the cost.
    fn key(&self, side: &[bool]) -> (u64, i64) {
        let first = self.graph.sizes.iter().zip(side).filter(|(_, side)| **side);
        let size: u64 = first.map(|(size, _)| u64::from(*size)).sum();
        (size.abs_diff(self.first_size), self.cost(side))
    }

    /// The best of several cuts, and of one known before: which vertices are on the first side, of exactly its size if
    /// all sizes are 1.
    ///
    /// # Source
    ///
    /// `karypis1998` for the levels, `fiduccia1982` for the refinement.
    ///
    /// # Complexity
    ///
    /// O(m log n log n) for m edges.
    pub(super) fn best(&self, known: Option<Vec<bool>>, tries: usize, rng: &mut impl Rng) -> Vec<bool> {
        let refined = |mut side: Vec<bool>| {
            self.refine(&mut side);
            (self.key(&side), side)
        };
        // A small graph is cut from several places anyway.
        let tries = if self.graph.len() <= COARSEST { 1 } else { tries };
        let found = (0..tries).map(|_| self.bisect(rng));
        let best = known.into_iter().chain(found).map(refined).min_by_key(|(key, _)| *key);
        let best = best.expect("there is at least one cut");
        if 2 * self.first_size != self.graph.len() as u64 {
            return best.1;
        }
        // The other way round the halves may be nearer to what they talk to.
        let mirrored = refined(best.1.iter().map(|side| !side).collect());
        if mirrored.0 < best.0 { mirrored.1 } else { best.1 }
    }

    /// One cut by coarsening.
    fn bisect(&self, rng: &mut impl Rng) -> Vec<bool> {
        let mut levels: Vec<(Cut, Vec<u32>)> = Vec::new();
        loop {
            let finest = levels.last().map_or(self, |(cut, _)| cut);
            if finest.graph.len() <= COARSEST {
                break;
            }
            let (graph, map) = finest.graph.coarsen(rng);
            if graph.len() * 20 > finest.graph.len() * 19 {
                break;
            }
            let mut pull = vec![0; graph.len()];
            map.iter().zip(&finest.pull).for_each(|(coarse, fine)| pull[*coarse as usize] += fine);
            levels.push((Cut { graph, pull, first_size: self.first_size }, map));
        }
        let mut side = levels.last().map_or(self, |(cut, _)| cut).cut_from_several_places(rng);
        while let Some((_, map)) = levels.pop() {
            side = map.iter().map(|&coarse| side[coarse as usize]).collect();
            levels.last().map_or(self, |(cut, _)| cut).refine(&mut side);
        }
        side
    }

    fn cut_from_several_places(&self, rng: &mut impl Rng) -> Vec<bool> {
        let pairs = self.graph.len() * self.graph.len().saturating_sub(1) / 2;
        let tries = (0..pairs.clamp(1, PLACES)).map(|attempt| {
            let mut side = self.grow(attempt % 2 == 1, rng);
            self.refine(&mut side);
            (self.key(&side), side)
        });
        tries.min_by_key(|(key, _)| *key).expect("there is at least one place").1
    }

    /// A side grown from one vertex, the most pulled or any: always the vertex most drawn to it.
    fn grow(&self, from_pulled: bool, rng: &mut impl Rng) -> Vec<bool> {
        let graph = &self.graph;
        let mut side = vec![false; graph.len()];
        if graph.len() == 0 {
            return side;
        }
        let mut size = 0;
        let mut heap: BinaryHeap<(i64, u64, u32)> = BinaryHeap::new();
        let mut drawn = self.pull.clone();
        let any = rng.random_range(0..graph.len());
        let pulled = (0..graph.len()).max_by_key(|&vertex| (self.pull[vertex], vertex == any));
        let start = pulled.filter(|_| from_pulled).unwrap_or(any);
        // Everyone may join when nobody is drawn any more; the start comes first.
        let mut others = (0..graph.len()).map(|step| (start + step) % graph.len());
        while size < self.first_size {
            let drawn_most = loop {
                match heap.pop() {
                    Some((draw, _, vertex)) if !side[vertex as usize] && drawn[vertex as usize] == draw => {
                        break Some(vertex as usize);
                    }
                    Some(_) => {}
                    None => break None,
                }
            };
            let Some(vertex) = drawn_most.or_else(|| others.find(|&vertex| !side[vertex])) else { break };
            side[vertex] = true;
            size += u64::from(graph.sizes[vertex]);
            for &(to, weight) in graph.neighbours(vertex) {
                drawn[to as usize] += weight as i64;
                heap.push((drawn[to as usize], rng.next_u64(), to));
            }
        }
        side
    }

    /// Moves vertices one by one as long as a pass gains.
    fn refine(&self, side: &mut [bool]) {
        let largest = self.graph.sizes.iter().copied().max().unwrap_or(1);
        let passes = if self.graph.len() > MANY { PASSES_OF_MANY } else { PASSES };
        for _ in 0..passes {
            if !self.pass(side, u64::from(largest)) {
                return;
            }
        }
    }

    /// One pass: every vertex moves once at most; the best state passed is kept. Whether anything was gained.
    fn pass(&self, side: &mut [bool], slack: u64) -> bool {
        let (graph, first_size) = (&self.graph, self.first_size);
        let mut gain: Vec<i64> = (0..graph.len()).map(|vertex| self.gain(side, vertex)).collect();
        let mut waiting: [Vec<(i64, u32)>; 2] = Default::default();
        let mut size = 0;
        for vertex in 0..graph.len() {
            waiting[usize::from(side[vertex])].push((gain[vertex], vertex as u32));
            size += if side[vertex] { u64::from(graph.sizes[vertex]) } else { 0 };
        }
        let mut heaps = waiting.map(BinaryHeap::from);
        let mut moved = vec![false; graph.len()];
        let mut trail: Vec<u32> = Vec::new();
        // Imbalance beyond rounding, then the weight saved.
        let (mut saved, start) = (0i64, (size.abs_diff(first_size), 0));
        let (mut best, mut best_length) = (start, 0);
        // Far past the best state nothing is found any more.
        while trail.len() < best_length + 64 + graph.len() / 8 {
            for heap in &mut heaps {
                while heap.peek().is_some_and(|&(g, v)| moved[v as usize] || gain[v as usize] != g) {
                    heap.pop();
                }
            }
            let from = match (heaps[0].peek(), heaps[1].peek()) {
                _ if size > first_size && size - first_size >= slack => 1,
                _ if size < first_size && first_size - size >= slack => 0,
                (Some(zero), Some(one)) => {
                    usize::from(one.0 > zero.0 || one.0 == zero.0 && size > first_size)
                }
                (zero, _) => usize::from(zero.is_none()),
            };
            let Some((_, vertex)) = heaps[from].pop() else { break };
            let vertex = vertex as usize;
            moved[vertex] = true;
            saved += gain[vertex];
            side[vertex] = !side[vertex];
            let weight = u64::from(graph.sizes[vertex]);
            size = if side[vertex] { size + weight } else { size - weight };
            trail.push(vertex as u32);
            for &(to, weight) in graph.neighbours(vertex) {
                let to = to as usize;
                gain[to] += if side[to] == side[vertex] { -2 } else { 2 } * weight as i64;
                if !moved[to] {
                    heaps[usize::from(side[to])].push((gain[to], to as u32));
                }
            }
            let state = (size.abs_diff(first_size), -saved);
            if state < best {
                (best, best_length) = (state, trail.len());
            }
        }
        trail[best_length..].iter().for_each(|&vertex| side[vertex as usize] = !side[vertex as usize]);
        best < start
    }

    /// The cost saved by moving a vertex to the other side.
    fn gain(&self, side: &[bool], vertex: usize) -> i64 {
        let one = |&(to, weight): &(u32, u64)| {
            if side[to as usize] == side[vertex] { -(weight as i64) } else { weight as i64 }
        };
        let inside: i64 = self.graph.neighbours(vertex).iter().map(one).sum();
        inside + if side[vertex] { -self.pull[vertex] } else { self.pull[vertex] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpulled(graph: Weighted, first_size: u64) -> Cut {
        let pull = vec![0; graph.len()];
        Cut { graph, pull, first_size }
    }

    fn path_of_cliques(cliques: u32, size: u32) -> Weighted {
        let mut edges = Vec::new();
        for clique in 0..cliques {
            for a in 0..size {
                edges.extend((0..a).map(|b| (clique * size + a, clique * size + b, 3)));
            }
            if clique > 0 {
                edges.push((clique * size, clique * size - 1, 1));
            }
        }
        Weighted::new(vec![1; (cliques * size) as usize], &mut edges)
    }

    #[test]
    fn a_path_of_cliques_is_cut_between_two_of_them() {
        for (cliques, size) in [(2, 5), (4, 6), (8, 9), (32, 4)] {
            let half = u64::from(cliques * size / 2);
            let cut = unpulled(path_of_cliques(cliques, size), half);
            for seed in 0..5 {
                let side = cut.best(None, 1, &mut meshwright_core::rng::stream(seed, "cut"));
                assert_eq!(side.iter().filter(|&&first| first).count() as u64, half);
                assert_eq!(cut.cost(&side), 1, "{cliques} cliques of {size}");
            }
        }
    }

    #[test]
    fn sizes_are_met_on_graphs_without_edges_and_stars() {
        let empty = Weighted::new(vec![1; 50], &mut vec![]);
        let star = Weighted::new(vec![1; 50], &mut (1..50).map(|leaf| (0, leaf, 1)).collect());
        for graph in [empty, star] {
            for first in [0, 1, 7, 25, 49, 50] {
                let cut = unpulled(graph.clone(), first);
                let side = cut.best(None, 1, &mut meshwright_core::rng::stream(1, "cut"));
                assert_eq!(side.iter().filter(|&&side| side).count() as u64, first);
            }
        }
    }

    #[test]
    fn a_cut_costs_no_more_than_any_of_a_small_graph() {
        let mut rng = meshwright_core::rng::stream(3, "cut");
        for vertices in 2..=9u32 {
            for _ in 0..20 {
                let pairs = (0..vertices).flat_map(|a| (0..a).map(move |b| (a, b)));
                let mut edges = Vec::new();
                pairs.for_each(|(a, b)| {
                    if rng.random_range(0..3) == 0 {
                        edges.push((a, b, rng.random_range(1..10)));
                    }
                });
                let graph = Weighted::new(vec![1; vertices as usize], &mut edges);
                let pull = (0..vertices).map(|_| rng.random_range(-12..=12)).collect();
                let first_size = rng.random_range(0..=vertices);
                let cut = Cut { graph, pull, first_size: u64::from(first_size) };
                let sides = (0..1u32 << vertices).filter(|set| set.count_ones() == first_size);
                let of = |set: u32| (0..vertices).map(|vertex| set >> vertex & 1 == 1).collect::<Vec<_>>();
                let least = sides.map(|set| cut.cost(&of(set))).min().unwrap();
                assert_eq!(cut.cost(&cut.best(None, 4, &mut rng)), least);
            }
        }
    }
}

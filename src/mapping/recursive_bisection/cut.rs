//! Halves of a weighted graph that talk little to each other: coarsen, cut, refine.
//!
//! Coarsening joins each vertex with the neighbour it talks to most, vertices of few neighbours first: a leaf has only
//! its parent to join, and a parent that joins elsewhere leaves it alone. The coarsest graph is cut from
//! several places; on the way back every level is refined by moving one vertex after the other, the one that gains
//! most, also at a loss, and keeping the best state passed.

use std::collections::BinaryHeap;

use rand::{Rng, RngExt};

/// Coarser than this is not needed.
const COARSEST: usize = 24;
/// From how many places the coarsest graph is cut.
const TRIES: usize = 6;
/// Passes of refinement at most; each must gain.
const PASSES: usize = 8;

/// An undirected graph with weights, in compressed rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weighted {
    first: Vec<u32>,
    neighbours: Vec<(u32, u64)>,
    sizes: Vec<u32>,
}

impl Weighted {
    /// From edges between different vertices; parallel ones add up.
    pub(crate) fn new(sizes: Vec<u32>, edges: &mut Vec<(u32, u32, u64)>) -> Self {
        let back: Vec<_> = edges.iter().map(|&(a, b, weight)| (b, a, weight)).collect();
        edges.extend(back);
        edges.sort_unstable_by_key(|&(a, b, _)| (a, b));
        edges.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 = kept.2.saturating_add(next.2);
            }
            same
        });
        let mut first = vec![0; sizes.len() + 1];
        edges.iter().for_each(|&(a, _, _)| first[a as usize + 1] += 1);
        for vertex in 0..sizes.len() {
            first[vertex + 1] += first[vertex];
        }
        Self { first, neighbours: edges.iter().map(|&(_, b, weight)| (b, weight)).collect(), sizes }
    }

    fn len(&self) -> usize {
        self.sizes.len()
    }

    pub(crate) fn neighbours(&self, vertex: usize) -> &[(u32, u64)] {
        &self.neighbours[self.first[vertex] as usize..self.first[vertex + 1] as usize]
    }

    fn size(&self) -> u64 {
        self.sizes.iter().map(|&size| u64::from(size)).sum()
    }

    /// The weight between the two sides.
    pub(crate) fn cut(&self, side: &[bool]) -> u64 {
        let of = |vertex: usize| {
            let across = self.neighbours(vertex).iter().filter(|(to, _)| side[*to as usize] != side[vertex]);
            across.map(|(_, weight)| *weight).sum::<u64>()
        };
        (0..self.len()).map(of).sum::<u64>() / 2
    }

    /// Joins pairs; also gives the coarse vertex of each vertex.
    fn coarsen(&self, rng: &mut impl Rng) -> (Self, Vec<u32>) {
        const ALONE: u32 = u32::MAX;
        let mut order: Vec<(u32, u64, u32)> = (0..self.len())
            .map(|vertex| (self.neighbours(vertex).len() as u32, rng.next_u64(), vertex as u32))
            .collect();
        order.sort_unstable();
        let limit = (self.size() / 8).max(2);
        let mut coarse = vec![ALONE; self.len()];
        let mut sizes = Vec::new();
        for &(_, _, vertex) in &order {
            let vertex = vertex as usize;
            if coarse[vertex] != ALONE {
                continue;
            }
            let fits = |to: u32| u64::from(self.sizes[vertex] + self.sizes[to as usize]) <= limit;
            let open =
                self.neighbours(vertex).iter().filter(|(to, _)| coarse[*to as usize] == ALONE && fits(*to));
            let partner =
                open.max_by_key(|(to, weight)| (*weight, std::cmp::Reverse(self.sizes[*to as usize])));
            coarse[vertex] = sizes.len() as u32;
            let mut size = self.sizes[vertex];
            if let Some(&(to, _)) = partner {
                coarse[to as usize] = sizes.len() as u32;
                size += self.sizes[to as usize];
            }
            sizes.push(size);
        }
        let mut edges = Vec::new();
        for vertex in 0..self.len() {
            for &(to, weight) in self.neighbours(vertex) {
                if (to as usize) < vertex && coarse[to as usize] != coarse[vertex] {
                    edges.push((coarse[vertex], coarse[to as usize], weight));
                }
            }
        }
        (Self::new(sizes, &mut edges), coarse)
    }
}

/// Which vertices are on the first side, of exactly this total size if all sizes are 1.
///
/// # Source
///
/// `karypis1998` for the levels, `fiduccia1982` for the refinement.
///
/// # Complexity
///
/// O(m log n log n) for m edges.
pub(crate) fn bisect(graph: &Weighted, first_size: u64, rng: &mut impl Rng) -> Vec<bool> {
    let mut levels: Vec<(Weighted, Vec<u32>)> = Vec::new();
    while levels.last().map_or(graph, |(graph, _)| graph).len() > COARSEST {
        let finest = levels.last().map_or(graph, |(graph, _)| graph);
        let (coarse, map) = finest.coarsen(rng);
        if coarse.len() * 20 > finest.len() * 19 {
            break;
        }
        levels.push((coarse, map));
    }
    let coarsest = levels.last().map_or(graph, |(graph, _)| graph);
    let mut side = from_several_places(coarsest, first_size, rng);
    while let Some((_, map)) = levels.pop() {
        side = map.iter().map(|&coarse| side[coarse as usize]).collect();
        let finer = levels.last().map_or(graph, |(graph, _)| graph);
        refine(finer, &mut side, first_size);
    }
    side
}

fn from_several_places(graph: &Weighted, first_size: u64, rng: &mut impl Rng) -> Vec<bool> {
    let mut best: Option<(u64, u64, Vec<bool>)> = None;
    for _ in 0..TRIES {
        let mut side = grow(graph, first_size, rng);
        refine(graph, &mut side, first_size);
        let size: u64 = (0..graph.len()).filter(|&v| side[v]).map(|v| u64::from(graph.sizes[v])).sum();
        let key = (size.abs_diff(first_size), graph.cut(&side));
        if best.as_ref().is_none_or(|best| key < (best.0, best.1)) {
            best = Some((key.0, key.1, side));
        }
    }
    best.expect("there is at least one try").2
}

/// A side grown from one vertex: always the vertex most drawn to it.
fn grow(graph: &Weighted, first_size: u64, rng: &mut impl Rng) -> Vec<bool> {
    let mut side = vec![false; graph.len()];
    if graph.len() == 0 {
        return side;
    }
    let mut size = 0;
    let mut heap: BinaryHeap<(u64, u64, u32)> = BinaryHeap::new();
    let mut drawn = vec![0u64; graph.len()];
    let start = rng.random_range(0..graph.len());
    // Everyone may join when nobody is drawn any more; the start comes first.
    let mut others = (0..graph.len()).map(|step| (start + step) % graph.len());
    while size < first_size {
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
            drawn[to as usize] = drawn[to as usize].saturating_add(weight);
            heap.push((drawn[to as usize], rng.next_u64(), to));
        }
    }
    side
}

/// Moves vertices one by one as long as a pass gains.
fn refine(graph: &Weighted, side: &mut [bool], first_size: u64) {
    let largest = graph.sizes.iter().copied().max().unwrap_or(1);
    for _ in 0..PASSES {
        if !pass(graph, side, first_size, u64::from(largest)) {
            return;
        }
    }
}

/// One pass: every vertex moves once at most; the best state passed is kept. Whether anything was gained.
fn pass(graph: &Weighted, side: &mut [bool], first_size: u64, slack: u64) -> bool {
    let mut gain: Vec<i64> = (0..graph.len()).map(|vertex| gain(graph, side, vertex)).collect();
    let mut heaps: [BinaryHeap<(i64, u32)>; 2] = Default::default();
    let mut size = 0;
    for vertex in 0..graph.len() {
        heaps[usize::from(side[vertex])].push((gain[vertex], vertex as u32));
        size += if side[vertex] { u64::from(graph.sizes[vertex]) } else { 0 };
    }
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
            (Some(zero), Some(one)) => usize::from(one.0 > zero.0 || one.0 == zero.0 && size > first_size),
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

/// The weight saved by moving a vertex to the other side.
fn gain(graph: &Weighted, side: &[bool], vertex: usize) -> i64 {
    let one =
        |&(to, weight): &(u32, u64)| if side[to as usize] == side[vertex] { -1 } else { 1 } * weight as i64;
    graph.neighbours(vertex).iter().map(one).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let graph = path_of_cliques(cliques, size);
            for seed in 0..5 {
                let half = u64::from(cliques * size / 2);
                let side = bisect(&graph, half, &mut crate::rng::stream(seed, "cut"));
                assert_eq!(side.iter().filter(|&&first| first).count() as u64, half);
                assert_eq!(graph.cut(&side), 1, "{cliques} cliques of {size}");
            }
        }
    }

    #[test]
    fn sizes_are_met_on_graphs_without_edges_and_stars() {
        let empty = Weighted::new(vec![1; 50], &mut vec![]);
        let star = Weighted::new(vec![1; 50], &mut (1..50).map(|leaf| (0, leaf, 1)).collect());
        for graph in [empty, star] {
            for first in [0, 1, 7, 25, 49, 50] {
                let side = bisect(&graph, first, &mut crate::rng::stream(1, "cut"));
                assert_eq!(side.iter().filter(|&&side| side).count() as u64, first);
            }
        }
    }
}

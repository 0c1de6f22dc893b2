//! Weighted graphs, and the coarser graphs of joined pairs.

use meshwright_core::csr::Csr;
use rand::Rng;

/// An undirected graph with weights, in compressed rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weighted {
    neighbours: Csr<(u32, u64)>,
    /// How many tasks each vertex stands for.
    pub(super) sizes: Vec<u32>,
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
        let rows = edges.iter().map(|&(a, b, weight)| (a as usize, (b, weight)));
        Self { neighbours: Csr::from_pairs(sizes.len(), rows), sizes }
    }

    /// How many vertices there are.
    pub(super) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whom a vertex talks to, and how much.
    pub(crate) fn neighbours(&self, vertex: usize) -> &[(u32, u64)] {
        self.neighbours.row(vertex)
    }

    /// The size of all vertices together.
    fn size(&self) -> u64 {
        self.sizes.iter().map(|&size| u64::from(size)).sum()
    }

    /// Joins pairs; also gives the coarse vertex of each vertex.
    pub(super) fn coarsen(&self, rng: &mut impl Rng) -> (Self, Vec<u32>) {
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

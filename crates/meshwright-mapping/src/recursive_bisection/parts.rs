//! Parts of given sizes: cut in two, again and again, without a machine.

use meshwright_core::rng::stream;

use super::cut::Cut;
use super::weighted::Weighted;

/// How many cuts are tried for each half, the best of them counts.
const TRIES: usize = 2;

/// The part of each vertex of a weighted graph: part k has `sizes[k]` vertices, and parts talk little to each other, least of
/// all the first half of them to the second.
///
/// Edges are undirected, between different vertices; parallel ones add up. All weights together are below 2^62.
///
/// # Panics
///
/// When an edge names a vertex that is not below the sum of the sizes.
///
/// # Complexity
///
/// O(m log^2 n log k) for m edges, n vertices and k parts.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::recursive_bisection::parts;
/// // Two triangles and an edge between them.
/// let edges = vec![(0, 2, 1), (2, 4, 1), (4, 0, 1), (1, 3, 1), (3, 5, 1), (5, 1, 1), (4, 5, 1)];
/// let part = parts(edges, &[3, 3], 0);
/// assert_eq!(part[0], part[2]);
/// assert_eq!(part[2], part[4]);
/// assert_ne!(part[4], part[5]);
/// ```
pub fn parts(mut edges: Vec<(u32, u32, u64)>, sizes: &[u32], seed: u64) -> Vec<u32> {
    let vertices: u32 = sizes.iter().sum();
    let graph = Weighted::new(vec![1; vertices as usize], &mut edges);
    let mut part = vec![0; vertices as usize];
    let mut all: Vec<u32> = (0..vertices).collect();
    let mut number = vec![0; vertices as usize];
    let mut rng = stream(seed, "parts");
    let mut waiting = vec![(0, 0..sizes.len())];
    while let Some((start, range)) = waiting.pop() {
        let of = |parts: &[u32]| parts.iter().map(|&size| size as usize).sum::<usize>();
        let vertices = &mut all[start..start + of(&sizes[range.clone()])];
        if range.len() <= 1 {
            vertices.iter().for_each(|&vertex| part[vertex as usize] = range.start as u32);
            continue;
        }
        let middle = range.start + range.len() / 2;
        let first = of(&sizes[range.start..middle]);
        let side = cut(&graph, vertices, &mut number, first).best(None, TRIES, &mut rng);
        let mut sorted: Vec<u32> = Vec::with_capacity(vertices.len());
        for wanted in [true, false] {
            sorted.extend(vertices.iter().zip(&side).filter(|(_, side)| **side == wanted).map(|(v, _)| *v));
        }
        vertices.copy_from_slice(&sorted);
        waiting.push((start + first, middle..range.end));
        waiting.push((start, range.start..middle));
    }
    part
}

/// The graph of some vertices alone, `first` of which go to the first side; `number` is scratch.
fn cut(graph: &Weighted, vertices: &[u32], number: &mut [u32], first: usize) -> Cut {
    // From 1 on: 0 is a vertex that is not among them.
    (1..).zip(vertices).for_each(|(index, &vertex)| number[vertex as usize] = index);
    let mut edges = Vec::new();
    for (index, &vertex) in (1..).zip(vertices) {
        let inside =
            graph.neighbours(vertex as usize).iter().map(|&(to, weight)| (number[to as usize], weight));
        let earlier = inside.filter(|&(to, _)| to != 0 && to < index);
        edges.extend(earlier.map(|(to, weight)| (index - 1, to - 1, weight)));
    }
    vertices.iter().for_each(|&vertex| number[vertex as usize] = 0);
    let graph = Weighted::new(vec![1; vertices.len()], &mut edges);
    Cut { graph, pull: vec![0; vertices.len()], first_size: first as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square grid in square blocks is cut into blocks as good as those.
    #[test]
    fn sizes_are_met_and_a_grid_falls_into_blocks() {
        let side = 8;
        let mut edges = Vec::new();
        for at in 0..side * side {
            if at % side + 1 < side {
                edges.push((at, at + 1, 1));
            }
            if at / side + 1 < side {
                edges.push((at, at + side, 1));
            }
        }
        let between =
            |part: &[u32]| edges.iter().filter(|(a, b, _)| part[*a as usize] != part[*b as usize]).count();
        let part = parts(edges.clone(), &[16; 4], 0);
        assert_eq!(between(&part), 16, "four blocks of 4 x 4");
        for sizes in [vec![64], vec![1; 64], vec![60, 1, 3], vec![5, 7, 11, 13, 28], vec![0, 64]] {
            let part = parts(edges.clone(), &sizes, 1);
            let count = |k| part.iter().filter(|&&part| part == k).count() as u32;
            assert_eq!((0..sizes.len() as u32).map(count).collect::<Vec<_>>(), sizes);
        }
    }
}

//! Virtual topologies: who talks to whom.

use meshwright_core::csr::Csr;
use meshwright_core::error::{Error, Result};

/// The most vertices, and the most edges.
const MOST: u64 = 1 << 27;

/// Who talks to whom, by rank in the communicator that is to be: an undirected graph with weights.
///
/// | MPI | here |
/// |---|---|
/// | Cartesian topology | [`VirtualTopology::cart`]: each process sends one face of weight 1 to each neighbour |
/// | graph topology | [`VirtualTopology::graph`]: each edge has weight 1 |
/// | distributed graph | [`VirtualTopology::weighted`]: the weights that the program gives |
#[derive(Clone, Debug)]
pub struct VirtualTopology {
    edges: Csr<(u32, u64)>,
    weight: u64,
    sides: Vec<u32>,
}

impl VirtualTopology {
    /// A grid with these sides, row-major as MPI numbers it; a side wraps where `periods` says so. Along each dimension each
    /// vertex sends 1 to the next and 1 to the one before; faces to itself do not count.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for a side of 0, or not as many periods as sides; [`Error::TooLarge`].
    ///
    /// # Complexity
    ///
    /// O(n d log(n d)) for n vertices and d dimensions.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_hosts::reorder::VirtualTopology;
    /// let ring = VirtualTopology::cart(&[3], &[true])?;
    /// assert_eq!(ring.neighbours(0), [(1, 2), (2, 2)], "one face to each, and one from each");
    /// assert_eq!(VirtualTopology::cart(&[2], &[true])?.neighbours(0), [(1, 4)], "it is next and before");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn cart(sides: &[u32], periods: &[bool]) -> Result<Self> {
        if sides.len() != periods.len() || sides.contains(&0) {
            let given = format!("{sides:?} with {} periods", periods.len());
            return Err(Error::value("grid", given, "sides from 1 on, and a period for each"));
        }
        let vertices = sides.iter().try_fold(1_u64, |all, &side| all.checked_mul(side.into()));
        let vertices = vertices.filter(|&all| all.saturating_mul(sides.len().max(1) as u64) <= MOST);
        let Some(vertices) = vertices else { return Err(too_large("a grid of these sides")) };
        let mut edges = Vec::with_capacity(vertices as usize * sides.len());
        for vertex in 0..vertices as u32 {
            let mut stride = 1;
            for (&side, &wraps) in sides.iter().zip(periods).rev() {
                let at = vertex / stride % side;
                if at + 1 < side {
                    edges.push((vertex, vertex + stride, 2));
                } else if wraps && side > 1 {
                    edges.push((vertex, vertex - at * stride, 2));
                }
                stride *= side;
            }
        }
        Ok(Self { sides: sides.to_vec(), ..Self::of(vertices as u32, edges)? })
    }

    /// The graph of `MPI_Graph_create`: the neighbours of vertex i are `edges[index[i - 1]..index[i]]`, each of weight 1.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for an index that falls or leaves the edges, and for an edge to nobody; [`Error::TooLarge`].
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_hosts::reorder::VirtualTopology;
    /// let star = VirtualTopology::graph(&[2, 3, 4], &[1, 2, 0, 0])?;
    /// assert_eq!(star.neighbours(0), [(1, 2), (2, 2)]);
    /// assert!(VirtualTopology::graph(&[2, 1, 4], &[1, 2, 0, 0]).is_err());
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn graph(index: &[i32], edges: &[i32]) -> Result<Self> {
        let mut all = Vec::with_capacity(edges.len());
        let mut begin = 0;
        for (vertex, &end) in (0..).zip(index) {
            let row = usize::try_from(end).ok().and_then(|end| edges.get(begin..end));
            let Some(row) = row else {
                return Err(Error::value("index of a graph", end, format!("{begin} to {}", edges.len())));
            };
            all.extend(row.iter().map(|&to| (vertex, to, 1)));
            begin += row.len();
        }
        Self::weighted(index.len() as u32, &all)
    }

    /// So many vertices with these directed edges: from, to, weight. Parallel ones and those back add up; those to itself do
    /// not count.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for an edge that names nobody and for a weight below 0, [`Error::TooLarge`].
    ///
    /// # Complexity
    ///
    /// O(m log m) for m edges.
    pub fn weighted(vertices: u32, edges: &[(i32, i32, i32)]) -> Result<Self> {
        let vertex = |number: i32| {
            let found = u32::try_from(number).ok().filter(|number| *number < vertices);
            found.ok_or_else(|| Error::value("neighbour", number, format!("a rank below {vertices}")))
        };
        let edge = |&(from, to, weight): &(i32, i32, i32)| {
            let weight = u64::try_from(weight).map_err(|_| Error::value("weight", weight, "0 or more"))?;
            Ok((vertex(from)?, vertex(to)?, weight))
        };
        Self::of(vertices, edges.iter().map(edge).collect::<Result<_>>()?)
    }

    fn of(vertices: u32, mut edges: Vec<(u32, u32, u64)>) -> Result<Self> {
        if edges.len() as u64 > MOST {
            return Err(too_large("a topology of so many edges"));
        }
        edges.retain(|(from, to, weight)| from != to && *weight > 0);
        let weight = edges.iter().map(|(_, _, weight)| u128::from(*weight)).sum::<u128>();
        let weight = u64::try_from(weight).map_err(|_| too_large("a topology of such weights"))?;
        let back: Vec<_> = edges.iter().map(|&(from, to, weight)| (to, from, weight)).collect();
        edges.extend(back);
        edges.sort_unstable_by_key(|&(from, to, _)| (from, to));
        edges.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            if is_same {
                kept.2 += next.2;
            }
            is_same
        });
        let rows = edges.iter().map(|&(from, to, weight)| (from as usize, (to, weight)));
        Ok(Self { edges: Csr::from_pairs(vertices as usize, rows), weight, sides: Vec::new() })
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> u32 {
        self.edges.rows().len() as u32
    }

    /// Whom a vertex talks to, and the weight of both directions together.
    pub fn neighbours(&self, vertex: u32) -> &[(u32, u64)] {
        self.edges.row(vertex as usize)
    }

    /// The weight of all edges.
    pub fn weight(&self) -> u64 {
        self.weight
    }

    /// The sides, if it is a grid.
    pub(super) fn sides(&self) -> &[u32] {
        &self.sides
    }

    /// Every edge once.
    pub(super) fn edges(&self) -> impl Iterator<Item = (u32, u32, u64)> + '_ {
        let of = |from: u32| self.neighbours(from).iter().map(move |&(to, weight)| (from, to, weight));
        (0..self.vertices()).flat_map(of).filter(|(from, to, _)| from < to)
    }
}

fn too_large(what: &'static str) -> Error {
    Error::TooLarge { what, needed: "more".into(), limit: format!("{MOST} edges, weights below 2^64") }
}

//! Connected components by halving the adjacency matrix.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | adjacency matrix | [`Graph`], n^2 / 8 | bytes |
//! | alpha = 1/4 | the lower right quarter of the matrix is sent, the upper left one is kept | |
//!
//! The vertices are halved, and each half keeps the edges inside of it: two quarters of the matrix. The edges between the
//! halves stand in the third quarter (the fourth says the same again, turned round). They stay where the matrix was
//! divided, travel with nobody, and join the components of both halves when those are known.

use std::ops::Range;

use rand::RngExt;

use meshwright_core::rng;
use meshwright_core::units::Bytes;
use meshwright_runtime::skeleton::DivideAndConquer;
use meshwright_runtime::transport::Wire;

/// A rectangle of bits, row after row in words of 64 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bits {
    columns: u32,
    words: Vec<u64>,
}

impl Bits {
    fn new(rows: u32, columns: u32) -> Self {
        Self { columns, words: vec![0; rows as usize * columns.div_ceil(64) as usize] }
    }

    fn row(&self, row: u32) -> &[u64] {
        let width = self.columns.div_ceil(64) as usize;
        &self.words[row as usize * width..][..width]
    }

    fn set(&mut self, row: u32, column: u32) {
        let width = self.columns.div_ceil(64) as usize;
        self.words[row as usize * width + column as usize / 64] |= 1 << (column % 64);
    }

    /// The bits of these rows from this column on, so many of each.
    fn part(&self, rows: Range<u32>, first: u32, columns: u32) -> Self {
        let (skip, shift) = (first as usize / 64, first % 64);
        let width = columns.div_ceil(64) as usize;
        let last = match columns % 64 {
            0 => u64::MAX,
            rest => (1 << rest) - 1,
        };
        let mut words = Vec::with_capacity(rows.len() * width);
        for row in rows.map(|row| self.row(row)) {
            let word = |at: usize| row.get(at).copied().unwrap_or(0);
            // Two shifts: one by 64 is none.
            words
                .extend((skip..skip + width).map(|at| word(at) >> shift | word(at + 1) << 1 << (63 - shift)));
            if let Some(end) = words.last_mut().filter(|_| width > 0) {
                *end &= last;
            }
        }
        Self { columns, words }
    }
}

/// The places of the bits of a word that are 1, plus an offset.
fn ones(mut word: u64, offset: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let place = (word != 0).then(|| offset + word.trailing_zeros())?;
        word &= word - 1;
        Some(place)
    })
}

/// An undirected graph by its adjacency matrix.
///
/// # Examples
///
/// ```
/// use meshwright_demos::applications::{Graph, GraphHalving};
/// use meshwright_runtime::skeleton::on_threads;
/// let graph = Graph::new(5, [(0, 3), (4, 1)]);
/// let components = on_threads(&GraphHalving::new(1), graph);
/// assert_eq!(components.least(), [0, 1, 2, 0, 1]);
/// assert_eq!(components.count(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    matrix: Bits,
    /// What was parted off while this graph was divided: the edges between both sides, the last ones last.
    between: Vec<Bits>,
}

impl Graph {
    /// A graph of so many vertices with these edges.
    ///
    /// # Panics
    ///
    /// When an edge names a vertex there is not.
    ///
    /// # Complexity
    ///
    /// O(n^2 / 64 + edges), and n^2 / 8 bytes.
    pub fn new(vertices: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut matrix = Bits::new(vertices, vertices);
        for (one, other) in edges {
            assert!(one.max(other) < vertices, "both ends of an edge are vertices");
            matrix.set(one, other);
            matrix.set(other, one);
        }
        Self { matrix, between: Vec::new() }
    }

    /// A graph of so many vertices with so many edges drawn at random; some may be drawn twice, some from a vertex to itself.
    pub fn random(vertices: u32, edges: u64, seed: u64) -> Self {
        let mut generator = rng::stream(seed, "edges of a graph");
        let edges = if vertices == 0 { 0 } else { edges };
        let mut vertex = || generator.random_range(0..vertices);
        Self::new(vertices, (0..edges).map(|_| (vertex(), vertex())))
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> u32 {
        self.matrix.columns
    }

    /// The vertices next to this one, in increasing order.
    ///
    /// # Panics
    ///
    /// When there is no such vertex.
    pub fn neighbours(&self, vertex: u32) -> impl Iterator<Item = u32> {
        (0..).zip(self.matrix.row(vertex)).flat_map(|(at, &word)| ones(word, 64 * at))
    }

    /// These rows of the matrix, row after row in words of 64 bits.
    ///
    /// # Panics
    ///
    /// When there are no such rows.
    pub fn rows(&self, rows: Range<u32>) -> &[u64] {
        let width = self.vertices().div_ceil(64) as usize;
        &self.matrix.words[rows.start as usize * width..rows.end as usize * width]
    }

    /// The volume of the matrix alone: n^2 / 8 bytes where n is a multiple of 64; rows are filled up to whole words.
    pub fn matrix_volume(&self) -> Bytes {
        Bytes(u64::volume_of_all(&self.matrix.words))
    }
}

/// Four bytes for n before the matrix. What lies between parts stays where it is.
impl Wire for Graph {
    fn volume(&self) -> Bytes {
        Bytes(4 + self.matrix_volume().0)
    }

    fn write(&self, out: &mut Vec<u8>) {
        assert!(self.between.is_empty(), "who sends a graph has not divided it further");
        self.vertices().write(out);
        u64::write_all(&self.matrix.words, out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let columns = u32::read(from)?;
        let words = u64::read_all(columns as usize * columns.div_ceil(64) as usize, from)?;
        Some(Self { matrix: Bits { columns, words }, between: Vec::new() })
    }
}

/// Which vertices hang together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    least: Vec<u32>,
    /// As for the graph.
    between: Vec<Bits>,
}

impl Components {
    /// The least vertex in the component of each vertex.
    pub fn least(&self) -> &[u32] {
        &self.least
    }

    /// How many components there are.
    pub fn count(&self) -> usize {
        (0..).zip(&self.least).filter(|(vertex, least)| vertex == *least).count()
    }
}

/// Four bytes for each vertex, and eight for their number.
impl Wire for Components {
    fn volume(&self) -> Bytes {
        self.least.volume()
    }

    fn write(&self, out: &mut Vec<u8>) {
        assert!(self.between.is_empty(), "who sends components has joined all there were");
        self.least.write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let least = Vec::<u32>::read(from)?;
        let is_forest = (0..).zip(&least).all(|(vertex, least)| *least <= vertex);
        is_forest.then_some(Self { least, between: Vec::new() })
    }
}

/// Connected components: both halves of the vertices on their own, then the edges between them join what they touch.
///
/// alpha is 1/4 on the way down; four bytes for each vertex come back, so that it is 1/2 on the way up.
///
/// # Source
///
/// `lo1990`, section 3: a graph problem on two graphs of half the vertices.
#[derive(Clone, Copy, Debug)]
pub struct GraphHalving {
    small: u32,
}

impl GraphHalving {
    /// Graphs of up to so many vertices, and graphs of one, are not divided.
    pub fn new(small: u32) -> Self {
        Self { small: small.max(1) }
    }
}

impl Default for GraphHalving {
    /// A matrix of 32 KiB fits into a cache next to the processor.
    fn default() -> Self {
        Self::new(512)
    }
}

impl DivideAndConquer for GraphHalving {
    type Problem = Graph;
    type Solution = Components;

    fn is_small(&self, graph: &Graph) -> bool {
        graph.vertices() <= self.small
    }

    fn solve(&self, graph: Graph) -> Components {
        let least = search(&graph).least;
        Components { least, between: graph.between }
    }

    fn divide(&self, graph: Graph, (kept, sent): (u32, u32)) -> (Graph, Graph) {
        let Graph { matrix, mut between } = graph;
        let n = matrix.columns;
        let workers = u64::from(kept) + u64::from(sent);
        let middle = (u64::from(n) * u64::from(kept) / workers) as u32;
        let middle = middle.clamp(n.min(1), n.max(1) - 1);
        between.push(matrix.part(0..middle, middle, n - middle));
        let first = Graph { matrix: matrix.part(0..middle, 0, middle), between };
        let second = Graph { matrix: matrix.part(middle..n, middle, n - middle), between: Vec::new() };
        (first, second)
    }

    fn combine(&self, kept: Components, sent: Components) -> Components {
        let Components { mut least, mut between } = kept;
        let first = least.len() as u32;
        let edges = between.pop().expect("what was divided is combined once");
        least.extend(sent.least.iter().map(|vertex| vertex + first));
        for row in 0..first {
            for (at, &word) in (0..).zip(edges.row(row)) {
                ones(word, 64 * at).for_each(|column| join(&mut least, row, first + column));
            }
        }
        flatten(&mut least);
        Components { least, between }
    }
}

/// The least vertex known of a component; whoever is passed on the way is moved half the way to it.
fn find(parents: &mut [u32], vertex: u32) -> u32 {
    let mut vertex = vertex;
    while parents[vertex as usize] != vertex {
        let above = parents[parents[vertex as usize] as usize];
        parents[vertex as usize] = above;
        vertex = above;
    }
    vertex
}

/// Joins two components under the lesser of their least vertices.
fn join(parents: &mut [u32], one: u32, other: u32) {
    let (one, other) = (find(parents, one), find(parents, other));
    parents[one.max(other) as usize] = one.min(other);
}

/// Every vertex under the least of its component: parents are never greater than their children.
fn flatten(parents: &mut [u32]) {
    for vertex in 0..parents.len() {
        parents[vertex] = parents[parents[vertex] as usize];
    }
}

/// The components of a graph, undivided: from each vertex that is not reached yet, all that is reached from it.
///
/// # Complexity
///
/// O(n^2 / 64 + n).
pub fn search(graph: &Graph) -> Components {
    let n = graph.vertices();
    let mut least = vec![0; n as usize];
    let mut fresh = vec![u64::MAX; n.div_ceil(64) as usize];
    let mut open = Vec::new();
    for start in 0..n {
        if fresh[start as usize / 64] & 1 << (start % 64) == 0 {
            continue;
        }
        fresh[start as usize / 64] &= !(1 << (start % 64));
        open.push(start);
        while let Some(vertex) = open.pop() {
            least[vertex as usize] = start;
            for ((at, &row), fresh) in (0..).zip(graph.matrix.row(vertex)).zip(&mut fresh) {
                let found = row & *fresh;
                *fresh &= !found;
                open.extend(ones(found, 64 * at));
            }
        }
    }
    Components { least, between: Vec::new() }
}

/// The components of a graph by rows of its matrix, which anybody may work at: each edge joins what it touches.
///
/// # Examples
///
/// ```
/// use meshwright_demos::applications::Graph;
/// use meshwright_demos::applications::components::{Forest, search};
/// let graph = Graph::random(100, 80, 7);
/// let mut forest = Forest::of_rows(100, 0, graph.rows(0..50));
/// forest.join(&Forest::of_rows(100, 50, graph.rows(50..100)));
/// assert_eq!(forest.components(), search(&graph));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forest(Vec<u32>);

impl Forest {
    /// What the edges in these rows of the matrix of n vertices join, from this row on.
    ///
    /// # Panics
    ///
    /// When there are more rows than vertices.
    ///
    /// # Complexity
    ///
    /// O(n + rows n / 64 + edges log n).
    pub fn of_rows(n: u32, first: u32, words: &[u64]) -> Self {
        let mut parents: Vec<u32> = (0..n).collect();
        let width = n.div_ceil(64).max(1) as usize;
        for (vertex, row) in (first..).zip(words.chunks_exact(width)) {
            for (at, &word) in (0..).zip(row) {
                ones(word, 64 * at).for_each(|other| join(&mut parents, vertex, other));
            }
        }
        flatten(&mut parents);
        Self(parents)
    }

    /// What hangs together in either hangs together in both.
    ///
    /// # Complexity
    ///
    /// O(n log n).
    pub fn join(&mut self, other: &Self) {
        (0..).zip(&other.0).for_each(|(vertex, least)| join(&mut self.0, vertex, *least));
        flatten(&mut self.0);
    }

    /// The components.
    pub fn components(self) -> Components {
        Components { least: self.0, between: Vec::new() }
    }
}

/// Four bytes for each vertex, and eight for their number.
impl Wire for Forest {
    fn volume(&self) -> Bytes {
        self.0.volume()
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        Some(Self(Components::read(from)?.least))
    }
}

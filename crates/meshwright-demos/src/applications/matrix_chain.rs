//! The product of a chain of matrices.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | a sequence of matrices | [`Chain`] | |
//! | alpha = 1/2 down | half of the chain is sent | bytes |
//! | alpha = 1 up | one product comes back, as large as a matrix | bytes |
//!
//! Entries are numbers modulo the prime [`PRIME`]: every order of multiplications gives the same product to the bit, and a
//! long product of square matrices does not fade to zero, as it may modulo a power of two.
//!
//! A chain is divided where its bytes are parted as the workers are, so that alpha is 1/2 and workers have equal
//! shares; between matrices of one shape this is the middle. The order with the fewest multiplications may put one
//! matrix against all others, which is no work for two. It is used where nothing is divided any more:
//! [`cheapest_order`] within a small chain.

use rand::RngExt;

use meshwright_core::error::{Error, Result};
use meshwright_core::rng;
use meshwright_core::units::Bytes;
use meshwright_runtime::skeleton::DivideAndConquer;
use meshwright_runtime::transport::Wire;

/// Entries are counted modulo 2^31 - 1.
pub const PRIME: u32 = (1 << 31) - 1;

/// A matrix of numbers modulo [`PRIME`], row after row.
///
/// # Examples
///
/// ```
/// use meshwright_demos::applications::Matrix;
/// let turn = Matrix::new(2, 2, vec![0, 1, 1, 1])?;
/// let square = turn.times(&turn);
/// assert_eq!(square.entries(), [1, 1, 1, 2]);
/// assert!(Matrix::new(2, 2, vec![1, 2, 3]).is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    rows: u32,
    columns: u32,
    entries: Vec<u32>,
}

impl Matrix {
    /// A matrix of these entries.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when there are not rows * columns entries, or one is not less than [`PRIME`].
    pub fn new(rows: u32, columns: u32, entries: Vec<u32>) -> Result<Self> {
        let needed = u64::from(rows) * u64::from(columns);
        if entries.len() as u64 != needed {
            return Err(Error::value("number of entries", entries.len(), needed.to_string()));
        }
        if let Some(entry) = entries.iter().find(|entry| **entry >= PRIME) {
            return Err(Error::value("entry", entry, format!("less than {PRIME}")));
        }
        Ok(Self { rows, columns, entries })
    }

    /// How many rows there are.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// How many columns there are.
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// The entries, row after row.
    pub fn entries(&self) -> &[u32] {
        &self.entries
    }

    /// The product of both.
    ///
    /// # Panics
    ///
    /// When this one has not as many columns as the other one has rows.
    ///
    /// # Complexity
    ///
    /// O(rows * columns of this * columns of the other).
    pub fn times(&self, other: &Self) -> Self {
        assert_eq!(self.columns, other.rows, "rows meet columns of equal length");
        let width = other.columns as usize;
        let mut entries = Vec::with_capacity(self.rows as usize * width);
        let mut sums = vec![0u64; width];
        for row in 0..self.rows as usize {
            sums.fill(0);
            for inner in 0..self.columns as usize {
                let factor = u64::from(self.entries[row * self.columns as usize + inner]);
                for (sum, &entry) in sums.iter_mut().zip(&other.entries[inner * width..][..width]) {
                    // Below 2^62 + 2^34: 2^31 is 1 modulo 2^31 - 1.
                    let next = *sum + factor * u64::from(entry);
                    *sum = (next & u64::from(PRIME)) + (next >> 31);
                }
            }
            entries.extend(sums.iter().map(|sum| (sum % u64::from(PRIME)) as u32));
        }
        Self { rows: self.rows, columns: other.columns, entries }
    }
}

/// Four bytes for each entry, and sixteen for the shape.
impl Wire for Matrix {
    fn volume(&self) -> Bytes {
        Bytes(8 + self.entries.volume().0)
    }

    fn write(&self, out: &mut Vec<u8>) {
        (self.rows, self.columns).write(out);
        self.entries.write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let (rows, columns) = Wire::read(from)?;
        Self::new(rows, columns, Vec::read(from)?).ok()
    }
}

/// Matrices that can be multiplied: at least one, each with as many columns as the next has rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    matrices: Vec<Matrix>,
}

impl Chain {
    /// A chain of these matrices.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when there is no matrix, or two neighbours do not fit.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_demos::applications::{Chain, Matrix};
    /// let row = Matrix::new(1, 2, vec![1, 2])?;
    /// assert!(Chain::new(vec![row.clone(), row]).is_err(), "2 columns, 1 row");
    /// assert!(Chain::new(vec![]).is_err());
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn new(matrices: Vec<Matrix>) -> Result<Self> {
        if matrices.is_empty() {
            return Err(Error::value("number of matrices", 0, "at least 1"));
        }
        for pair in matrices.windows(2) {
            if pair[0].columns != pair[1].rows {
                return Err(Error::value(
                    "rows of the next matrix",
                    pair[1].rows,
                    pair[0].columns.to_string(),
                ));
            }
        }
        Ok(Self { matrices })
    }

    /// So many square matrices of this side, with entries drawn at random.
    ///
    /// # Errors
    ///
    /// As for [`Chain::new`].
    pub fn random(count: u32, side: u32, seed: u64) -> Result<Self> {
        Self::random_shapes(&vec![side; count as usize + 1], seed)
    }

    /// Matrices with entries drawn at random; the matrix with index i has `sides[i]` rows and `sides[i + 1]` columns.
    ///
    /// # Errors
    ///
    /// As for [`Chain::new`].
    pub fn random_shapes(sides: &[u32], seed: u64) -> Result<Self> {
        let mut generator = rng::stream(seed, "entries of matrices");
        let mut matrix = |sides: &[u32]| {
            let (rows, columns) = (sides[0], sides[1]);
            let count = rows as usize * columns as usize;
            let entries = (0..count).map(|_| generator.random_range(0..PRIME)).collect();
            Matrix { rows, columns, entries }
        };
        Self::new(sides.windows(2).map(&mut matrix).collect())
    }

    /// The matrices, the first one first.
    pub fn matrices(&self) -> &[Matrix] {
        &self.matrices
    }

    /// The product, multiplied from left to right.
    ///
    /// # Complexity
    ///
    /// O(n s^3) for n matrices of side s.
    pub fn left_to_right(&self) -> Matrix {
        let (first, rest) = self.matrices.split_first().expect("a chain is not empty");
        rest.iter().fold(first.clone(), |product, matrix| product.times(matrix))
    }
}

/// Eight bytes for the number of matrices, then the matrices.
impl Wire for Chain {
    fn volume(&self) -> Bytes {
        self.matrices.volume()
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.matrices.write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        Self::new(Vec::read(from)?).ok()
    }
}

/// The order of multiplications with the fewest products of entries: where each run of matrices is parted last.
///
/// ```text
/// cost(i, i) = 0,   cost(i, j) = min over i <= k < j of cost(i, k) + cost(k + 1, j) + r_i r_(k+1) r_(j+1)
/// ```
///
/// The last splits stand by first and last matrix of the run; beside them the cost of the whole.
///
/// # Complexity
///
/// O(n^3) for n matrices.
///
/// # Examples
///
/// ```
/// use meshwright_demos::applications::matrix_chain::cheapest_order;
/// // (10 x 100)(100 x 5)(5 x 50): the first two first.
/// let (splits, cost) = cheapest_order(&[10, 100, 5, 50]);
/// assert_eq!((splits[0][2], cost), (1, 7500));
/// ```
pub fn cheapest_order(sides: &[u32]) -> (Vec<Vec<usize>>, u128) {
    let n = sides.len().saturating_sub(1);
    let mut cost = vec![vec![0u128; n]; n];
    let mut split = vec![vec![0; n]; n];
    for length in 1..n {
        for i in 0..n - length {
            let j = i + length;
            let whole = |k: usize| {
                let [rows, inner, columns] = [i, k + 1, j + 1].map(|side| u128::from(sides[side]));
                cost[i][k] + cost[k + 1][j] + rows * inner * columns
            };
            let (least, best) = (i..j).map(|k| (whole(k), k)).min().expect("the run has two matrices");
            (cost[i][j], split[i][j]) = (least, best);
        }
    }
    (split, cost.first().and_then(|row| row.last()).copied().unwrap_or(0))
}

/// The product of a chain: both parts on their own, then one times the other.
///
/// # Source
///
/// `lo1990`, section 3: multiplying a sequence of matrices.
#[derive(Clone, Copy, Debug)]
pub struct MatrixChain {
    small: usize,
}

impl MatrixChain {
    /// Chains of up to so many matrices, and chains of one, are not divided.
    pub fn new(small: usize) -> Self {
        Self { small: small.max(1) }
    }
}

impl Default for MatrixChain {
    fn default() -> Self {
        Self::new(4)
    }
}

impl DivideAndConquer for MatrixChain {
    type Problem = Chain;
    type Solution = Matrix;

    fn is_small(&self, chain: &Chain) -> bool {
        chain.matrices.len() <= self.small
    }

    fn solve(&self, chain: Chain) -> Matrix {
        let mut sides = vec![chain.matrices[0].rows];
        sides.extend(chain.matrices.iter().map(|matrix| matrix.columns));
        let (splits, _) = cheapest_order(&sides);
        product(&chain.matrices, &splits, 0, chain.matrices.len() - 1)
    }

    fn divide(&self, chain: Chain, (kept, sent): (u32, u32)) -> (Chain, Chain) {
        let volume = |matrices: &[Matrix]| u128::from(Matrix::volume_of_all(matrices));
        let mut kept_part = chain.matrices;
        let goal = volume(&kept_part) * u128::from(kept);
        let workers = u128::from(kept) + u128::from(sent);
        let mut before = 0;
        let mut ends = Vec::with_capacity(kept_part.len());
        for matrix in &kept_part {
            before += u128::from(matrix.volume().0) * workers;
            ends.push(before);
        }
        let last = kept_part.len() - 1;
        let cut = (1..=last).min_by_key(|&cut| ends[cut - 1].abs_diff(goal));
        let sent_part = kept_part.split_off(cut.expect("a chain of one matrix is small"));
        (Chain { matrices: kept_part }, Chain { matrices: sent_part })
    }

    fn combine(&self, kept: Matrix, sent: Matrix) -> Matrix {
        kept.times(&sent)
    }
}

/// The product of the matrices from one index to another.
fn product(matrices: &[Matrix], splits: &[Vec<usize>], first: usize, last: usize) -> Matrix {
    if first == last {
        return matrices[first].clone();
    }
    let split = splits[first][last];
    product(matrices, splits, first, split).times(&product(matrices, splits, split + 1, last))
}

//! Flow matrices solved as matrices: LU decomposition, and determinants with Cramer's rule.

use nalgebra::{DMatrix, DVector};

use super::flow_matrix::FlowMatrix;
use meshwright_load::Number;

impl FlowMatrix {
    /// The shares by layer, by LU decomposition with partial pivoting; `None` for a singular matrix.
    ///
    /// Under cut-through with sigma > 1 the answer may hold negative shares, or there is none: the equations of the
    /// thesis are not its inequalities. [`closed_form`](meshwright_load::shares::closed_form) keeps to shares of at least 0.
    ///
    /// # Complexity
    ///
    /// O(order^3).
    ///
    /// # Source
    ///
    /// `zhang2018`, section 3.1.5 (algorithm 1).
    pub fn solve_by_lu(&self, sigma: f64) -> Option<Vec<f64>> {
        let order = self.order();
        let mut right = DVector::zeros(order);
        right[0] = 1.0;
        let matrix = DMatrix::from_row_slice(order, order, &self.values(&sigma));
        matrix.lu().solve(&right).map(|shares| shares.iter().copied().collect())
    }

    /// The shares by layer, a_i = det A_i* / det A, where A_i* is A with column i replaced by (1, 0, ..., 0); `None`
    /// for a singular matrix.
    ///
    /// The thesis takes absolute values; here a share keeps its sign. `determinant` gets the order and the numbers row
    /// after row: [`determinant_by_lu`] or [`determinant_by_elimination`].
    ///
    /// # Complexity
    ///
    /// One determinant more than there are layers.
    ///
    /// # Source
    ///
    /// `zhang2018`, equations 3.46 and 4.42.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::exact::Exact;
    /// use meshwright_load::Forwarding;
    /// use meshwright_papers::zhang2018::formulas::flow_matrix::{FlowMatrix, determinant_by_elimination};
    /// let matrix = FlowMatrix::new(&[1, 2, 1], Forwarding::ModifiedStoreAndForward);
    /// let shares = matrix.solve_by_cramer(&Exact::whole(1), determinant_by_elimination).expect("one answer");
    /// assert_eq!(shares, [Exact::fraction(4, 9), Exact::fraction(2, 9), Exact::fraction(1, 9)]);
    /// ```
    pub fn solve_by_cramer<N: Number>(
        &self,
        sigma: &N,
        determinant: impl Fn(usize, &[N]) -> N,
    ) -> Option<Vec<N>> {
        let (order, values) = (self.order(), self.values(sigma));
        let whole = determinant(order, &values);
        if whole == N::zero() {
            return None;
        }
        let replaced = |column: usize| {
            let mut values = values.clone();
            for row in 0..order {
                values[row * order + column] = if row == 0 { N::one() } else { N::zero() };
            }
            determinant(order, &values) / whole.clone()
        };
        Some((0..order).map(replaced).collect())
    }
}

/// The determinant of a matrix given row after row, by LU decomposition.
///
/// # Panics
///
/// When there are not `order^2` numbers.
///
/// # Complexity
///
/// O(order^3).
pub fn determinant_by_lu(order: usize, values: &[f64]) -> f64 {
    DMatrix::from_row_slice(order, order, values).lu().determinant()
}

/// The determinant of a matrix given row after row, by Gauss's elimination; exact for fractions.
///
/// # Panics
///
/// When there are not `order^2` numbers.
///
/// # Complexity
///
/// O(order^3) operations; fractions grow on the way.
///
/// # Examples
///
/// ```
/// use meshwright_papers::zhang2018::formulas::flow_matrix::determinant_by_elimination;
/// assert_eq!(determinant_by_elimination(2, &[0.0, 2.0, 3.0, 5.0]), -6.0);
/// ```
pub fn determinant_by_elimination<N: Number>(order: usize, values: &[N]) -> N {
    assert_eq!(values.len(), order * order, "a determinant needs a square of numbers");
    let mut rows: Vec<Vec<N>> = values.chunks(order.max(1)).map(<[N]>::to_vec).collect();
    let mut product = N::one();
    for column in 0..order {
        let size = |row: &usize| {
            let value = rows[*row][column].clone();
            if value < N::zero() { N::zero() - value } else { value }
        };
        let larger = |a: usize, b: usize| if size(&b) > size(&a) { b } else { a };
        let pivot = (column..order).reduce(larger).expect("the column is one of the range");
        if rows[pivot][column] == N::zero() {
            return N::zero();
        }
        if pivot != column {
            rows.swap(pivot, column);
            product = N::zero() - product;
        }
        let (above, below) = rows.split_at_mut(column + 1);
        let pivot = &above[column];
        product = product * pivot[column].clone();
        for row in below.iter_mut().filter(|row| row[column] != N::zero()) {
            let factor = row[column].clone() / pivot[column].clone();
            for (value, above) in row.iter_mut().zip(pivot).skip(column) {
                *value = value.clone() - factor.clone() * above.clone();
            }
        }
    }
    product
}

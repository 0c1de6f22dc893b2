//! The flow matrix of the thesis: one source, all processors stop together, as a system of linear equations.
//!
//! A a = b with b = (1, 0, ..., 0). The unknown a_k is the share of a node in layer k. Row 0 says that the shares of
//! all nodes sum to 1; row k >= 1 says that a node of layer k stops together with the nodes before it.
//!
//! The answer comes in three ways: by LU decomposition and by Cramer's determinants (here), and in closed form
//! ([`closed_form`](meshwright_load::shares::closed_form)), which the planner takes; tests hold them together.
//!
//! # Source
//!
//! `zhang2018`, equations 3.45 and 6.3 (cut-through), 4.41 and 6.6 (modified store-and-forward).

use std::fmt;

pub use super::matrix_solve::{determinant_by_elimination, determinant_by_lu};

use meshwright_load::{Forwarding, Number};

/// An entry of a flow matrix: `constant + sigmas * sigma`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What stands without sigma.
    pub constant: i64,
    /// How many sigmas.
    pub sigmas: i64,
}

impl Entry {
    const fn new(constant: i64, sigmas: i64) -> Self {
        Self { constant, sigmas }
    }

    /// The number it is for one sigma.
    pub fn value<N: Number>(self, sigma: &N) -> N {
        whole::<N>(self.constant) + whole::<N>(self.sigmas) * sigma.clone()
    }
}

/// A whole number of either sign.
fn whole<N: Number>(number: i64) -> N {
    let size = N::whole(number.unsigned_abs());
    if number < 0 { N::zero() - size } else { size }
}

/// As in the thesis: `1`, `s`, `s-1`, `-(1+s)`, with `s` for sigma.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sigmas = match self.sigmas.unsigned_abs() {
            1 => "s".to_string(),
            number => format!("{number}s"),
        };
        let text = match (self.constant, self.sigmas) {
            (constant, 0) => constant.to_string(),
            (0, 1..) => sigmas,
            (0, _) => format!("-{sigmas}"),
            (..0, ..0) => format!("-({}+{sigmas})", -self.constant),
            (_, 1..) => format!("{sigmas}{:+}", self.constant),
            (_, _) => format!("{}-{sigmas}", self.constant),
        };
        f.pad(&text)
    }
}

/// The flow matrix of a machine with these layers, for any sigma.
///
/// # Examples
///
/// Equation 3.86, the centre of a mesh of 3 x 3.
///
/// ```
/// use meshwright_load::Forwarding;
/// use meshwright_papers::zhang2018::formulas::flow_matrix::FlowMatrix;
/// let matrix = FlowMatrix::new(&[1, 4, 4], Forwarding::CutThrough);
/// assert_eq!(matrix.to_string(), "\
/// [ 1   4 4 ]
/// [ 1  -1 0 ]
/// [ 0 s-1 1 ]
/// ");
/// // a_0 = 1 / (9 - 4 sigma), equation 3.87.
/// let shares = matrix.solve_by_lu(0.5).expect("there is one answer");
/// assert!((shares[0] - 1.0 / 7.0).abs() < 1e-15);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowMatrix {
    layers: Vec<u64>,
    forwarding: Forwarding,
}

impl FlowMatrix {
    /// The matrix for these numbers of nodes by layer.
    ///
    /// # Panics
    ///
    /// When there is no layer 0 or it is empty.
    pub fn new(layers: &[u64], forwarding: Forwarding) -> Self {
        assert!(
            layers.first().is_some_and(|&sources| sources > 0),
            "a load has a source, so layer 0 is not empty"
        );
        Self { layers: layers.to_vec(), forwarding }
    }

    /// How many rows and columns it has: one for each layer.
    pub fn order(&self) -> usize {
        self.layers.len()
    }

    /// The entry of a row and a column, both from 0.
    ///
    /// # Panics
    ///
    /// When the column lies outside the matrix.
    ///
    /// # Source
    ///
    /// `zhang2018`, equations 6.3 and 6.6. The rows of pure store-and-forward follow from [`closed_form`](meshwright_load::shares::closed_form).
    pub fn entry(&self, row: usize, column: usize) -> Entry {
        if row == 0 {
            return Entry::new(self.layers[column] as i64, 0);
        }
        match self.forwarding {
            _ if column > row => Entry::new(0, 0),
            Forwarding::CutThrough => match (row, column) {
                (1, 0) => Entry::new(1, 0),
                (1, _) => Entry::new(-1, 0),
                (_, 0) => Entry::new(0, 0),
                (_, 1) => Entry::new(-1, 1),
                _ if column == row => Entry::new(1, 0),
                _ => Entry::new(0, 1),
            },
            _ if column == 0 => Entry::new(1, 0),
            forwarding => {
                let twice = forwarding == Forwarding::StoreAndForward && column > 1;
                Entry::new(if column == row { -1 } else { 0 }, if twice { -2 } else { -1 })
            }
        }
    }

    /// The numbers for one sigma, row after row.
    ///
    /// # Complexity
    ///
    /// O(order^2).
    pub fn values<N: Number>(&self, sigma: &N) -> Vec<N> {
        let order = self.order();
        (0..order * order).map(|at| self.entry(at / order, at % order).value(sigma)).collect()
    }

    /// What |det A| is over the speedup: 1 under cut-through, (1 + sigma)^r under modified store-and-forward, and
    /// (1 + sigma) (1 + 2 sigma)^(r-1) under store-and-forward, with r layers beyond layer 0.
    ///
    /// # Source
    ///
    /// `zhang2018`, sections 3.1.4 and 6.4, where the exponent is one too small for matrices of order n + 1.
    pub fn determinant_per_speedup<N: Number>(&self, sigma: &N) -> N {
        let below = 1..self.order();
        below.fold(N::one(), |product, k| {
            let diagonal = N::zero() - self.entry(k, k).value(sigma);
            let size = if diagonal < N::zero() { N::zero() - diagonal } else { diagonal };
            product * size
        })
    }
}

/// The rows in brackets, columns flush right.
impl fmt::Display for FlowMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |row: usize, column: usize| self.entry(row, column).to_string();
        let range = 0..self.order();
        let width = |column: usize| range.clone().map(|row| text(row, column).len()).max().unwrap_or(0);
        let widths: Vec<usize> = range.clone().map(width).collect();
        for row in range.clone() {
            f.write_str("[")?;
            for (column, width) in widths.iter().enumerate() {
                write!(f, " {:>width$}", self.entry(row, column))?;
            }
            f.write_str(" ]\n")?;
        }
        Ok(())
    }
}

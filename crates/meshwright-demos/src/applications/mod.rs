//! Worked applications of divide and conquer.
//!
//! | file | alpha | what |
//! |---|---|---|
//! | [`merge_sort`] | 1/2 down, 1/2 up | numbers in increasing order |
//! | [`matrix_chain`] | 1/2 down, 1 up | the product of a chain of matrices |
//! | [`components`] | 1/4 down, 1/2 up | connected components by halving the adjacency matrix |
//! | [`broadcast`] | 1 down | one value for everyone |
//! | [`reduce`] | 1 up | the sum of vectors |

pub mod broadcast;
pub mod components;
pub mod matrix_chain;
pub mod merge_sort;
pub mod reduce;

pub use broadcast::{Broadcast, Copies, Receipt};
pub use components::{Components, Graph, GraphHalving};
pub use matrix_chain::{Chain, Matrix, MatrixChain};
pub use merge_sort::MergeSort;
pub use reduce::{Contributions, Reduce};

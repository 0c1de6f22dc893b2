//! Worked applications of divide and conquer.
//!
//! | file | alpha | what |
//! |---|---|---|
//! | [`merge_sort`] | 1/2 down, 1/2 up | numbers in increasing order |

pub mod merge_sort;

pub use merge_sort::MergeSort;

//! Drawings of divisible loads: who works for whom, what flows where, and when.
//!
//! | file | what |
//! |---|---|
//! | [`cells`] | the cells of the sources, and what surrounds them |
//! | [`torus`] | the cells of a torus, on a torus |
//! | [`flow`] | the flow of the optimum and the cut that bounds it |
//! | [`gantt`] | when who receives and when who computes |

pub mod cells;
pub mod flow;
pub mod gantt;
pub mod torus;

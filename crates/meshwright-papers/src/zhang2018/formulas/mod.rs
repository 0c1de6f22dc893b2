//! Formulas and systems of equations of the thesis that only its claims and their tests ask for, for floats and for fractions.
//!
//! | file | what |
//! |---|---|
//! | [`flow_matrix`] | one source as a system of linear equations: LU decomposition, determinants |
//! | [`inequalities`] | what the thesis's constraints allow when processors may stop early |
//! | [`serial`] | a link serves one message at a time, a processor gets one message; start-up cost |
//! | [`threshold`] | from which sigma on the thesis claims more than a cut allows |

pub mod flow_matrix;
pub mod inequalities;
mod matrix_solve;
pub mod serial;
pub mod threshold;

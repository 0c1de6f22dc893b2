//! Shares of the load by formulas that give every processor a path of its own: the methods of the thesis.
//!
//! No plan of theirs is sure to be possible on shared links; [`check`](crate::check) decides.
//!
//! | file | what |
//! |---|---|
//! | [`closed_form`] | one source, the thesis: shares, speedup and finish time in O(layers) |
//! | [`voronoi`], `ties` | the cells of several sources, their layers and ties |
//! | [`schedulers`] | the thesis's schedulers for several sources: settings, answers, the table of methods |
//! | [`equivalence`] | a cell as one processor; connected sources as one source (EPSA, EPSEA) |
//! | [`earth_mover`] | evening out the loads of connected sources |
//! | [`reduced`], [`accelerated`], [`constrained`] | Voronoi schedulers (MDVDA, RMDVDA, ARMDVDA, RCMDVDA, RCMDVDEA) |
//! | [`partition`] | the best cells in the thesis's model: a linear programme by prices |
//! | [`experiment`] | random sources, many rounds: what is saved and gained, and how far it is from the optimum |
//! | [`lower_band`] | the ideal community of a source, and the ratio to it |
//! | [`flow_matrix`] | the same as a plan of a problem: [`flow_matrix::plan`] |
//! | [`timing`] | its timing diagram |
//!
//! # Source
//!
//! `zhang2018`, chapters 2 to 4.

pub mod accelerated;
pub mod closed_form;
pub mod constrained;
pub mod earth_mover;
pub mod equivalence;
pub mod experiment;
pub mod flow_matrix;
pub mod lower_band;
pub mod partition;
pub mod reduced;
mod scheduled;
pub mod schedulers;
mod ties;
pub mod timing;
pub mod voronoi;

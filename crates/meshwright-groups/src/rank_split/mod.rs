//! The paper's split: functions on the tree, and packets routed on it, find the trees of the new groups.
//!
//! | paper | here |
//! |---|---|
//! | phi(u), states 0 and 1 | the colour of a label, [`Functions::state`](functions::Functions::state) |
//! | f_L^x, f_R^x, t^x, b^x, m_L^x, m_R^x | [`Functions`] |
//! | s_L^x, s_R^x | [`Functions::before_child`](functions::Functions::before_child) |
//! | (q, r, c), send(c) | [`Routed`](routing::Routed), [`routing::route`] |
//! | splitting, joining | [`RankSplit`], [`Joining`] |
//!
//! | file | what |
//! |---|---|
//! | [`functions`] | lemma 2: the functions from what children and parent tell |
//! | [`routing`] | figure 3: where a packet goes next |
//! | [`packet`] | what members send |
//! | [`neighbours`] | what a member keeps of its group |
//! | [`meshwright_member::splitting`] | the six steps of a split at one member |
//! | [`scheme`] | the split as a scheme of [`protocol`](super::protocol) |
//!
//! # Source
//!
//! `chochia1996`, section 3.

use crate::protocol::grown::Grown;
use meshwright_core::units::NodeId;

pub mod neighbours;
pub mod packet;
pub mod routing;
pub mod scheme;

pub use meshwright_member::functions::{self, Functions};
pub use neighbours::AdjacentRoot;
pub use scheme::{Joining, RankSplit};

/// What a member keeps of a split, from its own call of it until the groups join again.
pub type RankSplitting = meshwright_member::splitting::RankSplitting<NodeId, Grown<routing::Routed>>;

//! Published algorithms, one file for each family.
//!
//! | file | what |
//! |---|---|
//! | [`ring`] | parts go round a ring, one way or both |
//! | [`hamiltonian`] | rings over cycles through all nodes of a box |
//! | `kotzig` | two of them without a common link, of sides even and odd |
//! | [`bucket`] | rings along one axis after the other |
//! | [`direct`] | everyone to everyone at once |
//! | [`bruck`] | all-gather and all-to-all in ceil(log p) steps |
//! | [`exchange`] | all-to-all from pair to pair, and over axes |
//! | [`scan`] | sums over the members up to each; dissemination |
//! | [`flooding`] | a word to all neighbours, again and again |
//! | [`butterfly`] | members in pairs: recursive doubling and halving, Rabenseifner |
//! | [`swing`] | pairs that swing between the directions of a torus |
//! | [`bine`] | Bine trees and butterflies |
//! | [`trivance`] | three members together in each step |
//! | [`chain`] | one member after the other, in chunks |
//! | [`binomial`] | the binomial tree over the numbers of the members |
//! | [`boxed`] | the binomial tree on a box: centred halving, growing, reflecting |
//! | [`tree`] | stars, k-ary trees, two levels of chains |
//! | [`double_tree`] | two binary trees for half of the data each |
//! | [`disjoint`] | spanning trees without a common link |
//! | [`three_trees`] | three trees of a mesh, two of them at most on a link |
//! | [`auto_gen`] | the best tree over a line by the wafer-scale model |
//! | [`scatter_gather`] | broadcast in parts |
//! | [`multitree`] | a tree from every member |
//! | [`multicast`] | routers that copy |

pub mod auto_gen;
pub mod bine;
pub mod binomial;
pub mod boxed;
pub mod bruck;
pub mod bucket;
pub mod butterfly;
pub mod chain;
pub mod direct;
pub mod disjoint;
pub mod double_tree;
pub mod exchange;
pub mod flooding;
pub mod hamiltonian;
mod kotzig;
pub mod multicast;
pub mod multitree;
pub mod ring;
pub mod scan;
pub mod scatter_gather;
pub mod swing;
pub mod three_trees;
pub mod tree;
pub mod trivance;

//! Published algorithms, one file for each family.
//!
//! | file | what |
//! |---|---|
//! | [`butterfly`] | members in pairs: recursive doubling, Rabenseifner |
//! | [`ring`] | parts go round a ring |
//! | [`chain`] | one member after the other, in chunks |
//! | [`binomial`] | the binomial tree over the numbers of the members |
//! | [`boxed`] | the binomial tree on a box: centred halving, growing, reflecting |
//! | [`tree`] | stars, k-ary trees, two levels of chains |
//! | [`double_tree`] | two binary trees for half of the data each |
//! | [`disjoint`] | spanning trees without a common link |
//! | [`auto_gen`] | the best tree over a line by the wafer-scale model |
//! | [`scatter_gather`] | broadcast in parts |
//! | [`multitree`] | a tree from every member |

pub mod auto_gen;
pub mod binomial;
pub mod boxed;
pub mod butterfly;
pub mod chain;
pub mod disjoint;
pub mod double_tree;
pub mod multitree;
pub mod ring;
pub mod scatter_gather;
pub mod tree;

//! The thesis's lower band: the ratio of a scheduler to the best community.
//!
//! At best every source has as many nodes as any other, and they surround it on an endless mesh: 1, 4, 8, 12, ...
//! nodes at 0, 1, 2, 3, ... hops. The machine can give no cell more, so beta = Sp / optimal_i is a lower bound of
//! the ratio to whatever is possible with cells.

use super::closed_form;
use crate::{Forwarding, Number};

/// How many nodes an ideal community of that size has at each depth; the last layer takes what is left.
///
/// # Complexity
///
/// O(square root of nodes).
///
/// # Source
///
/// `zhang2018`, end of section 3.1.5.
///
/// # Examples
///
/// ```
/// use meshwright_load::shares::lower_band::ideal_layers;
/// // 50 x 50 nodes for 10 sources.
/// assert_eq!(ideal_layers(250), [1, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 29]);
/// assert_eq!(ideal_layers(5), [1, 4]);
/// ```
pub fn ideal_layers(nodes: u64) -> Vec<u64> {
    let mut rest = nodes;
    let mut layers = Vec::new();
    while rest > 0 {
        let layer = (4 * layers.len() as u64).clamp(1, rest);
        layers.push(layer);
        rest -= layer;
    }
    layers
}

/// optimal_i: the speedup of an ideal community.
///
/// # Panics
///
/// When it has no node, or sigma is negative or not a number.
///
/// # Complexity
///
/// O(square root of nodes).
///
/// # Source
///
/// `zhang2018`, end of section 3.1.5.
pub fn ideal_speedup<N: Number>(nodes: u64, sigma: &N, forwarding: Forwarding) -> N {
    closed_form::speedup(&ideal_layers(nodes), sigma, forwarding)
}

/// beta = Sp / optimal_i, where every source of a machine has an equal number of its nodes, rounded down.
///
/// # Panics
///
/// When there are more sources than nodes, or none, or sigma is negative or not a number.
///
/// # Complexity
///
/// O(square root of nodes).
///
/// # Source
///
/// `zhang2018`, end of section 3.1.5.
///
/// # Examples
///
/// ```
/// use meshwright_load::Forwarding;
/// use meshwright_load::shares::lower_band::beta;
/// // One source in the middle of 5 x 5 nodes has (1, 4, 8, 8, 4); its ideal is (1, 4, 8, 12).
/// let (middle, ideal) = (1.0 + 4.0 + 8.0 * 0.5 + 8.0 * 0.25 + 4.0 * 0.125, 1.0 + 4.0 + 8.0 * 0.5 + 12.0 * 0.25);
/// assert_eq!(beta(middle, 25, 1, &0.5, Forwarding::CutThrough), middle / ideal);
/// ```
pub fn beta<N: Number>(speedup: N, nodes: u64, sources: u64, sigma: &N, forwarding: Forwarding) -> N {
    assert!(sources > 0 && sources <= nodes, "every source has a node of its own");
    speedup / ideal_speedup(nodes / sources, sigma, forwarding)
}

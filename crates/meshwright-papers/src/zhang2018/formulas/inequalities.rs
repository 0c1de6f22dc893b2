//! Optima of the thesis's own constraints when processors may stop early, and when the order of layers is free.
//!
//! With T = 1 and c_k the time at which a node of layer k can begin, the thesis asks for c_k + a_k = T. With
//! c_k + a_k <= T instead, more load can be done: a layer that would hold up larger ones is left out. This is a linear
//! programme, and it scales with the time that is left when layer k is served, so from the last layer to the first:
//!
//! | forwarding | v_k, what layers k, k + 1... do per unit of time left |
//! |---|---|
//! | cut-through | max(v_(k+1), m_k + (1 - sigma) v_(k+1)) |
//! | modified store-and-forward | max(v_(k+1), (m_k + v_(k+1)) / (1 + sigma)) |
//!
//! Neither optimum knows that layers share links: no schedule may attain it.
//!
//! # Source
//!
//! `zhang2018`, equations 3.32 to 3.44 and 4.29 to 4.40, with an inequality in place of each equation.

use meshwright_core::error::{Error, Result};
use meshwright_load::{Forwarding, Number};

/// A solution of the inequalities.
#[derive(Clone, Debug, PartialEq)]
pub struct PaperOptimum<N> {
    /// How many times faster than one processor the model takes it to be.
    pub speedup: N,
    /// By layer the share of one of its nodes; 0 where a layer is left out.
    pub fractions: Vec<N>,
}

/// The largest speedup under the thesis's constraints when nodes may stop before the end, nearest layer first.
///
/// Cut-through with sigma >= 1 leaves time for one layer, the largest.
///
/// # Errors
///
/// [`Error::NotApplicable`] for pure store-and-forward, which is not in the thesis; [`Error::Value`] for no source in
/// layer 0 or a sigma below 0.
///
/// # Complexity
///
/// O(layers).
///
/// # Source
///
/// `zhang2018`, equations 3.32 to 3.44 and 4.29 to 4.40, with inequalities.
///
/// # Examples
///
/// The centre of a mesh of 5 x 5: equal finish gives 11.5, serving layers 0, 2, 3, 4 only gives 14.
///
/// ```
/// use meshwright_load::Forwarding;
/// use meshwright_papers::zhang2018::formulas::inequalities::inequalities;
/// let optimum = inequalities(&[1, 4, 8, 8, 4], &0.5, Forwarding::CutThrough)?;
/// assert_eq!(optimum.speedup, 14.0);
/// assert_eq!(optimum.fractions[1], 0.0);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn inequalities<N: Number>(layers: &[u64], sigma: &N, forwarding: Forwarding) -> Result<PaperOptimum<N>> {
    let pass = Pass::new(layers, sigma, forwarding)?;
    // From the last layer: what can be done per unit of time left, and whether the layer is served.
    let mut rate = N::zero();
    let mut served = vec![true; layers.len()];
    for (k, &nodes) in layers.iter().enumerate().skip(1).rev() {
        let with = pass.take.clone() * N::whole(nodes) + pass.left.clone() * rate.clone();
        served[k] = with >= rate;
        if served[k] {
            rate = with;
        }
    }
    let order = (1..layers.len()).filter(|&k| served[k]);
    Ok(pass.serve(layers, order))
}

/// The speedup under the same constraints when the largest layer is served first, however far it is.
///
/// No order is better: a layer served earlier counts for more, so the larger of two neighbours belongs in front.
///
/// # Errors
///
/// As for [`inequalities`].
///
/// # Complexity
///
/// O(layers log layers).
///
/// # Source
///
/// `zhang2018`, equations 3.32 to 3.44 and 4.29 to 4.40, with inequalities and in another order.
///
/// # Examples
///
/// ```
/// use meshwright_load::Forwarding;
/// use meshwright_papers::zhang2018::formulas::inequalities::largest_layer_first;
/// assert_eq!(largest_layer_first(&[1, 4, 8, 8, 4], &0.5, Forwarding::CutThrough)?.speedup, 14.5);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn largest_layer_first<N: Number>(
    layers: &[u64],
    sigma: &N,
    forwarding: Forwarding,
) -> Result<PaperOptimum<N>> {
    let pass = Pass::new(layers, sigma, forwarding)?;
    let mut order: Vec<usize> = (1..layers.len()).collect();
    order.sort_by_key(|&k| std::cmp::Reverse(layers[k]));
    Ok(pass.serve(layers, order.into_iter()))
}

/// By layer from 1 on, m_k - sigma Y_k: equal finish is optimal among solutions of the inequalities just if none of
/// these is below 0.
///
/// Y_k is sum over j > k of m_j (1 - sigma)^(j-k-1) under cut-through and of m_j (1 + sigma)^-(j-k) under modified
/// store-and-forward: what one unit of time more would do for the layers beyond k. Under cut-through with sigma >= 1
/// the layers beyond 1 get nothing anyway; there equal finish is optimal just if none of them is larger than layer 1.
///
/// # Errors
///
/// As for [`inequalities`].
///
/// # Complexity
///
/// O(layers).
///
/// # Source
///
/// `zhang2018`, section 2.2: the claim that equal finish is optimal, which this decides.
///
/// # Examples
///
/// ```
/// use meshwright_load::Forwarding;
/// use meshwright_papers::zhang2018::formulas::inequalities::equal_finish_margins;
/// let margins = equal_finish_margins(&[1, 4, 8, 8, 4], &0.5, Forwarding::CutThrough)?;
/// assert_eq!(margins, [4.0 - 6.5, 8.0 - 5.0, 8.0 - 2.0, 4.0], "layer 1 is not worth its time");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn equal_finish_margins<N: Number>(layers: &[u64], sigma: &N, forwarding: Forwarding) -> Result<Vec<N>> {
    let pass = Pass::new(layers, sigma, forwarding)?;
    let mut beyond = N::zero();
    let mut margins = Vec::with_capacity(layers.len());
    for &nodes in layers[1..].iter().rev() {
        margins.push(N::whole(nodes) - sigma.clone() * beyond.clone());
        beyond = pass.take.clone() * N::whole(nodes) + pass.left.clone() * beyond;
    }
    margins.reverse();
    Ok(margins)
}

/// What serving a layer does to the time left.
struct Pass<N> {
    /// The share of a node, per unit of time left.
    take: N,
    /// What is left afterwards, per unit of time left.
    left: N,
}

impl<N: Number> Pass<N> {
    fn new(layers: &[u64], sigma: &N, forwarding: Forwarding) -> Result<Self> {
        if layers.first().is_none_or(|&sources| sources == 0) {
            return Err(Error::value("number of sources", 0, "at least one source"));
        }
        if sigma.partial_cmp(&N::zero()).is_none_or(std::cmp::Ordering::is_lt) {
            return Err(Error::value("sigma", sigma, "a number of at least 0"));
        }
        let one = N::one();
        match forwarding {
            Forwarding::CutThrough => {
                Ok(Self { take: one.clone(), left: (one - sigma.clone()).greater(N::zero()) })
            }
            Forwarding::ModifiedStoreAndForward => {
                let take = one.clone() / (one + sigma.clone());
                Ok(Self { left: take.clone(), take })
            }
            Forwarding::StoreAndForward => {
                let why = "the constraints of Zhang 2018 know no messages that go hop by hop";
                Err(Error::not_applicable("paper-optimum", why))
            }
        }
    }

    /// Serves these layers in this order, each with all the time it can get.
    fn serve(&self, layers: &[u64], order: impl Iterator<Item = usize>) -> PaperOptimum<N> {
        let mut fractions = vec![N::zero(); layers.len()];
        fractions[0] = N::one();
        let mut left = N::one();
        for k in order {
            fractions[k] = left.clone() * self.take.clone();
            left = left * self.left.clone();
        }
        let nodes_and_fractions = layers.iter().zip(&fractions);
        let speedup: N =
            nodes_and_fractions.map(|(&nodes, fraction)| N::whole(nodes) * fraction.clone()).sum();
        let fractions = fractions.into_iter().map(|fraction| fraction / speedup.clone()).collect();
        PaperOptimum { speedup, fractions }
    }
}

//! One source in closed form: what a node of each layer takes, in O(layers).
//!
//! The thesis lets all processors stop together. A node of layer 1 works while its share arrives (cut-through) or
//! afterwards (the two kinds of store-and-forward), and a node of layer k waits for the shares of layers 1..k-1:
//!
//! | forwarding | a_1 | a_k, k >= 2 |
//! |---|---|---|
//! | cut-through | a_0 | a_(k-1) (1 - sigma) |
//! | modified store-and-forward | a_0 / (1 + sigma) | a_(k-1) / (1 + sigma) |
//! | store-and-forward | a_0 / (1 + sigma) | a_(k-1) / (1 + 2 sigma) |
//!
//! The last row is not in the thesis. There the message of layer k goes hop by hop, and a link carries one message
//! at a time, that of the nearest layer first. Let C_k be the time at which it has arrived. Shares shrink with the
//! distance, so on every link they have in common message k is right behind message k - 1: it reaches layer k - 1 one
//! transfer of its own after message k - 1 did, and layer k another transfer later. So C_1 = sigma a_1,
//! C_k = C_(k-1) + 2 sigma a_k, and a_k = T - C_k.
//!
//! # Source
//!
//! `zhang2018`, equations 3.46, 4.42, 6.3 and 6.6, solved by elimination.

use crate::{Forwarding, Number};
use meshwright_core::error::{Error, Result};

/// The ratio sigma = z Tcm / (w Tcp): the time of a load on a link over its time on a processor.
///
/// `z` is the inverse speed of a link, `tcm` the time of the load on a link of `z` = 1, `w` the inverse speed of a
/// processor, `tcp` the time of the load on a processor of `w` = 1.
///
/// # Errors
///
/// [`Error::Value`] when a factor is negative or not finite, `w` or `tcp` is 0, or sigma is too large for a float.
///
/// # Source
///
/// `zhang2018`, section 2.2.
///
/// # Examples
///
/// ```
/// use meshwright_load::shares::closed_form::sigma;
/// assert_eq!(sigma(0.5, 1.0, 2.0, 1.0)?, 0.25);
/// assert!(sigma(0.5, 1.0, 0.0, 1.0).is_err(), "no processor is infinitely fast");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn sigma(z: f64, tcm: f64, w: f64, tcp: f64) -> Result<f64> {
    for (what, value) in [("z", z), ("Tcm", tcm)] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(Error::value(what, value, "a number of at least 0"));
        }
    }
    for (what, value) in [("w", w), ("Tcp", tcp)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(Error::value(what, value, "a number above 0"));
        }
    }
    let sigma = z * tcm / (w * tcp);
    if !sigma.is_finite() {
        return Err(Error::value(
            "sigma",
            sigma,
            "factors whose quotient z Tcm / (w Tcp) is a finite number",
        ));
    }
    Ok(sigma)
}

/// By layer a_k / a_0: what a node takes for each unit that a source takes.
///
/// Under cut-through with sigma >= 1 the formula a_k = a_0 (1 - sigma)^(k-1) would turn negative (the absolute values
/// of equation 3.46 hide it): layers beyond 1 then take nothing.
///
/// # Panics
///
/// When sigma is negative or not a number.
///
/// # Complexity
///
/// O(layers).
///
/// # Source
///
/// `zhang2018`, equations 3.46 and 4.42.
///
/// # Examples
///
/// ```
/// use meshwright_load::Forwarding;
/// use meshwright_load::shares::closed_form::ratios;
/// assert_eq!(ratios(4, &0.5, Forwarding::CutThrough), [1.0, 1.0, 0.5, 0.25]);
/// assert_eq!(ratios(4, &2.0, Forwarding::CutThrough), [1.0, 1.0, 0.0, 0.0]);
/// assert_eq!(ratios(3, &1.0, Forwarding::ModifiedStoreAndForward), [1.0, 0.5, 0.25]);
/// assert_eq!(ratios(3, &0.5, Forwarding::StoreAndForward), [1.0, 1.0 / 1.5, 1.0 / 3.0]);
/// ```
pub fn ratios<N: Number>(layers: usize, sigma: &N, forwarding: Forwarding) -> Vec<N> {
    let [first, further] = factors(sigma, forwarding);
    let next = |(k, ratio): &(usize, N)| {
        let factor = if *k == 0 { first.clone() } else { further.clone() };
        Some((k + 1, ratio.clone() * factor))
    };
    std::iter::successors(Some((0, N::one())), next).take(layers).map(|(_, ratio)| ratio).collect()
}

/// a_1 / a_0, and a_k / a_(k-1) for k >= 2.
fn factors<N: Number>(sigma: &N, forwarding: Forwarding) -> [N; 2] {
    assert!(*sigma >= N::zero(), "sigma is {sigma}, but the time of a transfer is not negative");
    let (one, more) = (N::one(), N::one() + sigma.clone());
    match forwarding {
        Forwarding::CutThrough if *sigma >= one => [one, N::zero()],
        Forwarding::CutThrough => [one.clone(), one - sigma.clone()],
        Forwarding::ModifiedStoreAndForward => [one.clone() / more.clone(), one / more],
        Forwarding::StoreAndForward => [one.clone() / more.clone(), one / (more + sigma.clone())],
    }
}

/// The speedup sum m_k a_k / a_0, m_k nodes in layer k: how many times faster than one processor.
///
/// # Panics
///
/// When there is no layer 0, or it is empty, or sigma is negative or not a number.
///
/// # Complexity
///
/// O(layers).
///
/// # Source
///
/// `zhang2018`, sections 3.1.4 and 6.4 (with the exponent of 1 + sigma corrected).
///
/// # Examples
///
/// ```
/// use meshwright_core::exact::Exact;
/// use meshwright_load::Forwarding;
/// use meshwright_load::shares::closed_form::speedup;
/// assert_eq!(speedup(&[1, 2, 1], &0.5, Forwarding::CutThrough), 3.5);
/// assert_eq!(speedup(&[1, 2, 1], &Exact::whole(1), Forwarding::ModifiedStoreAndForward), Exact::fraction(9, 4));
/// ```
pub fn speedup<N: Number>(layers: &[u64], sigma: &N, forwarding: Forwarding) -> N {
    assert!(
        layers.first().is_some_and(|&sources| sources > 0),
        "a load has a source, so layer 0 is not empty"
    );
    let ratios = ratios(layers.len(), sigma, forwarding);
    layers.iter().zip(ratios).map(|(&nodes, ratio)| N::whole(nodes) * ratio).sum()
}

/// By layer the share of one of its nodes; sum m_k a_k = 1.
///
/// # Panics
///
/// As for [`speedup`].
///
/// # Complexity
///
/// O(layers).
///
/// # Source
///
/// `zhang2018`, equations 3.46 and 4.42.
///
/// # Examples
///
/// ```
/// use meshwright_core::exact::Exact;
/// use meshwright_load::Forwarding;
/// use meshwright_load::shares::closed_form::fractions;
/// let shares = fractions(&[1, 3, 3, 2], &Exact::fraction(1, 2), Forwarding::CutThrough);
/// // Equations 3.69 to 3.72: 1 / (9 - 7 sigma + 2 sigma^2) and so on.
/// assert_eq!(shares, [Exact::fraction(1, 6), Exact::fraction(1, 6), Exact::fraction(1, 12), Exact::fraction(1, 24)]);
/// ```
pub fn fractions<N: Number>(layers: &[u64], sigma: &N, forwarding: Forwarding) -> Vec<N> {
    let speedup = speedup(layers, sigma, forwarding);
    ratios(layers.len(), sigma, forwarding).into_iter().map(|ratio| ratio / speedup.clone()).collect()
}

/// When all is done, in units of w Tcp: a_0 = 1 / speedup.
///
/// # Panics
///
/// As for [`speedup`].
pub fn makespan<N: Number>(layers: &[u64], sigma: &N, forwarding: Forwarding) -> N {
    N::one() / speedup(layers, sigma, forwarding)
}

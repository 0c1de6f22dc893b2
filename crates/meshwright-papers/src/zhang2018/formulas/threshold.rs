//! The threshold of sigma beyond which the thesis claims a speedup that no schedule can attain.

use meshwright_load::Forwarding;

/// More steps than this are taken only where the claim touches the bound without crossing it.
const STEPS_MAX: u32 = 100_000;

/// The largest sigma up to which the speedup of the closed form stays within the cut bound m_0 + cut / sigma of its
/// sources, of which `cut` links lead out; `None` when it always does (under cut-through: for sigma up to 1).
///
/// Let u = 1 - sigma under cut-through and 1 / (1 + sigma) under modified store-and-forward. Then the bound is met
/// where (1 - u) H(u) = cut, H(u) = sum m_k u^(k-1) over k >= 1. For pure store-and-forward u = 1 / (1 + 2 sigma), and
/// (1 - u) H(u) = cut (1 + u). H grows with u. So below a u that meets the bound or stays within it there is no
/// crossing before u' with (1 - u') H(u) = cut (1 + u'), and the steps from u = 1 come to the first crossing from the
/// side of small sigma.
///
/// # Complexity
///
/// O(layers) for each step; some tens of steps.
///
/// # Source
///
/// `zhang2018`, equations 3.46 and 4.42, against the links of the source.
///
/// # Examples
///
/// ```
/// use meshwright_load::Forwarding;
/// use meshwright_papers::zhang2018::formulas::threshold;
/// let corner = [1, 2, 3, 2, 1];
/// let sigma = threshold::claim_holds_up_to(&corner, 2, Forwarding::CutThrough).expect("it does not always hold");
/// assert!((sigma - 0.456).abs() < 0.001);
/// assert_eq!(threshold::claim_holds_up_to(&[1, 2, 1], 2, Forwarding::CutThrough), None);
/// ```
pub fn claim_holds_up_to(layers: &[u64], cut: u64, forwarding: Forwarding) -> Option<f64> {
    let beyond: Vec<f64> = layers.iter().skip(1).map(|&nodes| nodes as f64).collect();
    let cut = cut as f64;
    let twice = if forwarding == Forwarding::StoreAndForward { cut } else { 0.0 };
    let excess = excess(&beyond, cut, twice);
    // The gap 1 - u keeps its digits where sigma is small.
    let (mut gap, mut steps) = (0.0, 0);
    loop {
        let served = beyond.iter().rev().fold(0.0, |sum, nodes| sum * (1.0 - gap) + nodes);
        let next = (cut + twice) / (served + twice);
        if next.is_nan() || next >= 1.0 || stays_below(&excess, 1.0 - next) {
            return None;
        }
        steps += 1;
        if next <= gap || steps == STEPS_MAX {
            return Some(match forwarding {
                Forwarding::CutThrough => next,
                Forwarding::ModifiedStoreAndForward => next / (1.0 - next),
                Forwarding::StoreAndForward => next / (1.0 - next) / 2.0,
            });
        }
        gap = next;
    }
}

/// (1 - u) H(u) - cut - twice u as a polynomial, the constant first: the claim is too large where it is above 0.
fn excess(beyond: &[f64], cut: f64, twice: f64) -> Vec<f64> {
    let mut coefficients = vec![0.0; beyond.len().max(1) + 1];
    coefficients[0] -= cut;
    coefficients[1] -= twice;
    for (k, nodes) in beyond.iter().enumerate() {
        coefficients[k] += nodes;
        coefficients[k + 1] -= nodes;
    }
    coefficients
}

/// Whether the polynomial is certainly not above 0 between 0 and u: its lowest term outweighs those of the other sign.
fn stays_below(coefficients: &[f64], u: f64) -> bool {
    let mut terms = coefficients.iter().skip_while(|coefficient| **coefficient == 0.0);
    let lowest = terms.next().copied().unwrap_or(0.0);
    let against: f64 = terms
        .scan(u, |power, coefficient| {
            let term = coefficient.max(0.0) * *power;
            *power *= u;
            Some(term)
        })
        .sum();
    lowest <= 0.0 && against <= -lowest
}
